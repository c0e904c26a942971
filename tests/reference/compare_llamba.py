#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare headscope-cli with a plain recurrence in double precision on random Llamba and Hybrid-Llamba models.

transformers has neither family, so their equations stand here once more, token by token and as short as they can be. The
program and its tests do not need this. In a virtual environment with `pip install torch safetensors`:

    python tests/reference/compare_llamba.py build/release/app/headscope-cli [--count N] [--seed S]

Shapes, biases, groups and ties are drawn at random; lengths lie around the borders of the chunk. Compared are logits, the
stream after each layer and the matrices of the first layer. Differences above 1e-4 of the largest value are printed, and
the exit status is then 1.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from torch.nn.functional import linear, silu, softplus

torch.set_num_threads(1)
EPS = 1e-5


def rms(x, weight, eps=EPS):
    return x * torch.rsqrt(x.pow(2).mean(-1, True) + eps) * weight


class Weights(dict):
    """Random tensors, made when they are first asked for; `scale` is their standard deviation."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def take(self, name, *shape, scale=None, centre=0.0):
        if name not in self:
            scale = 1.3 / math.sqrt(shape[-1]) if scale is None else scale
            self[name] = torch.randn(shape, generator=self.generator) * scale + centre
        return self[name].double()

    def bias(self, name, size, wanted=True):
        return self.take(name, size, scale=0.3) if wanted else None


def ssm(w, prefix, u, c):
    """The discrete Mamba-2 mixer: y before the projection, and the matrix of each head with D."""
    B, T, _ = u.shape
    H, G, N, P, K = c["heads"], c["groups"], c["states"], c["head_dim"], c["taps"]
    E, C = H * P, H * P + 2 * G * N
    p = linear(u, w.take(prefix + "in_proj.weight", C + E + H, u.shape[-1]), w.bias(prefix + "in_proj.bias", C + E + H, c["bias"]))
    xbc, z, a = p.split([C, E, H], -1)
    taps = w.take(prefix + "conv1d.weight", C, 1, K, scale=0.5)
    padded = torch.cat([xbc.new_zeros(B, K - 1, C), xbc], 1)
    xbc = sum(padded[:, k:k + T] * taps[:, 0, k] for k in range(K))
    if c["conv_bias"]:
        xbc = xbc + w.bias(prefix + "conv1d.bias", C)
    xbc = silu(xbc) if c["activation"] == "silu" else xbc
    x, b, q = xbc.split([E, G * N, G * N], -1)
    x = x.view(B, T, H, P)
    b, q = (m.view(B, T, G, N).repeat_interleave(H // G, 2) for m in (b, q))
    decay = -softplus(a)
    d = w.take(prefix + "D", H, scale=0.4, centre=1.0)
    state, y = x.new_zeros(B, H, P, N), []
    for t in range(T):
        state = state * decay[:, t].exp()[..., None, None] + x[:, t, :, :, None] * b[:, t, :, None, :]
        y.append((state * q[:, t, :, None, :]).sum(-1) + d[:, None] * x[:, t])
    y = torch.stack(y, 1)
    sums = decay.cumsum(1).transpose(1, 2)  # [B, H, T]
    gaps = (sums[..., None] - sums[..., None, :]).masked_fill(torch.ones(T, T).triu(1).bool(), -math.inf)
    matrix = torch.einsum("bthn,bshn->bhts", q, b) * gaps.exp() + torch.eye(T).double() * d[:, None, None]
    if c["z_bias"]:
        z = z + w.bias(prefix + "z_bias", E)
    gated = y.reshape(B, T, E) * silu(z)
    return linear(gated, w.take(prefix + "out_proj.weight", u.shape[-1], E), w.bias(prefix + "out_proj.bias", u.shape[-1], c["bias"])), matrix


def attention(w, prefix, u, c, heads):
    B, T, D = u.shape
    P, kv = c["attention_dim"], c["kv_heads"] or heads
    project = lambda name, n: linear(u, w.take(prefix + name + ".weight", n * P, D), w.bias(prefix + name + ".bias", n * P, c["attention_bias"])).view(B, T, n, P).transpose(1, 2)
    angle = torch.arange(T).double()[:, None] * c["theta"] ** (-torch.arange(0, P, 2).double() / P)
    cos, sin = torch.cat([angle, angle], -1).cos(), torch.cat([angle, angle], -1).sin()
    turn = lambda x: x * cos + torch.cat([-x[..., P // 2:], x[..., :P // 2]], -1) * sin
    q, k, v = turn(project("q_proj", heads)), turn(project("k_proj", kv)), project("v_proj", kv)
    k, v = (m.repeat_interleave(heads // kv, 1) for m in (k, v))
    scores = (q @ k.transpose(-1, -2) / math.sqrt(P)).masked_fill(torch.ones(T, T).triu(1).bool(), -math.inf)
    out = (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, heads * P)
    return linear(out, w.take(prefix + "o_proj.weight", D, heads * P), w.bias(prefix + "o_proj.bias", D, c["attention_bias"]))


def forward(w, c, ids):
    """Logits [B, T, V], the stream [L+1, B, T, D], the matrices of the first layer."""
    D, V = c["hidden"], c["rows"]
    h = w.take("backbone.embedding.weight", V, D, scale=0.6)[ids]
    streams, first = [h], None
    for i, kept in enumerate(c["kept"]):
        prefix = f"backbone.layers.{i}."
        n = rms(h, w.take(prefix + "input_layernorm.weight", D, scale=0.2, centre=1.0))
        s, matrix = ssm(w, prefix + ("mixer1." if c["hybrid"] else "mixer."), n, c)
        first = matrix if first is None else first
        if kept:
            a = attention(w, prefix + "mixer2.self_attn.", n, c, kept)
            std = lambda x: x.std(-1, keepdim=True) + EPS
            a = (a - a.mean(-1, True)) / std(a) * std(s) + s.mean(-1, True)
            s = 0.5 * (s + linear(a, w.take(prefix + "adapter.out_proj.weight", D, D), w.bias(prefix + "adapter.out_proj.bias", D)))
        h = h + s
        m = rms(h, w.take(prefix + "post_attention_layernorm.weight", D, scale=0.2, centre=1.0))
        gate, up = (linear(m, w.take(f"{prefix}mlp.{part}_proj.weight", c["inner"], D)) for part in ("gate", "up"))
        h = h + linear(silu(gate) * up, w.take(prefix + "mlp.down_proj.weight", D, c["inner"]))
        streams.append(h)
    h = rms(h, w.take("backbone.final_layernorm.weight", D, scale=0.2, centre=1.0), c["eps"])
    head = w.take("backbone.embedding.weight", V, D) if c["tied"] else w.take("lm_head.weight", V, D)
    return linear(h, head), torch.stack(streams), first


def draw(rng, hybrid):
    groups = rng.choice([1, 2, 4])
    heads, taps = groups * rng.choice([1, 2]), rng.choice([2, 3, 4])
    hidden = heads * rng.choice([4, 8])
    bias = rng.random() < 0.5
    vocabulary, multiple = rng.choice([40, 61, 64]), rng.choice([1, 8, 16])
    expand = rng.choice([1, 2])
    layers = rng.choice([2, 3])
    return {
        "hybrid": hybrid, "vocabulary": vocabulary, "multiple": multiple, "rows": (vocabulary + multiple - 1) // multiple * multiple,
        "hidden": hidden, "inner": rng.choice([24, 40]), "eps": rng.choice([1e-5, 1e-6]), "tied": rng.random() < 0.5,
        "heads": heads, "groups": groups, "states": rng.choice([4, 8]), "expand": expand, "head_dim": expand * hidden // heads,
        "taps": 4 if hybrid else taps, "chunk": rng.choice([4, 8, 16]), "bias": bias, "z_bias": rng.random() < 0.5 if hybrid else not bias,
        "conv_bias": True if hybrid else rng.random() < 0.7, "activation": rng.choice(["identity", "silu"]),
        "kept": [rng.choice([0, 1, 2]) if hybrid else 0 for _ in range(layers)],
        "attention_dim": 8, "attention_bias": rng.random() < 0.3, "kv_heads": rng.choice([None, 1]), "theta": rng.choice([10000.0, 500.0]),
    }


def config(c):
    mixer = {"d_state": c["states"], "n_v_heads": c["heads"], "n_qk_heads": c["groups"], "expand": c["expand"], "chunk_size": c["chunk"],
             "activation": c["activation"], "bias": c["bias"]}
    head = {"vocab_size": c["vocabulary"], "tie_embeddings": c["tied"], "pad_vocab_size_multiple": c["multiple"], "lm_head_bias": False}
    if not c["hybrid"]:
        return {**head, "model_type": "llamba", "d_model": c["hidden"], "n_layer": len(c["kept"]), "resid_dropout": 0.0, "norm_epsilon": c["eps"],
                "mlp_cfg": {"intermediate_size": c["inner"], "bias": False, "act_fn": "silu"},
                "ssm_cfg": {**mixer, "d_conv": c["taps"], "conv_bias": c["conv_bias"]}}
    mixer |= {"headdim": c["head_dim"], "norm_cls": "none", "initializer": {"z": "identity" if c["z_bias"] else "default", "a_log": "default"}}
    block = lambda kept: {
        "name": "DoubleBlockAdapter", "n_layers": 1, "input": {"resid_dropout": 0.0, "mlp_intermediate_size": c["inner"], "mlp_act_fn": "silu"},
        "ssm_layer": {"name": "DiscreteMamba2", "input": mixer},
        "attn_layer": {"name": "LlamaAttention", "input": {"num_attention_heads": kept, "attention_bias": c["attention_bias"], "head_dim": c["attention_dim"],
                                                           "rope_theta": c["theta"], **({"num_key_value_heads": c["kv_heads"]} if c["kv_heads"] else {})}}}
    blocks = [block(kept) for kept in c["kept"]]
    for b in blocks:  # the published form keeps the layers inside `input`
        b["input"] |= {"ssm_layer": b.pop("ssm_layer"), "attn_layer": b.pop("attn_layer")}
    return {"name": "LayeredMambaLM", "input": head,
            "MixerModel": {"name": "LlamaModel", "input": {"d_model": c["hidden"], "n_layer": len(blocks), "norm_epsilon": c["eps"], "rope_theta": c["theta"],
                                                           "head_dim": c["attention_dim"], "max_position_embeddings": 128, "lm_head_prenorm": "rms"}, "Blocks": blocks}}


def compare(cli, folder, c, seed):
    w = Weights(seed)
    generator = torch.Generator().manual_seed(seed)
    chunk, worst, lines = c["chunk"], {}, []
    with torch.no_grad():
        forward(w, c, torch.zeros(1, 1, dtype=torch.long))  # makes the tensors
        save_file(dict(w), folder / "model.safetensors")
        (folder / "config.json").write_text(json.dumps(config(c)))
        for length in sorted({1, chunk - 1, chunk, chunk + 1, 3 * chunk, 3 * chunk + 2}):
            ids = torch.randint(1, c["vocabulary"], (2, length), generator=generator)
            save_file({"input_ids": ids}, folder / "tokens.safetensors")
            done = subprocess.run([cli, "dump", str(folder), "--tokens", str(folder / "tokens.safetensors"), "--out", str(folder / "actual.safetensors"),
                                   "--want", "logits,resid,mat.L0", "--device", "cpu", "--dtype", "fp32", "--quiet"], capture_output=True, text=True)
            if done.returncode:
                return {}, [f"T={length}: {done.stderr.strip()}"]
            actual = load_file(folder / "actual.safetensors")
            for key, expected in zip(("logits", "resid", "mat.L0"), forward(w, c, ids)):
                scale = max(1.0, expected.abs().max().item())
                off = (actual[key].double() - expected).abs().max().item() / scale if actual[key].shape == expected.shape else math.inf
                worst[key] = max(worst.get(key, 0.0), off)
                if not off <= 1e-4:
                    lines.append(f"T={length}: {key} {tuple(actual[key].shape)} off by {off:.2g} of {scale:.2g}")
    return worst, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("--count", type=int, default=20, help="models of each family")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    wrong = 0
    for hybrid in (False, True):
        worst = {}
        for k in range(args.count):
            c = draw(random.Random(f"{args.seed} {hybrid} {k}"), hybrid)
            with tempfile.TemporaryDirectory() as folder:
                off, lines = compare(args.cli, pathlib.Path(folder), c, 1000 * args.seed + k)
            for line in lines:
                print(f"{json.dumps(c)}\n  {line}")
            wrong += len(lines)
            worst = {key: max(value, worst.get(key, 0.0)) for key, value in off.items()} or worst
        print(f"{'hybrid-llamba' if hybrid else 'llamba'}: {args.count} models, largest difference as a part of the key's largest value:",
              ", ".join(f"{key} {value:.1e}" for key, value in worst.items()))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
