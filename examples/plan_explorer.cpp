// What you learn here: the planner and its costs, for layouts that you give on the command line. The same constexpr
// functions that the compiler runs on layouts in types answer at run time; neither MPI nor Kokkos is needed.
//   plan_explorer --mesh data=2,model=4 --from data,none --to none,model --from-partial model=sum --extents 4096,4096
#include <ashlar/plan/print_product.hpp>
#include <iostream>
#include <map>

using namespace ashlar;

namespace {

constexpr char const* usage =
    R"(plan_explorer: the steps that bring a tensor from one layout into another, and what they cost
  --mesh A=P,B=Q,...      axes of the mesh and their sizes
  --from S,S,...          the layout it has, one spec per dimension: none, an axis, or axes joined by +, major to minor;
                          A%64 assigns blocks of 64 round-robin over axis A
  --to S,S,...            the layout it gets
  --extents N,N,...       global extents, one per dimension
  --from-partial A=OP,... axes over which the tensor is partial, innermost first; OP is sum, max, min or prod
  --to-partial A=OP,...   the same of the layout it gets
  --element-bytes N       bytes of an element (4)
  --message-bytes N       what a message costs, in bytes: plan for least bytes and messages together (0)
  --product EQUATION      plan a product instead, of a and b in any layouts; --extents are those of the labels as they
                          first stand in the equation: --product "mk,kn->mn" --extents 4096,64,4096
  --a S,S,... --b S,S,... the layouts of the operands, with --a-partial and --b-partial; --to is the result's
  --help                  this text
Bytes per rank are those that the rank which receives most receives, summed over the steps. Peak bytes are those of the
rank that holds most: source, shards on the way and packed copies. On large meshes exchanges of uneven shards take long.)";

using options = std::map<std::string, std::string, std::less<>>;
// False: help is asked for.
bool read(int argc, char** argv, options& given) {
  for (char const* name : {"--mesh", "--from", "--to", "--extents", "--from-partial", "--to-partial", "--element-bytes",
                           "--message-bytes", "--product", "--a", "--b", "--a-partial", "--b-partial"})
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
  bool const product = !given["--product"].empty();
  for (char const* name : {"--mesh", product ? "--a" : "--from", product ? "--b" : "--to", "--to", "--extents"})
    if (given[name].empty()) throw error(std::string("option ") + name + " is missing; --help lists them");
  return true;
}

index_t integer(options const& given, char const* option, index_t otherwise, index_t least) {
  return given.at(option).empty() ? otherwise : planning::parse_integer(option, given.at(option), least);
}

void explore(options const& given) {
  planning::named_mesh const m = planning::parse_named_mesh(given.at("--mesh"));
  layout_value const from = parse_layout(m, "--from", given.at("--from"), given.at("--from-partial"));
  layout_value const to = parse_layout(m, "--to", given.at("--to"), given.at("--to-partial"));
  index_t const element = integer(given, "--element-bytes", 4, 1), message = integer(given, "--message-bytes", 0, 0);
  if (element > 1 << 20) throw error("--element-bytes: an element has at most 1048576 bytes");
  shape const extents = planning::parse_extents(given.at("--extents"), element);
  std::cout << text_of_plan(from, to, extents, m, element, {message, std::max(extents.size() * element, index_t{1})});
}

void explore_product(options const& given) {
  planning::named_mesh const m = planning::parse_named_mesh(given.at("--mesh"));
  index_t const element = integer(given, "--element-bytes", 8, 1), message = integer(given, "--message-bytes", 0, 0);
  planning::named_product const p = planning::parse_product(given.at("--product"), given.at("--extents"), element);
  auto const layout = [&](std::string const& option) {
    return parse_layout(m, option, given.at(option), given.at(option + "-partial"));
  };
  std::cout << text_of_product(p, layout("--a"), layout("--b"), layout("--to"), m,
                               {element, static_cast<double>(element) / 4}, {message, p.a.size() * element + 1});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    options given;
    if (read(argc, argv, given))
      given["--product"].empty() ? explore(given) : explore_product(given);
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
