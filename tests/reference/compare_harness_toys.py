#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the scores of a trained model with lm-evaluation-harness: the shipped models on the toy tasks. A developer's tool.

The program and its tests do not need it. In a virtual environment with
`pip install torch==2.11.0 transformers==4.49.0 lm_eval==0.4.7`:

    python tests/reference/compare_harness_toys.py build/release/app/headscope-cli resources/models/tiny-transformer [--limit N] [--seed S]

The rows come from `headscope-cli requests`. The harness runs them on the same model folder by task configs that stand
below, as loglikelihood, as multiple choice with the other answers of a row beside the right one, and as multiple choice
behind two examples. headscope-cli runs its own toy tasks and, for the others, task files with the same keys. Compared are
the numbers of the results files with their standard errors, and the samples row by row. The exit status is 1 after any
difference.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from compare_harness_tasks import compare_files, run_harness, run_ours  # noqa: E402

TASKS = ["toy_kv:pairs=4", "toy_kv:pairs=8", "toy_kv:pairs=16", "toy_mc", "toy_knowledge"]
SHOTS = 2


def rows_of(task, args):
    command = [args.program, "requests", "--task", task, "--limit", str(args.limit), "--seed", str(args.seed), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    requests = [json.loads(line) for line in done.stdout.split("\n") if line]
    answers = sorted({request["continuations"][0].strip() for request in requests})
    rows = []
    for request in requests:
        answer = request["continuations"][0].strip()
        offered = choices(request["context"], answer, answers)
        rows.append({"context": request["context"], "answer": answer, "choices": offered, "gold": offered.index(answer)})
    return rows


def choices(context, answer, answers):
    """The answers that a row itself offers, or else four of all rows', in the order of their names."""
    words = context.split()
    offered = [words[i + 1] for i, word in enumerate(words) if word == ":" and i + 1 < len(words)]
    if answer in "ABCD":
        offered = list("ABCD")
    if answer not in offered or len(offered) < 2:
        place = answers.index(answer)
        offered = sorted({answers[(place + step) % len(answers)] for step in range(4)})
    return offered


def config(name, rows, **members):
    """A task file for headscope-cli; its keys are the harness's."""
    return {"task": name, "doc_to_text": "{{context}}", "rows": rows, **members}


def for_harness(task, shots):
    known = {key: value for key, value in task.items() if key not in ("rows", "version", "fewshot_rows", "fewshot_sampler")}
    split = {"dataset_path": "toys", "dataset_name": task["task"], "test_split": "test", "metadata": {"version": 1}}
    if shots:
        split.update(fewshot_split="train", num_fewshot=shots, fewshot_config={"sampler": "first_n"})
    metrics = [{"metric": metric, "aggregation": "perplexity" if metric == "perplexity" else "mean",
                "higher_is_better": metric != "perplexity"} for metric in task["metric_list"]]
    return {**known, **split, "metric_list": metrics}


def compare(model, args, work):
    tables = {task: rows_of(task, args) for task in TASKS}
    own, named = [], []
    for task, rows in tables.items():
        named.append(config(task, rows, output_type="loglikelihood", doc_to_target=" {{answer}}", metric_list=["acc"]))
        choose = {"output_type": "multiple_choice", "doc_to_choice": "{{choices}}", "doc_to_target": "{{gold}}",
                  "metric_list": ["acc", "acc_norm"]}
        own.append((config("choose " + task.replace(":", " "), rows[SHOTS:], **choose), 0))
        own.append((config("choose behind two " + task.replace(":", " "), rows[SHOTS:], fewshot_rows=rows[:SHOTS], **choose), SHOTS))

    def local(_, __, name):
        for task, shots in [(task, 0) for task in named] + own:
            if task["task"] == name:
                return {"test": task["rows"], **({"train": task["fewshot_rows"]} if shots else {})}
        raise SystemExit(f"no rows are known for {name}")

    run_harness(model, [for_harness(task, 0) for task in named] + [for_harness(*task) for task in own], args, work / "theirs", local)
    files = []
    for number, (task, shots) in enumerate(own):
        file = work / f"{number}.json"
        file.write_text(json.dumps({**task, "num_fewshot": shots}), encoding="utf-8")
        files.append(str(file))
    run_ours(model, TASKS + files, args, work / "ours")
    return compare_files(model, args, work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--bootstrap", type=int, default=1000)
    parser.add_argument("--show", type=int, default=20, help="faults to print")
    args = parser.parse_args()
    args.data, args.dtype, args.fewshot = "", "float32", None
    failed = False
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            failed = bool(compare(pathlib.Path(model), args, pathlib.Path(folder))) or failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
