// Tensors in .npy files: files written here byte by byte, round trips over layouts, and files that are not as expected.
#include "ashlar/io/npy_files.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/file_size_limit.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include "support/peak_memory.hpp"
#include "support/provoked.hpp"
#include "support/shared_folder.hpp"
#include <doctest/doctest.h>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <type_traits>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"p">, axis<"q">>;

template <class T>
struct part_of_complex {
  using type = T;
};
template <class T>
struct part_of_complex<Kokkos::complex<T>> {
  using type = T;
};

// Element g of every array: it has another value in each byte.
template <class T>
T value(index_t g) {
  if constexpr (std::is_same_v<T, bool>)
    return g % 3 == 1;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<unsigned long long>(g + 1) * 0x0123456789abcdefull);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(g * 3 - 7) / T(7);
  else
    return T(value<typename T::value_type>(g), value<typename T::value_type>(-g));
}

// The bytes of a file of the type `descr`, whose elements are value<T>.
template <class T>
bytes file_of(std::string const& descr, shape const& n, bool fortran, int major) {
  std::string shape_text;
  for (int d = 0; d < n.rank; ++d) shape_text += std::to_string(n[d]) + ",";
  std::string text = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" +
                     shape_text + "), }\n";
  bytes b{0x93, 'N', 'U', 'M', 'P', 'Y', static_cast<std::uint8_t>(major), 0};
  for (std::size_t i = 0; i < (major == 1 ? 2u : 4u); ++i) b.push_back(static_cast<std::uint8_t>(text.size() >> 8 * i));
  b.insert(b.end(), text.begin(), text.end());
  using part = typename part_of_complex<T>::type;
  for (index_t k = 0; k < n.size(); ++k) {
    index_t g = k;
    if (fortran) {
      index_t rest = k, stride = n.size();
      g = 0;
      index_t index[layout_detail::max_rank]{};
      for (int d = 0; d < n.rank; ++d) index[d] = rest % n[d], rest /= n[d];
      for (int d = 0; d < n.rank; ++d) stride /= n[d], g += index[d] * stride;
    }
    T const x = value<T>(g);
    std::uint8_t raw[sizeof(T)];
    std::memcpy(raw, &x, sizeof x);
    if (descr[0] == '>')
      for (std::size_t at = 0; at < sizeof(T); at += sizeof(part)) std::reverse(raw + at, raw + at + sizeof(part));
    b.insert(b.end(), raw, raw + sizeof(T));
  }
  return b;
}

// True if every element of a tensor is value<T>, on the ranks that its layout says.
template <class X>
bool has_values(X const& x) {
  using T = element_t<X>;
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<unsigned char> all(static_cast<std::size_t>(x.extents().size()));
    for (std::size_t g = 0; g < all.size(); ++g) all[g] = value<T>(static_cast<index_t>(g));
    return denotes(cast<unsigned char>(x), all);
  } else {
    std::vector<T> all(static_cast<std::size_t>(x.extents().size()));
    for (std::size_t g = 0; g < all.size(); ++g) all[g] = value<T>(static_cast<index_t>(g));
    return denotes(x, all);
  }
}
template <class T, class L>
auto tensor_of_values(device_mesh<grid> const& m, shape const& n) {
  if constexpr (std::is_same_v<T, bool>)
    return plan_detail::materialize(
        tensor_of<float, L>(m, n, [](index_t g, int) { return value<bool>(g) ? 1.f : 0.f; }) > 0.f);
  else
    return tensor_of<T, L>(m, n, [](index_t g, int) { return value<T>(g); });
}

// Writes an array whose elements are value<T> in Fortran order: as its transpose, whose layout is L, with another header.
template <class T, class L>
void save_in_fortran_order(device_mesh<grid> const& m, std::filesystem::path const& path, shape const& n) {
  auto const transposed = io_detail::reversed(n);
  auto const number = [n, transposed](index_t g) {
    index_t sum = 0;
    for (int d = 0; d < n.rank; ++d) sum += g / transposed.stride(d) % transposed[d] * n.stride(n.rank - 1 - d);
    return sum;
  };
  save_npy(m, path, tensor_of<T, L>(m, transposed, [&](index_t g, int) { return value<T>(number(g)); }));
  comm::on_root(m.communicator(), [&] {
    std::string text(4096, '\0');
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    file.clear();
    auto const at = text.find("'fortran_order'");
    std::string dictionary = "'fortran_order': True, 'shape': (";
    for (int d = 0; d < n.rank; ++d) dictionary += std::to_string(n[d]) + (d + 1 < n.rank ? ", " : "), } ");
    file.seekp(static_cast<std::streamoff>(at));
    file.write(dictionary.data(), static_cast<std::streamsize>(dictionary.size()));
  });
}

bool is_alone(std::filesystem::path const& file) {
  auto const all = std::filesystem::directory_iterator(file.parent_path());
  return std::distance(begin(all), end(all)) == (std::filesystem::exists(file) ? 1 : 0);
}

template <class T>
struct type_in_file;
template <class T>
  requires std::is_same_v<T, bool>
struct type_in_file<T> {
  static constexpr char const* text = "|b1";
};
#define ASHLAR_TEST_TYPE(T, name)             \
  template <>                                 \
  struct type_in_file<T> {                    \
    static constexpr char const* text = name; \
  };
ASHLAR_TEST_TYPE(std::int8_t, "|i1")
ASHLAR_TEST_TYPE(std::int16_t, "<i2")
ASHLAR_TEST_TYPE(std::int32_t, "<i4")
ASHLAR_TEST_TYPE(std::int64_t, "<i8")
ASHLAR_TEST_TYPE(std::uint8_t, "|u1")
ASHLAR_TEST_TYPE(std::uint16_t, "<u2")
ASHLAR_TEST_TYPE(std::uint32_t, "<u4")
ASHLAR_TEST_TYPE(std::uint64_t, "<u8")
ASHLAR_TEST_TYPE(float, "<f4")
ASHLAR_TEST_TYPE(double, "<f8")
ASHLAR_TEST_TYPE(Kokkos::complex<float>, "<c8")
ASHLAR_TEST_TYPE(Kokkos::complex<double>, "<c16")
#undef ASHLAR_TEST_TYPE

// Calls f.template operator()<L>(extents) for layouts of several kinds. Some have runs long enough to be read in place.
template <class F>
void for_each_layout(F const& f) {
  using shapes = std::vector<shape>;
  for (shape const& n : shapes{shape::of(0, 4), shape::of(1, 1), shape::of(13, 5), shape::of(7, 9001)}) {
    f.template operator()<layout<none, none>>(n);
    f.template operator()<layout<"p", none>>(n);
    f.template operator()<layout<none, "q">>(n);
    f.template operator()<layout<"q", "p">>(n);
    f.template operator()<layout<none, axes("q", "p")>>(n);
    f.template operator()<layout<cyclic("p", 2), cyclic("q", 3)>>(n);
    f.template operator()<layout<axes("p", "q"), none>>(n);
  }
  f.template operator()<layout<"q", none, cyclic("p", 1)>>(shape::of(5, 3, 7));
  f.template operator()<layout<axes("q", "p")>>(shape::of(100003));
  f.template operator()<layout<>>(shape{});
}

}  // namespace

TEST_CASE("npy: a file of each type, byte order and array order becomes a tensor") {
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  device_mesh<grid> const m(MPI_COMM_WORLD,
                            {world_size() % 2 == 0 ? 2 : 1, world_size() % 2 == 0 ? world_size() / 2 : world_size()});
  auto const check = [&]<class T>(T) {
    std::string text = type_in_file<T>::text;
    for (bool const big : {false, true})
      for (bool const fortran : {false, true}) {
        if (big && text[0] == '<') text[0] = '>';
        int const major = 1 + (big ? 1 : 0) + (fortran ? 1 : 0);
        write_together(folder.ranks, path, file_of<T>(text, shape::of(6, 4, 5), fortran, major));
        CHECK(has_values(load_npy<T, layout<none, none, none>>(m, path)));
        CHECK(has_values(load_npy<T, layout<"p", none, "q">>(m, path)));
        CHECK(has_values(load_npy<T, layout<cyclic("q", 1), "p", none>>(m, path)));
        write_together(folder.ranks, path, file_of<T>(text, shape::of(11), fortran, major));
        CHECK(has_values(load_npy<T, layout<axes("p", "q")>>(m, path)));
      }
  };
  check(bool{});
  check(std::int8_t{}), check(std::int16_t{}), check(std::int32_t{}), check(std::int64_t{});
  check(std::uint8_t{}), check(std::uint16_t{}), check(std::uint32_t{}), check(std::uint64_t{});
  check(float{}), check(double{}), check(Kokkos::complex<float>{}), check(Kokkos::complex<double>{});
  CHECK(m.collectives_run() == 0);
}

TEST_CASE("npy: floats of 16 bits become float and double, float becomes double, bytes become bool") {
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  // The bits of 0, 1, -2, 0.5, the largest, the smallest, infinity.
  std::uint16_t const bits[]{0, 0x3c00, 0xc000, 0x3800, 0x7bff, 1, 0x7c00};
  std::vector<float> const floats{0, 1, -2, 0.5f, 65504, std::ldexp(1.f, -24), std::numeric_limits<float>::infinity()};
  for (bool const big : {false, true}) {
    bytes content = file_of<std::uint16_t>(big ? ">f2" : "<f2", shape::of(7), false, 1);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t k = 0; k < 2; ++k)
        content[content.size() - 14 + 2 * i + k] = static_cast<std::uint8_t>(bits[i] >> 8 * (big ? 1 - k : k));
    write_together(folder.ranks, path, content);
    CHECK(denotes(load_npy<float, layout<"p">>(m, path), floats));
    CHECK(denotes(load_npy<double, layout<"p">>(m, path), std::vector<double>(floats.begin(), floats.end())));
  }
  write_together(folder.ranks, path, file_of<float>(">f4", shape::of(3, 5), true, 1));
  std::vector<double> doubles;
  for (index_t g = 0; g < 15; ++g) doubles.push_back(static_cast<double>(value<float>(g)));
  CHECK(denotes(load_npy<double, layout<none, "p">>(m, path), doubles));
  write_together(folder.ranks, path, file_of<std::uint8_t>("|u1", shape::of(3), false, 1));
  auto const found = load_npy<bool, layout<none>>(m, path);
  CHECK(gather_all(found) == std::vector<bool>{true, true, true});
}

TEST_CASE("npy: a saved tensor comes back in every layout, and the file has the bytes that NumPy writes") {
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for_each_layout([&]<class L>(shape const& n) {
      save_npy(m, path, tensor_of_values<double, L>(m, n));
      bytes const found = content_of(path), expected = file_of<double>("<f8", n, false, 1);
      auto const elements = static_cast<std::ptrdiff_t>(n.size()) * 8;
      CHECK(std::equal(found.end() - elements, found.end(), expected.end() - elements));
      CHECK((found.size() - static_cast<std::size_t>(elements)) % 64 == 0);
      CHECK(has_values(load_npy<double, L>(m, path)));
      comm::collectively(folder.ranks, [] {});
      CHECK(is_alone(path));
    });
  });
}

// Rows of the file are longer and shorter than a row of a box, runs longer and shorter than those read in place.
TEST_CASE("npy: a large array in Fortran order becomes a tensor of every layout") {
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const check = [&]<class L>(L) { CHECK(has_values(load_npy<float, L>(m, path))); };
    save_in_fortran_order<float, layout<none, "p">>(m, path, shape::of(150001, 5));
    check(layout<none, none>{});
    check(layout<"p", none>{});
    check(layout<none, "q">{});
    check(layout<cyclic("p", 30000), cyclic("q", 1)>{});
    check(layout<"q", "p">{});
    save_in_fortran_order<float, layout<"p", none, none>>(m, path, shape::of(3, 1009, 301));
    check(layout<none, "q", none>{});
    check(layout<none, "q", "p">{});
    check(layout<"p", none, cyclic("q", 2)>{});
    check(layout<none, none, axes("p", "q")>{});
    check(layout<none, cyclic("q", 4), cyclic("p", 16)>{});
  });
}

#ifdef ASHLAR_LONG_TESTS
TEST_CASE_TEMPLATE("npy: each element type comes back bit by bit", T, bool, std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double,
                   Kokkos::complex<float>, Kokkos::complex<double>) {
#else
TEST_CASE_TEMPLATE("npy: an element type of each kind comes back bit by bit", T, bool, std::int16_t, std::uint64_t,
                   float, Kokkos::complex<double>) {
#endif
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  save_npy(m, path, tensor_of_values<T, layout<none, "q">>(m, shape::of(6, 11)));
  CHECK(has_values(load_npy<T, layout<"q", none>>(m, path)));
  npy_array a;
  std::string const text(reinterpret_cast<char const*>(content_of(path).data()) + 10, 30);
  CHECK(text.find(std::string("{'descr': '") + type_in_file<T>::text + "'") == 0);
}

TEST_CASE("npy: an expression is evaluated, and an old file is replaced") {
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = generate<float, layout<"p">>(m, {9}, [] KOKKOS_FUNCTION(index_t i) { return static_cast<float>(i); });
  save_npy(m, path, x);
  save_npy(m, path, x * 2.f);
  CHECK(gather_all(load_npy<float, layout<none>>(m, path))[8] == 16);
}

namespace {

// 96 MiB: more than a shard on two ranks and the memory that a rank may take.
constexpr index_t long_rows = 3 << 12, long_columns = 1 << 10, most_bytes = 20 << 20;

template <class L>
void check_memory(device_mesh<grid> const& m, std::filesystem::path const& path) {
  auto const x = generate<double, L>(m, {long_rows, long_columns},
                                     [] KOKKOS_FUNCTION(index_t i, index_t j) { return static_cast<double>(i + j); });
  index_t const shard = x.local_size() * 8;
  REQUIRE(begin_peak_memory());
  index_t before = peak_memory();
  save_npy(m, path, x);
  CHECK(peak_memory() - before < most_bytes);
  REQUIRE(begin_peak_memory());
  before = peak_memory();
  auto const y = load_npy<double, L>(m, path);
  CHECK(peak_memory() - before < shard + most_bytes);
  CHECK(item(all_reduce(max(abs(x - y)))) == 0);
}

template <class L>
void check_memory_of_fortran_order(device_mesh<grid> const& m, std::filesystem::path const& path) {
  save_in_fortran_order<double, layout<"p", none>>(m, path, shape::of(long_rows, long_columns));
  REQUIRE(begin_peak_memory());
  index_t const before = peak_memory();
  auto const x = load_npy<double, L>(m, path);
  index_t const most = x.local_size() * 8 + most_bytes;
  CHECK(peak_memory() - before < most);
  auto const expected = generate<double, L>(m, {long_rows, long_columns}, [] KOKKOS_FUNCTION(index_t i, index_t j) {
    return value<double>(i * long_columns + j);
  });
  CHECK(item(all_reduce(max(abs(x - expected)))) == 0);
}

}  // namespace

TEST_CASE("npy: a rank takes its shard and a few MiB, whatever the layout and the order of the file") {
  ASHLAR_NEEDS(host_reads_tensors && begin_peak_memory());
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  check_memory<layout<"p", none>>(m, path);              // each rank reads and writes its rows
  check_memory<layout<none, cyclic("p", 16)>>(m, path);  // the ranks exchange short runs
  check_memory_of_fortran_order<layout<"p", none>>(m, path);
  check_memory_of_fortran_order<layout<none, "p">>(m, path);
}

TEST_CASE("npy: a file that is not as expected is one error on every rank") {
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const refused = [&](bytes const& content, char const* why) {
    write_together(folder.ranks, path, content);
    std::string const sentence = said([&] { (void)load_npy<double, layout<"p", none>>(m, path); });
    CHECK_MESSAGE(sentence.starts_with("ashlar::io::load_npy: "), sentence);
    CHECK_MESSAGE(sentence.find(why) != sentence.npos, sentence);
  };
  bytes const good = file_of<double>("<f8", shape::of(5, 4), false, 1);
  refused({'P', 'K', 3, 4}, "expected a .npy file");
  refused(bytes(200, 7), "expected a .npy file");
  refused({good.begin(), good.end() - 1}, "expected 160 bytes of elements (5 x 4, <f8), found 159");
  refused(joined(good, {0}), "expected 160 bytes of elements (5 x 4, <f8), found 161");
  refused(file_of<double>("<f8", shape::of(20), false, 1), "expected 2 dimensions, as the layout has, found 20");
  refused(file_of<std::int64_t>("<i8", shape::of(5, 4), false, 1), "expected elements of type <f8, found '<i8'");
  refused(file_of<double>("<M8[s]", shape::of(5, 4), false, 1), "expected elements of bool, i1 to u8");
  comm::collectively(folder.ranks, [] {});
  std::string const missing = said([&] { (void)load_npy<double, layout<"p">>(m, folder.path / "no.npy"); });
  CHECK_MESSAGE(missing.find("no.npy: cannot be opened: No such file") != missing.npos, missing);
  std::string const other =
      said([&] { (void)load_npy<double, layout<"p">>(m, folder.path / (m.rank() == 0 ? "a.npy" : "b.npy")); });
  CHECK_MESSAGE((world_size() == 1 || other.find("the paths") != other.npos), other);
}

// The same bytes are written: the time of the change tells.
TEST_CASE("npy: a file that is written while it is read is one error on every rank") {
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  bytes const content = file_of<double>("<f8", shape::of(64, 3), false, 1);
  write_together(folder.ranks, path, content);
  for (bool changes : {false, true}) {
    auto const in = comm::collectively(folder.ranks, [&] {
      return io_detail::npy_input(io_detail::checked_file(path, "ashlar::io::load_npy"), io_detail::array_type::float64,
                                  2);
    });
    auto const seen = [&](unsigned char const*, std::size_t, std::size_t) {
      if (!changes || m.rank() != 0) return;
      usleep(50000);  // longer than a tick of the file system's clock
      io_detail::checked_file(path, "test", O_WRONLY).write(0, content.data(), content.size());
    };
    std::string const sentence = said([&] {
      auto const x = io_detail::tensor_of_npy<double, layout<"p", none>>(m, in, seen);
      CHECK(has_values(x));
    });
    CHECK_MESSAGE(sentence == (changes ? "ashlar::io::load_npy: " + path.string() +
                                             ": the file changed while it was read (on rank 0)"
                                       : ""),
                  sentence);
  }
}

TEST_CASE("npy: a file that cannot be written is one error on every rank, and the old file stays") {
  shared_folder const folder;
  auto const path = folder.path / "x.npy";
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const x = tensor_of_values<double, layout<none, "q">>(m, shape::of(64, 64));
  auto const missing = said([&] { save_npy(m, folder.path / "no/x.npy", x); });
  CHECK_MESSAGE(missing.find("x.npy.part: cannot be opened") != missing.npos, missing);
  save_npy(m, path, x);
  bytes const before = content_of(path);
  // The last rank may not write beyond byte 4096.
  auto const full = said([&] {
    std::optional<file_size_limit> limit;
    if (m.rank() == m.size() - 1) limit.emplace(4096);
    save_npy(m, path, tensor_of_values<double, layout<none, "q">>(m, shape::of(64, 65)));
  });
  CHECK_MESSAGE(full.find("x.npy.part: cannot be ") != full.npos, full);
  comm::collectively(folder.ranks, [] {});
  CHECK(is_alone(path));
  CHECK(content_of(path) == before);
  CHECK(has_values(load_npy<double, layout<none, "q">>(m, path)));
}
