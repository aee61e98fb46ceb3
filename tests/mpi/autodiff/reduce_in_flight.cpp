// Gradients that travel while the rest of the backward pass runs: the same bits as those of collectives that block, but for axes of
// several nodes, where those that block add up each node's first.
#include "support/adjoint.hpp"
#include "support/two.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

auto number(int which) {
  return [which](index_t g, int) { return reals(g, 0, which); };
}

// Gradients of two layers, of which the second uses its kernel twice; `replicate` brings a kernel to the batch's axis.
template <class Replicate>
auto gradients_with(device_mesh<grid> const& m, Replicate replicate) {
  auto const x = tensor_of<double, layout<"data", none>>(m, shape::of(7, 5), number(0));
  auto const p = build<two>(tensor_of<double, layout<none, "model">>(m, shape::of(5, 6), number(1)),
                            tensor_of<double, layout<"model", none>>(m, shape::of(6, 6), number(2)));
  return value_and_grad<none>([&](auto const& q) {
    auto const h = all_gather<"model", invariant>(tanh(einsum<"bi,ih->bh">(x, replicate(q.first))));
    auto const once =
        all_reduce<"model">(einsum<"bh,hk->bk">(redistribute<layout<"data", "model">>(h), replicate(q.second)));
    auto const twice = all_reduce<"model">(
        einsum<"bh,hk->bk">(redistribute<layout<"data", "model">>(tanh(once)), replicate(q.second)));
    return sum(square(twice));
  })(p);
}

void check_gradients() {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const expected = gradients_with(m, [](auto const& w) { return as_replicated<"data">(w); });
    auto const calls = m.collectives_run();
    auto const found = gradients_with(m, [](auto const& w) { return as_replicated_async<"data">(w); });
    static_assert(std::is_same_v<decltype(expected), decltype(found)>);
    for_each_leaf(
        [&](auto const& a, auto const& b) {
          auto const mine = shard(a), theirs = shard(b);
          bool const other_order = m.communicator(1u).state().levels != nullptr;
          CHECK(std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), [&](double x, double y) {
            return x == y || (other_order && std::abs(x - y) <= 1e-13 * (1 + std::abs(y)));
          }));
        },
        expected, found);
    CHECK(m.collectives_run() == 2 * calls);
  });
}

}  // namespace

TEST_CASE("as_replicated_async: gradients have the bits of as_replicated's") { check_gradients(); }

TEST_CASE("as_replicated_async: the same where operands are read in place") {
  operands_in_place const scope;
  check_gradients();
}

TEST_CASE("as_replicated_async: the same by messages of MPI") {
  messages_of_mpi const scope;
  check_gradients();
}

TEST_CASE("as_replicated_async: two layers as a page writes them have the loss and the gradients of as_replicated") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = tensor_of<double, layout<"data", none>>(m, shape::of(7, 5), number(0));
  auto const parameters = build<two>(tensor_of<double, layout<none, none>>(m, shape::of(5, 6), number(1)),
                                     tensor_of<double, layout<none, none>>(m, shape::of(6, 3), number(2)));
  // [gradients]
  auto [value, grads] = value_and_grad<none>([&](auto const& p) {
    auto const h = relu(einsum<"bi,ih->bh">(x, as_replicated_async<"data">(p.first)));
    return sum(square(einsum<"bh,ho->bo">(h, as_replicated_async<"data">(p.second))));
  })(parameters);  // a struct with names("first", "second")
  // [gradients]
  auto const [expected_value, expected] = value_and_grad<none>([&](auto const& p) {
    auto const h = relu(einsum<"bi,ih->bh">(x, as_replicated<"data">(p.first)));
    return sum(square(einsum<"bh,ho->bo">(h, as_replicated<"data">(p.second))));
  })(parameters);
  CHECK(item(all_reduce(value)) == item(all_reduce(expected_value)));
  auto const near = [](double a, double b) { return std::abs(a - b) <= 1e-13 * (1 + std::abs(b)); };
  for_each_leaf(
      [&](auto const& a, auto const& b) {
        auto const mine = shard(a), theirs = shard(b);
        CHECK(std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), near));
      },
      grads, expected);
}

TEST_CASE("as_replicated_async: gradients that nobody takes arrive") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = tensor_of<double, layout<"data", none>>(m, shape::of(7, 5), number(0));
  auto const w = tensor_of<double, layout<none, none>>(m, shape::of(5, 3), number(1));
  auto const total = [&] { return shard(all_reduce<"data">(sum<0>(x))); };
  auto const before = total();
  for (int i = 0; i < 3; ++i) {
    autodiff_detail::tape t;
    active<std::remove_const_t<decltype(w)>, 0u> const a(t, w);
    t.keep();
    auto const y = sum(einsum<"bi,ih->bh">(x, as_replicated_async<"data">(a)));
    y.cotangent().add(tensor_of<double, layout<>>(m, shape{}, [](index_t, int) { return 1.; }));
    t.run();
    CHECK(a.cotangent().is_set());
  }
  CHECK(total() == before);
}
