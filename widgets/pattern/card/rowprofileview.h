// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of a map as bars, each exactly below its column of the map, to compare peaked and diffuse rows. GUI thread.

#include "widgets/look/theme.h"
#include "widgets/pattern/card/rowprofile.h"
#include "widgets/pattern/tokenaxis.h"

#include <QWidget>

class QCPBars;
class QCPItemText;
class QCustomPlot;

namespace headscope::widgets {

/// Uses QCustomPlot for the bars, values on an axis. The labels of the tokens are below, shared by the map and the
/// bars.
class RowProfileView : public QWidget
{
    Q_OBJECT

public:
    explicit RowProfileView(Side side, QWidget* parent = nullptr);

    void setProfile(const RowProfile& profile);
    void clearProfile();
    [[nodiscard]] const RowProfile& profile() const { return m_profile; }
    [[nodiscard]] bool filled() const { return m_filled; }
    /// Sets the position of the map's columns, in pixels of this widget, and their labels.
    void setColumns(const AxisSpan& columns, const QStringList& tokens);
    void setAxis(const ValueAxis& axis);
    /// Marks one bar; emits nothing. -1: none.
    void setMarkedToken(int token);
    /// Returns the labelled tokens: the marked one, then those read most.
    [[nodiscard]] std::vector<int> namedTokens() const;
    /// Returns the height of the labels below the bars.
    [[nodiscard]] int labelRoom() const;
    /// Returns the smallest height at which the bars are readable.
    [[nodiscard]] int leastHeight() const;

Q_SIGNALS:
    /// The bar under the mouse; -1 when the mouse has left.
    void tokenHovered(int token);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makePlot(Side side);
    void restyle();
    void fill();
    void place();
    void label();
    void hover(double x);

    Side m_side;
    QCustomPlot* m_plot = nullptr;
    QCPBars* m_bars = nullptr;
    QCPBars* m_marked = nullptr;
    QCPItemText* m_value = nullptr;
    RowProfile m_profile;
    bool m_filled = false;
    int m_token = -1; ///< the marked bar
    AxisSpan m_columns;
    QStringList m_tokens;
};

} // namespace headscope::widgets
