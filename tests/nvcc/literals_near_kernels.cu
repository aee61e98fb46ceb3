// Every way in which a user's program brings a literal near a kernel, compiled by nvcc: its host pass spells class-type
// template arguments again as text, and types that hold literals reach kernels' names.
#include "ashlar/ops/ops.hpp"

using namespace ashlar;

template <class T, class Layout>
struct tensor_like {
  T* data;
};
template <class F>
__global__ void run(F f) {
  f(static_cast<int>(threadIdx.x));
}
template <class T, class L>
void add_one(tensor_like<T, L> t) {
  run<<<1, 32>>>([=] __host__ __device__(int i) { t.data[i] += 1; });
}

// An alias at namespace scope, asserted on.
using rows = layout<"data", none>;
static_assert(!std::is_same_v<rows, layout<none, none>>);

// A collective with a literal, whose result's layout has it.
template <dimension A, class T, class L>
auto reduce(tensor_like<T, L> t) {
  return tensor_like<T, layout<none, A>>{t.data};
}
// A member with a literal that starts a kernel.
template <class T>
struct with_member {
  T* data;
  template <meta_detail::axis_literal A>
  void zero() const {
    T* const p = data;
    run<<<1, 32>>>([=] __host__ __device__(int i) { p[i] = 0; });
  }
};
// A function below a literal that starts a kernel, and one whose result has a dimension of two axes.
using blocks = layout<axes("data", "model"), none>;
template <equation E, class T, class L>
void scale(tensor_like<T, L> t) {
  run<<<1, 32>>>([=] __host__ __device__(int i) { t.data[i] *= 2; });
}
template <equation E, class T, class L>
auto contract(tensor_like<T, L> t) {
  return tensor_like<T, blocks>{t.data};
}
// A kernel whose parameter names a layout.
template <class T, class L>
__global__ void kernel_on(tensor_like<T, L> t) {
  t.data[threadIdx.x] += 1;
}

// A program whose collectives nvcc's front end counts.
using grid = mesh<axis<"data">, axis<"model">>;
constexpr auto program = [](auto const& m) {
  auto x = make<float, layout<"data", none>>(m, {128, 784});
  auto w = make<float, layout<none, "model">>(m, {784, 200});
  auto v = make<float, layout<"model", none>>(m, {200, 10});
  (void)all_reduce<"model">(einsum<"bh,ho->bo">(relu(einsum<"bi,ih->bh">(x, w)), v));
};
static_assert(dry_run(grid{{2, 4}}, program).count(collective::all_reduce, "model") == 1);

int main() {
  tensor_like<float, rows> t{nullptr};
  add_one(t);
  add_one(reduce<"data">(t));
  scale<"bi,ih->bh">(t);
  add_one(contract<"bi,ih->bh">(t));
  with_member<float>{nullptr}.zero<"data">();
  kernel_on<<<1, 32>>>(t);
}
