// Memory that the ranks of a node share, as an expert gets it from MPI. The benchmarks measure its limits.
#pragma once
#include <ashlar/comm/mpi.hpp>
#include <ashlar/config.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

/// True if all ranks of a communicator are on one node.
/// Collective: its ranks.
inline bool share_a_node(MPI_Comm c) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(c, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0, all = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_size(c, &all);
  MPI_Comm_free(&node);
  return here == all;
}

/// n elements per rank of a communicator, which all its ranks see.
/// Pre: the ranks share a node. Collective: construction and destruction.
template <class T>
class shared_window {
 public:
  shared_window(MPI_Comm c, std::size_t n) : comm_(c) {
    int ranks = 0;
    MPI_Comm_size(c, &ranks);
    // Otherwise the ranks' parts are contiguous, and two of them may share a cache line.
    MPI_Info apart = MPI_INFO_NULL;
    MPI_Info_create(&apart);
    MPI_Info_set(apart, "alloc_shared_noncontig", "true");
    T* mine = nullptr;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(n * sizeof(T)), sizeof(T), apart, c, &mine, &window_);
    MPI_Info_free(&apart);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    for (int q = 0; q < ranks; ++q) {
      MPI_Aint size = 0;
      int unit = 0;
      T* at = nullptr;
      MPI_Win_shared_query(window_, q, &size, &unit, &at);
      parts_.push_back(at);
    }
    std::fill_n(mine, n, T());  // the first touch places it near this rank
  }
  shared_window(shared_window const&) = delete;
  shared_window& operator=(shared_window const&) = delete;
  ~shared_window() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  /// Makes each rank's earlier writes visible to all ranks. Collective: the ranks.
  void fence() const {
    MPI_Win_sync(window_);
    MPI_Barrier(comm_);
    MPI_Win_sync(window_);
  }
  /// The first element of a rank.
  T* of(ashlar::index_t rank) const { return parts_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<T*> parts_;
  MPI_Comm comm_;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace bench
