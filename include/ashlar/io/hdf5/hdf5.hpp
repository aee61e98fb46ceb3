// SPDX-License-Identifier: BSL-1.0
// HDF5 files that HDF5 does not write itself: in memory, where holes take no memory, and on the disk with changes in memory.
#pragma once
#if !__has_include(<hdf5.h>)
#error \
    "ashlar::io::hdf5_file: HDF5 is needed and hdf5.h is not found; install it (on Debian libhdf5-openmpi-dev) and link ashlar::hdf5"
#include <missing/hdf5.h>  // ends the compilation here
#endif
#include <hdf5.h>
#if __has_include(<H5FDdevelop.h>)  // from 1.13 on
#include <H5FDdevelop.h>
#endif
#include "ashlar/comm/agree.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/checked_file.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::io_detail {

/// What HDF5's driver needs of a file.
struct driven_file {
  std::uint64_t size = 0;
  haddr_t allocated = 0;  // the end of what HDF5 has
  /// HDF5 writes the elements of a chunk from here to show their place, which is noted. A rank writes them later.
  void const* placed = nullptr;
  std::vector<std::uint64_t> places = {};
  /// Notes a place, and returns true, if these bytes only show it.
  bool is_placed(bool elements, std::uint64_t at, void const* from) {
    bool const is = elements && placed != nullptr && from == placed;
    if (is) places.push_back(at);
    return is;
  }
};

/// The bytes of a file, stored by page. Only written pages take memory. All other bytes are 0.
class sparse_memory : public driven_file {
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
  void for_each_written(std::uint64_t at, std::uint64_t n, F f) const {
    for (auto p = pages_.lower_bound(at / page_bytes); p != pages_.end() && p->first * page_bytes < at + n; ++p) {
      std::uint64_t const page = p->first * page_bytes, begin = (std::max)(at, page),
                          end = (std::min)(at + n, page + page_bytes);
      f(begin, p->second.data() + (begin - page), static_cast<std::size_t>(end - begin));
    }
  }
  /// HDF5 writes bytes, of elements or of the description.
  void put(bool elements, std::uint64_t at, void const* from, std::size_t n) {
    if (!is_placed(elements, at, from)) write(at, from, n);
  }
  /// The place of n new bytes. Elements of a page or more get their own pages. HDF5's alignment does not do this: it fills
  /// the page in which they end.
  haddr_t allocate(bool elements, haddr_t n) {
    haddr_t const begin = rounded(allocated, elements, n);
    allocated = rounded(begin + n, elements, n);
    return begin;
  }

  static constexpr char const* driver_name = "ashlar_sparse_memory";
  static constexpr int driver_value = 600;  // HDF5 leaves the values from 512 on to other drivers
  /// If true, 1 MiB of elements or more begin at a multiple of 1 MiB: the system caches such blocks in larger units.
  bool aligns_elements = false;

 private:
  haddr_t rounded(haddr_t at, bool elements, haddr_t n) const {
    constexpr haddr_t large = 1 << 20;
    haddr_t const page = aligns_elements && n >= large ? large : haddr_t{page_bytes};
    return elements && n >= page ? (at + page - 1) / page * page : at;
  }
  template <class F>
  static void for_each_page(std::uint64_t at, std::size_t n, F f) {
    for (std::size_t done = 0; done < n;) {
      std::size_t const begin = (at + done) % page_bytes, length = (std::min)(page_bytes - begin, n - done);
      f((at + done) / page_bytes, begin, done, length);
      done += length;
    }
  }
  std::map<std::uint64_t, std::array<char, page_bytes>> pages_;
};

/// A file that exists, with the changes of its description in memory: the file keeps the old description until write().
/// HDF5 reads elements. It writes them to the file at once, unless they go to the old part of the file.
class patched_file : public driven_file {
 public:
  explicit patched_file(checked_file const& file) : file_(file) { size = file.size(); }

  void read(std::uint64_t at, void* to, std::size_t n) const {
    char* const bytes = static_cast<char*>(to);
    std::size_t const got = file_.read_some(at, to, n);
    std::memset(bytes + got, 0, n - got);
    for_each_patch(at, n, [&](std::uint64_t begin, std::vector<char> const& patch) {
      std::uint64_t const from = (std::max)(at, begin), end = (std::min)(at + n, begin + patch.size());
      std::memcpy(bytes + (from - at), patch.data() + (from - begin), end - from);
    });
  }
  /// HDF5 writes bytes, of elements or of the description.
  void put(bool elements, std::uint64_t at, void const* from, std::size_t n) {
    auto const take = [&] {
      forget(at, n);
      if (is_placed(elements, at, from)) return;
      if (!elements || at < old_end)
        patches_[at].assign(static_cast<char const*>(from), static_cast<char const*>(from) + n);
      else if (!failure)
        file_.write(at, from, n);
    };
    std::optional<std::string> now;
    run_catching(take, now);
    if (!failure) failure = std::move(now);
  }
  haddr_t allocate(bool, haddr_t n) { return std::exchange(allocated, allocated + n); }
  /// Writes the changes of the description. Those after the old end come first: until the others name them, the file has
  /// the old description. All bytes that this process wrote are on the disk before the others are written.
  void write() const {
    std::uint64_t const end = file_.size();
    for (auto const& [at, bytes] : patches_)
      if (std::uint64_t const from = (std::max)(at, end); from < at + bytes.size())
        file_.write(from, bytes.data() + (from - at), at + bytes.size() - from);
    file_.sync();
    for (auto const& [at, bytes] : patches_)
      if (at < end)
        file_.write(at, bytes.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), end - at)));
  }

  static constexpr char const* driver_name = "ashlar_patched_file";
  static constexpr int driver_value = 601;
  std::uint64_t old_end = 0;  // what is before it may belong to the old description
  /// The first error of put(). HDF5 is not told of it: it would try again when the program ends.
  std::optional<std::string> failure = {};

 private:
  template <class F>
  void for_each_patch(std::uint64_t at, std::size_t n, F f) const {
    auto p = patches_.lower_bound(at);
    if (p != patches_.begin() && std::prev(p)->first + std::prev(p)->second.size() > at) --p;
    for (; p != patches_.end() && p->first < at + n; ++p) f(p->first, p->second);
  }
  // Cuts [at, at + n) out of the patches.
  void forget(std::uint64_t at, std::size_t n) {
    std::vector<std::uint64_t> cut;
    for_each_patch(at, n, [&](std::uint64_t begin, std::vector<char> const&) { cut.push_back(begin); });
    for (std::uint64_t const begin : cut) {
      std::vector<char> const old = std::move(patches_.extract(begin).mapped());
      std::uint64_t const end = begin + old.size();
      if (begin < at) patches_[begin].assign(old.data(), old.data() + (at - begin));
      if (end > at + n) patches_[at + n].assign(old.data() + (at + n - begin), old.data() + old.size());
    }
  }

  checked_file const& file_;
  std::map<std::uint64_t, std::vector<char>> patches_;  // they do not overlap
};

/// A patched file that has its old size in the end, unless write() was called.
class changed_file {
 public:
  /// Pre: `file` lives longer.
  explicit changed_file(checked_file& file) : file_((file.examine(), file)), patched_(file) {}
  changed_file(changed_file const&) = delete;
  changed_file& operator=(changed_file const&) = delete;
  ~changed_file() {
    if (begun_to_write_ || patched_.size <= file_.size()) return;
    std::optional<std::string> failure;  // bytes after the end are allowed, so this error does not matter
    run_catching([&] { file_.resize(file_.size()); }, failure);
  }
  patched_file& patched() { return patched_; }
  /// Gives the file the room that HDF5 took. Error: also if a write of HDF5 failed.
  void make_room() {
    if (patched_.failure) throw error(*patched_.failure);
    if (patched_.size > room_) file_.resize(patched_.size, room_);
    room_ = (std::max)(room_, patched_.size);
  }
  void write() {
    begun_to_write_ = true;
    patched_.write();
  }

 private:
  checked_file const& file_;
  patched_file patched_;
  std::uint64_t room_ = patched_.size;
  bool begun_to_write_ = false;
};

/// The HDF5 file driver that writes into a Storage. A file's access properties name the Storage.
/// HDF5's own drivers do not serve. If the system refuses a write, HDF5 1.10 keeps the file, tries again when the
/// program ends, and crashes. HDF5's driver for memory has no holes.
template <class Storage>
class storage_driver {
 public:
  static H5FD_class_t describe() {
    H5FD_class_t c{};
#ifdef H5FD_CLASS_VERSION
    c.version = H5FD_CLASS_VERSION;
    c.value = static_cast<H5FD_class_value_t>(Storage::driver_value);
#endif
    c.name = Storage::driver_name;
    c.maxaddr = haddr_t{1} << 62;
    c.fc_degree = H5F_CLOSE_WEAK;
    c.fapl_size = sizeof(Storage*);
    c.open = [](char const*, unsigned, hid_t access, haddr_t) -> H5FD_t* {
      auto* const f = new (std::nothrow) file;
      if (!f) return nullptr;
      f->storage = *static_cast<Storage* const*>(H5Pget_driver_info(access));
      f->storage->allocated = 0;
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
    c.alloc = [](H5FD_t* f, H5FD_mem_t use, hid_t, hsize_t bytes) -> haddr_t {
      return of(f)->storage->allocate(use == H5FD_MEM_DRAW, bytes);
    };
    c.get_eoa = [](H5FD_t const* f, H5FD_mem_t) { return of(f)->storage->allocated; };
    c.set_eoa = [](H5FD_t* f, H5FD_mem_t, haddr_t until) -> herr_t {
      of(f)->storage->allocated = until;
      return 0;
    };
    c.get_eof = [](H5FD_t const* f, H5FD_mem_t) { return static_cast<haddr_t>(of(f)->storage->size); };
    c.read = [](H5FD_t* f, H5FD_mem_t, hid_t, haddr_t at, std::size_t bytes, void* to) -> herr_t {
      try {
        of(f)->storage->read(at, to, bytes);
        return 0;
      } catch (...) {
        return -1;
      }
    };
    c.write = [](H5FD_t* f, H5FD_mem_t use, hid_t, haddr_t at, std::size_t bytes, void const* from) -> herr_t {
      try {
        of(f)->storage->put(use == H5FD_MEM_DRAW, at, from, bytes);
        of(f)->storage->size = std::max<std::uint64_t>(of(f)->storage->size, at + bytes);
        return 0;
      } catch (...) {
        return -1;
      }
    };
    c.truncate = [](H5FD_t* f, hid_t, hbool_t) -> herr_t {
      of(f)->storage->size = of(f)->storage->allocated;
      return 0;
    };
    H5FD_mem_t const kinds[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(kinds), std::end(kinds), c.fl_map);
    return c;
  }

 private:
  struct file {
    H5FD_t base{};  // HDF5's part, must be first
    Storage* storage = nullptr;
  };
  static file* of(H5FD_t* f) { return reinterpret_cast<file*>(f); }
  static file const* of(H5FD_t const* f) { return reinterpret_cast<file const*>(f); }
};

}  // namespace ashlar::io_detail
