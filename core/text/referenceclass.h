// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What transformers 5.23 makes of the class that a tokenizer's files name: some classes build a pipeline of their own
// and do not read that of tokenizer.json. Ids follow the file; this knows where that is another reading. Private to
// core/text. Any thread.

#include "core/text/tokenizerconfig.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

/// The class, without "Fast", where it builds a pipeline of its own; else nothing. `file` is the text of
/// tokenizer.json.
[[nodiscard]] std::optional<std::string> referenceClass(const TokenizerConfig& config, std::string_view file);

/// The special tokens that the class has where the files name none, by role; for tokens that only some models have.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> tokensOfClass(const std::string& name);

/// What the class builds otherwise than tokenizer.json says ("the pre-tokenizer", "the start and end tokens"); empty:
/// nothing.
[[nodiscard]] std::vector<std::string> builtOtherwise(const std::string& name, const nlohmann::json& file,
                                                      const TokenizerConfig& config);

/// The pre-tokenizer of the class, for folders that have only a vocabulary; null for an unknown class.
[[nodiscard]] nlohmann::json preTokenizerOfClass(const std::string& name, const TokenizerConfig& config);
[[nodiscard]] nlohmann::json normalizerOfClass(const std::string& name);

} // namespace headscope::text
