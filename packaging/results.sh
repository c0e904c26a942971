#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures every experiment on the included models and writes the results that come with the program: resources/results.
#   results.sh [FOLDER]   FOLDER holds results of `headscope-cli experiment all -o FOLDER` already
# The result of emergence is of checkpoints, which are not kept: `headscope-cli train small-transformer-base --corpus DIR -o OUT
# --checkpoint-every 100 --steps 1500`, then in OUT/checkpoints `headscope-cli experiment emergence --model step-100 ... --model step-1500`.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

measured=${1:-}
if [ -z "$measured" ]; then
    bash "$headscope_root/packaging/build.sh" headscope-cli
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
    (results / file.name).write_text(json.dumps(rounded(report), ensure_ascii=False, separators=(",", ":")) + "\n")
PYTHON
