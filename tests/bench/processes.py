#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much faster several processes rank heads through one session than one process does.

    processes.py CLI [--model small-transformer] [--task toy_kv] [--limit 300] [--most 4] [--rounds 3]

In each round one process without a session, and 1, 2 ... processes with a session of their own, rank all heads, one kind of run after the other.
Every process must print the same heads. Wall time, the start of the program included, of the best round; and the processor seconds of the process that
used most, which on a quiet machine with a processor for each is the same time: that is what to look at where others use the machine. At the
end, what a process costs that finds everything done: it starts, opens the model, draws and reads the texts, finds results, and prints.

A process uses one thread; with --together each kind of run uses all processors, as processes divide them that are not told.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time


def rank(args, processes, session):
    """Seconds until all processes have ended, the most processor seconds of one, those of all, and the heads that all of them printed."""
    command = [args.cli, "rank", args.model, "--task", args.task, "--limit", str(args.limit), "--json", "--quiet"]
    command += ([] if args.together else ["--threads", "1"]) + (["--session", session] if session else [])
    begun = time.perf_counter()
    outputs = [tempfile.TemporaryFile("w+") for _ in range(processes)]
    running = [subprocess.Popen(command, stdout=output) for output in outputs]
    used = []
    for one in running:
        _, one.returncode, usage = os.wait4(one.pid, 0)
        used.append(usage.ru_utime + usage.ru_stime)
        if one.returncode:
            sys.exit("A process failed.")
    seconds = time.perf_counter() - begun
    heads = []
    for output in outputs:
        with output:
            output.seek(0)
            heads.append(json.load(output)["heads"])
    if any(one != heads[0] for one in heads):
        sys.exit("The processes printed different heads.")
    return seconds, max(used), sum(used), heads[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", default="small-transformer")
    parser.add_argument("--task", default="toy_kv")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--most", type=int, default=4, help="processes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--together", action="store_true", help="do not say how many threads a process uses")
    args = parser.parse_args()
    kinds = [0, *range(1, args.most + 1)]  # 0: one process without a session
    measured = {kind: [] for kind in [*kinds, "again"]}
    expected = None
    for _ in range(args.rounds):
        for kind in kinds:
            with tempfile.TemporaryDirectory() as folder:
                session = os.path.join(folder, "s.headscope") if kind else None
                *figures, heads = rank(args, max(kind, 1), session)
                measured[kind].append(figures)
                if kind == 1:
                    measured["again"].append(rank(args, 1, session)[:3])
            expected = expected or heads
            if heads != expected:
                sys.exit(f"{kind} processes printed other heads than one process without a session.")
    best = {kind: [min(figures) for figures in zip(*rounds)] for kind, rounds in measured.items()}
    alone = best[0]
    print(f"{args.model}, {args.task}, {args.limit} examples; best of {args.rounds} rounds; one process without a session: {alone[0]:.2f} s, "
          f"{alone[1]:.2f} s of a processor")
    for kind in kinds[1:]:
        seconds, most, together = best[kind]
        print(f"{kind} with a session: {seconds:6.2f} s, {alone[0] / seconds:.2f} times as fast; {most:6.2f} s of a processor at the most, {alone[1] / most:.2f} times; "
              f"{together:.2f} s of all")
    print(f"A process that finds everything done: {best['again'][1]:.2f} s of a processor")


if __name__ == "__main__":
    main()
