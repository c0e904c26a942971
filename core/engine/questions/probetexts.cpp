// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/probetexts.h"

#include "core/engine/ranking/rank.h"

#include <algorithm>

namespace headscope::engine {

why::RepeatedTokens repeatedTokens(const text::Tokenizer& tokenizer, const lm::ModelSpec& spec, std::uint64_t seed)
{
    why::RepeatedTokens tokens{.seed = seed};
    tokens.start = tokenizer.bosId().value_or(tokenizer.eosId().value_or(0));
    const int count = std::min(tokenizer.vocabularySize(), spec.vocabulary);
    for (int id = 0; id < count; ++id) {
        const auto written = tokenizer.decode(std::vector<int>{id}, true);
        if (written.has_value() && !written->empty())
            tokens.drawn.push_back(id);
    }
    return tokens;
}

Result<std::vector<why::RetrievalRow>> retrievalRows(const tasks::TaskSet& set, const Reader& reader)
{
    std::vector<why::RetrievalRow> rows;
    for (std::size_t i = 0; i < set.examples.size(); ++i) {
        const tasks::Example& example = set.examples[i];
        const auto gold = static_cast<std::size_t>(std::max(example.gold, 0));
        if (gold >= example.continuations.size() || !example.contexts.empty())
            continue;
        const auto read = [&](const std::string& text) {
            return encodeText(text, set.leafOf(i).pairing, reader.tokenizer, reader.bos);
        };
        const auto prompt = read(example.context);
        const auto whole = read(example.context + example.continuations[gold]);
        for (const auto* encoding : {&prompt, &whole})
            if (!encoding->has_value())
                return encoding->error();
        why::RetrievalRow row{whole->ids, static_cast<int>(prompt->ids.size()), tokenSegments(example, *prompt)};
        if (std::any_of(row.segments.begin(), row.segments.end(), [](const auto& one) { return one.target; })
            && row.answerBegin > 0 && row.answerBegin < static_cast<int>(row.ids.size()))
            rows.push_back(std::move(row));
    }
    if (rows.empty())
        return inputError("The samples of '" + set.name
                          + "' do not mark the source of the answer; expected a task such as toy_kv or kv_retrieval "
                            "for the retrieval score.");
    return rows;
}

} // namespace headscope::engine
