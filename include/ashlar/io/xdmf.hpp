// SPDX-License-Identifier: BSL-1.0
// XDMF files: XML that says where the fields of a time series are, and on which grid.
#pragma once
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/array_type.hpp"
#include "ashlar/layout/shape.hpp"
#include "ashlar/meta/error.hpp"
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::io {

/// Where the values of a field are: at the points of the grid, or in its cells.
enum class grid_values { at_points, in_cells };

}  // namespace ashlar::io

namespace ashlar::io_detail {

inline std::string xml_text(std::string_view s) {
  std::string text;
  for (char const c : s) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '>')
      text += "&gt;";
    else if (c == '"')
      text += "&quot;";
    else
      text += c;
  }
  return text;
}
inline std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

/// A grid of equal cells, whose first dimension is the slowest.
struct xdmf_grid {
  std::vector<double> origin, spacing;
  grid_values values = grid_values::at_points;
  int rank() const { return static_cast<int>(spacing.size()); }
};

/// A dataset of an HDF5 file: its type is one that XDMF has.
struct xdmf_field {
  std::string name;
  array_type type;
  shape extents;
};

/// XDMF's names of a type, or a text of no characters.
inline std::string xdmf_type(array_type t) {
  auto const bytes = std::to_string(name_of(t).bits / 8);
  auto const named = [&](char const* name) {
    return "NumberType=\"" + std::string(name) + "\" Precision=\"" + bytes + "\"";
  };
  if (t == array_type::float32 || t == array_type::float64) return named("Float");
  if (t == array_type::int8) return named("Char");
  if (t == array_type::uint8) return named("UChar");
  if (t == array_type::int16 || t == array_type::int32 || t == array_type::int64) return named("Int");
  if (t == array_type::uint16 || t == array_type::uint32 || t == array_type::uint64) return named("UInt");
  return {};
}

inline std::string dimensions_text(shape const& s, int rank, index_t more) {
  std::string text;
  for (int d = 0; d < rank; ++d) {
    if (d != 0) text += ' ';  // one expression makes g++ 12 warn of overlapping memory at -O3
    text += std::to_string(s[d] + more);
  }
  return text;
}
inline std::string numbers_text(std::vector<double> const& all) {
  std::string text;
  for (double const x : all) {
    if (!text.empty()) text += ' ';
    text += number_text(x);
  }
  return text;
}

/// One step of a series: the text of a <Grid>. `file` has the fields.
/// Pre: all fields have the extents of the grid first.
inline std::string xdmf_step(std::string const& name, double time, std::string const& file, xdmf_grid const& grid,
                             std::vector<xdmf_field> const& fields) {
  int const rank = grid.rank();
  bool const cells = grid.values == grid_values::in_cells;
  std::string const kind = std::to_string(rank) + "DCoRectMesh", count = std::to_string(rank);
  std::string text = "      <Grid Name=\"" + xml_text(name) + "\" GridType=\"Uniform\">\n        <Time Value=\"" +
                     number_text(time) + "\"/>\n        <Topology TopologyType=\"" + kind + "\" Dimensions=\"" +
                     dimensions_text(fields[0].extents, rank, cells) + "\"/>\n        <Geometry GeometryType=\"" +
                     (rank == 2 ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ") + "\">\n";
  for (auto const* const numbers : {&grid.origin, &grid.spacing})
    text += "          <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"" + count + "\">" +
            numbers_text(*numbers) + "</DataItem>\n";
  text += "        </Geometry>\n";
  for (xdmf_field const& f : fields) {
    char const* const what = f.extents.rank == rank ? "Scalar" : f.extents[rank] == 3 ? "Vector" : "Matrix";
    text += "        <Attribute Name=\"" + xml_text(f.name) + "\" AttributeType=\"" + what + "\" Center=\"" +
            (cells ? "Cell" : "Node") + "\">\n          <DataItem Format=\"HDF\" " + xdmf_type(f.type) +
            " Dimensions=\"" + dimensions_text(f.extents, f.extents.rank, 0) + "\">" + xml_text(file) + ":/" +
            xml_text(f.name) + "</DataItem>\n        </Attribute>\n";
  }
  return text + "      </Grid>\n";
}

/// A whole file, of the texts of the steps.
inline std::string xdmf_of(std::string const& name, std::string const& steps) {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\">\n<Xdmf Version=\"2.0\">\n  <Domain>\n"
         "    <Grid Name=\"" +
         xml_text(name) + "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n" + steps +
         "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

}  // namespace ashlar::io_detail
