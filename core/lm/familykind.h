// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Display names of model families. Any thread; needs no tensors.

#include <optional>
#include <string>

namespace headscope::lm {

enum class FamilyKind { Transformer, Ssm, Hybrid };

/// Describes a family by the name that Config::family() returns; nothing for an unsupported one.
[[nodiscard]] std::optional<FamilyKind> familyKind(const std::string& family);

} // namespace headscope::lm
