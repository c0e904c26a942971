// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/requestjson.h"

#include <nlohmann/json.hpp>

namespace headscope::tasks {

std::string requestJson(const Example& example, const std::vector<PairTokens>& tokens)
{
    nlohmann::ordered_json json{{"task", example.task}, {"file", example.file}, {"row", example.row}};
    if (example.contexts.empty())
        json["context"] = example.context;
    else
        json["contexts"] = example.contexts;
    if (example.scoring == Scoring::Generation) {
        json["target"] = example.target;
        json["until"] = example.until;
        json["max_gen_toks"] = example.maxNewTokens;
    } else {
        json["continuations"] = example.continuations;
        if (!example.normLengths.empty())
            json["norm_lengths"] = example.normLengths;
        if (example.gold >= 0)
            json["gold"] = example.gold;
    }
    for (const PairTokens& pair : tokens) {
        nlohmann::ordered_json entry{{"context", pair.context}};
        if (example.scoring != Scoring::Generation)
            entry["continuation"] = pair.continuation;
        json["tokens"].push_back(std::move(entry));
    }
    return json.dump(-1, ' ', true);
}

} // namespace headscope::tasks
