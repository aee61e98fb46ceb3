// A leaf whose dimensions have another order in the file.
#pragma once
#include "ashlar/checkpoint/leaf.hpp"
#include <span>

namespace ashlar::checkpoint_detail {

/// Copies an array with its dimensions in another order: dimension d of the copy is dimension order[d] of the array. It
/// goes through tiles, so that rows of both arrays stay in the cache.
template <std::size_t Bytes>
void transpose_elements(unsigned char const* from, shape const& extents, std::span<int const> order,
                        unsigned char* to) {
  int const last = extents.rank - 1;
  shape result = extents;
  index_t stride[max_rank]{};
  int across = last;  // the dimension of the copy along which the array's elements are consecutive
  for (int d = 0; d <= last; ++d) {
    int const source = order[static_cast<std::size_t>(d)];
    result[d] = extents[source];
    stride[d] = extents.stride(source);
    if (source == last) across = d;
  }
  if (result.size() == 0) return;
  constexpr index_t tile = 32;
  index_t const rows = across == last ? 1 : result[across], columns = result[last];
  shape outer = result;
  outer[last] = 1;
  outer[across] = 1;
  for (index_t k = 0, n = outer.size(); k < n; ++k) {
    index_t source = 0, target = 0;
    for (index_t d = last, rest = k; d >= 0; --d) {
      int const dim = static_cast<int>(d);
      index_t const i = rest % outer[dim];
      rest /= outer[dim];
      source += i * stride[dim];
      target += i * result.stride(dim);
    }
    for (index_t i0 = 0; i0 < rows; i0 += tile)
      for (index_t j0 = 0; j0 < columns; j0 += tile)
        for (index_t i = i0; i < std::min(i0 + tile, rows); ++i)
          for (index_t j = j0; j < std::min(j0 + tile, columns); ++j)
            std::memcpy(to + static_cast<std::size_t>(target + i * result.stride(across) + j) * Bytes,
                        from + static_cast<std::size_t>(source + i * stride[across] + j * stride[last]) * Bytes, Bytes);
  }
}
/// Pre: element_bytes is 1, 2, 4, 8 or 16, and a rank of 1 or more.
inline void transpose_elements(unsigned char const* from, shape const& extents, std::span<int const> order,
                               byte_count element_bytes, unsigned char* to) {
  switch (element_bytes) {
    case 1:
      return transpose_elements<1>(from, extents, order, to);
    case 2:
      return transpose_elements<2>(from, extents, order, to);
    case 4:
      return transpose_elements<4>(from, extents, order, to);
    case 8:
      return transpose_elements<8>(from, extents, order, to);
    default:
      return transpose_elements<16>(from, extents, order, to);
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
    transpose_elements(from, own_, inverse_, entry.element_bytes, memory_.get());
    return memory_.get();
  }
  unsigned char* room() override {
    room_ = within_->room();
    allocate();
    return memory_.get();
  }
  void filled() override {
    transpose_elements(memory_.get(), transposed_, order_, entry.element_bytes, room_);
    memory_.reset();
    within_->filled();
  }
  void accept() override { within_->accept(); }
  void release() override {
    memory_.reset();
    within_->release();
  }

 private:
  void allocate() {
    memory_ =
        std::make_unique_for_overwrite<unsigned char[]>(static_cast<std::size_t>(own_.size()) * entry.element_bytes);
  }

  std::unique_ptr<checkpoint_leaf> within_;
  std::vector<int> order_, inverse_;
  shape own_, transposed_;  // the extents of this rank's shard
  std::unique_ptr<unsigned char[]> memory_;
  unsigned char* room_ = nullptr;
};

}  // namespace ashlar::checkpoint_detail
