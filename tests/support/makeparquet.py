#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes tests/data/parquet with pyarrow 26: one made-up table in the forms that writers choose, and what is in it as JSON.

Usage: makeparquet.py tests/data/parquet
"""
import json
import pathlib
import random
import sys

import pyarrow
import pyarrow.parquet

WORDS = ["amber", "birch", "cobalt", "drift", "ember", "fjord", "grove", "harbor"]


def rows(count):
    draw = random.Random(3)
    for i in range(count):
        n = draw.randint(0, 4)
        words = [draw.choice(WORDS) for _ in range(n)]
        yield {"question": " ".join(draw.choices(WORDS, k=draw.randint(0, 9))) + ("é✓" if i % 7 == 0 else ""),
               "choices": {"text": words, "label": list("ABCD")[:n]},
               "endings": None if i % 5 == 0 else [f"{word} {i}" for word in words],
               "answer": draw.randint(0, 3) if i % 11 else None, "score": draw.random(), "single": i / 8,
               "flag": draw.random() < 0.5, "id": f"row {i}" if i % 13 else None,
               "options": [{"a": word, "b": i} for word in words]}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    text, texts = pyarrow.string(), pyarrow.list_(pyarrow.string())
    option = pyarrow.list_(pyarrow.struct([("a", text), ("b", pyarrow.int32())]))
    schema = pyarrow.schema([("question", text), ("choices", pyarrow.struct([("text", texts), ("label", texts)])),
                             ("endings", texts), ("answer", pyarrow.int64()), ("score", pyarrow.float64()),
                             ("single", pyarrow.float32()), ("flag", pyarrow.bool_()), ("id", text), ("options", option)])
    made = list(rows(24))
    table = pyarrow.Table.from_pylist(made, schema=schema)
    forms = {"snappy": {"compression": "snappy"},
             "gzip": {"compression": "gzip", "data_page_version": "2.0"},
             "plain": {"compression": "none", "use_dictionary": False},
             "groups": {"compression": "snappy", "data_page_version": "2.0", "row_group_size": 7},
             "zstd": {"compression": "zstd"},
             "delta": {"use_dictionary": False, "column_encoding": {"id": "DELTA_BYTE_ARRAY"}}}
    for name, form in forms.items():
        pyarrow.parquet.write_table(table, folder / f"{name}.parquet",
                                    **{"row_group_size": 15, "data_page_size": 200, "write_statistics": False,
                                       "store_schema": False, **form})
    nested = pyarrow.table({"deep": pyarrow.array([[["a"], []]], pyarrow.list_(texts))})
    pyarrow.parquet.write_table(nested, folder / "nested.parquet")
    (folder / "rows.json").write_text(json.dumps(made, ensure_ascii=False, indent=0) + "\n")


main(pathlib.Path(sys.argv[1]))
