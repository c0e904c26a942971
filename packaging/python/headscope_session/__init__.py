# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads Headscope's session files: lists of dictionaries, or pandas tables of the same."""

from __future__ import annotations

import importlib
import json
import math
import os
import pathlib
import sqlite3
import struct
import urllib.parse
import zlib
from types import TracebackType
from typing import Any, Sequence

numpy: Any = None
try:
    numpy = importlib.import_module("numpy")
except ImportError:  # lists of lists then
    pass

Row = dict[str, Any]

__all__ = ["Session", "SessionError", "APPLICATION_ID", "SCHEMAS", "TABLES", "mcnemar"]

APPLICATION_ID = 0x48645363  # "HdSc", at byte 68 of the file
SCHEMAS = range(3, 15)  # that are read
LONGEST_SIDE = 65536  # of a pattern
TABLES = ("scores", "analyses", "surveys", "rankings", "examples", "flips", "runs", "labels", "models", "answers", "patterns")  # of table()

# Series with an ablation and the baseline of the same conditions, as in the view `flips`.
_CHANGES = """
SELECT n.id AS series_id, count(*) AS paired, sum(rn.correct < rb.correct) AS lost, sum(rn.correct > rb.correct) AS gained
FROM series n JOIN ablations a ON a.id = n.ablation_id AND a.text <> ''
JOIN series b ON b.model_id = n.model_id AND b.tokenizer = n.tokenizer AND b.dtype = n.dtype AND b.device = n.device
             AND b.task = n.task AND b.scoring_version = n.scoring_version {}
             AND b.inputs = rtrim(substr(n.inputs, 1, instr(n.inputs || 'over=', 'over=') - 1))
JOIN ablations o ON o.id = b.ablation_id AND o.text = ''
JOIN results rn ON rn.series_id = n.id JOIN results rb ON rb.series_id = b.id AND rb.example_id = rn.example_id
WHERE rn.correct IS NOT NULL AND rb.correct IS NOT NULL GROUP BY n.id"""


class SessionError(ValueError):
    """The file is no session, or a damaged one; the text is one sentence."""


class Session:
    """One session file, open for reading. Use it in a `with` block, or call close()."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path)
        if not self.path.is_file():
            raise SessionError(f"There is no session {str(self.path)!r}.")
        # Only who may write removes the log and its index that SQLite makes to read; a log that is there already is left alone.
        # Not every file system lets a reader make that index; then the file is read as it lies there.
        logged = any(os.path.exists(f"{self.path}{suffix}") for suffix in ("-wal", "-journal"))
        tidy = os.access(self.path, os.W_OK) and os.access(self.path.absolute().parent, os.W_OK) and not logged
        for query in ("mode=rw" if tidy else "mode=ro", "mode=ro&immutable=1"):
            uri = "file:" + urllib.parse.quote(os.fsencode(self.path.absolute())) + "?" + query
            self._db = sqlite3.connect(uri, uri=True)
            try:
                self._db.execute("PRAGMA trusted_schema = OFF")
                self._db.execute("PRAGMA query_only = ON")
                self.schema = self._db.execute("PRAGMA user_version").fetchone()[0]
                application = self._db.execute("PRAGMA application_id").fetchone()[0]
                break
            except sqlite3.OperationalError as error:
                self._db.close()
                if "immutable" in query:
                    raise SessionError(f"Session {str(self.path)!r} cannot be read: {error}.") from error
            except sqlite3.DatabaseError as error:
                self._db.close()
                raise SessionError(f"{str(self.path)!r} is not a session: {error}.") from error
        self._db.row_factory = sqlite3.Row
        if application != APPLICATION_ID:
            self.close()
            raise SessionError(f"{str(self.path)!r} is not a session: it is a SQLite file of another program.")
        if self.schema not in SCHEMAS:
            self.close()
            raise SessionError(
                f"Session {str(self.path)!r} has schema {self.schema}; expected {SCHEMAS[0]} to {SCHEMAS[-1]}. "
                "Opening it once in Headscope upgrades an older one."
            )

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def info(self) -> Row:
        """Returns what the file says about itself: uid, created and the schema."""
        return {**{row["key"]: row["value"] for row in self._rows("SELECT key, value FROM session_info")},
                "schema": self.schema}

    def models(self) -> list[Row]:
        """Returns the models: hash, name, source, revision, family, dtype, device, layers, parameters, heads (a list)."""
        models = self._rows(
            "SELECT hash, name, source, revision, family, dtype, device, layers, parameters, heads, added FROM models ORDER BY id")
        for model in models:
            model["heads"] = _json(model["heads"], list)
        return models

    def scores(self) -> list[Row]:
        """Returns what each series (model, dtype, device, task, ablation) adds up to: n, correct, acc, acc_norm, rejected ...

        A series with an ablation also has what it changes on the examples that its baseline was measured on too: `paired`
        of them, of which it `lost` and `gained` some; `delta`, the change of acc, and `p`, the exact McNemar test, are
        those that the program prints. They are None in a baseline, and where there is none to compare with.
        """
        changes = {row.pop("series_id"): row for row in self._rows(_CHANGES.format(
            "AND b.row_source = n.row_source AND b.task_version = n.task_version" if self.schema >= 7 else ""))}
        scores = self._rows("SELECT * FROM scores")
        for score in scores:
            change = changes.get(score["series_id"], {"paired": None, "lost": None, "gained": None})
            score.update(change, delta=None, p=None)
            if change["paired"]:
                score["delta"] = (change["gained"] - change["lost"]) / change["paired"]
                score["p"] = mcnemar(change["lost"], change["gained"])
        return scores

    def flips(self) -> list[Row]:
        """Returns each example that an ablation made right or wrong."""
        return self._rows("SELECT * FROM flips")

    def examples(self, task: str | None = None, ablation: str | None = None) -> list[Row]:
        """Returns each example of each series with its result. `ablation` "" is the baseline."""
        query = (
            "SELECT m.name AS model, m.hash AS model_hash, s.dtype, s.device, s.task, a.text AS ablation, e.hash AS example, "
            "e.file, e.row, e.context, e.continuations, e.gold, r.prediction, r.correct, r.correct_norm, r.greedy, "
            "r.log_likelihoods, r.generated, r.rejected, r.seconds FROM results r JOIN series s ON s.id = r.series_id "
            "JOIN examples e ON e.id = r.example_id JOIN models m ON m.id = s.model_id JOIN ablations a ON a.id = s.ablation_id "
            "WHERE (?1 IS NULL OR s.task = ?1) AND (?2 IS NULL OR a.text = ?2) ORDER BY r.series_id, e.row, e.id")
        examples = self._rows(query, (task, ablation))
        for example in examples:
            example["continuations"] = _json(example["continuations"], list)
            example["log_likelihoods"] = _numbers(example["log_likelihoods"])
        return examples

    def rankings(self) -> list[Row]:
        """Returns the rankings, each with `heads`: a list in order, of head, value, delta, low, high.

        `delta` is None where the method measures no cost (estimates, scores of patterns); `low` and `high` then belong to `value`.
        """
        rankings = self._rows(
            "SELECT k.id, k.uid, m.name AS model, m.hash AS model_hash, k.dtype, k.device, k.task, k.method, "
            "a.text AS ablation, k.n, k.created FROM rankings k JOIN models m ON m.id = k.model_id "
            "JOIN ablations a ON a.id = k.ablation_id ORDER BY k.id")
        for ranking in rankings:
            ranking["heads"] = self._rows(
                "SELECT head, value, delta, low, high FROM ranking_heads WHERE ranking_id = ? ORDER BY position",
                (ranking.pop("id"),))
            if ranking["method"] not in ("exact", "race", "pairs", "greedy", "random"):
                for head in ranking["heads"]:
                    head["delta"] = None
        return rankings

    def patterns(self) -> list[Row]:
        """Returns the patterns: head, prompt, tokens, segments, and `matrix`, whose rows are queries.

        The kind of numbers is in `kind`, `with_d`, `with_dt`, `with_gate`, `shown` and `earlier_words`
        (sessions/SCHEMA.md); in files before schema 8 by the sentence `convention`.
        """
        convention = ("p.convention" if self.schema < 8 else
                      "p.matrix AS kind, p.with_d, p.with_dt, p.with_gate, p.shown, p.earlier_words")
        patterns = self._rows(
            f"SELECT m.name AS model, m.hash AS model_hash, p.dtype, p.head, {convention}, a.text AS ablation, p.prompt, "
            "p.source, p.tokens, p.segments, p.rows, p.cols, p.encoding, p.scale, p.max_error, p.data, p.created "
            "FROM patterns p JOIN models m ON m.id = p.model_id JOIN ablations a ON a.id = p.ablation_id ORDER BY p.id")
        for pattern in patterns:
            pattern["tokens"] = _json(pattern["tokens"], list)
            pattern["segments"] = _json(pattern["segments"], list)
            pattern["matrix"] = _matrix(pattern.pop("data"), pattern.pop("scale"), pattern["rows"], pattern["cols"])
        return patterns

    def runs(self) -> list[Row]:
        """Returns each named state that was scored, by task."""
        return self._rows("SELECT * FROM runs_overview")

    def labels(self) -> list[Row]:
        """Returns names and colours that a person gave to heads."""
        return self._rows(
            "SELECT m.name AS model, m.hash AS model_hash, l.head, l.name, l.colour FROM head_labels l "
            "JOIN models m ON m.id = l.model_id ORDER BY m.id, l.head")

    def figures(self) -> dict[str, Row]:
        """Returns the recipes of stored figures by name."""
        return {row["name"]: _json(row["recipe"], dict) for row in self._rows("SELECT name, recipe FROM figures ORDER BY name")}

    def experiments(self) -> dict[str, Row]:
        """Returns reports of experiments by the key that they are stored under: "experiment/ID/MODEL..."."""
        rows = self._rows("SELECT key, value FROM ui_state WHERE key GLOB 'experiment/*' ORDER BY key")
        return {row["key"]: _json(_text(row["value"]), dict) for row in rows}

    def analyses(self) -> list[Row]:
        """Returns each number of each analysis: kind, part, receiver, position, measure, value, low, high, and the `question`
        (JSON) and `summary` of the analysis. Empty before schema 11."""
        return self._rows("SELECT * FROM analyses_overview") if self.schema >= 11 else []

    def surveys(self) -> list[Row]:
        """Returns each metric of each head over many texts: n, mean, deviation, quantiles, largest. Empty before schema 9."""
        return self._rows("SELECT * FROM surveys_overview") if self.schema >= 9 else []

    def answers(self) -> list[Row]:
        """Returns answers to tours and exercises, by lesson and step. Empty before schema 10."""
        return self._rows("SELECT * FROM answers ORDER BY lesson, step") if self.schema >= 10 else []

    def table(self, what: str) -> Any:
        """Returns one of the lists above as a pandas.DataFrame: "scores", "analyses", "surveys", "examples", "flips", "runs", "labels",
        "models", "answers", "patterns", or "rankings" with a row for each head."""
        if what not in TABLES:
            raise SessionError(f"There is no table {what!r}; expected one of {', '.join(TABLES)}.")
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise SessionError("pandas is not installed; run: pip install 'headscope-session[tables]'") from error
        rows = getattr(self, what)()
        if what == "rankings":
            rows = [{**ranking, "position": position, **head}
                    for ranking in rows for position, head in enumerate(ranking.pop("heads"))]
        return pandas.DataFrame(rows)

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        try:
            return [dict(row) for row in self._db.execute(query, values)]
        except sqlite3.DatabaseError as error:
            raise SessionError(f"Session {str(self.path)!r} cannot be read: {error}.") from error


def mcnemar(lost: int, gained: int) -> float:
    """Returns the two-sided exact McNemar p value: min(1, 2 P(X <= min(lost, gained))), X binomial(lost + gained, 1/2)."""
    n, k = lost + gained, min(lost, gained)
    if n == 0 or lost == gained:
        return 1.0
    term = math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))
    terms = [term]
    while k > 0 and term > terms[0] * 1e-18:
        term *= k / (n - k + 1)
        k -= 1
        terms.append(term)
    return min(1.0, 2 * math.fsum(terms))


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _json(text: Any, kind: type) -> Any:
    try:
        value = json.loads(text)
    except (TypeError, ValueError) as error:
        raise SessionError(f"The session is damaged: expected JSON, got {str(text)[:40]!r}.") from error
    if not isinstance(value, kind):
        raise SessionError(f"The session is damaged: expected a JSON {kind.__name__}, got {str(text)[:40]!r}.")
    return value


def _numbers(text: Any) -> list[float]:
    """Returns a list of floats; 1e999 is infinity and null not a number."""
    return [float("nan") if value is None else float(value) for value in _json(text, list)]


def _matrix(data: bytes, scale: float, rows: int, cols: int) -> Any:
    """Halves of all values over `scale`: first their low bytes, then their high ones, deflated."""
    if not (0 < rows <= LONGEST_SIDE and 0 < cols <= LONGEST_SIDE):
        raise SessionError(f"A stored pattern is damaged: it claims {rows} x {cols} values.")
    count = rows * cols
    inflate = zlib.decompressobj()
    try:
        planes = inflate.decompress(data, 2 * count + 1)  # what claims to be short and is not must not fill the memory
    except (TypeError, zlib.error) as error:
        raise SessionError(f"A stored pattern is damaged: {error}.") from error
    if len(planes) != 2 * count or not inflate.eof:
        raise SessionError(f"A stored pattern is damaged: expected {2 * count} bytes of values.")
    halves = bytearray(2 * count)
    halves[0::2], halves[1::2] = planes[:count], planes[count:]
    if numpy is not None:
        return (numpy.frombuffer(bytes(halves), dtype="<f2").astype(numpy.float64) * scale).astype(numpy.float32).reshape(rows, cols)
    values = [value * scale for value in struct.unpack(f"<{count}e", halves)]
    return [values[r * cols:(r + 1) * cols] for r in range(rows)]
