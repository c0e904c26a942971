// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writes an expression of Oniguruma's Ruby syntax, which tokenizer files use, in PCRE2's. Any thread.

#include <string>
#include <string_view>

namespace headscope::text {

struct TranslatedPattern {
    std::string expression; ///< for PCRE2 with UTF, UCP and MULTILINE
    std::string refused;    ///< if not empty: what the expression uses that has no certain translation
};

/// Where both dialects read a part alike, it is copied as it is. `isScript`: whether PCRE2 has a script of that name.
[[nodiscard]] TranslatedPattern translatePattern(std::string_view expression, bool (*isScript)(const std::string&));

} // namespace headscope::text
