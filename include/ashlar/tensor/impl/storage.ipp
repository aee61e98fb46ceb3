// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/storage.hpp.
#if ASHLAR_LINUX
#include <sys/mman.h>
#endif
#include <cstdint>
#include <mutex>
#include <set>

namespace ashlar::tensor_detail {

struct adopted_addresses {
  std::mutex lock;
  std::set<void const*> first;
  // Never destroyed: tensors with static storage may outlive every other object.
  static adopted_addresses& instance() {
    static adopted_addresses* const a = new adopted_addresses;
    return *a;
  }
};
ASHLAR_INLINE void note_adopted(void const* first) {
  auto& adopted = adopted_addresses::instance();
  std::lock_guard const guard(adopted.lock);
  if (!adopted.first.insert(first).second)
    throw error("ashlar::adopt: another tensor has adopted this memory; use that tensor, or let it end first");
}
ASHLAR_INLINE void forget_adopted(void const* first) {
  auto& adopted = adopted_addresses::instance();
  std::lock_guard const guard(adopted.lock);
  adopted.first.erase(first);
}

ASHLAR_INLINE void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if ASHLAR_LINUX && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  auto const from = reinterpret_cast<std::uintptr_t>(memory);
  std::uintptr_t const begin = (from + page - 1) / page * page, end = (from + bytes) / page * page;
  if (bytes < 4 * page || end <= begin) return;  // the pages at both ends stay small
  (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

ASHLAR_INLINE void fail_memory(char const* begin, out_of_memory const& e, shape const& extents, index_t elements,
                               std::size_t element_bytes) {
  plan_detail::error_text m;
  m << begin << " for a tensor of extents " << extents << ", of which this rank has " << elements << " elements of "
    << static_cast<index_t>(element_bytes) << " bytes, " << static_cast<index_t>(e.bytes()) << " bytes in all";
  plan_detail::fail_with(m);
}

}  // namespace ashlar::tensor_detail
