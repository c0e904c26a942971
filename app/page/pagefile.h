// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one file that a page is: template, style and modules of resources/page with the data in them. Any thread.

#include "app/page/pagedata.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace headscope::page {

/// The whole text of the file; the same bytes for the same data. `resources`: the program's own files.
[[nodiscard]] Result<std::string> pageText(const std::filesystem::path& resources, const Data& data);

/// pageText() as a file. Fails where it would have more than `limitMb` megabytes; returns its bytes.
[[nodiscard]] Result<std::size_t> writePage(const std::filesystem::path& resources, const Data& data,
                                            const std::filesystem::path& file, double limitMb);

} // namespace headscope::page
