// SPDX-License-Identifier: BSL-1.0
// The common elements of two ranks' shards, as loops and as blocks of messages.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/collectives/derived_types.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/cost.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include <algorithm>
#include <cstddef>
#include <vector>

namespace ashlar::tensor_detail {

// Runs of indices that two index sets of one dimension have in common, at equal distances: `count` runs of `length`.
struct common_runs {
  index_t length = 0, count = 0;
  // at: the first run in one set, in the other set, and among the common indices. step: the distance to the next run
  // there.
  index_t at[3]{}, step[3]{};
};

// If both sets are block-cyclic, their runs repeat after a period: runs at one place in the period form a group.
ASHLAR_INLINE std::vector<common_runs> common_runs_of(index_set const& a, index_set const& b);

/// The dimension of a shard's array that is dimension d of the tensor: in order, or as in transpose<Order...>.
struct dimension_order {
  signed char of[max_rank]{0, 1, 2, 3, 4, 5, 6, 7};

  /// The array's strides along the dimensions of a tensor whose shard has these extents.
  row_major_strides strides(shape const& extents) const;
  friend bool operator==(dimension_order const&, dimension_order const&) = default;
};

/// The common elements of two shards, as loops over three arrays. Array 0 is the first shard, whose dimensions have an
/// order of their own. Array 1 is the second shard, array 2 a buffer of the common elements in row-major order.
ASHLAR_INLINE std::vector<loop_nest<3>> common_loops(region const& a, dimension_order const& order, region const& b);

// Selects two of the three arrays.
ASHLAR_INLINE loop_nest<2> between(loop_nest<3> const& all, int first, int second);

/// The elements of one of the two arrays, in the order of the loops.
inline comm_detail::strided_elements elements_of(loop_nest<2> const& nest, int array) {
  comm_detail::strided_elements elements;
  elements.loops = nest.rank;
  std::copy_n(nest.extent, nest.rank, elements.extent);
  std::copy_n(nest.stride[array], nest.rank, elements.stride);
  return elements;
}

/// Loops from the elements of one shard to the same elements of another.
ASHLAR_INLINE copy_loops copy_loops_between(region const& from, region const& to, dimension_order const& order = {});

enum class buffer_side { source, destination };

/// Blocks to or from each rank that takes part, in the order of the communicator. `loops` copy between a shard and a
/// buffer that holds the blocks one after the other. There are no loops if the shard itself is such a buffer.
struct message_blocks {
  std::vector<std::size_t> count;
  std::vector<index_t> begins;  // offset of each block in the shard, if it is contiguous there
  std::size_t total = 0;
  bool equal = true;  // all have the same size
  bool in_order = true;
  copy_loops loops;
  std::vector<std::size_t> first_loop{0};  // of each block, and the number of all; empty if the shard is in order

  /// Adds the common block of this shard and another rank's; an empty one if not `travels`. `side` is the buffer's side
  /// of the copy.
  void add(region const& shard, region const& theirs, bool travels, buffer_side side,
           dimension_order const& order = {});
  /// Ends a block of n elements, whose loops were added. They begin at `at` in the shard, if they are contiguous there.
  void close(std::size_t n, index_t at);
  /// Call it when all blocks of a shard were added.
  void finish(region const& shard);
};

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/impl/message_counts.ipp"
#endif
