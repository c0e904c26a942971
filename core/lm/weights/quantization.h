// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What config.json says of quantized weights. Any thread.

#include "core/io/packed/packing.h"
#include "core/lm/config.h"

#include <optional>
#include <string>

namespace headscope::lm {

/// How the weights are packed, from 'quantization_config'; nothing: they are not. Fails, with the method's name, where
/// that method, or what it was asked for, is not read.
[[nodiscard]] Result<std::optional<io::Packing>> readPacking(Config& config);

/// That weights packed by this method are not read, as a sentence.
[[nodiscard]] Error packedAs(const std::string& method);

} // namespace headscope::lm
