// The table of epochs, as a reader sees it.
#include "ashlar/train/history.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::training;

TEST_CASE("epoch_table: numbers stand below their names, line by line or all at once") {
  epoch_table t({"epoch", "loss", "validation accuracy"});
  std::string const head = "       epoch        loss  validation accuracy\n";
  CHECK(t.head() == head);
  std::string lines = head;
  lines += t.add({1, 2.302585, 0.1});
  lines += t.add({10, 0.00012345, 1});
  lines += t.add({11, std::nan(""), -123456.5});
  CHECK(lines == head +
                     "           1      2.3026               0.1000\n"
                     "          10   1.234e-04                    1\n"
                     "          11         nan           -1.235e+05\n");
  CHECK(t.text() == lines);
  CHECK(t.rows().size() == 3);
}

TEST_CASE("epoch_table: a long number keeps a space before it, and a row of another length is refused") {
  epoch_table t({"a", "b"});
  CHECK(t.add({123456789, -1.5e300}) == "   123456789 -1.500e+300\n");
  CHECK_THROWS_WITH_AS(t.add({1}), "ashlar::training::epoch_table: expected 2 numbers, one per column, found 1", error);
  CHECK(t.rows().size() == 1);
}
