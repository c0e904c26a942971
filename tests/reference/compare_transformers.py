#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare headscope-cli with transformers on random models of every family that both have, with random options.

tests/data/golden/hub, which the tests run, holds one model a family, with the fields of a real config.json and one drawing of weights (by
tests/support/makefamilies.py, whose functions are used here too), and tests/data/variants some with other options; this goes on where they end,
with other sizes, switches, weights and tokens each time. In a virtual environment with `pip install transformers==5.23.0 torch==2.11.0`:

    python tests/reference/compare_transformers.py build/release/app/headscope-cli [--count N] [--seed S] [--family NAME,...] [--bare] [--keep DIR]

Compared are the logits, the attention patterns, the logits without a head of each mixer and without an expert, and greedy tokens where no two
logits are close; and the program's own self-test is asked whether each recurrent mixer's matrix equals its recurrence. A configuration that
transformers itself cannot build is drawn again. Prints a line a family: models that agree, and the largest differences (of logits as a
part of the largest one); models that the program refuses, with its sentences. Models that differ by more than 1e-4 are printed with their
options (and kept in DIR); the exit status is then 1.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from makefamilies import GREEDY, gain_of, patterns_of, randomize, saved, with_one_alibi, without_expert, without_head  # noqa: E402

rng = random.Random()
pick = rng.choice
TRUTH = [True, False]


def factor():
    return round(rng.uniform(0.3, 1.5), 3)


def factors(count):
    return [factor() for _ in range(count)]


def rope(**more):
    kind = pick(["default", "default", "linear", "dynamic", "llama3", "yarn"])
    r = {"rope_type": kind, "rope_theta": pick([1e3, 1e4, 5e5])}
    if kind != "default":
        r["factor"] = pick([2.0, 4.0, 8.0])
    if kind == "llama3":
        r |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": pick([16, 32, 64])}
    if kind == "yarn":
        r["original_max_position_embeddings"] = pick([16, 32])
        for key, values in {"beta_fast": [32.0, 16.0], "beta_slow": [1.0, 2.0], "attention_factor": [1.0, 1.3], "mscale": [1.0, 0.7],
                            "mscale_all_dim": [1.0, 0.5], "truncate": [False]}.items():
            if rng.random() < 0.3:
                r[key] = pick(values)
    return r | more


def base(layers=(1, 2, 3), head_dims=(4, 6, 8, 12, 16)):
    """Width, heads and the rest that most configurations share."""
    kv, dim = pick([1, 2, 3]), pick(head_dims)
    heads = kv * pick([1, 2, 3])
    return {"vocab_size": pick([50, 97]), "hidden_size": heads * pick([4, 6, 8, 12]), "intermediate_size": pick([20, 48]),
            "num_hidden_layers": pick(layers), "num_attention_heads": heads, "num_key_value_heads": kv, "head_dim": dim,
            "max_position_embeddings": pick([16, 64, 128]), "rms_norm_eps": pick([1e-5, 1e-3]), "tie_word_embeddings": pick(TRUTH)}


def llama_like(**more):
    return base() | {"hidden_act": pick(["silu", "gelu", "gelu_pytorch_tanh", "relu"]), "rope_parameters": rope()} | more


def windows():
    return {"use_sliding_window": pick(TRUTH), "sliding_window": pick([3, 8]), "max_window_layers": pick([0, 1, 2])}


def square(c):
    """The same without a head_dim of its own."""
    return {key: value for key, value in c.items() if key != "head_dim"} | {"hidden_size": c["num_attention_heads"] * pick([8, 16])}


def gpt2():
    heads = pick([1, 2, 3, 4])
    return {"vocab_size": pick([50, 97]), "n_positions": pick([64, 128]), "n_embd": heads * pick([4, 6, 8]), "n_layer": pick([1, 2, 3]),
            "n_head": heads, "n_inner": pick([None, 20, 64]), "activation_function": pick(["gelu_new", "gelu", "relu", "silu"]),
            "layer_norm_epsilon": pick([1e-5, 1e-3]), "scale_attn_weights": pick(TRUTH), "scale_attn_by_inverse_layer_idx": pick(TRUTH),
            "tie_word_embeddings": pick(TRUTH)}


def parallel(shares, **more):
    """GPT-NeoX and Phi: heads that rotate in part."""
    heads = pick([1, 2, 3, 4])
    return {"vocab_size": pick([50, 97]), "hidden_size": heads * pick([8, 16]), "num_hidden_layers": pick([1, 2, 3]),
            "num_attention_heads": heads, "intermediate_size": pick([20, 64]), "hidden_act": pick(["gelu", "gelu_new", "relu"]),
            "max_position_embeddings": 128, "layer_norm_eps": pick([1e-5, 1e-3]), "tie_word_embeddings": pick(TRUTH),
            "rope_parameters": rope(partial_rotary_factor=pick(shares))} | more


def mamba(**more):
    return {"vocab_size": pick([50, 97]), "hidden_size": pick([16, 24]), "state_size": pick([1, 4, 16]), "num_hidden_layers": pick([1, 2, 3]),
            "expand": pick([1, 2, 3]), "conv_kernel": pick([2, 3, 4]), "use_bias": pick(TRUTH), "use_conv_bias": pick(TRUTH),
            "time_step_rank": pick(["auto", 1, 3]), "layer_norm_epsilon": pick([1e-5, 1e-3]), "residual_in_fp32": pick(TRUTH),
            "tie_word_embeddings": pick(TRUTH), "hidden_act": pick(["silu", "gelu"])} | more


def mamba2():
    groups, dim = pick([1, 2, 3]), pick([4, 8])
    heads = groups * pick([1, 2])
    return {"vocab_size": pick([50, 97]), "hidden_size": heads * dim // 2, "num_heads": heads, "head_dim": dim, "expand": 2, "n_groups": groups,
            "state_size": pick([2, 8, 16]), "num_hidden_layers": pick([1, 2, 3]), "conv_kernel": pick([2, 4]), "use_bias": pick(TRUTH),
            "use_conv_bias": pick(TRUTH), "chunk_size": pick([4, 16, 256]), "time_step_limit": pick([[0.0, math.inf], [0.01, 0.3]]),
            "layer_norm_epsilon": pick([1e-5, 1e-3]), "residual_in_fp32": pick(TRUTH), "tie_word_embeddings": pick(TRUTH)}


def zamba2():
    heads, dim, groups, count = pick([2, 4]), pick([8, 16]), pick([1, 2]), pick([3, 5, 6])
    width, mamba_heads = heads * dim // 2, groups * pick([1, 2])
    hybrids = [i for i in range(count) if rng.random() < 0.4] or [1]
    # Tied: transformers shares no blocks in a model whose embedding is untied.
    return {"vocab_size": pick([50, 97]), "hidden_size": width, "num_hidden_layers": count, "tie_word_embeddings": True,
            "layers_block_type": ["hybrid" if i in hybrids else "mamba" for i in range(count)], "mamba_d_state": pick([4, 8]),
            "mamba_d_conv": pick([2, 4]), "mamba_expand": 2, "mamba_ngroups": groups, "n_mamba_heads": mamba_heads,
            "mamba_headdim": 2 * width // mamba_heads, "num_attention_heads": heads, "num_key_value_heads": heads,
            "attention_hidden_size": 2 * width, "attention_head_dim": dim, "intermediate_size": pick([20, 32]), "num_mem_blocks": pick([1, 2]),
            "use_shared_attention_adapter": pick(TRUTH), "adapter_rank": pick([2, 4]), "use_mem_rope": pick(TRUTH),
            "use_conv_bias": pick(TRUTH), "chunk_size": pick([4, 16]), "rms_norm_eps": pick([1e-5, 1e-3]), "max_position_embeddings": 128,
            "use_long_context": False, "add_bias_linear": pick(TRUTH)}


def zamba():
    groups, count, heads = pick([1, 2, 3]), pick([3, 5, 6]), pick([1, 2, 4])
    width = groups * heads * pick([4, 8])
    return {"vocab_size": pick([50, 97]), "hidden_size": width, "num_hidden_layers": count, "tie_word_embeddings": True,
            "attn_layer_period": pick([2, 3]), "attn_layer_offset": pick([0, 1]), "n_mamba_heads": groups, "mamba_d_state": pick([1, 4, 16]),
            "mamba_d_conv": pick([2, 4]), "mamba_expand": pick([1, 2]), "mamba_dt_rank": pick(["auto", 3]), "mamba_conv_bias": pick(TRUTH),
            "mamba_proj_bias": pick(TRUTH), "num_attention_heads": heads, "num_key_value_heads": pick([heads, 1]), "intermediate_size": pick([20, 32]),
            "hidden_act": pick(["gelu", "silu"]), "rms_norm_eps": pick([1e-5, 1e-3]), "max_position_embeddings": 128, "use_mamba_kernels": False}


def bamba_mixer(width, free=False):
    groups, dim = pick([1, 2]), pick([4, 8])
    heads = groups * pick([1, 2, 3])
    while not free and 2 * width % heads:
        heads -= groups
    shape = {"mamba_d_ssm": heads * dim, "mamba_d_head": dim} if free else {"mamba_d_head": 2 * width // heads, "mamba_expand": 2}
    return shape | {"mamba_n_heads": heads, "mamba_n_groups": groups, "mamba_d_state": pick([4, 8]), "mamba_d_conv": pick([2, 4]),
                    "mamba_chunk_size": pick([4, 16]), "mamba_conv_bias": pick(TRUTH), "mamba_proj_bias": pick(TRUTH)}


def bamba():
    c = square(base((2, 3, 4)))
    layers = range(c["num_hidden_layers"])
    return c | bamba_mixer(c["hidden_size"]) | {
        "attn_layer_indices": sorted(rng.sample(layers, pick([0, 1, 2]))), "attention_bias": pick(TRUTH), "mlp_bias": pick(TRUTH),
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": pick([0.5, 1.0])}}


def falcon_h1():
    c = base(head_dims=(8, 16))
    return c | bamba_mixer(c["hidden_size"], free=True) | {
        "mamba_norm_before_gate": pick(TRUTH), "mamba_rms_norm": pick(TRUTH), "projectors_bias": pick(TRUTH), "attention_bias": pick(TRUTH),
        "mlp_bias": pick(TRUTH), "lm_head_multiplier": factor(), "embedding_multiplier": factor(), "mlp_multipliers": factors(2),
        "key_multiplier": factor(), "attention_in_multiplier": factor(), "attention_out_multiplier": factor(), "ssm_multipliers": factors(5),
        "ssm_in_multiplier": factor(), "ssm_out_multiplier": factor(), "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}}


def jamba():
    c, period, experts = square(base((2, 3, 4))), pick([2, 3]), pick([1, 2, 3])
    return c | {"attn_layer_period": period, "attn_layer_offset": rng.randrange(period), "expert_layer_period": experts,
                "expert_layer_offset": rng.randrange(experts), "num_experts": pick([1, 1, 4]), "num_experts_per_tok": pick([1, 2]),
                "mamba_d_state": pick([4, 8]), "mamba_d_conv": pick([2, 4]), "mamba_expand": 2, "mamba_dt_rank": pick(["auto", 3]),
                "mamba_conv_bias": pick(TRUTH), "mamba_proj_bias": pick(TRUTH), "use_mamba_kernels": False}


def granite():
    c = square(base((2, 3)))
    return c | bamba_mixer(c["hidden_size"]) | {
        "layer_types": [pick(["mamba", "attention"]) for _ in range(c["num_hidden_layers"])], "shared_intermediate_size": pick([20, 40]),
        "num_local_experts": pick([0, 0, 4]), "num_experts_per_tok": pick([1, 2]), "embedding_multiplier": factor(), "logits_scaling": factor(),
        "residual_multiplier": factor(), "attention_multiplier": factor(), "position_embedding_type": pick(["rope", None]),
        "attention_bias": pick(TRUTH)}


def qwen3_next():
    c, keys = base((1, 2, 4), (8, 16)), pick([1, 2])
    return c | {"layer_types": [pick(["linear_attention", "full_attention"]) for _ in range(c["num_hidden_layers"])],
                "linear_conv_kernel_dim": pick([2, 4]), "linear_key_head_dim": pick([4, 8]), "linear_value_head_dim": pick([4, 8]),
                "linear_num_key_heads": keys, "linear_num_value_heads": keys * pick([1, 2, 3]), "num_experts": pick([0, 0, 4]),
                "num_experts_per_tok": pick([1, 2]), "moe_intermediate_size": 12, "shared_expert_intermediate_size": 12,
                "attention_bias": pick(TRUTH), "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": pick([0.25, 0.5, 1.0])}}


def kinds(c):
    return [pick(["sliding_attention", "full_attention"]) for _ in range(c["num_hidden_layers"])]


def kinds_of_rope():
    return {"sliding_attention": {"rope_type": "default", "rope_theta": pick([1e3, 1e4])}, "full_attention": rope()}


def gemma3():
    c = llama_like(query_pre_attn_scalar=pick([8, 16]), sliding_window=pick([3, 8]), final_logit_softcapping=pick([None, 3.0]),
                   attention_bias=pick(TRUTH), hidden_activation=pick(["gelu_pytorch_tanh", "gelu"]), pad_token_id=0, rope_parameters=kinds_of_rope())
    return c | {"layer_types": kinds(c), "hidden_size": c["num_attention_heads"] * pick([8, 16])}


def smollm3():
    c = square(llama_like(attention_bias=pick(TRUTH), mlp_bias=pick(TRUTH), pad_token_id=0, sliding_window=pick([None, 4]),
                          use_sliding_window=pick(TRUTH)))
    return c | {"no_rope_layers": [pick([0, 1]) for _ in range(c["num_hidden_layers"])]}


def olmo(third):
    c = square(llama_like(attention_bias=pick(TRUTH)))
    return c | ({"layer_types": kinds(c), "sliding_window": pick([3, 8]), "rope_parameters": kinds_of_rope()} if third else {})


def phi3():
    c = square(llama_like(sliding_window=pick([None, 5]), pad_token_id=0, original_max_position_embeddings=pick([8, 16])))
    share, dim = pick([0.5, 1.0]), c["hidden_size"] // c["num_attention_heads"]
    r = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": share}
    if pick(TRUTH):
        count = int(dim * share) // 2
        r |= {"rope_type": "longrope", "short_factor": factors(count), "long_factor": [1 + 5 * f for f in factors(count)],
              "original_max_position_embeddings": c["original_max_position_embeddings"]}
    return c | {"rope_parameters": r, "max_position_embeddings": 64}


def stablelm():
    c = square(llama_like(layer_norm_eps=pick([1e-5, 1e-3]), qk_layernorm=pick(TRUTH), use_qkv_bias=pick(TRUTH), use_parallel_residual=pick(TRUTH)))
    return c | {"rope_parameters": rope(partial_rotary_factor=pick([0.25, 0.5, 1.0]))}


def cohere(second):
    c = square(llama_like(layer_norm_eps=pick([1e-5, 1e-3]), logit_scale=factor(), attention_bias=pick(TRUTH), pad_token_id=0))
    return c | ({"layer_types": kinds(c), "sliding_window": pick([3, 8])} if second else {"use_qk_norm": pick(TRUTH)})


def glm():
    return llama_like(attention_bias=pick(TRUTH), pad_token_id=0, head_dim=pick([8, 16]), eos_token_id=[1],
                      rope_parameters=rope(partial_rotary_factor=pick([0.5, 1.0])))


def multipliers():
    return {"embedding_multiplier": factor(), "logits_scaling": factor(), "residual_multiplier": factor(), "attention_multiplier": factor()}


def falcon(shares=(1, 2, 3), dims=(8, 16)):
    groups = pick([1, 2])
    heads = groups * pick(shares)
    return {"vocab_size": pick([50, 97]), "hidden_size": heads * pick(dims), "num_hidden_layers": pick([1, 2, 3]), "num_attention_heads": heads,
            "num_kv_heads": groups, "new_decoder_architecture": pick(TRUTH), "multi_query": pick(TRUTH), "parallel_attn": pick(TRUTH),
            "bias": pick(TRUTH), "layer_norm_epsilon": pick([1e-5, 1e-3]), "num_ln_in_parallel_attn": pick([None, 1, 2]),
            "ffn_hidden_size": pick([20, 64]), "tie_word_embeddings": pick(TRUTH), "rope_parameters": rope()}


def opt():
    heads = pick([1, 2, 3])
    return {"vocab_size": pick([50, 97]), "hidden_size": heads * pick([4, 8]), "num_hidden_layers": pick([1, 2, 3]), "num_attention_heads": heads,
            "ffn_dim": pick([20, 64]), "max_position_embeddings": 128, "activation_function": pick(["relu", "gelu"]), "enable_bias": pick(TRUTH),
            "tie_word_embeddings": pick(TRUTH), "pad_token_id": 1, "do_layer_norm_before": pick(TRUTH), "word_embed_proj_dim": pick([heads * 4, 6])}


def bloom():
    heads = pick([1, 2, 3, 6, 7, 12, 16])
    return {"vocab_size": pick([50, 97]), "hidden_size": heads * pick([2, 4]), "n_layer": pick([1, 2, 3]), "n_head": heads,
            "layer_norm_epsilon": pick([1e-5, 1e-3]), "tie_word_embeddings": pick(TRUTH)}


def mpt():
    heads = pick([1, 2, 3, 6, 7, 12, 16])
    return {"vocab_size": pick([50, 97]), "d_model": heads * pick([2, 4]), "n_layers": pick([1, 2, 3]), "n_heads": heads, "max_seq_len": 64,
            "layer_norm_epsilon": pick([1e-5, 1e-3]), "attn_config": {"softmax_scale": pick([None, 0.4])}}


def starcoder2():
    return square(llama_like(norm_epsilon=pick([1e-5, 1e-3]), use_bias=pick(TRUTH), sliding_window=pick([None, 3, 8])))


def chosen():
    count = pick([2, 4, 5])
    return {"num_experts_per_tok": pick([1, 2]), "num_experts": count}


def local_experts(**more):
    return square(llama_like(num_local_experts=pick([2, 4, 5]), num_experts_per_tok=pick([1, 2]))) | more


def qwen_moe(**more):
    c = llama_like(moe_intermediate_size=pick([8, 12]), norm_topk_prob=pick(TRUTH), decoder_sparse_step=pick([1, 1, 2]),
                   mlp_only_layers=pick([[], [0]]), **chosen())
    return c | windows() | more


def gpt_oss():
    c = llama_like(attention_bias=pick(TRUTH), num_local_experts=pick([2, 4]), num_experts_per_tok=pick([1, 2]), sliding_window=pick([3, 8]))
    return c | {"layer_types": kinds(c)}


def deepseek(third):
    heads, groups = pick([1, 2, 4]), pick([1, 2])
    c = base((1, 2, 3)) | {
        "hidden_size": heads * 8, "num_attention_heads": heads, "num_key_value_heads": heads, "kv_lora_rank": pick([4, 8]), "q_lora_rank": pick([None, 6]),
        "qk_rope_head_dim": pick([2, 4]), "qk_nope_head_dim": pick([4, 6]), "v_head_dim": pick([3, 6]), "n_routed_experts": groups * pick([2, 4]),
        "n_shared_experts": pick([1, 2]), "moe_intermediate_size": pick([8, 12]), "num_experts_per_tok": pick([1, 2]), "n_group": groups,
        "topk_group": 1, "first_k_dense_replace": pick([0, 1]), "routed_scaling_factor": factor(), "attention_bias": pick(TRUTH),
        "rope_parameters": rope()}
    c |= {"norm_topk_prob": pick(TRUTH), "rope_interleave": pick(TRUTH)} if third else {"topk_method": pick(["greedy", "group_limited_greedy"])}
    return {key: value for key, value in c.items() if key != "head_dim"}


def qwen3_5():
    return {key: value for key, value in qwen3_next().items() if not key.startswith(("num_experts", "moe", "shared"))}


def lfm2(experts):
    c = square(base((2, 3, 4)) | {"norm_eps": pick([1e-5, 1e-3]), "conv_bias": pick(TRUTH), "conv_L_cache": pick([2, 3, 4]),
                                  "rope_parameters": rope(), "eos_token_id": 7})
    c |= {"layer_types": [pick(["conv", "full_attention"]) for _ in range(c["num_hidden_layers"])]}
    if experts:
        return c | chosen() | {"moe_intermediate_size": pick([8, 12]), "num_dense_layers": pick([0, 1]), "use_expert_bias": pick(TRUTH),
                               "norm_topk_prob": pick(TRUTH), "routed_scaling_factor": factor()}
    return c | {"block_multiple_of": pick([8, 16]), "block_ffn_dim_multiplier": pick([1.0, 1.3]), "block_auto_adjust_ff_dim": pick(TRUTH)}


def nemotron_h():
    c, groups = base((2, 3, 4, 5), (8, 12)), pick([1, 2])
    parts = [rng.choice("MM*-E") for _ in range(c["num_hidden_layers"])]
    return c | {
        "hybrid_override_pattern": "".join(parts), "mamba_num_heads": groups * pick([1, 2, 3]), "mamba_head_dim": pick([4, 6]), "n_groups": groups,
        "ssm_state_size": pick([4, 8]), "conv_kernel": pick([2, 4]), "chunk_size": pick([4, 128]), "use_conv_bias": pick(TRUTH),
        "use_bias": pick(TRUTH), "mamba_proj_bias": pick(TRUTH), "mlp_bias": pick(TRUTH), "attention_bias": pick(TRUTH),
        "mlp_hidden_act": pick(["relu2", "silu"]), "layer_norm_epsilon": pick([1e-5, 1e-3]), "time_step_limit": pick([[0.0, math.inf], [0.01, 0.3]]),
        "residual_in_fp32": pick(TRUTH), "n_routed_experts": 4, "num_experts_per_tok": pick([1, 2]), "n_group": pick([1, 2]), "topk_group": 1,
        "moe_intermediate_size": pick([8, 12]), "moe_shared_expert_intermediate_size": pick([8, 16]), "moe_latent_size": pick([None, 8]),
        "norm_topk_prob": pick(TRUTH), "routed_scaling_factor": factor()}


def recurrent_gemma():
    groups, dim = pick([1, 2]), pick([4, 8, 12])
    heads = groups * pick([1, 2, 3])
    return {"vocab_size": pick([50, 97]), "hidden_size": heads * dim, "intermediate_size": pick([20, 48]), "num_hidden_layers": pick([2, 3, 4]),
            "num_attention_heads": heads, "num_key_value_heads": groups, "lru_width": heads * pick([2, 4, 6]), "attention_window_size": pick([3, 8, 64]),
            "conv1d_width": pick([2, 4]), "logits_soft_cap": pick([5.0, 30.0]), "rms_norm_eps": pick([1e-6, 1e-3]),
            "hidden_activation": pick(["gelu_pytorch_tanh", "silu"]), "attention_bias": pick(TRUTH), "block_types": pick([
                ["recurrent", "recurrent", "attention"], ["attention", "recurrent"], ["recurrent"]]),
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": pick([0.5, 1.0])}}


def minimax():
    c = local_experts(sliding_window=None, block_size=pick([4, 8, 256]))
    c |= {f"{part}_{which}_factor": factor() for part in ["full_attn", "linear_attn", "mlp"] for which in ["alpha", "beta"]}
    c["rope_parameters"] |= {"partial_rotary_factor": pick([0.5, 1.0])}
    return c | {"head_dim": pick([8, 16]), "layer_types": [pick(["linear_attention", "full_attention"]) for _ in range(c["num_hidden_layers"])]}


def olmo_hybrid():
    c, keys = square(base((2, 3, 4))), pick([1, 2])
    return c | {"layer_types": [pick(["linear_attention", "full_attention"]) for _ in range(c["num_hidden_layers"])], "attention_bias": pick(TRUTH),
                "linear_conv_kernel_dim": pick([2, 4]), "linear_key_head_dim": pick([4, 6]), "linear_value_head_dim": pick([4, 8]),
                "linear_num_key_heads": keys, "linear_num_value_heads": keys * pick([1, 2]), "linear_allow_neg_eigval": pick(TRUTH),
                "pad_token_id": 0, "rope_parameters": pick([{"rope_theta": None, "rope_type": "default"}, {"rope_theta": 1e4, "rope_type": "default"}])}


def gemma4():
    c = base((2, 3, 4, 6), (4, 8))
    experts, own, narrow = pick(TRUTH), pick(TRUTH), pick([0, 4])
    c |= {"hidden_activation": pick(["gelu_pytorch_tanh", "silu"]), "attention_bias": pick(TRUTH), "attention_k_eq_v": own, "global_head_dim": pick([8, 12]),
          "num_global_key_value_heads": pick([None, 1]), "final_logit_softcapping": pick([None, 10.0]), "sliding_window": pick([3, 8]),
          "hidden_size_per_layer_input": narrow, "vocab_size_per_layer_input": c["vocab_size"], "enable_moe_block": experts,
          "num_kv_shared_layers": pick([0, 1, 2]) if narrow else 0, "use_double_wide_mlp": pick(TRUTH), "pad_token_id": 0, "rope_parameters": {
              "full_attention": {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": pick([0.25, 0.5, 1.0])},
              "sliding_attention": {"rope_type": "default", "rope_theta": pick([1e3, 1e4])}}}
    if experts:
        c |= {"num_experts": 4, "top_k_experts": pick([1, 2]), "moe_intermediate_size": pick([8, 12])}
    return c | {"layer_types": kinds(c)[:-1] + ["full_attention"]}


def gemma3n():
    c = base((2, 3, 4, 6), (4, 8))
    layers, streams, kind = c["num_hidden_layers"], pick([1, 2, 4]), pick([["sliding_attention", "full_attention"], ["full_attention"]])
    shared = pick([0, 1, 2]) if layers > 3 or len(kind) == 1 and layers > 2 else 0
    return c | {"hidden_activation": pick(["gelu_pytorch_tanh", "silu"]), "attention_bias": pick(TRUTH), "final_logit_softcapping": pick([30.0, 10.0]),
                "sliding_window": pick([3, 8]), "hidden_size_per_layer_input": pick([3, 4]), "vocab_size_per_layer_input": c["vocab_size"] - pick([0, 9]),
                "num_kv_shared_layers": shared, "altup_num_inputs": streams, "altup_active_idx": rng.randrange(streams),
                "altup_correct_scale": pick(TRUTH), "laurel_rank": pick([2, 5]), "pad_token_id": 0,
                "activation_sparsity_pattern": [pick([0.0, 0.5, 0.95]) for _ in range(layers)],
                "intermediate_size": pick([20, [pick([12, 20]) for _ in range(layers)]]), "rope_parameters": {
                    "full_attention": {"rope_type": "default", "rope_theta": 1e6}, "sliding_attention": {"rope_type": "default", "rope_theta": pick([1e3, 1e4])}},
                "layer_types": [kind[layer % len(kind)] for layer in range(layers)]}


def kimi_linear():
    heads, c = pick([1, 2, 4]), base((2, 3, 4))
    full = [layer for layer in range(1, c["num_hidden_layers"] + 1) if pick(TRUTH)]
    return c | {
        "hidden_size": heads * 8, "num_attention_heads": heads, "num_key_value_heads": heads, "kv_lora_rank": pick([4, 8]), "q_lora_rank": None,
        "qk_rope_head_dim": pick([2, 4]), "qk_nope_head_dim": pick([4, 6]), "v_head_dim": pick([3, 6]), "first_k_dense_replace": pick([0, 1]),
        "linear_attn_config": {"full_attn_layers": full, "kda_layers": [layer + 1 for layer in range(c["num_hidden_layers"]) if layer + 1 not in full],
                               "head_dim": pick([4, 6]), "num_heads": pick([1, 2, 4]), "short_conv_kernel_size": pick([2, 4])},
        "mla_use_nope": True, "moe_intermediate_size": pick([8, 12]), "num_experts": 4, "num_experts_per_token": pick([1, 2]), "num_shared_experts": pick([1, 2]),
        "num_expert_group": pick([1, 2]), "topk_group": 1, "moe_renormalize": pick(TRUTH), "routed_scaling_factor": factor(), "pad_token_id": 0}


def xlstm():
    heads = pick([1, 2, 3, 4])
    return {"vocab_size": pick([50, 97]), "hidden_size": heads * pick([4, 8, 12]), "num_hidden_layers": pick([1, 2, 3]), "num_heads": heads,
            "qk_dim_factor": pick([0.5, 1.0]), "v_dim_factor": pick([0.5, 1.0, 2.0]), "ffn_proj_factor": pick([1.5, 2.667]),
            "ffn_round_up_to_multiple_of": pick([8, 64]), "gate_soft_cap": pick([2.0, 15.0]), "output_logit_soft_cap": pick([3.0, 30.0]),
            "chunk_size": pick([4, 16, 64]), "norm_eps": pick([1e-6, 1e-3]), "eps": pick([1e-6, 1e-2]), "tie_word_embeddings": False}


def helium():
    c = llama_like(attention_bias=pick(TRUTH), mlp_bias=pick(TRUTH))
    return c | {"hidden_size": c["num_attention_heads"] * c["head_dim"]}


def exaone4():
    c = llama_like(sliding_window=pick([None, 3, 8]), sliding_window_pattern=pick([2, 3, 4]))
    if c["sliding_window"] is None:
        return c | {"layer_types": ["full_attention"] * c["num_hidden_layers"]}
    return c | ({"layer_types": kinds(c)} if pick(TRUTH) else {})


def gpt2_relative(heads=(1, 2, 3, 4), **more):
    heads = pick(heads)
    return {"vocab_size": pick([50, 97]), "n_positions": pick([64, 128]), "n_embd": heads * pick([4, 8, 12]), "n_layer": pick([1, 2, 3]), "n_head": heads,
            "n_inner": pick([None, 20, 64]), "activation_function": pick(["gelu_new", "gelu", "relu"]), "layer_norm_epsilon": pick([1e-5, 1e-3]),
            "tie_word_embeddings": pick(TRUTH)} | more


def gpt_neo():
    heads, layers = pick([1, 2, 3]), pick([1, 2, 3, 4])
    types = pick([[[["global"], layers]], [[["local"], layers]], [[["local", "global"], layers // 2], [["local"], layers % 2]]])
    return {"vocab_size": pick([50, 97]), "max_position_embeddings": pick([64, 128]), "hidden_size": heads * pick([4, 8]), "num_layers": layers,
            "num_heads": heads, "intermediate_size": pick([None, 20]), "window_size": pick([3, 8, 256]), "attention_types": types,
            "activation_function": pick(["gelu_new", "gelu", "relu"]), "layer_norm_epsilon": pick([1e-5, 1e-3]), "tie_word_embeddings": pick(TRUTH)}


def hunyuan():
    c = llama_like(attention_bias=pick(TRUTH))
    alpha = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 1.0, "alpha": pick([10.0, 1000.0])}
    return c | ({"rope_parameters": alpha} if pick(TRUTH) else {})


def grouped(c, **more):
    groups = pick([1, 2])
    return c | {"n_routed_experts": groups * pick([2, 4]), "n_shared_experts": pick([1, 2]), "moe_intermediate_size": pick([8, 12]),
                "num_experts_per_tok": pick([1, 2]), "n_group": groups, "topk_group": 1, "first_k_dense_replace": pick([0, 1]),
                "routed_scaling_factor": factor(), "norm_topk_prob": pick(TRUTH), "attention_bias": pick(TRUTH)} | more


def dots1():
    c = grouped(llama_like(sliding_window=pick([None, 3, 8])))
    if c["sliding_window"] is None:
        return c
    return c | pick([{"layer_types": kinds(c)}, {"max_window_layers": pick([0, 1, 2])}])


def ernie_moe():
    c = square(llama_like(use_bias=pick(TRUTH), moe_k=pick([1, 2]), moe_num_experts=pick([2, 4, 5]), moe_intermediate_size=pick([8, 12]),
                          moe_num_shared_experts=pick([0, 1, 2]), moe_layer_start_index=pick([0, 1]), moe_layer_end_index=pick([-1, 1]),
                          moe_layer_interval=pick([1, 2]), moe_norm_min=pick([1e-12, 0.4])))
    return c


def minimax_m2():
    c = llama_like(num_local_experts=pick([2, 4, 5]), num_experts_per_tok=pick([1, 2]), head_dim=pick([8, 16]))
    if pick(TRUTH):
        return c | {"rotary_dim": c["head_dim"] // 2, "rope_theta": 1e4, "rope_parameters": None}
    return c | {"rope_parameters": rope(partial_rotary_factor=pick([0.25, 0.5, 1.0]))}


def deepseek_v32():
    c = deepseek(True)
    del c["rope_interleave"]
    c |= {"q_lora_rank": pick([4, 6]), "max_position_embeddings": pick([64, 128]), "index_topk": pick([64, 2048]), "index_head_dim": pick([8, 12]), "index_n_heads": pick([1, 2])}
    return c | ({"mlp_layer_types": [pick(["dense", "sparse"]) for _ in range(c["num_hidden_layers"])]} if pick(TRUTH) else {})


def llama4():
    c = llama_like(intermediate_size_mlp=pick([20, 48]), num_local_experts=pick([2, 4]), num_experts_per_tok=pick([1, 2]),
                   interleave_moe_layer_step=pick([1, 2]), use_qk_norm=pick(TRUTH), attention_bias=pick(TRUTH), attn_temperature_tuning=pick(TRUTH),
                   max_position_embeddings=pick([64, 128]), attention_chunk_size=pick([64, 8192]), floor_scale=pick([64, 8192]), attn_scale=factor(), head_dim=pick([4, 8, 16]))
    c |= {} if pick(TRUTH) else {"no_rope_layers": [pick([0, 1]) for _ in range(c["num_hidden_layers"])]}
    return c | ({} if pick(TRUTH) else {"moe_layers": [i for i in range(c["num_hidden_layers"]) if pick(TRUTH)]})


FAMILIES = {
    "llama": lambda: llama_like(attention_bias=pick(TRUTH), mlp_bias=pick(TRUTH)),
    "mistral": lambda: llama_like(sliding_window=pick([None, 3, 8, 20])),
    "qwen2": lambda: square(llama_like()) | windows(),
    "qwen3": lambda: llama_like(attention_bias=pick(TRUTH)) | windows(),
    "gemma2": lambda: llama_like(query_pre_attn_scalar=pick([8, 16, 30]), sliding_window=pick([3, 8]), attn_logit_softcapping=pick([None, 2.0, 50.0]),
                                 final_logit_softcapping=pick([None, 3.0]), attention_bias=pick(TRUTH), hidden_activation=pick(["gelu_pytorch_tanh", "gelu"])),
    "gpt2": gpt2,
    "gpt_neox": lambda: parallel([0.25, 0.5, 1.0], use_parallel_residual=pick(TRUTH), attention_bias=pick(TRUTH)),
    "phi": lambda: parallel([0.5, 1.0], qk_layernorm=pick(TRUTH)),
    "mamba": mamba,
    "falcon_mamba": lambda: mamba(mixer_rms_eps=pick([1e-6, 1e-3])),
    "mamba2": mamba2,
    "zamba": zamba,
    "zamba2": zamba2,
    "bamba": bamba,
    "falcon_h1": falcon_h1,
    "jamba": jamba,
    "granitemoehybrid": granite,
    "qwen3_next": qwen3_next,
    "qwen3_5_text": qwen3_5,
    "qwen3_5_moe_text": lambda: qwen3_next() | {"num_experts": 4},
    "gemma3_text": gemma3,
    "smollm3": smollm3,
    "olmo2": lambda: olmo(False),
    "olmo3": lambda: olmo(True),
    "phi3": phi3,
    "stablelm": stablelm,
    "cohere": lambda: cohere(False),
    "cohere2": lambda: cohere(True),
    "glm": glm,
    "glm4": glm,
    "granite": lambda: square(llama_like(attention_bias=pick(TRUTH), mlp_bias=pick(TRUTH))) | multipliers(),
    "falcon": falcon,
    "falcon_alibi": lambda: falcon((1, 3, 6, 7, 11, 16), (2, 4)) | {"alibi": True},
    "bloom": bloom,
    "mpt": mpt,
    "opt": opt,
    "starcoder2": starcoder2,
    "arcee": lambda: llama_like(attention_bias=pick(TRUTH), mlp_bias=pick(TRUTH), hidden_act=pick(["relu2", "silu", "gelu"])),
    "seed_oss": lambda: llama_like(attention_bias=pick(TRUTH), attention_out_bias=pick(TRUTH), mlp_bias=pick(TRUTH)),
    "ernie4_5": lambda: llama_like(use_bias=pick(TRUTH)),
    "helium": helium,
    "exaone4": exaone4,
    "gpt_neo": gpt_neo,
    "gptj": lambda: gpt2_relative(rotary_dim=pick([2, 4])),
    "codegen": lambda: gpt2_relative((4, 8), rotary_dim=pick([2, 4])),
    "gpt_bigcode": lambda: gpt2_relative(multi_query=pick(TRUTH), scale_attn_weights=pick(TRUTH)),
    "apertus": lambda: square(llama_like(attention_bias=pick(TRUTH), hidden_act=pick(["xielu", "xielu", "silu"]))),
    "hunyuan_v1_dense": hunyuan,
    "nanochat": lambda: square(llama_like(attention_bias=pick(TRUTH), hidden_act=pick(["relu2", "silu"]), final_logit_softcapping=pick([None, 3.0, 15.0]))),
    "mixtral": lambda: local_experts(sliding_window=pick([None, 4])),
    "granitemoe": lambda: local_experts(attention_bias=pick(TRUTH)) | multipliers(),
    "qwen2_moe": lambda: qwen_moe(shared_expert_intermediate_size=pick([8, 20]), qkv_bias=pick(TRUTH)),
    "qwen3_moe": lambda: qwen_moe(attention_bias=pick(TRUTH)),
    "olmoe": lambda: square(llama_like(attention_bias=pick(TRUTH), norm_topk_prob=pick(TRUTH), pad_token_id=0, **chosen())),
    "gpt_oss": gpt_oss,
    "deepseek_v2": lambda: deepseek(False),
    "deepseek_v3": lambda: deepseek(True),
    "kimi_k2": lambda: deepseek(True) | {"n_group": 1},
    "deepseek_v32": deepseek_v32,
    "glm4_moe": lambda: grouped(llama_like(use_qk_norm=pick(TRUTH), head_dim=pick([8, 16]), rope_parameters=rope(partial_rotary_factor=pick([0.5, 1.0])))),
    "dots1": dots1,
    "ernie4_5_moe": ernie_moe,
    "minimax_m2": minimax_m2,
    "llama4_text": llama4,
    "lfm2": lambda: lfm2(False),
    "lfm2_moe": lambda: lfm2(True),
    "nemotron_h": nemotron_h,
    "recurrent_gemma": recurrent_gemma,
    "minimax": minimax,
    "olmo_hybrid": olmo_hybrid,
    "gemma3n_text": gemma3n,
    "gemma4_text": gemma4,
    "kimi_linear": kimi_linear,
    "xlstm": xlstm,
}

# Where transformers has no class of that name.
READ_AS = {"falcon_alibi": "falcon", "kimi_k2": "deepseek_v3"}


def drawn(family, folder, bare):
    """Writes a random model and its input, `bare` with the drawn options alone in its config.json; returns options, the model and its tokens and logits, or None where transformers cannot."""
    options = FAMILIES[family]()
    try:
        config = AutoConfig.for_model(READ_AS.get(family, family), **options)
        model = with_one_alibi(AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval().float())
        randomize(model, rng.randrange(1 << 30), gain_of(family))
        ids = torch.randint(0, config.vocab_size, (pick([1, 2]), pick([1, 2, 7, 16, 33, 49])), generator=torch.Generator().manual_seed(rng.randrange(1 << 30)))
        found = model(ids, use_cache=False, output_attentions=True)
        save_file(saved(model, folder), folder / "model.safetensors")
        written = json.loads((folder / "config.json").read_text()) | ({"model_type": family} if family == "kimi_k2" else {})
        if bare:  # what is not said has the value of the class
            written = {key: value for key, value in written.items() if key in options or key in ["model_type", "architectures"]}
        (folder / "config.json").write_text(json.dumps(written))
    except Exception:  # whatever transformers finds wrong with the options
        return None
    save_file({"input_ids": ids}, folder / "in.safetensors")
    return (options, model, ids, found) if torch.isfinite(found.logits).all() else None


def expected_of(model, ids, found, layers):
    """What the program must give, by the names that `dump` has for it. `layers`: what it says of them."""
    expected = {"logits": found.logits} | patterns_of(model, getattr(found, "attentions", None), ids.shape[1])
    for layer in layers:
        index = layer["index"]
        for mixer in layer["mixers"]:
            attention, head = mixer["kind"] == "attention", rng.randrange(mixer["heads"])
            site = "H" if len(layer["mixers"]) == 1 else "A" if attention else "S"
            expected[f"logits.ablate.L{index}{site}{head}"] = without_head(model, index, head, mixer["heads"], ids, attention)
        if layer.get("experts"):
            expert = rng.randrange(layer["experts"])
            expected[f"logits.ablate.L{index}X{expert}"] = without_expert(model, index, expert, ids)
    if '"dynamic"' in model.config.to_json_string():
        return expected  # steps of a text that grows beyond the limit differ from running it whole, as in transformers
    tokens = []
    for _ in range(GREEDY):
        logits = model(torch.cat([ids, *tokens], 1), use_cache=False).logits[:, -1]
        best = logits.topk(2).values
        if (best[:, 0] - best[:, 1]).min() < 1e-3 * found.logits.abs().max():
            return expected
        tokens.append(logits.argmax(-1, keepdim=True))
    return expected | {"greedy": torch.cat(tokens, 1)}


def off(key, actual, expected):
    if actual.shape != expected.shape:
        return math.inf
    if key == "greedy":
        return 0.0 if torch.equal(actual, expected) else math.inf
    scale = 1.0 if key.startswith("attn") else expected.abs().max().clamp_min(1)
    worst = ((actual - expected).abs().max() / scale).item()
    return worst if math.isfinite(worst) else math.inf


def kind_of(key):
    return "greedy" if key == "greedy" else "pattern" if key.startswith("attn") else "expert" if "X" in key else "head" if "ablate" in key else "logits"


def compare(cli, family, folder, bare=False):
    """(options, sentence of a refusal or None, differences by what was compared, whether the self-test passed)"""
    found = None
    while found is None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        found = drawn(family, folder, bare)
    options, model, ids, outputs = found

    def run(*arguments):
        # One thread: these models are too small to share, and threads that wait for each other take a busy machine's time.
        return subprocess.run([cli, *map(str, arguments), "--quiet"], text=True, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": "1"})

    info = run("info", folder, "--json")
    if info.returncode != 0:
        return options, f"{info.stderr.strip()} (exit status {info.returncode})", {}, True
    said = json.loads(info.stdout)
    expected = expected_of(model, ids, outputs, said["layers"])
    done = run("dump", folder, "--tokens", folder / "in.safetensors", "--out", folder / "out.safetensors", "--want", ",".join(expected))
    if done.returncode != 0:
        return options, f"{done.stderr.strip()} (exit status {done.returncode})", {}, True
    actual = load_file(folder / "out.safetensors")
    return options, None, {key: off(key, actual[key], value) for key, value in expected.items()}, said["self_test"]["passed"]


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", default=",".join(FAMILIES))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--bare", action="store_true", help="leave what was not drawn out of config.json")
    args = parser.parse_args()
    different = 0
    with tempfile.TemporaryDirectory() as place:
        for family in args.family.split(","):
            rng.seed(f"{family} {args.seed}")
            agree, worst, compared, refusals = 0, collections.defaultdict(float), collections.Counter(), collections.Counter()
            for index in range(args.count):
                folder = pathlib.Path(place) / "model"
                options, refusal, differences, sound = compare(args.cli, family, folder, args.bare)
                for key, value in differences.items():
                    worst[kind_of(key)] = max(worst[kind_of(key)], value)
                    compared[kind_of(key)] += 1
                wrong = {key: value for key, value in differences.items() if value > 1e-4}
                if refusal:
                    refusals[refusal] += 1
                elif sound and not wrong:
                    agree += 1
                else:
                    different += 1
                    print(f"{family} {index} differs by {wrong}{'' if sound else ', fails its self-test'}: {json.dumps(options)}")
                    if args.keep:
                        shutil.copytree(folder, args.keep / f"{family}-{index}", dirs_exist_ok=True)
            print(f"{family}: {agree} of {args.count} agree; " + ", ".join(
                f"{kind} {worst[kind]:.1e} ({compared[kind]})" for kind in ["logits", "pattern", "head", "expert", "greedy"] if compared[kind]), flush=True)
            for sentence, count in refusals.items():
                print(f"  refused {count}: {sentence}")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
