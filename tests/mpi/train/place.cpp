// Outputs that a strategy places, and a strategy of one's own: on every mesh the losses of one rank.
#include "ashlar/train/strategies/place.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/train/optimizers/rmsprop.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/network.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using namespace ashlar::test;

namespace {

using by_rules = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>,
                                rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
// The hidden layer is gathered, and the second kernel whole.
struct of_ones_own : data_parallel<"data"> {
  template <class Parameter>
  using parameter_layout =
      std::conditional_t<Parameter::is("d1/kernel"), layout<none, "model">, replicated<Parameter::rank>>;
  template <class Output>
  using output_layout = std::conditional_t<Output::has("d"), layout<"data", none>, void>;
};

template <class Strategy>
constexpr auto loss_of = [](auto const& p, auto const& x, auto const& y) {
  auto h = place<Strategy, "d1">(p, relu(einsum<"bi,ih->bh">(x, p["d1"_n].kernel)));
  return mean_squared_error(place<Strategy, "d2">(p, einsum<"bh,ho->bo">(h, p["d2"_n].kernel)) + p["d2"_n].bias, y);
};

template <class Strategy>
std::vector<double> losses(device_mesh<grid> const& m) {
  auto p = init<Strategy, double>(m, network, prng_key{1});
  auto state = rmsprop{}.init(p);
  std::vector<double> each;
  for (int step = 0; step < 12; ++step) {
    int const i = step % 3;
    index_t const n = i == 2 ? 3 : 7;  // an uneven last batch
    prng_key const key = fold_in(prng_key{4}, static_cast<std::uint64_t>(i));
    auto const x = normal<double, data_layout<Strategy, 2>>(m, {n, inputs}, key);
    auto const y = uniform<double, data_layout<Strategy, 2>>(m, {n, classes}, key);
    auto [value, grads] = value_and_grad<"data">(loss_of<Strategy>)(p, x, y);
    auto [l, g] = all_reduce<"data">(bundle(value, grads));
    rmsprop{}.update(p, state, g);
    each.push_back(item(l));
  }
  return each;
}

}  // namespace

TEST_CASE("losses under rules for outputs and under a strategy of one's own are those of one rank") {
  auto const expected = losses<mirrored>({MPI_COMM_SELF, {1, 1}});
  CHECK(expected.size() == 12);
  CHECK(expected.back() < expected[2]);
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (auto const& found : {losses<by_rules>(m), losses<of_ones_own>(m)}) {
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-10));
    }
  });
}
