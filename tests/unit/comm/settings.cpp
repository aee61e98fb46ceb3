// labels: sanitizers
// Environment variables: what they may say, and the sentence where they say something else.
#include "ashlar/comm/settings.hpp"

#include <doctest/doctest.h>

#include "support/provoked.hpp"

using namespace ashlar;
using ashlar::test::variable;

namespace {

// Each text is refused by name; an empty one is as none.
template <class Read>
void check_refused(char const* name, Read read, std::initializer_list<char const*> texts) {
  for (char const* text : texts) {
    CAPTURE(text);
    variable const set(name, text);
    auto const found = read();
    CHECK(!found.value);
    CHECK(found.wrong.find(std::string("ashlar: expected ") + name + " to be ") == 0);
    CHECK(found.wrong.ends_with(std::string(", found ") + text));
    CHECK(comm_detail::wrong_setting() == found.wrong);
  }
  variable const empty(name, "");
  CHECK(!read().value);
  CHECK(read().wrong.empty());
  CHECK(!comm_detail::wrong_setting());
}
template <class T, class Read>
void check_read(char const* name, Read read, char const* text, T value) {
  variable const set(name, text);
  CHECK(read().value == value);
  CHECK(read().wrong.empty());
  CHECK(!comm_detail::wrong_setting());
}

}  // namespace

TEST_CASE("settings: each takes what it may say, and refuses all else") {
  CHECK(!comm_detail::wrong_setting());
  char const* const deadline = "ASHLAR_DEADLINE";
  check_read(deadline, comm_detail::deadline_setting, "60", 60.);
  check_read(deadline, comm_detail::deadline_setting, "2.5", 2.5);
  check_read(deadline, comm_detail::deadline_setting, "0", 0.);
  check_refused(deadline, comm_detail::deadline_setting,
                {"1m", "abc", "-1", "nan", "inf", "1e999", " 1", "1 ", "1,5", "0x10"});

  char const* const nodes = "ASHLAR_RANKS_PER_NODE";
  check_read(nodes, comm_detail::ranks_per_node_setting, "2", 2);
  check_refused(nodes, comm_detail::ranks_per_node_setting, {"0", "-2", "2.5", "two", "2x", "99999999999"});

  char const* const transport = "ASHLAR_TRANSPORT";
  check_read(transport, comm_detail::shared_memory_setting, "mpi", false);
  check_read(transport, comm_detail::shared_memory_setting, "any", true);
  check_refused(transport, comm_detail::shared_memory_setting, {"MPI", "mpi ", "shm", "1"});

  char const* const algorithm = "ASHLAR_ALGORITHM";
  check_read(algorithm, comm_detail::algorithm_setting, "collective", comm::algorithm::mpi);
  check_read(algorithm, comm_detail::algorithm_setting, "exchange_in_parts", comm::algorithm::exchange_in_parts);
  check_refused(algorithm, comm_detail::algorithm_setting, {"ring", "Exchange", "exchange ", "5"});

  char const* const size = "ASHLAR_SHARED_MEMORY";
  check_read(size, comm_detail::segment_size_setting, "0", std::size_t{0});
  check_read(size, comm_detail::segment_size_setting, "3K", std::size_t{3} << 10);
  check_read(size, comm_detail::segment_size_setting, "5m", std::size_t{5} << 20);
  check_refused(size, comm_detail::segment_size_setting, {"2X", "2GB", "-1", "many", "G", "1.5G", "2G "});
}

TEST_CASE("settings: numbers are read alike in every locale") {
  CHECK(comm_detail::number<double>("1.5") == 1.5);
  CHECK(!comm_detail::number<double>("1,5"));
  CHECK(comm_detail::number<int>("-7") == -7);
  CHECK(!comm_detail::number<int>(""));
}
