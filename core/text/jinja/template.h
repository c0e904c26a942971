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
    /// Fails for a template that is too large, is not valid UTF-8 or cannot be parsed.
    [[nodiscard]] static Result<Template> parse(std::string_view source);

    /// What the template writes for variables, each a name and its value as JSON. `now` is what strftime_now() has for
    /// the time: seconds since 1970, in UTC. A template that takes too long or makes too much fails, after as many
    /// steps on every machine.
    [[nodiscard]] Result<std::string> render(const std::vector<std::pair<std::string, std::string>>& variables,
                                             std::int64_t now) const;

private:
    struct Tree;
    explicit Template(std::shared_ptr<const Tree> tree) : m_tree(std::move(tree)) {}
    std::shared_ptr<const Tree> m_tree;
};

} // namespace headscope::text::jinja
