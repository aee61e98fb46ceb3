// The memory of shards.
#pragma once
#include "ashlar/comm/node/memory.hpp"
#include "ashlar/kernels/scratch.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ashlar::tensor_detail {

/// An object that may read a shard later.
class reader {
 public:
  virtual ~reader() = default;
  /// Called before the block's elements change: keeps the elements that will be read.
  virtual void keep(void const* block) = 0;
};

template <class MemorySpace>
class pool;

/// A block of memory that tensors share. It lists its later readers: elementwise expressions, and other blocks that
/// borrow the memory until one side is written.
template <class MemorySpace>
class storage : public reader {
 public:
  storage(void* at, std::size_t size) : data(at), bytes(size) {}

  void* data;
  std::size_t bytes;

  void expect(std::shared_ptr<reader> const& r) {
    if (readers_.size() == readers_.capacity()) std::erase_if(readers_, [](auto const& w) { return w.expired(); });
    readers_.push_back(r);
  }
  /// Like expect, for a reader of the memory itself, which may be another block's.
  void expect_with_lender(std::shared_ptr<reader> const& r) {
    expect(r);
    if (lender_) lender_->expect(r);
  }
  /// Call it before the elements change: readers keep the elements as they were.
  void before_writing() {
    for (auto const& w : readers_)
      if (auto const r = w.lock()) r->keep(this);
    readers_.clear();
    if (lender_.use_count() > 1) detach();
  }
  void keep(void const* block) override {
    if (lender_.get() == block) detach();  // it may have memory of its own by now
  }

  /// A block with the same elements. They are copied only when one of the two blocks is about to change.
  static std::shared_ptr<storage> borrow(std::shared_ptr<storage> const& from) {
    auto const& lender = from->lender_ ? from->lender_ : from;
    auto s = std::make_shared<storage>(from->data, from->bytes);
    s->lender_ = lender;
    lender->expect(s);
    return s;
  }

 private:
  void detach();

  std::vector<std::weak_ptr<reader>> readers_;
  std::shared_ptr<storage> lender_;  // the block that owns the memory, if it is another

  friend pool<MemorySpace>;
};

/// Hands out memory and takes it back for the next request of its size: a training step uses the memory of the step
/// before. Sizes are rounded up to four classes per octave. Free memory returns to Kokkos when Kokkos is finalised.
template <class MemorySpace>
class pool {
 public:
  static std::shared_ptr<storage<MemorySpace>> allocate(std::size_t bytes) {
    state& s = instance();
    auto const [size, index] = size_class(bytes);
    block* b = nullptr;
    auto const count = [&] {
      s.in_use += bytes;
      s.peak = std::max(s.peak, s.in_use);
    };
    {
      std::lock_guard lock(s.lock);
      if (!s.open) fail_without_kokkos();
      if (!s.free[index].empty()) {
        b = s.free[index].back();
        s.free[index].pop_back();
        count();
      }
    }
    if (b == nullptr) {
      std::unique_ptr<block> made(new block(nullptr, 0));
      // Other ranks of the node read the host's tensors, so these are in memory that all of them see.
      if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>) made->data = node_memory::instance().allocate(size);
      if (made->data == nullptr) made->data = Kokkos::kokkos_malloc<MemorySpace>("ashlar::storage", size);
      b = made.release();
      std::lock_guard lock(s.lock);
      ++s.allocations;
      count();
    }
    b->bytes = bytes;
    return std::shared_ptr<block>(b, release{index});
  }

  /// The number of new blocks so far. A steady program makes no more.
  static std::size_t allocations() { return instance().allocations; }
  /// Bytes in use, and the most in use since the last reset.
  static std::size_t in_use() { return instance().in_use; }
  static std::size_t peak() { return instance().peak; }
  static void reset_peak() { instance().peak = instance().in_use; }

 private:
  using block = storage<MemorySpace>;
  static constexpr std::size_t classes = 4 * 48, smallest = 256;

  // Held for a few instructions, usually by one host thread. A mutex would cost a tiny collective 10 % of its time.
  class spin_lock {
   public:
    void lock() {
      while (taken_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    void unlock() { taken_.clear(std::memory_order_release); }

   private:
    std::atomic_flag taken_;
  };
  [[noreturn]] static void fail_without_kokkos() {
    throw error(
        "ashlar::make: Kokkos is not initialised, or already finalised; make an ashlar::environment in main, before all tensors");
  }

  struct state {
    spin_lock lock;
    std::vector<block*> free[classes];
    std::size_t allocations = 0, in_use = 0, peak = 0;
    bool open = true;

    state() {
      if (!Kokkos::is_initialized() || Kokkos::is_finalized()) fail_without_kokkos();
      Kokkos::push_finalize_hook([this] {
        std::lock_guard guard(lock);
        open = false;
        for (auto& list : free) {
          for (block* b : list) {
            if (!node_memory::instance().contains(b->data)) Kokkos::kokkos_free<MemorySpace>(b->data);
            delete b;
          }
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
    void operator()(block* b) const {
      b->readers_.clear();
      state& p = instance();
      {
        std::lock_guard lock(p.lock);
        p.in_use -= b->bytes;
        if (p.open && !node_memory::instance().is_left_to_others(b->data, b->bytes)) return p.free[index].push_back(b);
      }
      delete b;  // its memory is gone with Kokkos, or quarantined
    }
  };
};

template <class MemorySpace>
void storage<MemorySpace>::detach() {
  if (!lender_) return;
  auto const own = pool<MemorySpace>::allocate(bytes);
  using space = Kokkos::View<char*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(typename MemorySpace::execution_space{}, space(static_cast<char*>(own->data), bytes),
                    Kokkos::View<char const*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        static_cast<char const*>(data), bytes));
  data = own->data;
  lender_ = own;
}

/// Memory that a call needs for a while, from the pool: n elements that kernels of the space can access.
template <class Space, class T>
class pool_scratch {
 public:
  pool_scratch() = default;
  explicit pool_scratch(std::integral auto n) { allocate(static_cast<std::size_t>(n)); }
  T* allocate(std::size_t n) {
    block_ = pool<typename Space::memory_space>::allocate(n * sizeof(T));
    return data();
  }
  T* data() const { return static_cast<T*>(block_->data); }

 private:
  std::shared_ptr<storage<typename Space::memory_space>> block_;
};

/// The scratch of kernels that run in a space, from the pool.
template <class Space>
inline constexpr scratch_memory scratch_from_pool([](std::size_t bytes) {
  auto block = pool<typename Space::memory_space>::allocate(bytes);
  void* const at = block->data;
  return std::shared_ptr<void>(std::move(block), at);
});

}  // namespace ashlar::tensor_detail
