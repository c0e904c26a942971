# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in tests/data packed as Qt's qCompress() does; packedtext.h reads it."""
import struct
import zlib


def write_packed(path, text):
    data = text.encode("utf-8")
    path.write_bytes(struct.pack(">I", len(data)) + zlib.compress(data, 9))
