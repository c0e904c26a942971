#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare headscope-cli's tokenizers with Hugging Face `tokenizers` on random and hostile strings. A developer's tool.

The program and its tests do not need it. In a virtual environment with `pip install tokenizers`:

    python tests/reference/compare_tokenizers.py build/release/bin/headscope-cli FOLDER... [--strings N] [--seed S]

Each FOLDER holds a tokenizer.json. Compared are ids with and without special tokens, offsets in bytes, and the text
decoded from these ids and from random ids. Differences are printed with the string, and the exit status is then 1.
--speed FILE --bench build/release/tests/bench_tokenizer (a target of its own) times both on a text file, on one thread.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("RAYON_NUM_THREADS", "1")

SCRIPTS = [
    (0x20, 0x7E), (0xA0, 0xFF), (0x100, 0x24F), (0x250, 0x2FF), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F),
    (0x590, 0x5FF), (0x600, 0x6FF), (0x700, 0x8FF), (0x900, 0x97F), (0x980, 0xDFF), (0xE00, 0xEFF), (0xF00, 0xFFF),
    (0x1000, 0x10FF), (0x1100, 0x11FF), (0x1200, 0x18AF), (0x1A00, 0x1BFF), (0x1C80, 0x1CFF), (0x1D00, 0x1DFF),
    (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x20CF), (0x20D0, 0x20FF), (0x2100, 0x218F), (0x2190, 0x23FF),
    (0x2400, 0x27BF), (0x2C00, 0x2E7F), (0x3000, 0x30FF), (0x3100, 0x33FF), (0x4E00, 0x9FFF), (0xA000, 0xABFF),
    (0xAC00, 0xD7A3), (0xD7B0, 0xD7FF), (0xE000, 0xE010), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFEFF),
    (0xFF00, 0xFFFF), (0x10000, 0x103FF), (0x10400, 0x10FFF), (0x11000, 0x11FFF), (0x16000, 0x16FFF),
    (0x1D000, 0x1D7FF), (0x1E000, 0x1EFFF), (0x1F000, 0x1FAFF), (0x20000, 0x20100), (0x2B730, 0x2B740),
    (0x2EBE0, 0x2EE60), (0x31340, 0x31360), (0x32390, 0x323B0), (0xE0000, 0xE01FF), (0x10FFF0, 0x10FFFF),
]
SPACES = " \t\n\r\v\f\x85\xa0\u1680\u180e\u2000\u2003\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
MARKS = "\u0300\u0301\u0308\u0323\u0327\u0334\u0345\u05b0\u064b\u093c\u0f71\u0f72\u3099\u309a\u1dce\u1df5\u20dd\ufe0f"
WORDS = ("the of and to in that was his with is Harbour lantern Quietly don't I'LL we'Re they'VE it'S 'S 'sT o'clock "
         "x'\u017f naïve café cafe\u0301 Straße Ørsted Æther ﬁne ﬀ ½ ² ³ ¹ ㎏ ℌ Å Å 한국어 각 日本語 中文字 かが カ゛ हिन्दी "
         "தமிழ் ไทย עברית العربية ﷺ Ελλάδα ΐ Кириллица Й Й 🙂 👩‍👩‍👧‍👦 🇩🇪 👍🏽 e\u0323\u0301 ộ ǖ a\u0300b q\u0307\u0323").split()
JUNK = ["...", "?!", "--", "((", "}}", "'", "\"", "``", "<|", "|>", "</", "_", "__init__", "::", "->", "\\n", "\\", "//",
        "http://a.b/c?d=1&e=2", "user@example.org", "3.14159", "1,000,000", "12345678901", "0x1F", "\u0663\u0664\u0665",
        "①②", "Ⅷ", "𝟘𝟙", "\u2581", "\u2581\u2581", "Ġ", "Ċ", "<0x41>", "<0x0A>", "\x00", "\x01", "\x1b", "\x7f", "\ufffd"]


def character(rng):
    kind = rng.random()
    if kind < 0.25:
        return chr(rng.randint(0x20, 0x7E))
    if kind < 0.35:
        return rng.choice(SPACES)
    if kind < 0.45:
        return rng.choice(MARKS)
    if kind < 0.95:
        low, high = rng.choice(SCRIPTS)
        return chr(rng.randint(low, high))
    while True:
        c = rng.randint(0, 0x10FFFF)
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def string(rng, specials):
    kind = rng.random()
    if kind < 0.30:  # random characters
        return "".join(character(rng) for _ in range(rng.randint(0, 40)))
    if kind < 0.75:  # something like text
        parts = []
        for _ in range(rng.randint(1, 25)):
            pick = rng.random()
            if pick < 0.55:
                word = rng.choice(WORDS)
                parts.append(word.upper() if rng.random() < 0.1 else word)
            elif pick < 0.75:
                parts.append(rng.choice(JUNK))
            elif pick < 0.85:
                parts.append(str(rng.randint(0, 10 ** rng.randint(1, 12))))
            else:
                parts.append(character(rng) * rng.randint(1, 4))
            parts.append(rng.choice(["", " ", " ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "   ", " \n "]))
        return "".join(parts)
    if kind < 0.90:  # special and added tokens among other things
        parts = []
        for _ in range(rng.randint(1, 8)):
            parts.append(rng.choice(specials) if specials and rng.random() < 0.6 else rng.choice(WORDS + JUNK))
            parts.append(rng.choice(["", "", " ", "  ", "\n", "x", "\u3000"]))
        return "".join(parts)
    if kind < 0.97:  # runs
        return "".join(character(rng) * rng.randint(1, 60) for _ in range(rng.randint(1, 4)))
    return "".join(rng.choice(SPACES) * rng.randint(1, 5) + rng.choice(["", "a", "1", ".", "'s"]) for _ in range(rng.randint(1, 12)))


def ask(cli, folder, options, rows):
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    done = subprocess.run([cli, "tokenize", folder, "--stdin-jsonl", "--quiet", *options], input=lines, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{folder}: {done.stderr.strip()}")
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    if len(answers) != len(rows):
        sys.exit(f"{folder}: {len(answers)} answers to {len(rows)} rows")
    return answers


def byte_offsets(text, offsets):
    """The reference counts characters."""
    if text.isascii():
        return [list(pair) for pair in offsets]
    at = [0]
    for c in text:
        at.append(at[-1] + len(c.encode()))
    return [[at[begin], at[end]] for begin, end in offsets]


def compare(cli, folder, args):
    from tokenizers import Tokenizer

    reference = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    added = [token.content for token in reference.get_added_tokens_decoder().values()]
    rng = random.Random(args.seed)
    different = 0
    counts = {"ids": 0, "ids_special": 0, "offsets": 0, "decoded": 0, "random ids": 0}
    size = reference.get_vocab_size()
    for first in range(0, args.strings, 20000):
        texts = [string(rng, added) for _ in range(min(20000, args.strings - first))]
        rows = [{"text": text} for text in texts]
        plain = ask(cli, folder, ["--no-special"], rows)
        special = ask(cli, folder, [], rows)
        random_ids = [[rng.randrange(size) for _ in range(rng.randint(0, 12))] for _ in texts]
        decoded = ask(cli, folder, ["--decode"], [{"ids": row["ids"]} for row in plain])
        decoded_random = ask(cli, folder, ["--decode", "--skip-special"], [{"ids": ids} for ids in random_ids])
        for text, a, b, c, ids, d in zip(texts, plain, special, decoded, random_ids, decoded_random):
            expected = reference.encode(text, add_special_tokens=False)
            checks = {
                "ids": (a["ids"], expected.ids),
                "ids_special": (b["ids"], reference.encode(text).ids),
                "offsets": (a["offsets"], byte_offsets(text, expected.offsets)),
                "decoded": (c["text"], reference.decode(expected.ids, skip_special_tokens=False)),
                "random ids": (d["text"], reference.decode(ids, skip_special_tokens=True)),
            }
            for name, (ours, theirs) in checks.items():
                if ours != theirs:
                    counts[name] += 1
                    different += 1
                    if counts[name] <= args.show:
                        print(f"{folder}: {name} of {text!a}:\n  ours      {ours}\n  reference {theirs}")
    print(f"{folder}: {args.strings} strings, differences {counts}")
    return different


def speed(bench, folder, path):
    """Megabytes of the file a second of processor time, by lines and at once, the better of three for both."""
    from tokenizers import Tokenizer

    done = subprocess.run([bench, folder, path, "3"], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{folder}: {done.stderr.strip()}")
    ours = json.loads(done.stdout)
    reference = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    with open(path, encoding="utf-8", newline="") as file:
        whole = file.read()
    lines = [line for line in whole.split("\n") if line]

    def rate(texts):
        best = 0.0
        for _ in range(3):
            begin = time.process_time()
            count = sum(len(reference.encode(text, add_special_tokens=False).ids) for text in texts)
            best = max(best, sum(len(text.encode()) for text in texts) / 1e6 / (time.process_time() - begin))
        return best, count

    by_line, line_ids = rate(lines)
    at_once, whole_ids = rate([whole])
    if (line_ids, whole_ids) != (ours["line_ids"], ours["whole_ids"]):
        sys.exit(f"{folder}: {ours['line_ids']} and {ours['whole_ids']} ids, the reference has {line_ids} and {whole_ids}")
    print(f"{folder}: {len(whole.encode()) / 1e6:.1f} MB, MB/s of processor time: by line {ours['by_line']:.1f}, reference {by_line:.1f}; "
          f"at once {ours['at_once']:.1f}, reference {at_once:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--strings", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=3, help="differences to print of each kind")
    parser.add_argument("--speed", metavar="FILE")
    parser.add_argument("--bench", metavar="PROGRAM")
    args = parser.parse_args()
    if bool(args.speed) != bool(args.bench):
        parser.error("--speed and --bench go together")
    different = sum(compare(args.cli, folder, args) for folder in args.folders)
    for folder in args.folders if args.speed else []:
        speed(args.bench, folder, args.speed)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
