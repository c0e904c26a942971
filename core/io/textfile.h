// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads small text files (configs, indices) whole, with a limit. Any thread.

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace headscope::io {

/// The bytes of a regular file; a folder, a pipe, an unreadable or a larger file is an error.
[[nodiscard]] Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t maxBytes = 64'000'000);

} // namespace headscope::io
