"""Spack's recipe of ashlar. A repository of recipes has it as packages/ashlar/package.py."""

from spack.package import *


class Ashlar(CMakePackage):
    """Tensors whose sharding over a machine is part of their type: a header-only C++20 library."""

    license("BSL-1.0")
    maintainers()

    version("0.1.0")

    variant("layout_only", default=False, description="Only ashlar::layout, which needs neither MPI nor Kokkos")
    variant("hdf5", default=True, when="~layout_only", description="Checkpoints and files of fields")
    variant("fft", default=False, when="~layout_only", description="Fourier transforms, on the host by FFTW, which is under the GPL")
    variant("scalapack", default=False, when="~layout_only", description="Dense solvers by ScaLAPACK")
    variant("onednn", default=False, when="~layout_only", description="Convolutions on the host by oneDNN")
    variant("compiled", default=True, when="~layout_only", description="The library of functions that are no templates")
    variant("cuda", default=False, when="~layout_only", description="A Kokkos for CUDA")
    variant("rocm", default=False, when="~layout_only", description="A Kokkos for HIP")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("boost@1.74:")  # headers of Boost.MP11
    with when("~layout_only"):
        depends_on("mpi")
        depends_on("kokkos@4.7: +openmp cxxstd=20")
        depends_on("kokkos+cuda", when="+cuda")
        depends_on("kokkos+rocm", when="+rocm")
        depends_on("blas")
        depends_on("zlib-api")
        depends_on("hdf5@1.10.2:", when="+hdf5")
        depends_on("fftw-api@3", when="+fft")
        depends_on("scalapack", when="+scalapack")
        depends_on("onednn@2:3", when="+onednn")

    conflicts("%gcc@:11", msg="ashlar is C++20: g++ 12 or newer")
    conflicts("%clang@:15", msg="ashlar is C++20: clang 16 or newer")

    def cmake_args(self):
        """Tests, examples and benchmarks need libraries that a user of the headers does not."""
        return [
            self.define_from_variant("ASHLAR_LAYOUT_ONLY", "layout_only"),
            self.define_from_variant("ASHLAR_COMPILED", "compiled"),
            self.define_from_variant("ASHLAR_ONEDNN", "onednn"),
            self.define("ASHLAR_INSTALL_HINTS", False),
            self.define("ASHLAR_BUILD_TESTS", False),
            self.define("ASHLAR_BUILD_EXAMPLES", False),
            self.define("ASHLAR_BUILD_BENCHMARKS", False),
        ]
