// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

#include <string>

namespace headscope::figures {

inline constexpr std::size_t kHashDigits = 12; ///< number of digits shown of a hash

/// Translates the texts of a figure into the language of the window; the command line uses English.
struct FigureText {
    Q_DECLARE_TR_FUNCTIONS(FigureText)
};

/// Returns the language of these texts, for the experiments' own: const experiments::Speaking
/// speaking(figureLanguage()) on the thread that makes the figure.
inline std::string figureLanguage()
{
    return FigureText::tr("en").toStdString();
}

inline QString text(const std::string& utf8)
{
    return QString::fromStdString(utf8);
}

} // namespace headscope::figures
