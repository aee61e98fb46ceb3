// MNIST's files as datasets: the examples of the files, and sentences about files that are wrong, on every rank.
#include "../examples/support/open_mnist.hpp"
#include "support/shared_folder.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::io;
using namespace examples;
using namespace ashlar::test;

namespace {

bytes idx(std::vector<std::uint8_t> const& extents, bytes const& elements) {
  bytes file{0, 0, 8, static_cast<std::uint8_t>(extents.size())};
  for (std::uint8_t const n : extents) file = joined(file, {0, 0, 0, n});
  return joined(file, elements);
}
void write_part(shared_folder const& f, std::string const& part, bytes const& images, bytes const& labels) {
  comm::on_root(f.ranks, [&] {
    write(f.path / (part + "-images-idx3-ubyte"), images);
    write(f.path / (part + "-labels-idx1-ubyte"), labels);
  });
}

}  // namespace

TEST_CASE("the datasets have the files' examples, and a checksum of their bytes") {
  shared_folder const f;
  bytes const pixels = counting(3 * 784), test_pixels = counting(784);
  write_part(f, "train", idx({3, 28, 28}, pixels), idx({3}, {7, 0, 9}));
  write_part(f, "t10k", idx({1, 28, 28}, test_pixels), idx({1}, {4}));
  auto const [training, test] = open_mnist(f.ranks, f.path);
  CHECK(training.examples() == 3);
  CHECK(test.examples() == 1);
  bytes scratch(784);
  std::uint8_t const* const image = training.arrays()[0].read(2, 0, 784, scratch.data());
  CHECK(bytes(image, image + 784) == bytes(pixels.begin() + 2 * 784, pixels.end()));
  CHECK(*training.arrays()[1].read(2, 0, 1, scratch.data()) == 9);
  bytes const labels{7, 0, 9};
  std::uint32_t const expected = crc32c(crc32c(0, pixels.data(), pixels.size()), labels.data(), labels.size());
  CHECK(checksum(f.ranks, training) == expected);
  CHECK(checksum(f.ranks, test) != expected);

  auto const in_memory = digit_sets_of({{{3, 28, 28}, pixels}, {{3}, labels}, {{1, 28, 28}, test_pixels}, {{1}, {4}}});
  CHECK(checksum(f.ranks, in_memory.training) == expected);
  CHECK(in_memory.test.examples() == 1);
}

TEST_CASE("other images and other labels are refused on every rank") {
  shared_folder const f;
  write_part(f, "t10k", idx({1, 28, 28}, counting(784)), idx({1}, {4}));
  CHECK_THROWS_WITH_AS(open_mnist(f.ranks, f.path), doctest::Contains("found neither"), error);
  write_part(f, "train", idx({2, 28, 28}, counting(2 * 784)), idx({2}, {3, 10}));
  CHECK_THROWS_WITH_AS(open_mnist(f.ranks, f.path),
                       doctest::Contains("train: expected labels 0 to 9, found 10 at index 1;"), error);
  write_part(f, "train", idx({2, 2, 2}, counting(8)), idx({2}, {3, 1}));
  CHECK_THROWS_WITH_AS(open_mnist(f.ranks, f.path), doctest::Contains("train: expected images of 28 x 28 bytes"),
                       error);
  write_part(f, "train", idx({0, 28, 28}, {}), idx({0}, {}));
  CHECK_THROWS_AS(open_mnist(f.ranks, f.path), error);
}
