#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Random doings in the real window, without a display, in a session that grows, for so many minutes a seed (240, seed 1):
#   soak.sh [MINUTES [SEED ...]]
# At every rest the window is in the same state and counts what it holds. A seed passes when nothing was warned of, nothing broke or
# stood still, and of the rests behind the first third the second half holds no more at the least than the first: memory within 5 per
# cent, no more widgets, objects and open files. What was counted stays in build/soak/SEED. Ends with "N passed, N failed, 0 skipped".
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

minutes=${1:-240}
case "$minutes" in '' | *[!0-9]*) fail "'$minutes' is no number of minutes." ;; esac
shift || true
seeds=("$@")
if [ ${#seeds[@]} -eq 0 ]; then seeds=(1); fi
bash "$headscope_root/packaging/build.sh" soak_window

# judge FILE: compares the rests; says what rose.
judge()
{
    python3 - "$1" <<'PYTHON'
import sys
lines = [line.rstrip("\n").split("\t") for line in open(sys.argv[1], encoding="utf-8")]
names, rests = lines[0], [[float(field) for field in line] for line in lines[1:] if len(line) == len(lines[0])]
settled = rests[len(rests) // 3:]
if len(settled) < 8:
    sys.exit(f"only {len(rests)} rests: too few to tell")
half = len(settled) // 2
bad = []
# What is always held: runs that are kept to go on from come and go within their budget, what leaks never goes.
floor = lambda part, column: sorted(rest[column] for rest in part)[len(part) // 10]
for name, allowed in (("resident MB", 1.05), ("heap MB", 1.05), ("widgets", 1.02), ("objects", 1.02), ("files", 1.02)):
    column = names.index(name)
    before, after = (floor(part, column) for part in (settled[:half], settled[half:]))
    print(f"  {name}, at the least: {before:g} -> {after:g} ({100 * (after / before - 1):+.1f} %); at the most {max(rest[column] for rest in settled):g}")
    if after > before * allowed + (2 if name == "files" else 0):
        bad.append(name)
column = names.index("session MB")
print(f"  session MB: {rests[0][column]:g} -> {rests[-1][column]:g}; {rests[-1][0]:g} doings, {len(rests)} rests")
sys.exit("rose: " + ", ".join(bad) if bad else 0)
PYTHON
}

passed=0
failed=0
for seed in "${seeds[@]}"; do
    folder="$headscope_root/build/soak/$seed"
    rm -rf "$folder"
    mkdir -p "$folder/home" "$folder/runtime"
    chmod 700 "$folder/runtime"
    code=0
    # A home of its own, nothing of a network, and no address that answers.
    env -u DISPLAY -u WAYLAND_DISPLAY QT_QPA_PLATFORM=offscreen HOME="$folder/home" XDG_RUNTIME_DIR="$folder/runtime" \
        XDG_CONFIG_HOME="$folder/home/config" XDG_DATA_HOME="$folder/home/data" XDG_CACHE_HOME="$folder/home/cache" \
        HF_ENDPOINT=http://127.0.0.1:9 HF_HUB_CACHE="$folder/home/hub" \
        "$headscope_build/tests/soak_window" "$folder" --seed "$seed" --minutes "$minutes" >"$folder/rests.tsv" 2>"$folder/told" || code=$?
    echo "seed $seed, $minutes minutes:"
    if [ "$code" -ne 0 ]; then
        tail -n 5 "$folder/told"
        echo "  last doings:"
        tail -n 5 "$folder/doings" | sed 's/^/  /'
    fi
    if judge "$folder/rests.tsv" && [ "$code" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: seed $seed (exit $code); see $folder"
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
