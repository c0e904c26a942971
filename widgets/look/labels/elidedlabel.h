// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A label of one line that never asks for room: what does not fit is said shorter where it can be, or ends in "…", and
// is read in its tooltip. GUI thread.

#include "widgets/look/labels/plainlabel.h"

namespace headscope::widgets {

class ElidedLabel : public PlainLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    explicit ElidedLabel(const QString& text, QWidget* parent = nullptr);
    /// The longest first: its text, and what stands for it in a narrow place.
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
