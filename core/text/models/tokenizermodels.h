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
    /// Appends the tokens of a non-empty word. With `byteLevel` each byte of `word` stands for its character of the
    /// byte-level alphabet, and positions count those bytes; only if `spellsBytes` is true.
    [[nodiscard]] virtual Result<void> tokenize(std::string_view word, bool byteLevel, WordCache& cache,
                                                std::vector<WordToken>& out) const = 0;
    [[nodiscard]] virtual const Vocabulary& vocabulary() const = 0;
    /// Returns whether every character of the byte-level alphabet is a token, so that bytes need not be spelled out.
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

/// Makes byte-pair encoding. `merges` in order of rank. Fails for a merge whose parts or result are not tokens.
[[nodiscard]] Result<ModelPtr>
makeBpe(Vocabulary vocabulary, const std::vector<std::pair<std::string, std::string>>& merges, BpeOptions options);

/// Makes a model in which each word is one token. Words outside the vocabulary become `unknown`.
[[nodiscard]] ModelPtr makeWordLevel(Vocabulary vocabulary, std::string unknown);

/// Makes the most probable split; `scores` are log-probabilities by id. Fails for an unknown id outside the vocabulary.
[[nodiscard]] Result<ModelPtr> makeUnigram(std::vector<std::string> tokens, std::vector<double> scores,
                                           std::optional<int> unknown, bool byteFallback);

/// Makes a model that always takes the longest matching token. `tokens`: bytes and ids; `end`: the token with id 0 if
/// none of them has it; it has no text. Fails for a duplicate token or id.
[[nodiscard]] Result<ModelPtr> makeLongestMatch(const std::vector<std::pair<std::string, std::int64_t>>& tokens,
                                                const std::string& end);

/// Returns the id of "<0xHH>" for each byte, -1 if there is none.
[[nodiscard]] std::vector<int> byteTokens(const Vocabulary& vocabulary);

} // namespace headscope::text
