#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the strings and token ids of every golden request with the reference's tokenizers. A developer's tool.

The program and its tests do not need it. In a virtual environment with `pip install tokenizers`:

    python tests/reference/compare_requests.py build/release/app/headscope-cli DATA FOLDER...

DATA holds golden/requests.jsonl and the data sets it was made of; each FOLDER a tokenizer.json. The ids expected are those
that lm-evaluation-harness makes: spaces at the context's end go to the continuation, whose ids are what encoding both
together adds to the ids of the context. Exit status 1 on any difference.
"""
import json
import os
import re
import subprocess
import sys

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def printed(cli, data, folder, task, shots):
    """The requests of a task by (file, row), as the program prints them."""
    command = [cli, "requests", "--task", task, "--data", data, "--model", folder, *(["--fewshot", shots] if shots else [])]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    rows = (json.loads(line) for line in done.stdout.split("\n") if line)
    return {(row["file"], row["row"]): row for row in rows}


def expected_tokens(tokenizer, request):
    """[(context ids, continuation ids)], one a continuation; without continuations the context alone."""
    encode = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    continuations = request.get("continuations")
    contexts = request.get("contexts") or [request["context"]] * len(continuations or [None])
    if not continuations:
        return [(encode(contexts[0]), None)]
    pairs = []
    for context, continuation in zip(contexts, continuations):
        kept = context.rstrip()
        head = encode(kept)
        pairs.append((head, encode(context + continuation)[len(head):]))
    return pairs


def compare(cli, data, folder, requests):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    known, pairs, wrong = {}, 0, 0
    for request in requests:
        task = request["task"].split(" ")[0]
        shots = re.search(r"num_fewshot=(\d+)", request["task"])
        key = (task, shots.group(1) if shots else None)
        if key not in known:
            known[key] = printed(cli, data, folder, *key)
        ours = known[key].get((request["file"], request["row"]))
        strings = {name: value for name, value in request.items() if name != "task"}
        if ours is None or any(ours.get(name) != value for name, value in strings.items()):
            wrong += 1
            print(f"{folder}: {request['task']} row {request['row']}: other strings")
            continue
        got = [(row["context"], row.get("continuation")) for row in ours["tokens"]]
        expected = expected_tokens(tokenizer, request)
        pairs += len(expected)
        if got != expected:
            wrong += 1
            print(f"{folder}: {request['task']} row {request['row']}:\n  ours      {got}\n  reference {expected}")
    print(f"{folder}: {len(requests)} requests, {pairs} pairs of context and continuation, {wrong} different")
    return wrong


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    cli, data, *folders = sys.argv[1:]
    with open(os.path.join(data, "golden", "requests.jsonl"), encoding="utf-8") as file:
        requests = [json.loads(line) for line in file]
    sys.exit(1 if sum(compare(cli, data, folder, requests) for folder in folders) else 0)


if __name__ == "__main__":
    main()
