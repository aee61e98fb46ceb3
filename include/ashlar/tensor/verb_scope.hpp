// A verb, from the moment a rank enters it until it leaves.
#pragma once
#include "ashlar/comm/device_mesh.hpp"
#include "ashlar/tensor/launch.hpp"

namespace ashlar::detail {

/// Tells the log of verbs, the other ranks if they ask, and Kokkos' tools where one is loaded, that a rank is in a verb. It may
/// leave one that has begun and enter it again.
/// Error: ashlar::error where MPI is finalised.
class verb_scope {
 public:
  /// `print` is the same on all ranks that call the same.
  template <class M>
  verb_scope(device_mesh<M> const& m, plan_step const& s, std::uint64_t print, std::size_t bytes, where const& w, verb_kind kind = verb_kind::blocks)
      : verb_scope(m, begun(event_of(m, s.what, s.axes, bytes, w)), print) {
    m.count(s.what);
    verb_.agree(m.communicator(s.axes), runs_in_caller<Kokkos::DefaultExecutionSpace>, kind);
  }
  /// What is no verb, but called by all ranks of the mesh, who wait for each other here. `name` lives as long as the program.
  /// Pre: they are more than one. Error: ashlar::error on every rank where they do not call the same.
  template <class M>
  verb_scope(device_mesh<M> const& m, char const* name, std::uint64_t print, where const& w)
      : verb_scope(m, begun(named(event_of(m, verb::exchange, mask_of(M::axes) - 1u, 0, w), name)), print) {
    verb_.agree_now(m.communicator());
  }
  verb_scope(verb_scope const&) = delete;
  verb_scope& operator=(verb_scope const&) = delete;
  ~verb_scope() {
    if (entered_) end();
  }
  void enter() {
    event_.bytes = 0;  // were counted when it began
    verb_.enter();
    begin();
  }
  void leave() {
    end();
    verb_.leave();
  }

 private:
  template <class M>
  verb_scope(device_mesh<M> const& m, comm::verb_event const& e, std::uint64_t print)
      : verb_(m.calls(), m.sizes(), m.rank(), m.communicator(e.axes), print, e), event_(e) {
    begin();
  }
  template <class M>
  static comm::verb_event event_of(device_mesh<M> const&, verb what, axis_mask axes, std::size_t bytes, where const& w) {
    return {what, axes, names_of_list<typename M::names>::text, bytes, w.file_name(), w.line()};
  }
  static comm::verb_event named(comm::verb_event e, char const* name) {
    e.name = name;
    return e;
  }
  static comm::verb_event const& begun(comm::verb_event const& e) {
    require_mpi(e.name ? e.name : to_text(e.what));
    return e;
  }
  void begin() {
    entered_ = true;
    comm::verb_log::instance().begin(event_);
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Profiling::pushRegion("ashlar::" + comm::to_string(event_));
  }
  void end() {
    entered_ = false;
    if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Profiling::popRegion();
    comm::verb_log::instance().end();
  }

  verb_in_progress verb_;
  comm::verb_event event_;
  bool entered_ = false;
};

}  // namespace ashlar::detail
