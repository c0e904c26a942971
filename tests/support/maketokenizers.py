#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make tests/data/tokenizers/roberta and t5 and tests/data/pieces/*, and what the references say of strings. A
developer's tool.

The vocabularies are trained on sentences that are put together from a list of words below. In a virtual environment with
`pip install tokenizers==0.23.3 sentencepiece==0.2.3`:

    python tests/support/maketokenizers.py
"""
import json
import pathlib
import random
import sys
import tempfile

import sentencepiece
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "reference"))
from compare_tokenizers import byte_offsets, string  # noqa: E402
from packedtext import write_packed  # noqa: E402

OUT = ROOT / "tests" / "data" / "tokenizers"
WORDS = ("lantern harbour quiet garden stone wall seven small birds sing early songs about rain and warm light near the old "
         "bridge while a boat drifts under grey clouds").split()
# What SentencePiece is told to rewrite, from and to.
RULES = [("ﬁ", "fi"), ("ﬂ", "fl"), ("Ａ", "A"), ("ｂ", "b"), ("e\u0301", "é"), ("\u200b", ""), ("…", "..."), ("\u3000", " "),
         ("①", "1"), ("\xa0", " "), ("\u1100\u1161", "가"), ("㎏", "kg")]


def sentences():
    rng = random.Random(5)
    for _ in range(600):
        line = " ".join(rng.choice(WORDS) for _ in range(9)).capitalize()
        yield line + rng.choice([".", "!", "?", ", 12 times.", ": 3 or 45."])


def write(folder, tokenizer, change=lambda file: file, strings=150):
    folder.mkdir(parents=True, exist_ok=True)
    file = change(json.loads(tokenizer.to_str()))
    (folder / "tokenizer.json").write_text(json.dumps(file, ensure_ascii=False, separators=(",", ":")) + "\n")
    added = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    rng = random.Random(3)
    texts = ["the <mask> here", "a  <mask>  b", " <mask>", "  <mask>x", "\u3000<mask>", "é\n<mask>"]
    texts += [string(rng, added) for _ in range(strings)] + [from_to for rule in RULES for from_to in (rule[0], f"x{rule[0]} {rule[0]}y")]
    lines = []
    for text in texts:
        plain, special = tokenizer.encode(text, add_special_tokens=False), tokenizer.encode(text)
        lines.append(json.dumps({"text": text, "ids": plain.ids, "ids_special": special.ids, "offsets": byte_offsets(text, plain.offsets),
                                 "decoded": tokenizer.decode(plain.ids, skip_special_tokens=False),
                                 "decoded_skip": tokenizer.decode(special.ids, skip_special_tokens=True)}, ensure_ascii=False,
                                separators=(",", ":")))
    write_packed(folder / "expected.jsonl.z", "\n".join(lines) + "\n")


def roberta():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(sentences(), trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        show_progress=False))
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    write(OUT / "roberta", tokenizer, strings=110)


def train(folder, **options):
    with tempfile.TemporaryDirectory() as place:
        corpus, rules = pathlib.Path(place, "corpus"), pathlib.Path(place, "rules")
        corpus.write_text("\n".join(sentences()))
        points = lambda text: " ".join(f"{ord(c):X}" for c in text)
        rules.write_text("".join(f"{points(a)}\t{points(b)}\n" for a, b in RULES))
        if options.pop("rewrites", False):
            options["normalization_rule_tsv"] = str(rules)
        sentencepiece.SentencePieceTrainer.train(input=str(corpus), model_prefix=str(pathlib.Path(place, "m")), hard_vocab_limit=False,
                                                 num_threads=1, minloglevel=2, **options)
        model = pathlib.Path(place, "m.model").read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.model").write_bytes(model)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    rng, texts = random.Random(4), ["", " ", "  two  spaces   here ", "line\nbreak\ttab", "日本 🙂 ok", "①② 12 345"]
    for _ in range(150):
        text = string(rng, ["<turn>"])
        if not set(text) & set("\x00\u2581\ufffd"):  # which mean something to SentencePiece
            texts.append(text)
    texts += [f"x{rule[0]} {rule[0]}y" for rule in RULES] + list(sentences())[:30]
    rows = [{"text": text, "ids": processor.encode(text)} for text in texts]
    write_packed(folder / "expected.jsonl.z", "\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows) + "\n")
    return processor, model


def t5(processor, model):
    """The unigram model as T5's tokenizer.json has it: without a type, with the map of its SentencePiece file."""
    from sentencepiece import sentencepiece_model_pb2

    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model)
    tokenizer = Tokenizer(models.Unigram([(p.piece, p.score) for p in proto.pieces], processor.unk_id(), False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap),
                                                 normalizers.Replace("  ", " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["<pad>", "</s>", "<unk>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])

    def untyped(file):
        del file["model"]["type"]
        return file

    write(OUT / "t5", tokenizer, untyped)


roberta()
t5(*train(OUT.parent / "pieces" / "unigram", model_type="unigram", vocab_size=150, rewrites=True, unk_id=2, eos_id=1, pad_id=0, bos_id=-1))
train(OUT.parent / "pieces" / "llama", model_type="bpe", vocab_size=420, byte_fallback=True, normalization_rule_name="identity",
      remove_extra_whitespaces=False, split_digits=True, allow_whitespace_only_pieces=True)
train(OUT.parent / "pieces" / "gemma", model_type="bpe", vocab_size=420, byte_fallback=True, normalization_rule_name="identity",
      remove_extra_whitespaces=False, add_dummy_prefix=False, user_defined_symbols=["<turn>"])
