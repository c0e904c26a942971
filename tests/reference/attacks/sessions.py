# SPDX-License-Identifier: GPL-3.0-or-later
"""Session files whose rows or bytes were changed, given to every command that reads one and to the window."""
import json
import os
import shutil
import sqlite3

from .program import PROMPT, ROOT

TABLES = ["scores", "examples", "rankings", "heads", "ablations", "runs", "models", "patterns", "surveys", "analyses", "history"]
ANSWERS = [("tiny", 1, "Which head?", "choice", "L2H5", 1, "knowledge", 3.5), ("tiny", 2, "Why?", "open", "It reads the key.", None, "", 20.0),
           ("own-words", 1, "Done?", "check", "done", 0, "guess", 1.0)]


class Sessions:
    def __init__(self, program):
        self.program, self.random, self.folder = program, program.random, program.folder
        self.made = self.folder / "seed.headscope"

    def make_seed(self):
        """A session with something in every table."""
        model, task = "tiny-transformer", ["--task", "toy_kv:pairs=4"]
        text = ["--text", PROMPT]
        texts = self.folder / "texts.txt"
        texts.write_text((PROMPT + " red . ") * 60)
        for words in (["score", model, *task, "--limit", "6", "--ablate", "L2H5"], ["score", model, "--task", "toy_mc", "--limit", "4"],
                      ["rank", model, *task, "--limit", "2", "--method", "gather"], ["survey", model, "--texts", texts, "--head", "L2H*"],
                      ["attribute", model, *text], ["lens", model, *text], ["patch", model, *task, "--limit", "2"], ["weights", model], ["probe", model, "--sequences", "1"]):
            self.program.quietly([*words, "--session", self.made])
        with sqlite3.connect(self.made) as db:
            db.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, '2026-01-01T00:00:00Z')", ANSWERS)

    def hostile_file(self):
        if not self.made.exists():
            self.make_seed()
        file = self.folder / "hostile.headscope"
        for suffix in ("", "-wal", "-shm"):
            (self.folder / ("hostile.headscope" + suffix)).unlink(missing_ok=True)
        stored = sorted((ROOT / "tests/data/sessions").glob("*.session"))
        shutil.copy(self.made if self.random.random() < 0.7 or not stored else self.random.choice(stored), file)
        if self.random.random() < 0.75:
            self.change_rows(file)
        else:
            file.write_bytes(self.program.changed_bytes(file.read_bytes()))
        return file

    def value(self, old):
        """What is put in a field: where it holds JSON, mostly the same with one place changed."""
        if isinstance(old, str) and old[:1] in ("{", "[") and self.random.random() < 0.6:
            try:
                return json.dumps(self.program.changed(json.loads(old)))
            except (ValueError, RecursionError):
                pass
        if isinstance(old, bytes) and self.random.random() < 0.6:
            return self.program.changed_bytes(old)
        value = self.program.hostile()
        if isinstance(value, (list, dict)):
            return json.dumps(value)
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            return str(value)
        return os.urandom(self.random.choice([0, 3, 4096])) if self.random.random() < 0.1 else value

    def change_rows(self, file):
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA foreign_keys = OFF")
            db.execute("PRAGMA ignore_check_constraints = ON")
            tables = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
            for _ in range(self.random.choice([1, 1, 3, 10])):
                table = self.random.choice(tables)
                info = db.execute(f"PRAGMA table_info({table})").fetchall()
                if not info:  # renamed before
                    continue
                column = self.random.choice([row[1] for row in info])
                key = ", ".join(row[1] for row in info if row[5]) or "rowid"  # tables without a rowid have a key of columns
                old = db.execute(f"SELECT {column} FROM {table} ORDER BY random() LIMIT 1").fetchone()
                value = self.value(old[0] if old else None)
                one = f"({key}) IN (SELECT {key} FROM {table} ORDER BY random() LIMIT 1)"
                order = self.random.choice([f"UPDATE {table} SET {column} = ?", f"UPDATE {table} SET {column} = ? WHERE {one}", f"UPDATE {table} SET {column} = ? WHERE {one}",
                                            f"DELETE FROM {table} WHERE {column} IS NOT ?", f"DELETE FROM {table} WHERE {one}"])
                if self.random.random() < 0.05:
                    order = self.random.choice([f"CREATE TRIGGER t{self.random.randrange(999)} AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
                                                f"ALTER TABLE {table} RENAME TO {table}_old", f"CREATE TABLE x{self.random.randrange(999)}(a)"])
                try:
                    db.execute(order, (value,) if "?" in order else ())
                except (sqlite3.Error, UnicodeEncodeError):
                    pass

    def commands(self, file):
        out, number, model, seed = self.folder / "out", self.program.runs, "tiny-transformer", self.made
        table = self.random.choice(TABLES)
        text = ["--text", PROMPT, "--session", file, "--device", "cpu"]
        task = ["--task", "toy_kv:pairs=4", "--session", file, "--device", "cpu", "--limit"]
        return [["session", "info", file], ["session", "info", file, "--json"], ["session", "verify", file], ["session", "export", file, "--table", table],
                ["session", "export", file, "--table", table, "--format", self.random.choice(["json", "latex", "markdown"]), "--no-paths"], ["session", "compact", file],
                ["session", "report", file, "-o", out / "r.md"], ["session", "report", file, "-o", out / "r.pdf"], ["session", "report", seed, file],
                ["session", "compare", file, "baseline", "L2H5"], ["session", "duplicate", file, self.folder / f"copy-{number}.headscope", "--no-paths"],
                ["session", "merge", self.folder / "merged.headscope", file], ["session", "merge", file, seed], ["figure", file, "--list"],
                ["figure", file, self.random.choice(["kv-curve", "removal", "survey", "patch"]), "-o", out / "f.svg"], ["class", self.folder / "class"],
                ["class", self.folder / "class", "-o", out / "c.svg", "--json"], ["score", model, *task, 6], ["rank", model, *task, 2, "--method", "gather"],
                ["survey", model, "--texts", self.folder / "texts.txt", "--head", "L2H*", "--session", file, "--device", "cpu"], ["lens", model, *text], ["attribute", model, *text],
                ["patch", model, *task, 2]]

    def attack(self):
        file = self.hostile_file()
        kept, out, lessons = self.folder / "before.headscope", self.folder / "out", self.folder / "class"
        shutil.copy(file, kept)
        out.mkdir(exist_ok=True)
        lessons.mkdir(exist_ok=True)
        shutil.copy(file, lessons / "a.headscope")
        shutil.copy(self.made, lessons / "b.headscope")
        if not (self.folder / "merged.headscope").exists():
            shutil.copy(self.made, self.folder / "merged.headscope")
        if self.program.options.window and self.random.random() < 0.15:
            act = self.random.choice(["why", "patching", "edges", "survey", "weights", "probes", "continue", "flips"])
            self.program.run(["--session", file, "--picture", out / "window.png", "--act", act, "--device", "cpu", "tiny-transformer"], [kept], program=self.program.options.window)
        else:
            self.program.run(self.random.choice(self.commands(file)), [kept])
        for copy in self.folder.glob("copy-*"):
            copy.unlink()
        shutil.rmtree(out)
