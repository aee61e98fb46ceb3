#include "ashlar/checkpoint/arrays.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support.hpp"
#include "support/data.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::training;
using test::said;
using testing::shared_folder, testing::grid, testing::grids, testing::mesh_of;

namespace {

std::filesystem::path const weights = testing::data_folder() / "weights";

// A tensor whose elements are first, first + step, ...
template <class T, class L>
auto counted(device_mesh<grid> const& m, shape const& n, double first, double step) {
  std::vector<T> all(static_cast<std::size_t>(n.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<T>(first + step * static_cast<double>(i));
  return tensor_detail::scatter_elements<L>(m, n, std::span<T const>(all));
}
template <class X>
bool is_counted(X const& x, double first, double step) {
  auto const all = gather_all(x);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<double>(all[i]) != first + step * static_cast<double>(i)) return false;
  return true;
}

template <class K, class B>
struct affine {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
template <class D1, class D2>
struct two_layers {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
// The 2 dense layers of the files in tests/data/weights, which scripts/reference_weights.py wrote.
template <class T, class Kernel, class Bias, class Kernel2 = Kernel>
auto mlp_of(device_mesh<grid> const& m) {
  return build<two_layers>(
      build<affine>(counted<T, Kernel>(m, shape::of(6, 5), -1, 0), counted<T, Bias>(m, shape::of(5), -1, 0)),
      build<affine>(counted<T, Kernel2>(m, shape::of(5, 4), -1, 0), counted<T, Bias>(m, shape::of(4), -1, 0)));
}
template <class P>
bool has_weights_of_file(P const& p) {
  return is_counted(p.d1.kernel, 0, 0.25) && is_counted(p.d1.bias, 100, 1) && is_counted(p.d2.kernel, 0, -0.25) &&
         is_counted(p.d2.bias, 200, 1);
}
template <class P>
bool is_untouched(P const& p) {
  return is_counted(p.d1.kernel, -1, 0) && is_counted(p.d1.bias, -1, 0) && is_counted(p.d2.kernel, -1, 0) &&
         is_counted(p.d2.bias, -1, 0);
}
// Calls f(p) with models of all layouts below.
template <class T, class F>
void for_each_layout(device_mesh<grid> const& m, F f) {
  f(mlp_of<T, layout<none, none>, layout<none>>(m));
  f(mlp_of<T, layout<"x", "y">, layout<axes("x", "y")>>(m));
  f(mlp_of<T, layout<axes("y", "x"), none>, layout<"x">, layout<none, axes("x", "y")>>(m));
  f(mlp_of<T, layout<none, "y">, layout<"y">, layout<"y", none>>(m));
  f(mlp_of<T, layout<cyclic("x", 2), "y">, layout<cyclic("y", 2)>, layout<"x", cyclic("y", 1)>>(m));
}

// [maps]
// nn.Linear has its outputs first. A file may have arrays that the model lacks only if the map ignores them.
array_map const from_pytorch{.arrays = {{"d1/kernel", "fc1.weight", {1, 0}},
                                        {"d1/bias", "fc1.bias"},
                                        {"d2/kernel", "fc2.weight", {1, 0}},
                                        {"d2/bias", "fc2.bias"}},
                             .ignored = {"steps"}};
// Keras numbers the variables of a layer: a kernel has number 0, a bias 1.
array_map const from_keras{.arrays = {{"d1/kernel", "layers/dense/vars/0"},
                                      {"d1/bias", "layers/dense/vars/1"},
                                      {"d2/kernel", "layers/dense_1/vars/0"},
                                      {"d2/bias", "layers/dense_1/vars/1"}},
                           .ignored = {"layers/batch_normalization/*"}};
// Flax: each * has the same characters in both names.
array_map const from_jax{.arrays = {{"d1/*", "params.Dense_0.*"}, {"d2/*", "params.Dense_1.*"}}};
// [maps]

}  // namespace

TEST_CASE("weights of PyTorch, Keras and JAX, in every layout") {
  for (auto const& n : grids()) {
    auto const m = mesh_of(n);
    communicator const& c = m.communicator();
    auto const check = [&](std::filesystem::path const& file, array_map const& map) {
      auto const load = [&](auto p) {
        load_arrays(c, file, p, map);
        CHECK(has_weights_of_file(p));
      };
      for_each_layout<float>(m, load);
      for_each_layout<double>(m, load);
    };
    check(weights / "torch.safetensors", from_pytorch);
    check(weights / "torch_bfloat16.safetensors", from_pytorch);
    check(weights / "torch.safetensors.index.json", from_pytorch);
    check(weights / "keras.weights.h5", from_keras);
    check(weights / "jax.safetensors", from_jax);
  }
}

TEST_CASE("the page's program") {
  auto const m = mesh_of(grids().back());
  auto p = mlp_of<float, layout<none, "y">, layout<"y">>(m);
  // [load]
  load_arrays(m, weights / "torch.safetensors", p, from_pytorch);
  CHECK(has_weights_of_file(p));
  load_arrays(m, weights / "torch.safetensors.index.json", p, from_pytorch);
  CHECK(has_weights_of_file(p));
  load_arrays(m, weights / "keras.weights.h5", p, from_keras);
  CHECK(has_weights_of_file(p));
  load_arrays(m, weights / "jax.safetensors", p, from_jax);
  CHECK(has_weights_of_file(p));
  // [load]
  shared_folder const shared;
  auto const& folder = shared.path;
  // [save]
  save_arrays(m, folder / "mlp.safetensors", p, from_pytorch, {.metadata = {{"format", "pt"}}});
  save_arrays(m, folder / "mlp.safetensors.index.json", p, from_pytorch, {.bytes_per_file = 150});
  save_arrays(m, folder / "mlp.h5", p);
  // [save]
  auto q = mlp_of<float, layout<"x", none>, layout<none>>(m);
  load_arrays(m, folder / "mlp.safetensors", q, from_pytorch);
  CHECK(has_weights_of_file(q));
}

TEST_CASE("what is saved in a layout is loaded in every other") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  for (auto const& n : grids()) {
    auto const m = mesh_of(n);
    for (char const* const name : {"a.safetensors", "a.safetensors.index.json", "a.h5"})
      for (array_map const& map :
           {array_map{}, array_map{.arrays = {{"*/kernel", "*/turned", {1, 0}}}},
            array_map{.arrays = {{"d1/kernel", "flat", {}, {3, 10}}, {"d2/kernel", "f", {1, 0}, {20}}}}})
        for_each_layout<float>(m, [&](auto const& empty) {
          auto p = empty;
          load_arrays(c, weights / "torch.safetensors", p, from_pytorch);
          save_arrays(c, folder.path / name, p, map, {.bytes_per_file = 100});
          for_each_layout<double>(m, [&](auto q) {
            load_arrays(c, folder.path / name, q, map);
            CHECK(has_weights_of_file(q));
          });
        });
  }
}

TEST_CASE("dimensions in other orders, uneven and empty shards") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  // Dimension d of the leaf is dimension transpose[d] of the array.
  array_map const turned{.arrays = {{"x/k", "x.k", {3, 1, 0, 2}}}}, as_it_is{.arrays = {{"x/k", "x.k"}}};
  auto const check = [&](device_mesh<grid> const& m, shape const& n, auto layout_type) {
    using L = decltype(layout_type);
    for (char const* const name : {"a.safetensors", "a.h5"}) {
      auto const x = counted<double, L>(m, n, 1, 0.5);
      save_arrays(c, folder.path / name, turned, {}, checkpoint_part("x/k", x));
      auto stored = counted<double, layout<none, none, none, none>>(m, shape::of(n[2], n[1], n[3], n[0]), 0, 0);
      load_arrays(c, folder.path / name, as_it_is, checkpoint_part("x/k", stored));
      auto const original = gather_all(x), in_file = gather_all(stored);
      bool right = true;
      for (index_t a = 0, k = 0; a < n[0]; ++a)
        for (index_t b = 0; b < n[1]; ++b)
          for (index_t d = 0; d < n[2]; ++d)
            for (index_t e = 0; e < n[3]; ++e, ++k)
              right = right && in_file[static_cast<std::size_t>(((d * n[1] + b) * n[3] + e) * n[0] + a)] ==
                                   original[static_cast<std::size_t>(k)];
      CHECK(right);
      auto back = counted<double, layout<"y", none, "x", none>>(m, n, 0, 0);
      load_arrays(c, folder.path / name, turned, checkpoint_part("x/k", back));
      CHECK(is_counted(back, 1, 0.5));
    }
  };
  for (auto const& g : grids()) {
    auto const m = mesh_of(g);
    for (shape const& n :
         {shape::of(3, 2, 5, 7), shape::of(1, 2, 1, 3), shape::of(40, 1, 33, 2), shape::of(2, 0, 3, 1)}) {
      check(m, n, layout<none, none, none, none>{});
      check(m, n, layout<"x", none, none, "y">{});
      check(m, n, layout<none, cyclic("y", 2), axes("x"), none>{});
    }
  }
}

TEST_CASE("kernels of PyTorch's convolutions and attention") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const m = mesh_of(grids().back());
  auto const file = folder.path / "torch.safetensors";
  index_t const channels = 6, heads = 2, each = 3;
  auto const conv_in_file = counted<float, layout<"x", none, none, none>>(m, shape::of(4, 3, 2, 5), 0, 1);
  auto const in_proj = counted<float, layout<"x", none>>(m, shape::of(3 * channels, channels), 0, 1);
  auto const out_proj = counted<float, layout<none, "y">>(m, shape::of(channels, channels), 0, 1);
  save_arrays(c, file, {}, {}, checkpoint_part("conv", conv_in_file), checkpoint_part("in", in_proj),
              checkpoint_part("out", out_proj));
  auto const load = [&](auto x, array_entry const& e) {
    load_arrays(c, file, array_map{{e}, {"*"}}, checkpoint_part("x", x));
    return x;
  };
  auto const is = [](auto const& x, auto of_indices) {
    auto const all = gather_all(x);
    shape const n = x.extents();
    bool right = true;
    for (index_t k = 0; k < n.size(); ++k) {
      index_t at[4]{};
      for (index_t d = n.rank - 1, rest = k; d >= 0; --d)
        at[d] = rest % n[static_cast<int>(d)], rest /= n[static_cast<int>(d)];
      right = right && all[static_cast<std::size_t>(k)] == static_cast<float>(of_indices(at[0], at[1], at[2], at[3]));
    }
    return right;
  };
  auto const conv =
      load(counted<float, layout<none, none, "y", "x">>(m, shape::of(2, 5, 3, 4), 0, 0), {"x", "conv", {2, 3, 1, 0}});
  CHECK(is(conv, [](index_t h, index_t w, index_t i, index_t o) { return ((o * 3 + i) * 2 + h) * 5 + w; }));
  auto const qkv =
      load(counted<float, layout<none, none, axes("x", "y"), none>>(m, shape::of(3, channels, heads, each), 0, 0),
           {"x", "in", {0, 3, 1, 2}, {3 * channels, channels}});
  CHECK(
      is(qkv, [&](index_t s, index_t i, index_t h, index_t d) { return ((s * heads + h) * each + d) * channels + i; }));
  auto const out = load(counted<float, layout<"y", none, "x">>(m, shape::of(heads, each, channels), 0, 0),
                        {"x", "out", {1, 2, 0}, {channels, channels}});
  CHECK(is(out, [&](index_t h, index_t d, index_t o, index_t) { return o * channels + h * each + d; }));
}

TEST_CASE("a tensor of many rounds, transposed and converted") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const m = mesh_of(grids().front());
  shape const n = shape::of(1201, 1403);  // 6.7 MB as float
  auto const x = counted<float, layout<none, axes("x", "y")>>(m, n, 0, 1);
  for (char const* const name : {"a.safetensors", "a.h5"}) {
    array_map const map{.arrays = {{"x/k", "k", {1, 0}}}};
    save_arrays(c, folder.path / name, map, {}, checkpoint_part("x/k", x));
    auto y = counted<double, layout<axes("y", "x"), none>>(m, n, 0, 0);
    load_arrays(c, folder.path / name, map, checkpoint_part("x/k", y));
    CHECK(is_counted(y, 0, 1));
  }
}

TEST_CASE("every element type that h5py and safetensors wrote") {
  auto const m = mesh_of(grids().back());
  communicator const& c = m.communicator();
  for (bool const hdf5 : {false, true}) {
    auto const file = weights / (hdf5 ? "types.h5" : "types.safetensors");
    auto const name = [&](std::string const& array) { return hdf5 ? "group/" + array : array; };
    auto const load = [&](std::string const& array, auto x) {
      load_arrays(c, file, array_map{{{"x", array}}, {"*"}}, checkpoint_part("x", x));
      return x;
    };
    auto const same = [](auto const& x, auto const& y) {
      auto const a = gather_all(x);
      auto const b = gather_all(y);
      bool equal = a.size() == b.size() && !a.empty();
      for (std::size_t i = 0; i < a.size() && equal; ++i) {
        auto const s = static_cast<double>(a[i]), t = static_cast<double>(b[i]);
        equal = (std::isnan(s) && std::isnan(t)) || (s == t && std::signbit(s) == std::signbit(t));
      }
      return equal;
    };
    auto const floats = counted<float, layout<"y">>(m, shape::of(13), 0, 0);
    auto const doubles = counted<double, layout<axes("y", "x")>>(m, shape::of(13), 0, 0);
    auto const expected = load(name("half_as_float"), floats);
    CHECK(std::isinf(gather_all(expected)[10]));
    CHECK(gather_all(expected)[2] == std::ldexp(1.f, -24));
    CHECK(std::isnan(gather_all(expected)[12]));
    CHECK(same(load(name("half"), floats), expected));
    CHECK(same(load(name("half"), doubles), expected));
    if (hdf5) {
      CHECK(same(load("big_endian_half", floats), expected));
      auto const table = counted<float, layout<"y", "x">>(m, shape::of(40, 30), 0, 0);
      CHECK(is_counted(load("chunked", table), 0, 0.5));
      CHECK(is_counted(load("big_endian", table), 0, 0.5));
      auto const z =
          gather_all(load("complex", scatter<layout<"x", none>>(m, {3, 3}, std::vector<Kokkos::complex<float>>(9))));
      for (std::size_t i = 0; i < 9; ++i) {
        float const part = static_cast<float>(30 * (i / 3) + i % 3) / 2;
        CHECK(z[i] == Kokkos::complex<float>(part, part));
      }
    } else {
      auto const brains = counted<float, layout<"x">>(m, shape::of(11), 0, 0);
      CHECK(same(load("brain", brains), load("brain_as_float", brains)));
    }
    CHECK(is_counted(load(name("double"), counted<double, layout<"x", "y">>(m, shape::of(3, 7), 0, 0)), 0, 0.125));
    CHECK(is_counted(load(name("int16"), counted<std::int16_t, layout<"y">>(m, shape::of(5), 0, 0)), 0, 1));
    CHECK(load(name("uint64"), std::uint64_t{3}) == ~std::uint64_t{0});
    CHECK(load(name("scalar"), 0.f) == 2.5f);
    CHECK(load(name("scalar"), 0.) == 2.5);
    CHECK(gather_all(load(name("bool"), counted<std::uint8_t, layout<"x">>(m, shape::of(3), 9, 0))) ==
          std::vector<std::uint8_t>{1, 0, 1});
    CHECK(gather_all(load(name("none"), counted<float, layout<"x", none>>(m, shape::of(0, 4), 0, 0))).empty());
  }
}

TEST_CASE("numbers, bool and a struct of them come back") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const m = mesh_of(grids().back());
  for (char const* const name : {"a.safetensors", "a.safetensors.index.json", "a.h5"}) {
    bool const yes = true;
    long const steps = -7;
    double const rate = 0.1;
    auto const x = counted<std::int32_t, layout<"x">>(m, shape::of(9), -4, 1);
    save_arrays(c, folder.path / name, {}, {.bytes_per_file = 1}, checkpoint_part("s/yes", yes),
                checkpoint_part("steps", steps), checkpoint_part("rate", rate), checkpoint_part("x", x));
    bool maybe = false;
    long n = 0;
    double r = 0;
    auto y = counted<std::int32_t, layout<none>>(m, shape::of(9), 0, 0);
    load_arrays(c, folder.path / name, {}, checkpoint_part("x", y), checkpoint_part("rate", r),
                checkpoint_part("steps", n), checkpoint_part("s/yes", maybe));
    CHECK(maybe);
    CHECK(n == -7);
    CHECK(r == 0.1);
    CHECK(is_counted(y, -4, 1));
  }
  std::ifstream const second(folder.path / "a-00002-of-00004.safetensors");
  CHECK(second.good());
}

TEST_CASE("a checkpoint is a file of arrays too") {
  shared_folder const folder;
  auto const m = mesh_of(grids().back());
  auto p = mlp_of<float, layout<"x", "y">, layout<none>>(m);
  load_arrays(folder.ranks, weights / "torch.safetensors", p, from_pytorch);
  save_checkpoint(folder.ranks, folder.path / "step.h5", 1, checkpoint_part("parameters", p));
  auto q = mlp_of<double, layout<none, none>, layout<none>>(m);
  load_arrays(folder.ranks, folder.path / "step.h5", q, {.arrays = {{"*", "parameters/*"}}});
  CHECK(has_weights_of_file(q));
}

TEST_CASE("a file that does not have what the tree wants is refused on every rank, and the tree keeps its values") {
  auto const m = mesh_of(grids().back());
  communicator const& c = m.communicator();
  auto const refused = [&](char const* file, array_map const& map, std::string const& part) {
    auto p = mlp_of<float, layout<"x", "y">, layout<none>>(m);
    std::string const text = said([&] { load_arrays(c, weights / file, p, map); });
    CHECK_SAYS(text, part);
    CHECK(text.find("ashlar::io::load_arrays: ") == 0);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(is_untouched(p));
  };
  auto const changed = [](array_map map, auto change) {
    change(map);
    return map;
  };
  auto const without_ignored = [](array_map& map) { map.ignored.clear(); };
  auto const without_transpose = [](array_map& map) { map.arrays[0].transpose.clear(); };
  auto const as = [](std::vector<int> t) { return [t](array_map& map) { map.arrays[0].transpose = t; }; };
  refused(
      "torch.safetensors", {},
      "expected the array d1.kernel for d1/kernel and 3 more, found 'fc1.bias', 'fc1.weight', 'fc2.bias', 'fc2.weight', 'steps'");
  refused("keras.weights.h5", {},
          "expected the array d1/kernel for d1/kernel and 3 more, found 'layers/batch_normalization/vars/0'");
  refused("torch.safetensors", changed(from_pytorch, without_ignored),
          "and no others, found 'steps'; add it to the tree");
  refused("keras.weights.h5", changed(from_keras, without_ignored),
          "found 'layers/batch_normalization/vars/0' and 3 more");
  refused("torch.safetensors", changed(from_pytorch, without_transpose),
          "expected fc1.weight for d1/kernel of extents 6 x 5, found 5 x 6; array_entry::transpose");
  refused("torch.safetensors", changed(from_pytorch, as({0, 0})), "each dimension of d1/kernel (6 x 5) once");
  refused("torch.safetensors", changed(from_pytorch, as({2, 1})), "each dimension of d1/kernel (6 x 5) once");
  refused("torch.safetensors", changed(from_pytorch, as({0})), "each dimension of d1/kernel (6 x 5) once");
  refused("torch.safetensors", changed(from_pytorch, [](array_map& map) { map.arrays[0].extents = {31}; }),
          "extents of as many elements as d1/kernel has (5 x 6 in the order of the file), found 31");
  refused("torch.safetensors", changed(from_pytorch, [](array_map& map) { map.arrays[1].array = "steps"; }),
          "expected steps for d1/bias of type float32, found int64");
  refused("types.safetensors", {.arrays = {{"*", "double"}}}, "of type float32, found float64; make the tensor double");
  refused("types.h5", {.arrays = {{"*", "text"}}}, "of type float32, found text; write numbers");
  refused("types.h5", {.arrays = {{"*", "link"}}}, "expected the array link for d1/kernel and 3 more, found");
  refused("types.h5", {.arrays = {{"*", "group/scalar"}}}, "of extents 6 x 5, found a scalar");
  refused("no.safetensors", {}, "no.safetensors: cannot be opened: No such file");
  refused("no.h5", {}, "no.h5: cannot be opened: No such file");
  refused("torch.bin", {}, "expected a file .safetensors, .safetensors.index.json, .h5 or .hdf5, found another name");

  auto x = counted<float, layout<none>>(m, shape::of(5), -1, 0);
  CHECK_SAYS(said([&] { load_arrays(c, weights / "torch.safetensors", x); }),
             "expected a tree whose leaves have names");
  CHECK_SAYS(said([&] {
               load_arrays(c, weights / "torch.safetensors", {}, checkpoint_part("x", x), checkpoint_part("x", x));
             }),
             "expected each leaf once, found x twice");
  CHECK(is_counted(x, -1, 0));
}

TEST_CASE("arrays of an HDF5 file whose elements are in other files are refused, unless no leaf takes them") {
  auto const m = mesh_of(grids().back());
  communicator const& c = m.communicator();
  shared_folder const folder;
  std::string const name = folder.path / "elsewhere.h5";
  comm::on_root(c, [&] {
    hid_t const file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t const extents[]{4};
    hid_t const space = H5Screate_simple(1, extents, nullptr), external = H5Pcreate(H5P_DATASET_CREATE),
                virtually = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(external, (folder.path / "secret").c_str(), 0, H5F_UNLIMITED);
    H5Pset_virtual(virtually, space, (folder.path / "secret.h5").c_str(), "v", space);
    float const ones[]{1, 1, 1, 1};
    for (auto const& [array, properties] : std::initializer_list<std::pair<char const*, hid_t>>{
             {"own", H5P_DEFAULT}, {"external", external}, {"virtual", virtually}}) {
      hid_t const set = H5Dcreate2(file, array, H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
      if (properties == H5P_DEFAULT) H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ones);
      H5Dclose(set);
    }
    for (hid_t const p : {external, virtually}) H5Pclose(p);
    H5Sclose(space);
    H5Fclose(file);
    std::ofstream(folder.path / "secret") << "sixteen bytes...";
  });
  auto x = counted<float, layout<"x">>(m, shape::of(4), -1, 0);
  auto const load = [&](char const* array) {
    return said([&] {
      load_arrays(c, name, array_map{.arrays = {{"x", array}}, .ignored = {"*"}}, checkpoint_part("x", x));
    });
  };
  CHECK_SAYS(load("external"),
             "ashlar::io::load_arrays: " + name +
                 ": expected external for x of type float32, found elements in another file; write it "
                 "anew, as by h5repack");
  CHECK_SAYS(load("virtual"),
             ": expected virtual for x of type float32, found a virtual dataset; write it anew, as by h5repack");
  CHECK(is_counted(x, -1, 0));
  CHECK(load("own") == "");
  CHECK(is_counted(x, 1, 0));
}

TEST_CASE("a tree on other ranks is refused on every rank") {
  device_mesh<grid> const alone(MPI_COMM_SELF, {1, 1});
  communicator const c(MPI_COMM_WORLD);
  ASHLAR_NEEDS(c.size() > 1);
  shared_folder const folder;
  auto p = mlp_of<float, layout<none, none>, layout<none>>(alone);
  std::string const part =
      "expected d1/kernel on a mesh of " + std::to_string(c.size()) + " ranks, as call this, found one of 1";
  CHECK_SAYS(said([&] { load_arrays(c, weights / "torch.safetensors", p, from_pytorch); }), part);
  CHECK_SAYS(said([&] { save_arrays(c, folder.path / "a.h5", p); }), part);
  CHECK(is_untouched(p));
}

TEST_CASE("boxes of HDF5 have the elements of a range, in order") {
  for (std::vector<index_t> const& n :
       std::vector<std::vector<index_t>>{{}, {7}, {1}, {3, 4}, {2, 1, 3, 2}, {3, 2, 4}, {2, 0, 3}}) {
    index_t const size = std::accumulate(n.begin(), n.end(), index_t{1}, std::multiplies<index_t>{});
    for (index_t begin = 0; begin <= size; ++begin)
      for (index_t end = begin; end <= size; ++end) {
        std::vector<index_t> found, expected;
        std::size_t boxes = 0;
        for (index_t k = begin; k < end; ++k) expected.push_back(k);
        checkpoint_detail::for_each_box<hsize_t>(
            n, begin, end, [&](std::vector<hsize_t> const& start, std::vector<hsize_t> const& count) {
              ++boxes;
              index_t elements = 1;
              for (hsize_t const c : count) elements *= static_cast<index_t>(c);
              for (index_t e = 0; e < elements; ++e) {
                index_t number = 0, stride = 1;
                for (std::size_t d = n.size(), rest = static_cast<std::size_t>(e); d-- > 0;) {
                  number += static_cast<index_t>(start[d] + rest % count[d]) * stride;
                  rest /= count[d];
                  stride *= n[d];
                }
                found.push_back(number);
              }
            });
        CHECK(found == expected);
        CHECK(boxes <= std::max<std::size_t>(1, 2 * n.size()));
      }
  }
}

TEST_CASE("the array of a leaf by a map") {
  using checkpoint_detail::entry_for, checkpoint_detail::is_ignored;
  array_map const map{.arrays = {{"a/b", "c", {1, 0}},
                                 {"layers/*/up/*", "model.layers.*.mlp.up_proj.*"},
                                 {"*/kernel", "*.weight"},
                                 {"tokens", "embedding"},
                                 {"*", "rest/*"}},
                      .ignored = {"*.num_batches_tracked", "rotary*", "x"}};
  CHECK(entry_for(map, "a/b", true).array == "c");
  CHECK(entry_for(map, "a/b", true).transpose == std::vector<int>{1, 0});
  CHECK(entry_for(map, "layers/11/up/kernel", true).array == "model.layers.11.mlp.up_proj.kernel");
  CHECK(entry_for(map, "encoder/d1/kernel", true).array == "encoder.d1.weight");
  CHECK(entry_for(map, "encoder/d1/kernel", false).array == "encoder/d1.weight");
  CHECK(entry_for(map, "encoder/d1/bias", false).array == "rest/encoder/d1/bias");
  CHECK(entry_for({}, "d1/bias", false).array == "d1/bias");
  CHECK(entry_for({}, "d1/bias", true).array == "d1.bias");
  CHECK(is_ignored(map, "bn.1.num_batches_tracked"));
  CHECK(is_ignored(map, "rotary"));
  CHECK(is_ignored(map, "rotary.inv_freq"));
  CHECK_FALSE(is_ignored(map, "bn.num_batches_tracked.x"));
  CHECK_FALSE(is_ignored(map, "xx"));
}

TEST_CASE("a damaged file is refused on every rank") {
  shared_folder const folder;
  auto const m = mesh_of(grids().back());
  auto const refused = [&](char const* name, std::string const& part) {
    auto p = mlp_of<float, layout<"x", "y">, layout<none>>(m);
    CHECK_SAYS(said([&] { load_arrays(folder.ranks, folder.path / name, p, from_pytorch); }), part);
    CHECK(is_untouched(p));
  };
  if (folder.own) {
    using std::filesystem::copy_file;
    copy_file(weights / "torch.safetensors", folder.path / "short.safetensors");
    std::filesystem::resize_file(folder.path / "short.safetensors", 500);
    copy_file(weights / "torch.safetensors.index.json", folder.path / "m.safetensors.index.json");
    copy_file(weights / "torch-00001-of-00002.safetensors", folder.path / "torch-00001-of-00002.safetensors");
    copy_file(weights / "torch.safetensors", folder.path / "other.h5");
    copy_file(weights / "keras.weights.h5", folder.path / "other.safetensors");
    copy_file(weights / "keras.weights.h5", folder.path / "short.h5");
    std::filesystem::resize_file(folder.path / "short.h5", 5000);
  }
  comm::collectively(folder.ranks, [] {});
  refused("short.safetensors", "bytes of elements, found");
  refused("m.safetensors.index.json", "torch-00002-of-00002.safetensors: cannot be opened");
  refused("other.h5", "expected an HDF5 file, found another");
  refused("other.safetensors", "expected a safetensors file, with a header of at most 100000000 bytes");
  refused("short.h5", "HDF5 cannot open the file");
  if (folder.own)
    std::filesystem::copy_file(weights / "jax.safetensors", folder.path / "torch-00002-of-00002.safetensors");
  comm::collectively(folder.ranks, [] {});
  refused("m.safetensors.index.json", "expected 'fc2.bias', as the index says, found none");
}

TEST_CASE("what cannot be saved leaves no file, and an older file stays") {
  shared_folder const folder;
  communicator const& c = folder.ranks;
  auto const m = mesh_of(grids().back());
  auto const p = mlp_of<float, layout<"x", "y">, layout<none>>(m);
  auto const files = [&] {
    comm::collectively(c, [] {});
    std::filesystem::directory_iterator const all(folder.path);
    return std::distance(begin(all), end(all));
  };
  auto const refused = [&](char const* name, array_map const& map, save_arrays_options const& options,
                           std::string const& part) {
    CHECK_SAYS(said([&] { save_arrays(c, folder.path / name, p, map, options); }), part);
    CHECK(files() == 0);
  };
  refused("a.safetensors", {.arrays = {{"*/bias", "bias"}}}, {},
          "expected each name of an array once, found 'bias' for two leaves");
  refused("a.safetensors", {.arrays = {{"d1/bias", "__metadata__"}}}, {}, "a name that the format allows for d1/bias");
  refused("a.safetensors", {.arrays = {{"d1/bias", "\xff"}}}, {}, "a name that the format allows for d1/bias");
  refused("a.h5", {.arrays = {{"d1/bias", "a//b"}}}, {}, "a name that the format allows for d1/bias");
  refused("a.h5", {.arrays = {{"d1/bias", "d1/kernel/x"}}}, {}, "HDF5 cannot create");
  refused("a.h5", {.arrays = {{"d1/bias", "b", {}, {1, 1, 1, 1, 1, 1, 1, 1, 5}}}}, {}, "at most 8 dimensions");
  refused("a.safetensors", {}, {.bytes_per_file = 0}, "files of 1 byte or more, found 0");
  refused("a.safetensors", {}, {.metadata = {{"a", "b"}, {"a", "c"}}}, "each name of metadata once");
  refused("a.safetensors", {}, {.metadata = {{"a", "\xb0\x43"}}}, "expected metadata in UTF-8, found '?C'");
  refused("none/a.safetensors", {}, {}, "cannot be opened: No such file");
  refused("a.npz", {}, {}, "found another name");
  auto const z = scatter<layout<none>>(m, {2}, std::vector<Kokkos::complex<double>>(2));
  CHECK_SAYS(said([&] { save_arrays(c, folder.path / "z.safetensors", {}, {}, checkpoint_part("z", z)); }),
             "of a type that safetensors files have, found complex128; save it to an HDF5 file");
  CHECK(files() == 0);
  if (c.size() > 1) {
    double const differs = c.rank();
    CHECK_SAYS(said([&] { save_arrays(c, folder.path / "z.h5", {}, {}, checkpoint_part("z", differs)); }),
               "differ between ranks");
    array_map const other{.arrays = {{"d1/bias", c.rank() == 0 ? "a" : "b"}}};
    CHECK_SAYS(said([&] { save_arrays(c, folder.path / "z.h5", p, other); }), "differ between ranks");
    auto q = p;
    CHECK_SAYS(said([&] { load_arrays(c, weights / "torch.safetensors", q, other); }), "differ between ranks");
    CHECK(files() == 0);
  }

  save_arrays(c, folder.path / "a.safetensors", p);
  if (folder.own) std::filesystem::create_directory(folder.path / "a.safetensors.part");
  comm::collectively(c, [] {});
  if (folder.own) test::write(folder.path / "a.safetensors.part" / "in_the_way", {});
  comm::collectively(c, [] {});
  CHECK_SAYS(said([&] { save_arrays(c, folder.path / "a.safetensors", p); }), "a.safetensors.part: cannot be removed");
  auto q = p;
  load_arrays(c, folder.path / "a.safetensors", q);
  CHECK(files() == 2);
}
