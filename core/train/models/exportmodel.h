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

/// Writes config.json, model.safetensors, tokenizer.json, tokenizer_config.json and, with this text, README.md.
[[nodiscard]] Result<void> exportModel(const Network& network, const std::filesystem::path& folder,
                                       const std::string& card, const ExportOptions& options = {});

/// Rounds all weights to what bf16 holds, so that the network is the one that is written.
void roundToBf16(Network& network);

/// The tokenizer of all tiny models: words cut at spaces, every newline a word of its own; no token is added.
[[nodiscard]] std::string tokenizerJson();

} // namespace headscope::train
