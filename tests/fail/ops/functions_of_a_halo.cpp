// Functions that read no halo. Each is called on a tensor whose halo has another width, so each has an error of its own.
#include "ashlar/layout.hpp"
#include <complex>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::transforms;
constexpr abstract_mesh<mesh<axis<"p">, axis<"q">>> m({{2, 2}});
template <dimension D, class T = float>
constexpr auto field = make<T, layout<D, none>>(m, {8, 8});
template <dimension D>
constexpr auto images = make<float, layout<D, none, none, none>>(m, {2, 8, 4, 8});
template <dimension D>
constexpr auto terms = make<float, partial<layout<D, none>, "q">>(m, {8, 8});
constexpr auto matrix = make<float, layout<none, none>>(m, {8, 8});
constexpr auto rows = make<float, layout<"p", none>>(m, {8, 8});
constexpr auto factors = make<float, layout<none>>(m, {8});
constexpr auto labels = make<int, layout<"p">>(m, {8});
constexpr auto of_owned_cells = [](auto const& x) { return owned(x); };
constexpr auto of_cells_with_a_halo = [](auto const& x) { return x; };

// Collectives.
namespace collectives {
constexpr auto calls = [](auto of) {
  // error on each line: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
  (void)all_gather<"p">(of(field<halo("p", 1)>));
  (void)all_gather_async<"p">(of(field<halo("p", 2)>)).wait();
  (void)all_to_all<"p", 1>(of(field<halo("p", 3)>));
  (void)all_to_all_async<"p", 1>(of(field<halo("p", 4)>)).wait();
  (void)roll<0>(of(field<halo("p", 5)>));
  (void)roll_async<0>(of(field<halo("p", 6)>)).wait();
  (void)redistribute_async<layout<none, "p">>(of(field<halo("p", 7)>)).wait();
  (void)reduce_scatter<"q", 1>(of(terms<halo("p", 8)>));
  (void)reduce_scatter_async<"q", 1>(of(terms<halo("p", 9)>)).wait();
};
constexpr auto right = [] { calls(of_owned_cells); };
constexpr auto wrong = [] { calls(of_cells_with_a_halo); };
}  // namespace collectives

// Functions of dimensions.
namespace arrays {
constexpr auto calls = [](auto of) {
  // error on each line: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
  (void)transpose<1, 0>(of(field<halo("p", 10)>));
  (void)flatten<0, 1>(of(field<halo("p", 11)>));
  (void)unflatten<1>(of(field<halo("p", 12)>), {2, 4});
  (void)slice(of(field<halo("p", 13)>), {0, 0}, {4, 4});
  (void)pad(of(field<halo("p", 14)>), {1, 1}, {1, 1});
  (void)shift<0>(of(field<halo("p", 15)>), 1);
  (void)concatenate<1>(of(field<halo("p", 16)>), of(field<halo("p", 16)>));
  (void)paste(of(field<halo("p", 17)>), {0, 0}, of(field<halo("p", 17)>));
  (void)select(of(field<halo(none, 18)>), 0);
  (void)expand<0>(factors, of(field<halo("p", 19)>));
};
constexpr auto right = [] { calls(of_owned_cells); };
constexpr auto wrong = [] { calls(of_cells_with_a_halo); };
}  // namespace arrays

// Functions of rows, and sums.
namespace rows_and_sums {
constexpr auto heads = make<float, layout<"p", none, none, none>>(m, {2, 8, 4, 8});
constexpr auto state = build<moving_statistics>(factors, factors);
struct plus {
  constexpr float operator()(float x, float y) const { return x + y; }
};
constexpr auto calls = [](auto of) {
  // error on each line: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
  (void)softmax(of(field<halo("p", 23)>));
  (void)log_softmax(of(field<halo("p", 24)>));
  (void)causal_softmax(of(images<halo("p", 25)>));
  (void)attention(of(images<halo("p", 26)>), heads, heads);
  (void)layer_norm(of(field<halo("p", 27)>), factors, factors, 1e-5);
  (void)rms_norm(of(field<halo("p", 28)>), factors, 1e-5f);
  (void)batch_norm(of(field<halo("p", 29)>), factors, factors, state);
  (void)batch_norm_inference(of(field<halo("p", 30)>), factors, factors, state);
  (void)cumsum<1>(of(field<halo("p", 31)>));
  (void)argmax<1>(of(field<halo("p", 32)>));
  (void)argmin<1>(of(field<halo("p", 33)>));
  (void)sort<1>(of(field<halo("p", 34)>));
  (void)argsort<1>(of(field<halo("p", 35)>));
  (void)top_k<1>(of(field<halo("p", 36)>), 2);
  (void)sum_of_squares(of(field<halo("p", 37)>));
  (void)elementwise<"ij,j->ij">(plus{}, of(field<halo("p", 38)>), factors);
};
constexpr auto right = [] { calls(of_owned_cells); };
constexpr auto wrong = [] { calls(of_cells_with_a_halo); };
}  // namespace rows_and_sums

// Losses and counts.
namespace losses {
constexpr auto calls = [](auto of) {
  // error on each line: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
  (void)softmax_cross_entropy(of(field<halo("p", 39)>), labels);
  (void)sharded_cross_entropy(of(field<halo("p", 40)>), labels);
  (void)accuracy_count(of(field<halo("p", 41)>), labels);
  (void)top_k_count(of(field<halo("p", 42)>), labels, 2);
  (void)confusion_counts(of(field<halo("p", 43)>), labels);
};
constexpr auto right = [] { calls(of_owned_cells); };
constexpr auto wrong = [] { calls(of_cells_with_a_halo); };
}  // namespace losses

// Functions of indices.
namespace indices {
constexpr auto indices = make<int, layout<"p", none>>(m, {8, 8});
constexpr auto places = make<int, layout<none>>(m, {4});
constexpr auto calls = [](auto of) {
  // error on each line: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
  (void)take_along<1>(of(field<halo("p", 44)>), indices);
  (void)take(of(field<halo("p", 45)>), places);
  (void)embedding(of(field<halo("p", 46)>), places);
  (void)scatter_add(of(field<halo("p", 47)>), labels, matrix);
};
constexpr auto right = [] { calls(of_owned_cells); };
constexpr auto wrong = [] { calls(of_cells_with_a_halo); };
}  // namespace indices

// Products, and functions that write to a tensor.
namespace products {
constexpr auto calls = [](auto of) {
  auto result = rows;
  auto columns = make<float, layout<none, "p">>(m, {8, 8});
  // error on each line: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
  (void)einsum<"ij,jk->ik">(of(field<halo("p", 48)>), matrix);
  (void)matmul(of(field<halo("p", 49)>), matrix, to_layout<layout<"p", none>>);
  (void)einsum<"ij,jk->ik">(of(field<halo("p", 50)>), matrix, to_layout<layout<"p", none>>);
  (void)einsum<"ij,jk->ik">(of(field<halo("p", 51)>), matrix, to_layout<layout<none, none>>.in_chunks(2));
  (void)einsum<"ij->j">(of(field<halo("p", 52)>), to_layout<layout<none>>);
  (void)transpose<1, 0>(of(field<halo("p", 53)>), to_layout<layout<none, none>>);
  matmul_into(result, 1.f, of(field<halo("p", 54)>), matrix);
  redistribute_into(columns, of(field<halo("p", 55)>));
};
constexpr auto right = [] { calls(of_owned_cells); };
constexpr auto wrong = [] { calls(of_cells_with_a_halo); };
}  // namespace products

// Transforms.
namespace transforms {
using complex = std::complex<float>;
constexpr auto calls = [](auto of) {
  // error on each line: ashlar::halo: this function takes no tensor with a halo; write owned(x) for its owned cells
  (void)fft<1>(of(field<halo("p", 56), complex>));
  (void)inverse_fft<1>(of(field<halo("p", 57), complex>));
  (void)rfft<1>(of(field<halo("p", 58)>));
  (void)inverse_rfft<1>(of(field<halo("p", 59), complex>), 14);
  (void)dct<1, 2>(of(field<halo("p", 60)>));
  (void)inverse_dct<1, 2>(of(field<halo("p", 61)>));
  (void)dst<1, 2>(of(field<halo("p", 62)>));
  (void)inverse_dst<1, 2>(of(field<halo("p", 63)>));
  (void)fft<1>(of(field<halo("p", 64), complex>), to_layout<layout<"p", none>>);
  (void)inverse_fft<1>(of(field<halo("p", 65), complex>), to_layout<layout<"p", none>>);
  (void)fftshift<1>(of(field<halo("p", 66)>));
  (void)inverse_fftshift<1>(of(field<halo("p", 67)>));
};
constexpr auto right = [] { calls(of_owned_cells); };
constexpr auto wrong = [] { calls(of_cells_with_a_halo); };
}  // namespace transforms
