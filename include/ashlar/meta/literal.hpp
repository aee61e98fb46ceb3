// SPDX-License-Identifier: BSL-1.0
// Literals as template arguments: axis<"data", 4>, layout<"data", none>, einsum<"bi,ih->bh">.
#pragma once
#include <cstddef>

namespace ashlar {

namespace meta_detail {
/// A dimension that no axis shards.
struct none_t {};
}  // namespace meta_detail
/// The spec of a dimension that no axis shards.
/// Example: layout<"data", none>
inline constexpr meta_detail::none_t none{};

namespace meta_detail {

enum class literal_kind : unsigned {
  axis,       ///< one axis name
  dimension,  ///< none, one axis or several
  equation,   ///< einsum labels; layout/equation.hpp checks them, because clang hides what is thrown here
  text        ///< anything: parameter paths and patterns
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline constexpr char block_mark = '%';  // separates names from the block size in a dimension's text: p,q%64
inline constexpr char halo_mark = '#';   // separates names from the halo: layout/halo.hpp
constexpr bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace meta_detail

/// Text as a template argument. Each kind of text has a class of its own, so an equation is never taken for an axis.
/// The characters are in integer members, not in an array. g++ treats some different class arguments with arrays as
/// equal. nvcc's host pass writes template arguments out as text and fails at arrays of char
/// (docs/decisions/literals.md).
template <meta_detail::literal_kind Kind>
struct literal {
  using word = unsigned long long;
  word w0 = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 0;
  unsigned size = 0;

  /// Sets all members, in order. nvcc's host pass calls this constructor.
  constexpr literal(word v0, word v1, word v2, word v3, word v4, word v5, word v6, word v7, unsigned length)
      : w0(v0), w1(v1), w2(v2), w3(v3), w4(v4), w5(v5), w6(v6), w7(v7), size(length) {}
  constexpr literal(meta_detail::none_t)
    requires(Kind == meta_detail::literal_kind::dimension)
  {}
  template <std::size_t N>
  constexpr literal(char const (&characters)[N]) {
    append(characters, N - 1);
    validate();
  }

  constexpr char operator[](unsigned i) const { return static_cast<char>(get(i / 8) >> 8 * (i % 8) & 255); }
  friend constexpr bool operator==(literal const&, literal const&) = default;

  constexpr void append(char const* text, std::size_t n) {
    if (size + n > 64)
      throw "ashlar::literal: a name, an equation or the names of one dimension have at most 64 characters; shorten them";
    for (std::size_t i = 0; i < n; ++i, ++size)
      at(size / 8) |= word(static_cast<unsigned char>(text[i])) << 8 * (size % 8);
  }

 private:
  // A class with private functions is still structural (usable as a template argument). With private data it is not.
  constexpr word get(unsigned i) const { return const_cast<literal*>(this)->at(i); }
  constexpr word& at(unsigned i) {
    switch (i) {
      case 0:
        return w0;
      case 1:
        return w1;
      case 2:
        return w2;
      case 3:
        return w3;
      case 4:
        return w4;
      case 5:
        return w5;
      case 6:
        return w6;
      default:
        return w7;
    }
  }
  constexpr void validate() const {
    if constexpr (Kind == meta_detail::literal_kind::axis || Kind == meta_detail::literal_kind::dimension) {
      if (size == 0) throw "ashlar::axis: an axis has a name; write none for a dimension that no axis shards";
      for (unsigned i = 0; i < size; ++i)
        if (!meta_detail::is_name_character((*this)[i]))
          throw "ashlar::axis: a name holds letters, digits and _ only; write axes(\"data\", \"model\") for several axes on one dimension";
      if (!meta_detail::is_letter((*this)[0]) && (*this)[0] != '_')
        throw "ashlar::axis: a name begins with a letter or _";
    }
  }
};

namespace meta_detail {

using axis_literal = literal<literal_kind::axis>;

using text_literal = literal<literal_kind::text>;

}  // namespace meta_detail

/// How one dimension of a tensor is sharded, as a template argument: a name, axes(...), cyclic(...), halo(...) or none.
using dimension = literal<meta_detail::literal_kind::dimension>;
/// The equation of an einsum, as a template argument.
/// Example: einsum<"bi,ih->bh">(x, w)
using equation = literal<meta_detail::literal_kind::equation>;

/// One dimension that several axes shard, major to minor: the first splits the dimension, the next splits each part.
/// Error: no name, or a name twice, does not compile.
/// Example: layout<axes("data", "model"), none>
template <std::size_t... N>
consteval dimension axes(char const (&... name)[N]) {
  static_assert(sizeof...(N) > 0,
                "ashlar::axes: name one axis or more; write none for a dimension that no axis shards");
  dimension joined(none);
  ((void(dimension(name)), joined.size ? joined.append(",", 1) : void(), joined.append(name, N - 1)), ...);
  // An axis named twice would split a dimension by itself.
  for (unsigned i = 0, end = 0; i < joined.size; i = end + 1) {
    for (end = i; end < joined.size && joined[end] != ',';) ++end;
    for (unsigned j = end + 1, stop = 0; j < joined.size; j = stop + 1) {
      for (stop = j; stop < joined.size && joined[stop] != ',';) ++stop;
      bool same = stop - j == end - i;
      for (unsigned k = 0; same && k < end - i; ++k) same = joined[i + k] == joined[j + k];
      if (same) throw "ashlar::axes: an axis is named twice; each axis shards a tensor at most once";
    }
  }
  return joined;
}

/// One block-cyclic dimension: its blocks are assigned round-robin to the ranks of one or more axes (row-major). This
/// is ScaLAPACK's block-cyclic distribution with the first block on coordinate 0.
/// Pre: 1 <= block <= 65535
/// Error: another block, `none`, and a dimension that is block-cyclic already do not compile.
/// Example: layout<cyclic("p", 64), cyclic("q", 64)>
consteval dimension cyclic(dimension over, int block) {
  if (over.size == 0) throw "ashlar::cyclic: name the axis over which a dimension is block-cyclic; none is no axis";
  if (block < 1 || block > 65535) throw "ashlar::cyclic: a block has 1 to 65535 elements; choose another size";
  char digits[5]{};
  int first = 5;
  for (int rest = block; rest != 0; rest /= 10) digits[--first] = static_cast<char>('0' + rest % 10);
  for (unsigned i = 0; i < over.size; ++i)
    if (over[i] == meta_detail::block_mark)
      throw "ashlar::cyclic: its first argument is an axis or axes(...), which no blocks are named for yet";
  over.append(&meta_detail::block_mark, 1);
  over.append(digits + first, static_cast<std::size_t>(5 - first));
  return over;
}

}  // namespace ashlar
