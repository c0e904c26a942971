// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Converts text of the layers without Qt. Any thread.

#include <QString>

#include <string>

namespace headscope::gui {

[[nodiscard]] inline QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

} // namespace headscope::gui
