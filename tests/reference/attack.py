#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Give `headscope-cli` hostile sessions, models and arguments, drawn from a seed, and tell what it does not withstand. A developer's tool.

    python3 tests/reference/attack.py build/release/app/headscope-cli [--seed S] [--sessions N] [--models N] [--arguments N] [--keep FOLDER]

A run withstands when it ends by itself with one of the exit codes of --help, says at most a few kilobytes of plain text on standard
error, says nothing of an unexpected failure, and takes less than two gigabytes. What did not is told with its command, and its input is
kept. The exit status is 1 when there was anything.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CODES = {0, 1, 2, 130}
LIMIT = 120  # s; beside other work
MEMORY = 2 << 30
PLAIN = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]")
NUMBERS = [0, -1, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, -(2**63), 1e300, -1e-300, 0.5, float("nan"), float("inf")]
TEXTS = ["", " ", "x", "\x1b]0;owned\x07\x1b[2J", "<img src=\"/dev/zero\">", "=HYPERLINK(\"x\")", "/dev/zero", "/dev/stdin", "../../../etc/passwd",
         "\u202e\u0000\U0001f600", "a" * 70000, "L2H5", "L999999999H999999999", "keep:", "[[[[", "{\"a\":" * 2000, "%s%n%d", "toy_kv:pairs=-1",
         "toy_kv:pairs=99999999999", "cuda:99", "fp0", "1e400", "0x10", "--", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")]


class Attack:
    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attack-"))
        self.keep = pathlib.Path(options.keep)
        self.runs, self.found, self.slow, self.codes = 0, [], [], {}
        self.environment = dict(os.environ, HF_ENDPOINT="http://127.0.0.1:9", QT_QPA_PLATFORM="offscreen", HOME=str(self.folder),
                                **{f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")})

    def hostile(self):
        kind = self.random.randrange(4)
        if kind == 0:
            return self.random.choice(NUMBERS)
        if kind == 1:
            return self.random.choice(TEXTS)
        return self.random.choice([None, True, [], {}, [[]], [1, "x", None], {"type": "x"}, [0] * 1000]) if kind == 2 else self.random.randrange(-5, 300)

    def run(self, words, inputs):
        """One command; `inputs` is kept where it did not withstand."""
        words = [word.replace("\0", "") for word in words]
        self.runs += 1
        begun = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            # No file of more than a gigabyte: a limit that asks for one must not fill the disk.
            process = subprocess.Popen([self.options.cli] + words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=self.environment, cwd=self.folder,
                                       start_new_session=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30)))
            pid, status, usage = 0, 0, None
            while pid == 0 and time.monotonic() - begun < LIMIT:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                time.sleep(0.005)
            if pid == 0:
                os.killpg(process.pid, signal.SIGKILL)
                os.wait4(process.pid, 0)
                process.returncode = 0
                self.slow.append(" ".join(words)[:300])
                return
            process.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            said = err.read()
            out.seek(0)
            written = out.read(1 << 20)
        code = process.returncode
        self.codes[code] = self.codes.get(code, 0) + 1
        wrong = []
        if code not in CODES:
            wrong.append(f"ended with {code}")
        if b"Unexpected" in said or b"what()" in said or b"terminate called" in said:
            wrong.append("an unexpected failure")
        if code in (1, 2) and not said.strip():
            wrong.append("failed without a word")
        if len(said) > 20000:
            wrong.append(f"{len(said)} bytes of messages")
        if PLAIN.search(said) or ("--output" not in words and "-o" not in words and PLAIN.search(written.replace(b"\r\n", b"\n"))):
            wrong.append("orders for a terminal")
        if usage.ru_maxrss * 1024 > MEMORY:
            wrong.append(f"{usage.ru_maxrss >> 10} MB of memory")
        if wrong:
            self.report(wrong, words, said, inputs)

    def report(self, wrong, words, said, inputs):
        number = len(self.found)
        self.found.append(wrong)
        self.keep.mkdir(parents=True, exist_ok=True)
        for path in inputs:
            target = self.keep / f"{self.options.seed}-{number}-{path.name}"
            shutil.copytree(path, target, dirs_exist_ok=True) if path.is_dir() else shutil.copy(path, target)
        print(f"FOUND {number}: {', '.join(wrong)}\n  {' '.join(words)[:600]!r}\n  {said[-300:]!r}", flush=True)

    # Sessions

    def session(self):
        seed = self.folder / "seed.headscope"
        if not seed.exists():
            for words in (["score", "tiny-transformer", "--task", "toy_kv:pairs=4", "--limit", "6", "--ablate", "L2H5"], ["score", "tiny-transformer", "--task", "toy_mc", "--limit", "4"],
                          ["rank", "tiny-transformer", "--task", "toy_kv:pairs=4", "--limit", "2", "--method", "gather"]):
                subprocess.run([self.options.cli, *words, "--session", str(seed), "--quiet", "--device", "cpu"], env=self.environment, check=True, capture_output=True)
        file = self.folder / "hostile.headscope"
        for suffix in ("", "-wal", "-shm"):
            (self.folder / ("hostile.headscope" + suffix)).unlink(missing_ok=True)
        stored = sorted((ROOT / "tests/data/sessions").glob("*.session"))
        shutil.copy(seed if self.random.random() < 0.6 or not stored else self.random.choice(stored), file)
        (self.change_rows if self.random.random() < 0.7 else self.change_bytes)(file)
        return file

    def change_bytes(self, file):
        data = bytearray(file.read_bytes())
        for _ in range(self.random.choice([1, 2, 20, 500])):
            at = self.random.randrange(len(data)) if self.random.random() < 0.7 else self.random.randrange(min(100, len(data)))
            data[at] = self.random.randrange(256)
        if self.random.random() < 0.2:
            del data[self.random.randrange(len(data)):]
        file.write_bytes(data)

    def change_rows(self, file):
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA foreign_keys = OFF")
            db.execute("PRAGMA ignore_check_constraints = ON")
            tables = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
            for _ in range(self.random.choice([1, 1, 3, 10])):
                table = self.random.choice(tables)
                columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
                if not columns:  # renamed before
                    continue
                column, value = self.random.choice(columns), self.hostile()
                if isinstance(value, (list, dict)):
                    value = json.dumps(value)
                if isinstance(value, int) and not -(2**63) <= value < 2**63:
                    value = str(value)
                if self.random.random() < 0.15:
                    value = os.urandom(self.random.choice([0, 3, 4096]))
                order = self.random.choice([f"UPDATE {table} SET {column} = ?", f"UPDATE {table} SET {column} = ? WHERE rowid IN (SELECT rowid FROM {table} ORDER BY random() LIMIT 1)",
                                            f"DELETE FROM {table} WHERE {column} IS NOT ?"])
                if self.random.random() < 0.05:
                    order, value = self.random.choice([f"CREATE TRIGGER t{self.random.randrange(999)} AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
                                                       f"ALTER TABLE {table} RENAME TO {table}_old", f"CREATE TABLE x{self.random.randrange(999)}(a)"]), None
                try:
                    db.execute(order, (value,) if "?" in order else ())
                except (sqlite3.Error, UnicodeEncodeError):
                    pass

    def attack_session(self):
        file = self.session()
        table = self.random.choice(["scores", "examples", "rankings", "heads", "ablations", "runs"])
        words = self.random.choice([["session", "info", file], ["session", "info", file, "--json"], ["session", "verify", file], ["session", "export", file, "--table", table], ["session", "compact", file],
                                    ["session", "report", file], ["session", "compare", file, "baseline", "L2H5"], ["session", "duplicate", file, self.folder / f"copy-{self.runs}.headscope", "--no-paths"],
                                    ["session", "merge", self.folder / "merged.headscope", file], ["session", "merge", file, self.folder / "seed.headscope"],
                                    ["figure", file, "kv-curve", "-o", self.folder / "f.svg"], ["score", "tiny-transformer", "--task", "toy_kv:pairs=4", "--limit", "6", "--session", file, "--device", "cpu"],
                                    ["rank", "tiny-transformer", "--task", "toy_kv:pairs=4", "--limit", "2", "--method", "gather", "--session", file, "--device", "cpu"]])
        if words[1] == "merge" and not (self.folder / "merged.headscope").exists():
            shutil.copy(self.folder / "seed.headscope", self.folder / "merged.headscope")
        kept = self.folder / "before.headscope"
        shutil.copy(file, kept)
        self.run([str(word) for word in words], [kept])
        for copy in self.folder.glob("copy-*"):
            copy.unlink()

    # Models

    def attack_model(self):
        models = [path.parent for path in sorted(ROOT.glob("resources/models/tiny-*/config.json")) + sorted(ROOT.glob("tests/data/golden/*/config.json"))]
        folder = self.folder / "model"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.random.choice(models), folder)
        for _ in range(self.random.choice([1, 1, 2, 4])):
            self.change_file(self.random.choice([file for file in sorted(folder.iterdir()) if file.is_file()]))
        model = str(folder)
        words = self.random.choice([["info", model], ["info", model, "--json"], ["tokenize", model, "--text", "The value of k3 is"], ["score", model, "--task", "toy_kv:pairs=4", "--limit", "2"],
                                    ["pattern", model, "--text", "The value", "--head", "L0H0"], ["generate", model, "--text", "The value", "--new-tokens", "3"], ["weights", model, "--head", "L0H0"],
                                    ["rank", model, "--task", "toy_kv:pairs=4", "--limit", "1", "--method", "gather"]])
        self.run(words + ["--device", "cpu", "--quiet"] * (words[0] not in ("info", "tokenize")), [folder])

    def change_file(self, file):
        data = file.read_bytes()
        if file.suffix == ".json" and self.random.random() < 0.85:
            try:
                value = json.loads(data)
            except ValueError:
                return self.change_bytes(file)
            text = json.dumps(self.changed(value))
            file.write_text(text if self.random.random() < 0.97 else text[: self.random.randrange(len(text) + 1)])
        elif file.suffix == ".safetensors" and len(data) > 8 and self.random.random() < 0.8:
            size = struct.unpack("<Q", data[:8])[0]
            try:
                header = json.dumps(self.changed(json.loads(data[8:8 + size]))).encode()
            except ValueError:  # changed before
                return self.change_bytes(file)
            file.write_bytes(struct.pack("<Q", self.random.choice([len(header)] * 8 + [0, len(header) + 1, 2**40])) + header + data[8 + size:])
        elif data:
            self.change_bytes(file)

    def changed(self, value):
        """One place of a JSON value, wherever it lies, made hostile or taken away."""
        parent, key, at = None, None, value
        while isinstance(at, (dict, list)) and at and (parent is None or self.random.random() < 0.8):
            parent, key = at, self.random.choice(list(at)) if isinstance(at, dict) else self.random.randrange(len(at))
            at = at[key]
        if parent is None:
            return self.hostile()
        drawn = self.random.random()
        if drawn < 0.15:
            del parent[key]
        elif drawn < 0.3 and isinstance(at, (int, float)) and not isinstance(at, bool):
            parent[key] = at * self.random.choice([2, -1, 1000, 0.5]) + self.random.choice([0, 1, -1])
        else:
            parent[key] = self.hostile()
        return value

    # Arguments

    def options_of(self):
        """Each command with its options, as the completion of a shell lists them: (name, takes a value)."""
        script = subprocess.run([self.options.cli, "completion", "fish"], capture_output=True, text=True, check=True).stdout
        commands, common = {}, []
        for line in script.splitlines():
            name = re.search(r"__fish_seen_subcommand_from ([\w-]+)'", line)
            long = re.search(r" -l ([\w-]+)", line)
            if long:
                option = ("--" + long.group(1), " -x" in line or " -r" in line)
                (commands.setdefault(name.group(1), []) if name else common).append(option)
        return commands, common

    def attack_arguments(self):
        if not hasattr(self, "commands"):
            self.commands, self.common = self.options_of()
        name = self.random.choice([name for name in self.commands if name not in ("train", "distill", "bench", "experiment", "demo")])
        words = [name]
        if self.random.random() < 0.8:
            words.append(self.random.choice(["tiny-transformer", "tiny-ssm", str(self.folder), "nowhere/model", *TEXTS]))
        for _ in range(self.random.choice([1, 2, 3, 5])):
            option, takes = self.random.choice(self.commands[name] + self.common)
            words.append(option)
            if takes and self.random.random() < 0.9:
                good = {"--task": "toy_kv:pairs=4", "--limit": "2", "--head": "L2H5", "--text": "The value", "--device": "cpu", "--output": str(self.folder / "out.csv")}
                words.append(good[option] if option in good and self.random.random() < 0.6 else str(self.hostile()))
        if "--limit" in [option for option, _ in self.commands[name]] and "--limit" not in words:
            words += ["--limit", "2"]
        self.run(words, [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cli")
    parser.add_argument("--seed", type=int, default=1)
    for kind in ("sessions", "models", "arguments"):
        parser.add_argument(f"--{kind}", type=int, default=200)
    parser.add_argument("--keep", default="build/attack")
    attack = Attack(parser.parse_args())
    attack.options.cli = os.path.abspath(attack.options.cli)
    try:
        for kind, one in (("sessions", attack.attack_session), ("models", attack.attack_model), ("arguments", attack.attack_arguments)):
            attack.codes = {}
            for _ in range(getattr(attack.options, kind)):
                one()
            print(f"{kind}: {getattr(attack.options, kind)}, exit codes {dict(sorted(attack.codes.items()))}", flush=True)
    finally:
        shutil.rmtree(attack.folder, ignore_errors=True)
    for words in attack.slow:
        print(f"SLOW (over {LIMIT} s): {words!r}")
    print(f"{attack.runs} runs, {len(attack.found)} did not withstand, {len(attack.slow)} were slow")
    return 1 if attack.found or attack.slow else 0


if __name__ == "__main__":
    sys.exit(main())
