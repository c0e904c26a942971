#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Give the programs hostile sessions, models, files and arguments, drawn from a seed, kill them, and tell what they do not withstand. A developer's tool.

    python3 tests/reference/attack.py build/release/app/headscope-cli [--seed S] [--sessions N] [--models N] [--files N] [--arguments N]
        [--kills N] [--window PROGRAM] [--small FOLDER] [--keep FOLDER]

A run withstands when it ends by itself with one of the exit codes of --help, says at most a few kilobytes of plain text on standard
error, says nothing of an unexpected failure, and takes less than two gigabytes; what rightly takes long must end within a while when it is
asked to. After a kill the session must be sound and hold what it held. What did not is told with its command, and its input is
kept. --window also gives sessions to the window; --small names a folder on a small disk for outputs (mount -t tmpfs -o size=64k).
The exit status is 1 when there was anything.
"""
import argparse
import os
import sys

from attacks.arguments import Arguments
from attacks.files import Files
from attacks.kills import Kills
from attacks.models import Models
from attacks.program import LIMIT, Program
from attacks.sessions import Sessions


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cli")
    parser.add_argument("--seed", type=int, default=1)
    for kind, count in (("sessions", 200), ("models", 200), ("files", 200), ("arguments", 200), ("kills", 50)):
        parser.add_argument(f"--{kind}", type=int, default=count)
    parser.add_argument("--keep", default="build/attack")
    parser.add_argument("--window")
    parser.add_argument("--small")
    options = parser.parse_args()
    options.cli = os.path.abspath(options.cli)
    options.window = options.window and os.path.abspath(options.window)
    program = Program(options)
    sessions = Sessions(program)
    try:
        sessions.make_seed()
        for kind, attacks in (("sessions", sessions), ("models", Models(program)), ("files", Files(program)), ("arguments", Arguments(program)), ("kills", Kills(program))):
            program.codes = {}
            for _ in range(getattr(options, kind)):
                attacks.attack()
            print(f"{kind}: {getattr(options, kind)}, exit codes {dict(sorted(program.codes.items()))}", flush=True)
    finally:
        program.close()
    print(f"{program.runs} runs, {len(program.found)} did not withstand, {len(program.slow)} took over {LIMIT} s")
    return 1 if program.found or program.slow else 0


if __name__ == "__main__":
    sys.exit(main())
