#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the tests that need no window under a sanitizer, every warning an error, runs them, and ends with the line
# "N passed, N failed, N skipped". tests/CMakeLists.txt says which they are.
#   sanitize.sh asan|tsan     (asan: addresses and undefined behaviour; tsan: threads)
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "${1:-}" in
asan | tsan) ;;
*) fail "usage: sanitize.sh asan|tsan" ;;
esac
HEADSCOPE_PRESET=$1 HEADSCOPE_TARGETS=$1_tests exec bash "$headscope_root/packaging/test.sh" -L "^$1\$"
