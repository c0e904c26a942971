#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what headscope_cluster.plan predicts with real runs of 1 to 6 processes on this machine.

    python3 tests/reference/compare_plan.py build/release/app/headscope-cli [--model M] [--task T] [--limit N] [--parts N] [--most 6]

Needs a virtual environment with simpy, and a quiet machine; --rounds 5 takes the best of five, one kind of run after the other, where others use it
too. Each part is measured alone, and some of them as many at a time as there are processors. These times, the time of a merge and that of the
last step are all that `headscope_cluster plan` is given; the driver runs all parts with 1, 2 ... processes. The exit status is 1 where a
prediction is off by more than 10 per cent.
"""
import argparse
import concurrent.futures
import contextlib
import io
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging" / "python"))
from headscope_cluster import Study, driver, plan, run, run_job  # noqa: E402


class Processes:
    """An executor with `count` processes of this machine."""

    def __init__(self, count):
        self.count, self.pool = count, concurrent.futures.ThreadPoolExecutor(count)

    def slots(self):
        return 0  # no copies of late parts

    def start(self, job):
        return self.pool.submit(run_job, job)

    def wait(self, handles, seconds):
        return next(iter(concurrent.futures.wait(handles, seconds, concurrent.futures.FIRST_COMPLETED).done), None)

    def result(self, handle):
        return handle.result()

    def cancel(self, handle):
        handle.cancel()


def timed(call):
    began = time.monotonic()
    value = call()
    return value, time.monotonic() - began


def predicted(folder, chosen, cores, alone, slower, merge, finish):
    """Seconds for each number of processes, as the command says them."""
    file = pathlib.Path(folder, "parts.json")
    file.write_text(json.dumps(alone))
    answer = io.StringIO()
    with contextlib.redirect_stdout(answer):
        code = plan.main(["--model", "measured", "--measured", str(file), "--workers", *map(str, range(1, chosen.most + 1)), "--failures", "0",
                          "--processors", str(cores), "--slower", str(slower), "--merge", str(merge), "--finish", str(finish), "--json"])
    if code:
        sys.exit(code)
    return [3600 * row["hours"] for row in json.loads(answer.getvalue())["measured"]["rows"]]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("cli")
    options.add_argument("--model", default="small-transformer")
    options.add_argument("--task", default="toy_kv")
    options.add_argument("--limit", default="300")
    options.add_argument("--parts", type=int, default=12)
    options.add_argument("--most", type=int, default=6, help="processes at the most")
    options.add_argument("--rounds", type=int, default=1)
    chosen = options.parse_args()
    cores = len(os.sched_getaffinity(0))
    words = ("rank", chosen.model, "--task", chosen.task, "--limit", chosen.limit, "--threads", "1")
    alone, crowded, merges, finishes = [], [], [], []
    measured = [[] for _ in range(chosen.most)]
    with tempfile.TemporaryDirectory(prefix="headscope-plan-") as folder:
        def study(name):
            return Study(os.path.abspath(chosen.cli), words, chosen.parts, pathlib.Path(folder, name))

        for number in range(chosen.rounds):
            probe, whole = study(f"probe-{number}"), study(f"whole-{number}")
            outcomes = [run_job(probe.part(part)) for part in range(chosen.parts)]
            alone.append([outcome.seconds for outcome in outcomes])
            with concurrent.futures.ThreadPoolExecutor(cores) as pool:
                crowded.append([outcome.seconds for outcome in pool.map(run_job, map(probe.part, range(min(2 * cores, chosen.parts))))])
            state = driver._Run(probe, Processes(1), print, time.monotonic)
            merges.append([timed(lambda: state.merge(part, outcome))[1] for part, outcome in enumerate(outcomes)])  # as the driver does it
            run(whole, Processes(cores), lambda text: None)
            finishes.append(timed(lambda: run_job(whole.job(session=whole.session.read_bytes())))[1] + merges[-1][-1])
            for count, seconds in enumerate(measured, 1):
                seconds.append(timed(lambda: run(study(f"run-{number}-{count}"), Processes(count), lambda text: None))[1])
                print(f"round {number + 1}, {count} processes: {seconds[-1]:.2f} s", flush=True)
        alone, crowded, merges = ([min(each) for each in zip(*rounds)] for rounds in (alone, crowded, merges))
        slower = max(1.0, sum(crowded) / sum(alone[:len(crowded)]))
        merge, finish = statistics.median(merges), min(finishes)
        print(f"\n{cores} processors; a part takes {statistics.fmean(alone):.2f} s alone and {slower:.2f} times that among {cores}, a merge {merge:.2f} s, "
              f"the last step {finish:.2f} s; the best of {chosen.rounds} rounds\n\nprocesses  predicted  measured  difference")
        expected = predicted(folder, chosen, cores, alone, slower, merge, finish)
    problems = 0
    for count, (seconds, best) in enumerate(zip(expected, map(min, measured)), 1):
        problems += abs(seconds / best - 1) > 0.1
        print(f"{count:9}{seconds:10.2f} s{best:8.2f} s{seconds / best - 1:11.1%}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
