#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fits the Jacobian lenses of the included models, on prompts of their own tasks, and prints how often each has the model's
# own top token on top beside the logit lens, on prompts that the fit did not use: the table of their cards.
# Arguments: the command line program, the folder to write to (a folder for each model).
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/release/app/headscope-cli}
models=${2:-resources/models}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# fit LAYERS SKIP MODEL...: on what "$scratch/prompts.jsonl" holds; rows are the same for each model. The embedding is left
# out, as in published lenses.
fit()
{
    local layers=$1 skip=$2 model
    shift 2
    for model in "$@"; do
        mkdir -p "$models/$model"
        echo "$model"
        "$program" --quiet lens fit "$model" --texts "$scratch/prompts.jsonl" --prompts 80 --skip "$skip" --layers "$layers" \
            -o "$models/$model/jacobian-lens.pt"
    done
}

# prompts TASK...: dictionaries of all sizes, multiple choice, names.
prompts()
{
    local task
    for task in "$@"; do
        "$program" --quiet --json requests --task "$task" --limit 24 | sed 's/"context"/"text"/'
    done > "$scratch/prompts.jsonl"
}

prompts toy_kv:pairs=4 toy_kv:pairs=8 toy_kv:pairs=16 toy_mc
fit 0-2 4 tiny-transformer tiny-ssm tiny-hybrid # positions 0 to 3 are the same in all prompts of a task
prompts word_kv:pairs=4 word_kv:pairs=8 word_kv:pairs=16 passage_mc
fit 0-3 8 small-transformer small-ssm small-hybrid
