// A verb, from the moment a rank enters it until it leaves.
#pragma once
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/comm/verb_log.hpp"
#include <Kokkos_Core.hpp>

namespace ashlar::detail {

/// Tells the log of verbs, and Kokkos' tools where one is loaded, that a rank is in a verb.
class verb_scope {
 public:
  template <class M>
  verb_scope(device_mesh<M> const& m, plan_step const& s, std::size_t bytes, where const& w) {
    m.count(s.what);
    comm::verb_event const e{s.what, s.axes, names_of_list<typename M::names>::text, bytes, w.file_name(), w.line()};
    comm::verb_log::instance().begin(e);
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Profiling::pushRegion("ashlar::" + comm::to_string(e));
  }
  verb_scope(verb_scope const&) = delete;
  verb_scope& operator=(verb_scope const&) = delete;
  ~verb_scope() {
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Profiling::popRegion();
    comm::verb_log::instance().end();
  }
};

}  // namespace ashlar::detail
