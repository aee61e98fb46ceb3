// What you learn here: a transformer on a mesh of three axes, by support/transformer.hpp. "data" splits the
// batch, "model" heads, hidden channels and the vocabulary, "sequence" positions, which an operation of one's own
// encodes (support/rotary.hpp). With --strategy zero1, zero2 or zero3 "data" splits moments, then parameters and gradients too.
// It learns sums in words, character by character. The losses are the same on every mesh and by every strategy.
//   mpiexec -n 8 transformer --mesh data=2,model=2,sequence=2 --strategy zero3
#include <ashlar/ashlar.hpp>
#include <numeric>

#include "support/feed.hpp"
#include "support/lengthen.hpp"
#include "support/options.hpp"
#include "support/synthetic_sums.hpp"
#include "support/transformer.hpp"

using namespace ashlar;
using namespace ashlar::training;
using namespace examples;
using transformer::grid;
using transformer::layouts_of;
using transformer::text_layout;
using worded = synthetic_sums;
constexpr int layers = 2;
constexpr index_t positions = 50, letters = worded::alphabet.size();
constexpr auto model = transformer::model<layers>({letters, 48, 4});

template <zero_stage S, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 16) {
  auto [p, state] = init_zero<layouts_of<S>, T>(adamw{}, m, model, prng_key{1});
  auto characters = make<std::int32_t, text_layout>(m, {batch, positions});
  (void)transformer::step<S>(adamw{}, p, state, characters, characters, T(0.1), prng_key{2});
};
constexpr auto on_8 = dry_run(grid{{2, 2, 2}}, dry_step<zero_stage::replicated>);
static_assert(on_8.count() == 12 * layers + 8);  // tests/static/train/transformer.cpp has the list

// Returns how many of all sums the model completes.
template <class Score>
int sums_completed(Score const& score) {
  constexpr index_t n = worded::summands;
  std::vector<worded::tokens> texts;
  for (index_t i = 0; i < n * n; ++i) texts.push_back(worded::tokens_of(worded::question(i / n, i % n)));
  auto const is_done = [](worded::tokens const& text, index_t added) {
    return added == 8 || worded::alphabet[text.back()] == '.';  // " seven.", and one more
  };
  lengthen(texts, positions, score, is_done, 0, prng_key{0});
  int right = 0;
  for (index_t i = 0; worded::tokens const& text : texts) {
    right += worded::text_of(text) == worded::question(i / n, i % n) + worded::answer(i / n, i % n);
    ++i;
  }
  return right;
}

template <zero_stage S, class T>
void train(device_mesh<grid> const& m, options const& o) {
  worded const data(fold_in(o.seed, 2), 512, positions);
  index_t const excerpts = data.characters.extents[0], steps = o.run.epochs * ((excerpts + o.batch - 1) / o.batch);
  auto const rate = warm_up(20, cosine_decay(1e-2, std::max<index_t>(steps - 20, 1), 0.05));
  adamw const optimizer{.rate = rate, .epsilon = 1e-8, .decay = 1e-2};
  auto [p, state] = init_zero<layouts_of<S>, T>(optimizer, m, model, fold_in(o.seed, 0));
  print_blocks<transformer::stream_layout>(std::cout, m, "activations between layers", {o.batch, positions, 48});
  print_step(std::cout, m, [&](auto const& a) { dry_step<S, T>(a, o.batch); });

  datasets::batch_field<std::int32_t, text_layout> const characters_of{};
  datasets::dataset const text = datasets::from_arrays(data.characters, data.next);
  datasets::batch_stream batches(m, o.in_batches(text), characters_of, characters_of);
  auto saved = o.checkpoints(m.communicator(), {.schedule = steps});
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(excerpts));
  batches.seek({run.at().epoch, run.at().batch});
  std::vector<double> losses;
  while (run.goes_on()) {
    auto const batch = batches.next();
    auto const& [characters, next] = batch.tensors;
    auto const [l, norm] =
        transformer::step<S>(optimizer, p, state, characters, next, T(o.dropout), o.key(3, run.at().step));
    losses.push_back(static_cast<double>(item(l)));
    run.after_step(
        {losses.back(), static_cast<double>(item(norm)) * static_cast<double>(batch.examples), batch.examples},
        batches.count());
    saved.after_step(run.at(), p, state);
  }
  saved.after_last_step(run.at(), p, state);
  saved.finish();
  run.finish();

  require_equal_replicas(m, p);
  double const limit = std::log(static_cast<double>(letters)) / 2;  // of the loss of guessing
  if (losses.size() >= 100 && !(std::accumulate(losses.end() - 20, losses.end(), 0.) / 20 < limit))
    throw error("transformer: " + std::to_string(losses.size()) +
                " steps bring the loss below half of that of guessing, " + std::to_string(limit) +
                "; take a smaller --dropout or a larger --batch");
  auto const score = [&, &p = p](io::idx_array const& texts) {
    datasets::shuffled_batches const all(texts.extents[0], texts.extents[0], prng_key{0}, 0,
                                         datasets::example_order::stored);
    auto const characters = feed<std::int32_t, text_layout>(m, texts, all, 0, 1);
    return gather_all(transformer::logits_of<>(p, characters, T(0), prng_key{0}));
  };
  std::vector<worded::tokens> lines;
  for (char const* begin : {"three plus four is", "two plus", "one"}) lines.push_back(worded::tokens_of(begin));
  auto const is_done = [](auto const&, index_t) { return false; };
  lengthen(lines, positions, score, is_done, o.temperature, fold_in(o.seed, 4));
  int const right = sums_completed(score);
  if (m.rank() != 0) return;
  std::printf("\nat temperature %g it says:\n", o.temperature);
  for (auto const& l : lines) std::printf("  %s\n", worded::text_of(l).c_str());
  std::printf("sums completed: %d of %d\n", right, static_cast<int>(worded::summands * worded::summands));
}

int main(int argc, char** argv) {
  program const about("transformer", "Trains a small transformer on sums in words, on a mesh of MPI ranks.",
                      {"data", "model", "sequence"}, {"replicated", "zero1", "zero2", "zero3"},
                      {{"batch", "16"}, {"epochs", "16"}, {"dropout", "0"}, {"temperature", "0.7"}}, {"loss", "norm"});
  return start(argc, argv, about, [](options const& o) {
    using enum zero_stage;
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1], o.size[2]});
    print_mesh(std::cout, m);
    return o.choose<layouts_of<replicated>, layouts_of<zero1>, layouts_of<zero2>, layouts_of<zero3>>(
        [&]<class S, class T> { train<S::stage, T>(m, o); });
  });
}
