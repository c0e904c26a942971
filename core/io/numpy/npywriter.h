// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes an array as NumPy's .npy, format version 1.0 (numpy.lib.format), and several as .npz, like numpy.savez: an
// uncompressed ZIP archive with one .npy file each. Any thread.

#include "core/base/matrix.h"
#include "core/base/result.h"

#include <span>
#include <string>

namespace headscope::io {

/// Returns the bytes of a [rows, cols] array of 32-bit floats in row-major order, readable by numpy.load.
[[nodiscard]] std::string npyBytes(const Matrix& matrix);
[[nodiscard]] Result<void> writeNpy(const std::string& path, const Matrix& matrix);

struct NamedMatrix {
    std::string name; ///< "L2H5"; its key in numpy.load
    const Matrix* matrix = nullptr;
};

/// Returns the bytes of an .npz file (see zipBytes): the same for equal arrays.
[[nodiscard]] Result<std::string> npzBytes(std::span<const NamedMatrix> arrays);
[[nodiscard]] Result<void> writeNpz(const std::string& path, std::span<const NamedMatrix> arrays);

} // namespace headscope::io
