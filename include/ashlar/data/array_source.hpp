// Arrays of examples, in memory or in files, of which a rank reads the parts that it needs.
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

  // In memory, where something else may own them, or
  std::shared_ptr<void const> owner;
  std::uint8_t const* elements = nullptr;
  // in a file from `begin` on; examples that were read may be kept.
  std::shared_ptr<input_file const> file;
  std::size_t begin = 0;
  std::unique_ptr<std::uint8_t[]> kept;
  std::vector<bool> mutable known;
  std::mutex mutable lock;  // of `known` and what it says about
};

// A file without a header: extents, of elements of so many bytes, must account for all of it from `begin` on.
inline void check_raw(input_file const& file, std::vector<index_t> const& extents, std::size_t element_bytes, std::size_t begin) {
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
/// Of an array in a file nothing is in memory but what is being read, unless it is `cached`.
class array_source {
 public:
  /// Arrays in memory, which it takes over.
  array_source(idx_array a) : array_source(std::move(a.extents), npy_kind::u1, std::move(a.bytes)) {}
  array_source(npy_array a) : array_source(std::move(a.extents), a.kind, std::move(a.bytes)) {}

  index_t examples() const { return state_->extents[0]; }
  /// Extents of an example.
  std::span<index_t const> example_extents() const { return std::span(state_->extents).subspan(1); }
  /// Elements of an example.
  index_t size() const { return static_cast<index_t>(state_->example_bytes / io_detail::name_of(kind()).size); }
  npy_kind kind() const { return state_->kind; }
  bool in_memory() const { return !state_->file; }

  /// The elements [first, first + n) of an example: in place where they are in memory, else read into `scratch`.
  /// Pre: 0 <= example < examples(), 0 <= first, first + n <= size(); scratch has room for n elements
  /// Cost: one read of the file, of these elements alone, or of the example where the source is cached and lacks it
  /// Error: ashlar::error on this rank where the file cannot be read, or became shorter
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

  /// The same array, whose file is read once: examples that this rank has read stay in its memory. An array in memory, or
  /// of empty examples, is what it was.
  array_source cached() const {
    if (in_memory() || state_->kept || state_->example_bytes == 0) return *this;
    auto s = std::make_shared<data_detail::source_state>();
    s->extents = state_->extents;
    s->kind = state_->kind;
    s->example_bytes = state_->example_bytes;
    s->file = state_->file;
    s->begin = state_->begin;
    auto const n = static_cast<std::size_t>(examples());
    s->kept.reset(new std::uint8_t[n * s->example_bytes + 1]);  // pages that nobody writes take no memory
    s->known.resize(n);
    return array_source(std::move(s));
  }

  /// Elements that somebody else keeps alive.
  static array_source borrow(idx_array const& a) { return array_source(a.extents, npy_kind::u1, nullptr, a.bytes.data()); }
  /// Elements of a file from a byte on, which extents and file have been checked to fit.
  static array_source in_file(std::shared_ptr<io_detail::input_file const> file, std::vector<index_t> extents, npy_kind kind, std::size_t begin) {
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
      throw error("ashlar::array_source: expected " + std::to_string(state_->example_bytes * static_cast<std::size_t>(examples())) +
                  " bytes of elements (" + io_detail::extents_text(state_->extents) + "), found " + std::to_string(owner->size()));
    state_->elements = owner->data();
    state_->owner = std::move(owner);
  }
  array_source(std::vector<index_t> extents, npy_kind kind, std::shared_ptr<void const> owner, std::uint8_t const* elements)
      : state_(std::make_shared<data_detail::source_state>()) {
    if (extents.empty()) throw error("ashlar::array_source: expected an array whose first dimension counts examples, found a scalar");
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
