// labels: sanitizers
// What shards have in common, as loops, against naive loops over indices; packing, by rows and by elements.
#include "ashlar/tensor/transfers.hpp"
#include "support/shared_vector.hpp"
#include <doctest/doctest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace ashlar;
using namespace ashlar::tensor_detail;
using test::shared_vector;

namespace {

Kokkos::DefaultExecutionSpace space() { return {}; }
std::mt19937 generator(5);

int random_int(int first, int last) { return std::uniform_int_distribution<int>(first, last)(generator); }

shape random_shape(int rank) {
  static constexpr index_t extents[] = {0, 1, 2, 3, 4, 5, 7, 11, 30};
  shape s;
  for (s.rank = 0; s.rank < rank; ++s.rank)
    s.extent[s.rank] = extents[random_int(random_int(0, 9) == 0 ? 0 : 1, rank < 3 ? 8 : rank < 5 ? 5 : 2)];
  return s;
}

// One rank's part of an array on 3 x 2 x 2 ranks: each dimension whole, split, block-cyclic, or block-cyclic and split.
region random_region(shape const& s) {
  mesh_shape const mesh{3, {3, 2, 2}};
  region r;
  for (; r.rank < s.rank; ++r.rank) {
    layout_detail::axis_list l;
    for (int a = 0; a < 3; ++a)
      if (random_int(0, 3) == 0) l.push(a);
    if (l.size != 0 && random_int(0, 1) == 0) {
      l.cyclic = static_cast<signed char>(random_int(1, l.size));
      l.block = static_cast<unsigned short>(random_int(1, 4));
    }
    r.dim[r.rank] = layout_detail::local_indices(s[r.rank], l, mesh, random_int(0, 11));
  }
  return r;
}

// Global row-major positions of the elements of a region, in order: one loop a dimension.
shared_vector<index_t> positions(shape const& s, region const& r) {
  shared_vector<index_t> all{0};
  for (int d = 0; d < s.rank; ++d) {
    shared_vector<index_t> next;
    for (index_t o : all)
      for (index_t i = 0; i < r.dim[d].size(); ++i) next.push_back(o * s[d] + r.dim[d][i]);
    all = next;
  }
  return all;
}

shared_vector<index_t> common(shared_vector<index_t> const& a, shared_vector<index_t> const& b) {
  shared_vector<index_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

}  // namespace

TEST_CASE("loops between shards reach every common element once, and nothing else") {
  for (int rank = 0; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 200; ++repeat) {
      shape const s = random_shape(rank);
      region const a = random_region(s), b = random_region(s);
      auto const source = positions(s, a), target = positions(s, b);
      shared_vector<index_t> destination(target.size(), -1), expected = destination;
      for (std::size_t i = 0; i < target.size(); ++i)
        if (std::binary_search(source.begin(), source.end(), target[i])) expected[i] = target[i];
      strided_copy(space(), source.data(), destination.data(), copy_loops_between(a, b));
      space().fence();
      CHECK(destination == expected);
      CHECK(layout_detail::common_size(a, b) == static_cast<index_t>(common(source, target).size()));
    }
}

TEST_CASE("blocks lie in the buffer one after the other, each in row-major order; back they are where they were") {
  for (int rank = 1; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 50; ++repeat) {
      shape const s = random_shape(rank);
      region const shard = random_region(s);
      auto const source = positions(s, shard);
      message_blocks out, in;
      shared_vector<index_t> expected;
      std::vector<bool> travels(source.size(), false);
      for (int peers = random_int(1, 5); peers > 0; --peers) {
        region const theirs = random_region(s);
        bool const serves = random_int(0, 4) != 0;
        out.add(shard, theirs, serves, buffer_side::destination);
        in.add(shard, theirs, serves, buffer_side::source);
        auto const block = serves ? common(source, positions(s, theirs)) : shared_vector<index_t>();
        CHECK(out.count.back() == block.size());
        for (index_t p : block)
          travels[static_cast<std::size_t>(std::lower_bound(source.begin(), source.end(), p) - source.begin())] = true;
        expected.insert(expected.end(), block.begin(), block.end());
      }
      out.finish(shard);
      in.finish(shard);
      CHECK(out.total == expected.size());
      CHECK(out.in_order == (expected == source));
      if (out.in_order) continue;
      shared_vector<index_t> by_rows(expected.size()), by_elements(expected.size());
      strided_copy(space(), source.data(), by_rows.data(), out.loops);
      strided_copy_by_elements(space(), source.data(), by_elements.data(), out.loops);
      space().fence();
      CHECK(by_rows == expected);
      CHECK(by_elements == expected);
      shared_vector<index_t> back(source.size(), -1);
      strided_copy(space(), static_cast<index_t const*>(by_rows.data()), back.data(), in.loops);
      space().fence();
      for (std::size_t i = 0; i < back.size(); ++i) CHECK(back[i] == (travels[i] ? source[i] : -1));
    }
}

TEST_CASE_TEMPLATE("rows of every short length, and more bytes than one slice", T, float, double, std::int32_t,
                   Kokkos::complex<double>) {
  auto const check = [](shape const& s, int dim, int ranks) {
    shared_vector<T> source(static_cast<std::size_t>(s.size()));
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = T(static_cast<int>(i) + 1);
    region whole;
    for (; whole.rank < s.rank; ++whole.rank) whole.dim[whole.rank] = {0, s[whole.rank]};
    message_blocks blocks;
    shared_vector<T> expected;
    for (int r = 0; r < ranks; ++r) {
      region part = whole;
      part.dim[dim] = layout_detail::local_indices(s[dim], layout_detail::axis_list{1, {0}}, mesh_shape{1, {ranks}}, r);
      blocks.add(whole, part, true, buffer_side::destination);
      for (index_t p : positions(s, part)) expected.push_back(source[static_cast<std::size_t>(p)]);
    }
    blocks.finish(whole);
    CHECK(blocks.in_order == (expected == source));
    if (blocks.in_order) return;
    shared_vector<T> buffer(expected.size());
    strided_copy(space(), static_cast<T const*>(source.data()), buffer.data(), blocks.loops);
    space().fence();
    CHECK(buffer == expected);
  };
  for (index_t length = 1; length <= 20; ++length) {
    check(shape::of(2003, 3 * length), 1, 3);
    check(shape::of(length, 2003, 3), 1, 5);
  }
  check(shape::of(3, 100003), 1, 4);
  check(shape::of(100003), 0, 20);
}

TEST_CASE("runs of block-cyclic sets that repeat are one loop") {
  mesh_shape const mesh{2, {4, 4}};
  auto const cyclic = [&](index_t n, int block, int rank) {
    return layout_detail::local_indices(n, layout_detail::axis_list{1, {0}, 1, static_cast<unsigned short>(block)},
                                        mesh, rank);
  };
  CHECK(common_runs_of(cyclic(1 << 20, 64, 0), cyclic(1 << 20, 32, 0)).size() == 1);  // the first half of each block
  CHECK(common_runs_of(cyclic(1 << 20, 64, 4), index_set{0, 1 << 18}).size() == 1);
  CHECK(common_runs_of(cyclic(1 << 20, 64, 4), index_set{10, (1 << 18) + 10}).size() <= 3);
  CHECK(common_runs_of(cyclic(1 << 20, 3, 0), cyclic(1 << 20, 5, 4)).size() <= 20);
}
