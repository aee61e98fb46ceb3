// A ledger asked for an axis that the mesh does not have.
// EXPECT: ashlar::ledger: the mesh has no axis of this name
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto program = [](auto const&) {};
static_assert(collectives(m, program).count(collective::all_reduce, "model") == 0);
#else
constexpr auto program = [](auto const&) {};
static_assert(collectives(m, program).count(collective::all_reduce, "modal") == 0);
#endif
