# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL, SIGTERM and SIGINT at any moment of a long run that writes: its session is sound, keeps what was there, and the run goes on."""
import shutil
import signal
import sqlite3
import subprocess
import time

from .program import PROMPT

KEPT = ["results", "ranking_heads", "survey_values", "analysis_values", "answers"]


class Kills:
    def __init__(self, program):
        self.program, self.random, self.folder = program, program.random, program.folder
        self.lengths = {}

    def commands(self, file):
        model, device, out = "tiny-transformer", ["--device", "cpu", "--quiet"], self.folder / "killed"
        task = ["--task", "toy_kv:pairs=8"]
        texts = self.folder / "kill-texts.txt"
        if not texts.exists():
            texts.write_text((PROMPT + " red . ") * 3000)
        return {"score": ["score", model, *task, "--limit", "200", "--ablate", "L2H5", "--session", file, *device], "rank": ["rank", model, *task, "--limit", "20", "--session", file, *device],
                "estimate": ["rank", model, *task, "--limit", "20", "--method", "estimate", "--session", file, *device], "survey": ["survey", model, "--texts", texts, "--session", file, *device],
                "patch": ["patch", model, *task, "--limit", "20", "--session", file, *device], "probe": ["probe", model, "--session", file, *device],
                "compact": ["session", "compact", file], "merge": ["session", "merge", file, self.folder / "seed.headscope"], "duplicate": ["session", "duplicate", self.folder / "seed.headscope", out / "d.headscope"],
                "export": ["session", "export", file, "--table", "examples", "-o", out / "x.csv"], "report": ["experiment", "redundancy", model, "--limit", "4", "-o", out / "e", "--session", file, *device],
                "train": ["train", "tiny-ssm", "-o", out / "t", "--steps", "30", "--quiet"]}

    def held(self, file):
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
            return {table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in KEPT}

    def attack(self):
        seed = self.folder / "seed.headscope"
        file, out = self.folder / "kill.headscope", self.folder / "killed"
        for suffix in ("", "-wal", "-shm"):
            (self.folder / ("kill.headscope" + suffix)).unlink(missing_ok=True)
        shutil.copy(seed, file)
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        name, words = self.random.choice(list(self.commands(file).items()))
        words = [str(word) for word in words]
        before = self.held(file)
        order = self.random.choice([signal.SIGKILL] * 4 + [signal.SIGTERM, signal.SIGINT])
        for _ in range(self.random.choice([1, 2, 3])):
            begun = time.monotonic()
            with subprocess.Popen([self.program.options.cli, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.environment(), cwd=self.folder) as process:
                try:
                    process.wait(self.random.random() * self.lengths.get(name, 3) * 1.05)
                    self.lengths[name] = time.monotonic() - begun
                except subprocess.TimeoutExpired:
                    process.send_signal(order)
                said = process.stderr.read()
            self.program.runs += 1
            # Before the program has begun a signal ends it by itself.
            if process.returncode not in (0, 1, 130, -signal.SIGKILL, -signal.SIGINT) and not (order == signal.SIGTERM and process.returncode in (-signal.SIGTERM, 143)):
                self.program.report([f"ended with {process.returncode}"], words, said, [file])
            if order != signal.SIGKILL and process.returncode == 1 and b"exist" not in said:
                self.program.report(["failed when it was stopped"], words, said, [file])
        self.check(words, file, before)

    def environment(self):
        return self.program.environment

    def check(self, words, file, before):
        wal = file.with_name(file.name + "-wal")
        kept = self.folder / "after-kill.headscope"
        shutil.copy(file, kept)
        if wal.exists():
            shutil.copy(wal, kept.with_name(kept.name + "-wal"))
        told = subprocess.run([self.program.options.cli, "session", "verify", str(file)], env=self.environment(), capture_output=True)
        if told.returncode != 0:
            return self.program.report(["a session that is not sound"], words, told.stdout + told.stderr, [kept])
        now = self.held(file)
        lost = [table for table in KEPT if now[table] < before[table]]
        if lost and words[0] not in ("survey", "rank"):  # what is measured again takes the place of what was there
            self.program.report([f"lost rows of {', '.join(lost)}"], words, b"", [kept])
        # Nothing half written lies under the name that was asked for.
        for left in (self.folder / "killed").rglob("*"):
            if left.name == "d.headscope" and subprocess.run([self.program.options.cli, "session", "verify", str(left)], env=self.environment(), capture_output=True).returncode != 0:
                self.program.report(["half a copy"], words, b"", [left])
