// Products whose communication goes on while they are computed: the same elements, in exact integers, as of the product and
// the collective one after the other, whatever the chunks.
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "mpi/ops/operations.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

// Calls f() where ranks read each other's shards, however small, where they do as usual, and where they send messages.
template <class F>
void on_every_transport(F f) {
  f();
  {
    operands_in_place const transport;
    f();
  }
  messages_of_mpi const transport;
  f();
}

// Extents of labels i, j and k: some that the ranks divide, some that leave ranks or chunks without a row, and none at all.
std::vector<shape> products() {
  index_t const p = world_size();
  return {shape::of(2 * p, p, 3), shape::of(4 * p + 1, p + 1, 5),
          shape::of(1, 7, 6),     shape::of(5, 3 * p, 1),
          shape::of(0, 4, 3),     shape::of(3, 0, 2),
          shape::of(131, 67, 29)};
}
constexpr index_t numbers_of_chunks[]{1, 2, 3, 1000};

// On every mesh, for labels of every extent: einsum<E> in chunks is plain(a, b), in type and elements.
template <equation E, class La, class Lb, class T = double, class Plain>
void check_same(Plain plain) {
  on_every_mesh([&](auto const& m) {
    for (shape const& labels : products()) {
      CAPTURE(labels[0]);
      auto const extents = [&](auto const& operand) {
        shape e;
        for (int d = 0; d < operand.rank; ++d)
          e[e.rank++] = operand.label[d] == 'b' ? 2 : labels[operand.label[d] - 'i'];
        return e;
      };
      auto const a = tensor_of<T, La>(m, extents(layout_detail::parse(E).in[0]), small_number);
      auto const b = tensor_of<T, Lb>(m, extents(layout_detail::parse(E).in[1]),
                                      [](index_t g, int s) { return small_number(g + 997, s); });
      auto const expected = plain(a, b);
      for (index_t chunks : numbers_of_chunks) {
        CAPTURE(chunks);
        auto const found = einsum<E>(a, b, to_layout<layout_t<decltype(expected)>>.in_chunks(chunks));
        static_assert(std::is_same_v<decltype(found), decltype(expected)>);
        CHECK(found.extents() == expected.extents());
        CHECK(shard(found) == shard(expected));
      }
    }
  });
}
template <equation E, dimension Axes, class La, class Lb, class T = double>
void check_all_reduce() {
  check_same<E, La, Lb, T>([](auto const& a, auto const& b) { return all_reduce<Axes>(einsum<E>(a, b)); });
}
template <equation E, dimension Axes, int Dim, class La, class Lb, class T = double>
void check_reduce_scatter() {
  check_same<E, La, Lb, T>([](auto const& a, auto const& b) { return reduce_scatter<Axes, Dim>(einsum<E>(a, b)); });
}
template <equation E, dimension Axes, class La, class Lb, class T = double>
void check_all_gather() {
  check_same<E, La, Lb, T>([](auto const& a, auto const& b) { return einsum<E>(all_gather<Axes>(a), b); });
}

using whole_matrix = layout<none, none>;

}  // namespace

TEST_CASE("collective einsum: an all-reduce of rows that are whole, split, and not the first dimension") {
  on_every_transport([] {
    check_all_reduce<"ij,jk->ik", "x", layout<none, "x">, layout<"x", none>>();
    check_all_reduce<"ij,jk->ik", "y", layout<"x", "y">, layout<"y", none>>();
    check_all_reduce<"ji,jk->ik", axes("x", "y"), layout<axes("y", "x"), none>, layout<axes("y", "x"), none>>();
  });
}

TEST_CASE(
    "collective einsum: an all-reduce where a batch is cut, an operand is partial, rows are block-cyclic, or there are none") {
  check_all_reduce<"bij,bjk->bik", "y", layout<"x", none, "y">, layout<"x", "y", none>>();
  check_all_reduce<"ij,jk->ik", "x", partial<whole_matrix, "x">, layout<none, "y">>();
  check_all_reduce<"ij,jk->ik", "y", layout<cyclic("x", 2), "y">, layout<"y", none>>();
  check_all_reduce<"ij,ij->", "x", layout<"x", none>, layout<"x", none>>();
  check_all_reduce<"ij,jk->ki", "x", layout<none, "x">, layout<"x", "y">, std::int64_t>();
}

TEST_CASE("collective einsum: rows, split or not, are scattered") {
  on_every_transport([] {
    check_reduce_scatter<"ij,jk->ik", "x", 0, layout<none, "x">, layout<"x", none>>();
    check_reduce_scatter<"ij,jk->ik", "y", 0, layout<"x", "y">, layout<"y", none>>();
    check_reduce_scatter<"ij,jk->ik", axes("y", "x"), 0, layout<none, axes("x", "y")>, layout<axes("x", "y"), none>>();
  });
}

TEST_CASE("collective einsum: columns are scattered") {
  check_reduce_scatter<"ij,jk->ik", "x", 1, layout<none, "x">, layout<"x", "y">>();
  check_reduce_scatter<"ji,bj->bi", "y", 1, layout<"y", "x">, layout<none, "y">, std::int64_t>();
}

TEST_CASE("collective einsum: gathered rows are rows of the result, or summed") {
  on_every_transport([] {
    check_all_gather<"ij,jk->ik", "x", layout<"x", none>, layout<none, "y">>();
    check_all_gather<"jk,ij->ik", "x", layout<"x", none>, layout<"x", none>>();
    check_all_gather<"jk,ij->ik", "y", layout<axes("x", "y"), none>, layout<none, "x">>();
  });
}

TEST_CASE("collective einsum: gathered columns, several axes, a shared label, a vector") {
  check_all_gather<"ij,jk->ik", "x", layout<none, "x">, layout<none, "y">>();
  check_all_gather<"ij,jk->ki", axes("x", "y"), layout<axes("x", "y"), none>, whole_matrix>();
  check_all_gather<"bij,bjk->bik", "y", layout<axes("x", "y"), none, none>, layout<"x", none, none>>();
  check_all_gather<"j,ij->i", "x", layout<"x">, whole_matrix, std::int64_t>();
}

TEST_CASE("collective einsum: expressions and static extents are operands too, and fewer than one chunk is none") {
  on_every_mesh([](auto const& m) {
    auto const a = fix_extents<9, 6>(numbers<layout<none, "x">, double>(m, shape::of(9, 6)));
    auto const b = fix_extents<6, 4>(numbers<layout<"x", none>, double>(m, shape::of(6, 4)));
    auto const expected = all_reduce<"x">(einsum<"ij,jk->ik">(a, b));
    constexpr auto in = to_layout<whole_matrix>;
    auto const found = einsum<"ij,jk->ik">(a, b, in.in_chunks(2));
    static_assert(static_shape<decltype(found)> && std::is_same_v<decltype(found), decltype(expected)>);
    CHECK(shard(found) == shard(expected));
    CHECK(shard(einsum<"ij,jk->ik">(2. * a, b, in.in_chunks(2))) == shard(2. * expected));
    CHECK(shard(einsum<"jk,ik->ij">(b + b, expected * 3., in.in_chunks(2))) ==
          shard(einsum<"jk,ik->ij">(all_gather<"x">(b + b), expected * 3.)));
    for (index_t n : {0, -1})
      CHECK(said([&] { (void)einsum<"ij,jk->ik">(a, b, in.in_chunks(n)); }) ==
            "ashlar::einsum: what travels is cut into one chunk or more");
    auto const short_of_a_row = numbers<layout<"x", none>, double>(m, shape::of(5, 4));
    CHECK(said([&] { (void)einsum<"ij,jk->ik">(a, short_of_a_row, in.in_chunks(2)); }) ==
          said([&] { (void)einsum<"ij,jk->ik">(a, short_of_a_row); }));
    CHECK(said([&] { (void)einsum<"ij,jk->ik">(a, short_of_a_row, in.in_chunks(2)); }) != "");
  });
}

TEST_CASE("collective einsum: neither the product nor what is gathered is ever whole") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  device_mesh<xy_grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const a = numbers<layout<none, "x">, double>(m, shape::of(1024, world_size())),
             b = numbers<layout<none, "x">, double>(m, shape::of(64, world_size()));
  auto const rows = numbers<layout<"x", none>, double>(m, shape::of(1024, 64));
  auto const column = numbers<layout<none, none>, double>(m, shape::of(64, 1));
  using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
  auto const peak = [](auto f) {
    std::size_t const before = pool::in_use();
    pool::reset_peak();
    (void)f();
    return pool::peak() - before;
  };
  std::size_t const whole_product = 1024 * 64 * sizeof(double);
  CHECK(peak([&] { return all_reduce<"x">(einsum<"ij,kj->ik">(a, b)); }) >= 2 * whole_product);
  CHECK(peak([&] { return einsum<"ij,kj->ik">(a, b, to_layout<whole_matrix>.in_chunks(64)); }) < whole_product * 3 / 2);
  CHECK(peak([&] { return einsum<"ij,jk->ik">(all_gather<"x">(rows), column); }) >= whole_product);
  CHECK(peak([&] { return einsum<"ij,jk->ik">(rows, column, to_layout<whole_matrix>.in_chunks(64)); }) <
        whole_product / 2);
}

TEST_CASE("collective einsum: ranks that cut into other numbers of chunks are told so") {
  if (world_size() == 1) return;
  double const patience = std::exchange(comm::tuned.patience, 0.05);
  {
    device_mesh<xy_grid> const m(MPI_COMM_WORLD, {world_size(), 1});
    auto const a = numbers<layout<none, "x">, double>(m, shape::of(60, world_size())),
               b = numbers<layout<none, "x">, double>(m, shape::of(60, world_size()));
    std::string const text =
        said([&] { (void)einsum<"ij,kj->ik">(a, b, to_layout<whole_matrix>.in_chunks(m.rank() == 0 ? 2 : 3)); });
    // Who comes late finds that the others have gone.
    bool const late = m.rank() != 0 && text.find(" has given up after an error") != std::string::npos;
    CHECK((late || text.find("the ranks do not call the same, in the same order") != std::string::npos));
  }
  comm::tuned.patience = patience;
}
