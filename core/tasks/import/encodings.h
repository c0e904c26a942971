// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The encodings that spreadsheets save tables in. Pure functions; any thread.

#include "core/base/result.h"

#include <string>

namespace headscope::tasks {

enum class Encoding {
    Utf8,
    Utf16,      ///< with a byte order mark
    Windows1252 ///< Western European; nothing in a file says so, it is what is left
};

struct DecodedText {
    std::string text; ///< UTF-8
    Encoding encoding = Encoding::Utf8;
};

/// The bytes as UTF-8. Fails for UTF-16 that is cut or damaged and for bytes that no text has (zero).
[[nodiscard]] Result<DecodedText> decoded(std::string bytes);

} // namespace headscope::tasks
