// SPDX-License-Identifier: BSL-1.0
// A leaf whose dimensions have another order in the file.
#pragma once
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/checkpoint/leaf.hpp"
#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

namespace ashlar::checkpoint_detail {

/// Permutes the dimensions of an array: dimension d of `to` is dimension order[d] of `from`.
/// Pre: element_bytes is 1, 2, 4, 8 or 16.
inline void permute_elements(unsigned char const* from, shape const& extents, std::vector<int> const& order,
                             byte_count element_bytes, unsigned char* to) {
  int of[max_rank]{};
  std::copy(order.begin(), order.end(), of);
  auto const as = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
    using element = std::array<unsigned char, Bytes>;
    kernels::permute(Kokkos::DefaultHostExecutionSpace{}, reinterpret_cast<element const*>(from), extents, of,
                     reinterpret_cast<element*>(to));
  };
  switch (element_bytes) {
    case 1:
      return as(std::integral_constant<std::size_t, 1>());
    case 2:
      return as(std::integral_constant<std::size_t, 2>());
    case 4:
      return as(std::integral_constant<std::size_t, 4>());
    case 8:
      return as(std::integral_constant<std::size_t, 8>());
    default:
      return as(std::integral_constant<std::size_t, 16>());
  }
}

/// A leaf in the order of the array in the file: dimension d of the leaf within is dimension order[d] of this leaf. The
/// layout's dimensions change their places too, so each rank has the same elements. They are transposed on the rank.
/// Cost: a copy of the shard until filled() or release().
class transposed_leaf final : public checkpoint_leaf {
 public:
  /// Pre: `order` is a permutation of the leaf's dimensions.
  transposed_leaf(std::unique_ptr<checkpoint_leaf> within, std::vector<int> order, int rank)
      : within_(std::move(within)), order_(std::move(order)), inverse_(order_.size()) {
    entry = within_->entry;
    layout = within_->layout;
    mesh = within_->mesh;
    group = within_->group;
    is_boolean = within_->is_boolean;
    for (std::size_t d = 0; d < order_.size(); ++d) {
      int const to = order_[d];
      inverse_[static_cast<std::size_t>(to)] = static_cast<int>(d);
      entry.extents[to] = within_->entry.extents[static_cast<int>(d)];
      layout.dim[to] = within_->layout.dim[d];
    }
    own_ = local_region(within_->entry.extents, within_->layout, mesh, rank).extents();
    transposed_ = local_region(entry.extents, layout, mesh, rank).extents();
  }
  bool is_on_host() const override { return false; }  // shard() can fail
  unsigned char const* shard() override {
    unsigned char const* const from = within_->shard();
    allocate();
    permute_elements(from, own_, inverse_, entry.element_bytes, memory_.get());
    return memory_.get();
  }
  unsigned char* room() override {
    room_ = within_->room();
    allocate();
    return memory_.get();
  }
  void filled() override {
    permute_elements(memory_.get(), transposed_, order_, entry.element_bytes, room_);
    memory_.reset();
    within_->filled();
  }
  void accept() override { within_->accept(); }
  void release() override {
    memory_.reset();
    within_->release();
  }

 private:
  void allocate() { memory_ = comm_detail::byte_buffer(static_cast<std::size_t>(own_.size()) * entry.element_bytes); }

  std::unique_ptr<checkpoint_leaf> within_;
  std::vector<int> order_, inverse_;
  shape own_, transposed_;  // the extents of this rank's shard
  std::unique_ptr<unsigned char[]> memory_;
  unsigned char* room_ = nullptr;
};

}  // namespace ashlar::checkpoint_detail
