// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Displayed names of model parts: "L2H5", "L2.mlp", "embed", "L2H5.v", "logits". Any thread.

#include "core/why/paths/direct.h"
#include "core/why/paths/paths.h"

#include <string>
#include <string_view>

namespace headscope::why {

/// Returns "L2H5"; in a layer with two mixers "L2A5" and "L2S5"; for a Mamba-1 channel "L2C5".
[[nodiscard]] std::string headName(const lm::ModelSpec& spec, int layer, Site site, int head);
/// Returns "embed", "L1H2" or "L1.mlp".
[[nodiscard]] std::string nameOf(const lm::ModelSpec& spec, const Sender& sender);
/// Returns "L2H5.q", "L2S5.dt", "L2.mlp" or "logits".
[[nodiscard]] std::string nameOf(const lm::ModelSpec& spec, const Receiver& receiver);
/// Returns "embed", "L1H2", "L1.mlp", "L1.bias", "L1.steer", "constant" or "residue".
[[nodiscard]] std::string nameOf(const lm::ModelSpec& spec, const DirectPart& part);
/// Returns the name of a head's query, key or value: q, k, v; of SSM heads c, b, x.
[[nodiscard]] std::string partName(lm::MixerKind kind, unsigned part);

/// Parse these names. Fail with a sentence that says which are valid.
[[nodiscard]] Result<Sender> parseSender(std::string_view text, const lm::ModelSpec& spec);
[[nodiscard]] Result<Receiver> parseReceiver(std::string_view text, const lm::Model& model);

} // namespace headscope::why
