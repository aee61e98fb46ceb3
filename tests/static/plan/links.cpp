// A mesh's links change what redistribute compiles to, and nothing else.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::planning;

using grid = mesh<axis<"data">, axis<"model">>;                      // messages cost nothing
using cluster = mesh<axis<"data", 16>, axis<"model", 8>>;            // sizes are known
using machine = mesh<axis<"data">, axis<"model">, axis<"pipe", 2>>;  // typical sizes are stated

template <>
inline constexpr link_model ashlar::planning::links_of<cluster>{.message_bytes = 20'000, .tensor_bytes = 1 << 20};
template <>
inline constexpr link_model ashlar::planning::links_of<machine>{
    .message_bytes = 20'000, .tensor_bytes = 1 << 20, .sizes = machine{{16, 8, 2}}.sizes()};

namespace {

using rows = layout<axes("data", "model"), none>;
using whole = layout<none, none>;
using columns = layout<none, axes("data", "model")>;
using sum = partial<whole, axes("data", "model")>;

template <class From, class To>
constexpr auto going = [](auto const& m) {
  (void)redistribute<To>(make<float, From>(m, {512, 512}));
};

constexpr grid plain{{16, 8}};
constexpr cluster counted{};

// An all_gather, axis by axis: the same bytes.
static_assert(dry_run(plain, going<rows, whole>).count() == 1);
static_assert(dry_run(counted, going<rows, whole>).count() == 2);
static_assert(dry_run(counted, going<rows, whole>).count(collective::all_gather, "data") == 1);
static_assert(dry_run(counted, going<rows, whole>).count(collective::all_gather, "model") == 1);
static_assert(dry_run(counted, going<rows, whole>).bytes_per_rank() ==
              dry_run(plain, going<rows, whole>).bytes_per_rank());

// An all_to_all: in another order, then axis by axis; more bytes.
static_assert(dry_run(plain, going<rows, columns>).count(collective::all_to_all) == 1 &&
              dry_run(plain, going<rows, columns>).count() == 1);
static_assert(dry_run(counted, going<rows, columns>).count(collective::all_to_all) == 2);
static_assert(dry_run(counted, going<rows, columns>).count(collective::permute) == 1);
static_assert(dry_run(counted, going<rows, columns>).bytes_per_rank() >
              dry_run(plain, going<rows, columns>).bytes_per_rank());

// An all_reduce: scattered over one axis, reduced over the other, gathered.
static_assert(dry_run(plain, going<sum, whole>).count() == 1);
static_assert(dry_run(counted, going<sum, whole>).count(collective::reduce_scatter, "data") == 1);
static_assert(dry_run(counted, going<sum, whole>).count(collective::all_reduce, "model") == 1);
static_assert(dry_run(counted, going<sum, whole>).count(collective::all_gather, "data") == 1);
static_assert(dry_run(counted, going<sum, whole>).bytes_per_rank() ==
              dry_run(plain, going<sum, whole>).bytes_per_rank());

// Sizes at run time: the plan is made for the stated ones.
static_assert(dry_run(machine{{16, 8, 2}}, going<rows, whole>).count() == 2);
static_assert(dry_run(machine{{4, 2, 2}}, going<rows, whole>).count() == 2);
static_assert(dry_run(machine{{16, 1, 2}}, going<rows, whole>).count() == 1);

// Collectives that name what they do stay one step.
constexpr auto gather = [](auto const& m) {
  (void)all_gather<axes("data", "model")>(make<float, rows>(m, {512, 512}));
};
constexpr auto reduce = [](auto const& m) { (void)all_reduce(make<float, sum>(m, {512, 512})); };
static_assert(dry_run(counted, gather).count() == 1 && dry_run(counted, reduce).count() == 1);

// Plans as values. Cheap messages change nothing, nor do others where bytes are many.
using context = plan_detail::mesh_context<cluster, rows, columns, partial<whole, "data">>;
constexpr mesh_shape sizes = counted.sizes();
template <class From, class To>
constexpr planning::redistribution_plan planned(index_t message_bytes, index_t tensor_bytes) {
  return plan(layout_detail::value_v<context, From>, layout_detail::value_v<context, To>, 3,
              {message_bytes, tensor_bytes, sizes});
}
static_assert(planned<rows, columns>(0, 0) ==
              plan(layout_detail::value_v<context, rows>, layout_detail::value_v<context, columns>, 3));
static_assert(planned<rows, columns>(0, 0).messages_per_rank(sizes) == 16 * 8 - 1);
static_assert(planned<rows, columns>(20'000, index_t{1} << 40) == planned<rows, columns>(0, 0));
static_assert(planned<rows, columns>(20'000, 1 << 20).messages_per_rank(sizes) == 1 + 15 + 7);

// Ranks that share the work of a reduction send messages: for few bytes it is done alone.
static_assert(planned<partial<whole, "data">, whole>(20'000, 1 << 20).messages_per_rank(sizes) == 2 * 15 + 7);
static_assert(planned<partial<whole, "data">, whole>(20'000, 1 << 16).messages_per_rank(sizes) == 2 * 15);

}  // namespace
