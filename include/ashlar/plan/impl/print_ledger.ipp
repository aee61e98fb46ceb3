// SPDX-License-Identifier: BSL-1.0
// The functions of plan/print_ledger.hpp.

namespace ashlar::plan_detail {

ASHLAR_INLINE std::string text_of_line(char const* path, unsigned line) {
  std::string_view file = path;
  file.remove_prefix(file.rfind('/') + 1);
  return std::string(file) + ":" + std::to_string(line);
}

ASHLAR_INLINE std::string text_of(waste_record const& r) {
  std::string const first = text_of_line(r.first_file, r.first_line);
  std::string const second = text_of_line(r.second_file, r.second_line);
  std::string text;
  if (r.why == waste_kind::gather_then_slice)
    text = "all_gather at " + first + ", then a slice of the same axis at " + second +
           "; redistribute the operand of the all_gather";
  else if (r.why == waste_kind::reduce_then_slice)
    text = "all_reduce at " + first + ", then a slice of the same axis at " + second + "; use reduce_scatter";
  else
    text = "redistribution at " + first + ", and back at " + second + "; keep the operand of the first";
  return r.times == 1 ? text : text + " (" + std::to_string(r.times) + " times)";
}

}  // namespace ashlar::plan_detail
