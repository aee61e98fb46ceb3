// The memory of shards.
#pragma once
#include "ashlar/meta/error.hpp"
#include <Kokkos_Core.hpp>
#include <bit>
#include <memory>
#include <mutex>
#include <vector>

namespace ashlar::detail {

/// Something that may read a shard later.
class reader {
 public:
  virtual ~reader() = default;
  /// The block's elements are about to change: keep those that will be read.
  virtual void keep(void const* block) = 0;
};

/// A block of memory that tensors share, and the elementwise expressions that may read it.
template <class MemorySpace>
class storage {
 public:
  void* data = nullptr;

  void expect(std::shared_ptr<reader> const& r) {
    if (readers_.size() == readers_.capacity()) std::erase_if(readers_, [](auto const& w) { return w.expired(); });
    readers_.push_back(r);
  }
  /// To be called before the elements change: expressions keep what they were written to read.
  void before_writing() {
    for (auto const& w : readers_)
      if (auto const r = w.lock()) r->keep(this);
    readers_.clear();
  }

 private:
  std::vector<std::weak_ptr<reader>> readers_;
};

/// Hands out memory and takes it back for the next of its size: a training step allocates what the step before gave back.
/// Sizes are rounded up to four classes an octave. What is free when Kokkos is finalised is returned to it.
template <class MemorySpace>
class pool {
 public:
  static std::shared_ptr<storage<MemorySpace>> allocate(std::size_t bytes) {
    if (!Kokkos::is_initialized() || Kokkos::is_finalized())
      throw error("ashlar::make: Kokkos is not initialised, or already finalised; make an ashlar::environment in main, before all tensors");
    state& s = instance();
    auto const [size, index] = size_class(bytes);
    void* data = nullptr;
    {
      std::lock_guard lock(s.mutex);
      if (!s.free[index].empty()) {
        data = s.free[index].back();
        s.free[index].pop_back();
      } else {
        ++s.allocations;
      }
    }
    if (data == nullptr) data = Kokkos::kokkos_malloc<MemorySpace>("ashlar::storage", size);
    std::unique_ptr<storage<MemorySpace>, release> block(new storage<MemorySpace>, release{index});
    block->data = data;
    return block;
  }

  /// Blocks that were taken from Kokkos so far; steady programs take no more.
  static std::size_t allocations() { return instance().allocations; }

 private:
  static constexpr std::size_t classes = 4 * 48, smallest = 256;

  struct state {
    std::mutex mutex;
    std::vector<void*> free[classes];
    std::size_t allocations = 0;
    bool open = true;

    state() {
      Kokkos::push_finalize_hook([this] {
        std::lock_guard lock(mutex);
        open = false;
        for (auto& list : free) {
          for (void* p : list) Kokkos::kokkos_free<MemorySpace>(p);
          list.clear();
        }
      });
    }
  };
  // Never destroyed: tensors with static storage may outlive every other object.
  static state& instance() {
    static state* const s = new state;
    return *s;
  }
  struct sized {
    std::size_t size, index;
  };
  static sized size_class(std::size_t bytes) {
    if (bytes <= smallest) return {smallest, 0};
    std::size_t const octave = std::bit_floor(bytes - 1), quarter = octave / 4;
    std::size_t const step = (bytes - octave + quarter - 1) / quarter;
    return {octave + step * quarter, 4 * static_cast<std::size_t>(std::countr_zero(octave / smallest)) + step};
  }
  struct release {
    std::size_t index;
    void operator()(storage<MemorySpace>* s) const {
      state& p = instance();
      {
        std::lock_guard lock(p.mutex);
        if (p.open) p.free[index].push_back(s->data);  // after Kokkos' end the memory is gone with it
      }
      delete s;
    }
  };
};

}  // namespace ashlar::detail
