// Values from the texts of options, and the sentences that refuse others.
#include "../examples/support/command_line.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace examples;

TEST_CASE("whole numbers are read in full") {
  CHECK(parse_whole("batch", "128") == 128);
  CHECK(parse_whole("seed", "0", 0) == 0);
  CHECK(parse_whole("batch", "9", 1, 9) == 9);
  for (char const* text : {"", "0", "-1", "1.5", "3x", " 3", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_whole("batch", text),
                         ("--batch: expected a whole number of 1 or more, found '" + std::string(text) + "'").c_str(),
                         error);
  }
  CHECK_THROWS_WITH_AS(parse_whole("batch", "10", 1, 9, "a digit"), "--batch: expected a digit, found '10'", error);
}

TEST_CASE("numbers have a bound that they do not reach") {
  CHECK(parse_number("dropout", "0.4", 1, "less") == 0.4);
  CHECK(parse_number("dropout", "0", 1, "less") == 0);
  for (char const* text : {"", "1", "-0.1", "nan", "0.5x", "half"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_number("dropout", text, 1, "less than 1"),
                         ("--dropout: expected less than 1, found '" + std::string(text) + "'").c_str(), error);
  }
}

TEST_CASE("a choice is the position of a word") {
  CHECK(join_words({"a", "b", "c"}) == "a or b or c");
  CHECK(join_words({}) == "");
  CHECK(parse_choice("precision", "double", {"float", "double"}) == 1);
  CHECK_THROWS_WITH_AS(parse_choice("precision", "half", {"float", "double"}),
                       "--precision: expected float or double, found 'half'", error);
}

TEST_CASE("the first axis that a mesh does not name has the remaining ranks, and the others have 1") {
  std::vector<std::string> const axes{"data", "model", "sequence"};
  CHECK(parse_mesh_sizes("", axes, 6) == std::vector{6, 1, 1});
  CHECK(parse_mesh_sizes("", axes, 1) == std::vector{1, 1, 1});
  CHECK(parse_mesh_sizes("", {"data"}, 3) == std::vector{3});
  CHECK(parse_mesh_sizes("model=2", axes, 6) == std::vector{3, 2, 1});
  CHECK(parse_mesh_sizes("data=2", axes, 6) == std::vector{2, 3, 1});
  CHECK(parse_mesh_sizes("sequence=3,data=1", axes, 6) == std::vector{1, 2, 3});
  CHECK(parse_mesh_sizes("model=6", axes, 6) == std::vector{1, 6, 1});
}

TEST_CASE("a mesh that names all axes has them in any order and as many ranks as there are") {
  std::vector<std::string> const axes{"data", "model"};
  CHECK(parse_mesh_sizes("data=2,model=4", axes, 8) == std::vector{2, 4});
  CHECK(parse_mesh_sizes("model=4,data=2", axes, 8) == std::vector{2, 4});
}

TEST_CASE("a mesh of other axes, twice an axis or other ranks is refused in one sentence") {
  std::vector<std::string> const axes{"data", "model"};
  auto const refused = [&](char const* text, char const* sentence) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_mesh_sizes(text, axes, 2), sentence, error);
  };
  refused("rows=2", "--mesh: expected the axis data or model, found 'rows'");
  refused("datas=2", "--mesh: expected the axis data or model, found 'datas'");
  refused("data", "--mesh: expected AXIS=SIZE, found 'data'");
  refused("data=2,,model=2", "--mesh: expected AXIS=SIZE, found ''");
  refused("data=2,data=2", "--mesh: axis 'data' is named twice");
  refused("data=0", "--mesh: expected an integer of 1 or more, found '0'");
  refused("data=3000000000", "--mesh: it has more than 268435456 ranks");
  refused("data=3,model=2", "--mesh: expected sizes whose product is 2, the number of ranks, found 'data=3,model=2'");
  refused("data=1,model=1", "--mesh: expected sizes whose product is 2, the number of ranks, found 'data=1,model=1'");
  refused("model=3", "--mesh: expected sizes whose product divides 2, the number of ranks, found 'model=3'");
  CHECK_THROWS_WITH_AS(parse_mesh_sizes("model=2", {"data"}, 2), "--mesh: expected the axis data, found 'model'",
                       error);
  CHECK_THROWS_WITH_AS(parse_mesh_sizes("data=4", {"data"}, 2),
                       "--mesh: expected sizes whose product is 2, the number of ranks, found 'data=4'", error);
}
