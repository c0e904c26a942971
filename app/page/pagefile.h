// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes a page as a single file: template, style and modules of resources/page with the data in them. Any thread.

#include "app/page/pagedata.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace headscope::page {

/// Returns the whole text of the file; the same bytes for the same data. `resources`: files of the program.
[[nodiscard]] Result<std::string> pageText(const std::filesystem::path& resources, const Data& data);

/// Writes pageText() to a file and returns its size in bytes. Fails if it would exceed `limitMb` megabytes.
[[nodiscard]] Result<std::size_t> writePage(const std::filesystem::path& resources, const Data& data,
                                            const std::filesystem::path& file, double limitMb);

} // namespace headscope::page
