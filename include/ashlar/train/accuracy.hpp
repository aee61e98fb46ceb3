// SPDX-License-Identifier: BSL-1.0
// The accuracy of a classifier.
#pragma once
#include "ashlar/data/feed.hpp"
#include "ashlar/ops/metrics.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/train/mean_over.hpp"

namespace ashlar {

/// The share of the test images that a classifier recognises. logits(x) returns (batch, classes) for images in layout X;
/// the labels have layout Y. Each byte of an image is multiplied by `factor`. A batch has 1000 images or less.
/// Collective: all ranks of m.
/// Cost: logits', and one all-reduce of a number for each batch.
/// Error: as feed.
/// Example: test_accuracy<float, layout<"data", none>, layout<"data">>(m, data, 1.f / 255, [&](auto const& x) { return network(p, x); })
template <class T, class X, class Y, class M, class Logits>
double test_accuracy(device_mesh<M> const& m, digit_data const& data, ops_detail::number_for<T, true> factor,
                     Logits logits) {
  return mean_over(data.test_images.extents[0], 1000, [&](shuffled_batches const& batches, index_t i) {
    auto const [x, y] = feed_labelled<T, X, Y>(m, data.test_images, data.test_labels, batches, i, factor);
    return item(all_reduce(accuracy_count(logits(x), y)));
  });
}

}  // namespace ashlar
