// SPDX-License-Identifier: GPL-3.0-or-later
// qcustomplot.h writes `signals:`, so this file is compiled with Qt's keywords; it must come first.
#undef QT_NO_KEYWORDS
#include <qcustomplot.h>

#include "widgets/pattern/rowprofileview.h"

#include "widgets/look/numbertext.h"
#include "widgets/pattern/patterndata.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLongestLabel = 6;   // characters where there is little room below the bars
constexpr int kLongestAtBest = 16; // where there is enough
constexpr int kTallEnough = 60;    // of bars, before labels become longer
constexpr int kLowest = 30;        // of bars
constexpr double kTurn = -60;
constexpr double kBarWidth = 0.82; // columns

// Pixels above the highest bar, where half of the number beside it stands.
int topOf(const QFont& font)
{
    return QFontMetrics(font).height() / 2 + 1;
}

// Turned words: their length leans over, their height stands up.
int roomFor(const QFont& font, int letters)
{
    const QFontMetrics metrics(font);
    return static_cast<int>(0.87 * letters * metrics.horizontalAdvance(u'x') + 0.5 * metrics.height()) + 6;
}

// Letters of the longest name, where that is between the least and the most.
int longestName(const QStringList& tokens)
{
    qsizetype longest = kLongestLabel;
    for (int i = 0; i < tokens.size() && longest < kLongestAtBest; ++i)
        longest = std::max(longest, tokenLabelAt(tokens, i, kLongestAtBest).size());
    return static_cast<int>(longest);
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
    m_plot->xAxis->setTickLabelRotation(kTurn);
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

// As many as the longest name has, and as the height has room for.
int RowProfileView::letters() const
{
    int letters = kLongestLabel;
    while (letters < m_longest && height() >= topOf(font()) + kTallEnough + roomFor(font(), letters + 1))
        ++letters;
    return letters;
}

int RowProfileView::labelRoom() const
{
    return roomFor(font(), kLongestLabel);
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

void RowProfileView::setColumns(const AxisSpan& columns, const QStringList& tokens, LabelChoice choice)
{
    const bool other = columns.cell != m_columns.cell;
    m_columns = columns;
    if (other && m_filled)
        fill();
    if (tokens != m_tokens) {
        m_tokens = tokens;
        m_longest = longestName(tokens);
    }
    m_choice = std::move(choice);
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
    m_plot->axisRect()->setMargins(
        QMargins(left, topOf(font()), std::max(0, width() - right), roomFor(font(), letters())));
    const double first = (m_columns.begin - m_columns.origin) / m_columns.cell;
    const double last = (m_columns.end - m_columns.origin) / m_columns.cell;
    m_plot->xAxis->setRange(first - 0.5, last - 0.5); // a bar stands on the middle of its column
    label();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

std::vector<int> RowProfileView::namedTokens() const
{
    std::vector<int> named;
    LabelChoice choice = m_choice;
    if (m_token >= 0)
        choice.always.insert(choice.always.begin(), m_token);
    for (const AxisLabel& place : placeLabels(m_columns, QFontMetricsF(font()).height() * 1.05, choice))
        named.push_back(place.token);
    return named;
}

void RowProfileView::label()
{
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (const int token : namedTokens())
        ticker->addTick(token, tokenLabelAt(m_tokens, token, letters()));
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
