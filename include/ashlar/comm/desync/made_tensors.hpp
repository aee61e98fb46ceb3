// SPDX-License-Identifier: BSL-1.0
// The tensors that a rank makes on its meshes, for desync detection. Constructors do not communicate: later calls compare
// their extents.
#pragma once
#include <array>
#include <cstdint>

#include "ashlar/config.hpp"
#include "ashlar/layout/shape.hpp"
#include "ashlar/plan/common_argument.hpp"
#include "ashlar/plan/ledger.hpp"

namespace ashlar::comm_detail {

/// The tensors that a rank had made on a mesh before a call: their number, and the fingerprint of their extents.
struct tensors_before {
  std::uint64_t mesh = 0, number = 0, fingerprint = 0;
};

/// The same as the bytes of a message, with the last tensors.
struct tensor_list {
  static constexpr std::uint64_t kept = 8;
  struct tensor {
    std::uint64_t number = 0, fingerprint = 0;  // number from 1; 0: unknown
    char text[80]{};                            // "{6, 10}, mlp.cpp:70", "{6} with key 3, mlp.cpp:71"
  };
  std::uint64_t number = 0, fingerprint = 0;
  tensor last[kept];  // tensor n is last[n % kept]
};

/// The last tensors that a rank has made on the meshes of one communicator.
class made_tensors {
 public:
  /// Notes tensor `number` of a mesh, or an argument of a call on a tensor. Returns the fingerprint of extents and
  /// argument.
  ASHLAR_INLINE std::uint64_t add(std::uint64_t mesh, std::uint64_t number, shape const& extents, call_site const& w,
                                  plan_detail::common_argument const& a);
  ASHLAR_INLINE tensor_list list(tensors_before const& call) const;

 private:
  struct tensor {
    std::uint64_t mesh = 0, number = 0, fingerprint = 0;
    shape extents;
    char const* file = nullptr;
    unsigned line = 0;
    plan_detail::common_argument argument;
  };
  std::array<tensor, 32> last_;
  std::size_t next_ = 0;
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/desync/impl/made_tensors.ipp"
#endif
