// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A map on the screen as text and as files: the matrix itself, not what is painted of it. GUI thread.

#include "core/base/result.h"
#include "widgets/pattern/patterndata.h"

#include <QString>

namespace headscope::gui {

/// The values as they are in the model: of an SSM head the matrix, not the shares that are painted.
[[nodiscard]] const Matrix& matrixOf(const widgets::PatternData& map);
/// Rows and columns with their tokens, between tabs, and below them what they are of. Fails as saveMatrix() does.
[[nodiscard]] Result<QString> valuesText(const widgets::PatternData& map);
/// By the suffix: .npy, .safetensors or .csv. Fails where there is no map, or no whole one.
[[nodiscard]] Result<void> saveMatrix(const widgets::PatternData& map, const QString& path);

} // namespace headscope::gui
