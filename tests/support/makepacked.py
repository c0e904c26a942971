#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make tests/data/golden/hub/qwen3_fp8 and gpt_oss_mxfp4: small models whose weights are stored in few bits. A developer's tool.

The weights are those of a random model rounded to FP8 in blocks (as DeepSeek and Qwen ship them) or the experts to MXFP4 (as gpt-oss does),
with the factors beside them under the hub's names; what transformers computes is kept for the numbers that they stand for, the FP8 by
its rule weight times factor, the MXFP4 by its own convert_moe_packed_tensors. In a virtual environment as makefamilies.py says:

    python tests/support/makepacked.py
"""
import json
import math
import pathlib

import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.integrations.mxfp4 import convert_moe_packed_tensors

transformers.logging.set_verbosity_error()
HUB = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "golden" / "hub"
COMMON = {"attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 32,
          "initializer_range": 0.02, "intermediate_size": 40, "max_position_embeddings": 128, "num_attention_heads": 4, "num_hidden_layers": 2,
          "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "torch_dtype": "bfloat16", "vocab_size": 48,
          "tie_word_embeddings": False}
MODELS = {
    "qwen3_fp8": COMMON | {"architectures": ["Qwen3ForCausalLM"], "head_dim": 8, "model_type": "qwen3", "quantization_config": {
        "activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8", "weight_block_size": [16, 24]}},
    "gpt_oss_mxfp4": COMMON | {
        "architectures": ["GptOssForCausalLM"], "attention_bias": True, "experts_per_token": 2, "head_dim": 8, "intermediate_size": 32,
        "layer_types": ["sliding_attention", "full_attention"], "model_type": "gpt_oss", "num_experts_per_tok": 2, "num_local_experts": 4,
        "rope_scaling": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 16, "rope_type": "yarn",
                         "truncate": False},
        "rope_theta": 150000, "sliding_window": 6, "swiglu_limit": 7.0, "quantization_config": {
            "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"],
            "quant_method": "mxfp4"}},
}
VALUES = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def to_fp8(weight, rows, columns):
    """The stored tensor and its factors, and the numbers that they stand for."""
    r, c = math.ceil(weight.shape[0] / rows), math.ceil(weight.shape[1] / columns)
    factors = torch.empty(r, c)
    stored, meant = torch.empty(weight.shape, dtype=torch.float8_e4m3fn), torch.empty_like(weight)
    for i in range(r):
        for j in range(c):
            part = (slice(i * rows, (i + 1) * rows), slice(j * columns, (j + 1) * columns))
            factors[i, j] = weight[part].abs().max() / 448
            stored[part] = (weight[part] / factors[i, j]).to(torch.float8_e4m3fn)
            meant[part] = stored[part].float() * factors[i, j]
    return stored, factors, meant


def to_mxfp4(weight):
    """weight [E, in, out] as blocks [E, out, in / 32, 16] and scales [E, out, in / 32]."""
    groups = weight.transpose(1, 2).unflatten(2, (-1, 32))
    exponent = torch.floor(torch.log2(groups.abs().amax(-1) / 6 + 1e-30)) + 1
    scaled = groups / torch.exp2(exponent)[..., None]
    bits = (scaled.abs()[..., None] - VALUES).abs().argmin(-1) + 8 * (scaled < 0)
    return (bits[..., 0::2] + 16 * bits[..., 1::2]).to(torch.uint8), (exponent + 127).to(torch.uint8)


for name, fields in MODELS.items():
    folder = HUB / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(fields, indent=1, sort_keys=True) + "\n")
    plain = dict(fields)
    packing = plain.pop("quantization_config")
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**plain), attn_implementation="eager", dtype=torch.float32).eval()
    generator, stored = torch.Generator().manual_seed(11), {}
    with torch.no_grad():
        for key, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=generator)
            p.copy_((noise * 1.3 / math.sqrt(p.shape[-1]) if p.dim() > 1 else p + noise * 0.2).bfloat16())
            if packing["quant_method"] == "mxfp4" and key.endswith(("gate_up_proj", "down_proj")):
                stored[key + "_blocks"], stored[key + "_scales"] = to_mxfp4(p)
                p.copy_(convert_moe_packed_tensors(stored[key + "_blocks"], stored[key + "_scales"]))
            elif packing["quant_method"] == "fp8" and p.dim() == 2 and "embed" not in key and "lm_head" not in key:
                stored[key], stored[key + "_scale_inv"], meant = to_fp8(p, *packing["weight_block_size"])
                p.copy_(meant)
            else:
                stored[key] = p.detach().bfloat16()
        ids = torch.randint(1, 48, (2, 14), generator=torch.Generator().manual_seed(7))
        found = model(ids, use_cache=False, output_attentions=True)
        expected = {"input_ids": ids, "logits": found.logits} | {f"attn.L{i}": one for i, one in enumerate(found.attentions)}
    save_file({key: value.contiguous() for key, value in stored.items()}, folder / "model.safetensors")
    save_file({key: value.contiguous() for key, value in expected.items()}, folder / "expected.safetensors")
    print(name, sum(file.stat().st_size for file in folder.iterdir()) // 1024, "KiB, logits to", found.logits.abs().max().item(), flush=True)
