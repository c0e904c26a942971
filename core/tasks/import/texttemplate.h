// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The `{{field | strip}}` templates of user-defined tasks: the part of Jinja2 that benchmark prompts need, strict about
// missing fields. Internal to core/tasks (it names the JSON library). Immutable after parse(): any thread.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace headscope::tasks {

class TextTemplate
{
public:
    /// Parses text with places {{path}} or {{path | filter | ...}}: path is field, field.part or field[0]; filters are
    /// strip, trim (the same), lower and capitalize. Fails for an unclosed place, an empty path or an unknown filter.
    [[nodiscard]] static Result<TextTemplate> parse(std::string_view text);

    /// Makes a template of one place, a field of any name.
    [[nodiscard]] static TextTemplate column(std::string name);

    /// Fills in a row. Fails for a missing field and one that is not a string, number or boolean, which is written True
    /// or False as in Python. Nothing is escaped.
    [[nodiscard]] Result<std::string> render(const nlohmann::json& row) const;

    /// Returns the value itself (a list of choices) if the whole template is one place, otherwise the rendered text.
    [[nodiscard]] Result<nlohmann::json> value(const nlohmann::json& row) const;

private:
    struct Piece {
        std::string text;              ///< literal, if `path` is empty
        std::vector<std::string> path; ///< fields and indices
        std::vector<std::string> filters;
    };
    std::vector<Piece> m_pieces;
};

} // namespace headscope::tasks
