#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds up what the Qt Test programs of one ctest run wrote, and ends with "N passed, N failed, N skipped".

usage: ctest --show-only=json-v1 | testtotals.py RESULTS FAILED

RESULTS is a folder with one plain-text log for each program (NAME.txt), FAILED the list of failed programs that
ctest leaves behind (it need not exist). Counted are test functions and their data rows, without initTestCase and
cleanupTestCase. Nothing passes by not running: a program without a log, without its line of totals, without one
test function, or that ctest calls failed although each of its functions passed, is one failure. A warning that a
test did not announce makes its function fail.
"""
import json
import pathlib
import re
import sys

EVENT = re.compile(r"^(PASS|SKIP|FAIL!|XPASS|QWARN|QCRITICAL|QFATAL|QSYSTEM)\s*: \w+::(\w+)\((.*?)\)(?: (.*))?$")
FRAME = ("initTestCase", "cleanupTestCase")
# The offscreen platform says this of sizes, raising and grabbing; it says nothing about the program.
HARMLESS = "This plugin does not support "


def read_program(name, log):
    """The outcomes of one program as {function(row): (outcome, reason)}; log is None where there is none."""
    if log is None:
        return {name: ("failed", "did not run")}
    if not re.search(r"^Totals: \d+ passed, \d+ failed, \d+ skipped", log, re.M):
        return {name: ("failed", "ended before its last test (a crash or the time limit)")}
    outcomes = {}
    for event in filter(None, map(EVENT.match, log.splitlines())):
        kind, function, row, text = event.groups(default="")
        label = f"{name}: {function}({row})"
        if kind == "PASS" and function not in FRAME:
            outcomes.setdefault(label, ("passed", ""))
        elif kind == "SKIP":
            outcomes.setdefault(label, ("skipped", text or "no reason given"))
        elif kind in ("FAIL!", "XPASS"):
            outcomes[label] = ("failed", text or "failed")
        elif kind.startswith("Q") and not text.startswith(HARMLESS):
            outcomes[label] = ("failed", f"unexpected warning: {text}")
    return outcomes or {name: ("failed", "contains no test")}


def main():
    results, failed_list = map(pathlib.Path, sys.argv[1:3])
    programs = [test["name"] for test in json.load(sys.stdin)["tests"]]
    called_failed = set()
    if failed_list.exists():
        called_failed = {line.partition(":")[2] for line in failed_list.read_text().splitlines()}
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    lines = []
    for name in programs:
        file = results / f"{name}.txt"
        outcomes = read_program(name, file.read_text(errors="replace") if file.exists() else None)
        if name in called_failed and all(outcome != "failed" for outcome, _ in outcomes.values()):
            outcomes[name] = ("failed", "every function passed, yet the program ended with an error")
        for label, (outcome, reason) in outcomes.items():
            counts[outcome] += 1
            if outcome != "passed":
                lines.append(f"{outcome}: {label}: {reason}")
    if not programs:
        counts["failed"] = 1
        lines.append("failed: there is no test program")
    print("\n".join(sorted(lines, reverse=True)), end="\n" if lines else "")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
