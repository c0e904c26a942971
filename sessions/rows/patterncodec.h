// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Encodes patterns as bytes: values divided by the largest magnitude, in half precision, compressed. Any thread.

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

/// Encodes with an error of at most `scale` / 4096 per value; zeros stay exactly zero. Fails for non-finite values.
[[nodiscard]] Result<EncodedPattern> encodePattern(const Matrix& pattern);

/// The inverse. Fails unless the bytes decompress to exactly rows * cols halves; allocates no more than that.
[[nodiscard]] Result<Matrix> decodePattern(std::string_view data, double scale, int rows, int cols);

inline constexpr const char* kPatternEncoding = "fp16-planes-zlib"; ///< all low bytes, then all high bytes, deflated
inline constexpr int kMaxPatternSide = 16384;

} // namespace headscope::sessions
