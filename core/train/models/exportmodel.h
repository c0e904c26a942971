// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes a trained network as an ordinary Hugging Face model folder: Llama for attention only, Llamba for SSM only,
// Hybrid-Llamba for both. Training thread.

#include "core/base/result.h"
#include "core/train/models/network.h"

#include <filesystem>
#include <string>

namespace headscope::train {

struct ExportOptions {
    std::string tokenizer; ///< tokenizer.json; empty: that of the tiny models
    bool bf16 = false;     ///< weights in bf16 instead of fp32
};

/// Writes config.json, model.safetensors, tokenizer.json, tokenizer_config.json and README.md with the text `card`.
[[nodiscard]] Result<void> exportModel(const Network& network, const std::filesystem::path& folder,
                                       const std::string& card, const ExportOptions& options = {});

/// Rounds all weights to bf16, so that the network equals the one that is written.
void roundToBf16(Network& network);

/// Returns the tokenizer of all tiny models: words split at spaces, every newline a separate word; adds no tokens.
[[nodiscard]] std::string tokenizerJson();

} // namespace headscope::train
