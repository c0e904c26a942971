// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The normalizers of tokenizer.json: what happens to a text before it is cut into words. Immutable: any thread.

#include "core/base/result.h"
#include "core/text/steps/compiledpattern.h"
#include "core/text/steps/piece.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::text {

class Normalizer
{
public:
    virtual ~Normalizer() = default;
    /// The normalized piece; may be `piece` itself when nothing changes.
    [[nodiscard]] virtual Result<Piece> normalize(const Piece& piece, Arena& arena) const = 0;
};

using NormalizerPtr = std::unique_ptr<const Normalizer>;

enum class UnicodeForm { Nfc, Nfd, Nfkc, Nfkd };

/// Unicode normalization with the data of Unicode 9, the reference's version: newer characters are left as they are.
[[nodiscard]] NormalizerPtr makeUnicodeNormalizer(UnicodeForm form);
[[nodiscard]] NormalizerPtr makeSequenceNormalizer(std::vector<NormalizerPtr> steps);
/// Puts `prefix` in front of every piece that is not empty.
[[nodiscard]] NormalizerPtr makePrependNormalizer(std::string prefix);
[[nodiscard]] NormalizerPtr makeReplaceNormalizer(Pattern pattern, std::string content);
/// Removes White_Space at the ends.
[[nodiscard]] NormalizerPtr makeStripNormalizer(bool left, bool right);
[[nodiscard]] NormalizerPtr makeLowercaseNormalizer();
/// SentencePiece's character map, as tokenizer.json holds it (`precompiled_charsmap`); an empty one does nothing: null.
[[nodiscard]] Result<NormalizerPtr> makePrecompiledNormalizer(std::string_view base64);

/// Every match replaced; the new bytes count as coming from the last character of the match.
[[nodiscard]] Result<Piece> replaceMatches(const Piece& piece, const Pattern& pattern, std::string_view content,
                                           Arena& arena);

} // namespace headscope::text
