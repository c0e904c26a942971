// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace headscope::figures {

inline constexpr std::size_t kHashDigits = 12; ///< of a hash, that are shown

inline QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

} // namespace headscope::figures
