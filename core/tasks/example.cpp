// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/example.h"

#include "core/base/hash.h"

namespace headscope::tasks {

namespace {

// Every string goes in with its length, so that no two examples can run together into the same bytes.
void add(Sha256& hash, const std::string& text)
{
    hash.add(std::to_string(text.size()));
    hash.add(":");
    hash.add(text);
}

void add(Sha256& hash, const std::vector<std::string>& texts)
{
    hash.add(std::to_string(texts.size()));
    hash.add("[");
    for (const std::string& text : texts)
        add(hash, text);
}

} // namespace

std::string contentHash(const Example& example)
{
    Sha256 hash;
    add(hash, name(example.scoring));
    add(hash, example.task);
    add(hash, example.context);
    add(hash, example.contexts);
    add(hash, example.continuations);
    for (const int length : example.normLengths)
        add(hash, std::to_string(length));
    add(hash, std::to_string(example.gold));
    add(hash, example.target);
    add(hash, example.until);
    add(hash, std::to_string(example.maxNewTokens));
    return hash.hex();
}

const char* name(Scoring scoring)
{
    switch (scoring) {
    case Scoring::MultipleChoice: return "multiple_choice";
    case Scoring::LogLikelihood: return "loglikelihood";
    case Scoring::Generation: return "generate_until";
    }
    return "";
}

} // namespace headscope::tasks
