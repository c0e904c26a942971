// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Regular expressions with the semantics of Python's re for the benchmark filters, on PCRE2: UTF, Unicode properties,
// LF as the only newline, `$` also before a final LF. Immutable after compiling: any thread.

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

class PyRegex
{
public:
    /// Compiles a pattern. Fails with the pattern, the offset and PCRE2's message if it is not valid.
    [[nodiscard]] static Result<PyRegex> compile(std::string_view pattern, bool ignoreCase = false);

    /// One match: [0] the whole, then the groups; a group that did not participate is empty (as in re.findall).
    using Groups = std::vector<std::string>;

    /// Returns every match, left to right, with Python's rule that an empty match may follow a non-empty one. Fails if
    /// the matcher gives up (PCRE2's match limit).
    [[nodiscard]] Result<std::vector<Groups>> findAll(std::string_view text) const;
    [[nodiscard]] Result<bool> search(std::string_view text) const;
    /// Equals re.sub(pattern, "", text).
    [[nodiscard]] Result<std::string> removed(std::string_view text) const;

    /// Equals re.escape: returns a pattern that matches the text itself.
    [[nodiscard]] static std::string escaped(std::string_view text);

private:
    struct Span {
        std::size_t begin, end;
    };
    template <typename Visit> [[nodiscard]] Result<void> forEach(std::string_view text, Visit visit) const;

    std::shared_ptr<void> m_code; // pcre2_code
    int m_groups = 0;
};

} // namespace headscope::tasks
