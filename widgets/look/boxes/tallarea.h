// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A page that scrolls up and down where it is taller than its place, and is never narrower than it needs. GUI thread.

#include <QScrollArea>

namespace headscope::widgets {

class TallArea : public QScrollArea
{
    Q_OBJECT

public:
    explicit TallArea(QWidget* page, QWidget* parent = nullptr);

    /// The page's own size, so that nothing scrolls where there is room.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace headscope::widgets
