#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare headscope-cli with transformers 5.23.0 where settings beside tokenizer.json decide. A developer's tool.

The program and its tests do not need it. In a virtual environment with
`pip install transformers==5.23.0 tokenizers==0.23.3`:

    python tests/reference/compare_tokenizer_settings.py build/release/app/headscope-cli [--random N --seed S]

Every setting of tokenizer_config.json, special_tokens_map.json and added_tokens.json that transformers reads is varied over the
tokenizers of tests/data/tokenizers, then N random combinations of them. A difference in ids is an error unless the program
names it with a warning that says "transformers 5.23". --write makes tests/data/tokenizers/settings.json.z of the single
settings, with the ids that transformers returns.
"""
import argparse
import json
import logging
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.filterwarnings("ignore")

import transformers  # noqa: E402
from transformers import AutoTokenizer  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from packedtext import write_packed  # noqa: E402

logging.disable(logging.WARNING)
transformers.logging.set_verbosity_error()

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "tokenizers"
BASES = {  # the folder, its start and end token
    "gpt2": ("<|endoftext|>", "<|endoftext|>"),
    "neox": ("<|endoftext|>", "<|endoftext|>"),
    "qwen2": (None, "<|im_end|>"),
    "llama3": ("<|begin_of_text|>", "<|end_of_text|>"),
    "llama2": ("<s>", "</s>"),
    "metaspace_first": ("<s>", "</s>"),
    "roberta": ("<s>", "</s>"),
    "falcon": (None, "<|endoftext|>"),
    "unigram": ("<s>", "</s>"),
}
WRITTEN = ("gpt2", "llama2", "metaspace_first", "neox")  # what the table holds
TEXTS = ["x <|tool|> y<|end|>z", "x <image> y", "a</s> b</s>c", " hello  world", "12345 and 12", "<s>the <|endoftext|> bird", "cafe\u0301 I'LL we're\n\n x",
         "<mask> the <unk><pad> a<|im_end|> b", "THE Lantern", "the newword and anewword", "<|begin_of_text|> a<|end_of_text|> b", "", "<tool_a> <tool_b>", "\t the  wall\u3000"]


def added(content, **flags):
    return {"__type": "AddedToken", "content": content, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True} | flags


def token_object(content, **flags):
    token = added(content, **flags)
    del token["__type"]
    return token


def settings(eos):
    """Names of settings and the files that they write."""
    def config(name, **keys):
        return name, {"tokenizer_config.json": keys}
    end = eos or "<|im_end|>"
    yield config("nothing")
    for key in ("add_bos_token", "add_eos_token", "add_prefix_space", "legacy", "clean_up_tokenization_spaces", "split_special_tokens",
                "do_lower_case", "use_default_system_prompt"):
        for value in (True, False):
            yield config(f"{key}={value}", **{key: value})
    yield config("model_max_length", model_max_length=3)
    yield config("padding_side", padding_side="left", truncation_side="left")
    yield config("additional list", additional_special_tokens=["<|tool|>", "<|end|>"])
    yield config("extra list", extra_special_tokens=["<|tool|>", "<|end|>"])
    yield config("extra and additional", extra_special_tokens=["<|tool|>"], additional_special_tokens=["<|end|>"])
    yield config("extra empty, additional", extra_special_tokens=[], additional_special_tokens=["<|end|>"])
    yield config("extra objects", extra_special_tokens=[added("<|tool|>", lstrip=True, rstrip=True), added("newword", single_word=True)])
    yield config("extra objects, not special", extra_special_tokens=[added("<|tool|>", special=False), added("newword", special=False, normalized=True)])
    yield config("extra known word", extra_special_tokens=["the"])
    yield config("extra known token", extra_special_tokens=[added(end, lstrip=True, rstrip=True)])
    yield config("extra dict", extra_special_tokens={"image_token": "<image>", "tool_token": "<|tool|>"})
    yield config("extra dict of objects", extra_special_tokens={"image_token": added("<image>", lstrip=True)})
    yield config("model specific", image_token="<image>", extra_special_tokens=["<|tool|>"])
    yield config("model specific object", image_token=added("<image>", lstrip=True))
    yield config("model_specific_special_tokens", model_specific_special_tokens={"image_token": "<image>"})
    yield config("decoder flags", added_tokens_decoder={"1": token_object(end, lstrip=True, rstrip=True)})
    yield config("decoder normalized", added_tokens_decoder={"1": token_object(end, normalized=True)})
    yield config("decoder not special", added_tokens_decoder={"1": token_object(end, special=False, normalized=True)}, split_special_tokens=True)
    yield config("decoder single word", added_tokens_decoder={"1": token_object(end, single_word=True)})
    yield config("decoder other content", added_tokens_decoder={"1": token_object("<|tool|>"), "5": token_object("newword", single_word=True, special=False)})
    yield config("decoder in another order", added_tokens_decoder={"2000": token_object("<|tool|>"), "1000": token_object("<|end|>")})
    yield config("decoder known word", added_tokens_decoder={"30": token_object("the", special=False)})
    yield config("decoder and named", added_tokens_decoder={"1": token_object(end, rstrip=True)}, pad_token=end, extra_special_tokens=["<|tool|>"])
    yield config("decoder empty", added_tokens_decoder={}, extra_special_tokens=["<|tool|>"])
    yield config("new named tokens", bos_token="<|tool|>", eos_token="<|end|>", unk_token="<image>", pad_token="newword")
    yield config("new named tokens, flags", bos_token="<|tool|>", eos_token="<|end|>", add_bos_token=True, add_eos_token=True)
    yield config("named objects", pad_token=added("<|tool|>", lstrip=True, rstrip=True), unk_token=added("newword", special=False, normalized=True))
    yield config("sep cls mask", sep_token="<|tool|>", cls_token="<|end|>", mask_token=added("<mask>", lstrip=True))
    yield config("named null", pad_token=None, unk_token=None, extra_special_tokens=None)
    yield config("chat template", chat_template="{% for m in messages %}{{ m['content'] }}{% endfor %}")
    yield "map", {"tokenizer_config.json": {}, "special_tokens_map.json": {"pad_token": "<|tool|>", "unk_token": token_object("<|end|>", lstrip=True)}}
    yield "map wins", {"tokenizer_config.json": {"pad_token": "<image>"}, "special_tokens_map.json": {"pad_token": "<|tool|>"}}
    yield "map additional", {"tokenizer_config.json": {}, "special_tokens_map.json": {"additional_special_tokens": ["<|tool|>", "<|end|>"]}}
    yield "map additional, config extra", {"tokenizer_config.json": {"extra_special_tokens": ["<image>"]},
                                           "special_tokens_map.json": {"additional_special_tokens": ["<|tool|>", "<|end|>"]}}
    yield "map extra", {"tokenizer_config.json": {"extra_special_tokens": ["<image>"]},
                        "special_tokens_map.json": {"extra_special_tokens": ["<|tool|>", token_object("<|end|>", rstrip=True)]}}
    yield "map extra dict", {"tokenizer_config.json": {}, "special_tokens_map.json": {"extra_special_tokens": {"image_token": "<image>"}}}
    yield "map specific", {"tokenizer_config.json": {}, "special_tokens_map.json": {"image_token": "<image>"}}
    yield "map behind decoder", {"tokenizer_config.json": {"added_tokens_decoder": {"1": token_object(end)}},
                                 "special_tokens_map.json": {"pad_token": "<|tool|>", "additional_special_tokens": ["<|end|>"]}}
    yield "map alone", {"special_tokens_map.json": {"pad_token": "<|tool|>", "eos_token": end}}
    yield "added_tokens.json", {"tokenizer_config.json": {"pad_token": "<|tool|>"}, "added_tokens.json": {"newword": 2001, "<|tool|>": 2000, "THE": 1}}
    yield "added_tokens.json alone", {"added_tokens.json": {"newword": 2001, "<|end|>": 2000}}
    yield "added_tokens.json behind decoder", {"tokenizer_config.json": {"added_tokens_decoder": {"1": token_object(end)}},
                                               "added_tokens.json": {"newword": 2001}}
    yield "chat_template.jinja", {"tokenizer_config.json": {}, "chat_template.jinja": "{{ messages }}"}


CLASSES = ["PreTrainedTokenizerFast", "TokenizersBackend", "LlamaTokenizer", "LlamaTokenizerFast", "CodeLlamaTokenizer", "GPT2Tokenizer", "GPT2TokenizerFast",
           "GPTNeoXTokenizer", "GPTNeoXTokenizerFast", "Qwen2Tokenizer", "Qwen2TokenizerFast", "Qwen3_5Tokenizer", "GemmaTokenizer", "GemmaTokenizerFast",
           "CohereTokenizerFast", "RobertaTokenizer", "T5Tokenizer", "BloomTokenizerFast", "CodeGenTokenizer", "WhisperTokenizer", "NoSuchTokenizer"]
MODEL_TYPES = ["llama", "gpt2", "gpt_neox", "qwen2", "qwen3", "qwen3_5_text", "gemma2", "cohere", "granite", "mistral", "phi3", "jamba", "mamba2", "olmo2",
               "starcoder2", "deepseek_v3", "falcon", "opt", "stablelm", "llava", "bloom"]


def single_cases():
    for base, (_, eos) in BASES.items():
        for name, files in settings(eos):
            yield base, name, "PreTrainedTokenizerFast", "llama", files
    for base in BASES:
        for tokenizer_class in CLASSES:
            for extra in ({}, {"add_bos_token": True}, {"add_bos_token": False}, {"add_eos_token": True}, {"add_prefix_space": True}, {"add_prefix_space": False},
                          {"legacy": True}):
                if extra and tokenizer_class in CLASSES[11:]:
                    continue
                yield base, f"class {tokenizer_class} {extra or ''}".strip(), tokenizer_class, "llama", {"tokenizer_config.json": extra}
    for base in ("gpt2", "llama2", "llama3", "metaspace_first"):
        for model_type in MODEL_TYPES:
            for tokenizer_class in (None, "LlamaTokenizer", "GPT2Tokenizer"):
                yield base, f"model_type {model_type} {tokenizer_class}", tokenizer_class, model_type, {"tokenizer_config.json": {}}


def vocabulary_cases():
    """Folders without tokenizer.json."""
    for base, classes in (("gpt2 files", ["GPT2Tokenizer", "GPT2TokenizerFast", "GPTNeoXTokenizer", "Qwen2Tokenizer", "CodeGenTokenizer", "CohereTokenizer"]),
                          ("llama pieces", ["LlamaTokenizer", "LlamaTokenizerFast"])):
        for tokenizer_class in classes:
            for keys in ({}, {"add_bos_token": True}, {"add_bos_token": False}, {"add_bos_token": True, "add_eos_token": True}, {"add_eos_token": True},
                         {"bos_token": "</s>", "add_bos_token": True}, {"add_prefix_space": True}, {"split_special_tokens": True},
                         {"extra_special_tokens": ["<|tool|>"]}, {"added_tokens_decoder": {"0": token_object("<|endoftext|>", lstrip=True)}},
                         {"pad_token": "<|end|>", "unk_token": "<unk>"}):
                yield base, f"class {tokenizer_class} {keys or ''}".strip(), tokenizer_class, "llama", {"tokenizer_config.json": keys}
    for model_type in ("gpt2", "opt", "phi", "qwen3", "gpt_neox"):
        for keys in ({}, {"add_bos_token": True}, {"add_bos_token": True, "bos_token": "</s>"}):
            yield "gpt2 files", f"model_type {model_type} {keys or ''}".strip(), None, model_type, {"tokenizer_config.json": keys}


def random_cases(count, seed):
    rng = random.Random(seed)
    for number in range(count):
        base = rng.choice(list(BASES))
        names, files = [], {}
        for name, part in rng.sample(list(settings(BASES[base][1])), rng.randint(1, 4)):
            names.append(name)
            for file, content in part.items():
                files[file] = {**files[file], **content} if file in files and isinstance(content, dict) else content
        yield base, f"random {number}: " + "; ".join(names), rng.choice(CLASSES + [None] * 4 + CLASSES[:2] * 6), rng.choice(MODEL_TYPES), files


def write_case(folder, base, tokenizer_class, model_type, files):
    """The named tokens of the base stand in tokenizer_config.json unless the case names them."""
    bos, eos = BASES.get(base, (None, None))
    if base == "gpt2 files":
        model = json.loads((DATA / "gpt2" / "tokenizer.json").read_text())["model"]
        (folder / "vocab.json").write_text(json.dumps(model["vocab"]))
        (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(
            (" ".join(merge) if isinstance(merge, list) else merge) + "\n" for merge in model["merges"]))
    elif base == "llama pieces":
        (folder / "tokenizer.model").write_bytes((DATA.parent / "pieces" / "llama" / "tokenizer.model").read_bytes())
    else:
        (folder / "tokenizer.json").write_bytes((DATA / base / "tokenizer.json").read_bytes())
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    for file, content in files.items():
        if file == "tokenizer_config.json":
            content = {"bos_token": bos, "eos_token": eos, "tokenizer_class": tokenizer_class} | content
            content = {key: value for key, value in content.items() if value is not None or key not in ("bos_token", "eos_token", "tokenizer_class") or key in files[file]}
        (folder / file).write_text(content if isinstance(content, str) else json.dumps(content))


def reference(folder):
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        return [(tokenizer(text)["input_ids"], tokenizer(text, add_special_tokens=False)["input_ids"]) for text in TEXTS], type(tokenizer).__name__
    except Exception as error:  # noqa: BLE001
        return None, f"{type(error).__name__}: {str(error)[:80]}"


def ours(cli, folder):
    rows = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    answers = []
    for options in ([], ["--no-special"]):
        done = subprocess.run([cli, "tokenize", folder, "--stdin-jsonl", *options], input=rows, text=True, capture_output=True)
        if done.returncode != 0:
            return None, done.stderr
        answers.append([json.loads(line)["ids"] for line in done.stdout.split("\n") if line])
    return list(zip(*answers)), done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("--random", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose base and name contain this")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    counts = {"same": 0, "different, declared": 0, "declared, same here": 0, "refused by both": 0, "refused by transformers only": 0, "ERROR": 0}
    kept = []
    for base, name, tokenizer_class, model_type, files in [*single_cases(), *vocabulary_cases(), *random_cases(args.random, args.seed)]:
        if args.only not in f"{base} {name}" or (args.write and base not in WRITTEN):
            continue
        with tempfile.TemporaryDirectory() as at:
            folder = pathlib.Path(at)
            write_case(folder, base, tokenizer_class, model_type, files)
            expected, found_class = reference(folder)
            got, notes = ours(args.cli, folder)
            content = {file: (folder / file).read_text() for file in [*files, "config.json"]}
        declared = "transformers 5.23" in notes
        if expected is None:
            kind = "refused by both" if got is None else "refused by transformers only"
        elif got is None:
            kind = "ERROR"
        elif [list(map(list, pair)) for pair in got] == [list(map(list, pair)) for pair in expected]:
            kind = "declared, same here" if declared else "same"
        else:
            kind = "different, declared" if declared else "ERROR"
        counts[kind] += 1
        if kind == "ERROR" or args.verbose:
            print(f"{kind}: {base}, {name} (class {tokenizer_class}, read as {found_class}, model_type {model_type})\n  {notes.strip()}")
            for text, pair, right in zip(TEXTS, got or [], expected or []):
                if list(map(list, pair)) != list(map(list, right)):
                    print(f"  {text!a}\n    ours         {pair}\n    transformers {right}")
                    break
        if expected is not None and not name.startswith("random"):
            kept.append({"base": base, "name": name, "files": content, "declared": declared, "ids": [pair[0] for pair in expected]})
    print(", ".join(f"{kind}: {count}" for kind, count in counts.items()))
    if args.write:
        unchanged = {case["base"]: case["ids"] for case in kept if case["name"] == "nothing"}
        for case in kept:  # of each case the texts that its settings change
            case["ids"] = {} if case["declared"] else {
                str(i): ids for i, ids in enumerate(case["ids"]) if ids != unchanged[case["base"]][i]}
        table = {"transformers": transformers.__version__, "texts": TEXTS, "unchanged": unchanged}
        head = json.dumps(table, separators=(",", ":"))[:-1]
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in kept if case["base"] in WRITTEN)
        write_packed(DATA / "settings.json.z", head + ',"cases":[\n' + lines + "\n]}\n")
    sys.exit(1 if counts["ERROR"] else 0)


if __name__ == "__main__":
    main()
