// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Hugging Face hub commit of a folder. Any thread.

#include <filesystem>
#include <string>

namespace headscope::io {

/// Returns the commit of a cache folder ("models--org--name/snapshots/COMMIT"); empty for any other folder.
[[nodiscard]] std::string revisionOf(const std::filesystem::path& folder);

} // namespace headscope::io
