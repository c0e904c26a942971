# SPDX-License-Identifier: GPL-3.0-or-later
"""headscope.run and the tables of a session, with the program itself where HEADSCOPE_CLI names it."""

import contextlib
import importlib.util
import io
import json
import math
import os
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packaging" / "python"))
import headscope  # noqa: E402
from headscope_session import TABLES, Session, SessionError, mcnemar  # noqa: E402

STORED = ROOT / "tests" / "data" / "sessions"
MODEL = str(ROOT / "resources" / "models" / "tiny-transformer")
PANDAS = importlib.util.find_spec("pandas") is not None
PROGRAM = os.path.exists(os.environ.get("HEADSCOPE_CLI", ""))


class Conversion(unittest.TestCase):
    def test_options_become_words(self):
        self.assertEqual(headscope._option("--task", "toy"), ["--task", "toy"])
        self.assertEqual(headscope._option("--finish", True), ["--finish"])
        self.assertEqual(headscope._option("--data", None) + headscope._option("--finish", False), [])
        self.assertEqual(headscope._option("--ablate", ("L2H5", "L1H2")), ["--ablate", "L2H5", "--ablate", "L1H2"])
        self.assertEqual(headscope._option("--limit", 0), ["--limit", "0"])
        self.assertEqual(headscope._option("--data", pathlib.Path("/a b")), ["--data", "/a b"])
        if PANDAS:
            numpy = importlib.import_module("numpy")
            self.assertEqual(headscope._option("--finish", numpy.bool_(True)), ["--finish"])
            self.assertEqual(headscope._option("--finish", numpy.bool_(False)), [])
            self.assertEqual(headscope._option("--limit", numpy.array(4)), ["--limit", "4"])

    def test_shapes_of_lists(self):
        for value, shape in (([1, None, 2.5], (3,)), ([[1, 2], [3, 4]], (2, 2)), ([[1, 2], [3]], None), (["a"], None), ([True], None),
                             ([[]], None), ([[[1]], [[2]]], (2, 1, 1)), ([1, [2]], None)):
            self.assertEqual(headscope._numeric(value), shape, value)

    def test_answers_know_their_names(self):
        self.assertEqual(headscope.Answer(n=3).n, 3)
        with self.assertRaisesRegex(AttributeError, "no 'heads'; it has n"):
            headscope.Answer(n=3).heads

    def test_a_program_that_is_missing(self):
        if PANDAS:
            with self.assertRaisesRegex(headscope.HeadscopeError, "^'/nowhere/cli' cannot be run: No such file or directory"):
                headscope.run("info", MODEL, program="/nowhere/cli")
            with self.assertRaisesRegex(headscope.HeadscopeError, "^'echo' printed no JSON"):
                headscope.run("info", MODEL, program="echo")
            with self.assertRaisesRegex(headscope.HeadscopeError, "^No command can be made of .*null byte"):
                headscope.run("info", "a\0b")

    def test_without_pandas_one_sentence(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(headscope.HeadscopeError, "pandas is not installed; run: pip install"):
                headscope.run("info", MODEL)
            with Session(STORED / "schema11.session") as session, self.assertRaisesRegex(SessionError, "pandas is not installed"):
                session.table("scores")


class Changes(unittest.TestCase):
    def test_mcnemar_is_the_binomial_tail(self):
        for lost in range(0, 40, 3):
            for gained in range(0, 40, 7):
                n, k = lost + gained, min(lost, gained)
                exact = min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)
                self.assertAlmostEqual(mcnemar(lost, gained) / exact, 1, delta=1e-12)
        self.assertEqual((mcnemar(0, 0), mcnemar(20, 0)), (1, 2 / 2**20))
        self.assertAlmostEqual(mcnemar(60000, 58000), 2 * 0.5 * math.erfc((2000 - 1) / math.sqrt(2 * 118000)), delta=1e-10)

    def test_changes_are_those_of_the_examples(self):
        compared = 0
        for file in sorted(STORED.glob("schema*.session")):
            if int(file.stem.removeprefix("schema")) < 3:
                continue
            with self.subTest(file.name), Session(file) as session:
                flips = session.flips()
                for score in session.scores():
                    if not score["paired"]:
                        self.assertIsNone(score["delta"])
                        continue
                    same = ("model", "dtype", "device", "task", "ablation")
                    mine = [flip["change"] for flip in flips if all(flip[key] == score[key] for key in same)]
                    self.assertEqual((mine.count("now wrong"), mine.count("now right")), (score["lost"], score["gained"]))
                    self.assertAlmostEqual(score["delta"], (score["gained"] - score["lost"]) / score["paired"])
                    self.assertAlmostEqual(score["p"], mcnemar(score["lost"], score["gained"]))
                    compared += 1
        self.assertGreater(compared, 5)

    @unittest.skipUnless(PANDAS, "pandas is not installed")
    def test_every_table_is_a_frame_of_its_rows(self):
        seen = set()
        for file in sorted(STORED.glob("schema*.session")):
            if int(file.stem.removeprefix("schema")) < 3:
                continue
            with self.subTest(file.name), Session(file) as session:
                for name in TABLES:
                    frame, rows = session.table(name), getattr(session, name)()
                    if name == "rankings":
                        rows = [head for ranking in rows for head in ranking["heads"]]
                        self.assertEqual(list(frame.get("head", [])), [head["head"] for head in rows])
                    self.assertEqual(len(frame), len(rows))
                    if rows:
                        self.assertLessEqual(set(rows[0]), set(frame))
                        seen.add(name)
                with self.assertRaisesRegex(SessionError, "no table 'info'; expected one of scores"):
                    session.table("info")
        self.assertEqual(seen, set(TABLES) - {"surveys", "answers"})  # of which the stored files have none


@unittest.skipUnless(PANDAS and PROGRAM, "needs pandas, and HEADSCOPE_CLI to name headscope-cli")
class Notebook(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.session = os.path.join(folder.name, "study.headscope")

    def test_rank_ablate_the_top_three(self):
        common = {"task": "toy_kv", "limit": 20, "session": self.session}
        ranking = headscope.run("rank", MODEL, **common)
        top = ranking.heads["head"][:3]
        after = headscope.run("score", MODEL, ablate=top, **common)
        self.assertEqual(set(top[:2]), {"L2H5", "L1H2"})
        self.assertEqual(after.results["delta"][0], after.results["value"][0] - after.baseline["value"][0])
        # The session has the same numbers without the program.
        with Session(self.session) as session:
            scores = session.table("scores").set_index("ablation")
            heads = ranking.heads.set_index("head")
            for name in heads.index:
                self.assertAlmostEqual(scores.loc[name, "delta"], heads.loc[name, "delta"])
                self.assertAlmostEqual(scores.loc[name, "p"], heads.loc[name, "p"])
            self.assertAlmostEqual(scores.loc[after.ablation, "p"], after.results["p"][0])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_the_five_lines_of_the_manual(self):
        pages = [ROOT / "resources" / "manual" / language / "11-commandline.md" for language in ("en", "de")]
        codes = {re.search(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]
                 for page in [*pages, ROOT / "packaging" / "python" / "README.md"]}
        self.assertEqual(len(codes), 1)
        code = codes.pop()
        self.assertEqual(code.count("\n"), 5)
        importlib.import_module("matplotlib").use("Agg")
        names, output = {}, io.StringIO()
        before = os.getcwd()
        os.chdir(os.path.dirname(self.session))
        self.addCleanup(os.chdir, before)
        with contextlib.redirect_stdout(output):
            exec(code, names)
        ranking, after = names["ranking"], names["after"]
        self.assertEqual(set(ranking.heads["head"][:2]), {"L2H5", "L1H2"})
        self.assertLess(after.results["delta"][0], -0.5)
        self.assertIn(f"{after.results['delta'][0]:.6f}", output.getvalue())
        bars = importlib.import_module("matplotlib.pyplot").gca().patches
        self.assertEqual([bar.get_width() for bar in bars], list(ranking.heads["delta"]))

    def test_surveys_and_analyses_are_tables(self):
        survey = headscope.run("survey", MODEL, task="toy_kv", limit=4, token_count=200, session=self.session)
        lens = headscope.run("lens", MODEL, task="toy_kv", sample=0, session=self.session)
        self.assertTrue(survey and lens)
        with Session(self.session) as session:
            surveys, analyses = session.table("surveys"), session.table("analyses")
        self.assertEqual(surveys["head"].nunique(), 32)
        self.assertTrue((surveys["q05"] <= surveys["q95"]).all())
        self.assertEqual(set(analyses["kind"]), {"lens"})
        self.assertTrue(analyses["value"].notna().any())

    def test_patterns_come_as_arrays(self):
        answer = headscope.run("pattern", MODEL, task="toy_kv", head=["L2H5", "L1H2"], arrays=True)
        self.assertEqual(len(answer.heads), 2)
        matrices = list(answer.arrays.values())
        self.assertTrue(matrices)
        for matrix in matrices:
            if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1]:
                self.assertAlmostEqual(float(matrix.sum(axis=-1).max()), 1, places=4)

    def test_every_list_of_objects_is_a_frame(self):
        for words, options in ((["info", MODEL], {}), (["models"], {}), (["tasks"], {}), (["lens", MODEL], {"task": "toy_kv", "sample": 0})):
            answer = headscope.run(*words, **options)
            stack = [answer]
            while stack:
                for value in stack.pop().values():
                    if isinstance(value, dict):
                        stack.append(value)
                    self.assertFalse(isinstance(value, list) and value and all(isinstance(one, dict) for one in value))

    def test_failures_are_sentences(self):
        with self.assertRaisesRegex(headscope.HeadscopeError, "^No model '/nowhere/model'"):
            headscope.run("info", "/nowhere/model")
        with self.assertRaisesRegex(headscope.HeadscopeError, "--limit"):
            headscope.run("rank", MODEL, task="toy_kv", limit="many")


class Packages(unittest.TestCase):
    def test_one_version(self):
        version = next(line.split()[2] for line in (ROOT / "CMakeLists.txt").read_text().splitlines() if line.startswith("project(headscope VERSION"))
        projects = list((ROOT / "packaging" / "python").glob("**/pyproject.toml"))
        self.assertTrue(projects)
        for project in projects:
            self.assertIn(f'version = "{version}"', project.read_text(), project)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_types_are_right(self):
        from mypy import api
        packages = [str(file.parent) for file in (ROOT / "packaging" / "python").glob("*/__init__.py")]
        output, errors, code = api.run(["--strict", "--cache-dir", os.devnull, *packages])
        self.assertEqual((code, errors), (0, ""), output)


if __name__ == "__main__":
    unittest.main()
