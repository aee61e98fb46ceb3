// The functions of tensor/storage.hpp.
#pragma once
#include "ashlar/tensor/storage.hpp"

namespace ashlar::tensor_detail {

ASHLAR_INLINE void fail_memory(out_of_memory const& e, shape const& extents, index_t elements,
                               std::size_t element_bytes) {
  plan_detail::error_text m;
  m << "ashlar::make: the memory does not suffice for a tensor of extents " << extents << ", of which this rank has "
    << elements << " elements of " << static_cast<index_t>(element_bytes) << " bytes, "
    << static_cast<index_t>(e.bytes()) << " bytes in all";
  plan_detail::fail_with(m);
}

}  // namespace ashlar::tensor_detail
