#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fits the Jacobian lenses of the tiny models, on prompts of their own tasks, and prints how often each has the model's
# own top token on top beside the logit lens, on prompts that the fit did not use: the table of their cards.
# Arguments: the command line program, the folder to write to (a folder for each model).
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/release/app/headscope-cli}
models=${2:-resources/models}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Dictionaries of all sizes, multiple choice and facts; rows are the same for each model.
for task in toy_kv:pairs=4 toy_kv:pairs=8 toy_kv:pairs=16 toy_mc; do
    "$program" --quiet --json requests --task "$task" --limit 24 | sed 's/"context"/"text"/' >> "$scratch/prompts.jsonl"
done
for model in tiny-transformer tiny-ssm tiny-hybrid; do
    mkdir -p "$models/$model"
    echo "$model"
    # Positions 0 to 3 are the same in all prompts of a task. The embedding is left out, as in published lenses.
    "$program" --quiet lens fit "$model" --texts "$scratch/prompts.jsonl" --prompts 80 --skip 4 --layers 0-2 \
        -o "$models/$model/jacobian-lens.pt"
done
