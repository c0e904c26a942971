#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws the icons of resources/icons in every size that desktops ask for, where they have no use for SVG: resources/icons/hicolor.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

type -P rsvg-convert >/dev/null || fail "rsvg-convert is missing; run: apt-get install librsvg2-bin"
icons="$headscope_root/resources/icons"
for size in 16 22 24 32 48 64 128 256 512; do
    mkdir -p "$icons/hicolor/${size}x$size"/{apps,mimetypes}
    rsvg-convert -w $size -h $size "$icons/headscope.svg" -o "$icons/hicolor/${size}x$size/apps/headscope.png"
    rsvg-convert -w $size -h $size "$icons/headscope-session.svg" -o "$icons/hicolor/${size}x$size/mimetypes/headscope-session.png"
done
