// SPDX-License-Identifier: BSL-1.0
// MPI's persistent collectives: set up once and started for each call.
#pragma once
#include <list>
#include <memory>
#include <utility>

#include "ashlar/comm/environment.hpp"
#include "ashlar/plan/step.hpp"

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

// ASHLAR_MPI_INIT(Allreduce) is the function that sets up a persistent all-reduce, with the widest counts available.
// MPI 4 has it, Open MPI 5 also without MPI 4, and Open MPI 4 as an extension.
#if MPI_VERSION >= 4
#define ASHLAR_MPI_INIT(name) MPI_##name##_init_c
#elif defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define ASHLAR_MPI_INIT(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define ASHLAR_MPI_INIT(name) MPIX_##name##_init
#endif

namespace ashlar::comm_detail {

#ifdef ASHLAR_MPI_INIT
inline constexpr bool has_persistent_collectives = true;
#else
inline constexpr bool has_persistent_collectives = false;
inline int no_persistent_collective(...) { return MPI_ERR_OTHER; }
#define ASHLAR_MPI_INIT(name) ::ashlar::comm_detail::no_persistent_collective
#endif

/// True if the MPI library has a correct persistent form of this collective. MPICH's persistent all-gather is wrong: it
/// sends the operand as it was at set-up. (Seen in 4.0.2; its persistent gather is wrong up to 4.1.2 at least.)
constexpr bool persists(collective v) {
#ifdef MPICH_NUMVERSION
  if (v == collective::all_gather) return false;
#endif
  return has_persistent_collectives && (v == collective::all_reduce || v == collective::all_gather ||
                                        v == collective::reduce_scatter || v == collective::all_to_all);
}

/// A persistent collective that is set up, on buffers of its own. It cannot use the caller's arrays, since setting up
/// is collective. One rank's array may be where the last one was, and another rank's array elsewhere.
class persistent_collective {
 public:
  /// The properties of a call that all ranks know alike.
  struct key {
    collective what;
    MPI_Op op;
    MPI_Datatype type;
    std::size_t n;
    friend bool operator==(key const&, key const&) = default;
  };

  persistent_collective(key const& k, std::size_t bytes_in, std::size_t bytes_out)
      : of(k), begin_of_result_((bytes_in + 63) / 64 * 64), room_(new std::byte[begin_of_result_ + bytes_out]) {}
  persistent_collective(persistent_collective const&) = delete;
  persistent_collective& operator=(persistent_collective const&) = delete;
  ~persistent_collective() {
    // MPI may still write to the buffers of a collective that an error has left under way.
    if (is_under_way)
      static_cast<void>(room_.release());
    else if (request != MPI_REQUEST_NULL && mpi_is_usable())
      MPI_Request_free(&request);
  }

  std::byte* operand() const { return room_.get(); }
  std::byte* result() const { return room_.get() + begin_of_result_; }

  key const of;
  MPI_Request request = MPI_REQUEST_NULL;
  bool is_under_way = false;

 private:
  std::size_t begin_of_result_;
  std::unique_ptr<std::byte[]> room_;
};

/// The persistent collectives of one communicator, most recently used first. Its ranks use them in the same order. So
/// they set up and free the same ones at the same time.
class persistent_collectives {
 public:
  static constexpr std::size_t most = 32;

  /// Returns the collective for a key. Calls `set_up(collective)` if there is none yet.
  template <class F>
  persistent_collective& get(persistent_collective::key const& k, std::size_t bytes_in, std::size_t bytes_out,
                             F set_up) {
    auto at = all_.begin();
    while (at != all_.end() && at->of != k) ++at;
    if (at == all_.end()) {
      at = all_.emplace(all_.end(), k, bytes_in, bytes_out);
      try {
        set_up(*at);
      } catch (...) {
        all_.erase(at);
        throw;
      }
    }
    all_.splice(all_.begin(), all_, at);
    if (all_.size() > most) all_.pop_back();
    return all_.front();
  }
  std::size_t size() const { return all_.size(); }
  /// Call it before their communicator is freed.
  void clear() { all_.clear(); }

 private:
  std::list<persistent_collective> all_;
};

}  // namespace ashlar::comm_detail
