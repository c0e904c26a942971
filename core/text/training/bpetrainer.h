// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Learns a byte-level BPE vocabulary from texts, as the tokenizers library's BpeTrainer does on the same texts. One
// thread at a time.

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
    std::vector<std::pair<int, int>> merges; ///< ids, in the order in which they were learned
    int specials = 0;                        ///< how many of the tokens are special

    /// tokenizer.json as the tokenizers library saves it: GPT-2's words, byte level, nothing added around a text.
    [[nodiscard]] std::string tokenizerJson() const;
};

/// Counts the words of texts (cut by GPT-2's pattern), then merges the most frequent pair again and again; among
/// equally frequent pairs the one of the smaller ids goes first (Sennrich et al. 2016, arXiv 1508.07909). The order of
/// texts does not matter.
class BpeTrainer
{
public:
    [[nodiscard]] static Result<BpeTrainer> make();

    /// Counts the words of one text, each as if the text came `times` times. Fails for text that is not UTF-8.
    [[nodiscard]] Result<void> add(std::string_view text, int times = 1);
    /// At most `size` tokens: the special ones, the 256 bytes in the order of their characters, then merges, as long as
    /// there are pairs.
    [[nodiscard]] BpeVocabulary train(int size, const std::vector<std::string>& specials = {"<s>"}) const;

private:
    explicit BpeTrainer(PreTokenizerPtr words) : m_words(std::move(words)) {}

    PreTokenizerPtr m_words;
    std::unordered_map<std::string, std::int64_t> m_counts; ///< bytes of a word: how often it came
};

} // namespace headscope::text
