// Ledgers of long programs in constant evaluation: loops have one record for each different collective.
#include "ashlar/plan/ledger.hpp"
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 4}};

constexpr int records(ledger<grid> const& log) { return static_cast<int>(log.end() - log.begin()); }

// 300 collectives in a loop, of 3 kinds.
constexpr auto loop = [](auto const& handle) {
  auto const x = make<float, layout<"data", none>>(handle, {8, 12});
  for (int i = 0; i < 100; ++i) {
    (void)all_gather<"data">(x);
    auto const z = all_to_all<"data", 1>(x);
    (void)all_gather<"data">(z);
  }
};
constexpr auto looped = dry_run(m, loop);
static_assert(looped.count() == 300 && records(looped) == 3);
static_assert(looped[0].times == 100 && looped[1].times == 100 && looped[2].times == 100);
static_assert(looped[0].what == collective::all_gather && looped[1].what == collective::all_to_all);
static_assert(looped[0].line + 1 == looped[1].line && looped[1].line + 1 == looped[2].line);
static_assert(looped.count(collective::all_gather, "data") == 200);
static_assert(looped.bytes_per_rank() == 100 * (48 + 24 + 48) * 4);

// The two collectives of one line are two records if they differ.
constexpr auto one_line = dry_run(m, [](auto const& handle) {
  for (index_t n : {8, 8, 16, 8, 16}) (void)all_gather<"data">(make<float, layout<"data">>(handle, {n}));
});
static_assert(records(one_line) == 2 && one_line[0].times == 3 && one_line[1].times == 2);
static_assert(one_line.bytes_per_rank() == (3 * 4 + 2 * 8) * 4);

// More different collectives than records: each is counted, and those without a record have a total per kind.
constexpr auto many_on = [](auto const& handle) {
  for (index_t i = 1; i <= 600; ++i) (void)all_gather<"data">(make<float, layout<"data", none>>(handle, {2 * i, 3}));
  for (index_t i = 1; i <= 10; ++i) (void)all_gather<"model">(make<float, layout<"model", none>>(handle, {4 * i, 1}));
};
constexpr auto many = dry_run(m, many_on);
static_assert(many.count() == 610 && records(many) == 512);
static_assert(many.count(collective::all_gather, "data") == 600 && many.count(collective::all_gather, "model") == 10);
static_assert(many.bytes_per_rank(collective::all_gather, "data") == 600 * 601 / 2 * 3 * 4);
static_assert(many.bytes_per_rank() == 600 * 601 / 2 * 3 * 4 + 10 * 11 / 2 * 3 * 4);
static_assert(many.further().end() - many.further().begin() == 2);
static_assert(many.further().begin()->times == 600 - 512 && (many.further().end() - 1)->times == 10);
static_assert(dry_run(m, many_on).count(pass::forward) == 610);

// 20 equal layers under differentiation: each collective of a layer is one record per pass.
template <class A, class B>
struct kernels {
  A up;
  B down;
  static constexpr auto names = ashlar::names("up", "down");
};
constexpr int depth = 20;
template <std::size_t... I>
constexpr auto layers_on(auto const& handle, std::index_sequence<I...>) {
  return std::tuple((void(I), build<kernels>(make<float, layout<none, "model">>(handle, {8, 16}),
                                             make<float, layout<"model", none>>(handle, {16, 8})))...);
}
constexpr auto step = [](auto const& handle) {
  auto const loss = [&](auto const& layers) {
    auto const x = make<float, layout<"data", none>>(handle, {6, 8});
    return mean(square(chain(layers, x, [](auto const& y, auto const& p, std::size_t) {
      auto const hidden = relu(einsum<"bi,ih->bh">(as_replicated<"model">(y), p.up));
      return all_reduce<"model">(einsum<"bh,ho->bo">(hidden, p.down));
    })));
  };
  auto const [value, gradients] = value_and_grad<"data">(loss)(layers_on(handle, std::make_index_sequence<depth>{}));
  (void)all_reduce<"data">(bundle(value, gradients));
};
constexpr auto stepped = dry_run(m, step);
static_assert(records(stepped) == 3);
static_assert(stepped.count(pass::forward, collective::all_reduce, "model") == depth && stepped[0].times == depth);
static_assert(stepped.count(pass::backward, collective::all_reduce, "model") == depth - 1);  // x needs no cotangent
static_assert(stepped.count(pass::update, collective::all_reduce, "data") == 1);

}  // namespace
