# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of headscope_cluster without Ray: parts, retries, copies of slow parts, and what goes wrong."""

import contextlib
import io
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packaging" / "python"))
from headscope_cluster import Failed, Outcome, Study, __main__, driver, run, run_job  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
STANDIN = os.path.join(FOLDER.name, "headscope-cli")  # without site packages it starts in a fifth of the time
pathlib.Path(STANDIN).write_text(f"#!{sys.executable} -IS\n{pathlib.Path(__file__).with_name('standin.py').read_text()}")
os.chmod(STANDIN, 0o700)

PROGRAM = os.environ.get("HEADSCOPE_CLI", "")
PARTS = os.path.exists(PROGRAM) and "--part" in subprocess.run([PROGRAM, "rank", "--help"], capture_output=True, text=True).stdout


class Workers:
    """An executor that runs one job at a time, in an order drawn from `seed`, with retries.

    Parts in `stuck` end only after their copy; parts in `lost` have no result the first time.
    """

    def __init__(self, seed=0, slots=4, retries=3, stuck=(), lost=()):
        self.random, self.count, self.retries = random.Random(seed), slots, retries
        self.stuck, self.lost, self.jobs, self.cancelled, self.ran = set(stuck), set(lost), {}, [], []
        self.clock = 0.0

    def slots(self):
        return self.count

    def start(self, job):
        handle = len(self.jobs)
        part = int(job.command[job.command.index("--part") + 1].split("/")[0]) if "--part" in job.command else -1
        self.jobs[handle] = (job, part, part in self.stuck)
        self.stuck.discard(part)
        return handle

    def wait(self, handles, seconds):
        ready = [handle for handle in handles if not self.jobs[handle][2]]
        self.clock += 1.0 if ready else seconds
        return self.random.choice(ready) if ready else None

    def result(self, handle):
        job, part, _ = self.jobs[handle]
        self.jobs = {other: (j, p, held and p != part) for other, (j, p, held) in self.jobs.items()}
        if part in self.lost:
            self.lost.discard(part)
            raise Failed("Ray lost it.")
        self.ran.append(part)
        for attempt in range(self.retries + 1):
            try:
                return run_job(job)._replace(seconds=2.0)
            except ChildProcessError as error:
                if attempt == self.retries:
                    raise Failed(str(error)) from error

    def cancel(self, handle):
        self.cancelled.append(self.jobs[handle][1])


class Driver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.reports = []
        environment = mock.patch.dict(os.environ, {"STANDIN_FAULTS": folder.name, "STANDIN_LOG": str(self.folder / "log")})
        environment.start()
        self.addCleanup(environment.stop)

    def study(self, parts=8, session="out", words=("rank", "tiny", "--task", "toy"), **more):
        return Study(STANDIN, words, parts, self.folder / session, **more)

    def fault(self, part, *words):
        (self.folder / f"part-{part}").write_text("\n".join(words))

    def run_study(self, study, workers=None):
        workers = workers or Workers()
        return run(study, workers, self.reports.append, lambda: workers.clock)

    def whole(self):
        one = subprocess.run([STANDIN, "rank", "tiny", "--task", "toy", "--session", str(self.folder / "one")],
                             capture_output=True, text=True, check=True)
        return one.stdout

    def log(self):
        return (self.folder / "log").read_text().splitlines()

    def test_parts_in_any_order_are_the_whole(self):
        for seed, parts in enumerate((1, 2, 7, 26)):
            with self.subTest(parts=parts):
                workers = Workers(seed)
                self.assertEqual(self.run_study(self.study(parts, f"out-{parts}"), workers), self.whole())
                self.assertEqual(sorted(workers.ran), [-1, *range(parts)])
                self.assertIn("whole 0", self.log())  # the last step measures nothing
                (self.folder / "log").unlink()

    def test_progress_counts_to_the_end(self):
        self.run_study(self.study(4))
        self.assertEqual([text.split(";")[0] for text in self.reports],
                         [f"[{'#' * 5 * done}{'-' * 5 * (4 - done)}] {done} of 4 parts" for done in (1, 2, 3, 4)])
        self.assertIn("60 parts a minute, 0.0 s left", self.reports[-1])

    def test_part_times_are_kept_for_the_plan(self):
        times = []
        run(self.study(4), Workers(), self.reports.append, times=times)
        self.assertEqual(times, [2.0] * 4)

    def test_failures_that_pass_are_retried(self):
        self.fault(3, "killed", "fails")
        self.fault(5, "full", "killed", "fails")
        self.assertEqual(self.run_study(self.study()), self.whole())

    def test_a_part_that_keeps_failing_leaves_the_others_in_the_session(self):
        self.fault(3, *["fails"] * 4)
        workers = Workers(seed=1)
        self.assertNotEqual(workers.random.choice(range(8)), 3)  # otherwise it is the first, see below
        with self.assertRaisesRegex(Failed, r"part 3 of 8 failed: The model needs 6\.5 GB.*\(on node .*same command does the rest"):
            self.run_study(self.study(), Workers(seed=1))
        again = Workers()
        self.assertEqual(self.run_study(self.study(), again), self.whole())
        self.assertEqual(again.ran, [0, 3, -1])  # part 0 shows which work the session's parts are of

    def test_nothing_more_is_run_when_the_first_part_fails(self):
        for part in range(8):
            self.fault(part, *["fails"] * 4)
        workers = Workers()
        with self.assertRaisesRegex(Failed, "^Part . of 8 failed: The model needs"):
            self.run_study(self.study(), workers)
        self.assertEqual((len(workers.ran), len(workers.cancelled)), (1, 7))
        self.assertFalse((self.folder / "out").exists())

    def test_wrong_use_is_not_retried(self):
        self.fault(2, "wrong", "killed")
        with self.assertRaisesRegex(Failed, "^--task is required$"):
            self.run_study(self.study())
        self.assertEqual((self.folder / "part-2").read_text(), "killed")

    def test_parts_that_do_not_fit_are_refused_with_one_sentence(self):
        for fault, says in (("work", "of different work than part"), ("half", "of different work than part"),
                            ("version", "version [12].0.0 .* one version on all nodes"),
                            ("number", "returned part 4 of 8; expected part 5 of 8")):
            with self.subTest(fault):
                self.fault(5, fault)
                with self.assertRaisesRegex(Failed, says):
                    self.run_study(self.study(session=fault))

    def test_a_session_of_other_work_is_continued_as_a_new_one(self):
        self.run_study(self.study(words=("rank", "other", "--task", "toy")))
        workers = Workers()
        self.assertEqual(self.run_study(self.study(), workers), self.whole())
        self.assertEqual(sorted(workers.ran), [-1, *range(8)])

    def test_late_parts_are_started_once_more(self):
        for parts, stuck, copied in ((8, {6}, {6}), (20, {3, 4}, {3, 4})):
            with self.subTest(parts=parts):
                workers = Workers(stuck=stuck)
                self.assertEqual(self.run_study(self.study(parts, f"late-{parts}"), workers), self.whole())
                self.assertEqual(set(workers.cancelled), copied)
                self.assertEqual(sum("started again" in text for text in self.reports), 1)
                self.reports.clear()

    def test_no_copy_where_no_worker_is_free(self):
        for slots in (1, 0):
            workers = Workers(slots=slots)
            with mock.patch.object(workers, "wait", side_effect=[None] * 5 + [KeyboardInterrupt]), self.assertRaises(KeyboardInterrupt):
                self.run_study(self.study(1), workers)
            self.assertEqual((len(workers.jobs), workers.cancelled), (1, [0]))
            self.assertEqual(self.reports, [] if slots else ["no worker is left; parts that wait for one: 1"] * 5)

    def test_a_late_part_without_a_free_worker_is_waited_for(self):
        workers = Workers(slots=1)
        wait, late = workers.wait, iter([False] * 7 + [True] * 3)  # seven parts arrive, then nothing for a while
        with mock.patch.object(workers, "wait", side_effect=lambda handles, seconds: None if next(late, False) else wait(handles, seconds)):
            self.assertEqual(self.run_study(self.study(), workers), self.whole())
        self.assertEqual(len(workers.jobs), 9)

    def test_a_lost_part_whose_copy_runs_is_not_lost(self):
        workers = Workers(stuck={6}, lost={6})
        self.assertEqual(self.run_study(self.study(), workers), self.whole())
        with self.assertRaisesRegex(Failed, "Ray lost it"):  # it has no copy
            self.run_study(self.study(session="again"), Workers(lost={6}))

    def test_workers_without_program_or_model_say_so(self):
        with self.assertRaisesRegex(Failed, "^Node .* has no program '/nowhere/cli'"):
            self.run_study(Study("/nowhere/cli", ("rank", "m"), 2, self.folder / "a"))
        with self.assertRaisesRegex(Failed, "^Node .* has no model at '/nowhere/model'"):
            self.run_study(self.study(model="/nowhere/model"))

    def test_the_last_step_may_fail(self):
        self.fault("whole", *["killed"] * 4)
        with self.assertRaisesRegex(Failed, "killed, probably because the machine ran out of memory"):
            self.run_study(self.study())
        self.assertEqual(len({row.part for row in driver.parts_in(self.folder / "out")}), 8)

    def test_a_session_that_is_not_one(self):
        (self.folder / "out").write_text("no database" * 1000)
        with self.assertRaisesRegex(Failed, "cannot be read: file is not a database"):
            self.run_study(self.study())


@unittest.skipUnless(PARTS, "needs HEADSCOPE_CLI to name a headscope-cli with --part")
class Program(unittest.TestCase):
    """The driver with the program itself."""

    def test_the_answer_is_that_of_one_process(self):
        model = str(ROOT / "resources" / "models" / "tiny-transformer")
        for words, parts in ((("rank", model, "--task", "toy_kv:pairs=4", "--head", "L1H*,L2H5"), 3),
                             (("score", model, "--task", "toy_kv:pairs=4,toy_mc", "--ablate", "L2H5"), 2)):
            with self.subTest(command=words[0]), tempfile.TemporaryDirectory() as folder:
                study = Study(PROGRAM, (*words, "--limit", "10", "--threads", "1"), parts, pathlib.Path(folder, "out"), model)
                one = run_job(study.job())
                answer, whole = (json.loads(text) for text in (run(study, Workers(), lambda text: None), one.output))
                for name in set(whole) - {"seconds", "memory", "tokens", "reused"}:
                    self.assertEqual(answer[name], whole[name], name)
                again = Workers()
                run(study, again, lambda text: None)
                self.assertEqual(again.ran, [0, -1])

    def test_a_session_that_another_program_reads(self):
        model = str(ROOT / "resources" / "models" / "tiny-transformer")
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            words = ("score", model, "--limit", "10", "--threads", "1", "--task")
            run(Study(PROGRAM, (*words, "toy_mc"), 2, pathlib.Path(folder, "out"), model), Workers(), lambda text: None)
            reader = stack.enter_context(contextlib.closing(sqlite3.connect(os.path.join(folder, "out"))))
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM results").fetchone()  # so what is merged from now on stays in the log
            answer = json.loads(run(Study(PROGRAM, (*words, "toy_kv"), 2, pathlib.Path(folder, "out"), model), Workers(), lambda text: None))
            self.assertEqual((answer["tokens"], answer["reused"]), (0, 10))  # the last step measures nothing

    def test_its_sentences_are_passed_on(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, says in ((("rank", "/nowhere/model", "--task", "toy_kv"), "^Part . of 2 failed: No model '/nowhere/model'.*on node"),
                                (("score", "tiny-transformer", "--task", "toy_kv", "--limit", "many"), "^--limit: 'many' does not fit")):
                with self.assertRaisesRegex(Failed, says):
                    run(Study(PROGRAM, words, 2, pathlib.Path(folder, "out")), Workers(), lambda text: None)


class CommandLine(unittest.TestCase):
    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = __main__.main(list(words))
            except SystemExit as end:
                code = end.code
        return code, out.getvalue(), err.getvalue()

    def test_options_of_the_command_are_passed_on_in_order(self):
        study, options = __main__.study_of("rank", "tiny", [
            "--task", "toy", "--parts", "64", "--limit=30", "--session", "S", "--gpus-per-part", "1", "--head", "L1H*", "--memory", "12GB"])
        self.assertEqual(study.words, ("rank", "tiny", "--task", "toy", "--limit=30", "--head", "L1H*", "--threads", "1", "--memory", "12000000000"))
        self.assertEqual((study.parts, options.gpus_per_part, study.model), (64, 1, ""))
        self.assertEqual(study.part(3).command[-2:], ("--part", "3/64"))

    def test_a_model_that_is_a_path_becomes_absolute(self):
        with tempfile.TemporaryDirectory() as folder:
            relative = os.path.relpath(folder)
            study, _ = __main__.study_of("score", relative, ["--parts", "2", "--session", "S"])
            self.assertEqual((study.model, study.words[1]), (os.path.abspath(relative),) * 2)

    def test_wrong_use_is_explained(self):
        for words in ([], ["pattern", "m", "--parts", "2"], ["rank"], ["rank", "--task", "t"], ["rank", "m", "--parts", "0", "--session", "s"],
                      ["rank", "m", "--parts", "2"], ["rank", "m", "--parts", "2", "--session", "s", "--memory", "much"],
                      *(["rank", "m", "--parts", "2", "--session", "s", *more] for more in (
                          ["--resources", "[1]"], ["--resources", '{"a": "b"}'], ["--resources", '{"a": -1}'], ["--memory", "1.2.3GB"], ["--memory", "."],
                          ["--cpus-per-part", "nan"], ["--gpus-per-part", "-1"], ["--retries", "-5"], ["--part", "0/2"], ["--forecast"]))):
            with self.subTest(words=words):
                self.assertEqual(self.call(*words)[0], 2)

    def test_help_needs_no_ray(self):
        for words in (["--help"], ["rank", "m", "--help"], ["plan", "--help"]):
            code, out, _ = self.call(*words)
            self.assertEqual(code, 0, words)
            self.assertIn("usage", out)

    def test_a_session_that_cannot_be_written(self):
        code, out, err = self.call("rank", "m", "--parts", "2", "--session", "/nowhere/at/all")
        self.assertEqual((code, out, err), (1, "", "headscope_cluster: '/nowhere/at' is not a folder in which a session can be written.\n"))

    def test_part_times_that_cannot_be_written(self):
        code, out, err = self.call("rank", "m", "--parts", "2", "--session", "/tmp/none.headscope", "--part-times", "/nowhere/at/all")
        self.assertEqual((code, out, err.count("\n")), (1, "", 1))
        self.assertIn("'/nowhere/at/all' cannot be written", err)

    def test_without_ray_one_sentence(self):
        with mock.patch.dict(sys.modules, {"ray": None}):
            code, out, err = self.call("rank", "m", "--parts", "2", "--session", "/tmp/none.headscope")
        self.assertEqual((code, out, err.count("\n")), (1, "", 1))
        self.assertIn("pip install 'headscope-cluster[ray]'", err)

    def test_sizes(self):
        self.assertEqual([__main__.size(text) for text in ("12GB", "8 GiB", "1500", "1.5M")], [12e9, 8 * 2**30, 1500, 1.5e6])

    def test_the_forecast_is_of_parts(self):
        study = Study(STANDIN, ("rank", "tiny", "--method", "race"), 8, pathlib.Path("S"))
        self.assertEqual(__main__.forecast(study, Workers(slots=3)),
                         {"parts": 8, "at_once": 3, "seconds_of_part": 8.0, "bytes_of_part": 1000, "seconds": 24.0})
        with self.assertRaisesRegex(Failed, "no forecast of --method pairs"):
            __main__.forecast(Study(STANDIN, ("rank", "tiny", "--method", "pairs"), 8, pathlib.Path("S")), Workers())
        with self.assertRaisesRegex(Failed, "forecasts rankings only"):
            __main__.forecast(Study(STANDIN, ("score", "tiny"), 8, pathlib.Path("S")), Workers())

    def test_durations(self):
        self.assertEqual([driver.duration(s) for s in (0.25, 12, 89, 90, 5400)], ["0.2 s", "12 s", "89 s", "1.5 min", "1.5 h"])


if __name__ == "__main__":
    unittest.main()
