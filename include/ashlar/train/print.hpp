// SPDX-License-Identifier: BSL-1.0
// What a program shows before it trains: its mesh, layouts of parameters, blocks of tensors, the collectives of a step.
#pragma once
#include <cstdio>
#include <ostream>

#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/plan/draw.hpp"
#include "ashlar/plan/print.hpp"
#include "ashlar/plan/print_ledger.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "ashlar/train/strategies/strategy.hpp"

namespace ashlar::training {

/// Writes the path and the layout of each parameter, one per line.
/// Collective: no. Cost: no communication.
/// Example: print_layouts(std::cout, p) writes "  d1/kernel, layout<none, "model">" and so on
template <class P>
void print_layouts(std::ostream& out, P const& parameters) {
  for_each_named([&](char const* path,
                     auto const& w) { out << "  " << path << ", " << to_string(layout_t<decltype(w)>{}) << "\n"; },
                 parameters);
}

/// Writes the communication ledger of a step, on rank 0. step(m) is a dry run on an abstract mesh.
/// Collective: no. Cost: no communication.
/// Example: print_step(std::cout, m, [&](auto const& a) { dry_step<T>(a, batch); });
template <class M, class Step>
void print_step(std::ostream& out, device_mesh<M> const& m, Step step) {
  if (m.rank() == 0) out << "\ncollectives of a step\n" << dry_run(m.shape(), step) << std::endl;
}

/// Writes the axes of a mesh and the number of ranks, on rank 0: "mesh data=2 x model=4 on 8 ranks".
/// Collective: no.
/// Example: print_mesh(std::cout, m) writes "mesh data=2 x model=4 on 8 ranks"
template <class M>
void print_mesh(std::ostream& out, device_mesh<M> const& m) {
  if (m.rank() != 0) return;
  out << "mesh ";
  for (int a = 0; a < m.sizes().axes; ++a)
    out << (a > 0 ? " x " : "") << plan_detail::axis_texts<M>[a] << "=" << m.sizes().size[a];
  out << " on " << m.size() << " ranks" << std::endl;
}

/// Writes a name, a layout and a drawing of the blocks per rank of a tensor of these extents, on rank 0.
/// Collective: no.
/// Example: print_blocks<layout<"data", none>>(std::cout, m, "a batch of images", {64, 784});
template <class L, class M, std::size_t N>
void print_blocks(std::ostream& out, device_mesh<M> const& m, char const* name, index_t const (&extents)[N],
                  char const* purpose = "") {
  if (m.rank() != 0) return;
  out << "\n" << name << ", " << to_string(L{}) << purpose << "\n";
  planning::draw<L>(out, m.shape(), extents);
}

/// Writes a number with its name and 4 decimals on rank 0: "test accuracy: 0.9700".
/// Collective: no.
/// Example: print_number(std::cout, m, "test accuracy", test_accuracy<T, images, labels>(m, data, factor, logits));
template <class M>
void print_number(std::ostream& out, device_mesh<M> const& m, char const* name, double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4f", number);
  if (m.rank() == 0) out << name << ": " << text << std::endl;
}

/// Writes the peak of memory_in_use() on rank 0, and a bound with its name.
/// Collective: no.
/// Example: print_peak_memory(std::cout, m, "state and activations", bound);
template <class M>
void print_peak_memory(std::ostream& out, device_mesh<M> const& m, char const* name, std::size_t bound) {
  if (m.rank() == 0)
    out << "\npeak memory of rank 0: " << memory_in_use().peak << " bytes; " << name << ": " << bound << " bytes"
        << std::endl;
}

}  // namespace ashlar::training
