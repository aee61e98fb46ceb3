// SPDX-License-Identifier: BSL-1.0
// The functions of comm/agree.hpp.
#include <algorithm>
#include <functional>

namespace ashlar::comm_detail {

ASHLAR_INLINE void all_reduce_by_mpi(communicator const& c, index_t* data, int n, MPI_Op op) {
  require_mpi("comm");
  c.counters().agreement.add(std::size_t(n) * sizeof(index_t));
  message_buffer<index_t> values(static_cast<std::size_t>(n));
  std::copy_n(data, n, values.data());
  call_mpi(c, "MPI_Allreduce", ASHLAR_MPI(MPI_Allreduce), ASHLAR_MPI(MPI_Iallreduce), MPI_IN_PLACE, values.data(), n,
           comm::mpi_datatype<index_t>::get(), op);
  std::copy_n(values.data(), n, data);
}

ASHLAR_INLINE std::string broadcast_text(communicator const& c, std::string const& said, int root) {
  if (c.size() == 1) return said;
  message_buffer<std::uint64_t> length(1);
  *length.data() = said.size();
  broadcast_by_mpi(c, element_type_of<std::uint64_t>, length.data(), 1, root, comm::tuned);
  message_buffer<char> text(*length.data());
  if (c.rank() == root) std::copy(said.begin(), said.end(), text.data());
  broadcast_by_mpi(c, element_type_of<char>, text.data(), *length.data(), root, comm::tuned);
  return {text.data(), *length.data()};
}

ASHLAR_INLINE std::string text_of_exception() {
  try {
    throw;
  } catch (std::bad_alloc const&) {
    return "ashlar: the memory does not suffice";
  } catch (std::exception const& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

ASHLAR_INLINE std::string with_call(std::string text) {
  if (text.find("; called at ") != std::string::npos) return text;
  plan_detail::error_text call;
  plan_detail::name_call(call);
  return text + call.text;
}

ASHLAR_INLINE void throw_together(communicator const& c, std::optional<std::string> failure, bool name_the_rank,
                                  char const* name, call_site const& w) {
  auto const size = static_cast<std::uint64_t>(c.size());
  std::uint64_t lowest = failure ? static_cast<std::uint64_t>(c.rank()) : size;
  std::string text = failure.value_or("");
  {
    raw_call const now(c, name, w);
    lowest = now.agree(lowest).least;
    if (lowest == size) return;
    text = broadcast_text(c, text, int(lowest));
  }
  if (name_the_rank) text += " (on rank " + std::to_string(lowest) + ")";
  throw error(with_call(std::move(text)));
}

ASHLAR_INLINE std::vector<index_t> gathered_by_mpi(communicator const& c, index_t mine) {
  message_buffer<index_t> own(1), all(static_cast<std::size_t>(c.size()));
  *own.data() = mine;
  MPI_Datatype const type = comm::mpi_datatype<index_t>::get();
  call_mpi(c, "MPI_Allgather", ASHLAR_MPI(MPI_Allgather), ASHLAR_MPI(MPI_Iallgather), own.data(), 1, type, all.data(),
           1, type);
  return std::move(*all);
}

}  // namespace ashlar::comm_detail

namespace ashlar::comm {

ASHLAR_INLINE void require_equal(communicator const& c, std::span<index_t const> values, std::string const& what,
                                 call_site w) {
  if (c.size() == 1) return;
  std::optional<comm_detail::raw_call> now(std::in_place, c, "comm::require_equal", w);
  std::size_t const n = values.size();
  // From a large number: with the count alone, no value and the one value 1 would be mixed alike.
  std::uint64_t mixed = comm_detail::mixed_words(0x243F6A8885A308D3u, n);
  for (index_t const x : values) mixed = comm_detail::mixed_words(mixed, static_cast<std::uint64_t>(x));
  auto const [least, most] = now->agree(mixed);
  if (least == most) return;
  // The values of two ranks differ: their numbers, or else the first value that is not rank 0's on some rank.
  using comm_detail::gathered_by_mpi;
  auto const differ = [](std::vector<index_t> const& x) {
    return std::adjacent_find(x.begin(), x.end(), std::not_equal_to<>{}) != x.end();
  };
  std::vector<index_t> all = gathered_by_mpi(c, static_cast<index_t>(n));
  bool const numbers = differ(all);
  std::size_t at = 0;
  if (!numbers) {
    comm_detail::message_buffer<index_t> first(n);
    std::copy(values.begin(), values.end(), first.data());
    comm_detail::broadcast_by_mpi(c, comm_detail::element_type_of<index_t>, first.data(), n, 0, tuned);
    all = gathered_by_mpi(c, std::mismatch(values.begin(), values.end(), first.data()).first - values.begin());
    at = static_cast<std::size_t>(*std::min_element(all.begin(), all.end()));
    all = gathered_by_mpi(c, values[at]);
  }
  now.reset();
  auto const other = std::find_if(all.begin(), all.end(), [&](index_t x) { return x != all[0]; });
  auto const is = [&](index_t x) { return std::to_string(x) + (numbers ? " of them" : ""); };
  throw error(comm_detail::with_call(
      what + " differ between ranks: " + (numbers ? "there are " : "value " + std::to_string(at) + " is ") +
      is(all[0]) + " on rank 0 and " + is(*other) + " on rank " + std::to_string(other - all.begin()) +
      "; give all ranks the same"));
}

}  // namespace ashlar::comm
