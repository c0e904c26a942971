// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Quantization as described by config.json. Any thread.

#include "core/io/packed/packing.h"
#include "core/lm/config.h"

#include <optional>
#include <string>

namespace headscope::lm {

/// Returns how the weights are packed, from 'quantization_config'; nothing: they are not. Fails with the method's name
/// if the method or its settings are unsupported.
[[nodiscard]] Result<std::optional<io::Packing>> readPacking(Config& config);

/// Returns the error that weights packed by this method cannot be read.
[[nodiscard]] Error packedAs(const std::string& method);

} // namespace headscope::lm
