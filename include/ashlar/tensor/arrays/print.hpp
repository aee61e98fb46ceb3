// SPDX-License-Identifier: BSL-1.0
// Printing of tensors. A header of its own: streams and strings cost more to include than most of the library.
#pragma once
#include "ashlar/plan/print.hpp"
#include "ashlar/plan/draw.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include <sstream>

namespace ashlar {

namespace tensor_detail {

inline constexpr index_t most_printed = 1000, printed_at_an_end = 3;
inline constexpr std::size_t printed_width = 80;

// The printed indices of a dimension: all, or the first and the last few.
struct printed_range {
  index_t extent = 0;
  bool cut = false;
  index_t count() const { return cut ? 2 * printed_at_an_end : extent; }
  // The number of printed indices below i. The printed part of an interval is an interval of printed indices.
  index_t below(index_t i) const;
  interval first() const { return {0, cut ? printed_at_an_end : extent}; }
  interval last() const { return {cut ? extent - printed_at_an_end : extent, extent}; }
};

struct printed_part {
  int rank = 0;
  printed_range dim[max_rank]{};

  explicit printed_part(shape const& extents);
  shape extents() const;
  region among_printed(region r) const;
  region corner(unsigned which) const;
};

// A mark for each printed cell, row-major, of a rank that owns the box `own`: a question mark if it holds nothing yet. Such cells
// are outside of the box in more than `filled` dimensions, and not beyond a given boundary.
ASHLAR_INLINE std::string marks_of_cells(printed_part const& what, region const& own, shape const& extents,
                                         halo_widths const& widths, int filled);

// The layout with even splits in place of block-cyclic ones. Then the printed elements of a rank's shard are
// neighbours.
template <class L>
struct split_evenly {
  using c = context_of<L>;
  static constexpr layout_value value = [] {
    layout_value v = value_v<c, L>;
    for (int d = 0; d < v.rank; ++d) v.dim[d].cyclic = 0, v.dim[d].block = 0;
    return v;
  }();
  using type = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
};

// Gathers the printed elements of a tensor on rank 0, and no others.
template <class T, class L, class M, class S>
std::vector<T> gather_printed(sharded_tensor<T, L, M, S> const& x, printed_part const& what, call_site const& w) {
  device_mesh<M> const& m = x.mesh();
  call_of_all const call(m, "print", x.layout, sizeof(T), x.extents(), w);
  axis_mask const axes = x.layout.sharding();
  if (m.sizes().position(m.rank(), ~axes) != 0) return {};
  region const shard = x.local_region(), mine = what.among_printed(shard);
  pool_scratch<S, T> const block(mine.size());
  T* const picked = block.data();
  for (unsigned c = 0; c < 1u << what.rank; ++c) {
    region const corner = what.corner(c);
    kernels::box from{}, to{};
    for (int d = 0; d < what.rank; ++d) {
      overlap const o = overlap_of(shard.dim[d], corner.dim[d]);
      from.lower[d] = o.at;
      from.extent[d] = to.extent[d] = o.size;
      to.lower[d] = what.dim[d].below(shard.dim[d][o.at]) - mine.dim[d].begin;
    }
    if (from.shape(what.rank).size() != 0)
      kernels::copy_region(S{}, x.data(), shard.extents(), from, picked, mine.extents(), to);
  }
  message_blocks blocks;
  region const printed = whole_region(what.extents());
  for (region const& theirs : regions_of_ranks(m, x.layout, x.extents()))
    blocks.add(printed, what.among_printed(theirs), true, buffer_side::source);
  blocks.finish(printed);
  auto const own = on_host<S>(picked, mine.size());
  return join_shards(m.communicator(axes), blocks, own.data(), receivers::first);
}

// " stores (-1:3, 0:3), and owns (0:2, 0:3)"
ASHLAR_INLINE std::string stored_text(region const& own, halo_widths const& widths);

template <class T>
void write_number(std::ostream& out, T x) {
  if constexpr (requires {
                  x.real();
                  x.imag();
                })
    out << x.real() << std::showpos << x.imag() << "i" << std::noshowpos;
  else
    out << +x;
}

// Writes nested brackets, as NumPy does: numbers of the last dimension side by side, all of one width.
class number_writer {
 public:
  // Writes `count` numbers. One whose mark is a question mark is not known.
  template <class T>
  number_writer(std::ostream& out, printed_part const& what, T const* numbers, std::size_t count,
                std::string const& marks = {})
      : out_(out), what_(what) {
    std::ostringstream text;
    text.precision(out.precision());
    text.setf(out.flags() & std::ios_base::floatfield, std::ios_base::floatfield);
    for (T const* x = numbers; x != numbers + count; ++x) {
      text.str("");
      write_number(text, *x);
      word_.push_back(word_.size() < marks.size() && marks[word_.size()] == '?' ? "?" : text.str());
      width_ = (std::max)(width_, word_.back().size());
    }
  }
  void write(int d = 0);

 private:
  std::ostream& out_;
  printed_part const& what_;
  std::vector<std::string> word_;
  std::size_t width_ = 0, next_ = 0;
};

template <class T>
std::string element_name() {
  if constexpr (requires(T x) {
                  x.real();
                  x.imag();
                })
    return "complex<" + element_name<typename T::value_type>() + ">";
  else if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<T>)
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
  else
    return sizeof(T) == sizeof(float) ? "float" : "double";
}

// The first line: element type of X, layout, extents and mesh of t.
template <class X, class Tensor>
void print_heading(std::ostream& out, Tensor const& t, std::string const& layout) {
  using M = mesh_t<X>;
  plan_detail::error_text extents;
  extents << t.extents();
  out << element_name<element_t<X>>() << ", " << layout << ", " << extents.text << ",";
  for (int a = 0; a < M::axes; ++a)
    out << " " << meta_detail::name_text<typename M::names>(a) << "=" << t.mesh().sizes().size[a];
  out << "\n";
}

// The evaluated tensor; of a mask its numbers, 0 and 1.
template <class X>
auto printed_values(X const& x) {
  if constexpr (std::is_same_v<element_t<X>, bool>)
    return plan_detail::evaluated(cast<int>(x));
  else
    return plan_detail::evaluated(x);
}

}  // namespace tensor_detail

/// Prints a tensor on rank 0 of the mesh. The first line has element type, layout, extents and mesh. Then come the
/// elements as NumPy prints them, with the stream's precision. If there are more than 1000 elements, prints the first
/// and the last three of each dimension.
/// Collective: every rank of the mesh calls it; it blocks. Only rank 0 writes to `out`.
/// Cost: moves only the printed elements, each once. If a dimension is block-cyclic, moves every element, too.
/// Error: ashlar::error on every rank if they do not call the same. A partial layout does not compile.
/// Example: print(std::cout, x);  // float, layout<"x", none>, (2, 3), x=2 y=1
template <plain_tensor X>
void print(std::ostream& out, X const& x, call_site w = call_site::current()) {
  static_assert(!plan_detail::layout_is_partial<layout_t<X>>::value,
                "ashlar::print: the layout is partial; all_reduce or reduce_scatter it first");
  auto const t =
      redistribute<typename tensor_detail::split_evenly<layout_t<X>>::type>(tensor_detail::printed_values(x), w);
  tensor_detail::printed_part const what(t.extents());
  auto const numbers = tensor_detail::gather_printed(t, what, w);
  if (t.mesh().rank() != 0) return;
  tensor_detail::print_heading<X>(out, t, to_string(layout_t<X>{}));
  if (numbers.empty())
    out << "[]";
  else
    tensor_detail::number_writer(out, what, numbers.data(), numbers.size()).write();
  out << "\n";
}

/// The same of the owned cells of a tensor with a halo, with the layout of these.
template <plain_tensor X>
  requires(layout_detail::layout_has_a_halo<layout_t<X>>::value)
void print(std::ostream& out, X const& x, call_site w = call_site::current()) {
  print(out, owned(x), w);
}

namespace tensor_detail {

// Elements as print moves them: there is no std::vector of bool's bytes.
template <class T>
using printed_t = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

// The printed cells of all ranks that hold different shards, one rank after the other, on rank 0.
template <class T, class L, class M, class S>
std::vector<printed_t<T>> gather_stored(sharded_tensor<T, L, M, S> const& x, call_site const& w) {
  using P = printed_t<T>;
  device_mesh<M> const& m = x.mesh();
  call_of_all const call(m, "print", x.layout, sizeof(T), x.extents(), w);
  axis_mask const axes = x.layout.sharding();
  if (m.sizes().position(m.rank(), ~axes) != 0) return {};
  printed_part const what(x.stored_extents());
  shape const mine = what.extents();
  pool_scratch<S, P> const block(mine.size());
  row_major_strides const from = x.stored_strides(), to(mine);
  for (unsigned c = 0; c < 1u << what.rank && mine.size() != 0; ++c) {
    region const corner = what.corner(c);
    nest_builder<2> loops;
    for (int d = 0; d < what.rank; ++d) {
      index_t const begin = corner.dim[d].begin;
      loops.add(corner.dim[d].size(), {from.stride[d], to.stride[d]},
                {begin * from.stride[d], what.dim[d].below(begin) * to.stride[d]});
    }
    loop_nest<2> const nests[]{loops.nest()};
    if (corner.size() != 0) strided_copy(S{}, reinterpret_cast<P const*>(cells_of(x)), block.data(), nests);
  }
  message_blocks blocks;
  for (region const& theirs : regions_of_ranks(m, x.layout, x.extents())) {
    shape const cells = printed_part(stored_extents_of(theirs.extents(), x.widths)).extents();
    blocks.close(static_cast<std::size_t>(cells.size()), static_cast<index_t>(blocks.total));
  }
  auto const own = on_host<S>(block.data(), mine.size());
  return join_shards(m.communicator(axes), blocks, own.data(), receivers::first);
}

template <class L>
struct printed_halo {
  static constexpr bool halo = layout_has_a_halo<L>::value, whole = !halo_is_partial<L>::value, ok = halo && whole;
  static constexpr void say() {
    static_assert(halo, "ashlar::print: the layout has no halo; leave with_halos out");
    static_assert(whole, "ashlar::print: the layout is partial; all_reduce it first");
  }
};

}  // namespace tensor_detail

/// The stored cells of each rank, halo cells included, one rank after the other. Of ranks with the same shard prints the
/// first. A line before the cells has the indices of the stored and of the owned cells. A cell that holds nothing yet is a
/// question mark: the halo is not filled, or it is a corner after exchange_halo<corners::skipped>. Of more than 1000 cells of a
/// rank prints the first and the last three of each dimension.
/// Collective: every rank of the mesh calls it; it blocks. Only rank 0 writes to `out`.
/// Cost: moves only the printed cells, each once.
/// Error: does not compile without a halo. ashlar::error on every rank if they do not call the same.
/// Example: print(std::cout, u, with_halos);  // rank 0 stores (-1:3), and owns (0:2): [? 1 2 ?]
template <plain_tensor X>
void print(std::ostream& out, X const& x, layout_detail::show_halos, call_site w = call_site::current()) {
  using L = layout_t<X>;
  if constexpr (meta_detail::hold<tensor_detail::printed_halo<L>>()) {
    auto const t = plan_detail::materialize(x);
    auto const cells = tensor_detail::gather_stored(t, w);
    auto const& m = t.mesh();
    if (m.rank() != 0) return;
    tensor_detail::print_heading<X>(out, t,
                                    to_string(owned_layout_t<L>{}) + ", halo " + layout_detail::halo_state_text<L>());
    constexpr int filled = layout_detail::is_in_state<L, layout_detail::halo_state::unfilled>          ? 0
                           : layout_detail::is_in_state<L, layout_detail::halo_state::without_corners> ? 1
                                                                                                       : t.rank;
    axis_mask const axes = t.layout.sharding();
    std::size_t at = 0;
    for (int i = 0, n = m.sizes().ranks(axes); i < n; ++i) {
      int const rank = m.sizes().with_position(0, axes, i);
      region const own = local_region(t.extents(), t.layout, m.sizes(), rank);
      tensor_detail::printed_part const what(tensor_detail::stored_extents_of(own.extents(), t.widths));
      auto const count = static_cast<std::size_t>(what.extents().size());
      out << "rank " << rank << tensor_detail::stored_text(own, t.widths) << "\n";
      if (count == 0) continue;
      tensor_detail::number_writer(out, what, cells.data() + at, count,
                                   tensor_detail::marks_of_cells(what, own, t.extents(), t.widths, filled))
          .write();
      out << "\n";
      at += count;
    }
  }
}

// All ranks take part in the output of a tensor, so it is no operator.
template <tensor X>
std::ostream& operator<<(std::ostream& out, X const&) {
  static_assert(!tensor<X>,
                "ashlar::print: a tensor is printed by all ranks together; write print(std::cout, x) on every rank");
  return out;
}
template <tensor X>
void print(X const&) {
  static_assert(!tensor<X>, "ashlar::print: a tensor is printed to a stream; write print(std::cout, x) on every rank");
}

}  // namespace ashlar

#if ASHLAR_IMPL
#include "ashlar/tensor/arrays/impl/print.ipp"
#endif
