// What generic code may ask of a tensor, abstract or real.
#pragma once
#include "ashlar/layout/split.hpp"
#include "ashlar/plan/ledger.hpp"

namespace ashlar {

namespace detail {
template <class X>
using plain_t = std::remove_cvref_t<X>;
}

/// A tensor that is not under differentiation: abstract_tensor, sharded_tensor or an elementwise expression of such.
template <class X>
concept plain_tensor = requires(detail::plain_t<X> const& x) {
  typename detail::plain_t<X>::element_type;
  typename detail::plain_t<X>::layout_type;
  typename detail::plain_t<X>::mesh_type;
  x.mesh();
  x.extents();
} && !requires { typename detail::plain_t<X>::cotangent_type; };

template <class X>
using element_t = typename detail::plain_t<X>::element_type;
/// The layout of a tensor, in the type.
template <class X>
using layout_t = typename detail::plain_t<X>::layout_type;
template <class X>
using mesh_t = typename detail::plain_t<X>::mesh_type;
template <class X>
inline constexpr int rank_v = layout_t<X>::rank;

/// The mesh's names and the reductions of some layouts: what the values of these layouts refer to.
template <class Mesh, class... L>
using mesh_context = context<typename Mesh::names, typename context_of<L...>::ops>;

namespace detail {

template <class Mesh, class L>
struct axes_missing_from_mesh;
template <class Mesh, class Names>
inline constexpr bool any_missing = false;
template <class Mesh, class... N>
inline constexpr bool any_missing<Mesh, name_list<N...>> = ((name_index_v<typename Mesh::names, N> < 0) || ...);
template <class Mesh, class L>
struct axes_missing_from_mesh {
  static constexpr bool value = any_missing<Mesh, typename names_of<L>::type>;
};

/// The layout of a value that refers to a mesh.
template <class Mesh, layout_value const& V, class... L>
using layout_on = layout_from_t<mesh_context<Mesh, L...>, encode(V), encode_blocks(V), V.rank>;

template <class L>
struct layout_is_partial {
  static constexpr bool value = value_v<context_of<L>, L>.levels != 0;
};

[[noreturn]] void fail_extents(char const* rule, shape const& a, shape const& b);
[[noreturn]] void fail_other_extents(char const* rule, shape const& expected, shape const& found);

}  // namespace detail

/// The plain tensor of an active one, without derivative; any other value itself.
/// Example: accuracy_count(stop_gradient(logits), labels)
template <class X>
constexpr auto const& stop_gradient(X const& x) {
  if constexpr (requires { typename detail::plain_t<X>::cotangent_type; })
    return x.value();
  else
    return x;
}

/// The first operand, evaluated where it is an elementwise expression that waits for its first read.
template <class X>
  requires(!requires(X const& x) { x.evaluate(); })
constexpr X const& materialize(X const& x) {
  return x;
}
template <class X>
  requires requires(X const& x) { x.evaluate(); }
constexpr decltype(auto) materialize(X const& x) {
  return x.evaluate();
}

namespace detail {

// The same as a value of its own.
template <class X>
constexpr auto evaluated(X const& x) {
  return std::remove_cvref_t<decltype(materialize(x))>(materialize(x));
}

// A message with numbers, without <string>.
struct message {
  char text[512]{};
  std::size_t n = 0;
  message& operator<<(char const* s) {
    while (*s && n + 1 < sizeof text) text[n++] = *s++;
    return *this;
  }
  message& operator<<(index_t v) {
    char digits[24];
    int k = 0;
    bool const negative = v < 0;
    do digits[k++] = static_cast<char>('0' + (v % 10 < 0 ? -(v % 10) : v % 10));
    while (v /= 10);
    if (negative) digits[k++] = '-';
    char c[2]{};
    while (k) c[0] = digits[--k], *this << c;
    return *this;
  }
  message& operator<<(shape const& s) {
    *this << "(";
    for (int d = 0; d < s.rank; ++d) *this << (d ? ", " : "") << s[d];
    return *this << ")";
  }
};

[[noreturn]] inline void fail_extents(char const* rule, shape const& a, shape const& b) {
  message m;
  m << rule << "; found " << a << " and " << b;
  throw error(m.text);
}
[[noreturn]] inline void fail_other_extents(char const* rule, shape const& expected, shape const& found) {
  message m;
  m << rule << "; expected " << expected << ", found " << found;
  throw error(m.text);
}

}  // namespace detail

}  // namespace ashlar
