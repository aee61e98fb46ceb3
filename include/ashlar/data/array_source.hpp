// SPDX-License-Identifier: BSL-1.0
// Arrays of examples, in memory or in files. A rank reads only the parts that it needs.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/idx.hpp"
#include "ashlar/io/npy.hpp"
#include <mutex>
#include <span>

namespace ashlar {

namespace data_detail {

struct source_state {
  std::vector<index_t> extents;
  npy_kind kind;
  std::size_t example_bytes = 1;

  // In memory; `owner` is null if the caller owns the elements.
  std::shared_ptr<void const> owner;
  std::uint8_t const* elements = nullptr;
  // Or in a file, from byte `begin` on. `kept` holds the examples read so far, if the source is cached.
  std::shared_ptr<checked_file const> file;
  std::size_t begin = 0;
  std::unique_ptr<std::uint8_t[]> kept;
  std::vector<bool> mutable known;
  std::mutex mutable lock;  // guards `known` and `kept`
};

// Checks a file without a header: from `begin` to its end it must hold exactly the elements that the extents declare.
ASHLAR_INLINE void check_raw(checked_file const& file, std::vector<index_t> const& extents, std::size_t element_bytes,
                             std::size_t begin);

}  // namespace data_detail

/// An array whose first dimension counts examples. Copies are handles on the same array. Several threads may read.
/// Elements of a file are in memory only while they are read, unless the source is `cached`.
class array_source {
 public:
  /// Takes over an array in memory.
  array_source(idx_array a) : array_source(std::move(a.extents), npy_kind::u1, std::move(a.bytes)) {}
  array_source(npy_array a) : array_source(std::move(a.extents), a.kind, std::move(a.bytes)) {}
  // Moving copies, so that no handle is ever empty.
  array_source(array_source const&) = default;
  array_source& operator=(array_source const&) = default;

  index_t examples() const { return state_->extents[0]; }
  /// The extents of an example.
  std::span<index_t const> example_extents() const { return std::span(state_->extents).subspan(1); }
  /// The number of elements of an example.
  index_t size() const { return static_cast<index_t>(state_->example_bytes / io_detail::name_of(kind()).size); }
  npy_kind kind() const { return state_->kind; }
  bool in_memory() const { return !state_->file; }

  /// Returns the elements [first, first + n) of an example: in place if they are in memory, else read into `scratch`.
  /// Pre: 0 <= example < examples(), 0 <= first, first + n <= size(). `scratch` has room for n elements.
  /// Cost: one read of these elements from the file. A cached source reads the whole example instead, once.
  /// Error: ashlar::error on this rank if the file cannot be read, or became shorter.
  std::uint8_t const* read(index_t example, index_t first, index_t n, std::uint8_t* scratch) const;

  /// Returns the same array, which reads each example of the file once and keeps it in this rank's memory. Returns an
  /// array in memory, or of empty examples, unchanged.
  array_source cached() const;

  /// Refers to an array that the caller keeps alive.
  static array_source borrow(idx_array const& a);
  /// Refers to the elements of a file from byte `begin` on. Pre: the caller has checked that the extents fit the file.
  static array_source in_file(std::shared_ptr<io_detail::checked_file const> file, std::vector<index_t> extents,
                              npy_kind kind, std::size_t begin);

 private:
  explicit array_source(std::shared_ptr<data_detail::source_state> s) : state_(std::move(s)) {}
  array_source(std::vector<index_t> extents, npy_kind kind, std::vector<std::uint8_t> bytes);
  array_source(std::vector<index_t> extents, npy_kind kind, std::shared_ptr<void const> owner,
               std::uint8_t const* elements);

  std::shared_ptr<data_detail::source_state> state_;
};

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/data/impl/array_source.ipp"
#endif
