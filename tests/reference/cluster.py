#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks heads on a Ray cluster of three nodes on this machine while things go wrong, and compares with one process.

    python3 tests/reference/cluster.py build/release/app/headscope-cli [--model M] [--task T] [--limit N] [--parts N]

Needs a virtual environment with ray. During the ranking a worker is killed, a node is removed and a part fails twice;
the answer and every stored result must be those of one process, bit for bit. Afterwards
each thing that a cluster can lack has to end in one sentence. The exit status is 1 where anything differs.
"""
import argparse
import contextlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

os.environ.update(RAY_raylet_start_wait_time_s="120", RAY_agent_register_timeout_ms="120000")  # of a busy machine
OUT = sys.stdout
sys.stdout = sys.stderr  # Ray reports dead workers and nodes there
import ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging" / "python"))
from headscope_cluster import Failed, Study, run  # noqa: E402
from headscope_cluster.ray_cluster import RayCluster  # noqa: E402

KILLED, REMOVED, FAILING = 1, 4, 2  # parts: their worker is killed, their node is removed, they fail twice
# Runs headscope-cli, but the first attempts at some parts wait until they are killed, or fail.
WRAPPER = """#!{python} -IS
import os, pathlib, sys, time
part = sys.argv[sys.argv.index("--part") + 1].split("/")[0] if "--part" in sys.argv else "whole"
folder = pathlib.Path({folder!r})
log = folder / ("attempts-" + part)
with open(log, "a") as file:
    file.write(f"{{os.getpid()}} {{os.getppid()}}\\n")
attempts = len(log.read_text().splitlines())
if part in {held!r} and attempts == 1:
    time.sleep(600)
if part == {failing!r} and attempts <= 2:
    sys.exit("headscope-cli: This part fails twice.")
os.execv({cli!r}, [{cli!r}, *sys.argv[1:]])
"""
ROWS = """SELECT a.text, s.task, e.hash, r.prediction, r.correct, r.log_likelihoods, r.rejected FROM results r
          JOIN series s ON s.id = r.series_id JOIN ablations a ON a.id = s.ablation_id JOIN examples e ON e.id = r.example_id"""


def rows_of(session):
    with contextlib.closing(sqlite3.connect(session)) as db:
        return {row[:3]: row[3:] for row in db.execute(ROWS)}


def said(answer):
    """Without how long it took and where results came from."""
    return {name: value for name, value in json.loads(answer).items() if name not in ("seconds", "memory", "tokens", "reused")}


def parent_of(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


class Faults(threading.Thread):
    """Kills and removes while the ranking runs."""

    def __init__(self, folder, cluster, nodes, say):
        super().__init__(daemon=True)
        self.folder, self.cluster, self.nodes, self.say, self.problems = folder, cluster, nodes, say, []

    def first_attempt(self, part):
        file = self.folder / f"attempts-{part}"
        while not (file.exists() and file.read_text().endswith("\n")):
            time.sleep(0.05)
        program, worker = map(int, file.read_text().splitlines()[0].split())
        return program, worker

    def run(self):
        program, worker = self.first_attempt(KILLED)
        os.kill(worker, signal.SIGKILL)
        self.say(f"killed worker {worker} of part {KILLED}")
        deadline = time.monotonic() + 30
        while pathlib.Path(f"/proc/{program}/cmdline").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        if pathlib.Path(f"/proc/{program}/cmdline").exists() and pathlib.Path(f"/proc/{program}/cmdline").read_bytes():
            self.problems.append("headscope-cli outlived its worker")
        _, worker = self.first_attempt(REMOVED)
        raylet = parent_of(worker)
        node = next(n for n in self.nodes if any(info.process.pid == raylet for info in n.all_processes["raylet"]))
        self.cluster.remove_node(node, allow_graceful=False)
        self.say(f"removed the node of part {REMOVED}")


def sentence(what, expected, call):
    try:
        call()
        print(f"PROBLEM {what}: no failure", file=OUT)
        return False
    except Failed as failure:
        print(f"{what}: {failure}", file=OUT)
        return expected in str(failure) and "\n" not in str(failure)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("cli")
    options.add_argument("--model", default="tiny-transformer")
    options.add_argument("--task", default="toy_kv")
    options.add_argument("--limit", default="60")
    options.add_argument("--parts", type=int, default=8)
    chosen = options.parse_args()
    began = time.monotonic()
    problems = []

    def say(text):
        print(f"{time.monotonic() - began:6.1f} s  {text}", file=OUT, flush=True)

    with tempfile.TemporaryDirectory(prefix="headscope-cluster-") as name:
        folder = pathlib.Path(name)
        cli = os.path.abspath(chosen.cli)
        wrapper = folder / "cli"
        wrapper.write_text(WRAPPER.format(python=sys.executable, folder=name, cli=cli, held=[str(KILLED), str(REMOVED)], failing=str(FAILING)))
        wrapper.chmod(0o700)
        words = ("rank", chosen.model, "--task", chosen.task, "--limit", chosen.limit, "--threads", "1")
        one = subprocess.run([cli, *words, "--json", "--quiet", "--session", str(folder / "one")], capture_output=True, text=True, check=True)
        say("one process is done")
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        nodes = [cluster.add_node(num_cpus=1) for _ in range(3)]
        cluster.wait_for_nodes()
        say("the cluster runs")
        try:
            executor = RayCluster(cluster.address, {"CPU": 1})
            faults = Faults(folder, cluster, nodes, say)
            faults.start()
            answer = run(Study(str(wrapper), words, chosen.parts, folder / "merged"), executor, say)
            faults.join(30)
            while executor.slots() != 2 and time.monotonic() - began < 120:  # Ray notices a node's death after some seconds
                time.sleep(0.2)
            problems += faults.problems
            attempts = {part: len((folder / f"attempts-{part}").read_text().splitlines()) for part in (KILLED, REMOVED, FAILING)}
            say(f"attempts at parts {attempts}; {executor.slots()} nodes are left")
            if said(answer) != said(one.stdout):
                problems.append("the answer differs from that of one process")
            if rows_of(folder / "merged") != rows_of(folder / "one"):
                problems.append("stored results differ from those of one process")
            if attempts[KILLED] < 2 or attempts[REMOVED] < 2 or attempts[FAILING] < 3 or executor.slots() != 2:
                problems.append("a fault did not happen")
            again = run(Study(str(wrapper), words, chosen.parts, folder / "merged"), executor, say)
            if said(again) != said(one.stdout):
                problems.append("continuing a finished session changes the answer")
            repeated = [part for part, count in attempts.items() if len((folder / f"attempts-{part}").read_text().splitlines()) != count]
            if repeated:
                problems.append(f"continuing repeated parts {repeated}")
            say("continued a finished session")
            for what, expected, call in (
                ("no memory", "Ask for less or add a node", lambda: RayCluster(None, {"CPU": 1, "memory": 1e15})),
                ("no cluster", "Connection refused", lambda: RayCluster("127.0.0.1:1", {"CPU": 1})),
                ("no model", "has no model at", lambda: run(Study(cli, words, 2, folder / "a", "/nowhere/model"), executor, say)),
                ("no program", "has no program", lambda: run(Study("/nowhere/cli", words, 2, folder / "b"), executor, say)),
                ("a small worker", "may be used", lambda: run(Study(cli, (*words, "--memory", "1MB"), 2, folder / "c"), executor, say)),
                ("wrong use", "--limit", lambda: run(Study(cli, (*words[:-2], "--limit", "many"), 2, folder / "d"), executor, say)),
            ):
                if not sentence(what, expected, call):
                    problems.append(what)
        finally:
            ray.shutdown()
            cluster.shutdown()
    for problem in problems:
        print("PROBLEM", problem, file=OUT)
    say("done" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
