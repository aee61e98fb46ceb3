// The batches, the conditions and the handwritten digits of the training programs.
#include "digits.hpp"
#include "read_on_root.hpp"
#include "synthetic_digits.hpp"

namespace examples {

options options::silent() const {
  options o = *this;
  o.run.losses = o.run.log = o.run.trace = o.checkpoint = "", o.run.shown = false;
  return o;
}

index_t options::taken_in(index_t examples) const {
  return std::min(examples, run.steps > examples ? examples : run.steps * batch);
}

datasets::dataset options::in_batches(datasets::dataset const& d) const {
  return (shuffle ? d.shuffle(fold_in(seed, 1)) : d).batch(batch);
}

datasets::shuffled_batches options::batches(index_t examples, index_t of_batch, index_t epoch) const {
  return {examples, of_batch, fold_in(seed, 1), epoch, order()};
}

run_conditions options::complete(run_conditions of) const {
  of.batch = batch, of.seed = seed, of.shuffled = shuffle, of.dropout = dropout;
  of.microbatches = dropout > 0 ? microbatches : 0, of.shards = per_shard ? size[0] : 1;
  return of;
}

fit_options options::fit(run_conditions const& of) const {
  return {.epochs = run.epochs,
          .batch = batch,
          .checkpoints = checkpoint,
          .steps = run.steps,
          .every = every,
          .keep = keep,
          .asynchronous = asynchronous,
          .losses = run.losses,
          .log = run.log,
          .trace = run.trace,
          .conditions = complete(of),
          .example = run.example,
          .shown = run.shown};
}

// [digits]
// The digits that the options name, on every rank.
io::digit_data load_digits(communicator const& c, options const& o) {
  io::digit_data data =
      read_on_root(c, [&] { return o.data.empty() ? synthetic_digits(o.seed, 60000, 10000) : io::read_mnist(o.data); });
  std::string const source = o.data.empty() ? "synthetic digits (--data or $ASHLAR_DATA names MNIST's folder)" : o.data;
  if (c.rank() == 0)
    std::printf("%s: %ld training images, %ld test images\n", source.c_str(),
                static_cast<long>(data.train_images.extents[0]), static_cast<long>(data.test_images.extents[0]));
  return data;
}
// [digits]

run_conditions conditions_of(io::digit_data const& data) {
  std::uint32_t sum = 0;
  for (io::idx_array const* a : {&data.train_images, &data.train_labels})
    sum = io::crc32c(sum, a->bytes.data(), a->bytes.size());
  return {.examples = data.train_images.extents[0], .checksum = sum};
}

// [open]
digit_sets open_digits(communicator const& c, options const& o) {
  if (o.data.empty()) return digit_sets_of(load_digits(c, o));
  digit_sets const digits = open_mnist(c, o.data);  // each rank reads the images of its shards when it needs them
  for (auto const& [part, d] : {std::pair("train", digits.training), std::pair("t10k", digits.test)})
    if (c.rank() == 0) std::printf("%s/%s: %ld images\n", o.data.c_str(), part, static_cast<long>(d.examples()));
  return digits;
}
// [open]

run_conditions conditions_of(communicator const& c, options const& o, datasets::dataset const& d) {
  if (o.checkpoint.empty()) return {};  // nothing is to be compared, so rank 0 does not read all
  return {.examples = d.examples(), .checksum = checksum(c, d)};
}

}  // namespace examples
