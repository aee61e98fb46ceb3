// SPDX-License-Identifier: BSL-1.0
// Strided copies between arrays of several element types by one kernel, as on devices packing for a bundle needs.
#pragma once
#include "ashlar/kernels/strided_copy.hpp"

namespace ashlar::kernels_detail {

/// A box to copy, whose elements have `bytes` bytes. Its arrays are aligned as these elements, and its loops count in elements.
struct field_box {
  unsigned char const* source;
  unsigned char* destination;
  int bytes;
  loop_nest<2> nest;
};

/// Copies of boxes as a kernel. Its arguments fit the 4 KiB that a device takes.
struct copies_of_fields {
  static constexpr std::size_t most = 14;  // host code reads it alone
  int copies = 0;
  index_t end[most];  // elements up to the end of the box
  field_box box[most];

  copies_of_fields(field_box const* boxes, std::size_t how_many) {
    for (field_box const* b = boxes; b != boxes + how_many; ++b) {
      end[copies] = b->nest.size() + elements();
      box[copies++] = *b;
    }
  }
  index_t elements() const { return copies == 0 ? 0 : end[copies - 1]; }

  template <int Bytes>
  struct alignas(Bytes) word {
    unsigned char byte[array_bound(Bytes)];
  };
  template <int Bytes>
  KOKKOS_FUNCTION static void copy(field_box const& b, index_t from, index_t to) {
    reinterpret_cast<word<Bytes>*>(b.destination)[to] = reinterpret_cast<word<Bytes> const*>(b.source)[from];
  }
  KOKKOS_FUNCTION void operator()(index_t i) const {
    int k = 0;
    while (end[k] <= i) ++k;
    field_box const& b = box[k];
    index_t offset[2];
    b.nest.locate(k == 0 ? i : i - end[k - 1], offset);
    switch (b.bytes) {
      case 1:
        return copy<1>(b, offset[0], offset[1]);
      case 2:
        return copy<2>(b, offset[0], offset[1]);
      case 4:
        return copy<4>(b, offset[0], offset[1]);
      case 8:
        return copy<8>(b, offset[0], offset[1]);
      default:  // in pieces of 8 bytes if the size has them, as of complex numbers
        if (b.bytes % 8 == 0) {
          index_t const pieces = b.bytes / 8;
          for (index_t p = 0; p < pieces; ++p) copy<8>(b, offset[0] * pieces + p, offset[1] * pieces + p);
        } else {
          for (index_t p = 0; p < b.bytes; ++p) copy<1>(b, offset[0] * b.bytes + p, offset[1] * b.bytes + p);
        }
    }
  }
};

/// Copies n boxes. One kernel takes up to 14 of them.
/// Post: the result is the number of kernels.
/// Pre: elements whose size is a multiple of 8 are aligned to 8 bytes; the memory does not overlap
template <class Space>
int copy_fields(Space const& space, field_box const* boxes, std::size_t n) {
  int kernels = 0;
  for (std::size_t first = 0; first < n; first += copies_of_fields::most, ++kernels) {
    std::size_t const rest = n - first;
    copies_of_fields const copy(boxes + first, rest < copies_of_fields::most ? rest : copies_of_fields::most);
    if (copy.elements() != 0) for_elements("ashlar::copy_fields", space, copy.elements(), copy);
  }
  return kernels;
}

}  // namespace ashlar::kernels_detail
