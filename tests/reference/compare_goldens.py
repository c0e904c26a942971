#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Table of what headscope-cli dumps against the golden models, family by family, key by key. A developer's tool.

tst_goldens holds the program to the same files. In a virtual environment with `pip install torch safetensors`:

    python tests/reference/compare_goldens.py build/release/app/headscope-cli tests/data/golden [--device cpu] [--dtype fp32]

Prints Markdown: the largest difference of each kind of key, then every key. resid, z_ and mat are measured in parts of the
key's largest value where that is above 1; integers must be equal. Exit status 1 when any is above 1e-4 (in fp32).
"""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file

INPUTS = {"input_ids", "lengths", "entries", "channels"}


def kind(key):
    """logits.ablate.L0H1_L1H2 -> logits.ablate, attn.L2 -> attn"""
    parts = key.split(".")
    return ".".join(parts[:2]) if parts[0] == "logits" and len(parts) > 1 else parts[0]


def difference(key, actual, expected):
    """Largest absolute difference as the tolerance counts it; for integers how many are not equal."""
    if not expected.is_floating_point():
        return float((actual != expected).sum()) if actual.shape == expected.shape else float("inf")
    if key.startswith("logits.") and actual.shape[1] > expected.shape[1]:
        actual = actual[:, -expected.shape[1]:]
    if actual.shape != expected.shape or not torch.isfinite(actual).all():
        return float("inf")
    off = (actual.double() - expected.double()).abs().max().item()
    return off / max(1.0, expected.abs().max().item()) if key.split("_")[0].split(".")[0] in ("resid", "z", "mat") else off


def dumped(cli, folder, keys, options):
    with tempfile.TemporaryDirectory() as place:
        out = pathlib.Path(place) / "actual.safetensors"
        done = subprocess.run([cli, "dump", str(folder), "--tokens", str(folder / "expected.safetensors"), "--out", str(out), "--want", ",".join(keys),
                               "--quiet", *options], text=True, capture_output=True)
        if done.returncode != 0:
            sys.exit(f"{folder.name}: {done.stderr.strip()}")
        return load_file(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("goldens", type=pathlib.Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="fp32")
    args = parser.parse_args()
    table, every, kinds = {}, [], []
    for path in sorted(args.goldens.rglob("expected.safetensors")):
        folder = path.parent
        expected = load_file(path)
        keys = sorted(set(expected) - INPUTS)
        actual = dumped(args.cli, folder, keys, ["--device", args.device, "--dtype", args.dtype])
        row = table[folder.name] = collections.defaultdict(float)
        for key in keys:
            off = difference(key, actual[key], expected[key])
            every.append((folder.name, key, off))
            row[kind(key)] = max(row[kind(key)], off)
            kinds += [] if kind(key) in kinds else [kind(key)]
    print("| key | " + " | ".join(table) + " |\n| --- |" + " ---: |" * len(table))
    for name in sorted(kinds):
        print(f"| {name} | " + " | ".join(f"{row[name]:.1e}" if name in row else "" for row in table.values()) + " |")
    print(f"\n{len(every)} keys; the largest difference is {max(off for _, _, off in every):.1e}.\n")
    for folder, key, off in every:
        print(f"{folder} {key} {off:.1e}")
    sys.exit(1 if args.dtype == "fp32" and any(off > 1e-4 for _, _, off in every) else 0)


if __name__ == "__main__":
    main()
