// What tensors with halos store.
#pragma once
#include <ashlar/tensor/tensor.hpp>
#include <algorithm>
#include <type_traits>

namespace ashlar::test {

/// True if two tensors with the same layout and halo store the same numbers, also in halo cells.
template <class A, class B>
bool same_stored_cells(A const& a, B const& b) {
  static_assert(std::is_same_v<layout_t<A>, layout_t<B>> && std::is_same_v<element_t<A>, element_t<B>>);
  auto const cells = [](auto const& x) {
    using space = typename std::remove_cvref_t<decltype(x)>::execution_space;
    return tensor_detail::on_host<space>(x.stored_view().data(), x.stored_extents().size());
  };
  auto const found = cells(a);
  auto const expected = cells(b);
  return std::equal(found.data(), found.data() + found.size(), expected.data(), expected.data() + expected.size());
}

}  // namespace ashlar::test
