// SPDX-License-Identifier: BSL-1.0
// The functions of comm/trace.hpp.

namespace ashlar::comm {

ASHLAR_INLINE trace::trace(communicator const& c, std::string file_path) : ranks_(c), path_(std::move(file_path)) {
  on_root(ranks_, [&] {
    file_.reset(std::fopen(path_.c_str(), "w"));
    if (!file_) throw error("ashlar::trace: cannot write " + path_ + "; choose a file in a folder that may be written");
  });
  on_root(ranks_, [] {});  // ranks leave it together, as far as possible: time 0
  zero_ = comm_detail::clock_seconds();
  comm_detail::collective_log::instance().trace(true);
}

ASHLAR_INLINE void trace::write() {
  comm_detail::collective_log::instance().trace(false);
  std::string const mine = entries();
  std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks_.size())), none(sizes.size()), send(sizes.size());
  std::size_t const size = mine.size();
  all_gather(ranks_, &size, 1, sizes.data());
  send[0] = size;
  auto const& receive = ranks_.rank() == 0 ? sizes : none;
  std::size_t total = 0;
  for (std::size_t n : receive) total += n;
  std::string all(total, ' ');
  all_to_all(ranks_, mine.data(), std::span<std::size_t const>(send.data(), send.size()), all.data(),
             std::span<std::size_t const>(receive.data(), receive.size()));
  on_root(ranks_, [&] {
    all.resize(all.size() - 2);  // the last comma
    std::FILE* const f = file_.release();
    std::fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", f);
    std::fwrite(all.data(), 1, all.size(), f);
    std::fputs("\n]}\n", f);
    bool const written = std::ferror(f) == 0;
    if (std::fclose(f) != 0 || !written)
      throw error("ashlar::trace: writing " + path_ +
                  " failed; free room on its file system, or choose a file elsewhere");
  });
}

ASHLAR_INLINE std::string trace::quoted(std::string const& s) {
  std::string q = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') q += '\\';
    q += c;
  }
  return q + "\"";
}

ASHLAR_INLINE std::string trace::entries() const {
  std::string const rank = std::to_string(ranks_.rank());
  std::string text = "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": " + rank + ", \"args\": {\"name\": \"rank " +
                     rank + "\"}},\n";
  for (comm_detail::collective_event const& e : comm_detail::collective_log::instance().kept()) {
    char times[80];
    std::snprintf(times, sizeof times, "\"ts\": %.3f, \"dur\": %.3f", 1e6 * (e.begin - zero_), 1e6 * (e.end - e.begin));
    text += "{\"name\": " + quoted(comm_detail::call_text(e)) +
            ", \"cat\": \"collective\", \"ph\": \"X\", \"pid\": " + rank + ", \"tid\": 0, " + times +
            ", \"args\": {\"bytes\": " + std::to_string(e.bytes) + ", \"line\": " + quoted(comm_detail::line_text(e)) +
            "}},\n";
  }
  return text;
}

}  // namespace ashlar::comm
