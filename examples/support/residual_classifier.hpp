// A classifier in residual stages, for the schedules of a pipeline.
#pragma once
#include <ashlar/train/pipeline.hpp>

namespace examples {

using namespace ashlar;
using namespace ashlar::training;

/// A microbatch: rows of x, their labels, and the key of its dropout.
template <class X, class L, class K>
struct microbatch {
  X x;
  L labels;
  K key;
};

constexpr auto residual_layer = [](auto const& kernel, auto const& h) {
  return h + relu(einsum<"bi,io->bo">(h, kernel));
};

/// A classifier with `Stages` stages h + relu(h kernel), between an embedding and a readout after dropout. It is the
/// `network` of gpipe, one_forward_one_backward and unpipelined. batch(i) is microbatch i of n. Each microbatch has a
/// key of its own, so that every schedule leaves out the same.
/// Shape: parameters are pipelined<(inputs, width), (Stages, width, width), (width, classes)>.
/// Collective: every rank of "data" and "stage". Cost: leave has one all-reduce of logits over "stage".
// [network]
template <index_t Stages, class O, class Batch>
struct residual_classifier {
  static constexpr index_t stages = Stages;
  O ones;  // of layout<"stage">
  Batch batch;
  index_t n;
  double rate;

  constexpr auto enter(auto const& embed, index_t i) const { return einsum<"bi,ih->bh">(batch(i).x, embed); }
  constexpr auto stage(auto const& kernels, auto const& h) const {
    return h + relu(einsum<"sbi,sio->sbo">(h, kernels));
  }
  constexpr auto leave(auto const& readout, auto const& y, index_t i) const {  // y is partial over "stage"
    using T = element_t<decltype(y)>;
    auto const one = batch(i);
    auto z = all_reduce(einsum<"bh,ho->bo">(dropout(y, static_cast<T>(rate), one.key), readout));
    auto const share = nn::softmax_cross_entropy(z, one.labels) * (T(1) / T(n));
    return build<with_aux>(share, nn::accuracy_count(stop_gradient(z), one.labels));
  }
  constexpr auto embed_gradient(index_t i, auto const& ct) const { return einsum<"bi,bh->ih">(batch(i).x, ct); }
  constexpr auto alone(auto const& kernel, auto const& h) const { return residual_layer(kernel, h); }
};
// [network]

/// The classifier of n microbatches on a mesh, abstract or real. `rate` is the probability of a zero in dropout.
/// Example: gpipe(p, residual_classifier_of<8, float>(m, batch, 16, 0.1), 16)
template <index_t Stages, class T, class Handle, class Batch>
constexpr auto residual_classifier_of(Handle const& m, Batch const& batch, index_t n, double rate) {
  using constants = decltype(ones<T, layout<"stage">>(m, {Stages}));
  return residual_classifier<Stages, constants, Batch>{ones<T, layout<"stage">>(m, {Stages}), batch, n, rate};
}

/// Its logits of rows x without a pipeline and dropout, on every rank of "stage".
/// Shape: x (row, inputs), the result (row, classes).
/// Collective: every rank. Cost: as through_stages.
/// Example: test_accuracy<T, rows, labels>(m, data, factor, [&](auto const& x) { return residual_logits<8>(p, x); })
template <index_t Stages, class P, class X>
constexpr auto residual_logits(P const& p, X const& x) {
  auto const y = through_stages(Stages, p.stages, einsum<"bi,ih->bh">(x, p.embed), residual_layer);
  return einsum<"bh,ho->bo">(y, p.readout);
}

}  // namespace examples
