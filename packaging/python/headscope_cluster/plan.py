# SPDX-License-Identifier: GPL-3.0-or-later
"""Predicts hours and cost of a ranking in parts on 1 to 1,024 GPUs, or on the processors of one machine, and how many are worth using.
Needs SimPy."""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import importlib
import itertools
import json
import math
import random
import statistics
import sys
from typing import Any, Iterator, Sequence

from headscope_cluster.driver import duration

simpy: Any = None
try:
    simpy = importlib.import_module("simpy")
except ImportError:
    pass

MOST_FAILURES = 5  # of a worker on average during one part; e to this power is the number of attempts
MEASURED = "measured"  # the model whose parts were measured, whatever its shape


@dataclasses.dataclass(frozen=True)
class Shape:
    """A model: what decides the work of ranking its heads and the weights that each part loads."""

    parameters: float
    layers: int
    heads: int  # of a layer
    gpus: int  # with 80 GB each that hold it in bf16 beside the activations
    weight_bytes: float

    def flops(self, tokens: float) -> float:
        """Of a ranking: a clean run of `tokens`, and one for each head from its layer on, half of the layers on average."""
        return 2 * self.parameters * tokens * (1 + self.layers * self.heads * (self.layers + 1) / (2 * self.layers))


SHAPES = {  # Llama 3.1
    "8B": Shape(8.03e9, 32, 32, 1, 16.1e9),
    "70B": Shape(70.6e9, 80, 64, 4, 141e9),
    "405B": Shape(405.9e9, 126, 128, 16, 812e9),
}


@dataclasses.dataclass(frozen=True)
class Storage:
    """Where weights are: bytes a second for one process, and for all of them together."""

    each: float
    together: float = math.inf

    def streams(self) -> float:
        """How many processes load at full speed."""
        return self.together / self.each


STORAGE = {"local": Storage(2e9), "shared": Storage(2e9, 20e9), "object": Storage(1e9, 100e9)}


@dataclasses.dataclass(frozen=True)
class Conditions:
    """What parts meet besides their work. The defaults are the ideal: a part costs its own seconds and nothing else."""

    startup: float = 0.0  # seconds of a process before it loads
    weight_bytes: float = 0.0  # that each part loads
    storage: Storage = STORAGE["local"]
    failures: float = 0.0  # of a worker, a second
    recovery: float = 0.0  # seconds until a failed worker is back
    merge: float = 0.0  # seconds for each part, one after the other in the driver
    finish: float = 0.0  # seconds of the command that prints the answer, at the end
    processors: int = 0  # that workers and the driver divide; 0: each has its own
    slower: float = 1.0  # times that work takes longer while all of them are busy: they share memory


@dataclasses.dataclass(frozen=True)
class Outcome:
    seconds: float  # from the start to the answer
    lost: float  # seconds of workers in attempts that failed
    failures: int


def simulate(parts: Sequence[float], workers: int, conditions: Conditions = Conditions(), seed: int = 0) -> Outcome:
    """Runs parts of so many seconds each, in order, on the first worker that is free."""
    if simpy is None:
        raise PlanError("SimPy is not installed; run: pip install 'headscope-cluster[plan]'")
    longest = conditions.startup + conditions.weight_bytes / conditions.storage.each + max(parts, default=0)
    if conditions.failures * longest > MOST_FAILURES:
        raise PlanError(f"A part of {longest / 3600:.3g} h hardly ever ends where a worker fails every "
                        f"{1 / conditions.failures / 3600:.3g} h: make more parts.")
    env = simpy.Environment()
    chance = random.Random(seed)
    queue = list(reversed(parts))
    disk = _Divided(env, conditions.storage.streams())
    processors = _Divided(env, conditions.processors or math.inf, conditions.slower)
    driver = simpy.Resource(env, 1)
    state = {"merged": 0, "failures": 0, "lost": 0.0}
    done = env.event()

    def attempt(seconds: float) -> Iterator[Any]:
        yield env.timeout(conditions.startup)
        yield from disk.use(conditions.weight_bytes / conditions.storage.each)
        yield from processors.use(seconds)

    def merge() -> Iterator[Any]:
        with driver.request() as turn:
            yield turn
            yield from processors.use(conditions.merge)
        state["merged"] += 1
        if state["merged"] == len(parts):
            done.succeed()

    def worker() -> Iterator[Any]:
        while True:
            if not queue:  # a part that fails elsewhere comes back
                yield env.any_of([done, returned[0]])
                if done.triggered:
                    return
                continue
            seconds = queue.pop()
            began = env.now
            running = env.process(_interruptible(attempt(seconds)))
            if conditions.failures:
                yield running | env.timeout(chance.expovariate(conditions.failures))
            else:
                yield running
            if running.triggered:
                env.process(merge())
                continue
            running.interrupt()
            state["failures"] += 1
            state["lost"] += env.now - began
            queue.append(seconds)
            returned[0].succeed()
            returned[0] = env.event()
            yield env.timeout(conditions.recovery)

    returned = [env.event()]
    for _ in range(min(workers, len(parts))):
        env.process(worker())
    if parts:
        env.run(until=done)
    return Outcome(env.now + conditions.finish, state["lost"], int(state["failures"]))


class _Divided:
    """A capacity that all who use it at the same time divide evenly, none getting more than 1. All are served at the same rate, so each is done
    when what everybody was served since the beginning reaches a number that is known when it comes."""

    def __init__(self, env: Any, capacity: float, slower: float = 1.0) -> None:
        self._env, self._capacity, self._slower = env, capacity, slower
        self._served, self._at, self._plans = 0.0, env.now, 0
        self._users: list[tuple[float, int, Any]] = []  # a heap: what is served when it is done, its number, and the event
        self._numbers = itertools.count()

    def use(self, seconds: float) -> Iterator[Any]:
        """Waits until this user has been served so many seconds."""
        self._serve()
        user = (self._served + seconds, next(self._numbers), self._env.event())
        heapq.heappush(self._users, user)
        self._plan()
        try:
            yield user[2]
        except simpy.Interrupt:
            self._serve()
            self._users = [other for other in self._users if other is not user]
            heapq.heapify(self._users)
            self._plan()
            raise

    def _rate(self) -> float:
        users = max(len(self._users), 1)
        busy = min(users, self._capacity)
        crowded = (busy - 1) / (self._capacity - 1) if 1 < self._capacity < math.inf else 0.0
        return min(1.0, self._capacity / users) / (1 + (self._slower - 1) * crowded)

    def _serve(self) -> None:
        self._served += (self._env.now - self._at) * self._rate()
        self._at = self._env.now

    def _plan(self) -> None:
        """Schedules the end of the first user; void once users are added or removed."""
        self._plans += 1
        if self._users:
            self._env.process(self._finish(self._plans, (self._users[0][0] - self._served) / self._rate()))

    def _finish(self, plan: int, seconds: float) -> Iterator[Any]:
        yield self._env.timeout(max(seconds, 0.0))
        if plan != self._plans:
            return
        self._serve()
        self._served = max(self._served, self._users[0][0])  # which rounding may have missed
        while self._users and self._users[0][0] <= self._served:
            heapq.heappop(self._users)[2].succeed()
        self._plan()


def _interruptible(steps: Iterator[Any]) -> Iterator[Any]:
    try:
        yield from steps
    except simpy.Interrupt:
        pass


class PlanError(ValueError):
    """One sentence for the user."""


@dataclasses.dataclass(frozen=True)
class Row:
    gpus: int
    parts: int
    hours: float
    cost: float
    efficiency: float  # the fewest GPUs' GPU-hours over these
    failures: float


def table(work: float, shape: Shape, conditions: Conditions, counts: Sequence[int], price: float, spread: Sequence[float] = (1.0,),
          failures_per_gpu_hour: float = 0.0, parts: int = 0, runs: int = 3) -> list[Row]:
    """Predicts `work` seconds of one worker on each number of GPUs that holds the model, with the number of parts, doubled from one a worker, that is
    fastest.

    `spread` are part times over their mean, as measured; parts take them in turns.
    """
    rows: list[Row] = []
    conditions = dataclasses.replace(conditions, weight_bytes=shape.weight_bytes,
                                     failures=failures_per_gpu_hour * shape.gpus / 3600)
    for gpus in counts:
        workers = gpus // shape.gpus
        if workers == 0:
            continue
        best: Row | None = None
        most = shape.layers * shape.heads + 1  # states of the model that a ranking measures
        numbers = [parts] if parts else [workers << doublings for doublings in range(most.bit_length())]
        for number in sorted({min(number, most) for number in numbers}):
            factors = [spread[i % len(spread)] for i in range(number)]
            seconds = [work * factor / sum(factors) for factor in factors]
            try:
                outcomes = [simulate(seconds, workers, conditions, seed) for seed in range(runs if conditions.failures else 1)]
            except PlanError:
                if number == max(min(one, most) for one in numbers):
                    raise
                continue
            hours = statistics.fmean(outcome.seconds for outcome in outcomes) / 3600
            row = Row(gpus, number, hours, hours * gpus * price, 0.0, statistics.fmean(outcome.failures for outcome in outcomes))
            if best is not None and row.hours >= best.hours:
                break
            best = row
        assert best is not None
        first = rows[0] if rows else best
        rows.append(dataclasses.replace(best, efficiency=first.hours * first.gpus / (best.hours * best.gpus)))
    return rows


def knee(rows: Sequence[Row], least: float = 0.8) -> Row:
    """The last row before efficiency falls below `least`: from there on a GPU does less than that share of its work."""
    below = next((i for i, row in enumerate(rows) if row.efficiency < least), len(rows))
    return rows[max(below - 1, 0)]


def number(text: str, least: float = -math.inf) -> float:
    """A finite number, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < least:
        raise argparse.ArgumentTypeError(f"expected a number{'' if least < 0 else ' from 0'}, got {text!r}")
    return value


def main(arguments: Sequence[str]) -> int:
    options = argparse.ArgumentParser(prog="python -m headscope_cluster plan", description=__doc__)
    options.add_argument("--model", choices=[*SHAPES, MEASURED, "all"], default="all", help="shape of the model (all); measured: the model whose "
                         "parts --measured lists, each on one GPU or process")
    options.add_argument("--tokens", type=number, default=300 * 1000, help="tokens of all examples together (300,000)")
    options.add_argument("--flops", type=number, default=4e14, metavar="F",
                         help="operations a second that one GPU reaches (4e14: an H100 in bf16 at 40 %%)")
    options.add_argument("--measured", metavar="FILE", help="JSON list of seconds of measured parts, start-up and load included; their spread is "
                         "used, and with --model their sum in place of --tokens and --flops")
    options.add_argument("--storage", choices=[*STORAGE], default="shared", help="where the weights are (shared)")
    options.add_argument("--each", type=number, metavar="B", help="bytes a second that one process loads, in place of the storage's (%s)"
                         % ", ".join(f"{name} {one.each:.0e}" for name, one in STORAGE.items()))
    options.add_argument("--together", type=number, metavar="B", help="bytes a second for all processes together (%s)"
                         % ", ".join(f"{name} {one.together:.0e}" for name, one in STORAGE.items()))
    options.add_argument("--startup", type=number, metavar="S", help="seconds of a process before it loads (15; 0 with --model measured)")
    options.add_argument("--failures", type=number, default=2e-5, metavar="R", help="failures of a GPU an hour (2e-5: 419 on 16,384 GPUs in "
                         "54 days, Llama 3)")
    options.add_argument("--recovery", type=number, default=300, metavar="S", help="seconds until a failed worker is back (300)")
    options.add_argument("--merge", type=number, default=0.5, metavar="S", help="seconds to merge a part (0.5)")
    options.add_argument("--finish", type=number, metavar="S", help="seconds of the last step (those of a start and a load)")
    options.add_argument("--processors", type=int, default=0, metavar="P", help="processors of the one machine on which all workers and the driver "
                         "run (0: each worker has its own)")
    options.add_argument("--slower", type=number, default=1, metavar="F", help="factor by which a part slows down while all --processors are busy (1)")
    options.add_argument("--price", type=number, default=3.0, metavar="P", help="price of a GPU an hour (3)")
    options.add_argument("--parts", type=int, default=0, metavar="N", help="number of parts; without it the fastest of 1, 2, 4 ... a worker")
    options.add_argument("--gpus", "--workers", type=int, nargs="+", default=[2**i for i in range(11)], help="numbers of GPUs (1, 2, 4 ... 1024)")
    options.add_argument("--efficiency", type=number, default=0.8, metavar="E", help="the knee is the last number of GPUs with this efficiency (0.8)")
    options.add_argument("--json", action="store_true", help="JSON in place of tables")
    chosen = options.parse_args(arguments)
    try:
        print(_predicted(chosen), end="")
        return 0
    except (PlanError, OSError) as error:
        print(f"headscope_cluster: {error}", file=sys.stderr)
        return 1


def _measured(path: str) -> list[float]:
    try:
        with open(path, encoding="utf-8") as file:
            seconds = json.load(file)
    except OSError as error:
        raise PlanError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise PlanError(f"{path}: expected a JSON list of seconds; got something else ({error}).") from error
    if not isinstance(seconds, list) or not seconds or not all(isinstance(s, (int, float)) and 0 < s < math.inf for s in seconds):
        raise PlanError(f"{path}: expected a JSON list of positive seconds, one for each measured part.")
    return [float(s) for s in seconds]


def _predicted(chosen: argparse.Namespace) -> str:
    measured = _measured(chosen.measured) if chosen.measured else []
    if any(value is not None and value < 0 for value in (chosen.startup, chosen.failures, chosen.recovery, chosen.merge, chosen.finish, chosen.price,
                                                         chosen.parts, chosen.processors)) \
            or min(chosen.tokens, chosen.flops, *chosen.gpus, chosen.slower, chosen.each or 1, chosen.together or 1) <= 0:
        raise PlanError("Numbers of GPUs, tokens, operations, bytes and --slower are positive, and all others at least 0.")
    if chosen.model == MEASURED and not measured:
        raise PlanError("--model measured needs --measured FILE.")
    storage = Storage(chosen.each or STORAGE[chosen.storage].each, chosen.together or STORAGE[chosen.storage].together)
    text, answers = [], {}
    for name in SHAPES if chosen.model == "all" else [chosen.model]:
        shape = SHAPES.get(name) or Shape(0, max(len(measured), chosen.parts) - 1, 1, 1, 0)
        startup = chosen.startup if chosen.startup is not None else 0 if name == MEASURED else 15
        alone = startup + shape.weight_bytes / storage.each
        parts = measured if chosen.model == "all" else _without_loading(name, measured, alone)
        work = sum(parts) if parts and chosen.model != "all" else shape.flops(chosen.tokens) / (chosen.flops * shape.gpus)
        conditions = Conditions(startup, shape.weight_bytes, storage, recovery=chosen.recovery, merge=chosen.merge,
                                finish=alone if chosen.finish is None else chosen.finish, processors=chosen.processors, slower=chosen.slower)
        rows = table(work, shape, conditions, sorted(chosen.gpus), chosen.price, [s / statistics.fmean(parts) for s in parts] or [1.0], chosen.failures,
                     chosen.parts or (len(parts) if name == MEASURED else 0))
        if not rows:
            raise PlanError(f"{name} needs {shape.gpus} GPUs, and --gpus has no number that large.")
        best = knee(rows, chosen.efficiency)
        answers[name] = {"rows": [dataclasses.asdict(row) for row in rows], "knee": best.gpus}
        text.append(f"{name}: {work * shape.gpus / 3600:.3g} GPU-hours of work, {shape.gpus} {'GPU' if shape.gpus == 1 else 'GPUs'} for each part\n\n"
                    "  GPUs  parts       time        cost  efficiency  failures\n")
        text += [f"{row.gpus:6}{row.parts:7}{duration(3600 * row.hours):>11}{row.cost:12,.2f}{row.efficiency:11.0%}{row.failures:10.2f}"
                 f"{'  <- knee' if row is best else ''}\n" for row in rows]
        text.append("\n")
    return json.dumps(answers) + "\n" if chosen.json else "".join(text)


def _without_loading(name: str, measured: list[float], alone: float) -> list[float]:
    """The seconds of measured parts without those in which each starts and loads, which other numbers of parts repeat more or less often."""
    if measured and min(measured) <= alone:
        raise PlanError(f"A measured part took {min(measured):.3g} s, but starting and loading {name} takes {alone:.3g} s: give --startup and --each "
                        "as they were.")
    return [s - alone for s in measured]
