// SPDX-License-Identifier: BSL-1.0
// The leaves of saved trees, independent of their types.
#pragma once
#include "ashlar/meta/philox.hpp"
#include "ashlar/meta/tree.hpp"
#include "ashlar/plan/print.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/io/array_files.hpp"
#include "ashlar/io/array_pieces.hpp"
#include "ashlar/checkpoint/table.hpp"
#include <memory>
#include <optional>

namespace ashlar::checkpoint_detail {

/// A tensor or number of a tree: its entry in the file, its layout and mesh, and this rank's shard.
class checkpoint_leaf {
 public:
  virtual ~checkpoint_leaf() = default;
  checkpoint_entry entry;
  layout_value layout;
  mesh_shape mesh;
  communicator group;       // the ranks that differ along the sharding axes; they hold one copy
  bool is_boolean = false;  // entry.type of bool is "uint8"

  operator distributed_array() const {
    return {entry.extents,
            static_cast<std::size_t>(entry.element_bytes),
            static_cast<std::size_t>(entry.chunk),
            layout,
            mesh,
            group};
  }

  /// True for a number of the program. All ranks have the same.
  bool is_number() const { return entry.mesh.empty(); }
  /// True if this rank's shard is in host memory.
  virtual bool is_on_host() const = 0;
  /// This rank's shard in host memory, valid until release().
  virtual unsigned char const* shard() = 0;
  /// Host memory for this rank's shard of a new value. `accept` gives the value to the tree.
  virtual unsigned char* room() = 0;
  /// The room has the new shard now.
  virtual void filled() {}
  virtual void accept() = 0;
  virtual void release() = 0;
};

// Element types have NumPy's names.
template <class T>
std::string checkpoint_type() {
  constexpr array_type type = std::is_same_v<T, prng_key> ? array_type::uint64
                              : std::is_same_v<T, bool>   ? array_type::uint8
                                                          : type_of_elements<T>();
  static_assert(
      type != array_type::unreadable,
      "ashlar::io::save_checkpoint: elements are float, double, their complex numbers, integers, bool or prng_key; cast the tensor to one of these");
  return std::string(name_of(type).name);
}

template <class X>
class tensor_leaf final : public checkpoint_leaf {
  using Tensor = std::remove_const_t<X>;
  using space = typename Tensor::execution_space;
  using host_bytes = tensor_detail::host_elements<space, unsigned char>;

 public:
  explicit tensor_leaf(X& x) : x_(x) {
    auto const& m = x.mesh();
    entry.type = checkpoint_type<typename Tensor::element_type>();
    is_boolean = std::is_same_v<typename Tensor::element_type, bool>;
    entry.element_bytes = sizeof(typename Tensor::element_type);
    entry.extents = x.extents();
    entry.layout = to_string(Tensor::layout, axis_texts<typename Tensor::mesh_type>);
    for (int a = 0; a < m.sizes().axes; ++a)
      entry.mesh += (a ? ", " : "") + std::string(axis_texts<typename Tensor::mesh_type>[a]) + "=" +
                    std::to_string(m.sizes().size[a]);
    layout = Tensor::layout;
    mesh = m.sizes();
    group = m.communicator(layout.sharding());
  }
  bool is_on_host() const override { return tensor_detail::lies_on_host<space>; }
  unsigned char const* shard() override {
    host_.emplace(on_host<space>(bytes_of(x_), size(x_)));
    return host_->data();
  }
  unsigned char* room() override {
    fresh_.emplace(x_.mesh(), x_.extents());
    host_.emplace(bytes_of(*fresh_), size(*fresh_));
    return host_->data();
  }
  void accept() override {
    if constexpr (!std::is_const_v<X>) {
      host_->write();
      x_ = *fresh_;
      release();
    }
  }
  void release() override {
    host_.reset();
    fresh_.reset();
  }

 private:
  static unsigned char* bytes_of(Tensor const& x) {
    return reinterpret_cast<unsigned char*>(tensor_detail::cells_of(x));
  }
  static index_t size(Tensor const& x) {
    return x.local_size() * static_cast<index_t>(sizeof(typename Tensor::element_type));
  }
  X& x_;
  std::optional<Tensor> fresh_;
  std::optional<host_bytes> host_;
};

template <class X>
class number_leaf final : public checkpoint_leaf {
 public:
  number_leaf(X& x, int ranks) : x_(x), copy_(x) {
    entry.type = checkpoint_type<std::remove_const_t<X>>();
    is_boolean = std::is_same_v<std::remove_const_t<X>, bool>;
    entry.element_bytes = sizeof(X);
    mesh = {1, {ranks}};
  }
  bool is_on_host() const override { return true; }
  unsigned char const* shard() override { return reinterpret_cast<unsigned char const*>(&(copy_ = x_)); }
  unsigned char* room() override { return reinterpret_cast<unsigned char*>(&copy_); }
  void accept() override {
    if constexpr (!std::is_const_v<X>) x_ = copy_;
  }
  void release() override {}

 private:
  X& x_;
  std::remove_const_t<X> copy_;
};

using checkpoint_leaves = std::vector<std::unique_ptr<checkpoint_leaf>>;

/// Sorts names. Returns the first that occurs again, or null.
inline std::string const* repeated(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  auto const twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? nullptr : &*twice;
}

// Adds the leaves of a tree, of a struct with `names`, or x itself. (std::make_unique would compile 30 functions for each
// type of leaf.)
template <class X>
void add_leaves(checkpoint_leaves& to, std::string const& path, X& x, int ranks) {
  using Plain = std::remove_const_t<X>;
  auto const add_as = [&](auto name_of) {
    return [&, name_of](auto&... m) {
      std::size_t i = 0;
      (add_leaves(to, path + "/" + name_of(i++), m, ranks), ...);
    };
  };
  if constexpr (requires { Plain::names; }) {
    auto const add = add_as([](std::size_t i) { return Plain::names.name[i]; });
    if constexpr (has_named_members<Plain>)
      with_members(x, add);
    else
      bind_members<Plain::names.count>(x, add);
  } else if constexpr (tree<Plain>) {
    with_members(x, add_as([](std::size_t i) { return std::to_string(i); }));
  } else if constexpr (plain_tensor<Plain> && requires { typename Plain::execution_space; }) {
    static_assert(
        !layout_is_partial<layout_t<Plain>>::value,
        "ashlar::io::save_checkpoint: the layout of a tensor is partial, and no rank knows its value; all_reduce or reduce_scatter it first");
    to.push_back(std::unique_ptr<checkpoint_leaf>(new tensor_leaf<X>(x)));
    to.back()->entry.name = path;
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_same_v<Plain, prng_key>) {
    to.push_back(std::unique_ptr<checkpoint_leaf>(new number_leaf<X>(x, ranks)));
    to.back()->entry.name = path;
  } else {
    static_assert(
        !std::is_same_v<X, X>,
        "ashlar::io::save_checkpoint: a leaf is a tensor, a number or a prng_key; give a struct of such its member names: static constexpr auto names = ashlar::names(\"a\", \"b\")");
  }
}

}  // namespace ashlar::checkpoint_detail

namespace ashlar::io {

/// A tree with a name, such as the parameters or an optimizer's state. Its leaves are saved as "name/d1/kernel".
template <class X>
struct checkpoint_part {
  char const* name;
  X& tree;
  call_site site;  ///< errors of a call that takes the part name this line.

  checkpoint_part(char const* n, X& t, call_site w = call_site::current()) : name(n), tree(t), site(w) {}
};

}  // namespace ashlar::io

namespace ashlar::checkpoint_detail {

template <class... X>
checkpoint_leaves leaves_of(communicator const& c, checkpoint_part<X> const&... parts) {
  checkpoint_leaves all;
  (add_leaves(all, parts.name, parts.tree, c.size()), ...);
  return all;
}

/// The way of a function of checkpoints depends on the layout of each leaf. All ranks compare it.
inline std::uint64_t way_of(checkpoint_leaves const& leaves) {
  std::uint64_t way = leaves.size();
  for (auto const& l : leaves) way = comm_detail::mixed_words(way, io_detail::way_of(l->layout));
  return way;
}

}  // namespace ashlar::checkpoint_detail
