// Shortest paths between layouts, with which plans are compared.
#pragma once
#include "ashlar/plan/planner.hpp"
#include "support/all_layouts.hpp"
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ashlar::test {

inline shape shape_of(std::vector<int> const& extents) {
  shape s;
  for (int n : extents) s[s.rank++] = n;
  return s;
}
inline mesh_shape mesh_of(std::vector<int> const& sizes) {
  mesh_shape m;
  for (int p : sizes) m.size[m.axes++] = p;
  return m;
}
inline axis_mask all_axes(mesh_shape const& mesh) { return layout_detail::mask_of(mesh.axes) - 1; }

inline std::string text(planning::redistribution_plan const& p) {
  std::string s = name(p.layout(0));
  for (planning::plan_step const& x : p) s += std::string(" ") + to_text(x.what) + " " + name(x.to);
  return s;
}

/// The partial levels that two layouts share, outermost first. If their next levels are of one kind, the axes common to
/// both are the last entry.
inline std::vector<layout_detail::partial_reduction> staying(layout_value const& a, layout_value const& b) {
  std::vector<layout_detail::partial_reduction> stay;
  int i = a.levels, j = b.levels;
  while (i && j && a.reductions[i - 1] == b.reductions[j - 1]) stay.push_back(a.reductions[--i]), --j;
  axis_mask const shared = i && j && a.reductions[i - 1].op == b.reductions[j - 1].op
                               ? a.reductions[i - 1].axes & b.reductions[j - 1].axes
                               : 0;
  if (shared) stay.push_back({a.reductions[i - 1].op, shared});
  return stay;
}
/// True if a layout's outermost partial levels are these, perhaps with more axes in the last one.
inline bool keeps(layout_value const& v, std::vector<layout_detail::partial_reduction> const& stay) {
  int l = v.levels;
  for (std::size_t i = 0; i < stay.size(); ++i) {
    if (--l < 0 || v.reductions[l].op != stay[i].op || (stay[i].axes & ~v.reductions[l].axes)) return false;
    if (i + 1 < stay.size() && stay[i].axes != v.reductions[l].axes) return false;
  }
  return true;
}

/// The cost of a step or a plan if the extents divide evenly. Bytes are counted in elements.
struct price {
  index_t bytes = 0, steps = 0, exchanges = 0, messages = 0;
};

/// The order by bytes, then steps that communicate, then exchanges, then messages, as one number.
inline index_t least_bytes_first(price const& p) {
  return p.bytes << 28 | p.steps << 24 | p.exchanges << 20 | p.messages;
}

/// Layouts of tensors with one extent in all dimensions, and the cost of every single step between two of them.
/// Pre: the extent is such that all ranks hold the same number of elements in every layout.
class search {
 public:
  std::vector<layout_value> all;
  mesh_shape mesh;
  index_t extent;         // of each dimension
  axis_mask trivial = 0;  // axes of size 1

  search(std::vector<layout_value> layouts, mesh_shape const& m, index_t n, std::function<index_t(price const&)> weigh)
      : all(std::move(layouts)), mesh(m), extent(n), weigh_(std::move(weigh)) {
    for (int a = 0; a < m.axes; ++a)
      if (m.size[a] == 1) trivial |= layout_detail::mask_of(a);
    for (auto const& from : all)
      for (auto const& to : all) weight_.push_back(cost(from.without(trivial), to.without(trivial)));
  }

  static constexpr index_t never = index_t{1} << 60;

  index_t cost_of(planning::redistribution_plan const& p) const {
    index_t n = 0;
    for (planning::plan_step const& s : p) n += cost(s.from.without(trivial), s.to.without(trivial));
    return n;
  }

  /// The largest number of elements in memory during a step of a plan from `source`. It counts the source, the step's
  /// shards before and after, and a buffer. A buffer is needed if a collective cuts or joins a dimension other than the
  /// first. Ranks that hold the same shard share the work of sending it.
  index_t memory(layout_value const& source, layout_value const& from, layout_value const& to) const {
    index_t n = volume(source) + (from == source ? 0 : volume(from)) + volume(to);
    planning::step_kind const what = plan_detail::step_between(from, to).what;
    if (!plan_detail::communicates(what) || what == collective::all_reduce || what == collective::permute) return n;
    bool cut = false, joined = false;
    index_t shares = 1;
    for (int d = 0; d < from.rank; ++d) {
      int same = 0;
      while (same < from.dim[d].size && same < to.dim[d].size && from.dim[d][same] == to.dim[d][same]) ++same;
      cut = cut || (d > 0 && to.dim[d].size > same);
      joined = joined || (d > 0 && from.dim[d].size > same);
      for (int i = same; i < to.dim[d].size; ++i)
        if (!(from.named() >> to.dim[d][i] & 1u)) shares *= mesh.size[to.dim[d][i]];
    }
    return n + std::max(cut ? volume(from) / shares : 0, joined ? volume(to) : 0);
  }
  index_t memory_of(planning::redistribution_plan const& p) const {
    index_t most = volume(p.layout(0));
    for (planning::plan_step const& s : p) most = std::max(most, memory(p.layout(0), s.from, s.to));
    return most;
  }

  /// The least costs between all pairs of layouts, through layouts that keep `stay`.
  struct distances {
    std::vector<int> index;  // of a layout among the layouts that keep it, or -1
    std::vector<index_t> least;
    std::size_t n;
    std::vector<std::size_t> kept;
    index_t operator()(std::size_t from, std::size_t to) const {
      return least[static_cast<std::size_t>(index[from]) * n + static_cast<std::size_t>(index[to])];
    }
  };
  distances solve(std::vector<layout_detail::partial_reduction> const& stay) const {
    distances d{std::vector<int>(all.size(), -1), {}, 0, {}};
    for (std::size_t i = 0; i < all.size(); ++i)
      if (keeps(all[i], stay)) d.index[i] = static_cast<int>(d.kept.size()), d.kept.push_back(i);
    std::size_t const n = d.n = d.kept.size();
    for (std::size_t i : d.kept)
      for (std::size_t j : d.kept) d.least.push_back(weight_[i * all.size() + j]);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i) {
        index_t const first = d.least[i * n + k];
        if (first == never) continue;
        for (std::size_t j = 0; j < n; ++j)
          d.least[i * n + j] = std::min(d.least[i * n + j], first + d.least[k * n + j]);
      }
    return d;
  }

  /// The least costs through layouts that keep the partial levels which `from` and `to` share. Results are cached.
  distances const& between(std::size_t from, std::size_t to) const {
    auto const stay = staying(all[from], all[to]);
    std::vector<int> id;
    for (auto const& level : stay) id.insert(id.end(), {level.op, static_cast<int>(level.axes)});
    auto found = solved_.find(id);
    if (found == solved_.end()) found = solved_.emplace(id, solve(stay)).first;
    return found->second;
  }

  /// The least memory among all chains of steps of least cost.
  index_t least_memory(std::size_t from, std::size_t to, distances const& d) const {
    std::vector<index_t> held(all.size(), never);
    held[from] = volume(all[from]);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i : d.kept)
        for (std::size_t j : d.kept) {
          index_t const w = weight_[i * all.size() + j];
          if (held[i] == never || i == j || w == never || d(from, i) + w + d(j, to) != d(from, to)) continue;
          index_t const n = std::max(held[i], memory(all[from], all[i], all[j]));
          if (n < held[j]) held[j] = n, better = true;
        }
    }
    return held[to];
  }

 private:
  std::function<index_t(price const&)> weigh_;
  std::vector<index_t> weight_;
  mutable std::map<std::string, std::vector<index_t>> in_common_;
  mutable std::map<std::vector<int>, distances> solved_;

  index_t volume(layout_value const& v) const {
    index_t n = 1;
    for (int d = 0; d < v.rank; ++d) n *= extent / parts(v.dim[d], mesh);
    return n;
  }
  // The smallest number of elements, over all ranks, that a rank holds under both layouts.
  index_t common(layout_value const& a, layout_value const& b) const {
    if (layout_detail::encode_blocks(a) | layout_detail::encode_blocks(b)) {
      index_t least = never;
      for (int r = 0; r < mesh.ranks(); ++r) {
        index_t n = 1;
        for (int d = 0; d < a.rank; ++d) n *= in_common(a.dim[d], b.dim[d])[static_cast<std::size_t>(r)];
        least = std::min(least, n);
      }
      return least;
    }
    index_t n = 1;
    for (int d = 0; d < a.rank; ++d) {
      if (!a.dim[d].begins(b.dim[d]) && !b.dim[d].begins(a.dim[d])) return 0;
      n *= extent / std::max(parts(a.dim[d], mesh), parts(b.dim[d], mesh));
    }
    return n;
  }
  // For each rank, the number of indices of a dimension that it holds under both lists of axes.
  std::vector<index_t> const& in_common(layout_detail::axis_list const& a, layout_detail::axis_list const& b) const {
    std::string const key = name({2, {a, b}});
    auto const found = in_common_.find(key);
    if (found != in_common_.end()) return found->second;
    std::vector<index_t>& counts = in_common_[key];
    auto const here = holders({static_cast<int>(extent)}, {1, {a}}, mesh),
               there = holders({static_cast<int>(extent)}, {1, {b}}, mesh);
    for (std::size_t r = 0; r < here.size(); ++r) {
      index_t n = 0;
      for (std::size_t k = 0; k < here[r].size(); ++k) n += here[r][k] && there[r][k];
      counts.push_back(n);
    }
    return counts;
  }
  static bool same_levels(layout_value const& a, layout_value const& b) {
    return a.levels == b.levels && std::equal(a.reductions, a.reductions + layout_detail::max_levels, b.reductions);
  }

  // The cost of a step; `never` if the semantics do not allow it as one step.
  index_t cost(layout_value const& from, layout_value const& to) const {
    if (from == to) return 0;
    axis_mask const before = from.partial(), after = to.partial();
    planning::plan_step const s = plan_detail::step_between(from, to);
    index_t const q = mesh.ranks(s.axes);
    if (same_levels(from, to)) {
      if (s.what == planning::step_kind::slice) return 0;
      return weigh_({volume(to) - common(from, to), 1, s.what == collective::exchange,
                     s.what == collective::permute ? 1 : q - 1});
    }
    if (!(before & ~after)) {  // a pad: innermost, over axes that were minor-most or unused
      layout_value inner = to;
      axis_mask const added = after & ~before;
      inner.drop_partial(added);
      if (!same_levels(from, inner) || (added & ~to.reductions[0].axes)) return never;
      for (int d = 0; d < from.rank; ++d) {
        layout_detail::axis_list rest = from.dim[d];
        rest.remove(added);
        if (!rest.begins(from.dim[d]) || !rest.begins(to.dim[d])) return never;
      }
      return 0;
    }
    axis_mask const reduced = before & ~after;
    layout_value rest = from;
    rest.drop_partial(reduced);
    if ((after & ~before) || (reduced & ~from.reductions[0].axes) || !same_levels(rest, to)) return never;
    bool same = true;
    for (int d = 0; d < from.rank; ++d) {
      same = same && from.dim[d] == to.dim[d];
      if (!from.dim[d].begins(to.dim[d])) return never;
    }
    index_t const ranks = mesh.ranks(reduced), n = volume(from);
    if (same) return weigh_({2 * (n - n / ranks), 1, 0, 2 * (ranks - 1)});
    return reduced & ~to.sharding() ? never : weigh_({volume(to) * (ranks - 1), 1, 0, ranks - 1});
  }
};

}  // namespace ashlar::test
