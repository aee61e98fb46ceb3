// What Kokkos' tools hear: regions and kernels.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace ashlar::test {

// Regions and kernels in the order in which they began, how many of these were launched as kernels, and how deep regions lay.
struct heard {
  std::vector<std::string> begun;
  int launched = 0, open = 0, deepest = 0;

  long count(std::string const& name) const {
    return std::count_if(begun.begin(), begun.end(),
                         [&](std::string const& s) { return s.find(name) != std::string::npos; });
  }
};

// What a tool hears while f runs. Not within another f.
template <class F>
heard heard_in(F const& f) {
  namespace tools = Kokkos::Tools::Experimental;
  static heard* listener = nullptr;
  tools::EventSet const before = tools::get_callbacks();
  heard all;
  listener = &all;
  tools::set_push_region_callback([](char const* name) {
    listener->begun.emplace_back(name);
    listener->deepest = std::max(listener->deepest, ++listener->open);
  });
  tools::set_pop_region_callback([] { --listener->open; });
  tools::set_begin_parallel_for_callback([](char const* name, std::uint32_t, std::uint64_t*) {
    listener->begun.emplace_back(name);
    ++listener->launched;
  });
  f();
  Kokkos::fence();
  tools::set_callbacks(before);
  return all;
}

}  // namespace ashlar::test
