// Block-cyclic layouts in five dimensions.
// EXPECT: ashlar::cyclic: a dimension is block-cyclic in more than 4 dimensions
#include "ashlar/layout/layout.hpp"

using namespace ashlar;
template <class L>
inline constexpr auto code = layout_detail::encode_blocks(layout_detail::value_v<layout_detail::context_of<L>, L>);

#ifdef ASHLAR_CONTROL
constexpr auto c = code<layout<cyclic("a", 2), cyclic("b", 2), cyclic("c", 2), cyclic("d", 2), "e">>;
#else
constexpr auto c = code<layout<cyclic("a", 2), cyclic("b", 2), cyclic("c", 2), cyclic("d", 2), cyclic("e", 2)>>;
#endif
