// Products that overlap with their communication, in the dry run: what they communicate, and of what their chunks consist.
#include "ashlar/ops/products/collective_einsum.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;

// The parts of a rank's pieces with one number are, on all ranks, the pieces of a balanced split of what they are together.
constexpr bool chunks_are_tensors() {
  layout_detail::axis_list outer, all;
  outer.push(0);
  all.push(0);
  all.push(1);
  for (int p : {1, 2, 3})
    for (int q : {1, 2, 4})
      for (index_t n : {0, 1, 5, 12, 13, 26})
        for (index_t wanted : {1, 2, 3, 5, 100}) {
          mesh_shape const sizes{2, {p, q}};
          layout_value v;
          v.rank = 1;
          v.dim[0] = all;
          ops_detail::chunks const cut(shape::of(n), v, sizes, wanted);
          if (cut.count > wanted || (n > p * q && wanted > 1 && cut.count == 1) || cut.count > 1 + n / (p * q))
            return false;
          index_t together = 0;
          for (index_t i = 0; i < cut.count; ++i) {
            index_t const here = cut.extent(n, i);
            together += here;
            for (int r = 0; r < p * q; ++r)
              for (layout_detail::axis_list const& held : {all, outer}) {
                index_t found = 0;
                cut.for_each_run({0, layout_detail::local_indices(n, held, sizes, r).size()}, held.size, i,
                                 [&](interval const& run) { found += run.size(); });
                if (found != layout_detail::local_indices(here, held, sizes, r).size()) return false;
              }
          }
          if (together != n) return false;
        }
  return true;
}
static_assert(chunks_are_tensors());

constexpr auto tensors = [](auto const& m, auto f) {
  auto const h = make<float, layout<"data", "model">>(m, {48, 20});
  auto const w = make<float, layout<"model", none>>(m, {20, 10});
  (void)f(h, w);
};
constexpr auto reduced = [](auto const& m) {
  tensors(m, [](auto const& h, auto const& w) {
    // [reduced]
    auto const y = einsum<"bh,ho->bo">(h, w, to_layout<layout<"data", none>>.in_chunks(4));
    // all_reduce<"model">(einsum<"bh,ho->bo">(h, w)), in 4 chunks
    // [reduced]
    static_assert(std::is_same_v<layout_t<decltype(y)>, layout<"data", none>>);
    return y;
  });
};
constexpr auto plain = [](auto const& m) {
  tensors(m, [](auto const& h, auto const& w) { return all_reduce<"model">(einsum<"bh,ho->bo">(h, w)); });
};
static_assert(dry_run(grid{{2, 2}}, reduced).count() == 4 &&
              dry_run(grid{{2, 2}}, reduced).count(collective::all_reduce, "model") == 4);
static_assert(dry_run(grid{{2, 2}}, reduced).bytes_per_rank() == dry_run(grid{{2, 2}}, plain).bytes_per_rank());
static_assert(dry_run(grid{{40, 2}}, reduced).count() == 2);  // no rank has more rows
static_assert(dry_run(grid{{48, 2}}, reduced).count() == 4);  // of one row the columns are cut
static_assert(dry_run(grid{{4, 1}}, reduced).count() == 0);

constexpr auto scattered = [](auto const& m) {
  tensors(m, [](auto const& h, auto const& w) {
    auto const y = einsum<"bh,ho->bo">(h, w, to_layout<layout<axes("data", "model"), none>>.in_chunks(3));
    static_assert(std::is_same_v<layout_t<decltype(y)>, layout<axes("data", "model"), none>>);
    return y;
  });
};
static_assert(dry_run(grid{{2, 4}}, scattered).count() == 3 &&
              dry_run(grid{{2, 4}}, scattered).count(collective::reduce_scatter, "model") == 3);
static_assert(dry_run(grid{{2, 4}}, scattered).bytes_per_rank() == 3 * (24 / 4) * 10 * 4);

// A kernel whose rows are sharded over the batch's axis, and what it is multiplied with: rows of the kernel are summed over.
constexpr auto gathered_kernel = [](auto const& m) {
  auto const w = make<float, layout<"data", none>>(m, {20, 10});
  auto const x = make<float, layout<"data", none>>(m, {48, 20});
  auto const y = einsum<"ih,bi->bh">(w, x, to_layout<layout<"data", none>>.in_chunks(5));
  static_assert(std::is_same_v<layout_t<decltype(y)>, layout<"data", none>>);
};
static_assert(dry_run(grid{{4, 2}}, gathered_kernel).count() == 5 &&
              dry_run(grid{{4, 2}}, gathered_kernel).count(collective::all_gather, "data") == 5);
static_assert(dry_run(grid{{4, 2}}, gathered_kernel).bytes_per_rank() == 20 * 10 * 4 * 3 / 4);

}  // namespace
