// SPDX-License-Identifier: BSL-1.0
// The mesh on real ranks.
#pragma once
#include <cstdio>
#include <numeric>
#include <string_view>

#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/desync/collective_in_progress.hpp"
#include "ashlar/comm/node/memory.hpp"
#include "ashlar/mesh/mesh.hpp"
#include "ashlar/plan/ledger.hpp"

namespace ashlar {

namespace comm_detail {

template <class Mesh>
inline constexpr int axes_of_run_time_size = 0;
template <class... Axes>
inline constexpr int axes_of_run_time_size<mesh<Axes...>> = (0 + ... + (Axes::static_size == run_time_size));

// Always true. N is the number of sizes that are given.
template <class Mesh, std::size_t N>
struct mesh_of_other_arguments {
  static constexpr bool value = true;
};

// Its address tells T from other types.
template <class T>
inline char address_of_type = 0;

[[noreturn]] inline void fail_no_mesh() {
  throw error(
      "ashlar::device_mesh: the handle is of no mesh, because it is new, or it or its owner was moved from; assign a mesh to it first");
}

// Returns 0 if MPI cannot be asked. Making the communicator then reports the error.
// Error: ashlar::error if these are the ranks of an inter-communicator.
inline int processes_of(MPI_Comm comm) {
  int ranks = 0;
  if (!mpi_is_usable() || comm == MPI_COMM_NULL) return 0;
  require_one_group(comm, "ashlar::device_mesh");
  comm_detail::check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  return ranks;
}

// Returns a fingerprint of the processes of a communicator, in order.
inline std::uint64_t order_of_processes(MPI_Comm comm) {
  MPI_Group ours, world;
  check_mpi(MPI_Comm_group(comm, &ours), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  std::vector<int> own(static_cast<std::size_t>(processes_of(comm)));
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> process(own.size());
  check_mpi(MPI_Group_translate_ranks(ours, static_cast<int>(own.size()), own.data(), world, process.data()),
            "MPI_Group_translate_ranks");
  MPI_Group_free(&ours), MPI_Group_free(&world);
  std::uint64_t order = 0;
  for (int const p : process) order = mixed_words(order, static_cast<std::uint64_t>(p) + 1);
  return order;
}

// Returns the sizes of a Cartesian communicator with as many dimensions. Of another communicator, returns the static
// sizes; MPI divides the ranks that they leave among the other axes, as evenly as it can. Each axis gets at least 1. A
// product that differs from the ranks is an error later.
template <class Mesh>
mesh_shape sizes_that_fill(MPI_Comm comm) {
  constexpr int axes = Mesh::axes, of_run_time_size = axes_of_run_time_size<Mesh>;
  int const ranks = processes_of(comm);
  mesh_shape sizes{axes, {}};
  if (ranks > 0) {
    int kind = MPI_UNDEFINED, dimensions = 0;
    comm_detail::check_mpi(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
    if (kind == MPI_CART) comm_detail::check_mpi(MPI_Cartdim_get(comm, &dimensions), "MPI_Cartdim_get");
    if (dimensions == axes) {
      int periodic[max_axes]{}, here[max_axes]{};
      comm_detail::check_mpi(MPI_Cart_get(comm, axes, sizes.size, periodic, here), "MPI_Cart_get");
      return sizes;
    }
  }
  return [&]<class... Axes>(std::type_identity<mesh<Axes...>>) {
    int const taken = (1 * ... * (std::max)(Axes::static_size, 1));
    int left[max_axes]{};
    if (ranks >= taken)
      comm_detail::check_mpi(MPI_Dims_create(ranks / taken, of_run_time_size, left), "MPI_Dims_create");
    int next = 0;
    sizes = {axes, {(Axes::static_size == run_time_size ? (std::max)(left[next++], 1) : Axes::static_size)...}};
    return sizes;
  }(std::type_identity<Mesh>{});
}

/// The state of a mesh.
template <class Mesh>
auto& state_of(Mesh const& m) {
  return m.own();
}

}  // namespace comm_detail

/// A mesh on the ranks of an MPI communicator. Ranks are row-major, the last axis fastest. It duplicates the
/// communicator and makes one more for each subset of the axes larger than 1. Copies are handles on the same state. No
/// communicator is made after construction.
/// Collective: construction, over all ranks of `comm`; blocks.
/// Cost: 2^k - 1 communicators for k axes larger than 1, so fewer than there are ranks. Two more for each of them whose
///   ranks are on several nodes. One more, for desync detection, for all meshes made from one communicator. They are
///   freed when all ranks make the next mesh from the same communicator, or end.
/// Error: `ashlar::error` on every rank if the sizes do not multiply to the size of `comm`, are invalid for this mesh,
///   or differ between ranks; if `comm` is an inter-communicator; if an environment variable of comm/settings.hpp is malformed on some rank; if other ranks
///   of `comm` call something else on a mesh made from it.
/// Example: `device_mesh<mesh<axis<"x">, axis<"y">>> m(MPI_COMM_WORLD, {2, 4});  // m.communicator(0b10).size() == 4`
template <class Mesh>
class device_mesh {
 public:
  using mesh_type = Mesh;

  /// A handle of no mesh, as one that was moved from is. Assign a mesh to it before the first use.
  /// Error: any other use but a comparison throws ashlar::error.
  device_mesh() = default;

  /// A mesh whose axes all have static sizes.
  explicit device_mesh(MPI_Comm comm, call_site w = call_site::current())
    requires std::default_initializable<Mesh>
      : device_mesh(comm, std::span<int const>(Mesh{}.sizes().size, std::size_t(Mesh::axes)), w) {}

  /// A mesh with axes of run-time size. A Cartesian communicator with as many dimensions gives their sizes. Of another
  /// communicator, one such axis gets the ranks that the others leave, and several share them as by MPI_Dims_create.
  /// Example: device_mesh<mesh<axis<"data">>> m(MPI_COMM_WORLD);  // all ranks
  explicit device_mesh(MPI_Comm comm, call_site w = call_site::current())
    requires(comm_detail::axes_of_run_time_size<Mesh> > 0)
      : device_mesh(comm, std::span<int const>(comm_detail::sizes_that_fill<Mesh>(comm).size, std::size_t(Mesh::axes)),
                    w) {}

  template <std::size_t N>
  device_mesh(MPI_Comm comm, int const (&sizes)[N], call_site w = call_site::current())
      : device_mesh(comm, std::span<int const>(sizes), w) {
    static_assert(N == std::size_t(Mesh::axes), "ashlar::device_mesh: it needs one size for each axis of the mesh");
  }

  /// A mesh with sizes that are known at run time only.
  device_mesh(MPI_Comm comm, std::span<int const> sizes, call_site w = call_site::current())
      : state_(std::make_shared<state>(comm, sizes, w)) {}

  /// Do not compile: a mesh has the ranks of a communicator, and its sizes are a list.
  template <class M>
    requires std::is_same_v<M, Mesh>
  explicit device_mesh(M const&) {
    static_assert(
        !comm_detail::mesh_of_other_arguments<M, std::size_t(M::axes)>::value,
        "ashlar::device_mesh: sizes alone are no ranks; name the communicator first, as in device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})");
  }
  template <std::size_t N>
  explicit device_mesh(int const (&)[N]) {
    static_assert(
        !comm_detail::mesh_of_other_arguments<Mesh, N>::value,
        "ashlar::device_mesh: sizes alone are no ranks; name the communicator first, as in device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})");
  }

  template <std::integral... Sizes>
    requires(sizeof...(Sizes) > 0)
  device_mesh(MPI_Comm, Sizes...) {
    static_assert(
        !comm_detail::mesh_of_other_arguments<Mesh, sizeof...(Sizes)>::value,
        "ashlar::device_mesh: the sizes are one argument; write them in braces, as in device_mesh<grid> m(MPI_COMM_WORLD, {2, 4})");
  }

  /// The mesh as a value, with its sizes.
  Mesh const& shape() const { return own().shape; }
  int rank() const { return own().whole.rank(); }
  int size() const { return own().whole.size(); }
  /// This rank's coordinate along the axis at a position of the mesh.
  int coordinate(int axis) const { return shape().sizes().coordinate(rank(), axis); }

  /// The ranks that differ from this one only along the axes of a bit mask (bit 0 is the first axis). They are ordered
  /// by those coordinates, row-major. A rank alone if those axes have size 1.
  ashlar::communicator const& communicator(unsigned mask = ~0u) const {
    auto const& part = own().part;
    return part[mask & unsigned(part.size() - 1)];
  }
  /// The same for axes by name.
  /// Error: ashlar::error if the mesh has no axis of such a name.
  /// Example: m.communicator("y"), m.communicator("x", "y")
  template <class... Name>
    requires(sizeof...(Name) > 0 && (std::is_convertible_v<Name const&, std::string_view> && ...))
  ashlar::communicator const& communicator(Name const&... axis) const {
    return communicator((... | mask_of_axis(axis)));
  }
  comm::counters& counters() const { return own().whole.counters(); }
  /// Names the transport of these ranks: "shared memory", "MPI", "shared memory in nodes, MPI between", or "none" for a
  /// rank alone. If nodes have different numbers of ranks, the text says that only all_reduce and halos use shared memory.
  char const* transport(unsigned mask = ~0u) const {
    ashlar::communicator const& c = communicator(mask);
    if (c.size() == 1) return "none";
    if (c.state().node) return "shared memory";
    if (!c.state().levels) return "MPI";
    return c.state().levels->even
               ? "shared memory in nodes, MPI between"
               : "MPI, and shared memory in nodes for all_reduce and halos alone: they have different numbers of ranks";
  }
  /// The reason why ranks of a node exchange MPI messages; empty if they read each other's memory.
  std::string const& without_shared_memory() const { return own().without_shared_memory; }
  mesh_shape const& sizes() const { return own().shape.sizes(); }

  /// The recorder that notes this mesh's collectives while a program runs, or null.
  ashlar::recorder<Mesh>* recorder() const { return own().notes; }
  void record(ashlar::recorder<Mesh>* r) const { own().notes = r; }
  /// The number of collectives that entered the transport so far, over axes with more than one rank.
  index_t collectives_run() const {
    index_t n = 0;
    for (index_t k : own().collectives_run) n += k;
    return n;
  }
  index_t collectives_run(collective v) const { return own().collectives_run[static_cast<int>(v)]; }
  /// Equal on two meshes of the same processes in the same order.
  std::uint64_t order_of_ranks() const { return own().order_of_ranks; }
  /// True if two handles are of one mesh.
  friend bool operator==(device_mesh const& a, device_mesh const& b) { return a.state_ == b.state_; }

 private:
  template <class M>
  friend auto& comm_detail::state_of(M const&);
  static unsigned mask_of_axis(std::string_view name) {
    constexpr char const* const* names = meta_detail::names_of_list<typename Mesh::names>::text;
    std::string known;
    for (int a = 0; a < Mesh::axes; ++a) {
      if (names[a] == name) return 1u << a;
      known += (a == 0 ? "" : ", ") + std::string(names[a]);
    }
    throw error("ashlar::device_mesh: the mesh has no axis '" + std::string(name) + "'; its axes are " + known);
  }
  struct kept_object {
    void const* type;
    std::uint64_t key;
    std::shared_ptr<void> object;
  };
  struct state {
    comm_detail::mesh_calls calls;
    ashlar::communicator whole;
    Mesh shape;
    std::vector<ashlar::communicator> part;  // by mask
    ashlar::recorder<Mesh>* notes = nullptr;
    index_t collectives_run[16]{};
    std::string without_shared_memory;
    std::uint64_t order_of_ranks = 0;
    std::vector<kept_object> kept_objects;  // end before the communicators

    state(MPI_Comm comm, std::span<int const> sizes, call_site const& w)
        : calls(comm_detail::processes_of(comm) > 1 ? comm_detail::mesh_calls(comm) : comm_detail::mesh_calls()),
          whole(met(comm, calls, w)),
          shape(checked(whole, sizes)),
          part(std::size_t(1) << Mesh::axes),
          order_of_ranks(comm_detail::order_of_processes(comm)) {
      mesh_shape const& s = shape.sizes();
      unsigned large = 0;
      for (int a = 0; a < s.axes; ++a)
        if (s.size[a] > 1) large |= 1u << a;
      for (unsigned mask = 0; mask < part.size(); ++mask) {
        // Axes of size 1 change nothing: a mask with them uses the communicator of the mask without them.
        if (unsigned const m = mask & large; m != mask)
          part[mask] = part[m];
        else if (m == large)
          part[mask] = whole;
        else if (m != 0)
          part[mask] = whole.split(s.with_position(whole.rank(), m, 0), whole.rank());
      }
      if (whole.size() == 1) {
        if (auto const wrong = comm_detail::wrong_setting()) throw error(*wrong);
        return;
      }
      comm_detail::node_ranks const nodes(whole);
      if (nodes.misread_settings()) comm_detail::throw_together(whole, comm_detail::wrong_setting(), true);
      without_shared_memory = nodes.reason();
      if (nodes.fell_back()) say_once(nodes.reason());
      for (unsigned mask = 1; mask < part.size(); ++mask)
        if ((mask & large) == mask) nodes.join(part[mask], whole);
      for (unsigned mask = 1; mask < part.size(); ++mask)
        if ((mask & large) == mask) calls.retire_at_the_end(part[mask], mask, s.with_position(whole.rank(), mask, 0));
    }

    /// An object that lives as long as the mesh, such as a grid of another library on the same ranks. The first call with
    /// a key makes it, by make().
    template <class T, class F>
    std::shared_ptr<T> kept(std::uint64_t key, F make) {
      void const* const type = &comm_detail::address_of_type<T>;
      for (auto const& k : kept_objects)
        if (k.type == type && k.key == key) return std::static_pointer_cast<T>(k.object);
      std::shared_ptr<T> made = make();
      kept_objects.push_back({type, key, made});
      return made;
    }
    void count(collective v) { ++collectives_run[static_cast<int>(v)]; }

    static ashlar::communicator met(MPI_Comm comm, comm_detail::mesh_calls& calls, call_site const& w) {
      auto const meet = [&] { return ashlar::communicator(comm, calls.monitor()); };
      if (!calls) return meet();
      comm_detail::collective_event making;
      making.name = "device_mesh", making.file = w.file_name(), making.line = w.line();
      ashlar::communicator ranks = calls.while_ranks_meet(making, meet);
      calls.begin(ranks);  // agreements from here on count calls
      return ranks;
    }
    // Prints once, on process 0 of the program. Meshes without that process give the reason only in `describe`.
    static void say_once(std::string_view reason) {
      int process = 0;
      comm_detail::check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &process), "MPI_Comm_rank");
      static bool said = false;
      if (process == 0 && !said)
        std::fprintf(stderr, "ashlar: ranks of a node exchange messages of MPI: %.*s\n", int(reason.size()),
                     reason.data());
      said = true;
    }
  };

  static Mesh checked(ashlar::communicator const& c, std::span<int const> sizes) {
    comm::require_equal(c, std::vector<index_t>(sizes.begin(), sizes.end()),
                        "ashlar::device_mesh: the sizes of the axes");
    mesh_shape given{int(sizes.size()), {}};
    std::copy_n(sizes.begin(), (std::min)(sizes.size(), std::size(given.size)), given.size);
    try {
      Mesh const shape(given);
      std::string text;
      index_t ranks = 1;
      for (int a = 0; a < Mesh::axes; ++a) {
        index_t const n = given.size[a], most = (std::numeric_limits<index_t>::max)();
        text +=
            (a ? ", " : "") + std::string(meta_detail::name_text<typename Mesh::names>(a)) + "=" + std::to_string(n);
        ranks = ranks > most / n ? most : ranks * n;
      }
      if (ranks == c.size()) return shape;
      throw error("ashlar::device_mesh: the axes " + text + " need " + std::to_string(ranks) +
                  " ranks and the communicator has " + std::to_string(c.size()) +
                  "; start as many as needed or choose other sizes");
    } catch (char const* sentence) {
      throw error(sentence);
    }
  }

  state& own() const {
    if (!state_) comm_detail::fail_no_mesh();
    return *state_;
  }

  std::shared_ptr<state> state_;
};

}  // namespace ashlar
