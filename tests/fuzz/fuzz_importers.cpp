// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer target for the benchmark importers. The first byte chooses the task, the rest is the file: any outcome but
// a crash is fine, a set must agree with its report, and every refusal must be one sentence.

#include "core/tasks/import/harnessjson.h"
#include "core/tasks/kvretrieval.h"
#include "core/tasks/metrics.h"
#include "core/tasks/registry.h"

#include <cstdlib>
#include <fstream>

#include <unistd.h>

using namespace headscope;
using namespace headscope::tasks;

namespace {

struct Target {
    const char* task;
    const char* file;
};

constexpr Target kTargets[] = {
    {"mmlu_anatomy", "mmlu/test/anatomy_test.csv"},
    {"mmlu", "mmlu/test.jsonl"},
    {"arc_easy", "arc_easy/ARC-Easy-Test.jsonl"},
    {"arc_challenge_chat", "arc_challenge/test.jsonl"},
    {"piqa", "piqa/validation.jsonl"},
    {"piqa", "piqa/validation.csv"},
    {"winogrande", "winogrande/dev.jsonl"},
    {"hellaswag", "hellaswag/validation.json"},
    {"openbookqa", "openbookqa/test.jsonl"},
    {"lambada_openai", "lambada/lambada_test.jsonl"},
    {"gsm8k", "gsm8k/test.jsonl"},
    {"swde", "swde/validation.jsonl"},
    {"bbh_zeroshot_snarks", "bbh/snarks.json"},
};

void require(bool condition)
{
    if (!condition)
        std::abort();
}

void write(const std::filesystem::path& path, std::string_view text)
{
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

// The rows of a set go through the metrics too: the texts are the fuzzer's.
void judge(const TaskSet& set)
{
    for (std::size_t i = 0; i < set.examples.size() && i < 3; ++i) {
        const Example& example = set.examples[i];
        const LeafTask& leaf = set.leafOf(i);
        Outcome outcome;
        outcome.logLikelihoods.assign(example.continuations.size(), -1.0);
        outcome.greedy.assign(example.continuations.size(), false);
        outcome.generated = example.target;
        const Result<Judge> made = Judge::make(leaf);
        require(made.has_value());
        if (const Result<Judgement> judged = made->judge(example, outcome); judged.has_value()) {
            require(judged->values.size() == leaf.metrics.size());
            (void)harnessSample(example, leaf, outcome, *judged, leaf.metrics.front().filter);
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("headscope-fuzz-" + std::to_string(getpid()));
    if (size < 1)
        return 0;
    constexpr std::size_t kinds = std::size(kTargets);
    const std::size_t kind = data[0] % (kinds + 3);
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    std::filesystem::remove_all(folder);
    if (kind == kinds) {
        write(folder / "task.json", text);
        const Result<TaskSet> set = makeTask((folder / "task.json").string(), {});
        require(set.has_value() || !set.error().message.empty());
        if (set.has_value())
            judge(*set);
    } else if (kind == kinds + 1) {
        write(folder / "samples.jsonl", text);
        if (const Result<HarnessSamples> samples = readHarnessSamples(folder / "samples.jsonl"); samples.has_value())
            require(compareSamples(*samples, *samples, 0).promptsDiffer == 0);
    } else if (kind == kinds + 2) {
        write(folder / "words.txt", text);
        if (const Result<WordList> words = readOwnWords(folder / "words.txt"); words.has_value())
            (void)kvRetrieval(*words, 3, 2, 1);
    } else {
        write(folder / kTargets[kind].file, text);
        write(folder / "bbh/cot-prompts/snarks.txt", "x\n-----\nD.\n\nQ: i\nA: a\n");
        TaskOptions options;
        options.dataFolder = folder;
        options.fewshot = 0;
        const Result<TaskSet> set = makeTask(kTargets[kind].task, options);
        require(set.has_value() || !set.error().message.empty());
        if (set.has_value()) {
            require(set->report.accepted == static_cast<int>(set->examples.size()));
            judge(*set);
        }
    }
    return 0;
}
