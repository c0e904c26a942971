// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The KV retrieval task of the Gather-and-Aggregate paper (arXiv 2504.18574; its repository's kv_retrieval.py). Pure
// functions apart from reading the word lists.

#include "core/base/result.h"
#include "core/tasks/example.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::tasks {

struct WordList {
    std::vector<std::string> words; ///< distinct, in file order: nouns, verbs, adjectives
    bool wonderwords = false;       ///< false: the list included with Headscope
    std::string origin;             ///< description for results
};

/// Reads nounlist.txt, verblist.txt and adjectivelist.txt of wonderwords from a folder; empty lines and words with a
/// colon are rejected. Fails if a file is missing or invalid.
[[nodiscard]] Result<WordList> readWonderwords(const std::filesystem::path& folder);
/// Reads Headscope's own list, one word per line.
[[nodiscard]] Result<WordList> readOwnWords(const std::filesystem::path& file);

/// Makes `count` examples with `pairs` pairs each. Example i depends on seed, words, pairs and, through earlier draws,
/// on i, so a longer run begins with the shorter one. Segments: every key and value (group = its number, target = the
/// requested one) and the requested key in the question as Query. Fails unless 1 <= pairs <= min(100, number of words).
[[nodiscard]] Result<std::vector<Example>> kvRetrieval(const WordList& words, int pairs, int count, std::uint64_t seed);

} // namespace headscope::tasks
