#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Configures (once) and builds a preset, release unless HEADSCOPE_PRESET names another: build.sh [ninja targets]. Compiles as many files at a time as
# processors and free memory allow, through ccache where there is one. packaging/install.sh goes first.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# cached NAME: the value of a variable in the CMake cache, empty where there is none.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$headscope_build/CMakeCache.txt" 2>/dev/null || true; }

# Once: later changes of CMake files are noticed by ninja itself. Again, from nothing, when the source tree or the
# torch wheel are elsewhere than last time.
configure()
{
    local torch launcher=()
    torch=$(torch_folder)
    if [ -f "$headscope_build/build.ninja" ] && [ "$(cached CMAKE_HOME_DIRECTORY)" = "$headscope_root" ] \
        && [ "$(cached HEADSCOPE_TORCH)" = "$torch" ]; then
        return
    fi
    if type -P ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    (cd "$headscope_root" && cmake --fresh --preset "$headscope_preset" -DHEADSCOPE_TORCH="$torch" "${launcher[@]}") >&2 \
        || fail "CMake could not configure the build; the lines above name what is missing, packaging/install.sh installs it."
}

configure
# Precompiled headers and ccache agree only with these.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
quiet=(--quiet)
if [ -t 2 ]; then quiet=(); fi
ninja "${quiet[@]}" -C "$headscope_build" -j "$(parallel_jobs)" "$@" >&2 \
    || fail "The build failed; the first error above says where. After a change of compiler or libraries delete $headscope_build and run this again."
