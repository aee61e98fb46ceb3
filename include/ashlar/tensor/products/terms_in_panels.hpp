// SPDX-License-Identifier: BSL-1.0
// The summed label of a product in panels, and an operand whose panels travel by messages.
#pragma once
#include "ashlar/comm/collectives/hierarchical.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/tensor/run_step.hpp"
#include "ashlar/tensor/storage.hpp"
#include <optional>
#include <vector>

namespace ashlar::tensor_detail {

/// Terms that are adjacent in the shard of one rank of each operand. A sum may take them in any order.
struct segment_of_terms {
  struct place {
    int rank;       // in the group that gathers the operand
    index_t begin;  // in its shard
  };
  index_t size;
  place of_a, of_b;
};
using side_of_segment = segment_of_terms::place segment_of_terms::*;

/// The terms of a product, cut into panels. A panel consists of one slice of each segment, so that each rank sends its
/// share of each panel.
struct panels_of_terms {
  std::vector<segment_of_terms> segments;  // none is empty
  index_t count = 1;                       // of the panels

  /// `of_a`, `of_b`: the terms of each rank. Post: the same on all ranks of the mesh.
  panels_of_terms(std::vector<index_set> const& of_a, std::vector<index_set> const& of_b);
  /// A part of a segment, counted from its begin.
  interval slice(std::size_t segment, index_t panel) const {
    return layout_detail::part_of(interval{0, segments[segment].size}, count, panel);
  }
  /// The number of terms of a panel that a rank has of an operand. Panel 0 has the most of them.
  index_t terms_in(side_of_segment operand, int rank, index_t panel) const;
};

/// Some terms of an operand. They begin at `data`, in an array of these extents.
template <class T>
struct part_of_operand {
  T const* data;
  shape extents;
};

/// A shard of an operand, whose dimension `dim` is summed.
template <class T>
struct shard_of_terms {
  T const* data;
  int dim;
  shape extents;
  index_t terms() const { return extents[dim]; }
  /// The terms from a position on.
  part_of_operand<T> part(index_t begin) const { return {data + begin * extents.stride(dim), extents}; }
  /// The extents of an array of that many terms alone.
  shape extents_of(index_t terms) const {
    shape s = extents;
    s[dim] = terms;
    return s;
  }
};

/// An operand whose panels travel between ranks, in two buffers. The panel after the one that is read travels meanwhile.
/// If several ranks share a node, each takes the blocks of the ranks with its local rank. It reads the others' blocks in
/// the memory of its node.
/// Collective: all members, over the ranks of the gather.
template <class Space, class T>
class operand_in_panels {
 public:
  /// The panels and the shard live as long as this object.
  operand_in_panels(communicator const& ranks, panels_of_terms const& panels, side_of_segment operand,
                    shard_of_terms<T> const& shard)
      : levels_(even_levels(ranks)),
        ranks_(levels_ ? levels_->inter_node : ranks),
        panels_(panels),
        operand_(operand),
        shard_(shard),
        self_(ranks.rank()),
        line_(shard.extents_of(1).size()) {
    index_t own = 0;
    for (segment_of_terms const& s : panels_.segments) own += (s.*operand_).rank == self_;
    packs_ = levels_ != nullptr || own > 1 || (shard.dim != 0 && panels_.count * own > 1);
    index_t most = 0;
    for (int k = 0; k < ranks_.size(); ++k)
      if (k != ranks_.rank() || packs_) most += terms_of(k, local_rank(), 0);
    for (index_t t = 0; t < std::min<index_t>(2, panels_.count); ++t) room_[t].allocate(elements(most));
    ranks.counters().all_gather.add(elements(shard.terms()) * sizeof(T));
  }
  operand_in_panels(operand_in_panels const&) = delete;
  operand_in_panels& operator=(operand_in_panels const&) = delete;

  /// Posts the messages of a panel. Pre: no others are posted.
  void post(index_t t) {
    T* const room = room_[t % 2].data();
    block<T const> const own{send_from(room, t), elements(panels_.terms_in(operand_, self_, t))};
    std::vector<block<T>> from;
    for (int k = 0; k < ranks_.size(); ++k)
      from.push_back({room + begin_of(k, local_rank(), t), elements(terms_of(k, local_rank(), t))});
    std::swap(requests_, ranks_.state().requests);
    post_exchange(
        ranks_, [&](int) { return own; }, [&](int k) { return from[static_cast<std::size_t>(k)]; }, comm::tuned);
    std::swap(requests_, ranks_.state().requests);
  }
  /// Waits for the panel that was posted.
  void receive(index_t t) {
    std::swap(requests_, ranks_.state().requests);
    finish(ranks_);
    panel_ = t;
    if (levels_ != nullptr) meet();
  }
  /// Call it when the panel is not read any more. Post: its buffer is free for another panel.
  void release() {
    if (!round_) return;
    round_->end();
    round_.reset();
  }
  /// Lets MPI move messages.
  void progress() {
    int arrived = 0;
    comm_detail::check_mpi(MPI_Testall(int(requests_.size()), requests_.data(), &arrived, MPI_STATUSES_IGNORE),
                           "MPI_Testall");
  }
  /// Leaves the memory to messages that come late.
  void give_up() {
    round_.reset();
    std::swap(requests_, ranks_.state().requests);
    comm_detail::give_up(ranks_);
    if (!packs_) node_memory::instance().leave_to_others(shard_.data);
    for (auto const* r : {&room_[0], &room_[1], &from_node_})
      if (*r) node_memory::instance().leave_to_others(r->data());
  }
  /// The part of the panel that is in a segment.
  part_of_operand<T> part(std::size_t segment) const {
    interval const slice = panels_.slice(segment, panel_);
    int const q = owner(segment);
    if (q == self_) return shard_.part(begin_in_shard(segment, panel_));
    int node = q, place = 0;
    if (levels_ != nullptr)
      for (node = 0; node < ranks_.size(); ++node)
        if (int const l = place_on(node, q); l >= 0) {
          place = l;
          break;
        }
    T const* const at = panel_of(place) + begin_of(node, place, panel_) + elements_before(segment);
    return {at, shard_.extents_of(slice.size())};
  }

 private:
  std::size_t elements(index_t terms) const { return static_cast<std::size_t>(terms * line_); }
  int local_rank() const { return levels_ == nullptr ? 0 : levels_->intra_node.rank(); }
  int rank_at(int node, int place) const { return levels_ == nullptr ? node : levels_->at(node, place); }
  int owner(std::size_t segment) const { return (panels_.segments[segment].*operand_).rank; }
  index_t begin_in_shard(std::size_t segment, index_t t) const {
    return (panels_.segments[segment].*operand_).begin + panels_.slice(segment, t).begin;
  }
  index_t terms_of(int node, int place, index_t t) const { return panels_.terms_in(operand_, rank_at(node, place), t); }
  int place_on(int node, int q) const {
    for (int l = 0; l < levels_->intra_node.size(); ++l)
      if (rank_at(node, l) == q) return l;
    return -1;
  }
  // The begin of a node's block in the buffer of the rank with a local rank.
  std::size_t begin_of(int node, int place, index_t t) const {
    std::size_t at = 0;
    for (int k = 0; k < node; ++k)
      if (k != ranks_.rank() || packs_) at += elements(terms_of(k, place, t));
    return at;
  }
  // The elements of the block that belong to segments before this one.
  std::size_t elements_before(std::size_t segment) const {
    std::size_t at = 0;
    for (std::size_t s = 0; s < segment; ++s)
      if (owner(s) == owner(segment)) at += elements(panels_.slice(s, panel_).size());
    return at;
  }
  T const* panel_of(int place) const {
    if (levels_ == nullptr || place == local_rank()) return room_[panel_ % 2].data();
    if (round_) return round_->group().template source<T>(place);
    return from_node_.data() + begin_on_node_[static_cast<std::size_t>(place)];
  }

  T const* send_from(T* room, index_t t) {
    if (!packs_) {
      for (std::size_t s = 0; s < panels_.segments.size(); ++s)
        if (owner(s) == self_) return shard_.part(begin_in_shard(s, t)).data;
      return shard_.data;
    }
    T* const packed = room + begin_of(ranks_.rank(), local_rank(), t);
    T* to = packed;
    for (std::size_t s = 0; s < panels_.segments.size(); ++s) {
      if (owner(s) != self_) continue;
      index_t const terms = panels_.slice(s, t).size();
      loop_nest<2> const loops[]{
          slabs_between(shard_.dim, terms, shard_.extents, begin_in_shard(s, t), shard_.extents_of(terms), 0)};
      strided_copy(Space{}, shard_.data, to, loops);
      to += elements(terms);
    }
    return packed;
  }
  // Makes the buffers of the ranks of this node readable. Ranks that do not see each other's memory send them.
  void meet() {
    std::size_t const n = size_of_panel(local_rank());
    communicator const& node = levels_->intra_node;
    if (node.size() == 1) return;
    T const* const own = room_[panel_ % 2].data();
    round_.emplace(node, fingerprint_of(collective::all_gather, panel_, element_code<T>), own, n);
    if (*round_) return;
    round_.reset();
    begin_on_node_.assign(1, 0);
    for (int l = 0; l < node.size(); ++l) begin_on_node_.push_back(begin_on_node_.back() + size_of_panel(l));
    from_node_.allocate(begin_on_node_.back());
    post_exchange(
        node,
        [&](int) {
          return block<T const>{own, n};
        },
        [&](int l) {
          return block<T>{from_node_.data() + begin_on_node_[static_cast<std::size_t>(l)], size_of_panel(l)};
        },
        comm::tuned);
    finish(node);
  }
  std::size_t size_of_panel(int place) const { return begin_of(ranks_.size(), place, panel_); }

  node_levels const* levels_;
  communicator ranks_;  // between which messages travel
  panels_of_terms const& panels_;
  side_of_segment operand_;
  shard_of_terms<T> shard_;
  int self_;
  index_t line_;        // elements of a term
  bool packs_ = false;  // the own block is copied before it is sent
  pool_scratch<Space, T> room_[2], from_node_;
  std::vector<std::size_t> begin_on_node_;
  std::vector<MPI_Request> requests_;
  std::optional<node_round> round_;
  index_t panel_ = 0;
};

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/products/impl/terms_in_panels.ipp"
#endif
