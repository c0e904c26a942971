#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders with the shapes of models that people open and random weights, for bench_window, for trying memory, and for the guard.

    realsize.py SHAPE OUT [TOKENIZER_FOLDER]     SHAPE: llama-1b, llama-8b, mamba2-1.3b (bf16), mamba-130m (fp32);
                                                 T, S, K, M: those of guard.json (fp32, 0.8, 58, 135 and 129 million weights)

Needs numpy. Random weights attend and answer at chance; times and memory are those of the real shape. The tokenizer's files are
copied; its ids have to fit.
"""
import glob
import json
import os
import shutil
import struct
import sys

import numpy

CHUNK = 1 << 22
random = numpy.random.default_rng(0)


def bf16(values):
    return ((values.view(numpy.uint32) + 0x8000) >> 16).astype(numpy.uint16)


class Writer:
    """Tensors of one safetensors file, drawn while they are written: no tensor is in memory as a whole."""

    def __init__(self, half):
        self.half, self.header, self.fills, self.end = half, {"__metadata__": {"format": "pt"}}, [], 0

    def add(self, name, shape, fill):
        count = int(numpy.prod(shape))
        size = count * (2 if self.half else 4)
        self.header[name] = {"dtype": "BF16" if self.half else "F32", "shape": list(shape), "data_offsets": [self.end, self.end + size]}
        self.end += size
        self.fills.append((count, fill))

    def normal(self, name, *shape, std=None):
        scale = std or shape[-1] ** -0.5
        self.add(name, shape, lambda n: random.standard_normal(n, numpy.float32) * numpy.float32(scale))

    def const(self, name, *shape, value=1.0):
        self.add(name, shape, lambda n: numpy.full(n, value, numpy.float32))

    def uniform(self, name, *shape, low, high, log=False):
        draw = lambda n: random.uniform(low, high, n).astype(numpy.float32)
        self.add(name, shape, (lambda n: numpy.log(draw(n))) if log else draw)

    def write(self, path):
        text = json.dumps(self.header).encode()
        text += b" " * (-len(text) % 8)
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for count, fill in self.fills:
                for begin in range(0, count, CHUNK):
                    part = fill(min(CHUNK, count - begin))
                    file.write((bf16(part) if self.half else part).tobytes())


def llama(width=2048, inner=8192, layers=16, size=64, tied=True, factor=32.0, heads=32, groups=8, vocabulary=128256, half=True):
    t = Writer(half)
    t.normal("model.embed_tokens.weight", vocabulary, width, std=0.02)
    for layer in range(layers):
        p = f"model.layers.{layer}."
        for name, rows, columns in (("self_attn.q_proj", heads * size, width), ("self_attn.k_proj", groups * size, width),
                                    ("self_attn.v_proj", groups * size, width), ("self_attn.o_proj", width, heads * size),
                                    ("mlp.gate_proj", inner, width), ("mlp.up_proj", inner, width), ("mlp.down_proj", width, inner)):
            t.normal(p + name + ".weight", rows, columns)
        t.const(p + "input_layernorm.weight", width)
        t.const(p + "post_attention_layernorm.weight", width)
    t.const("model.norm.weight", width)
    if not tied:
        t.normal("lm_head.weight", vocabulary, width)
    first = vocabulary - 256 if half else 1
    return t, dict(architectures=["LlamaForCausalLM"], attention_bias=False, bos_token_id=first, eos_token_id=first + 1, head_dim=size,
                   hidden_act="silu", hidden_size=width, intermediate_size=inner, max_position_embeddings=131072, mlp_bias=False,
                   model_type="llama", num_attention_heads=heads, num_hidden_layers=layers, num_key_value_heads=groups, rms_norm_eps=1e-5,
                   rope_theta=500000.0, tie_word_embeddings=tied, torch_dtype="bfloat16" if half else "float32", vocab_size=vocabulary,
                   rope_scaling=dict(factor=factor, high_freq_factor=4.0, low_freq_factor=1.0, original_max_position_embeddings=8192,
                                     rope_type="llama3"))


def llama8():
    return llama(width=4096, inner=14336, layers=32, size=128, tied=False, factor=8.0)


def guard_llama(**shape):
    tensors, config = llama(half=False, **shape)
    config.pop("rope_scaling")
    return tensors, config


def mamba2(width=2048, layers=48, half=True):
    state, size = 128, 64
    inner, heads = 2 * width, 2 * width // size
    t = Writer(half)
    t.normal("backbone.embeddings.weight", 50288, width, std=0.02)
    for layer in range(layers):
        p = f"backbone.layers.{layer}."
        t.const(p + "norm.weight", width)
        t.normal(p + "mixer.in_proj.weight", 2 * inner + 2 * state + heads, width)
        t.normal(p + "mixer.out_proj.weight", width, inner)
        t.normal(p + "mixer.conv1d.weight", inner + 2 * state, 1, 4, std=0.4)
        t.normal(p + "mixer.conv1d.bias", inner + 2 * state, std=0.1)
        t.const(p + "mixer.norm.weight", inner)
        t.uniform(p + "mixer.A_log", heads, low=1, high=16, log=True)
        t.const(p + "mixer.D", heads)
        t.uniform(p + "mixer.dt_bias", heads, low=-6, high=-2)
    t.const("backbone.norm_f.weight", width)
    return t, dict(architectures=["Mamba2ForCausalLM"], model_type="mamba2", hidden_size=width, num_hidden_layers=layers, state_size=state,
                   num_heads=heads, head_dim=size, expand=2, n_groups=1, conv_kernel=4, vocab_size=50288, tie_word_embeddings=True,
                   use_bias=False, use_conv_bias=True, hidden_act="silu", layer_norm_epsilon=1e-5, rms_norm=True, residual_in_fp32=True,
                   chunk_size=256, time_step_limit=[0.0, float("inf")], bos_token_id=0, eos_token_id=0, pad_token_id=0,
                   torch_dtype="bfloat16" if half else "float32")


def mamba():
    width, layers, state, rank = 768, 24, 16, 48
    inner = 2 * width
    t = Writer(False)
    t.normal("backbone.embeddings.weight", 50280, width, std=0.02)
    for layer in range(layers):
        p = f"backbone.layers.{layer}."
        t.const(p + "norm.weight", width)
        t.normal(p + "mixer.in_proj.weight", 2 * inner, width)
        t.normal(p + "mixer.out_proj.weight", width, inner)
        t.normal(p + "mixer.x_proj.weight", rank + 2 * state, inner)
        t.normal(p + "mixer.dt_proj.weight", inner, rank)
        t.uniform(p + "mixer.dt_proj.bias", inner, low=-6, high=-2)
        t.normal(p + "mixer.conv1d.weight", inner, 1, 4, std=0.4)
        t.normal(p + "mixer.conv1d.bias", inner, std=0.1)
        t.add(p + "mixer.A_log", (inner, state), lambda n: numpy.log(numpy.tile(numpy.arange(1, state + 1, dtype=numpy.float32), n // state)))
        t.const(p + "mixer.D", inner)
    t.const("backbone.norm_f.weight", width)
    return t, dict(architectures=["MambaForCausalLM"], model_type="mamba", hidden_size=width, num_hidden_layers=layers, state_size=state,
                   intermediate_size=inner, time_step_rank=rank, expand=2, conv_kernel=4, vocab_size=50280, tie_word_embeddings=True,
                   use_bias=False, use_conv_bias=True, hidden_act="silu", layer_norm_epsilon=1e-5, residual_in_fp32=True, bos_token_id=0,
                   eos_token_id=0, pad_token_id=0, torch_dtype="float32")


def main():
    shapes = {"llama-1b": llama, "llama-8b": llama8, "mamba2-1.3b": mamba2, "mamba-130m": mamba,
              "T": lambda: guard_llama(width=128, inner=256, layers=4, size=16, tied=False, heads=8, groups=8, vocabulary=390),
              "S": lambda: guard_llama(width=512, inner=1376, layers=8, size=64, tied=False, heads=8, groups=8, vocabulary=32000),
              "K": lambda: guard_llama(width=576, inner=1536, layers=30, size=64, tied=True, heads=9, groups=3, vocabulary=49152),
              "M": lambda: mamba2(width=768, layers=24, half=False)}
    if len(sys.argv) < 3 or sys.argv[1] not in shapes:
        sys.exit(__doc__)
    out = sys.argv[2]
    os.makedirs(out, exist_ok=True)
    tensors, config = shapes[sys.argv[1]]()
    with open(os.path.join(out, "config.json"), "w") as file:
        json.dump(config, file, indent=1)
    tensors.write(os.path.join(out, "model.safetensors"))
    for path in glob.glob(os.path.join(sys.argv[3], "tokenizer*.json")) if len(sys.argv) > 3 else []:
        shutil.copy(path, out)


main()
