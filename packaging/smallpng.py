#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewrites PNG files with few colours: smallpng.py [--colours N] [--rows N] [--crop X,Y,W,H] [--half] FILE...

--rows keeps the first N rows, --crop a rectangle; --half halves both sides. With `pip install zopfli` the files are a tenth smaller.
"""
import argparse
import struct
import zlib

try:
    from zopfli.zlib import compress
except ImportError:
    def compress(data):
        return zlib.compress(data, 9)


def chunks(data):
    at = 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + size]
        at += 12 + size


def paeth(a, b, c):
    to_a, to_b, to_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return a if to_a <= to_b and to_a <= to_c else b if to_b <= to_c else c


def pixels(data):
    """Rows of (red, green, blue), on white where the picture is transparent."""
    parts = list(chunks(data))
    width, _, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", parts[0][1])
    if depth != 8 or kind not in (2, 6) or interlaced:
        raise SystemExit("expected a PNG file with 8 bits per channel and no palette")
    step = 3 if kind == 2 else 4
    raw = zlib.decompress(b"".join(part for name, part in parts if name == b"IDAT"))
    size, above, rows = width * step, bytearray(width * step), []
    for start in range(0, len(raw), size + 1):
        method, row = raw[start], bytearray(raw[start + 1:start + 1 + size])
        for i in range(size if method else 0):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            guess = (left, above[i], (left + above[i]) >> 1, paeth(left, above[i], corner))[method - 1]
            row[i] = (row[i] + guess) & 255
        above = row
        rows.append([tuple(row[x:x + 3]) if step == 3 or row[x + 3] == 255 else
                     tuple(255 - (255 - v) * row[x + 3] // 255 for v in row[x:x + 3]) for x in range(0, size, step)])
    return rows


def halved(rows):
    """Each pixel is the mean of four."""
    return [[tuple(sum(channel) // 4 for channel in zip(one[x], one[x + 1], two[x], two[x + 1]))
             for x in range(0, len(one) - 1, 2)] for one, two in zip(rows[::2], rows[1::2])]


def trimmed(rows):
    """Without empty rows at the end, but for a margin."""
    last = max((y for y, row in enumerate(rows) if any(pixel != rows[0][0] for pixel in row)), default=0)
    return rows[:last + 8]


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b))


def palette(rows, most):
    """The colours used most and those farthest from them, moved to the mean of what they stand for."""
    counts = {}
    for row in rows:
        for colour in row:
            counts[colour] = counts.get(colour, 0) + 1
    chosen = [max(counts, key=counts.get)]
    gap = {colour: distance(colour, chosen[0]) for colour in counts}
    while len(chosen) < min(most, len(counts)):
        best = max(gap, key=lambda colour: gap[colour] * counts[colour] ** 0.7)
        chosen.append(best)
        gap = {colour: min(near, distance(colour, best)) for colour, near in gap.items()}
    for _ in range(5):
        nearest = {colour: min(range(len(chosen)), key=lambda i: distance(colour, chosen[i])) for colour in counts}
        for i in range(1, len(chosen)):  # the background stays what it is
            mine = [(colour, counts[colour]) for colour in counts if nearest[colour] == i]
            if total := sum(count for _, count in mine):
                chosen[i] = tuple(round(sum(c[k] * count for c, count in mine) / total) for k in range(3))
    return chosen, nearest


def written(rows, most):
    chosen, nearest = palette(rows, most)
    width, packed = len(rows[0]), bytearray()
    for row in rows:
        indexes = [nearest[colour] for colour in row] + [0] * (width % 2)
        packed += b"\0" + (bytes(indexes[i] << 4 | indexes[i + 1] for i in range(0, len(indexes), 2)) if most <= 16 else
                           bytes(indexes[:width]))

    def chunk(name, part):
        return struct.pack(">I", len(part)) + name + part + struct.pack(">I", zlib.crc32(name + part))
    header = struct.pack(">IIBBBBB", width, len(rows), 4 if most <= 16 else 8, 3, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"PLTE", b"".join(map(bytes, chosen)))
            + chunk(b"IDAT", compress(bytes(packed))) + chunk(b"IEND", b""))


options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--colours", type=int, default=12)
options.add_argument("--rows", type=int)
options.add_argument("--crop", type=lambda text: [int(number) for number in text.split(",")], metavar="X,Y,W,H")
options.add_argument("--half", action="store_true")
options.add_argument("files", nargs="+")
asked = options.parse_args()
for path in asked.files:
    with open(path, "rb") as file:
        before = file.read()
    rows = pixels(before)[:asked.rows]
    if asked.crop:
        x, y, width, height = asked.crop
        rows = [row[x:x + width] for row in rows[y:y + height]]
    rows = trimmed(rows)
    after = written(halved(rows) if asked.half else rows, asked.colours)
    with open(path, "wb") as file:
        file.write(after)
    print(f"{path}: {len(before)} -> {len(after)} bytes")
