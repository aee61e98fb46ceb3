// All layouts of a rank over a number of axes, and the elements of each rank under them, found one by one.
#pragma once
#include "ashlar/layout/value.hpp"
#include "ashlar/mesh/mesh.hpp"
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace ashlar::test {

/// All layouts in which each axis shards a dimension, in every order, is partial, or is unused. Partial axes have every
/// nesting of kinds of `ops`, up to `levels` levels.
inline std::vector<layout_value> all_layouts(int rank, int axes, std::vector<int> const& ops = {layout_detail::op_sum},
                                             int levels = 1) {
  std::vector<layout_value> done(1);
  done[0].rank = rank;
  for (int a = 0; a < axes; ++a) {
    std::vector<layout_value> next;
    auto put = [&](layout_value const& v) {
      if (std::find(next.begin(), next.end(), v) == next.end()) next.push_back(v);
    };
    for (layout_value const& v : done) {
      put(v);
      for (int d = 0; d < rank; ++d)
        for (int at = 0; at <= v.dim[d].size; ++at) {
          layout_value w = v;
          w.dim[d].push(a);
          std::rotate(w.dim[d].axis + at, w.dim[d].axis + w.dim[d].size - 1, w.dim[d].axis + w.dim[d].size);
          put(w);
        }
      for (int op : ops)
        for (int at = 0; at <= v.levels; ++at) {  // joins level `at`, or comes before it
          layout_value joined = v;
          if (at < v.levels && v.reductions[at].op == op) {
            joined.reductions[at].axes |= layout_detail::mask_of(a);
            put(joined);
          }
          layout_value nested = v;
          nested.levels = 0;
          for (int l = 0; l < layout_detail::max_levels; ++l) nested.reductions[l] = {};
          for (int l = 0; l < at; ++l) nested.add_partial(v.reductions[l].op, v.reductions[l].axes);
          nested.add_partial(op, layout_detail::mask_of(a));
          for (int l = at; l < v.levels; ++l) nested.add_partial(v.reductions[l].op, v.reductions[l].axes);
          if (nested.levels <= levels) put(nested);
        }
    }
    done = next;
  }
  return done;
}

/// These layouts, and each of them with some dimensions block-cyclic in blocks of these sizes, by one or more of their
/// major axes.
inline std::vector<layout_value> with_cyclic(std::vector<layout_value> const& layouts, std::vector<int> const& blocks) {
  std::vector<layout_value> all = layouts;
  for (int d = 0; d < layout_detail::max_rank; ++d)
    for (std::size_t i = 0, n = all.size(); i < n; ++i)
      for (int cyclic = 1; cyclic <= all[i].dim[d].size; ++cyclic)
        for (int block : blocks) {
          layout_value v = all[i];
          v.dim[d].cyclic = static_cast<signed char>(cyclic);
          v.dim[d].block = static_cast<unsigned short>(block);
          all.push_back(v);
        }
  return all;
}

/// A random layout. Each axis in turn is unused, shards some dimension as its minor-most axis, or is partial by one of
/// `ops`, outermost. About 33 % of the dimensions that may be block-cyclic are, in blocks of 1 to 3.
/// Pre: rank > 0.
inline layout_value layout_at_random(std::minstd_rand& random, int rank, int axes, std::vector<int> const& ops = {}) {
  auto below = [&](int n) { return static_cast<int>(random() / 7 % static_cast<unsigned>(n)); };
  std::vector<int> order(static_cast<std::size_t>(axes));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  layout_value v;
  v.rank = rank;
  int const kinds = static_cast<int>(ops.size());
  for (int a : order) {
    int const place = below(rank + kinds + 1);
    if (place < rank)
      v.dim[place].push(a);
    else if (place < rank + kinds)
      v.add_partial(v.levels == layout_detail::max_levels ? v.reductions[layout_detail::max_levels - 1].op
                                                          : ops[static_cast<std::size_t>(place - rank)],
                    layout_detail::mask_of(a));
  }
  for (int d = 0; d < rank; ++d)
    if (v.dim[d].size != 0 && v.may_be_cyclic(d) && below(3) == 0) {
      v.dim[d].cyclic = static_cast<signed char>(below(v.dim[d].size) + 1);
      v.dim[d].block = static_cast<unsigned short>(below(3) + 1);
    }
  return v;
}

/// A layout as a text, with letters for axes: "[a,bc] sum(d)". In "[ab%2,c]" a and b assign blocks of 2.
inline std::string name(layout_value const& v) {
  auto letter = [](int a) { return static_cast<char>('a' + a); };
  std::string s = "[";
  for (int d = 0; d < v.rank; ++d) {
    s += d ? "," : "";
    for (int i = 0; i < v.dim[d].size; ++i) {
      s += letter(v.dim[d][i]);
      if (i + 1 == v.dim[d].cyclic) s += "%" + std::to_string(v.dim[d].block);
    }
  }
  s += "]";
  for (int l = 0; l < v.levels; ++l) {
    s += std::string(" ") +
         std::vector<char const*>{"sum", "max", "min", "prod"}[static_cast<std::size_t>(v.reductions[l].op)] + "(";
    for (int a = 0; a < meta_detail::max_axes; ++a)
      if (v.reductions[l].axes >> a & 1u) s += letter(a);
    s += ")";
  }
  return s;
}

/// For each index of a dimension, the rank of its owner among the axes that shard it. The block-cyclic axes assign
/// blocks round-robin. Then each other axis cuts the indices of each owner into parts. Earlier parts get no fewer
/// indices than later ones.
inline std::vector<int> owners(int extent, layout_detail::axis_list const& axes, mesh_shape const& mesh) {
  std::vector<int> owner(static_cast<std::size_t>(extent), 0);
  int hands = 1, pieces = 1;
  for (int i = 0; i < axes.cyclic; ++i) hands *= mesh.size[axes[i]];
  if (axes.cyclic)
    for (int k = 0; k < extent; ++k) owner[static_cast<std::size_t>(k)] = k / axes.block % hands;
  pieces *= hands;
  for (int i = axes.cyclic; i < axes.size; ++i) {
    int const parts = mesh.size[axes[i]];
    std::vector<int> next = owner;
    for (int piece = 0; piece < pieces; ++piece) {
      std::vector<std::size_t> held;
      for (std::size_t k = 0; k < owner.size(); ++k)
        if (owner[k] == piece) held.push_back(k);
      std::vector<std::size_t> share(static_cast<std::size_t>(parts), 0);
      for (std::size_t k = 0; k < held.size(); ++k) ++share[k % share.size()];
      std::size_t at = 0;
      for (std::size_t r = 0; r < share.size(); ++r)
        for (std::size_t k = 0; k < share[r]; ++k) next[held[at++]] = piece * parts + static_cast<int>(r);
    }
    owner = next;
    pieces *= parts;
  }
  return owner;
}

/// For each rank a mask over the elements of the global row-major array: true if its shard has the element.
inline std::vector<std::vector<bool>> holders(std::vector<int> const& extents, layout_value const& v,
                                              mesh_shape const& mesh) {
  std::size_t size = 1;
  for (int n : extents) size *= static_cast<std::size_t>(n);
  std::vector<std::vector<bool>> held(static_cast<std::size_t>(mesh.ranks()), std::vector<bool>(size, true));
  std::size_t stride = size;
  for (int d = 0; d < v.rank; ++d) {
    auto const extent = static_cast<std::size_t>(extents[static_cast<std::size_t>(d)]);
    std::vector<int> const owner = owners(extents[static_cast<std::size_t>(d)], v.dim[d], mesh);
    stride = extent ? stride / extent : 0;
    for (std::size_t r = 0; r < held.size(); ++r) {
      int mine = 0;
      for (int i = 0; i < v.dim[d].size; ++i)
        mine = mine * mesh.size[v.dim[d][i]] + mesh.coordinate(static_cast<int>(r), v.dim[d][i]);
      for (std::size_t e = 0; e < size; ++e)
        if (owner[e / stride % extent] != mine) held[r][e] = false;
    }
  }
  return held;
}

}  // namespace ashlar::test
