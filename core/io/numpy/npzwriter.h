// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes several arrays as NumPy's .npz, like numpy.savez: an uncompressed ZIP archive with one .npy file each. The
// same arrays give the same bytes. Any thread.

#include "core/base/matrix.h"
#include "core/base/result.h"

#include <span>
#include <string>

namespace headscope::io {

struct NamedMatrix {
    std::string name; ///< "L2H5"; its key in numpy.load
    const Matrix* matrix = nullptr;
};

/// Returns the bytes of an .npz file (see zipBytes): the same for equal arrays.
[[nodiscard]] Result<std::string> npzBytes(std::span<const NamedMatrix> arrays);
[[nodiscard]] Result<void> writeNpz(const std::string& path, std::span<const NamedMatrix> arrays);

} // namespace headscope::io
