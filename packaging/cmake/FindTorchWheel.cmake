# SPDX-License-Identifier: GPL-3.0-or-later
# Torch::cpu from the torch wheel. Only libtorch_cpu.so and libc10.so are linked; CUDA is switched on at run
# time with dlopen (core/lm/device/device.cpp), so one binary serves machines with and without a GPU.

if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(_headscope_cache "$ENV{XDG_CACHE_HOME}")
else()
  set(_headscope_cache "$ENV{HOME}/.cache")
endif()
set(HEADSCOPE_TORCH "${_headscope_cache}/headscope/torch-2.11.0" CACHE PATH
    "Folder that holds the unpacked torch wheel (packaging/install.sh makes it)")

set(_torch "${HEADSCOPE_TORCH}/torch")
include(FindPackageHandleStandardArgs)
find_library(TorchWheel_CPU_LIBRARY torch_cpu PATHS "${_torch}/lib" NO_DEFAULT_PATH)
find_library(TorchWheel_C10_LIBRARY c10 PATHS "${_torch}/lib" NO_DEFAULT_PATH)
find_path(TorchWheel_INCLUDE_DIR ATen/ATen.h PATHS "${_torch}/include" NO_DEFAULT_PATH)
find_package_handle_standard_args(TorchWheel
  REQUIRED_VARS TorchWheel_CPU_LIBRARY TorchWheel_C10_LIBRARY TorchWheel_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run: bash packaging/install.sh")

if(TorchWheel_FOUND AND NOT TARGET Torch::cpu)
  add_library(Torch::c10 SHARED IMPORTED)
  set_target_properties(Torch::c10 PROPERTIES IMPORTED_LOCATION "${TorchWheel_C10_LIBRARY}")
  add_library(Torch::cpu SHARED IMPORTED)
  set_target_properties(Torch::cpu PROPERTIES IMPORTED_LOCATION "${TorchWheel_CPU_LIBRARY}")
  target_include_directories(Torch::cpu SYSTEM INTERFACE
    "${TorchWheel_INCLUDE_DIR}" "${TorchWheel_INCLUDE_DIR}/torch/csrc/api/include")
  # The loops of ATen's headers (at::parallel_for) use more than one thread only in code that is compiled with OpenMP. The threads are
  # those of the wheel's own library.
  file(GLOB _gomp "${_torch}/lib/libgomp*.so*" "${HEADSCOPE_TORCH}/torch.libs/libgomp*.so*") # x86_64, aarch64
  if(NOT _gomp)
    message(FATAL_ERROR "The torch wheel in ${HEADSCOPE_TORCH} has no libgomp; run: bash packaging/install.sh")
  endif()
  list(GET _gomp 0 _gomp)
  add_library(Torch::gomp SHARED IMPORTED)
  set_target_properties(Torch::gomp PROPERTIES IMPORTED_LOCATION "${_gomp}" INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:-fopenmp>")
  target_link_libraries(Torch::cpu INTERFACE Torch::c10 Threads::Threads Torch::gomp ${CMAKE_DL_LIBS})
  # The library's headers name themselves in what they say of failures; a package names no folder of whoever made it.
  option(HEADSCOPE_MAP_FOLDERS "Keep the folders of this computer out of the programs" OFF)
  if(HEADSCOPE_MAP_FOLDERS)
    target_compile_options(headscope_options INTERFACE "-ffile-prefix-map=${HEADSCOPE_TORCH}=." "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
  endif()
  # CMake's own run path leads to torch/lib; from there the wheel's libraries find NVIDIA's by themselves.
  target_link_options(Torch::cpu INTERFACE "-Wl,--disable-new-dtags" "-Wl,--allow-shlib-undefined")
endif()
