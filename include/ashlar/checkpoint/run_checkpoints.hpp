// SPDX-License-Identifier: BSL-1.0
// Checkpoints of a training run: its trees, its position in the data, and what its numbers depend on.
#pragma once
#include "ashlar/checkpoint/checkpoints.hpp"
#include "ashlar/data/position.hpp"
#if __has_include(<hdf5.h>)  // else checkpoint.hpp says what to do
#include <charconv>

namespace ashlar::checkpoint_detail {

// The shortest text that determines the value exactly.
template <class X>
std::string condition_text(X const& x) {
  if constexpr (std::is_same_v<X, prng_key>) {
    return std::to_string(x.value);
  } else if constexpr (std::is_same_v<X, bool>) {
    return x ? "true" : "false";
  } else {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
  }
}

}  // namespace ashlar::checkpoint_detail

namespace ashlar::io {

/// The options of run_checkpoints.
struct run_checkpoint_options {
  index_t every = 100;        ///< steps between two checkpoints.
  index_t keep = 3;           ///< the number of newest checkpoints to keep.
  bool asynchronous = false;  ///< a thread on each rank writes while the program continues.
  bool shown = true;          ///< rank 0 prints the step at which the run resumes.
  bool each_epoch = false;    ///< the last checkpoint of each epoch stays too, as ckpt-1.h5 and so on.
};

/// Checkpoints of one training run, saved every n steps and at the end of each epoch. `Conditions` is a struct of numbers
/// with `names`. The results of the run depend on them: size of a batch, seed, checksum of the data.
/// Collective: every member, over all ranks of the communicator. Pre: as `checkpoints`.
/// Example: run_checkpoints saved(m.communicator(), "run7", conditions{.batch = 128, .seed = {1}});
///   data_position at = saved.resume(p, state);
///   while (at.epoch < 5) { train(p, state, at); at.advance(batches); saved.after_step(at, p, state); }
///   saved.finish();
template <class Conditions>
class run_checkpoints {
 public:
  /// An empty folder saves nothing. Error: as `checkpoints`.
  run_checkpoints(communicator const& c, std::string folder, Conditions const& conditions,
                  run_checkpoint_options const& o = {}, call_site w = call_site::current())
      : path_(std::move(folder)), ranks_(c), conditions_(conditions), options_(o) {
    if (!path_.empty())
      folder_.emplace(c, path_, checkpoint_options{.every = o.every, .keep = o.keep, .asynchronous = o.asynchronous},
                      w);
  }

  /// Gives the trees (parameters, the optimizer's state, other variables) the values of the newest good checkpoint, and returns
  /// the position of its run. Returns the beginning if there is no checkpoint.
  /// Error: ashlar::error on every rank if a condition of that run differs; as checkpoints::resume.
  template <class P, class S>
  datasets::data_position resume(P& parameters, S& state, call_site w = call_site::current()) {
    comm_detail::calls_as const here(ranks_, "run_checkpoints::resume", w);
    return resume_all(parameters, state);
  }
  template <class P, class S, class V>
    requires(!std::is_same_v<V const, call_site const>)
  datasets::data_position resume(P& parameters, S& state, V& variables, call_site w = call_site::current()) {
    comm_detail::calls_as const here(ranks_, "run_checkpoints::resume", w);
    return resume_all(parameters, state, variables);
  }
  /// The same for four trees or more. Errors do not name the line of the call.
  // A pack leaves no place for it. after_step has a first argument that brings it by conversion, but a conversion deduces
  // no type of a tree.
  template <class P, class S, class V, class W, class... X>
    requires(!std::is_same_v<W const, call_site const>)
  datasets::data_position resume(P& parameters, S& state, V& variables, W& more, X&... trees) {
    comm_detail::calls_as const here(ranks_, "run_checkpoints::resume");
    return resume_all(parameters, state, variables, more, trees...);
  }

  /// Saves if a checkpoint is due or an epoch has ended. Call it after every step.
  template <class... X>
  void after_step(comm_detail::at_call<datasets::data_position> const& after, X const&... trees) {
    if (!folder_) return;
    datasets::data_position const& at = after.value;
    bool const ends = at.batch == 0;
    if (ends || folder_->due(at.step)) keep_ended(), saved_ = at.step;
    with_parts(
        [&](auto const&... parts) {
          ends ? folder_->save({at.step, after.site}, parts...) : folder_->after_step({at.step, after.site}, parts...);
        },
        at, conditions_, trees...);
    if (ends && options_.each_epoch) ended_ = at;
    if (!options_.asynchronous) keep_ended();
  }

  /// Saves the end of a run, unless its last step was saved. Call it before finish().
  template <class... X>
  void after_last_step(comm_detail::at_call<datasets::data_position> const& after, X const&... trees) {
    datasets::data_position const& at = after.value;
    if (!folder_ || saved_ == at.step) return;
    keep_ended();
    with_parts(
        [&](auto const&... parts) {
          folder_->save({at.step, after.site}, parts...);
        },
        at, conditions_, trees...);
    saved_ = at.step;
  }

  /// Waits until everything is on the disk.
  void finish(call_site w = call_site::current()) {
    keep_ended();
    if (folder_) folder_->finish(w);
  }

 private:
  template <class... X>
  datasets::data_position resume_all(X&... trees) {
    datasets::data_position at;
    Conditions before = conditions_;
    if (!folder_ || !with_parts([&](auto const&... parts) { return resume_from(parts...); }, at, before, trees...))
      return {};
    require_same(before);
    saved_ = at.step;
    if (options_.shown && ranks_.rank() == 0)
      std::printf("goes on from step %s, in %s\n", std::to_string(at.step).c_str(), path_.c_str());
    // A run may be killed before the last checkpoint of its epoch has its second name.
    if (options_.each_epoch && at.batch == 0 && last_epoch_kept() < at.epoch) ended_ = at;
    return at;
  }

  template <class F, class At, class Of, class P, class S, class... Other>
  static auto with_parts(F f, At& at, Of& of, P& parameters, S& state, Other&... other) {
    return f(checkpoint_part("parameters", parameters), checkpoint_part("optimizer", state),
             checkpoint_part("variables", other)..., checkpoint_part("data", at), checkpoint_part("run", of));
  }
  std::string file_of_epoch(index_t epoch) const {
    return io_detail::inside(path_, "ckpt-" + std::to_string(epoch) + ".h5");
  }

  void require_same(Conditions const& before) const {
    auto const texts = [](Conditions const& c) {
      return meta_detail::bind_members<Conditions::names.count>(
          c, [](auto const&... x) { return std::vector<std::string>{checkpoint_detail::condition_text(x)...}; });
    };
    std::vector<std::string> const expected = texts(before), found = texts(conditions_);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (expected[i] != found[i])
        throw error(comm_detail::with_call("ashlar::io::run_checkpoints: " + std::string(Conditions::names.name[i]) +
                                           ": expected " + expected[i] + ", as in the run of the checkpoint, found " +
                                           found[i] + "; take the same, or another folder to begin anew"));
  }

  // Gives the last epoch's file a second name, as a hard link: nothing is written twice.
  void keep_ended() {
    if (!ended_) return;
    folder_->finish();
    comm::on_root(ranks_, [&] {
      constexpr char const* caller = "ashlar::io::run_checkpoints";
      std::string const name = file_of_epoch(ended_->epoch), part = name + ".part";
      io_detail::remove_file(part, caller);
      io_detail::link_file(folder_->file_of(ended_->step), part, caller);
      io_detail::rename_file(part, name, caller);
      io_detail::remove_file(part, caller);  // renaming does nothing if both names are of one file
    });
    ended_.reset();
  }

  // Resumes from the newest good checkpoint. If the folder has none, it loads the checkpoint of the last good epoch.
  template <class... Part>
  bool resume_from(Part const&... parts) {
    if (!options_.each_epoch) return folder_->resume(parts...).has_value();
    std::optional<error> damage;
    try {
      if (folder_->resume(parts...)) return true;
    } catch (error const& e) {
      damage = e;
    }
    for (index_t epoch = last_epoch_kept(); epoch > 0; --epoch) {
      try {
        load_checkpoint(ranks_, file_of_epoch(epoch), parts...);
        return true;
      } catch (error const& e) {
        if (!damage) damage = e;
      }
    }
    if (damage) throw *damage;
    return false;
  }
  index_t last_epoch_kept() const {
    index_t last = 0;
    comm::on_root(ranks_, [&] {
      for (std::string const& name : io_detail::names_in(path_, "ashlar::io::run_checkpoints")) {
        index_t epoch = 0;
        if (name.starts_with("ckpt-") &&
            std::from_chars(name.data() + 5, name.data() + name.size(), epoch).ptr == name.data() + name.size() - 3)
          last = (std::max)(last, epoch);
      }
    });
    comm::broadcast(ranks_, &last, 1, 0);
    return last;
  }

  std::string path_;
  communicator ranks_;
  Conditions conditions_;
  run_checkpoint_options options_;
  index_t saved_ = 0;                             // the last step that was saved, or the first of the run
  std::optional<datasets::data_position> ended_;  // the end of an epoch whose checkpoint still lacks its second name
  std::optional<checkpoints> folder_;
};

}  // namespace ashlar::io

#endif  // hdf5.h
