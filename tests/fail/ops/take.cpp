#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto i = make<int, layout<"data">>(m, {8});

// Rows number 0.5 and 3.7.
namespace embedding_of_no_integers {
constexpr auto t = make<float, layout<"model", none>>(m, {8, 4});
constexpr auto right = embedding(t, i);
// error: ashlar::nn::embedding: indices are integers; write cast<int>(indices)
constexpr auto wrong = embedding(t, make<float, layout<"data">>(m, {8}));
}  // namespace embedding_of_no_integers

// A table and an index that name one axis.
namespace gather_with_shared_axis {
constexpr auto right = take(make<float, layout<"model", none>>(m, {8, 4}), i);
// error: ashlar::take: the axis is named by the table and by the index; redistribute one of them
constexpr auto wrong = take(make<float, layout<"data", none>>(m, {8, 4}), i);
}  // namespace gather_with_shared_axis

// Rows that are sharded otherwise than their index.
namespace scatter_add_of_an_index_sharded_otherwise {
constexpr auto table = make<float, layout<none, none>>(m, {16, 4});
constexpr auto right = scatter_add(make<float, layout<"data", none>>(m, {8, 4}), i, table);
// error: ashlar::scatter_add: the axis shards the index otherwise than the rows; redistribute one of them
constexpr auto wrong = scatter_add(make<float, layout<none, none>>(m, {8, 4}), i, table);
}  // namespace scatter_add_of_an_index_sharded_otherwise

// An index of real numbers, and a mask in place of an index.
namespace of_no_integers {
constexpr auto table = make<float, layout<"model", none>>(m, {8, 4});
constexpr auto rows = make<float, layout<"data", none>>(m, {6, 4});
constexpr auto number = make<float, layout<"data">>(m, {6});
namespace right {
constexpr auto y = take(table, cast<int>(number));
constexpr auto sums = scatter_add(rows, cast<std::int64_t>(number), table);
}  // namespace right
namespace wrong {
// error: ashlar::take: the elements of the index are no integers; write cast<int>(index)
constexpr auto y = take(table, number);
// error: ashlar::scatter_add: the elements of the index are no integers; write cast<int>(index)
constexpr auto sums = scatter_add(rows, number > 0.f, table);
}  // namespace wrong
}  // namespace of_no_integers
