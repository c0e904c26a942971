// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/requestjson.h"

#include <nlohmann/json.hpp>

namespace headscope::tasks {

std::string requestJson(const Example& example, const std::vector<PairTokens>& tokens)
{
    nlohmann::ordered_json request{{"task", example.task}, {"file", example.file}, {"row", example.row}};
    if (example.contexts.empty())
        request["context"] = example.context;
    else
        request["contexts"] = example.contexts;
    if (example.scoring == Scoring::Generation) {
        request["target"] = example.target;
        request["until"] = example.until;
        request["max_gen_toks"] = example.maxNewTokens;
    } else {
        request["continuations"] = example.continuations;
        if (!example.normLengths.empty())
            request["norm_lengths"] = example.normLengths;
        if (example.gold >= 0)
            request["gold"] = example.gold;
    }
    for (const PairTokens& pair : tokens) {
        nlohmann::ordered_json entry{{"context", pair.context}};
        if (example.scoring != Scoring::Generation)
            entry["continuation"] = pair.continuation;
        request["tokens"].push_back(std::move(entry));
    }
    return request.dump(-1, ' ', true);
}

} // namespace headscope::tasks
