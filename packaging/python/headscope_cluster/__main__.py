# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m headscope_cluster: one measurement on many machines, or a forecast of what it would take."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import re
import sys
from typing import Any, Sequence

from headscope_cluster import plan
from headscope_cluster.driver import Executor, Failed, Study, duration, run
from headscope_cluster.ray_cluster import RayCluster

COMMANDS = ("rank", "score", "survey", "patch", "edges")  # of headscope-cli that know --part
UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 2.0**10, "mi": 2.0**20, "gi": 2.0**30, "ti": 2.0**40}


def size(text: str) -> float:
    """Bytes of 12GB or 8GiB."""
    found = re.fullmatch(r"([0-9.]+) *([kmgt]?i?)b?", text.strip().lower())
    if not found or found[2] not in UNITS or found[1].count(".") > 1 or found[1] == ".":
        raise argparse.ArgumentTypeError(f"expected a size such as 12GB, got {text!r}")
    return float(found[1]) * UNITS[found[2]]


def mapping(text: str) -> dict[str, Any]:
    """A JSON object, or a file that contains one."""
    try:
        value = json.loads(text if text.lstrip().startswith("{") else pathlib.Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"expected a JSON object or a file that holds one, got {text!r} ({error})") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"expected a JSON object, got {text!r}")
    return value


def amount(text: str) -> float:
    return plan.number(text, 0)


def resources(text: str) -> dict[str, float]:
    """Amounts by name, as mapping() reads them."""
    return {name: amount(str(value)) for name, value in mapping(text).items()}


def retries(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


def count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1,000,000, got {text!r}")
    return int(text)


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m headscope_cluster", allow_abbrev=False,
        usage="python -m headscope_cluster {%s} MODEL [options of headscope-cli] --parts N --session OUT [options]\n"
              "       python -m headscope_cluster plan --help" % ",".join(COMMANDS),
        description="Runs one command of headscope-cli in N parts on a Ray cluster, merges their sessions into OUT and prints the "
                    "command's JSON. All other options go to headscope-cli. Finished parts stay in OUT: the same command does the rest.")
    options.add_argument("--parts", type=count, required=True, metavar="N", help="number of parts; some for each worker balance the load")
    options.add_argument("--session", type=pathlib.Path, required=True, metavar="OUT", help="session file to create or continue")
    options.add_argument("--address", help="Ray cluster, such as ray://head:10001 or auto; without it $RAY_ADDRESS, or this machine")
    options.add_argument("--cpus-per-part", type=amount, default=1, metavar="C", help="processor cores of a part (1)")
    options.add_argument("--gpus-per-part", type=amount, default=0, metavar="G", help="GPUs of a part (0)")
    options.add_argument("--memory", type=size, default=0, metavar="SIZE", help="memory of a part, for Ray and for headscope-cli")
    options.add_argument("--resources", type=resources, default={}, metavar="JSON",
                         help="""other Ray resources of a part: '{"accelerator_type:H100": 0.001}'""")
    options.add_argument("--runtime-env", type=mapping, metavar="JSON", help="Ray runtime environment: an object or a file")
    options.add_argument("--retries", type=retries, default=3, metavar="N", help="attempts after the first for a part that failed (3)")
    options.add_argument("--cli", default=os.environ.get("HEADSCOPE_CLI", "headscope-cli"), metavar="PROGRAM",
                         help="headscope-cli, here and on the workers ($HEADSCOPE_CLI or headscope-cli)")
    options.add_argument("--part-times", type=pathlib.Path, metavar="FILE", help="write the seconds of each part, for plan --measured")
    options.add_argument("--dry-run", action="store_true", help="only forecast time and memory, on one worker")
    options.add_argument("--quiet", action="store_true", help="no progress")
    return options


def study_of(command: str, model: str, rest: Sequence[str]) -> tuple[Study, argparse.Namespace]:
    options, words = parser().parse_known_args(rest)
    if given := [word for word in words if word.split("=")[0] in ("--part", "--forecast")]:
        parser().error(f"{given[0]}: this program gives it to each part; use --parts or --dry-run")
    path = os.path.abspath(model) if os.path.exists(model) else ""
    if os.path.isabs(model):
        path = model
    words = [word for word in words if word != "--json"]
    if not any(word.split("=")[0] == "--threads" for word in words):
        words += ["--threads", str(max(1, int(options.cpus_per_part)))]
    if options.memory:
        words += ["--memory", str(int(options.memory))]
    return Study(options.cli, (command, path or model, *words), options.parts, options.session, path), options


def forecast(study: Study, executor: Executor) -> dict[str, Any]:
    """What the study would take: the command's own forecast on one worker, in parts."""
    if study.words[0] != "rank":
        raise Failed("headscope-cli forecasts rankings only; leave --dry-run out, or use plan with the time of one part.")
    handle = executor.start(study.job("--forecast"))
    while executor.wait([handle], 60.0) is None:
        pass
    outcome = executor.result(handle)
    if outcome.error:
        raise Failed(outcome.error)
    words = study.words
    method = words[words.index("--method") + 1] if "--method" in words else "exact"
    row = next((row for row in json.loads(outcome.output)["forecast"] if row["method"] == method), None)
    if row is None:
        raise Failed(f"headscope-cli has no forecast of --method {method}.")
    slots = min(executor.slots(), study.parts)
    each = row["seconds"] / study.parts
    waves = -(-study.parts // slots)
    return {"parts": study.parts, "at_once": slots, "seconds_of_part": each, "bytes_of_part": row["bytes"], "seconds": each * waves}


def cluster(command: str, model: str, rest: Sequence[str]) -> str:
    study, options = study_of(command, model, rest)
    folder = study.session.absolute().parent
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Failed(f"{str(folder)!r} is not a folder in which a session can be written.")
    if options.part_times and not os.access(options.part_times.absolute().parent, os.W_OK | os.X_OK):
        raise Failed(f"{str(options.part_times)!r} cannot be written: its folder does not exist or is read-only.")
    needs = {"CPU": options.cpus_per_part, "GPU": options.gpus_per_part, "memory": options.memory, **options.resources}
    executor = RayCluster(options.address, needs, options.runtime_env, options.retries)

    def report(text: str) -> None:
        if not options.quiet:
            print(text, file=sys.stderr, flush=True)

    if options.dry_run:
        estimate = forecast(study, executor)
        report(f"{estimate['parts']} parts of about {duration(estimate['seconds_of_part'])}, {estimate['at_once']} at a time: about "
               f"{duration(estimate['seconds'])}, and the model is loaded once for each part")
        return json.dumps(estimate) + "\n"
    times: list[float] = []
    answer = run(study, executor, report, times=times)
    if options.part_times:
        options.part_times.write_text(json.dumps(times) + "\n", encoding="utf-8")
    return answer


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["plan"]:
        return plan.main(arguments[1:])
    if "--help" in arguments or "-h" in arguments:
        parser().print_help()
        return 0
    if len(arguments) < 2 or arguments[0] not in COMMANDS or arguments[1].startswith("-"):
        parser().error(f"expected {', '.join(COMMANDS)} or plan, and then the model: got {' '.join(arguments[:2])!r}")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # Ray prints what it retries there
            answer = cluster(arguments[0], arguments[1], arguments[2:])
        sys.stdout.write(answer)
        return 0
    except Failed as failure:
        print(f"headscope_cluster: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("headscope_cluster: Stopped; finished parts are in the session, and the same command does the rest.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
