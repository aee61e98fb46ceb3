// Reading einsum equations.
#include "ashlar/layout/equation.hpp"
#include <string_view>

using namespace ashlar;

constexpr bool has(layout_detail::einsum_equation::labels const& l, std::string_view expected) {
  return l.rank == static_cast<int>(expected.size()) && std::string_view(l.label, expected.size()) == expected;
}

constexpr layout_detail::einsum_equation product = layout_detail::parse("bik,bkj->bij");
static_assert(product.operands == 2 && has(product.in[0], "bik") && has(product.in[1], "bkj") &&
              has(product.out, "bij"));
static_assert(product.in[0].find('b') == 0 && product.in[0].find('k') == 2 && product.in[0].find('j') == -1);

constexpr layout_detail::einsum_equation transpose = layout_detail::parse("ij->ji");
static_assert(transpose.operands == 1 && has(transpose.in[0], "ij") && has(transpose.in[1], "") &&
              has(transpose.out, "ji"));

// Scalars have no labels; capitals are labels of their own; 8 dimensions are as many as a tensor has.
static_assert(layout_detail::parse("i,i->").out.rank == 0 && layout_detail::parse(",i->i").in[0].rank == 0 &&
              layout_detail::parse(",i->i").operands == 2 && layout_detail::parse("->").operands == 1);
static_assert(layout_detail::parse("Ii->iI").in[0].find('I') == 0 &&
              layout_detail::parse("Ii->iI").in[0].find('i') == 1);
static_assert(has(layout_detail::parse("abcdefgh->hgfedcba").out, "hgfedcba"));
