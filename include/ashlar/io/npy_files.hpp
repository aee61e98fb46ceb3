// Tensors in .npy files: each rank reads or writes its part.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_files.hpp"
#include "ashlar/io/npy.hpp"
#include "ashlar/io/reversed_shard.hpp"

namespace ashlar {

namespace io_detail {

/// A .npy file whose elements are taken as elements of a tensor.
class npy_input {
 public:
  npy_input(checked_file in, array_type to, int rank);
  /// The extents in the order of the file.
  std::vector<index_t> const& extents() const { return content_.extents; }
  bool fortran() const { return content_.fortran; }
  /// Numbers that are equal on ranks that read the same file.
  std::vector<index_t> seen() const;

  /// The bytes before the elements, and of the elements.
  std::size_t header_bytes() const { return content_.begin; }
  std::size_t element_bytes() const { return content_.bytes; }
  std::string header() const;
  void require_unchanged() const { in_.require_unchanged(); }

  /// Reads n elements from number `first` on. No MPI. Calls seen(bytes, how many, how many of the file follow) on the
  /// bytes as the file has them.
  template <class Seen>
  void read(index_t first, index_t n, unsigned char* to, Seen const& seen) const {
    auto const count = static_cast<std::size_t>(n), begin = static_cast<std::size_t>(first) * stored_bytes(),
               bytes = count * stored_bytes();
    unsigned char* const stored = to + count * (name_of(to_).bits / 8) - bytes;
    in_.read(content_.begin + begin, stored, bytes);
    seen(stored, bytes, content_.bytes - begin - bytes);
    convert(stored, to, count);
  }

 private:
  std::size_t stored_bytes() const { return name_of(from_).bits / 8; }
  void convert(unsigned char* stored, unsigned char* to, std::size_t count) const;

  array_type to_, from_ = array_type::unreadable;
  checked_file in_;
  npy_content content_{};
  bool swaps_ = false;
};

/// The first bytes of a file, up to its elements. These begin at a multiple of 64, as NumPy's do. If there are many, they
/// begin with a page: then ranks seldom write to one page.
ASHLAR_INLINE std::string npy_header_of(array_type type, shape const& extents);

template <class X, class Seen>
void read_npy_shard(npy_input const& in, X const& x, exchange_buffers const& buffers,
                    std::optional<std::string>& failure, Seen const& seen) {
  using T = typename X::element_type;
  auto const& m = x.mesh();
  auto const read = [&](index_t first, index_t n, unsigned char* to) { in.read(first, n, to, seen); };
  fill_from_host(x, [&](T* own) {
    if (!in.fortran() || X::layout.rank < 2) {
      auto const array = array_of(m, x.layout, x.extents(), sizeof(T));
      return read_shard(array, m.rank(), reinterpret_cast<unsigned char*>(own), buffers, failure, read);
    }
    auto const array = array_of(m, reversed(x.layout), reversed(x.extents()), sizeof(T));
    auto const memory = comm::collectively(
        m.communicator(), [] { return std::make_unique_for_overwrite<T[]>(reversed_bytes / sizeof(T)); });
    read_reversed_shard(array, m.rank(), reversed_shard<T>(x.local_region().extents(), own), buffers,
                        reinterpret_cast<unsigned char*>(memory.get()), failure, read);
  });
}

/// Makes the tensor of a file's elements. Calls `seen` as npy_input::read does, on each element once among the ranks
/// that hold one copy of the tensor.
/// Collective: all ranks of m. Error: ashlar::error on every rank.
template <class T, class L, class M, class Seen>
sharded_tensor<T, L, M> tensor_of_npy(device_mesh<M> const& m, npy_input const& in, Seen const& seen) {
  communicator const& c = m.communicator();
  shape const stored = shape_of(in.extents());
  auto [x, buffers] = comm::collectively(c, [&] {
    return std::pair(sharded_tensor<T, L, M>(m, in.fortran() ? reversed(stored) : stored), exchange_buffers());
  });
  std::optional<std::string> failure;
  read_npy_shard(in, x, buffers, failure, seen);
  auto const require_unchanged = [&] { in.require_unchanged(); };
  if (!failure) run_catching(require_unchanged, failure);
  comm_detail::throw_together(c, std::move(failure), true);
  return x;
}

}  // namespace io_detail

/// Reads a .npy file into a tensor of any layout. Each rank reads its part.
/// Shape: the array's extents, of 0 to 8 dimensions. C and Fortran order, both byte orders, and the headers 1.0 to 3.0.
/// Post: a value never changes. float16 becomes float or double, float becomes double; bytes become bool. All other
///   types must be equal: bool, std::int8_t to std::uint64_t, float, double and Kokkos::complex of these.
/// Collective: all ranks of m; it blocks. It has no entry in a ledger.
/// Cost: each rank reads the header, and as many elements as its shard has. If the shard's runs in the file are shorter
///   than 16 KiB, it reads whole rows, and the elements travel by one exchange. Memory: 4 MiB; for Fortran order 12
///   MiB, and each element is moved once more.
/// Error: ashlar::error on every rank if the file is missing, malformed, shorter or longer than its header declares, or
///   is written meanwhile. Also if it has another element type or number of dimensions. A partial layout does not compile.
/// Example: load_npy<double, layout<"p", "q">>(m, "field.npy") is a sharded_tensor<double, layout<"p", "q">, M>
template <class T, class L, class M>
sharded_tensor<T, L, M> load_npy(device_mesh<M> const& m, std::string const& path, call_site w = call_site::current()) {
  static_assert(!plan_detail::layout_is_partial<L>::value,
                "ashlar::load_npy: the layout is partial, and each rank would hold the whole value; take the layout "
                "without it");
  static_assert(!io_detail::files_have_no_such_elements<T>::value,
                "ashlar::load_npy: elements are bool, integers, float, double or complex numbers of these; load one of "
                "these and cast the tensor");
  communicator const& c = m.communicator();
  comm_detail::calls_as const here(c, "load_npy", w);
  io_detail::require_same_file(c, path, "ashlar::load_npy");
  io_detail::npy_input const in = comm::collectively(c, [&] {
    return io_detail::npy_input(io_detail::checked_file(path, "ashlar::load_npy"), io_detail::type_of_elements<T>(),
                                L::rank);
  });
  comm::require_equal(c, in.seen(), "ashlar::load_npy: " + path + ": element type, orders, header and extents");
  return io_detail::tensor_of_npy<T, L>(m, in, [](unsigned char const*, std::size_t, std::size_t) {});
}

/// Writes a tensor of any layout to a .npy file of format 1.0, row-major, which NumPy reads. Evaluates elementwise
/// expressions. Of a tensor with a halo it writes the owned cells. The file gets its name when all of it is on the disk;
/// until then it is FILE.part.
/// Post: load_npy<T, L>(m, path) has the same elements.
/// Collective: all ranks of the mesh; it blocks until the file is on the disk. It has no entry in a ledger.
/// Cost: each element is written once. Of the ranks that hold the same elements, each writes a part. If the shard's
///   runs in the file are shorter than 32 KiB, the elements travel by one exchange. Memory: 4 MiB.
/// Error: ashlar::error on every rank if the file cannot be written, or path, element type or extents differ between ranks. Then the
///   old file, if there is one, is unchanged. A partial layout does not compile.
/// Example: save_npy(u, "field.npy");
template <plain_tensor X>
void save_npy(X const& expression, std::string const& path, call_site w = call_site::current()) {
  using T = element_t<X>;
  static_assert(!plan_detail::layout_is_partial<owned_layout_t<layout_t<X>>>::value,
                "ashlar::save_npy: the layout is partial; all_reduce or reduce_scatter the tensor first");
  static_assert(!io_detail::files_have_no_such_elements<T>::value,
                "ashlar::save_npy: elements are bool, integers, float, double or complex numbers of these; cast the "
                "tensor to one of these");
  auto const x = plan_detail::materialize(ops_detail::without_halo(expression));
  using Tensor = std::remove_cvref_t<decltype(x)>;
  auto const& m = x.mesh();
  communicator const& c = m.communicator();
  comm_detail::calls_as const here(c, "save_npy", w);
  io_detail::require_same_file(c, path, "ashlar::save_npy");
  std::vector<index_t> same{static_cast<index_t>(io_detail::type_of_elements<T>())};
  same.insert(same.end(), x.extents().extent, x.extents().extent + x.extents().rank);
  comm::require_equal(c, same, "ashlar::save_npy: " + path + ": element type and extents");
  std::string const header = io_detail::npy_header_of(io_detail::type_of_elements<T>(), x.extents());
  auto const array = io_detail::array_of(m, x.layout, x.extents(), sizeof(T));
  auto const [own, buffers] = comm::collectively(c, [&] {
    return std::pair(tensor_detail::on_host<typename Tensor::execution_space>(x.data(), x.local_size()),
                     io_detail::exchange_buffers());
  });
  io_detail::shared_output out(c, path, "ashlar::save_npy", [&](io_detail::checked_file const& file) {
    file.write(0, header.data(), header.size());
    file.resize(header.size() + array.bytes());
  });
  std::optional<std::string> failure;
  io_detail::write_shard(array, m.rank(), reinterpret_cast<unsigned char const*>(own.data()), buffers, failure,
                         [&](index_t first, index_t n, unsigned char const* from) {
                           out.file().write(header.size() + static_cast<std::size_t>(first) * sizeof(T), from,
                                            static_cast<std::size_t>(n) * sizeof(T));
                         });
  out.commit(std::move(failure));
}

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/io/compiled/npy_files.hpp"
#endif
