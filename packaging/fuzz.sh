#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the fuzz targets with clang and runs each for so many seconds (300): fuzz.sh [SECONDS [TARGET ...]]. What they find worth
# keeping stays in build/fuzz/corpus, inputs that broke something in build/fuzz/found: crashes, reports of a sanitizer, leaks, what takes
# longer than 10 s or more than 2 GB. Ends with "N passed, N failed, 0 skipped".
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

seconds=${1:-300}
case "$seconds" in '' | *[!0-9]* | 0*) fail "'$seconds' is no number of seconds." ;; esac
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(sed -n 's/^headscope_fuzz(\(fuzz_[a-z]*\)\.cpp .*/\1/p' "$headscope_root/tests/fuzz/CMakeLists.txt")
fi
type -P clang++ >/dev/null || fail "The fuzz targets need clang++; run: apt-get install clang libclang-rt-14-dev libomp-14-dev"

build="$headscope_root/build/fuzz"
if [ ! -f "$build/build.ninja" ]; then
    (cd "$headscope_root" && cmake --preset dev -B "$build" -DHEADSCOPE_FUZZ=ON -DHEADSCOPE_UNITY=ON -DHEADSCOPE_GUI=OFF -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1 -DNDEBUG" -DHEADSCOPE_TORCH="$(torch_folder)") >&2 || fail "CMake could not configure the fuzz targets."
fi
ninja -C "$build" -j "$(parallel_jobs)" "${targets[@]}" >&2 || fail "The fuzz targets could not be built."

# Where a target begins: what the tests have of its kind.
seeds_of()
{
    local data="$headscope_root/tests/data"
    case "$1" in
    fuzz_tokenizer) find "$data/tokenizers" "$headscope_root/resources/models" -name tokenizer.json -size -64k ;;
    fuzz_parquet) find "$data/parquet" -name '*.parquet' -size -32k ;;
    fuzz_gguf) find "$data/forms" -name '*.gguf' -size -32k ;;
    fuzz_safetensors) find "$data/forms" -name '*.safetensors' -size -32k ;;
    fuzz_lens) find "$data/lenses" -name '*.pt' ;;
    fuzz_session) find "$data/sessions" -name '*.session' -size -256k ;;
    *) ;;
    esac
}

# Two rows of each benchmark behind the byte that chooses it in fuzz_importers.cpp.
importers_seeds()
{
    local file
    for file in 00:mmlu/test/astronomy_test.csv 02:arc_easy/ARC-Easy-Test.jsonl 03:arc_challenge/ARC-Challenge-Test.jsonl 04:piqa/valid.jsonl \
        06:winogrande/dev.jsonl 07:hellaswag/hellaswag_val.jsonl 08:openbookqa/test.jsonl 09:lambada/lambada_test.jsonl 0a:gsm8k/test.jsonl \
        0b:swde/validation.jsonl; do
        {
            printf '%b' "\\x${file%%:*}"
            sed -n '1,2p' "$headscope_root/resources/samples/${file#*:}"
        } >"$1/seed-${file%%:*}"
    done
}

# The chat templates that the tests read: packed by Qt, which writes the size before the zlib stream.
chat_seeds()
{
    python3 - "$headscope_root/tests/data/chat/chats.json.z" "$1" <<'END'
import json, pathlib, sys, zlib
chats = json.loads(zlib.decompress(pathlib.Path(sys.argv[1]).read_bytes()[4:]))
for number, template in enumerate(chats["templates"].values()):
    pathlib.Path(sys.argv[2], f"seed-{number}").write_text(template["source"])
END
}

# numbered_seeds CORPUS FOLDER FILE [FIRST]: the file of each folder below FOLDER behind the byte that chooses it in the target. Of weights, the header
# where the target takes no more than that.
numbered_seeds()
{
    local folder count=${4:-0} header
    while read -r folder; do
        {
            printf '%b' "\\x$(printf '%02x' "$count")"
            if [ "$3" = model.safetensors ]; then
                header=$(od -An -tu8 -N8 "$folder/$3")
                head -c "$((header + 8))" "$folder/$3" | tail -c +9
            else
                cat "$folder/$3"
            fi
        } >"$1/seed-$count"
        count=$((count + 1))
    done < <(find "$headscope_root/tests/data/$2" -name "$3" -printf '%h\n' | LC_ALL=C sort)
}

# Several targets write each input to a file.
memory=/dev/shm
if [ ! -w "$memory" ]; then memory=${TMPDIR:-/tmp}; fi
memory=$(mktemp -d "$memory/headscope-fuzz.XXXXXX")
trap 'rm -rf "$memory"' EXIT
export TMPDIR="$memory" ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export LSAN_OPTIONS="suppressions=$headscope_root/packaging/sanitizers/lsan.supp:print_suppressions=0"

passed=0
failed=0
for target in "${targets[@]}"; do
    corpus="$build/corpus/$target"
    found="$build/found/$target"
    mkdir -p "$corpus" "$found"
    count=0
    while read -r seed; do
        count=$((count + 1))
        cp -n "$seed" "$corpus/seed-$count"
    done < <(seeds_of "$target")
    case "$target" in
    fuzz_chat) chat_seeds "$corpus" ;;
    fuzz_importers) importers_seeds "$corpus" ;;
    fuzz_config) numbered_seeds "$corpus" golden config.json ;;
    fuzz_adapter)
        numbered_seeds "$corpus" adapters adapter_config.json
        numbered_seeds "$corpus" adapters adapter_model.safetensors 128
        ;;
    fuzz_packed)
        numbered_seeds "$corpus" packed config.json
        numbered_seeds "$corpus" packed model.safetensors 128
        ;;
    fuzz_yaml)
        printf 'task: own\noutput_type: multiple_choice\ndoc_to_choice: [a, &b b, *b]\nmetric_list:\n  - {metric: acc, x: |\n' >"$corpus/seed-0"
        printf 'list: [yes, 017, 0x1F, 0b1_0, .inf, .nan, 1_000, 12:30:45, 1:30.5,\n  1.0e+999, -1.5e-320, 999999999999999999999:00]\n' >"$corpus/seed-1"
        ;;
    esac
    # The longest input: a seed that is cut is no session any more.
    length=65536
    if [ "$target" = fuzz_session ]; then length=131072; fi
    if "$build/tests/fuzz/$target" -max_total_time="$seconds" -max_len="$length" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$found/" -print_final_stats=1 "$corpus" 2>"$build/$target.log"; then
        passed=$((passed + 1))
        echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log") inputs"
    else
        failed=$((failed + 1))
        echo "failed: $target; the input is in $found, what was said in $build/$target.log"
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
