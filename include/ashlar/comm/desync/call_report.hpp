// Reports of ranks about their calls, and the error sentence if two reports disagree.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::comm_detail {

/// The number of a call that all ranks of a communicator make, and no mesh counts.
inline constexpr std::uint64_t on_no_mesh = ~std::uint64_t{0};

/// Returns "call 3 of the mesh", or `otherwise` if the call makes a mesh.
inline std::string place_text(std::uint64_t number_on_mesh, char const* otherwise) {
  if (number_on_mesh == on_no_mesh) return "a call of all ranks";
  return number_on_mesh == 0 ? otherwise : "call " + std::to_string(number_on_mesh) + " of the mesh";
}

/// A rank's report about one call, sent as the bytes of a message.
struct call_report {
  enum kind { question, answer, crossing };
  int what;
  std::uint64_t channel;
  std::uint64_t number;  // of the call. The fields below are what the sender knows of it.
  std::uint64_t fingerprint, number_on_mesh, begun;
  bool known, given_up, completed, ended, counts;
  bool makes_mesh;      // now: all ranks of the channel are needed for that.
  int process;          // the sender, in MPI_COMM_WORLD.
  std::uint64_t asked;  // time of the question, by the clock of the process that asked.
  int other;            // in a crossing: the rank that waits in another call. `text` is that call.
  char text[150];

  /// True if the sender has begun the call and ended its program without waiting for it.
  bool has_left_it() const { return ended && known && !completed && !given_up; }
  /// True if the sender has not begun the call, but may still begin it.
  bool has_not_begun() const { return !known && counts && !ended && begun <= number; }
  /// True if the sender will not begin the call: it has had an error since it began the same calls as the others, and
  /// has gone on to make a mesh or to end.
  bool has_gone_on() const { return !known && !counts && (makes_mesh || ended); }
};

inline constexpr char const* every_rank_takes_part = "; every rank of a mesh takes part in each call";

/// A call and the rank that makes it.
struct call_on_rank {
  std::uint64_t number_on_mesh;
  std::string_view text;
  std::string who;
};
inline std::string different_calls(call_on_rank const& one, call_on_rank const& other) {
  auto const name = [](std::string_view text) { return text.substr(0, text.find(',')); };
  bool const same_place = one.number_on_mesh == other.number_on_mesh;
  return "ashlar: the ranks do not call the same, in the same order: " +
         (same_place ? place_text(one.number_on_mesh, "one call") : "one call") + " is " + std::string(one.text) +
         " on " + one.who + " and " + std::string(other.text) +
         (name(one.text) == name(other.text) ? " with other layouts, extents or elements" : "") + " on " + other.who +
         every_rank_takes_part;
}

/// The sentence of a rank that waits in a call.
inline std::string waits_in(std::uint64_t number_on_mesh, std::string_view call, int self, std::string const& fate) {
  return "ashlar: rank " + std::to_string(self) + " waits in " + place_text(number_on_mesh, "making a mesh") + ", " +
         std::string(call) + ", " + fate;
}

/// Returns a sentence if two ranks' reports about one call disagree; else an empty text.
inline std::string contradiction(call_report const& mine, int self, call_report const& theirs, int they) {
  auto const [low, high] = std::minmax(self, they);
  call_report const &l = low == self ? mine : theirs, &h = low == self ? theirs : mine;
  auto const rank = [](int q) { return "rank " + std::to_string(q); };
  if (l.known && h.known && l.fingerprint != h.fingerprint)
    return different_calls({l.number_on_mesh, l.text, rank(low)}, {h.number_on_mesh, h.text, rank(high)});
  auto const left_out = [](call_report const& one) { return one.ended && one.begun <= one.number; };
  auto const gone = [&](call_report const& one, int waiting, int q, char const* fate) -> std::string {
    if (!one.known || one.given_up) return {};
    return waits_in(
        one.number_on_mesh, one.text, waiting,
        fate == nullptr ? "but " + rank(q) + " has ended" + every_rank_takes_part : "which " + rank(q) + fate);
  };
  if (left_out(theirs)) return gone(mine, self, they, nullptr);
  if (left_out(mine)) return gone(theirs, they, self, nullptr);
  constexpr char const* leaves = " has begun, and has ended without waiting for it";
  if (theirs.has_left_it() && !mine.completed) return gone(mine, self, they, leaves);
  if (mine.has_left_it() && !theirs.completed) return gone(theirs, they, self, leaves);
  return theirs.given_up ? gone(mine, self, they, " has given up after an error") : std::string();
}

}  // namespace ashlar::comm_detail
