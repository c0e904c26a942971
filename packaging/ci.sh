#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs one after the other, each whatever the others gave: the tests, the format check, the tests under the sanitizers, and
# whether each file compiles alone; or the parts that are named. Ends with the line "N passed, N failed, N skipped" of all
# parts together.
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

output=$(mktemp)
trap 'rm -f "$output"' EXIT
passed=0 failed=0 skipped=0

# part NAME COMMAND...: runs a script that ends with a line of totals, and adds them up. Without such a line it is one failure.
part()
{
    local name=$1 code last started=$SECONDS
    shift
    "$@" </dev/null | tee "$output" | sed -u '$d'
    code=${PIPESTATUS[0]}
    last=$(tail -n 1 "$output")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
        if [ "$code" -ne 0 ] && [ "${BASH_REMATCH[2]}" -eq 0 ]; then failed=$((failed + 1)); fi
    else
        failed=$((failed + 1))
    fi
    echo "== $name: $last ($((SECONDS - started)) s)"
}

# early_part NAME COMMAND...: runs a part that takes up to 20 minutes; skips it after minute 40, so that the whole run stays
# below an hour.
early_part()
{
    if [ "$SECONDS" -lt 2400 ]; then
        part "$@"
    else
        echo "== $1: skipped, it would begin after $((SECONDS / 60)) minutes; ci.sh $1 runs it alone"
        skipped=$((skipped + 1))
    fi
}

if (($# == 0)); then set -- tests format asan tsan alone; fi
for name in "$@"; do
    case "$name" in
    tests) part tests bash "$headscope_root/packaging/test.sh" ;;
    format) part format bash "$headscope_root/packaging/format.sh" ;;
    asan | tsan) early_part "$name" bash "$headscope_root/packaging/sanitize.sh" "$name" ;;
    alone) early_part alone python3 "$headscope_root/packaging/alone.py" "$headscope_build" ;;
    *) part "$name" false ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
