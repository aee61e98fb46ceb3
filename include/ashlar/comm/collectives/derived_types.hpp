// SPDX-License-Identifier: BSL-1.0
// MPI's derived datatypes: elements of an array that are not contiguous.
#pragma once
#include <cstddef>
#include <list>

#include "ashlar/config.hpp"
#include "ashlar/comm/mpi.hpp"
#include "ashlar/layout/shape.hpp"

namespace ashlar::comm_detail {

/// The elements of a message in an array, as nested loops from the outermost on. Strides count elements.
struct strided_elements {
  int loops = 0;
  index_t extent[max_rank]{}, stride[max_rank]{};
  friend bool operator==(strided_elements const&, strided_elements const&) = default;
};

/// The derived datatypes that one communicator uses, most recently used first. They are freed before the communicator.
class derived_types {
 public:
  static constexpr std::size_t most = 64;

  derived_types() = default;
  derived_types(derived_types const&) = delete;
  derived_types& operator=(derived_types const&) = delete;
  ~derived_types();
  /// Returns the committed type of these elements. It lives until `most` other types were asked for. A message that has
  /// begun with it may take longer.
  /// Pre: fewer elements than an int counts.
  MPI_Datatype get(strided_elements const& elements, MPI_Datatype element, std::size_t element_bytes);
  std::size_t size() const { return all_.size(); }

 private:
  struct entry {
    strided_elements elements;
    MPI_Datatype element, type;
  };
  std::list<entry> all_;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/collectives/impl/derived_types.ipp"
#endif
