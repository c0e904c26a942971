// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

#include <string>

namespace headscope::figures {

inline constexpr std::size_t kHashDigits = 12; ///< of a hash, that are shown

/// The words of a figure, in the language of the window that draws it; the command line speaks English.
struct FigureText {
    Q_DECLARE_TR_FUNCTIONS(FigureText)
};

inline QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

} // namespace headscope::figures
