// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of a map as bars over the tokens, for A and for B: peaked against diffuse in one look. GUI thread.

#include "widgets/look/theme.h"
#include "widgets/pattern/rowprofile.h"

#include <QWidget>

class QCPBars;
class QCPItemText;
class QCustomPlot;
class QLabel;

namespace headscope::widgets {

/// QCustomPlot bars: here a bar is a number on an axis, which is what that library is good at.
class RowProfileView : public QWidget
{
    Q_OBJECT

public:
    explicit RowProfileView(QWidget* parent = nullptr);

    void setProfile(Side side, const RowProfile& profile);
    void clearProfile(Side side);
    /// Marks one bar on each side (the tokens of A and B need not be the same); emits nothing. -1: none.
    void setMarkedTokens(int a, int b);
    /// "A  peaked · 1.4 effective tokens · 0.92 on “62”": what stands above the bars.
    /// The most important part comes first; `parts` limits how many are written.
    [[nodiscard]] static QString summary(Side side, const RowProfile& profile, int parts = 9);

    QSize sizeHint() const override;

Q_SIGNALS:
    /// The bar under the mouse; -1 when it left.
    void tokenHovered(headscope::Side side, int token);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Panel {
        QWidget* box = nullptr;
        QLabel* header = nullptr;
        QCustomPlot* plot = nullptr;
        QCPBars* bars = nullptr;
        QCPBars* marked = nullptr;
        QCPItemText* value = nullptr;
        RowProfile profile;
        bool filled = false;
        int token = -1; ///< the marked bar
    };
    Panel makePanel(Side side);
    Panel& panel(Side side) { return side == Side::A ? m_a : m_b; }
    void refresh(Side side);
    void fitAxes();
    void restyle(Side side);
    void label(Side side);
    void fitHeader(Side side);
    void hover(Side side, double x);
    void mark(Side side, int token);

    QLabel* m_title;
    Panel m_a;
    Panel m_b;
};

} // namespace headscope::widgets
