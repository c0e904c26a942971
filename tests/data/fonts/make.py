#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes boxes.otf beside it: a CFF font of our own, each letter so many boxes, for the tests of embedded fonts.
# Made with fonttools 4.68.0: pip install fonttools==4.68.0 && python3 make.py
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def boxes(count):
    pen = T2CharStringPen(600, None)
    for i in range(count):
        x, y = 40 + 100 * (i % 5), 150 * (i // 5)
        pen.moveTo((x, y))
        for corner in ((x + 80, y), (x + 80, y + 120), (x, y + 120)):
            pen.lineTo(corner)
        pen.closePath()
    return pen.getCharString()


builder = FontBuilder(1000, isTTF=False)
names = [".notdef", *LETTERS]
builder.setupGlyphOrder(names)
builder.setupCharacterMap({ord(letter): letter for letter in LETTERS})
builder.setupCFF("HeadscopeBoxes", {"FullName": "Headscope Boxes"}, {n: boxes(i) for i, n in enumerate(names)}, {})
builder.setupHorizontalMetrics({name: (600, 40) for name in names})
builder.setupHorizontalHeader(ascent=900, descent=-100)
builder.setupNameTable({"familyName": "Headscope Boxes", "styleName": "Regular"})
builder.setupOS2(sTypoAscender=900, sTypoDescender=-100, usWinAscent=900, usWinDescent=100, fsType=0)
builder.setupPost()
builder.font["head"].created = builder.font["head"].modified = 3786825600  # 2024-01-01
builder.font.recalcTimestamp = False
builder.save(Path(__file__).parent / "boxes.otf")
