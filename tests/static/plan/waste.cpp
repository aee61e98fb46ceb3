// Redistributions that undo the one before are in the ledger's waste, with both lines.
#include "ashlar/plan/waste.hpp"
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::planning;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
using rows = layout<"data", none>;
using columns = layout<none, "data">;
using whole = layout<none, none>;
using summed = partial<whole, "data">;

template <class L>
constexpr auto matrix(auto const& m) {
  return make<float, L>(m, {8, 12});
}
// A program's waste on 2 x 4 ranks is one pair of this kind, whose lines are neighbours.
template <class F>
constexpr bool is_one(F program, waste_kind why, int times = 1) {
  auto const log = dry_run(grid{{2, 4}}, program);
  auto const& found = log.waste();
  return found.size() == 1 && found[0].why == why && found[0].times == times &&
         found[0].second_line == found[0].first_line + 1;
}
template <class F>
constexpr bool is_free(F program, int ranks = 2) {
  return dry_run(grid{{ranks, 4}}, program).waste().empty();
}

constexpr auto gathered = [](auto const& m) {
  auto const y = all_gather<"data">(matrix<rows>(m));
  (void)redistribute<columns>(y);
};
static_assert(is_one(gathered, waste_kind::gather_then_slice) && is_free(gathered, 1));

constexpr auto reduced = [](auto const& m) {
  auto const y = all_reduce<"data">(matrix<summed>(m));
  (void)redistribute<rows>(y);
};
static_assert(is_one(reduced, waste_kind::reduce_then_slice) && is_free(reduced, 1));

constexpr auto back = [](auto const& m) {
  auto const y = all_to_all<"data", 1>(matrix<rows>(m));
  (void)redistribute<rows>(y);
};
static_assert(is_one(back, waste_kind::there_and_back) && is_free(back, 1));

constexpr auto loop = [](auto const& m) {
  for (int i = 0; i < 50; ++i) {
    auto const y = all_gather<"data">(matrix<rows>(m));
    (void)redistribute<rows>(y);
  }
};
static_assert(is_one(loop, waste_kind::gather_then_slice, 50));

// Tensors whose extents are in their types are no different.
constexpr auto fixed = [](auto const& m) {
  auto const y = all_gather<"data">(make<float, rows>(m, static_extents<8, 12>{}));
  (void)redistribute<columns>(y);
};
static_assert(is_one(fixed, waste_kind::gather_then_slice));

// A layer by rows and columns, with its backward pass and gradients, has no waste.
constexpr auto step = [](auto const& m) {
  auto const kernels =
      std::tuple(make<float, layout<none, "model">>(m, {12, 16}), make<float, layout<"model", none>>(m, {16, 12}));
  auto const [value, gradients] = value_and_grad<"data">([&](auto const& p) {
    auto const x = as_replicated<"model">(matrix<rows>(m));
    return mean(
        square(all_reduce<"model">(einsum<"bh,ho->bo">(einsum<"bi,ih->bh">(x, std::get<0>(p)), std::get<1>(p)))));
  })(kernels);
  (void)all_reduce<"data">(bundle(value, gradients));
};
static_assert(dry_run(grid{{2, 4}}, step).count() != 0 && is_free(step));

// Another axis, another tensor, new elements, and one redistribution alone are no waste.
static_assert(is_free([](auto const& m) {
  (void)redistribute<layout<none, "model">>(all_gather<"data">(matrix<rows>(m)));
}));
static_assert(is_free([](auto const& m) {
  auto const x = matrix<rows>(m);
  (void)all_gather<"data">(x);
  (void)redistribute<columns>(x);
}));
static_assert(is_free([](auto const& m) { (void)redistribute<rows>(square(all_gather<"data">(matrix<rows>(m)))); }));
static_assert(is_free([](auto const& m) { (void)redistribute<rows>(matrix<summed>(m)); }));
static_assert(is_free([](auto const& m) { (void)all_gather<"data">(all_to_all<"data", 1>(matrix<rows>(m))); }));
static_assert(is_free([](auto const& m) { (void)all_gather<"data">(redistribute<rows>(matrix<whole>(m))); }));
static_assert(is_free([](auto const& m) {
  auto y = all_gather<"data">(matrix<rows>(m));
  fill_elements(plan_detail::backend_of<decltype(y)>{}, y, 1.f);
  (void)redistribute<columns>(y);
}));

}  // namespace
