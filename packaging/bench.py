#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the workloads of the performance yardstick through headscope-cli and prints the table of ratios.

    packaging/bench.py --cli build/release/app/headscope-cli --models DIR --requests DIR [--only kv-click,maps] [--model T,S]
                       [--threads 1] [--clicks 0] [--items 0 | --short] [--peers results.jsonl] [--out ours.jsonl]
                       [--yardstick DIR --python PY]

DIR/<model> holds a checkpoint, DIR/<model>/<workload>.json a request file (format headscope-bench-request/1). CPU seconds
are compared, because they stay steady on a machine that does other things too. A peer is a line of --peers for the same
workload, model, type and length, measured on the same requests; without one the table shows the figure that was measured
on the yardstick machine with one thread before this program existed, marked "stored": a ratio between two occasions.
With --yardstick (the folder of peers.py, side_by_side.py and theory.py) and a Python that can run it, the peer runs before each
of our runs on the same requests: then the ratio is of one occasion, the answers are compared, and the operations that the
answers need are set against the best matrix product that the peer saw. --short takes a few items of each large request.
race and estimate have our own exact sweep as their peer, timed in the same run.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# CPU seconds of the best peer, one thread, fp32 (decode, prefill: seconds for 128 and 4096 tokens).
STORED = {
    ("kv-click", "T"): 0.53, ("kv-click", "S"): 15.0, ("kv-click", "G"): 48, ("kv-click", "K"): 74, ("kv-click", "M"): 98,
    ("kv-sweep", "T"): 16.9, ("kv-sweep", "S"): 1030,
    ("mc-letter", "T"): 2.9, ("mc-letter", "S"): 50, ("mc-letter", "G"): 163, ("mc-letter", "K"): 222, ("mc-letter", "M"): 452,
    ("mc-text", "T"): 3.7, ("mc-text", "S"): 55, ("mc-text", "G"): 182, ("mc-text", "K"): 223, ("mc-text", "M"): 1100,
    ("maps", "T", 512): 0.061, ("maps", "T", 4096): 6.9, ("maps", "S", 128): 0.10, ("maps", "S", 512): 0.41, ("maps", "S", 1024): 1.42,
    ("maps", "S", 2048): 6.0, ("maps", "S", 4096): 22.8, ("maps", "G", 512): 1.27, ("maps", "G", 2048): 16.0, ("maps", "K", 512): 1.76,
    ("maps", "K", 2048): 26.8,
    ("prefill", "T"): 4096 / 21400, ("prefill", "S"): 4096 / 1370, ("prefill", "G"): 4096 / 358, ("prefill", "K"): 4096 / 331,
    ("prefill", "M"): 4096 / 218,
    ("decode", "T"): 128 / 620, ("decode", "S"): 128 / 86, ("decode", "G"): 128 / 24, ("decode", "K"): 128 / 32, ("decode", "M"): 128 / 13,
    ("startup", "T"): 4.2,
}
# What is to be reached, as peer / ours.
WANTED = {
    ("kv-click", "T"): 5, ("kv-click", "S"): 2.7, ("kv-click", "G"): 2.7, ("kv-click", "K"): 2.3, ("kv-click", "M"): 4, ("kv-sweep", "T"): 5,
    ("kv-sweep", "S"): 2.7, ("mc-letter", "T"): 11, ("mc-letter", "S"): 11, ("mc-letter", "G"): 11, ("mc-letter", "K"): 11, ("mc-letter", "M"): 22,
    ("mc-text", "T"): 6, ("mc-text", "S"): 2.4, ("mc-text", "G"): 2.4, ("mc-text", "K"): 2.4, ("mc-text", "M"): 14, ("prefill", "S"): 1.05,
    ("prefill", "G"): 1.05, ("prefill", "K"): 1.05, ("prefill", "M"): 2, ("decode", "S"): 0.95, ("decode", "K"): 0.95, ("startup", "T"): 8.4,
    ("race", "T"): 8, ("race", "S"): 8, ("estimate", "T"): 100, ("estimate", "S"): 100,
}
# The best peer of each workload, and how it is run: one cut costs it as much as any other.
PEER = {"kv-click": ("hf-smart", "--clicks", "1"), "kv-sweep": ("hf-smart", "--heads", "2"), "mc-letter": ("hf-smart", "--clicks", "1", "--batch", "2"),
        "mc-text": ("hf-smart", "--clicks", "1", "--batch", "1"), "maps": ("hf-eager",), "prefill": ("hf", "--repeat", "1"), "decode": ("hf", "--repeat", "1"),
        "startup": ("hf", "--repeat", "1")}
# --short: items of a request; what is not named here is run whole.
SHORT = {("kv-click", "S"): 24, ("kv-click", "G"): 8, ("kv-click", "K"): 8, ("kv-click", "M"): 8, ("kv-sweep", "S"): 8, ("mc-letter", "T"): 20, ("mc-text", "T"): 10,
         ("mc-letter", "S"): 10, ("mc-text", "S"): 4, ("mc-letter", "G"): 4, ("mc-text", "G"): 2, ("mc-letter", "K"): 4, ("mc-text", "K"): 2, ("mc-letter", "M"): 2,
         ("mc-text", "M"): 1}
LENGTHS = (128, 512, 1024, 2048, 4096)
OWN = ("race", "estimate")  # read the request of kv-sweep
WORKLOADS = ("kv-click", "kv-sweep", "mc-letter", "mc-text", "maps", "prefill", "decode", "startup") + OWN


def jobs(args):
    for workload in WORKLOADS:
        for model in args.model.split(","):
            if args.only and workload not in args.only.split(","):
                continue
            if (workload in ("kv-sweep",) + OWN and model not in "TS") or (workload == "startup" and model != "T") or (workload == "maps" and model == "M"):
                continue
            extra = {"kv-sweep": ["--heads", "4"] if model == "S" else [], "race": ["--work", "0.12"]}.get(workload, [])
            if args.clicks and workload in ("kv-click", "mc-letter", "mc-text"):
                extra = ["--clicks", str(args.clicks)]
            for length in LENGTHS if workload == "maps" else (None,):
                if length and model in "GK" and length > 2048:
                    continue  # the maps alone would take 9 GB and more
                yield workload, model, length, extra + (["--length", str(length)] if length else [])


def request(args, workload, model, folder):
    """The request file, cut down where that is asked for."""
    workload = "kv-sweep" if workload in OWN else workload
    path = os.path.join(args.requests, model, workload + ".json")
    items = args.items or (SHORT.get((workload, model), 0) if args.short else 0)
    if not items:
        return path
    with open(path, encoding="utf-8") as whole:
        body = json.load(whole)
    if "items" not in body:
        return path
    body["items"] = body["items"][:items]
    path = os.path.join(folder, f"{workload}-{model}.json")
    with open(path, "w", encoding="utf-8") as part:
        json.dump(body, part)
    return path


class Yardstick:
    """The peers' scripts, where they are."""

    def __init__(self, args, folder):
        self.args, self.answers = args, os.path.join(folder, "answers.json")
        sys.path.insert(0, args.yardstick)
        import side_by_side
        import theory
        self.equal, self.theory = side_by_side.equal, theory

    def run(self, workload, model, path, extra):
        """The peer's line and its answers; None where there are none."""
        if os.path.exists(self.answers):
            os.remove(self.answers)
        name, *own = PEER[workload]
        own += ["--chunk", "64"] * (model == "M" and workload != "decode")
        own += ["--batch", "8"] * (workload in ("kv-click", "kv-sweep") and model in "GKM")
        extra = extra if workload == "maps" else []
        command = [self.args.python, os.path.join(self.args.yardstick, "peers.py"), workload, "--peer", name, "--model", os.path.join(self.args.models, model),
                   "--requests", path, "--threads", str(self.args.threads), "--dtype", self.args.dtype, "--answers", self.answers]
        done = subprocess.run(command + own + extra, capture_output=True, text=True)
        lines = [text for text in done.stdout.splitlines() if text.startswith("{")]
        if done.returncode or not lines:
            print(f"{workload} {model}: the peer failed: {(done.stderr or done.stdout).strip()[-200:]}", file=sys.stderr)
            return None, None
        answers = None
        if os.path.exists(self.answers):
            with open(self.answers, encoding="utf-8") as file:
                answers = json.load(file)
        return json.loads(lines[-1]), answers

    def operations(self, workload, model, path):
        """Fewest operations that give the answers, per click; for kv-sweep of all heads; 0: not counted."""
        with open(path, encoding="utf-8") as file:
            body = json.load(file)
        shape = self.theory.Shape(os.path.join(self.args.models, model))
        if workload == "prefill":
            return 8 * sum(shape.L * shape.row(t) for t in range(512)) + 8 * shape.head_rows
        if "items" not in body:
            return 0
        counted = self.theory.count(shape, body["items"])
        if workload == "kv-sweep":
            return counted["resume"] * shape.L * shape.H
        layers = [cut["layer"] for cut in body["ablations"]][:self.args.clicks or None]
        return sum(counted["resume_by_layer"][layer] for layer in layers) / len(layers)


def run(args, workload, model, path, extra):
    command = [args.cli, "bench", workload, "--model", os.path.join(args.models, model), "--requests", path, "--threads", str(args.threads), "--dtype", args.dtype, "--json", "--quiet"]
    done = subprocess.run(command + extra, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{workload} {model}: {done.stderr.strip() or 'exit status ' + str(done.returncode)}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def seconds(line):
    spread = line["cpu_seconds"]
    return spread.get("mean", spread["median"])


def peers(path):
    best = {}
    for text in open(path, encoding="utf-8"):
        line = json.loads(text)
        if line["peer"] == "headscope":
            continue
        key = (line["workload"], line["model"], line["dtype"], line.get("length"))
        if key not in best or seconds(line) < best[key][0]:
            best[key] = (seconds(line), line["peer"])
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--requests", required=True)
    parser.add_argument("--only", default="", help="workloads, comma separated")
    parser.add_argument("--model", default="T,S,G,K,M", help="models, comma separated")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", default="fp32")
    parser.add_argument("--clicks", type=int, default=0, help="only the first so many cuts; 0: all")
    parser.add_argument("--items", type=int, default=0, help="only the first so many items of a request; 0: all")
    parser.add_argument("--short", action="store_true", help="a few items of each large request")
    parser.add_argument("--yardstick", help="folder of the peers' scripts; the peer then runs before each of our runs")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs them")
    parser.add_argument("--peers", help="lines of peers that were measured on the same requests")
    parser.add_argument("--out", help="file that gets our lines, without the answers")
    args = parser.parse_args()
    if args.yardstick:
        sys.setrecursionlimit(100000)  # the yardstick walks tries of tokens
    measured = peers(args.peers) if args.peers else {}
    with tempfile.TemporaryDirectory() as folder:
        return table(args, measured, Yardstick(args, folder) if args.yardstick else None, folder)


def table(args, measured, yardstick, folder):
    failed = 0
    print("| workload | model | ours, CPU s | wall s | peak MB | peer, CPU s | peer | peer / ours | wanted | met | answers | GFLOP/s | of best product |\n" + "|---" * 13 + "|",
          flush=True)
    for workload, model, length, extra in jobs(args):
        path = request(args, workload, model, folder)
        theirs, expected = yardstick.run(workload, model, path, extra) if yardstick and workload not in OWN else (None, None)
        line = run(args, workload, model, path, extra)
        if line is None:
            failed += 1
            continue
        words = ""
        if expected and args.dtype == "fp32":
            same, words = yardstick.equal(workload, expected, line["answers"])
            failed += not same
        line.pop("answers", None)
        if workload == "race":
            words = f"{line['same_top']} of {line['top']} the same, {line['certain']} certain"
        elif workload == "estimate":
            words = f"rank correlation {line['spearman_margin']:.2f}"
        if args.out:
            with open(args.out, "a", encoding="utf-8") as out:
                for kept in filter(None, (theirs, line)):
                    out.write(json.dumps(kept) + "\n")
        ours = seconds(line)
        other, name = measured.get((workload, model, args.dtype, length), (None, ""))
        if theirs:
            other, name = seconds(theirs), theirs["peer"]
        elif workload in OWN:
            other, name = line["exact_cpu_seconds"], "exact"
        whole = not (args.items or args.short and (workload, model) in SHORT)
        if other is None and args.dtype == "fp32" and whole:
            other, name = STORED.get((workload, model, length) if length else (workload, model)), "stored"
        ratio = f"{other / ours:.2f}" if other else "-"
        want = WANTED.get((workload, model), 3 if workload == "maps" and length >= 2048 else "")
        met = "" if not want or not other else "yes" if other / ours >= want else "no"
        rate = yardstick.operations(workload, model, path) / ours / 1e9 if yardstick and workload not in OWN else 0
        probe = max(theirs.get("probe_gflops_per_s") or [0]) if theirs else 0
        print(f"| {workload}{f' T={length}' if length else ''} | {model} | {ours:.3g} | {line['seconds']['median']:.3g} | {line['peak_rss_mb']} | "
              f"{f'{other:.3g}' if other else '-'} | {name if other else ''} | {ratio} | {want} | {met} | {words} | {f'{rate:.0f}' if rate else '-'} | "
              f"{f'{100 * rate / probe:.0f} %' if rate and probe else '-'} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
