// Ledgers of programs that run for long.
#include "ashlar/ops/ops.hpp"
#include "ashlar/plan/print_ledger.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <sstream>

using namespace ashlar;
using namespace ashlar::planning;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;
using notes = decltype(recorder<grid>::log);

// An all_reduce over x, then y, x, ... of 1, 2, 3, ... elements.
notes notes_of(int collectives) {
  notes log;
  for (int i = 0; i < collectives; ++i)
    log.add({collective::all_reduce, layout_detail::mask_of(i % 2), i + 1, i < 100 ? pass::forward : pass::backward, 7,
             "program.cpp"});
  return log;
}
bool holds(notes const& log, int collectives) {
  bool right = log.count() == collectives && log.end() - log.begin() == collectives;
  for (int i = 0; right && i < collectives; ++i)
    right = log[i].axes == layout_detail::mask_of(i % 2) && log[i].bytes_per_rank == i + 1;
  return right;
}

}  // namespace

TEST_CASE("ledger: while a program runs it holds as many collectives as there are") {
  for (int n : {0, 1, plan_detail::few_records::capacity, plan_detail::few_records::capacity + 1, 1000}) {
    notes const log = notes_of(n);
    CHECK(holds(log, n));
    CHECK(log.count(collective::all_reduce, "x") == (n + 1) / 2);
    CHECK(log.count(pass::forward) == (n < 100 ? n : 100));
    CHECK(log.bytes_per_rank() == index_t{n} * (n + 1) / 2);
  }
}

TEST_CASE("ledger: copies go on apart") {
  notes log = notes_of(300);
  notes copy = log;
  log.add({});
  CHECK(log.count() == 301);
  CHECK(holds(copy, 300));
  for (int n : {3, 500, 0}) {
    notes const other = notes_of(n);
    copy = other;
    CHECK(holds(copy, n));
  }
  notes const& same = log;
  log = same;
  CHECK(log.count() == 301);
}

TEST_CASE("ledger: equal collectives of one call site are one record") {
  plan_detail::collective_record const a{collective::all_gather, 1, 40, pass::forward, 7, "program.cpp"};
  plan_detail::collective_record b = a, c = a;
  b.bytes_per_rank = 8;
  c.when = pass::backward;
  std::string const copy = a.file;  // equal texts at other addresses are one file
  plan_detail::collective_record same = a;
  same.file = copy.c_str();
  notes log;
  for (int i = 0; i < 1000; ++i) {
    log.add(a);
    log.add(b);
    log.add(i % 2 ? same : c);
    log.add(b);
  }
  REQUIRE(log.end() - log.begin() == 3);
  CHECK(log[0].times == 1500);
  CHECK(log[1].times == 2000);
  CHECK(log[2].times == 500);
  CHECK(log[2].when == pass::backward);
  CHECK(log.count() == 4000);
  CHECK(log.count(pass::forward) == 3500);
  CHECK(log.count(pass::backward, collective::all_gather, "x") == 500);
  CHECK(log.bytes_per_rank() == 40 * 2000 + 8 * 2000);
  CHECK(log.bytes_per_rank(pass::backward) == 40 * 500);
  plan_detail::collective_record several = b;
  several.times = 10;
  log.add(several);
  CHECK(log[1].times == 2010);
  CHECK(log.count() == 4010);
}

TEST_CASE("ledger: records differ in every member") {
  plan_detail::collective_record const a{collective::all_gather, 1, 40, pass::forward, 7, "program.cpp"};
  plan_detail::collective_record others[6];
  std::fill(others, others + 6, a);
  others[0].what = collective::all_reduce;
  others[1].axes = 2;
  others[2].bytes_per_rank = 41;
  others[3].when = pass::update;
  others[4].line = 8;
  others[5].file = "program.cpp2";
  notes log;
  for (int i = 0; i < 3; ++i) {
    for (auto const& r : others) log.add(r);
    log.add(a);
  }
  REQUIRE(log.end() - log.begin() == 7);
  for (auto const& r : log) CHECK(r.times == 3);
}

TEST_CASE("ledger: a printed line tells how often its collective occurs") {
  std::ostringstream out;
  notes log;
  for (int i = 0; i < 3; ++i) log.add({collective::all_gather, 3, 40, pass::forward, 7, "a/program.cpp"});
  log.add({collective::all_reduce, 1, 8, pass::update, 9, "a/program.cpp"});
  log.add({collective::solver, 3, 0, pass::forward, 10, "a/program.cpp"});
  for (int i = 0; i < 2; ++i) log.add({collective::exchange_halo, 3, 16, pass::forward, 11, "a/program.cpp", 1, 8});
  log.add({collective::exchange_halo, 3, 16, pass::forward, 11, "a/program.cpp", 1, 1});
  out << log;
  CHECK(out.str() ==
        "  forward  all_gather     x+y                   40 bytes per rank   program.cpp:7, 3 times\n"
        "  update   all_reduce     x                      8 bytes per rank   program.cpp:9\n"
        "  forward  solver         x+y                   bytes not counted   program.cpp:10\n"
        "  forward  exchange_halo  x+y                   16 bytes per rank   program.cpp:11, 8 neighbours, 2 times\n"
        "  forward  exchange_halo  x+y                   16 bytes per rank   program.cpp:11, 1 neighbour\n"
        "  8 collectives, 176 bytes per rank\n");
}

TEST_CASE("ledger: beyond 512 different collectives a dry run has totals, and counts all") {
  notes all;
  ledger<grid> log;
  index_t further_bytes = 0;
  for (int i = 0; i < 3000; ++i) {  // 1500 different ones, each twice
    int const which = i % 1500;
    plan_detail::collective_record const r{which % 3 == 0 ? collective::all_reduce : collective::all_gather,
                                           layout_detail::mask_of(which % 2),
                                           which % 7 + 1,
                                           which % 5 == 0 ? pass::backward : pass::forward,
                                           unsigned(which),
                                           "program.cpp"};
    all.add(r);
    log.add(r);
    if (which >= 512) further_bytes += r.bytes_per_rank;
  }
  CHECK(log.end() - log.begin() == 512);
  CHECK(all.end() - all.begin() == 1500);
  CHECK(log.count() == 3000);
  for (collective what : {collective::all_reduce, collective::all_gather, collective::all_to_all}) {
    CHECK(log.count(what) == all.count(what));
    CHECK(log.bytes_per_rank(what, "y") == all.bytes_per_rank(what, "y"));
    CHECK(log.count(pass::backward, what, "x") == all.count(pass::backward, what, "x"));
  }
  CHECK(log.bytes_per_rank() == all.bytes_per_rank());
  index_t bytes = 0;
  int totals = 0, times = 0;
  for (auto const& t : log.further()) bytes += t.bytes_per_rank, times += t.times, ++totals;
  CHECK(totals == 8);
  CHECK(bytes == further_bytes);
  CHECK(times == 2 * (1500 - 512));
  std::ostringstream out;
  out << log;
  CHECK(out.str().find("bytes per rank   in ") != std::string::npos);
  CHECK(out.str().ends_with("  3000 collectives, " + std::to_string(all.bytes_per_rank()) + " bytes per rank\n"));
}

TEST_CASE("ledger: collectives without a record are of 64 kinds at most") {
  ledger<grid> log;
  for (unsigned i = 0; i < 512; ++i) log.add({collective::all_reduce, 1, 8, pass::forward, i, "program.cpp"});
  for (unsigned i = 1; i <= 64; ++i) log.add({collective::all_reduce, i, 8, pass::backward, i, "program.cpp"});
  CHECK(log.count() == 576);
  log.add({collective::all_reduce, 64, 16, pass::backward, 65, "program.cpp"});
  CHECK(log.count(pass::backward) == 65);
  CHECK_THROWS_WITH_AS(
      log.add({collective::all_reduce, 65, 8, pass::backward, 65, "program.cpp"}),
      "ashlar::ledger: more than 64 kinds of collectives have no record; analyse a part of the program", error);
}

TEST_CASE("ledger: dry runs for all extents have 32 choices at most") {
  auto const gradients = [](index_t n) {
    return [n](auto const& m) {
      for (index_t i = 1; i <= n; ++i)
        (void)redistribute<layout<none, "x">>(make<float, partial<layout<none, none>, "x">>(m, {i, 8}));
    };
  };
  auto few = dry_runs(grid{{2, 2}}, gradients(32));
  CHECK((*few.begin()).depends_on_extents());
  auto const many = dry_runs(grid{{2, 2}}, gradients(33));
  CHECK_THROWS_WITH_AS(
      many.begin(),
      "ashlar::dry_runs: extents choose in more than 32 places; analyse a part of the program, or give static extents",
      error);
}

TEST_CASE("ledger: waste is printed with both lines") {
  auto const log = dry_run(grid{{2, 4}}, [](auto const& m) {
    for (int i = 0; i < 2; ++i) {
      auto const y = all_gather<"x">(make<float, layout<"x", none>>(m, {8, 12}));
      (void)redistribute<layout<none, "x">>(y);
    }
    auto const z = all_reduce<"y">(make<float, partial<layout<none>, "y">>(m, {8}));
    (void)redistribute<layout<"y">>(z);
    auto const back = all_to_all<"x", 1>(make<float, layout<"x", none>>(m, {8, 12}));
    (void)redistribute<layout<"x", none>>(back);
  });
  REQUIRE(log.waste().size() == 3);
  std::ostringstream out;
  out << log;
  auto const line = [&](int i, unsigned waste_record::*member) { return std::to_string(log.waste()[i].*member); };
  auto const lines = [&](int i, std::string const& between) {
    return " at ledger.cpp:" + line(i, &waste_record::first_line) + ", " + between +
           " at ledger.cpp:" + line(i, &waste_record::second_line);
  };
  std::string const text = out.str();
  CHECK(text.ends_with("  waste: all_gather" + lines(0, "then a slice of the same axis") +
                       "; redistribute the operand of the all_gather (2 times)\n  waste: all_reduce" +
                       lines(1, "then a slice of the same axis") + "; use reduce_scatter\n  waste: redistribution" +
                       lines(2, "and back") + "; keep the operand of the first\n"));
}

TEST_CASE("ledger: 32 different pairs of waste are kept and counted") {
  plan_detail::waste_records all;
  for (unsigned i = 0; i < 80; ++i) all.add({waste_kind::there_and_back, i % 40, 1, "a.cpp", "b.cpp"});
  CHECK(all.size() == plan_detail::waste_records::capacity);
  for (auto const& r : all) CHECK(r.times == 2);
  all.add({waste_kind::reduce_then_slice, 0, 1, "a.cpp", "b.cpp"});
  CHECK(all.size() == plan_detail::waste_records::capacity);
}

TEST_CASE("collectives: a dry run at run time says what is wrong as it does in a compiler") {
  constexpr int most = plan_detail::few_records::capacity;
  auto const gather = [](int times, int different) {
    return dry_run(grid{{2, 4}}, [=](auto const& m) {
      for (int i = 0; i < times; ++i)
        (void)all_gather<"x">(make<float, layout<"x", none>>(m, {24 + 2 * (i % different), 10}));
    });
  };
  CHECK(gather(3000, 1).count() == 3000);
  CHECK(gather(3000, 1).bytes_per_rank() == 3000 * 12 * 10 * 4);
  CHECK(gather(3 * most, most).count() == 3 * most);
  CHECK(gather(3 * most, 2 * most).count() == 3 * most);
  CHECK_THROWS_WITH_AS((void)gather(1, 1).count(collective::all_gather, "z"),
                       "ashlar::ledger: the mesh has no axis of this name; ask for one of its axes", error);
}

// The operands of a product are arguments of one call, which compilers evaluate in either order. Real ranks have the first
// operand first.
TEST_CASE("ledger: a product has the collectives of its first operand first, at run time too") {
  volatile int two = 2;
  auto const log = dry_run(grid{{two, two}}, [](auto const& m) {
    auto a = make<double, layout<"x", "y">>(m, {300, 200});
    auto b = make<double, layout<"x", "y">>(m, {200, 200});
    (void)matmul(a, b, to_layout<layout<"x", "y">>);
  });
  REQUIRE(log.count() == 2);
  CHECK(log[0].axes == layout_detail::mask_of(1));
  CHECK(log[1].axes == layout_detail::mask_of(0));
}
