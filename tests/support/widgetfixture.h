// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What tests of widgets share.
#include <QPushButton>

namespace headscope::testing {

/// The first button that says `text`; null where none does.
inline QPushButton* button(const QWidget& in, const QString& text)
{
    for (QPushButton* candidate : in.findChildren<QPushButton*>())
        if (candidate->text().contains(text))
            return candidate;
    return nullptr;
}

} // namespace headscope::testing
