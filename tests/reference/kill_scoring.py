#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kill `headscope-cli score ... --session` at random moments and count what is lost. A developer's tool, minutes long.

    python3 tests/reference/kill_scoring.py build/release/app/headscope-cli [--kills 200] [--seed S] [--model M] [--task T] [--ablate A] [--limit N]

After each SIGKILL the file must pass integrity_check; every result that another process had seen in it before the kill
must be there unchanged; what a finished run would have stored may be stored, nothing else. Then the run is either
finished, and must take exactly what is stored from the session and run the rest; or it is continued and killed again.
The moments are drawn over the length of an undisturbed run, so that opening, creating and closing are hit too.

Afterwards the same program meets a full disk (a tmpfs half as large as the session, in mounts of its own, root only), a folder that cannot be written, a file that
is removed while it runs and a log that was cut short. Each must end in one sentence or in a sound session.
The exit status is 1 when anything was lost or damaged.
"""
import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

ROWS = """SELECT a.text, s.task, e.hash, r.prediction, r.correct, r.log_likelihoods, r.rejected FROM results r
          JOIN series s ON s.id = r.series_id JOIN ablations a ON a.id = s.ablation_id JOIN examples e ON e.id = r.example_id"""


def rows_of(connection):
    """What is stored: (ablation, task, example) to the result."""
    return {row[:3]: row[3:] for row in connection.execute(ROWS)}


class Watcher(threading.Thread):
    """Another program that reads the session while it is written: what it has seen was stored."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.seen, self.stop = path, {}, threading.Event()
        self.start()

    def run(self):
        while not self.stop.is_set():
            try:
                with sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=0) as connection:
                    while not self.stop.is_set():
                        self.seen = rows_of(connection)
                        time.sleep(0.004)
            except sqlite3.Error:  # not made yet, or being made
                time.sleep(0.001)

    def finish(self):
        self.stop.set()
        self.join()
        return self.seen


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.problems = []

    def command(self, session):
        words = [self.options.cli, "score", self.options.model, "--task", self.options.task, "--limit", self.options.limit, "--threads", "1", "--json", "--session", session]
        return words + (["--ablate", self.options.ablate] if self.options.ablate else [])

    def finish(self, session):
        done = subprocess.run(self.command(session), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def fail(self, what):
        self.problems.append(what)
        print("PROBLEM", what, flush=True)

    def check(self, session, expected, before):
        """The rows that are stored; `before` must be among them, and nothing that is not expected."""
        if not os.path.exists(session):
            if before:
                self.fail("the file is gone")
            return {}
        with sqlite3.connect(session) as connection:
            said = connection.execute("PRAGMA integrity_check").fetchall()
            if said != [("ok",)]:
                self.fail(f"integrity_check: {said[:3]}")
            if connection.execute("PRAGMA foreign_key_check").fetchone():
                self.fail("rows refer to rows that are not there")
            made = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'results'").fetchone()[0]
            stored = rows_of(connection) if made else {}
        connection.close()
        for key, row in before.items():
            if stored.get(key) != row:
                self.fail(f"{key} was stored as {row}, is {stored.get(key)}")
        for key, row in stored.items():
            if expected is not None and expected.get(key) != row:
                self.fail(f"{key} is {row}, expected {expected.get(key)}")
        return stored


def wipe(session):
    for end in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(session + end):
            os.remove(session + end)


def kills(trial, chance):
    """Kills, and returns what to tell."""
    whole = os.path.join(trial.folder, "whole.session")
    trial.finish(whole)
    expected = trial.check(whole, None, {})
    session = os.path.join(trial.folder, "killed.session")
    told = {"kills": 0, "results_of_a_whole_run": len(expected), "before_the_first_result": 0, "midway": 0,
            "after_the_end": 0, "seen_stored_before_a_kill": 0, "found_after": 0, "lost": 0, "resumed_to_the_end": 0, "taken_from_the_session": 0, "run_again": 0}
    before = {}
    for number in range(trial.options.kills):
        if number % 20 == 0:  # how long a run takes changes with what else the machine does
            again = os.path.join(trial.folder, "again.session")
            wipe(again)
            started = time.monotonic()
            trial.finish(again)
            length = time.monotonic() - started
        child = subprocess.Popen(trial.command(session), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        watcher = Watcher(session)
        time.sleep(chance.uniform(0, length * 1.05))
        ended = child.poll() is not None
        child.send_signal(signal.SIGKILL)
        child.wait()
        seen = {**before, **watcher.finish()}
        found = trial.check(session, expected, seen)
        told["kills"] += 1
        told["after_the_end"] += ended
        told["midway"] += 0 < len(found) < len(expected)
        told["before_the_first_result"] += not found
        told["seen_stored_before_a_kill"] += len(seen)
        told["found_after"] += len(found)
        told["lost"] += sum(found.get(key) != row for key, row in seen.items())
        before = found
        if chance.random() < 0.5 or len(found) == len(expected):
            report = trial.finish(session)
            after = trial.check(session, expected, found)
            if len(after) != len(expected):
                trial.fail(f"{len(after)} results after the resume, expected {len(expected)}")
            if report["reused"] != len(found):
                trial.fail(f"{report['reused']} results were taken from the session, which had {len(found)}")
            told["resumed_to_the_end"] += 1
            told["taken_from_the_session"] += report["reused"]
            told["run_again"] += len(found) - report["reused"]
            wipe(session)
            before = {}
        if told["kills"] % 20 == 0:
            print(json.dumps(told), flush=True)
    return expected, told


def failing(trial, session, expected):
    """Runs to a failure; the sentence, and whether it is one."""
    done = subprocess.run(trial.command(session), capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode != 1 or not lines or not lines[-1].endswith("."):
        trial.fail(f"expected exit 1 and a sentence, got {done.returncode}: {done.stderr.strip()[-300:]}")
    return lines[-1] if lines else ""


@contextlib.contextmanager
def small_disk(folder, size):
    """A folder on a disk of so many bytes; None where none can be mounted."""
    disk = os.path.join(folder, "disk")
    os.makedirs(disk, exist_ok=True)
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True).returncode != 0:
        yield None
        return
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def full_disk(trial, expected):
    half = os.path.getsize(os.path.join(trial.folder, "whole.session")) // 2
    with small_disk(trial.folder, half) as disk:
        if disk is None:
            return "not run: a small disk can only be mounted by root"
        session = os.path.join(disk, "a.session")
        sentence = failing(trial, session, expected)
        stored = trial.check(session, expected, {})
        copy = os.path.join(trial.folder, "from-full-disk.session")
        for end in ("", "-wal"):
            if os.path.exists(session + end):
                shutil.copy(session + end, copy + end)
        if trial.finish(copy)["reused"] != len(stored):
            trial.fail("the copy of the session on the full disk did not go on where it stood")
        return f"{sentence} ({len(stored)} of {len(expected)} results had been stored, and are there)"


def read_only_folder(trial, expected):
    folder = os.path.join(trial.folder, "closed")
    os.makedirs(folder)
    session = os.path.join(folder, "a.session")
    trial.finish(session)
    user = None
    if os.geteuid() == 0:  # permissions do not apply to root, a read-only mount does
        if subprocess.run(["mount", "--bind", folder, folder]).returncode or subprocess.run(["mount", "-o", "remount,bind,ro", folder]).returncode:
            return "not run: no read-only mount could be made"
        user = folder
    else:
        os.chmod(folder, 0o555)
    try:
        sentence = failing(trial, session, expected)
    finally:
        if user:
            subprocess.run(["umount", user], check=True)
        else:
            os.chmod(folder, 0o755)
    trial.check(session, expected, expected)
    return sentence


def removed_file(trial, expected):
    session = os.path.join(trial.folder, "removed.session")
    child = subprocess.Popen(trial.command(session), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    watcher = Watcher(session)
    while not watcher.seen and child.poll() is None:
        time.sleep(0.001)
    os.remove(session)
    error = child.communicate()[1].strip()
    watcher.finish()
    if child.returncode != 1 or "removed or replaced" not in error:
        trial.fail(f"expected a sentence about the removed file, got {child.returncode}: {error[-300:]}")
    wipe(session)
    return error.splitlines()[-1] if error else ""


def several(trial, chance):
    """Two scores and a ranking in one session, one of them held (SIGSTOP) or killed at a random moment, again and again."""
    options = trial.options
    session = os.path.join(trial.folder, "several.session")
    common = ["--threads", "1", "--quiet", "--session", session]
    jobs = [[options.cli, "score", options.model, "--task", "toy_kv:pairs=8", "--limit", "400", *common],
            [options.cli, "score", options.model, "--task", "toy_kv:pairs=4", "--ablate", "L1H1", "--limit", "400", *common],
            [options.cli, "rank", options.model, "--task", "toy_kv:pairs=8", "--limit", "60", *common]]
    before, killed, held = {}, 0, 0
    for _ in range(options.rounds):
        watcher = Watcher(session)
        children = [subprocess.Popen(job, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for job in jobs]
        victims = set()
        for _ in range(chance.randint(1, 3)):
            time.sleep(chance.uniform(0, 1.5))
            child = chance.choice(children)
            if child.poll() is not None:
                continue
            if chance.random() < 0.5:
                child.send_signal(signal.SIGSTOP)
                time.sleep(chance.uniform(0, 2))
                child.send_signal(signal.SIGCONT)
                held += 1
            else:
                child.kill()
                victims.add(child)
                killed += 1
        for child in children:
            error = child.communicate()[1].strip()
            if child not in victims and child.returncode != 0:
                trial.fail(f"exit {child.returncode}: {error[-300:]}")
        seen = {**before, **watcher.finish()}
        before = trial.check(session, None, seen)
        if chance.random() < 0.3:
            wipe(session)
            before = {}
    return f"{options.rounds} rounds of three programs, {killed} killed, {held} held for a while"


def torn_log(trial, expected, chance):
    """Cuts and overwrites the log that a killed run left."""
    session = os.path.join(trial.folder, "torn.session")
    while True:
        child = subprocess.Popen(trial.command(session), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        watcher = Watcher(session)
        while len(watcher.seen) < len(expected) // 2 and child.poll() is None:
            time.sleep(0.0005)
        child.send_signal(signal.SIGKILL)
        child.wait()
        watcher.finish()
        if os.path.exists(session + "-wal") and os.path.getsize(session + "-wal") > 100000:
            break
        wipe(session)
    log, main = open(session + "-wal", "rb").read(), open(session, "rb").read()
    counts = []
    for round_ in range(20):
        wipe(session)
        torn = bytearray(log)
        at = chance.randrange(len(torn))
        if round_ % 2:
            del torn[at:]
        else:
            torn[at:at + 512] = bytes(512)
        open(session, "wb").write(main)
        open(session + "-wal", "wb").write(torn)
        stored = trial.check(session, expected, {})
        if round_ % 5 == 0 and trial.finish(session)["reused"] != len(stored):
            trial.fail("a session with a torn log did not go on where it stood")
        counts.append(len(stored))
    return f"20 torn logs, each a sound session of {min(counts)} to {max(counts)} of {len(expected)} results"


def in_own_mounts():
    """Starts this program anew where what it mounts is seen by nobody else."""
    if os.geteuid() == 0 and "HEADSCOPE_OWN_MOUNTS" not in os.environ:
        os.environ["HEADSCOPE_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cli")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=20, help="of several programs at once")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--model", default="tiny-transformer")
    parser.add_argument("--task", default="toy_kv:pairs=8,toy_kv:pairs=16")
    parser.add_argument("--ablate", default="L1H1")
    parser.add_argument("--limit", default="128", help="rows of each task")
    options = parser.parse_args()
    in_own_mounts()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="headscope-kill-") as folder:
        trial = Trial(options, folder)
        expected, told = kills(trial, chance)
        print(json.dumps(told, indent=2))
        print("several programs:", several(trial, chance))
        print("full disk:       ", full_disk(trial, expected))
        print("read-only folder:", read_only_folder(trial, expected))
        print("removed file:    ", removed_file(trial, expected))
        print("torn log:        ", torn_log(trial, expected, chance))
    print(f"seed {options.seed}: {told['kills']} kills, {told['lost']} results lost, {len(trial.problems)} problems")
    return 1 if trial.problems else 0


if __name__ == "__main__":
    sys.exit(main())
