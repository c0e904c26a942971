// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A label with a fixed number of lines, so that widgets below it do not move: text that does not fit is elided with "…"
// and shown in its tooltip. GUI thread.

#include "widgets/look/fitting.h"
#include "widgets/look/labels/plainlabel.h"

namespace headscope::widgets {

class FewLinesLabel : public PlainLabel
{
    Q_OBJECT

public:
    explicit FewLinesLabel(int lines, QWidget* parent = nullptr);
    [[nodiscard]] bool isElided() const { return shownLines().elided; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] WrappedLines shownLines() const;

    int m_lines;
};

} // namespace headscope::widgets
