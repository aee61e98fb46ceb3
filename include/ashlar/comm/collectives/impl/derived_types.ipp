// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/derived_types.hpp.
#include <algorithm>

#include "ashlar/comm/environment.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE derived_types::~derived_types() {
  if (all_.empty() || !mpi_is_usable()) return;
  for (entry& e : all_) MPI_Type_free(&e.type);
}

ASHLAR_INLINE MPI_Datatype derived_types::get(strided_elements const& elements, MPI_Datatype element,
                                              std::size_t element_bytes) {
  auto const known = std::find_if(all_.begin(), all_.end(),
                                  [&](entry const& e) { return e.element == element && e.elements == elements; });
  if (known != all_.end()) {
    all_.splice(all_.begin(), all_, known);
    return known->type;
  }
  auto const bytes = [&](int d) { return elements.stride[d] * static_cast<index_t>(element_bytes); };
  auto const extent = [&](int d) { return static_cast<int>(elements.extent[d]); };
  // The two innermost loops are one type if elements of the innermost are neighbours: MPI copies its rows as blocks.
  int d = elements.loops - 1;
  bool const rows = d > 0 && elements.stride[d] == 1;
  MPI_Datatype type = element;
  if (rows) {
    check_mpi(MPI_Type_create_hvector(extent(d - 1), extent(d), bytes(d - 1), element, &type),
              "MPI_Type_create_hvector");
    d -= 2;
  }
  for (; d >= 0; --d) {
    MPI_Datatype inner = type;
    check_mpi(MPI_Type_create_hvector(extent(d), 1, bytes(d), inner, &type), "MPI_Type_create_hvector");
    if (inner != element) MPI_Type_free(&inner);
  }
  check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
  all_.push_front({elements, element, type});
  if (all_.size() > most) {
    MPI_Type_free(&all_.back().type);
    all_.pop_back();
  }
  return type;
}

}  // namespace ashlar::comm_detail
