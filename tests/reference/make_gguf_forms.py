#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the smallest GGUF files of tests/data/forms and what transformers computes for them. A developer's tool.

Each is the model of tests/support/makefamilies.py with smaller sizes; llama.cpp's own converter writes the file, with maps in bf16, and the logits
lie beside it under the same name. In the virtual environment of compare_gguf.py:

    python tests/reference/make_gguf_forms.py LLAMA_CPP [NAME...]
"""
import json
import pathlib
import sys
import tempfile

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "support"), str(ROOT / "reference")]
import compare_gguf  # noqa: E402
import makefamilies  # noqa: E402

SMALL = makefamilies.TINY
LATENT = SMALL | {"kv_lora_rank": 4, "moe_intermediate_size": 4, "n_routed_experts": 4, "num_key_value_heads": 2, "qk_nope_head_dim": 2,
                  "qk_rope_head_dim": 4, "v_head_dim": 3}
MAMBA2 = {"mamba_d_conv": 3, "mamba_d_head": 4, "mamba_d_state": 2, "mamba_n_heads": 4}
NEMOTRON = SMALL | {"conv_kernel": 3, "head_dim": 4, "mamba_head_dim": 4, "mamba_num_heads": 4, "ssm_state_size": 2, "time_step_min": 1e-9}
DELTA = SMALL | {"head_dim": 8, "linear_conv_kernel_dim": 3, "linear_key_head_dim": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 6,
                 "linear_value_head_dim": 4}
TURNED = {"rope_parameters": {"partial_rotary_factor": 0.5, "rope_theta": 10000000, "rope_type": "default"}}
DELTA_EXPERTS = DELTA | {"moe_intermediate_size": 4, "num_experts": 3, "shared_expert_intermediate_size": 6}
SIZES = {
    "lfm2": SMALL | {"block_auto_adjust_ff_dim": False, "block_dim": 8, "block_ff_dim": 12, "conv_dim": 8, "conv_dim_out": 8, "num_heads": 2},
    "lfm2_moe": SMALL | {"moe_intermediate_size": 4, "num_experts": 3},
    "granitemoe": SMALL | {"intermediate_size": 4, "num_local_experts": 3},
    "granitemoehybrid": SMALL | MAMBA2 | {"intermediate_size": 4, "num_local_experts": 3, "shared_intermediate_size": 6},
    "jamba": SMALL | {"intermediate_size": 4, "mamba_d_conv": 3, "mamba_d_state": 2, "mamba_dt_rank": 2, "num_experts": 3},
    "nemotron_h": NEMOTRON,
    "nemotron_h_moe": NEMOTRON | {"moe_intermediate_size": 4, "moe_latent_size": 4, "moe_shared_expert_intermediate_size": 6, "n_routed_experts": 3},
    "qwen3_next": DELTA_EXPERTS | {"partial_rotary_factor": 0.5},
    "qwen3_5_moe_text": DELTA_EXPERTS | TURNED,
    "qwen3_5_text": makefamilies.tiny(
        "rope_theta", architectures=["Qwen3_5ForCausalLM"], attn_output_gate=True, model_type="qwen3_5_text", tie_word_embeddings=True,
        layer_types=["linear_attention", "full_attention"]) | DELTA | TURNED,
    "gemma3n_text": makefamilies.FAMILIES["gemma3n"][1]["text_config"] | {"altup_num_inputs": 4, "architectures": ["Gemma3nForCausalLM"],
                                                                          "intermediate_size": [12] * 4, "vocab_size_per_layer_input": 16},
    "gemma4_text": makefamilies.FAMILIES["gemma4"][1]["text_config"] | SMALL | {"architectures": ["Gemma4ForCausalLM"], "global_head_dim": 8, "head_dim": 4, "vocab_size_per_layer_input": 16, "rope_parameters": {
        "full_attention": {"partial_rotary_factor": 0.5, "rope_theta": 1000000.0, "rope_type": "proportional"},
        "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}}},
    "deepseek_v2": LATENT,
    "deepseek_v3": LATENT | {"q_lora_rank": 6},
    # Powers of 2: the converter multiplies the weights, which stay bf16.
    "falcon_h1": makefamilies.tiny(
        architectures=["FalconH1ForCausalLM"], attention_in_multiplier=0.5, attention_out_multiplier=2.0, embedding_multiplier=4.0, head_dim=4,
        key_multiplier=0.25, lm_head_multiplier=0.5, mamba_conv_bias=True, mamba_d_ssm=16, mamba_n_groups=2, mamba_norm_before_gate=False,
        mamba_rms_norm=True, mlp_multipliers=[2.0, 0.5], model_type="falcon_h1", ssm_in_multiplier=0.5, ssm_multipliers=[0.5, 2.0, 4.0, 0.25, 0.5],
        ssm_out_multiplier=2.0, tie_word_embeddings=False, rope_theta=100000000000.0, **MAMBA2),
}


def make(llama, name):
    fields = makefamilies.FAMILIES.get(name, (None, {}))[1] | SIZES[name]
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made) / "model"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(fields))
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder), attn_implementation="eager", dtype=torch.float32).eval()
        makefamilies.randomize(model)
        stored = makefamilies.saved(model, pathlib.Path(made) / "saved")
        save_file({key: value.bfloat16() for key, value in stored.items()}, folder / "model.safetensors")
        compare_gguf.prepared(folder, name)
        forms = ROOT / "data" / "forms"
        compare_gguf.convert(llama, folder, forms / f"{name}.gguf", "bf16")
        ids = torch.randint(1, fields["vocab_size"], (1, 12), generator=torch.Generator().manual_seed(7))
        with torch.no_grad():
            save_file({"input_ids": ids, "logits": model(ids, use_cache=False).logits}, forms / f"{name}.safetensors")
        print(f"{name}: {(forms / f'{name}.gguf').stat().st_size} bytes")


if __name__ == "__main__":
    for chosen in sys.argv[2:] or SIZES:
        make(sys.argv[1], chosen)
