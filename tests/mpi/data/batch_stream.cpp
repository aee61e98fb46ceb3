// Batches of datasets as tensors: every rank has the rows and elements of its shards, whatever the source, the order, the
// last batch and the thread; and what one rank cannot read every rank says.
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/train.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/shared_folder.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::datasets;
using namespace ashlar::io;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
constexpr index_t examples = 11;

std::uint8_t pixel(index_t example, index_t i) { return static_cast<std::uint8_t>(example * 37 + i * 5 + 1); }
idx_array images() {
  idx_array a{{examples, 3, 2}, {}};
  for (index_t e = 0; e < examples; ++e)
    for (index_t i = 0; i < 6; ++i) a.bytes.push_back(pixel(e, i));
  return a;
}
npy_array labels() {
  npy_array a{{examples}, npy_kind::i8, bytes(examples * 8)};
  for (std::int64_t e = 0; e < examples; ++e) std::memcpy(a.bytes.data() + e * 8, &e, 8);
  return a;
}

using pixels_field = batch_field<double, layout<"data", "model">>;
using label_field = batch_field<std::int32_t, layout<"data">>;

// What this process has read by system calls, where the system tells.
std::optional<std::uint64_t> bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string word;
  std::uint64_t n = 0;
  if (io >> word >> n && word == "rchar:") return n;
  return {};
}

// A batch holds what dataset and position say.
template <class Batch>
void check_batch(Batch const& b, dataset const& d) {
  auto const order = d.batches(b.at.epoch);
  auto const& [x, y] = b.tensors;
  std::vector<double> expected;
  std::vector<std::int32_t> expected_labels;
  CHECK(b.examples == order.size(b.at.batch));
  for (index_t i = 0; i < b.rows; ++i) {
    index_t const e = i < b.examples ? d.stored_at(order.examples(b.at.batch, i, i + 1)[0]) : -1;
    for (index_t j = 0; j < 6; ++j) expected.push_back(e < 0 ? 0 : pixel(e, j) * 0.5);
    expected_labels.push_back(static_cast<std::int32_t>(e));
  }
  CHECK(x.extents() == shape::of(b.rows, 6));
  CHECK(denotes(x, expected));
  CHECK(denotes(y, expected_labels));
  std::vector<double> weights(static_cast<std::size_t>(b.rows));
  std::fill_n(weights.begin(), b.examples, 1. / static_cast<double>(b.examples));
  CHECK(denotes(b.template weights<double, layout<"data">>(), weights));
}

void check_two_epochs(device_mesh<grid> const& m, dataset const& d) {
  batch_stream stream(m, d, pixels_field{0.5}, label_field{});
  index_t const batches = (d.examples() + d.how().size - 1) / d.how().size;
  CHECK(stream.count() == batches);
  for (index_t epoch : {0, 1})
    for (index_t i = 0; i < batches; ++i) {
      CHECK(stream.at() == batch_position{epoch, i});
      auto const b = stream.next();
      CHECK(b.at == batch_position{epoch, i});
      CHECK(b.rows == (d.how().last == last_batch::padded ? d.how().size : b.examples));
      check_batch(b, d);
    }
  CHECK(stream.at() == batch_position{2, 0});
}

}  // namespace

TEST_CASE(
    "batches of arrays in memory, on every mesh, of every size, order and last batch, with and without a thread") {
  dataset const all = from_arrays(images(), labels());
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (index_t size : {1, 4, 11, 15})
      for (last_batch last : {last_batch::smaller, last_batch::padded})
        for (int depth : {0, 3}) {
          check_two_epochs(m, all.batch(size, last).prefetch(depth));
          check_two_epochs(m, all.split(4, prng_key{1}).second.shuffle(prng_key{2}).batch(size, last).prefetch(depth));
        }
    CHECK(m.collectives_run() == 0);
  });
}

TEST_CASE("batches of files are those of arrays") {
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    communicator const& c = m.communicator();
    shared_folder const folder(c);
    comm::on_root(c, [&] {
      bytes head{0, 0, 8, 3};
      for (std::uint8_t n : bytes{11, 3, 2}) head = joined(head, {0, 0, 0, n});
      write(folder.path / "images", joined(head, images().bytes));
      write(folder.path / "raw", joined({1, 2, 3}, labels().bytes));
    });
    array_source const in_idx = open_idx(c, folder.path / "images"),
                       in_raw = open_raw<std::int64_t>(c, folder.path / "raw", {examples}, 3);
    // [cache]
    array_source const in_npy = cache_on_disk(c, folder.path / "images.npy", [] { return images(); });
    // [cache]
    array_source const labels_in_npy = cache_on_disk(c, folder.path / "labels.npy", [] { return labels(); });
    CHECK(!in_idx.in_memory());
    CHECK(std::vector<index_t>(in_npy.example_extents().begin(), in_npy.example_extents().end()) ==
          std::vector<index_t>{3, 2});
    CHECK(read_npy(folder.path / "labels.npy").bytes == labels().bytes);
    for (int depth : {0, 2}) {
      check_two_epochs(m, from_arrays(in_idx, in_raw).shuffle(prng_key{3}).batch(4).prefetch(depth));
      check_two_epochs(m, from_arrays(in_npy, labels_in_npy).batch(4, last_batch::padded).prefetch(depth).cache());
    }
  });
}

TEST_CASE("a rank reads of a file what its shards hold, and what is cached once") {
  ASHLAR_NEEDS(bytes_read().has_value());
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    shared_folder const folder(m.communicator());
    constexpr index_t size = 1 << 16;  // large beside what else a process reads
    array_source const source = cache_on_disk(m.communicator(), folder.path / "x.npy", [] {
      return idx_array{{16, size}, counting(16 * size)};
    });
    for (bool cached : {false, true}) {
      dataset const d = from_arrays(source).batch(16);
      batch_stream stream(m, cached ? d.cache() : d, batch_field<std::uint8_t, layout<"data", "model">>{});
      for (int epoch : {0, 1}) {
        std::uint64_t const before = *bytes_read();
        auto const b = stream.next();
        std::uint64_t const read = *bytes_read() - before;
        index_t const rows = std::get<0>(b.tensors).local_extents()[0],
                      columns = std::get<0>(b.tensors).local_extents()[1];
        auto const expected =
            static_cast<std::uint64_t>(rows * (cached ? size : columns)) * (cached && epoch == 1 ? 0 : 1);
        CHECK(read >= expected);
        CHECK(read < expected + size / 2);
      }
    }
  });
}

TEST_CASE(
    "a field has the dimensions of its array, or two, or one for examples of one element; blocks may be block-cyclic") {
  dataset const all = from_arrays(images(), images(), images()).batch(4);
  std::vector<double> expected;
  for (index_t e = 0; e < 4; ++e)
    for (index_t i = 0; i < 6; ++i) expected.push_back(pixel(e, i));
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    batch_stream stream(m, all, batch_field<double, layout<none, "model", "data">>{},
                        batch_field<double, layout<cyclic("data", 1), cyclic("model", 2)>>{},
                        batch_field<double, layout<"model", none, "data">>{});
    auto const b = stream.next();
    auto const& [x, y, z] = b.tensors;
    CHECK(x.extents() == shape::of(4, 3, 2));
    CHECK(denotes(x, expected));
    CHECK(denotes(y, expected));
    CHECK(denotes(z, expected));
  });
}

TEST_CASE("a stream goes on from a position that was kept, in the middle of an epoch, and back") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  dataset const d = from_arrays(images(), labels()).shuffle(prng_key{4}).batch(3);
  for (int depth : {0, 1, 8}) {
    batch_stream stream(m, d.prefetch(depth), pixels_field{0.5}, label_field{});
    for (int i = 0; i < 6; ++i) (void)stream.next();
    batch_position const kept = stream.at();
    CHECK(kept == batch_position{1, 2});
    batch_stream resumed(m, d, pixels_field{0.5}, label_field{});
    resumed.seek(kept);
    for (int i = 0; i < 5; ++i) {
      auto const a = stream.next(), b = resumed.next();
      CHECK(a.at == b.at);
      check_batch(a, d);
      check_batch(b, d);
    }
    stream.seek(kept);
    check_batch(stream.next(), d);
    CHECK(stream.at() == batch_position{1, 3});
    CHECK_THROWS_WITH_AS(stream.seek({0, 4}), doctest::Contains("a batch of 0 to 3, found 0 and 4"), error);
  }
}

TEST_CASE("what does not fit is refused on every rank") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const make = [&](dataset const& d, auto const&... f) { return batch_stream(m, d, f...).count(); };
  batch_field<float, layout<"data">> const flat{};
  label_field const label{};
  CHECK_THROWS_WITH_AS(make(from_arrays(images()), flat), doctest::Contains("give the layout a second dimension"),
                       error);
  CHECK_THROWS_WITH_AS(make(from_arrays(images()), pixels_field{}, label),
                       doctest::Contains("a field for each of 1 arrays, found 2"), error);
  CHECK_THROWS_WITH_AS(
      make(from_arrays(npy_array{{2}, npy_kind::f8, bytes(16)}), label),
      doctest::Contains(
          "expected integers for a field of integers, found elements of type <f8; give the field the type float or double"),
      error);
  CHECK_THROWS_WITH_AS(make(from_arrays(labels()).split(0, prng_key{1}).first, label),
                       doctest::Contains("1 example or more, found none"), error);
  if (m.size() > 1)
    CHECK_THROWS_WITH_AS(
        make(from_arrays(labels()).batch(1 + m.rank()), label),
        doctest::Contains(
            "and each array's type and extents differ between ranks: value 1 is 1 on rank 0 and 2 on rank 1"),
        error);
  // Their sentence names the line of the call.
  batch_stream stream(m, from_arrays(labels()).batch(4), label);
  dataset const nothing = from_arrays(labels()).split(0, prng_key{1}).first;
  auto const said_at = [](unsigned line) { return "; called at batch_stream.cpp:" + std::to_string(line); };
  CHECK_THROWS_WITH_AS((void)batch_stream(m, nothing, label), doctest::Contains(said_at(__LINE__).c_str()), error);
  CHECK_THROWS_WITH_AS(stream.seek({0, 100}), doctest::Contains(said_at(__LINE__).c_str()), error);
}

TEST_CASE("an element that does not fit, which one rank reads, is an error on every rank, and the stream may go on") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  npy_array large = labels();
  large.bytes[7 * 8 + 5] = 1;  // example 7 is 7 + 2^40
  for (int depth : {0, 2}) {
    batch_stream stream(m, from_arrays(large).batch(4).prefetch(depth), label_field{});
    (void)stream.next();
    for (int again : {0, 1}) {
      CAPTURE(again);
      CHECK_THROWS_WITH_AS(
          stream.next(),
          doctest::Contains(
              "ashlar::datasets::batch_stream: expected integers that the tensor's elements can hold, found 1099511627783; give the field a type that holds them"),
          error);
      CHECK(stream.at() == batch_position{0, 1});
    }
    stream.seek({0, 2});
    CHECK(stream.next().examples == 3);
  }
}

TEST_CASE("a number below 0 is an error where the tensor's elements have none, however many bits they have") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  npy_array negative{{4}, npy_kind::i4, bytes(16)};
  std::fill_n(negative.bytes.begin() + 8, 4, std::uint8_t{0xff});
  batch_stream stream(m, from_arrays(negative).batch(4), batch_field<std::uint64_t, layout<"data">>{});
  CHECK_THROWS_WITH_AS(stream.next(), doctest::Contains("that the tensor's elements can hold, found -1"), error);
}

TEST_CASE("a file that becomes shorter is an error on every rank") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  shared_folder const folder(m.communicator());
  array_source const source = cache_on_disk(m.communicator(), folder.path / "labels.npy", [] { return labels(); });
  auto const resize = [&](std::uintmax_t size) {
    comm::on_root(m.communicator(), [&] { std::filesystem::resize_file(folder.path / "labels.npy", size); });
  };
  for (int depth : {0, 1, 4}) {
    batch_stream stream(m, from_arrays(source).batch(4).prefetch(depth), label_field{});
    resize(128 + 9 * 8 + 3);
    for (int i : {0, 1}) CHECK(stream.next().at.batch == i);
    for (int again : {0, 1}) {
      CAPTURE(again);
      CHECK_THROWS_WITH_AS(stream.next(), doctest::Contains("labels.npy: the file changed while it was read"), error);
    }
    resize(128 + examples * 8);
    CHECK(stream.next().examples == 3);
  }
}

TEST_CASE("files that are not there, broken or of another size are refused on every rank") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  communicator const& c = m.communicator();
  shared_folder const folder(c);
  comm::on_root(c, [&] {
    write(folder.path / "broken", {0, 0, 8, 1, 0, 0, 0, 9, 1});
    write(folder.path / "scalar.npy", joined({0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 54, 0}, [] {
            std::string const head = "{'descr':'|u1','fortran_order':False,'shape':()}     \n";
            return joined(bytes(head.begin(), head.end()), {7});
          }()));
  });
  CHECK_THROWS_WITH_AS(open_idx(c, folder.path / "nowhere"), doctest::Contains("found neither"), error);
  CHECK_THROWS_WITH_AS(open_idx(c, folder.path / "broken"), doctest::Contains("expected 9 elements (9), found 1"),
                       error);
  CHECK_THROWS_WITH_AS(open_npy(c, folder.path / "broken"), doctest::Contains("ashlar::io::read_npy: "), error);
  CHECK_THROWS_WITH_AS(open_npy(c, folder.path / "scalar.npy"), doctest::Contains("counts examples, found a scalar"),
                       error);
  CHECK_THROWS_WITH_AS(open_raw<float>(c, folder.path / "broken", {3}),
                       doctest::Contains("expected 12 bytes of elements (3) from byte 0 on, found a file of 9"), error);
  CHECK_THROWS_WITH_AS(open_raw<float>(c, folder.path / "broken", {-1}), doctest::Contains("extents of 0 or more"),
                       error);
  CHECK_THROWS_WITH_AS(open_raw<double>(c, folder.path / "broken", {index_t{1} << 62}),
                       doctest::Contains("can be addressed"), error);
  CHECK_THROWS_WITH_AS(open_raw<std::uint8_t>(c, folder.path / "broken", {1}, 10), doctest::Contains("from byte 10 on"),
                       error);
  CHECK_THROWS_WITH_AS(cache_on_disk(c, folder.path / "missing/x.npy", [] { return labels(); }),
                       doctest::Contains("cannot write"), error);
  CHECK_THROWS_WITH_AS(cache_on_disk(c, folder.path / "x.npy", []() -> idx_array { throw error("not made"); }),
                       doctest::Contains("not made"), error);
}

TEST_CASE("a padded batch gives the loss, the hits and the gradients of one with fewer rows") {
  idx_array answers{{examples}, {}};
  for (index_t e = 0; e < examples; ++e) answers.bytes.push_back(static_cast<std::uint8_t>(e * 5 % 3));
  dataset const d = from_arrays(images(), answers).shuffle(prng_key{6});
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const kernel = tensor_of<double, layout<none, none>>(m, shape::of(6, 3),
                                                              [](index_t g, int) { return small_number(g, 2) / 64.; });
    batch_stream smaller(m, d.batch(4), batch_field<double, layout<"data", none>>{0.25}, label_field{});
    batch_stream padded(m, d.batch(4, last_batch::padded), batch_field<double, layout<"data", none>>{0.25},
                        label_field{});
    auto const logits = [](auto const& k, auto const& x) { return einsum<"bi,io->bo">(x, k); };
    for (int i = 0; i < 3; ++i) {
      auto const a = smaller.next();
      auto const b = padded.next();
      auto const& [x, y] = a.tensors;
      auto const& [px, py] = b.tensors;
      auto const weights = b.template weights<double, layout<"data">>();
      auto const plain_loss = [&](auto const& k, auto const& in, auto const& out) {
        return softmax_cross_entropy(logits(k, in), out);
      };
      auto const weighted_loss = [&](auto const& k, auto const& in, auto const& out, auto const& w) {
        return softmax_cross_entropy(logits(k, in), out, w);
      };
      auto const [l, g] = value_and_grad<"data">(plain_loss)(kernel, x, y);
      auto const [pl, pg] = value_and_grad<"data">(weighted_loss)(kernel, px, py, weights);
      CHECK(item(all_reduce(pl)) == doctest::Approx(item(all_reduce(l))).epsilon(1e-14));
      auto const expected = gather_all(all_reduce(g)), found = gather_all(all_reduce(pg));
      for (std::size_t j = 0; j < expected.size(); ++j) CHECK(found[j] == doctest::Approx(expected[j]).epsilon(1e-12));
      CHECK(item(all_reduce(accuracy_count(logits(kernel, px), py))) ==
            item(all_reduce(accuracy_count(logits(kernel, x), y))));
    }
  });
}
