// SPDX-License-Identifier: BSL-1.0
// A program's communication as a file for trace viewers.
#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/collectives/all_to_all.hpp"
#include "ashlar/comm/collective_log.hpp"

namespace ashlar::comm {

/// Keeps every collective with its times from construction on, and writes them in the format of chrome://tracing and
/// Perfetto. The file has a row per rank. A collective has an entry with the bytes that the rank received and the line
/// that called it. An asynchronous collective has one entry each time that its rank works on it; the first entry has
/// the bytes. Only one trace is kept at a time.
/// Collective: construction and write, over all ranks of c; they block.
/// Cost: two clock reads and 64 bytes of memory per collective.
/// Error: ashlar::error on every rank if rank 0 cannot write the file. Construction opens it already.
/// Example: comm::trace trace(m.communicator(), "steps.json"); ...; trace.write();
class trace {
 public:
  trace(communicator const& c, std::string file_path);
  trace(trace const&) = delete;
  trace& operator=(trace const&) = delete;
  ~trace() { comm_detail::collective_log::instance().trace(false); }

  /// Pre: called once.
  void write();

 private:
  static std::string quoted(std::string const& s);
  std::string entries() const;

  communicator ranks_;
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  double zero_ = 0;
};

}  // namespace ashlar::comm

#if ASHLAR_IMPL
#include "ashlar/comm/impl/trace.ipp"
#endif
