// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes an array as NumPy's .npy, format version 1.0 (numpy.lib.format). Any thread.

#include "core/base/matrix.h"
#include "core/base/result.h"

#include <string>

namespace headscope::io {

/// Returns the bytes of a [rows, cols] array of 32-bit floats in row-major order, readable by numpy.load.
[[nodiscard]] std::string npyBytes(const Matrix& matrix);
[[nodiscard]] Result<void> writeNpy(const std::string& path, const Matrix& matrix);

} // namespace headscope::io
