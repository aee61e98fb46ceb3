// Memory that messages read and write.
#pragma once
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "ashlar/comm/node/memory.hpp"

namespace ashlar::comm_detail {

/// Marks memory that messages read and write while this object lives. If the collective fails, late messages may still
/// use the memory. So it is quarantined: it is never reused.
class memory_of_messages {
 public:
  memory_of_messages(void const* source, void const* destination) : source_(source), destination_(destination) {}
  memory_of_messages(memory_of_messages const&) = delete;
  memory_of_messages& operator=(memory_of_messages const&) = delete;
  ~memory_of_messages();
  /// Quarantines the memory. Call it if the collective fails without an exception that destroys this object.
  void leave();
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
  explicit message_buffer(std::size_t n) : elements_(n) {}
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

}  // namespace ashlar::comm_detail

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/comm/compiled/message_memory.hpp"
#endif
