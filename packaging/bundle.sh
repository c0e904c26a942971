#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes one file of a build for any desktop of Linux, x86_64: a folder with a launcher, both programs and every library that they load,
# Qt's plugins, a font and the C library, packed with tar.     bundle.sh [FOLDER]     (build/packages; build/release as it is)
# packaging/trybundle.sh unpacks and runs it where nothing else is, on an old system too.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "${BASH_SOURCE[0]}")/stage.sh"

out=${1:-$headscope_root/build/packages}
need_build cmake strip gzip xz file objdump ldd dpkg-query
[ "$(uname -m)" = x86_64 ] || fail "The bundle is made for x86_64; this is $(uname -m)."
translations=$(qmake6 -query QT_INSTALL_TRANSLATIONS 2>/dev/null) || fail "qmake6 is missing; run: apt-get install qt6-base-dev"
plugins=$(qmake6 -query QT_INSTALL_PLUGINS 2>/dev/null) || fail "qmake6 is missing; run: apt-get install qt6-base-dev"
xkb=/usr/share/X11/xkb
[ -d "$xkb" ] || fail "The keyboards of X are missing; run: apt-get install xkb-data"

name="headscope-$headscope_version-x86_64"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
to="$work/$name"
lib="$to/lib/headscope"

# What a window and its pictures ask of Qt. OpenGL is nowhere used, so its plugins stay away.
wanted_plugins=(platforms/libqxcb.so platforms/libqwayland-generic.so platforms/libqoffscreen.so platforms/libqminimal.so
    wayland-shell-integration/libxdg-shell.so wayland-decoration-client/libbradient.so iconengines/libqsvgicon.so imageformats/libqsvg.so
    imageformats/libqjpeg.so imageformats/libqgif.so imageformats/libqico.so platforminputcontexts/libcomposeplatforminputcontextplugin.so
    platforminputcontexts/libibusplatforminputcontextplugin.so platformthemes/libqxdgdesktopportal.so)

# Parts of the C library: they belong to one loader and are kept apart.
is_libc() { case "$1" in ld-linux* | libc.so* | libm.so* | libmvec.so* | libdl.so* | libpthread.so* | librt.so* | libresolv.so* | libutil.so* | libanl.so* | libnss_*) ;; *) return 1 ;; esac }

# closure FILE...: the libraries that these load, each once, as the system's loader finds them; one that is missing is a failure.
closure()
{
    local told
    told=$(LD_LIBRARY_PATH="$lib/torch-2.11.0/torch/lib:$lib/torch-2.11.0/nvidia/cu13/lib" ldd "$@")
    if grep -q 'not found' <<<"$told"; then fail "These libraries are missing: $(grep 'not found' <<<"$told" | sort -u)"; fi
    sed -n 's/^\t.* => \(\/[^ ]*\) (0x.*/\1/p; s/^\t\(\/[^ ]*\) (0x.*/\1/p' <<<"$told" | sort -u
}

stage_libraries()
{
    local file base
    mkdir -p "$lib/lib" "$lib/libc" "$lib/qt6/plugins"
    for file in "${wanted_plugins[@]}"; do
        if [ ! -e "$plugins/$file" ]; then continue; fi
        mkdir -p "$lib/qt6/plugins/$(dirname "$file")"
        cp -L "$plugins/$file" "$lib/qt6/plugins/$file"
    done
    [ -e "$lib/qt6/plugins/platforms/libqwayland-generic.so" ] || fail "Qt's plugin for Wayland is missing; run: apt-get install qt6-wayland"
    mkdir -p "$lib/qt6/translations"
    cp -L "$translations"/qtbase_de.qm "$lib/qt6/translations/" || fail "The words of Qt's dialogs are missing; run: apt-get install qt6-translations-l10n"
    closure "$to"/bin/* "$lib"/qt6/plugins/*/*.so >"$work/closure"
    while read -r file; do
        base=$(basename "$file")
        case "$(realpath -s "$file")" in "$lib"/*) continue ;; esac # libtorch, found by the program's own path
        if is_libc "$base"; then cp -L "$file" "$lib/libc/$base"; else cp -L "$file" "$lib/lib/$base"; fi
    done <"$work/closure"
    # Loaded by the C library by itself, when a name of a computer or a person is asked for.
    for base in libnss_files.so.2 libnss_dns.so.2 libresolv.so.2 libpthread.so.0 libdl.so.2 librt.so.1; do
        file=$(dirname "$(readlink -f "$(sed -n '/\/libc\.so/p' "$work/closure")")")/$base
        if [ -e "$file" ]; then cp -L "$file" "$lib/libc/$base"; fi
    done
    mv "$lib/libc/ld-linux-x86-64.so.2" "$to/bin/headscope-loader"
    chmod 755 "$to/bin/headscope-loader"
    find "$lib" -name '*.so*' -type f -exec chmod 644 {} +
}

# The licences of every Debian package that a file came from.
stage_licences()
{
    local package file files=("$xkb/rules/base" /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
        /usr/share/fonts/opentype/inter/Inter-Regular.otf "$translations/qtbase_de.qm")
    while read -r file; do files+=("$file" "$(readlink -f "$file")" "/usr$file"); done <"$work/closure"
    for file in "${wanted_plugins[@]}"; do files+=("$plugins/$file"); done
    dpkg-query -S "${files[@]}" 2>/dev/null | sed 's/: .*//; s/:amd64//' | sort -u >"$work/packages" || true # of each file one spelling is known
    while read -r package; do
        mkdir -p "$to/share/doc/$package"
        cp -L "/usr/share/doc/$package/copyright" "$to/share/doc/$package/copyright"
    done <"$work/packages"
    mkdir -p "$to/share/doc/libtorch"
    licences >"$to/share/doc/libtorch/copyright"
    echo "$(wc -l <"$work/packages") packages of Debian are inside" >&2
}

# The newest version of the C library that anything in the bundle asks for.
needed_libc()
{
    find "$to" -type f \( -name '*.so*' -o -name '*.program' \) ! -path '*/libc/*' -exec objdump -T {} + 2>/dev/null \
        | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1 | sed 's/GLIBC_//'
}

stage_programs "$work/root"
stage_libtorch "$work/root"
mv "$work/root/usr" "$to"
stage_libraries
for program in headscope headscope-cli; do mv "$to/bin/$program" "$to/bin/$program.program"; done
printf '[Paths]\nPrefix = ../lib/headscope/qt6\nPlugins = plugins\nTranslations = translations\n' >"$to/bin/qt.conf"
mkdir -p "$to/share/headscope-bundle/fonts"
cp "$headscope_root/packaging/bundle/fonts.conf" "$to/share/headscope-bundle/"
cp /usr/share/fonts/truetype/dejavu/{DejaVuSans.ttf,DejaVuSans-Bold.ttf,DejaVuSansMono.ttf,DejaVuSansMono-Bold.ttf} "$to/share/headscope-bundle/fonts/"
cp /usr/share/fonts/opentype/inter/Inter-{Regular,Bold,Italic,BoldItalic}.otf "$to/share/headscope-bundle/fonts/"
cp -r "$xkb" "$to/share/headscope-bundle/xkb"
stage_licences
libc=$(needed_libc)
kernel=$(file -L "$to/bin/headscope.program" | sed -n 's/.*for GNU\/Linux \([0-9.]*\).*/\1/p')
for program in headscope headscope-cli; do
    sed "s/@GLIBC@/$libc/g" "$headscope_root/packaging/bundle/launcher" >"$to/bin/$program"
    chmod 755 "$to/bin/$program"
done
sed "s/@GLIBC@/$libc/g; s/@VERSION@/$headscope_version/g; s/@KERNEL@/$kernel/g" "$headscope_root/packaging/bundle/README" >"$to/README"

mkdir -p "$out"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -c "$name" | XZ_OPT=${XZ_OPT:--1} xz >"$out/$name.tar.xz"
say "needs glibc $libc or its own, Linux $kernel; $(du -sm "$to" | cut -f1) MB unpacked, $(du -sm "$out/$name.tar.xz" | cut -f1) MB packed"
echo "$out/$name.tar.xz"
