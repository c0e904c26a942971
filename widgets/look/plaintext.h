// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text that comes out of a file and is shown as it is: a tooltip or a label would read tags in it, and load the
// pictures that they name. Any thread.

#include <QString>
#include <QTextDocument>

namespace headscope::widgets {

/// A tooltip wraps what is rich text only.
enum class Lines { AsTheyAre, Wrapped };

/// The same words for a place that guesses whether it is given rich text.
[[nodiscard]] inline QString plainText(const QString& words, Lines lines = Lines::AsTheyAre)
{
    return lines == Lines::Wrapped || Qt::mightBeRichText(words) ? Qt::convertFromPlainText(words, Qt::WhiteSpaceNormal)
                                                                 : words;
}

} // namespace headscope::widgets
