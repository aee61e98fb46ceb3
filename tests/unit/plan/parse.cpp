// Meshes, layouts and extents from texts: what they are, and the sentences that refuse others.
#include "ashlar/plan/parse.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::planning;

namespace {

named_mesh const mesh_2_4 = parse_named_mesh("data=2,model=4");
std::string spelled(std::string const& specs, std::string const& partial = "") {
  return to_string(parse_layout(mesh_2_4, "--from", specs, partial), mesh_2_4.texts().data());
}
std::string refused(std::string const& specs, std::string const& partial = "") {
  try {
    return spelled(specs, partial);
  } catch (error const& e) {
    return e.what();
  }
}
bool says(std::string const& text, std::string const& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("meshes and extents") {
  CHECK(mesh_2_4.shape.axes == 2);
  CHECK(mesh_2_4.shape.size[1] == 4);
  CHECK(mesh_2_4.trivial_axes() == 0);
  CHECK(mesh_2_4.all_axes() == 3);
  CHECK(parse_named_mesh("a=1,b=3,c=1").trivial_axes() == 5);
  CHECK(parse_named_mesh("a=16384,b=16384").shape.ranks() == 1 << 28);
  CHECK(parse_extents("4,0,7") == shape::of(4, 0, 7));
  for (char const* text : {"", "data", "data=", "=2", "data=0", "data=x", "data=2,data=2", "none=2", "a+b=2",
                           "a=268435457", "a=16384,b=16385", "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_named_mesh(text), error);
  }
  for (char const* text : {"", "-1", "4,", "1,1,1,1,1,1,1,1,1", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_extents(text), error);
  }
  CHECK_THROWS_AS(parse_extents("72057594037927936", 2), error);
  CHECK_THROWS_WITH_AS(parse_integer("--element-bytes", "0", 1),
                       "--element-bytes: expected an integer of 1 or more, found '0'", error);
}

TEST_CASE("layouts are as a program spells them") {
  CHECK(spelled("data,none") == "layout<\"data\", none>");
  CHECK(spelled("none,data+model") == "layout<none, axes(\"data\", \"model\")>");
  CHECK(spelled("data%64,none") == "layout<cyclic(\"data\", 64), none>");
  CHECK(spelled("data,none", "model=sum") == "partial<layout<\"data\", none>, \"model\">");
  CHECK(spelled("none", "data=max,model=sum") == "partial<partial<layout<none>, \"data\", op::max>, \"model\">");
}

TEST_CASE("layouts that cannot be are refused") {
  CHECK(says(refused("rows"), "--from: the mesh has no axis 'rows'"));
  CHECK(says(refused("data,data"), "--from: axis 'data' is used twice"));
  CHECK(says(refused("data+"), "--from: a dimension needs an axis"));
  CHECK(says(refused("data%0"), "--from: expected an integer of 1 or more, found '0'"));
  CHECK(says(refused("data%65536"), "--from: blocks have at most 65535 elements"));
  CHECK(says(refused("none,none,none,none,none,none,none,none,none"), "--from: a tensor has at most 8 dimensions"));
  CHECK(says(refused("data", "data=sum"), "--from-partial: axis 'data' shards the tensor already"));
  CHECK(says(refused("none", "data=sum,data=sum"), "--from-partial: axis 'data' is used twice"));
  CHECK(says(refused("none", "data=mean"), "--from-partial: expected sum, max, min or prod, found 'mean'"));
  CHECK(says(refused("none", "data"), "--from-partial: expected AXIS=OP, found 'data'"));
}

TEST_CASE("steps have their bytes") {
  auto const names = mesh_2_4.texts();
  auto const p = plan(parse_layout(mesh_2_4, "--from", "data,none"), parse_layout(mesh_2_4, "--to", "none,none"),
                      mesh_2_4.all_axes());
  CHECK(text_of_steps(p, names.data(), shape::of(8, 8), mesh_2_4.shape, 4) ==
        "  all_gather over data -> layout<none, none>   128 bytes\n");
}
