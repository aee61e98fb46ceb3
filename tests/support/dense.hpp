// Whole tensors on real ranks: the elements of each rank, and the value that all shards denote. Both are computed index
// by index, independently of the library.
#pragma once
#include "ashlar/comm/collectives/tuning.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/host_elements.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "larger.hpp"
#include <algorithm>
#include <numeric>
#include <vector>

namespace ashlar::test {

inline int world_size() {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  return p;
}

/// True if tensors are in host memory. Then ranks of a node read each other's tensors. Tensors on a device are sent by
/// messages.
inline constexpr bool tensors_lie_in_host_memory = kernels_detail::runs_in_caller<Kokkos::DefaultExecutionSpace>;

/// Calls f(sizes) for every way to write the number of ranks as a product of two.
template <class F>
void for_each_factorisation(F f) {
  int const p = world_size();
  for (int q = 1; q <= p; ++q)
    if (p % q == 0) {
      int const sizes[]{q, p / q};
      f(sizes);
    }
}

/// Extents of a rank-dimensional tensor: 0, 1, p-1, p, p+1 and a prime in one dimension and 5 in the others, for p ranks.
inline std::vector<shape> extents_to_try(int rank) {
  index_t const p = world_size();
  std::vector<shape> all;
  for (int d = 0; d < rank; ++d)
    for (index_t n : {index_t{0}, index_t{1}, p - 1, p, p + 1, index_t{13}}) {
      shape s;
      for (s.rank = 0; s.rank < rank; ++s.rank) s[s.rank] = 5;
      s[d] = n;
      if (std::find(all.begin(), all.end(), s) == all.end()) all.push_back(s);
    }
  return all;
}

/// Restores the transport at the end of a scope. The derived classes choose another one.
class forced_transport {
 public:
  forced_transport(forced_transport const&) = delete;
  forced_transport& operator=(forced_transport const&) = delete;

 protected:
  forced_transport() = default;
  ~forced_transport() { comm::tuned = before_; }

 private:
  comm::tuning const before_ = comm::tuned;
};
/// Uses MPI's own collectives if they serve.
struct collectives_of_mpi : forced_transport {
  collectives_of_mpi() {
    comm::tuned.shared_memory = false;
    comm::tuned.forced = comm::algorithm::mpi;
  }
};
/// Uses messages of MPI between all pairs of ranks.
struct messages_of_mpi : forced_transport {
  messages_of_mpi() { comm::tuned.shared_memory = false; }
};
/// The same. Derived datatypes describe blocks that are not contiguous.
struct messages_by_types : messages_of_mpi {
  messages_by_types() { comm::tuned.forced = comm::algorithm::exchange_by_types; }
};
/// Uses shared memory, and reads even the smallest operand in place.
struct operands_in_place : forced_transport {
  operands_in_place() { comm::tuned.inline_bytes = 0; }
};

inline int coordinate(int rank, int axis, mesh_shape const& mesh) {
  for (int a = mesh.axes - 1; a > axis; --a) rank /= mesh.size[a];
  return rank % mesh.size[axis];
}

/// The indices of a dimension that a rank holds. Block-cyclic axes assign blocks round-robin. Then one axis after the
/// other cuts the indices, as numpy.array_split does.
inline std::vector<index_t> indices(index_t n, layout_detail::axis_list const& axes, mesh_shape const& mesh, int rank) {
  std::vector<index_t> mine(static_cast<std::size_t>(n));
  std::iota(mine.begin(), mine.end(), index_t{0});
  if (axes.cyclic != 0) {
    index_t hands = 1, hand = 0;
    for (int i = 0; i < axes.cyclic; ++i) {
      hands *= mesh.size[axes[i]];
      hand = hand * mesh.size[axes[i]] + coordinate(rank, axes[i], mesh);
    }
    std::erase_if(mine, [&](index_t i) { return i / axes.block % hands != hand; });
  }
  for (int i = axes.cyclic; i < axes.size; ++i) {
    auto const parts = static_cast<std::size_t>(mesh.size[axes[i]]),
               part = static_cast<std::size_t>(coordinate(rank, axes[i], mesh));
    auto begin = mine.begin();
    auto const size = [&](std::size_t k) {
      return static_cast<std::ptrdiff_t>(mine.size() / parts + (k < mine.size() % parts));
    };
    for (std::size_t k = 0; k < part; ++k) begin += size(k);
    mine = std::vector<index_t>(begin, begin + size(part));
  }
  return mine;
}

/// The positions in the global row-major array of the elements of a rank's shard, in the order of the shard.
inline std::vector<index_t> positions(shape const& extents, layout_value const& layout, mesh_shape const& mesh,
                                      int rank) {
  std::vector<index_t> all{0};
  for (int d = 0; d < extents.rank; ++d) {
    std::vector<index_t> next;
    auto const mine = indices(extents[d], layout.dim[d], mesh, rank);
    for (index_t before : all)
      for (index_t i : mine) next.push_back(before * extents[d] + i);
    all = next;
  }
  return all;
}

/// The term of a partial tensor that a rank holds: its number among the ranks along the partial axes.
inline int summand(layout_value const& layout, mesh_shape const& mesh, int rank) {
  int n = 0;
  for (int a = 0; a < mesh.axes; ++a)
    if (layout.partial() >> a & 1u) n = n * mesh.size[a] + coordinate(rank, a, mesh);
  return n;
}

template <class T, class V>
T to_element(V v) {
  if constexpr (requires { typename T::value_type; } && std::is_arithmetic_v<V>)
    return T(static_cast<typename T::value_type>(v));
  else
    return static_cast<T>(v);
}

/// A rank's shard of the tensor whose element at global position g is element(g, s) in term s.
template <class T, class Element>
std::vector<T> shard_of(shape const& extents, layout_value const& layout, mesh_shape const& mesh, int rank,
                        Element element) {
  std::vector<T> shard;
  for (index_t g : positions(extents, layout, mesh, rank))
    shard.push_back(to_element<T>(element(g, summand(layout, mesh, rank))));
  return shard;
}

/// Small numbers of both signs: products of a few are exact in every element type. None is 0.
inline int small_number(index_t g, int s) {
  auto h = static_cast<unsigned long long>(g) * 31 + static_cast<unsigned long long>(s) * 7919 + 1;
  h *= 0xd6e8feb86659fd93u;
  h ^= h >> 32;
  int const x = static_cast<int>(h % 6) - 3;
  return x < 0 ? x : x + 1;
}

template <class T>
T combine(int op, T a, T b) {
  if (op == layout_detail::op_sum) return a + b;
  if (op == layout_detail::op_prod) return a * b;
  if constexpr (requires { a < b; }) return (a < b) == (op == layout_detail::op_max) ? b : a;
  return a;
}

/// The value that the ranks' shards denote. Empty if a shard's size does not fit its layout, or if replicas differ.
template <class T>
std::vector<T> denote(shape const& extents, layout_value const& layout, mesh_shape const& mesh,
                      std::vector<std::vector<T>> shards) {
  auto const ranks = static_cast<std::size_t>(mesh.ranks());
  for (std::size_t r = 0; r < ranks; ++r)
    if (shards[r].size() != positions(extents, layout, mesh, static_cast<int>(r)).size()) return {};
  for (int l = 0; l < layout.levels; ++l) {  // innermost first: every rank gets its group's result
    auto reduced = shards;
    for (std::size_t r = 0; r < ranks; ++r) {
      bool first = true;
      for (std::size_t q = 0; q < ranks; ++q) {
        bool same_group = true;
        for (int a = 0; a < mesh.axes; ++a)
          same_group &= layout.reductions[l].axes >> a & 1u ||
                        coordinate(static_cast<int>(r), a, mesh) == coordinate(static_cast<int>(q), a, mesh);
        if (!same_group) continue;
        for (std::size_t i = 0; i < shards[q].size(); ++i)
          reduced[r][i] = first ? shards[q][i] : combine(layout.reductions[l].op, reduced[r][i], shards[q][i]);
        first = false;
      }
    }
    shards = reduced;
  }
  std::vector<T> whole(static_cast<std::size_t>(extents.size()));
  std::vector<bool> known(whole.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    auto const at = positions(extents, layout, mesh, static_cast<int>(r));
    for (std::size_t i = 0; i < at.size(); ++i) {
      auto const g = static_cast<std::size_t>(at[i]);
      if (known[g] && whole[g] != shards[r][i]) return {};
      whole[g] = shards[r][i];
      known[g] = true;
    }
  }
  return whole;
}

/// The value of the tensor whose element at global position g is element(g, s) in term s.
template <class T, class Element>
std::vector<T> denoted(shape const& extents, layout_value const& layout, mesh_shape const& mesh, Element element) {
  std::vector<std::vector<T>> shards;
  for (int r = 0; r < mesh.ranks(); ++r) shards.push_back(shard_of<T>(extents, layout, mesh, r, element));
  return denote(extents, layout, mesh, shards);
}

/// Returns the shards of all ranks on rank `root`, and nothing on the others.
/// Collective.
template <class T>
std::vector<std::vector<T>> all_shards(std::vector<T> const& mine, int root) {
  auto const p = static_cast<std::size_t>(world_size());
  int const length = static_cast<int>(mine.size() * sizeof(T));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<int> counts(p), starts(p);
  // Uses nonblocking calls: if there are more ranks than cores, MPICH spins in blocking calls for whole time slices.
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Igather(&length, 1, MPI_INT, counts.data(), 1, MPI_INT, root, MPI_COMM_WORLD, &request);
  comm_detail::poll({&request, 1});
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  std::vector<T> all(static_cast<std::size_t>(starts.back() + counts.back()) / sizeof(T));
  MPI_Igatherv(mine.data(), length, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, root, MPI_COMM_WORLD,
               &request);
  comm_detail::poll({&request, 1});
  std::vector<std::vector<T>> shards;
  if (rank != root) return shards;
  auto next = all.begin();
  for (int n : counts) {
    auto const last = next + n / static_cast<int>(sizeof(T));
    shards.emplace_back(next, last);
    next = last;
  }
  return shards;
}

/// This rank's shard of a tensor, or of an expression, copied to the host.
template <class X>
auto shard(X const& x) {
  auto const& t = plan_detail::materialize(x);
  using Tensor = std::remove_cvref_t<decltype(t)>;
  auto const own = tensor_detail::on_host<typename Tensor::execution_space>(t.data(), t.local_size());
  return std::vector<typename Tensor::element_type>(own.data(), own.data() + own.size());
}

/// A tensor of layout L, partial or not, whose element at global position g is element(g, s) in term s.
template <class T, class L, class M, class Element>
auto tensor_of(device_mesh<M> const& m, shape const& extents, Element element) {
  auto t = plan_detail::allocate<T, L>(m, extents);
  using Stored = typename decltype(t)::element_type;
  auto const mine = shard_of<Stored>(extents, t.layout, m.sizes(), m.rank(), element);
  tensor_detail::fill_from_host(t, [&](Stored* own) { std::copy(mine.begin(), mine.end(), own); });
  return t;
}

/// True if the ranks' shards denote the value `expected`. Rank 0 decides; every rank returns its answer.
/// Collective.
template <class T>
bool shards_denote(shape const& extents, layout_value const& layout, mesh_shape const& mesh, std::vector<T> const& mine,
                   std::vector<T> const& expected) {
  auto const shards = all_shards(mine, 0);
  int right = shards.empty() || denote(extents, layout, mesh, shards) == expected;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  comm_detail::poll({&request, 1});
  return right != 0;
}

/// True if a tensor denotes the value `expected`. Collective.
template <class X, class T>
bool denotes(X const& x, std::vector<T> const& expected) {
  auto const& t = plan_detail::materialize(x);
  return shards_denote(t.extents(), t.layout, t.mesh().sizes(), shard(t), expected);
}

}  // namespace ashlar::test
