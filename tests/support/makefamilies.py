#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the small models of tests/data/golden/hub and what transformers computes for them. A developer's tool.

Each has the fields that the config.json of the model named beside it has on the hub, with small sizes, and random bf16
weights under the names that transformers saves. In a virtual environment with `pip install transformers==5.23.0 torch==2.11.0`:

    python tests/support/makefamilies.py [NAME...]

Kept are the logits, the patterns of the attention layers, the logits with one head's slice of z at zero, those without one expert
where there are experts (its output weight at zero), and greedy tokens, by transformers' eager path in fp32 without a cache.
"""
import json
import math
import pathlib
import re
import shutil
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

HUB = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "golden" / "hub"
TOKENS, GREEDY = 14, 8

LLAMA = {"attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 24,
         "initializer_range": 0.02, "intermediate_size": 32, "max_position_embeddings": 128, "num_attention_heads": 4,
         "num_hidden_layers": 2, "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "torch_dtype": "bfloat16",
         "use_cache": True, "vocab_size": 48}


def but(*without, **more):
    """Llama's fields without some and with others."""
    return {key: value for key, value in LLAMA.items() if key not in without} | more


# Of models that need no more: their texts are short too.
TINY = {"hidden_size": 8, "intermediate_size": 12, "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 16}
SHORT = 6


def tiny(*without, **more):
    return {key: value for key, value in (LLAMA | TINY).items() if key not in without} | more


def tiny_gpt2(**more):
    return {"architectures": ["GPT2Relative"], "bos_token_id": 1, "eos_token_id": 1, "initializer_range": 0.02, "layer_norm_epsilon": 1e-5,
            "torch_dtype": "bfloat16", "use_cache": True, "vocab_size": TINY["vocab_size"]} | more


# GPT-J and CodeGen.
GPTJ = dict(activation_function="gelu_new", attn_pdrop=0.0, embd_pdrop=0.0, gradient_checkpointing=False, n_ctx=128, n_embd=8, n_inner=None, n_layer=2,
            n_positions=128, resid_pdrop=0.0, scale_attn_weights=True, summary_activation=None, summary_first_dropout=0.1, summary_proj_to_labels=True,
            summary_type="cls_index", summary_use_proj=True, tie_word_embeddings=False)

GEMMA4 = {"attention_bias": False, "attention_k_eq_v": False, "bos_token_id": 2, "dtype": "bfloat16", "enable_moe_block": False,
          "eos_token_id": 1, "final_logit_softcapping": 30.0, "global_head_dim": 12, "head_dim": 8,
          "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 16, "intermediate_size": 20, "max_position_embeddings": 131072,
          "layer_types": ["sliding_attention", "full_attention"], "model_type": "gemma4_text", "num_attention_heads": 2,
          "num_hidden_layers": 2, "num_key_value_heads": 1, "pad_token_id": 0, "rms_norm_eps": 1e-6, "sliding_window": 6,
          "rope_parameters": {"full_attention": {"partial_rotary_factor": 0.25, "rope_theta": 1000000.0, "rope_type": "proportional"},
                              "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}},
          "tie_word_embeddings": True, "use_bidirectional_attention": None, "vocab_size": 48, "vocab_size_per_layer_input": 48}

# Of each: after which model, and its fields.
FAMILIES = {
    "gemma3_text": ("google/gemma-3-1b-it", but(
        "hidden_act", architectures=["Gemma3ForCausalLM"], attn_logit_softcapping=None, cache_implementation="hybrid", eos_token_id=[1, 106],
        final_logit_softcapping=None, head_dim=8, hidden_activation="gelu_pytorch_tanh", model_type="gemma3_text", pad_token_id=0,
        query_pre_attn_scalar=8, rope_local_base_freq=10000, rope_scaling=None, rope_theta=1000000, sliding_window=6,
        sliding_window_pattern=2)),
    "smollm3": ("HuggingFaceTB/SmolLM3-3B", but(
        architectures=["SmolLM3ForCausalLM"], layer_types=["full_attention"] * 2, max_window_layers=28, mlp_bias=False, model_type="smollm3",
        no_rope_layer_interval=2, no_rope_layers=[1, 0], pad_token_id=4, pretraining_tp=2, rope_scaling=None, rope_theta=5000000.0, sliding_window=None,
        use_sliding_window=False, tie_word_embeddings=True)),
    "olmo2": ("allenai/OLMo-2-1124-7B", but(architectures=["Olmo2ForCausalLM"], model_type="olmo2", rope_scaling=None, rope_theta=500000,
                                            num_key_value_heads=4, tie_word_embeddings=False)),
    "olmo3": ("allenai/Olmo-3-7B-Instruct", but(
        architectures=["Olmo3ForCausalLM"], layer_types=["sliding_attention", "full_attention"], model_type="olmo3",
        num_key_value_heads=4, rope_theta=500000, sliding_window=6, tie_word_embeddings=False,
        rope_scaling={"attention_factor": 1.2079441541679836, "beta_fast": 32.0, "beta_slow": 1.0, "factor": 8.0,
                      "original_max_position_embeddings": 16, "rope_type": "yarn"})),
    "phi3": ("microsoft/Phi-4-mini-instruct", but(
        architectures=["Phi3ForCausalLM"], embd_pdrop=0.0, full_attn_mod=1, interpolate_factor=1, lm_head_bias=False, mlp_bias=False,
        model_type="phi3", head_dim=8, hidden_size=32, original_max_position_embeddings=12, pad_token_id=5, partial_rotary_factor=0.75,
        resid_pdrop=0.0, rope_scaling={"long_factor": [1.0, 2.5, 7.0], "short_factor": [1.0, 1.1, 1.3], "type": "longrope"},
        sliding_window=262144, tie_word_embeddings=True)),
    "phi3_short": ("microsoft/Phi-3-mini-128k-instruct", but(
        architectures=["Phi3ForCausalLM"], embd_pdrop=0.0, model_type="phi3", hidden_size=32, num_key_value_heads=4,
        original_max_position_embeddings=64, pad_token_id=5, resid_pdrop=0.0, sliding_window=7,
        rope_scaling={"long_factor": [1.0, 2.5, 7.0, 9.0], "short_factor": [1.0, 1.1, 1.3, 1.4], "type": "longrope"},
        tie_word_embeddings=False)),
    "stablelm": ("stabilityai/stablelm-2-12b", but(
        "rms_norm_eps", "attention_bias", architectures=["StableLmForCausalLM"], hidden_dropout=0.0, layer_norm_eps=1e-5, model_type="stablelm",
        hidden_size=32, partial_rotary_factor=0.25, qk_layernorm=True, rope_scaling=None, tie_word_embeddings=False, use_parallel_residual=True,
        use_qkv_bias=False)),
    "stablelm_small": ("stabilityai/stablelm-2-1_6b", but(
        "rms_norm_eps", "attention_bias", architectures=["StableLmForCausalLM"], hidden_dropout=0.0, layer_norm_eps=1e-5, model_type="stablelm",
        hidden_size=32, num_key_value_heads=4, partial_rotary_factor=0.25, tie_word_embeddings=False, use_qkv_bias=True)),
    "cohere2": ("CohereForAI/c4ai-command-r7b-12-2024", but(
        "rms_norm_eps", architectures=["Cohere2ForCausalLM"], bos_token_id=5, cache_implementation="hybrid", eos_token_id=6, head_dim=8,
        hidden_size=32, layer_norm_eps=1e-5, layer_switch=2, logit_scale=0.25, model_type="cohere2", order_of_interleaved_layers="local_attn_first",
        pad_token_id=0, position_embedding_type="rope_gptj", rope_scaling=None, rope_theta=50000, rotary_pct=1.0, sliding_window=6,
        sliding_window_pattern=2, use_embedding_sharing=True, use_gated_activation=True, use_parallel_block=True, use_parallel_embedding=True)),
    "cohere": ("CohereForAI/c4ai-command-r-plus", but(
        "rms_norm_eps", architectures=["CohereForCausalLM"], bos_token_id=5, eos_token_id=6, layer_norm_eps=1e-5, logit_scale=0.8333333333333334,
        model_type="cohere", pad_token_id=0, rope_theta=75000000.0, use_qk_norm=True, hidden_size=32)),
    "glm4": ("THUDM/GLM-4-9B-0414", but(
        architectures=["Glm4ForCausalLM"], attention_bias=True, eos_token_id=[1, 3], head_dim=8, model_type="glm4", pad_token_id=1,
        partial_rotary_factor=0.5, rms_norm_eps=1e-5, tie_word_embeddings=False)),
    "glm": ("THUDM/glm-4-9b-chat-hf", but(
        architectures=["GlmForCausalLM"], attention_bias=True, eos_token_id=[1, 3], head_dim=8, model_type="glm", pad_token_id=1,
        partial_rotary_factor=0.5, rms_norm_eps=1.5625e-7, tie_word_embeddings=False)),
    "granite": ("ibm-granite/granite-3.3-2b-instruct", but(
        architectures=["GraniteForCausalLM"], attention_dropout=0.1, attention_multiplier=0.2, embedding_multiplier=3.0, logits_scaling=2.0,
        mlp_bias=False, model_type="granite", residual_multiplier=0.5, rope_scaling=None, rope_theta=10000000.0, tie_word_embeddings=True)),
    "falcon": ("tiiuae/falcon-7b", {
        "alibi": False, "apply_residual_connection_post_layernorm": False, "architectures": ["FalconForCausalLM"], "attention_dropout": 0.0,
        "bias": False, "bos_token_id": 11, "eos_token_id": 11, "hidden_dropout": 0.0, "hidden_size": 24, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "model_type": "falcon", "multi_query": True, "new_decoder_architecture": False, "num_attention_heads": 3,
        "num_hidden_layers": 2, "parallel_attn": True, "torch_dtype": "bfloat16", "use_cache": True, "vocab_size": 48}),
    "falcon_new": ("tiiuae/falcon-40b", {
        "alibi": False, "apply_residual_connection_post_layernorm": False, "architectures": ["FalconForCausalLM"], "attention_dropout": 0.0,
        "bias": False, "bos_token_id": 11, "eos_token_id": 11, "hidden_dropout": 0.0, "hidden_size": 32, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "model_type": "falcon", "new_decoder_architecture": True, "num_attention_heads": 4, "num_hidden_layers": 2,
        "num_kv_heads": 2, "parallel_attn": True, "torch_dtype": "bfloat16", "use_cache": True, "vocab_size": 48}),
    "falcon_alibi": ("tiiuae/falcon-rw-1b", {
        "alibi": True, "apply_residual_connection_post_layernorm": False, "architectures": ["FalconForCausalLM"], "attention_dropout": 0.0,
        "bias": True, "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0, "hidden_size": 24, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "model_type": "falcon", "multi_query": False, "new_decoder_architecture": False, "num_attention_heads": 12,
        "num_hidden_layers": 2, "parallel_attn": False, "torch_dtype": "bfloat16", "use_cache": True, "vocab_size": 48}),
    "bloom": ("bigscience/bloom-560m", {
        "apply_residual_connection_post_layernorm": False, "architectures": ["BloomForCausalLM"], "attention_dropout": 0.0,
        "attention_softmax_in_fp32": True, "bias_dropout_fusion": True, "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "masked_softmax_fusion": True, "model_type": "bloom", "n_embed": 24, "n_inner": None,
        "n_layer": 2, "num_attention_heads": 6, "offset_alibi": 100, "pad_token_id": 3, "pretraining_tp": 1, "skip_bias_add": True,
        "skip_bias_add_qkv": False, "unk_token_id": 0, "use_cache": True, "vocab_size": 48}),
    "mpt": ("mosaicml/mpt-7b", {
        "architectures": ["MPTForCausalLM"], "attn_config": {
            "alibi": True, "alibi_bias_max": 8, "attn_impl": "torch", "attn_pdrop": 0, "attn_type": "multihead_attention",
            "attn_uses_sequence_id": False, "clip_qkv": None, "prefix_lm": False, "qk_ln": False, "softmax_scale": None},
        "d_model": 24, "emb_pdrop": 0, "embedding_fraction": 1.0, "expansion_ratio": 4, "init_device": "cpu", "learned_pos_emb": True,
        "logit_scale": None, "max_seq_len": 64, "model_type": "mpt", "n_heads": 6, "n_layers": 2, "no_bias": True,
        "norm_type": "low_precision_layernorm", "resid_pdrop": 0, "torch_dtype": "bfloat16", "use_cache": False, "vocab_size": 48}),
    "opt": ("facebook/opt-125m", {
        "_remove_final_layer_norm": False, "activation_dropout": 0.0, "activation_function": "relu", "architectures": ["OPTForCausalLM"],
        "attention_dropout": 0.0, "bos_token_id": 2, "do_layer_norm_before": True, "dropout": 0.1, "eos_token_id": 2, "ffn_dim": 32,
        "hidden_size": 24, "init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 64, "model_type": "opt", "num_attention_heads": 4,
        "num_hidden_layers": 2, "pad_token_id": 1, "prefix": "</s>", "torch_dtype": "float16", "use_cache": True, "vocab_size": 60,
        "word_embed_proj_dim": 24}),
    "opt_350m": ("facebook/opt-350m", {
        "_remove_final_layer_norm": False, "activation_dropout": 0.0, "activation_function": "relu", "architectures": ["OPTForCausalLM"],
        "attention_dropout": 0.0, "bos_token_id": 2, "do_layer_norm_before": False, "dropout": 0.1, "eos_token_id": 2, "ffn_dim": 32,
        "hidden_size": 24, "init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 64, "model_type": "opt", "num_attention_heads": 4,
        "num_hidden_layers": 2, "pad_token_id": 1, "prefix": "</s>", "torch_dtype": "float16", "use_cache": True, "vocab_size": 60,
        "word_embed_proj_dim": 12}),
    "starcoder2": ("bigcode/starcoder2-3b", but(
        "rms_norm_eps", "attention_bias", activation_function="gelu", architectures=["Starcoder2ForCausalLM"], bos_token_id=0, embedding_dropout=0.1,
        eos_token_id=0, hidden_act="gelu_pytorch_tanh", mlp_type="default", model_type="starcoder2", norm_epsilon=1e-5, norm_type="layer_norm",
        residual_dropout=0.1, rope_theta=999999.4420358813, sliding_window=6, use_bias=True)),
    "mixtral": ("mistralai/Mixtral-8x7B-Instruct-v0.1", but(
        "attention_bias", architectures=["MixtralForCausalLM"], intermediate_size=16, model_type="mixtral", num_experts_per_tok=2,
        num_local_experts=4, output_router_logits=False, rope_theta=1000000.0, router_aux_loss_coef=0.02, sliding_window=None,
        tie_word_embeddings=False)),
    "qwen3_moe": ("Qwen/Qwen3-30B-A3B", but(
        architectures=["Qwen3MoeForCausalLM"], decoder_sparse_step=1, head_dim=8, max_window_layers=48, mlp_only_layers=[0], model_type="qwen3_moe",
        moe_intermediate_size=12, norm_topk_prob=True, num_experts=4, num_experts_per_tok=2, output_router_logits=False, rope_scaling=None,
        rope_theta=1000000.0, router_aux_loss_coef=0.001, sliding_window=None, tie_word_embeddings=False, use_sliding_window=False)),
    "qwen2_moe": ("Qwen/Qwen1.5-MoE-A2.7B", but(
        "attention_bias", architectures=["Qwen2MoeForCausalLM"], decoder_sparse_step=1, max_window_layers=21, model_type="qwen2_moe",
        moe_intermediate_size=12, norm_topk_prob=False, num_experts=4, num_experts_per_tok=2, num_key_value_heads=4, output_router_logits=False,
        router_aux_loss_coef=0.001, rope_theta=1000000.0, shared_expert_intermediate_size=20, sliding_window=32768, tie_word_embeddings=False,
        use_sliding_window=False)),
    "olmoe": ("allenai/OLMoE-1B-7B-0924", but(
        architectures=["OlmoeForCausalLM"], clip_qkv=None, intermediate_size=12, model_type="olmoe", norm_topk_prob=False, num_experts=4,
        num_experts_per_tok=2, num_key_value_heads=4, output_router_logits=False, pad_token_id=1, rope_scaling=None, router_aux_loss_coef=0.01,
        tie_word_embeddings=False)),
    "gpt_oss": ("openai/gpt-oss-20b", but(
        architectures=["GptOssForCausalLM"], attention_bias=True, eos_token_id=2, experts_per_token=2, head_dim=8, initial_context_length=16,
        intermediate_size=12, layer_types=["sliding_attention", "full_attention"], model_type="gpt_oss", num_experts_per_tok=2,
        num_local_experts=4, output_router_logits=False, pad_token_id=3, rms_norm_eps=1e-5, rope_theta=150000, router_aux_loss_coef=0.9,
        rope_scaling={"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "original_max_position_embeddings": 16, "rope_type": "yarn",
                      "truncate": False}, sliding_window=6, swiglu_limit=7.0, tie_word_embeddings=False)),
    "granitemoe": ("ibm-granite/granite-3.1-3b-a800m-instruct", but(
        architectures=["GraniteMoeForCausalLM"], attention_multiplier=0.2, embedding_multiplier=3.0, intermediate_size=12, logits_scaling=2.0,
        model_type="granitemoe", num_experts_per_tok=2, num_local_experts=4, output_router_logits=False, residual_multiplier=0.5,
        rope_scaling=None, router_aux_loss_coef=0.0, tie_word_embeddings=True)),
    "granitemoehybrid": ("ibm-granite/granite-4.0-h-tiny", but(
        architectures=["GraniteMoeHybridForCausalLM"], attention_multiplier=0.2, embedding_multiplier=3.0, intermediate_size=12,
        layer_types=["mamba", "attention"], logits_scaling=2.0, mamba_chunk_size=256, mamba_conv_bias=True, mamba_d_conv=4, mamba_d_head=12,
        mamba_d_state=4, mamba_expand=2, mamba_n_groups=1, mamba_n_heads=4, mamba_proj_bias=False, model_type="granitemoehybrid",
        normalization_function="rmsnorm", num_experts_per_tok=2, num_local_experts=4, output_router_logits=False, position_embedding_type="nope",
        residual_multiplier=0.5, rope_scaling=None, router_aux_loss_coef=0.01, shared_intermediate_size=20, tie_word_embeddings=True)),
    "jamba": ("ai21labs/AI21-Jamba-Mini-1.7", but(
        "attention_bias", "rope_theta", architectures=["JambaForCausalLM"], attn_layer_offset=1, attn_layer_period=2, expert_layer_offset=1,
        expert_layer_period=2, mamba_conv_bias=True, mamba_d_conv=4, mamba_d_state=4, mamba_dt_rank=3, mamba_expand=2, mamba_proj_bias=False,
        model_type="jamba", num_experts=4, num_experts_per_tok=2, num_logits_to_keep=1, output_router_logits=False, pad_token_id=0,
        router_aux_loss_coef=0.001, sliding_window=None, tie_word_embeddings=False, use_mamba_kernels=False)),
    "qwen3_next": ("Qwen/Qwen3-Next-80B-A3B-Instruct", but(
        architectures=["Qwen3NextForCausalLM"], decoder_sparse_step=1, full_attention_interval=2, head_dim=8, linear_conv_kernel_dim=4,
        linear_key_head_dim=4, linear_num_key_heads=2, linear_num_value_heads=4, linear_value_head_dim=4, mlp_only_layers=[],
        model_type="qwen3_next", moe_intermediate_size=12, norm_topk_prob=True, num_experts=4, num_experts_per_tok=2, output_router_logits=False,
        partial_rotary_factor=0.25, rope_scaling=None, rope_theta=10000000, router_aux_loss_coef=0.001, shared_expert_intermediate_size=12,
        tie_word_embeddings=False, use_sliding_window=False)),
    "deepseek_v2": ("deepseek-ai/DeepSeek-V2-Lite", but(
        architectures=["DeepseekV2ForCausalLM"], aux_loss_alpha=0.001, ep_size=1, first_k_dense_replace=1, kv_lora_rank=8, model_type="deepseek_v2",
        moe_intermediate_size=12, moe_layer_freq=1, n_group=1, n_routed_experts=4, n_shared_experts=2, norm_topk_prob=False,
        num_experts_per_tok=2, num_key_value_heads=4, q_lora_rank=None, qk_nope_head_dim=6, qk_rope_head_dim=4, routed_scaling_factor=1.0,
        rope_scaling={"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 0.707, "mscale_all_dim": 0.707,
                      "original_max_position_embeddings": 16, "type": "yarn"}, scoring_func="softmax", seq_aux=True,
        tie_word_embeddings=False, topk_group=1, topk_method="greedy", v_head_dim=5)),
    "deepseek_v3": ("deepseek-ai/DeepSeek-V3", but(
        architectures=["DeepseekV3ForCausalLM"], ep_size=1, first_k_dense_replace=1, kv_lora_rank=8, model_type="deepseek_v3",
        moe_intermediate_size=12, moe_layer_freq=1, n_group=2, n_routed_experts=8, n_shared_experts=1, norm_topk_prob=True, num_experts_per_tok=2,
        num_key_value_heads=4, num_nextn_predict_layers=1, q_lora_rank=6, qk_nope_head_dim=6, qk_rope_head_dim=4, routed_scaling_factor=2.5,
        rope_scaling={"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
                      "original_max_position_embeddings": 16, "type": "yarn"}, scoring_func="sigmoid", tie_word_embeddings=False, topk_group=1,
        topk_method="noaux_tc", v_head_dim=5)),
    "gemma3": ("google/gemma-3-4b-it", {
        "architectures": ["Gemma3ForConditionalGeneration"], "boi_token_index": 41, "eoi_token_index": 42, "eos_token_id": [1, 106],
        "image_token_index": 43, "initializer_range": 0.02, "mm_tokens_per_image": 4, "model_type": "gemma3", "torch_dtype": "bfloat16",
        "text_config": {"head_dim": 8, "hidden_size": 16, "intermediate_size": 20, "model_type": "gemma3_text", "num_attention_heads": 2,
                        "num_hidden_layers": 2, "num_key_value_heads": 1, "query_pre_attn_scalar": 8, "sliding_window": 6, "vocab_size": 48,
                        "layer_types": ["sliding_attention", "full_attention"], "rope_scaling": {"factor": 8.0, "rope_type": "linear"}},
        "vision_config": {"hidden_size": 1152, "image_size": 896, "model_type": "siglip_vision_model", "num_hidden_layers": 27}}),
    "qwen3_5": ("Qwen/Qwen3.5-27B", {
        "architectures": ["Qwen3_5ForConditionalGeneration"], "image_token_id": 40, "model_type": "qwen3_5", "tie_word_embeddings": False,
        "text_config": but(
            attention_bias=False, attn_output_gate=True, full_attention_interval=2, head_dim=8, layer_types=["linear_attention", "full_attention"],
            linear_conv_kernel_dim=4, linear_key_head_dim=4, linear_num_key_heads=2, linear_num_value_heads=4, linear_value_head_dim=4,
            model_type="qwen3_5_text", mtp_num_hidden_layers=1, rope_parameters={
                "mrope_interleaved": True, "mrope_section": [1, 0, 0], "partial_rotary_factor": 0.25, "rope_theta": 10000000,
                "rope_type": "default"}),
        "vision_config": {"depth": 27, "hidden_size": 1152, "model_type": "qwen3_5"}}),
    "qwen3_5_moe_text": ("Qwen/Qwen3.5-35B-A3B", but(
        "intermediate_size", "rope_theta", architectures=["Qwen3_5MoeForCausalLM"], attn_output_gate=True, full_attention_interval=2, head_dim=8,
        layer_types=["linear_attention", "full_attention"], linear_conv_kernel_dim=4, linear_key_head_dim=4, linear_num_key_heads=2,
        linear_num_value_heads=2, linear_value_head_dim=8, model_type="qwen3_5_moe_text", moe_intermediate_size=12, num_experts=4,
        num_experts_per_tok=2, output_router_logits=False, router_aux_loss_coef=0.001, shared_expert_intermediate_size=12,
        rope_parameters={"partial_rotary_factor": 0.25, "rope_theta": 10000000, "rope_type": "default"}, tie_word_embeddings=False)),
    "lfm2": ("LiquidAI/LFM2-1.2B", but(
        "attention_bias", "attention_dropout", "hidden_act", "rms_norm_eps", architectures=["Lfm2ForCausalLM"], block_auto_adjust_ff_dim=True,
        block_dim=24, block_ff_dim=48, block_ffn_dim_multiplier=1.0, block_mlp_init_scale=1.0, block_multiple_of=8, block_norm_eps=1e-5,
        block_out_init_scale=1.0, block_use_swiglu=True, block_use_xavier_init=True, conv_L_cache=3, conv_bias=False, conv_dim=24,
        conv_dim_out=24, conv_use_xavier_init=True, eos_token_id=7, full_attn_idxs=[1], intermediate_size=48, model_type="lfm2", norm_eps=1e-5,
        num_heads=4, pad_token_id=0, rope_theta=1000000.0, use_pos_enc=True)),
    "lfm2_moe": ("LiquidAI/LFM2-8B-A1B", but(
        "attention_bias", "attention_dropout", "hidden_act", "rms_norm_eps", architectures=["Lfm2MoeForCausalLM"], conv_L_cache=3, conv_bias=False,
        eos_token_id=7, layer_types=["conv", "full_attention"], model_type="lfm2_moe", moe_intermediate_size=12, norm_eps=1e-5,
        norm_topk_prob=True, num_dense_layers=1, num_experts=4, num_experts_per_tok=2, pad_token_id=0, rope_theta=1000000.0,
        routed_scaling_factor=1.0, tie_embedding=True, use_expert_bias=True)),
    "nemotron_h": ("nvidia/NVIDIA-Nemotron-Nano-9B-v2", but(
        "hidden_act", "rms_norm_eps", architectures=["NemotronHForCausalLM"], chunk_size=128, conv_kernel=4, expand=2, head_dim=8,
        hidden_dropout=0.0, hybrid_override_pattern="M-*", layer_norm_epsilon=1e-5, mamba_head_dim=6, mamba_hidden_act="silu",
        mamba_num_heads=8, mamba_proj_bias=False, mlp_bias=False, mlp_hidden_act="relu2", model_type="nemotron_h", n_groups=2,
        num_hidden_layers=3, num_logits_to_keep=1, pad_token_id=0, rescale_prenorm_residual=True, residual_in_fp32=False,
        sliding_window=None, ssm_state_size=4, tie_word_embeddings=False, time_step_floor=0.0001, time_step_limit=[0.0, math.inf],
        time_step_max=0.1, time_step_min=0.001, use_bias=False, use_conv_bias=True, use_mamba_kernels=True)),
    "nemotron_h_moe": ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", but(
        "hidden_act", "rms_norm_eps", architectures=["NemotronHForCausalLM"], chunk_size=128, conv_kernel=4, expand=2, head_dim=8,
        hidden_dropout=0.0, hybrid_override_pattern="ME*", layer_norm_epsilon=1e-5, mamba_head_dim=6, mamba_hidden_act="silu",
        mamba_num_heads=8, mamba_proj_bias=False, mlp_bias=False, mlp_hidden_act="relu2", model_type="nemotron_h", moe_intermediate_size=12,
        moe_latent_size=8, moe_shared_expert_intermediate_size=16, n_group=1, n_groups=2, n_routed_experts=4, n_shared_experts=1,
        norm_topk_prob=True, num_experts_per_tok=2, num_hidden_layers=3, pad_token_id=0, residual_in_fp32=False, routed_scaling_factor=2.5,
        sliding_window=None, ssm_state_size=4, tie_word_embeddings=False, time_step_limit=[0.0, math.inf], time_step_max=0.1,
        time_step_min=0.001, topk_group=1, use_bias=False, use_conv_bias=True)),
    "gemma3n": ("google/gemma-3n-E2B-it", {
        "architectures": ["Gemma3nForConditionalGeneration"], "eos_token_id": [1, 106], "image_token_id": 43, "model_type": "gemma3n",
        "tie_word_embeddings": True, "torch_dtype": "bfloat16", "text_config": TINY | {
            "activation_sparsity_pattern": [0.6, 0.0, 0.6, 0.0], "altup_active_idx": 0, "altup_coef_clip": 120.0, "altup_correct_scale": True,
            "altup_num_inputs": 3, "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 2, "eos_token_id": 1,
            "final_logit_softcapping": 30.0, "head_dim": 4, "hidden_activation": "gelu_pytorch_tanh", "hidden_size_per_layer_input": 4,
            "initializer_range": 0.02, "intermediate_size": [12, 12, 12, 10], "laurel_rank": 3, "max_position_embeddings": 32768,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"], "model_type": "gemma3n_text",
            "num_hidden_layers": 4, "num_kv_shared_layers": 2, "pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-6,
            "rope_local_base_freq": 10000.0, "rope_scaling": None, "rope_theta": 1000000.0, "sliding_window": 3, "torch_dtype": "bfloat16",
            "use_cache": True, "vocab_size_per_layer_input": 12},
        "vision_config": {"architecture": "mobilenetv5_300m_enc", "hidden_size": 2048, "model_type": "gemma3n_vision"}}),
    "gemma4": ("google/gemma-4-E2B-it", {
        "architectures": ["Gemma4ForConditionalGeneration"], "eos_token_id": [1, 106], "image_token_id": 46, "model_type": "gemma4",
        "tie_word_embeddings": True, "torch_dtype": "bfloat16", "text_config": GEMMA4 | {
            "hidden_size_per_layer_input": 4, "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
            "num_hidden_layers": 4, "num_kv_shared_layers": 2, "use_double_wide_mlp": True},
        "vision_config": {"hidden_size": 768, "model_type": "gemma4_vision", "num_hidden_layers": 16}}),
    "gemma4_moe": ("google/gemma-4-26B-A4B-it", {
        "architectures": ["Gemma4ForConditionalGeneration"], "eos_token_id": [1, 106], "image_token_id": 46, "model_type": "gemma4",
        "tie_word_embeddings": True, "torch_dtype": "bfloat16", "text_config": GEMMA4 | {
            "attention_k_eq_v": True, "enable_moe_block": True, "hidden_size_per_layer_input": 0, "moe_intermediate_size": 8, "num_experts": 4,
            "num_global_key_value_heads": 2, "num_kv_shared_layers": 0, "top_k_experts": 2},
        "vision_config": {"hidden_size": 1152, "model_type": "gemma4_vision", "num_hidden_layers": 27}}),
    "recurrent_gemma": ("google/recurrentgemma-2b", but(
        "max_position_embeddings", "rope_theta", "hidden_act", architectures=["RecurrentGemmaForCausalLM"], attention_bias=False,
        attention_window_size=6, block_types=["recurrent", "recurrent", "attention"], conv1d_width=4, eos_token_id=1, head_dim=6,
        hidden_activation="gelu_pytorch_tanh", logits_soft_cap=30.0, lru_width=24, model_type="recurrent_gemma", num_hidden_layers=3,
        num_key_value_heads=1, pad_token_id=0, partial_rotary_factor=0.5, rope_theta=10000.0, w_init_variance_scale=0.01)),
    "zamba": ("Zyphra/Zamba-7B-v1", but(
        "attention_bias", "rope_theta", architectures=["ZambaForCausalLM"], attn_layer_offset=1, attn_layer_period=2, attention_head_dim=12,
        attention_hidden_size=48, hidden_act="gelu", hidden_mamba_act="silu", layers_block_type=["mamba", "hybrid", "hybrid"], mamba_conv_bias=True,
        mamba_d_conv=4, mamba_d_state=4, mamba_dt_rank=3, mamba_expand=2, mamba_proj_bias=False, model_type="zamba", n_mamba_heads=2,
        num_hidden_layers=3, num_key_value_heads=4, num_logits_to_keep=1, pad_token_id=0, rms_norm_eps=1e-5, time_step_floor=0.0001,
        time_step_max=0.1, time_step_min=0.001, tie_word_embeddings=True, use_mamba_kernels=True)),
    "minimax": ("MiniMaxAI/MiniMax-Text-01-hf", but(
        "attention_bias", architectures=["MiniMaxForCausalLM"], block_size=8, full_attn_alpha_factor=3.5565588200778455,
        full_attn_beta_factor=1.0, head_dim=8, intermediate_size=16, layer_types=["linear_attention", "full_attention"],
        linear_attn_alpha_factor=3.5565588200778455, linear_attn_beta_factor=1.0, mlp_alpha_factor=3.5565588200778455, mlp_beta_factor=1.0,
        model_type="minimax", num_experts_per_tok=2, num_local_experts=4, output_router_logits=False, partial_rotary_factor=0.5,
        rms_norm_eps=1e-5, rope_theta=10000000, router_aux_loss_coef=0.001, sliding_window=None, tie_word_embeddings=False)),
    "olmo_hybrid": ("allenai/Olmo-Hybrid-7B", but(
        "rope_theta", architectures=["OlmoHybridForCausalLM"], layer_types=["linear_attention", "full_attention"],
        linear_allow_neg_eigval=True, linear_conv_kernel_dim=4, linear_key_head_dim=4, linear_num_key_heads=4, linear_num_value_heads=4,
        linear_value_head_dim=8, model_type="olmo_hybrid", num_key_value_heads=4, pad_token_id=0,
        rope_parameters={"rope_theta": None, "rope_type": "default"}, tie_word_embeddings=False)),
    "kimi_linear": ("moonshotai/Kimi-Linear-48B-A3B-Instruct", but(
        "attention_bias", "attention_dropout", "max_position_embeddings", architectures=["KimiLinearForCausalLM"], first_k_dense_replace=1,
        head_dim=10, kv_lora_rank=8, linear_attn_config={"full_attn_layers": [2], "head_dim": 6, "kda_layers": [1], "num_heads": 4,
                                                         "short_conv_kernel_size": 4},
        mla_use_nope=True, model_max_length=1048576, model_type="kimi_linear", moe_intermediate_size=12, moe_layer_freq=1, moe_renormalize=True,
        moe_router_activation_func="sigmoid", num_expert_group=1, num_experts=4, num_experts_per_token=2, num_key_value_heads=4,
        num_nextn_predict_layers=0, num_shared_experts=1, pad_token_id=0, q_lora_rank=None, qk_nope_head_dim=6, qk_rope_head_dim=4,
        rms_norm_eps=1e-5, rope_scaling=None, routed_scaling_factor=2.446, tie_word_embeddings=False, topk_group=1, use_grouped_topk=True,
        v_head_dim=5)),
    "arcee": ("arcee-ai/AFM-4.5B", tiny(
        architectures=["ArceeForCausalLM"], head_dim=4, hidden_act="relu2", mlp_bias=False, model_type="arcee", rms_norm_eps=1e-5,
        rope_scaling={"beta_fast": 32, "beta_slow": 1, "factor": 20, "mscale": 1, "original_max_position_embeddings": 16, "rope_type": "yarn",
                      "type": "yarn"}, tie_word_embeddings=False)),
    "seed_oss": ("ByteDance-Seed/Seed-OSS-36B-Instruct", tiny(
        architectures=["SeedOssForCausalLM"], attention_bias=True, attention_dropout=0.1, attention_out_bias=False, head_dim=6, mlp_bias=False,
        model_type="seed_oss", pad_token_id=1, residual_dropout=0.1, rope_scaling={"rope_type": "default"}, rope_theta=10000000.0,
        tie_word_embeddings=False)),
    "ernie4_5": ("baidu/ERNIE-4.5-0.3B-PT", tiny(
        "attention_bias", "attention_dropout", architectures=["Ernie4_5ForCausalLM"], head_dim=6, model_type="ernie4_5", pad_token_id=0,
        rms_norm_eps=1e-5, rope_scaling=None, rope_theta=500000.0, tie_word_embeddings=True, use_bias=False)),
    "helium": ("kyutai/helium-1-2b", tiny(
        architectures=["HeliumForCausalLM"], head_dim=4, mlp_bias=False, model_type="helium", pad_token_id=3, rms_norm_eps=1e-8, rope_theta=100000.0,
        tie_word_embeddings=False)),
    "exaone4": ("LGAI-EXAONE/EXAONE-4.0-32B", tiny(
        "attention_bias", architectures=["Exaone4ForCausalLM"], head_dim=4, layer_types=["sliding_attention", "full_attention"], model_type="exaone4",
        pad_token_id=0, rms_norm_eps=1e-5, rope_scaling={
            "factor": 16.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 16, "rope_type": "llama3"},
        rope_theta=1000000, sliding_window=3, sliding_window_pattern="LG", tie_word_embeddings=False)),
    "gpt_neo": ("EleutherAI/gpt-neo-1.3B", tiny_gpt2(
        activation_function="gelu_new", architectures=["GPTNeoForCausalLM"], attention_dropout=0, attention_layers=["global", "local"],
        attention_types=[[["global", "local"], 1]], embed_dropout=0, gradient_checkpointing=False, hidden_size=8, intermediate_size=None,
        max_position_embeddings=64, model_type="gpt_neo", num_heads=2, num_layers=2, resid_dropout=0, summary_activation=None,
        summary_first_dropout=0.1, summary_proj_to_labels=True, summary_type="cls_index", summary_use_proj=True, window_size=3)),
    "gptj": ("EleutherAI/gpt-j-6b", tiny_gpt2(**GPTJ | {"architectures": ["GPTJForCausalLM"], "model_type": "gptj", "n_head": 2,
                                                        "rotary": True, "rotary_dim": 2})),
    "codegen": ("Salesforce/codegen-350M-mono", tiny_gpt2(**GPTJ | {"architectures": ["CodeGenForCausalLM"], "model_type": "codegen",
                                                                    "n_head": 4, "rotary_dim": 2})),
    "gpt_bigcode": ("bigcode/starcoder", tiny_gpt2(
        activation_function="gelu", architectures=["GPTBigCodeForCausalLM"], attention_softmax_in_fp32=True, attn_pdrop=0.1, embd_pdrop=0.1,
        inference_runner=0, max_batch_size=None, max_sequence_length=None, model_type="gpt_bigcode", multi_query=True, n_embd=8, n_head=2, n_inner=12,
        n_layer=2, n_positions=64, pad_key_length=True, pre_allocate_kv_cache=False, resid_pdrop=0.1, scale_attention_softmax_in_fp32=True,
        scale_attn_weights=True, summary_activation=None, summary_first_dropout=0.1, summary_proj_to_labels=True, summary_type="cls_index",
        summary_use_proj=True, validate_runner_input=True)),
    "apertus": ("swiss-ai/Apertus-8B-Instruct-2509", tiny(
        architectures=["ApertusForCausalLM"], hidden_act="xielu", mlp_bias=False, model_type="apertus", pad_token_id=3, post_norm=False, qk_norm=True,
        rms_norm_eps=1e-5, rope_scaling={"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 16,
                                         "rope_type": "llama3", "type": "llama3"}, rope_theta=12000000, tie_word_embeddings=False)),
    "hunyuan_v1_dense": ("tencent/Hunyuan-1.8B-Instruct", tiny(
        architectures=["HunYuanDenseV1ForCausalLM"], attention_head_dim=4, eod_token_id=3, head_dim=4, model_type="hunyuan_v1_dense", pad_token_id=0,
        pretraining_tp=1, rms_norm_eps=1e-5, rope_scaling={
            "alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0, "type": "dynamic"},
        tie_word_embeddings=True, use_cla=False, use_qk_norm=True)),
    "nanochat": ("karpathy/nanochat-d32", tiny(
        "rope_theta", architectures=["NanoChatForCausalLM"], final_logit_softcapping=15.0, hidden_act="relu2", model_type="nanochat",
        num_key_value_heads=2, pad_token_id=1, rope_parameters={"rope_theta": 10000.0, "rope_type": "default"}, tie_word_embeddings=False)),
    "glm4_moe": ("zai-org/GLM-4.5-Air", tiny(
        architectures=["Glm4MoeForCausalLM"], attention_bias=True, first_k_dense_replace=1, head_dim=4, model_type="glm4_moe", moe_intermediate_size=4,
        n_group=1, n_routed_experts=4, n_shared_experts=1, norm_topk_prob=True, num_experts_per_tok=2, num_nextn_predict_layers=1, pad_token_id=3,
        partial_rotary_factor=0.5, rms_norm_eps=1e-5, rope_scaling=None, rope_theta=1000000, routed_scaling_factor=1.5, tie_word_embeddings=False,
        topk_group=1, use_qk_norm=True)),
    "dots1": ("rednote-hilab/dots.llm1.inst", tiny(
        architectures=["Dots1ForCausalLM"], first_k_dense_replace=1, max_window_layers=2, model_type="dots1", moe_intermediate_size=4, moe_layer_freq=1,
        n_group=2, n_routed_experts=4, n_shared_experts=2, norm_topk_prob=True, num_experts_per_tok=2, pretraining_tp=1, rms_norm_eps=1e-5,
        rope_scaling=None, routed_scaling_factor=2.5, scoring_func="noaux_tc", sliding_window=None, tie_word_embeddings=False, topk_group=1)),
    "ernie4_5_moe": ("baidu/ERNIE-4.5-21B-A3B-PT", tiny(
        "attention_bias", "attention_dropout", architectures=["Ernie4_5_MoeForCausalLM"], model_type="ernie4_5_moe", moe_capacity=[64, 64, 64],
        moe_gate="topk", moe_intermediate_size=4, moe_k=2, moe_layer_end_index=1, moe_layer_interval=1, moe_layer_start_index=1, moe_num_experts=4,
        moe_num_shared_experts=2, moe_use_aux_free=True, num_nextn_predict_layers=1, pad_token_id=0, rms_norm_eps=1e-5, rope_scaling=None,
        rope_theta=500000.0, tie_word_embeddings=True, use_bias=False, use_rmsnorm=True)),
    "minimax_m2": ("MiniMaxAI/MiniMax-M2", tiny(
        "attention_bias", architectures=["MiniMaxM2ForCausalLM"], attn_type_list=[1], head_dim=4, intermediate_size=4, layernorm_full_attention_beta=1.0,
        layernorm_linear_attention_beta=1.0, layernorm_mlp_beta=1.0, mlp_intermediate_size=12, model_type="minimax_m2", mtp_transformer_layers=1,
        num_experts_per_tok=2, num_hidden_layers=2, num_local_experts=3, num_mtp_modules=3, output_router_logits=False, qk_norm_type="per_layer",
        rope_theta=5000000, rotary_dim=2, router_aux_loss_coef=0.001, router_jitter_noise=0.0, scoring_func="sigmoid", shared_intermediate_size=0,
        shared_moe_mode="sigmoid", sliding_window=None, tie_word_embeddings=False, use_mtp=True, use_qk_norm=True, use_routing_bias=True)),
    "deepseek_v32": ("deepseek-ai/DeepSeek-V3.2-Exp", tiny(
        architectures=["DeepseekV32ForCausalLM"], ep_size=1, first_k_dense_replace=1, index_head_dim=4, index_n_heads=2, index_topk=64, kv_lora_rank=4,
        model_type="deepseek_v32", moe_intermediate_size=4, moe_layer_freq=1, n_group=2, n_routed_experts=4, n_shared_experts=1, norm_topk_prob=True,
        num_experts_per_tok=2, num_key_value_heads=2, num_nextn_predict_layers=1, q_lora_rank=6, qk_nope_head_dim=2, qk_rope_head_dim=2,
        routed_scaling_factor=2.5, rope_scaling={"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
                                                 "original_max_position_embeddings": 16, "type": "yarn"}, scoring_func="sigmoid",
        tie_word_embeddings=False, topk_group=1, topk_method="noaux_tc", v_head_dim=3)),
    "llama4_text": ("meta-llama/Llama-4-Scout-17B-16E-Instruct", tiny(
        architectures=["Llama4ForCausalLM"], attention_chunk_size=64, attn_scale=0.1, attn_temperature_tuning=True, floor_scale=64, head_dim=4,
        interleave_moe_layer_step=2, intermediate_size=4, intermediate_size_mlp=12, model_type="llama4_text", moe_layers=[1], no_rope_layers=[1, 0],
        num_experts_per_tok=1, num_local_experts=4, output_router_logits=False, pad_token_id=3, rms_norm_eps=1e-5, rope_scaling={
            "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 16, "rope_type": "llama3"},
        rope_theta=500000.0, router_aux_loss_coef=0.001, router_jitter_noise=0.0, tie_word_embeddings=False, use_qk_norm=True)),
    "xlstm": ("NX-AI/xLSTM-7b", {
        "add_out_norm": True, "architectures": ["xLSTMForCausalLM"], "autocast_kernel_dtype": "bfloat16", "bos_token_id": 0, "chunk_size": 64,
        "chunkwise_kernel": "chunkwise--native_autograd", "embedding_dim": 32, "eos_token_id": 2, "eps": 1e-6, "ffn_proj_factor": 2.667,
        "ffn_round_up_to_multiple_of": 16, "gate_soft_cap": 15.0, "head_dim": 8, "hidden_size": 32, "inference_state_dtype": "float32",
        "mode": "inference", "model_type": "xlstm", "norm_eps": 1e-6, "norm_reduction_force_float32": True, "num_blocks": 2, "num_heads": 4,
        "num_hidden_layers": 2, "output_logit_soft_cap": 30.0, "pad_token_id": 1, "qk_dim_factor": 0.5, "return_last_states": True,
        "sequence_kernel": "native_sequence__native", "step_kernel": "native", "tie_word_embeddings": False, "torch_dtype": "float32",
        "use_bias": False, "use_cache": True, "v_dim_factor": 1.0, "vocab_size": 48, "weight_mode": "single"}),
}
# The layer of attention of which a head is taken out, where it is not 1.
HEADS = {"nemotron_h": 2, "nemotron_h_moe": 2, "recurrent_gemma": 2}
# Another head to take out, of a recurrent layer: layer, head, all of them.
RECURRENT = {"lfm2": (0, 5, 24), "lfm2_moe": (0, 5, 24), "nemotron_h": (0, 3, 8), "nemotron_h_moe": (0, 3, 8), "recurrent_gemma": (1, 7, 24),
             "minimax": (0, 2, 4), "zamba": (0, 7, 48), "olmo_hybrid": (0, 2, 4), "kimi_linear": (0, 2, 4)}
# What the heads' output projections are called.
OUTPUTS = {"o_proj", "out_proj", "c_proj", "dense", "linear_out"}


def gain_of(name):
    """Of random weights. Zamba's layers, which norm what was written before, make much of rounding errors."""
    return 0.8 if name.startswith("zamba") else 1.3


def randomize(model, seed=11, gain=1.3):
    """Weights large enough for every option to matter."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=generator)
            if name.endswith("recurrent_param"):
                p.copy_(noise * 0.5 - 2)
            elif "dt_bias" in name or "dt_proj.bias" in name:
                p.copy_(noise * 0.7 - 1)
            elif name.endswith("A_log"):
                pass
            elif p.dim() >= 2 and "norm" not in name:
                p.copy_(noise * (1.0 if "embed" in name else gain / math.sqrt(p.shape[-1])))
            elif name.endswith("bias"):
                p.copy_(noise * 0.2)
            else:
                p.add_(noise * 0.25)
            p.copy_(p.bfloat16())  # what the file holds
        for name, buffer in model.named_buffers():
            if name.endswith("layer_scalar"):
                buffer.copy_((0.6 + 0.4 * torch.rand(buffer.shape, generator=generator)).bfloat16())
            if name.endswith(("e_score_correction_bias", "expert_bias")):
                buffer.copy_((torch.rand(buffer.shape, generator=generator) * 0.3).bfloat16())
    model.tie_weights()


def with_one_alibi(model):
    """Falcon's eager path adds ALiBi to the scores and to the mask too; its default path, as which the models were trained, once."""
    if getattr(model.config, "alibi", False):
        for module in model.modules():
            if type(module).__name__ == "FalconAttention":
                module.register_forward_pre_hook(lambda _, args, more: (args, more | {"alibi": torch.zeros_like(more["alibi"])}), with_kwargs=True)
    return model


def layers_of(model):
    return next(module for path, module in model.named_modules() if path.endswith(("layers", ".h", ".blocks")))


def attention_layers(model):
    def attends(module):
        kind = type(module).__name__
        return kind.endswith("Attention") and not kind.endswith(("LightningAttention", "DeltaAttention"))

    return [index for index, layer in enumerate(layers_of(model)) if any(map(attends, layer.modules()))]


def patterns_of(model, attentions, length):
    """Those of the attention layers; none where a layer of another kind gives something of the same shape."""
    patterns = [one for one in attentions or [] if one is not None and one.dim() == 4 and one.shape[-2:] == (length, length)]
    layers = attention_layers(model)
    return {f"attn.L{layer}": pattern for layer, pattern in zip(layers, patterns)} if len(layers) == len(patterns) else {}


def output_of(layer, attention):
    """The output projection of the heads of a layer; of its attention or of the other mixer, where it has both."""
    found = {path: module for path, module in layer.named_modules() if path.split(".")[-1] in OUTPUTS and not re.search("mlp|feed_forward|expert", path)}
    return found.popitem()[1] if len(found) == 1 else next(module for path, module in found.items() if ("attn" in path) == attention)


def without_head(model, index, head, heads, ids, attention=True):
    """The logits with one head's slice of z at zero."""
    layer, running = layers_of(model)[index], []

    def cut(module, args):
        z = args[0].clone()
        width = z.shape[-1] // heads
        z[..., head * width:(head + 1) * width] *= 0 if running else 1
        return (z, *args[1:])

    # Shared blocks run in other layers too.
    hooks = [layer.register_forward_pre_hook(lambda *_: running.append(0)), layer.register_forward_hook(lambda *_: running.clear()),
             output_of(layer, attention).register_forward_pre_hook(cut)]
    logits = model(ids, use_cache=False).logits
    for hook in hooks:
        hook.remove()
    return logits


def without_expert(model, layer, expert, ids):
    """The logits with what one expert writes at zero, as the weights say it; None where the layer has no experts."""
    written = [p for name, p in layers_of(model)[layer].named_parameters()
               if "experts" in name and "shared" not in name and ("down_proj" in name or "output" in name)]
    if not written:
        return None
    kept = [p.clone() for p in written]
    for p in written:
        p[expert] = 0
    logits = model(ids, use_cache=False).logits
    for p, old in zip(written, kept):
        p.copy_(old)
    return logits


def greedy(model, ids):
    for _ in range(GREEDY):
        ids = torch.cat([ids, model(ids, use_cache=False).logits[:, -1].argmax(-1, keepdim=True)], 1)
    return ids[:, -GREEDY:].contiguous()


def saved(model, folder):
    """The tensors under the names that transformers saves, where it has written its config too."""
    model.save_pretrained(folder)
    stored = load_file(folder / "model.safetensors")
    for key in [key for key in stored if key.endswith("q_conv1d.weight")]:  # saved in three parts of one size, whatever their own
        names = [key.replace("q_conv1d", one + "_conv1d") for one in "qkv"]
        keys = stored[key.replace("q_conv1d", "q_proj")].shape[0]
        whole = torch.cat([stored[one] for one in names])
        stored |= dict(zip(names, torch.split(whole, [keys, keys, len(whole) - 2 * keys])))
    return stored


def make(name):
    _, fields = FAMILIES[name]
    folder = HUB / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(fields, indent=1, sort_keys=True) + "\n")
    text = fields.get("text_config")
    config = AutoConfig.for_model(**text) if text else AutoConfig.from_pretrained(folder)
    torch.manual_seed(0)
    model = with_one_alibi(AutoModelForCausalLM.from_config(config, attn_implementation="eager", dtype=torch.float32).eval())
    randomize(model, gain=gain_of(name))
    vocabulary = config.get_text_config().vocab_size
    length = SHORT if vocabulary == TINY["vocab_size"] else TOKENS
    ids = torch.randint(1, vocabulary, (2, length), generator=torch.Generator().manual_seed(7))
    with torch.no_grad():
        found = model(ids, use_cache=False, output_attentions=True)
        expected = {"input_ids": ids, "logits": found.logits}
        expected |= patterns_of(model, getattr(found, "attentions", None), length)
        sizes = config.get_text_config()
        taken = [(HEADS.get(name, 1), 0, sizes.num_heads if name == "xlstm" else sizes.num_attention_heads)]
        for layer, head, heads in taken + ([RECURRENT[name]] if name in RECURRENT else []):
            letter = "A" if name == "zamba" and layer == 1 else "H"
            expected[f"logits.ablate.L{layer}{letter}{head}"] = without_head(model, layer, head, heads, ids)[:, -8:]
        cut = without_expert(model, 1, 1, ids)
        if cut is not None:
            expected["logits.ablate.L1X1"] = cut[:, -8:]
        expected["greedy"] = greedy(model, ids)
    with tempfile.TemporaryDirectory() as place:
        stored = saved(model, pathlib.Path(place))
    if text:  # as the folder of the whole model calls them
        place = {"gemma3": "language_model.model."}.get(name, "model.language_model.")
        stored = {place + key[6:] if key.startswith("model.") else key: value for key, value in stored.items()}
        stored["vision_tower.patch"] = torch.zeros(4)
    save_file({key: value.bfloat16() for key, value in stored.items()}, folder / "model.safetensors")
    save_file({key: value.contiguous() for key, value in expected.items()}, folder / "expected.safetensors")
    size = sum(file.stat().st_size for file in folder.iterdir()) // 1024
    print(f"{name}: {size} KiB, logits to {found.logits.abs().max():.1f}, {sorted(expected)}", flush=True)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or FAMILIES:
        make(chosen)
