// MNIST's four files as datasets.
#pragma once
#include <ashlar/comm/collectives/all_gather.hpp>
#include <ashlar/data/dataset.hpp>
#include <ashlar/data/open.hpp>
#include <ashlar/io/crc32c.hpp>

namespace examples {

using namespace ashlar;

// Rank 0 looks through the labels.
inline void require_digits(communicator const& c, datasets::dataset const& d, std::string const& name) {
  datasets::array_source const &images = d.arrays()[0], &labels = d.arrays()[1];
  comm::on_root(c, [&] {
    auto const extents = images.example_extents();
    if (extents.size() != 2 || extents[0] != 28 || extents[1] != 28 || labels.size() != 1 || images.examples() < 1)
      throw error("open_mnist: " + name +
                  ": expected images of 28 x 28 bytes, one or more, and a label of one byte for each; name a folder "
                  "with MNIST's files");
    for (index_t i = 0; i < labels.examples(); ++i)
      if (std::uint8_t byte = 0, label = *labels.read(i, 0, 1, &byte); label > 9)
        throw error("open_mnist: " + name + ": expected labels 0 to 9, found " + std::to_string(label) + " at index " +
                    std::to_string(i) + "; name a folder with MNIST's files");
  });
}

/// Digits as datasets of two arrays: images and labels.
struct digit_sets {
  datasets::dataset training, test;
};

/// Opens MNIST's four IDX files in a folder, gzipped or not. Each rank reads the images of its shards when it needs them;
/// of gzipped files every rank keeps all.
/// Collective: all ranks of c.
/// Cost: as open_idx; rank 0 reads all labels.
/// Error: ashlar::error on every rank as open_idx; if images are not 28 x 28, if there is none, or if a label is above 9.
/// Example: auto const [training, test] = open_mnist(m.communicator(), "mnist");
inline digit_sets open_mnist(communicator const& c, std::string const& folder) {
  auto const open = [&](char const* part) {
    std::string const name = folder + "/" + part;
    auto images = datasets::open_idx(c, name + "-images-idx3-ubyte");
    datasets::dataset const d = from_arrays(std::move(images), datasets::open_idx(c, name + "-labels-idx1-ubyte"));
    require_digits(c, d, name);
    return d;
  };
  datasets::dataset training = open("train");
  return {std::move(training), open("t10k")};
}

/// The same datasets from digits in memory.
/// Example: auto const [training, test] = digit_sets_of(synthetic_digits(prng_key{1}, 60000, 10000));
inline digit_sets digit_sets_of(io::digit_data data) {
  return {datasets::from_arrays(std::move(data.train_images), std::move(data.train_labels)),
          datasets::from_arrays(std::move(data.test_images), std::move(data.test_labels))};
}

/// The CRC-32C of all bytes of a dataset's arrays, one array after the other. Rank 0 reads them once.
/// Collective: all ranks of c. Post: the same on every rank.
/// Example: conditions{.checksum = checksum(m.communicator(), training)}
inline std::uint32_t checksum(communicator const& c, datasets::dataset const& d) {
  std::uint32_t sum = 0;
  comm::on_root(c, [&] {
    for (datasets::array_source const& a : d.arrays()) {
      std::vector<std::uint8_t> scratch(static_cast<std::size_t>(a.size()));
      for (index_t i = 0; i < a.examples(); ++i)
        sum = io::crc32c(sum, a.read(i, 0, a.size(), scratch.data()), scratch.size());
    }
  });
  comm::broadcast(c, &sum, 1, 0);
  return sum;
}

}  // namespace examples
