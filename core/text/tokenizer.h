// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts text to token ids and back, by the model folder's tokenizer files. Immutable after loading: any thread.

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
    std::vector<std::string> tokens; ///< the vocabulary's spelling of each id
    std::vector<std::pair<std::size_t, std::size_t>>
        offsets; ///< bytes [begin, end) of the text; {0,0} for tokens added by a template
};

class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    /// Loads tokenizer.json (or an older equivalent) from a model folder, or one such file.
    [[nodiscard]] static Result<std::shared_ptr<const Tokenizer>> load(const std::filesystem::path& folderOrFile);

    /// Encodes text. Fails for text that is not valid UTF-8, giving the byte, and for text that the vocabulary cannot
    /// represent (WordLevel without an unknown token), naming the word.
    [[nodiscard]] virtual Result<Encoding> encode(std::string_view text, bool addSpecial = true) const = 0;
    /// Like encode, but special tokens spelled out in the text are plain text (split_special_tokens).
    [[nodiscard]] virtual Result<Encoding> encodePlain(std::string_view text, bool addSpecial = true) const = 0;
    /// Decodes ids; one without a token (extra rows of a padded embedding) gives no text. Fails for a negative id.
    [[nodiscard]] virtual Result<std::string> decode(std::span<const int> ids, bool skipSpecial = false) const = 0;

    [[nodiscard]] virtual int vocabularySize() const = 0; ///< largest id + 1
    [[nodiscard]] virtual std::optional<int> idOf(std::string_view token) const = 0;
    [[nodiscard]] virtual std::optional<std::string> tokenOf(int id) const = 0;
    [[nodiscard]] virtual std::optional<int> bosId() const = 0;
    [[nodiscard]] virtual std::optional<int> eosId() const = 0;
    /// Returns the ids that encode(text, true) adds in front of every text; empty if the files add none.
    [[nodiscard]] virtual std::vector<int> startIds() const = 0;
    /// Returns whether tokenizer_config.json requests cleanUpSpaces() on decoded text; decode() itself never does it.
    [[nodiscard]] virtual bool wantsCleanUp() const = 0;
    [[nodiscard]] virtual std::string contentHash() const = 0;           ///< SHA-256 of the files read
    [[nodiscard]] virtual std::vector<std::string> warnings() const = 0; ///< irregularities of the files as sentences
};

/// Applies transformers' clean_up_tokenization_spaces: removes spaces before . ? ! , and English contractions, and
/// around a lone apostrophe. Loses text, so it is only for comparison with transformers' decoded text.
[[nodiscard]] std::string cleanUpSpaces(std::string text);

} // namespace headscope::text
