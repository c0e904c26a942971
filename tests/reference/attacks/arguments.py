# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command with options as --help lists them, and values that mean no good; outputs that cannot be written."""
import os
import re
import subprocess

from .program import PROMPT, TEXTS

# What makes a command go as far as it can with the rest of its options.
GOOD = {"--task": "toy_kv:pairs=4", "--limit": "2", "--head": "L2H5", "--text": PROMPT, "--device": "cpu", "--receiver": "L2H5.k", "--steps": "1", "--sequences": "1",
        "--new-tokens": "2", "--keep-heads": "L2H5", "--orientation-steps": "1", "--hidden-steps": "1", "--logits-steps": "1", "--clean": PROMPT, "--corrupt": PROMPT.replace("food", "color"),
        "--repeat": "1", "--token-count": "500", "--want": "logits", "--top": "2", "--threads": "1", "--length": "16", "--batch": "2", "--distill-steps": "1", "--points": "1", "--draws": "1"}
NEEDED = {"score": ["--task", "--limit"], "rank": ["--task", "--limit"], "pattern": ["--text", "--head"], "generate": ["--text", "--new-tokens"], "lens": ["--text"], "attribute": ["--text"],
          "patch": ["--task", "--limit"], "edges": ["--task", "--limit", "--receiver"], "probe": ["--sequences"], "survey": ["--task", "--limit", "--token-count"], "requests": ["--task", "--limit"],
          "tokenize": ["--text"], "distill": ["--keep-heads", "--limit", "--orientation-steps", "--hidden-steps", "--logits-steps"], "train": ["--steps"], "experiment": ["--limit", "--distill-steps"]}
SESSION = ["info", "export", "merge", "compare", "report", "verify", "compact", "duplicate"]


class Arguments:
    def __init__(self, program):
        self.program, self.random, self.folder = program, program.random, program.folder
        self.commands = {}

    def learn(self):
        """Each command with its options, as --help lists them: (name, takes a value)."""
        def options(*command):
            told = subprocess.run([self.program.options.cli, *command, "--help"], capture_output=True, text=True, check=True).stdout
            lines = re.findall(r"^  (?:-\w,)?(--[\w-]+)(.*)$", told, re.M)
            inner = re.findall(r"^    (?:-\w,)?(--[\w-]+)(.*)$", told, re.M)
            return [(name, bool(re.match(r"[ ]?[A-Z]{1,}", rest.strip(" ")) and rest.startswith(" ") and rest[1:2].isupper())) for name, rest in lines + inner if name != "--help"], told
        common, told = options()
        names = re.findall(r"^  ([a-z][\w-]+)  ", told.split("Subcommands:")[1], re.M)
        for name in names:
            self.commands[(name,)] = options(name)[0] + common
        for name in SESSION:
            self.commands[("session", name)] = options("session", name)[0] + common
        del self.commands[("session",)]

    def places(self):
        """Paths that are not what is asked for: each for reading and for writing."""
        fifo, folder, locked = self.folder / "fifo", self.folder / "a folder", self.folder / "locked"
        if not fifo.exists():
            os.mkfifo(fifo)
            folder.mkdir()
            locked.mkdir(mode=0o555)
        small = self.program.options.small
        return [fifo, folder, folder / "x.csv", "/dev/full", "/dev/null", "/dev/zero", "/dev/stdin", "/proc/self/status", "/proc/version", "/sys/x.csv", locked / "x.csv", self.folder / "no/where/x.csv",
                self.folder / ("n" * 300), self.folder / "out.csv", self.folder / "out.svg", self.folder / "out.npz", self.folder / "out.safetensors", self.folder / "out.json",
                *([f"{small}/x.csv", f"{small}/x.svg", f"{small}/x.npz", f"{small}/x.safetensors", f"{small}/x.headscope", f"{small}/folder"] * 2 if small else [])]

    def value(self, option):
        drawn = self.random.random()
        if option in GOOD and drawn < 0.6:
            return GOOD[option]
        if option in ("--output", "--session", "--samples", "--harness", "--report", "--data", "--words", "--file", "--texts", "--tokenizer", "--tokens", "--requests", "--recipe", "--corpus", "--into",
                      "--pairs", "--start") and drawn < 0.8:
            return self.random.choice(self.places())
        return self.program.hostile()

    def attack(self):
        if not self.commands:
            self.learn()
        command = self.random.choice(list(self.commands))
        options = dict(self.commands[command])
        positional = ["tiny-transformer", "tiny-ssm", str(self.folder), "nowhere/model", *self.random.sample(TEXTS, 4)]
        if command[0] in ("session", "figure", "class", "compare-samples"):
            positional = [self.folder / "seed.headscope", self.folder, *self.places(), *self.random.sample(TEXTS, 4)]
        words = list(command)
        if self.random.random() < 0.9:
            words.append(positional[0] if self.random.random() < 0.6 else self.random.choice(positional))
        while self.random.random() < 0.2 or (command[-1] in ("merge", "duplicate", "compare-samples") and len(words) < 4):
            words.append(self.random.choice(positional))
        chosen = [option for option in NEEDED.get(command[0], []) if option in options]
        chosen += [self.random.choice(list(options)) for _ in range(self.random.choice([1, 1, 2, 3, 5]))]
        if "--output" in options and self.random.random() < 0.5:
            chosen.append("--output")
        for option in dict.fromkeys(chosen):
            if option == "--version":
                continue
            words.append(option)
            if options[option] and self.random.random() < 0.95:
                words.append(GOOD[option] if option in NEEDED.get(command[0], []) and self.random.random() < 0.7 else self.value(option))
        words += ["--device", "cpu"] * ("--device" not in words)
        # Some rightly go on for long: these must end when they are asked to.
        long = command[0] in ("train", "distill", "experiment", "demo", "survey", "bench", "generate", "rank", "probe", "score", "edges", "patch")
        self.program.run(words, stop_after=15 if long else None)
