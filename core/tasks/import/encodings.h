// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The text encodings in which spreadsheets save tables. Pure functions; any thread.

#include "core/base/result.h"

#include <string>

namespace headscope::tasks {

enum class Encoding {
    Utf8,
    Utf16,      ///< with a byte order mark
    Windows1252 ///< Western European; not marked in files, assumed if nothing else fits
};

struct DecodedText {
    std::string text; ///< UTF-8
    Encoding encoding = Encoding::Utf8;
};

/// Returns the bytes as UTF-8. Fails for truncated or damaged UTF-16 and for NUL bytes.
[[nodiscard]] Result<DecodedText> decoded(std::string bytes);

} // namespace headscope::tasks
