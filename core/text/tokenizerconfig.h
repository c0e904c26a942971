// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the small files beside tokenizer.json say: class, special tokens, chat template. Private to core/text. Any
// thread.

#include "core/base/result.h"
#include "core/text/steps/addedtokens.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::text {

struct TokenizerConfig {
    std::string tokenizerClass; ///< of tokenizer_config.json, else of config.json
    std::string modelType;      ///< of config.json
    std::optional<bool> addBos;
    std::optional<bool> addEos;
    std::optional<bool> addPrefixSpace;
    bool legacy = false;
    bool cleanUpSpaces = false;
    bool splitSpecial = false; ///< special tokens written out in a text are plain text
    std::optional<int> bosId;  ///< of generation_config.json or config.json
    std::optional<int> eosId;  ///< the first where these files give a list
    /// `added_tokens_decoder`, else added_tokens.json, in the order of ids: their flags replace those of
    /// tokenizer.json.
    std::vector<AddedToken> listed;
    bool hasDecoder = false; ///< there is an `added_tokens_decoder`, even an empty one
    /// Special tokens by role, those of every tokenizer first (bos_token, eos_token, ...), then those of this model
    /// (image_token, ...). Nothing: the role is null in the file.
    std::vector<std::pair<std::string, std::optional<AddedToken>>> roles;
    std::vector<AddedToken> extra; ///< special tokens without a role
    std::optional<std::string> chatTemplate;
    std::vector<std::string> warnings;
    std::string hashed; ///< the bytes of what was read, for a content hash

    [[nodiscard]] std::optional<std::string> tokenOf(std::string_view role) const;
};

/// The place of a role of every tokenizer among these, in transformers' order; that behind them for another role.
[[nodiscard]] int placeOfRole(std::string_view role);

/// Reads tokenizer_config.json, special_tokens_map.json, added_tokens.json, generation_config.json, config.json and
/// chat_template.jinja as far as they are there, each where transformers 5.23 reads it. Fails for a file that is there
/// and broken.
[[nodiscard]] Result<TokenizerConfig> readTokenizerConfig(const std::filesystem::path& folder);

} // namespace headscope::text
