# SPDX-License-Identifier: GPL-3.0-or-later
"""Headscope in a notebook: runs headscope-cli and returns its answers as pandas tables and numpy arrays.

    import headscope
    ranking = headscope.run("rank", "tiny-transformer", task="toy_kv", session="study.headscope")
    after = headscope.run("score", "tiny-transformer", task="toy_kv", ablate=ranking.heads["head"][:3], session="study.headscope")
    ranking.heads.plot.barh(x="head", y="delta")
"""

from __future__ import annotations

import importlib
import json
import os
import pathlib
import subprocess
import tempfile
from typing import Any

from headscope_session import Session, SessionError

__all__ = ["Answer", "HeadscopeError", "Session", "SessionError", "run"]


class HeadscopeError(RuntimeError):
    """A command failed; the text is the sentence that it ended with."""


class Answer(dict[str, Any]):
    """The JSON object that a command prints, with its keys as attributes.

    Lists of objects are pandas.DataFrames, lists of numbers numpy arrays, objects Answers.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"The answer has no {name!r}; it has {', '.join(self)}.") from None


def run(command: str, *words: Any, program: str | None = None, arrays: bool = False, **options: Any) -> Answer:
    """Runs `headscope-cli COMMAND WORDS... --OPTION VALUE...` and returns its answer.

    An underscore in the name of an option is a hyphen. True is an option without a value, False and None leave it out, and a
    list, a column or an array repeats it. `program` is headscope-cli ($HEADSCOPE_CLI, or the one on the path). With `arrays`
    the answer has `arrays`, the raw matrices by name (commands with --output and .npz: pattern). Raises HeadscopeError.
    """
    pandas, numpy = _library("pandas"), _library("numpy")
    line = [program or os.environ.get("HEADSCOPE_CLI", "headscope-cli"), *command.split(), *map(str, words), "--json", "--quiet"]
    for name, value in options.items():
        line += _option("--" + name.replace("_", "-"), value)
    with tempfile.TemporaryDirectory(prefix="headscope-") as folder:
        file = pathlib.Path(folder, "arrays.npz")
        if arrays:
            line += ["--output", str(file)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, errors="replace")
        except ValueError as error:
            raise HeadscopeError(f"No command can be made of {line!r}: {error}.") from error
        except OSError as error:
            raise HeadscopeError(f"{line[0]!r} cannot be run: {error.strerror}. Install Headscope, or set HEADSCOPE_CLI to its "
                                 "headscope-cli.") from error
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if line] or [f"headscope-cli ended with exit code {done.returncode}."]
            sentences = [line.removeprefix("headscope-cli: ") for line in lines if line.startswith("headscope-cli: ")]
            raise HeadscopeError(sentences[-1] if sentences else lines[0])  # wrong use: what is wrong, then where help is
        try:
            answer = _converted(json.loads(done.stdout), pandas, numpy)
        except ValueError as error:
            raise HeadscopeError(f"{line[0]!r} printed no JSON, as headscope-cli does: {done.stdout[:40]!r}.") from error
        if not isinstance(answer, Answer):
            answer = Answer(rows=answer)
        if arrays:
            with numpy.load(file) as stored:
                answer["arrays"] = {name: stored[name] for name in stored.files}
    return answer


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise HeadscopeError(f"{name} is not installed; run: pip install 'headscope-session[tables]'") from error


def _option(name: str, value: Any) -> list[str]:
    if getattr(value, "ndim", None) == 0:  # numpy's bools and numbers
        value = value.item()
    if value is None or value is False:
        return []
    if value is True:
        return [name]
    if isinstance(value, (str, bytes, os.PathLike)) or not hasattr(value, "__iter__"):
        return [name, os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)]
    return [word for one in value for word in _option(name, one)]


def _converted(value: Any, pandas: Any, numpy: Any) -> Any:
    if isinstance(value, dict):
        return Answer({name: _converted(one, pandas, numpy) for name, one in value.items()})
    if isinstance(value, list) and value:
        if all(isinstance(one, dict) for one in value):
            return pandas.DataFrame(value)
        if _numeric(value):
            return numpy.array(value, dtype=float)
    return value


def _numeric(value: Any) -> Any:
    """The shape of a list of numbers (null is not a number) or of lists of one shape; None for others."""
    if value is None or isinstance(value, (int, float)) and not isinstance(value, bool):
        return ()
    if not isinstance(value, list) or not value:
        return None
    shapes = {_numeric(one) for one in value}
    shape = shapes.pop()
    return None if shapes or shape is None else (len(value), *shape)
