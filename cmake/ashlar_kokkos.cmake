# Finds Kokkos 4.7 to 5.x. Prefers the user's own (Kokkos_ROOT, Kokkos_DIR, CMAKE_PREFIX_PATH) to the system's. If there
# is neither, and the user asked for no special one, it takes ASHLAR_KOKKOS_FALLBACK.
# Kokkos' version file accepts one major version only, so each is searched for alone. A failed search clears Kokkos_DIR.
set(ashlar_kokkos_dir "${Kokkos_DIR}")
foreach(where IN ITEMS "NO_SYSTEM_ENVIRONMENT_PATH;NO_CMAKE_SYSTEM_PATH" "")
  foreach(wanted IN ITEMS 5 4.7)
    if(NOT TARGET Kokkos::kokkos)
      if(ashlar_kokkos_dir)
        set(Kokkos_DIR "${ashlar_kokkos_dir}" CACHE PATH "" FORCE)
      endif()
      find_package(Kokkos ${wanted} CONFIG QUIET ${where})
      list(APPEND ashlar_kokkos_seen ${Kokkos_CONSIDERED_VERSIONS})
    endif()
  endforeach()
endforeach()
if(NOT TARGET Kokkos::kokkos AND ASHLAR_KOKKOS_FALLBACK AND NOT ashlar_kokkos_dir
   AND NOT Kokkos_ROOT AND NOT DEFINED ENV{Kokkos_ROOT} AND NOT DEFINED ENV{Kokkos_DIR})
  find_package(Kokkos 4.7 CONFIG QUIET PATHS "${ASHLAR_KOKKOS_FALLBACK}" NO_DEFAULT_PATH)
endif()
if(NOT TARGET Kokkos::kokkos)
  list(REMOVE_DUPLICATES ashlar_kokkos_seen)
  list(JOIN ashlar_kokkos_seen ", " ashlar_kokkos_seen)
  if(ashlar_kokkos_seen)
    string(PREPEND ashlar_kokkos_seen ", only version ")
  endif()
  set(ashlar_kokkos_remedy "run scripts/setup or set Kokkos_ROOT")
  if(ASHLAR_KOKKOS_FALLBACK AND EXISTS "${ASHLAR_KOKKOS_FALLBACK}")
    set(ashlar_kokkos_remedy "set Kokkos_ROOT to its folder, or leave Kokkos_ROOT and Kokkos_DIR out to take the one of scripts/setup")
  endif()
  string(APPEND ashlar_NOT_FOUND_MESSAGE
    "ashlar: Kokkos 4.7 to 5.x was not found${ashlar_kokkos_seen}; ${ashlar_kokkos_remedy}, see docs/how_to/install.md.\n")
endif()

# Kernels call constexpr functions of the host, such as std::array's. nvcc compiles such calls only with this flag; without it
# it warns, and the kernels fail when they run.
if(TARGET Kokkos::kokkos AND NOT TARGET ashlar::device_flags)
  add_library(ashlar::device_flags INTERFACE IMPORTED GLOBAL)
  if("CUDA" IN_LIST Kokkos_DEVICES AND Kokkos_CXX_COMPILER_ID STREQUAL "NVIDIA")
    target_compile_options(ashlar::device_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX,CUDA>:--expt-relaxed-constexpr>")
  endif()
endif()
