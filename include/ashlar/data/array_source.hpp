// Arrays of examples, in memory or in files. A rank reads only the parts that it needs.
#pragma once
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
inline void check_raw(checked_file const& file, std::vector<index_t> const& extents, std::size_t element_bytes,
                      std::size_t begin) {
  auto const fail = [&](std::string const& what) { file.fail(what); };
  if (extents.empty() || std::any_of(extents.begin(), extents.end(), [](index_t n) { return n < 0; }))
    fail("expected extents of 0 or more, the first of which counts examples, found " + extents_text(extents));
  std::size_t const expected = bytes_of(extents, element_bytes, fail);
  if (begin > file.size() || file.size() - begin != expected)
    fail("expected " + std::to_string(expected) + " bytes of elements (" + extents_text(extents) + ") from byte " +
         std::to_string(begin) + " on, found a file of " + std::to_string(file.size()));
}

}  // namespace data_detail

/// An array whose first dimension counts examples. Copies are handles on the same array. Several threads may read.
/// Elements of a file are in memory only while they are read, unless the source is `cached`.
class array_source {
 public:
  /// Takes over an array in memory.
  array_source(idx_array a) : array_source(std::move(a.extents), npy_kind::u1, std::move(a.bytes)) {}
  array_source(npy_array a) : array_source(std::move(a.extents), a.kind, std::move(a.bytes)) {}

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
  std::uint8_t const* read(index_t example, index_t first, index_t n, std::uint8_t* scratch) const {
    data_detail::source_state const& s = *state_;
    std::size_t const element = io_detail::name_of(s.kind).size, skip = static_cast<std::size_t>(first) * element;
    std::size_t const at = static_cast<std::size_t>(example) * s.example_bytes;
    if (!s.file) return s.elements + at + skip;
    if (!s.kept) {
      s.file->read(s.begin + at + skip, scratch, static_cast<std::size_t>(n) * element);
      return scratch;
    }
    std::lock_guard const lock(s.lock);
    if (!s.known[static_cast<std::size_t>(example)]) {
      s.file->read(s.begin + at, s.kept.get() + at, s.example_bytes);
      s.known[static_cast<std::size_t>(example)] = true;
    }
    return s.kept.get() + at + skip;
  }

  /// Returns the same array, which reads each example of the file once and keeps it in this rank's memory. Returns an
  /// array in memory, or of empty examples, unchanged.
  array_source cached() const {
    if (in_memory() || state_->kept || state_->example_bytes == 0) return *this;
    auto s = std::make_shared<data_detail::source_state>();
    s->extents = state_->extents;
    s->kind = state_->kind;
    s->example_bytes = state_->example_bytes;
    s->file = state_->file;
    s->begin = state_->begin;
    auto const n = static_cast<std::size_t>(examples());
    s->kept.reset(new std::uint8_t[n * s->example_bytes + 1]);  // pages never written take no memory
    s->known.resize(n);
    return array_source(std::move(s));
  }

  /// Refers to an array that the caller keeps alive.
  static array_source borrow(idx_array const& a) {
    return array_source(a.extents, npy_kind::u1, nullptr, a.bytes.data());
  }
  /// Refers to the elements of a file from byte `begin` on. Pre: the caller has checked that the extents fit the file.
  static array_source in_file(std::shared_ptr<io_detail::checked_file const> file, std::vector<index_t> extents,
                              npy_kind kind, std::size_t begin) {
    array_source a(std::move(extents), kind, nullptr, nullptr);
    a.state_->file = std::move(file);
    a.state_->begin = begin;
    return a;
  }

 private:
  explicit array_source(std::shared_ptr<data_detail::source_state> s) : state_(std::move(s)) {}
  array_source(std::vector<index_t> extents, npy_kind kind, std::vector<std::uint8_t> bytes)
      : array_source(std::move(extents), kind, nullptr, nullptr) {
    auto owner = std::make_shared<std::vector<std::uint8_t>>(std::move(bytes));
    if (owner->size() != state_->example_bytes * static_cast<std::size_t>(examples()))
      throw error("ashlar::array_source: expected " +
                  std::to_string(state_->example_bytes * static_cast<std::size_t>(examples())) +
                  " bytes of elements (" + io_detail::extents_text(state_->extents) + "), found " +
                  std::to_string(owner->size()));
    state_->elements = owner->data();
    state_->owner = std::move(owner);
  }
  array_source(std::vector<index_t> extents, npy_kind kind, std::shared_ptr<void const> owner,
               std::uint8_t const* elements)
      : state_(std::make_shared<data_detail::source_state>()) {
    if (extents.empty())
      throw error("ashlar::array_source: expected an array whose first dimension counts examples, found a scalar");
    state_->extents = std::move(extents);
    state_->kind = kind;
    state_->example_bytes = io_detail::name_of(kind).size;
    for (index_t const n : example_extents()) state_->example_bytes *= static_cast<std::size_t>(n);
    state_->owner = std::move(owner);
    state_->elements = elements;
  }

  std::shared_ptr<data_detail::source_state> state_;
};

}  // namespace ashlar
