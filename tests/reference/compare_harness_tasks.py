#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare whole benchmarks with lm-evaluation-harness: scores, standard errors and files. A developer's tool.

The program and its tests do not need it. In a virtual environment with
`pip install torch==2.11.0 transformers==4.49.0 lm_eval==0.4.7`:

    python tests/reference/compare_harness_tasks.py build/release/app/headscope-cli DATA MODEL... --tasks arc_easy,piqa
                                          [--limit N] [--fewshot K] [--dtype float32] [--tolerance 1e-4]

Each MODEL is a model folder, or a tokenizer.json, for which a small model of seeded random weights is made. The harness
runs its own unchanged tasks; only where it would download rows it is given those of the folder DATA, read here by other
code than the program's. Both write results and samples files. Compared are every number of the results files with its
standard error, and the samples row by row (`headscope-cli compare-samples`). The exit status is 1 after any difference.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from compare_harness import make_model  # noqa: E402


# Members of a results file that tell of Python packages, or of chat templates where none is used.
OF_PYTHON = {"pretty_env_info", "transformers_version", "upper_git_hash", "tokenizer_pad_token", "tokenizer_eos_token", "tokenizer_bos_token",
             "eot_token_id", "task_hashes", "system_instruction_sha", "fewshot_as_multiturn", "chat_template", "chat_template_sha"}


def lines(path):
    """Rows of a JSONL file; an empty list where there is none."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def labels(path):
    return [int(line) for line in path.read_text(encoding="utf-8").split()]


def columns(choices):
    return {"text": [choice["text"] for choice in choices], "label": [choice["label"] for choice in choices]}


def arc(folder, name):
    def rows(split):
        return [{"id": row["id"], "question": row["question"]["stem"], "choices": columns(row["question"]["choices"]),
                 "answerKey": row["answerKey"]} for row in lines(folder / f"{name}-{split}.jsonl")]
    return {"train": rows("Train"), "validation": rows("Dev"), "test": rows("Test") or rows("Dev")}


def openbookqa(folder):
    def rows(split):
        return [{"id": row["id"], "question_stem": row["question"]["stem"], "choices": columns(row["question"]["choices"]),
                 "answerKey": row["answerKey"]} for row in lines(folder / f"{split}.jsonl")]
    return {"train": rows("train"), "validation": rows("test"), "test": rows("test")}


def piqa(folder):
    rows = [{"goal": row["goal"], "sol1": row["sol1"], "sol2": row["sol2"], "label": label}
            for row, label in zip(lines(folder / "valid.jsonl"), labels(folder / "valid-labels.lst"))]
    return {"train": rows, "validation": rows}


def winogrande(folder):
    def rows(file):
        return [{key: row[key] for key in ("sentence", "option1", "option2", "answer")} for row in lines(folder / file)]
    return {"train": rows("train_xs.jsonl"), "validation": rows("dev.jsonl")}


def hellaswag(folder):
    keys = ("activity_label", "ctx_a", "ctx_b", "ctx", "endings")
    rows = [{**{key: row[key] for key in keys}, "label": str(row["label"])} for row in lines(folder / "hellaswag_val.jsonl")]
    return {"train": rows, "validation": rows}


def mmlu(folder, subject):
    def rows(split):
        with open(folder / split / f"{subject}_{split}.csv", encoding="utf-8", newline="") as file:
            return [{"question": row[0], "choices": row[1:5], "answer": "ABCD".index(row[5])} for row in csv.reader(file)]
    return {"test": rows("test"), "dev": rows("dev"), "validation": rows("dev")}


def local_rows(data, path, name):
    """The splits that the harness asks for, by the name it would download them under."""
    if path == "allenai/ai2_arc":
        return arc(data / name.lower().replace("-", "_"), name)
    if path == "openbookqa":
        return openbookqa(data / "openbookqa")
    if path == "piqa":
        return piqa(data / "piqa")
    if path == "winogrande":
        return winogrande(data / "winogrande")
    if path == "hellaswag":
        return hellaswag(data / "hellaswag")
    if path == "EleutherAI/lambada_openai":
        return {"test": lines(data / "lambada" / "lambada_test.jsonl")}
    if path == "gsm8k":
        return {split: lines(data / "gsm8k" / f"{split}.jsonl") for split in ("train", "test")}
    if path == "hails/mmlu_no_train":
        return mmlu(data / "mmlu", name)
    if path == "lukaemon/bbh":
        return {"test": json.loads((data / "bbh" / f"{name}.json").read_text(encoding="utf-8"))["examples"]}
    raise SystemExit(f"no rows are known for {path} {name}")


def run_harness(model, tasks, args, folder, rows_of=local_rows):
    """The harness's results and samples files, in FOLDER. TASKS are names of its own, or configs; rows_of(DATA, path, name) gives rows."""
    import datasets
    import lm_eval
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.models.huggingface import HFLM

    def load_dataset(path, name=None, **_):
        splits = rows_of(pathlib.Path(args.data), path, name)
        return datasets.DatasetDict({split: datasets.Dataset.from_list(rows) for split, rows in splits.items() if rows})

    datasets.load_dataset = load_dataset
    tasks = [ConfigurableTask(config=task) if isinstance(task, dict) else task for task in tasks]
    tracker = EvaluationTracker(output_path=str(folder))
    lm = HFLM(pretrained=str(model), device="cpu", dtype=args.dtype, batch_size=8)
    results = lm_eval.simple_evaluate(model=lm, model_args="pretrained=theirs", tasks=tasks, num_fewshot=args.fewshot, limit=args.limit,
                                      log_samples=True, bootstrap_iters=args.bootstrap, evaluation_tracker=tracker)
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for task in results["configs"]:
        tracker.save_results_samples(task_name=task, samples=samples[task])


def run_ours(model, tasks, args, folder):
    command = [args.program, "score", str(model), "--task", ",".join(tasks), "--data", args.data, "--harness", str(folder), "--device", "cpu", "--quiet",
               "--dtype", {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}[args.dtype], "--log-softmax", "model", "--limit", str(args.limit)]
    if args.fewshot is not None:
        command += ["--fewshot", str(args.fewshot)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"headscope-cli ended with {done.returncode}: {done.stderr.strip()}")


def only(folder, pattern):
    found = sorted(pathlib.Path(folder).rglob(pattern))
    if len(found) != 1:
        sys.exit(f"{folder}: {len(found)} files {pattern}, expected one")
    return found[0]


def compare_results(ours, theirs, tolerance):
    """Faults, and how many numbers were compared."""
    faults, count = [], 0
    for section in ("results", "groups"):
        for task, entry in theirs.get(section, {}).items():
            for key, value in entry.items():
                if key == "alias" or value == " ":
                    continue
                mine = ours[section].get(task, {}).get(key)
                count += 1
                same = mine == value if isinstance(value, str) or isinstance(mine, (str, type(None))) else abs(mine - value) <= tolerance * max(1, abs(value))
                if not same:
                    faults.append(f"{section} {task} {key}: {mine}, expected {value}")
    for section in ("versions", "n-shot", "n-samples", "higher_is_better"):
        for task, value in theirs.get(section, {}).items():
            count += 1
            mine = ours[section].get(task)
            if mine != value and str(mine) != str(value):
                faults.append(f"{section} {task}: {mine}, expected {value}")
    faults += [f"the results file lacks '{key}'" for key in theirs if key not in ours and key not in OF_PYTHON]
    return faults, count


def compare(model, tasks, args, work):
    run_harness(model, tasks, args, work / "theirs")
    run_ours(model, tasks, args, work / "ours")
    return compare_files(model, args, work)


def compare_files(model, args, work):
    """Faults between the files in WORK/ours and WORK/theirs."""
    theirs = json.loads(only(work / "theirs", "results_*.json").read_text(encoding="utf-8"))
    ours = json.loads(only(work / "ours", "results_*.json").read_text(encoding="utf-8"))
    faults, numbers = compare_results(ours, theirs, args.tolerance)
    rows, largest, mean = 0, 0.0, []
    for task in theirs["configs"]:
        pair = [str(only(work / side, f"samples_{task.replace(':', '*')}_*.jsonl")) for side in ("ours", "theirs")]
        done = subprocess.run([args.program, "compare-samples", *pair, "--tolerance", str(args.tolerance), "--json", "--quiet"], capture_output=True, text=True)
        told = json.loads(done.stdout)
        rows += told["matched"]
        largest = max(largest, told["largest_difference"])
        mean.append(told["mean_difference"])
        if done.returncode != 0 or told["only_first"] or told["only_second"]:
            faults.append(f"samples of {task}: {json.dumps({**told, 'rows': told['rows'][:2]})}")
    print(f"{pathlib.Path(model).name} {args.dtype}: {numbers} numbers of the results file, {rows} rows, largest difference of a log-likelihood "
          f"{largest:.3g}, mean {sum(mean) / max(1, len(mean)):.3g}, {len(faults)} faults")
    for fault in faults[:args.show]:
        print("  FAULT " + fault)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--tasks", required=True)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--fewshot", type=int)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--positions", type=int, default=2048, help="of the made models; few of them test truncation")
    parser.add_argument("--bootstrap", type=int, default=100000)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--show", type=int, default=20, help="faults to print")
    args = parser.parse_args()
    failed = False
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            path = pathlib.Path(model)
            if path.is_file():
                made = folder / path.parent.name
                make_model(path, made, 1, args.positions)
                path = made
            failed = bool(compare(path, args.tasks.split(","), args, folder)) or failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
