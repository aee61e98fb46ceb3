// SPDX-License-Identifier: BSL-1.0
// The functions of io/array_type.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE void widen_in_place(array_type from, array_type to, unsigned char* room, std::size_t n) {
  auto const half = [](std::uint16_t h) { return std::bit_cast<float>(float_of_half(h)); };
  auto const brain = [](std::uint16_t b) { return std::bit_cast<float>(float_of_bfloat16(b)); };
  auto const each = [&]<class Element>(Element) {
    auto const element = [](auto narrow) { return static_cast<Element>(narrow); };
    if (from == array_type::float16)
      widen_in_place<std::uint16_t, Element>(room, n, [&](std::uint16_t h) { return element(half(h)); });
    if (from == array_type::bfloat16)
      widen_in_place<std::uint16_t, Element>(room, n, [&](std::uint16_t b) { return element(brain(b)); });
  };
  if (to == array_type::float32) each(float{});
  if (to == array_type::float64) each(double{});
  if (from == array_type::float32 && to == array_type::float64)
    widen_in_place<float, double>(room, n, [](float x) { return static_cast<double>(x); });
  if (to == array_type::boolean)
    for (std::size_t i = 0; i < n; ++i) room[i] = room[i] != 0;
}

}  // namespace ashlar::io_detail
