# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one headscope-cli command on a worker. Needs the standard library only: Ray sends this module to its workers."""

from __future__ import annotations

import ctypes
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

WRONG_USE = 2


class Job(NamedTuple):
    """One command, its session, and where to run it."""

    command: tuple[str, ...]  # the program and its arguments, without --session
    session: bytes = b""  # the session file to start from
    folder: str = ""  # working directory, used where the worker has it
    model: str = ""  # a path that the worker has to have; empty for a shipped or cached model


class Outcome(NamedTuple):
    """What a job produced. A job with an `error` fails again wherever it runs; one that may pass raises ChildProcessError."""

    output: str = ""
    session: bytes = b""
    seconds: float = 0.0
    node: str = ""
    error: str = ""


def run_job(job: Job) -> Outcome:
    """Runs `job.command` with a session of its own and returns what it printed and the bytes of that session."""
    node = platform.node()
    program = job.command[0]
    if not shutil.which(program):
        return Outcome(error=f"Node {node} has no program {program!r}: install Headscope there, or name the program with --cli.")
    if job.model and not os.path.exists(job.model):
        return Outcome(error=f"Node {node} has no model at {job.model!r}: put it where every node finds it under this path.")
    with tempfile.TemporaryDirectory(prefix="headscope-part-") as scratch:
        file = pathlib.Path(scratch, "part.headscope")
        if job.session:
            file.write_bytes(job.session)
        started = time.monotonic()
        done = subprocess.run([*job.command, "--session", str(file)], capture_output=True, text=True, errors="replace",
                              cwd=job.folder if os.path.isdir(job.folder) else scratch, preexec_fn=_end_with_parent)
        seconds = time.monotonic() - started
        if done.returncode == WRONG_USE:
            return Outcome(error=sentence_of(done.stderr, done.returncode), node=node)
        if done.returncode != 0:
            raise ChildProcessError(f"{sentence_of(done.stderr, done.returncode)} (on node {node})")
        log = file.with_name(file.name + "-wal")
        if log.exists() and log.stat().st_size:  # the rows are in the log still: the disk was full when the program ended
            raise ChildProcessError(f"The disk of node {node} has no room for the session in {tempfile.gettempdir()!r}.")
        return Outcome(done.stdout, file.read_bytes(), seconds, node)


def sentence_of(errors: str, code: int) -> str:
    """The sentence that headscope-cli ended with, or what became of it where there is none."""
    lines = [line for line in errors.splitlines() if line.startswith("headscope-cli: ")]
    if lines:
        return lines[-1].removeprefix("headscope-cli: ")
    if code in (-signal.SIGKILL, 128 + signal.SIGKILL):
        return "headscope-cli was killed, probably because the machine ran out of memory."
    if code < 0:
        return f"headscope-cli was ended by signal {-code}."
    said = [line for line in errors.splitlines() if line.strip()]  # wrong use: what is wrong, then where help is
    return said[0] if said else f"headscope-cli ended with exit code {code}."


def _end_with_parent() -> None:
    """Runs in the child: a worker that is killed takes its headscope-cli along (Linux)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
