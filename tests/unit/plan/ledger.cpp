// Ledgers of programs that run for long.
#include "ashlar/ops/ops.hpp"
#include <doctest/doctest.h>

using namespace ashlar;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;
using notes = decltype(recorder<grid>::log);

// An all_reduce over x, then y, x, ... of 1, 2, 3, ... elements.
notes notes_of(int collectives) {
  notes log;
  for (int i = 0; i < collectives; ++i)
    log.add({collective::all_reduce, layout_detail::mask_of(i % 2), i + 1, i < 100 ? pass::forward : pass::backward, 7,
             "program.cpp"});
  return log;
}
bool holds(notes const& log, int collectives) {
  bool right = log.count() == collectives && log.end() - log.begin() == collectives;
  for (int i = 0; right && i < collectives; ++i)
    right = log[i].axes == layout_detail::mask_of(i % 2) && log[i].bytes_per_rank == i + 1;
  return right;
}

}  // namespace

TEST_CASE("ledger: while a program runs it holds as many collectives as there are") {
  for (int n : {0, 1, plan_detail::few_records::capacity, plan_detail::few_records::capacity + 1, 1000}) {
    notes const log = notes_of(n);
    CHECK(holds(log, n));
    CHECK(log.count(collective::all_reduce, "x") == (n + 1) / 2);
    CHECK(log.count(pass::forward) == (n < 100 ? n : 100));
    CHECK(log.bytes_per_rank() == index_t{n} * (n + 1) / 2);
  }
}

TEST_CASE("ledger: copies go on apart") {
  notes log = notes_of(300);
  notes copy = log;
  log.add({});
  CHECK(log.count() == 301);
  CHECK(holds(copy, 300));
  for (int n : {3, 500, 0}) {
    notes const other = notes_of(n);
    copy = other;
    CHECK(holds(copy, n));
  }
  notes const& same = log;
  log = same;
  CHECK(log.count() == 301);
}

TEST_CASE("collectives: a dry run at run time says what is wrong as it does in a compiler") {
  auto const gather = [](int times) {
    return collectives(grid{{2, 4}}, [times](auto const& m) {
      auto const x = make<float, layout<"x", none>>(m, {24, 10});
      for (int i = 0; i < times; ++i) (void)all_gather<"x">(x);
    });
  };
  CHECK(gather(plan_detail::few_records::capacity).bytes_per_rank() ==
        plan_detail::few_records::capacity * 12 * 10 * 4);
  CHECK_THROWS_WITH_AS(gather(plan_detail::few_records::capacity + 1),
                       "ashlar::ledger: more than 128 collectives; ask for the collectives of a part of the program",
                       error);
  CHECK_THROWS_WITH_AS((void)gather(1).count(collective::all_gather, "z"),
                       "ashlar::ledger: the mesh has no axis of this name; ask for one of its axes", error);
}
