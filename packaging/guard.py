#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names what got more than 7 % slower than the table in the repository says for this kind of processor.

    packaging/guard.py --cli build/release/app/headscope-cli [--table tests/bench/guard.json] [--models DIR] [--rounds 5] [--keep]
                       [--result FILE]

DIR holds the folders T, S, K and M that tests/bench/realsize.py makes; without it only the shipped models are timed. A figure is the
processor time of a cut over that of a matrix product which runs just before and just after it, so a slower clock or a busy neighbour
moves both. A difference that is smaller than what the rounds differ by is never called slower. --keep writes this machine's entry.
--result reads what `headscope-cli bench --against` printed earlier. Exit status 1: something is slower.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def measured(args):
    if args.result:
        with open(args.result, encoding="utf-8") as file:
            return json.load(file)
    command = [args.cli, "bench", "--against", args.table, "--repeat", str(args.rounds)]
    command += ["--model", args.models] if args.models else []
    command += ["--keep"] if args.keep else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def table(line):
    product = line["calibration"]
    print(f"{line['processor']}, threads {line['threads']}, {line['rounds']} rounds, version {line['version']}")
    print(f"calibrated by {product['product']}: {product['gflops']:.0f} GFLOP/s, spread {100 * product['spread']:.1f} %; found: "
          + ", ".join(f"{one['product']} {one['gflops']:.0f}" for one in product["products"]))
    if line["then"]:
        print(f"compared with version {line['then']['version']}, {line['then']['product']} {line['then']['gflops']:.0f} GFLOP/s")
    print("\n| row | ratio | spread | then | change | CPU s | GFLOP/s | |\n" + "|---" * 8 + "|")
    for row in line["rows"]:
        if row["verdict"] == "left out":
            print(f"| {row['name']} | | | | | | | left out: {row['reason']} |")
            continue
        then = f"{row['then']['median']:.3g}" if row["then"] else ""
        change = f"{100 * row['change']:+.1f} %" if row["change"] is not None else ""
        rate = f"{row['gflops']:.0f}" if "gflops" in row else ""
        print(f"| {row['name']} | {row['ratio']['median']:.3g} | {100 * row['spread']:.1f} % | {then} | {change} | {row['cpu_seconds']:.3g} | {rate} | {row['verdict']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default=os.path.join(HERE, "..", "build", "release", "app", "headscope-cli"))
    parser.add_argument("--table", default=os.path.join(HERE, "..", "tests", "bench", "guard.json"))
    parser.add_argument("--models", help="folder of T, S, K and M")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", action="store_true", help="write this machine's entry into the table")
    parser.add_argument("--result", help="what bench --against printed earlier, instead of measuring")
    line = measured(parser.parse_args())
    table(line)
    slower = [row for row in line["rows"] if row["verdict"] == "slower"]
    timed = [row for row in line["rows"] if row["verdict"] != "left out"]
    print()
    for row in slower:
        print(f"slower: {row['name']} by {100 * row['change']:.0f} % (spread {100 * row['spread']:.1f} %)")
    print(f"{len(timed) - len(slower)} of {len(timed)} rows are not slower by more than {100 * line['limit']:.0f} %")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
