# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What packaging/package.sh and packaging/bundle.sh share: the files of a finished build, laid out below a folder. Sourced, never run.

# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

headscope_version=$(sed -n 's/^project(headscope VERSION \([0-9.]*\).*/\1/p' "$headscope_root/CMakeLists.txt")
# The same files give the same package: every date in it is that of the last change.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$headscope_root" log -1 --format=%ct 2>/dev/null || date -r "$headscope_root/CHANGELOG.md" +%s)}
export SOURCE_DATE_EPOCH headscope_version

# need_build TOOL...: a finished build and these tools, or a sentence.
need_build()
{
    local tool
    for tool in "$@"; do
        type -P "$tool" >/dev/null || fail "'$tool' is missing; run: apt-get install cmake dpkg-dev binutils gzip xz-utils file"
    done
    [ -x "$headscope_build/app/headscope" ] || fail "$headscope_build holds no headscope; run: bash packaging/build.sh headscope headscope-cli"
    [ -f "$(torch_folder)/.complete" ] || fail "libtorch is missing; run: bash packaging/install.sh --wheels"
}

# stage_programs ROOT: both programs and their files, as `cmake --install` lays them out.
stage_programs()
{
    local root=$1 file
    DESTDIR="$root" cmake --install "$headscope_build" --prefix /usr --strip >/dev/null \
        || fail "The programs could not be installed into $root."
    rm -r "$root/usr/share/headscope/packaging" # fetches what is packed beside them
    find "$root/usr/share/man" -type f -exec gzip -9n {} +
    for file in "$root"/usr/bin/* "$root"/usr/lib/headscope/*.so; do
        if [ -e "$file" ]; then strip --strip-unneeded --remove-section=.comment --remove-section=.note "$file"; fi
    done
}

# stage_libtorch ROOT: what Headscope loads of libtorch, and no more: headers, Python and CUDA kernels stay away.
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

# licences: those of the wheels, as they came.
licences()
{
    local file
    for file in "$(torch_folder)"/*.dist-info/licenses/*; do
        printf '\n----- %s\n\n' "$(basename "$(dirname "$(dirname "$file")")" .dist-info)"
        cat "$file"
    done
}
