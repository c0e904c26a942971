// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A compiled pattern of a tokenizer file: Oniguruma's Ruby syntax as far as PCRE2 can match it. Immutable: any thread.

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::text {

/// A range of a text; a list of them covers the text without gaps.
struct Stretch {
    std::size_t begin;
    std::size_t end;
    bool match;
};

class Pattern
{
public:
    /// Compiles a pattern, translated for PCRE2. Fails, printing it, if PCRE2 rejects it or no translation is certain
    /// (nested classes, `\h`).
    [[nodiscard]] static Result<Pattern> compile(const std::string& expression);
    /// Makes a pattern that matches the string itself.
    [[nodiscard]] static Result<Pattern> literal(const std::string& string);

    /// Appends matches and the gaps between them, in order. `text` is valid UTF-8. Fails if the pattern exceeds the
    /// backtracking limit, which no pattern of a published tokenizer does.
    [[nodiscard]] Result<void> find(std::string_view text, std::vector<Stretch>& out) const;
    /// Returns whether earlier versions, which passed expressions to PCRE2 unchanged, could match it differently.
    [[nodiscard]] bool matchedDifferentlyBefore() const;

private:
    struct Code;
    explicit Pattern(std::shared_ptr<const Code> code) : m_code(std::move(code)) {}
    std::shared_ptr<const Code> m_code;
};

} // namespace headscope::text
