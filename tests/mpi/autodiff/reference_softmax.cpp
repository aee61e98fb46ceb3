// labels: nightly
// Softmax and losses against arrays of PyTorch's: values and derivatives, on all meshes and in all classes of layouts that
// their rules allow.
#include "support/layer_reference.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::test;

namespace {

// The loss of labels that is partial over the axes of the rows, where the classes' parts are reduced before.
struct sharded_cross_entropy_rule {
  static constexpr rule_result rule(layout_value const& logits, layout_value const& labels) {
    rule_result r = ops_detail::softmax_parts_op::rule(logits, labels);
    r.out.drop_partial(r.out.partial());
    return r.why == fault::fits ? ops_detail::sharded_cross_entropy_op::rule(logits, labels, r.out) : r;
  }
};

// The mean of a function of two tensors' elements.
struct mean_rule {
  static constexpr rule_result rule(layout_value const& a, layout_value const& b) {
    rule_result const r = layout_detail::elementwise_rule(linearity::nonlinear, a, b);
    return r.why == fault::fits ? layout_detail::reduction_rule(layout_detail::op_sum, (1u << r.out.rank) - 1u, r.out)
                                : r;
  }
};

using rows = allowed_layouts<ops_detail::softmax_op, swept, 3>;
using labelled_rows = allowed_layouts<ops_detail::cross_entropy_op, swept, 3, 2>;

// The loss f(logits, beside), where beside(T{}, suffix) is the array `name + suffix` of one number per row, which lies as the rows do.
template <class Layouts, class F>
void check_rows_loss(std::string const& name, F const& f) {
  check_layouts_beside<Layouts>(name, [&]<class L>(std::type_identity<L>) {
    return [&](auto const& z) {
      return f(z, [&]<class T>(T, char const* what) { return reference_tensor<L, T>(z.mesh(), name + what); });
    };
  });
}

template <class F>
void check_mean(std::string const& name, F const& f) {
  check_layouts<allowed_layouts<mean_rule, swept, 2, 2>>(name, f);
}

}  // namespace

TEST_CASE("softmax and log_softmax") {
  check_layouts<rows>("softmax", [](auto const& z) { return softmax(z); });
  check_layouts<rows>("log_softmax", [](auto const& z) { return log_softmax(z); });
}

TEST_CASE("cross-entropy from labels, with and without weights") {
  check_rows_loss<labelled_rows>("labelled_cross_entropy", [](auto const& z, auto const& beside) {
    return softmax_cross_entropy(z, beside(std::int32_t{}, ".x1"));
  });
  check_rows_loss<labelled_rows>("weighted_cross_entropy", [](auto const& z, auto const& beside) {
    return softmax_cross_entropy(z, beside(std::int32_t{}, ".x1"), beside(double{}, ".weights"));
  });
}

TEST_CASE("cross-entropy from labels over classes that are sharded") {
  check_rows_loss<allowed_layouts<sharded_cross_entropy_rule, swept, 3, 2>>(
      "labelled_cross_entropy",
      [](auto const& z, auto const& beside) { return sharded_cross_entropy(z, beside(std::int32_t{}, ".x1")); });
}

TEST_CASE("cross-entropy from distributions") {
  check_layouts<allowed_layouts<ops_detail::distribution_cross_entropy_op, swept, 2, 2>>(
      "cross_entropy", [](auto const& z, auto const& t) { return softmax_cross_entropy(z, t); });
}

TEST_CASE("binary cross-entropy and the mean squared error") {
  check_mean("binary_cross_entropy", [](auto const& p, auto const& t) { return binary_cross_entropy(p, t); });
  check_mean("binary_cross_entropy_from_logits",
             [](auto const& z, auto const& t) { return binary_cross_entropy_from_logits(z, t); });
  check_mean("mean_squared_error", [](auto const& a, auto const& b) { return mean_squared_error(a, b); });
}
