// SPDX-License-Identifier: BSL-1.0
// Memory that messages read and write.
#pragma once
#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "ashlar/comm/buffer.hpp"
#include "ashlar/comm/node/memory.hpp"

namespace ashlar::comm_detail {

/// Marks memory that messages read and write while this object lives. If the collective fails, late messages may still
/// use the memory. So it is quarantined: it is never reused.
class memory_of_messages {
 public:
  memory_of_messages(void const* source, void const* destination) : source_(source), destination_(destination) {}
  memory_of_messages(memory_of_messages const&) = delete;
  memory_of_messages& operator=(memory_of_messages const&) = delete;
  ~memory_of_messages() {
    if (std::uncaught_exceptions() > exceptions_) leave();
  }
  /// Quarantines the memory. Call it if the collective fails without an exception that destroys this object.
  void leave() {
    if (!std::exchange(under_way_, false)) return;
    node_memory::instance().leave_to_others(source_);
    if (destination_ != source_) node_memory::instance().leave_to_others(destination_);
  }
  /// Call it when all messages have arrived.
  void have_arrived() { under_way_ = false; }

 private:
  void const *source_, *destination_;
  int exceptions_ = std::uncaught_exceptions();
  bool under_way_ = true;
};

/// A host buffer that messages fill or read. If an exception destroys it, its memory is kept for late messages.
template <class T>
class message_buffer {
 public:
  /// Error: out_of_memory.
  explicit message_buffer(std::size_t elements) { resize_buffer(elements_, elements); }
  message_buffer(message_buffer const&) = delete;
  message_buffer& operator=(message_buffer const&) = delete;
  ~message_buffer() {
    if (std::uncaught_exceptions() == exceptions_) return;
    static auto& left = *new std::vector<std::vector<T>>;
    left.push_back(std::move(elements_));
  }
  std::vector<T>& operator*() { return elements_; }
  T* data() { return elements_.data(); }

 private:
  std::vector<T> elements_;
  int exceptions_ = std::uncaught_exceptions();
};

/// Calls f(source, destination) for n and m bytes of the caller. An error may end this rank's wait while MPI still uses
/// the arrays. Then f gets copies if they are small: the caller's may be on the stack, and gone when MPI writes.
/// `source` may be null or `destination`, and is then null or the same array in f, too.
template <class F>
void on_kept_copies(communicator const& c, comm::tuning const& how, void const* source, std::size_t n,
                    void* destination, std::size_t m, F f) {
  constexpr std::size_t most = 1 << 16, aligned = 64;
  communicator_state const& s = c.state();
  bool const waits_with_polls = s.has_deadline || s.desync.in_progress.polls || c.yields();
  node_memory const& memory = node_memory::instance();
  bool const seen_by_others = (s.node || s.levels) && (memory.contains(source) || memory.contains(destination));
  if (c.size() == 1 || !waits_with_polls || !how.host_memory || seen_by_others || n + m > most)
    return f(source, destination);
  bool const has_own = source != nullptr && source != destination;
  // The operand's copy begins after the result's: MPICH takes no two arrays of one address, even if one is empty.
  std::size_t const begin = m / aligned * aligned + aligned;
  message_buffer<std::byte> copies(begin + (has_own ? n : 0));
  std::byte* const result = copies.data();
  if (has_own)
    std::copy_n(static_cast<std::byte const*>(source), n, result + begin);
  else
    std::copy_n(static_cast<std::byte const*>(destination), m, result);
  f(source == nullptr ? nullptr : has_own ? result + begin : result, result);
  std::copy_n(result, m, static_cast<std::byte*>(destination));
}

}  // namespace ashlar::comm_detail
