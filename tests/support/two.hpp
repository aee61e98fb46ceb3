// A tree of two members.
#pragma once
#include "ashlar/meta/tree.hpp"

namespace ashlar::test {

template <class A, class B>
struct two {
  A first;
  B second;
  static constexpr auto names = ashlar::names("first", "second");
};

}  // namespace ashlar::test
