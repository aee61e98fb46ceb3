// SPDX-License-Identifier: BSL-1.0
// The text of a product's plan, with the candidates that it was compared with.
#pragma once
#include <string>

#include "ashlar/config.hpp"
#include "ashlar/plan/products/einsum_plan.hpp"
#include "ashlar/plan/parse.hpp"

namespace ashlar::planning {

/// A product of two tensors, whose equation a program learns at run time, and the extents of its tensors.
struct named_product {
  layout_detail::einsum_equation equation;
  shape a, b, result;
};

/// A product from an equation and the extents of its labels, in the order of the equation's letters.
/// Error: ashlar::error for another number of operands or extents; a sentence for a text that is no equation.
/// Example: planning::parse_product("mk,kn->mn", "4096,64,1024", 8) is of extents (4096, 64) and (64, 1024)
ASHLAR_INLINE named_product parse_product(std::string const& text, std::string_view extents, index_t element_bytes = 1);

/// The plan of a product: the steps of the three redistributions and einsum between them. Then the candidates with their
/// costs, the best first. `links` need no sizes.
/// Error: ashlar::error for layouts of other numbers of dimensions.
/// Example: planning::text_of_product(planning::parse_product("mk,kn->mn", "64,64,64"), a, b, to, m)
ASHLAR_INLINE std::string text_of_product(named_product const& of, layout_value const& a, layout_value const& b,
                                          layout_value const& to, named_mesh const& m, element_cost const& each = {},
                                          link_model links = {});

}  // namespace ashlar::planning

#if ASHLAR_IMPL
#include "ashlar/plan/impl/print_product.ipp"
#endif
