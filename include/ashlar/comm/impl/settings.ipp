// SPDX-License-Identifier: BSL-1.0
// The functions of comm/settings.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE setting<double> deadline_setting() {
  return read_setting("ASHLAR_DEADLINE", "a number of seconds, as in 60 or 2.5, or 0 for none",
                      [](std::string_view text) {
                        auto const n = number<double>(text);
                        return n && *n >= 0 && *n <= (std::numeric_limits<double>::max)() ? n : std::nullopt;
                      });
}

ASHLAR_INLINE setting<int> ranks_per_node_setting() {
  return read_setting("ASHLAR_RANKS_PER_NODE", "a number of ranks, as in 2", [](std::string_view text) {
    auto const n = number<int>(text);
    return n && *n > 0 ? n : std::nullopt;
  });
}

ASHLAR_INLINE setting<bool> shared_memory_setting() {
  return read_setting("ASHLAR_TRANSPORT", "mpi, or any for what is best", [](std::string_view text) {
    return text == "mpi" || text == "any" ? std::optional(text == "any") : std::nullopt;
  });
}

ASHLAR_INLINE setting<std::size_t> segment_size_setting() {
  return read_setting("ASHLAR_SHARED_MEMORY", "a size, as in 2G, 512M or 0",
                      [](std::string_view text) -> std::optional<std::size_t> {
                        constexpr std::string_view units = "kKmMgG";
                        constexpr auto most = (std::numeric_limits<std::size_t>::max)();
                        auto const unit = units.find(text.back());
                        int const shift = unit == units.npos ? 0 : 10 * static_cast<int>(unit / 2 + 1);
                        std::string_view const digits = text.substr(0, text.size() - (shift > 0));
                        if (digits.empty() || digits.find_first_not_of("0123456789") != text.npos) return {};
                        auto const n = number<std::size_t>(digits);
                        return !n || *n > most >> shift ? most : *n << shift;
                      });
}

ASHLAR_INLINE setting<comm::algorithm> algorithm_setting() {
  return read_setting("ASHLAR_ALGORITHM",
                      "a way of comm::algorithm, as in mpi, persistent, exchange or exchange_in_parts",
                      [](std::string_view text) -> std::optional<comm::algorithm> {
                        for (int i = 0; i < algorithms; ++i)
                          if (text == to_text(static_cast<comm::algorithm>(i))) return static_cast<comm::algorithm>(i);
                        // The names of version 0.1 for MPI's own collectives.
                        if (text == "collective") return comm::algorithm::mpi;
                        if (text == "collective_in_place") return comm::algorithm::mpi_in_place;
                        if (text == "collective_with_counts") return comm::algorithm::mpi_with_counts;
                        return {};
                      });
}

ASHLAR_INLINE std::optional<std::string> wrong_setting() {
  for (std::string const& wrong :
       {deadline_setting().wrong, ranks_per_node_setting().wrong, shared_memory_setting().wrong,
        segment_size_setting().wrong, algorithm_setting().wrong})
    if (!wrong.empty()) return wrong;
  return {};
}

}  // namespace ashlar::comm_detail
