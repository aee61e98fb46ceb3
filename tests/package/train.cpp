// Training: a strategy and a schedule, which are values.
#include <ashlar/train.hpp>

int main() {
  using strategy = ashlar::training::data_parallel<"data">;
  return std::is_empty_v<strategy> ? 0 : 1;
}
