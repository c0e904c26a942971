// SPDX-License-Identifier: GPL-3.0-or-later
// Constants and names shared by all writers of model tensors.
#pragma once

#include <string>

namespace headscope::train {

/// An SSM's gate that passes everything: silu(x) = 1.
inline constexpr double kGateOpen = 1.2784645427610738;

/// Returns the prefix of the names of a layer's tensors.
inline std::string layerPrefix(int layer)
{
    return "model.layers." + std::to_string(layer) + ".";
}

} // namespace headscope::train
