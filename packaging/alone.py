#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that each source file compiles by itself, as in the dev preset: a release build compiles forty files at a time, and a
file that lacks an include takes it from its neighbours. Reads what build.sh left in a build folder, checks syntax only, and
ends with "N passed, N failed, 0 skipped".
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def checks(build, part):
    """Yields file and command for each source file of each unity file in the build folder."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if "/Unity/unity_" not in entry["file"]:
            continue
        words = shlex.split(entry["command"])
        compiler = next(i for i, word in enumerate(words) if not word.endswith("ccache"))
        words = words[compiler : words.index("-o")] + ["-fsyntax-only"]
        for file in re.findall(r'#include "(.*)"', pathlib.Path(entry["file"]).read_text(encoding="utf-8")):
            if part in file:
                yield file, words + ["-c", file], entry["directory"]


def check(job):
    file, command, folder = job
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        print(f"{file} does not compile by itself:\n{done.stderr}", flush=True)
    return done.returncode == 0


parser = argparse.ArgumentParser(description="Checks that each source file compiles by itself.")
parser.add_argument("build", type=pathlib.Path, help="folder of a build that compiles several files at a time")
parser.add_argument("part", nargs="?", default="", help="part of the paths of the files to check; all without it")
args = parser.parse_args()
try:
    jobs = list(checks(args.build, args.part))
except FileNotFoundError as missing:
    sys.exit(f"'{missing.filename}' does not exist; packaging/build.sh makes it.")
with ThreadPoolExecutor(os.cpu_count()) as pool:
    passed = sum(pool.map(check, jobs))
print(f"{passed} passed, {len(jobs) - passed} failed, 0 skipped")
sys.exit(0 if jobs and passed == len(jobs) else 1)
