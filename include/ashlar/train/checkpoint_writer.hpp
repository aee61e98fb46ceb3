// Writing a checkpoint, in steps of which those that take long need no MPI.
#pragma once
#include "ashlar/train/checkpoint_hdf5.hpp"
#include "ashlar/train/checkpoint_reader.hpp"
#include <span>

namespace ashlar::detail {

/// A rank's piece of one tensor, with the checksums of its chunks.
struct checkpoint_piece {
  byte_count offset, chunk;
  std::span<unsigned char const> bytes;
  std::vector<std::uint32_t> checksums;
};

/// A file that is written by all ranks and has its name only when all of it is on the disk. Until then it is called
/// FILE.part, and its first block, without which it is no checkpoint, is written last.
class checkpoint_writer {
 public:
  /// Names and reserves: rank 0 makes the file. Collective: all ranks of c.
  checkpoint_writer(communicator const& c, std::filesystem::path const& path, index_t step, checkpoint_leaves const& leaves)
      : ranks_(c), path_(path), part_(path.string() + ".part") {
    table_.step = step;
    comm::collectively(c, [&] {
      std::vector<std::string> names;
      for (auto const& leaf : leaves) {
        if (leaf->mesh.ranks() != c.size())
          throw error("ashlar::save_checkpoint: " + leaf->entry.name + " lies on a mesh of " + std::to_string(leaf->mesh.ranks()) + " ranks, of " + std::to_string(c.size()) +
                      " that save; give the communicator of its mesh");
        names.push_back(leaf->entry.name);
        leaf->entry.choose_chunk();
        table_.entries.push_back(leaf->entry);
      }
      std::sort(names.begin(), names.end());
      if (auto const twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
        throw error("ashlar::save_checkpoint: two parts have the name " + *twice + "; give each part a name of its own");
    });
    require_same_program(leaves);
    table_.block = table_.block_bytes();
    comm::on_root(c, [&] {
      std::filesystem::remove(part_);  // of a run that was killed
      owns_ = true;
      describe_in_hdf5(part_, table_);
    });
    std::vector<index_t> offsets{static_cast<index_t>(table_.file_bytes)};
    for (checkpoint_entry const& e : table_.entries) offsets.push_back(static_cast<index_t>(e.offset));
    comm::broadcast(c, offsets.data(), offsets.size(), 0);
    table_.file_bytes = static_cast<byte_count>(offsets[0]);
    for (std::size_t i = 0; i < table_.entries.size(); ++i) table_.entries[i].offset = static_cast<byte_count>(offsets[i + 1]);
    comm::collectively(c, [&] { file_ = checked_file(part_, O_RDWR); });
  }
  checkpoint_writer(checkpoint_writer const&) = delete;
  checkpoint_writer& operator=(checkpoint_writer const&) = delete;
  /// Nothing is left of a file that was not committed.
  ~checkpoint_writer() {
    std::error_code ignored;
    if (owns_) std::filesystem::remove(part_, ignored);
  }

  checkpoint_entry const& entry(std::size_t i) const { return table_.entries[i]; }

  /// Writes a piece and fills in its checksums. No MPI: any thread may.
  void write(checkpoint_piece& piece) const {
    constexpr std::size_t sync_bytes = std::size_t{8} << 20;
    std::size_t started = 0;
    for (std::size_t at = 0; at < piece.bytes.size();) {
      std::size_t const n = std::min<std::size_t>(piece.chunk, piece.bytes.size() - at);
      piece.checksums.push_back(crc32c(0, piece.bytes.data() + at, n));
      file_.write(piece.offset + at, piece.bytes.data() + at, n);
      at += n;
      if (at - started < sync_bytes) continue;
      file_.start_sync(piece.offset + started, at - started);
      started = at;
    }
  }
  /// Brings what this rank wrote to the disk. No MPI.
  void sync() const { file_.sync(); }

  /// Gives the file its name when all ranks have written and synced, and all bytes have been read back; `failure` is what
  /// went wrong on this rank.
  /// Collective: all ranks. Error: ashlar::error on every rank where any failed; then there is no file.
  void commit(std::optional<std::string> failure, std::span<checkpoint_piece const> pieces, checkpoint_leaves const& leaves) {
    throw_together(ranks_, std::move(failure), true);
    gather_checksums(pieces, leaves);
    comm::on_root(ranks_, [&] {
      table_.description = description_checksum(file_, table_);
      std::vector<unsigned char> const block = table_.pack();
      file_.write(0, block.data(), block.size());
      file_.sync();
    });
    comm::collectively(ranks_, [&] { file_.close(); });
    checkpoint_reader(ranks_, part_, "it").verify();
    comm::on_root(ranks_, [&] {
      std::filesystem::rename(part_, path_);
      owns_ = false;
      sync_folder(path_.has_parent_path() ? path_.parent_path() : ".");
    });
  }
 private:
  // All ranks must mean the same file: names, types, extents, numbers. (A checksum of the packed table would be the same for
  // all tables: it ends with its own.)
  void require_same_program(checkpoint_leaves const& leaves) const {
    std::uint32_t numbers = crc32c(0, path_.c_str(), path_.string().size());
    for (auto const& leaf : leaves)
      if (leaf->is_number()) numbers = crc32c(numbers, leaf->shard(), leaf->entry.bytes());
    index_t const sums[]{table_.step, static_cast<index_t>(table_.checksum()), static_cast<index_t>(numbers)};
    comm::require_equal(ranks_, sums, "ashlar::save_checkpoint: what is saved (as numbers of the step, of names, types and extents, and of the values of numbers)");
  }

  void gather_checksums(std::span<checkpoint_piece const> pieces, checkpoint_leaves const& leaves) {
    std::vector<std::uint32_t> mine, all;
    for (checkpoint_piece const& p : pieces) mine.insert(mine.end(), p.checksums.begin(), p.checksums.end());
    std::vector<std::vector<checkpoint_pieces::range>> chunks(static_cast<std::size_t>(ranks_.size()));
    std::vector<std::size_t> counts(chunks.size()), none(chunks.size()), send(chunks.size());
    for (int r = 0; r < ranks_.size(); ++r)
      for (auto const& leaf : leaves) {
        auto const range = checkpoint_pieces::chunks_of(*leaf, r, checkpoint_pieces::dealt_to::all);
        chunks[static_cast<std::size_t>(r)].push_back(range);
        counts[static_cast<std::size_t>(r)] += static_cast<std::size_t>(range.size());
      }
    send[0] = mine.size();
    if (ranks_.rank() != 0) counts = none;
    if (ranks_.rank() == 0) for (std::size_t const n : counts) all.resize(all.size() + n);
    comm::all_to_all(ranks_, mine.data(), std::span<std::size_t const>(send), all.data(), std::span<std::size_t const>(counts));
    if (ranks_.rank() != 0) return;
    auto from = all.begin();
    for (auto const& of_rank : chunks)
      for (std::size_t i = 0; i < of_rank.size(); ++i)
        for (index_t k = of_rank[i].begin; k < of_rank[i].end; ++k) table_.entries[i].checksums[static_cast<std::size_t>(k)] = *from++;
  }

  communicator ranks_;
  std::filesystem::path path_, part_;
  checkpoint_table table_;
  checked_file file_;
  bool owns_ = false;  // does the file with the ending exist, and is it this rank's to remove?
};

}  // namespace ashlar::detail
