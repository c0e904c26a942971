# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader against session files that Headscope stored: python3 -m unittest discover -s packaging/python/tests"""

import math
import os
import pathlib
import re
import shutil
import sqlite3
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packaging" / "python"))
import headscope_session  # noqa: E402
from headscope_session import Session, SessionError  # noqa: E402

STORED = ROOT / "tests" / "data" / "sessions"


class Reader(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.copies = 0

    def tearDown(self):
        self.folder.cleanup()

    def copy(self, version=6):
        self.copies += 1
        path = os.path.join(self.folder.name, f"{self.copies}.session")
        shutil.copyfile(STORED / f"schema{version}.session", path)
        return path

    def changed(self, statement, values=()):
        path = self.copy()
        db = sqlite3.connect(path)
        with db:
            db.execute(statement, values)
        db.close()
        return path

    def test_reads_every_stored_version(self):
        newest = int(re.search(r"kSchemaVersion = (\d+);", (ROOT / "sessions" / "file" / "schema.h").read_text()).group(1))
        self.assertEqual(headscope_session.SCHEMAS[-1], newest)
        for version in range(3, newest):
            with self.subTest(version=version), Session(self.copy(version)) as session:
                self.assertEqual(session.info()["schema"], version)
                self.assertEqual(len(session.info()["uid"]), 32)
                self.assertTrue(session.models() and session.scores() and session.examples())
                self.assertTrue(session.patterns())
                for one in (session.rankings, session.runs, session.flips, session.labels, session.figures, session.analyses,
                            session.surveys, session.answers, session.experiments):
                    one()

    def test_scores_are_those_of_the_examples(self):
        with Session(self.copy()) as session:
            for score in session.scores():
                told = [e for e in session.examples(score["task"], score["ablation"])
                        if e["correct"] is not None and e["dtype"] == score["dtype"] and e["model"] == score["model"]]
                self.assertGreaterEqual(len(told), score["n"])
                if len(told) == score["n"]:
                    self.assertAlmostEqual(sum(e["correct"] for e in told) / len(told), score["acc"])

    def test_reads_conventions_as_sentence_and_as_fields(self):
        with Session(self.copy(7)) as session:
            words = [pattern["convention"] for pattern in session.patterns()]
        self.assertIn("hidden attention, without D (signed, rows do not sum to 1)", words)
        path = self.copy(7)
        steps = re.findall(r'R"sql\((.*?)\)sql"', (ROOT / "sessions" / "file" / "schema.cpp").read_text(), re.DOTALL)
        db = sqlite3.connect(path)
        db.executescript("BEGIN;" + steps[7] + "PRAGMA user_version = 8; COMMIT;")
        db.close()
        with Session(path) as session:
            patterns = session.patterns()
        self.assertEqual(len(patterns), len(words))
        self.assertEqual({p["kind"] for p in patterns}, {"attention", "hidden", "channel", "other"})
        bare = patterns[words.index("hidden attention, without D (signed, rows do not sum to 1)")]
        self.assertEqual((bare["kind"], bare["with_d"], bare["with_dt"], bare["with_gate"]), ("hidden", 0, 1, 0))

    def test_patterns_are_matrices(self):
        for library in (headscope_session.numpy, None):
            kept, headscope_session.numpy = headscope_session.numpy, library
            try:
                with Session(self.copy()) as session:
                    pattern = session.patterns()[0]
            finally:
                headscope_session.numpy = kept
            matrix = [list(map(float, row)) for row in pattern["matrix"]]
            self.assertEqual((len(matrix), len(matrix[0])), (pattern["rows"], pattern["cols"]))
            self.assertEqual(len(pattern["tokens"]), pattern["cols"])
            if pattern["convention"] == "softmax":
                for row in matrix:
                    self.assertAlmostEqual(sum(row), 1, delta=len(row) * pattern["max_error"] + 1e-3)

    def test_matrix_is_that_of_sqlite(self):
        # Computed by hand: 1, -0.5 and 0.25 over the scale 2 are the halves 0x3c00, 0xb800, 0x3400.
        data = zlib.compress(bytes([0x00, 0x00, 0x00, 0x3C, 0xB8, 0x34]))
        path = self.changed("UPDATE patterns SET rows = 1, cols = 3, scale = 2, data = ?", (data,))
        with Session(path) as session:
            self.assertEqual([float(v) for v in session.patterns()[0]["matrix"][0]], [2.0, -1.0, 0.5])

    def test_odd_numbers(self):
        path = self.changed("UPDATE results SET log_likelihoods = '[-1e999,null,-0.5]'")
        with Session(path) as session:
            low, none, plain = session.examples()[0]["log_likelihoods"]
        self.assertEqual((low, plain), (-math.inf, -0.5))
        self.assertTrue(math.isnan(none))

    def test_reads_beside_a_writer(self):
        path = self.copy()
        writer = sqlite3.connect(path)
        writer.execute("PRAGMA journal_mode = WAL")
        with writer:
            writer.execute("UPDATE models SET name = 'renamed'")
        with Session(path) as session:
            self.assertEqual(session.models()[0]["name"], "renamed")
        writer.close()

    def test_reading_leaves_nothing_behind(self):
        path = self.copy(13)
        writer = sqlite3.connect(path)
        writer.execute("PRAGMA journal_mode = WAL")  # as the program leaves it
        writer.close()
        before = sorted(os.listdir(self.folder.name))
        with Session(path) as session:
            self.assertTrue(session.models())
        self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def test_never_writes(self):
        path = self.copy()
        before = pathlib.Path(path).read_bytes()
        with Session(path) as session, self.assertRaises(sqlite3.OperationalError):
            session._db.execute("DELETE FROM results")
        self.assertEqual(pathlib.Path(path).read_bytes(), before)

    def test_refuses_what_is_no_session(self):
        text = os.path.join(self.folder.name, "text")
        pathlib.Path(text).write_text("no database at all, but long enough to be one" * 40)
        other = os.path.join(self.folder.name, "other")
        sqlite3.connect(other).execute("CREATE TABLE t(a)").connection.close()
        pipe = os.path.join(self.folder.name, "pipe")
        os.mkfifo(pipe)
        for path, says in ((text, "not a session"), (other, "another program"), ("/nowhere", "There is no session"),
                           (pipe, "There is no session"), (self.copy(1), "has schema 1"),
                           (self.changed("PRAGMA user_version = 99"), "has schema 99")):
            with self.subTest(path=path), self.assertRaisesRegex(SessionError, says):
                Session(path)

    def test_refuses_damaged_patterns(self):
        bomb = zlib.compress(bytes(50_000_000))
        for statement, values in (("UPDATE patterns SET data = ?", (b"x",)), ("UPDATE patterns SET data = ?", (bomb,)),
                                  ("UPDATE patterns SET rows = -1", ()), ("UPDATE patterns SET rows = 1 << 40", ()),
                                  ("UPDATE patterns SET tokens = '{'", ())):
            with self.subTest(statement=statement, size=len(str(values))), Session(self.changed(statement, values)) as session:
                with self.assertRaisesRegex(SessionError, "damaged"):
                    session.patterns()


if __name__ == "__main__":
    unittest.main()
