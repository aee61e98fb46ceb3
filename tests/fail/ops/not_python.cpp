#include "ashlar/ops/ops.hpp"
#include "ashlar/plan/draw.hpp"
#include <ostream>

using namespace ashlar;
using namespace ashlar::planning;
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data">>(m, {8});

// A comparison of tensors has an answer for each element; the compiler itself refuses it as a condition.
namespace comparison_as_a_condition {
// 1 on every rank if an element is positive: item(...) == 1 on real ranks.
constexpr auto right() { return all_reduce(max(where(x > 0.f, 1, 0))); }
// error (g++): to 'bool'
// error (clang): is not contextually convertible to 'bool'
constexpr int wrong() { return x > 0.f ? 1 : 0; }
}  // namespace comparison_as_a_condition

// An element by its index: a tensor has parts on ranks. The compiler itself refuses it, since there is no such operator.
namespace element_by_an_index {
constexpr auto right() { return all_reduce(sum(x)); }
// error (g++): no match for 'operator[]'
// error (clang): does not provide a subscript operator
void wrong() { (void)x[3]; }
// error (g++): no match for call to '(
// error (clang): does not provide a call operator
void wrong_call() { (void)x(3); }
}  // namespace element_by_an_index

// A tensor written to a stream as a number is. The compiler itself refuses it, since there is no such operator.
namespace tensor_to_a_stream {
void right(std::ostream& out) { draw(out, make<float, layout<"data">>(m, {8})); }
// error (g++): no match for 'operator<<'
// error (g++): template constraint failure for
// error (clang): invalid operands to binary expression
void wrong(std::ostream& out) { out << make<float, layout<"data">>(m, {8}); }
}  // namespace tensor_to_a_stream
