// What schedules refuse. What they are is in static/train/schedule.cpp.
#include "ashlar/train/optimizers/schedule.hpp"
#include "support/larger.hpp"
#include <doctest/doctest.h>
#include <cmath>

using namespace ashlar;
using namespace ashlar::training;

TEST_CASE("the cosine is the library's to the last digits") {
  double furthest = 0;
  for (int i = 0; i <= 1000; ++i)
    furthest =
        test::larger(furthest, std::abs(train_detail::cosine_of_pi(i / 1000.) - std::cos(std::acos(-1.) * i / 1000.)));
  CHECK(furthest < 1e-15);
}

TEST_CASE("schedules without steps, and a warm-up before a warm-up, are refused") {
  CHECK_THROWS_WITH_AS(cosine_decay(1, 0), doctest::Contains("ashlar::training::cosine_decay: it takes 1 step or more"),
                       error);
  CHECK_THROWS_WITH_AS(warm_up(-1, 1), doctest::Contains("ashlar::training::warm_up: it takes 0 steps or more"), error);
  CHECK_THROWS_WITH_AS(warm_up(2, warm_up(3, 1)), doctest::Contains("a schedule that does not warm up itself"), error);
}
