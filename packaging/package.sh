#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the Debian packages of a build: headscope, and headscope-libtorch with the libraries that it loads, so that both install
# and go without a network; and, where Python has pip, the wheels of headscope-session and headscope-cluster.
# package.sh [FOLDER]     (build/packages; what is built in build/release is packed as it is)
# packaging/trypackages.sh installs them where nothing else is.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "${BASH_SOURCE[0]}")/stage.sh"

out=${1:-$headscope_root/build/packages}
need_build cmake dpkg-deb dpkg-shlibdeps strip gzip

architecture=$(dpkg --print-architecture)
debian="$headscope_root/packaging/debian"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# documents PACKAGE ROOT: changelog, copyright and the remarks for lintian.
documents()
{
    local name=$1 doc="$2/usr/share/doc/$1"
    mkdir -p "$doc" "$2/usr/share/lintian/overrides"
    {
        printf '%s (%s) unstable; urgency=low\n\n  * See CHANGELOG.md.\n\n' "$name" "$headscope_version"
        printf ' -- The Headscope authors <headscope@localhost.localdomain>  %s\n' "$(date -uR -d "@$SOURCE_DATE_EPOCH")"
    } | gzip -9n >"$doc/changelog.gz"
    cp "$debian/copyright" "$doc/copyright"
    if [ "$name" = headscope-libtorch ]; then licences >>"$doc/copyright"; fi
    cp "$debian/$name.lintian-overrides" "$2/usr/share/lintian/overrides/$name"
}

# depends ROOT: what the programs and libraries below it need of Debian.
depends()
{
    local files=() torch="$work/headscope-libtorch/usr/lib/headscope/torch-2.11.0"
    mapfile -t files < <(find "$1/usr" -type f \( -path '*/bin/*' -o -name '*.so*' \))
    mkdir -p "$work/shlibdeps/debian"
    printf 'Source: headscope\n\nPackage: headscope\nArchitecture: any\n' >"$work/shlibdeps/debian/control"
    (cd "$work/shlibdeps" && dpkg-shlibdeps -O --ignore-missing-info --warnings=0 \
        -l"$torch/torch/lib" -l"$torch/nvidia/cu13/lib" "${files[@]/#/-e}" 2>"$work/shlibdeps/log") \
        | sed -n 's/^shlibs:Depends=//p'
}

# pack PACKAGE ROOT
pack()
{
    local name=$1 root=$2 size needed
    documents "$name" "$root"
    mkdir "$root/DEBIAN"
    find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
    needed=$(depends "$root")
    if [ -z "$needed" ]; then
        tail -n 5 "$work/shlibdeps/log" >&2
        fail "dpkg-shlibdeps found nothing that $name needs."
    fi
    size=$(du -sk --apparent-size "$root/usr" | cut -f1)
    (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
    sed -e "s|@VERSION@|$headscope_version|g; s|@ARCHITECTURE@|$architecture|g; s|@SIZE@|$size|g; s|@DEPENDS@|$needed|g" \
        "$debian/$name.control" >"$root/DEBIAN/control"
    dpkg-deb --root-owner-group -Zxz -z1 --build "$root" "$out/${name}_${headscope_version}_$architecture.deb" >/dev/null \
        || fail "$name could not be packed."
    echo "$out/${name}_${headscope_version}_$architecture.deb"
}

# wheels: both Python packages, built from copies since setuptools writes into what it builds.
wheels()
{
    if ! python3 -m pip --version >/dev/null 2>&1; then
        say "Python has no pip; no wheels were made. To have them, run: apt-get install python3-pip"
        return
    fi
    local project isolation=()
    if python3 -c 'import setuptools, wheel' 2>/dev/null; then isolation=(--no-build-isolation); fi # else pip fetches both
    cp -r "$headscope_root/packaging/python" "$work/python"
    for project in "$work/python" "$work/python/headscope_cluster"; do
        python3 -m pip wheel --quiet --no-deps "${isolation[@]}" --wheel-dir "$out" "$project" >&2 || fail "The wheel of $project could not be made."
    done
    ls "$out"/headscope_*.whl
}

mkdir -p "$out"
wheels
stage_libtorch "$work/headscope-libtorch"
stage_programs "$work/headscope"
pack headscope-libtorch "$work/headscope-libtorch"
pack headscope "$work/headscope"
if type -P lintian >/dev/null; then
    lintian --fail-on error,warning --tag-display-limit 0 "$out"/headscope*_"${headscope_version}_$architecture.deb" >&2 || fail "lintian found the faults above."
else
    say "lintian is not installed; the packages were not checked by it."
fi
