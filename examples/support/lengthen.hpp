// Sequences of tokens, lengthened by a model.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <ashlar/io/idx.hpp>
#include <ashlar/meta/philox.hpp>

namespace examples {

using namespace ashlar;

/// A class that is drawn by the probabilities softmax(scores / temperature), or the likeliest one at temperature 0.
/// Pre: 0 <= u < 1; u is the random number. scores is not empty.
/// Example: sample_class<float>(scores, 0.7, uniform<double>(key, i))
template <class T>
index_t sample_class(std::span<T const> scores, double temperature, double u) {
  auto const likeliest = std::max_element(scores.begin(), scores.end());
  if (temperature <= 0) return likeliest - scores.begin();
  std::vector<double> up_to;
  double sum = 0;
  for (T const z : scores) up_to.push_back(sum += std::exp((z - *likeliest) / temperature));
  auto const drawn = std::upper_bound(up_to.begin(), up_to.end(), u * sum) - up_to.begin();
  return std::min<index_t>(drawn, std::ssize(scores) - 1);
}

/// Lengthens sequences, one token a round, until each has `positions` tokens or is done. score(tokens) returns the scores
/// of the token after each token, of shape (sequences, positions, classes); a sequence is padded by zeros. is_done(sequence,
/// added) says whether a sequence with `added` new tokens is complete.
/// Pre: no sequence is empty or longer than `positions`. Post: the same on every rank, if scores and key are.
/// Collective: if score is. Cost: score's, each round.
/// Example: lengthen(texts, 50, score, [](auto const&, index_t added) { return added == 8; }, 0, prng_key{1});
template <class Score, class IsDone>
void lengthen(std::vector<std::vector<std::uint8_t>>& sequences, index_t positions, Score score, IsDone is_done,
              double temperature, prng_key key) {
  std::vector<index_t> added(sequences.size());
  auto const is_open = [&](std::size_t i) {
    return std::ssize(sequences[i]) < positions && !is_done(sequences[i], added[i]);
  };
  for (index_t drawn = 0;;) {
    io::idx_array tokens{{std::ssize(sequences), positions}, {}};
    bool any_open = false;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      tokens.bytes.insert(tokens.bytes.end(), sequences[i].begin(), sequences[i].end());
      tokens.bytes.resize((i + 1) * static_cast<std::size_t>(positions));
      any_open = any_open || is_open(i);
    }
    if (!any_open) return;
    auto const scores = score(tokens);
    std::size_t const classes = scores.size() / tokens.bytes.size();
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (!is_open(i)) continue;
      std::size_t const last = i * static_cast<std::size_t>(positions) + sequences[i].size() - 1;
      double const u = temperature > 0 ? uniform<double>(key, drawn++) : 0;
      sequences[i].push_back(
          static_cast<std::uint8_t>(sample_class(std::span(scores.data() + last * classes, classes), temperature, u)));
      ++added[i];
    }
  }
}

}  // namespace examples
