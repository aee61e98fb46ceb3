// SPDX-License-Identifier: BSL-1.0
// Einsum equations as values.
#pragma once
#include "ashlar/layout/shape.hpp"
#include "ashlar/meta/literal.hpp"

namespace ashlar {

namespace layout_detail {

/// Maximum number of operands in an equation.
inline constexpr int max_operands = 4;

/// A parsed equation: "bi,ih->bh". Each dimension has one label.
struct einsum_equation {
  struct labels {
    int rank = 0;
    char label[max_rank]{};

    /// Position of a label, or -1.
    constexpr int find(char l) const {
      for (int d = 0; d < rank; ++d)
        if (label[d] == l) return d;
      return -1;
    }
    friend constexpr bool operator==(labels const&, labels const&) = default;
  };
  int operands = 1;
  labels in[max_operands], out;
};

/// The text of an equation, so that parse(text_of(e)) is e.
constexpr equation text_of(einsum_equation const& e) {
  equation text("");
  for (int o = 0; o < e.operands; ++o) {
    if (o > 0) text.append(",", 1);
    text.append(e.in[o].label, static_cast<std::size_t>(e.in[o].rank));
  }
  text.append("->", 2);
  text.append(e.out.label, static_cast<std::size_t>(e.out.rank));
  return text;
}

// The number of arrows of an equation, or -1 if it has another character.
constexpr int arrows_in(equation const& text) {
  int arrows = 0;
  for (unsigned i = 0; i < text.size; ++i) {
    char const c = text[i];
    if (c == '-' && i + 1 < text.size && text[i + 1] == '>')
      ++arrows, ++i;
    else if (!meta_detail::is_letter(c) && !(c == ',' && arrows == 0))
      return -1;
  }
  return arrows;
}

// The condition of entry points of the user. A throw in a template is several errors.
template <equation E>
struct is_an_equation {
  static constexpr bool ok = arrows_in(E) == 1;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in \"bi,ih->bh\"");
  }
};

/// Parses an equation.
/// Error: throws a sentence, which the compiler shows. Reasons: another syntax; a label twice in one operand or in the result; a label
/// of the result that no operand has; more than `most` operands; more than 8 dimensions.
constexpr einsum_equation parse(equation const& text, int most = 2) {
  if (arrows_in(text) < 0)
    throw "ashlar::equation: one letter per dimension, commas between operands, -> before the result, as in \"bi,ih->bh\"";
  if (arrows_in(text) != 1) throw "ashlar::equation: it needs one ->, as in \"bi,ih->bh\"";
  einsum_equation e;
  auto put = [](einsum_equation::labels& l, char c) {
    if (l.rank == max_rank)
      throw "ashlar::einsum: an operand has more than 8 labels; tensors have at most 8 dimensions";
    if (l.find(c) >= 0)
      throw "ashlar::einsum: a label is twice in one operand, or in the result; a diagonal is not a contraction, give each dimension its own label";
    l.label[l.rank++] = c;
  };
  unsigned i = 0;
  for (int o = 0; i < text.size && text[i] != '-'; ++i)
    if (text[i] == ',') {
      if (++o == most) {
        if (most == 2)
          throw "ashlar::einsum: this function takes an equation of at most two operands; write einsum, which takes four";
        throw "ashlar::equation: more than four operands; stack some of them into one tensor, or multiply some first";
      }
      e.operands = o + 1;
    } else {
      put(e.in[o], text[i]);
    }
  for (i += 2; i < text.size; ++i) {
    bool known = false;
    for (einsum_equation::labels const& operand : e.in) known = known || operand.find(text[i]) >= 0;
    if (!known)
      throw "ashlar::einsum: the result has a label that no operand has; every label after -> must be before it";
    put(e.out, text[i]);
  }
  return e;
}

}  // namespace layout_detail

}  // namespace ashlar
