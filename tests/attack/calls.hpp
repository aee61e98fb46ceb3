// The calls of several ranks that the attacks disturb. Each call checks its own result.
#pragma once
#include <ashlar/ashlar.hpp>
#include <ashlar/checkpoint/arrays.hpp>
#include <ashlar/checkpoint/checkpoints.hpp>
#include <ashlar/io/hdf5/field_series.hpp>
#include <ashlar/tensor/arrays/between_meshes.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/hdf5_file.hpp"

namespace attack {

using namespace ashlar;
using namespace ashlar::datasets;
using namespace ashlar::io;
using namespace ashlar::training;
using line = mesh<axis<"x">>;

// An operand and result in memory of the program. After an error nobody may write to it any more.
inline int raw_number = 1;

struct number_of {
  double first;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return first + static_cast<double>(i * 7 + j); }
};

template <class X>
struct only {
  X x;
  static constexpr auto names = ashlar::names("x");
};

// Meshes of all ranks, and operands of all calls: matrices of `rows` x 30.
class stage {
 public:
  stage(int ranks, std::filesystem::path folder, index_t n)
      : folder_(std::move(folder)),
        m_(MPI_COMM_WORLD, {ranks}),
        other_(MPI_COMM_WORLD, {ranks}),
        n_(n),
        rows_of_files_(n) {}

  // Files that the calls read. Called by one rank.
  static void write_files(std::filesystem::path const& folder) {
    std::ofstream npy(folder / "in.npy", std::ios::binary);
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (12, 4), }";
    header.resize(117, ' ');
    header += '\n';
    npy.write("\x93NUMPY\1\0", 8).put(static_cast<char>(header.size())).put(0) << header;
    for (int i = 0; i < 48; ++i) {
      double const x = i;
      npy.write(reinterpret_cast<char const*>(&x), sizeof x);
    }
    std::ofstream(folder / "in.raw", std::ios::binary).write("abcdefghijkl", 12);
    std::ofstream idx(folder / "in.idx", std::ios::binary);
    idx.write("\0\0\x08\x01\0\0\0\x0c", 8) << "abcdefghijkl";
  }

  // Calls "pad", or "pad+1" on tensors with one more row. Post: true if the result is right.
  bool call(std::string const& name) {
    bool const has_more_rows = name.ends_with(more_rows);
    std::string const plain = name.substr(0, name.size() - (has_more_rows ? more_rows.size() : 0));
    n_ += has_more_rows;
    for (entry const& e : table())
      if (plain == e.name) return (this->*e.call)();
    throw error("attack: there is no call " + name);
  }
  static std::vector<std::string> names() {
    std::vector<std::string> all;
    for (entry const& e : table()) all.emplace_back(e.name);
    return all;
  }
  // Each call beside the same with another argument: "pad,pad+1", "pad,pad_by_101".
  static std::vector<std::string> variants() {
    std::vector<std::string> all;
    for (entry const& e : table()) {
      std::string const name = e.name;
      if (e.of != nullptr) all.push_back(e.of + ("," + name));
      if (e.of == nullptr && e.rows == has_rows) all.push_back(name + "," + name + std::string(more_rows));
    }
    return all;
  }

 private:
  static constexpr std::string_view more_rows = "+1";
  // Whether the call gives the extents of a tensor.
  enum rows_of_call { has_rows, no_rows };
  struct entry {
    char const* name;
    bool (stage::*call)();
    char const* of = nullptr;  // the call of which it is a variant: another value of one argument
    rows_of_call rows = has_rows;
  };
  static std::vector<entry> table() {
    return {{"all_gather", &stage::gathers},
            {"all_to_all", &stage::exchanges},
            {"all_reduce", &stage::reduces},
            {"reduce_scatter", &stage::scatters_sums},
            {"roll", &stage::rolls},
            {"exchange_halo", &stage::exchanges_halos},
            {"exchange_halo_async", &stage::exchanges_halos_later},
            {"add_halo", &stage::adds_halos},
            {"all_gather_async", &stage::gathers_later},
            {"all_reduce_async", &stage::reduces_later},
            {"reduce_scatter_async", &stage::scatters_sums_later},
            {"bundle", &stage::reduces_bundle},
            {"gather_in_chunks", &stage::gathers_and_multiplies},
            {"reduce_scatter_in_chunks", &stage::multiplies_and_reduces},
            {"between_meshes", &stage::moves_to_other_mesh},
            {"gather", &stage::gathers_on_rank_0},
            {"gather_all", &stage::gathers_everywhere},
            {"scatter", &stage::scatters},
            {"print", &stage::prints},
            {"collectively", &stage::agrees, nullptr, no_rows},
            {"on_root", &stage::agrees_on_root, nullptr, no_rows},
            {"require_equal", &stage::requires_equal},
            {"raw", &stage::reduces_raw_memory, nullptr, no_rows},
            {"mesh", &stage::makes_a_mesh, nullptr, no_rows},
            {"save_checkpoint", &stage::saves},
            {"load_checkpoint", &stage::loads},
            {"checkpoints", &stage::saves_later},
            {"resume", &stage::resumes},
            {"save_arrays", &stage::saves_arrays},
            {"load_arrays", &stage::loads_arrays},
            {"save_npy", &stage::saves_npy},
            {"load_npy", &stage::loads_npy, nullptr, no_rows},
            {"save_npz", &stage::saves_npz},
            {"load_npz", &stage::loads_npz, nullptr, no_rows},
            {"hdf5_create", &stage::saves_hdf5},
            {"hdf5_read", &stage::loads_hdf5, nullptr, no_rows},
            {"field_series", &stage::saves_series},
            {"sort", &stage::sorts},
            {"matmul", &stage::multiplies},
            {"redistribute_from", &stage::takes_blocks},
            {"copy_to_mesh", &stage::copies_to_mesh},
            {"open_npy", &stage::opens_npy, nullptr, no_rows},
            {"open_idx", &stage::opens_idx, nullptr, no_rows},
            {"batch_stream", &stage::reads_batch, nullptr, no_rows},
            {"open_raw", &stage::opens_raw, nullptr, no_rows},
            {"csv_log", &stage::logs, nullptr, no_rows},
            {"hdf5_add", &stage::adds_hdf5},
            {"hdf5_update", &stage::updates_hdf5},
            {"hdf5_attribute", &stage::loads_attribute, nullptr, no_rows},
            {"raw_max", &stage::takes_largest_of_raw_memory, "raw"},
            {"raw_pair", &stage::reduces_two_of_raw_memory, "raw"},
            {"raw_broadcast", &stage::broadcasts_from<0>, nullptr, no_rows},
            {"raw_broadcast_from_1", &stage::broadcasts_from<1>, "raw_broadcast"},
            {"raw_broadcast_of_many", &stage::broadcasts_many, "raw_broadcast"},
            {"raw_all_gather", &stage::gathers_raw_memory, nullptr, no_rows},
            {"raw_all_to_all", &stage::exchanges_raw_memory, nullptr, no_rows},
            {"raw_reduce_scatter", &stage::scatters_sums_of_raw_memory, nullptr, no_rows},
            {"raw_permute", &stage::permutes_raw_memory, nullptr, no_rows},
            // The same functions with other arguments.
            {"save_checkpoint_of_two", &stage::saves_two, "save_checkpoint"},
            {"load_checkpoint_by_rows", &stage::loads_by<rows>, "load_checkpoint"},
            {"checkpoints_at_once", &stage::saves_at_once, "checkpoints"},
            {"save_arrays_by_columns", &stage::saves_arrays_by<columns>, "save_arrays"},
            {"load_arrays_by_rows", &stage::loads_arrays_by<rows>, "load_arrays"},
            {"save_npy_by_columns", &stage::saves_npy_by<columns>, "save_npy"},
            {"load_npy_by_rows", &stage::loads_npy_by<rows>, "load_npy"},
            {"save_npz_of_one", &stage::saves_npz_of_one, "save_npz"},
            {"load_npz_by_rows", &stage::loads_npz_by<rows>, "load_npz"},
            {"hdf5_create_in_chunks", &stage::saves_hdf5_in_chunks, "hdf5_create"},
            {"hdf5_read_by_rows", &stage::loads_hdf5_by<rows>, "hdf5_read"},
            {"hdf5_read_box", &stage::loads_hdf5_box, "hdf5_read"},
            {"field_series_of_two", &stage::saves_series_of_two, "field_series"},
            {"pad", &stage::pads<100>},
            {"pad_by_101", &stage::pads<101>, "pad"},
            {"slice", &stage::slices<50>},
            {"slice_from_51", &stage::slices<51>, "slice"},
            {"sort_of_columns", &stage::sorts_columns, "sort"},
            {"all_gather_of_columns", &stage::gathers_columns, "all_gather"},
            {"all_to_all_of_columns", &stage::exchanges_columns, "all_to_all"},
            {"reduce_scatter_to_columns", &stage::scatters_sums_to_columns, "reduce_scatter"},
            {"exchange_halo_of_2", &stage::exchanges_halos_of_2, "exchange_halo"},
            {"bundle_of_three", &stage::reduces_three, "bundle"},
            {"gather_in_5_chunks", &stage::gathers_and_multiplies_in<5>, "gather_in_chunks"},
            {"reduce_scatter_in_5_chunks", &stage::multiplies_and_reduces_in<5>, "reduce_scatter_in_chunks"},
            {"all_reduce_in_chunks", &stage::multiplies_and_reduces_all<4>},
            {"all_reduce_in_5_chunks", &stage::multiplies_and_reduces_all<5>, "all_reduce_in_chunks"},
            {"gather_of_columns", &stage::gathers_columns_on_rank_0, "gather"},
            {"gather_all_of_columns", &stage::gathers_columns_everywhere, "gather_all"},
            {"scatter_to_columns", &stage::scatters_to<columns>, "scatter"},
            {"print_of_columns", &stage::prints_of<columns>, "print"},
            {"require_equal_of_two", &stage::requires_two_equal, "require_equal"},
            {"raw_float", &stage::reduces_float_of_raw_memory, "raw"},
            {"raw_all_gather_of_two", &stage::gathers_two_of_raw_memory, "raw_all_gather"},
            {"raw_all_to_all_of_two", &stage::exchanges_two_of_raw_memory, "raw_all_to_all"},
            {"raw_reduce_scatter_max", &stage::scatters_largest_of_raw_memory, "raw_reduce_scatter"},
            {"roll_async", &stage::rolls_later<1>},
            {"roll_async_by_2", &stage::rolls_later<2>, "roll_async"},
            {"shift", &stage::shifts<1>},
            {"shift_by_2", &stage::shifts<2>, "shift"},
            {"paste", &stage::pastes<2>},
            {"paste_at_3", &stage::pastes<3>, "paste"},
            {"concatenate", &stage::concatenates},
            {"concatenate_of_three", &stage::concatenates_three, "concatenate"},
            {"argsort", &stage::argsorts},
            {"top_k", &stage::takes_largest<3>},
            {"top_k_of_4", &stage::takes_largest<4>, "top_k"},
            {"cumsum", &stage::sums_along},
            {"transpose", &stage::transposes},
            {"redistribute_into", &stage::redistributes_into},
            {"matmul_into", &stage::multiplies_into},
            {"einsum_to_layout", &stage::multiplies_to},
            {"redistribute_to", &stage::gives_blocks},
            {"pack", &stage::packs<rows>},
            {"pack_of_columns", &stage::packs<columns>, "pack"},
            {"copy_to_mesh_of_columns", &stage::copies_to_mesh_by<columns>, "copy_to_mesh"},
            {"adopt", &stage::adopts},
            {"update_halo", &stage::updates_halos},
            {"require_equal_replicas", &stage::requires_equal_replicas},
            {"clip_by_global_norm", &stage::clips<1>},
            {"clip_by_global_norm_to_2", &stage::clips<2>, "clip_by_global_norm"},
            {"normal", &stage::draws<1>},
            {"normal_of_key_2", &stage::draws<2>, "normal"},
            {"dropout", &stage::drops_out<1>},
            {"dropout_of_key_2", &stage::drops_out<2>, "dropout"},
            {"full", &stage::makes_full<1>},
            {"full_of_2", &stage::makes_full<2>, "full"},
            {"fill", &stage::fills<1>},
            {"fill_with_2", &stage::fills<2>, "fill"},
            {"select", &stage::selects<1>},
            {"select_2", &stage::selects<2>, "select"},
            {"save_checkpoint_of_step_4", &stage::saves_step_4, "save_checkpoint"},
            {"save_checkpoint_elsewhere", &stage::saves_to_another_file, "save_checkpoint"},
            {"save_arrays_elsewhere", &stage::saves_arrays_to_another_file, "save_arrays"},
            {"save_npy_elsewhere", &stage::saves_npy_to_another_file, "save_npy"},
            {"save_npz_elsewhere", &stage::saves_npz_to_another_file, "save_npz"},
            {"hdf5_create_elsewhere", &stage::saves_hdf5_to_another_file, "hdf5_create"},
            {"hdf5_create_as_y", &stage::saves_hdf5_as_y, "hdf5_create"},
            {"number_log", &stage::logs_numbers, nullptr, no_rows},
            {"batch_stream_of_4", &stage::reads_batch_of_4, "batch_stream"},
            {"cache_on_disk", &stage::caches, nullptr, no_rows},
            {"require_peak_memory", &stage::requires_memory, nullptr, no_rows},
            {"trace", &stage::traces, nullptr, no_rows}};
  }

  template <class L>
  using matrix = sharded_tensor<double, L, line>;
  using rows = layout<"x", none>;
  using columns = layout<none, "x">;
  using whole = layout<none, none>;
  using sums = partial<whole, "x">;

  template <class L>
  matrix<L> numbered() const {
    return generate<double, L>(m_, {n_, 30}, number_of{0});
  }
  // Every element is the number of ranks once it is reduced.
  matrix<sums> ones() const {
    auto x = make<double, sums>(m_, {n_, 30});
    fill(x, 1.);
    return x;
  }
  template <class X>
  static bool same(X const& x, double (*f)(stage const&, index_t, index_t), stage const& s) {
    auto const box = x.local_region();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.view());
    index_t k = 0;
    for (index_t i = 0; i < box.dim[0].size(); ++i)
      for (index_t j = 0; j < box.dim[1].size(); ++j)
        if (static_cast<double>(host.data()[k++]) != f(s, box.dim[0][i], box.dim[1][j])) return false;
    return true;
  }
  template <class X>
  bool is_numbered(X const& x) const {
    return same(
        x, [](stage const&, index_t i, index_t j) { return number_of{0}(i, j); }, *this);
  }
  template <class X>
  bool is_reduced(X const& x) const {
    return same(
        x, [](stage const& s, index_t, index_t) { return double(s.m_.size()); }, *this);
  }

  bool gathers() { return is_numbered(all_gather<"x">(numbered<rows>())); }
  bool exchanges() { return is_numbered(all_to_all<"x", 1>(numbered<rows>())); }
  bool reduces() { return is_reduced(all_reduce<"x">(ones())); }
  bool scatters_sums() { return is_reduced(reduce_scatter<"x", 0>(ones())); }
  bool rolls() {
    return same(
        roll<0>(numbered<rows>(), n_ / 2 + 1),
        [](stage const& s, index_t i, index_t j) { return number_of{0}((i + s.n_ - (s.n_ / 2 + 1)) % s.n_, j); },
        *this);
  }
  using halos = layout<halo("x", 1), none>;
  bool exchanges_halos() {
    auto const u = generate<double, halos>(m_, {n_, 30}, number_of{0});
    return is_numbered(owned(exchange_halo(u)));
  }
  bool exchanges_halos_later() {
    auto const u = generate<double, halos>(m_, {n_, 30}, number_of{0});
    return is_numbered(owned(exchange_halo_async(u).wait()));
  }
  // Of ones, a row gets one more from each neighbour that stores it in its halo.
  bool adds_halos() {
    auto x = make<double, halo_sums<halos>>(m_, {n_, 30});
    Kokkos::deep_copy(x.stored_view(), 1.);
    auto const y = owned(add_halo(x));
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y.view());
    auto const own = y.local_region().dim[0];
    for (index_t i = 0; i < own.size(); ++i)
      for (index_t j = 0; j < 30; ++j) {
        int const neighbours = int(i == 0 && own[i] > 0) + int(i + 1 == own.size() && own[i] + 1 < n_);
        if (host.data()[i * 30 + j] != 1 + neighbours) return false;
      }
    return true;
  }
  bool gathers_later() { return is_numbered(all_gather_async<"x">(numbered<rows>()).wait()); }
  bool reduces_later() { return is_reduced(all_reduce_async<"x">(ones()).wait()); }
  bool scatters_sums_later() { return is_reduced(reduce_scatter_async<"x", 0>(ones()).wait()); }
  bool reduces_bundle() {
    auto const [a, b] = all_reduce<"x">(bundle(ones(), ones()));
    return is_reduced(a) && is_reduced(b);
  }
  bool gathers_and_multiplies() { return gathers_and_multiplies_in<4>(); }
  template <int Chunks>
  bool gathers_and_multiplies_in() {
    auto const y =
        einsum<"ij,jk->ik">(ones_of<rows>(n_, 30), ones_of<whole>(30, 5), to_layout<whole>.in_chunks(Chunks));
    return same(
        y, [](stage const&, index_t, index_t) { return 30.; }, *this);
  }
  bool multiplies_and_reduces() { return multiplies_and_reduces_in<4>(); }
  template <int Chunks>
  bool multiplies_and_reduces_all() {
    auto const y =
        einsum<"ij,jk->ik">(ones_of<columns>(n_, 30), ones_of<rows>(30, 5), to_layout<whole>.in_chunks(Chunks));
    return same(
        y, [](stage const&, index_t, index_t) { return 30.; }, *this);
  }
  template <int Chunks>
  bool multiplies_and_reduces_in() {
    auto const y =
        einsum<"ij,jk->ik">(ones_of<columns>(n_, 30), ones_of<rows>(30, 5), to_layout<rows>.in_chunks(Chunks));
    return same(
        y, [](stage const&, index_t, index_t) { return 30.; }, *this);
  }
  template <class L>
  matrix<L> ones_of(index_t r, index_t c) const {
    auto x = make<double, L>(m_, {r, c});
    fill(x, 1.);
    return x;
  }
  bool moves_to_other_mesh() { return is_numbered(redistribute<layout<none, "z">>(numbered<rows>(), other_)); }
  bool right(std::vector<double> const& all) const {
    for (index_t i = 0; i < n_ * 30; ++i)
      if (all[static_cast<std::size_t>(i)] != number_of{0}(i / 30, i % 30)) return false;
    return true;
  }
  bool gathers_on_rank_0() {
    auto const all = gather(numbered<rows>());
    return m_.rank() != 0 || right(all);
  }
  bool gathers_everywhere() { return right(gather_all(numbered<rows>())); }
  bool scatters() { return scatters_to<rows>(); }
  template <class L>
  bool scatters_to() {
    std::vector<double> all;
    for (index_t i = 0; m_.rank() == 0 && i < n_ * 30; ++i) all.push_back(number_of{0}(i / 30, i % 30));
    return is_numbered(scatter<L>(m_, {n_, 30}, all));
  }
  bool prints() { return prints_of<rows>(); }
  template <class L>
  bool prints_of() {
    std::ostringstream out;
    print(out, numbered<L>());
    return m_.rank() != 0 || !out.str().empty();
  }
  bool agrees() {
    comm::collectively(m_.communicator(), [] {});
    return true;
  }
  bool agrees_on_root() {
    comm::on_root(m_.communicator(), [] {});
    return true;
  }
  bool requires_equal() {
    comm::require_equal(m_.communicator(), std::vector<index_t>{n_}, "ashlar: the number");
    return true;
  }
  bool reduces_raw_memory() {
    raw_number = 1;
    comm::all_reduce<op::sum>(m_.communicator(), &raw_number, 1);
    return raw_number == m_.size();
  }
  bool takes_largest_of_raw_memory() {
    raw_number = 1;
    comm::all_reduce<op::max>(m_.communicator(), &raw_number, 1);
    return raw_number == 1;
  }
  bool reduces_two_of_raw_memory() {
    int two[]{1, 1};
    comm::all_reduce<op::sum>(m_.communicator(), two, 2);
    return two[1] == m_.size();
  }
  template <int Root>
  bool broadcasts_from() {
    int n = m_.rank() == Root ? 7 : 0;
    comm::broadcast(m_.communicator(), &n, 1, Root);
    return n == 7;
  }
  bool broadcasts_many() {
    std::vector<double> x(100000, m_.rank() == 0 ? 7. : 0.);
    comm::broadcast(m_.communicator(), x.data(), x.size(), 0);
    return x.back() == 7;
  }
  bool gathers_raw_memory() {
    std::vector<int> all(static_cast<std::size_t>(m_.size()));
    comm::all_gather(m_.communicator(), &(raw_number = 1), 1, all.data());
    return all.back() == 1;
  }
  bool exchanges_raw_memory() {
    std::vector<int> from(static_cast<std::size_t>(m_.size()), m_.rank()), to(from.size());
    comm::all_to_all(m_.communicator(), from.data(), 1, to.data());
    return to.back() == m_.size() - 1;
  }
  bool scatters_sums_of_raw_memory() {
    std::vector<int> const from(static_cast<std::size_t>(m_.size()), 1);
    int sum = 0;
    comm::reduce_scatter<op::sum>(m_.communicator(), from.data(), &sum, 1);
    return sum == m_.size();
  }
  bool permutes_raw_memory() {
    int const p = m_.size(), r = m_.rank();
    int from = -1;
    comm::permute(m_.communicator(), &r, 1, (r + 1) % p, &from, 1, (r + p - 1) % p);
    return from == (r + p - 1) % p;
  }
  template <int N>
  bool pads() {
    return pad(numbered<rows>(), {N, 0}, {0, 0}).extents()[0] == n_ + N;
  }
  template <int N>
  bool slices() {
    return slice<rows>(numbered<rows>(), {N, 0}, {n_ / 2, 30}).extents()[0] == n_ / 2;
  }
  bool makes_a_mesh() { return device_mesh<line>(MPI_COMM_WORLD, {m_.size()}).size() == m_.size(); }
  bool saves() {
    auto x = numbered<rows>();
    save_checkpoint(m_, folder_ / "out.h5", 3, checkpoint_part("x", x));
    return true;
  }
  bool saves_two() {
    auto x = numbered<rows>(), y = numbered<rows>();
    save_checkpoint(m_, folder_ / "out.h5", 3, checkpoint_part("x", x), checkpoint_part("y", y));
    return true;
  }
  bool loads() { return loads_by<columns>(); }
  template <class L>
  bool loads_by() {
    auto x = make<double, L>(m_, {n_, 30});
    return load_checkpoint(m_, file("in.h5"), checkpoint_part("x", x)) == 3 && is_numbered(x);
  }
  bool saves_later() { return saves_step(true); }
  bool saves_at_once() { return saves_step(false); }
  bool saves_step(bool later) {
    auto x = numbered<rows>();
    checkpoints c(m_.communicator(), folder_ / "run", {.every = 1, .keep = 2, .asynchronous = later});
    c.after_step(1, checkpoint_part("x", x));
    c.finish();
    return true;
  }
  bool resumes() {
    auto x = make<double, columns>(m_, {n_, 30});
    return run_->resume(checkpoint_part("x", x)) == 1 && is_numbered(x);
  }
  bool saves_arrays() { return saves_arrays_by<rows>(); }
  template <class L>
  bool saves_arrays_by() {
    save_arrays(m_, folder_ / "out.safetensors", build<only>(numbered<L>()));
    return true;
  }
  bool loads_arrays() { return loads_arrays_by<columns>(); }
  template <class L>
  bool loads_arrays_by() {
    auto p = build<only>(make<double, L>(m_, {n_, 30}));
    load_arrays(m_, file("in.safetensors"), p);
    return is_numbered(p.x);
  }
  std::string text(char const* name) const { return (folder_ / name).string(); }
  bool saves_npy() { return saves_npy_by<rows>(); }
  template <class L>
  bool saves_npy_by() {
    save_npy(m_, text("out.npy"), numbered<L>());
    return true;
  }
  bool loads_npy() { return loads_npy_by<columns>(); }
  template <class L>
  bool loads_npy_by() {
    return is_numbered(load_npy<double, L>(m_, file("in.npy").string()));
  }
  bool saves_npz() {
    save_npz(m_, text("out.npz"), npz_array("x", numbered<rows>()), npz_array("y", numbered<columns>()));
    return true;
  }
  bool saves_npz_of_one() {
    save_npz(m_, text("out.npz"), npz_array("x", numbered<rows>()));
    return true;
  }
  bool loads_npz() { return loads_npz_by<columns>(); }
  template <class L>
  bool loads_npz_by() {
    return is_numbered(load_npz<double, L>(m_, file("in.npz").string(), "x"));
  }
  bool saves_hdf5() {
    test::create_hdf5(text("field.h5"), "x", numbered<rows>());
    return true;
  }
  bool saves_hdf5_in_chunks() {
    test::create_hdf5(text("field.h5"), "x", numbered<rows>(), {.chunk = {16, 30}});
    return true;
  }
  bool loads_hdf5() { return loads_hdf5_by<columns>(); }
  template <class L>
  bool loads_hdf5_by() {
    return is_numbered(test::read_hdf5<double, L>(m_, file("field.h5").string(), "x"));
  }
  bool loads_hdf5_box() {
    return test::read_hdf5<double, columns>(m_, file("field.h5").string(), "x", {{0, 1}, {n_, 20}}).extents()[1] == 20;
  }
  bool adds_hdf5() {
    if (m_.rank() == 0)
      std::filesystem::copy_file(file("field.h5"), text("added.h5"), std::filesystem::copy_options::overwrite_existing);
    test::add_to_hdf5(text("added.h5"), "y", numbered<rows>());
    return true;
  }
  bool updates_hdf5() {
    test::write_hdf5_box(file("field.h5").string(), "x", numbered<rows>(), {0, 0});
    return true;
  }
  bool loads_attribute() { return test::read_hdf5_attribute<double>(m_, file("field.h5").string(), "x", "step") == 3; }
  bool saves_series_of_two() {
    field_series series(m_, text("series.xdmf"));
    series.write(0.5, series_field("x", numbered<rows>()), series_field("y", numbered<rows>()));
    return true;
  }
  bool logs() {
    csv_log log(m_.communicator(), text("log.csv"), {"epoch", "loss"});
    log.add({1., 2.});
    return true;
  }
  bool saves_series() {
    field_series series(m_, text("series.xdmf"));
    series.write(0.5, series_field("x", numbered<rows>()));
    return true;
  }
  bool sorts_columns() { return sort<1>(all_to_all<"x", 1>(numbered<rows>())).extents()[0] == n_; }
  bool sorts() { return is_numbered(sort<0>(numbered<rows>())); }
  bool multiplies() {
    auto const y = matmul(ones_of<columns>(n_, 30), ones_of<rows>(30, 5), to_layout<rows>);
    return same(
        y, [](stage const&, index_t, index_t) { return 30.; }, *this);
  }
  bool takes_blocks() {
    auto const x = numbered<rows>();
    return is_numbered(redistribute_from<columns>(m_, x.view(), {x.local_region().dim[0].begin, 0}));
  }
  bool copies_to_mesh() { return copies_to_mesh_by<rows>(); }
  template <class L>
  bool copies_to_mesh_by() {
    std::vector<double> all;
    for (index_t i = 0; i < n_ * 30; ++i) all.push_back(number_of{0}(i / 30, i % 30));
    return right(gather_all(copy_to_mesh<L>(m_, {n_, 30}, all)));
  }
  bool opens_npy() { return open_npy(m_.communicator(), folder_ / "in.npy").examples() == 12; }
  bool opens_raw() { return open_raw<std::uint8_t>(m_.communicator(), text("in.raw"), {12}).examples() == 12; }
  bool opens_idx() { return open_idx(m_.communicator(), folder_ / "in.idx").examples() == 12; }
  bool reads_batch() {
    batch_stream stream(m_, from_arrays(npy_array{{12}, npy_kind::u1, std::vector<std::uint8_t>(12)}).batch(6),
                        batch_field<std::int32_t, layout<"x">>{});
    return stream.next().examples == 6 && stream.next().examples == 6;
  }
  bool reads_batch_of_4() {
    batch_stream stream(m_, from_arrays(npy_array{{12}, npy_kind::u1, std::vector<std::uint8_t>(12)}).batch(4),
                        batch_field<std::int32_t, layout<"x">>{});
    return stream.next().examples == 4;
  }
  bool gathers_columns() { return is_numbered(all_gather<"x">(numbered<columns>())); }
  bool exchanges_columns() { return is_numbered(all_to_all<"x", 0>(numbered<columns>())); }
  bool scatters_sums_to_columns() { return is_reduced(reduce_scatter<"x", 1>(ones())); }
  bool exchanges_halos_of_2() {
    auto const u = generate<double, layout<halo("x", 2), none>>(m_, {n_, 30}, number_of{0});
    return is_numbered(owned(exchange_halo(u)));
  }
  bool updates_halos() {
    auto const u = generate<double, halos>(m_, {n_, 30}, number_of{0});
    update_halo(u);
    return is_numbered(owned(u));
  }
  bool reduces_three() {
    auto const [a, b, c] = all_reduce<"x">(bundle(ones(), ones(), ones()));
    return is_reduced(a) && is_reduced(b) && is_reduced(c);
  }
  bool gathers_columns_on_rank_0() {
    auto const all = gather(numbered<columns>());
    return m_.rank() != 0 || right(all);
  }
  bool gathers_columns_everywhere() { return right(gather_all(numbered<columns>())); }
  bool requires_two_equal() {
    comm::require_equal(m_.communicator(), std::vector<index_t>{n_, n_}, "ashlar: the number");
    return true;
  }
  bool reduces_float_of_raw_memory() {
    float number = 1;
    comm::all_reduce<op::sum>(m_.communicator(), &number, 1);
    return number == static_cast<float>(m_.size());
  }
  bool gathers_two_of_raw_memory() {
    std::vector<int> const two{1, 1};
    std::vector<int> all(2 * static_cast<std::size_t>(m_.size()));
    comm::all_gather(m_.communicator(), two.data(), 2, all.data());
    return all.back() == 1;
  }
  bool exchanges_two_of_raw_memory() {
    std::vector<int> from(2 * static_cast<std::size_t>(m_.size()), m_.rank()), to(from.size());
    comm::all_to_all(m_.communicator(), from.data(), 2, to.data());
    return to.back() == m_.size() - 1;
  }
  bool scatters_largest_of_raw_memory() {
    std::vector<int> const from(static_cast<std::size_t>(m_.size()), 1);
    int most = 0;
    comm::reduce_scatter<op::max>(m_.communicator(), from.data(), &most, 1);
    return most == 1;
  }
  template <int By>
  bool rolls_later() {
    return same(
        roll_async<0>(numbered<rows>(), By).wait(),
        [](stage const& s, index_t i, index_t j) { return number_of{0}((i + s.n_ - By) % s.n_, j); }, *this);
  }
  template <int By>
  bool shifts() {
    return same(
        shift<0>(numbered<rows>(), By),
        [](stage const&, index_t i, index_t j) { return i < By ? 0 : number_of{0}(i - By, j); }, *this);
  }
  template <int At>
  bool pastes() {
    return same(
        paste(numbered<rows>(), {At, 0}, ones_of<rows>(n_ / 2, 30)),
        [](stage const& s, index_t i, index_t j) { return i >= At && i < At + s.n_ / 2 ? 1 : number_of{0}(i, j); },
        *this);
  }
  bool concatenates() { return concatenate<0>(numbered<rows>(), numbered<rows>()).extents()[0] == 2 * n_; }
  bool concatenates_three() {
    return concatenate<0>(numbered<rows>(), numbered<rows>(), numbered<rows>()).extents()[0] == 3 * n_;
  }
  bool argsorts() {
    return same(
        argsort<0>(numbered<rows>()), [](stage const&, index_t i, index_t) { return static_cast<double>(i); }, *this);
  }
  template <int K>
  bool takes_largest() {
    return top_k<0>(numbered<rows>(), K).values.extents()[0] == K;
  }
  bool sums_along() {
    return same(
        cumsum<0>(ones_of<rows>(n_, 30)), [](stage const&, index_t i, index_t) { return static_cast<double>(i + 1); },
        *this);
  }
  bool transposes() {
    return same(
        transpose<1, 0>(numbered<rows>(), to_layout<rows>),
        [](stage const&, index_t i, index_t j) { return number_of{0}(j, i); }, *this);
  }
  bool redistributes_into() {
    auto y = make<double, columns>(m_, {n_, 30});
    redistribute_into(y, numbered<rows>());
    return is_numbered(y);
  }
  bool multiplies_into() {
    auto c = zeros<double, rows>(m_, {n_, 5});
    matmul_into(c, 1., ones_of<rows>(n_, 30), ones_of<rows>(30, 5));
    return same(
        c, [](stage const&, index_t, index_t) { return 30.; }, *this);
  }
  bool multiplies_to() {
    auto const y = einsum<"ij,jk->ik">(ones_of<columns>(n_, 30), ones_of<rows>(30, 5), to_layout<rows>);
    return same(
        y, [](stage const&, index_t, index_t) { return 30.; }, *this);
  }
  bool gives_blocks() {
    auto y = make<double, columns>(m_, {n_, 30});
    redistribute_to(numbered<rows>(), y.view(), {0, y.local_region().dim[1].begin});
    return is_numbered(y);
  }
  template <class L>
  bool packs() {
    return right(gather_all(pack<L>(m_, {n_, 30}, unpack(numbered<L>()))));
  }
  bool adopts() {
    auto x = numbered<rows>();
    return is_numbered(adopt<rows>(m_, x.data(), {n_, 30}));
  }
  bool requires_equal_replicas() {
    require_equal_replicas(m_, build<only>(numbered<whole>()));
    return true;
  }
  template <int Bound>
  bool clips() {
    return item(clip_by_global_norm(build<only>(numbered<rows>()), Bound).norm) > 0;
  }
  // A local call on a tensor that each rank has whole, and a collective after it.
  template <class X>
  bool is_compared(X const& x) {
    return x.extents()[x.extents().rank - 1] == 30 && reduces();
  }
  template <int Key>
  bool draws() {
    return is_compared(normal<double, whole>(m_, {n_, 30}, prng_key{Key}));
  }
  template <int Key>
  bool drops_out() {
    return is_compared(dropout(numbered<whole>(), 0.5, prng_key{Key}));
  }
  template <int Value>
  bool makes_full() {
    return is_compared(full<double, whole>(m_, {n_, 30}, Value));
  }
  template <int Value>
  bool fills() {
    auto x = make<double, whole>(m_, {n_, 30});
    fill(x, Value);
    return is_compared(x);
  }
  template <int At>
  bool selects() {
    return is_compared(select(numbered<whole>(), At));
  }
  bool saves_step_4() {
    auto x = numbered<rows>();
    save_checkpoint(m_, folder_ / "out.h5", 4, checkpoint_part("x", x));
    return true;
  }
  bool saves_to_another_file() {
    auto x = numbered<rows>();
    save_checkpoint(m_, folder_ / "other.h5", 3, checkpoint_part("x", x));
    return true;
  }
  bool saves_arrays_to_another_file() {
    save_arrays(m_, folder_ / "other.safetensors", build<only>(numbered<rows>()));
    return true;
  }
  bool saves_npy_to_another_file() {
    save_npy(m_, text("other.npy"), numbered<rows>());
    return true;
  }
  bool saves_npz_to_another_file() {
    save_npz(m_, text("other.npz"), npz_array("x", numbered<rows>()), npz_array("y", numbered<columns>()));
    return true;
  }
  bool saves_hdf5_to_another_file() {
    test::create_hdf5(text("other_field.h5"), "x", numbered<rows>());
    return true;
  }
  bool saves_hdf5_as_y() {
    test::create_hdf5(text("field.h5"), "y", numbered<rows>());
    return true;
  }
  bool logs_numbers() {
    number_log log(m_.communicator(), text("numbers.txt"));
    log.add(1.5);
    return true;
  }
  bool caches() {
    auto const a = cache_on_disk(
        m_.communicator(), text("cache.npy"), [&] { return read_idx(text("in.idx")); }, "the numbers");
    return a.examples() == 12;
  }
  bool requires_memory() {
    require_peak_memory(m_.communicator(), std::size_t{1} << 40);
    return true;
  }
  bool traces() {
    comm::trace trace(m_.communicator(), text("trace.json"));
    trace.write();
    return true;
  }
  // A file that all ranks have written together before the attack.
  std::filesystem::path file(char const* name) const { return folder_ / (std::to_string(rows_of_files_) + "_" + name); }

 public:
  void write_inputs() {
    auto x = numbered<rows>();
    save_checkpoint(m_, file("in.h5"), 3, checkpoint_part("x", x));
    save_arrays(m_, file("in.safetensors"), build<only>(numbered<rows>()));
    save_npy(m_, file("in.npy").string(), x);
    save_npz(m_, file("in.npz").string(), npz_array("x", x));
    test::create_hdf5(file("field.h5").string(), "x", x, {.attributes = {{"step", 3.}}});
    run_.emplace(m_.communicator(), file("run"));
    run_->save(1, checkpoint_part("x", x));
  }

 private:
  std::filesystem::path folder_;
  device_mesh<line> m_;
  device_mesh<mesh<axis<"z">>> other_;
  index_t n_, rows_of_files_;
  std::optional<checkpoints> run_;  // of the files in write_inputs
};

}  // namespace attack
