#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the Debian packages of a build: headscope, and headscope-libtorch with the libraries that it loads, so that both install
# and go without a network. package.sh [FOLDER]     (build/packages; what is built in build/release is packed as it is)
# packaging/trypackages.sh installs them where nothing else is.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

out=${1:-$headscope_root/build/packages}
for tool in cmake dpkg-deb dpkg-shlibdeps strip gzip; do
    type -P "$tool" >/dev/null || fail "'$tool' is missing; run: apt-get install cmake dpkg-dev binutils gzip"
done
[ -x "$headscope_build/app/headscope" ] || fail "$headscope_build holds no headscope; run: bash packaging/build.sh headscope headscope-cli"
[ -f "$(torch_folder)/.complete" ] || fail "libtorch is missing; run: bash packaging/install.sh --wheels"

version=$(sed -n 's/^project(headscope VERSION \([0-9.]*\).*/\1/p' "$headscope_root/CMakeLists.txt")
architecture=$(dpkg --print-architecture)
debian="$headscope_root/packaging/debian"
# The same files give the same package: every date in it is that of the last change.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$headscope_root" log -1 --format=%ct 2>/dev/null || date -r "$headscope_root/CHANGELOG.md" +%s)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# Both programs and their files, as `cmake --install` lays them out.
stage_programs()
{
    local root=$1 file
    DESTDIR="$root" cmake --install "$headscope_build" --prefix /usr --strip >/dev/null \
        || fail "The programs could not be installed into $root."
    rm -r "$root/usr/share/headscope/packaging" # fetches what the other package holds
    find "$root/usr/share/man" -type f -exec gzip -9n {} +
    for file in "$root"/usr/bin/* "$root"/usr/lib/headscope/*.so; do
        if [ -e "$file" ]; then strip --strip-unneeded --remove-section=.comment --remove-section=.note "$file"; fi
    done
}

# What Headscope loads of libtorch, and no more: headers, Python and CUDA kernels stay away.
stage_libtorch()
{
    local root=$1 torch to
    torch=$(torch_folder)
    to="$root/usr/lib/headscope/torch-2.11.0"
    mkdir -p "$to/torch/lib" "$to/nvidia/cu13/lib"
    cp -L "$torch"/torch/lib/{libtorch_cpu.so,libc10.so} "$torch"/torch/lib/libgomp*.so* "$to/torch/lib/"
    cp -L "$torch"/nvidia/cu13/lib/{libcudart.so.13,libcupti.so.13} "$to/nvidia/cu13/lib/"
    find "$to" -type f -exec chmod 644 {} +
}

# licences FOLDER: those of the wheels, as they came.
licences()
{
    local file
    for file in "$(torch_folder)"/*.dist-info/licenses/*; do
        printf '\n----- %s\n\n' "$(basename "$(dirname "$(dirname "$file")")" .dist-info)"
        cat "$file"
    done
}

# documents PACKAGE ROOT: changelog, copyright and the remarks for lintian.
documents()
{
    local name=$1 doc="$2/usr/share/doc/$1"
    mkdir -p "$doc" "$2/usr/share/lintian/overrides"
    {
        printf '%s (%s) unstable; urgency=low\n\n  * See CHANGELOG.md.\n\n' "$name" "$version"
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
    sed -e "s|@VERSION@|$version|g; s|@ARCHITECTURE@|$architecture|g; s|@SIZE@|$size|g; s|@DEPENDS@|$needed|g" \
        "$debian/$name.control" >"$root/DEBIAN/control"
    dpkg-deb --root-owner-group -Zxz -z1 --build "$root" "$out/${name}_${version}_$architecture.deb" >/dev/null \
        || fail "$name could not be packed."
    echo "$out/${name}_${version}_$architecture.deb"
}

mkdir -p "$out"
stage_libtorch "$work/headscope-libtorch"
stage_programs "$work/headscope"
pack headscope-libtorch "$work/headscope-libtorch"
pack headscope "$work/headscope"
if type -P lintian >/dev/null; then
    lintian --fail-on error,warning --tag-display-limit 0 "$out"/headscope*_"${version}_$architecture.deb" >&2 || fail "lintian found the faults above."
else
    say "lintian is not installed; the packages were not checked by it."
fi
