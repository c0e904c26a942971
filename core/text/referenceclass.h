// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Deviations of transformers 5.23 for the class named in a tokenizer's files: some classes build their own pipeline and
// ignore that of tokenizer.json. Ids follow the file; this detects where that differs. Private to core/text. Any
// thread.

#include "core/text/tokenizerconfig.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

/// Returns the class, without "Fast", if it builds its own pipeline; otherwise nothing. `file` is the text of
/// tokenizer.json.
[[nodiscard]] std::optional<std::string> referenceClass(const TokenizerConfig& config, std::string_view file);

/// Returns the class's special tokens if the files name none, by role; for tokens that only some models have.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> tokensOfClass(const std::string& name);

/// Returns the parts that the class builds differently from tokenizer.json ("the pre-tokenizer", "the start and end
/// tokens"); empty: none.
[[nodiscard]] std::vector<std::string> builtOtherwise(const std::string& name, const nlohmann::json& file,
                                                      const TokenizerConfig& config);

/// Returns the class's pre-tokenizer, for folders that have only a vocabulary; null for an unknown class.
[[nodiscard]] nlohmann::json preTokenizerOfClass(const std::string& name, const TokenizerConfig& config);
[[nodiscard]] nlohmann::json normalizerOfClass(const std::string& name);

} // namespace headscope::text
