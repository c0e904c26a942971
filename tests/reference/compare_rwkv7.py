#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare headscope-cli with a plain recurrence in double precision on random RWKV-7 models, and make the golden one.

transformers 5.23 has no RWKV-7, so its published equations (Peng et al. 2025, arXiv 2503.14456; names of fields and tensors as
flash-linear-attention's model has them) stand here once more, token by token. In a virtual environment with `pip install torch safetensors`:

    python tests/reference/compare_rwkv7.py build/release/app/headscope-cli [--count N] [--seed S]
    python tests/reference/compare_rwkv7.py --golden tests/data/golden/hub/rwkv7

Sizes, ranks, norms and lengths are drawn at random; weights are as large as makes every option matter. Compared are logits, the stream, the matrices
of all layers without and with the bonus (by the products of transitions, not by the recurrence), z, the logits without a head of each layer,
greedy tokens where no two logits are close, and the program's self-test. What differs by more than 1e-4 of the largest is printed; exit status 1.
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
from torch.nn.functional import layer_norm, linear

torch.set_num_threads(1)
GREEDY = 8


def before(x):
    return torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)


class Rwkv7:
    """`cut`: (layer, head) whose slice of z is zero."""

    def __init__(self, config, weights):
        self.c, self.w = config, {key: value.double() for key, value in weights.items()}
        self.heads = config["hidden_size"] // config["head_dim"]

    def norm(self, x, name):
        return layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w.get(name + ".bias"), self.c["norm_eps"])

    def low(self, x, name, between):
        return linear(between(linear(x, self.w[name + ".lora.0.weight"])), self.w[name + ".lora.2.weight"], self.w.get(name + ".lora.2.bias"))

    def time_mix(self, x, p, first_values, cut, seen):
        w, split = self.w, lambda a: a.unflatten(-1, (self.heads, -1))
        mixed = {part: x + (before(x) - x) * w[f"{p}x_{part}"].flatten() for part in "rwkvag"}
        r, k, v = (linear(mixed[part], w[f"{p}{part}_proj.weight"]) for part in "rkv")
        decay = torch.exp(-math.exp(-0.5) * torch.sigmoid(self.low(mixed["w"], p + "w_lora", torch.tanh)))
        rate = torch.sigmoid(self.low(mixed["a"], p + "a_lora", lambda a: a))
        gate = self.low(mixed["g"], p + "g_lora", torch.sigmoid)
        if first_values is None:
            first_values = v
        else:
            v = v + (first_values - v) * torch.sigmoid(self.low(mixed["v"], p + "v_lora", lambda a: a))
        removal = split(k * w[p + "k_k"])
        length = (removal.square().sum(-1, True) + 1e-6).sqrt() if self.c["fuse_norm"] else removal.norm(dim=-1, keepdim=True).clamp_min(1e-12)
        removal = removal / length
        k = k * (1 + (rate - 1) * w[p + "k_a"])
        r, decay, k, v, rate = map(split, (r, decay, k, v, rate))
        T, eye = x.shape[1], torch.eye(r.shape[-1]).double()
        # S is what the paper calls it transposed: rows are keys.
        transitions = [decay[:, t, :, :, None] * eye - (removal[:, t] * rate[:, t])[..., :, None] * removal[:, t][..., None, :] for t in range(T)]
        state, y = torch.zeros(*k.shape[:1], *k.shape[2:], v.shape[-1]).double(), []
        for t in range(T):
            state = transitions[t] @ state + k[:, t, :, :, None] * v[:, t, :, None, :]
            y.append((state * r[:, t, :, :, None]).sum(-2))
        y = torch.stack(y, 1)  # [B, T, H, P]
        eps = self.c["head_dim"] * self.c["norm_eps"]
        weight, bias = w[p + "g_norm.weight"].view(self.heads, -1), w[p + "g_norm.bias"].view(self.heads, -1)
        deviation = (y.var(-1, unbiased=False, keepdim=True) + eps).sqrt()
        bonus = (r * k * w[p + "r_k"]).sum(-1, True)
        z = ((y - y.mean(-1, True)) / deviation * weight + bias + bonus * v) * split(gate)
        matrix = torch.zeros(*r.shape[:1], self.heads, T, T).double()
        for s in range(T):
            column = k[:, s].unsqueeze(-1)
            for t in range(s, T):
                column = transitions[t] @ column if t > s else column
                matrix[:, :, t, s] = (r[:, t] * column.squeeze(-1)).sum(-1)
        own = (bonus * deviation / weight.square().mean(-1, True).sqrt()).squeeze(-1).transpose(1, 2)
        if cut is not None:
            z = z.clone()
            z[:, :, cut] = 0
        z = z.flatten(-2)
        seen.append((matrix, matrix + torch.diag_embed(own), z))
        return linear(z, w[p + "o_proj.weight"]), first_values

    def __call__(self, ids, cut=(-1, -1)):
        """Logits, the stream [L+1, B, T, D], and of each layer: matrix, matrix with the bonus, z."""
        x = self.w["model.embeddings.weight"][ids]
        if self.c["norm_first"]:
            x = self.norm(x, "model.layers.0.pre_norm")
        streams, seen, first_values = [x], [], None
        for layer in range(self.c["num_hidden_layers"]):
            p = f"model.layers.{layer}."
            out, first_values = self.time_mix(self.norm(x, p + "attn_norm"), p + "attn.", first_values, cut[1] if cut[0] == layer else None, seen)
            x = x + out
            n = self.norm(x, p + "ffn_norm")
            key = linear(n + (before(n) - n) * self.w[p + "ffn.x_k"], self.w[p + "ffn.key.weight"])
            x = x + linear(key.relu().square(), self.w[p + "ffn.value.weight"])
            streams.append(x)
        return linear(self.norm(x, "model.norm"), self.w["lm_head.weight"]), torch.stack(streams), seen


def draw_config(rng):
    dim = rng.choice([4, 8, 12])
    heads = rng.choice([1, 2, 3, 4])
    hidden = heads * dim
    wide = rng.choice([1, 1, 2])
    layers = rng.choice([1, 2, 3])
    inner = rng.choice([None, 20, 48])
    return {"model_type": "rwkv7", "vocab_size": rng.choice([50, 97]), "hidden_size": hidden, "head_dim": dim, "num_hidden_layers": layers,
            "value_dim": [hidden * wide] * layers, "intermediate_size": inner, "hidden_ratio": rng.choice([2, 3.5, 4]),
            "decay_low_rank_dim": rng.choice([3, 8]), "gate_low_rank_dim": rng.choice([4, 16]), "a_low_rank_dim": rng.choice([3, 8]),
            "v_low_rank_dim": rng.choice([2, 6]), "norm_first": rng.random() < 0.8, "norm_bias": rng.random() < 0.8,
            "norm_eps": rng.choice([1e-5, 1e-3]), "fuse_norm": rng.random() < 0.5, "hidden_act": "sqrelu", "attn": None, "tie_word_embeddings": False}


def draw_weights(c, seed):
    g = torch.Generator().manual_seed(seed)
    normal = lambda *shape, scale=1.0, centre=0.0: torch.randn(shape, generator=g) * scale + centre
    D, H, V = c["hidden_size"], c["hidden_size"] // c["head_dim"], c["vocab_size"]
    K, P = D, c["value_dim"][0] if c["value_dim"] else D
    inner = c["intermediate_size"] or math.ceil(int(D * c["hidden_ratio"]) / 32) * 32
    w = {"model.embeddings.weight": normal(V, D), "lm_head.weight": normal(V, D, scale=1.3 / math.sqrt(D))}

    def linear_map(name, out, width):
        w[name] = normal(out, width, scale=1.3 / math.sqrt(width))

    def norm(name, width, bias=True):
        w[name + ".weight"] = normal(width, scale=0.25, centre=1.0)
        if bias:
            w[name + ".bias"] = normal(width, scale=0.2)

    def low(name, out, rank, bias=True):
        linear_map(name + ".lora.0.weight", rank, D)
        linear_map(name + ".lora.2.weight", out, rank)
        if bias:
            w[name + ".lora.2.bias"] = normal(out, scale=0.7)

    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        if layer == 0 and c["norm_first"]:
            norm(p + "pre_norm", D, c["norm_bias"])
        norm(p + "attn_norm", D, c["norm_bias"])
        norm(p + "ffn_norm", D, c["norm_bias"])
        norm(p + "attn.g_norm", P)
        for part in "rwkvag":
            w[f"{p}attn.x_{part}"] = torch.rand(1, 1, D, generator=g)
        w[p + "ffn.x_k"] = torch.rand(D, generator=g)
        for part, out, width in (("r", K, D), ("k", K, D), ("v", P, D), ("o", D, P)):
            linear_map(f"{p}attn.{part}_proj.weight", out, width)
        low(p + "attn.w_lora", K, c["decay_low_rank_dim"])
        low(p + "attn.a_lora", K, c["a_low_rank_dim"])
        low(p + "attn.g_lora", P, c["gate_low_rank_dim"], False)
        if layer:
            low(p + "attn.v_lora", P, c["v_low_rank_dim"])
        w[p + "attn.k_k"] = normal(K, scale=0.3, centre=0.85)
        w[p + "attn.k_a"] = normal(K, scale=0.3, centre=1.0)
        w[p + "attn.r_k"] = normal(H, K // H, scale=0.5)
        linear_map(p + "ffn.key.weight", inner, D)
        linear_map(p + "ffn.value.weight", D, inner)
    norm("model.norm", D, c["norm_bias"])
    return {key: value.bfloat16() for key, value in w.items()}


def greedy(model, ids, close=1e-3):
    """None where two logits are close."""
    tokens = ids
    for _ in range(GREEDY):
        logits = model(tokens)[0][:, -1]
        best = logits.topk(2).values
        if (best[:, 0] - best[:, 1]).min() < close * logits.abs().max():
            return None
        tokens = torch.cat([tokens, logits.argmax(-1, keepdim=True)], 1)
    return tokens[:, -GREEDY:].contiguous()


def expected_of(model, ids, rng):
    logits, streams, seen = model(ids)
    expected = {"logits": logits, "resid": streams}
    for layer, (matrix, with_bonus, z) in enumerate(seen):
        expected |= {f"mat_nod.L{layer}": matrix, f"mat.L{layer}": with_bonus, f"z_ssm.L{layer}": z}
        head = rng.randrange(model.heads)
        expected[f"logits.ablate.L{layer}H{head}"] = model(ids, (layer, head))[0][:, -8:]
    tokens = greedy(model, ids)
    return expected if tokens is None else expected | {"greedy": tokens}


def off(key, actual, expected):
    actual = actual[:, -8:] if key.startswith("logits.") else actual
    if actual.shape != expected.shape:
        return math.inf
    if key == "greedy":
        return 0.0 if torch.equal(actual, expected) else math.inf
    worst = ((actual.double() - expected).abs().max() / expected.abs().max().clamp_min(1)).item()
    return worst if math.isfinite(worst) else math.inf


def compare(cli, folder, rng, seed):
    c = draw_config(rng)
    weights = draw_weights(c, seed)
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(c))
    ids = torch.randint(0, c["vocab_size"], (rng.choice([1, 2]), rng.choice([1, 2, 7, 16, 33, 70])), generator=torch.Generator().manual_seed(seed))
    save_file({"input_ids": ids}, folder / "tokens.safetensors")
    expected = expected_of(Rwkv7(c, weights), ids, rng)
    run = lambda *arguments: subprocess.run([cli, *map(str, arguments), "--device", "cpu", "--dtype", "fp32", "--quiet"], capture_output=True, text=True)
    done = run("dump", folder, "--tokens", folder / "tokens.safetensors", "--out", folder / "actual.safetensors", "--want", ",".join(expected))
    info = run("info", folder, "--json")
    if done.returncode or info.returncode:
        return {}, [f"{json.dumps(c)}: {done.stderr.strip()} {info.stderr.strip()}"]
    actual = load_file(folder / "actual.safetensors")
    worst, lines = {}, []
    for key, value in expected.items():
        found = off(key, actual[key], value)
        kind = "head" if "ablate" in key else key.split(".")[0]
        worst[kind] = max(worst.get(kind, 0.0), found)
        if not found <= 1e-4:
            lines.append(f"{json.dumps(c)} T={ids.shape[1]}: {key} off by {found:.2g}")
    if not json.loads(info.stdout)["self_test"]["passed"]:
        lines.append(f"{json.dumps(c)}: the self-test fails")
    return worst, lines


# The fields of RWKV7-Goose-World3's config.json by flash-linear-attention's converter and class, with small sizes.
GOLDEN = {"a_low_rank_dim": 6, "architectures": ["RWKV7ForCausalLM"], "attn": None, "attn_mode": "chunk", "bos_token_id": 1, "decay_low_rank_dim": 6,
          "eos_token_id": 2, "fuse_cross_entropy": True, "fuse_norm": False, "gate_low_rank_dim": 8, "head_dim": 8, "hidden_act": "sqrelu",
          "hidden_ratio": 4.0, "hidden_size": 24, "initializer_range": 0.006, "intermediate_size": 40, "max_position_embeddings": 2048,
          "model_type": "rwkv7", "norm_bias": True, "norm_eps": 1e-5, "norm_first": True, "num_heads": 3, "num_hidden_layers": 2,
          "tie_word_embeddings": False, "torch_dtype": "bfloat16", "use_cache": True, "v_low_rank_dim": 4, "value_dim": [24, 24], "vocab_size": 48}


def make_golden(folder):
    folder.mkdir(parents=True, exist_ok=True)
    weights = draw_weights(GOLDEN, 11)
    ids = torch.randint(1, GOLDEN["vocab_size"], (2, 14), generator=torch.Generator().manual_seed(7))
    expected = expected_of(Rwkv7(GOLDEN, weights), ids, random.Random(3))
    assert "greedy" in expected
    (folder / "config.json").write_text(json.dumps(GOLDEN, indent=1, sort_keys=True) + "\n")
    save_file(weights, folder / "model.safetensors")
    save_file({"input_ids": ids} | {key: value if key == "greedy" else value.float().contiguous() for key, value in expected.items()},
              folder / "expected.safetensors")
    print(sorted(expected), f"logits to {expected['logits'].abs().max():.1f}")


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli", nargs="?")
    parser.add_argument("--golden", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.golden:
        return make_golden(args.golden)
    worst, wrong = {}, 0
    for index in range(args.count):
        with tempfile.TemporaryDirectory() as folder:
            found, lines = compare(args.cli, pathlib.Path(folder), random.Random(f"{args.seed} {index}"), 1000 * args.seed + index)
        for line in lines:
            print(line)
        wrong += bool(lines)
        worst = {key: max(found.get(key, 0.0), worst.get(key, 0.0)) for key in worst | found}
    print(f"rwkv7: {args.count - wrong} of {args.count} agree;", ", ".join(f"{key} {value:.1e}" for key, value in worst.items()))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
