// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Answer extraction from generated text: the harness's filters, compiled once for a task. Internal to core/tasks.
// Immutable after make(): any thread.

#include "core/base/result.h"
#include "core/tasks/pyregex.h"
#include "core/tasks/task.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

class Filter
{
public:
    [[nodiscard]] static Result<Filter> make(const Extraction& extraction);

    /// The extracted answer, or "[invalid]". `input` is the row's own question, which two of BBH's filters look at.
    [[nodiscard]] Result<std::string> apply(std::string_view text, std::string_view input) const;

private:
    [[nodiscard]] Result<std::string> choice(std::string_view text, std::string_view input) const;
    [[nodiscard]] Result<std::string> number(std::string_view text) const;
    [[nodiscard]] Result<std::string> mapped(std::string_view text) const;
    [[nodiscard]] Result<std::string> sortedWords(std::string_view text, std::string_view input) const;
    /// The selected match: the whole, or its first non-empty group, stripped; empty without a match.
    [[nodiscard]] Result<std::string> find(const PyRegex& regex, std::string_view text) const;

    Extraction m_extraction;
    std::vector<PyRegex> m_regexes; ///< [0] the pattern; BbhMap: then one a value
};

/// "twenty-three" to 23; nullopt where no number word is in the text. Word values add up, "hundred" and above multiply.
[[nodiscard]] std::optional<long long> numberFromWords(std::string_view text);

} // namespace headscope::tasks
