// SPDX-License-Identifier: BSL-1.0
// Reports of ranks about their calls, and the error sentence if two reports disagree.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/config.hpp"
#include "ashlar/comm/desync/made_tensors.hpp"
#include "ashlar/comm/desync/noted_error.hpp"

namespace ashlar::comm_detail {

/// The number of a call that all ranks of a communicator make, and no mesh counts.
inline constexpr std::uint64_t on_no_mesh = ~std::uint64_t{0};

/// Returns "call 3 of the mesh", or `otherwise` if the call makes a mesh.
ASHLAR_INLINE std::string place_text(std::uint64_t number_on_mesh, char const* otherwise);

/// A rank's report about one call, sent as the bytes of a message.
struct call_report {
  enum kind { question, answer, crossing };
  int what = question;
  std::uint64_t channel = 0;
  std::uint64_t number = 0;  // of the call. The fields below are what the sender knows of it.
  std::uint64_t fingerprint = 0, number_on_mesh = 0, begun = 0;
  bool known = false, given_up = false, completed = false, ended = false, counts = false;
  bool makes_mesh = false;  // now: all ranks of the channel are needed for that.
  int process = 0;          // the sender, in MPI_COMM_WORLD.
  std::uint64_t asked = 0;  // time of the question, by the clock of the process that asked.
  // Now: the channel and the number of the call in which the sender waits. 0: it waits in none.
  std::uint64_t waits_on = 0, waits_in = 0;
  int other = 0;          // in a crossing: the rank that waits in another call, which is `call`
  sent_text call{};       // or an error that some rank has noted, and for which the sender has given up
  tensor_list tensors{};  // made before the call

  /// True if the sender has begun the call and ended its program without waiting for it.
  bool has_left_it() const { return ended && known && !completed && !given_up; }
  /// True if the sender has not begun the call, but may still begin it.
  bool has_not_begun() const { return !known && counts && !ended && begun <= number; }
  /// True if the sender will not begin the call. It has had an error since it began the same calls as the others. Then it
  /// has gone on to make a mesh or to end.
  bool has_gone_on() const { return !known && !counts && (makes_mesh || ended); }
  /// True if the sender has an error that every rank throws. `mine`: what this rank knows of the call.
  bool brings_error_to(call_report const& mine) const { return call.is_error && mine.known; }
};

inline constexpr char const* every_rank_takes_part = "; every rank of a mesh takes part in each call";

/// A call and the rank that makes it.
struct call_on_rank {
  std::uint64_t number_on_mesh;
  std::string_view text;
  std::string who;
  tensor_list const& tensors;
};
/// The sentence about two different calls. If they are the same collective, the tensors before them may differ.
/// `else_before` says which calls may differ instead of these.
ASHLAR_INLINE std::string different_calls(call_on_rank const& one, call_on_rank const& other,
                                          char const* else_before = "");

/// The sentence of a rank that waits in a call.
ASHLAR_INLINE std::string waits_in(std::uint64_t number_on_mesh, std::string_view call, int self,
                                   std::string const& fate);

/// Returns a sentence if two ranks' reports about one call disagree; else an empty text.
ASHLAR_INLINE std::string contradiction(call_report const& mine, int self, call_report const& theirs, int they);

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/call_report.ipp"
#endif
