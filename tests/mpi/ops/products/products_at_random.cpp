// Products in layouts drawn at random, as values: every dimension over any axes, balanced and block-cyclic, with partial
// operands and results. The plan chooses the layouts between, or they are drawn so that an operand is gathered along the
// summed label. All against sums over all values of all labels.
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/ops/products/matmul.hpp"
#include "mpi/ops/operations.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include <cstdlib>
#include <random>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">, axis<"z">>;
using space = Kokkos::DefaultExecutionSpace;
using shard_on_rank = tensor_detail::stored_shard<double, space>;
using routed = tensor_detail::routed_operand<double, space, grid>;
constexpr axis_mask all_axes = 7;

int below(std::mt19937& draw, int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); }

// The axes of a mask, in any order. In half of the cases the first ones assign blocks round-robin.
layout_detail::axis_list drawn_list(std::mt19937& draw, axis_mask axes) {
  int order[]{0, 1, 2};
  for (int i = 2; i > 0; --i) std::swap(order[i], order[below(draw, i + 1)]);
  layout_detail::axis_list list;
  for (int a : order)
    if (axes >> a & 1u) list.push(a);
  if (list.size > 0 && below(draw, 2) == 0) {
    constexpr unsigned short blocks[]{1, 2, 3, 64, 128, 150, 260};
    list.cyclic = static_cast<signed char>(1 + below(draw, list.size));
    list.block = blocks[below(draw, 7)];
  }
  return list;
}

// Each of these axes shards one dimension, or none; with `partial`, the tensor may be partial over it.
layout_value drawn_layout(std::mt19937& draw, int rank, axis_mask axes, bool partial) {
  axis_mask of[layout_detail::max_rank + 2]{};
  for (int a = 0; a < 3; ++a)
    if (axes >> a & 1u) of[below(draw, rank + (partial ? 2 : 1))] |= 1u << a;
  layout_value v;
  v.rank = rank;
  for (int d = 0; d < rank; ++d) v.dim[d] = drawn_list(draw, of[d]);
  if (of[rank + 1] != 0) v.reductions[v.levels++] = {layout_detail::op_sum, of[rank + 1]};
  return v;
}

shard_on_rank shard_in(device_mesh<grid> const& m, shape const& extents, layout_value const& v) {
  auto const mine = shard_of<double>(extents, v, m.sizes(), m.rank(), small_number);
  shard_on_rank s{
      tensor_detail::memory_of_shard<space::memory_space>(extents, static_cast<index_t>(mine.size()), sizeof(double)),
      0};
  std::copy(mine.begin(), mine.end(), s.data());
  return s;
}

bool are_right(device_mesh<grid> const& m, layout_value const& v, double const* c, dense_array const& expected) {
  auto const n = positions(expected.extents, v, m.sizes(), m.rank()).size();
  return shards_denote(expected.extents, v, m.sizes(), std::vector<double>(c, c + n), expected.element);
}

shape extents_of(layout_detail::einsum_equation::labels const& l, index_t const (&extent_of_label)[26]) {
  shape s;
  for (int d = 0; d < l.rank; ++d) s[s.rank++] = extent_of_label[l.label[d] - 'a'];
  return s;
}

template <equation E>
struct drawn_product {
  static constexpr layout_detail::einsum_equation e = layout_detail::parse(E);
  device_mesh<grid> const& m;
  shape a, b, product;

  drawn_product(std::mt19937& draw, device_mesh<grid> const& on) : m(on) {
    index_t extent[26];
    for (index_t& n : extent) n = below(draw, 5);
    constexpr int terms[]{0, 1, 3, 260, 520, 1040, 1100, 2200};
    extent['k' - 'a'] = terms[below(draw, 8)];
    if (below(draw, 4) != 0)
      for (index_t& n : extent) n = std::max(n, index_t{1});  // empty products are few
    a = extents_of(e.in[0], extent);
    b = extents_of(e.in[1], extent);
    product = extents_of(e.out, extent);
  }

  dense_array expected(layout_value const& of_a, layout_value const& of_b) const {
    auto const value = [&](shape const& extents, layout_value const& v) {
      return dense_array{extents, denoted<double>(extents, v, m.sizes(), small_number)};
    };
    return sum_of_products(e, value(a, of_a), value(b, of_b));
  }
  routed operand(tensor_detail::route_of_tensor const& r, shape const& extents) const {
    return {m, shard_in(m, extents, r.from), extents, r};
  }
  tensor_detail::route_of_tensor route(layout_value const& from, layout_value const& to, shape const& extents) const {
    return {from, to, extents, m.sizes(), sizeof(double), all_axes, plan_detail::complete_links<grid>()};
  }

  // The plan chooses the layouts of the operands and of the product. The operands and the result may be partial.
  void check_plan(std::mt19937& draw) const {
    ops_detail::product_problem p{
        {e, drawn_layout(draw, a.rank, all_axes, true), drawn_layout(draw, b.rank, all_axes, true),
         drawn_layout(draw, product.rank, all_axes, true)},
        plan_detail::element_cost_of<double>,
        m.sizes(),
        all_axes};
    p.task.axes = all_axes;
    p.task.links = plan_detail::complete_links<grid>();
    tensor_detail::product_routes routes;
    tensor_detail::product_route const& r = routes.of(p, a, b, m.sizes());
    shard_on_rank const c =
        tensor_detail::product_of_shards<E>(operand(r.a, a), operand(r.b, b), r.result, product, call_site::current());
    CHECK(are_right(m, p.task.to, c.data(), expected(p.task.a, p.task.b)));
  }

  // Each operand lacks no axis of the result, and has its terms over other axes. They are gathered, or read in place.
  void check_gather(std::mt19937& draw, int& in_place) const {
    layout_value const to = drawn_layout(draw, product.rank, all_axes, false);
    auto const drawn_operand = [&](layout_detail::einsum_equation::labels const& l, layout_value& gathered) {
      gathered.rank = l.rank;
      for (int d = 0; d < l.rank; ++d)
        if (int const at = e.out.find(l.label[d]); at >= 0) gathered.dim[d] = to.dim[at];
      layout_value from = gathered;
      for (int d = 0; d < l.rank; ++d)
        if (l.label[d] == 'k') from.dim[d] = drawn_list(draw, all_axes & ~from.sharding() & (draw() | draw()));
      return from;
    };
    layout_value to_a, to_b;
    layout_value const of_a = drawn_operand(e.in[0], to_a), of_b = drawn_operand(e.in[1], to_b);
    auto const route_a = route(of_a, to_a, a), route_b = route(of_b, to_b, b);
    tensor_detail::shard_of_product<double, space> c;
    routed const x = operand(route_a, a), y = operand(route_b, b);
    bool const done = tensor_detail::product_in_place<E>(x, y, product, to, c, call_site::current());
    if (!done) tensor_detail::write_product<E>(x, y, product, to, c, call_site::current());
    in_place += done;
    CHECK(are_right(m, to, c.c.data(), expected(of_a, of_b)));
  }
};

template <equation... E, class F>
void with_drawn_product(std::mt19937& draw, device_mesh<grid> const& m, F const& f) {
  int const which = below(draw, sizeof...(E));
  int i = 0;
  ((i++ == which ? f(drawn_product<E>(draw, m)) : void()), ...);
}

// Calls f with products on every mesh of the ranks. $ASHLAR_EXHAUSTIVE takes 50 times as many.
template <class F>
void for_drawn_products(unsigned seed, int products, F const& f) {
  ASHLAR_NEEDS(host_reads_tensors);
  if (std::getenv("ASHLAR_EXHAUSTIVE")) products *= 50;
  std::mt19937 draw(seed);
  std::vector<std::array<int, 3>> meshes;
  int const p = world_size();
  for (int x = 1; x <= p; ++x)
    for (int y = 1; x * y <= p; ++y)
      if (p % (x * y) == 0) meshes.push_back({x, y, p / (x * y)});
  for (auto const& sizes : meshes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int t = 0; t < products / static_cast<int>(meshes.size()); ++t) {
      CAPTURE(sizes[0]);
      CAPTURE(sizes[1]);
      CAPTURE(t);
      // The first five are batches of matrices in which BLAS reads blocks in place. In the others it does not.
      with_drawn_product<"mk,kn->mn", "km,nk->nm", "mbk,kbn->nbm", "abk,kn->abn", "km,ckn->cmn", "mkb,knb->mnb",
                         "kl,kln->ln", "mlk,kln->mn">(draw, m, [&](auto const& product) { f(draw, product); });
    }
  }
}

}  // namespace

TEST_CASE("products at random: the plan chooses the layouts between") {
  for_drawn_products(1, 60, [](std::mt19937& draw, auto const& product) { product.check_plan(draw); });
}

TEST_CASE("products at random: operands that are gathered along the summed label, or read in place") {
  int in_place = 0;
  for_drawn_products(2, 240, [&](std::mt19937& draw, auto const& product) { product.check_gather(draw, in_place); });
  if (host_reads_tensors && world_size() > 1) CHECK(in_place > 10);
}
