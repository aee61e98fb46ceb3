// Values from the texts of options, and the sentences that refuse others.
#include "ashlar/train/command_line.hpp"
#include <doctest/doctest.h>

using namespace ashlar;

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

TEST_CASE("a mesh has each axis once, in any order, and those that are not named have 1 rank") {
  std::vector<std::string> const axes{"data", "model"};
  CHECK(parse_mesh_sizes("data=2,model=4", axes) == std::vector{2, 4});
  CHECK(parse_mesh_sizes("model=4,data=2", axes) == std::vector{2, 4});
  CHECK(parse_mesh_sizes("model=4", axes) == std::vector{1, 4});
  CHECK(parse_mesh_sizes("", axes) == std::vector{1, 1});
  std::string const expected = "--mesh: expected data=D,model=M with sizes of 1 or more, each once, found '";
  for (char const* text : {"rows=2", "data", "data=2,data=2", "data=2,,model=2", "da=2", "datas=2"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_mesh_sizes(text, axes), (expected + text + "'").c_str(), error);
  }
  CHECK_THROWS_WITH_AS(parse_mesh_sizes("data=0", axes), (expected + "0'").c_str(), error);
  CHECK_THROWS_WITH_AS(parse_mesh_sizes("data=3000000000", axes), (expected + "3000000000'").c_str(), error);
  CHECK_THROWS_WITH_AS(parse_mesh_sizes("model=2", {"data"}),
                       "--mesh: expected data=D, the only axis, with a size of 1 or more, found 'model=2'", error);
}
