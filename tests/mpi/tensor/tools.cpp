// What Kokkos' tools see: a region for every collective, and for every kernel that no launch shows.
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/ops/bundle.hpp"
#include "support/dense.hpp"
#include "support/heard.hpp"
#include <doctest/doctest.h>
#include <string>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

}  // namespace

TEST_CASE("tools: each collective is a region, with the axes and the line that calls it") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  auto const x = tensor_of<double, layout<"x", none>>(m, shape::of(12, 5), small_number);
  unsigned line = 0;
  heard const all = heard_in([&] {
    line = __LINE__ + 1;
    (void)all_gather<"x">(x);
    (void)all_to_all<"x", 1>(x);
    (void)all_to_all_async<"x", 1>(x).wait();
    (void)all_reduce<"x">(bundle(sum<0>(x), sum(x)));
  });
  bool const collectives = m.size() > 1;
  CHECK(all.count("ashlar::all_gather over x, tools.cpp:" + std::to_string(line)) == collectives);
  CHECK(all.count("ashlar::all_gather over x") == collectives);
  CHECK(all.count("ashlar::all_to_all over x") == 3 * collectives);  // what begins and is completed later twice
  CHECK(all.count("ashlar::all_reduce over x") == collectives);
  CHECK(all.open == 0);
}

TEST_CASE("tools: a bias, a normalisation and an activation behind a convolution are one kernel") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  auto const images =
      tensor_of<float, layout<"x", none, none, none>>(m, shape::of(2 * world_size(), 6, 6, 3), small_number);
  auto const filters = tensor_of<float, layout<none, none, none, none>>(m, shape::of(3, 3, 3, 4), small_number);
  auto const bias = tensor_of<float, layout<none>>(m, shape::of(4), small_number);
  auto const convolved = [&] { return conv2d<1, 1, padding::same>(images, filters); };
  long const alone = static_cast<long>(heard_in([&] { (void)plan_detail::materialize(convolved()); }).begun.size());
  heard const all = heard_in([&] { (void)plan_detail::materialize(relu((convolved() + bias) * bias - bias)); });
  CHECK(all.count("ashlar::map") == 1);
  CHECK(static_cast<long>(all.begun.size()) == alone + 1);
}

TEST_CASE("tools: kernels show, also those that run as plain calls") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  auto const a = tensor_of<double, layout<"x", none>>(m, shape::of(2 * world_size(), 3), small_number);
  auto const b = tensor_of<double, layout<none, none>>(m, shape::of(3, 4), small_number);
  CHECK(heard_in([&] { (void)shard(2. * a + a); }).count("ashlar::map") == 1);
  CHECK(heard_in([&] { (void)sum<1>(a); }).count("ashlar::reduce") > 0);
  CHECK(heard_in([&] { (void)einsum<"ij,jk->ik">(a, b); }).count("ashlar::") > 0);
  CHECK(heard_in([&] { (void)redistribute<layout<none, "x">>(b); }).count("ashlar::strided_copy") == (m.size() > 1));
  heard const none_open = heard_in([&] { (void)softmax(a); });
  CHECK(!none_open.begun.empty());
  CHECK(none_open.open == 0);
}

namespace {

template <class X>
X copy_of(X const& x) {
  X y(x.mesh(), x.extents());
  Kokkos::deep_copy(y.view(), x.view());
  return y;
}

}  // namespace

TEST_CASE("bundle: operands that lie side by side are sent as they lie, whether or not they do on the other ranks") {
  messages_of_mpi const scope;
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    using both = partial<layout<none>, axes("x", "y")>;
    auto const few = tensor_of<double, both>(m, shape::of(5), small_number),
               many = tensor_of<double, both>(m, shape::of(700), small_number),
               no = tensor_of<double, both>(m, shape::of(0), small_number);
    bool const over_several = sizes[0] > 1;
    long const copies = over_several && tensors_lie_in_host_memory ? 2 : 0;  // of nothing there is none
    CHECK(heard_in([&] { (void)all_reduce<"x">(bundle(few, many, no)); }).count("ashlar::copy") == copies);
    auto const [a, b, c] = all_reduce<"x">(bundle(few, many, no));
    auto const before = shard(b);
    if (copies != 0)
      CHECK(heard_in([&, &x = a, &y = b, &z = c] { (void)all_reduce<"y">(bundle(x, y, z)); }).count("ashlar::copy") ==
            0);
    auto apart = b;
    if (m.rank() == 0) apart = copy_of(b);
    auto const [d, e, f] = all_reduce<"y">(bundle(a, apart, c));
    CHECK(denotes(d, denoted<double>(few.extents(), few.layout, m.sizes(), small_number)));
    CHECK(denotes(e, denoted<double>(many.extents(), many.layout, m.sizes(), small_number)));
    CHECK(f.extents() == no.extents());
    CHECK(shard(b) == before);
  });
}
