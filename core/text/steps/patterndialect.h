// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Translates regular expressions from Oniguruma's Ruby syntax, used in tokenizer files, to PCRE2. Any thread.

#include <string>
#include <string_view>

namespace headscope::text {

struct TranslatedPattern {
    std::string expression; ///< for PCRE2 with UTF, UCP and MULTILINE
    std::string refused;    ///< if not empty: the construct that has no certain translation
};

/// Parts with the same meaning in both dialects are copied. `isScript` returns whether PCRE2 has a script of that name.
[[nodiscard]] TranslatedPattern translatePattern(std::string_view expression, bool (*isScript)(const std::string&));

} // namespace headscope::text
