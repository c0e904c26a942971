// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Combo boxes whose entries have values. GUI thread.

#include "widgets/look/plaintext.h"

#include <QComboBox>

namespace headscope::widgets {

/// Fills a box with entries and their values.
template <typename Value>
void fillBox(QComboBox& box, const QString& name, const QList<std::pair<Value, QString>>& entries)
{
    for (const auto& [value, title] : entries)
        box.addItem(title, static_cast<int>(value));
    box.setAccessibleName(name);
    const auto updateToolTip = [&box, name] {
        box.setToolTip(plainText(name + QStringLiteral(": ") + box.currentText()));
    };
    QObject::connect(&box, &QComboBox::currentTextChanged, &box, updateToolTip); // a narrow window elides the entry
    updateToolTip();
    box.setMinimumWidth(60);
}

template <typename Value> [[nodiscard]] Value chosenIn(const QComboBox& box)
{
    return static_cast<Value>(box.currentData().toInt());
}

template <typename Value> void chooseIn(QComboBox& box, Value value)
{
    box.setCurrentIndex(box.findData(static_cast<int>(value)));
}

} // namespace headscope::widgets
