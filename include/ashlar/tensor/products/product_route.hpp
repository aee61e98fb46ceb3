// SPDX-License-Identifier: BSL-1.0
// The redistributions of a product of two tensors whose layouts are values, chosen when the program runs.
#pragma once
#include "ashlar/ops/products/product_plan.hpp"
#include <vector>

namespace ashlar::tensor_detail {

/// A label by the operands and the result that have it: all three, a and the result, b and the result, both operands.
enum class label_role { batch, row, column, summed };

/// Extents and strides of a row-major array by the roles of its labels. The labels of a role are adjacent.
struct role_strides {
  index_t extent[4] = {1, 1, 1, 1}, stride[4] = {};

  constexpr index_t extent_of(label_role r) const { return extent[static_cast<int>(r)]; }
  constexpr index_t stride_of(label_role r) const { return stride[static_cast<int>(r)]; }
};

/// The dimensions of a product of two operands by the roles of their labels.
struct product_dims {
  einsum_equation::labels array[3] = {};  // a, b and the result
  label_role role[3][max_rank] = {};
  int of_a = -1, of_b = -1;  // the dimension of the summed label in each operand
  // One label is summed. Adjacent labels of a role serve as one dimension. Each array ends with a row of a matrix.
  bool is_batch_of_matrices = false;

  constexpr explicit product_dims(einsum_equation const& e) : array{e.in[0], e.in[1], e.out} {
    if (e.operands != 2) return;
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < array[i].rank; ++d) {
        char const l = array[i].label[d];
        bool const in_a = array[0].find(l) >= 0, in_b = array[1].find(l) >= 0, in_c = array[2].find(l) >= 0;
        if (in_a + in_b + in_c < 2 || array[i].find(l) != d) return;  // summed in one operand, or a diagonal
        using enum label_role;
        role[i][d] = !in_c ? summed : !in_b ? row : !in_a ? column : batch;
      }
    run const summed = run_of(0, label_role::summed), rows = run_of(0, label_role::row),
              columns = run_of(1, label_role::column);
    if (summed.size != 1 || rows.size == 0 || columns.size == 0) return;
    of_a = summed.begin;
    of_b = array[1].find(array[0].label[of_a]);
    is_batch_of_matrices = true;
    for (int i = 0; i < 3; ++i) {
      is_batch_of_matrices &= !is_last(i, label_role::batch);
      for (int d = 0; d < array[i].rank; ++d) {
        // The first label of a role begins the run of all its labels, in the same order in each array.
        run const own = run_of(i, role[i][d]);
        is_batch_of_matrices &= own.begin <= d && d < own.begin + own.size;
        for (int other = 0; other < 3; ++other)
          if (int const at = array[other].find(array[i].label[d]); at >= 0)
            is_batch_of_matrices &= at - run_of(other, role[i][d]).begin == d - own.begin;
      }
    }
  }

  constexpr role_strides strides(int i, shape const& extents) const {
    role_strides s;
    for (int d = array[i].rank - 1; d >= 0; --d) {
      int const r = static_cast<int>(role[i][d]);
      if (s.stride[r] == 0) s.stride[r] = extents.stride(d);
      s.extent[r] *= extents[d];
    }
    return s;
  }
  constexpr bool is_last(int i, label_role r) const { return role[i][array[i].rank - 1] == r; }

 private:
  struct run {
    int begin = 0, size = 0;
  };
  // The first adjacent labels of a role.
  constexpr run run_of(int i, label_role r) const {
    run x;
    while (x.begin < array[i].rank && role[i][x.begin] != r) ++x.begin;
    while (x.begin + x.size < array[i].rank && role[i][x.begin + x.size] == r) ++x.size;
    return x;
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
  product_route const& of(ops_detail::product_problem const& p, shape const& of_a, shape const& of_b,
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

#if ASHLAR_IMPL
#include "ashlar/tensor/products/impl/product_route.ipp"
#endif
