// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A check box drawn as a switch: its text on the left of a track with a thumb. GUI thread.

#include <QCheckBox>

namespace headscope::widgets {

class SwitchButton : public QCheckBox
{
    Q_OBJECT

public:
    using QCheckBox::QCheckBox;
    /// Sets the colour of the track while it is on.
    void setAccent(const QColor& color);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool hitButton(const QPoint& at) const override { return rect().contains(at); }

private:
    [[nodiscard]] QSize track() const;

    QColor m_accent;
};

} // namespace headscope::widgets
