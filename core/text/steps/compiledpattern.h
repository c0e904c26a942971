// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A compiled pattern of a tokenizer file: Oniguruma's dialect as far as PCRE2 agrees with it. Immutable: any thread.

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

/// One stretch of a text; a list of them covers the text without gaps.
struct Stretch {
    std::size_t begin;
    std::size_t end;
    bool match;
};

class Pattern
{
public:
    /// Fails for a pattern that PCRE2 rejects or reads differently from Oniguruma (nested classes, `\h`), printing it.
    [[nodiscard]] static Result<Pattern> compile(const std::string& expression);
    /// Matches the string itself.
    [[nodiscard]] static Result<Pattern> literal(const std::string& string);

    /// Appends matches and the gaps between them, in order. `text` is valid UTF-8. Fails when the pattern needs more
    /// backtracking than the limit, which no pattern of a published tokenizer does.
    [[nodiscard]] Result<void> find(std::string_view text, std::vector<Stretch>& out) const;

private:
    struct Code;
    explicit Pattern(std::shared_ptr<const Code> code) : m_code(std::move(code)) {}
    std::shared_ptr<const Code> m_code;
};

} // namespace headscope::text
