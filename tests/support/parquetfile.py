# SPDX-License-Identifier: GPL-3.0-or-later
"""A Parquet file of strings and lists of strings without any library: plain, not packed, one page a column.

For the tests' own hub. tests/support/makeparquet.py makes the files that a real writer makes.
"""


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def integer(number):
    return varint(number << 1 ^ number >> 63)


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return varint(len(data)) + data


def structure(*fields):
    """Fields are (id, kind, encoded), in the order of their ids; kinds: 5 int32, 6 int64, 8 bytes, 9 list, 12 structure."""
    out, last = b"", 0
    for number, kind, data in fields:
        out += bytes([(number - last) << 4 | kind]) + data
        last = number
    return out + b"\0"


def listing(kind, items):
    head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + varint(len(items))
    return head + b"".join(items)


def levels(bits):
    """Ones and zeros as groups of eight, behind their size."""
    groups = (len(bits) + 7) // 8
    packed = bytes(sum(bit << i for i, bit in enumerate(bits[8 * g:8 * g + 8])) for g in range(groups))
    data = varint(groups << 1 | 1) + packed
    return len(data).to_bytes(4, "little") + data


def column(values, is_list):
    """The page of a column, and how many places it has."""
    repeated, present, stored = [], [], b""
    for value in values:
        items = value if is_list else [value]
        repeated += [0] + [1] * (len(items) - 1)
        present += [1] * len(items) or [0]
        for item in items:
            stored += len(item.encode()).to_bytes(4, "little") + item.encode()
    body = (levels(repeated) + levels(present) if is_list else b"") + stored
    head = structure((1, 5, integer(0)), (2, 5, integer(len(body))), (3, 5, integer(len(body))),
                     (5, 12, structure((1, 5, integer(len(repeated))), (2, 5, integer(0)), (3, 5, integer(3)),
                                       (4, 5, integer(3)))))
    return head + body, len(repeated)


def element(name, repetition, kind=None, children=0, means=None):
    """means: 0 text, 3 a list."""
    fields = [(1, 5, integer(kind))] if kind is not None else []
    fields += [(3, 5, integer(repetition)), (4, 8, text(name))]
    fields += [(5, 5, integer(children))] if children else []
    return structure(*fields, *([(6, 5, integer(means))] if means is not None else []))


def parquet(columns):
    """columns: {"name": [text, ...] or [[text, ...], ...] or {"part": ...}}, one level of groups."""
    bytes_kind, out, schema, chunks, rows = 6, b"PAR1", [element("schema", 0, children=len(columns))], [], 0

    def add(path, name, values):
        nonlocal out, rows
        is_list, rows = bool(values) and isinstance(values[0], list), len(values)
        if is_list:
            schema.extend([element(name, 0, children=1, means=3), element("list", 2, children=1),
                           element("element", 0, bytes_kind, means=0)])
            path = [*path, name, "list", "element"]
        else:
            schema.append(element(name, 0, bytes_kind, means=0))
            path = [*path, name]
        page, places = column(values, is_list)
        meta = structure((1, 5, integer(bytes_kind)), (2, 9, listing(5, [integer(0)])),
                         (3, 9, listing(8, [text(part) for part in path])), (4, 5, integer(0)), (5, 6, integer(places)),
                         (6, 6, integer(len(page))), (7, 6, integer(len(page))), (9, 6, integer(len(out))))
        chunks.append(structure((2, 6, integer(len(out))), (3, 12, meta)))
        out += page

    for name, values in columns.items():
        if isinstance(values, dict):
            schema.append(element(name, 0, children=len(values)))
            for part, inner in values.items():
                add([name], part, inner)
        else:
            add([], name, values)
    group = structure((1, 9, listing(12, chunks)), (2, 6, integer(len(out))), (3, 6, integer(rows)))
    footer = structure((1, 5, integer(1)), (2, 9, listing(12, schema)), (3, 6, integer(rows)), (4, 9, listing(12, [group])))
    return out + footer + len(footer).to_bytes(4, "little") + b"PAR1"
