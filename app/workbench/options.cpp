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
               "what to do to the model: L2H5, L1H6,L1H3, keep:L1H3, skip:L2.mlp ...; may be repeated"},
    OptionInfo{
        "--act", 0, Text, "WHAT",
        "with --picture: what is done before the picture: continue, removal, flips, kinds, text=FILE, tour=NAME, "
        "experiment=N, study=FILE, run-experiment, why, patching, edges, knockout, weights, probes, steering, "
        "experts=LAYER, log-probabilities, survey, run-survey, head-page=HEAD, command=NAME (of a menu); "
        "may be repeated"},
    OptionInfo{"--adapter", 0, Folder, "FOLDER",
               "LoRA adapter (PEFT) that is merged into MODEL; the same as MODEL+FOLDER"},
    OptionInfo{"--add-folder", 0, Folder, "FOLDER",
               "a folder of models, or a model, that is listed and found by name from now on"},
    OptionInfo{"--against", 0, Model, "MODEL", "another model on the same texts: which of its heads do the same"},
    OptionInfo{"--agreement", 0, Number, "R",
               "estimate: take examples until as many others would rank the heads alike with this rank correlation; 1: "
               "all examples"},
    OptionInfo{"--answer", 0, Text, "TEXT", "the right answer, one token; without it the task's, else the likeliest"},
    OptionInfo{"--apply-chat-template", 0, Nothing, "", "ask through the model's own chat template"},
    OptionInfo{"--background", 0, Choice, "COLOUR", "of the figure", "", "light dark transparent"},
    OptionInfo{"--batch", 0, Number, "N", "texts a training step", "--texts"},
    OptionInfo{
        "--bos", 0, Choice, "RULE",
        "start token: automatic (texts as the tokenizer does, benchmark rows as their rules say), never, default "
        "(always as the tokenizer does) or always",
        "--start-token", "automatic never default always"},
    OptionInfo{"--boundary", 0, Choice, "RULE",
               "what is scored where a tokenizer merges across context and continuation: harness (the tokens past the "
               "number of the context's own) or common-prefix (those past the longest common prefix)",
               "", "harness common-prefix"},
    OptionInfo{"--caption", 0, Text, "TEXT", "below the figure"},
    OptionInfo{"--checkpoint-every", 0, Number, "N",
               "also keep the model of every N steps, as checkpoints/step-N in the folder; see the command series"},
    OptionInfo{"--clean", 0, Text, "TEXT", "the prompt whose answer is right; with --corrupt"},
    OptionInfo{"--clean-up", 0, Nothing, "",
               "with --decode: remove spaces before punctuation, as transformers' clean_up_tokenization_spaces"},
    OptionInfo{"--clicks", 0, Number, "N", "kv-click, mc-letter, mc-text: number of cuts; 0: all"},
    OptionInfo{"--compare-exact", 0, Nothing, "", "measure exactly as well, and report how well the ranking agrees"},
    OptionInfo{"--conv", 0, Number, "N", "width of the SSM heads' convolution"},
    OptionInfo{"--corpus", 0, Folder, "FOLDER", "of *.txt files that a small English model learns from"},
    OptionInfo{"--corrupt", 0, Text, "TEXT", "its counterpart, as many tokens; with --clean"},
    OptionInfo{"--cost", 0, Task, "TASK",
               "also what removing each head costs on this task; next_token: on the next tokens of the texts; may be "
               "repeated"},
    OptionInfo{"--data", 0, Folder, "FOLDER", "benchmark files; without it the sample rows"},
    OptionInfo{"--decided-at", 0, Number, "LEVEL",
               "with --until-decided: the confidence at which the sign counts as decided"},
    OptionInfo{"--decode", 0, Nothing, "", "ids to text"},
    OptionInfo{"--device", 0, Text, "DEVICE",
               "auto, cpu, cuda, cuda:i, cuda:all, or several such as cuda:0,cuda:1 or cuda:0,cpu", "",
               "auto cpu cuda cuda:all"},
    OptionInfo{"--direction", 0, Choice, "WAY",
               "denoise: the clean run's activations in the corrupt one; noise: the other way round", "",
               "denoise noise"},
    OptionInfo{"--distill-steps", 0, Number, "N", "steps of each stage, where models are distilled"},
    OptionInfo{"--distractor", 0, Text, "TEXT",
               "a wrong answer, one token; without it the task's best wrong choice, else the likeliest other"},
    OptionInfo{"--dpi", 0, Number, "N", "dots per inch of .png"},
    OptionInfo{"--draws", 0, Number, "N", "random: how often to draw"},
    OptionInfo{"--dtype", 0, Text, "TYPE", "auto, fp32, bf16 or fp16; int8 or int4: as --weights", "",
               "auto fp32 bf16 fp16 int8 int4"},
    OptionInfo{"--error", 0, Number, "P", "race: largest probability of a wrong set"},
    OptionInfo{
        "--exchange", 0, Choice, "PIECE",
        "how --task makes the counterpart: key (another is asked for), value (the right one swapped with the next), "
        "binding (the keys of both swapped), name (the most alike sample with another answer); without it the "
        "first that fits",
        "", "key value binding name"},
    OptionInfo{"--fewshot", 0, Number, "K", "examples in the prompt; without it the task's own number"},
    OptionInfo{"--file", 0, File, "FILE", "the text of a file", "--text"},
    OptionInfo{"--finish", 0, Nothing, "", "race: run the heads found on all examples"},
    OptionInfo{"--font-size", 0, Number, "PT", "of the figure, in points"},
    OptionInfo{"--forecast", 0, Nothing, "", "only print what a run would need"},
    OptionInfo{"--forget-folder", 0, Folder, "FOLDER",
               "no longer list the models of this folder; they stay where they are"},
    OptionInfo{"--format", 0, Choice, "FORMAT", "of the table", "", "csv json latex markdown"},
    OptionInfo{"--harness", 0, Folder, "FOLDER", "for results and samples files in lm-evaluation-harness's layout"},
    OptionInfo{"--head", 0, Text, "HEADS", "L2H5, L1H0-3, L1H6,L2H3, L1H*; may be repeated", "--heads"},
    OptionInfo{"--head-count", 0, Number, "N",
               "kv-sweep: number of heads, spread evenly; 0: all. maps: 1: only one head", "--heads"},
    OptionInfo{"--height", 0, Number, "MM", "of the figure; 0: as high as it needs to be"},
    OptionInfo{"--help", 'h', Nothing, "", "this text"},
    OptionInfo{"--hidden-rate", 0, Number, "RATE", "learning rate of the second stage"},
    OptionInfo{"--hidden-steps", 0, Number, "N", "second stage, hidden states; 0: none"},
    OptionInfo{"--into", 0, Folder, "FOLDER",
               "where benchmarks go; without it headscope/benchmarks in the user's folder of data"},
    OptionInfo{"--json", 0, Nothing, "", "one JSON object on standard output and nothing else there"},
    OptionInfo{"--keep", 0, Nothing, "", "write what was measured into the table, for this kind of processor"},
    OptionInfo{"--keep-heads", 0, Text, "HEADS",
               "RANKING:k (RANKING is exact, gather, aggregate, random or a file of rank --json), or heads: L2H3,L1H3"},
    OptionInfo{"--keep-packed", 0, Text, "SIZE",
               "disk space for quantized weights of large models, which open faster the next time; 0: keep none"},
    OptionInfo{"--key", 0, Number, "N", "position of the key, from 0"},
    OptionInfo{"--keys", 0, Text, "SPAN", "the tokens that are not read, as 3-5, or one as 14"},
    OptionInfo{"--layers", 0, Text, "LAYERS",
               "fit after these layers, such as 0,4-7; by default all, and the embedding"},
    OptionInfo{"--length", 0, Number, "N", "number of tokens of a text"},
    OptionInfo{"--lens", 0, File, "FILE",
               "read with this fitted Jacobian lens (.pt), made by lens fit, not the logit lens"},
    OptionInfo{"--limit", 0, Number, "N", "number of rows per task; a value below 1 is a fraction"},
    OptionInfo{"--limit-mb", 0, Number, "MB", "fail rather than write a larger file, in megabytes"},
    OptionInfo{"--lines", 0, Number, "N", "maximum number of lines per panel (4); the caption lists what is left out"},
    OptionInfo{"--list", 0, Nothing, "", "print the names of all"},
    OptionInfo{"--log-softmax", 0, Choice, "TYPE",
               "its type: fp32, or that of the model's logits as lm-evaluation-harness 0.4.7 has it", "", "fp32 model"},
    OptionInfo{"--logits-rate", 0, Number, "RATE", "learning rate of the third stage"},
    OptionInfo{"--logits-steps", 0, Number, "N", "third stage, logits; 0: none"},
    OptionInfo{"--look", 0, Choice, "LOOK", "system, light or dark; not remembered", "", "system light dark"},
    OptionInfo{"--loss", 0, Text, "HEADS",
               "instead, the loss of next tokens with and without each of these heads: L2H5, L1H*; may be repeated"},
    OptionInfo{"--memory", 0, Text, "SIZE",
               "for weights and runs, as 12GB, besides the program itself (150 to 350 MB); without it what is free"},
    OptionInfo{
        "--method", 0, Text, "METHOD",
        "exact: remove one after the other; race: the first --top of them with less work; estimate: by gradients, all "
        "at once; gather, aggregate: by what they look at; pairs: the first --top two by two; greedy: remove the "
        "best, rank again; random: --top heads drawn at random, as a control",
        "", "exact race estimate gather aggregate pairs greedy random"},
    OptionInfo{"--metric", 0, Choice, "NAME", "which number of every head", "",
               "induction previous duplicate sink retrieval"},
    OptionInfo{"--minutes", 0, Number, "N", "as many examples of each benchmark as take so long by the forecast"},
    OptionInfo{"--model", 0, Model, "MODEL", "folder, shipped name or org/name; of a session its name or hash"},
    OptionInfo{"--new-tokens", 0, Number, "N", "the most new tokens", "--tokens"},
    OptionInfo{"--no-d", 0, Nothing, "", "SSM heads: without D on the diagonal"},
    OptionInfo{"--no-paths", 0, Nothing, "", "without the folders of this machine: of a path its last name stays"},
    OptionInfo{"--no-provenance", 0, Nothing, "",
               "do not print what it was measured on; the file's metadata still says it"},
    OptionInfo{"--no-special", 0, Nothing, "", "add no special tokens when encoding"},
    OptionInfo{"--off", 0, Text, "HEADS", "with --picture: heads to ablate in A, such as L2H5"},
    OptionInfo{"--order-seed", 0, Number, "N", "of the order in which examples run; no result depends on it"},
    OptionInfo{"--orientation-rate", 0, Number, "RATE", "learning rate of the first stage"},
    OptionInfo{"--orientation-steps", 0, Number, "N", "first stage, matrix orientation; 0: none"},
    OptionInfo{"--output", 'o', File, "PATH", "file or folder to write", "--out"},
    OptionInfo{"--page", 0, File, "FILE", "write exercises as one web page, whose answers are counted later"},
    OptionInfo{"--pairs", 0, File, "FILE", "pairs of prompts, JSON lines: clean, corrupt, answer, distractor"},
    OptionInfo{"--panels", 0, Text, "NAMES",
               "two to four figures, separated by commas, as parts a to d of one; --list prints their names"},
    OptionInfo{"--part", 0, Text, "K/N",
               "only part K of N, counted from 0, into a session of its own; join the parts with session merge"},
    OptionInfo{"--picture", 0, File, "FILE",
               "write a picture of the window when every number is in, and quit; needs no display"},
    OptionInfo{"--points", 0, Number, "N",
               "estimate: points on the way from all heads off to on; 1: the whole model only", "--steps"},
    OptionInfo{"--positions", 0, Choice, "WHERE",
               "all together, the last, or each; without it all for heads and each otherwise", "", "all last each"},
    OptionInfo{"--print-recipe", 0, Nothing, "", "write the recipe to standard output"},
    OptionInfo{"--prompts", 0, Number, "N", "number of prompts, at most"},
    OptionInfo{"--queries", 0, Text, "SPAN", "the tokens that stop reading, as 30-36, or one as 36"},
    OptionInfo{"--query", 0, Number, "N", "position of the query, from 0"},
    OptionInfo{"--quiet", 0, Nothing, "", "no progress and no remarks"},
    OptionInfo{"--raw", 0, Nothing, "",
               "the score itself, without subtracting the mean over the keys that the query sees"},
    OptionInfo{"--receiver", 0, Text, "READER",
               "who feeds this: L2H5.q, .k, .v (of SSM heads .c .b .x .dt .gate), L2.mlp, logits"},
    OptionInfo{"--recipe", 0, File, "FILE", "draw this recipe (JSON) instead of a stored one"},
    OptionInfo{"--remove", 0, Nothing, "", "take the stored figure out of the session"},
    OptionInfo{"--repeat", 0, Number, "N", "timed runs after one warm-up"},
    OptionInfo{"--report", 0, File, "FILE",
               "one document of all experiments that were run, .md (with a folder of pictures) or .pdf"},
    OptionInfo{"--requests", 0, File, "FILE", "token ids, headscope-bench-request/1"},
    OptionInfo{"--row", 0, Number, "N",
               "only this query position, counted from 0; by default all, printed for the last"},
    OptionInfo{"--sample", 0, Number, "K", "which example of the task, from 0", "--index"},
    OptionInfo{"--samples", 0, File, "FILE", "for one line of JSON an example"},
    OptionInfo{"--save", 0, Text, "NAME", "store the recipe in the session under this name"},
    OptionInfo{"--scale", 0, Choice, "SCALE", "colours of pictures", "", "raw row minmax log signed"},
    OptionInfo{"--seed", 0, Number, "N", "of everything random"},
    OptionInfo{"--sender", 0, Text, "WRITER", "who listens to this: L1H2, L1.mlp, embed"},
    OptionInfo{"--sequences", 0, Number, "N", "number of random sequences"},
    OptionInfo{"--session", 0, File, "FILE", "session file to create or continue"},
    OptionInfo{"--size", 0, Text, "SIZE",
               "of the figure: column (85 mm), page (175 mm), slide (16:9) or poster; of the window in a picture: "
               "1440x900"},
    OptionInfo{"--skip", 0, Number, "N",
               "positions at the start of each prompt that count neither as source nor as target"},
    OptionInfo{"--skip-special", 0, Nothing, "", "leave special tokens out when decoding"},
    OptionInfo{
        "--softmax", 0, Choice, "WHERE",
        "attention is knocked out before it, what is left sums to 1; or after it; without it before, where there "
        "is one",
        "", "before after"},
    OptionInfo{"--sources", 0, Nothing, "", "each head's part by the tokens that it reads"},
    OptionInfo{"--start", 0, Folder, "MODEL", "an all-SSM student of the same teacher to begin with"},
    OptionInfo{"--state", 0, Text, "SPEC", "only these states beside the baseline, as for --ablate; may be repeated"},
    OptionInfo{"--state-size", 0, Number, "N", "state size of the SSM heads", "--state"},
    OptionInfo{"--stdin-jsonl", 0, Nothing, "", "lines {\"text\": ...} or, with --decode, {\"ids\": [...]}"},
    OptionInfo{"--steps", 0, Number, "N", "stop after this many more training steps; 0: train to the end"},
    OptionInfo{"--story", 0, Text, "NAME",
               "a tour or exercises that lead through the page, by name or as a file; may be repeated"},
    OptionInfo{"--table", 0, Text, "NAME", "which table of the session"},
    OptionInfo{"--task", 0, Task, "TASK", "task names, or the path of a task file or table; `tasks` lists them"},
    OptionInfo{"--temperature", 0, Number, "T", "0: always the likeliest token; else sampled, see --seed"},
    OptionInfo{"--text", 0, Text, "TEXT", "the prompt", "--prompt"},
    OptionInfo{"--texts", 0, File, "PATH", "folder of .txt and .jsonl files, or such a file; may be repeated"},
    OptionInfo{"--threads", 0, Number, "N", "processor threads; 0: one per core"},
    OptionInfo{"--threshold", 0, Number, "X", "a head gets a label from this score on"},
    OptionInfo{"--title", 0, Text, "TEXT", "above the figure"},
    OptionInfo{"--token-count", 0, Number, "N", "number of tokens to read; 0: all texts", "--tokens"},
    OptionInfo{"--tokenizer", 0, File, "PATH", "folder or tokenizer.json; without it the model's own"},
    OptionInfo{"--tokens", 0, File, "FILE", "safetensors file with input_ids"},
    OptionInfo{"--tolerance", 0, Number, "X", "allowed difference of log-likelihoods"},
    OptionInfo{"--top", 0, Number, "N",
               "number of heads to print, race for, pair, choose or draw; 0: all, or the method's own number"},
    OptionInfo{"--train-all", 0, Nothing, "", "the last stage trains all tensors, and not the SSM heads alone"},
    OptionInfo{"--until-decided", 0, Number, "WIDTH",
               "with --ablate: score no further than until the sign of the change is decided, or its 95 % interval is "
               "narrower than this; holds however often one looks"},
    OptionInfo{"--version", 0, Nothing, "", "the version"},
    OptionInfo{"--want", 0, Text, "KEYS", "comma-separated"},
    OptionInfo{"--weights", 0, Choice, "FORM", "quantize weights, on the processor; everything else is fp32", "",
               "int8 int4"},
    OptionInfo{
        "--what", 0, Choice, "PART",
        "heads; stream: what a layer reads; mixer, mlp: what it writes; state: what an SSM carries past a position", "",
        "heads stream mixer mlp state"},
    OptionInfo{"--where", 0, Text, "FILTER",
               "only heads whose means fulfil this: \"induction > 0.5 and (entropy < 1 or not first >= 0.2)\""},
    OptionInfo{"--width", 0, Number, "MM", "of the figure"},
    OptionInfo{"--window", 0, Number, "N", "tokens that are read together, the start token included"},
    OptionInfo{"--words", 0, Folder, "FOLDER", "wonderwords' word lists, for kv_retrieval"},
    OptionInfo{"--work", 0, Number, "SHARE",
               "race: stop at this share of the exact ranking's runs, and report which heads are certain"},
};

constexpr std::array<std::string_view, 11> kCommon = {"--device",     "--dtype",       "--weights", "--threads",
                                                      "--memory",     "--keep-packed", "--session", "--seed",
                                                      "--order-seed", "--json",        "--quiet"};
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
