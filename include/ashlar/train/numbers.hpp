// SPDX-License-Identifier: BSL-1.0
// Functions of numbers that are constexpr, and give the same bits on every rank and machine.
#pragma once

namespace ashlar::train_detail {

template <class T>
constexpr T square_root(T x) {  // Newton
  if (!(x > T(0))) return T(0);
  T r = x > T(1) ? x : T(1);
  for (int i = 0; i < 200; ++i) {
    T const next = (r + x / r) / T(2);
    if (!(next < r)) break;
    r = next;
  }
  return r;
}

constexpr double power(double base, long n) {
  double r = 1;
  for (; n > 0; n >>= 1, base *= base)
    if (n & 1) r *= base;
  return r;
}

/// cos(pi t) for t in [0, 1].
constexpr double cosine_of_pi(double t) {
  if (t > 0.5) return -cosine_of_pi(1 - t);
  double const x = 3.14159265358979323846 * t;
  double term = 1, sum = 1;
  for (int k = 1; k <= 12; ++k) {
    term *= -x * x / ((2 * k - 1) * (2 * k));
    sum += term;
  }
  return sum;
}

}  // namespace ashlar::train_detail
