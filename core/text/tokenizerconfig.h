// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Contents of the small files beside tokenizer.json: class, special tokens, chat template. Private to core/text. Any
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
    std::string tokenizerClass; ///< from tokenizer_config.json, else config.json
    std::string modelType;      ///< from config.json
    std::optional<bool> addBos;
    std::optional<bool> addEos;
    std::optional<bool> addPrefixSpace;
    bool legacy = false;
    bool cleanUpSpaces = false;
    bool splitSpecial = false; ///< special tokens spelled out in a text are plain text
    std::optional<int> bosId;  ///< from generation_config.json or config.json
    std::optional<int> eosId;  ///< the first if these files give a list
    /// `added_tokens_decoder`, else added_tokens.json, in the order of ids: their flags replace those of
    /// tokenizer.json.
    std::vector<AddedToken> listed;
    bool hasDecoder = false; ///< `added_tokens_decoder` exists, even if empty
    /// Special tokens by role, the standard ones first (bos_token, eos_token, ...), then those of this model
    /// (image_token, ...). Nothing: the role is null in the file.
    std::vector<std::pair<std::string, std::optional<AddedToken>>> roles;
    std::vector<AddedToken> extra; ///< special tokens without a role
    std::optional<std::string> chatTemplate;
    std::string chatTemplates; ///< names of several of which none is the default: "'rag', 'tool_use'"
    std::vector<std::string> warnings;
    std::string hashed; ///< bytes of the files read, for a content hash

    [[nodiscard]] std::optional<std::string> tokenOf(std::string_view role) const;
};

/// Returns the index of a standard role in transformers' order; the index after the last for another role.
[[nodiscard]] int placeOfRole(std::string_view role);

/// Reads tokenizer_config.json, special_tokens_map.json, added_tokens.json, generation_config.json, config.json and
/// chat_template.jinja, as far as they exist, each in the way of transformers 5.23. Fails for a file that exists and is
/// invalid.
[[nodiscard]] Result<TokenizerConfig> readTokenizerConfig(const std::filesystem::path& folder);

} // namespace headscope::text
