// A Python program as a peer of a benchmark: PyTorch or JAX do the same work (peer.py).
#pragma once
#include <ashlar/comm/agree.hpp>

#include <Kokkos_Core.hpp>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "race.hpp"

namespace bench {

using ashlar::index_t;

/// True if the host reads the memory of tensors. Else the peer computes on the GPU, too.
inline constexpr bool is_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Kokkos::DefaultExecutionSpace::memory_space>::accessible;

/// The peer's process, which rank 0 starts with $ASHLAR_PYTHON, or python3. It uses as many cores as the ranks and
/// their threads, which sleep meanwhile.
class peer {
 public:
  /// Microseconds for which the peer's threads may poll for more work, on cores that the next variant needs.
  static constexpr useconds_t rest = 50'000;

  /// Calls put(*this) on rank 0, which writes the arrays with which the program begins.
  /// Post: names() is empty if no framework is installed. Collective: all ranks.
  template <class Put>
  peer(ashlar::communicator const& ranks, std::string const& program, index_t batch, int cores, Put const& put)
      : ranks_(ranks), program_(program) {
    ashlar::comm::on_root(ranks_, [&] {
      std::string pattern = std::filesystem::temp_directory_path() / "ashlar_peer_XXXXXX";
      if (mkdtemp(pattern.data()) == nullptr) throw ashlar::error(program_ + ": cannot make the folder " + pattern);
      folder_ = pattern;
      put(*this);
      start(batch, cores);
      std::string line = answer();
      for (std::size_t comma; !line.empty(); line.erase(0, comma == line.npos ? comma : comma + 1))
        names_.push_back(line.substr(0, comma = line.find(',')));
    });
    auto n = static_cast<index_t>(names_.size());
    ashlar::comm::broadcast(ranks_, &n, 1, 0);
    names_.resize(static_cast<std::size_t>(n));
  }
  peer(peer const&) = delete;
  peer& operator=(peer const&) = delete;
  ~peer() {
    if (process_ > 0) {
      close(to_);
      close(from_);
      waitpid(process_, nullptr, 0);
    }
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  /// The frameworks' names with versions, on rank 0.
  std::vector<std::string> const& names() const { return names_; }

  /// Sends a request to the program and waits for its answer. Collective: all ranks; all but rank 0 sleep meanwhile.
  void ask(char const* what, std::size_t which) {
    if (ranks_.rank() == 0) {
      std::string const line = std::string(what) + " " + std::to_string(which) + "\n";
      if (::write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()) || answer() != "done")
        throw ashlar::error(program_ + " has ended; its message stands above");
    }
    sleep_until_all_arrive(ranks_.get());
  }

  bool is_root() const { return ranks_.rank() == 0; }

  /// Writes an array for the program. `read` reads one from it.
  template <class T>
  void write(std::string const& name, std::vector<T> const& v) const {
    std::ofstream out(folder_ + "/" + name, std::ios::binary);
    out.write(reinterpret_cast<char const*>(v.data()), static_cast<std::streamsize>(v.size() * sizeof(T)));
    if (!out.flush()) throw ashlar::error(program_ + ": cannot write " + folder_ + "/" + name);
  }
  std::vector<float> read(std::string const& name) const {
    std::ifstream in(folder_ + "/" + name, std::ios::binary);
    std::vector<char> const bytes{std::istreambuf_iterator<char>(in), {}};
    std::vector<float> v(bytes.size() / sizeof(float));
    std::memcpy(v.data(), bytes.data(), v.size() * sizeof(float));
    return v;
  }

 private:
  void start(index_t batch, int cores) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw ashlar::error(program_ + ": cannot make a pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    char const* const chosen = std::getenv("ASHLAR_PYTHON");
    std::string const python = chosen != nullptr ? chosen : "python3";
    std::array<std::string, 6> words{python,
                                     std::string(ASHLAR_BENCH_SOURCE "/") + program_,
                                     folder_,
                                     std::to_string(batch),
                                     std::to_string(cores),
                                     is_on_host ? "cpu" : "gpu"};
    std::array<char*, 7> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    int const status = posix_spawnp(&process_, python.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
    if (status != 0) process_ = 0;
  }
  // Reads the next line, without its end. Empty if the process has ended.
  std::string answer() const {
    std::string line;
    for (char c; process_ > 0 && ::read(from_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  ashlar::communicator ranks_;
  std::string program_, folder_;
  std::vector<std::string> names_;
  pid_t process_ = 0;
  int to_ = -1, from_ = -1;
};

}  // namespace bench
