// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What parts of a model are called where people meet them: "L2H5", "L2.mlp", "embed", "L2H5.v", "logits". Any thread.

#include "core/why/paths/direct.h"
#include "core/why/paths/paths.h"

#include <string>
#include <string_view>

namespace headscope::why {

/// "L2H5"; of a layer with two mixers "L2A5" and "L2S5"; a Mamba-1 channel "L2C5".
[[nodiscard]] std::string headName(const lm::ModelSpec& spec, int layer, Site site, int head);
/// "embed", "L1H2", "L1.mlp".
[[nodiscard]] std::string nameOf(const lm::ModelSpec& spec, const Sender& sender);
/// "L2H5.q", "L2S5.dt", "L2.mlp", "logits".
[[nodiscard]] std::string nameOf(const lm::ModelSpec& spec, const Receiver& receiver);
/// "embed", "L1H2", "L1.mlp", "L1.bias", "L1.steer", "constant", "residue".
[[nodiscard]] std::string nameOf(const lm::ModelSpec& spec, const DirectPart& part);
/// What a head's query, key or value is called: q, k, v; of SSM heads c, b, x.
[[nodiscard]] std::string partName(lm::MixerKind kind, unsigned part);

/// Read as they are written. Fail with the sentence that says what would fit.
[[nodiscard]] Result<Sender> parseSender(std::string_view text, const lm::ModelSpec& spec);
[[nodiscard]] Result<Receiver> parseReceiver(std::string_view text, const lm::Model& model);

} // namespace headscope::why
