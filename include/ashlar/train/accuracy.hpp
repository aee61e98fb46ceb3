// SPDX-License-Identifier: BSL-1.0
// The accuracy of a classifier.
#pragma once
#include "ashlar/data/batch_stream.hpp"
#include "ashlar/ops/nn/metrics.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/train/mean_over.hpp"

namespace ashlar::training {

/// The share of a dataset's examples that a classifier recognises. The dataset has two arrays, such as images and labels.
/// logits(x) returns (batch, classes) for images in layout X; the labels have layout Y. Each element of an image is
/// multiplied by `factor`. A batch has 1000 images or less.
/// Collective: all ranks of m.
/// Cost: logits', and one all-reduce of a number for each batch.
/// Error: as batch_stream.
/// Example: test_accuracy<float, layout<"data", none>, layout<"data">>(m, test, 1.f / 255, [&](auto const& x) { return network(p, x); })
template <class T, class X, class Y, class M, class Logits>
double test_accuracy(device_mesh<M> const& m, datasets::dataset const& test, ops_detail::number_for<T, true> factor,
                     Logits logits) {
  return mean_over(labelled_stream<T, X, Y>(m, test.batch(1000), factor.element()), [&](auto const& batch) {
    auto const& [x, y] = batch.tensors;
    return item(all_reduce(nn::accuracy_count(logits(x), y)));
  });
}

}  // namespace ashlar::training
