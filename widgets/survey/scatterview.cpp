// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/scatterview.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr double kMargin = 44, kDot = 4, kNear = 6;

} // namespace

ScatterScale ScatterScale::over(const std::vector<double>& values, bool logarithmic)
{
    ScatterScale scale{0, 0, logarithmic};
    bool any = false;
    for (const double value : values) {
        if (!std::isfinite(value) || (logarithmic && value <= 0))
            continue;
        scale.low = any ? std::min(scale.low, value) : value;
        scale.high = any ? std::max(scale.high, value) : value;
        any = true;
    }
    if (!any)
        return {1, 2, logarithmic};
    if (scale.high <= scale.low) // one value stands in the middle
        scale = logarithmic ? ScatterScale{scale.low / 2, scale.high * 2, true}
                            : ScatterScale{scale.low - 0.5, scale.high + 0.5, false};
    return scale;
}

std::optional<double> ScatterScale::place(double value) const
{
    if (!std::isfinite(value) || (logarithmic && value <= 0))
        return std::nullopt;
    return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

ScatterView::ScatterView(QWidget* parent) : QWidget(parent)
{
    setMinimumSize(160, 140);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFocusPolicy(Qt::ClickFocus);
    setAccessibleName(tr("Heads by two of their numbers"));
}

void ScatterView::setDots(std::vector<ScatterDot> dots, const QString& xTitle, const QString& yTitle)
{
    m_dots = std::move(dots);
    m_xTitle = xTitle;
    m_yTitle = yTitle;
    scale();
}

void ScatterView::setLogarithmic(bool logarithmic)
{
    m_logarithmic = logarithmic;
    scale();
}

void ScatterView::scale()
{
    std::vector<double> x, y;
    for (const ScatterDot& dot : m_dots) {
        x.push_back(dot.x);
        y.push_back(dot.y);
    }
    m_x = ScatterScale::over(x, m_logarithmic);
    m_y = ScatterScale::over(y, m_logarithmic);
    update();
}

void ScatterView::setSelected(const QStringList& heads)
{
    m_selected = heads;
    update();
}

QRectF ScatterView::area() const
{
    return QRectF(rect()).adjusted(kMargin, kDot * 3, -kDot * 3, -kMargin);
}

std::optional<QPointF> ScatterView::placeOf(const ScatterDot& dot) const
{
    const auto x = m_x.place(dot.x), y = m_y.place(dot.y);
    if (!x || !y)
        return std::nullopt;
    const QRectF inside = area();
    return QPointF(inside.left() + *x * inside.width(), inside.bottom() - *y * inside.height());
}

std::optional<QPointF> ScatterView::placeOf(const QString& head) const
{
    for (const ScatterDot& dot : m_dots)
        if (dot.head == head)
            return placeOf(dot);
    return std::nullopt;
}

void ScatterView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF inside = area();
    const QPalette colors = palette();
    painter.setPen(colors.color(QPalette::Mid));
    painter.drawRect(inside);
    painter.setPen(colors.color(QPalette::Text));
    const auto text = [](double value) { return QString::number(value, 'g', 3); };
    const double line = painter.fontMetrics().height();
    painter.drawText(QRectF(inside.left(), inside.bottom() + 2, inside.width(), line), Qt::AlignLeft, text(m_x.low));
    painter.drawText(QRectF(inside.left(), inside.bottom() + 2, inside.width(), line), Qt::AlignRight, text(m_x.high));
    painter.drawText(QRectF(inside.left(), inside.bottom() + 2 + line, inside.width(), line), Qt::AlignHCenter,
                     m_xTitle);
    painter.drawText(QRectF(0, inside.bottom() - line, kMargin - 4, line), Qt::AlignRight, text(m_y.low));
    painter.drawText(QRectF(0, inside.top(), kMargin - 4, line), Qt::AlignRight, text(m_y.high));
    painter.drawText(inside.adjusted(4, 2, 0, 0), Qt::AlignLeft | Qt::AlignTop, m_yTitle);
    // Labels of what is selected, each where no earlier one stands.
    std::vector<QRectF> taken;
    for (const ScatterDot& dot : m_dots) {
        const auto at = placeOf(dot);
        if (!at)
            continue;
        const bool selected = m_selected.contains(dot.head);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colors.color(selected ? QPalette::Highlight : QPalette::Mid));
        painter.drawEllipse(*at, kDot, kDot);
        const QRectF label(at->x() + kDot + 1, at->y() - line / 2, painter.fontMetrics().horizontalAdvance(dot.head),
                           line);
        const bool free =
            std::none_of(taken.begin(), taken.end(), [&label](const QRectF& other) { return other.intersects(label); });
        if (!selected || !free)
            continue;
        taken.push_back(label);
        painter.setPen(colors.color(QPalette::Text));
        painter.drawText(label, Qt::AlignLeft, dot.head);
    }
    if (m_rubber) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors.color(QPalette::Highlight), 1, Qt::DashLine));
        painter.drawRect(*m_rubber);
    }
}

void ScatterView::mousePressEvent(QMouseEvent* event)
{
    m_rubber = QRectF(event->position(), event->position());
}

void ScatterView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_rubber)
        return;
    m_rubber->setBottomRight(event->position());
    update();
}

void ScatterView::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_rubber)
        return;
    m_rubber->setBottomRight(event->position());
    // A click takes what is near it.
    QRectF taken = m_rubber->normalized();
    if (taken.width() < kNear && taken.height() < kNear)
        taken = QRectF(taken.center() - QPointF(kNear, kNear), QSizeF(2 * kNear, 2 * kNear));
    m_rubber.reset();
    QStringList heads;
    for (const ScatterDot& dot : m_dots)
        if (const auto at = placeOf(dot); at && taken.contains(*at))
            heads << dot.head;
    setSelected(heads);
    Q_EMIT headsSelected(heads);
}

} // namespace headscope::widgets
