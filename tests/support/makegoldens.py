#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the expected values of tests/data that come from reference implementations. A developer's tool.

The program and its tests need only what this wrote. In a virtual environment with
`pip install tokenizers==0.23.3 transformers==5.23.0 torch==2.11.0 lm_eval==0.4.7`:

    python tests/support/makegoldens.py tokenizers | requests | circuit

tokenizers  tests/data/tokenizers/KIND: a tokenizer.json of each kind, trained here on text made here, and what Hugging Face
            `tokenizers` answers for strings made here: ids with and without special tokens, byte offsets, decoded texts.
requests    tests/data/requests.jsonl: what lm-evaluation-harness asks a model about the rows of resources/samples.
circuit     tests/data/circuit.json: what transformers computes for dictionary prompts with the shipped tiny-transformer, whole
            and with one head off at a time.

tests/data/versions.json says which versions made them. Nothing of other people's text goes in: strings are random, rows our own.
"""
import argparse
import importlib.metadata
import json
import os
import pathlib
import random
import sys

from packedtext import write_packed

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
SAMPLES = ROOT / "resources" / "samples"
sys.path.insert(0, str(ROOT / "tests" / "reference"))

VOCABULARY = 900
STRINGS = 100  # for each tokenizer
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


def remember(name, *packages):
    """Writes down which versions made a golden."""
    file = DATA / "versions.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    known[name] = {package: importlib.metadata.version(package) for package in packages}
    file.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")


# --- Tokenizers -----------------------------------------------------------------------------------------------------

def training_text():
    """Our own sample rows, and random lines of the comparing script."""
    from compare_tokenizers import string

    lines = [line for file in sorted(SAMPLES.rglob("*")) if file.is_file()
             for line in file.read_text(encoding="utf-8").split("\n")]
    rng = random.Random(1)
    return lines + [string(rng, []) for _ in range(300)]


def byte_level(tokenizer, pre_tokenizer, normalizer=None, special=("<|endoftext|>",)):
    from tokenizers import decoders, pre_tokenizers, trainers

    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    return trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=list(special), show_progress=False,
                               initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def sentence_piece_bpe():
    """What Llama 2 has: bytes for unknown characters, unknown tokens fused."""
    from tokenizers import Tokenizer, models, trainers

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    return tokenizer, trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=special, limit_alphabet=150, show_progress=False)


def begin_with(tokenizer, token):
    from tokenizers import processors

    return processors.TemplateProcessing(single=f"{token} $A", pair=f"{token} $A {token} $B:1",
                                         special_tokens=[(token, tokenizer.token_to_id(token))])


def piece_decoder():
    from tokenizers import decoders

    return decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])


def make_gpt2(text):
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.BPE())
    tokenizer.train_from_iterator(text, byte_level(tokenizer, pre_tokenizers.ByteLevel(add_prefix_space=False)))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_tokens([AddedToken("Quietly naïve", normalized=True), AddedToken("<mask>", lstrip=True, normalized=False)])
    return tokenizer


def make_llama3(text):
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.BPE())
    cut = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
                                   pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    special = ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
    tokenizer.train_from_iterator(text, byte_level(tokenizer, cut, special=special))
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), begin_with(tokenizer, special[0])])
    return tokenizer


def make_qwen2(text):
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.BPE())
    cut = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(QWEN2), "isolated"),
                                   pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    special = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    tokenizer.train_from_iterator(text, byte_level(tokenizer, cut, normalizers.NFC(), special))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_tokens([AddedToken(name, normalized=False) for name in ("<think>", "</think>")])
    return tokenizer


def make_neox(text):
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.BPE())
    tokenizer.train_from_iterator(text, byte_level(tokenizer, pre_tokenizers.ByteLevel(add_prefix_space=False), normalizers.NFC(),
                                                   ("<|endoftext|>", "<|padding|>")))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_tokens([AddedToken(" " * count, normalized=True) for count in range(24, 1, -1)])
    return tokenizer


def make_falcon(text):
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.BPE())
    cut = pre_tokenizers.Sequence([pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.ByteLevel(add_prefix_space=False),
                                   pre_tokenizers.Digits(individual_digits=False),
                                   pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated")])
    tokenizer.train_from_iterator(text, byte_level(tokenizer, cut, special=(">>TITLE<<", "<|endoftext|>")))
    return tokenizer


def make_llama2(text):
    from tokenizers import normalizers

    tokenizer, trainer = sentence_piece_bpe()
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    tokenizer.train_from_iterator(text, trainer)
    tokenizer.post_processor = begin_with(tokenizer, "<s>")
    tokenizer.decoder = piece_decoder()
    return tokenizer


def make_metaspace_first(text):
    from tokenizers import pre_tokenizers

    tokenizer, trainer = sentence_piece_bpe()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.train_from_iterator(text, trainer)
    tokenizer.post_processor = begin_with(tokenizer, "<s>")
    tokenizer.decoder = piece_decoder()
    return tokenizer


def make_metaspace_always(text):
    from tokenizers import AddedToken, decoders, pre_tokenizers

    tokenizer, trainer = sentence_piece_bpe()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    tokenizer.train_from_iterator(text, trainer)
    tokenizer.post_processor = begin_with(tokenizer, "<s>")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always", split=True)
    tokenizer.add_tokens([AddedToken("[MASK]", lstrip=True, normalized=False), AddedToken("[R]", rstrip=True, normalized=False),
                          AddedToken("tok", single_word=True, normalized=False), AddedToken("Norm", normalized=True)])
    return tokenizer


def make_unigram(text):
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    plain = [line for line in text if line.isascii()]  # the trainer keeps every character it sees
    tokenizer.train_from_iterator(plain, trainers.UnigramTrainer(vocab_size=VOCABULARY, special_tokens=["<unk>", "<s>", "</s>"],
                                                                unk_token="<unk>", show_progress=False))
    return tokenizer


def make_wordlevel(text):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(text, trainers.WordLevelTrainer(vocab_size=VOCABULARY, special_tokens=["<unk>", "<s>"],
                                                                  show_progress=False))
    return tokenizer


def answer(tokenizer, text):
    """What the reference says of one string."""
    from compare_tokenizers import byte_offsets

    plain = tokenizer.encode(text, add_special_tokens=False)
    special = tokenizer.encode(text, add_special_tokens=True)
    return {"text": text, "ids": plain.ids, "ids_special": special.ids, "offsets": byte_offsets(text, plain.offsets),
            "decoded": tokenizer.decode(plain.ids, skip_special_tokens=False),
            "decoded_skip": tokenizer.decode(special.ids, skip_special_tokens=True)}


def make_tokenizers():
    from compare_tokenizers import string

    text = training_text()
    makers = [make_falcon, make_gpt2, make_llama2, make_llama3, make_metaspace_always, make_metaspace_first, make_neox, make_qwen2,
              make_unigram, make_wordlevel]
    for number, maker in enumerate(makers):
        tokenizer, name = maker(text), maker.__name__.removeprefix("make_")
        folder = DATA / "tokenizers" / name
        folder.mkdir(parents=True, exist_ok=True)
        tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
        added = [token.content for token in tokenizer.get_added_tokens_decoder().values() if not token.content.startswith("<0x")]
        rng = random.Random(100 + number)
        strings = ["", " ", "\n", "a", "  a", "a  ", "Hello world", " " * 50, *(string(rng, added) for _ in range(STRINGS - 8))]
        lines = (json.dumps(answer(tokenizer, one), ensure_ascii=False, separators=(",", ":")) for one in strings)
        write_packed(folder / "expected.jsonl.z", "\n".join(lines) + "\n")
    remember("tokenizers", "tokenizers")


# --- Requests -------------------------------------------------------------------------------------------------------

# Task of the harness, shots; rows of each as they come. Not BBH, whose instructions and worked examples the harness brings itself.
REQUESTS = [
    ("arc_easy", 0), ("arc_easy", 2), ("arc_challenge", 0), ("hellaswag", 0), ("lambada_openai", 0),
    ("openbookqa", 0), ("piqa", 0), ("winogrande", 0), ("gsm8k", 0), ("gsm8k", 5),
    ("mmlu_astronomy", 0), ("mmlu_elementary_mathematics", 5), ("mmlu_sociology", 0), ("mmlu_world_religions", 0)]


def sample_rows(path, name):
    """The splits of a data set, read by the code of the comparing script."""
    import compare_harness_tasks as harness

    splits = harness.local_rows(SAMPLES, path, name)
    if path == "winogrande":
        rows = harness.lines(SAMPLES / "winogrande" / "train_xl.jsonl")
        splits["train"] = [{key: row[key] for key in ("sentence", "option1", "option2", "answer")} for row in rows]
    return splits


def source_file(task, rows):
    """The sample file that a task's rows stand in: the one of its folder that is evaluated."""
    names = {"arc_easy": "arc_easy/ARC-Easy-Test.jsonl", "arc_challenge": "arc_challenge/ARC-Challenge-Test.jsonl",
             "hellaswag": "hellaswag/hellaswag_val.jsonl", "lambada_openai": "lambada/lambada_test.jsonl",
             "openbookqa": "openbookqa/test.jsonl", "piqa": "piqa/valid.jsonl", "winogrande": "winogrande/dev.jsonl",
             "gsm8k": "gsm8k/test.jsonl"}
    if task.startswith("mmlu_"):
        return f"mmlu/test/{task.removeprefix('mmlu_')}_test.csv"
    return names[task]


def request_of(task, label, row, document):
    """One row of requests.jsonl from the harness's instances of one document."""
    instances = [instance for instance in task.instances if instance.doc_id == row]
    request = {"task": label, "file": None, "row": row}
    if task.OUTPUT_TYPE == "generate_until":
        context, until = instances[0].args
        return {**request, "context": context, "target": str(task.doc_to_target(document)), "until": until["until"],
                "max_gen_toks": until.get("max_gen_toks", 256)}
    contexts = [instance.args[0] for instance in instances]
    request["continuations"] = [instance.args[1] for instance in instances]
    if len(set(contexts)) == 1:
        request["context"] = contexts[0]
    else:
        request["contexts"] = contexts
    if task.OUTPUT_TYPE == "multiple_choice":
        request["gold"] = gold_of(task, document)
    return request


def gold_of(task, document):
    """The index of the right choice, as the harness finds it."""
    gold = task.doc_to_text(document) if task.multiple_input else task.doc_to_target(document)
    if isinstance(gold, str):
        return int(gold) if gold.isdigit() else task.doc_to_choice(document).index(gold)
    return int(gold)


def make_requests():
    import types
    import datasets
    sys.modules.setdefault("lm_eval.models", types.ModuleType("lm_eval.models"))  # its tasks are asked, none of its models
    import lm_eval.tasks

    def load_dataset(path, name=None, **_):
        splits = sample_rows(path, name)
        return datasets.DatasetDict({split: datasets.Dataset.from_list(rows) for split, rows in splits.items() if rows})

    datasets.load_dataset = load_dataset
    manager = lm_eval.tasks.TaskManager()
    lines = []
    for name, shots in REQUESTS:
        task = manager.load_task_or_group(name)[name]
        task.set_config(key="num_fewshot", value=shots)
        task.set_fewshot_seed(seed=1234)
        task.build_all_requests(limit=None, rank=0, world_size=1)
        label = name + (f" (num_fewshot={shots})" if shots or task.OUTPUT_TYPE == "generate_until" else "")
        for row, document in enumerate(task.eval_docs):
            request = request_of(task, label, row, document)
            request["file"] = source_file(name, row)
            lines.append(json.dumps(request))
    (DATA / "requests.jsonl").write_text("\n".join(lines) + "\n", encoding="ascii")
    remember("requests", "lm_eval")
    print(len(lines), "requests")


# --- The circuit of the shipped Transformer -------------------------------------------------------------------------

PROMPTS = 24


def toy_prompts(words):
    """Dictionaries of eight pairs in the shipped model's words, each with a question; the ids, the last of them the answer."""
    at = {word: number for number, word in enumerate(words)}
    first, second, numbers = range(at["brave"], at["badger"]), range(at["badger"], at["00"]), range(at["00"], len(words))
    spell = lambda text: [at[word] for word in text.split(" ")]
    rng = random.Random(5)
    prompts = []
    for _ in range(PROMPTS):
        pairs = list(zip(rng.sample(first, 8), rng.sample(second, 8), rng.sample(numbers, 8)))
        ids = spell("<s> Memorize the dictionary : \n")
        for one, two, value in pairs:
            ids += [one, two, at[":"], value, at["\n"]]
        one, two, value = rng.choice(pairs)
        prompts.append(ids + spell("The value of the key") + [one, two, at["is"], value])
    return prompts


def log_likelihoods(model, prompts, layer=None, head=None):
    """Of the last token of each prompt; HEAD of LAYER off: its slice of what the output projection reads is 0."""
    import torch

    width = model.config.head_dim
    hook = None
    if layer is not None:
        def switch_off(_, inputs):
            z = inputs[0].clone()
            z[..., head * width:(head + 1) * width] = 0
            return (z,)
        hook = model.model.layers[layer].self_attn.o_proj.register_forward_pre_hook(switch_off)
    ids = torch.tensor(prompts)
    with torch.no_grad():
        logits = model(ids[:, :-1], use_cache=False).logits[:, -1].double()
    if hook is not None:
        hook.remove()
    values = logits.log_softmax(-1).gather(1, ids[:, -1:])[:, 0]
    return [round(value, 5) for value in values.tolist()]


def make_circuit():
    from transformers import LlamaForCausalLM

    folder = ROOT / "resources" / "models" / "tiny-transformer"
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    prompts = toy_prompts(sorted(vocabulary, key=vocabulary.get))
    model = LlamaForCausalLM.from_pretrained(folder, attn_implementation="eager").float().eval()
    rows = {"": log_likelihoods(model, prompts)}
    for layer in range(model.config.num_hidden_layers):
        for head in range(model.config.num_attention_heads):
            rows[f"L{layer}H{head}"] = log_likelihoods(model, prompts, layer, head)
    (DATA / "circuit.json").write_text(json.dumps({"prompts": prompts, "log_likelihoods": rows}, separators=(",", ":")) + "\n")
    remember("circuit", "transformers", "torch")
    for name, values in rows.items():
        print(name or "whole", sum(value > -0.69 for value in values), "of", PROMPTS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["tokenizers", "requests", "circuit"])
    {"tokenizers": make_tokenizers, "requests": make_requests, "circuit": make_circuit}[parser.parse_args().what]()


if __name__ == "__main__":
    main()
