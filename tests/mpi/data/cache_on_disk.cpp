// A cache is used where every byte of it is what was written, and is made anew where one is not.
#include "ashlar/data/cache_on_disk.hpp"
#include "support/mpi_main.hpp"
#include "support/shared_folder.hpp"
#include <doctest/doctest.h>
#include <filesystem>

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;
using namespace ashlar::test;

namespace {

idx_array examples() { return {{5, 40}, counting(200)}; }

// A cache in a folder of its own, and how often it was made.
struct counted_cache {
  shared_folder folder;
  std::filesystem::path path = folder.path / "x.npy", seal = folder.path / "x.npy.seal";
  int made = 0;

  // The examples, which must be right, and whether they were made for it.
  bool makes(std::string_view of = "examples") {
    int const before = made;
    array_source const a = cache_on_disk(
        folder.ranks, path, [&] { return ++made, examples(); }, of);
    bool const right = comm::collectively(folder.ranks, [&] {  // until all have read it
      bytes scratch(40);
      bool same = true;
      for (index_t e = 0; e < 5; ++e)
        same = same && std::memcmp(a.read(e, 0, 40, scratch.data()), examples().bytes.data() + e * 40, 40) == 0;
      return same;
    });
    CHECK(right);
    int anew = made - before;  // on rank 0
    comm::broadcast(folder.ranks, &anew, 1, 0);
    return anew == 1;
  }
  template <class F>
  void on_root(F f) {
    comm::on_root(folder.ranks, f);
  }
};

bytes content(std::filesystem::path const& file) {
  bytes b(std::filesystem::file_size(file));
  io_detail::checked_file(file, "test").read(0, b.data(), b.size());
  return b;
}

}  // namespace

TEST_CASE("a cache is made once, and again where it is of something else") {
  counted_cache cache;
  CHECK(cache.makes());
  CHECK(!cache.makes());
  CHECK(cache.makes("others"));
  CHECK(!cache.makes("others"));
  CHECK(cache.makes());
  CHECK(read_npy(cache.path).bytes == examples().bytes);
  cache.on_root([&] {
    for (auto const& e : std::filesystem::directory_iterator(cache.folder.path)) CHECK(e.path().extension() != ".part");
  });
}

TEST_CASE("a cache that lacks a byte, or has another, is made anew, and so is one without its seal") {
  counted_cache cache;
  CHECK(cache.makes());
  for (auto const& file : {cache.path, cache.seal}) {
    bytes const whole = comm::collectively(cache.folder.ranks, [&] { return content(file); });
    for (std::size_t i = 0; i < whole.size(); i += 7) {
      CAPTURE(file);
      CAPTURE(i);
      cache.on_root([&] {
        bytes other = whole;
        other[i] ^= static_cast<std::uint8_t>(1u << i % 8);
        write(file, other);
      });
      CHECK(cache.makes());
      cache.on_root([&] { std::filesystem::resize_file(file, i); });
      CHECK(cache.makes());
    }
    cache.on_root([&] { write(file, joined(whole, {0})); });
    CHECK(cache.makes());
    cache.on_root([&] { std::filesystem::remove(file); });
    CHECK(cache.makes());
    cache.on_root([&] { CHECK(content(file) == whole); });
    CHECK(!cache.makes());
  }
}

TEST_CASE("what was left of a run that was killed while it wrote is of no account") {
  counted_cache cache;
  char host[256]{};
  REQUIRE(::gethostname(host, sizeof host - 1) == 0);
  std::string const here = "." + std::string(host) + "@", no_process = std::to_string(1 << 30),
                    a_process = std::to_string(::getpid());
  std::vector<std::string> const abandoned{cache.path.string() + here + no_process + "-7.part",
                                           cache.seal.string() + here + no_process + "-7.part"};
  std::vector<std::string> const others{cache.path.string() + here + a_process + "-7.part",
                                        cache.path.string() + ".elsewhere@" + no_process + "-7.part",
                                        cache.path.string() + here + "x.part", cache.path.string() + ".part"};
  cache.on_root([&] {
    for (auto const* files : {&abandoned, &others})
      for (std::string const& file : *files) write(file, {1, 2, 3});
  });
  CHECK(cache.makes());
  CHECK(!cache.makes());
  cache.on_root([&] {
    for (std::string const& file : abandoned) CHECK(!std::filesystem::exists(file));
    for (std::string const& file : others) CHECK(std::filesystem::exists(file));
  });
}

TEST_CASE("a cache that cannot be written is an error on every rank") {
  counted_cache cache;
  communicator const c(MPI_COMM_WORLD);
  auto const path = cache.folder.path / "no" / "x.npy";
  CHECK_THROWS_WITH_AS(cache_on_disk(c, path, examples),
                       doctest::Contains(("ashlar::datasets::cache_on_disk: cannot write " + path.string() +
                                          "; choose a file in a folder that may be written and has room: ")
                                             .c_str()),
                       error);
}

TEST_CASE("of two programs that make a cache at the same time neither meets the other") {
  counted_cache cache;
  cache.on_root([&] {
    std::string const text = "all of it";
    data_detail::sealed_file first(cache.path), second(cache.path);
    first.write(text.data(), text.size());
    second.write(text.data(), 3);
    data_detail::part_names(cache.path).remove_abandoned();
    first.finish();
    CHECK(content(cache.path) == bytes(text.begin(), text.end()));
    second.write(text.data() + 3, text.size() - 3);
    second.finish();
    CHECK(content(cache.path) == bytes(text.begin(), text.end()));
    CHECK(first.seal("x") == second.seal("x"));
    for (auto const& e : std::filesystem::directory_iterator(cache.folder.path)) CHECK(e.path().extension() != ".part");
  });
}
