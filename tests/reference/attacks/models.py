# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of every family and form of file, with one place or some bytes changed."""
import json
import shutil
import struct

from .program import PROMPT, ROOT


class Models:
    def __init__(self, program):
        self.program, self.random, self.folder = program, program.random, program.folder
        data = ROOT / "tests/data"
        self.shipped = [path.parent for path in sorted(ROOT.glob("resources/models/*/config.json"))]
        self.random_models = [path.parent for path in sorted(data.glob("golden/*/config.json")) + sorted(data.glob("golden/hub/*/config.json"))]
        self.other_forms = sorted(data.glob("forms/*.gguf")) + [path.parent for path in sorted(data.glob("forms/*/pytorch_model.bin"))]
        self.vocabularies = sorted(data.glob("pieces/*/tokenizer.model")) + sorted(data.glob("tokenizers/*/tokenizer.json"))

    def hostile_model(self):
        """A folder or file, and what is asked of it."""
        folder = self.folder / "model"
        shutil.rmtree(folder, ignore_errors=True)
        drawn = self.random.random()
        if drawn < 0.15:
            folder.mkdir()
            shutil.copy(self.random.choice(self.vocabularies), folder)
        elif drawn < 0.35:
            source = self.random.choice(self.other_forms)
            if source.is_dir():
                shutil.copytree(source, folder)
            else:
                folder.mkdir()
                shutil.copy(source, folder)
        else:
            shutil.copytree(self.random.choice(self.shipped if drawn < 0.55 else self.random_models), folder)
        for _ in range(self.random.choice([1, 1, 2, 4])):
            files = [file for file in sorted(folder.iterdir()) if file.is_file() and not file.is_symlink() and file.name not in ("expected.safetensors", "analyses.safetensors")]
            if files:
                self.change_file(self.random.choice(files))
        return folder

    def change_file(self, file):
        data = file.read_bytes()
        if self.random.random() < 0.03:  # something else under its name
            file.unlink()
            return file.symlink_to(self.random.choice(["/dev/zero", "/dev/null", "/proc/self/environ", str(file), "/"]))
        if file.suffix == ".json" and self.random.random() < 0.85:
            try:
                value = json.loads(data)
            except (ValueError, RecursionError):
                return file.write_bytes(self.program.changed_bytes(data))
            text = json.dumps(self.program.changed(value))
            file.write_text(text if self.random.random() < 0.97 else text[: self.random.randrange(len(text) + 1)])
        elif file.suffix == ".safetensors" and len(data) > 8 and self.random.random() < 0.8:
            size = struct.unpack("<Q", data[:8])[0]
            try:
                header = json.dumps(self.program.changed(json.loads(data[8:8 + size]))).encode()
            except (ValueError, RecursionError):  # changed before
                return file.write_bytes(self.program.changed_bytes(data))
            file.write_bytes(struct.pack("<Q", self.random.choice([len(header)] * 8 + [0, len(header) + 1, 2**40])) + header + data[8 + size:])
        else:
            # What says how much is to come lies in front.
            front = min(len(data), 4096)
            file.write_bytes(self.program.changed_bytes(data[:front]) + data[front:] if self.random.random() < 0.7 else self.program.changed_bytes(data))

    def attack(self):
        folder = self.hostile_model()
        single = [file for file in folder.iterdir() if file.suffix == ".gguf"]
        model = str(single[0] if single and self.random.random() < 0.7 else folder)
        text, task = ["--text", PROMPT], ["--task", "toy_kv:pairs=4", "--limit", "1"]
        words = self.random.choice([["info", model], ["info", model, "--json"], ["tokenize", model, "--text", PROMPT + "\u3000\u0301\U0001f600"], ["score", model, *task],
                                    ["pattern", model, *text, "--head", "L0H0"], ["generate", model, *text, "--new-tokens", "3"], ["weights", model, "--head", "L0H0"],
                                    ["rank", model, *task, "--method", "gather"], ["lens", model, *text], ["attribute", model, *text], ["patch", model, *task], ["probe", model, "--sequences", "1"]])
        expected = folder / "expected.safetensors"
        if expected.exists() and self.random.random() < 0.6:
            words = ["dump", model, "--tokens", expected, "--want", "logits", "-o", self.folder / "dumped.safetensors"]
        self.program.run(words + ["--device", "cpu", "--quiet"] * (words[0] not in ("info", "tokenize")), [folder])
