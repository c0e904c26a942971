// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Heads as dots by two of their numbers; a rectangle that is drawn over them selects. GUI thread.

#include <QPointF>
#include <QWidget>

#include <optional>
#include <vector>

namespace headscope::widgets {

struct ScatterDot {
    QString head;
    double x = 0, y = 0; ///< NaN: not drawn
};

/// From numbers to the place in a square of size 1, and whether a number has one: with a logarithm only what is above
/// 0.
struct ScatterScale {
    double low = 0, high = 1;
    bool logarithmic = false;

    [[nodiscard]] static ScatterScale over(const std::vector<double>& values, bool logarithmic);
    [[nodiscard]] std::optional<double> place(double value) const;
};

class ScatterView : public QWidget
{
    Q_OBJECT

public:
    explicit ScatterView(QWidget* parent = nullptr);

    void setDots(std::vector<ScatterDot> dots, const QString& xTitle, const QString& yTitle);
    void setLogarithmic(bool logarithmic);
    void setSelected(const QStringList& heads);
    [[nodiscard]] const QStringList& selected() const { return m_selected; }
    /// Where a dot is drawn; nothing where it is not.
    [[nodiscard]] std::optional<QPointF> placeOf(const QString& head) const;

Q_SIGNALS:
    void headsSelected(const QStringList& heads);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] std::optional<QPointF> placeOf(const ScatterDot& dot) const;
    void scale();

    std::vector<ScatterDot> m_dots;
    QString m_xTitle, m_yTitle;
    ScatterScale m_x, m_y;
    bool m_logarithmic = false;
    QStringList m_selected;
    std::optional<QRectF> m_rubber; ///< while it is drawn
};

} // namespace headscope::widgets
