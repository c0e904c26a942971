// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Patterns as bytes: values over their largest magnitude in half precision, compressed. Any thread.

#include "core/base/matrix.h"
#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope::sessions {

struct EncodedPattern {
    std::string data;
    double scale = 1.0;    ///< decoded = half * scale
    double maxError = 0.0; ///< largest |decoded - given|, measured
};

/// Lossy by at most `scale` / 4096 a value; zeros stay exactly zero. Fails for values that are not finite.
[[nodiscard]] Result<EncodedPattern> encodePattern(const Matrix& pattern);

/// The inverse. Fails when the bytes do not decompress to exactly rows * cols halves; allocates nothing larger.
[[nodiscard]] Result<Matrix> decodePattern(std::string_view data, double scale, int rows, int cols);

inline constexpr const char* kPatternEncoding = "fp16-planes-zlib"; ///< all low bytes, then all high bytes, deflated
inline constexpr int kMaxPatternSide = 16384;

} // namespace headscope::sessions
