// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Conditions on named numbers, as a person writes them: "induction > 0.5 and (entropy < 1 or not first >= 0.2)". Any
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
    /// What a name stands for; nothing: there is no such number here, and no comparison with it holds.
    using Lookup = std::function<std::optional<double>(std::string_view name)>;

    /// Fails with one sentence for what cannot be read, naming the place, and for a name that is not among `names`.
    [[nodiscard]] static Result<Filter> parse(std::string_view text, std::span<const std::string_view> names);
    /// An empty text lets everything through.
    [[nodiscard]] bool matches(const Lookup& lookup) const { return !m_test || m_test(lookup); }

private:
    class Parser;
    std::function<bool(const Lookup&)> m_test;
};

} // namespace headscope::survey
