#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare GGUF files that llama.cpp's own converter makes of the golden models with the folders that they were made of.

In a virtual environment with `pip install torch transformers==5.24.0 safetensors sentencepiece numpy`, and llama.cpp's sources beside it (those
of llama-cpp-python 0.3.36 made the files in tests/data/forms):

    python tests/reference/compare_gguf.py LLAMA_CPP build/release/app/headscope-cli [NAME...]
    python tests/reference/compare_gguf.py LLAMA_CPP --write tests/data/forms NAME...

Both are run on the same tokens; prints the largest difference of a logit, and exits with 1 where one exceeds 1e-4 of the largest. What a GGUF file
does not say (RULES) is put into the folder's config.json as llama.cpp takes it. The second call writes the files with maps in bf16.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from safetensors.numpy import load_file, save_file

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "data" / "golden"
VARIANTS = GOLDEN.parent / "variants"
NAMES = ["gpt_oss", "gpt_oss_mxfp4", "gemma3_text", "granite", "smollm3", "arcee", "olmo2", "olmo3", "exaone4", "seed_oss", "ernie4_5", "cohere2",
         "starcoder2", "phi3", "phi3_short", "glm4", "glm4_moe", "mixtral", "qwen2_moe", "llama3", "mistral", "gemma2", "lfm2", "lfm2_moe",
         "falcon_h1_norm", "granitemoe", "granitemoehybrid", "granite_rope", "jamba", "jamba_options", "deepseek_v2", "deepseek_v3",
         "nemotron_h", "nemotron_h_moe", "gemma4", "gemma4_moe", "qwen3_next", "qwen3_5", "qwen3_5_moe_text"]
NEMOTRON = {"d_head": 2, "time_step_min": 0.0}  # the converter asks for the first, 64 unless given
RULES = {"gemma3_text": {"sliding_window_pattern": 6, "query_pre_attn_scalar": 8}, "gemma2": {"query_pre_attn_scalar": 12},
         "cohere2": {"layer_types": ["sliding_attention", "sliding_attention"]}, "smollm3": {"no_rope_layers": [1, 1]},
         "starcoder2": {"sliding_window": None}, "mistral": {"sliding_window": None},
         # not attention_in_multiplier, by which the converter multiplies biases too, nor those of a table that is tied
         "falcon_h1_norm": {"head_dim": 8, "attention_out_multiplier": 0.7, "ssm_in_multiplier": 1.3, "ssm_out_multiplier": 0.6,
                            "key_multiplier": 0.4, "mlp_multipliers": [0.9, 0.3], "ssm_multipliers": [0.5, 1.3, 0.8, 1.2, 0.7]},
         "granite_rope": {"layer_types": ["attention", "mamba", "mamba"], "position_embedding_type": "nope"},
         "jamba_options": {"mamba_proj_bias": False}, "nemotron_h": NEMOTRON, "nemotron_h_moe": NEMOTRON}
CONVERT = """
import json
import sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + '/gguf-py']
import convert_hf_to_gguf as converter
def vocabulary(self):  # the golden models have none
    count = self.hparams['vocab_size']
    self.gguf_writer.add_tokenizer_model('gpt2')
    self.gguf_writer.add_tokenizer_pre('gpt-2')
    self.gguf_writer.add_token_list([f't{i}' for i in range(count)])
    self.gguf_writer.add_token_types([1] * count)
    self.gguf_writer.add_token_merges(['t 0'])
from conversion.base import ModelBase
load = ModelBase.load_hparams
def hparams(folder, *a, **k):  # transformers 5 gives every Nemotron-H experts and names for its pattern, which the converter takes otherwise
    own = json.loads((folder / 'config.json').read_text())
    return own if 'hybrid_override_pattern' in own else load(folder, *a, **k)
ModelBase.load_hparams = staticmethod(hparams)
known = converter.get_model_class
def patched(*a, **k):
    found = known(*a, **k)
    for one in found.__mro__:
        if 'set_vocab' in one.__dict__:
            one.set_vocab = vocabulary
    return found
converter.get_model_class = patched
sys.argv = ['', sys.argv[2], '--outfile', sys.argv[3], '--outtype', *sys.argv[4:]]
converter.main()
"""


def folder_of(name, into):
    shutil.copytree(next(room / name for room in (GOLDEN / "hub", GOLDEN, VARIANTS) if (room / name).exists()), into)
    return prepared(into, name)


def prepared(into, name):
    config = json.loads((into / "config.json").read_text()) | RULES.get(name, {})
    (into / "config.json").write_text(json.dumps(config))
    config = config.get("text_config", config)
    words = {f"t{i}": i for i in range(config["vocab_size"])}
    (into / "tokenizer.json").write_text(json.dumps({"model": {"vocab": words}, "added_tokens": []}))
    return config


def convert(llama, folder, file, kind):
    form = json.loads((folder / "config.json").read_text())["model_type"]
    ahead = ["--no-mtp"] if form.startswith(("qwen3_next", "qwen3_5")) else []  # the golden models have no layers that guess ahead
    subprocess.run([sys.executable, "-c", CONVERT, llama, folder, file, kind, *ahead], check=True, capture_output=True)


def logits(cli, model, ids, work):
    subprocess.run([cli, "dump", model, "--tokens", ids, "--want", "logits", "-o", work / "out"], check=True, stdout=subprocess.DEVNULL)
    return load_file(work / "out")["logits"]


def main():
    llama, second, *names = sys.argv[1:]
    worst = 0
    if second == "--write":
        target, names = pathlib.Path(names[0]), names[1:]
    for name in names or NAMES:
        with tempfile.TemporaryDirectory() as made:
            work = pathlib.Path(made)
            config = folder_of(name, work / "model")
            if second == "--write":
                convert(llama, work / "model", target / f"{name}.gguf", "bf16")
                continue
            convert(llama, work / "model", work / "model.gguf", "f32")
            (work / "model" / "tokenizer.json").unlink()
            save_file({"input_ids": (np.arange(24, dtype=np.int64) * 7 + 3)[None] % (config["vocab_size"] - 1)}, work / "ids")
            whole, packed = (logits(second, model, work / "ids", work) for model in (work / "model", work / "model.gguf"))
            apart = np.abs(whole - packed).max() / np.abs(whole).max()
            worst = max(worst, apart)
            print(f"{name:16} {apart:.1e}")
    sys.exit(bool(worst > 1e-4))


if __name__ == "__main__":
    main()
