// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Protects text from files: a tooltip or label would interpret tags in it, and load the pictures that they name. Any
// thread.

#include <QString>
#include <QTextDocument>

namespace headscope::widgets {

/// Tooltips wrap only rich text.
enum class Lines { AsTheyAre, Wrapped };

/// Returns the text in a form that is shown literally by widgets that detect rich text.
[[nodiscard]] inline QString plainText(const QString& words, Lines lines = Lines::AsTheyAre)
{
    return lines == Lines::Wrapped || Qt::mightBeRichText(words) ? Qt::convertFromPlainText(words, Qt::WhiteSpaceNormal)
                                                                 : words;
}

} // namespace headscope::widgets
