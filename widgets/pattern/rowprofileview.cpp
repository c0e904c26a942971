// SPDX-License-Identifier: GPL-3.0-or-later
// qcustomplot.h writes `signals:`, so this one file is compiled with Qt's keywords; it must come first.
#undef QT_NO_KEYWORDS
#include <qcustomplot.h>

#include "widgets/pattern/rowprofileview.h"

#include "widgets/look/numbertext.h"
#include "widgets/look/plainlabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/pattern/tokenaxis.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

RowProfileView::RowProfileView(QWidget* parent) : QWidget(parent), m_title(new PlainLabel(this))
{
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setText(tr("Row profile"));
    m_a = makePanel(Side::A);
    m_b = makePanel(Side::B);
    makePage(this);
    auto* plots = new QHBoxLayout;
    plots->setSpacing(14);
    plots->addWidget(m_a.box, 1);
    plots->addWidget(m_b.box, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->setSpacing(2);
    layout->addWidget(m_title);
    layout->addLayout(plots, 1);
    m_b.box->hide();
    setAccessibleName(tr("Row profile"));
    setWhatsThis(
        tr("How one token spreads its look over all tokens before it: a peaked head puts it on one, a diffuse head "
           "on many. A row of an SSM does not sum to 1: it is divided by the sum of its absolute values. Click a row "
           "of the "
           "map to choose the token."));
}

RowProfileView::Panel RowProfileView::makePanel(Side side)
{
    Panel made;
    made.box = new QWidget(this);
    made.header = new PlainLabel(made.box);
    made.header->setMinimumWidth(60);
    made.plot = new QCustomPlot(made.box);
    made.plot->setAccessibleName(side == Side::A ? tr("Row profile of A") : tr("Row profile of B"));
    made.plot->setMinimumHeight(80);
    made.plot->installEventFilter(this);
    made.bars = new QCPBars(made.plot->xAxis, made.plot->yAxis);
    made.marked = new QCPBars(made.plot->xAxis, made.plot->yAxis);
    made.value = new QCPItemText(made.plot);
    made.value->setVisible(false);
    made.value->setClipToAxisRect(false);
    made.plot->xAxis->setTickLabelRotation(-90);
    made.plot->xAxis->grid()->setVisible(false);
    made.plot->xAxis->setTickLength(0, 0);
    made.plot->xAxis->setSubTicks(false);
    made.plot->yAxis->setSubTicks(false);
    made.plot->yAxis->setTickLength(0, 3);
    made.plot->yAxis->ticker()->setTickCount(2);
    made.plot->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
    made.plot->axisRect()->setMargins(QMargins(0, 6, 6, 0));
    auto* layout = new QVBoxLayout(made.box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(made.header);
    layout->addWidget(made.plot, 1);
    connect(made.plot, &QCustomPlot::mouseMove, this,
            [this, side](QMouseEvent* event) { hover(side, event->position().x()); });
    return made;
}

QSize RowProfileView::sizeHint() const
{
    return {640, 190};
}

QString RowProfileView::summary(Side side, const RowProfile& profile, int limit)
{
    QStringList parts;
    if (!std::isnan(profile.effectiveTokens)) {
        // A look spread over under a tenth of its row, or on three tokens, is one that can carry a single value.
        const bool peaked = profile.effectiveTokens <= std::max(3.0, 0.1 * (profile.row + 1));
        parts
            << (peaked ? tr("peaked") : tr("diffuse"))
            << tr("%1 effective tokens").arg(numberText(profile.effectiveTokens, profile.effectiveTokens < 10 ? 1 : 0));
    }
    if (!std::isnan(profile.targetMass) && profile.targetToken >= 0)
        parts
            << tr("%1 on “%2”").arg(numberText(profile.targetMass), tokenLabelAt(profile.tokens, profile.targetToken));
    if (!std::isnan(profile.sinkMass))
        parts << tr("sink %1").arg(numberText(profile.sinkMass));
    if (!std::isnan(profile.entropy))
        parts << tr("entropy %1").arg(numberText(profile.entropy));
    return u"%1  %2  "_s.arg(side == Side::A ? u"A"_s : u"B"_s, profile.head) + parts.mid(0, limit).join(u" · "_s);
}

void RowProfileView::setProfile(Side side, const RowProfile& profile)
{
    Panel& target = panel(side);
    target.profile = profile;
    target.filled = true;
    target.box->show();
    m_title->setText(tr("Row “%1”: where it looks").arg(tokenLabelAt(profile.tokens, profile.row)));
    refresh(side);
}

void RowProfileView::clearProfile(Side side)
{
    Panel& target = panel(side);
    target.filled = false;
    target.profile = {};
    target.box->setVisible(side == Side::A);
    if (side == Side::A)
        m_title->setText(tr("Row profile"));
    refresh(side);
}

void RowProfileView::refresh(Side side)
{
    Panel& target = panel(side);
    const RowProfile& profile = target.profile;
    target.header->setToolTip(plainText(target.filled ? summary(side, profile) : QString()));
    QVector<double> keys;
    QVector<double> values;
    for (std::size_t i = 0; i < profile.values.size(); ++i) {
        keys << static_cast<double>(i);
        values << static_cast<double>(profile.values[i]);
    }
    target.bars->setData(keys, values, true);
    target.plot->xAxis->setRange(-0.7, std::max(1.0, static_cast<double>(keys.size()) - 0.3));
    fitAxes();
    restyle(side);
    mark(side, target.token);
}

void RowProfileView::fitAxes()
{
    std::vector<const RowProfile*> shares;
    for (const Panel* each : {&m_a, &m_b})
        if (each->filled && !each->profile.isChange)
            shares.push_back(&each->profile);
    for (Panel* each : {&m_a, &m_b}) {
        const ValueAxis axis =
            commonAxis(each->profile.isChange ? std::vector<const RowProfile*>{&each->profile} : shares);
        each->plot->yAxis->setRange(axis.low, axis.high + 0.03 * (axis.high - axis.low));
        each->plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

void RowProfileView::restyle(Side side)
{
    Panel& target = panel(side);
    const Theme theme = themeOf(palette());
    const QColor color = sideColor(theme, side);
    target.plot->setBackground(QBrush(theme.base));
    target.bars->setWidth(0.82);
    target.marked->setWidth(0.82);
    target.bars->setPen(Qt::NoPen);
    target.bars->setBrush(color);
    target.marked->setPen(Qt::NoPen);
    target.marked->setBrush(theme.crosshair);
    target.value->setColor(theme.crosshair);
    target.value->setFont(font());
    target.value->setBrush(theme.base);
    for (QCPAxis* axis : {target.plot->xAxis, target.plot->yAxis}) {
        axis->setBasePen(QPen(theme.muted));
        axis->setTickPen(QPen(theme.muted));
        axis->setTickLabelColor(theme.muted);
        axis->setTickLabelFont(font());
        axis->grid()->setPen(QPen(theme.faint, 1, Qt::DotLine));
        axis->grid()->setZeroLinePen(QPen(theme.faint));
    }
    setInk(target.header, color);
    fitHeader(side);
    label(side);
    target.plot->replot(QCustomPlot::rpQueuedReplot);
}

void RowProfileView::fitHeader(Side side)
{
    Panel& target = panel(side);
    if (!target.filled) {
        target.header->clear();
        return;
    }
    const QFontMetrics metrics(target.header->font());
    int parts = 6;
    while (parts > 1 && metrics.horizontalAdvance(summary(side, target.profile, parts)) > target.plot->width())
        --parts;
    target.header->setText(summary(side, target.profile, parts));
}

void RowProfileView::label(Side side)
{
    Panel& target = panel(side);
    const auto count = static_cast<int>(target.profile.values.size());
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const double room = std::max(50, target.plot->width() - 60);
    const AxisSpan span{0, room / std::max(1, count), count, 0, room};
    for (const AxisLabel& place : placeLabels(span, QFontMetricsF(font()).height(), target.token)) {
        QString text = tokenLabelAt(target.profile.tokens, place.token);
        if (text.size() > 9)
            text = text.left(8) + QChar(0x2026);
        ticker->addTick(place.token, text);
    }
    target.plot->xAxis->setTicker(ticker);
}

void RowProfileView::setMarkedTokens(int a, int b)
{
    mark(Side::A, a);
    mark(Side::B, b);
}

void RowProfileView::mark(Side side, int token)
{
    Panel& target = panel(side);
    target.token = token;
    const bool here = token >= 0 && token < static_cast<int>(target.profile.values.size());
    target.value->setVisible(here);
    if (here) {
        const double value = static_cast<double>(target.profile.values[static_cast<std::size_t>(token)]);
        target.marked->setData({static_cast<double>(token)}, {value});
        target.value->setText(u"“%1” %2"_s.arg(tokenLabelAt(target.profile.tokens, token), compactText(value)));
        const bool right = token > static_cast<int>(target.profile.values.size()) / 2;
        target.value->setPositionAlignment(Qt::AlignTop | (right ? Qt::AlignRight : Qt::AlignLeft));
        target.value->position->setCoords(token + (right ? -0.8 : 0.8), target.plot->yAxis->range().upper);
    } else {
        target.marked->setData(QVector<double>(), QVector<double>());
    }
    target.plot->replot(QCustomPlot::rpQueuedReplot);
}

void RowProfileView::hover(Side side, double x)
{
    const Panel& target = panel(side);
    const double position = target.plot->xAxis->pixelToCoord(x); // not finite before the first layout
    const bool inside = position > -0.5 && position < static_cast<double>(target.profile.values.size()) - 0.5;
    const int now = inside ? static_cast<int>(std::lround(position)) : -1;
    if (now == target.token)
        return;
    mark(side, now);
    Q_EMIT tokenHovered(side, now);
}

void RowProfileView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (m_b.plot && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)) {
        restyle(Side::A);
        restyle(Side::B);
    }
}

bool RowProfileView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && m_b.plot)
        for (const Side side : kSides)
            if (watched == panel(side).plot) {
                fitHeader(side);
                label(side);
            }
    return QWidget::eventFilter(watched, event);
}

} // namespace headscope::widgets
