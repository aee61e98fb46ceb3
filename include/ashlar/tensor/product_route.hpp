// The redistributions of a product of two tensors whose layouts are values, chosen when the program runs.
#pragma once
#include "ashlar/ops/product_plan.hpp"
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
  label_role role[3][max_rank] = {};  // of a, b and the result
  int rank[3] = {};
  int of_a = -1, of_b = -1;  // the dimension of the summed label in each operand
  bool is_batch_of_matrices = false;

  constexpr explicit product_dims(einsum_equation const& e) {
    if (e.operands != 2) return;
    einsum_equation::labels const array[3] = {e.in[0], e.in[1], e.out};
    int labels[4] = {};  // of each role, in all arrays
    for (int i = 0; i < 3; ++i) {
      rank[i] = array[i].rank;
      for (int d = 0; d < rank[i]; ++d) {
        char const l = array[i].label[d];
        bool const a = e.in[0].find(l) >= 0, b = e.in[1].find(l) >= 0, c = e.out.find(l) >= 0;
        if (a + b + c < 2 || array[i].find(l) != d) return;  // summed in one operand alone, or twice in it
        role[i][d] = !c ? label_role::summed : !b ? label_role::row : !a ? label_role::column : label_role::batch;
        ++labels[static_cast<int>(role[i][d])];
      }
      if (rank[i] == 0 || role[i][rank[i] - 1] == label_role::batch) return;  // no row of a matrix is contiguous
    }
    auto const of = [&](label_role r) { return labels[static_cast<int>(r)]; };
    if (of(label_role::summed) != 2 || of(label_role::row) == 0 || of(label_role::column) == 0) return;
    for (int d = 0; d < rank[0]; ++d)
      if (role[0][d] == label_role::summed) of_a = d, of_b = e.in[1].find(e.in[0].label[d]);
    is_batch_of_matrices = true;
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d + 1 < rank[i]; ++d) {
        // The labels of a role are one dimension of each array that has them.
        char const l = array[i].label[d], next = array[i].label[d + 1];
        for (int j = 0; j < 3; ++j) {
          int const at = array[j].find(l);
          bool const follows = at >= 0 && at + 1 < rank[j] && array[j].label[at + 1] == next;
          if (at >= 0 && role[i][d] == role[i][d + 1] && !follows) is_batch_of_matrices = false;
        }
        for (int later = d + 2; later < rank[i]; ++later)
          if (role[i][later] == role[i][d] && role[i][d + 1] != role[i][d]) is_batch_of_matrices = false;
      }
  }

  constexpr role_strides strides(int array, shape const& extents) const {
    role_strides s;
    index_t stride = 1;
    for (int d = rank[array] - 1; d >= 0; --d) {
      int const r = static_cast<int>(role[array][d]);
      if (s.stride[r] == 0) s.stride[r] = stride;
      s.extent[r] *= extents[d];
      stride *= extents[d];
    }
    return s;
  }
  constexpr bool is_last(int array, label_role r) const { return role[array][rank[array] - 1] == r; }
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
