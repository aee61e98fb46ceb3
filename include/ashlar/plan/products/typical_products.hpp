// SPDX-License-Identifier: BSL-1.0
// Candidates for a product of two tensors whose extents come at run time.
#pragma once
#include "ashlar/plan/products/einsum_candidates.hpp"

namespace ashlar::plan_detail {

// The best candidates for typical extents. If extents divide, a rank's share of the work and of the communication does
// not depend on them. So each candidate is estimated once.
class typical_products {
  static constexpr int most_varied = 4;  // labels that are longer or shorter than the others in some extents

 public:
  static constexpr index_t extent = 192;  // divides by the usual sizes of axes; its 8th power is an index
  static constexpr int most = 2 + 2 * most_varied;
  product_plan best[most];

  constexpr typical_products(product_task const& t, mesh_shape const& mesh, element_cost const& each)
      : by_(mesh, t.axes, t.links.message_bytes != 0), sizes_{labelled_extents(t.e), mesh, each} {
    int const all = sizes_.n.all.rank, labels = all < most_varied ? all : most_varied;
    add(t, -1, 1, 4096);
    add(t, -1, 1, 12);
    for (int l = 0; l < labels; ++l) add(t, l, 12 << 10, 12), add(t, l, 12, 2048);
    for (int l = 0; l < all; ++l) sizes_.n.extent[l] = extent;
    for (int o = 0; o < 3; ++o) shape_[o] = sizes_.n.of(o == 2 ? t.e.out : t.e.in[o]);
  }

  constexpr void offer(product_task const& t, layout_value const& a, layout_value const& b,
                       layout_value const& product) {
    shares const s(*this, t, a, b, product);
    int place = -1;
    for (int i = 0; i < extents_; ++i) {
      double const cost = cost_of_extents(i, s);
      if (size_ != 0 && cost >= least_[i]) continue;
      least_[i] = cost;
      number_[i] = -1;
      if (place < 0) place = unused_place();
      number_[i] = place;
      best[place] = {a, b, product};
      shares_[place] = s;
    }
    if (size_ == 0) size_ = 1;
  }

  // The number of the next candidate, or -1. The first serves large extents. Each further one lowers the sum over all
  // extents of its cost over the least cost most.
  constexpr int next() {
    int found = -1;
    double least_sum = 0;
    for (int i = 0; i < extents_; ++i) least_sum += reached_[i] = taken_ ? reached_[i] : 1e9;
    for (int k = 0; k < size_; ++k) {
      double sum = 0;
      for (int i = 0; i < extents_; ++i) sum += lower(i, k);
      if (taken_ == 0 ? k == number_[0] : sum < least_sum) found = k, least_sum = sum;
    }
    for (int i = 0; found >= 0 && i < extents_; ++i) reached_[i] = lower(i, found);
    ++taken_;
    return found;
  }

 private:
  // The work and the communication of a rank as shares of all work and of the tensors.
  struct shares {
    double work = 0, received[3]{};
    index_t messages = 0;

    constexpr shares() = default;
    constexpr shares(typical_products const& p, product_task const& t, layout_value const& a, layout_value const& b,
                     layout_value const& product) {
      double terms = p.sizes_.each.operations;
      for (int l = 0; l < p.sizes_.n.all.rank; ++l) terms *= static_cast<double>(extent);
      work = p.sizes_.operations(t.e, a, b) / terms;
      auto const add = [&](int o, layout_value const& from, layout_value const& to) {
        price const r = p.by_.of(from, to, p.shape_[o]);
        received[o] = static_cast<double>(r.elements) / static_cast<double>(p.shape_[o].size());
        messages += r.messages;
      };
      add(0, t.a, a);
      add(1, t.b, b);
      add(2, product, t.to);
    }
  };

  // The place of a candidate that is the best for no extents.
  constexpr int unused_place() {
    if (size_ == 0) return 0;
    for (int k = 0; k < size_; ++k) {
      bool used = false;
      for (int i = 0; i < extents_; ++i) used = used || number_[i] == k;
      if (!used) return k;
    }
    return size_++;
  }
  // Adds extents: label l has extent n, all others have another one.
  constexpr void add(product_task const& t, int label, index_t n, index_t others) {
    auto const size = [&](einsum_equation::labels const& x) {
      double s = 1;
      for (int d = 0; d < x.rank; ++d)
        s *= static_cast<double>(label >= 0 && x.label[d] == sizes_.n.all.label[label] ? n : others);
      return s;
    };
    work_[extents_] = size(sizes_.n.all) * sizes_.each.operations / t.links.operations_per_byte;
    for (int o = 0; o < 3; ++o)
      bytes_[extents_][o] = size(o == 2 ? t.e.out : t.e.in[o]) * static_cast<double>(sizes_.each.bytes);
    message_bytes_ = static_cast<double>(t.links.message_bytes);
    ++extents_;
  }
  constexpr double cost_of_extents(int i, shares const& s) const {
    return work_[i] * s.work + bytes_[i][0] * s.received[0] + bytes_[i][1] * s.received[1] +
           bytes_[i][2] * s.received[2] + message_bytes_ * static_cast<double>(s.messages);
  }
  constexpr double lower(int i, int k) const {
    double const ratio = cost_of_extents(i, shares_[k]) / least_[i];
    return ratio < reached_[i] ? ratio : reached_[i];
  }

  redistribution_estimate by_;
  product_sizes sizes_;
  shape shape_[3];
  int extents_ = 0, size_ = 0, taken_ = 0, number_[most]{};
  double work_[most]{}, bytes_[most][3]{}, message_bytes_ = 0, least_[most]{}, reached_[most]{};
  shares shares_[most];
};

}  // namespace ashlar::plan_detail
