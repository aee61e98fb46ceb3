// SPDX-License-Identifier: BSL-1.0
// Memory of this process for buffers: if the system has none, an error says how much is missing.
#pragma once
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "ashlar/meta/error.hpp"

namespace ashlar::comm_detail {

/// Thrown if the system has no memory for a block or a buffer.
class out_of_memory : public error {
 public:
  explicit out_of_memory(std::size_t bytes)
      : error("ashlar: the memory does not suffice for " + std::to_string(bytes) + " bytes more"), bytes_(bytes) {}
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
};

/// A buffer of n bytes, uninitialised. Error: out_of_memory.
inline std::unique_ptr<unsigned char[]> byte_buffer(std::size_t n) {
  if (auto* const bytes = new (std::nothrow) unsigned char[n]) return std::unique_ptr<unsigned char[]>(bytes);
  throw out_of_memory(n);
}

/// Calls f, which makes room for n elements T. Error: out_of_memory.
template <class T, class F>
void make_room(std::size_t n, F const& f) {
  try {
    f();
  } catch (std::exception const&) {  // std::bad_alloc, or std::length_error for a size that no vector has
    throw out_of_memory(n * sizeof(T));
  }
}

/// Gives a vector or a string n elements. Error: out_of_memory.
template <class Buffer>
void resize_buffer(Buffer& buffer, std::size_t n) {
  make_room<typename Buffer::value_type>(n, [&] { buffer.resize(n); });
}

/// The n elements at `first`. Error: out_of_memory.
template <class T>
std::vector<T> copied_elements(T const* first, std::size_t n) {
  std::vector<T> copy;
  make_room<T>(n, [&] { copy.assign(first, first + n); });
  return copy;
}

}  // namespace ashlar::comm_detail
