// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/ownmodels.h"

#include "core/tasks/english/english.h"
#include "core/tasks/toy/toyvocabulary.h"

namespace headscope::tasks {

namespace {

bool hasToyWords(const text::Tokenizer& tokenizer)
{
    int id = 0;
    for (const std::string_view word : toy::words())
        if (tokenizer.idOf(word) != id++)
            return false;
    return tokenizer.vocabularySize() == id;
}

// The recipes count numbers so often that each is a token; a vocabulary of this size has few of them otherwise.
bool hasRecipeTokens(const text::Tokenizer& tokenizer)
{
    if (tokenizer.vocabularySize() != kEnglishVocabulary || tokenizer.idOf(toy::words()[toy::Bos]) != 0
        || tokenizer.tokenOf(1) != "!")
        return false;
    for (int number = 10; number < 100; ++number)
        if (!tokenizer.idOf("\xC4\xA0" + std::to_string(number)))
            return false;
    return true;
}

} // namespace

OwnModel ownModelOf(const text::Tokenizer& tokenizer)
{
    return hasToyWords(tokenizer) ? OwnModel::Tiny : hasRecipeTokens(tokenizer) ? OwnModel::English : OwnModel::None;
}

std::vector<int> startOf(const text::Tokenizer& tokenizer)
{
    std::vector<int> ids = tokenizer.startIds();
    if (ids.empty() && ownModelOf(tokenizer) != OwnModel::None)
        ids.push_back(toy::Bos);
    return ids;
}

std::string_view withoutStart(std::string_view text)
{
    const std::string_view start = toy::words()[toy::Bos];
    if (!text.starts_with(start))
        return text;
    text.remove_prefix(start.size());
    return text.substr(text.starts_with(' ') ? 1 : 0);
}

void fitTo(TaskSet& set, const text::Tokenizer& tokenizer)
{
    if (ownModelOf(tokenizer) == OwnModel::None)
        return;
    for (LeafTask& leaf : set.leaves) {
        if (leaf.pairing != PairEncoding::ModelStart)
            continue;
        leaf.version = "1";
        const std::string start = std::string(toy::words()[toy::Bos]) + leaf.afterStart;
        for (std::size_t i = leaf.begin; i < leaf.end && i < set.examples.size(); ++i) {
            Example& example = set.examples[i];
            if (example.context.starts_with(start))
                continue;
            example.context.insert(0, start);
            for (Segment& segment : example.segments) {
                segment.begin += start.size();
                segment.end += start.size();
            }
        }
    }
}

} // namespace headscope::tasks
