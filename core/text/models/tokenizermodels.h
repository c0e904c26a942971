// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The models of tokenizer.json: from one word to token ids. Immutable once made: any thread.

#include "core/base/result.h"
#include "core/text/models/vocabulary.h"
#include "core/text/models/wordcache.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::text {

class Model
{
public:
    virtual ~Model() = default;
    /// Appends the tokens of a word that is not empty. With `byteLevel` each byte of `word` stands for its character of
    /// the byte-level alphabet, and positions count those bytes; only where `spellsBytes` says so.
    [[nodiscard]] virtual Result<void> tokenize(std::string_view word, bool byteLevel, WordCache& cache,
                                                std::vector<WordToken>& out) const = 0;
    [[nodiscard]] virtual const Vocabulary& vocabulary() const = 0;
    /// Every character of the byte-level alphabet is a token, so that bytes need not be spelled out.
    [[nodiscard]] virtual bool spellsBytes() const { return false; }
};

using ModelPtr = std::unique_ptr<const Model>;

struct BpeOptions {
    std::optional<std::string> unknown;
    std::string continuingPrefix;
    std::string endOfWordSuffix;
    bool fuseUnknown = false;
    bool byteFallback = false;
    bool ignoreMerges = false;
};

/// Byte-pair encoding. `merges` in the order of their rank. Fails for a merge whose parts or result are not tokens.
[[nodiscard]] Result<ModelPtr>
makeBpe(Vocabulary vocabulary, const std::vector<std::pair<std::string, std::string>>& merges, BpeOptions options);

/// Each word is one token. Words that are not in the vocabulary become `unknown`.
[[nodiscard]] ModelPtr makeWordLevel(Vocabulary vocabulary, std::string unknown);

/// The most probable split; `scores` are log-probabilities by id. Fails for an unknown id outside the vocabulary.
[[nodiscard]] Result<ModelPtr> makeUnigram(std::vector<std::string> tokens, std::vector<double> scores,
                                           std::optional<int> unknown, bool byteFallback);

/// Always the longest token that fits. `tokens`: bytes and ids; `end`: the one that has id 0 where none of them has,
/// and stands for no text. Fails for a token or an id that is there twice.
[[nodiscard]] Result<ModelPtr> makeLongestMatch(const std::vector<std::pair<std::string, std::int64_t>>& tokens,
                                                const std::string& end);

/// The id of "<0xHH>" for each byte, -1 where there is none.
[[nodiscard]] std::vector<int> byteTokens(const Vocabulary& vocabulary);

} // namespace headscope::text
