#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what headscope_cluster.plan predicts with real runs of 1 to 6 processes on this machine.

    python3 tests/reference/compare_plan.py build/release/app/headscope-cli [--model M] [--task T] [--limit N] [--parts N] [--most 6]

Needs a virtual environment with simpy, and a quiet machine. First each part is measured alone, and some of them again, as
many at a time as there are processors. These times, the time of a merge and that of the last step are all that the
simulation knows; the driver then runs all parts with 1, 2 ... processes. The exit status is 1 where a prediction is off by more
than 10 per cent.
"""
import argparse
import concurrent.futures
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging" / "python"))
from headscope_cluster import Study, driver, run, run_job  # noqa: E402
from headscope_cluster.plan import Conditions, simulate  # noqa: E402


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


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("cli")
    options.add_argument("--model", default="small-transformer")
    options.add_argument("--task", default="toy_kv")
    options.add_argument("--limit", default="300")
    options.add_argument("--parts", type=int, default=12)
    options.add_argument("--most", type=int, default=6, help="processes at the most")
    chosen = options.parse_args()
    cores = len(os.sched_getaffinity(0))
    words = ("rank", chosen.model, "--task", chosen.task, "--limit", chosen.limit, "--threads", "1")
    problems = 0
    with tempfile.TemporaryDirectory(prefix="headscope-plan-") as folder:
        def study(name):
            return Study(os.path.abspath(chosen.cli), words, chosen.parts, pathlib.Path(folder, name))

        probe = study("probe")
        alone = [run_job(probe.part(part)) for part in range(chosen.parts)]
        again = range(min(2 * cores, chosen.parts))
        with concurrent.futures.ThreadPoolExecutor(cores) as pool:
            crowded = list(pool.map(run_job, map(probe.part, again)))
        slower = sum(outcome.seconds for outcome in crowded) / sum(alone[part].seconds for part in again)
        merges = []
        for number, outcome in enumerate(alone):  # as the driver does it
            state = driver._Run(probe, Processes(1), print, time.monotonic)
            merges.append(timed(lambda: state.merge(number, outcome))[1])
        whole = study("whole")
        run(whole, Processes(cores), lambda text: None)
        finish = timed(lambda: run_job(whole.job(session=whole.session.read_bytes())))[1] + merges[-1]
        mean = statistics.fmean(outcome.seconds for outcome in alone)
        print(f"{cores} processors; a part takes {mean:.2f} s alone and {slower:.2f} times that among {cores}, a merge "
              f"{statistics.median(merges):.2f} s, the last step {finish:.2f} s\n")
        print("processes  predicted  measured  difference")
        for count in range(1, chosen.most + 1):
            seconds = [outcome.seconds * (1 if count == 1 else slower) for outcome in alone]
            conditions = Conditions(merge=statistics.median(merges), finish=finish, processors=cores)
            predicted = simulate(seconds, count, conditions).seconds
            measured = timed(lambda: run(study(f"run-{count}"), Processes(count), lambda text: None))[1]
            difference = predicted / measured - 1
            problems += abs(difference) > 0.1
            print(f"{count:9}{predicted:10.2f} s{measured:8.2f} s{difference:11.1%}", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
