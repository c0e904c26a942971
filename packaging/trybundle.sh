#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Unpacks the bundle of packaging/bundle.sh and runs both programs without a network: in a system that has a shell and no library at
# all, so that nothing but the bundle can be loaded, and in each system that is given as an archive or a folder.
#   trybundle.sh [BUNDLE.tar.xz [SYSTEM ...]]     (build/packages; as root, with busybox-static; mmdebstrap makes systems)
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

shopt -s nullglob
found=("$headscope_root"/build/packages/headscope-*-x86_64.tar.xz)
bundle=${1:-${found[0]:-}}
shift || true
[ -f "$bundle" ] || fail "There is no bundle; run: bash packaging/bundle.sh"
[ "$(id -u)" -eq 0 ] || fail "A system of its own can be made by root only."
busybox=$(type -P busybox) || fail "busybox is missing; run: apt-get install busybox-static"
if ldd "$busybox" >/dev/null 2>&1; then fail "$busybox loads libraries; run: apt-get install busybox-static"; fi

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# inside ROOT COMMAND: there, without a network.
inside()
{
    unshare --mount --pid --fork --net --mount-proc="$1/proc" chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -ec "$2"
}

# try NAME ROOT: the bundle lies in a folder with blanks, which can only be read.
try()
{
    local name=$1 root=$2 folder="/a place/of its own"
    mkdir -p "$root"/{dev,proc,tmp,root}
    mkdir -p "$root$folder"
    tar -C "$root$folder" -xf "$bundle" --strip-components=1
    for device in "null 3" "zero 5" "urandom 9"; do mknod -m 666 "$root/dev/${device% *}" c 1 "${device#* }" 2>/dev/null || true; done
    echo "$name: $(inside "$root" 'getconf GNU_LIBC_VERSION 2>/dev/null || echo "no C library"')"
    inside "$root" "'$folder/bin/headscope-cli' score tiny-transformer --task toy_mc --limit 8 --quiet --device cpu"
    inside "$root" "QT_QPA_PLATFORM=offscreen '$folder/bin/headscope' tiny-transformer --picture /tmp/window.png && test -s /tmp/window.png && echo 'the window was drawn'"
    # Found by another name, and without a display the window says so when the plugins for one have been loaded.
    inside "$root" "ln -s '$folder/bin/headscope-cli' /tmp/hs && cd / && /tmp/hs --version"
    for platform in xcb wayland-generic; do
        inside "$root" "LD_DEBUG=files QT_QPA_PLATFORM=${platform%-*} '$folder/bin/headscope' 2>&1 || true" >"$work/told"
        if ! grep -q "calling init:.*/libq$platform.so" "$work/told"; then fail "$name: Qt's plugin for ${platform%-*} does not load."; fi
        grep '^headscope: ' "$work/told"
    done
    echo "the plugins for X and Wayland loaded"
}

mkdir -p "$work/bare/bin" "$work/bare/usr/bin"
cp "$busybox" "$work/bare/bin/busybox"
for tool in sh env readlink dirname basename sed sort head printf test echo ln grep cat ls; do ln -s /bin/busybox "$work/bare/bin/$tool"; done
ln -s /bin/busybox "$work/bare/usr/bin/env"
try "a system without a library" "$work/bare"
for system in "$@"; do
    root="$work/system"
    rm -rf --one-file-system "$root"
    mkdir "$root"
    if [ -d "$system" ]; then cp -a "$system/." "$root/"; else tar -C "$root" -x --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' -f "$system"; fi
    try "$(basename "$system")" "$root"
done
