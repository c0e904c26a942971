// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The normalizers of tokenizer.json: transformations of a text before it is split into words. Immutable: any thread.

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
    /// Returns the normalized piece; may be `piece` itself if nothing changes.
    [[nodiscard]] virtual Result<Piece> normalize(const Piece& piece, Arena& arena) const = 0;
};

using NormalizerPtr = std::unique_ptr<const Normalizer>;

enum class UnicodeForm { Nfc, Nfd, Nfkc, Nfkd };

/// Normalizes Unicode with the data of Unicode 9, the reference's version: newer characters are unchanged.
[[nodiscard]] NormalizerPtr makeUnicodeNormalizer(UnicodeForm form);
[[nodiscard]] NormalizerPtr makeSequenceNormalizer(std::vector<NormalizerPtr> steps);
/// Adds `prefix` in front of every non-empty piece.
[[nodiscard]] NormalizerPtr makePrependNormalizer(std::string prefix);
[[nodiscard]] NormalizerPtr makeReplaceNormalizer(Pattern pattern, std::string content);
/// Removes White_Space at the ends.
[[nodiscard]] NormalizerPtr makeStripNormalizer(bool left, bool right);
[[nodiscard]] NormalizerPtr makeLowercaseNormalizer();
/// Reads SentencePiece's character map from tokenizer.json (`precompiled_charsmap`); an empty one does nothing: null.
[[nodiscard]] Result<NormalizerPtr> makePrecompiledNormalizer(std::string_view base64);

/// Replaces every match; the new bytes are attributed to the last character of the match.
[[nodiscard]] Result<Piece> replaceMatches(const Piece& piece, const Pattern& pattern, std::string_view content,
                                           Arena& arena);

} // namespace headscope::text
