// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which tokenizer belongs to a model whose folder has none: named once, remembered for the next time. Any thread.

#include "core/text/tokenizer.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace headscope::app {

/// ${XDG_CONFIG_HOME:-~/.config}/headscope/tokenizers.json: an object, model folder to tokenizer folder or file. Empty
/// when the environment names neither place.
[[nodiscard]] std::filesystem::path tokenizerChoices();

/// The path chosen for a model folder; empty: none. A file of choices that cannot be read is as one without choices.
[[nodiscard]] std::filesystem::path rememberedTokenizer(const std::filesystem::path& modelFolder,
                                                        const std::filesystem::path& choices = tokenizerChoices());
/// Replaces the file of choices as a whole, so that a reader sees the old or the new one.
[[nodiscard]] Result<void> rememberTokenizer(const std::filesystem::path& modelFolder,
                                             const std::filesystem::path& tokenizer,
                                             const std::filesystem::path& choices = tokenizerChoices());

/// Whether a folder has a tokenizer of its own (tokenizer.json or the files that stand in for it), sound or not.
[[nodiscard]] bool hasTokenizer(const std::filesystem::path& modelFolder);

/// `named` (a folder or file, empty: none) if given; else the model's own; else the remembered one. A named tokenizer
/// that loads is remembered where the model has none of its own. `say` hears what a person should know, one sentence
/// each.
[[nodiscard]] Result<std::shared_ptr<const text::Tokenizer>>
openTokenizer(const std::filesystem::path& modelFolder, const std::filesystem::path& named,
              const std::function<void(const std::string&)>& say);

} // namespace headscope::app
