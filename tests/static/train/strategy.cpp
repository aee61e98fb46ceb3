// Which layout a strategy gives each parameter of a model, and under which path.
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/strategies/place.hpp"

using namespace ashlar;
using namespace ashlar::training;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

template <class K, class B>
struct affine {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
template <class A, class B>
struct tower {
  A conv1;
  B conv2;
  static constexpr auto names = ashlar::names("conv1", "conv2");
};
template <class F, class H>
struct classifier {
  F feature;
  H head;
  static constexpr auto names = ashlar::names("feature", "head");
};
constexpr auto model = build<classifier>(
    build<tower>(build<affine>(weight{3, 4, 8}, weight{8}), build<affine>(weight{3, 8, 16}, weight{16})),
    build<affine>(weight{16, 10}, weight{10}));

template <class Strategy>
using parameters = decltype(init<Strategy>(m, model, prng_key{1}));
template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

// Without rules everything is replicated.
using mirrored = parameters<data_parallel<"data">>;
static_assert(same<layout_t<decltype(mirrored::feature.conv1.kernel)>, layout<none, none, none>>);
static_assert(same<layout_t<decltype(mirrored::head.bias)>, layout<none>>);
static_assert(same<decltype(mirrored::head.bias), abstract_tensor<float, layout<none>, grid>>);

// One pattern serves many; what no rule names is replicated.
using columns = layout<none, none, "model">;
using by_pattern = parameters<model_parallel<"data", rule<"feature*kernel", columns>>>;
static_assert(same<layout_t<decltype(by_pattern::feature.conv1.kernel)>, columns>);
static_assert(same<layout_t<decltype(by_pattern::feature.conv2.kernel)>, columns>);
static_assert(same<layout_t<decltype(by_pattern::feature.conv1.bias)>, layout<none>>);
static_assert(same<layout_t<decltype(by_pattern::head.kernel)>, layout<none, none>>);

// A rule that is a parameter's whole path beats patterns, before them and behind them.
using rows = layout<none, "model", none>;
using exact = rule<"feature/conv2/kernel", rows>;
using pattern = rule<"conv*/kernel", columns>;
using exact_first = parameters<model_parallel<"data", exact, pattern>>;
using exact_last = parameters<model_parallel<"data", pattern, exact>>;
static_assert(same<exact_first, exact_last>);
static_assert(same<layout_t<decltype(exact_last::feature.conv2.kernel)>, rows>);
static_assert(same<layout_t<decltype(exact_last::feature.conv1.kernel)>, columns>);

// A part of a path is a pattern: this one is found in both biases of the tower, and in no other.
using part =
    parameters<model_parallel<"data", rule<"conv*/bias", layout<"model">>, rule<"head/kernel", layout<"model", none>>>>;
static_assert(same<layout_t<decltype(part::feature.conv1.bias)>, layout<"model">>);
static_assert(same<layout_t<decltype(part::feature.conv2.bias)>, layout<"model">>);
static_assert(same<layout_t<decltype(part::head.bias)>, layout<none>>);
static_assert(same<layout_t<decltype(part::head.kernel)>, layout<"model", none>>);

// A weight's own layout is what it gets, and no rule serves it.
constexpr auto mixed = build<affine>(weight{16, 10}.laid_out<layout<"data", "model">>(), weight{10});
template <class Strategy>
using of_mixed = decltype(init<Strategy>(m, mixed, prng_key{1}));
using own = of_mixed<data_parallel<"data">>;
static_assert(same<layout_t<decltype(own::kernel)>, layout<"data", "model">> &&
              same<layout_t<decltype(own::bias)>, layout<none>>);
static_assert(same<layout_t<decltype(of_mixed<model_parallel<"data", rule<"*", layout<"model">>>>::kernel)>,
                   layout<"data", "model">>);
static_assert(
    same<layout_t<decltype(of_mixed<model_parallel<"data", rule<"*", layout<"model">>>>::bias)>, layout<"model">>);

// A strategy of one's own: by the parameter's path and rank. What it does not say is data_parallel's.
struct matrices_by_rows : data_parallel<"data"> {
  template <class Parameter>
  using parameter_layout =
      std::conditional_t<Parameter::is("head/kernel"), layout<"model", none>,
                         std::conditional_t<Parameter::has("conv*kernel"), rows, replicated<Parameter::rank>>>;
};
using by_hand = parameters<matrices_by_rows>;
static_assert(same<layout_t<decltype(by_hand::feature.conv1.kernel)>, rows> &&
              same<layout_t<decltype(by_hand::feature.conv2.kernel)>, rows>);
static_assert(same<layout_t<decltype(by_hand::head.kernel)>, layout<"model", none>> &&
              same<layout_t<decltype(by_hand::head.bias)>, layout<none>>);
static_assert(same<data_layout<matrices_by_rows, 4>, layout<"data", none, none, none>>);
static_assert(same<data_layout<data_parallel<axes("data", "model")>, 1>, layout<axes("data", "model")>>);
// One that is derived from nothing.
struct all_alike {
  using batch_axes = meta_detail::name_list<meta_detail::axis_name_t<"data">>;
  template <class Parameter>
  using parameter_layout = replicated<Parameter::rank>;
  template <class Output>
  using output_layout = void;
};
static_assert(same<parameters<all_alike>, mirrored>);

// Outputs go where their rule says, in one collective, and stay where there is none.
template <class Strategy>
constexpr auto outputs = [](auto const& a) {
  auto const p = init<Strategy>(a, model, prng_key{1});
  auto const x = make<float, partial<layout<"data", none>, "model">>(a, {8, 6});
  auto const head = place<Strategy, "head">(p, x);
  static_assert(same<layout_t<decltype(head)>, layout<"data", none>>);
  auto const inner = place<Strategy, "feature/conv1">(p, x);
  static_assert(same<layout_t<decltype(inner)>, layout<"data", "model">>);
  auto const none_here = place<Strategy, "feature/conv2">(p, x);
  static_assert(same<layout_t<decltype(none_here)>, layout_t<decltype(x)>>);
};
using placed = model_parallel<"data", rule<"head/kernel", layout<"model", none>>,
                              output_rule<"head", layout<"data", none>>, output_rule<"conv1", layout<"data", "model">>>;
static_assert(dry_run(m, outputs<placed>).count(collective::all_reduce, "model") == 1);
static_assert(dry_run(m, outputs<placed>).count(collective::reduce_scatter, "model") == 1);
static_assert(dry_run(m, outputs<placed>).count() == 2);
struct everything_whole : data_parallel<"data"> {
  template <class Output>
  using output_layout = replicated<Output::rank>;
};
constexpr auto gathered_output = [](auto const& a) {
  auto const p = init<everything_whole>(a, model, prng_key{1});
  auto const y = place<everything_whole, "head">(p, make<float, layout<"data", none>>(a, {8, 6}));
  static_assert(same<layout_t<decltype(y)>, layout<none, none>>);
};
static_assert(dry_run(m, gathered_output).count(collective::all_gather, "data") == 1);

// Extents are the model's, whatever the layout.
constexpr auto p = init<model_parallel<"data", pattern>, double>(m, model, prng_key{1});
static_assert(p.feature.conv2.kernel.extents() == shape::of(3, 8, 16) && p.head.bias.extents() == shape::of(10));
static_assert(same<element_t<decltype(p.head.bias)>, double>);

// Leaves come in order, each under its path.
constexpr bool equal_texts(char const* a, char const* b) {
  for (; *a && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}
static_assert([] {
  char const* const expected[]{"feature/conv1/kernel", "feature/conv1/bias", "feature/conv2/kernel",
                               "feature/conv2/bias",   "head/kernel",        "head/bias"};
  index_t const sizes[]{96, 8, 384, 16, 160, 10};
  int i = 0;
  bool right = true;
  for_each_named(
      [&](char const* path, auto const& x) {
        right &= equal_texts(path, expected[i]) && x.extents().size() == sizes[i];
        ++i;
      },
      p);
  return right && i == 6;
}());

template <class L>
struct layered {
  L layers;
  static constexpr auto names = ashlar::names("layers");
};
// Equal layers are called by their numbers, and patterns serve all of them.
constexpr auto deep = init<
    model_parallel<"data", rule<"layers/*/kernel", layout<none, "model">>, rule<"layers/10/bias", layout<"data">>>>(
    m, build<layered>(stack<11>(build<affine>(weight{8, 8}.normal(0.1), weight{8}))), prng_key{1});
static_assert([] {
  int i = 0;
  bool right = true;
  for_each_named(
      [&](char const* path, auto const& x) {
        if (i == 3) right &= equal_texts(path, "layers/1/bias") && x.extents() == shape::of(8);
        if (i == 20)
          right &= equal_texts(path, "layers/10/kernel") && same<layout_t<decltype(x)>, layout<none, "model">>;
        ++i;
      },
      deep);
  return right && i == 22;
}());
static_assert(same<layout_t<decltype(std::get<10>(deep.layers).bias)>, layout<"data">> &&
              same<layout_t<decltype(std::get<9>(deep.layers).bias)>, layout<none>>);
static_assert(weight{3, 4}.normal(0.5).first == initializer::normal && weight{3, 4}.normal(0.5).deviation == 0.5);

// First values: kernels from Glorot, vectors from zeros, or as they are asked for.
static_assert(weight{3, 4}.first == initializer::glorot_uniform && weight{4}.first == initializer::zeros);
static_assert(weight{4}.from(initializer::ones).first == initializer::ones &&
              weight{4}.from(initializer::ones).extent[0] == 4);

// Square roots without <cmath>: the nearest double or a neighbour.
constexpr bool is_root(double x) {
  double const r = train_detail::square_root(x), error = r * r - x;
  return (error < 0 ? -error : error) <= 4e-16 * x;
}
static_assert(is_root(2) && is_root(1e-9) && is_root(6. / 984) && is_root(1) && is_root(1e12) &&
              train_detail::square_root(0.) == 0);

}  // namespace
