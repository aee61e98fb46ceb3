// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/arrays/print.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE index_t printed_range::below(index_t i) const {
  return !cut || i < printed_at_an_end ? i : (std::max)(printed_at_an_end, i - (extent - count()));
}

ASHLAR_INLINE printed_part::printed_part(shape const& extents) {
  bool const cut = extents.size() > most_printed;
  for (; rank < extents.rank; ++rank) dim[rank] = {extents[rank], cut && extents[rank] > 2 * printed_at_an_end};
}

ASHLAR_INLINE shape printed_part::extents() const {
  shape s;
  for (s.rank = 0; s.rank < rank; ++s.rank) s.extent[s.rank] = dim[s.rank].count();
  return s;
}

ASHLAR_INLINE region printed_part::among_printed(region r) const {
  for (int d = 0; d < rank; ++d) r.dim[d] = {dim[d].below(r.dim[d].begin), dim[d].below(r.dim[d].end)};
  return r;
}

ASHLAR_INLINE region printed_part::corner(unsigned which) const {
  region r;
  for (; r.rank < rank; ++r.rank) r.dim[r.rank] = which >> r.rank & 1u ? dim[r.rank].last() : dim[r.rank].first();
  return r;
}

ASHLAR_INLINE std::string marks_of_cells(printed_part const& what, region const& own, shape const& extents,
                                         halo_widths const& widths, int filled) {
  shape const printed = what.extents();
  std::string marks(static_cast<std::size_t>(printed.size()), ' ');
  for (index_t i = 0; i < printed.size(); ++i) {
    int outside = 0;
    bool given = false;
    index_t rest = i;
    for (int d = what.rank - 1; d >= 0; --d) {
      index_t const p = rest % printed[d];
      rest /= printed[d];
      index_t const stored = !what.dim[d].cut || p < printed_at_an_end ? p : what.dim[d].extent - printed[d] + p;
      index_t const v = own.dim[d].begin - widths.dim[d].lower + stored;
      outside += v < own.dim[d].begin || v >= own.dim[d].end;
      given = given || cell_at(v, extents[d], widths.dim[d]).given;
    }
    if (outside > filled && !given) marks[static_cast<std::size_t>(i)] = '?';
  }
  return marks;
}

ASHLAR_INLINE std::string stored_text(region const& own, halo_widths const& widths) {
  if (own.size() == 0) return " stores nothing";
  std::string stored, owned;
  for (int d = 0; d < own.rank; ++d) {
    std::string const comma = d == 0 ? "" : ", ";
    index_set const& o = own.dim[d];
    stored += comma + plan_detail::text_of({o.begin - widths.dim[d].lower, o.end + widths.dim[d].upper});
    owned += comma + plan_detail::text_of(o);
  }
  return " stores (" + stored + "), and owns (" + owned + "):";
}

ASHLAR_INLINE void number_writer::write(int d) {
  if (d == what_.rank) {
    out_ << std::string(width_ - word_[next_].size(), ' ') << word_[next_];
    ++next_;
    return;
  }
  bool const numbers = d + 1 == what_.rank;
  std::string const indent(static_cast<std::size_t>(d) + 1, ' ');
  std::string const down = std::string(static_cast<std::size_t>(what_.rank - d - 1), '\n') + indent;
  std::size_t column = indent.size();
  auto next = [&](std::size_t width, bool first) {
    if (!numbers && !first) out_ << down;
    if (!numbers || first) return;
    bool const full = column + 1 + width >= printed_width;
    out_ << (full ? "\n" + indent : " ");
    column = full ? indent.size() : column + 1;
  };
  out_ << "[";
  for (index_t i = 0; i < what_.dim[d].count(); ++i) {
    if (what_.dim[d].cut && i == printed_at_an_end) {
      next(3, false);
      out_ << "...";
      column += 3;
    }
    next(width_, i == 0);
    write(d + 1);
    column += width_;
  }
  out_ << "]";
}

}  // namespace ashlar::tensor_detail
