// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The decoders of tokenizer.json: from token strings back to text. Immutable: any thread.

#include "core/base/result.h"
#include "core/text/steps/compiledpattern.h"
#include "core/text/steps/pretokenizers.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::text {

class Decoder
{
public:
    virtual ~Decoder() = default;
    /// Rewrites the token strings; concatenated after the last step, they are the text.
    [[nodiscard]] virtual Result<void> decode(std::vector<std::string>& tokens) const = 0;
};

using DecoderPtr = std::unique_ptr<const Decoder>;

[[nodiscard]] DecoderPtr makeSequenceDecoder(std::vector<DecoderPtr> steps);
[[nodiscard]] DecoderPtr makeByteLevelDecoder();
[[nodiscard]] DecoderPtr makeReplaceDecoder(Pattern pattern, std::string content);
[[nodiscard]] DecoderPtr makeByteFallbackDecoder();
[[nodiscard]] DecoderPtr makeFuseDecoder();
/// Removes up to `start` copies of the character from the front of each token and up to `stop` from its end.
[[nodiscard]] DecoderPtr makeStripDecoder(char32_t character, std::size_t start, std::size_t stop);
[[nodiscard]] DecoderPtr makeMetaspaceDecoder(std::string replacement, PrependScheme scheme);

} // namespace headscope::text
