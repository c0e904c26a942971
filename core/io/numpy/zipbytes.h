// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes uncompressed zip archives, as written by NumPy and PyTorch. Any thread.

#include "core/base/result.h"

#include <span>
#include <string>

namespace headscope::io {

struct ZipFile {
    std::string name, data;
};

/// Returns the bytes of an archive of these files: identical for equal files.
[[nodiscard]] Result<std::string> zipBytes(std::span<const ZipFile> files);

} // namespace headscope::io
