#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare headscope-cli with PEFT on random LoRA adapters of small Transformers, a Mamba-2 and hybrids.

Each adapter has its own rank, alpha, scaling, target modules and, of some, other ranks and alphas by pattern; its base is a model of
tests/data/golden. In a virtual environment with `pip install transformers==5.23.0 torch==2.11.0 peft==0.21.2`:

    python tests/reference/compare_adapters.py build/release/app/headscope-cli [--count N] [--seed S]
    python tests/reference/compare_adapters.py --goldens tests/data/adapters

The reference is PEFT's forward pass in double precision with the adapter beside the weights. Against it stand, as the largest difference of a
logit in parts of the largest logit: PEFT's own merge; the base opened with --adapter; and the adapter's folder alone, which names its base. Prints a
table; the exit status is 1 where a difference of the program's exceeds 1e-5. The second call writes the two adapters that tst_adapter reads.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import torch
import transformers
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "data" / "golden"
TOLERANCE = 1e-5

# Of each family: the folder of a base, and the modules that a LoRA may change.
FAMILIES = {
    "llama": ("llama", ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]),
    "mamba2": ("mamba2", ["in_proj", "lm_head"]),  # PEFT refuses out_proj of Mamba models
    "bamba": ("stretch/bamba", ["q_proj", "v_proj", "o_proj", "in_proj", "out_proj", "gate_proj", "down_proj"]),
    "gpt2": ("gpt2", ["c_attn", "c_proj", "c_fc"]),
    "nemotron_h": ("hub/nemotron_h", ["q_proj", "v_proj", "in_proj", "up_proj", "down_proj"]),  # its class has other names than its file
    "qwen3": ("qwen3", ["q_proj", "k_proj", "v_proj", "o_proj", "up_proj"]),
}


def drawn(family, rng):
    """The LoRA of one adapter, and the words that describe it."""
    _, modules = FAMILIES[family]
    targets = rng.sample(modules, rng.randint(min(2, len(modules)), len(modules)))
    rank = rng.choice([1, 2, 3, 4, 8])
    config = {"r": rank, "lora_alpha": rng.choice([1, rank, 2 * rank]), "use_rslora": rng.random() < 0.5, "target_modules": sorted(targets),
              "fan_in_fan_out": family == "gpt2"}
    words = f"r {config['r']}, alpha {config['lora_alpha']}{', rslora' if config['use_rslora'] else ''}"
    if rng.random() < 0.5:
        config["rank_pattern"] = {targets[0]: config["r"] + 2}
        config["alpha_pattern"] = {targets[-1]: config["lora_alpha"] / 2}
        words += f", patterns {targets[0]} r {config['r'] + 2}, {targets[-1]} alpha {config['lora_alpha'] / 2:g}"
    return LoraConfig(task_type="CAUSAL_LM", **config), f"{words}; {' '.join(config['target_modules'])}"


def randomize(model, generator):
    """Both factors at random, B smaller: PEFT begins with it at zero, and updates far larger than the weights magnify rounding."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_" in name:
                size = 0.3 if "lora_B" in name else 1.0
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * size / parameter.shape[-1] ** 0.5)


def ours(cli, arguments, folder):
    """The program's logits, or the sentence with which it refuses."""
    output = folder / "logits.safetensors"
    ran = subprocess.run([cli, "--quiet", "--device", "cpu", "--dtype", "fp32", "dump", *arguments, "--tokens", folder / "tokens.safetensors",
                          "--want", "logits", "-o", output], capture_output=True, text=True)
    return (load_file(output)["logits"], "") if ran.returncode == 0 else (None, ran.stderr.strip())


def difference(logits, reference):
    return ((logits.double() - reference).abs().max() / reference.abs().max()).item()


def compare(cli, family, rng):
    base = GOLDEN / FAMILIES[family][0]
    config, words = drawn(family, rng)
    generator = torch.Generator().manual_seed(rng.randrange(2 ** 31))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, attn_implementation="eager").eval()
        tokens = torch.randint(3, model.config.vocab_size, (2, 21), generator=generator)
        save_file({"input_ids": tokens}, folder / "tokens.safetensors")
        with torch.no_grad():
            plain = model(tokens, use_cache=False).logits
            adapted = get_peft_model(model, config).eval()
            randomize(adapted, generator)
            adapted.save_pretrained(folder / "adapter")
            reference = adapted.double()(tokens, use_cache=False).logits
            merged = adapted.float().merge_and_unload()
            row = {"merge": difference(merged(tokens, use_cache=False).logits, reference)}
        for way, arguments in {"adapter": [base, "--adapter", folder / "adapter"], "alone": [folder / "adapter"]}.items():
            logits, refusal = ours(cli, arguments, folder)
            row[way] = difference(logits, reference) if logits is not None else refusal
        row["change"] = difference(plain, reference)
    return words, row


def write_goldens(parent):
    """One small adapter of a Transformer and one of a Mamba-2, which name their bases beside them, and PEFT's logits.

    The second changes a table: PEFT then saves the table itself, too. Here it is another one than the base's, as after training.
    """
    wanted = {"llama": {"r": 2, "lora_alpha": 4, "target_modules": ["q_proj", "up_proj"], "rank_pattern": {"up_proj": 1},
                        "alpha_pattern": {"q_proj": 3}},
              "mamba2": {"r": 2, "lora_alpha": 3, "use_rslora": True, "target_modules": r"(.*layers\.1\.mixer\.in_proj|lm_head)"}}
    for family, config in wanted.items():
        folder, generator = parent / family, torch.Generator().manual_seed(5)
        model = AutoModelForCausalLM.from_pretrained(GOLDEN / FAMILIES[family][0], dtype=torch.float32).eval()
        tokens = torch.arange(1, 9).unsqueeze(0)
        with torch.no_grad():
            adapted = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **config)).eval()
            randomize(adapted, generator)
            for name, parameter in adapted.named_parameters():
                if name.endswith("lm_head.base_layer.weight"):
                    parameter.mul_(1.25)
            adapted.peft_config["default"].base_model_name_or_path = f"../../golden/{FAMILIES[family][0]}"
            adapted.save_pretrained(folder)
            logits = adapted.double()(tokens, use_cache=False).logits.float()
        (folder / "README.md").unlink(missing_ok=True)
        save_file({"input_ids": tokens, "logits": logits[0].contiguous()}, folder / "logits.safetensors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", type=pathlib.Path, nargs="?")
    parser.add_argument("--goldens", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.goldens:
        return write_goldens(options.goldens)
    rng = random.Random(options.seed)
    faults = []
    print(f"{'family':10}{'adapter changes':>16}{'PEFT merge':>12}{'--adapter':>12}{'alone':>12}  adapter")
    for i in range(options.count):
        family = list(FAMILIES)[i % len(FAMILIES)]
        words, row = compare(options.cli, family, rng)
        cells = [row["merge"], row["adapter"], row["alone"]]
        shown = "".join(f"{cell:12.1e}" if isinstance(cell, float) else f"{'refused':>12}" for cell in cells)
        print(f"{family:10}{row['change']:16.3f}{shown}  {words}", flush=True)
        faults += [f"{family} {i}: {cell}" for cell in cells[1:] if isinstance(cell, str) or cell > TOLERANCE]
    print("Differences are parts of the largest logit; at most 1e-5 is expected.")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
