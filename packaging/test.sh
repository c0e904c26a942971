#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds programs and tests, runs every test without a display, and ends with the line
# "N passed, N failed, N skipped", counted in Qt Test functions and data rows.
#   test.sh [arguments of ctest, for example -R tst_safetensors]
# HEADSCOPE_PRESET names another preset than release, HEADSCOPE_TARGETS what is built of it (everything).
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Whatever goes wrong before the tests ran is one failure, so the last line is there in any case.
home=
counted=no
finish()
{
    if [ -n "$home" ]; then rm -rf "$home"; fi
    if [ "$counted" = no ]; then echo "0 passed, 1 failed, 0 skipped"; fi
}
trap finish EXIT

bash "$headscope_root/packaging/install.sh" --tests
read -ra targets <<<"${HEADSCOPE_TARGETS:-}"
bash "$headscope_root/packaging/build.sh" "${targets[@]}"

cd "$headscope_root" # where the presets are
results="$headscope_build/Testing/results"
failed="$headscope_build/Testing/Temporary/LastTestsFailed.log"
rm -rf "$results" "$failed"
mkdir -p "$results"

# The tests see no display, and no settings or sessions of the person who runs them.
home=$(mktemp -d)
mkdir -m 700 "$home/runtime"
env -u DISPLAY -u WAYLAND_DISPLAY QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR="$home/runtime" \
    XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_STATE_HOME="$home/state" \
    ctest --preset "$headscope_preset" --parallel "$(parallel_jobs)" "$@" </dev/null || true

# ctest knows only programs; their functions are counted from what each program wrote.
counted=yes
ctest --preset "$headscope_preset" --show-only=json-v1 "$@" </dev/null \
    | python3 "$headscope_root/packaging/testtotals.py" "$results" "$failed"
