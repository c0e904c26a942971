// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The table of families: from config and tensors to a model. To add one, add a file in families/ and a line in
// family.cpp. Worker thread.

#include "core/lm/config.h"
#include "core/lm/model.h"
#include "core/lm/weights/weights.h"

namespace headscope::lm {

/// Reads a family's keys from `config`, takes its tensors from `weights` and fills ModelParts. Errors are left in
/// config.error() or weights.error(). `layerLimit`: number of first layers to build (a minimal model); 0: all.
using FamilyBuilder = ModelParts (*)(Config& config, Weights& weights, int layerLimit);

/// Returns the family's builder; null for an unknown family.
[[nodiscard]] FamilyBuilder findFamily(const std::string& name);
[[nodiscard]] std::vector<std::string> familyNames();
/// Returns the three families most similar to a model of an unknown family: of the same line ("gemma" in gemma2), then
/// those that use most of its config's keys, nearest first.
[[nodiscard]] std::vector<std::string> nearestFamilies(const Config& config, const std::string& name);

} // namespace headscope::lm
