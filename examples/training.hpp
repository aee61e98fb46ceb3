// What the training programs share beside their networks: their data, the file of losses, how they start and end.
#pragma once
#include <ashlar/comm/agree.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/train/feed.hpp>
#include <ashlar/train/synthetic_digits.hpp>

#include <cstdio>
#include <exception>
#include <fstream>

#include "options.hpp"

/// The digits that the options name, on every rank.
inline ashlar::digit_data load_digits(ashlar::communicator const& c, options const& o) {
  using namespace ashlar;
  digit_data data = load(c, [&] { return o.data.empty() ? synthetic_digits(prng_key{o.seed}, 60000, 10000) : read_mnist(o.data); });
  if (c.rank() == 0)
    std::printf("%s: %ld training images, %ld test images\n", o.data.empty() ? "digits drawn by the built-in generator (name MNIST's folder by --data or $ASHLAR_DATA)" : o.data.c_str(),
                static_cast<long>(data.train_images.extents[0]), static_cast<long>(data.test_images.extents[0]));
  return data;
}

/// The file of --losses, which rank 0 writes: a loss a line, 17 digits. Without the option there is none.
/// Collective: construction and close. Error: ashlar::error on every rank where it cannot be written.
class loss_file {
 public:
  loss_file(ashlar::communicator const& c, program const& p, options const& o) : ranks_(c), program_(p.name), path_(o.losses) {
    ashlar::comm::on_root(ranks_, [&] {
      if (path_.empty()) return;
      file_.open(path_);
      if (!file_) throw ashlar::error(program_ + ": cannot write " + path_ + "; choose a file in a folder that may be written");
      file_.precision(17);
    });
  }
  template <class T>
  void add(T loss) {
    if (file_.is_open()) file_ << loss << "\n";
  }
  void close() {
    ashlar::comm::on_root(ranks_, [&] {
      if (file_.is_open() && !file_.flush()) throw ashlar::error(program_ + ": writing " + path_ + " failed; is there room left?");
    });
  }

 private:
  ashlar::communicator ranks_;
  std::string program_, path_;
  std::ofstream file_;
};

/// The body of main: run(options), or the help; an error is printed once, and ends the program with status 1.
template <class Run>
int start(int argc, char** argv, program const& p, Run run) {
  ashlar::environment const env;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    options const o = parse(argc, argv, p);
    if (o.help.empty()) return run(o);
    if (rank == 0) std::fputs(o.help.c_str(), stdout);
    return 0;
  } catch (std::exception const& e) {
    if (rank == 0) std::fprintf(stderr, "%s: %s\n", p.name, e.what());
    return 1;
  }
}
