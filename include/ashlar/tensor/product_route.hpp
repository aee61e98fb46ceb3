// The redistributions of a product of two tensors whose layouts are values, chosen when the program runs.
#pragma once
#include "ashlar/ops/product_plan.hpp"
#include <vector>

namespace ashlar::tensor_detail {

/// The dimension of the summed label in each operand of a product of two matrices. -1: the equation is another product.
struct summed_dims {
  int of_a = -1, of_b = -1;
  bool transposed = false;  // the result is [columns of b][rows of a]

  constexpr explicit summed_dims(einsum_equation const& e) {
    if (e.operands != 2 || e.in[0].rank != 2 || e.in[1].rank != 2 || e.out.rank != 2) return;
    for (int d = 0; d < 2; ++d) {
      int const other = e.in[1].find(e.in[0].label[d]);
      if (other < 0 || e.out.find(e.in[0].label[d]) >= 0) continue;
      char const row = e.in[0].label[1 - d], column = e.in[1].label[1 - other];
      if (row == column || e.out.find(row) < 0 || e.out.find(column) < 0) continue;
      of_a = d;
      of_b = other;
      transposed = e.out.find(column) == 0;
    }
  }
};

/// The steps by which a tensor comes from one layout into another.
struct route_of_tensor {
  layout_value from, to;
  int size = 0;
  plan_step const* step[redistribution_plan::capacity];  // remembered_transfers needs them as long as the thread lives
  bool only = false;                                     // the planner has no other plan, whatever the extents

  /// The plan for these extents, as `redistribute` chooses it. `helpers`: axes whose ranks may share the work.
  route_of_tensor(layout_value const& from, layout_value const& to, shape const& extents, mesh_shape const& sizes,
                  index_t element_bytes, axis_mask helpers, link_model const& links);
  /// The route gathers a dimension in one step, and does nothing else.
  bool gathers_only(int dim) const;
  /// Each rank has all indices of a dimension, and nothing moves.
  bool is_ready(int dim) const { return from == to && to.dim[dim].size == 0; }
  /// Each rank keeps elements that it has, and receives none.
  bool is_local() const {
    for (int i = 0; i < size; ++i)
      if (step[i]->what != step_kind::slice) return false;
    return true;
  }
};

/// A product of two tensors: the routes of the operands and of the product.
struct product_route {
  route_of_tensor a, b, result;
};

/// The routes of one product in a program. It multiplies the same again and again, so the last choices are remembered.
class product_routes {
 public:
  /// Pre: all but the static extents of `p` is the same in each call.
  product_route const& of(ops_detail::product_problem const& p, shape const& a, shape const& b, shape const& product,
                          mesh_shape const& sizes);

 private:
  struct choice {
    bool is_static;
    shape a, b;
    mesh_shape sizes;
    product_route route;
  };
  plan_detail::product_candidates candidates_;  // for extents at run time; none until the first such product
  std::vector<choice> choices_;
};

}  // namespace ashlar::tensor_detail

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/tensor/compiled/product_route.hpp"
#endif
