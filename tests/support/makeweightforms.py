#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make tests/data/forms: the weights of golden models in other forms than safetensors. A developer's tool.

In a virtual environment with `pip install torch==2.11.0 gguf==0.19.0 numpy`:

    python tests/support/makeweightforms.py torch | gguf

torch  mamba, mamba2: the golden models as the official state-spaces repositories lay them out (pytorch_model.bin and a
       config.json of theirs). tensors.pt: views, strides, shared storages and dtypes; tensors.safetensors: the same numbers
       laid out plainly. shards: a small table in two files with an index.
gguf   NAME.gguf: golden models as llama.cpp's convert_hf_to_gguf.py writes them (order of rotary rows, norms, A, names).
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

def make_gguf():
    raise SystemExit("not yet")


if __name__ == "__main__":
    FORMS.mkdir(exist_ok=True)
    {"torch": make_torch, "gguf": make_gguf}[sys.argv[1]]()
