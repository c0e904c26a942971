// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model folder as a list entry: its name and facts from its files, read without loading the model. GUI thread.

#include "core/lm/familykind.h"
#include "widgets/welcome/welcomepage.h"

#include <filesystem>
#include <optional>

namespace headscope::io {
struct ModelFolder;
}

namespace headscope::gui {

/// The detail reads like "Transformer · llama · 4 layers · 3.0 MB".
[[nodiscard]] widgets::ModelOffer modelOffer(const io::ModelFolder& folder);
[[nodiscard]] widgets::Choice modelChoice(const io::ModelFolder& folder);

/// Returns "Transformer", "SSM", "Hybrid", in the language of the window.
[[nodiscard]] QString kindText(lm::FamilyKind kind);

/// Returns the kind from its config; nothing for an unknown family.
[[nodiscard]] std::optional<lm::FamilyKind> modelKind(const std::filesystem::path& folder);

} // namespace headscope::gui
