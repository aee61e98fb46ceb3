// SPDX-License-Identifier: BSL-1.0
// Meshes, layouts and extents from texts, for programs that learn them at run time.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/plan/candidates.hpp"
#include "ashlar/plan/print.hpp"

namespace ashlar::planning {

/// The integer, of `least` or more, that an option's text is.
/// Error: ashlar::error with the option's name if the text is another.
/// Example: planning::parse_integer("--element-bytes", "4", 1) == 4
ASHLAR_INLINE index_t parse_integer(std::string_view option, std::string_view text, index_t least);

/// A mesh whose axes have names at run time.
struct named_mesh {
  std::vector<std::string> name;
  mesh_shape shape;

  /// The position of an axis. Error: ashlar::error with the option's name if the mesh has no such axis.
  int find(std::string_view option, std::string_view axis) const;
  /// The names, as to_string takes them.
  std::vector<char const*> texts() const;
  /// The axes of size 1, which split nothing.
  axis_mask trivial_axes() const;
  axis_mask all_axes() const { return layout_detail::mask_of(shape.axes) - 1; }
};

/// A mesh from a text such as "data=2,model=4".
/// Error: ashlar::error for a text of another form, an axis named twice, more than 8 axes or more than 2^28 ranks.
/// Example: planning::parse_named_mesh("data=2,model=4").find("--from", "model") == 1
ASHLAR_INLINE named_mesh parse_named_mesh(std::string_view text);

/// A layout from a text with one spec per dimension: "data+model,none,pipe%64". `partial` has the axes over which it is
/// partial, innermost first: "model=sum". `option` is in the error sentences.
/// Error: ashlar::error for a text of another form, and for a layout that cannot be.
/// Example: planning::parse_layout(m, "--from", "data,none", "model=sum") is partial<layout<"data", none>, "model">
ASHLAR_INLINE layout_value parse_layout(named_mesh const& m, std::string const& option, std::string_view specs,
                                        std::string_view partial = "");

/// Extents from a text such as "4096,4096".
/// Error: ashlar::error for a text of another form, more than 8 dimensions, or more than 2^56 bytes.
/// Example: planning::parse_extents("4096,4096") == shape::of(4096, 4096)
ASHLAR_INLINE shape parse_extents(std::string_view text, index_t element_bytes = 1);

/// The steps of a plan with their costs, one per line: the bytes that the rank receives that receives most.
/// Example: planning::text_of_steps(planning::plan(from, to, axes), names, {4096, 4096}, {{2, 4}}, 4)
ASHLAR_INLINE std::string text_of_steps(redistribution_plan const& p, char const* const* names, shape const& extents,
                                        mesh_shape const& mesh, index_t element_bytes);

/// The plan between two layouts of a tensor: its layouts, its steps, and the sums of messages and bytes. `links` need no
/// sizes.
/// Example: planning::text_of_plan(from, to, shape::of(4096, 4096), planning::parse_named_mesh("data=2,model=4"), 4)
ASHLAR_INLINE std::string text_of_plan(layout_value const& from, layout_value const& to, shape const& extents,
                                       named_mesh const& m, index_t element_bytes, link_model links = {});

}  // namespace ashlar::planning

#if ASHLAR_IMPL
#include "ashlar/plan/impl/parse.ipp"
#endif
