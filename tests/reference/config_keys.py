#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write tests/data/configkeys: what each key of config.json does in transformers. Run by hand; tst_configkeys reads the files.

In a virtual environment with `pip install transformers==5.23.0 torch`:

    python tests/reference/config_keys.py [MODEL ...]

For each small model of MODELS (a folder of tests/data) the script takes every key of its config class, every key its file has, every name its
modeling file reads from the config, and every old name of `attribute_map`; gives it other values (booleans flipped, numbers changed, null, other
names, left out), runs the model with the same weights, and writes one line of JSON for each distinct result:

    {"set": {key: value, ...}, "drop": [key, ...], "saved": true, "result": "same" | "error" | [three numbers]}

"saved": the change is made to the config as transformers saves it, which is the file's "saved" object. "same": the logits of tests/data's tokens do
not change. "error": transformers refuses the config or the weights that it then expects are missing. The numbers are a digest of the changed logits
(see `digest`). The first line holds the digest of the unchanged model.
"""
import importlib
import inspect
import json
import math
import pathlib
import re
import sys
import tempfile
import traceback
import warnings

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.activations import ACT2CLS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from makefamilies import with_one_alibi  # noqa: E402
from packedtext import write_packed  # noqa: E402

torch.set_num_threads(1)
transformers.logging.set_verbosity(transformers.logging.CRITICAL)
transformers.logging.disable_progress_bar()
warnings.filterwarnings("ignore")

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
MODELS = [*(f"golden/{name}" for name in "falcon_mamba gemma2 gpt2 gpt_neox llama mamba mamba2 mistral phi qwen2 qwen3 zamba2".split()),
          *(f"golden/hub/{name}" for name in (
              "bloom cohere cohere2 deepseek_v2 deepseek_v3 falcon falcon_alibi falcon_new gemma3 gemma3n gemma4 gemma4_moe glm glm4 gpt_oss granite granitemoe "
              "granitemoehybrid jamba kimi_linear lfm2 lfm2_moe minimax mixtral mpt nemotron_h nemotron_h_moe olmo2 olmo3 olmo_hybrid olmoe opt opt_350m "
              "phi3 qwen2_moe qwen3_5 qwen3_5_moe_text qwen3_moe qwen3_next recurrent_gemma smollm3 stablelm stablelm_small starcoder2 xlstm zamba").split()),
          "variants/bamba_groups1", "variants/falcon_h1_norm"]
# Families that read what another one reads: fewer values of a key, and of a rotation one setting of each kind.
BRIEF = [f"golden/hub/{name}" for name in (
    "apertus arcee codegen deepseek_v32 dots1 ernie4_5 ernie4_5_moe exaone4 glm4_moe gpt_bigcode gpt_neo gptj helium hunyuan_v1_dense llama4_text "
    "minimax_m2 nanochat seed_oss").split()]
# Attributes of the base class that say how transformers runs or what it returns.
RUNNING = {"_attn_implementation", "_experts_implementation", "_name_or_path",
           "attn_implementation", "experts_implementation", "gradient_checkpointing", "model_type", "name_or_path", "output_attentions", "output_hidden_states",
           "return_dict", "return_dict_in_generate", "torchscript", "transformers_version", "dtype", "torch_dtype", "architectures", "base_model_tp_plan",
           "base_model_pp_plan", "pruned_heads", "use_return_dict", "num_labels", "id2label", "label2id", "vision_config", "quantization_config", "mode",
           "chunkwise_kernel", "sequence_kernel", "step_kernel", "weight_mode", "return_last_states", "autocast_kernel_dtype", "inference_state_dtype"}
ABSENT = object()
SIZES = [0, 1, 2, 3, 8]
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}


def without(values, *keys):
    return {key: value for key, value in values.items() if key not in keys}


def digest(logits):
    """Two logits of the last tokens and the mean magnitude of all."""
    return [float(f"{x:.6g}") for x in (logits[0, -1, 5], logits[1, -1, 7], logits.abs().mean())]


class Reference:
    def __init__(self, folder):
        self.fields = json.loads((folder / "config.json").read_text())
        self.text = self.fields.get("text_config")
        self.base = self.text or self.fields
        tensors = load_file(folder / "expected.safetensors")
        self.ids = tensors["input_ids"]
        config = self.config(self.base)
        self.type = type(config)
        stored = load_file(folder / "model.safetensors")
        stored = {re.sub(r"^(model\.)?language_model\.(model\.)?", "model.", key): value for key, value in stored.items() if "vision" not in key} \
            if self.text else stored
        self.place = tempfile.TemporaryDirectory()
        save_file(stored, pathlib.Path(self.place.name) / "model.safetensors", {"format": "pt"})
        (pathlib.Path(self.place.name) / "generation_config.json").write_text("{}")
        model, info = self.loaded(config)
        assert not info["missing_keys"] and not info["mismatched_keys"], info
        self.state = {key: value.clone() for key, value in model.state_dict().items()}
        self.logits = self.run(model)
        assert (self.logits - tensors["logits"]).abs().max() < 2e-3, "the golden is another"
        self.model_source = inspect.getsource(importlib.import_module(type(model).__module__))
        self.saved = without(json.loads(config.to_json_string(use_diff=False)), "transformers_version", "architectures", "_name_or_path", "dtype")

    def config(self, fields):
        fields = numbers(fields)
        return AutoConfig.for_model(fields.pop("model_type"), **fields)

    def loaded(self, config):
        return AutoModelForCausalLM.from_pretrained(self.place.name, config=config, attn_implementation="eager", dtype=torch.float32,
                                                    output_loading_info=True)

    @torch.no_grad()
    def run(self, model):
        return with_one_alibi(model.eval())(self.ids, use_cache=False).logits.float()

    def result(self, fields, reload):
        """The logits, or None where transformers fails."""
        try:
            config = self.config(fields)
            if reload:
                model, info = self.loaded(config)
                if info["missing_keys"] or info["mismatched_keys"]:
                    return None
            else:
                model = AutoModelForCausalLM.from_config(config, attn_implementation="eager", dtype=torch.float32)
                missing = model.load_state_dict(self.state, strict=False).missing_keys
                if missing:
                    return None
                model.tie_weights()
            logits = self.run(model)
            return logits if torch.isfinite(logits).all() else None
        except Exception:  # whatever transformers finds wrong
            return None


def others(key, value, known):
    """Other values for a key. `known`: whether the class has it."""
    if key.endswith(("_act", "activation", "activation_function")) or isinstance(value, str) and value in ACT2CLS:
        return [*(name for name in ACT2CLS if name not in ("prelu", "xielu", "sqrtsoftplus")), None]
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [*SIZES, value + 1, value * 2, None]
    if isinstance(value, float):
        return [0.0, value * 1.5 + 0.25, 1.0, 3.0, None]
    if isinstance(value, str):
        return ["auto", "none", None]
    if isinstance(value, list):
        changed = [value[:-1], value + value[-1:], value[::-1], [], None]
        if value and all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value):
            changed += [[one + 1 for one in value], [one * 0.5 for one in value], [0.05, 0.1]]
        return changed
    if isinstance(value, dict):
        return [{}, None]
    return [True, False, 1, 2, 0.5, 8, [0, 1], "default"] if known else [True, False, 1, 2, 0.5]


def ropes(reference, base, brief):
    """Settings of the rotation: whole objects under both names, with the original length inside, at the top, both, neither."""
    if "rope_parameters" not in reference.saved and not {"rope_theta", "rope_scaling"} & set(base):
        if brief:
            yield {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, [], False
        return
    saved = reference.saved.get("rope_parameters") or {}
    share = {"partial_rotary_factor": saved["partial_rotary_factor"]} if isinstance(saved.get("partial_rotary_factor"), float) else {}
    half = (base.get("head_dim") or base.get("qk_rope_head_dim") or
            (base.get("hidden_size") or 24) // (base.get("num_attention_heads") or 4))
    count = max(int((base.get("qk_rope_head_dim") or half) * share.get("partial_rotary_factor", base.get("partial_rotary_factor") or 1.0)) // 2, 1)
    long = {"rope_type": "longrope", "short_factor": [1.0 + 0.2 * i for i in range(count)], "long_factor": [2.0 + i for i in range(count)],
            "original_max_position_embeddings": 8}
    settings = [{"rope_type": "linear", "factor": 2.0}, {"type": "linear", "factor": 2.0}, {"rope_type": "dynamic", "factor": 2.0},
                YARN | {"beta_fast": 16.0, "beta_slow": 2.0}, YARN | {"attention_factor": 1.3}, YARN | {"mscale": 1.0, "mscale_all_dim": 0.5},
                YARN | {"mscale": 0.7}, YARN | {"truncate": False}, YARN | {"factor": None}, long | {"factor": 4.0}, long | {"attention_factor": 1.4},
                {"rope_type": "default"}, {"rope_type": "proportional"}, {"rope_type": "other", "factor": 2.0}, {"rope_theta": 500.0}]
    original, top = "original_max_position_embeddings", 8
    if brief:
        for setting in ({"type": "linear", "factor": 2.0}, {"rope_type": "dynamic", "factor": 2.0}, YARN | {"attention_factor": 1.3}, LLAMA3, long):
            yield {"rope_scaling": setting}, [], False
        yield {}, ["rope_theta", "rope_scaling", "rope_parameters"], False
        for alpha in (0, 3.0) if "alpha" in (base.get("rope_scaling") or {}) else ():
            yield {"rope_scaling": base["rope_scaling"] | {"alpha": alpha}}, [], False
        return
    for setting in settings:
        yield {"rope_scaling": setting}, [], False
    for setting in (YARN, LLAMA3, long | {original: 16}):
        newer = {"rope_parameters": {"rope_theta": 1000.0} | share | setting}
        yield {"rope_scaling": setting}, [], False
        yield newer, ["rope_scaling"], True
        yield {"rope_scaling": setting, original: top}, [], False
        yield {"rope_scaling": without(setting, original), original: top}, [], False
        yield newer | {original: top}, ["rope_scaling"], True
        yield {"rope_scaling": without(setting, original)}, [], False
        yield {"rope_scaling": setting | {"rope_theta": 500.0}}, [], False
        yield {"rope_scaling": setting, "max_position_embeddings": 8}, [], False
    yield {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}, "max_position_embeddings": 8}, [], False
    yield {"rope_scaling": None, "rope_parameters": None}, [], False
    yield {"rope_theta": None}, [], False
    yield {}, ["rope_theta", "rope_scaling", "rope_parameters"], False
    yield {}, ["rope_theta", "rope_scaling", "rope_parameters"], True


def nested(base, saved, brief):
    """Each member of an object in the file or of what transformers saves, changed or left out."""
    for fields, is_saved in ((base, False), (saved, True)):
        for key, value in fields.items():
            if not isinstance(value, dict) or key in RUNNING or brief and key.startswith("rope"):
                continue
            for name, old in value.items():
                if isinstance(old, dict):
                    for inner, was in old.items():
                        for new in others(inner, was, True):
                            yield {key: value | {name: old | {inner: new}}}, [], is_saved
                    yield {key: value | {name: None}}, [], is_saved
                    continue
                for new in others(name, old, True):
                    yield {key: value | {name: new}}, [], is_saved
                yield {key: without(value, name)}, [], is_saved


def changes(reference, brief):
    """(set, drop, saved) one by one."""
    base, saved = reference.base, reference.saved
    yield {}, [], True
    read = set(re.findall(r"(?:^|[^a-z_])config\.([a-z_][a-z_0-9]*)\b(?!\()", reference.model_source)) \
        | set(re.findall(r'getattr\((?:self\.)?config, "([a-z_0-9]+)"', reference.model_source))
    read |= {"is_causal", "use_bidirectional_attention", "attention_chunk_size", "is_decoder", "is_encoder_decoder", "add_cross_attention", "layer_types",
             "sliding_window", "per_layer_config", "original_max_position_embeddings", "rope_theta", "rope_scaling", "partial_rotary_factor", "head_dim",
             "tie_word_embeddings", "rotary_pct", "rotary_emb_base", "attention_bias", "mlp_bias", "clip_qkv", "qk_layernorm", "use_qk_norm"}
    names = (set(base) | set(saved) | read) - RUNNING
    for key in sorted(names):
        value = base.get(key, saved.get(key))
        for new in others(key, value, key in saved):
            if key not in base or new != value or type(new) is not type(value):
                yield {key: new}, [], False
        if key in base:
            yield {}, [key], False
    for old, new in sorted(reference.type.attribute_map.items()):
        for name, other in ((old, new), (new, old)):
            if name in base:
                yield {other: base[name]}, [name], False
    yield from nested(base, saved, brief)
    yield from ropes(reference, base, brief)


def differing(value, old):
    """The members of an object that are not as in `old`."""
    if not isinstance(value, dict) or not isinstance(old, dict):
        return ()
    return tuple((key, differing(value.get(key), old.get(key))) for key in sorted(set(value) | set(old)) if value.get(key) != old.get(key))


def kept(rows, reference, brief):
    """Of the values of one key: all that change the logits up to eight, two that do not and one that fails; in brief two, one and none of each member."""
    limits, seen = {"same": 1, "error": 0, "changed": 2} if brief else {"same": 2, "error": 1, "changed": 8}, {}
    for row in rows:
        new, old = row.get("set", {}), reference.saved if row.get("saved") else reference.base
        kind = row["result"] if isinstance(row["result"], str) else "changed"
        keys = tuple((key, differing(value, old.get(key))) for key, value in new.items()) if brief else tuple(new)
        place = (keys, tuple(row.get("drop", [])), row.get("saved"), kind)
        many = len(new) > 1 or any(isinstance(value, dict) for value in new.values())
        null = any(value is None for value in new.values())
        activation = any(value in ACT2CLS for value in new.values() if isinstance(value, str))
        seen[place] = seen.get(place, 0) + 1
        always = not brief and (many and kind != "error" or null or activation and kind == "changed")
        if always or seen[place] <= limits[kind]:
            yield row


def write(name):
    reference, brief = Reference(DATA / name), name in BRIEF
    rows = []
    for new, dropped, is_saved in changes(reference, brief):
        fields = without((reference.saved | {"model_type": reference.type.model_type} if is_saved else reference.base) | new, *dropped)
        logits = reference.result(fields, "tie_word_embeddings" in new or "tie_word_embeddings" in dropped)
        row = ({"set": new} if new else {}) | ({"drop": dropped} if dropped else {}) | ({"saved": True} if is_saved else {})
        if logits is None:
            row["result"] = "error"
        elif logits.shape == reference.logits.shape and (logits - reference.logits).abs().max() < 1e-5 * max(1, reference.logits.abs().max()):
            row["result"] = "same"
        else:
            row["result"] = digest(logits)
        rows.append(row)
    rows = list(kept(rows, reference, brief))
    head = {"model": name, "saved": reference.saved, "result": digest(reference.logits)}
    target = DATA / "configkeys" / (name.replace("golden/", "").replace("/", "_") + ".jsonl.z")
    lines = "".join(json.dumps(row, sort_keys=True, allow_nan=False, separators=(",", ":")) + "\n" for row in finite([head, *rows]))
    write_packed(target, lines)
    counts = {kind: sum((row["result"] if isinstance(row["result"], str) else "changed") == kind for row in rows) for kind in ("same", "changed", "error")}
    print(name, counts, target.stat().st_size // 1024, "KiB", flush=True)


def numbers(value):
    """A copy with the opposite of `finite`."""
    if isinstance(value, dict):
        return math.inf if value == {"__float__": "Infinity"} else {key: numbers(one) for key, one in value.items()}
    return [numbers(one) for one in value] if isinstance(value, list) else value


def finite(value):
    """Infinity as transformers writes it into JSON."""
    if isinstance(value, float) and math.isinf(value):
        return {"__float__": "Infinity"}
    if isinstance(value, list):
        return [finite(one) for one in value]
    return {key: finite(one) for key, one in value.items()} if isinstance(value, dict) else value


if __name__ == "__main__":
    for chosen in sys.argv[1:] or MODELS + BRIEF:
        try:
            write(chosen)
        except Exception:
            traceback.print_exc()
