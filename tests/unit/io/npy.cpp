// labels: sanitizers
// The .npy reader against files written here: what is whole is read back, what is not is refused in one sentence.
#include "ashlar/io/npy.hpp"
#include "support/files.hpp"
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::test;
namespace fs = std::filesystem;

namespace {

// A header as NumPy pads it: the elements begin at a multiple of 64.
bytes header(std::string dictionary, int major = 1) {
  std::size_t const lead = major == 1 ? 10 : 12;
  dictionary.resize((lead + dictionary.size() + 64) / 64 * 64 - lead - 1, ' ');
  dictionary += '\n';
  bytes b{0x93, 'N', 'U', 'M', 'P', 'Y', static_cast<std::uint8_t>(major), 0};
  for (std::size_t i = 0; i < lead - 8; ++i) b.push_back(static_cast<std::uint8_t>(dictionary.size() >> 8 * i));
  b.insert(b.end(), dictionary.begin(), dictionary.end());
  return b;
}
bytes header(std::string const& descr, std::string const& shape, int major = 1) {
  return header("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", major);
}

std::string tuple(std::vector<index_t> const& extents) {
  std::string s = "(";
  for (index_t n : extents) s += std::to_string(n) + ", ";
  if (extents.size() > 1) s.resize(s.size() - 2);
  if (extents.size() == 1) s.resize(s.size() - 1);
  return s + ")";
}

struct outcome {
  std::optional<npy_array> array;
  std::string sentence;
};
outcome read(bytes const& content) {
  static temporary_folder const folder;
  write(folder.path / "x", content);
  try {
    return {read_npy(folder.path / "x"), ""};
  } catch (error const& e) {
    return {{}, e.what()};
  }
}
void check_refused(bytes const& content, std::string const& expected, std::string const& found) {
  auto const r = read(content);
  CAPTURE(r.sentence);
  CHECK(!r.array);
  CHECK(r.sentence.find("ashlar::io::read_npy: /") == 0);
  CHECK(r.sentence.find(expected) != std::string::npos);
  CHECK(r.sentence.find(found) != std::string::npos);
}
void check_read(bytes const& content, std::vector<index_t> const& extents, npy_kind kind, bytes const& elements) {
  auto const r = read(content);
  CAPTURE(r.sentence);
  REQUIRE(r.array);
  CHECK(r.array->extents == extents);
  CHECK(r.array->kind == kind);
  CHECK(r.array->bytes == elements);
}

struct type {
  char const* descr;
  npy_kind kind;
  std::size_t size;
};
constexpr type types[]{{"<f4", npy_kind::f4, 4},
                       {"<f8", npy_kind::f8, 8},
                       {"<i4", npy_kind::i4, 4},
                       {"<i8", npy_kind::i8, 8},
                       {"|u1", npy_kind::u1, 1}};

}  // namespace

TEST_CASE("npy: a whole file is read back, of every format, element type and number of dimensions") {
  for (int major : {1, 2, 3})
    for (auto const& t : types) {
      std::vector<index_t> extents;
      for (index_t n : {0, 3, 2, 1, 2, 1, 3, 1, 2}) {
        if (n) extents.push_back(n);
        auto const size = std::accumulate(extents.begin(), extents.end(), index_t{1}, std::multiplies<>());
        auto const elements = counting(static_cast<std::size_t>(size) * t.size);
        check_read(joined(header(t.descr, tuple(extents), major), elements), extents, t.kind, elements);
      }
    }
  check_read(header("<f8", "(3, 0, 5)"), {3, 0, 5}, npy_kind::f8, {});
}

TEST_CASE("npy: the dictionary may be written in other ways that mean the same") {
  auto const elements = counting(48);
  for (char const* d : {"{'shape': (2, 3), 'descr': '<f8', 'fortran_order': False}",
                        "{\"descr\":\"<f8\",\"fortran_order\":False,\"shape\":(2,3,)}",
                        "  { 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , } "})
    check_read(joined(header(d), elements), {2, 3}, npy_kind::f8, elements);
  // Of one dimension there is one order.
  check_read(joined(header("{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }"), elements), {6}, npy_kind::f8,
             elements);
}

TEST_CASE("npy: headers of Python 2 and other writers are read, as numpy.load reads them") {
  auto const elements = counting(48);
  auto const lead = [](std::string const& text) {
    bytes b{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<std::uint8_t>(text.size()), 0};
    b.insert(b.end(), text.begin(), text.end());
    return b;
  };
  for (char const* const d : {"{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L)}\n",
                              "{u'descr': u'<f8', 'fortran_order': False, 'shape': (2, 3L, ), }",
                              "{'descr':\t'<f8',\t'fortran_order':\tFalse,\t'shape':\t(2,\t3)\t}\t",
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
                              "\n{'descr': '<f8',\n'fortran_order': False,\r\n'shape': (2,\n3)}\n \n\n",
                              "{r'descr': R'<f8', 'fortran_order': False, 'shape': (2 L, 3)\f}"})
    check_read(joined(lead(d), elements), {2, 3}, npy_kind::f8, elements);
  struct named {
    char const* descr;
    npy_kind kind;
  };
  for (auto const& t :
       {named{"=f8", npy_kind::f8}, named{"|f8", npy_kind::f8}, named{"f8", npy_kind::f8}, named{"d", npy_kind::f8},
        named{"<d", npy_kind::f8}, named{"float64", npy_kind::f8}, named{"=i8", npy_kind::i8}, named{"q", npy_kind::i8},
        named{"int64", npy_kind::i8}, named{"=f4", npy_kind::f4}, named{"f", npy_kind::f4}, named{"=i4", npy_kind::i4},
        named{"<i", npy_kind::i4}, named{"=u1", npy_kind::u1}, named{"<u1", npy_kind::u1}, named{">u1", npy_kind::u1},
        named{"B", npy_kind::u1}, named{"uint8", npy_kind::u1}}) {
    index_t const n = 48 / static_cast<index_t>(types[static_cast<std::size_t>(t.kind)].size);
    check_read(joined(header(t.descr, "(" + std::to_string(n) + ",)"), elements), {n}, t.kind, elements);
  }
  for (char const* const descr : {"<float64", "<f8 ", " <f8", ">f8", "=", "", "V8", "float128"})
    check_refused(joined(header(descr, "(6,)"), elements), "elements of type <f4", "found '");
}

TEST_CASE("npy: of several arrays in one file the first is read") {
  auto const first = joined(header("<i4", "(5, 4)"), counting(80)), second = joined(header("<f8", "(1,)"), counting(8));
  check_read(joined(first, second), {5, 4}, npy_kind::i4, counting(80));
  check_read(joined(joined(first, second), second), {5, 4}, npy_kind::i4, counting(80));
  check_refused(joined(first, {0x93, 'N', 'U', 'M', 'P', 'Y'}), "expected 80 bytes of elements", "found 86");
  check_refused(joined(first, bytes(100)), "expected 80 bytes of elements", "found 180");
}

TEST_CASE("npy: what is no file is refused, and nobody waits for it") {
  temporary_folder const folder;
  CHECK_THROWS_WITH_AS(read_npy(folder.path / "x"), doctest::Contains("cannot be opened: No such file"), error);
  CHECK_THROWS_WITH_AS(read_npy(folder.path), doctest::Contains("expected a file, found something else"), error);
  REQUIRE(mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(read_npy(folder.path / "pipe"), doctest::Contains("expected a file, found something else"),
                       error);
}

TEST_CASE("npy: a wrong header is refused by name") {
  auto const elements = counting(48);
  auto const refused = [&](std::string const& dictionary, char const* expected, char const* found) {
    check_refused(joined(header(dictionary), elements), expected, found);
  };
  refused("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }", "elements of type <f4", "found '>f8'");
  refused("{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }", "elements of type <f4", "found '<f2'");
  refused("{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }", "elements of type <f4", "found '|O'");
  refused("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", "elements of one type",
          "found records");
  refused("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
          "expected elements in C order, found Fortran order; save numpy.ascontiguousarray(a)", "");
  refused("{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 3), }", "True or False for fortran_order, found '1, ", "");
  refused("{'descr': '<f8', 'shape': (2, 3), }", "keys descr, fortran_order and shape", "found fewer");
  refused("{}", "keys descr, fortran_order and shape", "found fewer");
  refused("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", "keys", "found 'descr' twice");
  refused("{'descr': '<f8', 'order': False, 'shape': (2, 3), }", "keys", "found 'order'");
  refused("{'descr': '<f8', 'fortran_order': False, 'shape': (6), }", "a tuple", "a number in parentheses");
  refused("{'descr': '<f8', 'fortran_order': False, 'shape': (-6,), }", "a number in the shape", "found '-6");
  refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2 3), }", "expected ',' or ')' in the shape, found '3)",
          "");
  refused("{'descr': '<f8', 'fortran_order': False, 'shape': (,), }", "a number in the shape", "found ',)");
  refused("{'descr': '<f8', 'fortran_order': False, 'shape': (02, 3), }", "a number in the shape", "found '02");
  refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 6, 1), }", "0 to 8 dimensions",
          "found more");
  refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } + 1", "blanks and ends of lines", "found '+ 1");
  refused("['descr', '<f8']", "expected '{'", "found '['descr");
  refused("{'descr': '<f8", "a text in quotes", "found ''<f8 ");
  for (int major : {0, 4, 255}) {
    auto other = joined(header("<f8", "(2, 3)"), elements);
    other[6] = static_cast<std::uint8_t>(major);
    check_refused(other, "format 1.0, 2.0 or 3.0", "found " + std::to_string(major) + ".0");
  }
  check_refused(joined({'P', 'K', 3, 4}, elements), "93 'NUMPY'", "other bytes");
}

TEST_CASE("npy: declared sizes allocate nothing that the file does not have") {
  check_refused(joined(header("<f8", "(2147483647, 28, 28)"), counting(100)),
                "bytes of elements (2147483647 x 28 x 28, <f8)", "found 100");
  // The products are 2^64 and 2^67, which are 0 in 64 bits.
  check_refused(header("|u1", "(4294967296, 4294967296)"), "can be addressed", "found 4294967296 x 4294967296");
  check_refused(header("<f8", "(4294967296, 4294967296)"), "can be addressed", "found 4294967296 x 4294967296");
  check_refused(header("<f8", "(2305843009213693952,)"), "can be addressed", "found 2305843009213693952");
  check_refused(header("|u1", "(4294967296, 4294967296, 0)"), "can be addressed", "found 4294967296 x 4294967296 x 0");
  check_refused(header("|u1", "(9223372036854775808,)"), "an extent below 2^63, found '9223372036854775808'", "");
  check_refused(header("|u1", "(" + std::string(400, '9') + ",)"), "below 2^63", "found '999");
  bytes const lead{0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0};
  check_refused(joined(joined(lead, {0xff, 0xff, 0xff, 0xff}), bytes(100, ' ')),
                "a header of at most 65536 bytes, found one of 4294967295", "");
  check_refused(joined(joined(lead, {0, 1, 0, 0}), bytes(100, ' ')), "a header of 256 bytes", "found 100");
}

TEST_CASE("npy: every truncation and every tail is refused") {
  bytes const lead{0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0};
  check_refused(joined(lead, {0, 1}), "expected the length of a header, found the end of the file", "");
  for (int major : {1, 2}) {
    auto const whole = joined(header("<i4", "(5, 4)", major), counting(80));
    for (std::size_t n = 0; n < whole.size(); ++n) {
      CAPTURE(n);
      auto const r = read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)});
      CHECK(!r.array);
      CHECK(r.sentence.find("ashlar::io::read_npy: /") == 0);
    }
    check_refused(joined(whole, {0}), "expected 80 bytes of elements (5 x 4, <i4)", "found 81");
  }
}

TEST_CASE(
    "npy: any byte of the header in place of any other gives an error, the same array, or what is then written there" *
    doctest::test_suite("nightly")) {
  int same = 0, refused = 0, others = 0;
  temporary_folder const folder;
  auto const path = folder.path / "x";
  for (int major : {1, 2}) {
    auto const elements = counting(480);
    auto const whole = joined(header("<f8", "(6, 10)", major), elements);
    std::string_view const descr = "<f8";
    auto const kind_at =
        static_cast<std::size_t>(std::search(whole.begin(), whole.end(), descr.begin(), descr.end()) - whole.begin()) +
        1;
    write(path, whole);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    auto const put = [&](std::size_t i, int byte) {
      file.seekp(static_cast<std::streamoff>(i)).put(static_cast<char>(byte)).flush();
    };
    for (std::size_t i = 0; i + elements.size() < whole.size(); ++i) {
      for (int byte = 0; byte < 256; ++byte) {
        put(i, byte);
        try {
          auto const r = read_npy(path);
          bool const equal = r.extents == std::vector<index_t>{6, 10} && r.bytes == elements;
          bool const integers = i == kind_at && byte == 'i';
          ++(integers ? others : same);
          if (!equal || r.kind != (integers ? npy_kind::i8 : npy_kind::f8))
            FAIL_CHECK("byte " << i << " became " << byte << " and the array another");
        } catch (error const& e) {
          ++refused;
          if (!std::string_view(e.what()).starts_with("ashlar::io::read_npy: /")) FAIL_CHECK(e.what());
        }
      }
      put(i, whole[i]);
    }
  }
  CHECK(others == 2);
  CHECK(same > 0);
  CHECK(refused > 50 * same);
}
