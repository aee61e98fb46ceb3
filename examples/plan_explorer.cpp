// What you learn here: the planner and its costs, for layouts that you give on the command line. The same constexpr
// functions that the compiler runs on layouts in types answer at run time; neither MPI nor Kokkos is needed.
//   plan_explorer --mesh data=2,model=4 --from data,none --to none,model --from-partial model=sum --extents 4096,4096
#include <ashlar/plan/print.hpp>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace ashlar;

namespace {

constexpr char const* usage =
    R"(plan_explorer: the steps that bring a tensor from one layout into another, and what they cost
  --mesh A=P,B=Q,...      axes of the mesh and their sizes
  --from S,S,...          the layout it has, one spec a dimension: none, an axis, or axes joined by +, major to minor;
                          A%64 assigns blocks of 64 round-robin over axis A
  --to S,S,...            the layout it gets
  --extents N,N,...       global extents, one a dimension
  --from-partial A=OP,... axes over which the tensor is partial, innermost first; OP is sum, max, min or prod
  --to-partial A=OP,...   the same of the layout it gets
  --element-bytes N       bytes of an element (4)
  --message-bytes N       what a message costs, in bytes: plan for least bytes and messages together (0)
  --help                  this text
Bytes per rank are those that the rank which receives most receives, summed over the steps. Peak bytes are those of the
rank that holds most: source, shards on the way and packed copies.
)";

// A wrong command line, as one sentence.
struct complaint {
  std::string text;
};
[[noreturn]] void complain(std::string text) { throw complaint{std::move(text)}; }

std::string quote(std::string_view s) { return "'" + std::string(s) + "'"; }

std::vector<std::string_view> split_at(char mark, std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    std::size_t const end = text.find(mark, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.npos) return parts;
    begin = end + 1;
  }
}

index_t number(std::string_view option, std::string_view text, index_t least) {
  index_t n = 0;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (status == std::errc::result_out_of_range) complain(std::string(option) + ": " + quote(text) + " is too large");
  if (status != std::errc{} || end != text.data() + text.size() || n < least)
    complain(std::string(option) + ": expected an integer of " + std::to_string(least) + " or more, found " +
             quote(text));
  return n;
}

using options = std::map<std::string, std::string, std::less<>>;

// False: help is asked for.
bool read(int argc, char** argv, options& given) {
  for (char const* name :
       {"--mesh", "--from", "--to", "--extents", "--from-partial", "--to-partial", "--element-bytes", "--message-bytes"})
    given[name];
  std::map<std::string, bool> seen;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--help") return false;
    std::string const name(argument.substr(0, argument.find('=')));
    auto const option = given.find(name);
    if (option == given.end()) complain("there is no option " + quote(argument) + "; --help lists them");
    if (seen[name]) complain("option " + name + " is given twice");
    seen[name] = true;
    if (name.size() < argument.size()) option->second = argument.substr(name.size() + 1);
    else if (i + 1 < argc) option->second = argv[++i];
    else complain("option " + name + " needs a value");
    if (option->second.empty()) complain("option " + name + " needs a value");
  }
  for (char const* name : {"--mesh", "--from", "--to", "--extents"})
    if (!seen[name]) complain(std::string("option ") + name + " is missing; --help lists them");
  return true;
}

struct named_mesh {
  std::vector<std::string> name;
  mesh_shape shape;

  int find(std::string_view option, std::string_view axis) const {
    for (std::size_t a = 0; a < name.size(); ++a)
      if (name[a] == axis) return static_cast<int>(a);
    complain(std::string(option) + ": the mesh has no axis " + quote(axis));
  }
};

constexpr index_t most_ranks = 1 << 16;  // uneven costs are counted rank by rank

// An item NAME=VALUE.
std::pair<std::string_view, std::string_view> assignment(std::string_view option, std::string_view item,
                                                         char const* form) {
  std::size_t const at = item.find('=');
  if (at == item.npos || at == 0 || at + 1 == item.size())
    complain(std::string(option) + ": expected " + form + ", found " + quote(item));
  return {item.substr(0, at), item.substr(at + 1)};
}

named_mesh read_mesh(std::string_view text) {
  named_mesh m;
  index_t ranks = 1;
  for (std::string_view item : split_at(',', text)) {
    auto const [axis, size] = assignment("--mesh", item, "AXIS=SIZE");
    if (axis == "none" || axis.find('+') != axis.npos) complain("--mesh: " + quote(axis) + " is no name of an axis");
    for (auto const& other : m.name)
      if (other == axis) complain("--mesh: axis " + quote(axis) + " is named twice");
    if (m.shape.axes == max_axes) complain("--mesh: a mesh has at most 8 axes");
    index_t const n = number("--mesh", size, 1);
    if (n > most_ranks || (ranks *= n) > most_ranks)
      complain("--mesh: it has more than " + std::to_string(most_ranks) + " ranks");
    m.name.emplace_back(axis);
    m.shape.size[m.shape.axes++] = static_cast<int>(n);
  }
  return m;
}

layout_value read_layout(named_mesh const& m, std::string const& option, options const& given) {
  layout_value v;
  axis_mask used = 0;
  for (std::string_view spec : split_at(',', given.at(option))) {
    if (v.rank == max_rank) complain(option + ": a tensor has at most 8 dimensions");
    int const d = v.rank++;
    layout_detail::axis_list& dim = v.dim[d];
    if (spec == "none") continue;
    std::size_t const mark = std::min(spec.find('%'), spec.size());
    if (mark != spec.size()) {
      index_t const block = number(option, spec.substr(mark + 1), 1);
      if (block > 65535) complain(option + ": blocks have at most 65535 elements, found " + std::to_string(block));
      if (!v.may_be_cyclic(d)) complain(option + ": a dimension is block-cyclic in at most " + std::to_string(layout_detail::max_cyclic_dimensions) + " dimensions");
      dim.block = static_cast<unsigned short>(block);
    }
    for (std::string_view axis : split_at('+', spec.substr(0, mark))) {
      if (axis.empty())
        complain(option + ": a dimension needs an axis, axes joined by +, or none, found " + quote(spec));
      int const a = m.find(option, axis);
      if (used >> a & 1u)
        complain(option + ": axis " + quote(axis) + " is used twice; an axis shards a tensor at most once");
      used |= layout_detail::mask_of(a);
      dim.push(a);
      if (dim.block) ++dim.cyclic;
    }
  }
  std::string const partial_option = option + "-partial";
  if (given.at(partial_option).empty()) return v;
  for (std::string_view item : split_at(',', given.at(partial_option))) {
    auto const [axis, op] = assignment(partial_option, item, "AXIS=OP");
    int const a = m.find(partial_option, axis);
    if (v.sharding() >> a & 1u)
      complain(partial_option + ": axis " + quote(axis) + " shards the tensor already; it cannot be partial over it as well");
    if (v.partial() >> a & 1u)
      complain(partial_option + ": axis " + quote(axis) + " is used twice; the tensor is partial over it once");
    int kind = 0;
    while (kind < 4 && op != plan_detail::op_text(kind)) ++kind;
    if (kind == 4) complain(partial_option + ": expected sum, max, min or prod, found " + quote(op));
    if (v.levels == layout_detail::max_levels && v.reductions[layout_detail::max_levels - 1].op != kind)
      complain(partial_option + ": at most 4 kinds of reduction nest");
    v.add_partial(kind, layout_detail::mask_of(a));
  }
  return v;
}

shape read_extents(std::string_view text, index_t element_bytes) {
  shape s;
  index_t bytes = element_bytes;
  constexpr index_t most = index_t{1} << 56;  // sums of several shards fit
  for (std::string_view item : split_at(',', text)) {
    if (s.rank == max_rank) complain("--extents: a tensor has at most 8 dimensions");
    index_t const n = number("--extents", item, 0);
    if (n > most / bytes) complain("--extents: the tensor has more than 2^56 bytes");
    bytes *= n > 0 ? n : 1;
    s[s.rank++] = n;
  }
  return s;
}

void explore(options const& given) {
  named_mesh const m = read_mesh(given.at("--mesh"));
  layout_value const from = read_layout(m, "--from", given), to = read_layout(m, "--to", given);
  constexpr index_t largest_element = 1 << 20;
  index_t const element =
      given.at("--element-bytes").empty() ? 4 : number("--element-bytes", given.at("--element-bytes"), 1);
  if (element > largest_element)
    complain("--element-bytes: an element has at most " + std::to_string(largest_element) + " bytes");
  shape const extents = read_extents(given.at("--extents"), element);
  if (from.rank != to.rank)
    complain("--from has " + std::to_string(from.rank) + " dimensions, --to has " + std::to_string(to.rank) +
             "; they must agree");
  if (from.rank != extents.rank)
    complain("--from has " + std::to_string(from.rank) + " dimensions, --extents has " + std::to_string(extents.rank) +
             "; they must agree");

  std::vector<char const*> names;
  for (auto const& n : m.name) names.push_back(n.c_str());
  axis_mask trivial = 0;  // axes of size 1 split nothing
  for (int a = 0; a < m.shape.axes; ++a)
    if (m.shape.size[a] == 1) trivial |= layout_detail::mask_of(a);
  axis_mask const others = (layout_detail::mask_of(m.shape.axes) - 1) & ~trivial;

  index_t const bytes = extents.size() * element, message = given.at("--message-bytes").empty() ? 0 : number("--message-bytes", given.at("--message-bytes"), 0);
  link_model const links{message, std::max(bytes, index_t{1}), m.shape};

  redistribution_plan const p = plan(from.without(trivial), to.without(trivial), others, links);
  std::cout << "from " << to_string(from, names.data()) << "\nto   " << to_string(to, names.data()) << "\n";
  if (p.size == 0) std::cout << "  no step: both are the same\n";
  for (plan_step const& s : p.steps())
    std::cout << "  " << to_string(s, names.data()) << "   " << plan_detail::step_bytes(s, extents, m.shape, element) << " bytes\n";
  std::cout << "messages per rank: " << p.messages_per_rank(m.shape) << "\n"
            << "bytes per rank: " << p.bytes_per_rank(extents, m.shape, element) << "\n"
            << "peak bytes: " << p.peak_bytes(extents, m.shape, element) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    options given;
    if (read(argc, argv, given)) explore(given);
    else std::cout << usage;
    return 0;
  } catch (complaint const& c) {
    std::cerr << "plan_explorer: " << c.text << "\n";
    return 2;
  } catch (char const* sentence) {  // of the planner
    std::cerr << "plan_explorer: " << sentence << "\n";
    return 2;
  }
}
