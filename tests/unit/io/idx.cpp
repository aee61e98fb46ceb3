// labels: sanitizers
// The IDX reader against files written here: what is whole is read back, what is not is refused in one sentence.
#include "ashlar/io/idx.hpp"
#include "ashlar/io/zlib.hpp"
#include "support/files.hpp"
#include <doctest/doctest.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::test;
namespace fs = std::filesystem;

// The largest block anybody asks for, so that a test can say "this file made nobody allocate". Inlined, g++ takes the
// pair for mismatched.
namespace {
std::size_t largest_block = 0;
}
#ifndef __CUDA_ARCH__  // nvcc would compile them for the device, too
[[gnu::noinline]] void* operator new(std::size_t n) {
  largest_block = std::max(largest_block, n);
  if (void* p = std::malloc(n > 0 ? n : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace {

bytes header(std::vector<std::uint32_t> const& extents, std::uint8_t type = 8) {
  bytes b{0, 0, type, static_cast<std::uint8_t>(extents.size())};
  for (std::uint32_t n : extents)
    for (int shift : {24, 16, 8, 0}) b.push_back(static_cast<std::uint8_t>(n >> shift));
  return b;
}

bytes gzip(bytes const& content) {
  z_stream s{};
  REQUIRE(deflateInit2(&s, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  bytes out(deflateBound(&s, content.size()) + 64);
  bytes in = content;
  s.next_in = in.data();
  s.avail_in = static_cast<uInt>(in.size());
  s.next_out = out.data();
  s.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&s, Z_FINISH) == Z_STREAM_END);
  out.resize(s.total_out);
  deflateEnd(&s);
  return out;
}

bytes labels(std::uint32_t n) {
  bytes b(n);
  for (std::uint32_t i = 0; i < n; ++i) b[i] = static_cast<std::uint8_t>(i % 10);
  return joined(header({n}), b);
}

// What reading `content` gives: an array, or the sentence of the error.
struct outcome {
  std::optional<idx_array> array;
  std::string sentence;
};
outcome read(bytes const& content) {
  static temporary_folder const folder;
  write(folder.path / "x", content);
  try {
    return {read_idx(folder.path / "x"), ""};
  } catch (error const& e) {
    return {{}, e.what()};
  }
}
void check_refused(bytes const& content, std::string const& expected, std::string const& found) {
  auto const r = read(content);
  CAPTURE(r.sentence);
  CHECK(!r.array);
  CHECK(r.sentence.find("ashlar::io::read_idx: /") == 0);
  CHECK(r.sentence.find(expected) != std::string::npos);
  CHECK(r.sentence.find(found) != std::string::npos);
}
void check_read(bytes const& content, std::vector<index_t> const& extents, bytes const& elements) {
  auto const r = read(content);
  CAPTURE(r.sentence);
  REQUIRE(r.array);
  CHECK(r.array->extents == extents);
  CHECK(r.array->bytes == elements);
}

}  // namespace

TEST_CASE("a whole file is read back, plain and gzipped, of every rank") {
  std::vector<std::uint32_t> extents;
  for (std::uint32_t n : {3u, 2u, 1u, 2u, 1u, 3u, 1u, 2u}) {
    extents.push_back(n);
    auto const size = std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
    auto const elements = counting(size);
    auto const file = joined(header(extents), elements);
    check_read(file, {extents.begin(), extents.end()}, elements);
    check_read(gzip(file), {extents.begin(), extents.end()}, elements);
  }
}

TEST_CASE("sizes around the buffers, and none") {
  for (std::uint32_t n : {0u, 1u, 65527u, 65528u, 65529u, 65535u, 65536u, 65537u, 131064u, 131072u, 1000003u}) {
    auto const elements = counting(n);
    auto const file = joined(header({n}), elements);
    check_read(file, {n}, elements);
    check_read(gzip(file), {n}, elements);
  }
  check_read(header({0xffffffffu, 0}), {0xffffffff, 0}, {});
  check_refused(header({0xffffffffu, 0xffffffffu, 0xffffffffu, 0}), "elements can be addressed", "x 0");
}

TEST_CASE("gzip members one behind the other, empty ones too, are one file") {
  auto const elements = counting(1000);
  auto const file = joined(header({10, 100}), elements);
  for (std::size_t cut = 0; cut <= file.size(); cut += 13) {
    auto const at = file.begin() + static_cast<std::ptrdiff_t>(cut);
    auto const two = joined(gzip({file.begin(), at}), gzip({at, file.end()}));
    check_read(two, {10, 100}, elements);
    check_read(joined(two, gzip({})), {10, 100}, elements);
    check_refused(joined(two, gzip({1})), "expected 1000 elements (10 x 100)", "found more");
  }
}

TEST_CASE("the name, or the name with .gz") {
  temporary_folder const folder;
  auto const name = folder.path / "digits";
  auto const sentence =
      "ashlar::io::read_idx: expected a file " + name.string() + " or " + name.string() + ".gz, found neither";
  CHECK_THROWS_WITH_AS(read_idx(name), sentence.c_str(), error);
  write(folder.path / "digits.gz", gzip(labels(20)));
  CHECK(read_idx(name).bytes.size() == 20);
  CHECK(read_idx(folder.path / "digits.gz").bytes.size() == 20);
  write(name, labels(30));
  CHECK(read_idx(name).bytes.size() == 30);
  write(folder.path / "plain.gz", labels(40));  // the content decides, not the name
  CHECK(read_idx(folder.path / "plain").bytes.size() == 40);
}

TEST_CASE("what is no file, or may not be read") {
  temporary_folder const folder;
  fs::create_directory(folder.path / "d");
  CHECK_THROWS_WITH_AS(read_idx(folder.path / "d"), doctest::Contains("expected a file, found something else"), error);
  REQUIRE(mkfifo((folder.path / "pipe").c_str(), 0600) == 0);  // opening it would wait for a writer
  CHECK_THROWS_WITH_AS(read_idx(folder.path / "pipe"), doctest::Contains("found something else"), error);
  fs::create_symlink(folder.path / "nowhere", folder.path / "link");
  CHECK_THROWS_WITH_AS(read_idx(folder.path / "link"), doctest::Contains("found neither"), error);
  write(folder.path / "secret", labels(10));
  fs::permissions(folder.path / "secret", fs::perms::none);
  if (access((folder.path / "secret").c_str(), R_OK) != 0)  // root may
    CHECK_THROWS_WITH_AS(read_idx(folder.path / "secret"), doctest::Contains("Permission denied"), error);
}

TEST_CASE("a wrong header is refused by name") {
  auto const file = joined(header({2, 3}), counting(6));
  for (std::size_t at : {0u, 1u}) {
    auto broken = file;
    broken[at] = 1;
    check_refused(broken, "expected an IDX file", "found other ones");
  }
  for (int type = 0; type < 256; ++type) {
    auto const typed = joined(header({2}, static_cast<std::uint8_t>(type)), counting(2));
    if (type != 8) check_refused(typed, "elements of type 8 (unsigned byte)", "found type " + std::to_string(type));
  }
  check_refused(joined(header({2}, 13), counting(8)), "unsigned byte", "found type 13 (float)");
  check_refused(joined(header({}), {1}), "expected 1 to 8 dimensions", "found 0");
  check_refused(joined(header({1, 1, 1, 1, 1, 1, 1, 1, 1}), {1}), "expected 1 to 8 dimensions", "found 9");
  check_refused({'P', 'K', 3, 4}, "expected an IDX file", "found other ones");
}

TEST_CASE("every truncation is refused") {
  auto const file = joined(header({5, 20}), counting(100));
  auto const packed = gzip(file);
  for (auto const& whole : {file, packed})
    for (std::size_t n = 0; n < whole.size(); ++n) {
      CAPTURE(n);
      auto const r = read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)});
      CHECK(!r.array);
      CHECK(r.sentence.find("ashlar::io::read_idx") == 0);
    }
  check_refused({}, "expected a header of at least 4 bytes, found the end of the file", "");
  check_refused({file.begin(), file.begin() + 8}, "expected 2 extents, found 1", "");
  check_refused({file.begin(), file.end() - 1}, "expected 100 elements (5 x 20), found 99", "");
  check_refused({packed.begin(), packed.end() - 1}, "expected whole gzip data", "found that they end in the middle");
}

TEST_CASE("trailing bytes are refused") {
  auto const file = joined(header({5, 20}), counting(100));
  check_refused(joined(file, {0}), "expected 100 elements (5 x 20), found more", "");
  check_refused(gzip(joined(file, {0})), "expected 100 elements (5 x 20)", "found more");
  for (bytes const& tail : {bytes{0, 0}, bytes(512), bytes{'x', 'y'}})
    check_refused(joined(gzip(file), tail), "expected sound gzip data", "found incorrect header check");
  for (bytes const& tail : {bytes{0}, bytes{0x1f}, bytes{0x1f, 0x8b}})
    check_refused(joined(gzip(file), tail), "expected whole gzip data", "found that they end in the middle");
}

TEST_CASE("every changed byte of a gzip file is noticed, or changes nothing that counts" *
          doctest::test_suite("nightly")) {
  auto const elements = counting(60);
  auto const packed = gzip(joined(header({6, 10}), elements));
  int noticed = 0, harmless = 0;
  for (std::size_t i = 0; i < packed.size(); ++i)
    for (int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      auto broken = packed;
      broken[i] ^= static_cast<std::uint8_t>(flip);
      auto const r = read(broken);
      if (!r.array) {
        ++noticed;
      } else {
        ++harmless;
        CHECK(i < 10);  // the gzip header has a time and the like
        CHECK(r.array->extents == std::vector<index_t>{6, 10});
        CHECK(r.array->bytes == elements);
      }
    }
  CHECK(noticed > harmless);
}

TEST_CASE("declared sizes allocate nothing before the elements were seen") {
  auto const limit = std::size_t{1} << 20;
  auto const check = [&](bytes const& content, char const* expected, char const* found) {
    temporary_folder const folder;
    write(folder.path / "x", content);
    largest_block = 0;
    CHECK_THROWS_WITH_AS(read_idx(folder.path / "x"), doctest::Contains(expected), error);
    CHECK_THROWS_WITH_AS(read_idx(folder.path / "x"), doctest::Contains(found), error);
    CHECK(largest_block > 0);
    CHECK(largest_block < limit);
  };
  for (bool packed : {false, true}) {
    auto const as = [&](bytes const& b) { return packed ? gzip(b) : b; };
    check(as(joined(header({0x7fffffff, 28, 28}), counting(100))), "expected 1683627179248 elements", "found 100");
    check(as(header({0xffffffff, 0xffffffff})), "elements can be addressed", "found 4294967295 x 4294967295");
    // The product is 2^64, which is 0 in 64 bits.
    check(as(header({1u << 31, 1u << 31, 4})), "elements can be addressed", "found 2147483648 x 2147483648 x 4");
    check(as(header({1u << 31, 1u << 31, 2})), "elements can be addressed", "found 2147483648 x 2147483648 x 2");
  }
}

TEST_CASE("a gzip bomb is inflated no further than declared") {
  auto const bomb = gzip(joined(header({10}), bytes(std::size_t{1} << 25)));
  REQUIRE(bomb.size() < (1 << 16));
  temporary_folder const folder;
  write(folder.path / "bomb.gz", bomb);
  largest_block = 0;
  CHECK_THROWS_WITH_AS(read_idx(folder.path / "bomb"), doctest::Contains("expected 10 elements"), error);
  CHECK(largest_block < (1 << 20));
}

namespace {
void write_digits(fs::path const& folder, bool packed) {
  for (auto [part, n] : {std::pair{"train", 30u}, std::pair{"t10k", 20u}}) {
    auto const images = joined(header({n, 28, 28}), counting(n * 784)), classes = labels(n);
    std::string const end = packed ? "-ubyte.gz" : "-ubyte";
    write(folder / (part + ("-images-idx3" + end)), packed ? gzip(images) : images);
    write(folder / (part + ("-labels-idx1" + end)), packed ? gzip(classes) : classes);
  }
}
}  // namespace

TEST_CASE("read_mnist reads four files") {
  for (bool packed : {false, true}) {
    temporary_folder const folder;
    write_digits(folder.path, packed);
    auto const data = read_mnist(folder.path);
    CHECK(data.train_images.extents == std::vector<index_t>{30, 28, 28});
    CHECK(data.train_labels.extents == std::vector<index_t>{30});
    CHECK(data.test_images.extents == std::vector<index_t>{20, 28, 28});
    CHECK(data.test_labels.extents == std::vector<index_t>{20});
    CHECK(data.train_images.bytes == counting(30 * 784));
    CHECK(data.test_labels.bytes[19] == 9);
  }
}

TEST_CASE("read_mnist refuses what does not belong together") {
  auto const check = [](std::string const& file, bytes const& content, std::string const& sentence) {
    temporary_folder const folder;
    write_digits(folder.path, false);
    write(folder.path / file, content);
    CHECK_THROWS_WITH_AS(read_mnist(folder.path), doctest::Contains(sentence.c_str()), error);
  };
  check("train-images-idx3-ubyte", joined(header({1, 9, 9}), bytes(81)), "extents n x 28 x 28, found 1 x 9 x 9");
  check("t10k-images-idx3-ubyte", labels(20), "expected extents n x 28 x 28, found 20");
  check("t10k-images-idx3-ubyte", header({0, 28, 28}), "expected extents n x 28 x 28, found 0 x 28 x 28");
  check("train-labels-idx1-ubyte", labels(29), "expected 30 labels, one for each image, found extents 29");
  check("train-labels-idx1-ubyte", joined(header({30, 1}), bytes(30)), "found extents 30 x 1");
  auto wrong = labels(20);
  wrong[8 + 13] = 10;
  check("t10k-labels-idx1-ubyte", wrong, "t10k-labels-idx1-ubyte: expected labels 0 to 9, found 10 at index 13");
  temporary_folder const empty;
  CHECK_THROWS_WITH_AS(read_mnist(empty.path), doctest::Contains("found neither"), error);
  CHECK_THROWS_WITH_AS(read_mnist(empty.path / "nowhere"), doctest::Contains("found neither"), error);
}

TEST_CASE("MNIST itself, where ASHLAR_DATA names its folder") {
  char const* folder = std::getenv("ASHLAR_DATA");
  if (folder == nullptr) {
    MESSAGE("ASHLAR_DATA is not set: MNIST itself was not read");
    return;
  }
  auto const data = read_mnist(folder);
  CHECK(data.train_images.extents == std::vector<index_t>{60000, 28, 28});
  CHECK(data.test_images.extents == std::vector<index_t>{10000, 28, 28});
  auto const crc = [](bytes const& b) { return crc32(0, b.data(), static_cast<uInt>(b.size())); };
  CHECK(crc(data.train_images.bytes) == 0xf3639b56u);
  CHECK(crc(data.train_labels.bytes) == 0xba07e8efu);
  CHECK(crc(data.test_images.bytes) == 0xe4ca5f57u);
  CHECK(crc(data.test_labels.bytes) == 0xee8604d9u);
}
