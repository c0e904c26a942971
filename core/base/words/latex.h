// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text of unknown origin in a LaTeX document. Any thread.

#include "core/base/printable.h"

#include <string>
#include <string_view>

namespace headscope {

/// Escapes what LaTeX would read as a command; a line break becomes a space, since an empty line would end the
/// paragraph in the middle of a cell. Control codes for terminals are escaped (printable.h).
[[nodiscard]] inline std::string latexText(std::string_view text)
{
    std::string escaped;
    for (const char c : printable(text, Newlines::Keep))
        switch (c) {
        case '\\': escaped += "\\textbackslash{}"; break;
        case '~': escaped += "\\textasciitilde{}"; break;
        case '^': escaped += "\\textasciicircum{}"; break;
        case '\n': escaped += ' '; break;
        case '&':
        case '%':
        case '$':
        case '#':
        case '_':
        case '{':
        case '}': escaped += '\\'; [[fallthrough]];
        default: escaped += c;
        }
    return escaped;
}

} // namespace headscope
