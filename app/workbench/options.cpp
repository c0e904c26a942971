// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/options.h"

#include <algorithm>
#include <array>

namespace headscope::app {

namespace {

using enum Takes;

// Sorted by name.
constexpr std::array kOptions = {
    OptionInfo{"--ablate", 0, Text, "SPEC",
               "intervention on the model, such as L2H5, L1H6,L1H3, keep:L1H3 or skip:L2.mlp; may be repeated"},
    OptionInfo{"--act", 0, Text, "WHAT",
               "with --picture: action before the picture is taken: continue, removal, flips, kinds, text=FILE, "
               "tour=NAME, experiment=N, study=FILE, run-experiment, why, patching, edges, knockout, weights, probes, "
               "steering, experts=LAYER, log-probabilities, survey, run-survey, head-page=HEAD, command=NAME (of a "
               "menu); may be repeated"},
    OptionInfo{"--adapter", 0, Folder, "FOLDER", "LoRA adapter (PEFT) to merge into MODEL; the same as MODEL+FOLDER"},
    OptionInfo{"--add-folder", 0, Folder, "FOLDER",
               "add a model, or a folder of models, to the list; its models can then be opened by name"},
    OptionInfo{"--again", 0, Nothing, "",
               "measure again what the session already has; new results replace those of before"},
    OptionInfo{"--against", 0, Model, "MODEL",
               "survey this model on the same texts, and report which of its heads behave alike"},
    OptionInfo{"--agreement", 0, Number, "R",
               "estimate: stop when a second sample of this size is expected to give the same ranking with this rank "
               "correlation; 1: use all examples"},
    OptionInfo{"--answer", 0, Text, "TEXT",
               "correct answer, one token (default: the task's, otherwise the most likely token)"},
    OptionInfo{"--apply-chat-template", 0, Nothing, "", "format prompts with the model's chat template"},
    OptionInfo{"--background", 0, Choice, "COLOUR", "background of the figure", "", "light dark transparent"},
    OptionInfo{"--batch", 0, Number, "N", "number of texts per training step", "--texts"},
    OptionInfo{"--bos", 0, Choice, "RULE",
               "start token: automatic (texts: as the tokenizer does; benchmark rows: by the rules of the benchmark), "
               "never, default (as the tokenizer does) or always",
               "--start-token", "automatic never default always"},
    OptionInfo{"--boundary", 0, Choice, "RULE",
               "tokens to score if the tokenizer merges across context and continuation: harness (those after as many "
               "tokens as the context has) or common-prefix (those after the longest common prefix)",
               "", "harness common-prefix"},
    OptionInfo{"--caption", 0, Text, "TEXT", "caption of the figure"},
    OptionInfo{
        "--checkpoint-every", 0, Number, "N",
        "also save a checkpoint every N steps, as checkpoints/step-N in the output folder; see the command series"},
    OptionInfo{"--clean", 0, Text, "TEXT", "prompt of the clean run; with --corrupt"},
    OptionInfo{"--clean-up", 0, Nothing, "",
               "with --decode: remove spaces before punctuation, like clean_up_tokenization_spaces of transformers"},
    OptionInfo{"--clicks", 0, Number, "N", "kv-click, mc-letter, mc-text: number of heads to ablate; 0: all"},
    OptionInfo{"--compare-exact", 0, Nothing, "",
               "also measure every head exactly, and report how well the rankings agree"},
    OptionInfo{"--conv", 0, Number, "N", "convolution width of the SSM heads"},
    OptionInfo{"--corpus", 0, Folder, "FOLDER", "folder of *.txt files to train a small English model on"},
    OptionInfo{"--corrupt", 0, Text, "TEXT", "prompt of the corrupted run, with as many tokens; with --clean"},
    OptionInfo{"--cost", 0, Task, "TASK",
               "also measure the cost of ablating each head on this task; next_token: on the next tokens of the texts; "
               "may be repeated"},
    OptionInfo{"--data", 0, Folder, "FOLDER", "folder of benchmark files (default: the included sample rows)"},
    OptionInfo{"--decided-at", 0, Number, "LEVEL",
               "with --until-decided: confidence at which the sign counts as decided"},
    OptionInfo{"--decode", 0, Nothing, "", "convert ids to text"},
    OptionInfo{"--device", 0, Text, "DEVICE",
               "auto, cpu, cuda, cuda:i, cuda:all, or several such as cuda:0,cuda:1 or cuda:0,cpu", "",
               "auto cpu cuda cuda:all"},
    OptionInfo{"--direction", 0, Choice, "WAY",
               "denoise: patch clean activations into the corrupted run; noise: patch corrupted activations into the "
               "clean run",
               "", "denoise noise"},
    OptionInfo{"--distill-steps", 0, Number, "N", "steps per stage, in experiments that distill models"},
    OptionInfo{
        "--distractor", 0, Text, "TEXT",
        "wrong answer, one token (default: the task's best wrong choice, otherwise the most likely other token)"},
    OptionInfo{"--dpi", 0, Number, "N", "resolution of .png files"},
    OptionInfo{"--draws", 0, Number, "N", "random: number of draws"},
    OptionInfo{"--dtype", 0, Text, "TYPE", "auto, fp32, bf16 or fp16; int8 and int4 are the same as --weights", "",
               "auto fp32 bf16 fp16 int8 int4"},
    OptionInfo{"--error", 0, Number, "P", "race: maximum probability of a wrong set"},
    OptionInfo{"--exchange", 0, Choice, "PIECE",
               "how --task makes the corrupted prompt: key (ask for another key), value (swap the correct value with "
               "the next one), binding (swap the keys of these two), name (the most similar sample with another "
               "answer); default: the first that fits",
               "", "key value binding name"},
    OptionInfo{"--fewshot", 0, Number, "K", "number of examples in the prompt (default: the task's)"},
    OptionInfo{"--file", 0, File, "FILE", "read the text from this file", "--text"},
    OptionInfo{"--finish", 0, Nothing, "", "race: measure the selected heads on all examples"},
    OptionInfo{"--font-size", 0, Number, "PT", "font size of the figure, in points"},
    OptionInfo{"--forecast", 0, Nothing, "", "print the expected time and memory, and stop"},
    OptionInfo{"--forget-folder", 0, Folder, "FOLDER", "remove this folder from the list; its files are kept"},
    OptionInfo{"--format", 0, Choice, "FORMAT", "format of the table", "", "csv json latex markdown"},
    OptionInfo{"--harness", 0, Folder, "FOLDER",
               "folder for results and samples files in the layout of lm-evaluation-harness"},
    OptionInfo{"--head", 0, Text, "HEADS", "heads, such as L2H5, L1H0-3, L1H6,L2H3 or L1H*; may be repeated",
               "--heads"},
    OptionInfo{"--head-count", 0, Number, "N",
               "kv-sweep: number of heads, evenly spaced; 0: all. maps: 1: one head only", "--heads"},
    OptionInfo{"--height", 0, Number, "MM", "height of the figure; 0: as high as necessary"},
    OptionInfo{"--help", 'h', Nothing, "", "print this help"},
    OptionInfo{"--hidden-rate", 0, Number, "RATE", "learning rate of the second stage"},
    OptionInfo{"--hidden-steps", 0, Number, "N", "second stage, hidden states; 0: none"},
    OptionInfo{"--into", 0, Folder, "FOLDER",
               "folder for benchmarks (default: headscope/benchmarks in the user's data folder)"},
    OptionInfo{"--json", 0, Nothing, "", "print one JSON object on standard output, and nothing else"},
    OptionInfo{"--keep", 0, Nothing, "", "store the measured values in the table, for this type of processor"},
    OptionInfo{"--keep-heads", 0, Text, "HEADS",
               "heads to keep: RANKING:k (RANKING is exact, gather, aggregate, random, or a file written by rank "
               "--json), or a list such as L2H3,L1H3"},
    OptionInfo{"--keep-packed", 0, Text, "SIZE",
               "disk space for the quantized weights of large models, which then open faster; 0: keep none"},
    OptionInfo{"--key", 0, Number, "N", "position of the key, counted from 0"},
    OptionInfo{"--keys", 0, Text, "SPAN", "tokens that may not be read, such as 3-5 or 14"},
    OptionInfo{"--layers", 0, Text, "LAYERS",
               "layers after which to fit, such as 0,4-7 (default: the embedding and all layers)"},
    OptionInfo{"--length", 0, Number, "N", "number of tokens per text"},
    OptionInfo{"--lens", 0, File, "FILE", "Jacobian lens (.pt, made by lens fit) to use instead of the logit lens"},
    OptionInfo{"--limit", 0, Number, "N", "number of rows per task; a value below 1 is a fraction"},
    OptionInfo{"--limit-mb", 0, Number, "MB",
               "maximum size of the file in megabytes; fails rather than write a larger one"},
    OptionInfo{"--lines", 0, Number, "N", "maximum number of lines per panel (4); the caption lists omitted ones"},
    OptionInfo{"--list", 0, Nothing, "", "print all names"},
    OptionInfo{"--log-softmax", 0, Choice, "TYPE",
               "number type of the log-softmax: fp32, or that of the model's logits, as in lm-evaluation-harness 0.4.7",
               "", "fp32 model"},
    OptionInfo{"--logits-rate", 0, Number, "RATE", "learning rate of the third stage"},
    OptionInfo{"--logits-steps", 0, Number, "N", "third stage, logits; 0: none"},
    OptionInfo{"--look", 0, Choice, "LOOK", "appearance of the window, for this start only", "", "system light dark"},
    OptionInfo{"--loss", 0, Text, "HEADS",
               "measure the next-token loss with and without each of these heads instead, such as L2H5 or L1H*; may be "
               "repeated"},
    OptionInfo{"--memory", 0, Text, "SIZE",
               "memory for weights and activations, such as 12GB (the program itself needs another 150 to 350 MB); "
               "default: all free memory"},
    OptionInfo{"--method", 0, Text, "METHOD",
               "exact: ablate each head in turn; race: find the top heads with fewer runs; estimate: gradients, all "
               "heads at once; gather, aggregate: score of the head's pattern; pairs: ablate the top heads in pairs; "
               "greedy: ablate the best head, then rank again; random: ablate random heads, as a control",
               "", "exact race estimate gather aggregate pairs greedy random"},
    OptionInfo{
        "--metric", 0, Choice, "NAME", "head metric to follow", "",
        "induction previous duplicate sink retrieval entropy effective_tokens first diagonal gather aggregate norm "
        "stream_share"},
    OptionInfo{"--minutes", 0, Number, "N", "use as many examples of each benchmark as are expected to take this long"},
    OptionInfo{"--model", 0, Model, "MODEL",
               "model folder, included model or org/name; in a session, its name or hash"},
    OptionInfo{"--new-tokens", 0, Number, "N", "maximum number of new tokens", "--tokens"},
    OptionInfo{"--no-d", 0, Nothing, "", "SSM heads: leave out D on the diagonal"},
    OptionInfo{"--no-paths", 0, Nothing, "", "leave out local folders; of each path only the file name is kept"},
    OptionInfo{"--no-provenance", 0, Nothing, "",
               "leave out the line that says how the values were measured; the file's metadata keeps it"},
    OptionInfo{"--no-special", 0, Nothing, "", "do not add special tokens when encoding"},
    OptionInfo{"--off", 0, Text, "HEADS", "with --picture: heads to ablate in A, such as L2H5"},
    OptionInfo{"--order-seed", 0, Number, "N",
               "seed of the order in which examples are scored; results do not depend on it"},
    OptionInfo{"--orientation-rate", 0, Number, "RATE", "learning rate of the first stage"},
    OptionInfo{"--orientation-steps", 0, Number, "N", "first stage, matrix orientation; 0: none"},
    OptionInfo{"--output", 'o', File, "PATH", "output file or folder", "--out"},
    OptionInfo{"--page", 0, File, "FILE", "write exercises as one web page, whose answers `class` counts later"},
    OptionInfo{"--pairs", 0, File, "FILE", "pairs of prompts as JSON Lines with clean, corrupt, answer and distractor"},
    OptionInfo{"--panels", 0, Text, "NAMES",
               "two to four figures, comma-separated, as panels a to d of one figure; --list prints their names"},
    OptionInfo{"--part", 0, Text, "K/N",
               "measure only part K of N (counted from 0) into its own session; session merge joins the parts"},
    OptionInfo{"--picture", 0, File, "FILE",
               "write a picture of the window when all measurements are done, and quit; needs no display"},
    OptionInfo{
        "--points", 0, Number, "N",
        "estimate: number of points on the path from all heads ablated to the full model; 1: the full model only",
        "--steps"},
    OptionInfo{
        "--positions", 0, Choice, "WHERE",
        "positions to patch: all at once, the last one, or each in turn (default: all for heads, each otherwise)", "",
        "all last each"},
    OptionInfo{"--print-recipe", 0, Nothing, "", "print the recipe on standard output"},
    OptionInfo{"--prompts", 0, Number, "N", "maximum number of prompts"},
    OptionInfo{"--queries", 0, Text, "SPAN", "tokens that stop reading, such as 30-36 or 36"},
    OptionInfo{"--query", 0, Number, "N", "position of the query, counted from 0"},
    OptionInfo{"--quiet", 0, Nothing, "", "print neither progress nor remarks"},
    OptionInfo{"--raw", 0, Nothing, "", "the score itself, without subtracting its mean over all visible keys"},
    OptionInfo{"--receiver", 0, Text, "READER",
               "measure the edges into this input: L2H5.q, .k, .v (SSM heads: .c .b .x .dt .gate), L2.mlp or logits"},
    OptionInfo{"--recipe", 0, File, "FILE", "draw this recipe (JSON) instead of a stored figure"},
    OptionInfo{"--remove", 0, Nothing, "", "remove the stored figure from the session"},
    OptionInfo{"--repeat", 0, Number, "N", "number of timed runs after one warm-up run"},
    OptionInfo{"--report", 0, File, "FILE",
               "write all experiments of this run as one document: .md (with a folder of pictures) or .pdf"},
    OptionInfo{"--requests", 0, File, "FILE", "file of token ids (headscope-bench-request/1)"},
    OptionInfo{"--row", 0, Number, "N",
               "this query position only, counted from 0 (default: all positions; prints the last)"},
    OptionInfo{"--sample", 0, Number, "K", "example of the task, counted from 0", "--index"},
    OptionInfo{"--samples", 0, File, "FILE", "file for one line of JSON per example"},
    OptionInfo{"--save", 0, Text, "NAME", "store the recipe in the session under this name"},
    OptionInfo{"--scale", 0, Choice, "SCALE", "colour scale of pictures", "", "raw row minmax log signed"},
    OptionInfo{"--seed", 0, Number, "N", "seed for everything random"},
    OptionInfo{"--sender", 0, Text, "WRITER", "measure the edges out of this part: L1H2, L1.mlp or embed"},
    OptionInfo{"--sequences", 0, Number, "N", "number of random sequences"},
    OptionInfo{"--session", 0, File, "FILE", "session file to create or continue"},
    OptionInfo{"--size", 0, Text, "SIZE",
               "size of the figure: column (85 mm), page (175 mm), slide (16:9) or poster; with --picture, size of the "
               "window, such as 1440x900"},
    OptionInfo{"--skip", 0, Number, "N",
               "number of positions at the start of each prompt to leave out, as source and as target"},
    OptionInfo{"--skip-special", 0, Nothing, "", "leave out special tokens when decoding"},
    OptionInfo{"--softmax", 0, Choice, "WHERE",
               "block attention before the softmax (the remaining weights sum to 1) or after it (default: before, if "
               "the layer has a softmax)",
               "", "before after"},
    OptionInfo{"--sources", 0, Nothing, "", "split each head's contribution by the tokens that it reads"},
    OptionInfo{"--start", 0, Folder, "MODEL",
               "start from this student of the same teacher, whose heads are all SSM heads"},
    OptionInfo{"--state", 0, Text, "SPEC",
               "only these states and the baseline, in the notation of --ablate; may be repeated"},
    OptionInfo{"--state-size", 0, Number, "N", "state size of the SSM heads", "--state"},
    OptionInfo{"--stdin-jsonl", 0, Nothing, "",
               "read lines {\"text\": ...} or, with --decode, {\"ids\": [...]} from standard input"},
    OptionInfo{"--steps", 0, Number, "N", "stop after N more training steps; 0: train to the end"},
    OptionInfo{"--story", 0, Text, "NAME", "tour or exercises to include, by name or as a file; may be repeated"},
    OptionInfo{"--table", 0, Text, "NAME", "table of the session"},
    OptionInfo{"--task", 0, Task, "TASK",
               "task, or the path of a task file or table; comma-separated; `tasks` lists all tasks"},
    OptionInfo{"--temperature", 0, Number, "T", "0: always the most likely token; above 0: sample tokens, see --seed"},
    OptionInfo{"--text", 0, Text, "TEXT", "prompt", "--prompt"},
    OptionInfo{"--texts", 0, File, "PATH", "a .txt or .jsonl file, or a folder of such files; may be repeated"},
    OptionInfo{"--threads", 0, Number, "N", "number of processor threads; 0: one per core"},
    OptionInfo{"--threshold", 0, Number, "X", "minimum score for a head to be labelled"},
    OptionInfo{"--title", 0, Text, "TEXT", "title above the figure"},
    OptionInfo{"--token-count", 0, Number, "N", "number of tokens to read; 0: all", "--tokens"},
    OptionInfo{"--tokenizer", 0, File, "PATH", "folder or tokenizer.json (default: the model's own)"},
    OptionInfo{"--tokens", 0, File, "FILE", "safetensors file with input_ids"},
    OptionInfo{"--tolerance", 0, Number, "X", "largest difference of log-likelihoods that counts as equal"},
    OptionInfo{"--top", 0, Number, "N",
               "number of heads to print, or to race for, pair, choose or draw; 0: all, or the default of the method"},
    OptionInfo{"--train-all", 0, Nothing, "", "train all tensors in the last stage, not only the SSM heads"},
    OptionInfo{"--until-decided", 0, Number, "WIDTH",
               "with --ablate: stop when the sign of the change is decided or its 95 % interval is narrower than this; "
               "valid under continuous monitoring"},
    OptionInfo{"--version", 0, Nothing, "", "print the version"},
    OptionInfo{"--want", 0, Text, "KEYS", "tensors to write, comma-separated"},
    OptionInfo{"--weights", 0, Choice, "FORM", "quantize the weights, on the processor; everything else is fp32", "",
               "int8 int4"},
    OptionInfo{"--what", 0, Choice, "PART",
               "part to patch: heads; stream: input of a layer; mixer, mlp: output of that part; state: what an SSM "
               "carries past a position",
               "", "heads stream mixer mlp state"},
    OptionInfo{"--where", 0, Text, "FILTER",
               "only heads whose means satisfy this: \"induction > 0.5 and (entropy < 1 or not first >= 0.2)\""},
    OptionInfo{"--width", 0, Number, "MM", "width of the figure"},
    OptionInfo{"--window", 0, Number, "N", "number of tokens per window, including the start token"},
    OptionInfo{"--words", 0, Folder, "FOLDER", "folder of wonderwords word lists, for kv_retrieval"},
    OptionInfo{"--work", 0, Number, "SHARE",
               "race: stop at this share of the runs of the exact ranking, and report which heads are certain"},
};

constexpr std::array<std::string_view, 12> kCommon = {"--device", "--dtype",       "--weights", "--threads",
                                                      "--memory", "--keep-packed", "--session", "--seed",
                                                      "--again",  "--order-seed",  "--json",    "--quiet"};
constexpr std::array<std::string_view, 12> kWindow = {"--session", "--device", "--dtype",   "--threads",
                                                      "--data",    "--look",   "--picture", "--off",
                                                      "--act",     "--size",   "--help",    "--version"};

std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> found;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        found.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

} // namespace

std::vector<std::string_view> OptionInfo::aliasList() const
{
    return words(aliases);
}

std::vector<std::string_view> OptionInfo::choiceList() const
{
    return words(choices);
}

std::span<const OptionInfo> allOptions()
{
    return kOptions;
}

const OptionInfo* findOption(std::string_view name)
{
    const auto found =
        std::find_if(kOptions.begin(), kOptions.end(), [&](const auto& one) { return one.name == name; });
    return found == kOptions.end() ? nullptr : &*found;
}

std::span<const std::string_view> windowOptions()
{
    return kWindow;
}

std::span<const std::string_view> commonOptions()
{
    return kCommon;
}

} // namespace headscope::app
