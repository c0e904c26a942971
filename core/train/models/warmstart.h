// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Initializes a network with SSM layers from a trained Transformer of the same sizes instead of noise. Training thread.

#include "core/base/result.h"
#include "core/train/models/network.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace headscope::train {

/// Overwrites the weights of `network`: embeddings, norms, MLPs and attention layers are those of the Llama folder
/// `from`; an SSM layer takes its values and outputs, the four taps of its convolution from each head's pattern on
/// `text` (mean mass on the token itself and the three before it), its matching terms from the slowest rotating dims of
/// keys and queries, small, and the rest from `random`. Fails for a folder of other sizes, for a network with two
/// separate token tables, and for a `text` of fewer than 256 tokens.
[[nodiscard]] Result<void> startFrom(Network& network, const std::filesystem::path& from,
                                     const std::vector<std::int32_t>& text, tasks::ToyRandom& random);

} // namespace headscope::train
