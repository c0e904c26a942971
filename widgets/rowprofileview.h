// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of a map as bars over the tokens, for A and for B: sharp against smooth in one look. GUI thread.

#include "widgets/patterndata.h"
#include "widgets/theme.h"

#include <QWidget>

#include <limits>

class QCPBars;
class QCPItemText;
class QCustomPlot;
class QLabel;

namespace headscope::widgets {

/// One row and the numbers that describe it (core/analysis computes them). NaN: not known, not printed.
struct RowProfile {
    QString head;                ///< "L2H5"
    int row = 0;                 ///< index of the looking token
    QStringList tokens;
    std::vector<float> values;   ///< one a token; signed for SSM
    bool isSigned = false;
    double effectiveTokens = std::numeric_limits<double>::quiet_NaN();
    double entropy = std::numeric_limits<double>::quiet_NaN();    ///< nats
    double targetMass = std::numeric_limits<double>::quiet_NaN(); ///< on the token that holds the answer
    int targetToken = -1;
    double sinkMass = std::numeric_limits<double>::quiet_NaN();
};

/// QCustomPlot bars: here a bar is a number on an axis, which is what that library is good at.
class RowProfileView : public QWidget
{
    Q_OBJECT

public:
    explicit RowProfileView(QWidget* parent = nullptr);

    void setProfile(Side side, const RowProfile& profile);
    void clearProfile(Side side);
    /// Marks one token's bar; emits nothing. -1: none.
    void setMarkedToken(int token);
    /// "A  sharp · 1.4 effective tokens · 0.92 on “62”": what stands above the bars.
    [[nodiscard]] static QString summary(Side side, const RowProfile& profile);

    QSize sizeHint() const override;

Q_SIGNALS:
    /// The bar under the mouse; -1 when it left.
    void tokenHovered(int token);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

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
    };
    Panel makePanel(Side side);
    Panel& panel(Side side) { return side == Side::A ? m_a : m_b; }
    void refresh(Side side);
    void restyle(Side side);
    void label(Side side);
    void hover(Side side, double x);

    QLabel* m_title;
    Panel m_a;
    Panel m_b;
    int m_marked = -1;
};

} // namespace headscope::widgets
