// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text to token ids and back, as the model folder's own tokenizer files say. Immutable after loading: any thread.

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

struct Encoding {
    std::vector<int> ids;
    std::vector<std::string> tokens; ///< the vocabulary's own spelling of each id
    std::vector<std::pair<std::size_t, std::size_t>>
        offsets; ///< bytes [begin, end) of the text; {0,0} for tokens a template adds
};

class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    /// Loads tokenizer.json (or the older files that stand in for it) from a model folder, or one such file.
    [[nodiscard]] static Result<std::shared_ptr<const Tokenizer>> load(const std::filesystem::path& folderOrFile);

    /// Fails for text that is not valid UTF-8, giving the byte, and for text that the vocabulary cannot spell
    /// (WordLevel without an unknown token), naming the word.
    [[nodiscard]] virtual Result<Encoding> encode(std::string_view text, bool addSpecial = true) const = 0;
    /// As encode, but special tokens written out in the text are read as plain text (split_special_tokens).
    [[nodiscard]] virtual Result<Encoding> encodePlain(std::string_view text, bool addSpecial = true) const = 0;
    /// An id that no token has (the extra rows of a padded embedding) decodes to nothing. Fails for a negative id.
    [[nodiscard]] virtual Result<std::string> decode(std::span<const int> ids, bool skipSpecial = false) const = 0;

    [[nodiscard]] virtual int vocabularySize() const = 0; ///< largest id + 1
    [[nodiscard]] virtual std::optional<int> idOf(std::string_view token) const = 0;
    [[nodiscard]] virtual std::optional<std::string> tokenOf(int id) const = 0;
    [[nodiscard]] virtual std::optional<int> bosId() const = 0;
    [[nodiscard]] virtual std::optional<int> eosId() const = 0;
    /// What encode(text, true) puts in front of every text; empty where the files add nothing.
    [[nodiscard]] virtual std::vector<int> startIds() const = 0;
    /// Whether tokenizer_config.json asks for cleanUpSpaces() on decoded text; decode() itself never does it.
    [[nodiscard]] virtual bool wantsCleanUp() const = 0;
    [[nodiscard]] virtual std::string contentHash() const = 0;           ///< SHA-256 of the files it was read from
    [[nodiscard]] virtual std::vector<std::string> warnings() const = 0; ///< oddities of the files, one sentence each
};

/// transformers' clean_up_tokenization_spaces: the spaces before . ? ! , and before English contractions are removed,
/// and those around a lone apostrophe. Loses text, so it is for comparing with what transformers decodes.
[[nodiscard]] std::string cleanUpSpaces(std::string text);

} // namespace headscope::text
