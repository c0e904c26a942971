# SPDX-License-Identifier: GPL-3.0-or-later
# The options every target of ours shares, and one short way to declare a library.

add_library(headscope_options INTERFACE)
add_library(Headscope::options ALIAS headscope_options)
target_compile_features(headscope_options INTERFACE cxx_std_20)
target_compile_options(headscope_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-maybe-uninitialized -Wno-missing-field-initializers)
target_include_directories(headscope_options INTERFACE ${CMAKE_SOURCE_DIR})

# ccache understands GCC's precompiled headers only with this.
target_compile_options(headscope_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)

# The kernels, which gain from -O3, ask for it; elsewhere it took up to a sixth longer to compile and measured no faster.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

option(HEADSCOPE_ASAN "Address and undefined-behaviour sanitizers" OFF)
option(HEADSCOPE_TSAN "Thread sanitizer" OFF)
option(HEADSCOPE_FUZZ "Those of HEADSCOPE_ASAN and what guides libFuzzer, whose targets are built (clang only)" OFF)
if(HEADSCOPE_ASAN)
  target_compile_options(headscope_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(headscope_options INTERFACE -fsanitize=address,undefined)
endif()
if(HEADSCOPE_FUZZ)
  target_compile_options(headscope_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer)
  target_link_options(headscope_options INTERFACE -fsanitize=address,undefined)
endif()
if(HEADSCOPE_TSAN)
  target_compile_options(headscope_options INTERFACE -fsanitize=thread)
  target_link_options(headscope_options INTERFACE -fsanitize=thread)
endif()

# A first build compiles forty files at a time, in less than half the time; a changed file takes its neighbours with it.
# GCC's warning about members of a local type is meant for headers, which it takes the forty for. It collects its garbage at
# a gigabyte, not at 130 MB: a tenth of the time is saved, and the peak exceeds a gigabyte anyway.
option(HEADSCOPE_UNITY "Compile several files of a library at a time" OFF)
if(HEADSCOPE_UNITY)
  target_compile_options(headscope_options INTERFACE -Wno-subobject-linkage -Wno-shadow -Wshadow=local
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
endif()

# headscope_library(<name> [ROOMS folders] [EXCEPT prefixes] [SOURCES files]) creates the static library Headscope::<name> from all
# .cpp files in the rooms (default: the current folder) except paths that start with one of the prefixes, and from further files.
function(headscope_library name)
  cmake_parse_arguments(arg "" "" "ROOMS;EXCEPT;SOURCES" ${ARGN})
  set(patterns "*.cpp")
  if(arg_ROOMS)
    list(TRANSFORM arg_ROOMS APPEND "/*.cpp" OUTPUT_VARIABLE patterns)
  endif()
  file(GLOB_RECURSE sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${patterns})
  foreach(place IN LISTS arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "^${place}")
  endforeach()
  add_library(headscope_${name} STATIC ${sources} ${arg_SOURCES})
  add_library(Headscope::${name} ALIAS headscope_${name})
  target_link_libraries(headscope_${name} PUBLIC headscope_options)
  set_target_properties(headscope_${name} PROPERTIES UNITY_BUILD ${HEADSCOPE_UNITY} UNITY_BUILD_BATCH_SIZE 40)
endfunction()

# Precompiled headers, made once for all targets of a kind (GCC refuses one that was made with other options, so there is one
# for each set of options): headscope_precompile(<kind> <target>).
#   plain  the standard library and JSON     torch  the same and ATen     qt  the same and Qt Widgets, Qt Charts
#   test, torchtest, opstest (tests that include <ATen/ATen.h>), qttest  those for the programs in tests/, which are compiled without optimisation
set(headscope_std <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <utility> <variant> <vector>)
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "// The headers are what is compiled here.\n")

# headscope_precompiled_header(<kind> LIBS targets HEADERS headers OPTIONS options) declares one of them.
function(headscope_precompiled_header kind)
  cmake_parse_arguments(arg "" "" "LIBS;HEADERS;OPTIONS;DEFINITIONS" ${ARGN})
  add_library(headscope_precompiled_${kind} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(headscope_precompiled_${kind} PRIVATE headscope_options ${arg_LIBS})
  target_compile_options(headscope_precompiled_${kind} PRIVATE ${arg_OPTIONS})
  target_compile_definitions(headscope_precompiled_${kind} PRIVATE ${arg_DEFINITIONS})
  target_precompile_headers(headscope_precompiled_${kind} PRIVATE ${headscope_std} ${arg_HEADERS})
endfunction()

function(headscope_precompile kind target)
  target_precompile_headers(${target} REUSE_FROM headscope_precompiled_${kind})
endfunction()

# headscope_brief(<target>) for code that asks, waits, reads and tells, and leaves computing and painting to others: with -O1 it is as
# fast to anybody who uses it, and compiled in two thirds of the time.
function(headscope_brief target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# headscope_use_fmt(<target>) for targets that link torch: its wheel brings headers of another fmt without the library,
# and a file that has to compile fmt itself takes six seconds longer. A folder with nothing but the system's comes first.
find_path(HEADSCOPE_FMT fmt/core.h REQUIRED)
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/include")
file(CREATE_LINK "${HEADSCOPE_FMT}/fmt" "${CMAKE_BINARY_DIR}/include/fmt" SYMBOLIC)
function(headscope_use_fmt target)
  target_include_directories(${target} SYSTEM BEFORE PRIVATE "${CMAKE_BINARY_DIR}/include")
  target_link_libraries(${target} PRIVATE fmt::fmt)
endfunction()

# headscope_use_torch(<name>) links the torch wheel to a library of ours.
function(headscope_use_torch name)
  target_link_libraries(headscope_${name} PUBLIC Torch::cpu)
  headscope_precompile(torch headscope_${name})
endfunction()
