// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The label of this program. GUI thread.

#include <QLabel>

namespace headscope::widgets {

/// Shows its text as it is. A QLabel guesses: a token, a model's name or a sentence with a path in it would be read as
/// HTML, and the pictures named in it would be loaded.
class PlainLabel : public QLabel
{
public:
    explicit PlainLabel(QWidget* parent = nullptr) : QLabel(parent) { setTextFormat(Qt::PlainText); }
    explicit PlainLabel(const QString& text, QWidget* parent = nullptr) : PlainLabel(parent) { setText(text); }
};

} // namespace headscope::widgets
