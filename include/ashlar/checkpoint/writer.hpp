// SPDX-License-Identifier: BSL-1.0
// Writes a checkpoint in steps. The slow steps need no MPI.
#pragma once
#include "ashlar/checkpoint/file_image.hpp"
#include "ashlar/checkpoint/reader.hpp"
#include "ashlar/io/array_files.hpp"
#include <numeric>
#include <span>

namespace ashlar::checkpoint_detail {

// Steps have at most 18 digits in the names of files.
inline constexpr index_t largest_step = 1000000000000000000;

/// Bytes of one tensor that a rank writes, with the checksums of their chunks.
struct checkpoint_piece {
  byte_count offset, chunk;
  std::span<unsigned char const> bytes;
  std::vector<std::uint32_t> checksums;
};

/// A checkpoint that all ranks write. Its first block is written last: without that block it is none.
class checkpoint_writer {
 public:
  /// Plans the file. Rank 0 creates it with its full size; the other ranks call open() later. Collective: all ranks of
  /// c.
  checkpoint_writer(communicator const& c, std::string const& file_path, index_t at_step,
                    checkpoint_leaves const& leaves)
      : ranks_(c), out_(c, file_path, caller) {
    table_.step = at_step;
    comm::collectively(c, [&] {
      if (at_step < 0 || at_step >= largest_step)
        throw error("ashlar::io::save_checkpoint: a step is 0 or more and less than 10^18; found " +
                    std::to_string(at_step));
      std::vector<std::string> names;
      for (auto const& leaf : leaves) {
        require_ranks(c, leaf->mesh.ranks(), "ashlar::io::save_checkpoint", leaf->entry.name);
        if (!is_path_of_names(leaf->entry.name))
          throw error(
              "ashlar::io::save_checkpoint: a part's name is one or more names with / between them, none empty, '.' or '..'; found '" +
              leaf->entry.name + "' for one of its tensors");
        names.push_back(leaf->entry.name);
        leaf->entry.choose_chunk();
        table_.entries.push_back(leaf->entry);
      }
      if (std::string const* const twice = repeated(names))
        throw error("ashlar::io::save_checkpoint: two parts have the name " + *twice +
                    "; give each part a name of its own");
      table_.block = table_.block_bytes();
      sparse_memory const described = describe_in_hdf5(table_);  // the same on every rank
      if (c.rank() == 0)
        out_.create([&](checked_file const& file) {
          file.resize(table_.file_bytes);
          return table_.file_bytes;
        });
      for_each_part_of(table_.gaps(), [&](byte_count at, std::vector<unsigned char>& bytes) {
        described.read(at, bytes.data(), bytes.size());
        table_.description = crc32c(table_.description, bytes.data(), bytes.size());
        // The file is new, so bytes that are not written are zeros. Only pages that HDF5 wrote are written here: the
        // rest of the page in which a tensor ends belongs to another rank.
        if (c.rank() == 0)
          described.for_each_written(at, bytes.size(), [&](byte_count begin, char const* from, std::size_t n) {
            out_.file().write(begin, from, n);
          });
      });
    });
    out_.share_mark();
    require_same_program(leaves);
  }
  checkpoint_writer(checkpoint_writer const&) = delete;
  checkpoint_writer& operator=(checkpoint_writer const&) = delete;

  /// Opens the file that rank 0 made. No MPI: an error is thrown on this rank alone.
  void open() { out_.open_unseen(); }
  /// Describes this rank's part of tensor i in a round; `bytes` is its memory.
  checkpoint_piece piece(std::size_t i, array_pieces const& round, unsigned char const* bytes) const {
    checkpoint_entry const& e = table_.entries[i];
    return {e.offset + static_cast<byte_count>(round.chunks(ranks_.rank()).begin) * e.chunk,
            e.chunk,
            {bytes, round.piece_bytes()},
            {}};
  }

  /// Writes a piece and fills in its checksums. No MPI, so any thread may call it.
  void write(checkpoint_piece& piece) const {
    constexpr std::size_t at_once = checkpoint_entry::largest_chunk;
    for (std::size_t at = 0, n = 0; at < piece.bytes.size(); at += n) {
      n = (std::min)(at_once / piece.chunk * piece.chunk, piece.bytes.size() - at);  // written while in the cache
      for (std::size_t k = 0; k < n; k += piece.chunk)
        piece.checksums.push_back(crc32c(0, piece.bytes.data() + at + k, std::min<std::size_t>(piece.chunk, n - k)));
      out_.file().write(piece.offset + at, piece.bytes.data() + at, n);
    }
    if (piece.bytes.size() >= at_once) out_.file().start_sync(piece.offset, piece.bytes.size());
  }
  /// Waits until the bytes that this rank wrote are on the disk. No MPI.
  void sync() { ranks_.rank() == 0 ? out_.file().sync() : out_.close(); }

  /// Gives the file its name after all ranks have written and synced, and all bytes have been read back. `failure` is
  /// this rank's error, if any.
  /// Collective: all ranks.
  /// Error: ashlar::error on every rank if any rank failed, or does not see the file that rank 0 has made. Then there
  /// is no file. If only the folder could not be synced, there is a file, which a crash of the machine may remove.
  void commit(std::optional<std::string> failure, std::span<checkpoint_piece const> pieces,
              checkpoint_leaves const& leaves) {
    throw_together(ranks_, std::move(failure), true);
    out_.open();  // rank 0 has synced it
    gather_checksums(pieces, leaves);
    comm::on_root(ranks_, [&] {
      std::vector<unsigned char> const block = table_.encode();
      out_.file().write(0, block.data(), block.size());
      out_.close();
    });
    comm::collectively(ranks_, [&] { checkpoint_reader(ranks_, out_.part(), table_).read_back(leaves); });
    comm::on_root(ranks_, [&] { out_.publish(); });
  }

 private:
  static constexpr char const* caller = "ashlar::io::save_checkpoint";

  // Checks that all ranks save the same file: names, types, extents, numbers. A checksum of the encoded block would not
  // cover the header. A header that ends with its own checksum always has the same checksum.
  void require_same_program(checkpoint_leaves const& leaves) const {
    std::uint32_t numbers = crc32c(0, out_.path().c_str(), out_.path().size());
    for (auto const& leaf : leaves)
      if (leaf->is_number()) numbers = crc32c(numbers, leaf->shard(), leaf->entry.bytes());
    index_t const sums[]{table_.step, static_cast<index_t>(table_.checksum()), static_cast<index_t>(numbers)};
    comm::require_equal(
        ranks_, sums,
        "ashlar::io::save_checkpoint: what is saved (as numbers of the step, of names, types and extents, and of the values of numbers)");
  }

  // Gives all ranks all checksums, so that each can check the bytes of another.
  void gather_checksums(std::span<checkpoint_piece const> pieces, checkpoint_leaves const& leaves) {
    std::vector<std::uint32_t> mine;
    for (checkpoint_piece const& p : pieces) mine.insert(mine.end(), p.checksums.begin(), p.checksums.end());
    auto const chunks = [&](int r, std::size_t i) {
      return array_pieces::chunks_of(*leaves[i], r, array_pieces::cyclic_over::all);
    };
    std::vector<std::size_t> counts(static_cast<std::size_t>(ranks_.size()));
    for (int r = 0; r < ranks_.size(); ++r)
      for (std::size_t i = 0; i < leaves.size(); ++i)
        counts[static_cast<std::size_t>(r)] += static_cast<std::size_t>(chunks(r, i).size());
    std::vector<std::uint32_t> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    comm::all_gather(ranks_, mine.data(), mine.size(), all.data(), std::span<std::size_t const>(counts));
    auto from = all.begin();
    for (int r = 0; r < ranks_.size(); ++r)
      for (std::size_t i = 0; i < leaves.size(); ++i)
        for (index_t k = chunks(r, i).begin, end = chunks(r, i).end; k < end; ++k)
          table_.entries[i].checksums[static_cast<std::size_t>(k)] = *from++;
  }

  communicator ranks_;
  checkpoint_table table_;
  shared_output out_;
};

}  // namespace ashlar::checkpoint_detail
