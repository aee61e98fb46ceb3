// What the tests of the collectives share: all ways to carry one out, sizes, values, arrays with guarded ends.
#pragma once
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/collectives/tuning.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cases {

using ashlar::communicator;
using ashlar::comm::algorithm;
using ashlar::comm::tuning;

/// The same result must come out of each of these.
struct way {
  std::string name;
  tuning how;
};
inline std::vector<way> ways() {
  std::vector<way> all{
      {"as tuned", {}},
      {"exchange of whole arrays", {.forced = algorithm::exchange}},
      {"exchange in parts", {.forced = algorithm::exchange_in_parts}},
      {"exchange in parts and pieces", {.forced = algorithm::exchange_in_parts, .piece_bytes = 24}},
      {"pieces smaller than an element", {.forced = algorithm::exchange_in_parts, .piece_bytes = 0}},
      {"exchange by types", {.forced = algorithm::exchange_by_types}},
      {"MPI's collectives", {.exchange_ranks = 1}},
      {"MPI's collectives on two arrays", {.forced = algorithm::mpi}},
      {"MPI's collectives in place", {.forced = algorithm::mpi_in_place}},
      {"MPI's collectives with counts", {.forced = algorithm::mpi_with_counts}},
      {"MPI's persistent collectives", {.forced = algorithm::persistent}},
      {"memory that MPI alone can read", {.host_memory = false}},
  };
  for (std::size_t i = 0, n = all.size(); i < n; ++i) {
    all.push_back(all[i]);
    all.back().how.count_limit = 7;
  }
  return all;
}

/// Calls f(tuning) for every way, waiting as this machine wants it and by polling.
template <class F>
void for_each_way(communicator c, F f) {
  bool const natural = c.yields();
  for (bool yields : {natural, true}) {
    c.set_yields(yields);
    for (way const& w : ways()) {
      CAPTURE(w.name);
      CAPTURE(w.how.count_limit);
      CAPTURE(yields);
      f(w.how);
    }
    if (natural) break;
  }
  c.set_yields(natural);
}

inline std::vector<std::size_t> sizes(communicator const& c) {
  auto const p = std::size_t(c.size());
  return {0, 1, p - 1, p, p + 1, 1000};
}

/// Blocks of unequal sizes, n elements or fewer, for all ranks.
inline std::vector<std::vector<std::size_t>> uneven_counts(communicator const& c, std::size_t n) {
  auto const p = std::size_t(c.size());
  std::vector<std::size_t> ragged(p), first(p), last(p), odd(p), none(p);
  for (std::size_t q = 0; q < p; ++q) {
    ragged[q] = (7 * q + 3) % (n + 1);
    odd[q] = q % 2 ? n : 0;
  }
  first.front() = n;
  last.back() = n;
  return {ragged, first, last, odd, none};
}

/// Element i of rank r's array: small, so that every sum and product of 8 ranks fits into 8 bits.
template <class T>
T value(std::size_t r, std::size_t i) {
  return T(1 + (r * 5 + i * 3) % 7 / 5);  // 1 or 2
}
/// Element i of rank r's array where nothing is combined: all different, as far as T goes.
template <class T>
T label(std::size_t r, std::size_t i) {
  return T(r * 1009 + i + 1);
}

/// An array between guards: who writes beside it is found out.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t n) : all_(n + 2 * guard, mark) {}
  T* data() { return all_.data() + guard; }
  std::size_t size() const { return all_.size() - 2 * guard; }
  T& operator[](std::size_t i) { return all_[guard + i]; }
  bool intact() const {
    for (std::size_t i = 0; i < guard; ++i)
      if (all_[i] != mark || all_[all_.size() - 1 - i] != mark) return false;
    return true;
  }

 private:
  static constexpr std::size_t guard = 16;
  static constexpr T mark = T(99);
  std::vector<T> all_;
};

/// Elements for which `expected(i)` is not what the array holds.
template <class T, class Expected>
std::size_t wrong(guarded<T>& x, Expected expected) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < x.size(); ++i) n += x[i] != expected(i);
  return n;
}

}  // namespace cases
