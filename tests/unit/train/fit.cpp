// fit and evaluate on batches of plain numbers: what they call, in which order, and which means they make.
#include "ashlar/train/fit.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <cstdio>
#include <list>
#include <ranges>

using namespace ashlar;
using namespace ashlar::training;
using test::said;

namespace {

using batch = std::vector<double>;

// Seven examples in batches of 3: the last has one.
std::vector<batch> const seven{{1, 2, 3}, {4, 5, 6}, {13}};

batch_report mean_of(batch const& b) {
  double sum = 0, large = 0;
  for (double x : b) sum += x, large += x > 4;
  auto const n = static_cast<double>(b.size());
  return {static_cast<index_t>(b.size()), {{"loss", sum / n}, {"large", large / n}}};
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

struct listener {
  std::string* heard;
  void begin_epoch(int epoch) { *heard += "begin " + std::to_string(epoch) + "\n"; }
  void after_batch(batch_report const& b, epoch_report const& r) {
    *heard += std::to_string(b.examples) + " of " + std::to_string(r.examples) + ", " + std::to_string(r.steps) +
              " steps, " + r.text() + "\n";
  }
  void after_epoch(epoch_report const& r) { *heard += "end " + std::to_string(r.epoch) + " " + r.text() + "\n"; }
};

}  // namespace

TEST_CASE("the mean of an epoch is over examples, an uneven last batch included") {
  auto const history = fit(3, seven, mean_of);
  REQUIRE(history.size() == 3);
  for (int epoch = 0; epoch < 3; ++epoch) {
    epoch_report const& r = history[static_cast<std::size_t>(epoch)];
    CHECK(r.epoch == epoch);
    CHECK(r.steps == 3);
    CHECK(r.examples == 7);
    CHECK(r["loss"] == doctest::Approx(34. / 7).epsilon(1e-15));
    CHECK(r["large"] == doctest::Approx(3. / 7).epsilon(1e-15));
    CHECK(r.text() == "loss 4.8571  large 0.4286");
    CHECK(r.seconds >= 0);
    CHECK(r.ms_per_step() == doctest::Approx(1000 * r.seconds / 3));
  }
  CHECK(evaluate(seven, mean_of)["loss"] == doctest::Approx(34. / 7).epsilon(1e-15));
}

TEST_CASE("a batch whose examples are all masked counts nowhere, whatever its mean") {
  auto const r = evaluate(std::vector<int>{2, 0, 1}, [](int n) {
    return batch_report{n, {{"loss", n == 0 ? std::nan("") : 3. * n}}};
  });
  CHECK(r.steps == 3);
  CHECK(r.examples == 3);
  CHECK(r["loss"] == doctest::Approx(5));
}

TEST_CASE("batches are a range, of any kind, or a function of the epoch") {
  double sum = 0;
  auto const add = [&](double x) {
    sum += x;
    return batch_report{1, {{"loss", x}}};
  };
  double const numbers[]{1, 2};
  fit(2, numbers, add);
  CHECK(sum == 6);
  fit(1, std::list<double>{10, 20}, add);
  CHECK(sum == 36);
  double next = 0;
  fit(2, std::views::iota(0, 3) | std::views::transform([&](int) { return ++next; }),
      add);  // made on the way, once each
  CHECK(next == 6);
  CHECK(sum == 36 + 21);
  std::vector<int> epochs;
  auto const history = fit(
      3,
      [&](int epoch) {
        epochs.push_back(epoch);
        return std::vector<double>(static_cast<std::size_t>(epoch + 1), 100. * epoch);
      },
      add);
  CHECK(epochs == std::vector<int>{0, 1, 2});
  CHECK(history[2].steps == 3);
  CHECK(history[2]["loss"] == 200);
}

TEST_CASE("callbacks hear of each epoch and batch, in order") {
  std::string heard;
  fit(2, std::vector<batch>{{2, 4}, {9}}, mean_of, listener{&heard});
  std::string const epoch = "2 of 2, 1 steps, loss 3.0000  large 0.0000\n1 of 3, 2 steps, loss 5.0000  large 0.3333\n";
  CHECK(heard == "begin 0\n" + epoch + "end 0 loss 5.0000  large 0.3333\nbegin 1\n" + epoch +
                     "end 1 loss 5.0000  large 0.3333\n");
}

TEST_CASE("a callback that returns false ends the training, and the others hear of it all the same") {
  std::string heard;
  auto const early =
      fit(5, seven, mean_of, after_epoch([](epoch_report const& r) { return r.epoch < 1; }), listener{&heard});
  CHECK(early.size() == 2);
  CHECK(contains(heard, "end 1"));

  heard.clear();
  index_t steps = 0;
  auto const at_step =
      fit(5, seven, mean_of, after_batch([&](batch_report const&, epoch_report const&) { return ++steps < 5; }),
          listener{&heard});
  REQUIRE(at_step.size() == 2);
  CHECK(at_step[1].steps == 2);
  CHECK(at_step[1].examples == 6);
  CHECK(at_step[1]["loss"] == doctest::Approx(3.5));
  CHECK(contains(heard, "end 1"));
}

TEST_CASE("what cannot be trained on is an error") {
  CHECK(contains(said([] { fit(-1, seven, mean_of); }), "0 epochs or more, found -1"));
  CHECK(fit(0, seven, mean_of).empty());
  CHECK(contains(said([] { fit(1, std::vector<batch>{}, mean_of); }), "found none"));
  CHECK(contains(said([] { evaluate(std::vector<batch>{}, mean_of); }),
                 "ashlar::training::fit: an epoch has 1 batch or more, found none; is the data empty?"));
  CHECK(contains(said([] { evaluate(seven, [](batch const&) {
                             return batch_report{-1, {}};
                           }); }),
                 "ashlar::training::fit: a step reports 0 examples or more, found -1"));
  int n = 0;
  auto const more_and_more = [&](batch const&) {
    return batch_report{1, std::vector<metric>(static_cast<std::size_t>(++n), {"loss", 0})};
  };
  CHECK(contains(said([&] { evaluate(seven, more_and_more); }), "other metrics"));
  auto const renamed = [&](batch const&) { return batch_report{1, {{++n % 2 ? "loss" : "cost", 0}}}; };
  CHECK(contains(
      said([&] { evaluate(seven, renamed); }),
      "ashlar::training::fit: a step reports other metrics than the one before; report the same ones, in one order"));
  CHECK(contains(said([] { (void)evaluate(seven, mean_of)["accuracy"]; }), "no metric has the name accuracy"));
}

TEST_CASE("an exception of a step leaves fit") {
  CHECK_THROWS_AS(fit(1, seven, [](batch const&) -> batch_report { throw 7; }), int);
}

TEST_CASE("shown on a progress: metrics, and milliseconds a step") {
  std::FILE* const file = std::tmpfile();
  {
    progress bar(file, true, 2, 7, progress_style::lines);
    fit(2, seven, mean_of, show_on(bar));
    progress last(file, true, 1, 7, progress_style::lines, 100, "test");
    evaluate(seven, mean_of, show_on(last));
  }
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  CAPTURE(text);
  std::size_t at = 0;
  for (char const* head : {"epoch 1/2", "epoch 2/2", "test"}) {
    CHECK(text.find(head, at) == at);
    std::size_t const end = text.find('\n', at);
    std::string const line = text.substr(at, end - at);
    CHECK(contains(line, " 100%  loss 4.8571  large 0.4286  "));
    CHECK(contains(line, " ms/step  0:00"));
    at = end + 1;
  }
  CHECK(at == text.size());
}
