// Plans that extents choose: what they cost against exhaustive search at these extents, and against one collective.
#include "ashlar/plan/candidates.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <random>
#include "support/plan_search.hpp"

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

constexpr double never = 1e30;

// Bytes of one step between two layouts at these extents, or `never` if the rules do not allow it. No tensor becomes
// partial here.
double step_cost(layout_value const& from, layout_value const& to, shape const& extents, mesh_shape const& mesh) {
  planning::plan_step const s = plan_detail::step_between(from, to);
  axis_mask const reduced = from.partial() & ~to.partial();
  if (to.partial() & ~from.partial()) return never;
  if (reduced) {
    bool same = true;
    for (int d = 0; d < from.rank; ++d) {
      same = same && from.dim[d] == to.dim[d];
      if (!from.dim[d].begins(to.dim[d])) return never;
    }
    if (!same && (reduced & ~to.sharding())) return never;
  }
  return static_cast<double>(plan_detail::step_bytes(s, extents, mesh, 1));
}

// The least bytes of all chains of steps through these layouts (Dijkstra's algorithm).
double least(layout_value const& from, layout_value const& to, shape const& extents, mesh_shape const& mesh,
             std::vector<layout_value> const& all) {
  std::vector<double> cost(all.size(), never);
  std::vector<bool> done(all.size());
  cost[static_cast<std::size_t>(std::find(all.begin(), all.end(), from) - all.begin())] = 0;
  for (;;) {
    std::size_t next = all.size();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!done[i] && cost[i] < never && (next == all.size() || cost[i] < cost[next])) next = i;
    REQUIRE(next != all.size());
    if (all[next] == to) return cost[next];
    done[next] = true;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!done[i]) cost[i] = std::min(cost[i], cost[next] + step_cost(all[next], all[i], extents, mesh));
  }
}

// What the bytes are over the least, of the chosen plans and of the first ones alone.
struct figures {
  long cases;
  double mean, worst, first_mean, first_worst;
};
struct tally {
  long cases = 0, dearer_than_one_collective = 0, dearer_than_first = 0;
  double sum = 0, worst = 0, first_sum = 0, first_worst = 0;
  std::string worst_case;

  figures found() const {
    auto const n = static_cast<double>(cases);
    return {cases, sum / n, worst, first_sum / n, first_worst};
  }
};

// The figures are those that docs/decisions/planner.md states, rounded (tests/scripts/figures.py reads both).
void check_stated(tally const& t, figures const& stated) {
  figures const found = t.found();
  MESSAGE(found.cases << " cases, mean " << found.mean << ", worst " << found.worst << ": " << t.worst_case
                      << "; the first plan alone " << found.first_mean << " and " << found.first_worst);
  CHECK(found.cases == stated.cases);
  auto const rounds_to = [](double x, double rounded, double digit) { return std::abs(x - rounded) <= 0.51 * digit; };
  CHECK(rounds_to(found.mean, stated.mean, 0.001));
  CHECK(rounds_to(found.worst, stated.worst, 0.01));
  CHECK(rounds_to(found.first_mean, stated.first_mean, 0.001));
  CHECK(rounds_to(found.first_worst, stated.first_worst, 0.01));
  CHECK(t.dearer_than_one_collective == 0);
  CHECK(t.dearer_than_first == 0);
}

// All pairs whose first layout is partial over axis 0 alone and whose second is not partial. A dimension has at most one
// axis, and each rank an index of it.
void compare(tally& t, std::vector<int> const& sizes, std::vector<int> const& of, double share, unsigned seed) {
  mesh_shape const mesh = mesh_of(sizes);
  shape const extents = shape_of(of);
  std::mt19937 random(seed);
  auto const all = all_layouts(extents.rank, mesh.axes);
  auto const usual = [&](layout_value const& v) {
    for (int d = 0; d < v.rank; ++d)
      if (v.dim[d].size > 1 || parts(v.dim[d], mesh) > extents[d]) return false;
    return true;
  };
  for (auto const& from : all)
    for (auto const& to : all) {
      if (from.partial() != 1 || to.partial() != 0 || !usual(from) || !usual(to)) continue;
      if (static_cast<double>(random()) >= share * 0x1p32) continue;  // the same pairs by every standard library
      planning::redistribution_plan const chosen = plan(from, to, extents, mesh, 1, all_axes(mesh));
      auto const bytes = static_cast<double>(chosen.bytes_per_rank(extents, mesh, 1));
      double const bound = least(from, to, extents, mesh, all);
      ++t.cases;
      t.dearer_than_one_collective += bytes > step_cost(from, to, extents, mesh);
      auto const first = static_cast<double>(plan(from, to, all_axes(mesh)).bytes_per_rank(extents, mesh, 1));
      t.dearer_than_first += bytes > first;
      if (bound == 0) {
        CHECK(bytes == 0);
        continue;
      }
      t.sum += bytes / bound;
      t.first_sum += first / bound;
      t.first_worst = std::max(t.first_worst, first / bound);
      if (bytes / bound > t.worst) t.worst = bytes / bound, t.worst_case = text(chosen);
    }
}

}  // namespace

TEST_CASE("candidates: a gradient that is partial over one axis, with short first dimensions") {
  tally t;
  for (auto const& mesh : std::vector<std::vector<int>>{{2, 2}, {4, 2}, {2, 4}, {8, 4}})
    for (auto const& extents : std::vector<std::vector<int>>{{1, 64},
                                                             {3, 64},
                                                             {2, 512},
                                                             {7, 128},
                                                             {64, 3},
                                                             {512, 512},
                                                             {1, 1, 64, 128},
                                                             {1, 64, 32},
                                                             {3, 512, 64},
                                                             {2, 64, 7},
                                                             {7, 5, 64},
                                                             {3, 512, 8, 64},
                                                             {3, 3, 64, 128},
                                                             {1, 7, 64, 64},
                                                             {64, 64, 3, 3}})
      compare(t, mesh, extents, 1, 0);
  check_stated(t, {1940, 1.008, 1.5, 1.087, 3.2});
}

TEST_CASE("candidates: uneven extents, and three axes") {
  tally t;
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    std::vector<int> extents;
    for (unsigned d = 0, n = 2 + random() % 2; d < n; ++d) extents.push_back(1 + static_cast<int>(random() % 100));
    compare(t, i % 2 ? std::vector<int>{2, 3} : std::vector<int>{4, 3}, extents, 1, 0);
  }
  for (auto const& extents : std::vector<std::vector<int>>{{1, 64}, {3, 64}, {7, 128}, {1, 64, 32}, {5, 3, 64}})
    for (auto const& mesh : std::vector<std::vector<int>>{{2, 2, 2}, {4, 2, 2}})
      compare(t, mesh, extents, 0.1, static_cast<unsigned>(extents[0]));
  check_stated(t, {2621, 1.004, 1.43, 1.021, 2.67});
}

TEST_CASE("candidates: without a reduction there is one plan, with one at most four") {
  for (int rank = 0; rank <= 3; ++rank) {
    auto const all = all_layouts(rank, 2);
    for (auto const& from : all)
      for (auto const& to : all) {
        plan_detail::plan_candidates const plans(from, to, 3, {});
        CHECK(plans.plan[0] == plan(from, to, 3));
        CHECK((plans.size == 1 || (from.partial() & ~to.partial()) != 0));
        for (int i = 0; i < plans.size; ++i)
          for (int j = 0; j < i; ++j) CHECK(!(plans.plan[i] == plans.plan[j]));
      }
  }
}

TEST_CASE("candidates: what a message costs counts for the tensor at hand") {
  // Partial over both axes, to be replicated: small tensors take the fewest messages, large ones the fewest bytes.
  layout_value const sum{1, {}, 1, {{layout_detail::op_sum, 3}}}, whole{1, {}};
  mesh_shape const mesh = mesh_of({4, 4});
  link_model const links{.message_bytes = 10000, .tensor_bytes = 1 << 20, .sizes = mesh};
  for (index_t n : {1, 16, 1 << 10, 1 << 24}) {
    auto const cost = [&](planning::redistribution_plan const& p) {
      return p.bytes_per_rank(shape::of(n), mesh, 4) + links.message_bytes * p.messages_per_rank(mesh);
    };
    plan_detail::plan_candidates const plans(sum, whole, 3, links);
    index_t const chosen = cost(plan(sum, whole, shape::of(n), mesh, 4, 3, links));
    for (int i = 0; i < plans.size; ++i) CHECK(chosen <= cost(plans.plan[i]));
  }
}

TEST_CASE("candidates: extents of another rank than the layouts are refused") {
  CHECK_THROWS(static_cast<void>(plan({1, {}}, {1, {}}, shape::of(2, 2), mesh_of({2}), 4)));
}
