# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads Headscope's session files: scores, examples, patterns, rankings and analyses as dictionaries and arrays."""

import json
import os
import pathlib
import sqlite3
import struct
import urllib.parse
import zlib

try:
    import numpy
except ImportError:  # lists of lists then
    numpy = None

__all__ = ["Session", "SessionError", "APPLICATION_ID", "SCHEMAS"]

APPLICATION_ID = 0x48645363  # "HdSc", at byte 68 of the file
SCHEMAS = range(3, 13)  # that are read
LONGEST_SIDE = 65536  # of a pattern


class SessionError(ValueError):
    """The file is no session, or a damaged one; the text is one sentence."""


class Session:
    """One session file, open for reading. Use it in a `with` block, or call close()."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if not self.path.is_file():
            raise SessionError(f"There is no session {str(self.path)!r}.")
        # Not every file system lets a reader make the index of a write-ahead log; then the file is read as it lies there.
        for query in ("mode=ro", "mode=ro&immutable=1"):
            uri = "file:" + urllib.parse.quote(os.fsencode(self.path.absolute())) + "?" + query
            self._db = sqlite3.connect(uri, uri=True)
            try:
                self._db.execute("PRAGMA trusted_schema = OFF")
                self.schema = self._db.execute("PRAGMA user_version").fetchone()[0]
                application = self._db.execute("PRAGMA application_id").fetchone()[0]
                break
            except sqlite3.OperationalError as error:
                self._db.close()
                if "immutable" in query:
                    raise SessionError(f"Session {str(self.path)!r} can not be read: {error}.") from error
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

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._db.close()

    def info(self):
        """What the file says of itself: uid, created, and the schema."""
        return {**{row["key"]: row["value"] for row in self._rows("SELECT key, value FROM session_info")},
                "schema": self.schema}

    def models(self):
        """One dictionary a model: hash, name, source, revision, family, dtype, device, layers, parameters, heads (a list)."""
        models = self._rows(
            "SELECT hash, name, source, revision, family, dtype, device, layers, parameters, heads, added FROM models ORDER BY id")
        for model in models:
            model["heads"] = _json(model["heads"], list)
        return models

    def scores(self):
        """One dictionary a series (model, dtype, device, task, ablation): n, correct, acc, acc_norm, rejected ..."""
        return self._rows("SELECT * FROM scores")

    def flips(self):
        """One dictionary for each example that an ablation made right or wrong."""
        return self._rows("SELECT * FROM flips")

    def examples(self, task=None, ablation=None):
        """One dictionary for each example in each series: what was asked, what came out. `ablation` "" is the baseline."""
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

    def rankings(self):
        """One dictionary a ranking, with `heads`: a list in order, of head, value, delta, low, high."""
        rankings = self._rows(
            "SELECT k.id, k.uid, m.name AS model, m.hash AS model_hash, k.dtype, k.device, k.task, k.method, "
            "a.text AS ablation, k.n, k.created FROM rankings k JOIN models m ON m.id = k.model_id "
            "JOIN ablations a ON a.id = k.ablation_id ORDER BY k.id")
        for ranking in rankings:
            ranking["heads"] = self._rows(
                "SELECT head, value, delta, low, high FROM ranking_heads WHERE ranking_id = ? ORDER BY position",
                (ranking.pop("id"),))
        return rankings

    def patterns(self):
        """One dictionary a kept pattern: head, prompt, tokens, segments, and `matrix`, whose rows are queries.

        What the numbers are is told by `kind`, `with_d`, `with_dt`, `with_gate`, `shown` and `earlier_words`
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

    def runs(self):
        """One dictionary for each named state that was scored, and task."""
        return self._rows("SELECT * FROM runs_overview")

    def labels(self):
        """Names and colours that a person gave to heads."""
        return self._rows(
            "SELECT m.name AS model, m.hash AS model_hash, l.head, l.name, l.colour FROM head_labels l "
            "JOIN models m ON m.id = l.model_id ORDER BY m.id, l.head")

    def figures(self):
        """Recipes of kept figures by name."""
        return {row["name"]: _json(row["recipe"], dict) for row in self._rows("SELECT name, recipe FROM figures ORDER BY name")}

    def analyses(self):
        """Reports of experiments, by the key that they are kept under: "experiment/ID/MODEL..."."""
        rows = self._rows("SELECT key, value FROM ui_state WHERE key GLOB 'experiment/*' ORDER BY key")
        return {row["key"]: _json(_text(row["value"]), dict) for row in rows}

    def surveys(self):
        """One dictionary for each metric of each head over many texts: n, mean, deviation, quantiles, largest. Empty before schema 9."""
        return self._rows("SELECT * FROM surveys_overview") if self.schema >= 9 else []

    def answers(self):
        """What was answered in tours and exercises, by lesson and step. Empty before schema 10."""
        return self._rows("SELECT * FROM answers ORDER BY lesson, step") if self.schema >= 10 else []

    def _rows(self, query, values=()):
        try:
            return [dict(row) for row in self._db.execute(query, values)]
        except sqlite3.DatabaseError as error:
            raise SessionError(f"Session {str(self.path)!r} can not be read: {error}.") from error


def _text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _json(text, kind):
    try:
        value = json.loads(text)
    except (TypeError, ValueError) as error:
        raise SessionError(f"The session is damaged: expected JSON, got {str(text)[:40]!r}.") from error
    if not isinstance(value, kind):
        raise SessionError(f"The session is damaged: expected a JSON {kind.__name__}, got {str(text)[:40]!r}.")
    return value


def _numbers(text):
    """A list of floats; 1e999 is infinity and null not a number."""
    return [float("nan") if value is None else float(value) for value in _json(text, list)]


def _matrix(data, scale, rows, cols):
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
