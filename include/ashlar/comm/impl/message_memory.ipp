// SPDX-License-Identifier: BSL-1.0
// The functions of comm/message_memory.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE memory_of_messages::~memory_of_messages() {
  if (std::uncaught_exceptions() > exceptions_) leave();
}

ASHLAR_INLINE void memory_of_messages::leave() {
  if (!under_way_) return;
  node_memory::instance().leave_to_others(source_);
  if (destination_ != source_) node_memory::instance().leave_to_others(destination_);
  under_way_ = false;
}

}  // namespace ashlar::comm_detail
