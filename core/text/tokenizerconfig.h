// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the small files beside tokenizer.json say: class, special tokens, chat template. Private to core/text. Any
// thread.

#include "core/base/result.h"
#include "core/text/steps/addedtokens.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headscope::text {

struct TokenizerConfig {
    std::string tokenizerClass;
    std::optional<bool> addBos;
    std::optional<bool> addEos;
    bool cleanUpSpaces = false;
    std::optional<std::string> bos;
    std::optional<std::string> eos;
    std::optional<int> bosId;       ///< of generation_config.json or config.json
    std::optional<int> eosId;       ///< the first where these files give a list
    std::vector<AddedToken> tokens; ///< `added_tokens_decoder` in the order of ids, then bos, eos, pad and unk
    std::optional<std::string> chatTemplate;
    std::string hashed; ///< the bytes of what was read, for a content hash
};

/// Reads tokenizer_config.json, special_tokens_map.json, generation_config.json, config.json and chat_template.jinja as
/// far as they are there. Fails for a file that is there and broken.
[[nodiscard]] Result<TokenizerConfig> readTokenizerConfig(const std::filesystem::path& folder);

} // namespace headscope::text
