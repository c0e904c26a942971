// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/benchmarknames.h"

#include "core/experiments/words/language.h"

#include <array>
#include <utility>

namespace headscope::experiments {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kNames = {
    {{"toy_kv", "toy KV retrieval"},
     {"toy_mc", "toy multiple choice"},
     {"toy_knowledge", "toy knowledge"},
     {"word_kv", "KV retrieval, any words"},
     {"word_kv_plain", "KV retrieval without quotes"},
     {"word_kv_short", "KV retrieval, short"},
     {"passage_mc", "multiple choice on a passage"},
     {"ioi", "names"},
     {"induction", "induction"},
     {"facts", "made-up facts"},
     {"cloze", "last word of a paragraph"},
     {"kv_retrieval", "KV retrieval"},
     {"mmlu", "MMLU"},
     {"lambada_openai", "LAMBADA"},
     {"gsm8k", "GSM8K"},
     {"swde", "SWDE"},
     {"bbh", "BBH"},
     {"knowledge", "knowledge"},
     {"arc_challenge", "ARC-C"},
     {"arc_challenge_chat", "ARC-C (chat)"}}};
constexpr std::string_view kPairs = ":pairs=";

} // namespace

std::string benchmarkName(std::string_view task)
{
    const std::size_t options = task.find(':');
    const std::string_view base = task.substr(0, options);
    std::string name(base);
    for (const auto& [key, shown] : kNames)
        if (key == base)
            name = translated(shown);
    if (options == std::string_view::npos)
        return name;
    const std::string_view rest = task.substr(options);
    return rest.starts_with(kPairs) ? translated("{}, {} pairs", name, rest.substr(kPairs.size()))
                                    : name + std::string(rest);
}

} // namespace headscope::experiments
