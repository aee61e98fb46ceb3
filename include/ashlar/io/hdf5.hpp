// An HDF5 file in memory. Holes take no memory.
#pragma once
#if !__has_include(<hdf5.h>)
#error \
    "ashlar::save_hdf5: HDF5 is needed and hdf5.h is not found; install it (on Debian libhdf5-openmpi-dev) and link ashlar::hdf5"
#include <missing/hdf5.h>  // ends the compilation here
#endif
#include <hdf5.h>
#if __has_include(<H5FDdevelop.h>)  // from 1.13 on
#include <H5FDdevelop.h>
#endif
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace ashlar::io_detail {

/// The bytes of a file, stored by page. Only written pages take memory. All other bytes are 0.
class sparse_memory {
 public:
  void read(std::uint64_t at, void* to, std::size_t n) const {
    for_each_page(at, n, [&](std::uint64_t page, std::size_t from, std::size_t done, std::size_t length) {
      auto const found = pages_.find(page);
      if (found == pages_.end())
        std::memset(static_cast<char*>(to) + done, 0, length);
      else
        std::memcpy(static_cast<char*>(to) + done, found->second.data() + from, length);
    });
  }
  void write(std::uint64_t at, void const* from, std::size_t n) {
    for_each_page(at, n, [&](std::uint64_t page, std::size_t to, std::size_t done, std::size_t length) {
      std::memcpy(pages_[page].data() + to, static_cast<char const*>(from) + done, length);
    });
  }
  /// Calls f(position, bytes, length) for each written page that overlaps [at, at + n), in order: on the overlap.
  template <class F>
  void for_each_written(std::uint64_t at, std::size_t n, F f) const {
    for_each_page(at, n, [&](std::uint64_t page, std::size_t from, std::size_t done, std::size_t length) {
      if (auto const found = pages_.find(page); found != pages_.end())
        f(at + done, found->second.data() + from, length);
    });
  }
  static constexpr std::size_t page_bytes = 4096;
  std::uint64_t size = 0;
  /// If true, 1 MiB of elements or more begin at a multiple of 1 MiB: the system caches such blocks in larger units.
  bool aligns_elements = false;
  /// If true, memory_driver drops the elements that HDF5 writes, and notes where they belong. HDF5 writes a long attribute
  /// as it writes elements, so this is true only while chunks are placed.
  bool drops_elements = false;
  std::vector<std::uint64_t> dropped;

  /// Calls f(position, bytes, length) for each written page, in order.
  template <class F>
  void for_each_written(F f) const {
    for (auto const& [page, bytes] : pages_)
      f(page * page_bytes, bytes.data(),
        static_cast<std::size_t>(std::min<std::uint64_t>(page_bytes, size - page * page_bytes)));
  }

 private:
  template <class F>
  static void for_each_page(std::uint64_t at, std::size_t n, F f) {
    for (std::size_t done = 0; done < n;) {
      std::size_t const begin = static_cast<std::size_t>((at + done) % page_bytes),
                        length = std::min(page_bytes - begin, n - done);
      f((at + done) / page_bytes, begin, done, length);
      done += length;
    }
  }
  std::map<std::uint64_t, std::array<char, page_bytes>> pages_;
};

/// The HDF5 file driver that writes into a sparse_memory. A file's access properties name the sparse_memory.
/// HDF5's own drivers do not serve. If the system refuses a write, HDF5 1.10 keeps the file, tries again when the
/// program ends, and crashes. HDF5's driver for memory has no holes.
/// Elements of a page or more get their own pages. HDF5's alignment does not do this: it fills the page in which they
/// end.
class memory_driver {
 public:
  static H5FD_class_t describe() {
    H5FD_class_t c{};
#ifdef H5FD_CLASS_VERSION
    c.version = H5FD_CLASS_VERSION;
    c.value = static_cast<H5FD_class_value_t>(600);  // HDF5 leaves the values from 512 on to other drivers
#endif
    c.name = "ashlar_sparse_memory";
    c.maxaddr = haddr_t{1} << 62;
    c.fc_degree = H5F_CLOSE_WEAK;
    c.fapl_size = sizeof(sparse_memory*);
    c.open = [](char const*, unsigned, hid_t access, haddr_t) -> H5FD_t* {
      auto* const f = new file;
      f->memory = *static_cast<sparse_memory* const*>(H5Pget_driver_info(access));
      return &f->base;
    };
    c.close = [](H5FD_t* f) -> herr_t {
      delete of(f);
      return 0;
    };
    c.query = [](H5FD_t const*, unsigned long* flags) -> herr_t {
      if (flags) *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA;
      return 0;
    };
    c.alloc = [](H5FD_t* f, H5FD_mem_t kind, hid_t, hsize_t n) -> haddr_t {
      constexpr haddr_t large = 1 << 20;
      haddr_t const page = of(f)->memory->aligns_elements && n >= large ? large : haddr_t{sparse_memory::page_bytes};
      bool const own_pages = kind == H5FD_MEM_DRAW && n >= page;
      auto const rounded = [&](haddr_t at) { return own_pages ? (at + page - 1) / page * page : at; };
      haddr_t const begin = rounded(of(f)->end);
      of(f)->end = rounded(begin + n);
      return begin;
    };
    c.get_eoa = [](H5FD_t const* f, H5FD_mem_t) { return of(f)->end; };
    c.set_eoa = [](H5FD_t* f, H5FD_mem_t, haddr_t end) -> herr_t {
      of(f)->end = end;
      return 0;
    };
    c.get_eof = [](H5FD_t const* f, H5FD_mem_t) { return static_cast<haddr_t>(of(f)->memory->size); };
    c.read = [](H5FD_t* f, H5FD_mem_t, hid_t, haddr_t at, std::size_t n, void* to) -> herr_t {
      of(f)->memory->read(at, to, n);
      return 0;
    };
    c.write = [](H5FD_t* f, H5FD_mem_t kind, hid_t, haddr_t at, std::size_t n, void const* from) -> herr_t {
      sparse_memory& m = *of(f)->memory;
      if (m.drops_elements && kind == H5FD_MEM_DRAW)
        m.dropped.push_back(at);
      else
        m.write(at, from, n);
      m.size = std::max<std::uint64_t>(m.size, at + n);
      return 0;
    };
    c.truncate = [](H5FD_t* f, hid_t, hbool_t) -> herr_t {
      of(f)->memory->size = of(f)->end;
      return 0;
    };
    H5FD_mem_t const kinds[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(kinds), std::end(kinds), c.fl_map);
    return c;
  }

 private:
  struct file {
    H5FD_t base{};  // HDF5's part, must be first
    sparse_memory* memory = nullptr;
    haddr_t end = 0;
  };
  static file* of(H5FD_t* f) { return reinterpret_cast<file*>(f); }
  static file const* of(H5FD_t const* f) { return reinterpret_cast<file const*>(f); }
};

}  // namespace ashlar::io_detail
