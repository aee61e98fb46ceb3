// PyTorch and JAX beside the training step, in a process of their own (frameworks.py), where Python has them.
#pragma once
#include <ashlar/comm/agree.hpp>
#include <ashlar/tensor/gather.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

#include "race.hpp"
#include "training.hpp"

namespace training {

/// The process, started by rank 0: PyTorch and JAX on as many cores as there are ranks, which sleep meanwhile.
/// $ASHLAR_PYTHON, or python3.
class frameworks {
 public:
  /// Collective: all ranks. Post: names() is empty where none is installed.
  frameworks(device_mesh<grid> const& m, training_data const& data, std::vector<float> const& first) : ranks_(m.communicator()) {
    std::vector<std::vector<float>> x;
    std::vector<std::vector<std::int32_t>> y;
    for (index_t k = 0; k < batches; ++k) {
      x.push_back(gather_all(data.x[static_cast<std::size_t>(k)]));
      y.push_back(gather_all(data.y[static_cast<std::size_t>(k)]));
    }
    comm::on_root(ranks_, [&] {
      std::string pattern = std::filesystem::temp_directory_path() / "ashlar_frameworks_XXXXXX";
      if (mkdtemp(pattern.data()) == nullptr) throw error("step: cannot make the folder " + pattern);
      folder_ = pattern;
      write("parameters", first);
      for (std::size_t k = 0; k < x.size(); ++k) {
        write("x" + std::to_string(k), x[k]);
        write("y" + std::to_string(k), y[k]);
      }
      std::vector<float> mask(static_cast<std::size_t>(data.batch * hidden));
      for (index_t k = 0; k < checked_steps; ++k) {
        philox_mask::fill(k, 0, data.batch, 0, hidden, mask.data());
        write("mask" + std::to_string(k), mask);
      }
      start(data.batch);
      std::string line = answer();
      for (std::size_t comma; !line.empty(); line.erase(0, comma == line.npos ? comma : comma + 1))
        names_.push_back(line.substr(0, comma = line.find(',')));
    });
    auto n = static_cast<index_t>(names_.size());
    comm::broadcast(ranks_, &n, 1, 0);
    names_.resize(static_cast<std::size_t>(n));
  }
  frameworks(frameworks const&) = delete;
  frameworks& operator=(frameworks const&) = delete;
  ~frameworks() {
    if (process_ > 0) {
      close(to_);
      close(from_);
      waitpid(process_, nullptr, 0);
    }
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  /// Names with versions, on rank 0.
  std::vector<std::string> const& names() const { return names_; }

  /// Collective: all ranks, of which all but rank 0 sleep until rank 0 has the answer.
  void ask(char const* what, std::size_t which) {
    if (ranks_.rank() == 0) {
      std::string const line = std::string(what) + " " + std::to_string(which) + "\n";
      if (::write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()) || answer() != "done")
        detail::fail("step: frameworks.py has ended; its message stands above");
    }
    bench::sleep_until_all_arrive(ranks_.get());
  }

  /// What three steps from the beginning have led to, on rank 0; on other ranks nothing.
  outcome<float> checked(std::size_t which) {
    ask("check", which);
    outcome<float> o;
    if (ranks_.rank() != 0) return o;
    o.parameters = read("checked_parameters");
    auto const last = read("checked_loss");
    if (last.size() == 2) o.loss = last[0], o.hits = last[1];
    return o;
  }
  bool is_root() const { return ranks_.rank() == 0; }

 private:
  template <class T>
  void write(std::string const& name, std::vector<T> const& v) const {
    std::ofstream out(folder_ + "/" + name, std::ios::binary);
    out.write(reinterpret_cast<char const*>(v.data()), static_cast<std::streamsize>(v.size() * sizeof(T)));
    if (!out.flush()) throw error("step: cannot write " + folder_ + "/" + name);
  }
  std::vector<float> read(std::string const& name) const {
    std::ifstream in(folder_ + "/" + name, std::ios::binary);
    std::vector<char> const bytes{std::istreambuf_iterator<char>(in), {}};
    std::vector<float> v(bytes.size() / sizeof(float));
    std::memcpy(v.data(), bytes.data(), v.size() * sizeof(float));
    return v;
  }
  void start(index_t batch) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw error("step: cannot make a pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    char const* const chosen = std::getenv("ASHLAR_PYTHON");
    std::string const python = chosen != nullptr ? chosen : "python3";
    std::array<std::string, 5> words{python, ASHLAR_BENCH_SOURCE "/frameworks.py", folder_, std::to_string(batch), std::to_string(ranks_.size())};
    std::array<char*, 6> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    int const status = posix_spawnp(&process_, python.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
    if (status != 0) process_ = 0;
  }
  // The next line, without its end; empty where the process has ended.
  std::string answer() const {
    std::string line;
    for (char c; process_ > 0 && ::read(from_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  communicator ranks_;
  std::string folder_;
  std::vector<std::string> names_;
  pid_t process_ = 0;
  int to_ = -1, from_ = -1;
};

}  // namespace training
