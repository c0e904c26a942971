// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one way in which files of unknown origin are read whole: with a size limit, and never a pipe or a device, which
// would not end. Any thread.

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>

namespace headscope::io {

/// Reads the bytes of a regular file; a folder, a pipe, a device, an unreadable or larger file is an error.
[[nodiscard]] Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t maxBytes = 64'000'000);

enum class LineRead { Line, End, TooLong };
/// Reads the next line without its end. Stops reading a line that is longer than `maxBytes`.
[[nodiscard]] LineRead readLine(std::istream& in, std::string& line, std::size_t maxBytes);

} // namespace headscope::io
