#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare headscope-cli's scores, row by row, with those of lm-evaluation-harness. A developer's tool.

The program and its tests do not need it. In a virtual environment with
`pip install torch==2.11.0 transformers==4.49.0 lm_eval==0.4.7`:

    python tests/reference/compare_harness.py build/release/app/headscope-cli DATA REQUESTS [--tokenizer FOLDER_OR_FILE]...
                                    [--model FOLDER]... [--generate N] [--rows N] [--tolerance 1e-4]

DATA is the data folder. REQUESTS is a file of requests (task, file, row, context, continuations, gold) as printed by
`headscope-cli requests`; it names the rows that both sides score. Each --tokenizer (a tokenizer.json) gets a small
Llama of seeded random weights, scaled up so that its answers differ strongly, saved as a model folder; --model takes
folders that are there. The harness's own HFLM answers loglikelihood requests and, for the first N rows of each
generated task, generate_until. Compared are, by row: the log-likelihood of every continuation, whether it is the
greedy one, the prediction by acc and acc_norm, and the generated text. The exit status is 1 after any difference.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

SHOTS = re.compile(r"num_fewshot=(\d+)")


def make_model(tokenizer_file, folder, seed, positions):
    """A Llama of two layers over the tokenizer's ids; weights ten times the usual spread make sharp answers."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    tokens = json.loads(pathlib.Path(tokenizer_file).read_text(encoding="utf-8")).get("added_tokens", [])
    named = [token["content"] for token in tokens]
    begin = next((t for t in named if "begin" in t or t in ("<s>", "<bos>")), None)
    end = next((t for t in named if "end_of_text" in t or t in ("<|endoftext|>", "</s>", "<eos>")), None)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(tokenizer_file), bos_token=begin, eos_token=end or begin,
                                        clean_up_tokenization_spaces=False)
    torch.manual_seed(seed)
    config = LlamaConfig(vocab_size=len(tokenizer), hidden_size=64, intermediate_size=160, num_hidden_layers=2,
                         num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=positions,
                         initializer_range=0.2, tie_word_embeddings=False, bos_token_id=tokenizer.bos_token_id,
                         eos_token_id=tokenizer.eos_token_id, torch_dtype="float32")
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def read_requests(path, rows, generate):
    """Requests by (task, shots), the first rows of each; generated tasks shorter."""
    groups = collections.OrderedDict()
    for line in pathlib.Path(path).read_text(encoding="utf-8").split("\n"):
        if not line:
            continue
        request = json.loads(line)
        shots = SHOTS.search(request["task"])
        key = request["task"].split()[0], int(shots.group(1)) if shots else None
        groups.setdefault(key, []).append(request)
    for key, requests in groups.items():
        generated = not requests[0].get("continuations")
        groups[key] = requests[:generate if generated else rows]
    return collections.OrderedDict((key, requests) for key, requests in groups.items() if requests)


def score(program, model, data, key, requests, folder):
    """headscope-cli's rows of one task, by (file, row)."""
    task, shots = key
    samples = pathlib.Path(folder) / "samples.jsonl"
    command = [program, "score", str(model), "--task", task, "--data", str(data), "--samples", str(samples), "--device", "cpu",
               "--dtype", "fp32", "--limit", str(max(request["row"] for request in requests) + 1), "--quiet", "--json"]
    if shots is not None:
        command += ["--fewshot", str(shots)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{task}: headscope-cli ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    lines = [json.loads(line) for line in samples.read_text(encoding="utf-8").split("\n") if line]
    return {(line["file"], line["row"]): line for line in lines}


def first_largest(values):
    return max(range(len(values)), key=lambda i: (values[i], -i))


class Table:
    """What was compared, and what differed."""

    def __init__(self, tolerance):
        self.tolerance = tolerance
        self.rows = collections.Counter()
        self.values = 0
        self.largest = collections.defaultdict(float)
        self.faults = []

    def fault(self, key, request, text):
        self.faults.append(f"{key[0]} shots={key[1]} {request['file']}:{request['row']}: {text}")

    def choices(self, key, request, ours, theirs):
        self.rows[key] += 1
        values = [value for value, _ in theirs]
        found = ours["log_likelihoods"]
        if ours.get("rejected") or len(found) != len(values):
            return self.fault(key, request, ours.get("rejected") or f"{len(found)} log-likelihoods, expected {len(values)}")
        for i, (mine, value) in enumerate(zip(found, values)):
            self.values += 1
            off = abs(mine - value)
            self.largest[key] = max(self.largest[key], off)
            if not off <= self.tolerance:
                self.fault(key, request, f"choice {i} has {mine}, expected {value}")
        if "greedy" in ours and ours["greedy"] != theirs[0][1]:
            self.fault(key, request, f"greedy {ours['greedy']}, expected {theirs[0][1]}")
        if len(values) > 1:
            best = first_largest(values)
            lengths = request.get("norm_lengths") or [0]
            if ours["prediction"] != best:
                self.fault(key, request, f"prediction {ours['prediction']}, expected {best}")
            if "acc" in ours and float(ours["acc"]) != float(best == request["gold"]):
                self.fault(key, request, f"acc {ours['acc']}, expected {float(best == request['gold'])}")
            normed = first_largest([value / length for value, length in zip(values, lengths)]) if all(lengths) else None
            if "acc_norm" in ours and float(ours["acc_norm"]) != float(normed == request["gold"]):
                self.fault(key, request, f"acc_norm {ours['acc_norm']}, expected {float(normed == request['gold'])}")

    def text(self, key, request, ours, theirs):
        self.rows[key] += 1
        if ours.get("generated") != theirs:
            self.fault(key, request, f"generated {ours.get('generated')!r} ({ours.get('rejected', '')}), expected {theirs!r}")


def harness_model(folder):
    from lm_eval.models.huggingface import HFLM
    return HFLM(pretrained=str(folder), device="cpu", dtype="float32", batch_size=4)


def ask(lm, requests):
    """HFLM's answers: lists of (log-likelihood, greedy), or texts."""
    from lm_eval.api.instance import Instance
    if not requests[0].get("continuations"):
        asked = [Instance("generate_until", {}, (r["context"], settings_of(r)), i) for i, r in enumerate(requests)]
        return lm.generate_until(asked, disable_tqdm=True)
    asked = []
    for request in requests:
        contexts = request.get("contexts") or [request["context"]] * len(request["continuations"])
        asked += [Instance("loglikelihood", {}, pair, 0) for pair in zip(contexts, request["continuations"])]
    flat = iter(lm.loglikelihood(asked, disable_tqdm=True))
    return [[next(flat) for _ in request["continuations"]] for request in requests]


def settings_of(request):
    given = dict(request.get("gen_kwargs") or {})
    settings = {"until": given.get("until") or request.get("until") or [], "do_sample": False, "temperature": 0.0}
    most = given.get("max_gen_toks") or request.get("max_gen_toks")
    if most:
        settings["max_gen_toks"] = most
    return settings


def compare(program, model, data, groups, table):
    lm = harness_model(model)
    with tempfile.TemporaryDirectory() as folder:
        for key, requests in groups.items():
            ours = score(program, model, data, key, requests, folder)
            for request, theirs in zip(requests, ask(lm, requests)):
                mine = ours.get((request["file"], request["row"]))
                if mine is None:
                    table.fault(key, request, "headscope-cli has no such row")
                elif request.get("continuations"):
                    table.choices(key, request, mine, theirs)
                else:
                    table.text(key, request, mine, theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("requests")
    parser.add_argument("--tokenizer", action="append", default=[])
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--positions", type=int, default=2048, help="of the made models; few of them test truncation")
    parser.add_argument("--rows", type=int, default=10 ** 9)
    parser.add_argument("--generate", type=int, default=1)
    parser.add_argument("--only", default="", help="a regular expression on task names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    arguments = parser.parse_args()
    groups = read_requests(arguments.requests, arguments.rows, arguments.generate)
    groups = {key: requests for key, requests in groups.items() if re.search(arguments.only, key[0])}
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        models = list(arguments.model)
        for number, tokenizer in enumerate(arguments.tokenizer):
            file = pathlib.Path(tokenizer)
            made = pathlib.Path(folder) / f"{number}-{file.parent.name if file.is_file() else file.name}"
            make_model(file if file.is_file() else file / "tokenizer.json", made, arguments.seed, arguments.positions)
            models.append(made)
        for model in models:
            table = Table(arguments.tolerance)
            compare(arguments.program, model, arguments.data, groups, table)
            print(f"{pathlib.Path(model).name}: {sum(table.rows.values())} rows, {table.values} log-likelihoods, "
                  f"largest difference {max(table.largest.values(), default=0):.3g}, {len(table.faults)} faults")
            for key, rows in table.rows.items():
                print(f"  {key[0]:45s} shots {'-' if key[1] is None else key[1]}  rows {rows:3d}  {table.largest.get(key, math.nan):.3g}")
            for fault in table.faults[:40]:
                print("  FAULT " + fault)
            failed = failed or bool(table.faults) or not table.rows
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
