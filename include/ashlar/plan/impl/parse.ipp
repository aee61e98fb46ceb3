// SPDX-License-Identifier: BSL-1.0
// The functions of plan/parse.hpp.
#include <algorithm>
#include <charconv>

namespace ashlar::plan_detail {

inline constexpr index_t most_ranks = 1 << 28;  // the planner adds up multiples of its square

[[noreturn]] inline void fail_to_parse(std::string const& text) { throw error(text); }

inline std::string quoted_word(std::string_view s) { return "'" + std::string(s) + "'"; }

ASHLAR_INLINE std::vector<std::string_view> split_at(char mark, std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    std::size_t const end = text.find(mark, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.npos) return parts;
    begin = end + 1;
  }
}

// An item NAME=VALUE.
ASHLAR_INLINE std::pair<std::string_view, std::string_view> assignment(std::string_view option, std::string_view item,
                                                                       char const* form) {
  std::size_t const at = item.find('=');
  if (at == item.npos || at == 0 || at + 1 == item.size())
    fail_to_parse(std::string(option) + ": expected " + form + ", found " + quoted_word(item));
  return {item.substr(0, at), item.substr(at + 1)};
}

}  // namespace ashlar::plan_detail

namespace ashlar::planning {

ASHLAR_INLINE index_t parse_integer(std::string_view option, std::string_view text, index_t least) {
  index_t n = 0;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (status == std::errc::result_out_of_range)
    plan_detail::fail_to_parse(std::string(option) + ": " + plan_detail::quoted_word(text) + " is too large");
  if (status != std::errc{} || end != text.data() + text.size() || n < least)
    plan_detail::fail_to_parse(std::string(option) + ": expected an integer of " + std::to_string(least) +
                               " or more, found " + plan_detail::quoted_word(text));
  return n;
}

ASHLAR_INLINE int named_mesh::find(std::string_view option, std::string_view axis) const {
  for (std::size_t a = 0; a < name.size(); ++a)
    if (name[a] == axis) return static_cast<int>(a);
  plan_detail::fail_to_parse(std::string(option) + ": the mesh has no axis " + plan_detail::quoted_word(axis));
}

ASHLAR_INLINE std::vector<char const*> named_mesh::texts() const {
  std::vector<char const*> all;
  for (auto const& n : name) all.push_back(n.c_str());
  return all;
}

ASHLAR_INLINE axis_mask named_mesh::trivial_axes() const {
  axis_mask m = 0;
  for (int a = 0; a < shape.axes; ++a)
    if (shape.size[a] == 1) m |= layout_detail::mask_of(a);
  return m;
}

ASHLAR_INLINE named_mesh parse_named_mesh(std::string_view text) {
  named_mesh m;
  index_t ranks = 1;
  for (std::string_view item : plan_detail::split_at(',', text)) {
    auto const [axis, size] = plan_detail::assignment("--mesh", item, "AXIS=SIZE");
    if (axis == "none" || axis.find('+') != axis.npos)
      plan_detail::fail_to_parse("--mesh: " + plan_detail::quoted_word(axis) + " is no name of an axis");
    for (auto const& other : m.name)
      if (other == axis)
        plan_detail::fail_to_parse("--mesh: axis " + plan_detail::quoted_word(axis) + " is named twice");
    if (m.shape.axes == meta_detail::max_axes) plan_detail::fail_to_parse("--mesh: a mesh has at most 8 axes");
    index_t const n = parse_integer("--mesh", size, 1);
    if (n > plan_detail::most_ranks || (ranks *= n) > plan_detail::most_ranks)
      plan_detail::fail_to_parse("--mesh: it has more than " + std::to_string(plan_detail::most_ranks) + " ranks");
    m.name.emplace_back(axis);
    m.shape.size[m.shape.axes++] = static_cast<int>(n);
  }
  return m;
}

ASHLAR_INLINE layout_value parse_layout(named_mesh const& m, std::string const& option, std::string_view specs,
                                        std::string_view partial) {
  layout_value v;
  axis_mask used = 0;
  for (std::string_view spec : plan_detail::split_at(',', specs)) {
    if (v.rank == layout_detail::max_rank) plan_detail::fail_to_parse(option + ": a tensor has at most 8 dimensions");
    int const d = v.rank++;
    layout_detail::axis_list& dim = v.dim[d];
    if (spec == "none") continue;
    std::size_t const mark = (std::min)(spec.find('%'), spec.size());
    if (mark != spec.size()) {
      index_t const block = parse_integer(option, spec.substr(mark + 1), 1);
      if (block > 65535)
        plan_detail::fail_to_parse(option + ": blocks have at most 65535 elements, found " + std::to_string(block));
      if (!v.may_be_cyclic(d))
        plan_detail::fail_to_parse(option + ": a dimension is block-cyclic in at most " +
                                   std::to_string(layout_detail::max_cyclic_dimensions) + " dimensions");
      dim.block = static_cast<unsigned short>(block);
    }
    for (std::string_view axis : plan_detail::split_at('+', spec.substr(0, mark))) {
      if (axis.empty())
        plan_detail::fail_to_parse(option + ": a dimension needs an axis, axes joined by +, or none, found " +
                                   plan_detail::quoted_word(spec));
      int const a = m.find(option, axis);
      if (used >> a & 1u)
        plan_detail::fail_to_parse(option + ": axis " + plan_detail::quoted_word(axis) +
                                   " is used twice; an axis shards a tensor at most once");
      used |= layout_detail::mask_of(a);
      dim.push(a);
      if (dim.block) ++dim.cyclic;
    }
  }
  std::string const partial_option = option + "-partial";
  if (partial.empty()) return v;
  for (std::string_view item : plan_detail::split_at(',', partial)) {
    auto const [axis, op] = plan_detail::assignment(partial_option, item, "AXIS=OP");
    int const a = m.find(partial_option, axis);
    if (v.sharding() >> a & 1u)
      plan_detail::fail_to_parse(partial_option + ": axis " + plan_detail::quoted_word(axis) +
                                 " shards the tensor already; it cannot be partial over it as well");
    if (v.partial() >> a & 1u)
      plan_detail::fail_to_parse(partial_option + ": axis " + plan_detail::quoted_word(axis) +
                                 " is used twice; the tensor is partial over it once");
    int kind = 0;
    while (kind < 4 && op != plan_detail::op_text(kind)) ++kind;
    if (kind == 4)
      plan_detail::fail_to_parse(partial_option + ": expected sum, max, min or prod, found " +
                                 plan_detail::quoted_word(op));
    if (v.levels == layout_detail::max_levels && v.reductions[layout_detail::max_levels - 1].op != kind)
      plan_detail::fail_to_parse(partial_option + ": at most 4 kinds of reduction nest");
    v.add_partial(kind, layout_detail::mask_of(a));
  }
  return v;
}

ASHLAR_INLINE shape parse_extents(std::string_view text, index_t element_bytes) {
  shape s;
  index_t bytes = element_bytes;
  constexpr index_t most = index_t{1} << 56;  // sums of several shards fit
  for (std::string_view item : plan_detail::split_at(',', text)) {
    if (s.rank == layout_detail::max_rank) plan_detail::fail_to_parse("--extents: a tensor has at most 8 dimensions");
    index_t const n = parse_integer("--extents", item, 0);
    if (n > most / bytes) plan_detail::fail_to_parse("--extents: the tensor has more than 2^56 bytes");
    bytes *= n > 0 ? n : 1;
    s[s.rank++] = n;
  }
  return s;
}

ASHLAR_INLINE std::string text_of_steps(redistribution_plan const& p, char const* const* names, shape const& extents,
                                        mesh_shape const& mesh, index_t element_bytes) {
  std::string text;
  for (plan_step const& s : p.steps())
    text += "  " + to_string(s, names) + "   " +
            std::to_string(plan_detail::step_bytes(s, extents, mesh, element_bytes)) + " bytes\n";
  return text;
}

ASHLAR_INLINE std::string text_of_plan(layout_value const& from, layout_value const& to, shape const& extents,
                                       named_mesh const& m, index_t element_bytes, link_model links) {
  axis_mask const trivial = m.trivial_axes();
  links.sizes = m.shape;
  redistribution_plan const p =
      plan(from.without(trivial), to.without(trivial), extents, m.shape, element_bytes, m.all_axes() & ~trivial, links);
  auto const names = m.texts();
  return "from " + to_string(from, names.data()) + "\nto   " + to_string(to, names.data()) + "\n" +
         (p.size == 0 ? "  no step: both are the same\n" : "") +
         text_of_steps(p, names.data(), extents, m.shape, element_bytes) +
         "messages per rank: " + std::to_string(p.messages_per_rank(m.shape)) +
         "\nbytes per rank: " + std::to_string(p.bytes_per_rank(extents, m.shape, element_bytes)) +
         "\npeak bytes: " + std::to_string(p.peak_bytes(extents, m.shape, element_bytes)) + "\n";
}

}  // namespace ashlar::planning
