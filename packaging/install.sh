#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what building Headscope needs and this machine lacks: Debian packages (debian-packages.txt), libtorch
# from the torch wheel, the word lists of the wonderwords wheel. Does nothing, quickly, when all of it is there.
#   install.sh [--wheels | --tests | --cross]   (--wheels: libtorch and word lists only, as the Debian package of Headscope needs it;
#                                     --tests, --cross: also what only tests or packaging/cross.sh need, debian-packages-*.txt)
# Both wheels are unpacked beside their final place and renamed when complete, so a broken-off run is repeated. Which files these may
# be is written down as SHA-256 sums in packaging/wheels; pip refuses every other one before it is unpacked, and nothing is loaded before.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly torch_version=2.11.0
machine=${HEADSCOPE_MACHINE:-$(uname -m)} # packaging/cross.sh fetches what another machine needs
readonly words_version=2.2.0
torch_dir=$(torch_folder)
words_dir="$headscope_cache/wonderwords"

# The packages of the list that are not installed, one a line.
missing_packages()
{
    local wanted
    mapfile -t wanted < <(grep -hEv '^(#|[[:space:]]*$)' "${package_lists[@]}")
    comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
        <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null \
            | sed -n 's/^installed //p' | sort -u)
}

install_packages()
{
    local missing
    type -P dpkg-query apt-get >/dev/null \
        || fail "This script knows the packages of Debian 12 only; install what packaging/debian-packages.txt names by hand, then run cmake --preset release."
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    if [ "$(id -u)" -ne 0 ]; then
        fail "These packages are missing and need root; run: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
    fi
    say "Installing ${#missing[@]} Debian packages (a few minutes on a bare machine): ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2 \
        || fail "The package lists could not be fetched; check the network and /etc/apt/sources.list, then run this again."
    apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null \
        || fail "The packages could not be installed; run: apt-get install --no-install-recommends ${missing[*]}"
}

# cuda where an NVIDIA driver is loaded, else cpu; always cpu for another machine.
wanted_kind()
{
    if [ "$machine" = "$(uname -m)" ] && { [ -e /proc/driver/nvidia/version ] || nvidia-smi -L >/dev/null 2>&1; }; then
        echo cuda
    else
        echo cpu
    fi
}

# Debian's own Python first: what is first on PATH may be a version manager's, or lack pip.
find_python()
{
    local candidate
    for candidate in /usr/bin/python3 python3; do
        if "$candidate" -c 'import sys, pip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    fail "No Python 3.10 or newer with pip was found; run: apt-get install python3-pip"
}

# fetch_wheels FOLDER PINS: unpacks the wheels of packaging/wheels/<PINS>.txt into FOLDER; nothing in them is run. Which Python asks does
# not matter: the libraries inside are the same in the wheel of every Python version, so the one for 3.11 is named.
fetch_wheels()
{
    local folder=$1 pins="$headscope_root/packaging/wheels/$2.txt" minor platforms=()
    # pip takes a platform literally: "glibc 2.17 to 2.28" has to be spelled out.
    for minor in {28..17}; do platforms+=(--platform "manylinux_2_${minor}_$machine"); done
    mkdir -p "$folder" "$folder.tmp"
    TMPDIR="$folder.tmp" PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 \
        PIP_ROOT_USER_ACTION=ignore "$python" -m pip install --quiet --no-cache-dir --no-compile --no-deps --require-hashes --target "$folder" \
        --only-binary=:all: --implementation cp --python-version 3.11 --abi cp311 --abi abi3 --abi none \
        "${platforms[@]}" --platform "manylinux2014_$machine" --requirement "$pins" </dev/null >&2 \
        || fail "The wheels of $pins were not delivered, or are not the files that it names (pip says above which); check the network (pip's own settings apply) and run this again."
    rm -rf "$folder.tmp"
}

# Compares every unpacked file with the wheel's own list of sizes and SHA-256 sums.
check_wheels()
{
    "$python" - "$1" <<'PYTHON' || fail "What was unpacked into $1 is not what the wheels list; check the disk and run this again."
import base64, csv, hashlib, pathlib, sys
root = pathlib.Path(sys.argv[1])
records = list(root.glob("*.dist-info/RECORD"))
bad = [] if records else [f"{root} holds no wheel"]
for record in records:
    for name, digest, size in csv.reader(record.open(encoding="utf-8")):
        # pip rewrites the list after unpacking; scripts land outside the target, and have no digest of interest.
        if not digest or name.startswith(".."):
            continue
        with (root / name).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").digest() if hasattr(hashlib, "file_digest") \
                else hashlib.sha256(file.read()).digest()
        if digest != "sha256=" + base64.urlsafe_b64encode(found).rstrip(b"=").decode():
            bad.append(f"{name} differs from the list of its wheel")
print("\n".join(bad[:5]), end="\n" if bad else "", file=sys.stderr)
sys.exit(bool(bad))
PYTHON
}

# need_space KIB: the wheels are on the disk twice for a moment.
need_space()
{
    local free
    free=$(df -Pk "$headscope_cache" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge "$1" ] \
        || fail "$headscope_cache has $((free / 1024)) MiB free, $(($1 / 1024)) MiB are needed; free some space or set XDG_CACHE_HOME to a larger disk."
}

# publish NEW FINAL: puts a complete folder in its place, in one rename where there was none before.
publish()
{
    rm -rf "$2.old"
    if [ -e "$2" ]; then mv -T "$2" "$2.old"; fi
    mv -T "$1" "$2"
    rm -rf "$2.old"
}

install_torch()
{
    local kind=$1 new="$torch_dir.new"
    case "$machine" in
    x86_64 | aarch64) ;;
    *) fail "There is no torch wheel for $machine; Headscope runs on x86_64 and aarch64." ;;
    esac
    rm -rf "$new" "$new.tmp"
    if [ "$kind" = cuda ]; then
        say "Fetching torch $torch_version with the CUDA libraries (about 3 GB, once)."
        need_space 14000000
        fetch_wheels "$new" cuda
    else
        say "Fetching torch $torch_version for the CPU (about 550 MB, once)."
        need_space 2500000
        fetch_wheels "$new" cpu
    fi
    say "Checking the files."
    check_wheels "$new"
    [ "$machine" != "$(uname -m)" ] || "$python" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$new/torch/lib/libtorch_cpu.so" \
        || fail "libtorch_cpu.so was unpacked but does not load on this machine; Headscope needs glibc 2.28 or newer on x86_64 or aarch64."
    echo "$kind" >"$new/.complete"
    publish "$new" "$torch_dir"
}

# Only the word lists and their licence are kept, in one flat folder.
install_words()
{
    local new="$words_dir.new"
    say "Fetching the word lists of wonderwords $words_version."
    rm -rf "$new"
    fetch_wheels "$new/wheel" words
    check_wheels "$new/wheel"
    cp "$new"/wheel/wonderwords/assets/{nounlist,verblist,adjectivelist}.txt "$new/"
    cp "$new"/wheel/wonderwords-*.dist-info/LICENSE "$new/"
    rm -rf "$new/wheel"
    echo "$words_version" >"$new/.complete"
    publish "$new" "$words_dir"
}

install_wheels()
{
    local kind have=none words=none
    kind=$(wanted_kind)
    [ ! -f "$torch_dir/.complete" ] || read -r have <"$torch_dir/.complete"
    [ ! -f "$words_dir/.complete" ] || read -r words <"$words_dir/.complete"
    # The CUDA set serves a machine without a GPU too (a shared home folder), never the other way round.
    if [ "$have" != "$kind" ] && [ "$have" != cuda ]; then
        python=$(find_python)
        install_torch "$kind"
    fi
    if [ "$words" != "$words_version" ]; then
        python=$(find_python)
        install_words
    fi
}

package_lists=("$headscope_root/packaging/debian-packages.txt")
case "${1:-}" in
--tests | --cross) package_lists+=("$headscope_root/packaging/debian-packages-${1#--}.txt") ;;
esac
if [ "${1:-}" != --wheels ]; then install_packages; fi
mkdir -p "$headscope_cache" 2>/dev/null \
    || fail "$headscope_cache cannot be written; set XDG_CACHE_HOME to a folder that can."
# Two starts at once: the second waits and then finds everything there.
exec 9>"$headscope_cache/install.lock"
flock 9
install_wheels
