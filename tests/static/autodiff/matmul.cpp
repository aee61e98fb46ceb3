// What the derivatives of products of tensors in any layouts communicate.
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"p">, axis<"q">>;

template <class La, class Lb, class To>
constexpr ledger<grid> training() {
  return dry_run(grid{{2, 2}}, [](auto const& m) {
    auto const a = make<double, La>(m, {2048, 2048});
    auto const b = make<double, Lb>(m, {2048, 2048});
    (void)value_and_grad<none>([](auto const& p) {
      return all_reduce(sum(matmul(std::get<0>(p), std::get<1>(p), to_layout<To>)));
    })(std::tuple(a, b));
  });
}

constexpr index_t of_one_product = 2 * 2048 * 1024 / 2 * 8, of_sum = 2 * 8;

// Each cotangent is a product of one operand and the cotangent of the result, into the layout of the other operand.
using blocks = layout<"p", "q">;
constexpr auto in_blocks = training<blocks, blocks, blocks>();
static_assert(in_blocks.bytes_per_rank(pass::forward) == of_one_product + of_sum);
static_assert(in_blocks.bytes_per_rank(pass::backward) == 2 * of_one_product);

// Operands that are invariant: their cotangents are whole on each rank. All ranks share the work, and gather.
using whole = layout<none, none>;
constexpr auto in_whole = training<whole, whole, blocks>();
static_assert(in_whole.bytes_per_rank(pass::forward) == of_sum);

}  // namespace
