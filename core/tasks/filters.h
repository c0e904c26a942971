// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Answer extraction from generated text: the harness's filters, compiled once per task. Internal to core/tasks.
// Immutable after make(): any thread.

#include "core/base/result.h"
#include "core/tasks/python/pyregex.h"
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

    /// Returns the extracted answer, or Extraction::fallback. `input` is the row's own question, which two of BBH's
    /// filters use.
    [[nodiscard]] Result<std::string> apply(std::string_view text, std::string_view input) const;

private:
    [[nodiscard]] Result<std::string> choice(std::string_view text, std::string_view input) const;
    [[nodiscard]] Result<std::string> number(std::string_view text) const;
    [[nodiscard]] Result<std::string> mapped(std::string_view text) const;
    [[nodiscard]] Result<std::string> sortedWords(std::string_view text, std::string_view input) const;
    /// Returns the selected match: the whole, or its first non-empty group, stripped; empty without a match.
    [[nodiscard]] Result<std::string> find(const PyRegex& regex, std::string_view text) const;

    Extraction m_extraction;
    std::vector<PyRegex> m_regexes; ///< [0] the pattern; BbhMap: then one per value
};

/// Returns the first number written in English words: "there are twenty-three of them" gives 23, "two hundred and five"
/// 205. Nothing if the text has no number word, or above 10^12.
[[nodiscard]] std::optional<long long> numberFromWords(std::string_view text);

} // namespace headscope::tasks
