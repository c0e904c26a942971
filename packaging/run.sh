#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a bare Debian 12 machine to the running program: installs what is missing, builds, starts. With a display it
# opens the window on the shipped tiny Transformer; without one it does the same work in the terminal.
#   run.sh [arguments of headscope]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

bash "$headscope_root/packaging/install.sh"
bash "$headscope_root/packaging/build.sh" headscope headscope-cli

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    if (($# == 0)); then set -- tiny-transformer; fi
    exec "$headscope_build/app/headscope" "$@"
else
    out="$headscope_root/out"
    say "There is no display here, so the same work is done in the terminal: scores, one head off, scores again, its heatmaps."
    exec "$headscope_build/app/headscope-cli" demo -o "$out"
fi
