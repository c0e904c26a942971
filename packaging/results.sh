#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures every experiment on the included models and what each of their heads costs, and writes the results that come
# with the program: resources/results and resources/rankings.
#   results.sh [FOLDER]   FOLDER holds results of `headscope-cli experiment all -o FOLDER` already
#   results.sh --rankings writes the rankings only, in half a minute
# The result of emergence is of checkpoints, which are not kept: `headscope-cli train small-transformer-base --corpus DIR -o OUT
# --checkpoint-every 100 --steps 1500`, then in OUT/checkpoints `headscope-cli experiment emergence --model step-100 ... --model step-1500`.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

bash "$headscope_root/packaging/build.sh" headscope-cli

# The question that the window asks of an included model when it is opened (rankLimit() and retrievalTask() in
# app/state/modelheads.cpp); the key says which one was answered, so that a ranking is shown for no other.
for folder in "$headscope_root"/resources/models/*/; do
    model=$(basename "$folder")
    task=word_kv:pairs=8
    [ "${model#tiny-}" = "$model" ] || task=toy_kv:pairs=8
    "$headscope_build/app/headscope-cli" --quiet --device cpu rank "$folder" --task "$task" --limit 64 --json \
        | python3 -c '
import json, re, sys

COLUMNS = ("value", "delta", "low", "high", "margin_delta", "p", "p_holm", "p_bh")
ranking = json.load(sys.stdin)
rows = []
for head in ranking["heads"]:
    head["low"], head["high"] = head["interval"]
    rows.append([head["head"], *(float(f"{head[column]:.6g}") for column in COLUMNS),
                 -1 if head["group"] is None else head["group"]])
rows.sort(key=lambda row: [int(number) for number in re.findall(r"\d+", row[0])])
with open(sys.argv[1], "w") as file:
    file.write(json.dumps({name: ranking[name] for name in ("task", "n", "key")} | {"heads": rows}, separators=(",", ":")) + "\n")
' "$headscope_root/resources/rankings/$model.json"
done
[ "${1:-}" != --rankings ] || exit 0

measured=${1:-}
if [ -z "$measured" ]; then
    measured=$(mktemp -d)
    trap 'rm -rf "$measured"' EXIT
    "$headscope_build/app/headscope-cli" experiment all -o "$measured"
fi
python3 - "$measured" "$headscope_root/resources/results" <<'PYTHON'
import json, pathlib, sys

measured, results = map(pathlib.Path, sys.argv[1:])


def rounded(value):
    """Six digits are more than any table shows, and half the bytes."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return [rounded(inner) for inner in value] if isinstance(value, list) else value


apart = "emergence"
for old in results.glob("*.json"):
    if old.stem != apart:
        old.unlink()
for file in sorted(measured.glob("*.json")):
    if file.stem.endswith("-charts") or file.stem == apart:
        continue
    report = json.loads(file.read_text())
    if report["problem"] or not report["complete"]:
        sys.exit(f"{file.stem} has no complete result: {report['problem']}")
    del report["charts"]  # which the program draws from the rows
    (results / file.name).write_text(json.dumps(rounded(report), ensure_ascii=False, separators=(",", ":")) + "\n")
PYTHON
