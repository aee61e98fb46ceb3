// labels: sanitizers
// The reader of safetensors headers against files written here: arrays of a whole file are found, and a malformed file
// is refused in one sentence.
#include "ashlar/io/safetensors.hpp"
#include "support/files.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::test;
using namespace ashlar::io_detail;

namespace {

bytes with_length(std::string const& header, std::uint64_t length, std::size_t elements) {
  bytes b;
  for (int i = 0; i < 64; i += 8) b.push_back(static_cast<std::uint8_t>(length >> i));
  b.insert(b.end(), header.begin(), header.end());
  return joined(b, counting(elements));
}
bytes file_of(std::string const& header, std::size_t elements) { return with_length(header, header.size(), elements); }
std::string entry(std::string const& name, std::string const& type, std::string const& shape, std::string const& at) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":" + at + "}";
}

std::filesystem::path written(bytes const& content) {
  static temporary_folder const folder;
  write(folder.path / "x", content);
  return folder.path / "x";
}
std::vector<stored_array> read(bytes const& content) {
  return arrays_of_safetensors(checked_file(written(content), "test"));
}
void check_refused(bytes const& content, std::string const& expected, std::string const& found = "") {
  std::string const sentence = said([&] { read(content); });
  CAPTURE(sentence);
  CHECK(sentence.find("test: /") == 0);
  CHECK(sentence.find(expected) != std::string::npos);
  CHECK(sentence.find(found) != std::string::npos);
  CHECK(sentence.find('\n') == std::string::npos);
}
// A header of one array of 6 floats, with another text in place of its entry.
void check_entry_refused(std::string const& text, std::string const& expected, std::string const& found = "") {
  check_refused(file_of("{" + text + "}", 24), expected, found);
}

}  // namespace

TEST_CASE("the arrays of a file, in the order of their bytes") {
  std::string const header = "{\"__metadata__\":{\"format\":\"pt\"}," + entry("b", "F32", "[2,3]", "[8,32]") + ",\n" +
                             entry("a/\\u00e4\\ud83d\\ude00", "I64", "[ ]", "[0,8]") + " , " +
                             entry("none", "BF16", "[0, 7]", "[32,32]") + "}   ";
  auto const arrays = read(file_of(header, 32));
  REQUIRE(arrays.size() == 3);
  CHECK(arrays[0].name == "a/ä😀");
  CHECK(arrays[0].type == array_type::int64);
  CHECK(arrays[0].extents.empty());
  CHECK(arrays[0].begin == 8 + header.size());
  CHECK(arrays[1].name == "b");
  CHECK(arrays[1].type == array_type::float32);
  CHECK(arrays[1].extents == std::vector<index_t>{2, 3});
  CHECK(arrays[1].begin == 16 + header.size());
  CHECK(arrays[2].extents == std::vector<index_t>{0, 7});
  CHECK(read(file_of("{}", 0)).empty());
  CHECK(read(file_of("{" + entry("x", "F4", "[3,2]", "[0,3]") + "}", 3))[0].type == array_type::float4_e2m1fn);
}

TEST_CASE("what the library safetensors reads is read: blanks, other keys, and metadata of null") {
  for (char const* const text :
       {" \n{\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}",
        R"({"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24],"order":1}})",
        R"({"w":{"note":{"a":[1,null,"x"]},"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})",
        R"({"__metadata__":null,"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})",
        R"({"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"__metadata__": null })"}) {
    auto const arrays = read(file_of(text, 24));
    REQUIRE(arrays.size() == 1);
    CHECK(arrays[0].name == "w");
    CHECK(arrays[0].extents == std::vector<index_t>{2, 3});
  }
  for (char const* const text : {"[]", "nul", "7", "\"x\"", "{\"k\":null}", "{\"k\":1}"})
    check_entry_refused("\"__metadata__\":" + std::string(text), "expected ");
}

TEST_CASE("what is written is read back, and begins at multiples of the elements' size") {
  std::vector<stored_array> arrays(3);
  arrays[0].name = "double \"x\" \\ \n";
  arrays[0].type = array_type::float64;
  arrays[0].extents = {3};
  arrays[1].name = "half";
  arrays[1].type = array_type::float16;
  arrays[1].extents = {5, 1};
  arrays[2].name = "empty";
  arrays[2].type = array_type::uint8;
  arrays[2].extents = {0};
  for (named_texts const& metadata : {named_texts{}, named_texts{{"format", "pt"}, {"a\tb", "\"c\""}}}) {
    std::string const header = safetensors_header({&arrays[0], &arrays[1], &arrays[2]}, metadata);
    CHECK(header.size() % 8 == 0);
    bytes content(header.begin(), header.end());
    auto const found = read(joined(content, counting(34)));
    REQUIRE(found.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(found[i].name == arrays[i].name);
      CHECK(found[i].type == arrays[i].type);
      CHECK(found[i].extents == arrays[i].extents);
      CHECK(found[i].begin == arrays[i].begin);
    }
    CHECK(found[0].begin == header.size());
  }
}

TEST_CASE("a length that does not fit the file") {
  check_refused({}, "at least 8 bytes, found 0");
  check_refused({1, 2, 3, 4, 5, 6, 7}, "at least 8 bytes, found 7");
  check_refused(with_length("{}", 3, 0), "a header of 3 bytes, found 2");
  check_refused(with_length("{}", ~std::uint64_t{0}, 0), "at most 100000000 bytes, found one of 18446744073709551615");
  check_refused(with_length("", 0, 0), "begins with '{'");
  check_refused(file_of("[]", 0), "begins with '{', found '['");
  check_refused(file_of("  ", 0), "begins with '{', found ''");
}

TEST_CASE("offsets that overlap, leave holes or exceed the file") {
  auto const two = [](std::string const& a, std::string const& b) {
    return "{" + entry("a", "F32", "[2]", a) + "," + entry("b", "F32", "[2]", b) + "}";
  };
  CHECK(read(file_of(two("[8,16]", "[0,8]"), 16))[0].name == "b");
  check_refused(file_of(two("[0,8]", "[4,12]"), 12), "'b' to begin at byte 8", "found byte 4");
  check_refused(file_of(two("[0,8]", "[0,8]"), 8), "'b' to begin at byte 8", "found byte 0");
  check_refused(file_of(two("[0,8]", "[12,20]"), 20), "'b' to begin at byte 8", "found byte 12");
  check_refused(file_of(two("[4,12]", "[12,20]"), 20), "'a' to begin at byte 0", "found byte 4");
  check_refused(file_of(two("[0,8]", "[8,16]"), 15), "expected 16 bytes of elements, found 15");
  check_refused(file_of(two("[0,8]", "[8,16]"), 17), "expected 16 bytes of elements, found 17");
  check_refused(file_of(two("[0,8]", "[8,12]"), 12), "expected 8 bytes for 'b' (2, F32), found 4");
  check_refused(file_of(two("[0,8]", "[16,8]"), 16), "data_offsets of a begin and an end for 'b'");
  check_refused(file_of(two("[0,8]", "[8,16,24]"), 16), "data_offsets of a begin and an end for 'b'");
  check_refused(file_of(two("[0,8]", "[]"), 16), "data_offsets of a begin and an end for 'b'");
  check_refused(file_of(two("[0,8]", "[9223372036854775800,9223372036854775807]"), 8), "found 7");
}

TEST_CASE("an entry that is none") {
  check_entry_refused(entry("w", "F32", "[2,3]", "[0,24]") + "," + entry("w", "F32", "[0]", "[24,24]"),
                      "each name once, found 'w' twice");
  check_entry_refused(entry("w", "F33", "[2,3]", "[0,24]"), "a dtype of safetensors for 'w'", "found 'F33'");
  check_entry_refused(entry("w", "", "[2,3]", "[0,24]"), "a dtype of safetensors for 'w'");
  check_entry_refused(entry("w", "F32", "[2,-3]", "[0,24]"), "a whole number of 0 or more, found '-3");
  check_entry_refused(entry("w", "F32", "[2,3.0]", "[0,24]"), "a whole number of 0 or more");
  check_entry_refused(entry("w", "F32", "[2,03]", "[0,24]"), "a whole number of 0 or more");
  check_entry_refused(entry("w", "F32", "[2,3e0]", "[0,24]"), "a whole number of 0 or more");
  check_entry_refused(entry("w", "F32", "[9223372036854775808]", "[0,24]"), "a number below 2^63");
  check_entry_refused(entry("w", "F32", "[4611686018427387904,4]", "[0,24]"), "elements can be addressed");
  check_entry_refused(entry("w", "F32", "[0,4611686018427387904,4]", "[0,0]"), "elements can be addressed");
  check_entry_refused(entry("w", "F4", "[3]", "[0,1]"), "elements that fill whole bytes");
  check_entry_refused(entry("w", "F32", "[2,3,]", "[0,24]"), "a whole number of 0 or more, found ']");
  check_entry_refused(entry("w", "F32", "6", "[0,24]"), "expected '['");
  check_entry_refused("\"w\":{\"dtype\":\"F32\",\"shape\":[6]}", "dtype, shape and data_offsets for 'w', found fewer");
  check_entry_refused("\"w\":{\"dtype\":\"F32\",\"order\":1}", "dtype, shape and data_offsets for 'w', found fewer");
  check_entry_refused("\"w\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}", "each name once, found 'dtype' twice");
  check_entry_refused("\"w\":7", "expected '{'");
  check_entry_refused("\"__metadata__\":{\"step\":7}", "expected '\"'");
}

TEST_CASE("a text that is no JSON") {
  std::string const good = entry("w", "F32", "[2,3]", "[0,24]");
  check_entry_refused(good + ",", "expected '\"' in the JSON text, found '}'");
  check_refused(file_of("{" + good, 24), "expected '}' in the JSON text, found its end");
  check_refused(file_of("{" + good + "}}", 24), "expected the end of the JSON text, found '}'");
  check_refused(file_of("{\"w", 24), "the end of a text in quotes");
  check_refused(file_of("{'w':{}}", 24), "expected '\"'");
  check_entry_refused("\"\x01\":{}", "expected no control character in a text, found one");
  check_entry_refused("\"\\x\":{}", "an escaped character of JSON");
  check_entry_refused("\"\\u00g0\":{}", "4 hexadecimal digits in a text, found others");
  check_refused(file_of("{\"\\u00", 24), "expected a character, found the end of the JSON text");
  check_entry_refused("\"\\u0000\":{}", "without the character 0");
  check_entry_refused("\"\\ud83d\":{}", "both parts of a surrogate pair");
  check_entry_refused("\"\\ud83d\\u0041\":{}", "both parts of a surrogate pair");
  check_entry_refused("\"\\ude00\":{}", "both parts of a surrogate pair");
  for (char const* const broken :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xff"})
    check_entry_refused("\"" + std::string(broken) + "\":{}", "a JSON text in UTF-8");
}

TEST_CASE("an index names a file for each array") {
  auto const map_of = [](std::string const& text) {
    return weight_map_of(checked_file(written(bytes(text.begin(), text.end())), "test"));
  };
  auto const files = map_of(
      R"( {"metadata": {"total_size": 1.5e+9, "x": [-0.5, true, null, {"y": []}]}, "weight_map": {"a": "1.safetensors", "b": "2.safetensors"}} )");
  CHECK(files == std::map<std::string, std::string>{{"a", "1.safetensors"}, {"b", "2.safetensors"}});
  auto const refused = [&](std::string const& text, std::string const& expected) {
    std::string const sentence = said([&] { map_of(text); });
    CAPTURE(sentence);
    CHECK(sentence.find(expected) != std::string::npos);
  };
  refused("", "expected '{' in the JSON text, found its end");
  refused("{}", "expected a weight_map, as an index of safetensors files has, found none");
  refused(R"({"weight_map": {"a": "../x"}})", "a file beside the index for 'a', found '../x'");
  refused(R"({"weight_map": {"a": "/x"}})", "a file beside the index");
  refused(R"({"weight_map": {"a": ""}})", "a file beside the index");
  refused(R"({"weight_map": {"a": ".."}})", "a file beside the index");
  refused(R"({"weight_map": {"a": "x\ny"}})", "a file beside the index for 'a', found 'x?y'");
  refused(R"({"weight_map": {"a": "x", "a": "y"}})", "each name once, found 'a' twice");
  refused(R"({"weight_map": {"a": 1}})", "expected '\"'");
  for (char const* const number : {"01", "1.", ".5", "1e", "+1", "-", "nul", "1.5.5"})
    refused(std::string("{\"metadata\": ") + number + "}", "expected");
  refused("{\"metadata\": nul}", "expected a JSON value, found 'nul}'");
  refused("{\"metadata\": ", "expected a JSON value, found the end");
  refused("{\"metadata\": " + std::string(100000, '[') + "}", "at most 64 levels");
  std::string deep = "{\"metadata\": ";
  for (int i = 0; i < 100; ++i) deep += "{\"x\":";
  refused(deep, "at most 64 levels");

  CHECK(map_of(safetensors_index(files, 12)) == files);
  CHECK(map_of(safetensors_index({}, 0)).empty());
}

TEST_CASE("floats of 16 bits become float and double without a change") {
  for (unsigned h = 0; h < 65536; ++h) {
    auto const stored = static_cast<std::uint16_t>(h);
    int const exponent = static_cast<int>(h >> 10 & 31), fraction = static_cast<int>(h & 1023);
    int const brain_exponent = static_cast<int>(h >> 7 & 255), brain_fraction = static_cast<int>(h & 127);
    double const sign = h & 0x8000 ? -1 : 1;
    double const half = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    double const brain =
        brain_exponent == 0 ? std::ldexp(brain_fraction, -133) : std::ldexp(128 + brain_fraction, brain_exponent - 134);
    auto const check = [&](array_type type, double finite, bool is_finite, bool is_nan) {
      for (array_type const to : {array_type::float32, array_type::float64}) {
        unsigned char room[8]{};
        std::size_t const bytes = name_of(to).bits / 8;
        std::memcpy(room + bytes - 2, &stored, 2);
        widen_in_place(type, to, room, 1);
        double value = 0;
        if (to == array_type::float32) {
          float f;
          std::memcpy(&f, room, 4);
          value = static_cast<double>(f);
        } else {
          std::memcpy(&value, room, 8);
        }
        bool const right = is_nan      ? std::isnan(value)
                           : is_finite ? value == sign * finite && std::signbit(value) == (sign < 0)
                                       : value == sign * HUGE_VAL;
        if (!right) FAIL_CHECK(std::string(name_of(type).name), " ", h, " became ", value);
      }
    };
    check(array_type::float16, half, exponent != 31, exponent == 31 && fraction != 0);
    check(array_type::bfloat16, brain, brain_exponent != 255, brain_exponent == 255 && brain_fraction != 0);
  }
}

TEST_CASE("elements are widened in place, in order") {
  std::vector<float> const from{1.5f, -2, 3e38f, 0, 7};
  std::vector<double> to(5);
  std::memcpy(reinterpret_cast<unsigned char*>(to.data()) + 20, from.data(), 20);
  widen_in_place(array_type::float32, array_type::float64, reinterpret_cast<unsigned char*>(to.data()), 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(to[i] == static_cast<double>(from[i]));
  unsigned char truth[]{0, 1, 7, 0};
  widen_in_place(array_type::uint8, array_type::boolean, truth, 4);
  CHECK(std::equal(truth, truth + 4, std::begin({0, 1, 1, 0})));
  CHECK(widens(array_type::float32, array_type::float64));
  CHECK(widens(array_type::boolean, array_type::uint8));
  CHECK_FALSE(widens(array_type::float64, array_type::float32));
  CHECK_FALSE(widens(array_type::int32, array_type::int64));
  CHECK_FALSE(widens(array_type::int32, array_type::float32));
  CHECK_FALSE(widens(array_type::float8_e5m2, array_type::float8_e5m2));
  CHECK_FALSE(widens(array_type::unreadable, array_type::unreadable));
  for (auto const& t : array_types) CHECK(&name_of(t.type) == &t);
}
