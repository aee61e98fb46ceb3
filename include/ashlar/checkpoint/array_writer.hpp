// SPDX-License-Identifier: BSL-1.0
// Writes the arrays of trees to a safetensors file, to files with an index, or to an HDF5 file.
#pragma once
#include "ashlar/checkpoint/array_plan.hpp"
#include "ashlar/checkpoint/writer.hpp"
#include <deque>
#include <numeric>

namespace ashlar::io {

/// The options of save_arrays.
/// Example: io::save_arrays(m, "model.safetensors.index.json", p, map, {.bytes_per_file = 1'000'000'000})
struct save_arrays_options {
  /// A file beside an index takes arrays up to this number of bytes, and 1 array or more.
  index_t bytes_per_file = 5'000'000'000;
  /// Texts by their names, such as {"format", "pt"}: metadata of safetensors files, attributes of an HDF5 file.
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

}  // namespace ashlar::io

namespace ashlar::checkpoint_detail {

/// A file with its first bytes and its size.
struct array_output : shared_output {
  std::string header;
  std::uint64_t bytes;

  array_output(communicator const& c, array_plan const& plan, std::string const& file_path, std::string head = {})
      : shared_output(c, file_path, plan.caller()), header(std::move(head)), bytes(header.size()) {}
};

/// Files that all ranks write. They get their names only when all of them are on the disk. An index gets its name last.
class array_writer {
 public:
  /// Plans the files. Rank 0 creates them with their headers and full sizes. Collective: all ranks of c.
  array_writer(communicator const& c, array_plan const& plan, save_arrays_options const& options)
      : ranks_(c), plan_(plan) {
    comm::collectively(c, [&] {
      check_options(options);
      for (auto const& i : plan.items()) arrays_.push_back(i.array);
      if (plan.format() == array_format::hdf5)
        describe_hdf5(options.metadata);
      else
        describe_safetensors(options);
    });
    for (array_output& o : outputs_) o.create_and_open([&](checked_file const& file) { return begin(o, file); });
    if (index_)
      comm::on_root(c, [&] {
        index_->create([&](checked_file const& file) { return begin(*index_, file); });
        index_->close();
      });
  }
  array_writer(array_writer const&) = delete;
  array_writer& operator=(array_writer const&) = delete;

  /// Writes this rank's part of leaf i in a round. No MPI.
  void write(std::size_t i, array_pieces const& round, unsigned char const* bytes) {
    std::size_t const n = round.piece_bytes();
    std::uint64_t const at = arrays_[i].begin + static_cast<std::uint64_t>(round.chunks(ranks_.rank()).begin) *
                                                    plan_.leaves()[i]->entry.chunk;
    if (n == 0) return;
    checked_file const& file = outputs_[arrays_[i].file].file();
    file.write(at, bytes, n);
    if (n >= checkpoint_entry::largest_chunk) file.start_sync(at, n);
    written_.push_back({static_cast<index_t>(arrays_[i].file), static_cast<index_t>(at), static_cast<index_t>(n),
                        static_cast<index_t>(crc32c(0, bytes, n))});
  }
  /// Waits until the bytes that this rank wrote are on the disk. No MPI.
  void sync() {
    for (array_output& o : outputs_) o.close();
  }
  /// Gives the files their names after all ranks have synced, and all bytes have been read back, each by another rank
  /// than the writer. `failure` is this rank's error, if any.
  /// Collective: all ranks. Error: ashlar::error on every rank if any rank failed. Then there are no new files.
  void commit(std::optional<std::string> failure) {
    throw_together(ranks_, std::move(failure), true);
    std::vector<piece> const next = pieces_of_next_rank();
    comm::collectively(ranks_, [&] { read_back(next); });
    comm::on_root(ranks_, [&] {
      for (array_output& o : outputs_) o.publish();
      if (index_) index_->publish();
    });
  }

 private:
  // The bytes of one piece in a file, and their checksum.
  struct piece {
    index_t file, at, bytes, checksum;
  };

  void check_options(save_arrays_options const& options) const {
    bool const hdf5 = plan_.format() == array_format::hdf5;
    if (options.bytes_per_file < 1)
      plan_.fail("expected files of 1 byte or more, found " + std::to_string(options.bytes_per_file));
    std::vector<std::string> names;
    for (auto const& i : plan_.items()) {
      std::string const& name = i.array.name;
      names.push_back(name);
      if (hdf5 ? !is_path_of_names(name) : name.empty() || name == "__metadata__" || !is_utf8(name))
        plan_.fail("expected a name that the format allows for " + i.leaf + ", found " + shown(name, 100));
      if (!hdf5 && name_of(i.array.type).in_safetensors.empty())
        plan_.fail("expected " + i.leaf + " of a type that safetensors files have, found " +
                   std::string(name_of(i.array.type).name) + "; save it to an HDF5 file");
      if (hdf5 && i.array.extents.size() > max_rank)
        plan_.fail("expected " + i.leaf + " of at most 8 dimensions, found " + extents_text(i.array.extents));
    }
    if (std::string const* const twice = repeated(names))
      plan_.fail("expected each name of an array once, found " + shown(*twice, 100) + " for two leaves");
    std::vector<std::string> keys;
    for (auto const& [key, text] : options.metadata) {
      keys.push_back(key);
      for (std::string const& t : {key, text})
        if (!is_utf8(t)) plan_.fail("expected metadata in UTF-8, found " + shown(t));
    }
    if (std::string const* const twice = repeated(keys))
      plan_.fail("expected each name of metadata once, found " + shown(*twice, 100) + " twice");
  }

  std::uint64_t bytes_of_leaf(std::size_t i) const { return plan_.leaves()[i]->entry.bytes(); }

  // One file, or files beside an index that take the leaves in their order.
  void describe_safetensors(save_arrays_options const& options) {
    std::vector<std::vector<stored_array*>> files(1);
    std::uint64_t filled = 0, total = 0;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      std::uint64_t const n = bytes_of_leaf(i), most = static_cast<std::uint64_t>(options.bytes_per_file);
      bool const full = filled + n > most && !files.back().empty();
      if (plan_.format() == array_format::index && full) files.emplace_back(), filled = 0;
      files.back().push_back(&arrays_[i]);
      arrays_[i].file = files.size() - 1;
      filled += n;
      total += n;
    }
    std::map<std::string, std::string> weight_map;
    for (std::size_t f = 0; f < files.size(); ++f) {
      // Large elements first: so each array begins at a multiple of its elements' size.
      std::sort(files[f].begin(), files[f].end(), [](stored_array const* a, stored_array const* b) {
        unsigned const bits_a = name_of(a->type).bits, bits_b = name_of(b->type).bits;
        return bits_a != bits_b ? bits_a > bits_b : a->name < b->name;
      });
      array_output& o = outputs_.emplace_back(
          ranks_, plan_, plan_.format() == array_format::index ? numbered(f + 1, files.size()) : plan_.file(),
          safetensors_header(files[f], options.metadata));
      for (stored_array const* const a : files[f]) {
        o.bytes += bytes_of_leaf(static_cast<std::size_t>(a - arrays_.data()));
        weight_map[a->name] = name_in_folder(o.path());
      }
    }
    if (plan_.format() == array_format::index)
      index_.emplace(ranks_, plan_, plan_.file(), safetensors_index(weight_map, total));
  }
  // model-00001-of-00003.safetensors, as Hugging Face names the files beside model.safetensors.index.json.
  std::string numbered(std::size_t k, std::size_t of) const {
    auto const five = [](std::size_t n) {
      std::string const text = std::to_string(n);
      return std::string(text.size() < 5 ? 5 - text.size() : 0, '0') + text;
    };
    std::string stem = name_in_folder(plan_.file());
    stem.resize(stem.size() - std::string_view(".safetensors.index.json").size());
    return beside(plan_.file(), stem + "-" + five(k) + "-of-" + five(of) + ".safetensors");
  }

  void describe_hdf5(named_texts const& metadata) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      checkpoint_entry e;
      e.name = arrays_[i].name;
      e.type = plan_.leaves()[i]->entry.type;
      e.element_bytes = plan_.leaves()[i]->entry.element_bytes;
      for (index_t const n : arrays_[i].extents) e.extents[e.extents.rank++] = n;
      table_.entries.push_back(e);
    }
    described_ = describe_in_hdf5(table_, plan_.caller(), metadata);
    for (std::size_t i = 0; i < arrays_.size(); ++i) arrays_[i].begin = table_.entries[i].offset;
    outputs_.emplace_back(ranks_, plan_, plan_.file()).bytes = table_.file_bytes;
  }

  // Writes all bytes of a new file that are not elements. Returns its size.
  std::uint64_t begin(array_output const& o, checked_file const& file) const {
    file.resize(o.bytes);
    file.write(0, o.header.data(), o.header.size());
    if (plan_.format() == array_format::hdf5)
      for_each_part_of(table_.gaps(), [&](byte_count at, std::vector<unsigned char>& bytes) {
        described_.for_each_written(at, bytes.size(),
                                    [&](byte_count to, char const* from, std::size_t n) { file.write(to, from, n); });
      });
    return o.bytes;
  }

  std::vector<piece> pieces_of_next_rank() const {
    std::vector<std::size_t> counts(static_cast<std::size_t>(ranks_.size()));
    std::size_t const own = 4 * written_.size(), next = static_cast<std::size_t>((ranks_.rank() + 1) % ranks_.size());
    comm::all_gather(ranks_, &own, 1, counts.data());
    std::vector<index_t> mine, all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    for (piece const& p : written_) mine.insert(mine.end(), {p.file, p.at, p.bytes, p.checksum});
    comm::all_gather(ranks_, mine.data(), own, all.data(), std::span<std::size_t const>(counts));
    auto at = all.begin();
    for (std::size_t r = 0; r < next; ++r) at += static_cast<std::ptrdiff_t>(counts[r]);
    std::vector<piece> theirs;
    for (std::size_t k = 0; k < counts[next]; k += 4, at += 4) theirs.push_back({at[0], at[1], at[2], at[3]});
    return theirs;
  }
  // Reads back the bytes that the next rank wrote. The last rank also reads the headers, which rank 0 wrote.
  void read_back(std::vector<piece> const& theirs) const {
    std::vector<checked_file> files;
    for (array_output const& o : outputs_) files.emplace_back(o.part(), plan_.caller());
    auto const differs = [&](checked_file const& f) { f.fail("what was written is not what is read back"); };
    std::vector<unsigned char> bytes(2 * largest_chunk);
    for (piece const& p : theirs) {
      checked_file const& f = files[static_cast<std::size_t>(p.file)];
      auto const n = static_cast<std::size_t>(p.bytes);
      if (f.read_some(static_cast<std::uint64_t>(p.at), bytes.data(), n) != n ||
          static_cast<index_t>(crc32c(0, bytes.data(), n)) != p.checksum)
        differs(f);
    }
    if (ranks_.rank() != ranks_.size() - 1) return;
    auto const verify_header = [&](array_output const& o) {
      checked_file const f(o.part(), plan_.caller());
      std::string found(o.header.size(), '\0');
      if (f.size() != o.bytes || f.read_some(0, found.data(), found.size()) != found.size() || found != o.header)
        differs(f);
    };
    for (array_output const& o : outputs_) verify_header(o);
    if (index_) verify_header(*index_);
    if (plan_.format() == array_format::hdf5)
      for_each_part_of(table_.gaps(), [&](byte_count at, std::vector<unsigned char>& expected) {
        std::vector<unsigned char> found(expected.size());
        described_.read(at, expected.data(), expected.size());
        if (files[0].read_some(at, found.data(), found.size()) != found.size() || found != expected) differs(files[0]);
      });
  }

  communicator ranks_;
  array_plan const& plan_;
  std::vector<stored_array> arrays_;  // of each leaf, with its place
  std::deque<array_output> outputs_;
  std::optional<array_output> index_;
  checkpoint_table table_;  // of an HDF5 file, without a first block
  sparse_memory described_;
  std::vector<piece> written_;
};

}  // namespace ashlar::checkpoint_detail
