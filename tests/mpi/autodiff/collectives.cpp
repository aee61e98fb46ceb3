// Derivatives of the collectives: a collective leaves the value alone, so its adjoint leaves the cotangent's value alone.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

// <f(x), y*> == <x, f*(y*)> for uneven and for empty shards. Where x is whole it is replicated over "data" and
// invariant over "model".
template <class L, class F>
void check_collective(F const& f) {
  for (shape const& e : {shape::of(7, 5), shape::of(2, world_size() + 1)}) check_linear<"data">(f, operand<L>{e});
}
template <class From, class To>
void check_redistribute() {
  check_collective<From>([](auto const& x) { return redistribute<To>(x); });
}

}  // namespace

TEST_CASE("all_reduce: the cotangent is there already") {
  check_collective<partial<layout<none, none>, "model">>([](auto const& x) { return all_reduce<"model">(x); });
  check_collective<partial<layout<none, none>, axes("data", "model")>>(
      [](auto const& x) { return all_reduce<"data">(x); });
  check_collective<partial<layout<"data", none>, "model">>([](auto const& x) { return all_reduce(x); });
}

TEST_CASE("all_gather: a reduce_scatter; of an invariant value a slice") {
  check_collective<layout<"data", "model">>([](auto const& x) { return all_gather<"data">(x); });
  check_collective<layout<none, axes("data", "model")>>([](auto const& x) { return all_gather<"model">(x); });
  check_collective<layout<none, axes("data", "model")>>(
      [](auto const& x) { return all_gather<axes("data", "model")>(x); });
  check_collective<layout<"data", "model">>([](auto const& x) { return all_gather<"model", invariant>(x); });
  check_collective<layout<axes("model", "data"), none>>(
      [](auto const& x) { return all_gather<axes("model", "data"), invariant>(x); });
}

TEST_CASE("reduce_scatter: an all_gather") {
  check_collective<partial<layout<none, "data">, "model">>([](auto const& x) { return reduce_scatter<"model", 0>(x); });
  check_collective<partial<layout<"data", none>, "model">>([](auto const& x) { return reduce_scatter<"model", 0>(x); });
  check_collective<partial<layout<none, none>, axes("data", "model")>>(
      [](auto const& x) { return reduce_scatter<axes("data", "model"), 1>(x); });
}

TEST_CASE("all_to_all: the one back") {
  check_collective<layout<"data", "model">>([](auto const& x) { return all_to_all<"data", 1>(x); });
  check_collective<layout<axes("data", "model"), none>>([](auto const& x) { return all_to_all<"model", 1>(x); });
}

TEST_CASE("as_replicated: an all_reduce; as_partial: one summand") {
  check_collective<layout<none, none>>([](auto const& x) { return as_replicated<"model">(x); });
  check_collective<layout<none, "data">>([](auto const& x) { return as_replicated<axes("data", "model")>(x); });
  check_collective<layout<none, none>>([](auto const& x) { return as_partial<axes("data", "model")>(x); });
  check_collective<layout<none, "data">>([](auto const& x) { return as_partial<"model">(x); });
}

TEST_CASE("transpose to another layout: the plan back, transposed") {
  check_collective<layout<"data", "model">>(
      [](auto const& x) { return transpose<1, 0>(x, to_layout<layout<"data", none>>); });
  check_collective<layout<none, "model">>(
      [](auto const& x) { return transpose<1, 0>(x, to_layout<layout<none, axes("model", "data")>>); });
}

TEST_CASE("redistribute: the plan back") {
  check_redistribute<layout<none, none>, layout<"data", "model">>();
  check_redistribute<layout<"data", "model">, layout<none, none>>();
  check_redistribute<layout<"data", "model">, layout<"model", "data">>();
  check_redistribute<layout<axes("data", "model"), none>, layout<axes("model", "data"), none>>();
  check_redistribute<layout<"data", none>, partial<layout<none, none>, "data">>();
  check_redistribute<partial<layout<none, none>, "data">, partial<layout<none, none>, "model">>();
  check_redistribute<partial<layout<"data", none>, "model">, layout<none, "model">>();
}

TEST_CASE("collectives one after the other: an all_reduce that goes on replicated is its own adjoint") {
  check_collective<partial<layout<none, none>, "model">>(
      [](auto const& x) { return as_replicated<"model">(all_reduce<"model">(x)); });
  check_collective<partial<layout<none, "data">, "model">>([](auto const& x) {
    return all_gather<"data", invariant>(all_to_all<"model", 0>(reduce_scatter<"model", 1>(x)));
  });
}
