// Every element type that tensors have, moved, padded and reduced.
#include "ashlar/tensor/redistribute.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

using line = mesh<axis<"x">>;

TEST_CASE_TEMPLATE("element types: redistribution of each", T, float, double, std::int32_t, std::int64_t, std::complex<float>,
                   std::complex<double>) {
  using stored = typename detail::storable<T>::type;
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  for (shape const& e : {shape::of(7, 5), shape::of(world_size(), 2 * world_size()), shape::of(0, 3)}) {
    auto const expected = denoted<stored>(e, layout_value{2, {}, 0, {}}, m.sizes(), small_number);
    auto const rows = tensor_of<T, layout<"x", none>>(m, e, small_number);
    static_assert(std::is_same_v<element_t<decltype(rows)>, stored>);
    auto const columns = redistribute<layout<none, "x">>(rows);
    CHECK(denotes(columns, expected));
    CHECK(denotes(redistribute<layout<none, none>>(columns), expected));
    auto const padded = redistribute<partial<layout<none, none>, "x">>(rows);
    CHECK(denotes(padded, expected));
    CHECK(denotes(redistribute<layout<none, "x">>(padded), expected));

    auto const products = tensor_of<T, partial<layout<none, none>, "x", op::prod>>(m, e, small_number);
    CHECK(denotes(redistribute<layout<"x", none>>(products), denoted<stored>(e, products.layout, m.sizes(), small_number)));
    auto const summands = tensor_of<T, partial<layout<none, none>, "x">>(m, e, small_number);
    CHECK(denotes(redistribute<layout<none, none>>(summands), denoted<stored>(e, summands.layout, m.sizes(), small_number)));
  }
}
