// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Copies and saves the map on the screen: the matrix itself, not the painted values. GUI thread.

#include "core/base/result.h"
#include "widgets/pattern/patterndata.h"

#include <QString>

namespace headscope::gui {

/// Returns the values as in the model: for an SSM head the matrix, not the painted shares.
[[nodiscard]] const Matrix& matrixOf(const widgets::PatternData& map);
/// Returns a name for a file or a tensor: "L2H5", "A_L1H2_minus_B_L2H5".
[[nodiscard]] QString mapName(const widgets::PatternData& map);
/// Returns rows and columns with tokens, tab-separated, then the provenance. Fails as saveMatrix() does.
[[nodiscard]] Result<QString> valuesText(const widgets::PatternData& map);
/// Writes by suffix: .npy, .safetensors or .csv. Fails if there is no map, or only an incomplete one.
[[nodiscard]] Result<void> saveMatrix(const widgets::PatternData& map, const QString& path);

} // namespace headscope::gui
