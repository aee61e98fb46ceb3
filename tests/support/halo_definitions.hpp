// The cells around a shard by the formulas of their edges, for comparison with exchanges and stencils on real ranks.
#pragma once
#include <ashlar/tensor/tensor.hpp>
#include <array>
#include <functional>

namespace ashlar::test {

using three_indices = std::array<index_t, 3>;

struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j = 0, index_t k = 0) const {
    return static_cast<double>(1000 + 100 * i + 10 * j + k);
  }
};

// The cell that index v shows by the formula of its edge, with its sign.
struct by_formula {
  index_t cell;
  int sign;
};
// Edges that differ: a mirrored index may be beyond the other one.
inline by_formula shown_between(boundary below, boundary above, index_t v, index_t n) {
  if (v >= 0 && v < n) return {v, 1};
  boundary const e = v < 0 ? below : above;
  if (e == boundary::copy) return {v < 0 ? 0 : n - 1, 1};
  if (e == boundary::reflect && n == 1) return {0, 1};
  if (e != boundary::mirror && e != boundary::odd && e != boundary::reflect) return {0, 0};
  index_t const shift = e == boundary::reflect ? 0 : 1;
  by_formula const s = shown_between(below, above, v < 0 ? -shift - v : 2 * (n - 1) + shift - v, n);
  return {s.cell, e == boundary::odd ? -s.sign : s.sign};
}
inline by_formula shown(layout_detail::halo_width const& w, index_t v, index_t n) {
  if (w.below != w.above) return shown_between(w.below, w.above, v, n);
  boundary const e = w.below;
  if (v >= 0 && v < n) return {v, 1};
  auto const mod = [](index_t a, index_t b) { return (a % b + b) % b; };
  switch (e) {
    case boundary::copy:
      return {v < 0 ? 0 : n - 1, 1};
    case boundary::periodic:
      return {mod(v, n), 1};
    case boundary::mirror:
    case boundary::odd: {
      index_t const at = mod(v, 2 * n);
      index_t const crossed = v < 0 ? (-v + n - 1) / n : v / n;
      return {at < n ? at : 2 * n - 1 - at, e == boundary::odd && crossed % 2 == 1 ? -1 : 1};
    }
    case boundary::reflect: {
      if (n == 1) return {0, 1};
      index_t const at = mod(v, 2 * n - 2);
      return {at < n ? at : 2 * n - 2 - at, 1};
    }
    default:
      return {0, 0};
  }
}

/// Calls f(index, dimensions in which it is outside the owned box, position) for each cell that the owner of a box stores.
template <class F>
void for_each_stored_index(region const& own, layout_detail::halo_widths const& widths, F const& f) {
  if (own.size() == 0) return;
  index_t cells = 1;
  for (int d = 0; d < own.rank; ++d) cells *= own.dim[d].size() + widths.dim[d].lower + widths.dim[d].upper;
  for (index_t i = 0; i < cells; ++i) {
    three_indices v{};
    int outside = 0;
    index_t rest = i;
    for (int d = own.rank - 1; d >= 0; --d) {
      auto const& line = own.dim[d];
      index_t const stored = line.size() + widths.dim[d].lower + widths.dim[d].upper;
      index_t const at = line.begin - widths.dim[d].lower + rest % stored;
      rest /= stored;
      v[static_cast<std::size_t>(d)] = at;
      outside += at < line.begin || at >= line.end;
    }
    f(v, outside, i);
  }
}
/// Calls f(index, dimensions in which it is outside the owned box, element) for each cell that this rank stores.
template <class X>
void for_each_stored(X const& x, std::function<void(three_indices const&, int, element_t<X>)> const& f) {
  auto const host =
      tensor_detail::on_host<typename X::execution_space>(x.stored_view().data(), x.stored_extents().size());
  for_each_stored_index(x.local_region(), X::widths,
                        [&](three_indices const& v, int outside, index_t i) { f(v, outside, host.data()[i]); });
}

/// A stored cell: the cell of the domain that it shows, row-major, times `sign`; or a given cell.
struct shown_in_domain {
  bool given = false;
  int sign = 1;
  index_t cell = 0;
};
inline shown_in_domain shown_by(layout_detail::halo_widths const& widths, shape const& n, three_indices const& v) {
  shown_in_domain all;
  for (int d = 0; d < n.rank; ++d) {
    auto const& w = widths.dim[d];
    index_t const at = v[static_cast<std::size_t>(d)];
    by_formula const s = shown(w, at, n[d]);
    all.given = all.given || (at < 0 && w.below == boundary::given) || (at >= n[d] && w.above == boundary::given);
    all.sign *= s.sign;
    all.cell = all.cell * n[d] + s.cell;
  }
  return all;
}

// The number of the cell with index v, which may be beyond the domain.
template <std::size_t N>
double number_at(layout_detail::halo_widths const& widths, std::array<index_t, N> const& n, three_indices const& v) {
  three_indices cell = v;
  int sign = 1;
  bool given = false;
  for (std::size_t d = 0; d < N; ++d) {
    auto const& w = widths.dim[d];
    given = given || (v[d] < 0 && w.below == boundary::given) || (v[d] >= n[d] && w.above == boundary::given);
  }
  for (std::size_t d = 0; d < N; ++d) {
    auto const& w = widths.dim[d];
    if (given && w.below != boundary::periodic) continue;  // a given cell has its index
    by_formula const s = shown(w, v[d], n[d]);
    cell[d] = s.cell;
    sign *= s.sign;
  }
  return sign * number{}(cell[0], cell[1], cell[2]);
}

}  // namespace ashlar::test
