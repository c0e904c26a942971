// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes a trained network as an ordinary Hugging Face model folder: Llama for attention only, Llamba for SSM only,
// Hybrid-Llamba for both. Training thread.

#include "core/base/result.h"
#include "core/train/network.h"

#include <filesystem>
#include <string>

namespace headscope::train {

/// Writes config.json, model.safetensors (fp32), tokenizer.json, tokenizer_config.json and, with this text, README.md.
[[nodiscard]] Result<void> exportModel(const Network& network, const std::filesystem::path& folder,
                                       const std::string& card);

/// The tokenizer of all tiny models: words cut at spaces, every newline a word of its own; no token is added.
[[nodiscard]] std::string tokenizerJson();

} // namespace headscope::train
