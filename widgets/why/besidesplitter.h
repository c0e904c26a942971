// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The views of both models: beside each other where each has the room that it needs, else one above the other. GUI
// thread.

#include <QSplitter>

namespace headscope::widgets {

class BesideSplitter : public QSplitter
{
    Q_OBJECT

public:
    explicit BesideSplitter(QWidget* parent = nullptr);

    /// Pixels that each view needs to lie beside the other; by default more than there are.
    void setNeeded(int pixels);
    /// Looks again; after a view was shown or hidden.
    void arrange();

Q_SIGNALS:
    void arranged(bool beside);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int m_needed = 1 << 20;
};

} // namespace headscope::widgets
