// SPDX-License-Identifier: BSL-1.0
// The headers of safetensors files, and the index of a model in several of them.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_type.hpp"
#include "ashlar/io/json.hpp"
#include <map>

namespace ashlar::io_detail {

static_assert(std::endian::native == std::endian::little,
              "ashlar::load_arrays: elements are taken as they are in the file, little-endian");

/// An array of a file: its elements are row-major at byte `begin` of a file, which a number names.
struct stored_array {
  std::string name;
  array_type type = array_type::unreadable;
  std::vector<index_t> extents;
  std::size_t file = 0;
  std::uint64_t begin = 0;
  std::string found = {};  // an unreadable type as an error names it, with a remedy
};

// Longer headers are refused, as by the library safetensors.
inline constexpr std::uint64_t largest_safetensors_header = 100'000'000;

// Bytes of an array. Elements of 4 and 6 bits are packed: together they must fill whole bytes.
template <class Fail>
std::uint64_t stored_bytes(stored_array const& a, Fail const& fail) {
  unsigned const bits = name_of(a.type).bits;
  if (bits % 8 == 0) return bytes_of(a.extents, bits / 8, fail);
  std::uint64_t const elements = bytes_of(a.extents, 1, fail);
  if (elements > (std::numeric_limits<std::uint64_t>::max)() / bits || elements * bits % 8 != 0)
    fail("expected " + shown(a.name, 100) + " of elements that fill whole bytes, found " + extents_text(a.extents) +
         " of " + std::to_string(bits) + " bits");
  return elements * bits / 8;
}

// Reads {"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}. Returns the array and its interval of bytes.
ASHLAR_INLINE std::pair<stored_array, std::uint64_t> read_safetensors_entry(checked_file const& in, json_reader& json,
                                                                            std::string const& name);

/// Reads the header of a safetensors file. Reads no elements.
/// Post: the arrays are in the order of their bytes, which are all bytes after the header. No two arrays share a name.
/// Error: ashlar::error with the expected and the found value. It refuses other files, malformed headers, and files
/// shorter or longer than declared. It also refuses bytes that belong to two arrays or to none.
/// Source: the format of Hugging Face's safetensors, https://github.com/huggingface/safetensors.
ASHLAR_INLINE std::vector<stored_array> arrays_of_safetensors(checked_file const& in);

/// Reads an index: {"metadata": {...}, "weight_map": {"array": "model-00001-of-00002.safetensors"}}.
/// Post: the files' names by the arrays' names. A file's name has no folder.
/// Error: ashlar::error with the expected and the found text.
ASHLAR_INLINE std::map<std::string, std::string> weight_map_of(checked_file const& in);

/// The header of a file of these arrays, one after the other, with its length: the first bytes of the file.
/// Post: its size is a multiple of 8. Each array's `begin` is its first byte in the file.
ASHLAR_INLINE std::string safetensors_header(std::vector<stored_array*> const& arrays, named_texts const& metadata);

/// The text of an index.
ASHLAR_INLINE std::string safetensors_index(std::map<std::string, std::string> const& weight_map,
                                            std::uint64_t total_bytes);

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/safetensors.ipp"
#endif
