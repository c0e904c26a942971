# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation of headscope_cluster.plan against what can be computed by hand."""

import contextlib
import heapq
import io
import json
import math
import pathlib
import random
import re
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packaging" / "python"))
from headscope_cluster import plan  # noqa: E402
from headscope_cluster.plan import Conditions, Shape, Storage, simulate  # noqa: E402

SMALL = Shape(1e9, 4, 8, 2, 0.0)


def listed(parts, workers):
    """The makespan of list scheduling: the next part goes to the worker that is free first."""
    free = [0.0] * workers
    for seconds in parts:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


def drawn(seed, count):
    chance = random.Random(seed)
    return [chance.uniform(1, 9) for _ in range(count)]


@unittest.skipIf(plan.simpy is None, "SimPy is not installed")
class Simulation(unittest.TestCase):
    def test_one_worker_takes_the_sum(self):
        for count in (0, 1, 2, 17):
            parts = drawn(count, count)
            self.assertAlmostEqual(simulate(parts, 1).seconds, sum(parts))
            overhead = Conditions(startup=3, weight_bytes=10, storage=Storage(5), finish=7)
            self.assertAlmostEqual(simulate(parts, 1, overhead).seconds, sum(parts) + 5 * count + 7)

    def test_without_failures_the_makespan_is_exact(self):
        for seed in range(20):
            parts, workers = drawn(seed, 3 + 5 * seed), 1 + seed
            self.assertAlmostEqual(simulate(parts, workers).seconds, listed(parts, workers))
            each = simulate(parts, workers, Conditions(startup=2)).seconds
            self.assertAlmostEqual(each, listed([seconds + 2 for seconds in parts], workers))

    def test_a_worker_for_each_part_takes_the_longest(self):
        self.assertAlmostEqual(simulate(drawn(1, 30), 64).seconds, max(drawn(1, 30)))

    def test_shared_storage_is_shared(self):
        # Eight loads of 16 s at full speed, of which the storage serves two at a time: 64 s, and the work after the last.
        shared = Conditions(weight_bytes=16, storage=Storage(1, 2))
        self.assertAlmostEqual(simulate([5.0] * 8, 8, shared).seconds, 64 + 5)
        self.assertAlmostEqual(simulate([5.0] * 8, 8, Conditions(weight_bytes=16, storage=Storage(1, 8))).seconds, 16 + 5)

    def test_workers_share_processors(self):
        for workers in (2, 4, 6):
            self.assertAlmostEqual(simulate([8.0] * 12, workers, Conditions(processors=2)).seconds, 48)
        self.assertAlmostEqual(simulate([8.0] * 12, 1, Conditions(processors=2)).seconds, 96)

    def test_what_runs_at_once_is_slower(self):
        # Two of 8 s on two processors that slow each other by half: 12 s. A third one behind them runs alone, at full speed.
        busy = Conditions(processors=2, slower=1.5)
        self.assertAlmostEqual(simulate([8.0] * 2, 2, busy).seconds, 12)
        self.assertAlmostEqual(simulate([8.0] * 3, 2, busy).seconds, 12 + 8)
        self.assertAlmostEqual(simulate([8.0] * 3, 1, busy).seconds, 24)
        # Three on two: all are busy until the end, and every second of work takes 1.5.
        self.assertAlmostEqual(simulate([8.0] * 3, 3, busy).seconds, 1.5 * 24 / 2)
        # Two of four processors busy: a third of the way.
        self.assertAlmostEqual(simulate([9.0] * 2, 2, Conditions(processors=4, slower=1.5)).seconds, 9 * (1 + 0.5 / 3))

    def test_processors_are_divided_evenly(self):
        # 2, 4 and 6 s on one processor: the first is done at 6, the second at 10, the last at 12; longer than 6 nobody waits for the merge of 0.5 s,
        # which takes its third, then its half of the processor.
        self.assertAlmostEqual(simulate([2.0, 4.0, 6.0], 3, Conditions(processors=1)).seconds, 12)
        self.assertAlmostEqual(simulate([2.0, 4.0, 6.0], 3, Conditions(processors=1, merge=0.5)).seconds, 13.5)
        # Merges run beside parts where each worker has a processor, and in their place where they share one.
        self.assertAlmostEqual(simulate([4.0] * 3, 1, Conditions(merge=1)).seconds, 13)
        self.assertAlmostEqual(simulate([4.0] * 3, 1, Conditions(merge=1, processors=1)).seconds, 15)

    def test_a_worker_that_fails_gives_its_processor_back(self):
        for seed in range(5):
            ended = simulate([3.0] * 12, 4, Conditions(failures=0.05, processors=2), seed)
            self.assertGreater(ended.failures, 0)
            self.assertGreaterEqual(ended.seconds, 18)
            self.assertLess(ended.seconds, 18 + ended.lost + 3)

    def test_the_driver_merges_one_after_the_other(self):
        self.assertAlmostEqual(simulate([1.0] * 10, 10, Conditions(merge=2)).seconds, 1 + 10 * 2)
        self.assertAlmostEqual(simulate([5.0] * 4, 1, Conditions(merge=2)).seconds, 20 + 2)

    def test_failures_cost_what_renewal_theory_says(self):
        # Attempts of s seconds under a failure rate r take (exp(rs) - 1) / r on average, and exp(rs) attempts.
        r, s, count = 0.05, 10.0, 400
        outcomes = [simulate([s] * count, 1, Conditions(failures=r), seed) for seed in range(5)]
        self.assertAlmostEqual(sum(o.seconds for o in outcomes) / 5 / count, (math.exp(r * s) - 1) / r, delta=0.6)
        self.assertAlmostEqual(sum(o.failures for o in outcomes) / 5 / count, math.exp(r * s) - 1, delta=0.06)
        for o in outcomes:
            self.assertAlmostEqual(o.seconds, s * count + o.lost)

    def test_no_part_is_lost_to_failures(self):
        for seed in range(5):
            ended = simulate(drawn(seed, 40), 7, Conditions(failures=0.05, recovery=3, weight_bytes=4, storage=Storage(2, 4), merge=0.1), seed)
            self.assertGreater(ended.failures, 0)
            self.assertGreaterEqual(ended.seconds, sum(drawn(seed, 40)) / 7)

    def test_parts_that_never_end_are_refused_or_divided(self):
        with self.assertRaisesRegex(plan.PlanError, "A part of 10 h hardly ever ends where a worker fails every 1 h: make more parts"):
            simulate([36000.0], 1, Conditions(failures=1 / 3600))
        rows = plan.table(36000.0, SMALL, Conditions(), [2], 1, failures_per_gpu_hour=0.5)
        self.assertGreater(rows[0].parts, 2)
        self.assertGreater(rows[0].failures, 0)
        with self.assertRaisesRegex(plan.PlanError, "make more parts"):
            plan.table(36000.0, SMALL, Conditions(), [2], 1, failures_per_gpu_hour=0.5, parts=1)

    def test_the_same_seed_gives_the_same(self):
        conditions = Conditions(failures=0.02, recovery=1)
        self.assertEqual(simulate(drawn(3, 20), 3, conditions, 5), simulate(drawn(3, 20), 3, conditions, 5))

    def test_ideal_conditions_are_linear(self):
        rows = plan.table(3600.0 * 33, SMALL, Conditions(), [1, 2, 4, 8, 16, 66], price=2)
        self.assertEqual([row.gpus for row in rows], [2, 4, 8, 16, 66])  # two GPUs hold it
        for row in rows:
            self.assertAlmostEqual(row.hours, 33 * 2 / row.gpus)
            self.assertAlmostEqual(row.cost, 33 * 2 * 2)
            self.assertAlmostEqual(row.efficiency, 1)
        self.assertIs(plan.knee(rows), rows[-1])

    def test_the_knee_is_where_efficiency_falls(self):
        # Without start-up the work is w / n; with it w / n + c: efficiency (w + c) / (w + c n) falls below 0.8 at c n > 0.25 w.
        rows = plan.table(10000.0, SMALL, Conditions(startup=100), [2, 4, 8, 16, 32, 64, 128], price=1, parts=0)
        self.assertEqual(plan.knee(rows).gpus, 32)  # 16 workers: (10100) / (11600) = 0.87; 32 workers 0.77
        self.assertIs(plan.knee(rows[-1:]), rows[-1])

    def test_measured_part_times_keep_their_sum_and_spread(self):
        rows = plan.table(100.0, SMALL, Conditions(), [8], price=1, spread=[0.5, 1.5], parts=4)
        self.assertAlmostEqual(rows[0].hours * 3600, 37.5)

    def test_work_of_a_ranking(self):
        # Two layers of one head: a clean run, all layers again for the first head and one layer for the second.
        self.assertAlmostEqual(Shape(1e9, 2, 1, 1, 0).flops(10), 2e10 * (1 + 1 + 0.5))


class CommandLine(unittest.TestCase):
    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = plan.main(list(words))
        return code, out.getvalue(), err.getvalue()

    @unittest.skipIf(plan.simpy is None, "SimPy is not installed")
    def test_tells_a_knee_for_every_model(self):
        code, out, _ = self.call("--gpus", "16", "32", "1024", "--failures", "0", "--parts", "32", "--json")
        self.assertEqual(code, 0)
        answers = json.loads(out)
        self.assertEqual(list(answers), list(plan.SHAPES))
        for answer in answers.values():
            self.assertIn(answer["knee"], [row["gpus"] for row in answer["rows"]])
        code, out, _ = self.call("--gpus", "1", "2", "--model", "8B")
        self.assertEqual(out.count("<- knee"), 1)

    @unittest.skipIf(plan.simpy is None, "SimPy is not installed")
    def test_measured_parts_on_one_machine(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("[8, 8, 8]")
            file.flush()
            local = ["--model", "measured", "--measured", file.name, "--workers", "1", "2", "3", "--processors", "2", "--slower", "1.5", "--failures", "0",
                     "--merge", "0", "--finish", "1", "--json"]
            code, out, err = self.call(*local)
            self.assertEqual((code, err), (0, ""))
            for row, seconds in zip(json.loads(out)["measured"]["rows"], (25, 21, 19)):
                self.assertAlmostEqual(3600 * row["hours"], seconds)
            # Each of them contains a start of 2 s: six parts are of half the rest.
            code, out, _ = self.call(*local, "--startup", "2", "--parts", "6")
            self.assertAlmostEqual(3600 * json.loads(out)["measured"]["rows"][0]["hours"], 6 * (2 + 3) + 1)
            for language in ("en", "de"):  # the manual's example
                page = (ROOT / "resources" / "manual" / language / "17-cluster.md").read_text(encoding="utf-8")
                words = re.search(r"```plan\npython -m headscope_cluster plan (.*)\n```", page)[1].replace("FILE", file.name)
                code, out, _ = self.call(*words.split())
                self.assertEqual((code, out.count("\n")), (0, 10), out)
            code, _, err = self.call(*local, "--startup", "9")
            self.assertEqual(code, 1)
            self.assertIn("A measured part took 8 s, but starting and loading measured takes 9 s", err)

    @unittest.skipIf(plan.simpy is None, "SimPy is not installed")
    def test_what_is_wrong_is_one_sentence(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("[1, -2]")
            file.flush()
            for words, says in ((["--gpus", "8", "--model", "405B"], "405B needs 16 GPUs"), (["--measured", file.name], "list of positive"),
                                (["--measured", "/nowhere"], "No such file"), (["--gpus", "0"], "positive"), (["--slower", "0"], "positive"),
                                (["--model", "measured"], "needs --measured"), (["--price", "-1"], "at least 0")):
                with self.subTest(words=words):
                    code, out, err = self.call(*words)
                    self.assertEqual((code, out, err.count("\n")), (1, "", 1))
                    self.assertIn(says, err)

    def test_numbers_are_finite(self):
        for words in (["--tokens", "nan"], ["--price", "inf"], ["--efficiency", "-inf"], ["--failures", "1e400"], ["--flops", "many"]):
            with self.subTest(words=words), self.assertRaises(SystemExit) as end:
                self.call(*words)
            self.assertEqual(end.exception.code, 2)

    def test_without_simpy_one_sentence(self):
        with mock.patch.object(plan, "simpy", None):
            code, _, err = self.call("--gpus", "1", "--model", "8B")
        self.assertEqual(code, 1)
        self.assertIn("pip install 'headscope-cluster[plan]'", err)


if __name__ == "__main__":
    unittest.main()
