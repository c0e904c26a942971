# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the scripts of this folder share: the root of the repository, the cache folder, and how they speak.
# Sourced, never run.

headscope_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
headscope_cache="${XDG_CACHE_HOME:-$HOME/.cache}/headscope"
headscope_preset="${HEADSCOPE_PRESET:-release}" # of CMakePresets.json
headscope_build="$headscope_root/build/$headscope_preset"
export headscope_root headscope_cache headscope_preset headscope_build

say() { printf 'headscope: %s\n' "$*" >&2; }

# fail SENTENCE: says what to do and ends the script.
fail()
{
    say "$*"
    exit 1
}

# How much may go on at a time: forty files that include ATen take up to 2.3 GB to compile, a test less.
parallel_jobs()
{
    local by_memory processors
    processors=$(nproc)
    by_memory=$(awk '/^MemAvailable:/ { print int($2 / 2500000) }' /proc/meminfo)
    if [ "$by_memory" -lt 1 ]; then by_memory=1; fi
    echo $((by_memory < processors ? by_memory : processors))
}

# Where packaging/install.sh puts the torch wheel; FindTorchWheel.cmake looks in the same place.
torch_folder() { printf '%s/torch-2.11.0\n' "$headscope_cache"; }
