// Copies of boxes against naive loops over indices, by rows and by elements.
#include "ashlar/tensor/boxes.hpp"
#include "../../support/shared_vector.hpp"
#include <doctest/doctest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace ashlar;
using local::box;
using test::shared_vector;

namespace {

Kokkos::DefaultExecutionSpace space() { return {}; }
std::mt19937 generator(5);

index_t random_index(index_t first, index_t last) {
  return std::uniform_int_distribution<index_t>(first, last)(generator);
}

shape random_shape(int rank) {
  static constexpr index_t extents[] = {1, 2, 3, 4, 5, 7, 11};
  shape s;
  for (s.rank = 0; s.rank < rank; ++s.rank) s.extent[s.rank] = extents[random_index(0, rank < 5 ? 6 : 2)];
  return s;
}

// A random region; in about a third of the dimensions it is whole, now and then it is empty.
box random_box(shape const& s) {
  box b;
  for (int d = 0; d < s.rank; ++d) {
    bool const whole = random_index(0, 2) == 0;
    b.lower[d] = whole ? 0 : random_index(0, s[d] - 1);
    b.extent[d] = whole ? s[d] : random_index(random_index(0, 20) == 0 ? 0 : 1, s[d] - b.lower[d]);
  }
  return b;
}

// Row-major offsets in an array of all elements of a box, in row-major order: one loop per dimension.
std::vector<std::size_t> offsets(shape const& s, box const& b) {
  std::vector<std::size_t> all{0};
  for (int d = 0; d < s.rank; ++d) {
    std::vector<std::size_t> next;
    for (std::size_t o : all)
      for (index_t i = 0; i < b.extent[d]; ++i)
        next.push_back(o * static_cast<std::size_t>(s[d]) + static_cast<std::size_t>(b.lower[d] + i));
    all = next;
  }
  return all;
}

template <class T>
shared_vector<T> numbers(index_t n) {
  shared_vector<T> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = T(static_cast<int>(i) + 1);
  return v;
}

// Boxes that cut dimension d of s into parts of almost equal size, as all-to-all does.
std::vector<box> cut(shape const& s, int d, index_t parts) {
  std::vector<box> boxes;
  for (index_t p = 0; p < parts; ++p) {
    box b;
    for (int e = 0; e < s.rank; ++e) b.extent[e] = s[e];
    b.lower[d] = s[d] * p / parts;
    b.extent[d] = s[d] * (p + 1) / parts - b.lower[d];
    boxes.push_back(b);
  }
  return boxes;
}

template <class T>
shared_vector<T> packed(shared_vector<T> const& source, shape const& s, std::vector<box> const& boxes) {
  shared_vector<T> result;
  for (box const& b : boxes)
    for (std::size_t o : offsets(s, b)) result.push_back(source[o]);
  return result;
}

template <class T>
void check_round_trip(shape const& s, std::vector<box> const& boxes) {
  auto const source = numbers<T>(s.size());
  auto const expected = packed(source, s, boxes);
  shared_vector<T> buffer(expected.size() + 1, T(-1));
  local::pack(space(), source.data(), s, boxes, buffer.data());
  space().fence();
  CHECK(buffer.back() == T(-1));
  buffer.pop_back();
  CHECK(buffer == expected);

  shared_vector<T> back(source.size(), T(-1)), expected_back = back;
  for (box const& b : boxes)
    for (std::size_t o : offsets(s, b)) expected_back[o] = source[o];
  local::unpack(space(), buffer.data(), boxes, back.data(), s);
  space().fence();
  CHECK(back == expected_back);
}

}  // namespace

TEST_CASE_TEMPLATE("pack and unpack of the parts of one dimension", T, float, double, std::int32_t, std::int64_t,
                   Kokkos::complex<double>) {
  for (int rank = 1; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 4; ++repeat) {
      shape const s = random_shape(rank);
      for (int d = 0; d < rank; ++d)
        for (index_t parts : {1, 2, 3, 17}) check_round_trip<T>(s, cut(s, d, parts));
    }
}

TEST_CASE("rows of every short length, and more bytes than one slice") {
  for (index_t length = 1; length <= 20; ++length) {
    shape const s = shape::of(2003, 3 * length);
    check_round_trip<float>(s, cut(s, 1, 3));
    check_round_trip<double>(shape::of(length, 2003, 3), cut(shape::of(length, 2003, 3), 1, 5));
  }
  check_round_trip<float>(shape::of(3, 100003), cut(shape::of(3, 100003), 1, 4));
  check_round_trip<std::int64_t>(shape::of(100003), cut(shape::of(100003), 0, 20));
}

TEST_CASE("pack takes any boxes, overlapping and empty ones too") {
  for (int rank = 1; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 50; ++repeat) {
      shape const s = random_shape(rank);
      std::vector<box> boxes;
      for (index_t n = random_index(0, 40); n > 0; --n) boxes.push_back(random_box(s));
      auto const source = numbers<double>(s.size());
      auto const expected = packed(source, s, boxes);
      shared_vector<double> buffer(expected.size());
      local::pack(space(), source.data(), s, boxes, buffer.data());
      space().fence();
      CHECK(buffer == expected);
    }
}

TEST_CASE("rank 0 and arrays without elements") {
  shared_vector<double> const source{3};
  shared_vector<double> buffer{0, 0}, back{0};
  std::vector<box> const one(1), two(2);
  local::pack(space(), source.data(), shape{}, two, buffer.data());
  local::unpack(space(), buffer.data(), one, back.data(), shape{});
  space().fence();
  CHECK((buffer[0] == 3 && buffer[1] == 3 && back[0] == 3));
  check_round_trip<float>(shape::of(0), cut(shape::of(0), 0, 3));
  check_round_trip<float>(shape::of(4, 0, 5), cut(shape::of(4, 0, 5), 0, 3));
  check_round_trip<float>(shape::of(4, 3), {});
}

TEST_CASE("copy_box moves a box between arrays of different extents") {
  for (int rank = 1; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 50; ++repeat) {
      shape const s = random_shape(rank);
      box const from = random_box(s);
      shape t = s;
      box to = from;
      for (int d = 0; d < rank; ++d) {
        to.lower[d] = random_index(0, 2);
        t[d] = to.lower[d] + to.extent[d] + random_index(0, 2);
      }
      auto const source = numbers<float>(s.size());
      shared_vector<float> destination(static_cast<std::size_t>(t.size()), -1.f), expected = destination;
      auto const read = offsets(s, from), written = offsets(t, to);
      for (std::size_t i = 0; i < read.size(); ++i) expected[written[i]] = source[read[i]];
      local::copy_box(space(), source.data(), s, from, destination.data(), t, to);
      space().fence();
      CHECK(destination == expected);
    }
}

TEST_CASE("copying by elements, as devices do, equals copying by rows") {
  for (int rank = 1; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 20; ++repeat) {
      shape const s = random_shape(rank);
      auto const source = numbers<std::int32_t>(s.size());
      std::vector<box> boxes;
      for (index_t n = random_index(1, 2 * detail::boxes_per_launch); n > 0; --n) boxes.push_back(random_box(s));
      auto const expected = packed(source, s, boxes);
      shared_vector<std::int32_t> buffer(expected.size());
      auto const loops = detail::loops_of_boxes(s, boxes, detail::buffer_side::destination);
      detail::copy_boxes_by_elements(space(), source.data(), buffer.data(), loops);
      space().fence();
      CHECK(buffer == expected);
    }
}

TEST_CASE_TEMPLATE("fill and copy", T, float, std::int64_t, Kokkos::complex<double>) {
  for (index_t n : {0, 1, 2, 7, 4096, 100003}) {
    auto const source = numbers<T>(n);
    shared_vector<T> destination(source.size() + 1, T(-1));
    local::copy(space(), source.data(), destination.data(), n);
    space().fence();
    CHECK(destination.back() == T(-1));
    destination.pop_back();
    CHECK(destination == source);
    local::fill(space(), destination.data(), n, T(5));
    space().fence();
    CHECK(destination == shared_vector<T>(source.size(), T(5)));
  }
}
