#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// A ledger asked for an axis that the mesh does not have.
namespace ledger_asked_for_unknown_axis {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto program = [](auto const&) {};
constexpr auto right = dry_run(m, program).count(collective::all_reduce, "model");
// error: ashlar::ledger: the mesh has no axis of this name; ask for one of its axes
constexpr auto wrong = dry_run(m, program).count(collective::all_reduce, "modal");
}  // namespace ledger_asked_for_unknown_axis
