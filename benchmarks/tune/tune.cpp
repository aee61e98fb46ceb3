// All ways to carry out a collective by messages of MPI, among the ranks that there are, from 64 B to 64 MiB. The first
// variant is the usual one; benchmarks/tune/run makes the table of include/ashlar/comm/collectives/tuning_table.hpp of the others' ratios.
// Sizes are those of the larger array of a rank.
#include <ashlar/comm/comm.hpp>
#include <ashlar/ops/collectives.hpp>
#include <ashlar/tensor/backend.hpp>
#include <ashlar/tensor/environment.hpp>

#include <cstring>
#include <limits>

#include "runtime/race.hpp"

namespace {

using namespace ashlar;
using namespace bench;
using comm::algorithm;

std::string size_text(std::size_t bytes) {
  if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + " MiB";
  if (bytes >= 1 << 10) return std::to_string(bytes >> 10) + " KiB";
  return std::to_string(bytes) + " B";
}

// Whole numbers, whose sums are exact in float.
float element(std::size_t i, int rank) {
  return static_cast<float>((31 * i + 13 * static_cast<std::size_t>(rank)) % 101) - 50;
}

// The race of one collective at one size.
class contest {
 public:
  contest(communicator const& c, collective what, std::size_t bytes, bool in_place = false)
      : c_(c), what_(what), in_place_(in_place), each_(bytes / sizeof(float) / static_cast<std::size_t>(c.size())) {
    std::size_t const p = static_cast<std::size_t>(c.size()),
                      all = what == collective::all_reduce ? bytes / sizeof(float) : p * each_;
    bytes_ = all * sizeof(float);
    x_.resize(what == collective::all_gather ? each_ : all);
    y_.resize(what == collective::reduce_scatter ? each_ : all);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = element(i, c.rank());
    for (std::size_t i = 0; i < y_.size(); ++i) {
      std::size_t const first = static_cast<std::size_t>(c.rank()) * each_;
      if (what == collective::all_gather)
        expected_.push_back(element(i % each_, static_cast<int>(i / each_)));
      else if (what == collective::all_to_all)
        expected_.push_back(element(first + i % each_, static_cast<int>(i / each_)));
      else
        expected_.push_back(sum(what == collective::reduce_scatter ? first + i : i));
    }
  }

  void start(races& all, std::string const& name) {
    comm::collective_call const call{what_, in_place_, c_.size(), bytes_};
    algorithm const usual = comm_detail::look_up({}, call);
    std::vector<variant> variants{by(usual)};
    for (algorithm a : {algorithm::exchange, algorithm::exchange_in_parts, algorithm::mpi, algorithm::mpi_in_place,
                        algorithm::mpi_with_counts, algorithm::persistent})
      if (a != usual && has(a)) variants.push_back(by(a));
    MPI_Request request = MPI_REQUEST_NULL;
    if (what_ == collective::all_reduce && comm_detail::persists(what_)) {
      auto const n = static_cast<comm_detail::count_type>(y_.size());
      comm_detail::check_mpi(
          ASHLAR_MPI_INIT(Allreduce)(in_place_ ? MPI_IN_PLACE : static_cast<void const*>(x_.data()), y_.data(), n,
                                     MPI_FLOAT, MPI_SUM, c_.get(), MPI_INFO_NULL, &request),
          "MPI_Allreduce_init");
      variants.push_back(checked("limit: persistent on the arrays themselves", [this, &request] {
        MPI_Start(&request);
        c_.wait(request);
      }));
    }
    all.race(name, variants);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }

 private:
  bool has(algorithm a) const {
    switch (a) {
      case algorithm::exchange_in_parts:
      case algorithm::mpi_in_place:
        return what_ == collective::all_reduce;
      case algorithm::mpi_with_counts:
        return what_ == collective::reduce_scatter;
      case algorithm::persistent:
        return comm_detail::persists(what_) && bytes_ <= comm::tuning{}.persistent_bytes;
      default:
        return true;
    }
  }
  float sum(std::size_t i) const {
    float s = 0;
    for (int q = 0; q < c_.size(); ++q) s += element(i, q);
    return s;
  }
  variant by(algorithm a) {
    comm::tuning const how{.forced = a};
    return checked(to_text(a), [this, how] {
      if (in_place_) return comm::all_reduce<op::sum>(c_, y_.data(), y_.size(), how);
      if (what_ == collective::all_reduce) return comm::all_reduce<op::sum>(c_, x_.data(), y_.data(), y_.size(), how);
      if (what_ == collective::all_gather) return comm::all_gather(c_, x_.data(), each_, y_.data(), how);
      if (what_ == collective::reduce_scatter)
        return comm::reduce_scatter<op::sum>(c_, x_.data(), y_.data(), each_, how);
      comm::all_to_all(c_, x_.data(), each_, y_.data(), how);
    });
  }
  variant checked(std::string const& name, std::function<void()> work) {
    // In place the result is the next operand: from zeros it neither grows nor stops being a number.
    auto const prepare = [this] {
      if (in_place_) std::fill(y_.begin(), y_.end(), 0.f);
    };
    auto const correct = [this, work] {
      if (in_place_)
        y_ = x_;
      else
        std::fill(y_.begin(), y_.end(), std::numeric_limits<float>::quiet_NaN());
      work();
      return y_ == expected_;
    };
    return {name, "mpi", [this, work] { work(), escape(y_.data()); }, correct, prepare};
  }

  communicator const& c_;
  collective what_;
  bool in_place_;
  std::size_t each_, bytes_ = 0;  // elements of a block; bytes of the larger array
  std::vector<float> x_, y_, expected_;
};

using line = mesh<axis<"x">>;

// The ways of a collective whose blocks are not contiguous in a square matrix of about `bytes` bytes.
template <class L, class F>
void race_of_shards(races& all, device_mesh<line> const& m, std::string const& name, std::size_t bytes, F collective) {
  if (!all.wants(name)) return;
  index_t const p = m.size(), n = (std::lround(std::sqrt(static_cast<double>(bytes / sizeof(float)))) + p - 1) / p * p;
  sharded_tensor<float, L, line, Kokkos::DefaultHostExecutionSpace> x(m, shape::of(n, n));
  for (index_t i = 0; i < x.local_size(); ++i) x.data()[i] = element(static_cast<std::size_t>(i), m.rank());
  auto const by = [&](algorithm a) {
    return [a, x, collective] {
      comm::tuned.forced = a;
      auto const y = collective(x);
      comm::tuned.forced.reset();
      escape(y.data());
      return y;
    };
  };
  std::vector<variant> variants;
  for (algorithm a : {algorithm::exchange, algorithm::exchange_by_types})
    variants.push_back({to_text(a), "mpi", by(a), [=] {
                          auto const y = by(a)(), expected = by(algorithm::mpi)();
                          return std::equal(y.data(), y.data() + y.local_size(), expected.data());
                        }});
  all.race(name, variants);
}

void measure(int argc, char** argv) {
  communicator const c(MPI_COMM_WORLD);
  races all("tune", argc, argv, {{"cores", std::to_string(comm_detail::own_cores().count())}});
  if (c.size() == 1) return;  // nothing moves
  constexpr std::pair<collective, bool> kinds[]{{collective::all_reduce, false},
                                                {collective::all_reduce, true},
                                                {collective::all_gather, false},
                                                {collective::reduce_scatter, false},
                                                {collective::all_to_all, false}};
  for (std::size_t bytes = 64; bytes <= 64 << 20; bytes *= 4)
    for (auto const& [what, in_place] : kinds) {
      std::string const name = to_text(what) + std::string(in_place ? " in place " : " ") + size_text(bytes);
      if (all.wants(name)) contest(c, what, bytes, in_place).start(all, name);
    }
  auto const m = mesh_over_mpi<line>({c.size()});
  for (std::size_t bytes = 64; bytes <= 64 << 20; bytes *= 4) {
    race_of_shards<layout<none, "x">>(all, m, "all_gather strided " + size_text(bytes), bytes,
                                      [](auto const& x) { return all_gather<"x">(x); });
    race_of_shards<layout<"x", none>>(all, m, "all_to_all strided " + size_text(bytes), bytes,
                                      [](auto const& x) { return all_to_all<"x", 1>(x); });
  }
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
