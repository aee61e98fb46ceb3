// labels: mpich
// Programs of collectives drawn at random: several are under way at once, on any axes of a mesh, while others begin, block
// and end, in any order. Axes of size 1 make several groups the same ranks. Ranks look at what is under way when they
// like. Operands may change in between. All values are compared with whole arrays.
#include "ashlar/ops/async.hpp"
#include "ashlar/ops/products/matmul.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/stored_cells.hpp"
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <random>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;
using torus = layout<halo("x", 1, 2, boundary::periodic), halo("y", 1, boundary::copy)>;
using values = std::vector<double>;

struct numbers_of_version {
  index_t version;
  double operator()(index_t g, int s) const { return small_number(g + 1000003 * version, s); }
};
struct cell {
  index_t version;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>((i * 7 + j * 3 + version * 5) % 101);
  }
};

// A collective under way: its end, with what it should give or without looking at it, and a look at how far it is.
struct under_way {
  std::function<bool(bool takes)> end;
  std::function<void()> look;
};
template <class P, class Right>
under_way keep(P p, Right right) {
  auto const held = std::make_shared<P>(std::move(p));
  return {[held, right](bool takes) {
            P moved(std::move(*held));
            return !takes || right(moved.wait());
          },
          [held] { (void)held->ready(); }};
}

class drawn_program {
 public:
  drawn_program(device_mesh<grid> const& m, unsigned seed)
      : m_(m), draw_(seed), own_(seed + 17 * static_cast<unsigned>(m.rank() + 1)) {
    index_t const p = m.size();
    shape const all[]{shape::of(2 * p, p), shape::of(p + 1, 5), shape::of(1, 13),
                      shape::of(0, 3),     shape::of(40, 33),   shape::of(129, 67)};
    extents_ = all[below(6)];
  }

  void run(int steps) {
    for (int s = 0; s < steps; ++s) {
      nap();
      int const what = below(10);
      if (what < 5 && all_.size() < 6)
        all_.push_back(begin());
      else if (what < 8 && !all_.empty())
        end_one();
      else
        block();
    }
    while (!all_.empty()) end_one();
  }

 private:
  int below(int n) { return static_cast<int>(draw_() % static_cast<unsigned>(n)); }

  // Each rank for itself: nothing, a short sleep, or a look at what is under way.
  void nap() {
    unsigned const what = own_() % 4;
    if (what == 1) usleep(static_cast<unsigned>(own_() % 300));
    if (what == 2 && !all_.empty()) all_[own_() % all_.size()].look();
  }

  template <class L>
  auto next() {
    return tensor_of<double, L>(m_, extents_, numbers_of_version{++version_});
  }
  template <class X>
  values value(X const& x) const {
    return denoted<double>(extents_, x.layout, m_.sizes(), numbers_of_version{version_});
  }
  template <class Y>
  static bool is(Y const& y, values const& expected) {
    if constexpr (Y::layout.partial() != 0)
      return denotes(y, expected);
    else
      return shard(y) == shard_of<double>(y.extents(), y.layout, y.mesh().sizes(), y.mesh().rank(),
                                          [&](index_t g, int) { return expected[static_cast<std::size_t>(g)]; });
  }
  // begin(x) of a new tensor. It has the same value. In half of the cases the tensor changes meanwhile.
  template <class L, class F>
  under_way same_value(F const& f) {
    auto x = next<L>();
    auto p = f(x);
    values const expected = value(x);
    if (below(2) == 0) x += x;
    return keep(std::move(p), [expected](auto const& y) { return is(y, expected); });
  }

  under_way begin() {
    using split = layout<"x", "y">;
    using sums = partial<layout<none, "y">, "x">;
    using sums_of_all = partial<layout<none, none>, axes("x", "y")>;
    switch (below(15)) {
      case 0:
        return same_value<split>([](auto const& x) { return all_gather_async<"x">(x); });
      case 1:
        return same_value<split>([](auto const& x) { return all_gather_async<"y">(x); });
      case 2:
        return same_value<layout<axes("x", "y"), none>>(
            [](auto const& x) { return all_gather_async<axes("x", "y")>(x); });
      case 3:
        return same_value<sums>([](auto const& x) { return all_reduce_async<"x">(x); });
      case 4:
        return same_value<sums>([](auto const& x) { return reduce_scatter_async<"x", 0>(x); });
      case 5:
        return same_value<split>([](auto const& x) { return all_to_all_async<"y", 0>(x); });
      case 6:
        return same_value<split>([](auto const& x) { return all_to_all_async<"x", 1>(x); });
      case 7:
        return same_value<sums_of_all>([](auto const& x) { return all_reduce_async(x); });
      case 8:
        return same_value<sums_of_all>([](auto const& x) { return all_reduce_async<"y">(x); });
      case 9:
        return same_value<sums_of_all>([](auto const& x) { return reduce_scatter_async<axes("x", "y"), 1>(x); });
      case 10:
        return same_value<layout<"x", none>>([](auto const& x) { return redistribute_async<layout<"y", none>>(x); });
      case 11:
        return same_value<split>([](auto const& x) { return redistribute_async<layout<"y", "x">>(x); });
      case 12:
        return same_value<layout<cyclic("x", 2), "y">>(
            [](auto const& x) { return redistribute_async<layout<none, axes("y", "x")>>(x); });
      case 13:
        return begin_roll();
      default:
        return begin_exchange();
    }
  }
  under_way begin_roll() {
    auto const x = next<layout<"x", "y">>();
    index_t const by = below(7) - 3, rows = extents_[0], columns = extents_[1];
    values const before = value(x);
    values expected = before;
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j)
        expected[static_cast<std::size_t>((i + by + 3 * rows) % rows * columns + j)] =
            before[static_cast<std::size_t>(i * columns + j)];
    return keep(roll_async<0>(x, by), [expected](auto const& y) { return is(y, expected); });
  }
  under_way begin_exchange() {
    cell const f{++version_};
    auto x = generate<double, torus>(m_, {extents_[0], extents_[1]}, f);
    auto const right = [m = m_, n = extents_, f](auto const& y) {
      return same_stored_cells(y, generate<double, fresh<torus>>(m, {n[0], n[1]}, f));
    };
    return keep(exchange_halo_async(std::move(x)), right);
  }

  void end_one() {
    std::size_t const at = static_cast<std::size_t>(below(static_cast<int>(all_.size())));
    under_way const one = std::move(all_[at]);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(at));
    CHECK(one.end(below(5) != 0));
  }

  void block() {
    switch (below(5)) {
      case 0: {
        auto const x = next<layout<"x", "y">>();
        values const expected = value(x);
        CHECK(is(redistribute<layout<none, axes("y", "x")>>(x), expected));
        break;
      }
      case 1: {
        auto const x = next<partial<layout<none, none>, axes("x", "y")>>();
        values const expected = value(x);
        CHECK(is(all_reduce(x), expected));
        break;
      }
      case 2: {
        auto const x = next<layout<"x", "y">>();
        values const all = value(x);
        double total = 0;
        for (double const v : all) total += v;
        CHECK(item(all_reduce(sum(x))) == total);
        break;
      }
      case 3: {
        cell const f{++version_};
        auto const x = generate<double, torus>(m_, {extents_[0], extents_[1]}, f);
        CHECK(same_stored_cells(exchange_halo(x), generate<double, fresh<torus>>(m_, {extents_[0], extents_[1]}, f)));
        break;
      }
      default: {
        auto const a = next<layout<"x", "y">>();
        values const left = value(a);
        auto const b = next<layout<"x", "y">>();
        values const right = value(b);
        index_t const rows = extents_[0], terms = extents_[1];
        values expected(static_cast<std::size_t>(rows * rows));
        for (index_t i = 0; i < rows; ++i)
          for (index_t j = 0; j < rows; ++j)
            for (index_t k = 0; k < terms; ++k)
              expected[static_cast<std::size_t>(i * rows + j)] +=
                  left[static_cast<std::size_t>(i * terms + k)] * right[static_cast<std::size_t>(j * terms + k)];
        CHECK(is(einsum<"ik,jk->ij">(a, b, to_layout<layout<"x", "y">>), expected));
      }
    }
  }

  device_mesh<grid> m_;
  std::mt19937 draw_, own_;
  shape extents_{};
  index_t version_ = 0;
  std::vector<under_way> all_;
};

// Many programs on every mesh of the ranks. $ASHLAR_EXHAUSTIVE takes 50 times as many.
void run_programs(unsigned seed) {
  int const programs = std::getenv("ASHLAR_EXHAUSTIVE") ? 200 : 4;
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    CAPTURE(sizes[0]);
    for (int program = 0; program < programs; ++program) {
      CAPTURE(program);
      drawn_program(m, seed + static_cast<unsigned>(program)).run(40);
    }
  });
}

}  // namespace

TEST_CASE("collectives at random: several under way") { run_programs(1); }

TEST_CASE("collectives at random: the smallest operands are read in place, too") {
  operands_in_place const scope;
  run_programs(2000);
}

TEST_CASE("collectives at random: by messages") {
  messages_of_mpi const scope;
  run_programs(4000);
}
