#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much faster several processes rank heads through one session than one process does.

    processes.py CLI [--model small-transformer] [--task toy_kv] [--limit 300] [--most 4] [--rounds 3]

In each round one process without a session, and 1, 2 ... processes with a session of their own, rank all heads, one kind of run after the other.
Wall time, the start of the program included; the median over the rounds counts. Each run must print the same heads. A process uses one
thread. Run it on a quiet machine.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def rank(args, processes, session):
    """Seconds until all processes have ended, and the heads that all of them printed."""
    command = [args.cli, "rank", args.model, "--task", args.task, "--limit", str(args.limit), "--threads", "1", "--json", "--quiet"]
    command += ["--session", session] if session else []
    begun = time.perf_counter()
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(processes)]
    ended = [one.communicate() for one in running]
    seconds = time.perf_counter() - begun
    for one, (_, fault) in zip(running, ended):
        if one.returncode:
            sys.exit(fault.strip())
    heads = [json.loads(out)["heads"] for out, _ in ended]
    if any(one != heads[0] for one in heads):
        sys.exit("The processes printed different heads.")
    return seconds, heads[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", default="small-transformer")
    parser.add_argument("--task", default="toy_kv")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--most", type=int, default=4, help="processes")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    kinds = [0, *range(1, args.most + 1)]  # 0: one process without a session
    seconds = {kind: [] for kind in kinds}
    expected = None
    for _ in range(args.rounds):
        for kind in kinds:
            with tempfile.TemporaryDirectory() as folder:
                took, heads = rank(args, max(kind, 1), os.path.join(folder, "s.headscope") if kind else None)
            seconds[kind].append(took)
            expected = expected or heads
            if heads != expected:
                sys.exit(f"{kind} processes printed other heads than one process without a session.")
    alone = statistics.median(seconds[0])
    print(f"{args.model}, {args.task}, {args.limit} examples; median of {args.rounds} rounds; one process without a session: {alone:.2f} s")
    for kind in kinds[1:]:
        median = statistics.median(seconds[kind])
        print(f"{kind} with a session: {median:6.2f} s, {alone / median:.2f} times as fast")


if __name__ == "__main__":
    main()
