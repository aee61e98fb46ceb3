// SPDX-License-Identifier: BSL-1.0
// The functions of io/npy.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE npy_place place_of_npy(checked_file const& in) {
  npy_kind kind{};
  npy_content const content = content_of_npy(in, [&](npy_header const& header) {
    auto const found = std::find_if(std::begin(npy_kinds), std::end(npy_kinds), [&](npy_kind_name const& k) {
      return type_of_npy(k.descr) == type_of_npy(header.descr);
    });
    if (found == std::end(npy_kinds) || swaps_npy(header.descr))
      in.fail("expected elements of type <f4, <f8, <i4, <i8 or |u1, found " + shown(header.descr) +
              (type_of_npy(header.descr) == array_type::unreadable ? "" : "; load_npy<T, L>(mesh, path) reads it"));
    kind = found->kind;
    return found->size;
  });
  if (content.fortran)
    in.fail(
        "expected elements in C order, found Fortran order; save numpy.ascontiguousarray(a), or use "
        "load_npy<T, L>(mesh, path)");
  return {content.extents, kind, content.begin, content.bytes};
}

}  // namespace ashlar::io_detail

namespace ashlar {

ASHLAR_INLINE npy_array read_npy(std::string const& path) {
  io_detail::checked_file const in(path, "ashlar::read_npy");
  io_detail::npy_place const place = io_detail::place_of_npy(in);
  npy_array result{place.extents, place.kind, {}};
  comm_detail::resize_buffer(result.bytes, place.bytes);
  in.read(place.begin, result.bytes.data(), place.bytes);
  return result;
}

}  // namespace ashlar
