// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A page that scrolls vertically if taller than its place, and is never narrower than it needs. GUI thread.

#include <QScrollArea>

namespace headscope::widgets {

class TallArea : public QScrollArea
{
    Q_OBJECT

public:
    explicit TallArea(QWidget* page, QWidget* parent = nullptr);

    /// Returns the size of the page, so that nothing scrolls if there is room.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace headscope::widgets
