// SPDX-License-Identifier: BSL-1.0
// Reads the arrays of a safetensors file, of the files of an index, or of an HDF5 file.
#pragma once
#include "ashlar/checkpoint/array_plan.hpp"
#include "ashlar/checkpoint/hdf5_arrays.hpp"
#include "ashlar/checkpoint/leaf.hpp"

namespace ashlar::checkpoint_detail {

class array_reader {
 public:
  /// Rank 0 reads the headers, finds the arrays of the plan, and tells the other ranks where they are. All ranks then
  /// open the files.
  /// Collective: all ranks of c. Error: ashlar::error on every rank if a file or an array is not as the plan wants it.
  array_reader(communicator const& c, array_plan const& plan, array_map const& map) : plan_(plan) {
    std::string names;  // of the files, each with '/' after it
    comm::on_root(c, [&] {
      find(map);
      for (auto const& f : names_) names += f + '/';
    });
    std::size_t length = names.size();
    comm::broadcast(c, &length, 1, 0);
    comm::collectively(c, [&] {
      names.resize(length);
      places_.resize(3 * plan.items().size());
    });
    comm::broadcast(c, names.data(), length, 0);
    comm::broadcast(c, places_.data(), places_.size(), 0);
    comm::collectively(c, [&] {
      auto at = places_.begin();
      for (auto const& i : plan.items()) {
        wanted_[i.leaf] = {.to = i.array.type, .array = i.array};
        stored_array& a = wanted_[i.leaf].array;
        a.type = static_cast<array_type>(*at++);
        a.file = static_cast<std::size_t>(*at++);
        a.begin = static_cast<std::uint64_t>(*at++);
      }
      if (c.rank() == 0) return;
      if (plan.format() == array_format::hdf5) return hdf5_.emplace(plan.file(), plan.caller()), void();
      for (std::size_t begin = 0, end; (end = names.find('/', begin)) != names.npos; begin = end + 1)
        open(names.substr(begin, end - begin));
    });
    if (hdf5_) hdf5_->require_same_content(c);
    for (checked_file const& f : files_) require_same_content(c, f);
  }

  /// Reads a leaf's chunks, as elements of the leaf. No MPI. Error: ashlar::error if the file cannot be read.
  void read(checkpoint_entry const& e, array_pieces::range chunks, unsigned char* to) const {
    wanted const& w = wanted_.at(e.name);
    index_t const each = static_cast<index_t>(e.chunk / e.element_bytes), all = e.extents.size();
    index_t const begin = (std::min)(chunks.begin * each, all), end = (std::min)(chunks.end * each, all);
    auto const n = static_cast<std::size_t>(end - begin), bytes = std::size_t{name_of(w.array.type).bits / 8};
    unsigned char* const stored = to + n * (e.element_bytes - bytes);
    if (hdf5_)
      hdf5_->read(w.array, begin, end, stored);
    else
      files_[w.array.file].read(w.array.begin + static_cast<std::uint64_t>(begin) * bytes, stored, n * bytes);
    widen_in_place(w.array.type, w.to, to, n);
  }

 private:
  struct wanted {
    array_type to = array_type::unreadable;
    stored_array array;
  };

  void open(std::string const& name) {
    files_.emplace_back(beside(plan_.file(), name), plan_.caller());
    names_.push_back(name);
  }
  // All arrays of the file or of the files. Opens them.
  std::vector<stored_array> list() {
    if (plan_.format() == array_format::hdf5) return hdf5_.emplace(plan_.file(), plan_.caller()).list();
    if (plan_.format() == array_format::safetensors) {
      open(name_in_folder(plan_.file()));
      return arrays_of_safetensors(files_[0]);
    }
    std::map<std::string, std::string> const weights = weight_map_of(checked_file(plan_.file(), plan_.caller()));
    std::map<std::string, std::vector<std::string>> arrays_in;
    for (auto const& [array, file] : weights) arrays_in[file].push_back(array);
    std::vector<stored_array> all;
    for (auto const& [file, arrays] : arrays_in) {
      open(file);
      std::vector<stored_array> const found = arrays_of_safetensors(files_.back());
      for (std::string const& name : arrays) {
        auto const a = std::find_if(found.begin(), found.end(), [&](auto const& f) { return f.name == name; });
        if (a == found.end()) files_.back().fail("expected " + shown(name, 100) + ", as the index says, found none");
        all.push_back(*a);
        all.back().file = files_.size() - 1;
      }
    }
    return all;
  }
  // Finds the plan's arrays in the file. No MPI.
  void find(array_map const& map) {
    std::map<std::string, std::pair<stored_array, bool>> found;  // and whether a leaf comes from it
    for (stored_array& a : list()) {
      std::string const name = a.name;
      found.emplace(name, std::pair(std::move(a), false));
    }
    std::string missing, extra;
    std::size_t missing_count = 0, extra_count = 0;
    for (auto const& i : plan_.items())
      if (!found.contains(i.array.name) && missing_count++ == 0) missing = i.array.name + " for " + i.leaf;
    if (missing_count != 0)
      plan_.fail("expected the array " + missing + and_more(missing_count) + ", found " + names_of(found));
    for (auto const& i : plan_.items()) {
      auto& [a, is_taken] = found.at(i.array.name);
      check_item(i, a);
      is_taken = true;
      places_.insert(places_.end(),
                     {static_cast<index_t>(a.type), static_cast<index_t>(a.file), static_cast<index_t>(a.begin)});
    }
    for (auto const& [name, a] : found)
      if (!a.second && !is_ignored(map, name) && extra_count++ == 0) extra = shown(name, 100);
    if (extra_count != 0)
      plan_.fail("expected an array for each leaf and no others, found " + extra + and_more(extra_count) +
                 "; add it to the tree, or its name to array_map::ignored");
  }
  void check_item(array_plan::item const& i, stored_array const& a) const {
    std::string const from = i.array.name + (i.array.name == i.leaf ? "" : " for " + i.leaf);
    if (!widens(a.type, i.array.type)) {
      bool const narrows = a.type == array_type::float64 && i.array.type == array_type::float32;
      std::string const expected(name_of(i.array.type).name), stored(name_of(a.type).name);
      std::string const found = !a.found.empty() ? a.found
                                : narrows        ? stored
                                                 : stored + "; save the array as " + expected;
      plan_.fail("expected " + from + " of type " + expected + ", found " + found +
                 (narrows ? "; make the tensor double, or save the array as float32" : ""));
    }
    if (a.extents == i.array.extents) return;
    std::vector<index_t> reversed(i.array.extents.rbegin(), i.array.extents.rend());
    plan_.fail("expected " + from + " of extents " + extents_text(i.array.extents) + ", found " +
               extents_text(a.extents) +
               (a.extents == reversed ? "; array_entry::transpose gives dimensions another order" : ""));
  }
  static std::string and_more(std::size_t n) { return n == 1 ? "" : " and " + std::to_string(n - 1) + " more"; }
  template <class Found>
  static std::string names_of(Found const& found) {
    constexpr std::size_t most = 10;
    std::string text;
    std::size_t n = 0;
    for (auto const& [name, a] : found)
      if (n++ < most) text += (n == 1 ? "" : ", ") + shown(name, 100);
    if (n > most) text += " and " + std::to_string(n - most) + " more";
    return n == 0 ? "no arrays" : text;
  }

  array_plan const& plan_;
  std::vector<checked_file> files_;
  std::vector<std::string> names_;
  std::optional<hdf5_arrays> hdf5_;
  std::vector<index_t> places_;  // of each leaf's array: its type, the number of its file, its first byte
  std::map<std::string, wanted> wanted_;
};

}  // namespace ashlar::checkpoint_detail
