# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a person hands over: tasks, tables, rows, pairs, studies, recipes, texts, recipes of figures, samples, token ids, words."""
import json
import os
import shutil

from .program import PROMPT, ROOT

TASKS = {"task.json": None,
         "task.yaml": "task: own\noutput_type: multiple_choice\ndoc_to_text: 'Question: {{question}}\\nAnswer:'\ndoc_to_choice: '{{choices}}'\ndoc_to_target: answer\nmetric_list:\n  - metric: acc\n",
         "table.csv": "question,A,B,answer\n\"What, then?\",this,that,A\nWho?,he,she,B\n", "table.tsv": "question\tchoices\tanswer\nWhat?\t[\"a\", \"b\"]\t0\n",
         "rows.jsonl": "{\"question\": \"What?\", \"choices\": [\"this\", \"that\"], \"answer\": 1}\n" * 4, "rows.json": "[{\"question\": \"What?\", \"choices\": [\"this\", \"that\"], \"answer\": 1}]"}
PAIR = {"clean": PROMPT, "corrupt": PROMPT.replace("food", "color"), "answer": "red", "distractor": "blue"}
SAMPLE = {"doc_id": 0, "doc": {"question": "x"}, "target": "0", "arguments": [["a", " b"]], "resps": [[[-1.5, False]]], "filtered_resps": [[-1.5, False]], "acc": 1.0}
RECIPE = {"name": "x", "kind": "kv-curve", "width": 85, "title": "a"}
REQUESTS = {"schema": "headscope-bench-request/1", "requests": [{"tokens": [1, 2, 3], "answer": 4}]}


class Files:
    def __init__(self, program):
        self.program, self.random, self.folder = program, program.random, program.folder / "files"
        self.folder.mkdir(exist_ok=True)

    def text_of(self, value, lines=False):
        """JSON text of a value with one place changed, as lines where it is a list of them."""
        changed = [self.program.changed(json.loads(json.dumps(one))) if self.random.random() < 0.5 else one for one in value] if lines else self.program.changed(value)
        return "\n".join(json.dumps(one) for one in changed) + "\n" if lines else json.dumps(changed)

    def place(self, name, text):
        """The file, sometimes with bytes changed, sometimes something that is no file."""
        path = self.folder / name
        drawn = self.random.random()
        if drawn < 0.05:
            os.mkfifo(path)
        elif drawn < 0.1:
            path.symlink_to(self.random.choice(["/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", str(path), "/", "/nowhere"]))
        elif drawn < 0.13:
            path.mkdir()
        else:
            data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
            kind = self.random.random()
            if kind < 0.4:
                data = self.program.changed_bytes(data)
            elif kind < 0.5:
                data = self.random.choice([b"", b"\xff\xfe" + data, b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r"), data * 300, b"\0" * 5000, data.replace(b"\"", b"")])
            path.write_bytes(data)
        return path

    def hostile_task(self):
        name, text = self.random.choice(list(TASKS.items()))
        if text is None:
            text = self.text_of(json.loads((ROOT / "resources/samples/own-task.json").read_text()))
        elif name == "rows.jsonl":
            text = self.text_of([json.loads(line) for line in text.splitlines()], lines=True)
        elif self.random.random() < 0.5:
            at = self.random.randrange(len(text))
            text = text[:at] + self.random.choice(["\"", "\n", "{{", "}}", "{% for x in", "[" * 2000, "&a *a", "!!python/object", "\t", ": ", "- " * 500, ",", "\u2028", "|", ">"]) + text[at:]
        return self.place(name, text)

    def hostile_data(self):
        """The folder of samples with one file of it changed."""
        data = self.folder / "data"
        shutil.copytree(ROOT / "resources/samples", data)
        file = self.random.choice([file for file in sorted(data.rglob("*")) if file.is_file()])
        content = file.read_bytes()
        if file.suffix == ".jsonl" and self.random.random() < 0.6:
            content = self.text_of([json.loads(line) for line in content.decode().splitlines()], lines=True).encode()
        file.unlink()
        self.place(str(file.relative_to(self.folder)), content)
        name = file.relative_to(data).parts[0]
        return data, {"lambada": "lambada_openai", "bbh": "bbh_zeroshot", "mmlu": "mmlu"}.get(name, name)

    def study(self):
        shipped = sorted(ROOT.glob("resources/studies/*.json")) + sorted(ROOT.glob("resources/studies/examples/*.json"))
        return json.loads(self.random.choice(shipped).read_text())

    def commands(self):
        """Each a function that makes the file and gives the command: one is made only when it is drawn."""
        model, limit, out = "tiny-transformer", ["--limit", "2", "--device", "cpu"], self.folder / "out"

        def task():
            file = self.hostile_task()
            return self.random.choice([["score", model, "--task", file, *limit], ["requests", "--task", file, "--limit", "2"], ["attribute", model, "--task", file, *limit],
                                       ["rank", model, "--task", file, *limit, "--method", "gather"], ["survey", model, "--task", file, *limit, "--head", "L0H0"]])

        def data():
            folder, name = self.hostile_data()
            return self.random.choice([["score", model, "--task", name, "--data", folder, *limit], ["requests", "--task", name, "--data", folder, "--limit", "2"]])

        def parquet():
            source = self.random.choice(sorted((ROOT / "tests/data/parquet").glob("*.parquet")))
            return ["requests", "--task", self.place("rows.parquet", source.read_bytes()), "--limit", "2"]

        def pairs():
            file = self.place("pairs.jsonl", self.text_of([PAIR] * 3, lines=True))
            return self.random.choice([["patch", model, "--pairs", file, "--device", "cpu"], ["edges", model, "--pairs", file, "--receiver", "L2H5.k", "--device", "cpu"]])

        def study():
            return ["experiment", self.place("study.json", self.text_of(self.study())), model, "--limit", "2", "--forecast", "--device", "cpu"]

        def recipe():
            file = self.place("recipe.json", self.text_of(json.loads((ROOT / "resources/recipes/tiny-ssm.json").read_text())))
            return ["train", file, "-o", out, "--steps", "1"]

        def texts():
            file = self.place("texts.jsonl", self.text_of([{"text": PROMPT * 20}] * 3, lines=True))
            return ["survey", model, "--texts", self.random.choice([file, self.folder]), "--head", "L0H0", "--device", "cpu", "--token-count", "2000"]

        def figure():
            return ["figure", self.folder.parent / "seed.headscope", "--recipe", self.place("figure.json", self.text_of(RECIPE)), "-o", out.with_suffix(".svg")]

        def samples():
            one, two = self.place("one.jsonl", self.text_of([SAMPLE] * 3, lines=True)), self.place("two.jsonl", self.text_of([SAMPLE] * 3, lines=True))
            return ["compare-samples", one, two]

        def tokens():
            source = ROOT / "tests/data/golden/llama"
            return ["dump", source, "--tokens", self.place("tokens.safetensors", (source / "expected.safetensors").read_bytes()[:200000]), "--want", "logits", "-o", out, "--device", "cpu"]

        def bench():
            return ["bench", self.random.choice(["kv-click", "mc-letter", "prefill", "decode", "maps"]), "--model", model, "--requests", self.place("requests.json", self.text_of(REQUESTS)), "--repeat", "1"]

        def words():
            folder = self.place("nounlist.txt", "apple\nbread\n" * 40)
            return ["requests", "--task", "kv_retrieval:pairs=4", "--words", folder.parent, "--limit", "2"]

        def text():
            return ["tokenize", model, "--file", self.place("text.txt", PROMPT)] + ["--decode"] * self.random.randrange(2)

        def tokenizer():
            source = self.random.choice(sorted((ROOT / "tests/data").glob("pieces/*/tokenizer.model")) + [ROOT / "resources/models/tiny-transformer/tokenizer.json"])
            return ["generate", model, "--text", PROMPT, "--new-tokens", "2", "--tokenizer", self.place(source.name, source.read_bytes()), "--device", "cpu"]

        def ranking():
            value = {"heads": [{"head": "L2H5", "score": 1.0}], "model": "tiny-transformer"}
            return ["distill", model, "--keep-heads", f"{self.place('ranking.json', self.text_of(value))}:1", "-o", out, "--orientation-steps", "1", "--hidden-steps", "1", "--logits-steps", "1"]

        return [task, task, data, parquet, pairs, study, recipe, texts, figure, samples, tokens, bench, words, text, tokenizer, ranking]

    def attack(self):
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        words = self.random.choice(self.commands())()
        kept = [path for path in self.folder.iterdir() if path.is_file() and not path.is_symlink()]
        self.program.run(words, kept, stop_after=20 if words[0] in ("train", "distill") else None)
