// SPDX-License-Identifier: BSL-1.0
// Fills a rank's shard of a batch from arrays of examples.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/data/array_source.hpp"
#include <limits>
#include <type_traits>
#include <utility>

namespace ashlar::datasets {

/// Describes how an array becomes a tensor of a batch: element type T, layout L, each element times `factor`. Rows of a
/// padded batch without an example hold `padding`. For integers it is -1, the label of no class.
template <class T, class L>
struct batch_field {
  using element_type = T;
  using layout_type = L;
  T factor = T(1);
  T padding = std::is_integral_v<T> ? T(-1) : T(0);
};

}  // namespace ashlar::datasets

namespace ashlar::data_detail {

template <class L>
constexpr void check_batch_layout() {
  static_assert(
      L::rank != 0,
      "ashlar::datasets::batch_stream: a batch has a dimension of examples; give the layout at least that one");
  static_assert(
      !layout_is_partial<L>::value,
      "ashlar::datasets::batch_stream: the layout is partial, and each rank would hold the whole batch; leave the partial axes out");
}

// The elements of an example that a rank holds, as runs of consecutive elements.
struct example_runs {
  struct run {
    index_t first, size;
  };
  std::vector<run> runs;
  index_t first = 0, span = 0;  // the smallest interval that contains all runs
  index_t elements = 0;

  example_runs() = default;
  // Pre: dimension 0 of `held` and `extents` counts examples.
  example_runs(region const& held, shape const& extents);

 private:
  void add(index_t begin, index_t size);
};

// The extents of a batch of `rows` rows in a layout of `rank` dimensions. After the first they are the example's
// extents, or one dimension of all its elements.
ASHLAR_INLINE shape batch_extents(array_source const& from, index_t rows, int rank);

template <class From, class T>
constexpr bool may_be_out_of_range() {
  if constexpr (!std::is_integral_v<T> || std::is_same_v<From, T>)
    return false;
  else if constexpr (!std::is_integral_v<From>)
    return true;
  else
    return !std::in_range<T>((std::numeric_limits<From>::min)()) ||
           !std::in_range<T>((std::numeric_limits<From>::max)());
}
template <class From, class T>
constexpr bool may_not_fit = may_be_out_of_range<From, T>();

template <class F>
decltype(auto) with_elements_of(npy_kind kind, F&& f) {
  switch (kind) {
    case npy_kind::f4:
      return f(float{});
    case npy_kind::f8:
      return f(double{});
    case npy_kind::i4:
      return f(std::int32_t{});
    case npy_kind::i8:
      return f(std::int64_t{});
    case npy_kind::u1:
      break;
  }
  return f(std::uint8_t{});
}

// Throws if a field of integers would be made from floating-point numbers.
template <class T>
void check_elements(array_source const& from) {
  with_elements_of(from.kind(), []<class From>(From) {
    if (std::is_integral_v<T> && !std::is_integral_v<From>)
      throw error("ashlar::datasets::batch_stream: expected integers for a field of integers, found elements of type " +
                  std::string(name_of(npy_kind_of<From>()).descr) + "; give the field the type float or double");
  });
}
// True if the array's element type has values that T cannot hold. Then `convert` may throw, perhaps on one rank alone.
template <class T>
bool may_be_refused(array_source const& from) {
  return with_elements_of(from.kind(), []<class From>(From) { return may_not_fit<From, T>; });
}

template <class From, class T>
void convert(From const* from, index_t n, T factor, T* to) {
  for (index_t i = 0; i < n; ++i) {
    if constexpr (may_not_fit<From, T> && std::is_integral_v<From>)
      if (!std::in_range<T>(from[i]))
        throw error("ashlar::datasets::batch_stream: expected integers that the tensor's elements can hold, found " +
                    std::to_string(from[i]) + "; give the field a type that holds them");
    to[i] = static_cast<T>(static_cast<T>(from[i]) * factor);
  }
}

// Fills the rows of a shard. Row i of the shard is row rows[i] of the batch. It is example place(rows[i]) of the array,
// or padding if rows[i] >= examples.
template <class T, class L, class Place>
void fill_rows(array_source const& from, index_set const& rows, index_t examples, Place const& place,
               example_runs const& own, batch_field<T, L> const& how, T* out) {
  if (own.elements == 0) return;
  std::vector<std::uint8_t> scratch(from.in_memory() ? 0
                                                     : static_cast<std::size_t>(own.span) * name_of(from.kind()).size);
  with_elements_of(from.kind(), [&]<class From>(From) {
    for (index_t i = 0; i < rows.size(); ++i, out += own.elements) {
      if (rows[i] >= examples) {
        std::fill_n(out, own.elements, how.padding);
        continue;
      }
      auto const* const elements =
          reinterpret_cast<From const*>(from.read(place(rows[i]), own.first, own.span, scratch.data()));
      T* to = out;
      for (auto const& r : own.runs) {
        convert(elements + (r.first - own.first), r.size, how.factor, to);
        to += r.size;
      }
    }
  });
}

}  // namespace ashlar::data_detail

#if ASHLAR_IMPL
#include "ashlar/data/impl/batch_rows.ipp"
#endif
