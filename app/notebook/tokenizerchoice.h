// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Selects the tokenizer of a model whose folder has none: named once, and remembered. Any thread.

#include "core/text/tokenizer.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace headscope::app {

/// Returns ${XDG_CONFIG_HOME:-~/.config}/headscope/tokenizers.json: an object, model folder to tokenizer folder or
/// file. Empty if the environment defines neither place.
[[nodiscard]] std::filesystem::path tokenizerChoices();

/// Returns the path chosen for a model folder; empty: none. An unreadable file of choices counts as empty.
[[nodiscard]] std::filesystem::path rememberedTokenizer(const std::filesystem::path& modelFolder,
                                                        const std::filesystem::path& choices = tokenizerChoices());
/// Replaces the file of choices atomically, so that a reader sees the old or the new one.
[[nodiscard]] Result<void> rememberTokenizer(const std::filesystem::path& modelFolder,
                                             const std::filesystem::path& tokenizer,
                                             const std::filesystem::path& choices = tokenizerChoices());

/// Returns whether a folder has its own tokenizer (tokenizer.json or the files that replace it), valid or not.
[[nodiscard]] bool hasTokenizer(const std::filesystem::path& modelFolder);

/// Opens `named` (a folder or file, empty: none) if given; otherwise the model's own; otherwise the remembered one. A
/// named tokenizer that loads is remembered if the model has none of its own. `notify` receives notices for the user,
/// one sentence each.
[[nodiscard]] Result<std::shared_ptr<const text::Tokenizer>>
openTokenizer(const std::filesystem::path& modelFolder, const std::filesystem::path& named,
              const std::function<void(const std::string&)>& notify);

} // namespace headscope::app
