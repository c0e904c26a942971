// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A label of one line that never demands width: text that does not fit is replaced by a shorter form or elided with
// "…", and its tooltip shows all of it. GUI thread.

#include "widgets/look/labels/plainlabel.h"

namespace headscope::widgets {

class ElidedLabel : public PlainLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    explicit ElidedLabel(const QString& text, QWidget* parent = nullptr);
    /// Sets the text, longest form first, followed by replacements for narrow places.
    void setForms(const QStringList& forms);
    [[nodiscard]] bool isElided() const;
    [[nodiscard]] QString shown() const;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QString oneLine() const;

    QStringList m_shorter;
};

} // namespace headscope::widgets
