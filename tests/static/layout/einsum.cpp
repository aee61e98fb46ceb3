// The einsum rule, proven by simulation on two ranks for every placement of the operands: sound and complete.
//
// Each operand is replicated, a partial sum, or sharded in one of its dimensions: 4 * 4 tuples for ik,kj->ij. A tuple
// is run on four sets of integers: einsum of the values that the operands denote, and einsum of each rank's shards.
// Entries are arbitrary, summands too, and a wrong layout would have to be right for all of them at once.
#include "support/einsum.hpp"

using namespace ashlar;
using namespace ashlar::test;

constexpr mesh_shape two_ranks{1, {2}};

// The tuples whose first operand is the Nth layout of its rank: a static assertion's worth of steps for clang.
template <equation Equation, unsigned Partial, int Nth>
constexpr tally tally_of_first = [] {
  constexpr layout_detail::einsum_equation e = layout_detail::parse(Equation);
  tally t;
  int n = 0;
  for_each_layout(e.in[0].rank, 1, Partial, [&](layout_value const& a) {
    if (n++ != Nth) return;
    auto const judge = [&](layout_value const& b) { judge_einsum(t, e, a, b, two_ranks, Partial); };
    if (e.operands == 2)
      for_each_layout(e.in[1].rank, 1, Partial, judge);
    else
      judge({});
  });
  return t;
}();
template <equation Equation, unsigned Partial = sums>
constexpr tally tally_of = []<int... Nth>(std::integer_sequence<int, Nth...>) {
  tally t;
  ((t += tally_of_first<Equation, Partial, Nth>), ...);
  return t;
}(std::make_integer_sequence<int, 8>{});

constexpr tally proven(int tuples, int accepted) { return {tuples, accepted, 0, 0}; }

// 83 tuples, 35 accepted, none unsound, none missed.
static_assert(tally_of<"ik,kj->ij"> == proven(16, 6));     // R R, P R, R P; S(i) R, R S(j); S(k) S(k) gives P
static_assert(tally_of<"bik,bkj->bij"> == proven(25, 7));  // and S(b) S(b)
static_assert(tally_of<"i,i->"> == proven(9, 4));
static_assert(tally_of<"i,j->ij"> == proven(9, 5));
static_assert(tally_of<"bi,bi->bi"> == proven(16, 5));
static_assert(tally_of<"ij->ji"> == proven(4, 4));
static_assert(tally_of<"ij->i"> == proven(4, 4));

// A scalar as operand, and as result.
static_assert(tally_of<",i->i"> == proven(6, 4));
static_assert(tally_of<"ij->"> == proven(4, 4));
