// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/kvretrieval.h"

#include "core/tasks/import/rows.h"
#include "core/tasks/python/pyrandom.h"
#include "core/tasks/python/pytext.h"

#include <algorithm>
#include <unordered_set>

namespace headscope::tasks {

namespace {

Result<void> addWords(const std::filesystem::path& file, WordList& list, std::unordered_set<std::string>& seen)
{
    Result<std::string> bytes = readBytes(file);
    if (!bytes.has_value())
        return bytes.error();
    if (const std::size_t bad = findInvalidUtf8(*bytes); bad != std::string::npos)
        return inputError("The word list '" + file.string() + "' is not valid UTF-8 at byte " + std::to_string(bad)
                          + ".");
    int line = 0;
    for (std::size_t begin = markSize(*bytes); begin < bytes->size();) {
        const std::size_t end = std::min(bytes->find('\n', begin), bytes->size());
        const std::string word(rstrip(std::string_view(*bytes).substr(begin, end - begin)));
        begin = end + 1;
        ++line;
        if (word.empty() || word.find_first_of(":\r") != std::string::npos)
            return inputError("Line " + std::to_string(line) + " of the word list '" + file.string()
                              + (word.empty() ? "' is empty; expected one word."
                                              : "' contains a colon or a line break, which no key may."));
        if (seen.insert(word).second)
            list.words.push_back(word);
    }
    return {};
}

void addSegment(Example& example, Role role, const std::string& text, int group, bool target)
{
    example.segments.push_back({role, example.context.size(), example.context.size() + text.size(), group, target});
    example.context += text;
}

} // namespace

Result<WordList> readWonderwords(const std::filesystem::path& folder)
{
    WordList list;
    list.wonderwords = true;
    std::unordered_set<std::string> seen;
    for (const char* name : {"nounlist.txt", "verblist.txt", "adjectivelist.txt"}) {
        if (const Result<void> added = addWords(folder / name, list, seen); !added.has_value())
            return added.error();
    }
    list.origin = "wonderwords' " + std::to_string(list.words.size()) + " words";
    return list;
}

Result<WordList> readOwnWords(const std::filesystem::path& file)
{
    WordList list;
    std::unordered_set<std::string> seen;
    if (const Result<void> added = addWords(file, list, seen); !added.has_value())
        return added.error();
    list.origin = "Headscope's own " + std::to_string(list.words.size()) + " words (wonderwords' lists were not found)";
    return list;
}

Result<std::vector<Example>> kvRetrieval(const WordList& words, int pairs, int count, std::uint64_t seed)
{
    const int most = std::min<int>(100, static_cast<int>(words.words.size()));
    if (pairs < 1 || pairs > most)
        return inputError(
            "KV retrieval was requested with " + std::to_string(pairs) + " pairs; expected 1 to " + std::to_string(most)
            + (most == 100 ? ", because the values are distinct numbers below 100." : ", the number of words."));
    const auto n = static_cast<std::size_t>(pairs);
    PyRandom random(seed);
    std::vector<Example> examples;
    for (int i = 0; i < count; ++i) {
        const std::vector<std::size_t> keys = random.sample(words.words.size(), n);
        const std::vector<std::size_t> values = random.sample(100, n);
        const std::size_t asked = random.below(n);

        Example example;
        example.task = "kv_retrieval:pairs=" + std::to_string(pairs);
        example.file = "generated";
        example.row = i;
        example.gold = static_cast<int>(asked);
        example.context = "Memorize the following dictionary:\n";
        for (std::size_t k = 0; k < n; ++k) {
            const std::string value = std::to_string(values[k]);
            addSegment(example, Role::Key, words.words[keys[k]], static_cast<int>(k), k == asked);
            example.context += ":";
            addSegment(example, Role::Value, value, static_cast<int>(k), k == asked);
            example.context += "\n";
            example.continuations.push_back(value);
            example.normLengths.push_back(static_cast<int>(value.size()));
        }
        example.context += "The value of the key '";
        addSegment(example, Role::Query, words.words[keys[asked]], static_cast<int>(asked), false);
        example.context += "' is";
        examples.push_back(std::move(example));
    }
    return examples;
}

} // namespace headscope::tasks
