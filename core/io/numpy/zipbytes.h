// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Makes zip archives without compression, as NumPy and PyTorch write them. Any thread.

#include "core/base/result.h"

#include <span>
#include <string>

namespace headscope::io {

struct ZipFile {
    std::string name, data;
};

/// Returns the bytes of an archive of these files: the same for equal files.
[[nodiscard]] Result<std::string> zipBytes(std::span<const ZipFile> files);

} // namespace headscope::io
