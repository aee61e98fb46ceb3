// Plans of products whose layouts follow from arguments on paper: the layouts between, bytes and operations.
#include "ashlar/plan/products/einsum_plan.hpp"

using namespace ashlar;
using namespace ashlar::planning;
using layout_detail::axis_list;
using layout_detail::parse;

namespace {

constexpr axis_list over(auto... axis) {
  axis_list l;
  (l.push(axis), ...);
  return l;
}
constexpr axis_list round_robin(int block, int axis) {
  axis_list l = over(axis);
  l.cyclic = 1;
  l.block = static_cast<unsigned short>(block);
  return l;
}
constexpr layout_value of(auto const&... dim) {
  layout_value v;
  ((v.dim[v.rank++] = dim), ...);
  return v;
}
constexpr layout_value sum(layout_value v, axis_mask axes) {
  v.add_partial(layout_detail::op_sum, axes);
  return v;
}
constexpr axis_list whole{};
constexpr layout_value replicated = of(whole, whole), blocks = of(over(0), over(1));
constexpr auto product = parse("mk,kn->mn");
constexpr bool takes(product_plan const& p, layout_value const& a, layout_value const& b, layout_value const& c) {
  return p.a == a && p.b == b && p.product == c;
}

constexpr index_t n = 2048;
constexpr shape square = shape::of(n, n);
constexpr mesh_shape two_by_two{2, {2, 2}}, four_by_two{2, {4, 2}}, four{1, {4}};

// SUMMA's layouts: each rank needs its rows of a and its columns of b.
constexpr product_plan summa = einsum_plan(product, blocks, blocks, blocks, square, square, two_by_two);
static_assert(takes(summa, of(over(0), whole), of(whole, over(1)), blocks));
static_assert(summa.bytes == 2 * n * n / 4 * 8 && summa.messages == 2 && summa.operations == 2. * n * n * n / 4);
constexpr product_plan wide = einsum_plan(product, blocks, blocks, blocks, square, square, four_by_two);
static_assert(takes(wide, of(over(0), whole), of(whole, over(1)), blocks));
static_assert(wide.bytes == (n * n / 8 + 3 * n * n / 8) * 8 && wide.operations == 2. * n * n * n / 8);

// One-dimensional products gather the operand that all ranks need.
constexpr layout_value rows = of(over(0), whole), columns = of(whole, over(0));
static_assert(takes(einsum_plan(product, rows, rows, rows, square, square, four), rows, replicated, rows));
static_assert(takes(einsum_plan(product, columns, columns, columns, square, square, four), replicated, columns,
                    columns));
// If the terms are split, nothing is gathered: the result is a partial sum.
static_assert(takes(einsum_plan(product, columns, rows, replicated, square, square, four), columns, rows,
                    sum(replicated, 1)));
static_assert(einsum_plan(product, columns, rows, sum(replicated, 1), square, square, four).bytes == 0);

// Elemental's "dot": few rows and columns, many terms. All axes split the terms.
constexpr shape flat = shape::of(64, 1 << 20), tall = shape::of(1 << 20, 64);
constexpr axis_list both = over(0, 1);
static_assert(takes(einsum_plan(product, blocks, blocks, blocks, flat, tall, two_by_two), of(whole, both),
                    of(both, whole), sum(replicated, 3)));

// Replicated operands are sliced, so that all ranks share the work.
constexpr product_plan sliced = einsum_plan(product, replicated, replicated, replicated, square, square, two_by_two);
static_assert(sliced.operations == 2. * n * n * n / 4 && sliced.bytes == 3 * n * n / 4 * 8);

// The third axis of a mesh shares the work, too.
static_assert(einsum_plan(product, blocks, blocks, blocks, square, square, {3, {2, 2, 2}}).operations ==
              2. * n * n * n / 8);

// Block-cyclic operands that fit stay as they are.
constexpr layout_value cyclic_rows = of(round_robin(64, 0), whole), cyclic_columns = of(whole, round_robin(64, 1));
constexpr product_plan stay = einsum_plan(product, cyclic_rows, cyclic_columns,
                                          of(round_robin(64, 0), round_robin(64, 1)), square, square, two_by_two);
static_assert(stay.bytes == 0 && takes(stay, cyclic_rows, cyclic_columns, of(round_robin(64, 0), round_robin(64, 1))));

// A batch label is split if all have it.
constexpr layout_value batches = of(over(0), whole, whole);
static_assert(einsum_plan(parse("bmk,bkn->bmn"), batches, batches, batches, shape::of(8, 64, 64), shape::of(8, 64, 64),
                          four)
                  .bytes == 0);

// A partial sum passes through the product if the result is to be partial as well.
static_assert(einsum_plan(product, sum(replicated, 1), replicated, sum(replicated, 1), square, square, four, {8, 1e-9})
                  .bytes == 0);

// Slow links make repeated work the cheaper choice.
constexpr shape small = shape::of(16, 16);
static_assert(einsum_plan(product, replicated, replicated, replicated, small, small, four).bytes == 0);
static_assert(einsum_plan(product, replicated, replicated, replicated, small, small, four, {},
                          {.operations_per_byte = 1})
                  .operations == 2. * 16 * 16 * 4);

// Messages that cost more than bytes: the same work, more bytes, and fewer messages.
constexpr link_model latency{.message_bytes = 1 << 20, .tensor_bytes = 1 << 15, .sizes = four_by_two};
constexpr auto of_rows = [](link_model const& links) {
  return einsum_plan(product, of(over(1), whole), of(over(1, 0), whole), of(over(1, 0), whole), shape::of(64, 64),
                     shape::of(64, 64), four_by_two, {}, links);
};
constexpr product_plan many = of_rows({}), few = of_rows(latency);
static_assert(few.operations == many.operations && few.bytes > many.bytes);
static_assert(few.messages < many.messages);

}  // namespace
