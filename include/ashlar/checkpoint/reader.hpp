// SPDX-License-Identifier: BSL-1.0
// Reads a checkpoint. Nothing in it is used before its checksum is checked.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/checked_file.hpp"
#include "ashlar/checkpoint/leaf.hpp"

namespace ashlar::checkpoint_detail {

/// Calls f(at, bytes) for each part of some gaps, in order. `bytes` is a buffer of the part's size, at most 1 MiB.
template <class F>
void for_each_part_of(std::vector<checkpoint_table::gap> const& gaps, F f) {
  std::vector<unsigned char> bytes;
  for (auto const& gap : gaps)
    for (byte_count at = gap.begin; at < gap.end; at += bytes.size()) {
      bytes.resize(static_cast<std::size_t>(std::min<byte_count>(gap.end - at, checkpoint_entry::largest_chunk)));
      f(at, bytes);
    }
}

/// The checksum of all bytes that are neither first block nor elements.
inline std::uint32_t description_checksum(checked_file const& file, checkpoint_table const& table) {
  std::uint32_t sum = 0;
  for_each_part_of(table.gaps(), [&](byte_count at, std::vector<unsigned char>& bytes) {
    if (file.read_some(at, bytes.data(), bytes.size()) != bytes.size())
      throw error("it ends before byte " + std::to_string(at + bytes.size()));
    sum = crc32c(sum, bytes.data(), bytes.size());
  });
  return sum;
}

class checkpoint_reader {
 public:
  /// Rank 0 reads and checks everything but the elements, and broadcasts the first block. If it is damaged no single
  /// tensor can be blamed, so the error names `wanted`.
  /// Collective: all ranks of c. Error: ashlar::error on every rank if the file is missing or damaged.
  checkpoint_reader(communicator const& c, std::string const& file_path, checkpoint_leaves const& wanted)
      : ranks_(c), path_(file_path) {
    std::vector<unsigned char> block;
    comm::on_root(c, [&] {
      file_ = checked_file(file_path, caller_);
      try {
        byte_count const found = file_.size();
        block.resize(checkpoint_table::header_bytes);
        if (file_.read_some(0, block.data(), block.size()) != block.size())
          throw error("it is truncated: expected 64 bytes or more, found " + std::to_string(found));
        table_.decode_header(block.data());
        if (found < table_.block)
          throw error("it is truncated: expected " + std::to_string(table_.file_bytes) + " bytes, found " +
                      std::to_string(found));
        check_first_block(block.data());
        comm_detail::resize_buffer(block, table_.block);
        file_.read(0, block.data(), block.size());
        table_.decode(block);
        if (found != table_.file_bytes)
          throw error("expected " + std::to_string(table_.file_bytes) + " bytes, found " + std::to_string(found) +
                      cut_by(found));
        if (description_checksum(file_, table_) != table_.description)
          throw error("the checksum of the bytes by which HDF5 describes its tensors differs");
      } catch (error const& e) {
        std::string_view what = e.what();
        if (what.starts_with(beginning())) what.remove_prefix(beginning().size());  // an error of file_
        throw error(beginning() + std::string(what) + "; nothing is read of " + names_of(wanted));
      }
    });
    byte_count bytes = block.size();
    comm::broadcast(c, &bytes, 1, 0);
    comm::collectively(c, [&] { comm_detail::resize_buffer(block, bytes); });
    comm::broadcast(c, block.data(), block.size(), 0);
    comm::collectively(c, [&] {
      if (c.rank() == 0) return;
      table_.decode_header(block.data());
      table_.decode(block);
      file_ = checked_file(file_path, caller_);
    });
  }

  /// Reads a file that this program is saving. No MPI.
  checkpoint_reader(communicator const& c, std::string const& file_path, checkpoint_table const& table)
      : ranks_(c), path_(file_path), caller_("ashlar::io::save_checkpoint"), file_(file_path, caller_), table_(table) {}

  index_t step() const { return table_.step; }

  /// Finds the entries of the leaves. Ignores other entries of the file.
  /// Error: ashlar::error, the same on every rank, if a name, a type or extents differ.
  void match(checkpoint_leaves const& leaves) const {
    for (auto const& leaf : leaves) {
      checkpoint_entry& e = leaf->entry;
      auto const found = std::find_if(table_.entries.begin(), table_.entries.end(),
                                      [&](checkpoint_entry const& f) { return f.name == e.name; });
      if (found == table_.entries.end())
        throw error(comm_detail::with_call(beginning() + "expected " + e.name + ", found " + names()));
      if (found->type != e.type || found->element_bytes != e.element_bytes)
        throw error(comm_detail::with_call(beginning() + "expected " + e.name + " of type " + e.type + ", found " +
                                           found->type));
      if (!(found->extents == e.extents))
        throw error(comm_detail::with_call(beginning() + "expected " + e.name + " of " + text_of(e.extents) +
                                           ", found " + text_of(found->extents)));
      require_ranks(ranks_, leaf->mesh.ranks(), "ashlar::io::load_checkpoint", e.name);
      e = *found;
    }
  }

  /// Reads chunks of a tensor and checks each of them. No MPI.
  /// Error: ashlar::error that names the tensor.
  void read(checkpoint_entry const& e, array_pieces::range chunks, unsigned char* to) const {
    byte_count const begin = static_cast<byte_count>(chunks.begin) * e.chunk,
                     end = (std::min)(static_cast<byte_count>(chunks.end) * e.chunk, e.bytes());
    for (byte_count at = begin; at < end;) {
      std::size_t const n =
          static_cast<std::size_t>((std::min)(checkpoint_entry::largest_chunk / e.chunk * e.chunk, end - at));
      std::size_t const got = file_.read_some(e.offset + at, to, n);
      if (got != n)
        throw error(beginning() + e.name + " is cut off: expected bytes up to " + std::to_string(e.offset + at + n) +
                    ", found the end of the file at " + std::to_string(e.offset + at + got));
      for (byte_count const last = at + n; at < last;) {
        byte_count const size = (std::min)(e.chunk, last - at);
        if (crc32c(0, to, size) != e.checksums[at / e.chunk])
          throw error(beginning() + e.name + " is damaged: the checksum of the file's bytes " +
                      std::to_string(e.offset + at) + " to " + std::to_string(e.offset + at + size) + " differs");
        at += size;
        to += size;
      }
    }
  }

  /// Checks the chunks that the next rank wrote. The last rank also checks all other bytes, which rank 0 wrote. Leaf i
  /// is entry i of the table. A rank does not check its own bytes, which the system might return from its memory. No
  /// MPI.
  /// Error: ashlar::error if a byte differs from the table.
  void read_back(checkpoint_leaves const& leaves) const {
    std::vector<unsigned char> bytes(checkpoint_entry::largest_chunk);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      checkpoint_entry const& e = table_.entries[i];
      array_pieces::range const theirs =
          array_pieces::chunks_of(*leaves[i], (ranks_.rank() + 1) % ranks_.size(), array_pieces::cyclic_over::all);
      for (index_t k = theirs.begin, n = static_cast<index_t>(bytes.size() / e.chunk); k < theirs.end; k += n)
        read(e, {k, (std::min)(k + n, theirs.end)}, bytes.data());
    }
    if (ranks_.rank() != ranks_.size() - 1) return;
    std::vector<unsigned char> const block = table_.encode();
    bytes.resize(block.size());
    if (file_.size() != table_.file_bytes || file_.read_some(0, bytes.data(), bytes.size()) != bytes.size() ||
        bytes != block || description_checksum(file_, table_) != table_.description)
      throw error(beginning() + "what was written is not what is read back");
  }

 private:
  // Reads the first block part by part, before there is memory for all of it: the header may state any size.
  void check_first_block(unsigned char const* header) const {
    std::uint32_t sum = 0;
    auto const add = [&](byte_count, unsigned char const* bytes, std::size_t n) { sum = crc32c(sum, bytes, n); };
    file_.for_each_part(checkpoint_table::header_bytes, table_.block, add);
    checkpoint_table::check_table(header, sum);
  }
  std::string beginning() const { return std::string(caller_) + ": " + path_ + ": "; }
  static std::string names_of(checkpoint_leaves const& wanted) {
    if (wanted.empty()) return "it";
    return wanted.front()->entry.name +
           (wanted.size() == 1 ? "" : " and " + std::to_string(wanted.size() - 1) + " more");
  }
  static std::string text_of(shape const& s) { return "extents " + extents_text({s.extent, s.extent + s.rank}); }
  std::string names() const {
    std::string text;
    for (checkpoint_entry const& e : table_.entries) text += (text.empty() ? "" : ", ") + e.name;
    return text.empty() ? "no tensors" : text;
  }
  // Names the first tensor that is incomplete in a file of `found` bytes.
  std::string cut_by(byte_count found) const {
    checkpoint_entry const* first = nullptr;
    for (checkpoint_entry const& e : table_.entries)
      if (e.offset + e.bytes() > found && (first == nullptr || e.offset < first->offset)) first = &e;
    return first == nullptr ? "" : ", so that " + first->name + " is cut off";
  }

  communicator ranks_;
  std::string path_;
  char const* caller_ = "ashlar::io::load_checkpoint";
  checked_file file_;
  checkpoint_table table_;
};

}  // namespace ashlar::checkpoint_detail
