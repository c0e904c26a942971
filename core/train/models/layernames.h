// SPDX-License-Identifier: GPL-3.0-or-later
// What every maker of a model's tensors writes alike.
#pragma once

#include <string>

namespace headscope::train {

/// An SSM's gate that lets everything through: silu(x) = 1.
inline constexpr double kGateOpen = 1.2784645427610738;

/// What the names of a layer's tensors begin with.
inline std::string layerPrefix(int layer)
{
    return "model.layers." + std::to_string(layer) + ".";
}

} // namespace headscope::train
