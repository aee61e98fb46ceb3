// labels: threads
// Local einsum against nested loops over all labels, in exact integers: what comes out, and what was copied for it.
#include "ashlar/kernels/products/einsum.hpp"
#include "support/device_array.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace ashlar;
using namespace test;

namespace {

// An equation with an extent for each of its labels.
struct sample {
  std::string a, b, c;
  bool pair;
  index_t extent[128]{};

  std::string text() const {
    std::string t = pair ? a + "," + b + "->" + c : a + "->" + c;
    for (char l : labels()) t += std::string(" ") + l + "=" + std::to_string(extent[int(l)]);
    return t;
  }
  std::string labels() const {
    std::string all;
    for (char l : a + b)
      if (all.find(l) == std::string::npos) all += l;
    return all;
  }
  shape shape_of(std::string const& s) const {
    shape r;
    for (char l : s) r[r.rank++] = extent[int(l)];
    return r;
  }
  layout_detail::einsum_equation equation() const {
    layout_detail::einsum_equation e;
    auto const put = [](layout_detail::einsum_equation::labels& to, std::string const& s) {
      for (char l : s) to.label[to.rank++] = l;
    };
    e.operands = pair ? 2 : 1;
    put(e.in[0], a);
    put(e.in[1], b);
    put(e.out, c);
    return e;
  }
};

sample pair_of(std::string a, std::string b, std::string c, std::vector<std::pair<char, index_t>> extents) {
  sample s{a, b, c, true, {}};
  for (auto [l, n] : extents) s.extent[int(l)] = n;
  return s;
}

template <class T>
std::vector<T> integers(index_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) {
    int const re = static_cast<int>(random() % 7) - 3, im = static_cast<int>(random() % 5) - 2;
    if constexpr (std::is_arithmetic_v<T>)
      x = static_cast<T>(re);
    else
      x = T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
  }
  return v;
}

template <class T>
std::vector<T> by_loops(sample const& s, std::vector<T> const& a, std::vector<T> const& b, std::vector<T> c, T alpha,
                        T beta) {
  std::string const labels = s.labels();
  for (T& x : c) x = beta == T(0) ? T(0) : beta * x;
  for (char l : labels)
    if (s.extent[int(l)] == 0) return c;
  index_t at[128]{};
  auto const offset = [&](std::string const& x) {
    index_t o = 0;
    for (char l : x) o = o * s.extent[int(l)] + at[int(l)];
    return static_cast<std::size_t>(o);
  };
  for (;;) {
    c[offset(s.c)] += alpha * a[offset(s.a)] * (s.pair ? b[offset(s.b)] : T(1));
    std::size_t d = 0;
    for (; d < labels.size(); ++d) {
      if (++at[int(labels[d])] < s.extent[int(labels[d])]) break;
      at[int(labels[d])] = 0;
    }
    if (d == labels.size()) return c;
  }
}

template <class T>
void contract(layout_detail::einsum_equation const& e, device_array<T> const& a, shape const& na,
              device_array<T> const& b, shape const& nb, device_array<T> const& c, shape const& nc, T alpha = T(1),
              T beta = T(0)) {
  space const on;
  kernels_detail::contract_call<space, T> const call{on, alpha, beta};
  call({{e.in[0], na}, {e.in[1], nb}, {e.out, nc}}, a.data(), b.data(), c.data());
}
template <class T>
void contract(layout_detail::einsum_equation const& e, device_array<T> const& a, shape const& na,
              device_array<T> const& c, shape const& nc) {
  kernels_detail::rearrange<space, T, T>(space(), {e.in[0], na}, {e.out, nc}, a.data(), c.data());
}

// The result where every number is small enough to be exact; with beta = 0 from an output full of NaN.
template <class T>
void check(sample const& s, T alpha, T beta) {
  CAPTURE(s.text());
  shape const na = s.shape_of(s.a), nb = s.shape_of(s.b), nc = s.shape_of(s.c);
  auto const a = integers<T>(na.size(), 1), b = integers<T>(s.pair ? nb.size() : 0, 2);
  auto before = integers<T>(nc.size(), 3);
  auto const expected = by_loops(s, a, b, before, alpha, beta);
  if constexpr (std::numeric_limits<T>::has_quiet_NaN)
    if (beta == T(0))
      for (T& x : before) x = std::numeric_limits<T>::quiet_NaN();
  auto const da = to_device(a), db = to_device(b), dc = to_device(before);
  if (s.pair)
    contract<T>(s.equation(), da, na, db, nb, dc, nc, alpha, beta);
  else
    contract<T>(s.equation(), da, na, dc, nc);
  CHECK(to_host(dc) == expected);
}

template <class T>
void check(sample const& s) {
  check<T>(s, T(1), T(0));
  if (s.pair) check<T>(s, T(2), T(-3));
}

// Every number of batch, row, column and summed labels up to 2, labels summed in one operand alone, and a few orders.
// Extents are small, among them 1 and, in one sample of eight, a 0.
std::vector<sample> all_pairs(int orders) {
  std::mt19937 random(7);
  std::vector<sample> all;
  auto const shuffled = [&](std::string s) {
    for (std::size_t i = s.size(); i > 1; --i) std::swap(s[i - 1], s[random() % i]);
    return s;
  };
  for (unsigned batch = 0; batch <= 2; ++batch)
    for (unsigned m = 0; m <= 2; ++m)
      for (unsigned n = 0; n <= 2; ++n)
        for (unsigned k = 0; k <= 2; ++k)
          for (unsigned alone = 0; alone < 4; ++alone)
            for (int order = 0; order < orders; ++order) {
              auto const first = [](char const* l, unsigned count) { return std::string(l, count); };
              std::string const z = first("xy", batch), i = first("ij", m), o = first("op", n), l = first("kl", k);
              sample s{shuffled(z + i + l + (alone & 1 ? "u" : "")),
                       shuffled(z + o + l + (alone & 2 ? "v" : "")),
                       shuffled(z + i + o),
                       true,
                       {}};
              static constexpr index_t few[]{2, 3, 5, 7, 1, 4, 11}, many[]{2, 3, 1, 2};
              auto const labels = s.labels();
              for (char x : labels) s.extent[int(x)] = labels.size() > 5 ? many[random() % 4] : few[random() % 7];
              if (!labels.empty() && random() % 8 == 0) s.extent[int(labels[random() % labels.size()])] = 0;
              all.push_back(s);
            }
  return all;
}

// How many arrays ashlar allocates while this lives. (On a device, Kokkos has some of its own.)
struct allocation_count {
  static inline int count = 0;
  allocation_count() {
    count = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, char const* label, void const*, std::uint64_t) {
          count += std::string_view(label).starts_with("ashlar");
        });
  }
  ~allocation_count() { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }
};

template <class T>
int allocations(sample const& s) {
  shape const na = s.shape_of(s.a), nb = s.shape_of(s.b), nc = s.shape_of(s.c);
  auto const a = to_device(integers<T>(na.size(), 1)), b = to_device(integers<T>(nb.size(), 2));
  auto const c = to_device(integers<T>(nc.size(), 3));
  allocation_count const counted;
  contract<T>(s.equation(), a, na, b, nb, c, nc);
  return counted.count;
}

// What has to go to BLAS as it lies.
std::vector<sample> plain_products() {
  std::vector<sample> all;
  for (std::string a : {"ik", "ki"})
    for (std::string b : {"kj", "jk"})
      for (std::string c : {"ij", "ji"}) {
        all.push_back(pair_of(a, b, c, {{'i', 37}, {'j', 67}, {'k', 19}}));
        for (std::string z : {"", "z"})
          all.push_back(pair_of("z" + a, z + b, "z" + c, {{'z', 5}, {'i', 17}, {'j', 31}, {'k', 23}}));
      }
  for (std::string a : {"ik", "ki"}) {
    all.push_back(pair_of(a, "k", "i", {{'i', 37}, {'k', 19}}));
    all.push_back(pair_of("k", a, "i", {{'i', 37}, {'k', 19}}));
  }
  all.push_back(pair_of("bsh", "hd", "bsd", {{'b', 3}, {'s', 17}, {'h', 29}, {'d', 31}}));
  all.push_back(pair_of("bsh", "bsd", "hd", {{'b', 3}, {'s', 17}, {'h', 29}, {'d', 31}}));
  all.push_back(pair_of("bhqd", "bhkd", "bhqk", {{'b', 2}, {'h', 3}, {'q', 17}, {'k', 19}, {'d', 23}}));
  all.push_back(pair_of("bqhd", "bkhd", "bhqk", {{'b', 2}, {'h', 3}, {'q', 17}, {'k', 19}, {'d', 23}}));
  all.push_back(pair_of("bhqk", "bkhd", "bqhd", {{'b', 2}, {'h', 3}, {'q', 17}, {'k', 19}, {'d', 23}}));
  all.push_back(pair_of("bsd", "dhe", "bhse", {{'b', 2}, {'s', 33}, {'d', 29}, {'h', 4}, {'e', 21}}));
  all.push_back(pair_of("bhse", "hed", "bsd", {{'b', 2}, {'s', 33}, {'d', 29}, {'h', 4}, {'e', 21}}));
  all.push_back(pair_of("i", "j", "ij", {{'i', 37}, {'j', 67}}));
  all.push_back(pair_of("i", "j", "ji", {{'i', 37}, {'j', 67}}));
  all.push_back(pair_of("k", "k", "", {{'k', 1001}}));
  all.push_back(pair_of("kl", "lk", "", {{'k', 37}, {'l', 41}}));
  all.push_back(pair_of("ij", "ij", "ij", {{'i', 37}, {'j', 300}}));
  all.push_back(pair_of("ij", "ji", "ij", {{'i', 37}, {'j', 300}}));
  all.push_back(pair_of("ij", "j", "ij", {{'i', 37}, {'j', 300}}));
  all.push_back(pair_of("bd", "bd", "d", {{'b', 67}, {'d', 300}}));
  all.push_back(pair_of("bd", "bd", "b", {{'b', 67}, {'d', 300}}));
  return all;
}

// What BLAS cannot take as it lies: the fastest dimension is a batch label, or belongs to two classes.
std::vector<sample> awkward_products() {
  return {pair_of("ikz", "kjz", "ijz", {{'z', 3}, {'i', 37}, {'j', 41}, {'k', 43}}),
          pair_of("ikz", "zkj", "zij", {{'z', 3}, {'i', 37}, {'j', 41}, {'k', 43}}),
          pair_of("zik", "kjz", "zij", {{'z', 3}, {'i', 37}, {'j', 41}, {'k', 43}}),
          pair_of("zik", "zkj", "ijz", {{'z', 3}, {'i', 37}, {'j', 41}, {'k', 43}}),
          pair_of("ikz", "kz", "iz", {{'z', 3}, {'i', 37}, {'k', 43}}),
          pair_of("xiky", "ykxj", "jyxi", {{'x', 2}, {'y', 3}, {'i', 17}, {'j', 19}, {'k', 23}}),
          pair_of("kil", "lkj", "ij", {{'i', 37}, {'j', 41}, {'k', 2}, {'l', 301}}),
          pair_of("ikj", "kl", "ijl", {{'i', 301}, {'j', 2}, {'k', 3}, {'l', 4}}),
          pair_of("ikj", "kl", "ilj", {{'i', 5}, {'j', 31}, {'k', 33}, {'l', 34}}),
          pair_of("zik", "zkj", "zij", {{'z', 500}, {'i', 4}, {'j', 4}, {'k', 4}}),
          pair_of("abcdk", "efghk", "aebfcgdh",  // 9 labels
                  {{'a', 2}, {'b', 3}, {'c', 2}, {'d', 2}, {'e', 2}, {'f', 2}, {'g', 3}, {'h', 2}, {'k', 1}})};
}

sample one_of(std::string a, std::string c, std::vector<std::pair<char, index_t>> extents) {
  sample s = pair_of(a, "", c, extents);
  s.pair = false;
  return s;
}

std::vector<sample> single_operands() {
  std::vector<sample> all;
  for (std::string c :
       {"", "i", "j", "k", "ij", "ji", "ik", "ki", "jk", "kj", "ijk", "ikj", "jik", "jki", "kij", "kji"})
    for (shape n : {shape::of(2, 3, 5), shape::of(1, 7, 1), shape::of(37, 41, 43), shape::of(0, 3, 2),
                    shape::of(3, 2, 600), shape::of(600, 3, 0)})
      all.push_back(one_of("ijk", c, {{'i', n[0]}, {'j', n[1]}, {'k', n[2]}}));
  all.push_back(one_of("", "", {}));
  for (std::string c : {"hdbfcage", "abcdefgh", "gb", "bdfh"})
    all.push_back(
        one_of("abcdefgh", c, {{'a', 2}, {'b', 3}, {'c', 1}, {'d', 2}, {'e', 3}, {'f', 2}, {'g', 2}, {'h', 5}}));
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("two operands, every class of label", T, float, double, std::int32_t, std::int64_t,
                   Kokkos::complex<float>, Kokkos::complex<double>) {
  for (sample const& s : all_pairs(std::is_same_v<T, double> || std::is_same_v<T, std::int64_t> ? 5 : 1)) check<T>(s);
}

TEST_CASE_TEMPLATE("two operands of some size", T, float, double, std::int64_t, Kokkos::complex<float>,
                   Kokkos::complex<double>) {
  for (sample const& s : plain_products()) check<T>(s);
  for (sample const& s : awkward_products()) check<T>(s);
}

TEST_CASE_TEMPLATE("one operand", T, float, double, std::int32_t, std::int64_t, Kokkos::complex<double>) {
  for (sample const& s : single_operands()) check<T>(s);
}

TEST_CASE("a parsed equation") {
  auto const a = to_device(std::vector<double>{1, 2, 3, 4, 5, 6}), b = to_device(std::vector<double>{1, 0, 2, 0, 1, 3});
  device_array<double> const c("test", 4);
  contract<double>(layout_detail::parse("ik,jk->ji"), a, shape::of(2, 3), b, shape::of(2, 3), c, shape::of(2, 2));
  CHECK(to_host(c) == std::vector<double>{7, 16, 11, 23});
}

TEST_CASE("matrix products are not copied") {
  for (sample const& s : plain_products()) {
    CAPTURE(s.text());
    CHECK(allocations<double>(s) == 0);
  }
}

TEST_CASE("integers are never copied but for sums in one operand") {
  for (sample const& s : awkward_products()) {
    CAPTURE(s.text());
    CHECK(allocations<std::int64_t>(s) == 0);
  }
  CHECK(allocations<std::int64_t>(pair_of("iku", "kj", "ij", {{'i', 3}, {'k', 3}, {'j', 3}, {'u', 3}})) == 1);
}

TEST_CASE("BLAS gets copies where it has no other way") {
  CHECK(allocations<double>(awkward_products()[0]) == 3);
  CHECK(allocations<double>(awkward_products()[1]) == 1);
  CHECK(allocations<double>(awkward_products()[2]) == 1);
  CHECK(allocations<double>(awkward_products()[3]) == 1);
}

TEST_CASE("a copied array always fits the other two") {
  using kernels_detail::copies;
  auto const reverse = [](kernels_detail::labelled& x) {
    std::reverse(x.labels.label, x.labels.label + x.labels.rank);
    std::reverse(x.extents.extent, x.extents.extent + x.extents.rank);
  };
  auto const is_one_product = [](kernels_detail::contraction const& x) {
    kernels_detail::label_classes const classes(x);
    CHECK(classes.one_product());
    CHECK(classes.batch.rank == 1);
    CHECK(kernels_detail::best_gemm(classes).fits);
  };
  for (sample const& s : all_pairs(3)) {
    CAPTURE(s.text());
    layout_detail::einsum_equation const e = s.equation();
    kernels_detail::contraction const all{
        {e.in[0], s.shape_of(s.a)}, {e.in[1], s.shape_of(s.b)}, {e.out, s.shape_of(s.c)}};
    kernels_detail::contraction x;  // without labels of one operand alone
    x.a.append(all.a, [&](char l) { return all.b.has(l) || all.c.has(l); });
    x.b.append(all.b, [&](char l) { return all.a.has(l) || all.c.has(l); });
    x.c = all.c;
    kernels_detail::contraction const y = copies{true, true, true}.of(x);
    is_one_product(y);
    kernels_detail::contraction a = y, b = y, c = y;
    reverse(a.a);
    reverse(b.b);
    reverse(c.c);
    is_one_product(copies{true, false, false}.of(a));
    is_one_product(copies{false, true, false}.of(b));
    is_one_product(copies{false, false, true}.of(c));
  }
}

TEST_CASE("a permutation keeps every bit") {
  double const inf = std::numeric_limits<double>::infinity();
  using C = Kokkos::complex<double>;
  auto const a = to_device(std::vector<C>{{inf, 0}, {-0.0, 0}, {1, -inf}, {0, -0.0}});
  device_array<C> const c("test", 4);
  contract<C>(layout_detail::parse("ij->ji"), a, shape::of(2, 2), c, shape::of(2, 2));
  auto const x = to_host(c);
  CHECK(x[0].real() == inf);
  CHECK(x[0].imag() == 0);
  CHECK(std::signbit(x[2].real()));
  CHECK(x[1].imag() == -inf);
  CHECK(std::signbit(x[3].imag()));
}
