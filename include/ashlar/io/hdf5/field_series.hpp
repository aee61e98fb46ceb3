// SPDX-License-Identifier: BSL-1.0
// A time series of fields: an HDF5 file per step, and an XDMF file that names all of them.
#pragma once
#include <unistd.h>

#include "ashlar/io/hdf5/output.hpp"
#include "ashlar/io/xdmf.hpp"
#include <bit>

namespace ashlar::io {

/// The options of field_series: the grid, and the storage of its datasets.
struct field_series_options {
  /// The place of the first point or cell and the distance of neighbours, per dimension of the grid. Empty: 0 and 1.
  std::vector<double> origin = {}, spacing = {};
  grid_values values = grid_values::at_points;
  /// Filters and attributes of all datasets, and chunks if all fields have as many dimensions.
  hdf5_options storage = {};
};

/// A tensor and its name in a series.
template <class X>
struct series_field {
  std::string name;
  X const& tensor;

  series_field(std::string n, X const& t) : name(std::move(n)), tensor(t) {}
};

/// Writes fields step by step. NAME.xdmf names the files NAME_000000.h5, NAME_000001.h5, ... beside it, for programs
/// such as ParaView. Each file gets its name when all of it is on the disk, NAME.xdmf last: it never names a file that
/// is not complete. A new series replaces an old one of the same name, whose NAME.xdmf it removes first.
/// Example: field_series series(m, "heat.xdmf", {.spacing = {0.01, 0.01}}); series.write(0.5, io::series_field("u", u));
template <class M>
class field_series {
 public:
  /// Error: ashlar::error on every rank if the name does not end with .xdmf, or the ranks give different names or grids.
  field_series(device_mesh<M> const& m, std::string file, field_series_options options = {},
               call_site w = call_site::current())
      : mesh_(m), file_(std::move(file)), options_(std::move(options)) {
    communicator const& c = mesh_.communicator();
    comm_detail::calls_as const here(c, "field_series", w);
    io_detail::require_same_file(c, file_, caller);
    comm::collectively(c, [&] {
      if (!file_.ends_with(".xdmf") || stem().empty() || !io_detail::is_utf8(stem()))
        fail("expected a name in UTF-8 that ends with .xdmf");
    });
    std::vector<index_t> same{static_cast<index_t>(options_.values), static_cast<index_t>(options_.origin.size())};
    for (double const x : options_.origin) same.push_back(std::bit_cast<index_t>(x));
    for (double const x : options_.spacing) same.push_back(std::bit_cast<index_t>(x));
    comm::require_equal(c, same, std::string(caller) + ": " + file_ + ": place, origin and spacing (as bits)");
  }

  /// Writes the next step. The fields have the extents of the grid, of 2 or 3 dimensions. A field with one dimension
  /// more has vectors or other components in the last one. Elements are float, double or integers.
  /// Collective: all ranks of the mesh; it blocks until the files are on the disk. It has no entry in a ledger.
  /// Cost: as hdf5_file::write for each field. Rank 0 writes NAME.xdmf anew, about 1 KB per step.
  /// Error: ashlar::error on every rank if a file cannot be written, or the fields do not fit the grid or each other.
  ///   Also if a rank does not see the file that rank 0 has made.
  ///   Then the series has the steps that it had. Partial layouts do not compile.
  template <plain_tensor... X>
  void write(comm_detail::at_call<double> at, series_field<X> const&... fields) {
    static_assert(sizeof...(X) != 0,
                  "ashlar::io::field_series: a step has one field or more; give series_field(\"u\", u)");
    static_assert((is_in_xdmf(io_detail::type_of_elements<element_t<X>>()) && ...),
                  "ashlar::io::field_series: elements are float, double or integers; cast the field, or write real and "
                  "imaginary parts");
    communicator const& c = mesh_.communicator();
    comm_detail::calls_as const here(c, "field_series::write", at.site, io_detail::way_of_tensors<X...>());
    double const time = at.value;
    std::vector<io_detail::hdf5_field> written;
    std::string const number = std::to_string(count_);
    std::string const name = stem() + "_" + std::string(number.size() < 6 ? 6 - number.size() : 0, '0') + number;
    std::string step;
    (add(written, fields), ...);
    comm::collectively(c, [&] { step = describe(name, time, written); });
    // The file of an old series would show new fields at old times.
    if (count_ == 0)
      comm::on_root(c, [&] {
        if (::access(file_.c_str(), F_OK) != 0) return;
        io_detail::remove_file(file_, caller);
        io_detail::sync_folder_of(file_, caller);
      });
    io_detail::created_hdf5 out(c, io_detail::beside(file_, name + ".h5"), caller, {{"time", time}});
    for (auto& field : written) out.write(field);
    out.commit();
    comm::on_root(c, [&] {
      io_detail::unfinished_file part(file_ + ".part", caller);
      io_detail::checked_file xdmf = part.create();
      std::string const text = io_detail::xdmf_of(stem(), steps_ + step);
      xdmf.write(0, text.data(), text.size());
      xdmf.sync();
      xdmf.close();
      part.keep_as(file_);
      io_detail::sync_folder_of(file_, caller);
    });
    steps_ += step;
    ++count_;
  }
  /// The steps written.
  index_t steps() const { return count_; }

 private:
  static constexpr char const* caller = "ashlar::io::field_series";

  static constexpr bool is_in_xdmf(io_detail::array_type t) {
    using enum io_detail::array_type;
    return t != boolean && t != complex64 && t != complex128;
  }

  // The name of the file without .xdmf.
  std::string stem() const {
    std::string const name = io_detail::name_in_folder(file_);
    return name.substr(0, name.size() - 5);
  }
  [[noreturn]] void fail(std::string const& what) const {
    throw error(std::string(caller) + ": " + file_ + ": " + what);
  }
  template <class X>
  void add(std::vector<io_detail::hdf5_field>& to, series_field<X> const& f) const {
    auto const& x = io_detail::to_write(f.tensor);
    std::string const what = std::string(caller) + ": " + file_;
    io_detail::require_ranks(mesh_.communicator(), x.mesh().size(), what, f.name);
    io_detail::shard_to_write const shard = io_detail::shard_of(x);
    comm::collectively(mesh_.communicator(), [&] {
      io_detail::with_begin(what + ": ", [&] { to.emplace_back(shard, f.name, options_.storage); });
    });
  }
  // Checks the fields, and returns the text of the step.
  std::string describe(std::string const& name, double time, std::vector<io_detail::hdf5_field> const& written) const {
    if (!meta_detail::is_finite(time)) fail("expected a finite time, found " + io_detail::number_text(time));
    shape const& first = written[0].set.extents;
    io_detail::xdmf_grid grid{options_.origin, options_.spacing, options_.values};
    int const rank = !grid.spacing.empty()  ? grid.rank()
                     : !grid.origin.empty() ? static_cast<int>(grid.origin.size())
                                            : first.rank;
    if (grid.spacing.empty()) grid.spacing.assign(static_cast<std::size_t>(rank), 1);
    if (grid.origin.empty()) grid.origin.assign(static_cast<std::size_t>(rank), 0);
    if (rank < 2 || rank > 3 || static_cast<int>(grid.origin.size()) != rank)
      fail("expected a grid of 2 or 3 dimensions, with an origin and a spacing for each, found " +
           std::to_string(grid.origin.size()) + " and " + std::to_string(rank));
    std::vector<io_detail::xdmf_field> fields;
    std::vector<std::string> names;
    for (auto const& f : written) {
      shape const& n = f.set.extents;
      bool fits = n.rank == rank || n.rank == rank + 1;
      for (int d = 0; fits && d < rank; ++d) fits = first.rank >= rank && n[d] == first[d];
      if (!fits)
        fail("expected " + f.set.name + " of the grid's extents, " + extents_text(first) + ", found " +
             extents_text(n));
      if (std::find(names.begin(), names.end(), f.set.name) != names.end())
        fail("expected each name once, found " + f.set.name + " twice");
      names.push_back(f.set.name);
      fields.push_back({f.set.name, f.set.type, n});
    }
    return io_detail::xdmf_step(name, time, name + ".h5", grid, fields);
  }
  static std::string extents_text(shape const& s) { return io_detail::extents_text({s.extent, s.extent + s.rank}); }

  device_mesh<M> mesh_;
  std::string file_;
  field_series_options options_;
  std::string steps_;
  index_t count_ = 0;
};

}  // namespace ashlar::io
