#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Compiles core and sessions for arm64 with Debian's cross compiler, runs the tests of the kernels under qemu-user, and ends with the line
# "N passed, N failed, N skipped": cross.sh [TEST ...]     (tst_kernels; any test that needs no window)
# Debian's arm64 libraries and the torch wheel are unpacked in the cache (about 2 GB); on this system only the compiler and qemu are installed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

arm64="$headscope_cache/arm64"
sysroot="$arm64/sysroot"
# What the other scripts and CMakePresets.json read.
export HEADSCOPE_MACHINE=aarch64 HEADSCOPE_PRESET=arm64 HEADSCOPE_SYSROOT="$sysroot" XDG_CACHE_HOME="$arm64"

# fetch_packages FOLDER PACKAGE...: the arm64 packages and all that they depend on, by lists that are apart from this system's.
fetch_packages()
{
    local folder=$1
    shift
    mkdir -p "$folder"/{lists,archives}/partial
    : >"$folder/status"
    printf '%s;\n' 'APT::Architecture "arm64"' 'APT::Architectures { "arm64"; }' 'APT::Sandbox::User ""' "Dir::State \"$folder\"" \
        "Dir::State::status \"$folder/status\"" "Dir::Cache \"$folder\"" >"$folder/apt.conf"
    local -x APT_CONFIG="$folder/apt.conf"
    if ! apt-get update -qq >&2 || ! apt-get install -y -qq --download-only --no-install-recommends "$@" </dev/null >/dev/null; then
        fail "Debian's arm64 packages could not be fetched; check the network and /etc/apt/sources.list, then run this again."
    fi
}

make_sysroot()
{
    local new="$sysroot.new" packages package link
    if [ -d "$sysroot" ]; then return; fi
    say "Fetching Debian's libraries for arm64 (about 140 MB, once)."
    rm -rf "$new" "$arm64/apt"
    mkdir -p "$new"/usr/{bin,lib,sbin}
    ln -s usr/bin usr/lib usr/sbin "$new"
    mapfile -t packages < <(sed '1,/^# Core and sessions/d; /^$/d' "$headscope_root/packaging/debian-packages.txt")
    fetch_packages "$arm64/apt" libc6-dev qt6-base-dev "${packages[@]}"
    for package in "$arm64"/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" \
            | tar -xC "$new" --no-same-owner --keep-directory-symlink --exclude=./usr/share/{doc,fonts,locale,man}
    done
    # Some packages name their files by absolute paths.
    while read -r -d '' link; do
        ln -sfnr "$new$(readlink "$link")" "$link"
    done < <(find "$new" -type l -lname '/*' -print0)
    sed -i "s|\"/usr|\"$sysroot/usr|" "$new"/usr/lib/*/cmake/Snappy/SnappyTargets*.cmake
    mv -T "$new" "$sysroot"
    rm -rf "$arm64/apt"
}

# Whatever goes wrong before the tests is one failure, so the last line is there in any case.
trap 'echo "0 passed, 1 failed, 0 skipped"' EXIT
bash "$headscope_root/packaging/install.sh" --cross
make_sysroot
trap - EXIT

if (($# == 0)); then set -- tst_kernels; fi
export HEADSCOPE_TARGETS="core/all sessions/all $*"
IFS='|'
exec bash "$headscope_root/packaging/test.sh" -R "^($*)\$"
