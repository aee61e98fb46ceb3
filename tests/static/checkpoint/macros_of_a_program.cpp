// Macros that headers of other libraries are known to define: X11, Qt, windows.h, Apple's AssertMacros.h and codes of their own. A
// program defines them after it has included the standard library, MPI, Kokkos and HDF5, which do not survive all of them either.
// Headers of ashlar use none of these names, or take functions of these names in parentheses. The build adds flags that programs
// have: -fno-rtti, and -Wsign-conversion, -Wswitch-enum and -Wuseless-cast as errors.
#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <mpi.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <Kokkos_Core.hpp>
#include <Kokkos_OffsetView.hpp>
#include <Kokkos_Random.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <bitset>
#include <boost/mp11/list.hpp>
#include <charconv>
#include <chrono>
#include <complex>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <source_location>
#include <span>
#include <sstream>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
#if __has_include(<cblas.h>)
#include <cblas.h>
#endif
#if __has_include(<fftw3.h>)
#include <fftw3.h>
#endif
#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#endif
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

#define min(a, b) refuse_min a b
#define max(a, b) refuse_max a b
#define check(x) refuse_check
#define verify(x) refuse_verify
#define require(x, label) refuse_require
#define likely(x) refuse_likely
#define unlikely(x) refuse_unlikely
#define foreach(a, b) refuse_foreach
#define swap_bytes(x) refuse_swap_bytes
#define major(x) refuse_major
#define minor(x) refuse_minor
#define howmany(a, b) refuse_howmany
#define roundup(a, b) refuse_roundup
#define sq(x) refuse_sq
#define sgn(x) refuse_sgn
#define forever refuse_forever
#define slots
#define signals
#define emit
#define near
#define far
#define small char
#define interface struct
#define IN
#define OUT
#define CONST const
#define VOID void
#define ERROR 0
#define DELETE 1
#define None 0L
#define Bool int
#define Status int
#define Success 0
#define Always 2
#define True 1
#define False 0
#ifndef MIN
#define MIN(a, b) refuse_MIN
#define MAX(a, b) refuse_MAX
#endif
#define ABS(x) refuse_ABS
#define CHECK(x) refuse_CHECK
#define ASSERT(x) refuse_ASSERT
#define REQUIRE(x) refuse_REQUIRE
#define PI 3.14159265358979323846
#define TRUE 1
#define FALSE 0

#define ASHLAR_LINKS_FFT  // this source is compiled only
#define ASHLAR_LINKS_SCALAPACK
#include "ashlar/ashlar.hpp"
#include "ashlar/blas.hpp"
#include "ashlar/checkpoint.hpp"
#include "ashlar/data.hpp"
#include "ashlar/hdf5.hpp"
#include "ashlar/io.hpp"
#include "ashlar/layout.hpp"
#include "ashlar/scalapack.hpp"
#include "ashlar/tensor.hpp"
#include "ashlar/train.hpp"
#if __has_include(<fftw3.h>)
#include "ashlar/fft.hpp"
#endif
