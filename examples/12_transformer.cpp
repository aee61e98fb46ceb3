// What you learn here: a transformer on a mesh of three axes, by support/transformer.hpp. "data" splits the
// batch, "model" heads, hidden channels and the vocabulary, "sequence" positions, which an operation of one's own
// encodes (support/rotary.hpp). With --strategy zero1, zero2 or zero3 "data" splits moments, then parameters and gradients too.
// It learns sums in words, character by character. The losses are the same on every mesh and by every strategy.
//   mpiexec -n 8 transformer --mesh data=2,model=2,sequence=2 --strategy zero3
#include <ashlar/ashlar.hpp>

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
constexpr auto network_of = [](double rate) { return transformer::network<layers, positions>({letters, 48, 4}, rate); };
constexpr transformer::next_character_loss next_character;

constexpr auto one_step = training_step<layouts_of<0>>(network_of(0.1), next_character, adamw{}, 16, no_metric, 1);
constexpr auto on_8 = dry_run(grid{{2, 2, 2}}, one_step);
static_assert(on_8.count() == 12 * layers + 8);  // tests/static/examples/transformer.cpp has the list

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

template <class Strategy, class T>
void train(device_mesh<grid> const& m, options const& o) {
  worded const data(fold_in(o.seed, 2), 512, positions);
  datasets::dataset const text = datasets::from_arrays(data.characters, data.next);
  index_t const excerpts = text.examples(), steps = o.run.epochs * ((excerpts + o.batch - 1) / o.batch);
  auto const rate = warm_up(20, cosine_decay(1e-2, std::max<index_t>(steps - 20, 1), 0.05));
  adamw const optimizer{.rate = rate, .epsilon = 1e-8, .decay = 1e-2};
  auto const network = network_of(o.dropout);
  print_blocks<transformer::stream_layout>(std::cout, m, "activations between layers", {o.batch, positions, 48});
  print_step(std::cout, m, training_step<Strategy, T>(network, next_character, optimizer, o.batch, no_metric, 1));

  trainer t(Strategy{}, m, network, next_character, optimizer, no_metric, o.seed, std::type_identity<T>{});
  fit_options how = o.fit({.schedule = steps});
  how.clip_norm = 1;
  t.fit(o.in_batches(text), how);

  require_equal_replicas(m, t.parameters());
  double const reached = t.evaluate(text).loss, limit = std::log(static_cast<double>(letters)) / 2;  // of guessing
  if (std::min(steps, o.run.steps) >= 100 && !(reached < limit))
    throw error("transformer: after 100 steps or more the loss is " + std::to_string(reached) +
                ", above half of that of guessing, " + std::to_string(limit) +
                "; take a smaller --dropout or a larger --batch");
  auto const score = [&](io::idx_array const& texts) {
    datasets::batch_field<std::int32_t, text_layout> const characters{};
    datasets::batch_stream all(m, datasets::from_arrays(texts).batch(texts.extents[0]), characters);
    return gather_all(t.predict(std::get<0>(all.next().tensors)));
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
                      {{"batch", "16"}, {"epochs", "16"}, {"dropout", "0"}, {"temperature", "0.7"}}, {"loss"});
  return start(argc, argv, about, [](options const& o) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1], o.size[2]});
    print_mesh(std::cout, m);
    return o.choose<layouts_of<0>, layouts_of<1>, layouts_of<2>, layouts_of<3>>(
        [&]<class S, class T> { train<S, T>(m, o); });
  });
}
