# SPDX-License-Identifier: GPL-3.0-or-later
# The options every target of ours shares, and one short way to declare a library.

add_library(headscope_options INTERFACE)
add_library(Headscope::options ALIAS headscope_options)
target_compile_features(headscope_options INTERFACE cxx_std_20)
target_compile_options(headscope_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds -Wno-maybe-uninitialized -Wno-missing-field-initializers)
target_include_directories(headscope_options INTERFACE ${CMAKE_SOURCE_DIR})

option(HEADSCOPE_ASAN "Address and undefined-behaviour sanitizers" OFF)
option(HEADSCOPE_TSAN "Thread sanitizer" OFF)
if(HEADSCOPE_ASAN)
  target_compile_options(headscope_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(headscope_options INTERFACE -fsanitize=address,undefined)
endif()
if(HEADSCOPE_TSAN)
  target_compile_options(headscope_options INTERFACE -fsanitize=thread)
  target_link_options(headscope_options INTERFACE -fsanitize=thread)
endif()

# headscope_library(<name> SOURCES a.cpp b.cpp ...) makes the static library Headscope::<name>.
function(headscope_library name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  add_library(headscope_${name} STATIC ${arg_SOURCES})
  add_library(Headscope::${name} ALIAS headscope_${name})
  target_link_libraries(headscope_${name} PUBLIC headscope_options)
endfunction()

# headscope_use_torch(<name>) links the torch wheel and shares one precompiled ATen header.
function(headscope_use_torch name)
  target_link_libraries(headscope_${name} PUBLIC Torch::cpu)
  target_precompile_headers(headscope_${name} PRIVATE <ATen/ATen.h>)
endfunction()
