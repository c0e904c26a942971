// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The label class of this program. GUI thread.

#include <QLabel>

namespace headscope::widgets {

/// Shows its text as plain text. A QLabel guesses the format: a token, a model name or a sentence with a path could be
/// read as HTML, and images named in it would be loaded.
class PlainLabel : public QLabel
{
public:
    explicit PlainLabel(QWidget* parent = nullptr) : QLabel(parent) { setTextFormat(Qt::PlainText); }
    explicit PlainLabel(const QString& text, QWidget* parent = nullptr) : PlainLabel(parent) { setText(text); }
};

} // namespace headscope::widgets
