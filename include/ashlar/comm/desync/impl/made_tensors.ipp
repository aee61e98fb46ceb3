// SPDX-License-Identifier: BSL-1.0
// The functions of comm/desync/made_tensors.hpp.
#include <bit>
#include <cstdio>
#include <string>

#include "ashlar/comm/collective_log.hpp"
#include "ashlar/comm/desync/fingerprint.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE std::uint64_t made_tensors::add(std::uint64_t mesh, std::uint64_t number, shape const& extents,
                                              call_site const& w, plan_detail::common_argument const& a) {
  std::uint64_t fingerprint = fingerprint_of(collective::exchange, extents.rank);
  for (int d = 0; d < extents.rank; ++d) fingerprint = fingerprint_of(collective::exchange, fingerprint, extents[d]);
  if (a.name != nullptr) fingerprint = fingerprint_of(collective::exchange, fingerprint, *a.name, a.bits);
  last_[next_++ % last_.size()] = {mesh, number, fingerprint, extents, w.file_name(), w.line(), a};
  return fingerprint;
}

ASHLAR_INLINE tensor_list made_tensors::list(tensors_before const& call) const {
  tensor_list found{call.number, call.fingerprint, {}};
  for (tensor const& t : last_) {
    if (t.mesh != call.mesh || t.number == 0 || t.number > call.number || t.number + tensor_list::kept <= call.number)
      continue;
    std::string text = "{";
    for (int d = 0; d < t.extents.rank; ++d) text += (d == 0 ? "" : ", ") + std::to_string(t.extents[d]);
    collective_event at;
    at.file = t.file, at.line = t.line;
    tensor_list::tensor& to = found.last[t.number % tensor_list::kept];
    to.number = t.number, to.fingerprint = t.fingerprint;
    text += "}";
    if (plan_detail::common_argument const& a = t.argument; a.name != nullptr) {
      char number[32];
      if (a.is_integer)
        std::snprintf(number, sizeof number, "%lld", static_cast<long long>(a.bits));
      else
        std::snprintf(number, sizeof number, "%.17g", std::bit_cast<double>(a.bits));
      text += std::string(" with ") + a.name + " " + number;
    }
    if (t.line != 0) text += ", " + line_text(at);
    text.copy(to.text, sizeof to.text - 1);
  }
  return found;
}

}  // namespace ashlar::comm_detail
