// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/call_report.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE std::string place_text(std::uint64_t number_on_mesh, char const* otherwise) {
  if (number_on_mesh == on_no_mesh) return "a call of all ranks";
  return number_on_mesh == 0 ? otherwise : "call " + std::to_string(number_on_mesh) + " of the mesh";
}

// Names a tensor that is not the same on two ranks, which have made different ones before the same collective.
ASHLAR_INLINE std::string different_tensors(call_on_rank const& one, call_on_rank const& other) {
  tensor_list const &a = one.tensors, &b = other.tensors;
  std::string text = "ashlar: the ranks do not make the same tensors: before " +
                     place_text(one.number_on_mesh, "one call") + ", " + std::string(one.text) + ", ";
  auto const at = [](tensor_list const& l, std::uint64_t n) {
    tensor_list::tensor const& t = l.last[n % tensor_list::kept];
    return t.number == n ? &t : nullptr;
  };
  std::uint64_t const common = (std::min)(a.number, b.number);
  std::uint64_t n = common - (std::min)(common, tensor_list::kept) + 1;
  for (; n <= common; ++n) {
    auto const *const mine = at(a, n), *const theirs = at(b, n);
    if (mine != nullptr && theirs != nullptr && mine->fingerprint != theirs->fingerprint)
      return text + "tensor " + std::to_string(n) + " is " + mine->text + ", on " + one.who + " and " + theirs->text +
             ", on " + other.who;
  }
  auto const count = [](call_on_rank const& c) { return std::to_string(c.tensors.number) + " on " + c.who; };
  text += "there are " + count(one) + " and " + count(other);
  tensor_list const& more = a.number > b.number ? a : b;
  if (auto const* const next = at(more, common + 1))
    text += ", of which tensor " + std::to_string(n) + " is " + next->text;
  return text;
}

ASHLAR_INLINE std::string different_calls(call_on_rank const& one, call_on_rank const& other, char const* else_before) {
  auto const name = [](std::string_view text) { return text.substr(0, text.find(',')); };
  if (name(one.text) == name(other.text) && one.tensors.fingerprint != other.tensors.fingerprint)
    return different_tensors(one, other) + "; every rank of a mesh makes each tensor, with the same extents";
  bool const same_place = one.number_on_mesh == other.number_on_mesh;
  return "ashlar: the ranks do not call the same, in the same order: " +
         (same_place ? place_text(one.number_on_mesh, "one call") : "one call") + " is " + std::string(one.text) +
         " on " + one.who + " and " + std::string(other.text) +
         (name(one.text) == name(other.text) ? " with other layouts, extents or elements" : "") + " on " + other.who +
         else_before + every_rank_takes_part;
}

ASHLAR_INLINE std::string waits_in(std::uint64_t number_on_mesh, std::string_view call, int self,
                                   std::string const& fate) {
  return "ashlar: rank " + std::to_string(self) + " waits in " + place_text(number_on_mesh, "making a mesh") + ", " +
         std::string(call) + ", " + fate;
}

ASHLAR_INLINE std::string contradiction(call_report const& mine, int self, call_report const& theirs, int they) {
  auto const [low, high] = std::minmax(self, they);
  call_report const &l = low == self ? mine : theirs, &h = low == self ? theirs : mine;
  if (theirs.brings_error_to(mine)) return theirs.call.text;
  auto const rank = [](int q) { return "rank " + std::to_string(q); };
  if (l.known && h.known && l.fingerprint != h.fingerprint)
    return different_calls({l.number_on_mesh, l.call.text, rank(low), l.tensors},
                           {h.number_on_mesh, h.call.text, rank(high), h.tensors});
  auto const left_out = [](call_report const& one) { return one.ended && one.begun <= one.number; };
  auto const gone = [&](call_report const& one, int waiting, int q, char const* fate) -> std::string {
    if (!one.known || one.given_up) return {};
    return waits_in(
        one.number_on_mesh, one.call.text, waiting,
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
