// SPDX-License-Identifier: BSL-1.0
// The memory of shards.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/buffer.hpp"
#include "ashlar/comm/node/memory.hpp"
#include "ashlar/comm/node/remaining_readers.hpp"
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/scratch.hpp"
#include "ashlar/plan/tensor.hpp"
#include <sched.h>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace ashlar::tensor_detail {

/// An object that may read a shard later.
class reader {
 public:
  virtual ~reader() = default;
  /// Called before the block's elements change: keeps the elements that will be read.
  virtual void keep(void const* block) = 0;
};

using comm_detail::out_of_memory;
/// Says how much memory is missing, for this rank's elements of a tensor of these extents. `begin` begins the sentence.
[[noreturn]] ASHLAR_INLINE void fail_memory(char const* begin, out_of_memory const& e, shape const& extents,
                                            index_t elements, std::size_t element_bytes);

/// Notes that a tensor has adopted the memory from an address on. Error: ashlar::error if another has it.
ASHLAR_INLINE void note_adopted(void const* first);
ASHLAR_INLINE void forget_adopted(void const* first);

/// Asks the system for large pages, if the memory is large enough for some. Pre: nothing has been written there.
ASHLAR_INLINE void prefer_large_pages(void* memory, std::size_t bytes);

template <class MemorySpace>
class pool;

/// Cells of a block that hold 0: those that an exchange sets to 0 beyond the domain. Its transfers identify them.
struct zero_cells {
  std::shared_ptr<void const> transfers;  // null: nothing is known
  void const* halo = nullptr;             // identifies the element type and the widths
  shape stored;
};

/// A block of memory that tensors share. It lists its later readers: elementwise expressions, and other blocks that
/// borrow the memory until one side is written. Ranks of the node may read it, too, until they are done with an exchange.
template <class MemorySpace>
class storage : public reader {
 public:
  storage(void* at, std::size_t length) : data(at), bytes(length) {}

  void* data;
  std::size_t bytes;
  std::shared_ptr<index_t const[]> strides;  // of the array here, in elements; null if it is row-major and contiguous
  zero_cells zeros;                          // since they were written, nothing has written halo cells
  bool exposed = true;  // somebody may write any cell at any time: the program, or a borrower's lender
  bool held = false;    // the program has a pointer to the block
  bool pinned = false;  // adopted memory of the program

  /// Call it before others may write the block at any time. Error: as before_writing.
  void expose() {
    ranks_that_read_.wait();
    exposed = true;
    zeros.transfers.reset();
  }
  /// Notes that the block is memory of the program's. Error: ashlar::error if the memory of another block begins there.
  void pin() {
    note_adopted(data);
    held = pinned = true;
  }
  ~storage() override {
    if (pinned) forget_adopted(data);
  }
  /// Call it before a pointer is given to the program. Error: as before_writing.
  void hold() {
    if (!held) expose();
    held = true;
  }

  void expect(std::shared_ptr<reader> const& r);
  /// Like expect, for a reader of the memory itself, which may be another block's.
  void expect_with_lender(std::shared_ptr<reader> const& r) {
    expect(r);
    if (lender_) lender_->expect(r);
  }
  /// Notes ranks of the node that go on reading the block: note(ranks) adds them. A program that has a pointer to the block
  /// may write at any time, so it waits for them here.
  template <class F>
  void read_by_ranks(F const& note) {
    ranks_that_read_.wait();
    note(ranks_that_read_);
    if (exposed) ranks_that_read_.wait();
  }
  /// Call it before the elements change: readers keep the elements as they were.
  /// Error: ashlar::error if another rank of the node still reads them when its deadline is over.
  void before_writing();
  void keep(void const* block) override {
    if (lender_.get() == block) detach();  // it may have memory of its own by now
  }

  /// A block with the same elements. They are copied only when one of the two blocks is about to change. What the program
  /// writes by a pointer, both have.
  static std::shared_ptr<storage> borrow(std::shared_ptr<storage> const& from);
  /// Makes the block independent of a lender to which the program has a pointer.
  void leave_program() {
    if (lender_ && lender_->held) detach();
  }
  /// A block of its own with n bytes of this one.
  std::shared_ptr<storage> copy(std::size_t first, std::size_t n) const;
  /// Makes n bytes of this block those at an address.
  void copy_from(void const* bytes, std::size_t first, std::size_t n) const;

 private:
  void detach();

  std::vector<std::weak_ptr<reader>> readers_;
  std::shared_ptr<storage> lender_;                 // the block that owns the memory, if it is another
  std::size_t ahead_ = 0;                           // bytes of the memory before `data`
  comm_detail::remaining_readers ranks_that_read_;  // none if there is a lender: it has been exposed

  friend pool<MemorySpace>;
};

/// Hands out memory and takes it back for the next request of its size: a training step uses the memory of the step
/// before. Sizes are rounded up to four classes per octave. Free blocks return to the system in two cases, the class that
/// was used least lately first: a new block would bring the pool's memory above twice the most that was in use at once, or
/// the system has no memory left. All free memory returns when Kokkos is finalised.
template <class MemorySpace>
class pool {
 public:
  /// The block's zero cells are known if `keeps_zeros`. Then the caller forgets them unless it knows where they are.
  static std::shared_ptr<storage<MemorySpace>> allocate(std::size_t bytes, bool keeps_zeros = false);

  /// The number of new blocks so far. A steady program makes no more.
  static std::size_t allocations() { return instance().allocations; }
  /// Bytes that the pool has from the system, free blocks among them.
  static std::size_t held() { return instance().held; }
  /// Bytes in use, and the most in use since the last reset.
  static std::size_t in_use() { return instance().in_use; }
  static std::size_t peak() { return instance().peak; }
  static void reset_peak() { instance().peak = instance().in_use; }

 private:
  using block = storage<MemorySpace>;
  static constexpr std::size_t classes = 4 * 48, smallest = 256, largest = smallest << 47;
  static constexpr std::size_t kept_anyway = std::size_t{64} << 20;

  // Null if the system has no memory.
  static void* new_memory(std::size_t size);

  // Large blocks of the host would all begin at one place of a page. Then a processor may take a load from one array for one of
  // what it has just stored to another, and waits. So they begin at eight places in turn.
  static constexpr std::size_t page = 4096, places = 8;
  static std::size_t room_ahead(std::size_t size) {
    return std::is_same_v<MemorySpace, Kokkos::HostSpace> && size >= 32 * page ? page - page / places : 0;
  }
  static void* memory_of(block const& b) { return static_cast<std::byte*>(b.data) - b.ahead_; }
  static std::size_t place_in_page(std::size_t size, std::size_t blocks_before) {
    return room_ahead(size) == 0 ? 0 : blocks_before % places * (page / places);
  }

  // Held for a few instructions, usually by one host thread. A mutex would cost a tiny collective 10 % of its time.
  class spin_lock {
   public:
    void lock() {
      while (taken_.test_and_set(std::memory_order_acquire)) sched_yield();
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
    std::uint64_t last_use[classes]{}, uses = 0;  // of a class; of all
    std::size_t allocations = 0, in_use = 0, peak = 0, most_in_use = 0, held = 0, free_bytes = 0;
    bool open = true;

    // Gives n bytes of free blocks back to the system, or all that there are. Pre: locked.
    void give_back(std::size_t bytes);

    state();
  };
  // Never destroyed: tensors with static storage may outlive every other object.
  static state& instance();
  struct sized {
    std::size_t size, index;
  };
  static sized size_class(std::size_t bytes) {
    if (bytes <= smallest) return {smallest, 0};
    std::size_t const octave = std::bit_floor(bytes - 1), quarter = octave / 4;
    std::size_t const step = (bytes - octave + quarter - 1) / quarter;
    return {octave + step * quarter, 4 * static_cast<std::size_t>(std::countr_zero(octave / smallest)) + step};
  }
  static std::size_t size_of_class(std::size_t index) {
    if (index == 0) return smallest;
    std::size_t const octave = smallest << (index - 1) / 4;
    return octave + octave / 4 * ((index - 1) % 4 + 1);
  }
  struct release {
    std::size_t index;
    void operator()(block* b) const;
  };
};

template <class MemorySpace>
std::shared_ptr<storage<MemorySpace>> pool<MemorySpace>::allocate(std::size_t bytes, bool keeps_zeros) {
  state& s = instance();
  if (bytes > largest) throw out_of_memory(bytes);
  sized const fits = size_class(bytes);
  std::size_t const size = fits.size, index = fits.index;
  block* b = nullptr;
  auto const count = [&] {
    s.in_use += bytes;
    s.peak = (std::max)(s.peak, s.in_use);
    s.most_in_use = (std::max)(s.most_in_use, s.in_use);
    s.last_use[index] = ++s.uses;
  };
  {
    std::lock_guard lock(s.lock);
    if (!s.open) fail_without_kokkos();
    if (!s.free[index].empty()) {
      b = s.free[index].back();
      s.free[index].pop_back();
      s.free_bytes -= size;
      count();
    } else if (s.held + size > kept_anyway + 2 * (std::max)(s.most_in_use, s.in_use + bytes)) {
      s.give_back(s.held + size - kept_anyway - 2 * (std::max)(s.most_in_use, s.in_use + bytes));
    }
  }
  if (b == nullptr) {
    std::unique_ptr<block> made(new block(nullptr, 0));
    void* memory = new_memory(size + room_ahead(size));
    if (memory == nullptr) {
      std::lock_guard lock(s.lock);
      s.give_back(s.free_bytes);
    }
    if (memory == nullptr) memory = new_memory(size + room_ahead(size));
    if (memory == nullptr) throw out_of_memory(bytes);
    b = made.release();
    std::lock_guard lock(s.lock);
    b->ahead_ = place_in_page(size, s.allocations++);
    b->data = static_cast<std::byte*>(memory) + b->ahead_;
    s.held += size;
    count();
  }
  b->bytes = bytes;
  b->exposed = b->held = false;
  b->strides.reset();
  if (!keeps_zeros) b->zeros.transfers.reset();
  std::shared_ptr<block> made(b, release{index});
  made->ranks_that_read_.wait();
  return made;
}

template <class MemorySpace>
void* pool<MemorySpace>::new_memory(std::size_t size) {
  // Other ranks of the node read the host's tensors, so these are in memory that all of them see.
  if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>)
    if (void* const p = node_memory::instance().allocate(size)) return p;
  void* block = nullptr;
  try {
    block = Kokkos::kokkos_malloc<MemorySpace>("ashlar::storage", size);
  } catch (std::exception const&) {
    return nullptr;
  }
  if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>) prefer_large_pages(block, size);
  return block;
}

template <class MemorySpace>
void pool<MemorySpace>::state::give_back(std::size_t bytes) {
  for (std::size_t given = 0; given < bytes && free_bytes > 0;) {
    std::size_t oldest = classes;
    for (std::size_t i = 0; i < classes; ++i)
      if (!free[i].empty() && (oldest == classes || last_use[i] < last_use[oldest])) oldest = i;
    block* const b = free[oldest].back();
    b->ranks_that_read_.wait();
    free[oldest].pop_back();
    std::size_t const size = size_of_class(oldest);
    if (!node_memory::instance().contains(b->data))
      Kokkos::kokkos_free<MemorySpace>(memory_of(*b));
    else
      node_memory::instance().free_block(memory_of(*b), size + room_ahead(size));
    delete b;
    given += size, free_bytes -= size, held -= size;
  }
}

template <class MemorySpace>
pool<MemorySpace>::state::state() {
  if (!Kokkos::is_initialized() || Kokkos::is_finalized()) fail_without_kokkos();
  Kokkos::push_finalize_hook([this] {
    std::lock_guard guard(lock);
    open = false;
    for (auto& list : free) {
      for (block* b : list) {
        if (!node_memory::instance().contains(b->data)) Kokkos::kokkos_free<MemorySpace>(memory_of(*b));
        delete b;
      }
      list.clear();
    }
  });
}

template <class MemorySpace>
typename pool<MemorySpace>::state& pool<MemorySpace>::instance() {
  static state* const s = new state;
  return *s;
}

template <class MemorySpace>
void pool<MemorySpace>::release::operator()(block* b) const {
  b->readers_.clear();
  state& p = instance();
  {
    std::lock_guard lock(p.lock);
    p.in_use -= b->bytes;
    bool const quarantined = node_memory::instance().is_left_to_others(b->data, b->bytes);
    if (p.open && !quarantined) {
      p.free_bytes += size_of_class(index);
      return p.free[index].push_back(b);
    }
    p.held -= size_of_class(index);
  }
  delete b;  // its memory is gone with Kokkos, or quarantined
}

template <class MemorySpace>
void storage<MemorySpace>::expect(std::shared_ptr<reader> const& r) {
  if (readers_.size() == readers_.capacity()) std::erase_if(readers_, [](auto const& w) { return w.expired(); });
  readers_.push_back(r);
}

template <class MemorySpace>
void storage<MemorySpace>::before_writing() {
  for (auto const& w : readers_)
    if (auto const r = w.lock()) r->keep(this);
  readers_.clear();
  ranks_that_read_.wait();
  if (lender_ && (lender_.use_count() > 1 || lender_->held)) detach();
}

template <class MemorySpace>
std::shared_ptr<storage<MemorySpace>> storage<MemorySpace>::borrow(std::shared_ptr<storage> const& from) {
  auto const& lender = from->lender_ ? from->lender_ : from;
  lender->expose();
  auto s = std::make_shared<storage>(from->data, from->bytes);
  s->lender_ = lender;
  s->strides = from->strides;
  lender->expect(s);
  return s;
}

template <class MemorySpace>
void storage<MemorySpace>::detach() {
  if (!lender_) return;
  auto const own = copy(0, bytes);
  data = own->data;
  lender_ = own;
}

template <class MemorySpace>
std::shared_ptr<storage<MemorySpace>> storage<MemorySpace>::copy(std::size_t first, std::size_t n) const {
  auto own = pool<MemorySpace>::allocate(n);
  own->copy_from(static_cast<std::byte const*>(data) + first, 0, n);
  own->strides = strides;
  return own;
}

template <class MemorySpace>
void storage<MemorySpace>::copy_from(void const* bytes_to_copy, std::size_t first, std::size_t n) const {
  using space = typename MemorySpace::execution_space;
  auto* const to = static_cast<char*>(data) + first;
  auto const* const from = static_cast<char const*>(bytes_to_copy);
  if constexpr (kernels_detail::runs_in_caller<space>) {  // a copy by Kokkos would instantiate 660 templates
    constexpr index_t bytes_per_thread = 32 << 10;
    kernels_detail::for_ranges("ashlar::copy", space{}, static_cast<index_t>(n), bytes_per_thread,
                               [&](index_t begin, index_t end) {
                                 std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
                               });
  } else {
    using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(space{}, Kokkos::View<char*, MemorySpace, unmanaged>(to, n),
                      Kokkos::View<char const*, MemorySpace, unmanaged>(from, n));
  }
}

/// The elements of a shard. The layout is known elsewhere.
template <class T, class Space>
struct stored_shard {
  using block_type = storage<typename Space::memory_space>;
  std::shared_ptr<block_type> owner;
  index_t offset = 0;

  T* data() const { return static_cast<T*>(owner->data) + offset; }
  /// n elements from one on as a value of their own. They are copied when one of the two shards is about to change; at once
  /// if the program has a pointer to them, since nobody sees what it writes.
  stored_shard part(index_t first, index_t n) const {
    if (!owner->held) return {block_type::borrow(owner), offset + first};
    return {owner->copy(static_cast<std::size_t>(offset + first) * sizeof(T), static_cast<std::size_t>(n) * sizeof(T)),
            0};
  }
};

/// Memory that a call needs for a while, from the pool: n elements that kernels of the space can access.
template <class Space, class T>
class pool_scratch {
 public:
  pool_scratch() = default;
  explicit pool_scratch(std::integral auto elements) { allocate(static_cast<std::size_t>(elements)); }
  T* allocate(std::size_t n) {
    block_ = pool<typename Space::memory_space>::allocate(n * sizeof(T));
    return data();
  }
  T* data() const { return static_cast<T*>(block_->data); }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  std::shared_ptr<storage<typename Space::memory_space>> block_;
};

/// The scratch of kernels that run in a space, from the pool.
template <class Space>
inline constexpr kernels::scratch_memory scratch_from_pool([](std::size_t bytes) {
  auto block = pool<typename Space::memory_space>::allocate(bytes);
  void* const at = block->data;
  return std::shared_ptr<void>(std::move(block), at);
});

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/impl/storage.ipp"
#endif
#ifdef ASHLAR_EXTERN
namespace ashlar::tensor_detail {
ASHLAR_EXTERN template class storage<Kokkos::HostSpace>;
ASHLAR_EXTERN template class pool<Kokkos::HostSpace>;
}  // namespace ashlar::tensor_detail
#endif
