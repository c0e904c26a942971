// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/hubfiles.h"

#include "core/tasks/python/pytext.h"

#include <algorithm>

namespace headscope::tasks {

namespace {

// One file of the converted branch: its first piece, which is the whole of a benchmark of this size.
HubFile piece(const std::string& config, const std::string& split, const std::string& to, int rows)
{
    return {config + "/" + split + "/0000.parquet", to, rows};
}

HubFiles arcAtHub(const std::string& task, const std::string& config, int test, int train)
{
    return {
        task,
        "allenai/ai2_arc",
        {piece(config, "test", task + "/test.parquet", test), piece(config, "train", task + "/train.parquet", train)}};
}

const std::vector<HubFiles>& catalogue()
{
    static const std::vector<HubFiles> all{
        {"mmlu",
         "cais/mmlu",
         {piece("all", "test", "mmlu/test.parquet", 14042), piece("all", "dev", "mmlu/dev.parquet", 285)}},
        {"lambada_openai",
         "EleutherAI/lambada_openai",
         {piece("default", "test", "lambada_openai/test.parquet", 5153)}},
        {"gsm8k",
         "openai/gsm8k",
         {piece("main", "test", "gsm8k/test.parquet", 1319), piece("main", "train", "gsm8k/train.parquet", 7473)}},
        {"swde", "hazyresearch/based-swde-v2", {piece("default", "validation", "swde/validation.parquet", 1111)}},
        arcAtHub("arc_challenge", "ARC-Challenge", 1172, 1119),
        arcAtHub("arc_easy", "ARC-Easy", 2376, 2251),
        {"piqa",
         "ybisk/piqa",
         {piece("plain_text", "validation", "piqa/validation.parquet", 1838),
          piece("plain_text", "train", "piqa/train.parquet", 16113)}},
        {"winogrande",
         "allenai/winogrande",
         {piece("winogrande_xl", "validation", "winogrande/validation.parquet", 1267),
          piece("winogrande_xl", "train", "winogrande/train.parquet", 40398)}},
        {"hellaswag",
         "Rowan/hellaswag",
         {piece("default", "validation", "hellaswag/validation.parquet", 10042),
          piece("default", "train", "hellaswag/train.parquet", 39905)}},
        {"openbookqa",
         "allenai/openbookqa",
         {piece("main", "test", "openbookqa/test.parquet", 500),
          piece("main", "train", "openbookqa/train.parquet", 4957)}},
    };
    return all;
}

// The entries of the catalogue that a task reads.
Result<std::vector<std::string>> entriesOf(std::string_view task)
{
    if (task == "knowledge")
        return std::vector<std::string>{"winogrande", "openbookqa", "piqa", "hellaswag", "arc_challenge", "arc_easy"};
    for (const auto& [prefix, entry] :
         {std::pair("mmlu", "mmlu"), std::pair("arc_challenge", "arc_challenge"), std::pair("swde", "swde")})
        if (task == prefix || task.starts_with(std::string(prefix) + "_"))
            return std::vector<std::string>{entry};
    const auto found = std::ranges::find_if(catalogue(), [&](const HubFiles& one) { return one.task == task; });
    if (found != catalogue().end())
        return std::vector<std::string>{found->task};
    if (task.starts_with("bbh"))
        return inputError("The hub has BIG-Bench Hard without its prompts; the folders bbh and cot-prompts of "
                          "github.com/suzgunmirac/BIG-Bench-Hard belong in the data folder.");
    std::string names;
    for (const HubFiles& one : catalogue())
        names += (names.empty() ? "" : ", ") + one.task;
    return inputError("There are no files to get for '" + excerpt(task, 60) + "'; expected " + names
                      + " or knowledge, which are six of them.");
}

} // namespace

Result<std::vector<HubFiles>> hubFiles(const std::vector<std::string>& names)
{
    std::vector<HubFiles> wanted;
    for (const std::string& name : names) {
        const auto entries = entriesOf(name);
        if (!entries.has_value())
            return entries.error();
        for (const std::string& entry : *entries)
            if (std::ranges::none_of(wanted, [&](const HubFiles& one) { return one.task == entry; }))
                wanted.push_back(
                    *std::ranges::find_if(catalogue(), [&](const HubFiles& one) { return one.task == entry; }));
    }
    return wanted;
}

} // namespace headscope::tasks
