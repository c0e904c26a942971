#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare headscope-cli with PEFT on random LoRA adapters of small Transformers, a Mamba-2 and a hybrid.

Each adapter has its own rank, alpha, scaling, target modules and, of some, other ranks and alphas by pattern; its base is a model of
tests/data/golden. In a virtual environment with `pip install transformers==5.23.0 torch==2.11.0 peft==0.21.2`:

    python tests/reference/compare_adapters.py build/release/app/headscope-cli [--count N] [--seed S]

The reference is PEFT's forward pass in double precision with the adapter beside the weights. Against it stand, as the largest difference of a logit in parts of the
largest logit: PEFT's own merge, the folder that PEFT merged and saved as the program opens it, and, once the program has the option, the base
opened with --adapter. The adapter's folder alone has to be refused with a sentence that names the base. Prints a table; the exit status is 1
where a difference exceeds 1e-5, or a folder is not refused.
"""
import argparse
import pathlib
import random
import shutil
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


def compare(cli, family, rng, reads_adapters):
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
            merged.save_pretrained(folder / "merged")
        logits, refusal = ours(cli, [folder / "merged"], folder)
        row["opened"] = difference(logits, reference) if logits is not None else refusal
        if reads_adapters:
            shutil.copytree(base, folder / "base")
            logits, refusal = ours(cli, [folder / "base", "--adapter", folder / "adapter"], folder)
            row["adapter"] = difference(logits, reference) if logits is not None else refusal
        _, row["alone"] = ours(cli, [folder / "adapter"], folder)
        row["change"] = difference(plain, reference)
    return words, row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    usage = subprocess.run([options.cli, "dump", "--help"], capture_output=True, text=True, check=True).stdout
    reads_adapters = "--adapter" in usage
    faults = []
    print(f"{'family':8}{'adapter changes':>16}{'PEFT merge':>12}{'opened':>12}{'--adapter':>12}  adapter")
    for i in range(options.count):
        family = list(FAMILIES)[i % len(FAMILIES)]
        words, row = compare(options.cli, family, rng, reads_adapters)
        cells = [row.get("merge"), row["opened"], row.get("adapter", "no option")]
        shown = "".join(f"{cell:12.1e}" if isinstance(cell, float) else f"{'refused' if cell != 'no option' else cell:>12}" for cell in cells)
        print(f"{family:8}{row['change']:16.3f}{shown}  {words}", flush=True)
        faults += [f"{family} {i}: {cell}" for cell in cells if (cell > TOLERANCE if isinstance(cell, float) else cell != "no option")]
        if "LoRA adapter of" not in row["alone"]:
            faults.append(f"{family} {i}: the adapter's folder alone: {row['alone'] or 'opened'}")
    print("Differences are parts of the largest logit; at most 1e-5 is expected.")
    if not reads_adapters:
        print("The program has no --adapter: compared is what it advises, the folder that PEFT merged.")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
