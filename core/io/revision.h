// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which commit of the Hugging Face hub a folder holds. Any thread.

#include <filesystem>
#include <string>

namespace headscope::io {

/// The commit of a folder of the cache ("models--org--name/snapshots/COMMIT"); empty for any other folder.
[[nodiscard]] std::string revisionOf(const std::filesystem::path& folder);

} // namespace headscope::io
