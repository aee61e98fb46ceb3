// SPDX-License-Identifier: BSL-1.0
// The batches of a dataset, one after the other, as tensors on a mesh.
#pragma once
#include "ashlar/comm/agree.hpp"
#include "ashlar/data/batch_rows.hpp"
#include "ashlar/io/crc32c.hpp"
#include "ashlar/data/dataset.hpp"
#include "ashlar/data/read_ahead.hpp"
#include <array>
#include <optional>
#include <tuple>

namespace ashlar::data_detail {

struct weight_of_row {
  index_t examples;
  double weight;
  KOKKOS_FUNCTION double operator()(index_t i) const { return i < examples ? weight : 0; }
};

}  // namespace ashlar::data_detail

namespace ashlar::datasets {

/// A batch: one tensor per field, the number of its rows, and the number of rows that are examples. The other rows of a
/// padded batch come last.
template <class M, class... X>
struct example_batch {
  std::tuple<X...> tensors;
  index_t examples, rows;
  batch_position at;
  device_mesh<M> mesh;

  /// The weight of each row in a mean over the examples: 1 / examples, and 0 in rows without an example.
  /// Shape: (rows). Post: the weights sum to 1. Cost: no communication.
  /// Example: nn::softmax_cross_entropy(logits, labels, batch.template weights<float, layout<"data">>())
  template <class T, class L>
  auto weights(call_site w = call_site::current()) const {
    return generate<T, L>(mesh, {rows}, data_detail::weight_of_row{examples, 1 / static_cast<double>(examples)}, w);
  }
};

}  // namespace ashlar::datasets

namespace ashlar::data_detail {

// One field's shard: [0] of a full batch, [1] of the smaller last batch of an epoch.
struct field_plan {
  shape extents[2];
  index_set rows[2];
  index_t elements[2];
  example_runs runs;
};

// This rank's shards of a batch in host memory.
template <class... T>
struct host_batch {
  batch_position at;
  index_t examples = 0, rows = 0;
  bool full = true;
  std::tuple<std::vector<T>...> elements;
};

// Reads and converts one batch per call, in order. It uses neither MPI nor kernels, so it may run on any thread.
template <class... F>
class batch_reader {
 public:
  using result = host_batch<typename F::element_type...>;
  batch_reader(dataset d, std::array<field_plan, sizeof...(F)> plans, std::tuple<F...> fields, batch_position at)
      : data_(std::move(d)), plans_(std::move(plans)), fields_(std::move(fields)), at_(at) {}

  result operator()() {
    if (!order_ || epoch_ != at_.epoch) order_.emplace(data_.batches(epoch_ = at_.epoch));
    result r;
    r.at = at_;
    r.examples = order_->size(at_.batch);
    r.full = r.examples == data_.how().size || data_.how().last == last_batch::padded;
    r.rows = r.full ? data_.how().size : r.examples;
    auto const examples = order_->examples(at_.batch, 0, r.examples);
    auto const place = [&](index_t i) { return data_.stored_at(examples[static_cast<std::size_t>(i)]); };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (fill(data_.arrays()[I], plans_[I], std::get<I>(fields_), place, r, std::get<I>(r.elements)), ...);
    }(std::index_sequence_for<F...>{});
    at_ = at_.next(order_->count());
    return r;
  }

 private:
  template <class Field, class Place, class Out>
  static void fill(array_source const& from, field_plan const& plan, Field const& how, Place const& place,
                   result const& r, Out& out) {
    comm_detail::resize_buffer(out, static_cast<std::size_t>(plan.elements[!r.full]));
    fill_rows(from, plan.rows[!r.full], r.examples, place, plan.runs, how, out.data());
  }

  dataset data_;
  std::array<field_plan, sizeof...(F)> plans_;
  std::tuple<F...> fields_;
  batch_position at_;
  std::optional<shuffled_batches> order_;
  index_t epoch_ = -1;
};

}  // namespace ashlar::data_detail

namespace ashlar::datasets {

/// The batches of a dataset, epoch after epoch, with one tensor per field: field i is of array i. Each rank reads only
/// the elements of its shards. If the dataset prefetches, a thread reads ahead into host memory. The main thread copies
/// a finished batch to the shards.
/// Shape: per field (rows, extents of an example...), (rows, elements of an example), or (rows) if an example has one
/// element. `rows` is the dataset's batch size, or less in the last batch of an epoch, unless that is padded.
/// Collective: construction and next, all ranks of the mesh, with the same dataset.
/// Cost: no collective on tensors. next agrees by an all-reduce of 64 bytes that no rank failed, unless none can fail. A
/// rank can fail if an array is in a file or its integers may not fit the field. Also in the first call, and the first
/// after seek, which may start a thread. Memory: prefetch + 1 batches' shards.
/// Error: ashlar::error on every rank if fields do not fit the arrays, there are no examples, or datasets differ
/// between ranks. If reading fails on one rank, next throws on all. The stream then keeps its position, and next tries
/// again.
/// Example: batch_stream images(m, train, datasets::batch_field<float, layout<"data", none>>{}, datasets::batch_field<std::int32_t, layout<"data">>{});
///   auto const batch = images.next(); auto const& [x, labels] = batch.tensors;
template <class M, class... F>
class batch_stream {
  static_assert(sizeof...(F) != 0,
                "ashlar::datasets::batch_stream: it takes a field for each array of the dataset; give at least one");

 public:
  using batch_type = example_batch<M, sharded_tensor<typename F::element_type, typename F::layout_type, M>...>;

  batch_stream(device_mesh<M> const& m, comm_detail::at_call<dataset> d, F const&... f)
      : mesh_(m), data_(std::move(d.value)), fields_(f...) {
    (data_detail::check_batch_layout<typename F::layout_type>(), ...);
    comm_detail::calls_as const here(m.communicator(), "batch_stream", d.site);
    comm::collectively(m.communicator(), [&] {
      if (data_.arrays().size() != sizeof...(F))
        throw error("ashlar::datasets::batch_stream: expected a field for each of " +
                    std::to_string(data_.arrays().size()) + " arrays, found " + std::to_string(sizeof...(F)));
      if (data_.examples() == 0) throw error("ashlar::datasets::batch_stream: expected 1 example or more, found none");
      plan_fields(std::index_sequence_for<F...>{});
    });
    batching const& how = data_.how();
    std::uint32_t const chosen = io::crc32c(0, data_.chosen().data(), data_.chosen().size_bytes());
    std::vector<index_t> same{data_.examples(),
                              how.size,
                              static_cast<index_t>(how.last),
                              static_cast<index_t>(how.order),
                              static_cast<index_t>(how.key.value),
                              static_cast<index_t>(chosen),
                              can_fail_};
    for (array_source const& a : data_.arrays()) {
      same.push_back(static_cast<index_t>(a.kind()));
      same.insert(same.end(), a.example_extents().begin(), a.example_extents().end());
    }
    comm::require_equal(
        m.communicator(), same,
        "ashlar::datasets::batch_stream: examples, batch, last batch, order, key, the examples chosen (as a checksum), whether reading may fail, and each array's type and extents");
  }

  /// The number of batches per epoch.
  index_t count() const { return data_.examples() / data_.how().size + (data_.examples() % data_.how().size != 0); }
  index_t examples() const { return data_.examples(); }

  /// The position of the next batch.
  batch_position at() const { return at_; }
  /// Continues at that batch. Cost: drops prefetched batches, unless the position is the same. Error: ashlar::error if
  /// there is no such batch.
  void seek(batch_position to, call_site w = call_site::current()) {
    plan_detail::call_in_errors const call(w);
    if (to.epoch < 0 || to.batch < 0 || to.batch >= count())
      throw error(comm_detail::with_call(
          "ashlar::datasets::batch_stream: expected an epoch of 0 or more and a batch of 0 to " +
          std::to_string(count() - 1) + ", found " + std::to_string(to.epoch) + " and " + std::to_string(to.batch)));
    if (to == at_) return;
    stop();
    at_ = to;
  }

  batch_type next(call_site w = call_site::current()) {
    host_type const made = can_fail_ || !reader_ ? agreed(w) : take();
    at_ = made.at.next(count());
    return tensors(made, std::index_sequence_for<F...>{});
  }

 private:
  using reader = data_detail::batch_reader<F...>;
  using host_type = typename reader::result;

  template <std::size_t... I>
  void plan_fields(std::index_sequence<I...>) {
    (plan_field<typename F::element_type, typename F::layout_type>(data_.arrays()[I], plans_[I]), ...);
  }
  template <class T, class L>
  void plan_field(array_source const& from, data_detail::field_plan& plan) {
    data_detail::check_elements<T>(from);
    can_fail_ |= !from.in_memory() || data_detail::may_be_refused<T>(from);
    index_t const size = data_.how().size;
    for (int i : {0, 1}) {
      plan.extents[i] = data_detail::batch_extents(from, i == 0 ? size : data_.examples() % size, L::rank);
      region const held = local_region(plan.extents[i], sharded_tensor<T, L, M>::layout, mesh_.sizes(), mesh_.rank());
      plan.rows[i] = held.dim[0];
      plan.elements[i] = held.size();
      if (i == 0) plan.runs = data_detail::example_runs(held, plan.extents[i]);
    }
  }

  host_type agreed(call_site const& w) {
    try {
      return comm::collectively(
          mesh_.communicator(), [&] { return take(); }, "batch_stream::next", w);
    } catch (...) {
      stop();
      throw;
    }
  }
  host_type take() {
    if (!reader_) reader_.emplace(data_, plans_, fields_, at_);
    int const depth = data_.how().prefetch;
    if (depth == 0) return (*reader_)();
    if (!ahead_) ahead_.emplace(static_cast<std::size_t>(depth), [this] { return (*reader_)(); });
    return ahead_->take();
  }
  void stop() {
    ahead_.reset();
    reader_.reset();
  }

  template <std::size_t... I>
  batch_type tensors(host_type const& made, std::index_sequence<I...>) const {
    return {{tensor<F>(plans_[I], made.full, std::get<I>(made.elements))...}, made.examples, made.rows, made.at, mesh_};
  }
  template <class Field>
  auto tensor(data_detail::field_plan const& plan, bool full,
              std::vector<typename Field::element_type> const& elements) const {
    sharded_tensor<typename Field::element_type, typename Field::layout_type, M> x(mesh_, plan.extents[!full]);
    tensor_detail::fill_from_host(x, [&](auto* out) { std::copy(elements.begin(), elements.end(), out); });
    return x;
  }

  device_mesh<M> mesh_;
  dataset data_;
  std::tuple<F...> fields_;
  std::array<data_detail::field_plan, sizeof...(F)> plans_;
  bool can_fail_ = false;
  batch_position at_;
  std::optional<reader> reader_;
  // The last member, so that its thread ends before the members that it reads are destroyed.
  std::optional<read_ahead<host_type>> ahead_;
};

/// The batches of a dataset of two arrays, such as images and labels. The first become numbers with the layout X, each
/// times `factor`. The second become integers with the layout Y.
/// Collective, Cost, Error: as batch_stream.
/// Example: auto images = datasets::labelled_stream<float, layout<"data", none>, layout<"data">>(m, train, 1.f / 255);
template <class T, class X, class Y, class M>
auto labelled_stream(device_mesh<M> const& m, dataset const& d, ops_detail::number_for<T, true> factor = T(1),
                     call_site w = call_site::current()) {
  return batch_stream(m, {d, w}, batch_field<T, X>{factor.element()}, batch_field<std::int32_t, Y>{});
}

}  // namespace ashlar::datasets
