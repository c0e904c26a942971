#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that every C++ file is as Debian 12's clang-format 14 writes it, and ends with "N passed, N failed, 0 skipped", counted in
# files. Those that are not are named; clang-format -i mends them.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$headscope_root"
if ! clang-format --version | grep -q 'version 14\.'; then
    echo "failed: this is not clang-format 14: $(clang-format --version || true)"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
mapfile -t files < <(git ls-files '*.cpp' '*.h' '*.cu' | while read -r file; do [ ! -f "$file" ] || echo "$file"; done)
# One line for each place that it would change: NAME:LINE:COLUMN: error: ...
mapfile -t bad < <(printf '%s\0' "${files[@]}" | xargs -0 clang-format --dry-run -Werror 2>&1 | sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: .*/\1/p' | sort -u)
for file in "${bad[@]}"; do echo "failed: $file is not formatted"; done
echo "$((${#files[@]} - ${#bad[@]})) passed, ${#bad[@]} failed, 0 skipped"
[ "${#bad[@]}" -eq 0 ]
