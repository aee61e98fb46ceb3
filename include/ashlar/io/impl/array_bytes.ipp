// SPDX-License-Identifier: BSL-1.0
// The functions of io/array_bytes.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE std::string extents_text(std::vector<index_t> const& extents) {
  std::string text;
  for (index_t const n : extents) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text.empty() ? "a scalar" : text;
}

ASHLAR_INLINE std::string shown(std::string_view s, std::size_t most) {
  std::string t = "'";
  for (char const c : s.substr(0, most)) t += c >= ' ' && c <= '~' ? c : '?';
  return t + (s.size() > most ? "...'" : "'");
}

}  // namespace ashlar::io_detail
