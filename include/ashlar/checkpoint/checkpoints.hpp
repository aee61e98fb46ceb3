// SPDX-License-Identifier: BSL-1.0
// A folder of checkpoints: saves every n steps, keeps the last ones, resumes from the newest good one.
#pragma once
#include "ashlar/checkpoint/checkpoint.hpp"
#if __has_include(<hdf5.h>)  // else checkpoint.hpp says what to do
#include <atomic>
#include <set>

#include "ashlar/comm/thread.hpp"

namespace ashlar::io {

/// The options of checkpoints.
/// Example: checkpoints saved(c, "run", {.every = 100, .keep = 2, .asynchronous = true});
struct checkpoint_options {
  index_t every = 1;          ///< steps between two checkpoints.
  index_t keep = 3;           ///< the number of newest checkpoints to keep.
  bool asynchronous = false;  ///< a thread on each rank writes while the program continues.
};

}  // namespace ashlar::io

namespace ashlar::checkpoint_detail {

/// A checkpoint in progress: its pieces are copied, and a thread writes the copies. The thread calls only the file
/// system, so MPI needs no thread support.
class checkpoint_under_way {
 public:
  checkpoint_under_way(communicator const& c, std::string const& file_path, index_t at_step, checkpoint_leaves made)
      : ranks_(c), step_(at_step), leaves_(std::move(made)), to_(c, file_path, at_step, leaves_) {
    exchange_buffers const buffers = comm::collectively(c, [&] {
      to_.open();
      return exchange_buffers{};
    });
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      unsigned char const* const shard = comm::collectively(c, [&] {
        std::size_t const chunks = static_cast<std::size_t>(
            array_pieces::chunks_of(*leaves_[i], c.rank(), array_pieces::cyclic_over::all).size());
        memory_.push_back(comm_detail::byte_buffer(chunks * leaves_[i]->entry.chunk));
        return leaves_[i]->shard();
      });
      unsigned char* own = memory_.back().get();
      collect_rounds(*leaves_[i], c.rank(), shard, buffers, [&](array_pieces const& round, unsigned char const* piece) {
        copy_bytes(piece, own, round.piece_bytes());
        pieces_.push_back(to_.piece(i, round, own));
        own += round.piece_bytes();
      });
      leaves_[i]->release();
    }
    comm::collectively(
        c, [&] { thread_.start([](void* self) { static_cast<checkpoint_under_way*>(self)->work(); }, this); });
  }
  checkpoint_under_way(checkpoint_under_way const&) = delete;
  checkpoint_under_way& operator=(checkpoint_under_way const&) = delete;

  index_t step() const { return step_; }
  /// True if all ranks have written. Collective: all ranks.
  bool written() const {
    raw_call const now(ranks_, "checkpoints", {});
    return now.agree(done_.load(std::memory_order_acquire)).least != 0;
  }
  /// Waits for the thread and gives the file its name. Collective: all ranks.
  void finish() {
    thread_.join();
    to_.commit(std::move(failure_), pieces_, leaves_);
  }

 private:
  void work() {
    auto const write = [&] {
      for (checkpoint_piece& p : pieces_) to_.write(p);
      to_.sync();
    };
    run_catching(write, failure_);
    done_.store(1, std::memory_order_release);
  }

  communicator ranks_;
  index_t step_;
  checkpoint_leaves leaves_;
  checkpoint_writer to_;
  std::vector<std::unique_ptr<unsigned char[]>> memory_;
  std::vector<checkpoint_piece> pieces_;
  std::optional<std::string> failure_;
  std::atomic<std::uint64_t> done_ = 0;
  // The last member, so that it is joined before the memory that it writes from is freed. This matters too if the
  // constructor throws because another rank could start no thread.
  comm_detail::joined_thread thread_;
};

}  // namespace ashlar::checkpoint_detail

namespace ashlar::io {

/// Checkpoints of one run in their own folder; the checkpoint of step 120 is step_000000000120.h5. Each is a new file.
/// One is removed only after `keep` newer ones have been written and read back.
/// Pre: one program at a time writes into the folder.
/// Collective: every member, over all ranks of the communicator.
/// Example: checkpoints c(m, "run7", {.every = 100, .keep = 3});
///   index_t step = c.resume(io::checkpoint_part("parameters", p), io::checkpoint_part("optimizer", state)).value_or(0);
///   while (step < 1000) { train(p, state); c.after_step(++step, io::checkpoint_part("parameters", p), io::checkpoint_part("optimizer", state)); }
///   c.finish();
class checkpoints {
 public:
  /// Makes the folder if there is none, and removes unfinished files of a killed run.
  /// Error: ashlar::error on every rank if that fails, or if `every` or `keep` is less than 1.
  checkpoints(io_detail::calling_ranks const& c, std::string folder, checkpoint_options const& options = {},
              call_site w = call_site::current())
      : ranks_(c.ranks), folder_(std::move(folder)), options_(options) {
    comm_detail::calls_as const here(
        ranks_, "checkpoints", w,
        comm_detail::fingerprint_of(collective::exchange, options.every, options.keep, options.asynchronous));
    comm::on_root(ranks_, [&] {
      if (options.every < 1 || options.keep < 1)
        throw error(
            "ashlar::io::checkpoints: expected a checkpoint every 1 step or more, of which 1 or more stay, found every " +
            std::to_string(options.every) + " and keep " + std::to_string(options.keep));
      if (int const reason = io_detail::make_folders(folder_); reason != 0)
        throw error("ashlar::io::checkpoints: cannot make the folder " + folder_ + ": " + std::strerror(reason));
      constexpr std::string_view part = ".part";
      for (std::string const& name : names())
        if (name.ends_with(part) && step_of(name.substr(0, name.size() - part.size())))
          io_detail::remove_file(io_detail::inside(folder_, name), "ashlar::io::checkpoints");
    });
  }
  checkpoints(checkpoints const&) = delete;
  checkpoints& operator=(checkpoints const&) = delete;
  /// Finishes the checkpoint in progress, unless an exception unwinds the stack. Rank 0 prints an error to stderr.
  ~checkpoints() {
    if (std::uncaught_exceptions() > exceptions_) return;
    try {
      finish(call_site());
    } catch (std::exception const& e) {
      if (ranks_.rank() == 0) std::fprintf(stderr, "%s\n", e.what());
    }
  }

  /// True if a checkpoint is to be saved after step `step`.
  bool due(index_t step) const { return step % options_.every == 0; }

  /// Saves if a checkpoint is due. Call it after every step.
  /// Post: if it saved, all earlier checkpoints are on the disk, and the new one too unless asynchronous.
  /// Cost: while threads write, an all-reduce of 64 bytes per step.
  template <class... X>
  void after_step(comm_detail::at_call<index_t> step, checkpoint_part<X> const&... parts) {
    if (due(step.value))
      save(step, parts...);
    else if (under_way_ && under_way_->written())
      finish(step.site);
  }

  /// Saves now. If asynchronous, it returns when the pieces are copied; a later call of a member gives the file its
  /// name.
  /// Error: as save_checkpoint. An error of a thread is thrown when its checkpoint is finished. Older checkpoints stay
  /// then.
  template <class... X>
  void save(comm_detail::at_call<index_t> at, checkpoint_part<X> const&... parts) {
    auto leaves = checkpoint_detail::leaves_of(ranks_, parts...);
    comm_detail::calls_as const here(ranks_, "checkpoints::save", at.site, checkpoint_detail::way_of(leaves));
    index_t const step = at.value;
    finish();
    if (options_.asynchronous) {
      under_way_ =
          std::make_unique<checkpoint_detail::checkpoint_under_way>(ranks_, file_of(step), step, std::move(leaves));
    } else {
      checkpoint_detail::save_leaves(ranks_, file_of(step), step, leaves);
      saved(step);
    }
  }

  /// Waits until the checkpoint in progress is on the disk.
  void finish(call_site w = call_site::current()) {
    if (!under_way_) return;
    comm_detail::calls_as const here(ranks_, "checkpoints::finish", w);
    auto const current = std::move(under_way_);
    current->finish();
    saved(current->step());
  }

  /// Gives trees the values of the newest good checkpoint and returns its step. Returns nothing if the folder has no
  /// checkpoint. Rank 0 reports a damaged checkpoint on stderr, and the one before it is tried.
  /// Error: ashlar::error on every rank if there are checkpoints but all are damaged. Also if the newest good one does
  /// not fit the trees: a name, a type, extents. The trees then keep their old values.
  template <class... X>
  std::optional<index_t> resume(checkpoint_part<X> const&... parts) {
    call_site const sites[]{parts.site..., call_site()};
    auto const leaves = checkpoint_detail::leaves_of(ranks_, parts...);
    comm_detail::calls_as const here(ranks_, "checkpoints::resume", sites[0], checkpoint_detail::way_of(leaves));
    finish();
    std::vector<index_t> const found = steps();
    std::string first;
    for (index_t const step : found) {
      std::optional<checkpoint_detail::checkpoint_reader> from;
      std::string damage;
      try {
        from.emplace(ranks_, file_of(step), leaves);
      } catch (error const& e) {
        damage = e.what();
      }
      if (from) {
        from->match(leaves);
        try {
          checkpoint_detail::load_leaves(ranks_, *from, leaves);
          return step;
        } catch (error const& e) {
          damage = e.what();
        }
      }
      for (auto const& leaf : leaves) leaf->release();
      comm::collectively(ranks_, [] {});  // throws if the error is not of the file, but of ranks that disagree
      damaged_.insert(step);
      if (first.empty()) first = damage;
      if (ranks_.rank() == 0) std::fprintf(stderr, "%s; the checkpoint before it is tried\n", damage.c_str());
    }
    if (!found.empty())
      throw error(comm_detail::with_call("ashlar::io::checkpoints: none of the " + std::to_string(found.size()) +
                                         " checkpoints in " + folder_ +
                                         " is whole; name another folder to begin anew; the newest: " + first));
    return {};
  }

  /// The steps that have a checkpoint, the newest first.
  std::vector<index_t> steps() const {
    std::vector<index_t> found;
    comm::on_root(ranks_, [&] {
      for (std::string const& name : names())
        if (auto const step = step_of(name)) found.push_back(*step);
      std::sort(found.rbegin(), found.rend());
    });
    index_t n = static_cast<index_t>(found.size());
    comm::broadcast(ranks_, &n, 1, 0);
    found.resize(static_cast<std::size_t>(n));
    comm::broadcast(ranks_, found.data(), found.size(), 0);
    return found;
  }
  /// The file of a step's checkpoint.
  std::string file_of(index_t step) const {
    std::string const digits = std::to_string(step);
    return io_detail::inside(
        folder_, "step_" + std::string(12 - std::min<std::size_t>(digits.size(), 12), '0') + digits + ".h5");
  }

 private:
  std::vector<std::string> names() const { return io_detail::names_in(folder_, "ashlar::io::checkpoints"); }
  static std::optional<index_t> step_of(std::string const& name) {
    if (name.size() < 20 || name.size() > 26 || !name.starts_with("step_") || !name.ends_with(".h5")) return {};
    index_t step = 0;
    for (char const c : name.substr(5, name.size() - 8)) {
      if (c < '0' || c > '9') return {};
      step = 10 * step + (c - '0');
    }
    return step;
  }

  // Removes checkpoints older than the last `keep` good ones. Checkpoints of later steps than `now` stay: they are of
  // another run, or damaged.
  void saved(index_t now) {
    damaged_.erase(now);
    comm::on_root(ranks_, [&] {
      std::vector<index_t> good;
      for (std::string const& name : names())
        if (auto const step = step_of(name); step && *step <= now && !damaged_.contains(*step)) good.push_back(*step);
      std::sort(good.rbegin(), good.rend());
      for (std::size_t i = static_cast<std::size_t>(options_.keep); i < good.size(); ++i)
        io_detail::remove_file(file_of(good[i]), "ashlar::io::checkpoints");
    });
  }

  communicator ranks_;
  std::string folder_;
  checkpoint_options options_;
  std::set<index_t> damaged_;
  std::unique_ptr<checkpoint_detail::checkpoint_under_way> under_way_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace ashlar::io

#endif  // hdf5.h
