// Extents that do not fit: the sentence blames the function that was called, and says what was expected.
#include "ashlar/ops/ops.hpp"
#include "ashlar/plan/static_extents.hpp"
#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace ashlar;
using namespace ashlar::nn;

TEST_CASE("labels that are more than there are rows") {
  mesh<axis<"data">> const m{{2}};
  auto const logits = make<float, layout<"data", none>>(m, {4, 3});
  auto const labels = make<int, layout<"data">>(m, {5});
  auto const fit = make<int, layout<"data">>(m, {4});
  auto const weights = make<float, layout<"data">>(m, {5});
  auto const rule = [](char const* name) {
    return "ashlar::nn::" + std::string(name) + ": there is one label per row of the logits; found (4, 3) and (5)";
  };
  using doctest::Contains;
  CHECK_THROWS_WITH_AS((void)softmax_cross_entropy(logits, labels), Contains(rule("softmax_cross_entropy").c_str()),
                       error);
  CHECK_THROWS_WITH_AS((void)accuracy_count(logits, labels), Contains(rule("accuracy_count").c_str()), error);
  CHECK_THROWS_WITH_AS((void)top_k_count(logits, labels, 2), Contains(rule("top_k_count").c_str()), error);
  CHECK_THROWS_WITH_AS((void)confusion_counts(logits, labels), Contains(rule("confusion_counts").c_str()), error);
  CHECK_THROWS_WITH_AS((void)sharded_cross_entropy(logits, labels), Contains(rule("sharded_cross_entropy").c_str()),
                       error);
  CHECK_THROWS_WITH_AS(
      (void)softmax_cross_entropy(logits, fit, weights),
      Contains("ashlar::nn::softmax_cross_entropy: there is one weight per row of the logits; found (4, 3) and (5)"),
      error);
}

TEST_CASE("the line of the call, if the function has fixed operands") {
  mesh<axis<"data">> const m{{2}};
  auto const x = make<float, layout<"data", none>>(m, {4, 3});
  auto const longer = make<float, layout<"data", none>>(m, {5, 3});
  auto const index = make<int, layout<"data", none>>(m, {5, 2});
  auto const says_line = [](auto const& f, int line) {
    try {
      f();
    } catch (error const& e) {
      CHECK(std::string(e.what()).find("; called at sentences.cpp:" + std::to_string(line)) != std::string::npos);
      return;
    }
    FAIL("no error");
  };
  // clang-format off
  says_line([&] { (void)slice(x, {1, 0}, {4, 3}); }, __LINE__);
  says_line([&] { (void)pad(x, {-1, 0}, {4, 3}); }, __LINE__);
  says_line([&] { (void)paste(x, {1, 0}, x); }, __LINE__);
  says_line([&] { (void)concatenate<1>(x, longer); }, __LINE__);
  says_line([&] { (void)take_along<1>(x, index); }, __LINE__);
  says_line([&] { (void)top_k<1>(x, 4); }, __LINE__);
  says_line([&] { (void)select(make<float, layout<none, none>>(m, {4, 3}), 4); }, __LINE__);
  says_line([&] { (void)unflatten<1>(x, {2, 2}); }, __LINE__);
  says_line([&] { (void)expand<1>(make<float, layout<"data">>(m, {5}), x); }, __LINE__);
  says_line([&] { (void)mean_squared_error(x, longer); }, __LINE__);
  says_line([&] { auto y = x; assign(y, longer); }, __LINE__);
  says_line([&] { auto y = x; redistribute_into(y, longer); }, __LINE__);
  says_line([&] { (void)make<float, layout<"data">>(m, {-1}); }, __LINE__);
  says_line([&] { (void)make<float, layout<"data">>(m, {index_t{1} << 62}); }, __LINE__);
  says_line([&] { (void)zeros<float, layout<"data">>(m, {-1}); }, __LINE__);
  says_line([&] { (void)arange<float, layout<"data">>(m, -1); }, __LINE__);
  says_line([&] { (void)uniform<float, layout<"data">>(m, {-1}, prng_key{1}); }, __LINE__);
  says_line([&] { (void)normal<float, layout<"data">>(m, {-1}, prng_key{1}); }, __LINE__);
  // clang-format on

  // An operator has no place for a call site. A call before it is not named.
  std::string text;
  try {
    (void)(x + longer);
  } catch (error const& e) {
    text = e.what();
  }
  CHECK(text.find("called at") == std::string::npos);
  CHECK(text.find("found (4, 3) and (5, 3)") != std::string::npos);
}

TEST_CASE("operators and packs have no call site: their errors name the operation and all operands") {
  mesh<axis<"data">, axis<"model">> const m{{2, 2}};
  auto const x = make<float, layout<"data", none>>(m, {4, 3});
  auto const longer = make<float, layout<"data", none>>(m, {5, 3});
  auto const says = [](auto const& f, std::string const& text) {
    CHECK_THROWS_WITH_AS(f(), doctest::Contains(text.c_str()), error);
  };
  says(
      [&] { (void)(x * longer); },
      "found (4, 3) and (5, 3); the operands of * are layout<\"data\", none> (4, 3) and layout<\"data\", none> (5, 3)");
  says([&] { (void)(x != longer); }, "; the operands of != are layout<");
  auto y = x;
  says([&] { y += longer; },
       "found (4, 3) and (5, 3); the operands of += are layout<\"data\", none> (4, 3) and layout<");
  says([&] { y /= longer; }, "; the operands of /= are layout<");
  // The sum has more rows than the tensor that is to hold it.
  auto row = make<float, layout<none, none>>(m, {1, 3});
  says(
      [&] {
        row -= make<float, layout<none, none>>(m, {4, 3});
      },
      "expected (1, 3), found (4, 3); the operands of -= are layout<none, none> (1, 3) and layout<none, none> (4, 3)");
  says([&] { (void)(x * longer); }, "; the operands of * are layout<");
  says(
      [&] { (void)elementwise([](float a, float b, float c) { return a + b + c; }, x, x, longer); },
      "; the operands are layout<\"data\", none> (4, 3), layout<\"data\", none> (4, 3) and layout<\"data\", none> (5, 3)");
  says(
      [&] {
        (void)einsum<"bi,io->bo">(make<float, layout<cyclic("data", 2), none>>(m, {8, 3}),
                                  make<float, layout<none, "model">>(m, {4, 6}));
      },
      "; the operands are layout<cyclic(\"data\", 2), none> (8, 3) and layout<none, \"model\"> (4, 6)");
  auto const v = make<float, layout<none>>(m, {3});
  says([&] { (void)einsum<"i,i,j->j">(v, make<float, layout<none>>(m, {2}), v); },
       "; the operands are layout<none> (3), layout<none> (2) and layout<none> (3)");
  says([&] { (void)(make<float, partial<layout<"data">, "model">>(m, {4}) * make<float, layout<"data">>(m, {5})); },
       "are partial<layout<\"data\">, \"model\"> (4) and layout<\"data\"> (5)");
}

TEST_CASE("a negative power of integers") {
  mesh<axis<"data">> const m{{2}};
  auto const x = make<int, layout<"data">>(m, {4});
  CHECK_THROWS_WITH_AS((void)pow(x, -1), "ashlar::pow: integers have no negative powers; write cast<double>(x)", error);
  (void)pow(cast<double>(x), -1.);
}

TEST_CASE("extents of a type that are not the tensor's") {
  mesh<axis<"data">> const m{{2}};
  auto const x = make<float, layout<"data", none>>(m, {4, 3});
  CHECK_THROWS_WITH_AS(
      (void)(fix_extents<4, 5>(x)),
      "ashlar::fix_extents: the tensor has the extents that its type is to have; expected (4, 5), found (4, 3)", error);
}

namespace {
struct sum_of_two {
  static constexpr auto reach = star(1);
  constexpr float operator()(auto const& u, auto const& v) const { return u(-1) + v(0); }
};
}  // namespace

TEST_CASE("extents and numbers that an operation cannot take") {
  using line = mesh<axis<"x">>;
  line const m{{2}};
  auto const says = [](auto const& f, char const* text) { CHECK_THROWS_WITH_AS(f(), doctest::Contains(text), error); };
  auto const x = make<float, layout<"x", none>>(m, {4, 3});
  auto const targets = make<float, layout<"x", none>>(m, {4, 4});
  says([&] { (void)softmax_cross_entropy(x, targets); },
       "ashlar::nn::softmax_cross_entropy: a distribution has one number per logit; found (4, 3) and (4, 4)");
  says(
      [&] {
        (void)unflatten<1>(x, {2, 2});
      },
      "ashlar::unflatten: the product of the extents given is the extent of the dimension that is cut; found (4, 3) and (4, 2, 2)");
  says([&] { (void)redistribute<layout<none, "x">>(x, line{{4}}); },
       "ashlar::redistribute: the other mesh has as many ranks as the tensor's");
  float const infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  struct range {
    float low, high;
  };
  auto const between = [&](auto low, auto high) {
    return [=, &m] { (void)uniform<decltype(low), layout<"x">>(m, {4}, prng_key{1}, low, high); };
  };
  for (auto const& [low, high] : {range{1, 1}, range{2, 1}, range{nan, 1}, range{0, nan}, range{infinity, infinity}})
    says(between(low, high), "ashlar::uniform: numbers are at least low and less than high; give a low below high");
  for (auto const& [low, high] : {range{0, infinity}, range{-infinity, 0}, range{-infinity, infinity}})
    says(between(low, high),
         "ashlar::uniform: low, high and their distance are finite numbers of double; give a shorter range");
  says(between(-1.7e308, 1.7e308), "ashlar::uniform: low, high and their distance are finite numbers of double");
  between(-0.8e308, 0.8e308)();
  between(-3e38f, 3e38f)();
  for (auto const& [mean, deviation] :
       {range{0, -1}, range{infinity, 1}, range{0, infinity}, range{nan, 1}, range{0, nan}})
    says([&] { (void)normal<float, layout<"x">>(m, {4}, prng_key{1}, mean, deviation); },
         "ashlar::normal: mean and deviation are finite, and the deviation is at least 0; give other numbers");
  says([] { (void)inside(-1); }, "ashlar::inside: a distance from the edge is 0 or more cells");
  for (int const which : {-1, 2})
    says([&] { (void)colour(which, 2); }, "ashlar::colour: colours count from 0; write colour(0, 2) or colour(1, 2)");
  says(
      [&] {
        (void)chain(equal_layers<3>(x), x,
                    [](auto const& y, auto const&, std::size_t) { return concatenate<1>(y, y); });
      },
      "ashlar::chain: one of equal_layers gives other extents than it takes; found (4, 6) and (4, 12)");

  abstract_mesh<line> const handle(m);
  using field = layout<halo("x", 1)>;
  auto u = make<float, field>(handle, {8});
  auto const v = make<float, field>(handle, {9});
  says(
      [&] { (void)stencil(sum_of_two{}, exchange_halo(u), exchange_halo(v)); },
      "ashlar::stencil: the operands have the same extents; make all fields of a staggered grid with the larger ones; found (8) and (9)");
  auto const plain = make<float, layout<"x">>(handle, {9});
  auto const staggered = [&](auto const& f, char const* operands) {
    std::string const text =
        "ashlar::elementwise: fields have the same extents; make all fields of a staggered grid with the larger ones; found ";
    says(f, (text + operands).c_str());
  };
  staggered([&] { (void)(u + v); }, "(8) and (9); the operands of + are ");
  staggered([&] { (void)(2.f * u * plain); }, "(8) and (9); the operands of * are ");
  staggered([&] { (void)elementwise([](float a, float b, float c) { return a + b + c; }, u, u, v); },
            "(8) and (9); the operands are ");
  staggered([&] { u += v; }, "(8) and (9); the operands of += are ");
  staggered([&] { assign(u, v); }, "(8) and (9)");
  // Other extents, and tensors without a halo, are no staggered grid.
  says([&] { (void)(u + make<float, field>(handle, {11})); }, "ashlar::elementwise: extents are equal, counted from");
  says([&] { (void)(plain + make<float, layout<"x">>(handle, {8})); },
       "ashlar::elementwise: extents are equal, counted from");
  says(
      [&] { update(sum_of_two{}, colour(0, 2), u, v); },
      "ashlar::update: the operands have the same extents; make all fields of a staggered grid with the larger ones; found (8) and (9)");
}

TEST_CASE("a bundle of more collectives than there is room for") {
  ops_detail::bundle_collectives all;
  for (axis_mask a = 1; a <= 64; ++a) all.add(a, 0);
  std::string text;
  try {
    all.add(65, 0);
  } catch (char const* sentence) {  // read by the compiler in a program
    text = sentence;
  }
  CHECK(text == "ashlar::bundle: it takes more than 64 messages, one for each set of axes; bundle fewer members");
}
