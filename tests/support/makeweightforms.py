#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make tests/data/forms: the weights of golden models in other forms than safetensors. A developer's tool.

In a virtual environment with `pip install torch==2.11.0 gguf==0.19.0 numpy`:

    python tests/support/makeweightforms.py torch | gguf

torch  mamba, mamba2: the golden models as the official state-spaces repositories lay them out (pytorch_model.bin and a
       config.json of theirs). tensors.pt: views, strides, shared storages and dtypes; tensors.safetensors: the same numbers
       laid out plainly. shards: a small table in two files with an index.
gguf   NAME.gguf: golden models as llama.cpp's its converter writes them (order of rotary rows, norms, A, names).
       blocks.gguf and blocks.safetensors: random blocks of each quantised type, and what gguf's own code makes of them.

tests/data/versions.json says which versions made them. All numbers are the golden models' or random.
"""
import json
import pathlib
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from makegoldens import remember  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
GOLDEN = DATA / "golden"
FORMS = DATA / "forms"
NUMPY = {"F32": np.float32, "F16": np.float16, "I64": np.int64, "BF16": np.uint16, "F64": np.float64, "U8": np.uint8}
NAMES = {np.dtype(kind): name for name, kind in NUMPY.items() if name != "BF16"}


def read_safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[8 + size + info["data_offsets"][0]:8 + size + info["data_offsets"][1]],
                                NUMPY[info["dtype"]]).reshape(info["shape"]) for name, info in header.items()}


def write_safetensors(path, arrays, bf16=()):
    header, blobs, at = {}, [], 0
    for name, array in arrays.items():
        blob = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": "BF16" if name in bf16 else NAMES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


# --- PyTorch ----------------------------------------------------------------------------------------------------------

def state_spaces(name):
    """The names of state-spaces/mamba, and the tensors as torch holds them."""
    import torch

    tensors = {key.replace("backbone.embeddings.", "backbone.embedding."): torch.from_numpy(value.copy())
               for key, value in read_safetensors(GOLDEN / name / "model.safetensors").items()}
    if "lm_head.weight" not in tensors:  # tied there: two names of one storage
        tensors["lm_head.weight"] = tensors["backbone.embedding.weight"]
    config = json.loads((GOLDEN / name / "config.json").read_text())
    ssm = {"d_state": config["state_size"], "d_conv": config["conv_kernel"], "expand": config["expand"]}
    if name == "mamba2":
        ssm |= {"layer": "Mamba2", "headdim": config["head_dim"], "ngroups": config["n_groups"],
                "chunk_size": config["chunk_size"]}
    else:
        ssm |= {"dt_rank": config["time_step_rank"]}
    return tensors, {"d_model": config["hidden_size"], "n_layer": config["num_hidden_layers"],
                     "vocab_size": config["vocab_size"] - 3, "ssm_cfg": ssm, "rms_norm": True, "residual_in_fp32": True,
                     "fused_add_norm": True, "pad_vocab_size_multiple": 8,
                     "tie_embeddings": config.get("tie_word_embeddings", True)}


def make_torch():
    import torch

    for name in ("mamba", "mamba2"):
        folder = FORMS / name
        folder.mkdir(parents=True, exist_ok=True)
        tensors, config = state_spaces(name)
        torch.save(tensors, folder / "pytorch_model.bin")
        (folder / "config.json").write_text(json.dumps(config) + "\n")
    generator = torch.Generator().manual_seed(1)
    base = torch.rand(6, 10, generator=generator)
    odd = {"whole": base, "transposed": base.t(), "slice": base[1:5, 2:7], "column": base[:, 3], "steps": base[::2, ::3],
           "expanded": base[2:3, :4].expand(5, 4), "scalar": base[4, 4], "empty": base[:0], "permuted":
           torch.rand(2, 3, 4, generator=generator).permute(2, 0, 1), "half": base.half()[1:].t(),
           "brain": base.bfloat16()[:, 1:].t(), "double": base.double(), "integers": torch.arange(12).view(3, 4).t(),
           "parameter": torch.nn.Parameter(base.t())}
    torch.save({"state_dict": {"part": {}, **odd}, "epoch": 3, "loss": 0.5, "note": "trained here", "steps": [1, 2]},
               FORMS / "tensors.pt")
    plain = {}
    for key, value in odd.items():
        value = value.detach().contiguous()
        plain[key] = value.view(torch.int16).numpy().view(np.uint16) if value.dtype == torch.bfloat16 else value.numpy()
    write_safetensors(FORMS / "tensors.safetensors", plain, bf16=("brain",))
    shards = FORMS / "shards"
    shards.mkdir(exist_ok=True)
    torch.save({"a": base, "b": base.t()}, shards / "pytorch_model-00001-of-00002.bin")
    torch.save({"c": base[0]}, shards / "pytorch_model-00002-of-00002.bin")
    (shards / "pytorch_model.bin.index.json").write_text(json.dumps({
        "metadata": {"total_size": 520}, "weight_map": {"a": "pytorch_model-00001-of-00002.bin",
                                                        "b": "pytorch_model-00001-of-00002.bin",
                                                        "c": "pytorch_model-00002-of-00002.bin"}}) + "\n")
    remember("forms/torch", "torch")


# --- GGUF -------------------------------------------------------------------------------------------------------------

def permute(weights, heads):
    """LlamaModel.permute of its converter."""
    return (weights.reshape(heads, 2, weights.shape[0] // heads // 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape))


DECODER = [("model.embed_tokens", "token_embd"), ("model.norm", "output_norm"), ("lm_head", "output"),
           ("post_feedforward_layernorm", "post_ffw_norm"), ("pre_feedforward_layernorm", "ffn_norm"),
           ("input_layernorm", "attn_norm"), ("self_attn.q_proj", "attn_q"), ("self_attn.k_proj", "attn_k"),
           ("self_attn.v_proj", "attn_v"), ("self_attn.o_proj", "attn_output"), ("self_attn.q_norm", "attn_q_norm"),
           ("self_attn.k_norm", "attn_k_norm"), ("mlp.gate_proj", "ffn_gate"), ("mlp.up_proj", "ffn_up"),
           ("mlp.down_proj", "ffn_down"), ("model.layers.", "blk.")]
GPT2 = [("attn.c_attn", "attn_qkv"), ("attn.c_proj", "attn_output"), ("mlp.c_fc", "ffn_up"), ("mlp.c_proj", "ffn_down"),
        ("ln_1", "attn_norm"), ("ln_2", "ffn_norm"), ("ln_f", "output_norm"), ("wte", "token_embd"), ("wpe", "position_embd"),
        ("h.", "blk.")]
MAMBA = [("backbone.embeddings", "token_embd"), ("backbone.norm_f", "output_norm"), ("lm_head", "output"),
         ("mixer.in_proj", "ssm_in"), ("mixer.conv1d", "ssm_conv1d"), ("mixer.x_proj", "ssm_x"), ("mixer.dt_proj", "ssm_dt"),
         ("mixer.dt_bias", "ssm_dt.bias"), ("mixer.A_log", "ssm_a"), ("mixer.D", "ssm_d"), ("mixer.norm", "ssm_norm"),
         ("mixer.out_proj", "ssm_out"), ("backbone.layers.", "blk."), (".norm.", ".attn_norm.")]


def renamed(name, table):
    for ours, theirs in table:
        name = name.replace(ours, theirs)
    return name


def converted(model, name, value, config):
    """Name and numbers as the converter writes them; None for what it leaves out."""
    if model == "gpt2":
        if name.endswith((".attn.bias", ".attn.masked_bias")):
            return None
        return renamed(name.removeprefix("transformer."), GPT2), value.T if ".c_" in name and value.ndim == 2 else value
    if "mamba" in model:
        if name.endswith("A_log"):
            value = -np.exp(value)
        if "conv1d.weight" in name:
            value = value[:, 0]
        if model == "mamba2" and name.endswith(("A_log", "mixer.D")):
            value = value[:, None]
        if name.endswith("mixer.norm.weight"):
            value = value.reshape(config["n_groups"], -1)
        return renamed(name, MAMBA), value
    if model == "llama" and "q_proj" in name:
        value = permute(value, config["num_attention_heads"])
    if model == "llama" and "k_proj" in name:
        value = permute(value, config["num_key_value_heads"])
    if model == "gemma2" and name.endswith("norm.weight"):
        value = value + 1
    table = [(ours, "post_attention_norm" if model == "gemma2" else "ffn_norm") if ours == "post_attention_layernorm"
             else (ours, theirs) for ours, theirs in [("post_attention_layernorm", ""), *DECODER]]
    return renamed(name, table), value


def add_config(writer, model, config):
    """The keys that gguf's writer has for it."""
    arch = writer.arch
    writer.add_block_count(config.get("num_hidden_layers") or config["n_layer"])
    writer.add_embedding_length(config.get("hidden_size") or config["n_embd"])
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])
    if "mamba" in model:
        writer.add_context_length(2**20)
        writer.add_layer_norm_rms_eps(config["layer_norm_epsilon"])
        inner = config.get("intermediate_size") or config["expand"] * config["hidden_size"]
        writer.add_ssm_conv_kernel(config["conv_kernel"])
        writer.add_ssm_inner_size(inner)
        writer.add_ssm_state_size(config["state_size"])
        writer.add_ssm_time_step_rank(config["num_heads"] if model == "mamba2" else config["time_step_rank"])
        if model == "mamba2":
            writer.add_ssm_group_count(config["n_groups"])
        if model == "falcon_mamba":
            writer.add_ssm_dt_b_c_rms(True)
        return
    if model == "gpt2":
        writer.add_context_length(config["n_positions"])
        writer.add_feed_forward_length(4 * config["n_embd"])
        writer.add_head_count(config["n_head"])
        writer.add_layer_norm_eps(config["layer_norm_epsilon"])
        return
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    if config.get("head_dim"):
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])
    if model == "gemma2":
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])
        writer.add_sliding_window(config["sliding_window"])
    assert arch


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make_model(model, kind):
    import gguf

    config = json.loads((GOLDEN / model / "config.json").read_text())
    writer = gguf.GGUFWriter(FORMS / f"{model}.gguf", {"falcon_mamba": "mamba"}.get(model, model))
    add_config(writer, model, config)
    for name, value in read_safetensors(GOLDEN / model / "model.safetensors").items():
        new = converted(model, name, value, config)
        if new and new[1].ndim == 2 and kind != "F32":
            wanted = gguf.GGMLQuantizationType[kind]
            writer.add_tensor(new[0], gguf.quants.quantize(np.ascontiguousarray(new[1]), wanted), raw_dtype=wanted)
        elif new:
            writer.add_tensor(new[0], np.ascontiguousarray(new[1], dtype=np.float32))
    finish(writer)


EXPERTS = {"mixtral": "llama", "qwen2_moe": "qwen2moe", "qwen3_moe": "qwen3moe"}


def make_experts(model):
    """A golden model with experts, whose maps are one tensor in the file."""
    import gguf

    golden = GOLDEN / "hub" / model
    config = json.loads((golden / "config.json").read_text())
    writer = gguf.GGUFWriter(FORMS / f"{model}.gguf", EXPERTS[model])
    add_config(writer, model, config)
    writer.add_expert_count(config.get("num_local_experts") or config["num_experts"])
    writer.add_expert_used_count(config["num_experts_per_tok"])
    if "moe_intermediate_size" in config:
        writer.add_expert_feed_forward_length(config["moe_intermediate_size"])
    if "shared_expert_intermediate_size" in config:
        writer.add_expert_shared_feed_forward_length(config["shared_expert_intermediate_size"])
    stacked = {}
    for name, value in read_safetensors(golden / "model.safetensors").items():
        value = (value.astype(np.uint32) << 16).view(np.float32) if value.dtype == np.uint16 else value
        for ours, theirs in (("block_sparse_moe.gate.", "ffn_gate_inp."), ("mlp.gate.", "ffn_gate_inp."), (".w1.", ".ffn_gate_exps."),
                             (".w2.", ".ffn_down_exps."), (".w3.", ".ffn_up_exps."), ("mlp.shared_expert_gate", "ffn_gate_inp_shexp"),
                             *((f"mlp.shared_expert.{part}_proj", f"ffn_{part}_shexp") for part in ("gate", "up", "down")),
                             *((f".{part}_proj.", f".ffn_{part}_exps.") for part in ("gate", "up", "down") if ".experts." in name)):
            name = name.replace(ours, theirs)
        if ".experts." in name:
            before, _, after = name.replace("block_sparse_moe.", "").replace("mlp.", "").partition("experts.")
            expert, _, kind = after.partition(".")
            stacked.setdefault(before.replace("model.layers.", "blk.") + kind, {})[int(expert)] = value
        else:
            kind, numbers = converted({"mixtral": "llama"}.get(model, model), name, value, config)
            writer.add_tensor(kind, np.ascontiguousarray(numbers.squeeze() if "inp_shexp" in kind else numbers))
    for name, experts in stacked.items():
        writer.add_tensor(name, np.stack([experts[i] for i in range(len(experts))]))
    finish(writer)


def make_blocks():
    """Random blocks: every bit pattern of the numbers, scales of a sensible size."""
    import gguf

    rng = np.random.default_rng(1)
    writer, expected = gguf.GGUFWriter(FORMS / "blocks.gguf", "llama"), {}
    scales = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q4_K": [0, 2], "Q5_K": [0, 2],
              "Q6_K": [208], "F16": [0], "BF16": [0], "Q2_K": [80, 82], "Q3_K": [108], "IQ4_NL": [0], "IQ4_XS": [0], "MXFP4": []}
    for layer, (name, places) in enumerate(scales.items()):
        kind = gguf.GGMLQuantizationType[name]
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = rng.integers(0, 256, (6, 256 // elements, size), dtype=np.uint8)
        for place in places:
            blocks[:, :, place:place + 2] = rng.normal(0, 0.01, blocks.shape[:2]).astype(np.float16)[..., None].view(np.uint8)
        if name == "MXFP4":
            blocks[:, :, 0] = blocks[:, :, 0] % 8 + 118
        blocks = blocks.reshape(6, -1)
        writer.add_tensor(f"blk.{layer}.ffn_up.weight", blocks, raw_dtype=kind)
        expected[f"model.layers.{layer}.mlp.up_proj.weight"] = gguf.quants.dequantize(blocks, kind).astype(np.float32)
    finish(writer)
    write_safetensors(FORMS / "blocks.safetensors", expected)


def make_vocabulary(kind, model, pre):
    """The golden tokenizer's vocabulary as the converter writes it."""
    import gguf

    file = json.loads((DATA / "tokenizers" / kind / "tokenizer.json").read_text())
    added = {token["id"]: token for token in file["added_tokens"]}
    tokens = {id: token for token, id in file["model"]["vocab"].items()} | {id: token["content"] for id, token in added.items()}
    texts = [tokens[id] for id in range(len(tokens))]
    types = [gguf.TokenType.NORMAL if id not in added else
             gguf.TokenType.CONTROL if added[id]["special"] else gguf.TokenType.USER_DEFINED for id in range(len(texts))]
    writer = gguf.GGUFWriter(FORMS / f"vocabulary-{kind}.gguf", "llama")
    writer.add_tokenizer_model(model)
    writer.add_token_list(texts)
    if model == "llama":
        types = [gguf.TokenType.UNKNOWN if text == "<unk>" else gguf.TokenType.BYTE if text.startswith("<0x") else kind
                 for text, kind in zip(texts, types)]
        writer.add_token_scores([-float(id) for id in range(len(texts))])
    else:
        writer.add_tokenizer_pre(pre)
        writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in file["model"]["merges"]])
    writer.add_token_types(types)
    first = {"llama2": "<s>", "llama3": "<|begin_of_text|>"}.get(kind)
    if first:
        writer.add_bos_token_id(texts.index(first))
        writer.add_add_bos_token(True)
    if kind == "llama3":  # generate_extra_tensors of its converter, for Llama 3.1
        writer.add_rope_freq_base(500000.0)
        waves = 2 * np.pi * 500000.0 ** (np.arange(0, 128, 2) / 128)
        smooth = (8192 / waves - 1) / 3
        factors = np.where(waves < 2048, 1, np.where(waves > 8192, 8, 1 / ((1 - smooth) / 8 + smooth)))
        writer.add_tensor("rope_freqs.weight", factors.astype(np.float32))
    finish(writer)


def make_gguf():
    for model, kind in {"llama": "F32", "qwen2": "BF16", "qwen3": "BF16", "gemma2": "F16", "gpt2": "F32", "mamba": "F32",
                        "mamba2": "F32", "falcon_mamba": "F32"}.items():
        make_model(model, kind)
    for model in EXPERTS:
        make_experts(model)
    make_blocks()
    for kind, model, pre in (("gpt2", "gpt2", "gpt-2"), ("llama3", "gpt2", "llama-bpe"), ("qwen2", "gpt2", "qwen2"),
                             ("falcon", "gpt2", "falcon"), ("llama2", "llama", None)):
        make_vocabulary(kind, model, pre)
    remember("forms/gguf", "gguf", "numpy")


if __name__ == "__main__":
    FORMS.mkdir(exist_ok=True)
    {"torch": make_torch, "gguf": make_gguf}[sys.argv[1]]()
