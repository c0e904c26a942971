// SPDX-License-Identifier: GPL-3.0-or-later
// qcustomplot.h writes `signals:`, so this file is compiled with Qt's keywords; it must come first.
#undef QT_NO_KEYWORDS
#include <qcustomplot.h>

#include "widgets/pattern/card/rowprofileview.h"

#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostLetters = 12;    // of a name below a bar
constexpr int kLowest = 30;         // px of bars
constexpr double kBarWidth = 0.82;  // columns
constexpr double kNamedShare = 0.1; // of the highest bar; lower bars are not named
constexpr double kBetweenNames = 8; // px between two names

// Pixels above the highest bar, for the upper half of the number beside it.
int topOf(const QFont& font)
{
    return QFontMetrics(font).height() / 2 + 1;
}

} // namespace

RowProfileView::RowProfileView(Side side, QWidget* parent) : QWidget(parent), m_side(side)
{
    makePlot(side);
    makePage(this);
    setAccessibleName(side == Side::A ? tr("Row profile of A") : tr("Row profile of B"));
    setWhatsThis(tr("How much one token reads of each earlier token: a peaked head reads one, a diffuse head "
                    "many. Rows of an SSM do not sum to 1 and are divided by the sum of their absolute values. "
                    "Click a row of the map to choose the token. If tokens are narrower than a pixel, a bar "
                    "shows the largest value in it."));
    restyle();
}

void RowProfileView::makePlot(Side side)
{
    m_plot = new QCustomPlot(this);
    m_plot->setMinimumSize(1, 1); // on nothing at all it cannot paint, and Qt complains
    m_plot->setAccessibleName(side == Side::A ? tr("Row profile of A") : tr("Row profile of B"));
    m_plot->installEventFilter(this);
    m_bars = new QCPBars(m_plot->xAxis, m_plot->yAxis);
    m_marked = new QCPBars(m_plot->xAxis, m_plot->yAxis);
    m_value = new QCPItemText(m_plot);
    m_value->setVisible(false);
    m_value->setClipToAxisRect(false);
    m_plot->xAxis->grid()->setVisible(false);
    m_plot->xAxis->setTickLength(0, 0);
    m_plot->xAxis->setSubTicks(false);
    m_plot->yAxis->setSubTicks(false);
    m_plot->yAxis->setTickLength(0, 3);
    m_plot->yAxis->ticker()->setTickCount(2);
    m_plot->axisRect()->setAutoMargins(QCP::msNone); // the map above says where its columns are
    for (QCPBars* bars : {m_bars, m_marked}) {
        bars->setWidth(kBarWidth);
        bars->setPen(Qt::NoPen);
    }
    connect(m_plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) { hover(event->position().x()); });
}

int RowProfileView::labelRoom() const
{
    return QFontMetrics(font()).height() + 6;
}

int RowProfileView::leastHeight() const
{
    return topOf(font()) + kLowest + labelRoom();
}

void RowProfileView::setProfile(const RowProfile& profile)
{
    m_profile = profile;
    m_filled = true;
    fill();
    m_plot->setAccessibleDescription(rowSentence(profile));
    setMarkedToken(m_token);
}

void RowProfileView::fill()
{
    const std::vector<RowBar> bars = rowBars(m_profile.values, m_columns.cell);
    QVector<double> keys, heights;
    for (const RowBar& bar : bars) {
        keys << bar.first + (bar.count - 1) / 2.0;
        heights << static_cast<double>(bar.value);
    }
    const int shared = bars.empty() ? 1 : bars.front().count;
    for (QCPBars* each : {m_bars, m_marked}) {
        each->setWidth(shared > 1 ? shared : kBarWidth);
        each->setAntialiased(shared == 1); // bars of a pixel would be pale
    }
    m_bars->setData(keys, heights, true);
}

void RowProfileView::clearProfile()
{
    m_profile = {};
    m_filled = false;
    m_bars->setData(QVector<double>(), QVector<double>());
    setMarkedToken(-1);
}

void RowProfileView::setColumns(const AxisSpan& columns, const QStringList& tokens)
{
    const bool other = columns.cell != m_columns.cell;
    m_columns = columns;
    if (other && m_filled)
        fill();
    m_tokens = tokens;
    place();
}

void RowProfileView::setAxis(const ValueAxis& axis)
{
    m_plot->yAxis->setRange(axis.low, axis.high + 0.03 * (axis.high - axis.low));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void RowProfileView::place()
{
    m_plot->setGeometry(rect());
    const int left = static_cast<int>(std::lround(m_columns.begin)),
              right = static_cast<int>(std::lround(m_columns.end));
    if (right <= left || m_columns.cell <= 0)
        return;
    m_plot->axisRect()->setMargins(QMargins(left, topOf(font()), std::max(0, width() - right), labelRoom()));
    const double first = (m_columns.begin - m_columns.origin) / m_columns.cell;
    const double last = (m_columns.end - m_columns.origin) / m_columns.cell;
    m_plot->xAxis->setRange(first - 0.5, last - 0.5); // a bar stands on the middle of its column
    label();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

// The marked bar, then the highest ones, as long as there is room for their names.
std::vector<int> RowProfileView::namedTokens() const
{
    const auto height = [this](int token) {
        return std::abs(static_cast<double>(m_profile.values[static_cast<std::size_t>(token)]));
    };
    std::vector<int> order(std::min<std::size_t>(m_profile.values.size(), static_cast<std::size_t>(m_tokens.size())));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), height);
    const double least = order.empty() ? 0 : kNamedShare * height(order.front());
    if (const auto marked = std::ranges::find(order, m_token); marked != order.end())
        std::rotate(order.begin(), marked, marked + 1);
    const QFontMetricsF metrics(font());
    std::vector<int> named;
    std::vector<std::pair<double, double>> taken; // px
    for (const int token : order) {
        const double middle = m_columns.origin + (token + 0.5) * m_columns.cell;
        if (token != m_token && (height(token) < least || height(token) == 0))
            break;
        if (middle < m_columns.begin || middle >= m_columns.end)
            continue;
        const double half =
            (metrics.horizontalAdvance(tokenLabelAt(m_tokens, token, kMostLetters)) + kBetweenNames) / 2;
        const std::pair<double, double> span(middle - half, middle + half);
        if (std::ranges::any_of(
                taken, [&](const auto& other) { return span.first < other.second && other.first < span.second; }))
            continue;
        taken.push_back(span);
        named.push_back(token);
    }
    return named;
}

void RowProfileView::label()
{
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (const int token : namedTokens())
        ticker->addTick(token, tokenLabelAt(m_tokens, token, kMostLetters));
    m_plot->xAxis->setTicker(ticker);
}

void RowProfileView::restyle()
{
    const Theme theme = themeOf(palette());
    m_plot->setBackground(QBrush(theme.base));
    m_bars->setBrush(sideColor(theme, m_side));
    m_marked->setBrush(theme.crosshair);
    m_value->setColor(theme.crosshair);
    m_value->setFont(font());
    m_value->setBrush(theme.base);
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setBasePen(QPen(theme.muted));
        axis->setTickPen(QPen(theme.muted));
        axis->setTickLabelColor(theme.muted);
        axis->setTickLabelFont(font());
        axis->grid()->setPen(QPen(theme.faint, 1, Qt::DotLine));
        axis->grid()->setZeroLinePen(QPen(theme.faint));
    }
    m_plot->xAxis->setTickLabelColor(theme.text);
    place();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void RowProfileView::setMarkedToken(int token)
{
    m_token = token;
    const bool here = token >= 0 && token < static_cast<int>(m_profile.values.size());
    m_value->setVisible(here);
    if (here) {
        const double value = static_cast<double>(m_profile.values[static_cast<std::size_t>(token)]);
        m_marked->setData({static_cast<double>(token)}, {value});
        m_value->setText(u"“%1” %2"_s.arg(tokenLabelAt(m_profile.tokens, token), compactText(value)));
        const bool right = token > static_cast<int>(m_profile.values.size()) / 2;
        m_value->setPositionAlignment(Qt::AlignTop | (right ? Qt::AlignRight : Qt::AlignLeft));
        m_value->position->setCoords(token + (right ? -0.8 : 0.8), m_plot->yAxis->range().upper);
    } else {
        m_marked->setData(QVector<double>(), QVector<double>());
    }
    label();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void RowProfileView::hover(double x)
{
    const double position = m_plot->xAxis->pixelToCoord(x); // not finite before the first layout
    const bool inside = position > -0.5 && position < static_cast<double>(m_profile.values.size()) - 0.5;
    const int now = inside ? static_cast<int>(std::lround(position)) : -1;
    if (now == m_token)
        return;
    setMarkedToken(now);
    Q_EMIT tokenHovered(now);
}

void RowProfileView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place();
}

void RowProfileView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (m_plot && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange))
        restyle();
}

bool RowProfileView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Leave && m_token >= 0) {
        setMarkedToken(-1);
        Q_EMIT tokenHovered(-1);
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace headscope::widgets
