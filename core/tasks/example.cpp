// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/example.h"

#include "core/base/hash.h"

namespace headscope::tasks {

namespace {

// Every string goes in with its length, so that no two examples can run together into the same bytes.
void addTo(Sha256& hash, const std::string& text)
{
    hash.add(std::to_string(text.size()));
    hash.add(":");
    hash.add(text);
}

void addTo(Sha256& hash, const std::vector<std::string>& texts)
{
    hash.add(std::to_string(texts.size()));
    hash.add("[");
    for (const std::string& text : texts)
        addTo(hash, text);
}

} // namespace

std::string contentHash(const Example& example)
{
    Sha256 hash;
    addTo(hash, name(example.scoring));
    addTo(hash, example.task);
    addTo(hash, example.context);
    addTo(hash, example.contexts);
    addTo(hash, example.continuations);
    for (const int length : example.normLengths)
        addTo(hash, std::to_string(length));
    addTo(hash, std::to_string(example.gold));
    addTo(hash, example.target);
    addTo(hash, example.until);
    addTo(hash, std::to_string(example.maxNewTokens));
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
