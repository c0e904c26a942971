// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// User-written conditions on named numbers: "induction > 0.5 and (entropy < 1 or not first >= 0.2)". Any
// thread.

#include "core/base/result.h"

#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace headscope::survey {

class Filter
{
public:
    /// Returns the value of a name; nothing: undefined here, and every comparison with it is false.
    using Lookup = std::function<std::optional<double>(std::string_view name)>;

    /// Parses a condition. Fails with one sentence that gives the position, and for a name that is not among `names`.
    [[nodiscard]] static Result<Filter> parse(std::string_view text, std::span<const std::string_view> names);
    /// Evaluates the condition. An empty text matches everything.
    [[nodiscard]] bool matches(const Lookup& lookup) const { return !m_test || m_test(lookup); }

private:
    class Parser;
    std::function<bool(const Lookup&)> m_test;
};

} // namespace headscope::survey
