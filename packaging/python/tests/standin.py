# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for headscope-cli that divides, merges and answers as it does, in milliseconds.

Faults are files `part-K` in the folder $STANDIN_FAULTS, a word a line; each attempt at part K takes the first line.
"""
import json
import os
import pathlib
import signal
import sqlite3
import sys

CHUNKS = 24
SCHEMA = """PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;
            CREATE TABLE IF NOT EXISTS parts(work TEXT, part INTEGER, parts INTEGER, what TEXT, version TEXT, done INTEGER, created TEXT,
            PRIMARY KEY(work, part));
            CREATE TABLE IF NOT EXISTS results(work TEXT, chunk INTEGER, value REAL, PRIMARY KEY(work, chunk));"""


def fail(sentence):
    print(f"headscope-cli: {sentence}", file=sys.stderr)
    sys.exit(1)


def fault_of(part):
    file = pathlib.Path(os.environ.get("STANDIN_FAULTS", "/nowhere"), f"part-{part}")
    if not file.exists():
        return ""
    first, *rest = file.read_text().splitlines() or [""]
    file.write_text("\n".join(rest))
    return first


def measure(words):
    options = dict(zip(words, words[1:]))
    work = " ".join(word for word in words[:2]) + options.get("--task", "")
    part, parts = map(int, options.get("--part", "0/1").split("/"))
    fault = fault_of(part) if "--part" in options else fault_of("whole")
    if fault == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "fails":
        fail("The model needs 6.5 GB, and 1.0 GB may be used; allow more or use a smaller model.")
    if fault == "wrong":
        print("--task is required\nRun with --help for more information.", file=sys.stderr)
        sys.exit(2)
    db = sqlite3.connect(options["--session"])
    db.executescript(SCHEMA)
    new = 0
    with db:
        for chunk in range(part, CHUNKS, parts):
            new += db.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?)", (work, chunk, 1 / (1 + chunk))).rowcount
        if "--part" in options:
            number = part - 1 if fault == "number" else part
            for one in (work + " elsewhere" * (fault == "work"), work + " baseline")[:1 if fault == "half" else 2]:
                db.execute("INSERT INTO parts VALUES (?, ?, ?, ?, ?, 1, '')",
                           (one, number, parts, work, "2.0.0" if fault == "version" else "1.0.0"))
    values = [row[0] for row in db.execute("SELECT value FROM results WHERE work = ? ORDER BY chunk", (work,))]
    db.close()
    if fault == "full":
        pathlib.Path(options["--session"] + "-wal").write_bytes(b"x")
    with open(os.environ.get("STANDIN_LOG", os.devnull), "a") as log:
        log.write(f"{options.get('--part', 'whole')} {new}\n")
    if "--forecast" in words:
        print(json.dumps({"forecast": [{"method": "exact", "seconds": 640, "bytes": 1000}, {"method": "race", "seconds": 64, "bytes": 1000}]}))
    else:
        print(json.dumps({"values": values, "n": len(values)}))


def main(words):
    if words[:2] == ["session", "duplicate"]:
        if os.path.exists(words[3]):
            fail(f"'{words[3]}' exists.")
        pathlib.Path(words[3]).write_bytes(pathlib.Path(words[2]).read_bytes())
    elif words[:2] == ["session", "merge"]:
        db = sqlite3.connect(words[2])
        db.executescript(SCHEMA)
        db.execute("ATTACH ? AS other", (words[3],))
        with db:
            for table in ("parts", "results"):
                db.execute(f"INSERT OR IGNORE INTO {table} SELECT * FROM other.{table}")
        db.close()
    elif words[:2] == ["session", "parts"]:
        rows = [row for file in words[2:] for row in sqlite3.connect(file).execute("SELECT part, parts FROM parts WHERE what = work")]
        missing = set(range(rows[0][1])) - {part for part, _ in rows}
        if missing:
            fail(f"Missing: {missing}.")
    else:
        measure(words)


if __name__ == "__main__":
    main(sys.argv[1:])
