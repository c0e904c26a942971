#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the Debian packages of packaging/package.sh into a Debian 12 with nothing in it, runs both programs there, removes
# the packages again and compares what is left; what Debian has for them is fetched before, then the network is cut.
#   trypackages.sh [FOLDER]     (build/packages; as root, with mmdebstrap)
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

from=${1:-$headscope_root/build/packages}
type -P mmdebstrap >/dev/null || fail "mmdebstrap is missing; run: apt-get install mmdebstrap"
[ "$(id -u)" -eq 0 ] || fail "A system of its own can be made by root only."
shopt -s nullglob
packages=("$from"/headscope*.deb)
[ ${#packages[@]} -eq 2 ] || fail "$from holds ${#packages[@]} packages; expected two, run: bash packaging/package.sh"

work=$(mktemp -d)
root="$work/root"
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir "$root"
say "Making a Debian 12 with nothing in it."
mmdebstrap --quiet --variant=minbase --include=fontconfig-config bookworm - | tar -C "$root" -x --exclude=./dev --exclude=./proc --exclude=./sys
mkdir -p "$root"/{dev,proc,sys,packages}
cp "${packages[@]}" "$root/packages/"
cp /etc/resolv.conf "$root/etc/"

# inside COMMAND [OPTION]: in that system; with the option --net without a network.
inside()
{
    unshare --mount --pid --fork --mount-proc="$root/proc" "${@:2}" chroot "$root" /usr/bin/env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -ec "$1"
}
alone() { inside "$1" --net; }
# What a package may leave behind: every path but those of the system's own book-keeping.
list()
{
    local hidden=() path
    for path in proc sys dev tmp root packages var/cache var/lib/apt var/lib/dpkg var/log; do hidden+=(-path "./$path" -o); done
    (cd "$root" && find . -xdev \( "${hidden[@]}" -false \) -prune -o -print | LC_ALL=C sort)
}

say "Fetching what Debian has of what they need."
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/urandom" c 1 9
mkdir "$root/dev/pts"
inside 'apt-get update -qq && apt-get install -qq -y --no-install-recommends --download-only /packages/*.deb' >/dev/null
list >"$work/before"

say "Installing without a network."
started=$SECONDS
alone 'apt-get install -qq -y --no-install-recommends /packages/*.deb' >/dev/null
echo "installed in $((SECONDS - started)) s"
alone 'headscope-cli score tiny-transformer --task toy_mc --limit 8 --quiet --device cpu'
alone 'headscope tiny-transformer --picture /tmp/window.png && test -s /tmp/window.png && echo "the window was drawn"'
alone 'test -s /usr/share/man/man1/headscope.1.gz && test -s /usr/share/bash-completion/completions/headscope-cli && test -s /usr/share/icons/hicolor/48x48/apps/headscope.png'

say "Removing."
alone 'apt-get purge -qq -y --autoremove headscope headscope-libtorch' >/dev/null
list >"$work/after"
left=$(comm -13 "$work/before" "$work/after" | grep -i headscope || true)
[ -z "$left" ] || fail "This was left behind: $left"
echo "nothing of headscope was left; of what Debian brought: $(comm -13 "$work/before" "$work/after" | wc -l) files"
