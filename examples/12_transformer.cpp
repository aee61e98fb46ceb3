// What you learn here: a transformer trained on a mesh of three axes at once. "data" splits the batch, "model" the heads,
// the hidden channels and the vocabulary (Megatron), and, between layers, the positions (its sequence parallelism);
// "sequence" splits the positions everywhere but inside the attention (Ulysses), which turns queries and keys by an operation of the
// program's own (rotary.hpp). With --strategy zero1, zero2 or zero3 "data" splits the optimizer's moments, then parameters
// and gradients too. The compiler has counted what each costs.
//
// It learns sums in words, character by character, and has understood them when it completes "three plus four is". The
// network stands in character_transformer.hpp; the losses are the same for 1 rank and for many, and by every strategy:
//   mpiexec -n 8 transformer --mesh data=2,model=2,sequence=2 --strategy zero3
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <numeric>
#include <vector>

#include "character_transformer.hpp"
#include "options.hpp"
#include "sums_in_words.hpp"

using namespace ashlar;
using transformer::grid;
using transformer::strategy;
using transformer::text_layout;

constexpr int layers = 2;
constexpr transformer::sizes of_model{static_cast<index_t>(sums::alphabet.size()), 48, 4};
constexpr index_t positions = 50;

// [proof]
template <strategy S, class T>
constexpr auto start_of(auto const& m, adamw const& optimizer, prng_key key) {
  auto const model = transformer::model<layers>(of_model);
  return std::pair{init<transformer::parameters_of<S>, T>(m, model, key), optimizer.init(init<transformer::moments_of<S>, T>(m, model, key))};
}

template <strategy S, class T = float>
constexpr auto dry_step = [](auto const& m, index_t batch = 16) {
  adamw const optimizer{};
  auto [p, state] = start_of<S, T>(m, optimizer, prng_key{1});
  auto characters = make<std::int32_t, text_layout>(m, {batch, positions});
  (void)transformer::step<S>(optimizer, p, state, characters, characters, T(0.1), prng_key{2});
};

constexpr auto on_8 = collectives(grid{{2, 2, 2}}, dry_step<strategy::replicated>);
// Two of each a layer, one more where the characters come in, or go out; backward their duals.
static_assert(on_8.count(pass::forward, collective::all_gather, "model") == 2 * layers + 1);
static_assert(on_8.count(pass::forward, collective::reduce_scatter, "model") == 2 * layers + 1);
static_assert(on_8.count(pass::backward, collective::reduce_scatter, "model") == 2 * layers + 1);
static_assert(on_8.count(pass::backward, collective::all_gather, "model") == 2 * layers + 1);
// The attention's positions, in exchange for heads, and back.
static_assert(on_8.count(pass::forward, collective::all_to_all, "sequence") == 2 * layers);
static_assert(on_8.count(pass::backward, collective::all_to_all, "sequence") == 2 * layers);
// The loss over a vocabulary in parts: three numbers a character, once.
static_assert(on_8.count(pass::forward, collective::all_reduce, "model") == 1 && on_8.count(pass::backward, collective::all_reduce) == 0);
// Gradients and loss in one message, those of what "model" replicates in another, and their norm.
static_assert(on_8.count(pass::update, collective::all_reduce, axes("data", "sequence")) == 1);
static_assert(on_8.count(pass::update, collective::all_reduce, axes("data", "model", "sequence")) == 1);
static_assert(on_8.count(pass::update, collective::all_reduce, "model") == 1);
static_assert(on_8.count() == 12 * layers + 8);
// An axis of one rank costs nothing.
static_assert(collectives(grid{{8, 1, 1}}, dry_step<strategy::replicated>).count() == 2);
static_assert(collectives(grid{{1, 8, 1}}, dry_step<strategy::replicated>).count() == 8 * layers + 7);
static_assert(collectives(grid{{1, 1, 8}}, dry_step<strategy::replicated>).count() == 4 * layers + 2);
static_assert(collectives(grid{{1, 1, 1}}, dry_step<strategy::replicated>).count() == 0);
// With moments in shares over "data" each kernel's gradient, and that of the table of characters, is reduced and scattered, and each
// gathered after the update; with parameters in shares gradients are scattered as they are made, and parameters gathered forward,
// by ZeRO 3 the kernels again backward.
constexpr int large = 4 * layers + 1;
constexpr auto zero1 = collectives(grid{{2, 2, 2}}, dry_step<strategy::zero1>);
static_assert(zero1.count(pass::update, collective::reduce_scatter, "data") == large && zero1.count(pass::update, collective::all_gather, "data") == large);
constexpr auto zero2 = collectives(grid{{2, 2, 2}}, dry_step<strategy::zero2>);
static_assert(zero2.count(pass::forward, collective::all_gather, "data") == large && zero2.count(pass::backward, collective::all_gather, "data") == 0);
static_assert(zero2.count(pass::backward, collective::reduce_scatter, "data") == large && zero2.bytes_per_rank() == zero1.bytes_per_rank());
constexpr auto zero3 = collectives(grid{{2, 2, 2}}, dry_step<strategy::zero3>);
static_assert(zero3.count(pass::forward, collective::all_gather, "data") == large && zero3.count(pass::backward, collective::all_gather, "data") == 4 * layers);
static_assert(zero3.count(pass::backward, collective::reduce_scatter, "data") == large);
// [proof]

program const about{.name = "transformer", .purpose = "Trains a small transformer on sums in words, on a mesh of MPI ranks.",
                    .axes = {"data", "model", "sequence"}, .strategies = {"replicated", "zero1", "zero2", "zero3"},
                    .batch = "16", .epochs = "16", .dropout = "0", .temperature = "0.7", .digits = false};

// A line of text, to be lengthened by so many characters at most, or to the end of its sentence.
struct line {
  std::string text;
  index_t room;
  bool one_sentence = false;
  bool open() const { return room > 0 && !(one_sentence && text.back() == '.'); }
};

// What a model says of the character behind each of some texts' characters: (texts, positions, characters).
template <class T>
using scorer = std::function<std::vector<T>(idx_array const&)>;
template <class T, class P>
scorer<T> scores_of(device_mesh<grid> const& m, P const& p) {
  return [&](idx_array const& texts) {
    shuffled_batches const all(texts.extents[0], texts.extents[0], prng_key{0}, 0, example_order::stored);
    return gather_all(transformer::logits_of<>(p, feed<std::int32_t, text_layout>(m, texts, all, 0, 1), T(0), prng_key{0}));
  };
}

// Lengthens lines by what the model says follows: the likeliest character at temperature 0, else one that is drawn.
template <class T>
void complete(scorer<T> const& score, std::vector<line>& lines, double temperature, prng_key key) {
  auto const count = static_cast<index_t>(lines.size()), letters = of_model.vocabulary;
  for (index_t drawn = 0; std::any_of(lines.begin(), lines.end(), [](line const& l) { return l.open(); });) {
    idx_array characters{{count, positions}, {}};
    for (line const& l : lines) {
      for (char const c : l.text) characters.bytes.push_back(static_cast<std::uint8_t>(sums::alphabet.find(c)));
      characters.bytes.resize(characters.bytes.size() + static_cast<std::size_t>(positions) - l.text.size());  // what follows is not seen
    }
    std::vector<T> const scores = score(characters);
    T const* row = scores.data();
    for (line& l : lines) {
      T const* const z = row + (static_cast<index_t>(l.text.size()) - 1) * letters;
      row += positions * letters;
      if (!l.open()) continue;
      index_t next = std::max_element(z, z + letters) - z;
      if (temperature > 0) {
        double up_to[sums::alphabet.size()], sum = 0;
        for (index_t c = 0; c < letters; ++c) up_to[c] = sum += std::exp((z[c] - z[next]) / temperature);
        double const at = uniform<double>(key, drawn++) * sum;
        next = std::min<index_t>(std::upper_bound(up_to, up_to + letters, at) - up_to, letters - 1);
      }
      l.text += sums::alphabet[static_cast<std::size_t>(next)];
      --l.room;
    }
  }
}

// How many of all sums it completes.
template <class T>
int sums_completed(scorer<T> const& score) {
  std::vector<line> lines;
  std::vector<std::string> expected;
  for (index_t a = 0; a < sums::summands; ++a)
    for (index_t b = 0; b < sums::summands; ++b) {
      lines.push_back({sums::question(a, b), 8, true});  // " seven.", and one more
      expected.push_back(sums::question(a, b) + sums::answer(a, b));
    }
  complete(score, lines, 0, prng_key{0});
  int right = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) right += lines[i].text == expected[i];
  return right;
}

// Ranks that hold the same shards of parameters have the same bits, and a run of many steps has learned.
template <class P>
void check(device_mesh<grid> const& m, P const& p, std::vector<double> const& losses) {
  require_equal_replicas(m, p);
  comm::collectively(m.communicator(), [&] {
    index_t const long_enough = 100, last = 20;
    if (static_cast<index_t>(losses.size()) < long_enough) return;
    double const mean = std::accumulate(losses.end() - last, losses.end(), 0.0) / last, guessed = std::log(static_cast<double>(of_model.vocabulary));
    if (!(mean < guessed / 2))
      throw error("transformer: " + std::to_string(losses.size()) + " steps bring the loss below half of that of guessing, " + std::to_string(guessed / 2) + ", found " +
                  std::to_string(mean) + "; take a smaller --dropout or a larger --batch");
  });
}

template <strategy S, class T>
int train(device_mesh<grid> const& m, options const& o) {
  bool const root = m.rank() == 0;
  prng_key const key = o.seed;
  sums::excerpts const data(fold_in(key, 2), 512, positions);
  index_t const excerpts = data.characters.extents[0], steps = o.run.epochs * ((excerpts + o.batch - 1) / o.batch);
  adamw const optimizer{.rate = warm_up(20, cosine_decay(1e-2, std::max<index_t>(steps - 20, 1), 0.05)), .epsilon = 1e-8, .decay = 1e-2};
  auto [p, state] = start_of<S, T>(m, optimizer, fold_in(key, 0));
  if (root) {
    std::cout << "\nactivations between layers, " << to_string(transformer::stream_layout{}) << "\n";
    draw<transformer::stream_layout>(std::cout, m.shape(), {o.batch, positions, of_model.channels});
    std::cout << "\ncollectives of a step\n" << collectives(m.shape(), [&](auto const& a) { dry_step<S, T>(a, o.batch); }) << std::endl;
  }

  std::vector<double> losses;
  auto saved = o.checkpoints(m.communicator(), {.schedule = steps});
  training_run run(m.communicator(), o.run, saved.resume(p, state), o.taken_in(excerpts));
  auto const order = [&](index_t epoch) { return o.batches(excerpts, o.batch, epoch); };
  auto const take = [&](shuffled_batches const& batches, data_position const& at) {
    auto characters = feed<std::int32_t, text_layout>(m, data.characters, batches, at.batch, 1);
    auto next = feed<std::int32_t, text_layout>(m, data.next, batches, at.batch, 1);
    auto const [l, n] = transformer::step<S>(optimizer, p, state, characters, next, T(o.dropout), fold_in(fold_in(key, 3), static_cast<std::uint64_t>(at.step)));
    losses.push_back(static_cast<double>(item(l)));
    index_t const size = batches.size(at.batch);
    return step_result{losses.back(), static_cast<double>(item(n)) * static_cast<double>(size), size};
  };
  run.go_on(saved, order, take, nothing_else, p, state);
  check(m, p, losses);

  std::vector<line> lines;
  for (char const* begin : {"three plus four is", "two plus", "one"}) lines.push_back({begin, positions - static_cast<index_t>(std::strlen(begin))});
  scorer<T> const score = scores_of<T>(m, p);
  complete(score, lines, o.temperature, fold_in(key, 4));
  int const right = sums_completed(score);
  if (root) {
    std::printf("\nat temperature %g it says:\n", o.temperature);
    for (line const& l : lines) std::printf("  %s\n", l.text.c_str());
    std::printf("sums completed: %d of %d\n", right, static_cast<int>(sums::summands * sums::summands));
  }
  return 0;
}

template <strategy S>
int train_in(device_mesh<grid> const& m, options const& o) {
  return o.precision == 1 ? train<S, double>(m, o) : train<S, float>(m, o);
}

int run(options o) {
  o.run.columns = {"loss", "norm"};
  device_mesh<grid> const m(MPI_COMM_WORLD, {o.size[0], o.size[1], o.size[2]});
  if (m.rank() == 0) std::printf("mesh data=%d x model=%d x sequence=%d on %d ranks\n", o.size[0], o.size[1], o.size[2], m.size());
  switch (static_cast<strategy>(o.strategy)) {
    case strategy::zero1: return train_in<strategy::zero1>(m, o);
    case strategy::zero2: return train_in<strategy::zero2>(m, o);
    case strategy::zero3: return train_in<strategy::zero3>(m, o);
    default: return train_in<strategy::replicated>(m, o);
  }
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
