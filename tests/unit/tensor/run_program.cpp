// labels: sanitizers
// The name of a program, which its errors begin with.
#include "ashlar/tensor/run_program.hpp"
#include <doctest/doctest.h>
#include <string>

using ashlar::tensor_detail::program_name;

TEST_CASE("run_program: the name of the program's file") {
  char folder[] = "/opt/codes/heat", alone[] = "heat", none[] = "", last[] = "codes/";
  char* in_folder[] = {folder, nullptr};
  char* by_itself[] = {alone, nullptr};
  char* without[] = {none, nullptr};
  char* ends_in_slash[] = {last, nullptr};
  char* nothing[] = {nullptr};
  CHECK(std::string(program_name(1, in_folder)) == "heat");
  CHECK(std::string(program_name(1, by_itself)) == "heat");
  CHECK(std::string(program_name(1, without)) == "");
  CHECK(std::string(program_name(1, ends_in_slash)) == "");
  CHECK(std::string(program_name(0, nothing)) == "program");
}
