// SPDX-License-Identifier: BSL-1.0
// Memory that a kernel needs until it returns.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

namespace ashlar::kernels {

/// n elements of T, given back when this object ends.
template <class T>
class scratch_array {
 public:
  explicit scratch_array(std::shared_ptr<void> memory) : memory_(std::move(memory)) {}
  T* data() const { return static_cast<T*>(memory_.get()); }

 private:
  std::shared_ptr<void> memory_;
};

/// Allocates the memory that kernels need for themselves. The caller of a kernel chooses the source: tensors use their
/// pool. Kernels on the host call it from several threads at once.
class scratch_memory {
 public:
  using allocate_function = std::shared_ptr<void> (*)(std::size_t bytes);
  explicit constexpr scratch_memory(allocate_function allocate) : allocate_(allocate) {}
  /// Pre: n >= 0
  template <class T>
  scratch_array<T> array(std::integral auto n) const {
    return scratch_array<T>(allocate_(static_cast<std::size_t>(n) * sizeof(T)));
  }

 private:
  allocate_function allocate_;
};

}  // namespace ashlar::kernels
