// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What tests of widgets share.
#include <QPushButton>
#include <QRadioButton>

namespace headscope::testing {

/// The first button that says `text`; null where none does.
inline QPushButton* button(const QWidget& in, const QString& text)
{
    for (QPushButton* candidate : in.findChildren<QPushButton*>())
        if (candidate->text().contains(text))
            return candidate;
    return nullptr;
}

/// Answers a tour's question, as a person does: an answer, and then how sure one is of it.
inline void predict(const QWidget& tour, const QString& answer,
                    const QString& confidence = QStringLiteral("fairly sure"))
{
    button(tour, answer)->click();
    for (QRadioButton* candidate : tour.findChildren<QRadioButton*>())
        if (candidate->text() == confidence)
            candidate->click();
}

} // namespace headscope::testing
