// Derivatives of products over dimensions: products of the other factors, also where one of them is 0, or several are.
#include "support/adjoint.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

double no_zero(index_t g, int, int number) {
  return (g * 37 % 11 < 5 ? -1 : 1) * (0.375 + static_cast<double>((g + number) * 7 % 8) / 16);
}
double some_zeros(index_t g, int s, int number) { return g % 17 == 3 ? 0 : no_zero(g, s, number); }
double many_zeros(index_t g, int s, int number) { return g % 3 == 0 ? 0 : no_zero(g, s, number); }
double only_zeros(index_t, int, int number) { return number; }
// -2, -1, 1 and 2; products of a line of 7 or 5, or of 13, are exact, and so are the quotients.
double small_factors(index_t g, int, int) { return (g % 2 ? -1 : 1) * static_cast<double>(g * g % 5 % 2 + 1); }
double factors_and_zeros(index_t g, int s, int number) { return g % 8 == 5 ? 0 : small_factors(g, s, number); }

// What cotangents of the products over the dimensions of a mask become.
std::vector<double> others(std::vector<double> const& x, shape const& e, unsigned dims, std::vector<double> const& ct) {
  auto const line = [&](index_t i) {
    index_t number = 0;
    for (int d = 0; d < e.rank; ++d)
      if (!(dims >> d & 1u)) number = number * e[d] + i / e.stride(d) % e[d];
    return number;
  };
  std::vector<double> result;
  for (index_t i = 0; i < e.size(); ++i) {
    double product = ct[static_cast<std::size_t>(line(i))];
    for (index_t j = 0; j < e.size(); ++j)
      if (j != i && line(j) == line(i)) product *= x[static_cast<std::size_t>(j)];
    result.push_back(product);
  }
  return result;
}

// Of prod, then what completes it.
template <dimension Replicated, class L, int... Dims, class F>
void check_product(shape const& e, F const& complete) {
  constexpr unsigned dims = sizeof...(Dims) ? (0u | ... | (1u << Dims)) : (1u << L::rank) - 1u;
  layout_value dual_of_result;
  auto const run = [&](test_mesh const& p) {
    auto const f = [&](auto const& x) {
      auto const y = complete(prod<Dims...>(x));
      using C = layout_t<typename decltype(y)::cotangent_type>;
      dual_of_result = layout_detail::value_v<plan_detail::mesh_context<grid, C>, C>;
      return y;
    };
    return pull_back<Replicated>(p, f, operand<L>{e});
  };
  for (auto element : {no_zero, some_zeros, many_zeros, only_zeros}) check_slopes(element, run);
  for (auto element : {small_factors, factors_and_zeros})
    check_on_meshes(element, 0, run, [&](test_mesh const& alone, pulled_back const& r) {
      shape const kept = ops_detail::without_dims(e, dims);
      if (dual_of_result.rank != kept.rank) return;  // reduced once more
      CHECK(r.cotangents[0].elements ==
            others(alone.value(e, operand<L>::layout, 0), e, dims, alone.value(kept, dual_of_result, 99)));
    });
}

auto const as_it_is = [](auto const& y) { return y; };
auto const reduced = [](auto const& y) { return all_reduce(y); };

}  // namespace

TEST_CASE("product over whole dimensions") {
  check_product<"data", layout<"data", none>, 1>(shape::of(7, 5), as_it_is);
  check_product<axes("data", "model"), layout<none, "model">, 0>(shape::of(7, 5), as_it_is);
  check_product<axes("data", "model"), layout<none>>(
      shape::of(13), [](auto const& y) { return as_partial<axes("data", "model")>(y); });
}

TEST_CASE("product over sharded dimensions, and shards that are empty") {
  check_product<"data", layout<"data", "model">, 0>(shape::of(7, 5), reduced);
  check_product<"data", layout<"data", "model">>(shape::of(2, world_size() + 1), reduced);
  check_product<"data", layout<axes("model", "data")>>(shape::of(11), reduced);
  check_product<"data", layout<"model", "data">, 0>(shape::of(7, 5),
                                                    [](auto const& y) { return reduce_scatter<"model", 0>(y); });
}

TEST_CASE("product of partial products") {
  check_product<"data", layout<"data", "model">, 0>(shape::of(7, 2), [](auto const& y) { return all_reduce(prod(y)); });
}

TEST_CASE("the dry run counts one all-reduce for the derivative of a product") {
  auto const program = [](auto const& m) {
    auto const x = uniform<double, layout<"data", "model">>(m, {7, 5}, prng_key{1});
    (void)value_and_grad<"data">([](auto const& a) { return sum(all_reduce(prod<0>(a))); })(x);
  };
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const expected = dry_run(m.shape(), program);
    auto const found = recorded(m, program);
    CHECK(m.collectives_run() == expected.count());
    CHECK(expected.count(pass::backward, collective::all_reduce, "data") == (sizes[0] > 1 ? 1 : 0));
    CHECK(found.bytes_per_rank(pass::backward) == expected.bytes_per_rank(pass::backward));
  });
}
