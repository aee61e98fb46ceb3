// The collectives of a transformer's step, on meshes of three axes and by each stage of ZeRO.
#include "ashlar/train/optimizers/adam.hpp"
#include "../examples/support/transformer.hpp"

using namespace ashlar;
using namespace ashlar::training;
using transformer::grid;

namespace {

constexpr int layers = 2;
// [proof]
template <int S>
constexpr auto dry_step = training_step<transformer::layouts_of<S>>(
    transformer::network<layers, 50>({19, 48, 4}, 0.1), transformer::next_character_loss{}, adamw{}, 16, no_metric, 1);

constexpr auto on_8 = dry_run(grid{{2, 2, 2}}, dry_step<0>);
// Two of each per layer, one more where the characters come in, or go out; backward their duals.
static_assert(on_8.count(pass::forward, collective::all_gather, "model") == 2 * layers + 1);
static_assert(on_8.count(pass::forward, collective::reduce_scatter, "model") == 2 * layers + 1);
static_assert(on_8.count(pass::backward, collective::reduce_scatter, "model") == 2 * layers + 1);
static_assert(on_8.count(pass::backward, collective::all_gather, "model") == 2 * layers + 1);
// The attention's positions, in exchange for heads, and back.
static_assert(on_8.count(pass::forward, collective::all_to_all, "sequence") == 2 * layers);
static_assert(on_8.count(pass::backward, collective::all_to_all, "sequence") == 2 * layers);
// The loss over a sharded vocabulary: three numbers per character, once.
static_assert(on_8.count(pass::forward, collective::all_reduce, "model") == 1);
static_assert(on_8.count(pass::backward, collective::all_reduce) == 0);
// Gradients and loss in one message, those of what "model" replicates in another, and their norm.
static_assert(on_8.count(pass::update, collective::all_reduce, axes("data", "sequence")) == 1);
static_assert(on_8.count(pass::update, collective::all_reduce, axes("data", "model", "sequence")) == 1);
static_assert(on_8.count(pass::update, collective::all_reduce, "model") == 1);
static_assert(on_8.count() == 12 * layers + 8);
// An axis of one rank costs nothing.
static_assert(dry_run(grid{{8, 1, 1}}, dry_step<0>).count() == 2);
static_assert(dry_run(grid{{1, 8, 1}}, dry_step<0>).count() == 8 * layers + 7);
static_assert(dry_run(grid{{1, 1, 8}}, dry_step<0>).count() == 4 * layers + 2);
static_assert(dry_run(grid{{1, 1, 1}}, dry_step<0>).count() == 0);
// With moments in shares over "data" each kernel's gradient, and that of the table of characters, is reduced and scattered,
// and each parameter is gathered after the update. With parameters in shares gradients are scattered as they are made, and
// parameters are gathered forward, by ZeRO 3 the kernels again backward.
constexpr int large = 4 * layers + 1;
constexpr auto zero1 = dry_run(grid{{2, 2, 2}}, dry_step<1>);
static_assert(zero1.count(pass::update, collective::reduce_scatter, "data") == large);
static_assert(zero1.count(pass::update, collective::all_gather, "data") == large);
constexpr auto zero2 = dry_run(grid{{2, 2, 2}}, dry_step<2>);
static_assert(zero2.count(pass::forward, collective::all_gather, "data") == large);
static_assert(zero2.count(pass::backward, collective::all_gather, "data") == 0);
static_assert(zero2.count(pass::backward, collective::reduce_scatter, "data") == large);
static_assert(zero2.bytes_per_rank() == zero1.bytes_per_rank());
constexpr auto zero3 = dry_run(grid{{2, 2, 2}}, dry_step<3>);
static_assert(zero3.count(pass::forward, collective::all_gather, "data") == large);
static_assert(zero3.count(pass::backward, collective::all_gather, "data") == 4 * layers);
static_assert(zero3.count(pass::backward, collective::reduce_scatter, "data") == large);
// [proof]
static_assert(on_8.waste().empty() && zero1.waste().empty() && zero2.waste().empty() && zero3.waste().empty());

}  // namespace
