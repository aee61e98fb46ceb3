// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collective_log.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE std::string call_text(collective_event const& e) {
  std::string axes;
  for (int a = 0; a < max_axes; ++a)
    if (e.axes >> a & 1u) axes += (axes.empty() ? " over " : "+") + std::string(e.names[a]);
  return (e.name == nullptr ? to_text(e.what) : e.name) + axes;
}

ASHLAR_INLINE std::string line_text(collective_event const& e) {
  std::string_view const path = e.file == nullptr ? "" : e.file;
  return std::string(path.substr(path.find_last_of('/') + 1)) + ":" + std::to_string(e.line);
}

ASHLAR_INLINE std::string to_string(collective_event const& e) {
  return e.line == 0 ? call_text(e) : call_text(e) + ", " + line_text(e);
}

ASHLAR_INLINE std::string collective_log::last_text() const {
  return begun() == 0 ? "a call outside of the library" : to_string(event(begun() - 1));
}

}  // namespace ashlar::comm_detail
