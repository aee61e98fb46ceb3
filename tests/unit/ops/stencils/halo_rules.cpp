// The rules of halos by simulation: ranks are arrays of integers, and each operation is what its page says. A rule is
// sound if the cells of the result hold what the state in the result's type promises, whatever the operand's state leaves
// open. It refuses a state rightly if cells that this state leaves open change the result, or if the result denotes
// another value. All states, corners, edges, widths and splits, drawn at random; the states are those of the real types.
#include "ashlar/ops/ops.hpp"
#include "support/halo_problems.hpp"
#include <doctest/doctest.h>
#include <map>
#include <vector>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::layout_detail;

namespace {

using problem = test::halo_problem;
using integers = std::vector<long long>;
using shards = std::vector<integers>;

enum class state { unfilled, without_corners, fresh, sums };

/// The state of a type.
template <class T>
constexpr state state_of = is_in_state<layout_t<T>, halo_state::unfilled>          ? state::unfilled
                           : is_in_state<layout_t<T>, halo_state::without_corners> ? state::without_corners
                           : is_in_state<layout_t<T>, halo_state::fresh>           ? state::fresh
                                                                                   : state::sums;

/// A stored cell: the dimensions in which it is outside the owned box, and the cell that it shows times `sign`.
struct place {
  int outside = 0;
  bool given = false;
  int sign = 1;
  std::size_t shown = 0;
};

class simulation {
 public:
  simulation(problem const& p, std::mt19937& draw) : p_(p), draw_(draw) {
    for (int r = 0; r < p.mesh.ranks(); ++r) {
      std::vector<place> all;
      test::for_stored_cells(p, local_region(p.extents, p.layout, p.mesh, r), [&](test::stored_cell const& c) {
        index_t shown = 0;
        for (int d = 0; d < p.extents.rank && !c.given; ++d)
          shown = shown * p.extents[d] + c.shown[static_cast<std::size_t>(d)];
        all.push_back({c.outside, c.given, c.sign, static_cast<std::size_t>(shown)});
      });
      places_.push_back(all);
      groups_.push_back(p.mesh.position(r, ~p.layout.sharding()));
    }
  }

  std::size_t ranks() const { return places_.size(); }
  std::size_t cells() const { return static_cast<std::size_t>(p_.extents.size()); }
  long long anything() const { return static_cast<long long>(draw_() % 2001) - 1000; }
  integers drawn() const {
    integers x(cells());
    for (auto& e : x) e = anything();
    return x;
  }
  /// True if a state says what such a cell holds. Given cells are the program's in all states but sums.
  static bool promised(state s, place const& c) {
    return c.outside == 0 || c.given || s == state::fresh || (s == state::without_corners && c.outside == 1);
  }

  /// A tensor of this value and state. Given cells come from `given`; what the state leaves open is drawn anew.
  shards stored(state s, integers const& value, shards const& given) const {
    return each([&](std::size_t r, std::size_t i, place const& c) {
      return !promised(s, c) ? anything() : c.given ? given[r][i] : shows(c, value);
    });
  }
  /// Terms at random, of which nothing is known.
  shards terms() const {
    return each([&](std::size_t, std::size_t, place const&) { return anything(); });
  }
  /// True if `x` holds what the state promises of a tensor with this value.
  bool holds(state s, shards const& x, integers const& value, shards const& given) const {
    bool right = true;
    each([&](std::size_t r, std::size_t i, place const& c) {
      right = right && (!promised(s, c) || x[r][i] == (c.given ? given[r][i] : shows(c, value)));
      return 0;
    });
    return right;
  }
  /// The value of owned cells, from the ranks that differ from `rank` along sharding axes only.
  integers value(shards const& x, std::size_t rank) const {
    integers v(cells());
    each([&](std::size_t r, std::size_t i, place const& c) {
      if (groups_[r] == groups_[rank] && c.outside == 0) v[c.shown] = x[r][i];
      return 0;
    });
    return v;
  }
  /// The value of sums: over all stored copies of a cell, with their signs, on these ranks.
  integers value_of_sums(shards const& y, std::size_t rank) const {
    integers v(cells());
    each([&](std::size_t r, std::size_t i, place const& c) {
      if (groups_[r] == groups_[rank] && !c.given) v[c.shown] += c.sign * y[r][i];
      return 0;
    });
    return v;
  }

  /// The same terms, and 0 in corners.
  shards without_corners(shards const& y) const {
    return each([&](std::size_t r, std::size_t i, place const& c) { return c.outside > 1 ? 0 : y[r][i]; });
  }
  shards exchange(shards const& x, corners which) const {
    auto const values = of_groups([&](std::size_t r) { return value(x, r); });
    return each([&](std::size_t r, std::size_t i, place const& c) {
      bool const filled = c.outside > 0 && !c.given && (which == corners::filled || c.outside == 1);
      return filled ? shows(c, values.at(groups_[r])) : x[r][i];
    });
  }
  shards add(shards const& y, corners which) const {
    shards const summed = which == corners::filled ? y : without_corners(y);
    auto const values = of_groups([&](std::size_t r) { return value_of_sums(summed, r); });
    return each([&](std::size_t r, std::size_t, place const& c) {
      return c.outside == 0 ? values.at(groups_[r])[c.shown] : c.given ? 0 : anything();
    });
  }
  /// f of each owned cell; other cells are drawn. Given cells come along.
  template <class F>
  shards elementwise(F f, shards const& x) const {
    return each([&](std::size_t r, std::size_t i, place const& c) {
      return c.outside == 0 ? f(x[r][i]) : c.given ? x[r][i] : anything();
    });
  }
  /// Over the ranks of one group, the sum of products of all stored cells, or of the owned ones. Given cells count nothing.
  long long inner(shards const& x, shards const& y, bool owned_alone) const {
    long long s = 0;
    each([&](std::size_t r, std::size_t i, place const& c) {
      if (groups_[r] == groups_[0] && !c.given && (!owned_alone || c.outside == 0)) s += x[r][i] * y[r][i];
      return 0;
    });
    return s;
  }
  /// f of every stored cell: its rank, its position and its place.
  template <class F>
  shards each(F f) const {
    shards all(ranks());
    for (std::size_t r = 0; r < ranks(); ++r)
      for (std::size_t i = 0; i < places_[r].size(); ++i) all[r].push_back(f(r, i, places_[r][i]));
    return all;
  }
  /// True if some stored cell is such a one.
  template <class Is>
  bool any(Is is) const {
    bool found = false;
    each([&](std::size_t, std::size_t, place const& c) {
      found = found || is(c);
      return 0;
    });
    return found;
  }

 private:
  /// A value for each group of ranks that differ along sharding axes only.
  template <class F>
  std::map<int, integers> of_groups(F value_of) const {
    std::map<int, integers> values;
    for (std::size_t r = 0; r < ranks(); ++r)
      if (!values.contains(groups_[r])) values[groups_[r]] = value_of(r);
    return values;
  }
  static long long shows(place const& c, integers const& value) { return c.sign == 0 ? 0 : c.sign * value[c.shown]; }
  problem const& p_;
  std::mt19937& draw_;
  std::vector<std::vector<place>> places_;
  std::vector<int> groups_;
};

// What the library's types say of each operation.
using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto plain_field = make<double, field>(m, {8, 8});
constexpr auto sums_field = make<double, halo_sums<field>>(m, {8, 8});
constexpr auto partly = exchange_halo<corners::skipped>(plain_field);
constexpr auto filled = exchange_halo(plain_field);

/// Calls check(simulation, value, given cells) for many problems.
template <class Check>
void for_problems(Check check) {
  std::mt19937 draw(23);
  for (int i = 0; i < 300; ++i) {
    int const dims = 1 + static_cast<int>(draw() % 2);
    problem const p = test::drawn_halo_problem(draw, dims, dims == 1 ? 12 : 6, dims == 1 ? 6 : 3);
    simulation const on(p, draw);
    check(on, on.drawn(), on.terms());
  }
}

}  // namespace

TEST_CASE("halo_rules: an exchange gives the state of its type, whatever the operand's state leaves open") {
  for_problems([](simulation const& on, integers const& value, shards const& given) {
    auto const check = [&](state operand, corners which, state result) {
      CHECK(on.holds(result, on.exchange(on.stored(operand, value, given), which), value, given));
    };
    check(state_of<decltype(plain_field)>, corners::filled, state_of<decltype(filled)>);
    check(state_of<decltype(plain_field)>, corners::skipped, state_of<decltype(partly)>);
    check(state_of<decltype(partly)>, corners::filled, state_of<decltype(exchange_halo(partly))>);
  });
}

TEST_CASE("halo_rules: an exchange without corners does not fill a halo, and sums are no operand") {
  int corners_matter = 0, terms_matter = 0;
  for_problems([&](simulation const& on, integers const& value, shards const& given) {
    shards const x = on.exchange(on.stored(state::unfilled, value, given), corners::skipped);
    corners_matter += !on.holds(state::fresh, x, value, given);
    if (!on.any([](place const& c) { return c.outside > 1 && !c.given; }))
      CHECK(on.holds(state::fresh, x, value, given));
    shards const y = on.terms();
    for (std::size_t r = 0; r < on.ranks(); ++r)
      if (on.value_of_sums(on.exchange(y, corners::filled), r) != on.value_of_sums(y, r)) ++terms_matter;
  });
  CHECK(corners_matter > 20);
  CHECK(terms_matter > 100);
}

TEST_CASE("halo_rules: add_halo denotes what its operand denotes, and without corners only if these hold 0") {
  int corners_matter = 0;
  static_assert(state_of<decltype(add_halo(sums_field))> == state::unfilled);
  for_problems([&](simulation const& on, integers const&, shards const&) {
    shards const y = on.terms();
    shards const no_corners = on.without_corners(y);
    shards const all = on.add(y, corners::filled), faces = on.add(no_corners, corners::skipped);
    for (std::size_t r = 0; r < on.ranks(); ++r) {
      CHECK(on.value(all, r) == on.value_of_sums(y, r));
      CHECK(on.value(faces, r) == on.value_of_sums(no_corners, r));
      corners_matter += on.value(on.add(y, corners::skipped), r) != on.value_of_sums(y, r);
    }
  });
  CHECK(corners_matter > 20);
}

TEST_CASE("halo_rules: an exchange and its sums are transposes of each other") {
  for_problems([](simulation const& on, integers const& value, shards const& given) {
    shards const x = on.stored(state::unfilled, value, given), y = on.terms();
    shards const no_corners = on.without_corners(y);
    CHECK(on.inner(on.exchange(x, corners::filled), y, false) == on.inner(x, on.add(y, corners::filled), true));
    CHECK(on.inner(on.exchange(x, corners::skipped), no_corners, false) ==
          on.inner(x, on.add(no_corners, corners::skipped), true));
    // redistribute<H> reads owned cells; its transpose sets the others to 0, and denotes the same.
    shards const owned_terms =
        on.each([&](std::size_t r, std::size_t i, place const& c) { return c.outside > 0 ? 0 : y[r][i]; });
    CHECK(on.inner(on.exchange(x, corners::filled), owned_terms, false) == on.inner(x, y, true));
    CHECK(on.value_of_sums(owned_terms, 0) == on.value(y, 0));
  });
}

TEST_CASE("halo_rules: an element-wise result is unfilled, and a filled one would be wrong") {
  static_assert(state_of<decltype(exp(plain_field))> == state::unfilled &&
                state_of<decltype(exp(partly))> == state::unfilled &&
                state_of<decltype(exp(filled))> == state::unfilled);
  auto const f = [](long long e) { return e * e + 1; };
  int beyond_the_edge = 0;
  for_problems([&](simulation const& on, integers const& value, shards const& given) {
    integers result;
    for (long long const e : value) result.push_back(f(e));
    for (state const s : {state::unfilled, state::without_corners, state::fresh})
      CHECK(on.holds(state::unfilled, on.elementwise(f, on.stored(s, value, given)), result, given));
    // f of every stored cell: right within the domain, and wrong beyond a zero or an odd edge.
    shards const x = on.stored(state::fresh, value, given);
    shards const all =
        on.each([&](std::size_t r, std::size_t i, place const& c) { return c.given ? given[r][i] : f(x[r][i]); });
    bool const plain = !on.any([](place const& c) { return c.sign != 1; });
    if (plain) CHECK(on.holds(state::fresh, all, result, given));
    beyond_the_edge += !on.holds(state::fresh, all, result, given);
  });
  CHECK(beyond_the_edge > 100);
}

TEST_CASE("halo_rules: sums are added and scaled cell by cell, and take no other function") {
  static_assert(state_of<decltype(sums_field + sums_field)> == state::sums &&
                state_of<decltype(2. * sums_field)> == state::sums);
  int nonlinear = 0, owned_alone = 0;
  for_problems([&](simulation const& on, integers const&, shards const&) {
    shards const y = on.terms(), z = on.terms();
    integers expected = on.value_of_sums(y, 0), squares = expected;
    integers const other = on.value_of_sums(z, 0);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      squares[i] *= squares[i];
      expected[i] = 3 * expected[i] - other[i];
    }
    CHECK(on.value_of_sums(on.each([&](std::size_t r, std::size_t i, place const&) { return 3 * y[r][i] - z[r][i]; }),
                           0) == expected);
    nonlinear +=
        squares !=
        on.value_of_sums(on.each([&](std::size_t r, std::size_t i, place const&) { return y[r][i] * y[r][i]; }), 0);
    // A reduction, a file or a print would read owned cells alone.
    owned_alone += on.value(y, 0) != on.value_of_sums(y, 0);
  });
  CHECK(nonlinear > 100);
  CHECK(owned_alone > 100);
}

TEST_CASE("halo_rules: a stencil may read what the state of its operand promises, and nothing else") {
  // Two tensors that agree in all that a state promises agree in a stencil's result exactly if it reads no other cell.
  std::map<state, int> changed_by_faces, changed_by_corners;
  for_problems([&](simulation const& on, integers const& value, shards const& given) {
    for (state const s : {state::unfilled, state::without_corners, state::fresh}) {
      shards const x = on.stored(s, value, given), y = on.stored(s, value, given);
      on.each([&](std::size_t r, std::size_t i, place const& c) {
        if (c.outside == 1) changed_by_faces[s] += x[r][i] != y[r][i];
        if (c.outside > 1) changed_by_corners[s] += x[r][i] != y[r][i];
        return 0;
      });
    }
  });
  CHECK(changed_by_faces[state::unfilled] > 1000);
  CHECK(changed_by_faces[state::without_corners] == 0);
  CHECK(changed_by_corners[state::without_corners] > 1000);
  CHECK(changed_by_faces[state::fresh] + changed_by_corners[state::fresh] == 0);
}

TEST_CASE("halo_rules: terms along an axis that shards nothing keep the state, except beyond a given boundary") {
  using over = partial<field, "k">;
  using grid3 = mesh<axis<"y">, axis<"x">, axis<"k">>;
  constexpr abstract_mesh<grid3> cube(grid3{{2, 2, 2}});
  static_assert(state_of<decltype(all_reduce(make<double, fresh<over>>(cube, {8, 8})))> == state::fresh &&
                state_of<decltype(all_reduce(make<double, over>(cube, {8, 8})))> == state::unfilled);
  int given_matter = 0;
  for_problems([&](simulation const& on, integers const& value, shards const& given) {
    integers const more = on.drawn();
    integers both;
    for (std::size_t i = 0; i < value.size(); ++i) both.push_back(value[i] + more[i]);
    for (state const s : {state::unfilled, state::without_corners, state::fresh}) {
      shards const x = on.stored(s, value, given), y = on.stored(s, more, given);
      shards const sum = on.each([&](std::size_t r, std::size_t i, place const&) { return x[r][i] + y[r][i]; });
      if (on.any([](place const& c) { return c.given; }))
        given_matter += !on.holds(s, sum, both, given);
      else
        CHECK(on.holds(s, sum, both, given));
    }
  });
  CHECK(given_matter > 100);
}
