// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pattern/card/patternfooter.h"

#include "widgets/look/fitting.h"
#include "widgets/look/plaintext.h"
#include "widgets/pattern/card/rowprofile.h"

#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kFooterLines = 3;
constexpr int kMargin = 4;
constexpr double kBar = 64; // shortest colour bar

} // namespace

PatternFooter::PatternFooter(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(plainText(tr("Peaked: the row reads at most %1 effective tokens (the exponential of its entropy), "
                            "however long it is. Diffuse: more.")
                             .arg(RowProfile::kPeakedTokens)));
}

QSize PatternFooter::sizeHint() const
{
    return {300, kFooterLines * (fontMetrics().height() + 2) + 2};
}

QSize PatternFooter::minimumSizeHint() const
{
    return {100, sizeHint().height()};
}

void PatternFooter::setSentences(const QString& sentence, const QString& detail, const QString& brief)
{
    m_sentence = sentence;
    m_brief = brief;
    m_detail = detail;
    setAccessibleName(sentence);
    update();
}

void PatternFooter::setReadout(const QString& readout)
{
    if (readout == m_readout)
        return;
    m_readout = readout;
    update();
}

void PatternFooter::setLegend(const PatternScale& scale, const std::vector<Role>& roles)
{
    m_scale = scale;
    m_roles = roles;
    m_legend = true;
    update();
}

void PatternFooter::clearLegend()
{
    m_legend = false;
    update();
}

void PatternFooter::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    const Theme theme = themeOf(palette());
    const double line = QFontMetricsF(font()).height() + 2;
    QRectF box(kMargin, 0, width() - 2 * kMargin, line);
    QFont bold = font();
    bold.setBold(true);
    const auto write = [&](const QString& text, const QFont& with, const QColor& ink) {
        painter.setFont(with);
        painter.setPen(ink);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                         partsFitting(text, QStringLiteral(" · "), QFontMetricsF(with), box.width()));
        box.translate(0, line);
    };
    const bool fits = QFontMetricsF(bold).horizontalAdvance(m_sentence) <= box.width();
    write(fits || m_brief.isEmpty() ? m_sentence : m_brief, bold, theme.text);
    if (m_readout.isEmpty())
        write(m_detail, font(), theme.muted);
    else
        write(m_readout, font(), theme.crosshair);
    painter.setFont(font());
    if (!m_legend)
        return;
    const double roles = rolesWidth();
    const bool both = roles > 0 && roles + kBar + 160 < box.width();
    if (both)
        paintRoles(painter, box);
    paintBar(painter, both ? box.adjusted(roles + 12, 0, 0, 0) : box);
}

double PatternFooter::rolesWidth() const
{
    const QFontMetricsF metrics(font());
    double width = 0;
    for (const Role role : m_roles)
        width += metrics.ascent() * 0.7 + 4 + metrics.horizontalAdvance(roleName(role)) + 10;
    return width;
}

void PatternFooter::paintRoles(QPainter& painter, const QRectF& box) const
{
    const QFontMetricsF metrics(font());
    const double side = metrics.ascent() * 0.7;
    double x = box.left();
    painter.setPen(themeOf(palette()).muted);
    for (const Role role : m_roles) {
        painter.fillRect(QRectF(x, box.center().y() - side / 2, side, side), roleColor(role));
        const double wide = metrics.horizontalAdvance(roleName(role));
        painter.drawText(QRectF(x + side + 4, box.top(), wide + 2, box.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         roleName(role));
        x += side + 4 + wide + 10;
    }
}

void PatternFooter::paintBar(QPainter& painter, const QRectF& box) const
{
    const QFontMetricsF metrics(font());
    const std::vector<ScaleTick> ticks = m_scale.ticks();
    const QString low = ticks.front().text, high = ticks.back().text;
    const double ends = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + 18;
    const double nameRoom = std::max(0.0, box.width() - ends - kBar);
    const QString name = metrics.elidedText(m_scale.name(), Qt::ElideRight, nameRoom);
    const auto text = [&](double x, const QString& words) {
        painter.drawText(QRectF(x, box.top(), box.right() - x + 1, box.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         words);
    };
    painter.setPen(themeOf(palette()).muted);
    double x = box.left();
    text(x, name);
    x += metrics.horizontalAdvance(name) + 8;
    text(x, low);
    x += metrics.horizontalAdvance(low) + 5;
    const double end = std::min(box.right() - metrics.horizontalAdvance(high) - 5, x + 3 * kBar);
    for (double at = x; at < end; at += 1)
        painter.fillRect(QRectF(at, box.center().y() - 4, 1, 8),
                         QColor(colorAt(m_scale.colorMap(), (at - x + 0.5) / std::max(1.0, end - x))));
    // A log bar's ends lie between powers of ten: marks show where those are.
    for (const ScaleTick& tick : ticks)
        if (tick.position > 0.02 && tick.position < 0.98)
            painter.drawLine(QPointF(x + tick.position * (end - x), box.center().y() + 4),
                             QPointF(x + tick.position * (end - x), box.center().y() + 6));
    text(end + 5, high);
}

} // namespace headscope::widgets
