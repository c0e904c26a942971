# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the parts of one measurement on an executor, merges their sessions as they arrive, and ends with the command's JSON."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.parse
from typing import Callable, Collection, Hashable, NamedTuple, Protocol

from headscope_cluster.jobs import Job, Outcome, sentence_of

Handle = Hashable


class Failed(Exception):
    """One sentence for the user."""


class Executor(Protocol):
    """Runs jobs somewhere. Jobs whose failure may pass (a ChildProcessError of run_job) are retried by the executor."""

    def slots(self) -> int:
        """Returns how many jobs run at the same time."""

    def start(self, job: Job) -> Handle:
        """Queues a job."""

    def wait(self, handles: Collection[Handle], seconds: float) -> Handle | None:
        """Returns one of `handles` whose job has ended, or None after `seconds`."""

    def result(self, handle: Handle) -> Outcome:
        """Returns what an ended job produced. Raises Failed once its retries are used up."""

    def cancel(self, handle: Handle) -> None:
        """Stops a job whose result is not needed any more."""


@dataclasses.dataclass(frozen=True)
class Study:
    """One command in parts."""

    cli: str  # the program, here and on the workers
    words: tuple[str, ...]  # "rank", MODEL and the options of the command
    parts: int
    session: pathlib.Path
    model: str = ""  # the path of the model, empty where MODEL is a name

    def job(self, *more: str, session: bytes = b"") -> Job:
        return Job((self.cli, *self.words, "--json", "--quiet", *more), session, os.getcwd(), self.model)

    def part(self, number: int) -> Job:
        return self.job("--part", f"{number}/{self.parts}")


class PartRow(NamedTuple):
    """A row of a session's table `parts`."""

    work: str  # a hash of everything that decides the results, and of how they are divided
    part: int
    parts: int
    what: str
    version: str


def parts_in(session: pathlib.Path) -> list[PartRow]:
    """Returns the finished parts that a session holds; none where it is of a time before parts."""
    db = sqlite3.connect(f"file:{urllib.parse.quote(os.fsencode(session.absolute()))}?mode=rw", uri=True)
    try:
        db.execute("PRAGMA query_only = ON")  # with mode=ro, the log that SQLite makes to read would stay beside the file
        if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'parts'").fetchone():
            return []
        return [PartRow(*row) for row in db.execute("SELECT work, part, parts, what, version FROM parts WHERE done")]
    except sqlite3.Error as error:
        raise Failed(f"Session {str(session)!r} cannot be read: {error}.") from error
    finally:
        db.close()


class _Run:
    """One run of a study: which parts are waited for, which failed, how fast they arrive."""

    def __init__(self, study: Study, executor: Executor, report: Callable[[str], None], clock: Callable[[], float]) -> None:
        self.study, self.executor, self.report, self.clock = study, executor, report, clock
        self.waiting: dict[Handle, int] = {}
        self.copied: set[int] = set()
        self.failures: dict[int, str] = {}
        self.seconds: list[float] = []
        self.first: dict[str, PartRow] = {}  # rows of the first part that arrived, by work
        self.wanted = study.parts
        self.began = clock()

    def start(self, parts: Collection[int]) -> None:
        self.waiting.update({self.executor.start(self.study.part(number)): number for number in parts})

    def missing(self) -> list[int]:
        """The parts that the session lacks of the works that the first part had."""
        rows = {(row.work, row.part) for row in parts_in(self.study.session)}
        return [number for number in range(self.study.parts) if any((work, number) not in rows for work in self.first)]

    def collect(self) -> None:
        """Merges parts until none is waited for."""
        while self.waiting:
            handle = self.executor.wait(list(self.waiting), self.patience())
            if handle is None:
                self.start_again()
                continue
            number = self.waiting.pop(handle)
            try:
                outcome = self.executor.result(handle)
            except Failed as failure:
                self.failed(number, str(failure))
                continue
            if outcome.error:
                raise Failed(outcome.error)
            self.arrived(number, outcome)

    def patience(self) -> float:
        """As long as a part usually takes: whichever started when the last one arrived is late by then."""
        return max(1.0, statistics.median(self.seconds)) if self.seconds else 60.0

    def start_again(self) -> None:
        """Near the end, spare workers start the parts that are late once more, as MapReduce does; the first to arrive counts."""
        late = set(self.waiting.values()) - self.copied
        if not self.executor.slots():
            self.report(f"no worker is left; parts that wait for one: {len(set(self.waiting.values()))}")
        if self.seconds and late and len(self.waiting) <= max(1, self.study.parts // 10) \
                and len(self.waiting) < self.executor.slots():
            self.copied |= late
            self.start(late)
            self.report(f"{_names(late)}: started again on another worker")

    def failed(self, number: int, sentence: str) -> None:
        if number in self.waiting.values():
            return  # its copy is still running
        if not self.seconds:  # nothing has worked yet: the other parts would only fail later
            raise Failed(f"Part {number} of {self.study.parts} failed: {sentence}")
        self.failures[number] = sentence
        self.report(f"part {number} failed: {sentence}")

    def arrived(self, number: int, outcome: Outcome) -> None:
        self.merge(number, outcome)
        for other in [handle for handle, part in self.waiting.items() if part == number]:
            self.executor.cancel(other)
            del self.waiting[other]
        self.failures.pop(number, None)
        self.seconds.append(outcome.seconds)
        if not self.wanted:
            return
        rate = len(self.seconds) / max(self.clock() - self.began, 1e-9)
        left = self.wanted - len(self.seconds)
        done = self.study.parts - left
        self.report(f"[{'#' * (20 * done // self.study.parts):-<20}] {done} of {self.study.parts} parts; part {number} took "
                    f"{duration(outcome.seconds)} on {outcome.node}; {60 * rate:.3g} parts a minute, {duration(left / rate)} left")

    def merge(self, number: int, outcome: Outcome) -> None:
        """Adds a part to the study's session, which is created from the first one."""
        session = self.study.session.absolute()
        with tempfile.TemporaryDirectory(prefix=".headscope-merge-", dir=session.parent) as scratch:
            part = pathlib.Path(scratch, "part.headscope")
            part.write_bytes(outcome.session)
            if number < self.study.parts:
                self.check(number, outcome.node, parts_in(part))
            if session.exists():
                program(self.study.cli, "session", "merge", str(session), str(part))
            else:
                program(self.study.cli, "session", "duplicate", str(part), str(session))

    def check(self, number: int, node: str, rows: list[PartRow]) -> None:
        """The same part of the same works by the same version, or a sentence."""
        if {(row.part, row.parts) for row in rows} != {(number, self.study.parts)}:
            found = " and ".join(sorted({f"part {row.part} of {row.parts}" for row in rows})) or "no part"
            raise Failed(f"Node {node} returned {found}; expected part {number} of {self.study.parts}.")
        self.first = self.first or {row.work: row for row in rows}
        first = next(iter(self.first.values()))
        if other := next((row for row in rows if row.version != first.version), None):
            raise Failed(f"Node {node} has version {other.version} of Headscope, and part {first.part} was measured by version "
                         f"{first.version}: install one version on all nodes.")
        if {row.work for row in rows} != set(self.first):
            raise Failed(f"Part {number}, measured on node {node}, is of different work than part {first.part} ({rows[0].what}; "
                         f"{first.what}): give all nodes the same model, data and kind of device.")

    def finish(self) -> str:
        """Runs the whole command with the merged session on a worker, because the model and its device are there."""
        with tempfile.TemporaryDirectory(prefix=".headscope-merge-", dir=self.study.session.absolute().parent) as scratch:
            copy = pathlib.Path(scratch, "merged.headscope")  # another program may have the session open, with rows in its log
            program(self.study.cli, "session", "duplicate", str(self.study.session.absolute()), str(copy))
            handle = self.executor.start(self.study.job(session=copy.read_bytes()))
        self.waiting[handle] = self.study.parts
        while self.executor.wait([handle], 60.0) is None:
            pass
        outcome = self.executor.result(handle)
        del self.waiting[handle]
        if outcome.error:
            raise Failed(outcome.error)
        self.merge(self.study.parts, outcome)  # with the ranking itself
        return outcome.output


def run(study: Study, executor: Executor, report: Callable[[str], None], clock: Callable[[], float] = time.monotonic,
        times: list[float] | None = None) -> str:
    """Runs every part that the session lacks and returns the JSON of the whole command.

    Finished parts are in `study.session` whatever happens, so that the same call does the rest. The seconds that each
    part took are added to `times`, from which plan.py predicts other runs.
    """
    state = _Run(study, executor, report, clock)
    state.seconds = times if times is not None else []
    try:
        if study.session.exists() and any(row.parts == study.parts for row in parts_in(study.session)):
            report("looking which parts the session has: part 0 is measured again")
            state.wanted = 0
            state.start([0])
            state.collect()
            missing = state.missing()
            report(f"{study.parts - len(missing)} of {study.parts} parts are in {str(study.session)!r}")
            state.wanted = len(missing) + 1
            state.start(missing)
        else:
            state.start(range(study.parts))
        state.collect()
        if state.failures:
            first = min(state.failures)
            raise Failed(f"{_names(state.failures)} of {study.parts} failed: {state.failures[first]} "
                         f"The others are in {str(study.session)!r}; the same command does the rest.")
        if missing := state.missing():
            raise Failed(f"{str(study.session)!r} lacks {_names(missing)} of {study.parts}, which was merged: "
                         "another program has changed the file.")
        return state.finish()
    finally:
        for handle in state.waiting:
            executor.cancel(handle)


def program(*command: str) -> str:
    """Runs headscope-cli on this machine and returns its output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise Failed(f"{command[0]!r} cannot be run here: {error.strerror}. Install Headscope, or name the program with --cli.") from error
    if done.returncode != 0:
        raise Failed(sentence_of(done.stderr, done.returncode))
    return done.stdout


def _names(parts: Collection[int]) -> str:
    return ("part " if len(parts) == 1 else "parts ") + ", ".join(map(str, sorted(parts)))


def duration(seconds: float) -> str:
    """Returns 5.0 s, 12 s, 3.5 min or 2.1 h."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
