// What a training program shows before it trains: the layouts of its parameters, the collectives of its step.
#pragma once
#include <iostream>

#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/plan/print.hpp"
#include "ashlar/plan/print_ledger.hpp"
#include "ashlar/train/strategy.hpp"

namespace ashlar {

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
  if (m.rank() == 0) out << "\ncollectives of a step\n" << collectives(m.shape(), step) << std::endl;
}

}  // namespace ashlar
