// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Learns a byte-level BPE vocabulary from texts, like the tokenizers library's BpeTrainer on the same texts. One thread
// at a time.

#include "core/base/result.h"
#include "core/text/steps/pretokenizers.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headscope::text {

/// A learned vocabulary.
struct BpeVocabulary {
    std::vector<std::string> tokens;         ///< by id, in the byte-level alphabet; special tokens come first
    std::vector<std::pair<int, int>> merges; ///< ids, in the order learned
    int specials = 0;                        ///< number of special tokens

    /// Returns tokenizer.json as the tokenizers library saves it: GPT-2's words, byte level, no tokens around a text.
    [[nodiscard]] std::string tokenizerJson() const;
};

/// Counts the words of texts (split by GPT-2's pattern), then repeatedly merges the most frequent pair; among equally
/// frequent pairs the one of the smaller ids goes first (Sennrich et al. 2016, arXiv 1508.07909). The order of texts
/// does not matter.
class BpeTrainer
{
public:
    [[nodiscard]] static Result<BpeTrainer> make();

    /// Counts the words of one text, as if it occurred `times` times. Fails for text that is not UTF-8.
    [[nodiscard]] Result<void> add(std::string_view text, int times = 1);
    /// Learns at most `size` tokens: the special ones, the 256 bytes in the order of their characters, then merges, as
    /// long as there are pairs.
    [[nodiscard]] BpeVocabulary train(int size, const std::vector<std::string>& specials = {"<s>"}) const;

private:
    explicit BpeTrainer(PreTokenizerPtr words) : m_words(std::move(words)) {}

    PreTokenizerPtr m_words;
    std::unordered_map<std::string, std::int64_t> m_counts; ///< a word's bytes, and its number of occurrences
};

} // namespace headscope::text
