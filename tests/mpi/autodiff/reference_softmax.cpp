// Softmax and the cross-entropy of labels against arrays of PyTorch's: values and derivatives, on all meshes and in all
// kinds of layouts that the rules allow. (Distributions for labels: tests/mpi/train/reference_losses.cpp.)
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr dimension all = axes("data", "model");

// Rows in two dimensions, classes in the last.
using rows_by_both = layout<"data", "model", none>;
using rows_by_all = layout<none, axes("model", "data"), none>;
using rows_by_data = layout<"data", none, none>;

template <class F>
void check_softmax(std::string const& name, F const& f) {
  check_case<rows_by_both, "data", rows_by_both>(name, f);
  check_case<rows_by_all, all, rows_by_all>(name, f);
  check_case<rows_by_data, "data", rows_by_data>(name, f);
}

// The loss f(logits, beside), where beside(T{}, suffix) is the array `name + suffix` of one number a row, which lies as the rows do.
template <class F>
void check_rows_loss(std::string const& name, F const& f) {
  auto const beside = [&]<class L>(std::type_identity<L>) {
    return [&](auto const& z) {
      return f(z, [&]<class T>(T, char const* what) { return reference_tensor<L, T>(z.mesh(), name + what); });
    };
  };
  check_case<partial<layout<>, all>, "data", rows_by_both>(name, beside(std::type_identity<layout<"data", "model">>{}));
  check_case<partial<layout<>, all>, all, rows_by_all>(name, beside(std::type_identity<layout<none, axes("model", "data")>>{}));
  check_case<partial<layout<>, "data">, "data", rows_by_data>(name, beside(std::type_identity<layout<"data", none>>{}));
  check_case<layout<>, "data", layout<none, none, none>>(name, beside(std::type_identity<layout<none, none>>{}));
}

}  // namespace

TEST_CASE("softmax and log_softmax") {
  check_softmax("softmax", [](auto const& z) { return softmax(z); });
  check_softmax("log_softmax", [](auto const& z) { return log_softmax(z); });
}

TEST_CASE("cross-entropy from labels, with and without weights") {
  check_rows_loss("labelled_cross_entropy",
                  [](auto const& z, auto const& beside) { return softmax_cross_entropy(z, beside(std::int32_t{}, ".x1")); });
  check_rows_loss("weighted_cross_entropy", [](auto const& z, auto const& beside) {
    return softmax_cross_entropy(z, beside(std::int32_t{}, ".x1"), beside(double{}, ".weights"));
  });
}
