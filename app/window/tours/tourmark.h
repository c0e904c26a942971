// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An overlay on a part of the window: a frame around the part that a tour refers to, or a cover over one that would
// reveal the answer. Follows the part's size; moves nothing. GUI thread.

#include <QWidget>

namespace headscope::gui {

class TourMark : public QWidget
{
    Q_OBJECT

public:
    /// Later: a cover over what a later step asks about.
    enum class Kind { Frame, Cover, Later };
    TourMark(Kind kind, QWidget* over);
    [[nodiscard]] Kind kind() const { return m_kind; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    Kind m_kind;
};

} // namespace headscope::gui
