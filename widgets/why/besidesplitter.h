// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The views of both models: side by side if each has the room it needs, otherwise one above the other. GUI
// thread.

#include <QSplitter>

namespace headscope::widgets {

class BesideSplitter : public QSplitter
{
    Q_OBJECT

public:
    explicit BesideSplitter(QWidget* parent = nullptr);

    /// Sets the width in pixels that each view needs side by side; by default more than any screen has.
    void setNeeded(int pixels);
    /// Updates the arrangement, after a view was shown or hidden.
    void arrange();

Q_SIGNALS:
    void arranged(bool beside);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int m_needed = 1 << 20;
};

} // namespace headscope::widgets
