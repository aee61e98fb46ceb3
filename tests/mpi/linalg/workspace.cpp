// Workspaces that a routine's 32-bit integers cannot count, by routines that ask for some.
#include "ashlar/linalg/workspace.hpp"
#include "ashlar/linalg/eigh.hpp"
#include "ashlar/linalg/lstsq.hpp"
#include "ashlar/linalg/qr.hpp"
#include "ashlar/linalg/svd.hpp"
#include "linalg_test.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

// Asks for a workspace, and notes the size that it gets.
template <class T>
struct asking_routine {
  T asks;
  index_t least;
  int* gets;
  template <class X>
  char const* operator()(X const& x) const {
    auto const routine = [this](T* work, int size) {
      if (size < 0)
        *work = asks;
      else
        *gets = size;
    };
    auto work = linalg_detail::workspace_of<T>(x, least, routine);
    if (work.empty()) return linalg_detail::workspace_is_too_large;
    linalg_detail::run_in(work, routine);
    return nullptr;
  }
};

// What a rank hears of a solver that asks for a workspace, and the size that it gets.
template <class T>
struct heard {
  std::string sentence;
  int size = -1;
};
template <class T, class X>
heard<T> call(X const& x, T asks, index_t least = 0) {
  heard<T> h;
  h.sentence = said([&] {
    linalg_detail::call_solver("a routine", call_site::current(), asking_routine<T>{asks, least, &h.size}, x);
  });
  return h;
}
// Asks for 2^57 bytes on the last rank, and for none on the others.
struct greedy_routine {
  template <class X>
  char const* operator()(X const& x) const {
    bool const is_last = x.mesh().rank() == x.mesh().size() - 1;
    (void)linalg_detail::room_for<std::array<char, 1 << 26>>(x, is_last ? INT_MAX : 0);
    return nullptr;
  }
};
bool is_too_large(std::string const& sentence) { return sentence.starts_with(linalg_detail::workspace_is_too_large); }

}  // namespace

TEST_CASE("a workspace for which one rank has no memory is one sentence on every rank, which says its size") {
  on_every_grid([](auto const& m) {
    auto const a = make<double, layout<cyclic("p", 2), cyclic("q", 2)>>(m, {8, 8});
    CHECK(said([&] { linalg_detail::call_solver("linalg::greedy", call_site::current(), greedy_routine{}, a); })
              .starts_with(
                  "ashlar::linalg::greedy: the memory does not suffice for a workspace of 144115188008747008 bytes"));
  });
}

TEST_CASE("a workspace that a 32-bit integer cannot count on one rank is one sentence on every rank") {
  on_every_grid([](auto const& m) {
    auto const a = make<double, layout<cyclic("p", 2), cyclic("q", 2)>>(m, {8, 8});
    bool const is_last = m.rank() == m.size() - 1;
    for (double asks : {2147483648., 6.4e9, -12.}) {
      CAPTURE(asks);
      auto const h = call(a, is_last ? asks : 100.);
      CHECK(is_too_large(h.sentence));
      CHECK(h.size == -1);  // no rank works while another one does not
    }
    auto const wrapped = call(a, 100., is_last ? index_t{1} << 32 : 0);
    CHECK(is_too_large(wrapped.sentence));
    CHECK(wrapped.size == -1);
    auto const fits = call(a, is_last ? 200. : 100.);  // and the mesh serves on
    CHECK(fits.sentence == "");
    CHECK(fits.size == (is_last ? 200 : 100));
    CHECK(call(a, 16777216.F).size > 16777216);  // the same float as 16777217
  });
}

TEST_CASE("solvers of blocks whose panels 32 bits cannot count say so on every rank") {
  on_every_grid([](auto const& m) {
    for_each_element_type([&](auto t) {
      using T = decltype(t);
      using L = layout<cyclic("p", 65535), cyclic("q", 65535)>;
      auto const tall = generate<T, L>(m, {9, 5}, general<T>{});  // 65535 * (9 + 5 + 65535) is 2^32 + 786419
      CHECK(is_too_large(said([&] { (void)linalg::qr(tall); })));
      CHECK(is_too_large(said([&] { (void)linalg::svd(tall); })));
      CHECK(is_too_large(said([&] { (void)linalg::lstsq(tall, tall); })));
      CHECK(is_too_large(said([&] { (void)linalg::eigh(generate<T, L>(m, {7, 7}, hermitian<T>{1})); })));
    });
  });
}
