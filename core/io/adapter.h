// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders of adapters (PEFT: LoRA and others), which hold changes to a model and no model. Any thread.

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace headscope::io {

/// What adapter_config.json of a folder says: "a LORA adapter of 'org/base'"; nothing where there is none.
[[nodiscard]] std::optional<std::string> adapterIn(const std::filesystem::path& folder);

/// The folder holds an adapter alone: what it is and what to do, as one sentence.
[[nodiscard]] Error adapterAlone(const std::filesystem::path& folder, const std::string& adapter);

} // namespace headscope::io
