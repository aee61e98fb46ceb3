// A matrix product and the collective after or before it, one after the other and in chunks that overlap: where ranks read each
// other's memory, and by messages.
#include <ashlar/tensor/tensor.hpp>

#include "elements.hpp"
#include "race.hpp"

namespace {

using namespace ashlar;
using namespace bench;
using line = mesh<axis<"x">>;
constexpr auto product = equation("ij,jk->ik");

// Operands u v' and s t', whose product is (v's) u t': small integers, so that sums are exact in any order.
float small(index_t i, index_t salt) { return static_cast<float>((i * 7 + salt) % 4); }
template <class L>
auto outer_product(device_mesh<line> const& m, index_t rows, index_t columns, index_t salt) {
  auto x = make<float, L>(m, {rows, columns});
  for_each_element(x, [&](float& element, index_t i, index_t j) { element = small(i, salt) * small(j, salt + 1); });
  return x;
}

struct sizes {
  index_t rows, summed, columns;  // of a @ b, on all ranks together
};

class product_races {
 public:
  product_races(int argc, char** argv) : all_("collective_einsum", argc, argv) {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  /// `whole` is the product as one collective leaves it, `chunked` in so many chunks.
  template <class La, class Lb, class Whole, class Chunked>
  void race(std::string const& what, sizes const& n, Whole whole, Chunked chunked) {
    for (char const* transport : {"node", "mpi"}) {
      std::string const name = what + " " + std::to_string(n.rows) + "x" + std::to_string(n.summed) + "x" +
                               std::to_string(n.columns) + ", " + transport;
      if (ranks_ == 1 || !all_.wants(name)) continue;
      setenv("ASHLAR_TRANSPORT", transport, 1);
      device_mesh<line> const m(MPI_COMM_WORLD, {ranks_});
      auto const a = outer_product<La>(m, n.rows, n.summed, 1);
      auto const b = outer_product<Lb>(m, n.summed, n.columns, 5);
      float sum = 0;
      for (index_t j = 0; j < n.summed; ++j) sum += small(j, 2) * small(j, 5);
      auto const by = [&](std::string who, auto multiply) {
        return variant{std::move(who), transport_of(m), [=] { escape_elements(multiply(a, b)); },
                       [=] {
                         bool right = true;
                         for_each_element(multiply(a, b), [&](float element, index_t i, index_t k) {
                           right = right && element == sum * small(i, 1) * small(k, 6);
                         });
                         return right;
                       }};
      };
      std::vector<variant> variants{by("ashlar: one after the other", whole)};
      for (index_t chunks : {2, 4, 16})
        variants.push_back(by("ashlar: " + std::to_string(chunks) + " chunks",
                              [=](auto const& x, auto const& y) { return chunked(x, y, chunks); }));
      all_.race(name, variants);
    }
  }
  void write() const { all_.write(); }

 private:
  races all_;
  int ranks_ = 1;
};

void measure(int argc, char** argv) {
  product_races all(argc, argv);
  for (index_t summed : {64, 256, 2048}) {
    all.race<layout<none, "x">, layout<"x", none>>(
        "einsum, all_reduce", {4096, summed, 1024},
        [](auto const& a, auto const& b) { return all_reduce<"x">(einsum<product>(a, b)); },
        [](auto const& a, auto const& b, index_t chunks) {
          return einsum<product>(a, b, to_layout<layout<none, none>>.in_chunks(chunks));
        });
    all.race<layout<none, "x">, layout<"x", none>>(
        "einsum, reduce_scatter", {4096, summed, 1024},
        [](auto const& a, auto const& b) { return reduce_scatter<"x", 0>(einsum<product>(a, b)); },
        [](auto const& a, auto const& b, index_t chunks) {
          return einsum<product>(a, b, to_layout<layout<"x", none>>.in_chunks(chunks));
        });
    all.race<layout<"x", none>, layout<none, "x">>(
        "all_gather, einsum", {4096, 1024, summed},
        [](auto const& a, auto const& b) { return einsum<product>(all_gather<"x">(a), b); },
        [](auto const& a, auto const& b, index_t chunks) {
          return einsum<product>(a, b, to_layout<layout<none, "x">>.in_chunks(chunks));
        });
  }
  all.write();
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  return run([&] { measure(argc, argv); });
}
