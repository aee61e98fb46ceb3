// Data for training, which need no BLAS.
#include <ashlar/data.hpp>

int main() {
  ashlar::datasets::shuffled_batches const batches(10, 3, ashlar::prng_key{1}, 0);
  return batches.count() == 4 ? 0 : 1;
}
