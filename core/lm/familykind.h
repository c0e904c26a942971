// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a family of models is called by people. Any thread; needs no tensors.

#include <optional>
#include <string>

namespace headscope::lm {

enum class FamilyKind { Transformer, Ssm, Hybrid };

/// Of a family by the name that Config::family() gives; nothing for one we do not have.
[[nodiscard]] std::optional<FamilyKind> familyKind(const std::string& family);

} // namespace headscope::lm
