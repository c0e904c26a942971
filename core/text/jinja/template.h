// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Jinja templates as transformers runs them for chats: trimmed blocks, an immutable sandbox, break and continue, no
// other files. Any thread; a template is immutable.

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::text::jinja {

class Template
{
public:
    /// Parses a template. Fails if it is too large, not valid UTF-8 or syntactically wrong.
    [[nodiscard]] static Result<Template> parse(std::string_view source);

    /// Renders the template for variables, each a name and its value as JSON. `now` is the time for strftime_now():
    /// seconds since 1970, in UTC. A template that runs too long or produces too much fails, after the same number of
    /// steps on every machine.
    [[nodiscard]] Result<std::string> render(const std::vector<std::pair<std::string, std::string>>& variables,
                                             std::int64_t now) const;

private:
    struct Tree;
    explicit Template(std::shared_ptr<const Tree> tree) : m_tree(std::move(tree)) {}
    std::shared_ptr<const Tree> m_tree;
};

} // namespace headscope::text::jinja
