// SPDX-License-Identifier: BSL-1.0
// The functions of data/array_source.hpp.

namespace ashlar::data_detail {

ASHLAR_INLINE void check_raw(checked_file const& file, std::vector<index_t> const& extents, std::size_t element_bytes,
                             std::size_t begin) {
  auto const fail = [&](std::string const& what) { file.fail(what); };
  if (extents.empty() || std::any_of(extents.begin(), extents.end(), [](index_t n) { return n < 0; }))
    fail("expected extents of 0 or more, the first of which counts examples, found " + extents_text(extents));
  std::size_t const expected = bytes_of(extents, element_bytes, fail);
  if (begin > file.size() || file.size() - begin != expected)
    fail("expected " + std::to_string(expected) + " bytes of elements (" + extents_text(extents) + ") from byte " +
         std::to_string(begin) + " on, found a file of " + std::to_string(file.size()));
}

}  // namespace ashlar::data_detail

namespace ashlar {

ASHLAR_INLINE std::uint8_t const* array_source::read(index_t example, index_t first, index_t n,
                                                     std::uint8_t* scratch) const {
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

ASHLAR_INLINE array_source array_source::cached() const {
  if (in_memory() || state_->kept || state_->example_bytes == 0) return *this;
  auto s = std::make_shared<data_detail::source_state>();
  s->extents = state_->extents;
  s->kind = state_->kind;
  s->example_bytes = state_->example_bytes;
  s->file = state_->file;
  s->begin = state_->begin;
  auto const n = static_cast<std::size_t>(examples());
  s->kept = comm_detail::byte_buffer(n * s->example_bytes + 1);  // pages never written take no memory
  comm_detail::resize_buffer(s->known, n);
  return array_source(std::move(s));
}

ASHLAR_INLINE array_source array_source::borrow(idx_array const& a) {
  return array_source(a.extents, npy_kind::u1, nullptr, a.bytes.data());
}

ASHLAR_INLINE array_source array_source::in_file(std::shared_ptr<io_detail::checked_file const> file,
                                                 std::vector<index_t> extents, npy_kind kind, std::size_t begin) {
  array_source a(std::move(extents), kind, nullptr, nullptr);
  a.state_->file = std::move(file);
  a.state_->begin = begin;
  return a;
}

ASHLAR_INLINE array_source::array_source(std::vector<index_t> extents, npy_kind kind, std::vector<std::uint8_t> bytes)
    : array_source(std::move(extents), kind, nullptr, nullptr) {
  auto owner = std::make_shared<std::vector<std::uint8_t>>(std::move(bytes));
  if (owner->size() != state_->example_bytes * static_cast<std::size_t>(examples()))
    throw error("ashlar::array_source: expected " +
                std::to_string(state_->example_bytes * static_cast<std::size_t>(examples())) + " bytes of elements (" +
                io_detail::extents_text(state_->extents) + "), found " + std::to_string(owner->size()));
  state_->elements = owner->data();
  state_->owner = std::move(owner);
}

ASHLAR_INLINE array_source::array_source(std::vector<index_t> extents, npy_kind kind, std::shared_ptr<void const> owner,
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

}  // namespace ashlar
