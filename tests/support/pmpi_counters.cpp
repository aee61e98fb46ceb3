#include "support/pmpi_counters.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace {
pmpi::counts now;
int sends_to_refusal = 0;
bool refused() { return sends_to_refusal > 0 && --sends_to_refusal == 0; }
}  // namespace
pmpi::counts const& pmpi::counted() { return now; }
void pmpi::refuse_send(int n) { sends_to_refusal = n; }

#define STRIP(...) __VA_ARGS__
#define COUNT(counter, name, parameters, arguments) \
  int MPI_##name parameters {                       \
    ++now.counter;                                  \
    return PMPI_##name arguments;                   \
  }
// Counts the blocking and the nonblocking form of a collective. `parameters` are the ones before the communicator.
#define COUNT_COLLECTIVE(counter, blocking, nonblocking, parameters, arguments)         \
  COUNT(counter, blocking, (STRIP parameters, MPI_Comm comm), (STRIP arguments, comm))  \
  COUNT(counter, nonblocking, (STRIP parameters, MPI_Comm comm, MPI_Request * request), \
        (STRIP arguments, comm, request))

// All functions that take counts. N is the type of a count, D the type of a displacement, `suffix` the end of the
// names. Displacements of Alltoallw are in bytes.
#define COUNT_ALL(suffix, N, D)                                                                                        \
  COUNT_COLLECTIVE(all_reduce, Allreduce##suffix, Iallreduce##suffix,                                                  \
                   (void const* s, void* r, N n, MPI_Datatype t, MPI_Op o), (s, r, n, t, o))                           \
  COUNT_COLLECTIVE(all_gather, Allgather##suffix, Iallgather##suffix,                                                  \
                   (void const* s, N n, MPI_Datatype t, void* r, N m, MPI_Datatype u), (s, n, t, r, m, u))             \
  COUNT_COLLECTIVE(all_gather, Allgatherv##suffix, Iallgatherv##suffix,                                                \
                   (void const* s, N n, MPI_Datatype t, void* r, N const m[], D const d[], MPI_Datatype u),            \
                   (s, n, t, r, m, d, u))                                                                              \
  COUNT_COLLECTIVE(reduce_scatter, Reduce_scatter_block##suffix, Ireduce_scatter_block##suffix,                        \
                   (void const* s, void* r, N n, MPI_Datatype t, MPI_Op o), (s, r, n, t, o))                           \
  COUNT_COLLECTIVE(reduce_scatter, Reduce_scatter##suffix, Ireduce_scatter##suffix,                                    \
                   (void const* s, void* r, N const n[], MPI_Datatype t, MPI_Op o), (s, r, n, t, o))                   \
  COUNT_COLLECTIVE(all_to_all, Alltoall##suffix, Ialltoall##suffix,                                                    \
                   (void const* s, N n, MPI_Datatype t, void* r, N m, MPI_Datatype u), (s, n, t, r, m, u))             \
  COUNT_COLLECTIVE(                                                                                                    \
      all_to_all, Alltoallv##suffix, Ialltoallv##suffix,                                                               \
      (void const* s, N const n[], D const d[], MPI_Datatype t, void* r, N const m[], D const e[], MPI_Datatype u),    \
      (s, n, d, t, r, m, e, u))                                                                                        \
  COUNT_COLLECTIVE(all_to_all, Alltoallw##suffix, Ialltoallw##suffix,                                                  \
                   (void const* s, N const n[], D const d[], MPI_Datatype const t[], void* r, N const m[],             \
                    D const e[], MPI_Datatype const u[]),                                                              \
                   (s, n, d, t, r, m, e, u))                                                                           \
  COUNT_COLLECTIVE(broadcast, Bcast##suffix, Ibcast##suffix, (void* s, N n, MPI_Datatype t, int root),                 \
                   (s, n, t, root))                                                                                    \
  COUNT_COLLECTIVE(other_collectives, Reduce##suffix, Ireduce##suffix,                                                 \
                   (void const* s, void* r, N n, MPI_Datatype t, MPI_Op o, int root), (s, r, n, t, o, root))           \
  COUNT_COLLECTIVE(other_collectives, Scan##suffix, Iscan##suffix,                                                     \
                   (void const* s, void* r, N n, MPI_Datatype t, MPI_Op o), (s, r, n, t, o))                           \
  COUNT_COLLECTIVE(other_collectives, Exscan##suffix, Iexscan##suffix,                                                 \
                   (void const* s, void* r, N n, MPI_Datatype t, MPI_Op o), (s, r, n, t, o))                           \
  COUNT_COLLECTIVE(other_collectives, Gather##suffix, Igather##suffix,                                                 \
                   (void const* s, N n, MPI_Datatype t, void* r, N m, MPI_Datatype u, int root),                       \
                   (s, n, t, r, m, u, root))                                                                           \
  COUNT_COLLECTIVE(other_collectives, Gatherv##suffix, Igatherv##suffix,                                               \
                   (void const* s, N n, MPI_Datatype t, void* r, N const m[], D const d[], MPI_Datatype u, int root),  \
                   (s, n, t, r, m, d, u, root))                                                                        \
  COUNT_COLLECTIVE(other_collectives, Scatter##suffix, Iscatter##suffix,                                               \
                   (void const* s, N n, MPI_Datatype t, void* r, N m, MPI_Datatype u, int root),                       \
                   (s, n, t, r, m, u, root))                                                                           \
  COUNT_COLLECTIVE(other_collectives, Scatterv##suffix, Iscatterv##suffix,                                             \
                   (void const* s, N const n[], D const d[], MPI_Datatype t, void* r, N m, MPI_Datatype u, int root),  \
                   (s, n, d, t, r, m, u, root))                                                                        \
  COUNT_COLLECTIVE(other_collectives, Neighbor_allgather##suffix, Ineighbor_allgather##suffix,                         \
                   (void const* s, N n, MPI_Datatype t, void* r, N m, MPI_Datatype u), (s, n, t, r, m, u))             \
  COUNT_COLLECTIVE(other_collectives, Neighbor_alltoall##suffix, Ineighbor_alltoall##suffix,                           \
                   (void const* s, N n, MPI_Datatype t, void* r, N m, MPI_Datatype u), (s, n, t, r, m, u))             \
  COUNT_COLLECTIVE(other_collectives, Neighbor_alltoallw##suffix, Ineighbor_alltoallw##suffix,                         \
                   (void const* s, N const n[], MPI_Aint const d[], MPI_Datatype const t[], void* r, N const m[],      \
                    MPI_Aint const e[], MPI_Datatype const u[]),                                                       \
                   (s, n, d, t, r, m, e, u))                                                                           \
  COUNT(sends, Send##suffix, (void const* s, N n, MPI_Datatype t, int to, int tag, MPI_Comm c), (s, n, t, to, tag, c)) \
  COUNT(sends, Ssend##suffix, (void const* s, N n, MPI_Datatype t, int to, int tag, MPI_Comm c),                       \
        (s, n, t, to, tag, c))                                                                                         \
  int MPI_Isend##suffix(void const* s, N n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q) {             \
    ++now.sends;                                                                                                       \
    return refused() ? MPI_ERR_OTHER : PMPI_Isend##suffix(s, n, t, to, tag, c, q);                                     \
  }                                                                                                                    \
  COUNT(sends, Issend##suffix, (void const* s, N n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q),      \
        (s, n, t, to, tag, c, q))                                                                                      \
  COUNT(receives, Recv##suffix, (void* r, N n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* st),         \
        (r, n, t, from, tag, c, st))                                                                                   \
  COUNT(receives, Irecv##suffix, (void* r, N n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* q),        \
        (r, n, t, from, tag, c, q))                                                                                    \
  int MPI_Sendrecv##suffix(void const* s, N n, MPI_Datatype t, int to, int tag, void* r, N m, MPI_Datatype u,          \
                           int from, int other_tag, MPI_Comm c, MPI_Status* st) {                                      \
    ++now.sends, ++now.receives;                                                                                       \
    return PMPI_Sendrecv##suffix(s, n, t, to, tag, r, m, u, from, other_tag, c, st);                                   \
  }

extern "C" {

COUNT_ALL(, int, int)
#if MPI_VERSION >= 4
COUNT_ALL(_c, MPI_Count, MPI_Aint)
#endif
COUNT(other_collectives, Barrier, (MPI_Comm c), (c))
COUNT(other_collectives, Ibarrier, (MPI_Comm c, MPI_Request* q), (c, q))

COUNT(persistent_starts, Start, (MPI_Request * q), (q))
int MPI_Startall(int n, MPI_Request q[]) {
  now.persistent_starts += static_cast<std::uint64_t>(n);
  return PMPI_Startall(n, q);
}
COUNT(one_sided, Put, (void const* s, int n, MPI_Datatype t, int to, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w),
      (s, n, t, to, d, m, u, w))
COUNT(one_sided, Get, (void* r, int n, MPI_Datatype t, int from, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w),
      (r, n, t, from, d, m, u, w))
COUNT(one_sided, Accumulate,
      (void const* s, int n, MPI_Datatype t, int to, MPI_Aint d, int m, MPI_Datatype u, MPI_Op o, MPI_Win w),
      (s, n, t, to, d, m, u, o, w))

COUNT(communicators_made, Comm_dup, (MPI_Comm c, MPI_Comm* made), (c, made))
COUNT(communicators_made, Comm_idup, (MPI_Comm c, MPI_Comm* made, MPI_Request* q), (c, made, q))
COUNT(communicators_made, Comm_split, (MPI_Comm c, int color, int key, MPI_Comm* made), (c, color, key, made))
COUNT(communicators_made, Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i, MPI_Comm* made),
      (c, type, key, i, made))
COUNT(communicators_made, Comm_create, (MPI_Comm c, MPI_Group g, MPI_Comm* made), (c, g, made))
COUNT(communicators_made, Comm_create_group, (MPI_Comm c, MPI_Group g, int tag, MPI_Comm* made), (c, g, tag, made))
COUNT(communicators_made, Cart_create, (MPI_Comm c, int n, int const s[], int const p[], int reorder, MPI_Comm* made),
      (c, n, s, p, reorder, made))
COUNT(communicators_made, Cart_sub, (MPI_Comm c, int const remain[], MPI_Comm* made), (c, remain, made))
COUNT(communicators_freed, Comm_free, (MPI_Comm * c), (c))
COUNT(types_made, Type_create_hvector, (int n, int block, MPI_Aint stride, MPI_Datatype t, MPI_Datatype* made),
      (n, block, stride, t, made))
COUNT(types_freed, Type_free, (MPI_Datatype * t), (t))

}  // extern "C"
