// What you learn here: the planner and its costs, for layouts that you give on the command line. The same constexpr
// functions that the compiler runs on layouts in types answer at run time; neither MPI nor Kokkos is needed.
//   plan_explorer --mesh data=2,model=4 --from data,none --to none,model --from-partial model=sum --extents 4096,4096
#include <ashlar/plan/parse.hpp>
#include <iostream>
#include <map>

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
rank that holds most: source, shards on the way and packed copies. On large meshes exchanges of uneven shards take long.)";

using options = std::map<std::string, std::string, std::less<>>;
// False: help is asked for.
bool read(int argc, char** argv, options& given) {
  for (char const* name : {"--mesh", "--from", "--to", "--extents", "--from-partial", "--to-partial", "--element-bytes",
                           "--message-bytes"})
    given[name];
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--help") return false;
    std::string const name(argument.substr(0, argument.find('=')));
    auto const option = given.find(name);
    if (option == given.end()) throw error("there is no option '" + std::string(argument) + "'; --help lists them");
    if (!option->second.empty()) throw error("option " + name + " is given twice");
    if (name.size() < argument.size())
      option->second = argument.substr(name.size() + 1);
    else if (i + 1 < argc)
      option->second = argv[++i];
    else
      throw error("option " + name + " needs a value");
    if (option->second.empty()) throw error("option " + name + " needs a value");
  }
  for (char const* name : {"--mesh", "--from", "--to", "--extents"})
    if (given[name].empty()) throw error(std::string("option ") + name + " is missing; --help lists them");
  return true;
}

void explore(options const& given) {
  auto const integer = [&](char const* option, index_t otherwise, index_t least) {
    return given.at(option).empty() ? otherwise : parse_integer(option, given.at(option), least);
  };
  named_mesh const m = parse_named_mesh(given.at("--mesh"));
  layout_value const from = parse_layout(m, "--from", given.at("--from"), given.at("--from-partial"));
  layout_value const to = parse_layout(m, "--to", given.at("--to"), given.at("--to-partial"));
  index_t const element = integer("--element-bytes", 4, 1), message = integer("--message-bytes", 0, 0);
  if (element > 1 << 20) throw error("--element-bytes: an element has at most 1048576 bytes");
  shape const extents = parse_extents(given.at("--extents"), element);
  auto const must_agree = [&](std::string const& option, int rank) {
    if (rank != from.rank)
      throw error("--from has " + std::to_string(from.rank) + " dimensions, " + option + " has " +
                  std::to_string(rank) + "; they must agree");
  };
  must_agree("--to", to.rank);
  must_agree("--extents", extents.rank);

  axis_mask const trivial = m.trivial_axes();
  link_model const links{message, std::max(extents.size() * element, index_t{1}), m.shape};
  redistribution_plan const p =
      plan(from.without(trivial), to.without(trivial), extents, m.shape, element, m.all_axes() & ~trivial, links);
  auto const names = m.texts();
  std::cout << "from " << to_string(from, names.data()) << "\nto   " << to_string(to, names.data()) << "\n";
  if (p.size == 0) std::cout << "  no step: both are the same\n";
  std::cout << text_of_steps(p, names.data(), extents, m.shape, element)
            << "messages per rank: " << p.messages_per_rank(m.shape) << "\n"
            << "bytes per rank: " << p.bytes_per_rank(extents, m.shape, element) << "\n"
            << "peak bytes: " << p.peak_bytes(extents, m.shape, element) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    options given;
    if (read(argc, argv, given))
      explore(given);
    else
      std::cout << usage << "\n";
    return 0;
  } catch (error const& e) {
    std::cerr << "plan_explorer: " << e.what() << "\n";
  } catch (char const* sentence) {  // of the planner
    std::cerr << "plan_explorer: " << sentence << "\n";
  }
  return 2;
}
