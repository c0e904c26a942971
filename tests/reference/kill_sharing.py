#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kill processes that share the work of one command through a session, and compare what the others store and print. Minutes long.

    python3 tests/reference/kill_sharing.py build/release/app/headscope-cli [--kills 24] [--seed S] [--only NAME]

For each command, two or three processes begin at once on a session of their own. At moments drawn by the seed, by the chunks that are done or by
the clock, one of them gets SIGKILL and mostly another one joins; one joins when all is done. Where there is a C compiler, in every second round
the clock of day of every process jumps back and forth by hours (a preloaded clock_gettime). Everybody who is left must end with exit code 0, print what one
undisturbed process prints, and leave a session with its records to the last bit: every table without row numbers, dates and seconds, but claims and
an experiment's report, which says how long it took and is compared as it is printed.

Then one process is held (SIGSTOP) while it has a chunk, and another must say for whom it waits. Then, for root, the session is on a disk that is too small,
and on one that is filled and emptied while two processes work: each must end well or with one sentence, and with room again the work must
end as undisturbed. The exit status is 1 when anything differed.
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
import time

from kill_scoring import in_own_mounts, small_disk

COMMANDS = {
    "score": ["score", "--task", "toy_kv:pairs=4,toy_mc", "--ablate", "L2H5", "--limit", "600"],
    "rank exact": ["rank", "--task", "toy_kv:pairs=4", "--limit", "300"],
    "rank race": ["rank", "--task", "toy_kv:pairs=4", "--method", "race", "--top", "3", "--limit", "300"],
    "rank greedy": ["rank", "--task", "toy_kv:pairs=4", "--method", "greedy", "--top", "2", "--limit", "100"],
    "survey": ["survey", "--task", "toy_kv:pairs=4", "--limit", "1500", "--window", "32"],
    "edges": ["edges", "--task", "toy_kv:pairs=4", "--limit", "40", "--receiver", "L2H5.q"],
    "patch": ["patch", "--task", "toy_kv:pairs=4", "--limit", "60"],
    "experiment": ["experiment", "kv-curve", "--limit", "30"],
}
VOLATILE = {"id", "uid", "created", "added", "seconds"}  # of records; and checksums over them
UNTOLD = {"seconds", "memory", "tokens", "reused", "known", "finished"}  # of what is printed: how, not what
LONG = 300  # seconds in which everybody must have ended

CLOCK = "".join(f"#include <{name}.h>\n" for name in ("stdlib", "sys/syscall", "sys/time", "time", "unistd")) + """
int clock_gettime(clockid_t clock, struct timespec *at) {
    static __thread unsigned seed = 1;
    int status = (int)syscall(SYS_clock_gettime, clock, at);
    if (status == 0 && clock == CLOCK_REALTIME) at->tv_sec += rand_r(&seed) % 20000 - 10000;
    return status;
}
int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return at ? (*at = now.tv_sec) : now.tv_sec;
}
"""


def jumping_clock(folder):
    """A library that lets the clock of day jump, or nothing."""
    source, library = os.path.join(folder, "clock.c"), os.path.join(folder, "clock.so")
    with open(source, "w", encoding="ascii") as file:
        file.write(CLOCK)
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    made = compiler and subprocess.run([compiler, "-shared", "-fPIC", "-D_GNU_SOURCE", "-O1", "-o", library, source]).returncode == 0
    return library if made else None


def records(session):
    """Every record by table, with records of other tables in place of their numbers."""
    with contextlib.closing(sqlite3.connect(session)) as db:
        db.row_factory = sqlite3.Row
        tables = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        known = {}

        def rows(table):
            if table not in known:
                links = {}
                for link in db.execute(f"PRAGMA foreign_key_list({table})"):
                    if link["to"] in (None, "id"):
                        links[link["from"]] = rows(link["table"])
                dropped = VOLATILE | ({"checksum"} if table in ("results", "analyses") else set())
                known[table] = {}
                for number, row in enumerate(db.execute(f"SELECT * FROM {table}")):
                    content = tuple((key, links[key].get(row[key]) if key in links else row[key])
                                    for key in row.keys() if key not in dropped)
                    known[table][row["id"] if "id" in row.keys() else -number] = content
            return known[table]

        return {table: sorted(map(repr, rows(table).values())) for table in tables if table not in ("claims", "session_info", "ui_state")}


def state_of(session):
    """Chunks that are done and all chunks of the works in the session, and the process numbers that have one."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{session}?mode=ro", uri=True, timeout=1)) as db:
            done, chunks = db.execute("SELECT coalesce(sum(done), 0), count(*) FROM claims").fetchone()
            return done, chunks, {int(owner.split()[0]) for owner, in db.execute("SELECT owner FROM claims WHERE owner <> ''")}
    except sqlite3.Error:  # not made yet, or being made
        return 0, 0, set()


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder, self.problems, self.rounds = options, folder, 0, 0
        self.chance = random.Random(options.seed)
        self.clock = jumping_clock(folder)
        self.name = ""

    def fail(self, what):
        self.problems += 1
        print(f"PROBLEM {self.name}: {what}", flush=True)

    def command(self, session):
        words = COMMANDS[self.name]
        at = 2 if words[0] == "experiment" else 1
        return [self.options.cli, *words[:at], self.options.model, *words[at:], "--threads", "1", "--json", "--session", session]

    def begin(self, session, jumps=False):
        environment = dict(os.environ, LD_PRELOAD=self.clock) if jumps and self.clock else None
        return subprocess.Popen(self.command(session), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def end(self, process):
        """What it says of its results, and what it said meanwhile; no results where it ended in a sentence."""
        try:
            output, errors = process.communicate(timeout=LONG)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail(f"a process had not ended after {LONG} s: {process.communicate()[1].strip()[-200:]}")
            return None, ""
        if process.returncode == 0:
            return {key: value for key, value in json.loads(output).items() if key not in UNTOLD}, errors
        last = errors.strip().splitlines()[-1] if errors.strip() else ""
        if process.returncode != 1 or not last.startswith("headscope-cli: ") or not last.endswith("."):
            self.fail(f"expected exit code 1 and a sentence, got {process.returncode}: {errors.strip()[-300:]}")
        return None, last

    def ends_as(self, alone, session, processes):
        """All of them end as one process alone did, and so does their session. Returns what they said."""
        said = ""
        for process in processes:
            result, words = self.end(process)
            said += words
            if result != alone[0]:
                self.fail(f"printed something else than one process: {words or 'another result'}")
        self.same_records(alone, session)
        return said

    def same_records(self, alone, session):
        verified = subprocess.run([self.options.cli, "session", "verify", session], capture_output=True, text=True)
        if verified.returncode != 0:
            self.fail(f"session verify: {(verified.stdout + verified.stderr).strip()[-300:]}")
        found = records(session)
        for table, rows in alone[1].items():
            if found[table] != rows:
                self.fail(f"table {table} has {len(found[table])} records, {len(rows)} expected; {len(set(found[table]) ^ set(rows))} differ")
        if any(state_of(session)[2]):
            self.fail("somebody has a chunk, and all have ended")

    def alone(self):
        """What one undisturbed process prints and stores, and the seconds that it takes."""
        session, began = os.path.join(self.folder, "alone.headscope"), time.monotonic()
        result, said = self.end(self.begin(session))
        seconds = time.monotonic() - began
        if result is None:
            sys.exit(f"{self.name}: {said}")
        stored = records(session)
        os.remove(session)
        return result, stored, seconds


def kill_round(trial, alone, told):
    """Two or three processes, of which up to four are killed."""
    chance = trial.chance
    session = os.path.join(trial.folder, f"shared-{trial.rounds}.headscope")
    jumps = trial.rounds % 2 == 1
    trial.rounds += 1
    told["rounds"] += 1
    processes = [trial.begin(session, jumps) for _ in range(chance.randint(2, 3))]
    for _ in range(chance.randint(1, 4)):
        until, share = time.monotonic() + chance.uniform(0, alone[2]), chance.uniform(0, 1)
        by_chunks = chance.random() < 0.7
        while True:  # the moment
            done, chunks, _ = state_of(session)
            if all(process.poll() is not None for process in processes):
                break
            if chunks > 0 and done >= int(share * chunks) if by_chunks else time.monotonic() > until:
                break
            time.sleep(0.002)
        time.sleep(chance.uniform(0, alone[2] / max(chunks, 20)))  # somewhere in the next one
        victim = chance.choice(processes)
        ended = victim.poll() is not None
        victim.kill()
        if not ended:
            victim.communicate()
            processes.remove(victim)
            done, chunks, owners = state_of(session)
            told["kills"] += 1
            told["before" if chunks == 0 else "with a chunk" if victim.pid in owners else "between" if done < chunks else "behind"] += 1
        if not processes or chance.random() < 0.8:  # it joins late
            time.sleep(chance.uniform(0, 0.2))
            processes.append(trial.begin(session, jumps))
            told["joined"] += 1
    said = trial.ends_as(alone, session, processes)
    told["waited"] += said.count("Waiting for process ")
    trial.ends_as(alone, session, [trial.begin(session)])  # who comes when all is done
    os.remove(session)


def held(trial, alone):
    """One is stopped while it has a chunk; the other says for whom it waits."""
    session = os.path.join(trial.folder, "held.headscope")
    while True:
        first = trial.begin(session)
        while first.poll() is None:
            if first.pid in state_of(session)[2]:
                first.send_signal(signal.SIGSTOP)
                with contextlib.closing(sqlite3.connect(session, timeout=0.2)) as db:
                    try:
                        db.execute("BEGIN IMMEDIATE")  # one that is stopped while it writes keeps everybody from writing
                        db.rollback()
                        if first.pid in state_of(session)[2]:
                            break
                    except sqlite3.OperationalError:
                        pass
                first.send_signal(signal.SIGCONT)
            time.sleep(0.001)
        if first.poll() is None:
            break
        first.communicate()
        os.remove(session)
    second = trial.begin(session)
    said = ""
    while "Waiting for" not in said and second.poll() is None:
        said = second.stderr.readline()
    first.send_signal(signal.SIGCONT)
    if f"Waiting for process {first.pid} on " not in said:
        trial.fail(f"did not say that it waits for process {first.pid}: {said.strip()}")
    trial.ends_as(alone, session, [first, second])
    os.remove(session)
    return said.strip().removeprefix("headscope-cli: ")


def full_disk(trial, alone):
    """Two begin on a disk that is too small; two more meanwhile find one that is filled, then emptied."""
    sentences = set()
    whole = os.path.join(trial.folder, "whole.headscope")
    trial.end(trial.begin(whole))
    size = os.path.getsize(whole)
    os.remove(whole)
    for share in (0.2, 0.6, 1.0):
        with small_disk(trial.folder, int(size * share)) as disk:
            if disk is None:
                return "not run: a small disk can only be mounted by root"
            session = os.path.join(disk, "s.headscope")
            for process in [trial.begin(session) for _ in range(2)]:
                result, said = trial.end(process)
                if result is None:
                    sentences.add(said)
                elif result != alone[0]:
                    trial.fail("printed something else than one process on a small disk")
            subprocess.run(["mount", "-o", f"remount,size={20 * size + (8 << 20)}", disk], check=True)
            trial.ends_as(alone, session, [trial.begin(session) for _ in range(2)])
    for _ in range(2):
        with small_disk(trial.folder, 20 * size + (8 << 20)) as disk:
            session, filler = os.path.join(disk, "s.headscope"), os.path.join(disk, "filler")
            two = [trial.begin(session) for _ in range(2)]
            share = trial.chance.uniform(0, 0.8)
            while any(one.poll() is None for one in two):
                done, chunks, _ = state_of(session)
                if done >= share * chunks > 0:
                    break
                time.sleep(0.002)
            with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
            for process in [*two, trial.begin(session)]:
                result, said = trial.end(process)
                if result is None:
                    sentences.add(said)
                elif result != alone[0]:
                    trial.fail("printed something else than one process on a full disk")
            os.remove(filler)
            trial.ends_as(alone, session, [trial.begin(session) for _ in range(2)])
    return " | ".join(sorted(sentences)).replace(trial.folder, "...")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cli")
    parser.add_argument("--kills", type=int, default=24, help="of each command")
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--model", default="tiny-transformer")
    parser.add_argument("--only", choices=COMMANDS)
    parser.add_argument("--kills-only", action="store_true", help="hold nobody, and fill no disk")
    options = parser.parse_args()
    in_own_mounts()
    columns = ("rounds", "kills", "before", "with a chunk", "between", "behind", "joined", "waited")
    print("Killed: before the work was offered, with a chunk, between chunks, behind the last one\n")
    print(f"{'command':12}" + "".join(f"{column:>14}" for column in columns), flush=True)
    with tempfile.TemporaryDirectory(prefix="headscope-kill-") as folder:
        trial = Trial(options, folder)
        others = []
        for trial.name in [options.only] if options.only else COMMANDS:
            alone = trial.alone()
            told = dict.fromkeys(columns, 0)
            while told["kills"] < options.kills:
                kill_round(trial, alone, told)
            print(f"{trial.name:12}" + "".join(f"{told[column]:14}" for column in columns), flush=True)
            if not options.kills_only:
                others.append(f"{trial.name}: {held(trial, alone)}\n    full disk: {full_disk(trial, alone)}")
        print("\n" + "\n".join(others))
    print(f"\n{trial.problems} problems" + ("" if trial.clock else "; no C compiler, so no clock jumped"))
    return 1 if trial.problems else 0


if __name__ == "__main__":
    sys.exit(main())
