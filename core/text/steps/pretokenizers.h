// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pre-tokenizers of tokenizer.json: how a text is split into the words for the model. Immutable: any thread.

#include "core/base/result.h"
#include "core/text/steps/compiledpattern.h"
#include "core/text/steps/piece.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::text {

class PreTokenizer
{
public:
    virtual ~PreTokenizer() = default;
    /// Appends the words of `piece`, none of them empty.
    [[nodiscard]] virtual Result<void> split(const Piece& piece, Arena& arena, std::vector<Piece>& words) const = 0;
};

using PreTokenizerPtr = std::unique_ptr<const PreTokenizer>;

/// Treatment of matches; the names are those of tokenizer.json.
enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };
enum class PrependScheme { Always, First, Never };
enum class CharacterClass { Punctuation, Numeric, Whitespace };

[[nodiscard]] PreTokenizerPtr makeSequencePreTokenizer(std::vector<PreTokenizerPtr> steps);
/// `invert`: swaps the roles of matches and gaps.
[[nodiscard]] PreTokenizerPtr makeSplitPreTokenizer(Pattern pattern, SplitBehavior behavior, bool invert);
/// Treats every single character of the class as a match.
[[nodiscard]] PreTokenizerPtr makeClassPreTokenizer(CharacterClass characters, SplitBehavior behavior);
/// Splits text into runs of word characters and runs of other characters that are not white space.
[[nodiscard]] PreTokenizerPtr makeWhitespacePreTokenizer();
/// `last`: only the model reads the words, so that their bytes can stay unchanged (Piece::byteLevel).
[[nodiscard]] Result<PreTokenizerPtr> makeByteLevelPreTokenizer(bool addPrefixSpace, bool useRegex, bool last);
[[nodiscard]] Result<PreTokenizerPtr> makeMetaspacePreTokenizer(const std::string& replacement, PrependScheme scheme,
                                                                bool split);

/// Applies a behaviour to matches and gaps; the remaining stretches are all words.
void applyBehavior(SplitBehavior behavior, std::vector<Stretch>& stretches);

} // namespace headscope::text
