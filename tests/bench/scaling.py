#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the simulation of `headscope-cli bench scaling` against real runs of several processes on this machine.

    scaling.py CLI [--model small-transformer] [--task toy_kv] [--limit 300] [--most 6] [--rounds 3] [--cores N]

One process ranks few heads and all heads; what that takes is the baseline, and a head; what comes before is a process's start. As many
processes as there are cores, and twice as many, that each rank for themselves, say what cores take from each other. From this the simulation
says what 1 to 6 processes take on so many cores, and real processes (RANK, WORLD_SIZE) say what they took, in turns over several rounds. Wall
time: run it on a quiet machine.
"""
import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def seconds_of(args, environments, heads=()):
    """Seconds of wall time until a ranking in each environment has ended, and what the first one told."""
    command = [args.cli, "rank", args.model, "--task", args.task, "--limit", str(args.limit), "--method", "exact", "--threads", "1", "--json", "--quiet"]
    command += [word for head in heads for word in ("--heads", head)]
    begun = time.perf_counter()
    running = [subprocess.Popen(command, env=one, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for one in environments]
    ended = [one.communicate() for one in running]
    seconds = time.perf_counter() - begun
    for one, (_, fault) in zip(running, ended):
        if one.returncode:
            sys.exit(fault.strip())
    return seconds, json.loads(ended[0][0])


def ranking(args, size):
    """So many processes share one ranking."""
    common = dict(os.environ, WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()), HEADSCOPE_SECRET="of this check alone")
    return seconds_of(args, [dict(common, RANK=str(rank)) for rank in range(size)])


def heads_side_by_side(args, size, few):
    """Seconds in which each of so many processes ranks, for itself, the heads that are not among a few."""
    return seconds_of(args, [os.environ] * size)[0] - seconds_of(args, [os.environ] * size, few)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("--model", default="small-transformer")
    parser.add_argument("--task", default="toy_kv")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--most", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batches", type=int, default=16, help="in which the examples run: in no more portions can they be cut")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    args = parser.parse_args()
    seconds, whole = ranking(args, 1)
    start = seconds - whole["seconds"]
    few = [f"L{layer}H0" for layer in sorted({int(head["head"][1:].split("H")[0]) for head in whole["heads"]})]
    part, beside, real, told = [], {1: [], 2: []}, {size: [] for size in range(1, args.most + 1)}, {}
    for _ in range(args.rounds):
        part.append(seconds_of(args, [os.environ], few)[0])
        for turns, seconds in beside.items():
            seconds.append(heads_side_by_side(args, turns * args.cores, few) / turns)
        for size in real:
            seconds, told[size] = ranking(args, size)
            real[size].append(seconds)
    same = all(one["heads"] == whole["heads"] for one in told.values())
    heads, least = len(whole["heads"]), [statistics.median(part), statistics.median(real[1])]
    head = (least[1] - least[0]) / (heads - len(few))
    busy, shared = (max(statistics.median(seconds) / (least[1] - least[0]), 1.0) for seconds in beside.values())
    costs = {"name": f"{args.model}, {args.task}", "heads": heads, "start": start, "baseline": max(least[1] - start - heads * head, 0.0), "head": head,
             "batches": args.batches, "busy": busy, "shared": shared}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(costs, file)
        file.flush()
        line = json.loads(subprocess.check_output([args.cli, "bench", "scaling", "--costs", file.name, "--cores", str(args.cores), "--quiet"]))
    simulated = {row["processes"]: row for row in line["works"][0]["processes"]}
    print(f"{costs['name']}: {heads} heads of {head:.3g} s, start {start:.3g} s, baseline {costs['baseline']:.3g} s; "
          f"{args.cores} cores: heads take {busy:.3f} times as long beside others, {shared:.3f} in turns; a message {1e6 * line['works'][0]['costs']['serve']:.0f} us")
    print("\n| processes | real s (lowest to highest) | gain | simulated s | gain | simulated / real | chunks of each |\n" + "|---" * 7 + "|")
    for size, seconds in real.items():
        median, row = statistics.median(seconds), simulated[size]
        chunks = told[size].get("chunks_of_processes", [])
        print(f"| {size} | {median:.2f} ({min(seconds):.2f} to {max(seconds):.2f}) | {least[1] / median:.2f} | {row['seconds']:.2f} | "
              f"{simulated[1]['seconds'] / row['seconds']:.2f} | {row['seconds'] / median:.2f} | {chunks} |")
    print("\nthe heads of all runs are the same" if same else "\nthe heads DIFFER between runs")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
