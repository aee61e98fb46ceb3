// Derivatives of max and min over dimensions: where elements differ they are difference quotients, and where several
// are equal to the extremum they share its cotangent, on all meshes.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

// All different up to 101 elements.
double distinct(index_t g, int, int number) { return static_cast<double>(g * 37 % 101 - 50) / 8 + number; }
double few_values(index_t g, int, int) { return static_cast<double>(g * g % 7 % 3) - 1; }
double equal_values(index_t, int, int) { return -2; }
// Four ties of the maximum and four of the minimum in a line of 8.
double alternating(index_t g, int, int) { return static_cast<double>((g + g / 8) % 2 * 3 - 1); }

// The extrema over the dimensions of a mask, and what their cotangents become: a share for each element equal to them.
template <bool Largest>
struct dense_extrema {
  std::vector<std::size_t> line;  // the output of each element
  std::vector<double> x, best;

  dense_extrema(std::vector<double> const& elements, shape const& e, unsigned dims) : x(elements) {
    best.assign(static_cast<std::size_t>(ops_detail::without_dims(e, dims).size()), Largest ? -HUGE_VAL : HUGE_VAL);
    for (index_t i = 0; i < e.size(); ++i) {
      index_t number = 0;
      for (int d = 0; d < e.rank; ++d)
        if (!(dims >> d & 1u)) number = number * e[d] + i / e.stride(d) % e[d];
      line.push_back(static_cast<std::size_t>(number));
      double& y = best[line.back()];
      y = Largest ? std::max(y, x[line.size() - 1]) : std::min(y, x[line.size() - 1]);
    }
  }
  std::vector<double> pullback(std::vector<double> const& ct) const {
    std::vector<double> ties(best.size()), result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) ties[line[i]] += x[i] == best[line[i]];
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] == best[line[i]]) result[i] = ct[line[i]] / ties[line[i]];
    return result;
  }
};

template <bool Largest, int... Dims>
auto extremum(auto const& x) {
  if constexpr (Largest)
    return max<Dims...>(x);
  else
    return min<Dims...>(x);
}

// Of max, or min, then what completes it, for extents where both may be.
template <dimension Replicated, class L, bool Largest, int... Dims, class F>
void check_one(shape const& any, F const& complete) {
  constexpr unsigned dims = sizeof...(Dims) ? (0u | ... | (1u << Dims)) : (1u << L::rank) - 1u;
  for (shape const& e : {any, L::rank == 1 ? shape::of(32) : shape::of(8, 4)}) {
    layout_value dual_of_result;
    auto const run = [&](test_mesh const& p) {
      auto const f = [&](auto const& x) {
        auto const y = complete(extremum<Largest, Dims...>(x));
        using C = layout_t<typename decltype(y)::cotangent_type>;
        dual_of_result = layout_detail::value_v<plan_detail::mesh_context<grid, C>, C>;
        return y;
      };
      return pull_back<Replicated>(p, f, operand<L>{e});
    };
    auto const check_ties = [&](test_mesh const& alone, pulled_back const& r) {
      dense_extrema<Largest> const y(alone.value(e, operand<L>::layout, 0), e, dims);
      shape const kept = ops_detail::without_dims(e, dims);
      if (dual_of_result.rank == kept.rank) {
        CHECK(r.cotangents[0].elements == y.pullback(alone.value(kept, dual_of_result, 99)));
      } else {  // reduced once more
        dense_extrema<Largest> const z(y.best, kept, ~0u);
        CHECK(r.cotangents[0].elements == y.pullback(z.pullback(alone.value({}, dual_of_result, 99))));
      }
    };
    check_slopes(distinct, run);
    check_on_meshes(few_values, 1e-15, run, check_ties);
    check_on_meshes(equal_values, 1e-15, run, check_ties);
    if (e != any) check_on_meshes(alternating, 0, run, check_ties);
  }
}
template <dimension Replicated, class L, int... Dims, class F>
void check_extrema(shape const& any, F const& complete) {
  check_one<Replicated, L, true, Dims...>(any, complete);
  check_one<Replicated, L, false, Dims...>(any, complete);
}

auto const as_it_is = [](auto const& y) { return y; };
auto const reduced = [](auto const& y) { return all_reduce(y); };

}  // namespace

TEST_CASE("over whole dimensions") {
  check_extrema<"data", layout<"data", none>, 1>(shape::of(7, 5), as_it_is);
  check_extrema<axes("data", "model"), layout<none, "model">, 0>(shape::of(7, 5), as_it_is);
  check_extrema<axes("data", "model"), layout<none, none>>(
      shape::of(5, 3), [](auto const& y) { return as_partial<axes("data", "model")>(y); });
}

TEST_CASE("over sharded dimensions, and shards that are empty") {
  check_extrema<"data", layout<"data", "model">, 0>(shape::of(7, 5), reduced);
  check_extrema<"data", layout<"data", "model">>(shape::of(2, world_size() + 1), reduced);
  check_extrema<axes("data", "model"), layout<none, "model">, 1>(shape::of(7, 5), reduced);
  check_extrema<"data", layout<axes("model", "data")>>(shape::of(11), reduced);
  check_extrema<"data", layout<"model", "data">, 0>(shape::of(7, 5),
                                                    [](auto const& y) { return reduce_scatter<"model", 0>(y); });
}

TEST_CASE("of what is partial, which shares twice") {
  check_one<"data", layout<"data", "model">, true, 0>(shape::of(7, 5),
                                                      [](auto const& y) { return all_reduce(max(y + 1.)); });
  check_one<"data", layout<"data", "model">, false, 0>(shape::of(7, 5),
                                                       [](auto const& y) { return all_reduce(min(y + 1.)); });
}

TEST_CASE("the dry run counts what the derivative communicates") {
  auto const program = [](auto const& m) {
    auto const x = uniform<double, layout<"data", "model">>(m, {7, 5}, prng_key{1});
    (void)value_and_grad<"data">([](auto const& a) { return sum(all_reduce(max<0>(a))); })(x);
  };
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const expected = dry_run(m.shape(), program);
    auto const found = recorded(m, program);
    CHECK(m.collectives_run() == expected.count());
    CHECK(expected.count(pass::forward) == (sizes[0] > 1 ? 1 : 0));
    CHECK(expected.count(pass::backward, collective::all_reduce, "data") == (sizes[0] > 1 ? 2 : 0));
    for (pass const p : {pass::forward, pass::backward, pass::update})
      CHECK(found.bytes_per_rank(p) == expected.bytes_per_rank(p));
  });
}
