// Conjugate gradients on the 27-point operator of HPCG, beside hand-written loops and messages.
#include <ashlar/tensor/tensor.hpp>

#include <cmath>

#include "halo_by_hand.hpp"
#include "race.hpp"
#ifdef ASHLAR_BENCH_PETSC
#include "petsc.hpp"
#endif

namespace {

using namespace ashlar;
using namespace bench;
using grid = mesh<axis<"z">, axis<"y">, axis<"x">>;
using space = layout<halo("z", 1), halo("y", 1), halo("x", 1)>;
using field = sharded_tensor<double, space, grid>;

struct poisson27 {
  static constexpr auto reach = box(1, 1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    auto const line = [&](int i, int j) { return u(i, j, -1) + u(i, j, 0) + u(i, j, 1); };
    auto const plane = [&](int i) { return line(i, -1) + line(i, 0) + line(i, 1); };
    return 27 * u(0, 0, 0) - (plane(-1) + plane(0) + plane(1));
  }
};
struct wave {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t k) const {
    return static_cast<double>((i * 37 + j * 11 + k * 5) % 101) / 101;
  }
};

// The vectors of a solver, and one iteration.
struct by_ashlar {
  bool fused;
  field x, r, p;
  sharded_tensor<double, layout<>, grid> rr;

  static auto dot(auto const& a, auto const& b) { return all_reduce(sum(a * b)); }
  by_ashlar(field const& b, bool with_sums) : fused(with_sums), x(0. * b), r(1. * b), p(1. * b), rr(dot(b, b)) {}
  void start(field const& b) {
    assign(x, 0. * b);
    assign(r, b);
    assign(p, b);
    rr = dot(b, b);
  }
  void iterate() {
    if (!fused) return iterate_by_statements();
    auto const dot_p = [&](auto const& q) { return sum(p * q); };
    auto const [q, pq] = stencil_and_reduce(poisson27{}, dot_p, exchange_halo_async(p));
    auto const a = rr / all_reduce(pq);
    x += a * p;
    auto const squares = [](auto const& v) { return sum(v * v); };
    auto const next = all_reduce(assign_and_reduce(r, r - a * q, squares));
    assign(p, [&](auto const& old) { return r + (next / rr) * old; });
    rr = next;
  }
  void iterate_by_statements() {
    auto const q = stencil(poisson27{}, exchange_halo_async(p));
    auto const a = rr / dot(p, q);
    x += a * p;
    r -= a * q;
    auto const next = dot(r, r);
    p = r + (next / rr) * p;
    rr = next;
  }
};

// The same by loops: one per statement, or fused as an expert does, q and p.q in one pass, and x, r and r.r in another.
class by_hand {
 public:
  by_hand(field const& b, bool fused, bool exchanges)
      : s_(b.stored_extents()),
        exchange_(b.mesh().sizes(), s_, 1, nullptr),
        fused_(fused),
        exchanges_(exchanges),
        b_(b.stored_data(), b.stored_data() + s_.size()),
        x_(b_.size()),
        r_(b_.size()),
        p_(b_.size()),
        q_(b_.size()) {}
  void start() {
    std::fill(x_.begin(), x_.end(), 0.);
    std::fill(r_.begin(), r_.end(), 0.);
    std::fill(p_.begin(), p_.end(), 0.);
    rr_ = sum([&](index_t at) {
      p_[std::size_t(at)] = r_[std::size_t(at)] = b_[std::size_t(at)];
      return b_[std::size_t(at)] * b_[std::size_t(at)];
    });
  }
  void iterate() {
    if (exchanges_) exchange_(p_.data());
    double *const x = x_.data(), *const r = r_.data(), *const p = p_.data(), *const q = q_.data();
    index_t const row = s_[2], plane = s_[1] * s_[2];
    auto const apply = [=](index_t at) {
      double const* const u = p + at;
      double around = 0;
      for (index_t i = -1; i <= 1; ++i)
        for (index_t j = -1; j <= 1; ++j) {
          double const* const v = u + i * plane + j * row;
          around += v[-1] + v[0] + v[1];
        }
      q[at] = 27 * u[0] - around;
      return q[at] * u[0];
    };
    double const pq = fused_ ? sum(apply) : (local_sum(apply), sum([=](index_t at) { return p[at] * q[at]; }));
    double const a = rr_ / pq;
    double next = 0;
    if (fused_) {
      next = sum([=](index_t at) {
        x[at] += a * p[at];
        r[at] -= a * q[at];
        return r[at] * r[at];
      });
    } else {
      (void)local_sum([=](index_t at) {
        x[at] += a * p[at];
        return 0.;
      });
      (void)local_sum([=](index_t at) {
        r[at] -= a * q[at];
        return 0.;
      });
      next = sum([=](index_t at) { return r[at] * r[at]; });
    }
    double const b = next / rr_;
    (void)local_sum([=](index_t at) {
      p[at] = r[at] + b * p[at];
      return 0.;
    });
    rr_ = next;
  }
  double rr() const { return rr_; }

 private:
  // Calls f for the cells of this rank, row by row, and adds its values.
  template <class F>
  double local_sum(F const& f) const {
    double total = 0;
    for (index_t i = 1; i + 1 < s_[0]; ++i)
      for (index_t j = 1; j + 1 < s_[1]; ++j) {
        index_t const first = (i * s_[1] + j) * s_[2] + 1, n = s_[2] - 2;
        double row = 0;
#pragma omp simd reduction(+ : row)
        for (index_t k = 0; k < n; ++k) row += f(first + k);
        total += row;
      }
    return total;
  }
  template <class F>
  double sum(F const& f) const {
    double total = local_sum(f);
    if (exchanges_) MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total;
  }
  shape s_;
  halo_by_dimensions<3> exchange_;
  bool fused_, exchanges_;
  std::vector<double> b_, x_, r_, p_, q_;
  double rr_ = 0;
};

void iterations(races& all, int const (&sizes)[3], index_t n) {
  std::string const what = "CG iteration, 27 points, " + std::to_string(n) + "^3 per rank";
  if (!all.wants(what)) return;
  device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]});
  auto const mpi = mesh_over_mpi<grid>(sizes);
  auto const right = [&](device_mesh<grid> const& on) {
    return generate<double, space>(on, {n * sizes[0], n * sizes[1], n * sizes[2]}, wave{});
  };
  auto const b = right(m), over_mpi = right(mpi);
  by_ashlar a(b, true), a_mpi(over_mpi, true), apart(b, false);
  by_hand hand(b, true, true), by_statements(b, false, true), alone(b, true, false);
  auto const after_ten = [](auto const& iterate, auto const& rr) {
    for (int i = 0; i < 10; ++i) iterate();
    return rr();
  };
  hand.start();
  double const expected = after_ten([&] { hand.iterate(); }, [&] { return hand.rr(); });
  auto const ours = [&](char const* name, by_ashlar& s, field const& start) {
    return variant{name, transport_of(start.mesh()), [&s] { s.iterate(); },
                   [&s, &after_ten, expected] {
                     double const found = after_ten([&] { s.iterate(); }, [&] { return item(s.rr); });
                     return std::abs(found - expected) <= 1e-9 * expected;
                   },
                   [&s, &start] { s.start(start); }};
  };
  auto const theirs = [&](char const* name, auto& solver) {
    return variant{name, "mpi", [&solver] { solver.iterate(); },
                   [&solver, &after_ten, expected] {
                     double const found = after_ten([&] { solver.iterate(); }, [&] { return solver.rr(); });
                     return std::abs(found - expected) <= 1e-9 * expected;
                   },
                   [&solver] { solver.start(); }};
  };
  std::vector<variant> variants{ours("ashlar", a, b),
                                ours(ashlar_over_mpi, a_mpi, over_mpi),
                                ours("ashlar: stencil, updates and sums apart", apart, b),
                                theirs("by hand: packed messages, fused loops", hand),
                                theirs("by hand: packed messages, a loop a statement", by_statements),
                                {"limit: fused loops without communication", "none", [&] { alone.iterate(); },
                                 [] { return true; }, [&] { alone.start(); }}};
#ifdef ASHLAR_BENCH_PETSC
  petsc::conjugate_gradients shell(m.sizes(), b.extents(), false), aij(m.sizes(), b.extents(), true);
  auto const cells = owned(b);
  for (petsc::conjugate_gradients* solver : {&shell, &aij}) {
    std::copy_n(cells.data(), cells.local_size(), solver->right_hand_side());
    solver->start();
  }
  variants.push_back(theirs("PETSc: shell matrix", shell));
  variants.push_back(theirs("PETSc: AIJ matrix", aij));
#endif
  all.race(what, variants);
}

void measure(int argc, char** argv) {
  int ranks = 1, sizes[3]{};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, sizes);
  races all("cg", argc, argv);
  iterations(all, sizes, 128);
  iterations(all, sizes, 32);
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
#ifdef ASHLAR_BENCH_PETSC
  petsc::library const initialised;
#endif
  return run([&] { measure(argc, argv); });
}
