#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Random actions in the real window, without a display, in a session that grows, for so many minutes a seed (240, seed 1):
#   soak.sh [MINUTES [SEED ...]]
# At every rest the window is in the same state. In the first third of the time each rest ends it, and what is left without a window is
# counted; then one window stays, and is counted without a model. A seed passes when nothing was warned of, nothing broke or stood still,
# and behind the first third of either the later half of the rests holds no more at the least than the earlier: memory within 5 per cent
# without a window and 10 with one, objects within 10 (a dialog is made when it is first opened, and is some hundred), no more open files, and
# without a window at most 1,500 bytes an action from most rests to the next. What was counted stays in build/soak/SEED. HEADSCOPE_SOAK_LEAK=2000 loses so many bytes at
# each action, to see that it is found. HEADSCOPE_SOAK_TOGETHER=1: the windows of all seeds work side by side, in one session. Standing still
# for more than 3 s is a warning. HEADSCOPE_PRESET=asan-window: under the sanitizers of addresses and undefined behaviour, where the program is judged by its
# reports alone. Ends with "N passed, N failed, 0 skipped".
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
import statistics, sys
lines = [line.rstrip("\n").split("\t") for line in open(sys.argv[1], encoding="utf-8")]
names, rests = lines[0], lines[1:]
if len(rests) < 2 or len(rests[-1]) != len(names):
    sys.exit("it was not rested to the end")
bad = []
def judge(what, part):
    settled = part[len(part) // 3:]
    if len(settled) < 6:
        bad.append(f"{what}: only {len(part)} rests, too few to tell")
        return
    half = len(settled) // 2
    memory = 1.05 if what == "nothing" else 1.1
    for name, allowed, more in (("resident MB", memory, 0), ("heap MB", memory, 0), ("objects", 1.1, 2), ("files", 1, 2)):
        column = names.index(f"{what} {name}")
        values = [float(rest[column]) for rest in settled]
        before, after = min(values[:half]), min(values[half:])
        rose = f"{100 * (after / before - 1):+.1f} %" if before else f"{after:+g}"
        # What is made once and kept (fonts of other scripts, kernels of other shapes) comes in steps, what leaks comes all the time.
        steps = [1e6 * (float(b[column]) - float(a[column])) / (int(b[0]) - int(a[0])) for a, b in zip(settled, settled[1:]) if b[0] != a[0]]
        step = statistics.median(steps) if name == "heap MB" else 0
        each = f", {step:.0f} bytes per action from rest to rest" if name == "heap MB" else ""
        print(f"  {what}, {name}, at the least: {before:g} -> {after:g} ({rose}{each}); at the most {max(values):g}; {len(values)} rests")
        if after > before * allowed + more or (what == "nothing" and step > 1500):
            bad.append(f"{what} {name}")
ended = [rest for rest in rests if len(rest) == len(names)]
judge("nothing", ended[:-1]) # the last is what the window that stayed has left
last = int(rests[-1][names.index("windows")])
judge("window", [rest for rest in rests if int(rest[names.index("windows")]) == last])
session = names.index("session MB")
print(f"  nothing, at the end: heap {ended[-1][names.index('nothing heap MB')]} MB, resident {ended[-1][names.index('nothing resident MB')]} MB")
print(f"  session MB: {rests[0][session]} -> {rests[-1][session]}; {rests[-1][0]} actions, {len(rests)} rests, {last} windows")
sys.exit("rose: " + ", ".join(bad) if bad else 0)
PYTHON
}

# run SEED: its window, to the end; its code goes to the file "code".
run()
{
    local folder="$headscope_root/build/soak/$1" code=0 shared=()
    rm -rf "$folder"
    mkdir -p "$folder/home" "$folder/runtime"
    chmod 700 "$folder/runtime"
    if [ -n "${HEADSCOPE_SOAK_TOGETHER:-}" ]; then shared=(--session "$headscope_root/build/soak/together.headscope"); fi
    if [ "$headscope_preset" = release ]; then ulimit -c unlimited; fi # a crash leaves its core in the folder
    # A home of its own, nothing of a network but the tests' hub, and freed memory is overwritten (who reads it crashes). Compiled products
    # of bf16 (tst_memory says how many are kept) are kept from one window to the next, more with each new length of text, up to 40 MB:
    # what is counted is ours.
    env --chdir="$folder" -u DISPLAY -u WAYLAND_DISPLAY QT_QPA_PLATFORM=offscreen HOME="$folder/home" XDG_RUNTIME_DIR="$folder/runtime" \
        XDG_CONFIG_HOME="$folder/home/config" XDG_DATA_HOME="$folder/home/data" XDG_CACHE_HOME="$folder/home/cache" \
        ASAN_OPTIONS=halt_on_error=1:detect_leaks=0:strict_string_checks=1:detect_stack_use_after_return=1 \
        UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 MALLOC_PERTURB_=165 ONEDNN_PRIMITIVE_CACHE_CAPACITY=1 LRU_CACHE_CAPACITY=1 \
        "$headscope_build/tests/soak_window" "$folder" --seed "$1" --minutes "$minutes" --leak "${HEADSCOPE_SOAK_LEAK:-0}" "${shared[@]}" \
        >"$folder/rests.tsv" 2>"$folder/told" || code=$?
    echo "$code" >"$folder/code"
}

# tell SEED: what it came to; false if it failed.
tell()
{
    local folder="$headscope_root/build/soak/$1" code
    code=$(cat "$folder/code")
    echo "seed $1, $minutes minutes: $(tail -n 1 "$folder/told")"
    if [ "$code" -ne 0 ]; then
        grep -m 5 -E '^warning|ERROR: AddressSanitizer|runtime error' "$folder/told" | cut -c 1-300 || true
        echo "  last actions:"
        tail -n 5 "$folder/actions" | sed 's/^/  /'
        if [ -f "$folder/core" ] && command -v gdb >/dev/null; then
            gdb -batch -ex "backtrace 40" "$headscope_build/tests/soak_window" "$folder/core" 2>/dev/null | grep '^#' || true
        fi
    fi
    # A sanitizer keeps what is freed, so memory tells nothing there.
    if [ "$headscope_preset" != release ]; then
        echo "  $(tail -n 1 "$folder/rests.tsv" | cut -f 1) actions, $(tail -n 1 "$folder/rests.tsv" | cut -f 3) windows"
        if [ "$code" -eq 0 ]; then return 0; fi
    elif judge "$folder/rests.tsv" && [ "$code" -eq 0 ]; then
        return 0
    fi
    echo "failed: seed $1 (exit $code); see $folder"
    return 1
}

passed=0
failed=0
if [ -n "${HEADSCOPE_SOAK_TOGETHER:-}" ]; then
    rm -f "$headscope_root/build/soak/together.headscope"*
    for seed in "${seeds[@]}"; do run "$seed" & done
    wait
fi
for seed in "${seeds[@]}"; do
    if [ -z "${HEADSCOPE_SOAK_TOGETHER:-}" ]; then run "$seed"; fi
    if tell "$seed"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
