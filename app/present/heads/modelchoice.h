// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model folder as an entry of a list: its name, and what its files say without being opened as a model. GUI thread.

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

/// "Transformer", "SSM", "Hybrid", in the language of the window.
[[nodiscard]] QString kindText(lm::FamilyKind kind);

/// What its config says it is; nothing for a family that we do not have.
[[nodiscard]] std::optional<lm::FamilyKind> modelKind(const std::filesystem::path& folder);

} // namespace headscope::gui
