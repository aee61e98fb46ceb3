// Plans against exhaustive search: what they cost, and that every step is what its name says.
#include "support/plan_search.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <random>
#include <set>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

// A set of elements of the global array.
using bits = std::bitset<1024>;

// Set ASHLAR_EXHAUSTIVE for the full matrices.
bool exhaustive() { return std::getenv("ASHLAR_EXHAUSTIVE") != nullptr; }

// For each rank, the elements that its shard has.
std::vector<bits> shards(std::vector<int> const& extents, layout_value const& v, mesh_shape const& mesh) {
  std::vector<bits> all;
  for (auto const& held : holders(extents, v, mesh)) {
    REQUIRE(held.size() <= bits{}.size());
    all.emplace_back();
    for (std::size_t e = 0; e < held.size(); ++e) all.back()[e] = held[e];
  }
  return all;
}

index_t bytes_of(index_t cost) { return cost >> 28; }

bool same_partial(layout_value const& a, layout_value const& b) {
  return a.levels == b.levels && std::equal(a.reductions, a.reductions + a.levels, b.reductions);
}

struct tally {
  long pairs = 0, broken = 0, more_bytes = 0, more_steps = 0, more_memory = 0;
  std::string worst;
};

enum class pairs_of { all, nothing_becomes_partial };

// All pairs of layouts on meshes of all these sizes.
tally compare(int rank, int axes, std::vector<int> const& sizes, std::vector<int> const& ops = {layout_detail::op_sum},
              int levels = 1, pairs_of which = pairs_of::all, bool with_memory = false) {
  tally t;
  std::vector<planning::redistribution_plan>
      plans;  // of all pairs, the same for all meshes whose axes of size 1 are the same
  axis_mask dropped = 0;
  std::size_t meshes = 1;
  for (int a = 0; a < axes; ++a) meshes *= sizes.size();
  for (std::size_t m = 0; m < meshes; ++m) {
    std::vector<int> size;
    for (std::size_t a = 0, k = m; a < static_cast<std::size_t>(axes); ++a, k /= sizes.size())
      size.push_back(sizes[k % sizes.size()]);
    mesh_shape const mesh = mesh_of(size);
    search const s(all_layouts(rank, axes, ops, levels), mesh, mesh.ranks(), least_bytes_first);
    std::size_t const n = s.all.size();
    if (plans.empty() || dropped != s.trivial) {
      plans.clear();
      dropped = s.trivial;
      for (auto const& from : s.all)
        for (auto const& to : s.all)
          plans.push_back(plan(from.without(s.trivial), to.without(s.trivial), all_axes(s.mesh) & ~s.trivial));
    }
    std::vector<int> const extents(static_cast<std::size_t>(rank), static_cast<int>(s.extent));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (which == pairs_of::nothing_becomes_partial) {
          axis_mask kept = 0;
          for (auto const& level : staying(s.all[i], s.all[j])) kept |= level.axes;
          if (s.all[j].partial() & ~kept) continue;
        }
        search::distances const& least_costs = s.between(i, j);
        planning::redistribution_plan const& p = plans[i * n + j];
        index_t const least = least_costs(i, j), ours = s.cost_of(p);
        index_t const bytes = p.bytes_per_rank(shape_of(extents), s.mesh, 1);
        ++t.pairs;
        bool const right = p.layout(0) == s.all[i].without(s.trivial) &&
                           p.layout(p.size) == s.all[j].without(s.trivial) && bytes_of(ours) == bytes;
        t.broken += !right;
        t.more_bytes += right && bytes != bytes_of(least);
        // Plans that are partial on both sides the same give up a named step for fewest bytes at extents that do not divide.
        t.more_steps += right && ours != least && !same_partial(s.all[i], s.all[j]);
        if (right && ours == least && with_memory) t.more_memory += s.memory_of(p) != s.least_memory(i, j, least_costs);
        if ((!right || bytes != bytes_of(least)) && t.worst.empty()) t.worst = text(p);
      }
  }
  return t;
}

// Extents that do not divide, that are smaller than the mesh, and none at all.
std::vector<int> awkward_extents(int ranks) {
  std::set<int> s{0, 1, ranks - 1, ranks, ranks + 1, 7};
  if (ranks < 20) s.insert(2 * ranks + 2);
  return {s.begin(), s.end()};
}

}  // namespace

TEST_CASE("without reductions, a plan's bytes are the elements that the rank which lacks most lacks, at all extents") {
  std::vector<std::vector<int>> meshes{{1}, {2}, {3}, {5}, {1, 2}, {2, 2}, {2, 3}, {3, 2}, {2, 2, 2}};
  if (exhaustive()) meshes.insert(meshes.end(), {{4, 3}, {2, 3, 2}, {3, 2, 2}, {2, 2, 3}, {3, 3, 3}});
  long pairs = 0, missed = 0;
  for (auto const& sizes : meshes)
    for (int rank = 1; rank <= 3; ++rank) {
      mesh_shape const mesh = mesh_of(sizes);
      auto const layouts = all_layouts(rank, mesh.axes, {});
      std::vector<planning::redistribution_plan> plans;
      for (auto const& from : layouts)
        for (auto const& to : layouts) plans.push_back(plan(from, to, all_axes(mesh)));
      for (int d = 0; d < rank; ++d)
        for (int n : awkward_extents(mesh.ranks())) {
          std::vector<int> extents(static_cast<std::size_t>(rank), 5);
          extents[static_cast<std::size_t>(d)] = n;
          std::vector<std::vector<bits>> held;
          for (auto const& v : layouts) held.push_back(shards(extents, v, mesh));
          for (std::size_t i = 0; i < layouts.size(); ++i)
            for (std::size_t j = 0; j < layouts.size(); ++j) {
              std::size_t most = 0;
              for (std::size_t r = 0; r < held[i].size(); ++r)
                most = std::max(most, (held[j][r] & ~held[i][r]).count());
              ++pairs;
              missed += plans[i * layouts.size() + j].bytes_per_rank(shape_of(extents), mesh, 8) !=
                        static_cast<index_t>(8 * most);
            }
        }
    }
  MESSAGE(pairs << " pairs, " << missed << " missed");
  CHECK(missed == 0);
}

TEST_CASE("the same on four axes and more, and up to rank 8, for pairs drawn at random") {
  std::minstd_rand random(1);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) / 7 % n; };
  long pairs = 0, missed = 0;
  for (auto const& sizes : std::vector<std::vector<int>>{
           {2, 2, 2, 2}, {3, 2, 2, 2}, {2, 3, 2, 2}, {2, 2, 3, 2}, {2, 2, 2, 2, 2}, {2, 2, 3, 2, 2, 2}}) {
    mesh_shape const mesh = mesh_of(sizes);
    for (int rank = 1; rank <= 8; ++rank) {
      // At most 1024 elements: one long dimension, others of 1 to 3.
      for (int repeat = 0; repeat < (exhaustive() ? 4000 : mesh.axes > 4 ? 30 : 100); ++repeat) {
        std::vector<int> extents;
        for (int d = 0; d < rank; ++d) extents.push_back(static_cast<int>(below(3)) + 1);
        extents[below(extents.size())] = static_cast<int>(below(5) * 6 + below(3));
        if (shape_of(extents).size() > 1024) continue;
        layout_value const from = layout_at_random(random, rank, mesh.axes),
                           to = layout_at_random(random, rank, mesh.axes);
        auto const held = shards(extents, from, mesh), wanted = shards(extents, to, mesh);
        std::size_t most = 0;
        for (std::size_t r = 0; r < held.size(); ++r) most = std::max(most, (wanted[r] & ~held[r]).count());
        ++pairs;
        auto const p = plan(from, to, all_axes(mesh));
        if (p.bytes_per_rank(shape_of(extents), mesh, 8) == static_cast<index_t>(8 * most)) continue;
        ++missed;
        MESSAGE(text(p) << " costs " << p.bytes_per_rank(shape_of(extents), mesh, 1) << ", not " << most << "; extents "
                        << extents[0] << ", " << extents.back() << " on " << mesh.axes << " axes, " << sizes[0]
                        << sizes[1] << sizes[2] << sizes[3]);
      }
    }
  }
  MESSAGE(pairs << " pairs, " << missed << " missed");
  CHECK(pairs > 3000);
  CHECK(missed == 0);
}

TEST_CASE("the same where a dimension is block-cyclic") {
  long pairs = 0, missed = 0;
  std::string worst;
  for (auto const& sizes : std::vector<std::vector<int>>{{2}, {3}, {2, 2}, {2, 3}, {3, 2}})
    for (int rank = 1; rank <= 2; ++rank) {
      mesh_shape const mesh = mesh_of(sizes);
      auto const layouts = with_cyclic(all_layouts(rank, mesh.axes, {}), {1, 2, 3});
      std::vector<planning::redistribution_plan> plans;
      for (auto const& from : layouts)
        for (auto const& to : layouts) plans.push_back(plan(from, to, all_axes(mesh)));
      for (int n : {0, 1, 5, 6, 12, 13}) {
        std::vector<int> const extents = rank == 1 ? std::vector<int>{n} : std::vector<int>{n, 7};
        std::vector<std::vector<bits>> held;
        for (auto const& v : layouts) held.push_back(shards(extents, v, mesh));
        for (std::size_t i = 0; i < layouts.size(); ++i)
          for (std::size_t j = 0; j < layouts.size(); ++j) {
            std::size_t most = 0;
            for (std::size_t r = 0; r < held[i].size(); ++r) most = std::max(most, (held[j][r] & ~held[i][r]).count());
            ++pairs;
            auto const& p = plans[i * layouts.size() + j];
            if (p.bytes_per_rank(shape_of(extents), mesh, 8) == static_cast<index_t>(8 * most)) continue;
            if (!missed++)
              worst = text(p) + " costs " + std::to_string(p.bytes_per_rank(shape_of(extents), mesh, 1)) + ", not " +
                      std::to_string(most);
          }
      }
    }
  MESSAGE(pairs << " pairs, " << missed << " missed");
  INFO(worst);
  CHECK(missed == 0);
}

TEST_CASE("with reductions, no chain of steps costs less at divisible extents" * doctest::test_suite("nightly")) {
  // On axes of 3 or more neither in bytes nor, then, in steps, exchanges, messages, memory; on smaller ones in bytes.
  auto check = [](int rank, int axes, std::vector<int> const& sizes) {
    bool const large = *std::min_element(sizes.begin(), sizes.end()) > 2;
    tally const t = compare(rank, axes, sizes, {layout_detail::op_sum}, 1, pairs_of::all, large);
    INFO(t.worst);
    MESSAGE("rank " << rank << ", " << axes << " axes: " << t.pairs << " pairs, more bytes " << t.more_bytes
                    << ", else more steps " << t.more_steps << ", else more memory " << t.more_memory);
    CHECK(t.broken == 0);
    CHECK(t.more_bytes == 0);
    if (large) CHECK(t.more_steps + t.more_memory == 0);
  };
  for (int rank = 1; rank <= 3; ++rank) {
    check(rank, 1, {1, 2, 3, 4, 5});
    check(rank, 2, {1, 2, 3});
    check(rank, 2, {3, 4, 5});
  }
  check(1, 3, {1, 2, 3});
  check(2, 3, {2, 3});
  check(1, 3, {5, 3});
  check(2, 3, {3, 4});
  check(3, 3, {2});
  if (exhaustive()) {
    check(3, 3, {1, 2, 3});
    check(3, 3, {3});
    check(4, 2, {2, 3});
    check(4, 3, {2, 3});
    check(4, 3, {3});
    check(1, 4, {2, 3});
    check(2, 4, {2});
  }
}

TEST_CASE("of nested kinds, too: on two axes, and on three where nothing becomes partial") {
  std::vector<int> const ops{layout_detail::op_sum, layout_detail::op_max};
  auto check = [&](int rank, int axes, std::vector<int> const& sizes, pairs_of which) {
    tally const t = compare(rank, axes, sizes, ops, 4, which);
    INFO(t.worst);
    MESSAGE("rank " << rank << ", " << axes << " axes: " << t.pairs << " pairs, more bytes " << t.more_bytes);
    CHECK(t.broken == 0);
    CHECK(t.more_bytes == 0);
  };
  for (int rank = 1; rank <= 3; ++rank) check(rank, 2, {2, 3}, pairs_of::all);
  check(1, 3, {2, 3}, pairs_of::nothing_becomes_partial);
  check(2, 3, {3}, pairs_of::nothing_becomes_partial);
  if (exhaustive()) check(3, 3, {2, 3}, pairs_of::nothing_becomes_partial);
}

TEST_CASE("a step's name says what moves") {
  // On axes of different prime sizes nothing is equal by accident.
  std::vector<int> const sizes{2, 3, 5};
  for (int axes = 1; axes <= 3; ++axes)
    for (int rank = 1; rank <= 2; ++rank) {
      mesh_shape const mesh = mesh_of({sizes.begin(), sizes.begin() + axes});
      // Blocks of one size divide them, too, into several rounds.
      std::vector<int> const extents(static_cast<std::size_t>(rank), (rank == 1 ? 4 : axes < 3 ? 2 : 1) * mesh.ranks());
      auto const layouts = axes < 3 ? with_cyclic(all_layouts(rank, axes, {}), {1, 2}) : all_layouts(rank, axes, {});
      std::vector<std::vector<bits>> held;
      for (auto const& v : layouts) held.push_back(shards(extents, v, mesh));
      for (std::size_t i = 0; i < layouts.size(); ++i)
        for (std::size_t j = 0; j < layouts.size(); ++j) {
          if (i == j) continue;
          planning::plan_step const s = plan_detail::step_between(layouts[i], layouts[j]);
          bool slice = true, whole = true, gather = true, equal = true, covered = true;
          for (int r = 0; r < mesh.ranks(); ++r) {
            bits const &from = held[i][static_cast<std::size_t>(r)], &to = held[j][static_cast<std::size_t>(r)];
            std::size_t whole_from = 0, found = 0;
            bits got;
            for (int p = 0; p < mesh.ranks(s.axes); ++p) {
              bits const& peer = held[i][static_cast<std::size_t>(mesh.with_position(r, s.axes, p))];
              std::size_t const part = (peer & to).count();
              found += part;
              whole_from += part == peer.count() && part == to.count();
              gather = gather && part == peer.count();
              equal = equal && part * static_cast<std::size_t>(mesh.ranks(s.axes)) == to.count();
              got |= peer & to;
            }
            slice = slice && (from & to) == to;
            whole = whole && whole_from == 1;
            covered = covered && got == to;
            gather = gather && found == to.count();
            equal = equal && from.count() == to.count() && found == to.count();
          }
          INFO(name(layouts[i]) << " -> " << name(layouts[j]));
          CHECK(covered);  // the ranks of a group have among them what each of them needs
          // Where a dimension is block-cyclic it depends on the extents whether an exchange is more regular than its name says.
          bool const cyclic =
              layout_detail::encode_blocks(layouts[i]) != 0 || layout_detail::encode_blocks(layouts[j]) != 0;
          auto const named = [&](planning::step_kind v, bool is) {
            return cyclic && s.what == collective::exchange ? true : (s.what == v) == is;
          };
          CHECK(named(planning::step_kind::slice, slice));
          if (slice) continue;
          CHECK(named(planning::step_kind::permute, whole));               // one whole shard comes from one rank
          CHECK(named(planning::step_kind::all_gather, gather));           // all shards of the group, side by side
          CHECK(named(planning::step_kind::all_to_all, equal && !whole));  // an equal part of each shard of the group
        }
    }
}

TEST_CASE("bytes of a reduction: what a ring passes by a rank") {
  for (auto const& sizes : std::vector<std::vector<int>>{{2}, {3}, {4}, {2, 3}, {2, 2, 2}})
    for (int rank = 1; rank <= 2; ++rank)
      for (int n : {0, 1, 4, 5, 7}) {
        mesh_shape const mesh = mesh_of(sizes);
        std::vector<int> extents{n};
        if (rank == 2) extents.push_back(5);
        auto const layouts = all_layouts(rank, mesh.axes);
        for (auto const& from : layouts)
          for (auto const& to : layouts) {
            axis_mask const reduced = from.partial() & ~to.partial();
            if (!reduced || (to.partial() & ~from.partial())) continue;
            bool extends = true;
            for (int d = 0; d < rank; ++d) extends = extends && from.dim[d].begins(to.dim[d]);
            bool const scatters = !(reduced & ~to.sharding());
            if (!extends || (!scatters && from.sharding() != to.sharding())) continue;
            auto const held = shards(extents, to, mesh);
            std::size_t most = 0;
            for (int r = 0; r < mesh.ranks(); ++r) {
              std::size_t sum = 0, least = ~std::size_t{0};
              int const q = mesh.ranks(reduced);
              for (int p = 0; p < q; ++p) {
                std::size_t const size = held[static_cast<std::size_t>(mesh.with_position(r, reduced, p))].count();
                sum += size;
                least = std::min(least, size);
              }
              std::size_t const whole = sum / static_cast<std::size_t>(q);  // where all_reduced, all hold the same
              most = std::max(most, scatters ? sum - least : 2 * (whole - whole / static_cast<std::size_t>(q)));
            }
            planning::plan_step const s = plan_detail::step_between(from, to);
            CHECK(s.what == (scatters ? collective::reduce_scatter : collective::all_reduce));
            CHECK(plan_detail::step_bytes(s, shape_of(extents), mesh, 4) == static_cast<index_t>(4 * most));
          }
      }
}

TEST_CASE("memory: source, shards and packed copies of the rank that holds most") {
  auto axes = [](auto... a) {
    layout_detail::axis_list l;
    (l.push(a), ...);
    return l;
  };
  auto peak = [](layout_value const& from, layout_value const& to, std::vector<int> const& extents,
                 std::vector<int> const& sizes) {
    return plan(from, to).peak_bytes(shape_of(extents), mesh_of(sizes), 1);
  };
  layout_value const whole{2, {}}, rows{2, {axes(0)}}, columns{2, {axes(), axes(0)}};
  CHECK(peak(rows, rows, {8, 8}, {4}) == 16);                // nothing to do: the source
  CHECK(peak(rows, whole, {8, 8}, {4}) == 16 + 64);          // rows arrive where they belong
  CHECK(peak(columns, whole, {8, 8}, {4}) == 16 + 64 + 64);  // columns are unpacked
  CHECK(peak(rows, columns, {8, 8}, {4}) == 16 + 16 + 16);   // packed by columns, but received by rows
  CHECK(peak(columns, rows, {8, 8}, {4}) == 16 + 16 + 16);
  CHECK(peak(whole, rows, {8, 8}, {4}) == 64 + 16);  // a slice needs no scratch
  CHECK(peak(rows, whole, {8, 8}, {1}) == 64);       // on one rank there is nothing to do
  CHECK(peak(rows, whole, {7, 8}, {4}) == 16 + 56);  // the first ranks hold 2 rows of 7
  CHECK(peak(rows, columns, {8, 1}, {4}) == 2 + 8);  // one column: contiguous
  layout_value const sum{2, {}, 1, {{layout_detail::op_sum, 1}}};
  CHECK(peak(sum, whole, {8, 8}, {4}) == 64 + 64);
  CHECK(peak(sum, rows, {8, 8}, {4}) == 64 + 16);
  CHECK(peak(sum, columns, {8, 8}, {4}) == 64 + 16 + 64);
  // reduce_scatter into a quarter, then all_gather of the other axis: the source lives on, the quarter too.
  layout_value const sum_of_rows{2, {axes(1)}, 1, {{layout_detail::op_sum, 1}}};
  CHECK(peak(sum_of_rows, columns, {8, 8}, {2, 2}) == 32 + 16 + 32);
  CHECK(plan(sum_of_rows, columns).size == 2);

  // A step takes one buffer beside the source and the shards between which it leads, of the larger one's size at most.
  for (auto const& sizes : std::vector<std::vector<int>>{{2, 3}, {3, 4}}) {
    mesh_shape const mesh = mesh_of(sizes);
    for (auto const& from : all_layouts(2, 2))
      for (auto const& to : all_layouts(2, 2)) {
        std::vector<int> const extents(2, mesh.ranks());
        auto const p = plan(from, to, all_axes(mesh));
        auto const shard = [&](layout_value const& v) {
          return layout_detail::largest_shard(shape_of(extents), v, mesh);
        };
        index_t const n = p.peak_bytes(shape_of(extents), mesh, 1);
        index_t most = shard(from);
        for (planning::plan_step const& s : p)
          most = std::max(most, shard(from) + (s.from == from ? 0 : shard(s.from)) + shard(s.to) +
                                    std::max(shard(s.from), shard(s.to)));
        INFO(text(p));
        CHECK(n <= most);
        if (p.size) CHECK(n >= shard(from) + shard(to));
      }
  }
}

TEST_CASE("memory, counted element by element") {
  auto check = [](std::vector<int> const& sizes, std::vector<int> const& extents) {
    mesh_shape const mesh = mesh_of(sizes);
    auto const layouts = all_layouts(2, mesh.axes);
    for (auto const& from : layouts)
      for (auto const& to : layouts) {
        auto const p = plan(from, to, all_axes(mesh));
        std::size_t most = 0;
        for (int r = 0; r < mesh.ranks(); ++r) {
          auto const rank = static_cast<std::size_t>(r);
          std::size_t const source = shards(extents, from, mesh)[rank].count();
          std::size_t live = source;
          most = std::max(most, live);
          for (planning::plan_step const& s : p) {
            auto const before = shards(extents, s.from, mesh), after = shards(extents, s.to, mesh);
            // A packed copy of what one side shares with the other's shards, unless that is the shard as it lies.
            auto packed = [&](std::vector<bits> const& mine, std::vector<bits> const& theirs) {
              std::vector<std::size_t> parts, shard;
              std::vector<bits> served;  // ranks that hold the same are sent the same
              for (int i = 0; i < mesh.ranks(s.axes); ++i) {
                int const peer = mesh.with_position(r, s.axes, i);
                axis_mask const copies = s.what == collective::reduce_scatter ? 0 : s.axes & ~s.from.sharding();
                if (mesh.position(peer, copies) != mesh.position(r, copies)) continue;
                bits const& other = theirs[static_cast<std::size_t>(peer)];
                if (std::find(served.begin(), served.end(), other) != served.end()) continue;
                served.push_back(other);
                bits const part = mine[rank] & other;
                for (std::size_t e = 0; e < part.size(); ++e)
                  if (part[e]) parts.push_back(e);
              }
              for (std::size_t e = 0; e < mine[rank].size(); ++e)
                if (mine[rank][e]) shard.push_back(e);
              return parts == shard ? 0 : parts.size();
            };
            bool const moves = plan_detail::communicates(s.what) && s.what != collective::all_reduce;
            std::size_t const size = after[rank].count();
            std::size_t const sent = moves && s.what != collective::all_gather ? packed(before, after) : 0;
            std::size_t const received = moves && s.what != collective::reduce_scatter ? packed(after, before) : 0;
            most = std::max(most, live + size + std::max(sent, received));
            live = source + size;
          }
        }
        INFO(text(p));
        CHECK(p.peak_bytes(shape_of(extents), mesh, 4) == static_cast<index_t>(4 * most));
      }
  };
  for (auto const& sizes : std::vector<std::vector<int>>{{3}, {2, 3}, {3, 2}}) {
    check(sizes, {5, 7});
    check(sizes, {6, 12});  // which divide: one rank stands for all
  }
}

TEST_CASE("layouts of different ranks have no plan") { CHECK_THROWS(static_cast<void>(plan({1, {}}, {2, {}}))); }
