// SPDX-License-Identifier: BSL-1.0
// The arrays of a file for the leaves of trees: names, types and extents, the same on every rank.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/io/safetensors.hpp"
#include "ashlar/checkpoint/array_map.hpp"
#include "ashlar/checkpoint/transposed_leaf.hpp"
#include <numeric>

namespace ashlar::checkpoint_detail {

/// The format of a file, by its name.
enum class array_format { safetensors, index, hdf5 };

inline array_format array_format_of(std::string const& file, std::string const& caller) {
  std::string const name = name_in_folder(file);
  if (name.ends_with(".safetensors")) return array_format::safetensors;
  if (name.ends_with(".safetensors.index.json")) return array_format::index;
  if (name.ends_with(".h5") || name.ends_with(".hdf5")) return array_format::hdf5;
  throw error(comm_detail::with_call(
      caller + ": " + file +
      ": expected a file .safetensors, .safetensors.index.json, .h5 or .hdf5, found another name; save the "
      "arrays in one of these formats"));
}

inline std::string leaf_extents_text(shape const& s) { return extents_text({s.extent, s.extent + s.rank}); }

/// The leaves of trees in the order of their arrays' dimensions, and the array of each.
class array_plan {
 public:
  /// The array of a leaf: `name`, `type` and `extents` as the leaf wants them. `transpose` as in array_entry.
  struct item {
    std::string leaf;
    stored_array array;
    std::vector<int> transpose;
  };
  /// Error: ashlar::error, the same on every rank, if two leaves have one name, or a leaf has none. Also if an entry of
  /// the map does not fit its leaf, or a leaf is not on all ranks of c.
  array_plan(communicator const& c, std::string file, char const* caller, checkpoint_leaves made, array_map const& map)
      : file_(std::move(file)), caller_(caller), format_(array_format_of(file_, caller_)), leaves_(std::move(made)) {
    for (auto& leaf : leaves_) add(c, leaf, map);
    std::vector<std::string> names;
    for (item const& i : items_) names.push_back(i.leaf);
    if (std::string const* const twice = repeated(names))
      fail("expected each leaf once, found " + *twice + " twice; give each part a name of its own");
  }

  array_format format() const { return format_; }
  std::string const& file() const { return file_; }
  char const* caller() const { return caller_.c_str(); }
  checkpoint_leaves const& leaves() const { return leaves_; }
  std::vector<item> const& items() const { return items_; }
  [[noreturn]] void fail(std::string const& what) const {
    throw error(comm_detail::with_call(caller_ + ": " + file_ + ": " + what));
  }

  /// Checks that all ranks name the same file, arrays, types and extents, and have the same numbers if they are saved.
  /// Collective: all ranks of c.
  void require_same(communicator const& c, bool numbers) const {
    std::string text = file_;
    for (item const& i : items_) {
      text += '\n' + i.leaf + '\n' + i.array.name + '\n' + std::string(name_of(i.array.type).name);
      for (index_t const n : i.array.extents) text += ' ' + std::to_string(n);
      for (int const d : i.transpose) text += ',' + std::to_string(d);
    }
    if (numbers)
      for (auto const& leaf : leaves_)
        if (leaf->is_number()) text.append(reinterpret_cast<char const*>(leaf->shard()), leaf->entry.bytes());
    index_t const sums[]{static_cast<index_t>(text.size()), static_cast<index_t>(crc32c(0, text.data(), text.size()))};
    comm::require_equal(c, sums,
                        caller_ + ": file, names, types, extents and numbers (as length and checksum of their text)");
  }

 private:
  void add(communicator const& c, std::unique_ptr<checkpoint_leaf>& leaf, array_map const& map) {
    std::string& name = leaf->entry.name;
    if (name.starts_with('/')) name.erase(0, 1);  // of a tree without a name
    if (name.empty()) fail("expected a tree whose leaves have names, found one leaf; make it a checkpoint_part");
    require_ranks(c, leaf->mesh.ranks(), caller_ + ": " + file_, name);
    array_entry const e = entry_for(map, name, format_ != array_format::hdf5);
    item i{.leaf = name, .array = {}, .transpose = e.transpose};
    if (!e.transpose.empty()) {
      std::vector<int> sorted = e.transpose;
      std::sort(sorted.begin(), sorted.end());
      bool permutes = static_cast<int>(sorted.size()) == leaf->entry.extents.rank;
      for (std::size_t d = 0; d < sorted.size(); ++d) permutes = permutes && sorted[d] == static_cast<int>(d);
      if (!permutes)
        fail("expected transpose to have each dimension of " + name + " (" + leaf_extents_text(leaf->entry.extents) +
             ") once, found other numbers");
      leaf = std::make_unique<transposed_leaf>(std::move(leaf), e.transpose, c.rank());
    }
    checkpoint_entry& entry = leaf->entry;
    entry.choose_chunk();
    i.array.name = e.array;
    i.array.type = element_type(*leaf);
    i.array.extents = {entry.extents.extent, entry.extents.extent + entry.extents.rank};
    if (!e.extents.empty()) {
      index_t const n = std::accumulate(e.extents.begin(), e.extents.end(), index_t{1}, [](index_t a, index_t b) {
        return a < 0 || b < 0 || (b != 0 && a > (std::numeric_limits<index_t>::max)() / b) ? -1 : a * b;
      });
      if (n != entry.extents.size())
        fail("expected extents of as many elements as " + name + " has (" + leaf_extents_text(entry.extents) +
             " in the order of the file), found " + extents_text(e.extents));
      i.array.extents = e.extents;
    }
    items_.push_back(std::move(i));
  }
  static array_type element_type(checkpoint_leaf const& leaf) {
    if (leaf.is_boolean) return array_type::boolean;
    return std::find_if(std::begin(array_types), std::end(array_types),
                        [&](array_type_name const& t) { return t.name == leaf.entry.type; })
        ->type;
  }

  std::string file_;
  std::string caller_;
  array_format format_;
  checkpoint_leaves leaves_;
  std::vector<item> items_;
};

}  // namespace ashlar::checkpoint_detail
