// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/costview.h"

#include "widgets/look/fitting.h"
#include "widgets/look/numbertext.h"
#include "widgets/look/theme.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

struct CostText {
    Q_DECLARE_TR_FUNCTIONS(headscope::widgets::CostView)
};

constexpr int kCostPad = 6;
constexpr int kMostSpace = 5; // above and below a line
constexpr int kBeforeGap = 6; // between the baseline and the score
constexpr double kDot = 4.5;
constexpr double kTrack = 10.5;    // the dot with its pen
constexpr double kForReason = 0.6; // of a line, for why there is no score; what is longer stands below the name
constexpr int kReasonLines = 6;    // at most

const ScoreboardRow& rowOf(const QModelIndex& index)
{
    return static_cast<const ScoreboardModel*>(index.model())->rows()[static_cast<std::size_t>(index.row())];
}

QColor verdictColor(const ScoreboardRow& row, const Theme& theme)
{
    switch (row.stale ? Verdict::Unknown : verdictOf(row)) {
    case Verdict::Worse: return theme.bad;
    case Verdict::Better: return theme.good;
    case Verdict::Unchanged:
    case Verdict::Unknown: break;
    }
    return theme.muted;
}

/// What stands at the right of the name.
QString headline(const ScoreboardRow& row)
{
    if (!row.unavailable.isEmpty())
        return row.unavailable;
    if (std::isnan(row.baseline))
        return u"—"_s;
    const int decimals = row.lowerIsBetter ? 1 : 2;
    const QString about = row.running ? u"≈ "_s : QString();
    return about + scoreText(row.same || std::isnan(row.now) ? row.baseline : row.now, decimals);
}

/// The baseline, where it is another one: it stands struck through before the score.
QString struckBaseline(const ScoreboardRow& row)
{
    if (!row.unavailable.isEmpty() || row.same || std::isnan(row.baseline) || std::isnan(row.now))
        return {};
    const int decimals = row.lowerIsBetter ? 1 : 2;
    const QString before = scoreText(row.baseline, decimals);
    return before == scoreText(row.now, decimals) ? QString() : before;
}

bool reasonBelow(const ScoreboardRow& row, const QFontMetrics& metrics, int width)
{
    return !row.unavailable.isEmpty() && metrics.horizontalAdvance(row.unavailable) > kForReason * width;
}

int reasonHeight(const ScoreboardRow& row, const QFontMetrics& metrics, int width)
{
    const QRect room(0, 0, std::max(1, width - 2 * kCostPad), kReasonLines * metrics.height());
    return std::min(metrics.boundingRect(room, Qt::TextWrapAnywhere | Qt::TextWordWrap, row.unavailable).height(),
                    room.height());
}

bool hasTrack(const ScoreboardRow& row)
{
    return row.unavailable.isEmpty() && !row.lowerIsBetter;
}

void paintTrack(QPainter* painter, const QRectF& box, const ScoreboardRow& row, double dot, const Theme& theme)
{
    const double left = box.left() + kDot, wide = box.width() - 2 * kDot, y = box.center().y();
    const auto at = [&](double score) { return left + std::clamp(score, 0.0, 1.0) * wide; };
    painter->setPen(QPen(theme.faint, 4, Qt::SolidLine, Qt::RoundCap));
    painter->drawLine(QPointF(left, y), QPointF(left + wide, y));
    if (!std::isnan(row.chance)) {
        painter->setPen(QPen(theme.muted, 1, Qt::DotLine));
        painter->drawLine(QPointF(at(row.chance), box.top()), QPointF(at(row.chance), box.bottom()));
    }
    if (std::isnan(row.baseline))
        return;
    QColor ink = verdictColor(row, theme);
    const double before = at(row.baseline);
    if (!row.same && !std::isnan(row.now)) {
        const double now = at(dot);
        if (!std::isnan(row.low) && !std::isnan(row.high)) {
            QColor wash = ink;
            wash.setAlphaF(0.3F);
            painter->setPen(QPen(wash, 6, Qt::SolidLine, Qt::FlatCap));
            painter->drawLine(QPointF(at(row.baseline + row.low), y), QPointF(at(row.baseline + row.high), y));
        }
        painter->setPen(QPen(ink, 1.4));
        painter->drawLine(QPointF(before, y), QPointF(now, y));
        painter->setBrush(ink);
        painter->setPen(Qt::NoPen);
        painter->drawEllipse(QPointF(now, y), kDot, kDot);
    }
    painter->setPen(QPen(theme.muted, 1.6));
    painter->setBrush(row.same || std::abs(before - at(row.now)) > kDot ? theme.base : QColor(Qt::transparent));
    painter->drawEllipse(QPointF(before, y), kDot, kDot);
}

} // namespace

QString costWords(const ScoreboardRow& row)
{
    if (!row.unavailable.isEmpty())
        return {};
    if (row.waiting)
        return CostText::tr("waiting");
    if (row.total <= 0)
        return {};
    if (row.running) {
        const QString examples = CostText::tr("%L1 of %L2 examples").arg(row.done).arg(row.total);
        if (row.decided)
            return CostText::tr("decided · %1").arg(examples);
        return row.same ? examples : CostText::tr("undecided · %1").arg(examples);
    }
    const int n = row.counted();
    QString examples = n < row.total ? CostText::tr("%L1 of %L2 examples").arg(n).arg(row.total)
                                     : CostText::tr("%1 examples").arg(row.total);
    if (row.merged > 0)
        examples += u" · "_s + CostText::tr("%1 merged").arg(row.merged);
    QStringList parts;
    switch (verdictOf(row)) {
    case Verdict::Unknown: return examples;
    case Verdict::Unchanged:
        if (row.limit == analysis::Limit::Floor || row.limit == analysis::Limit::Chance)
            parts << limitWords(row) << u"n = %1"_s.arg(n);
        else
            parts << CostText::tr("no change seen (n = %1)").arg(n);
        if (row.merged > 0)
            parts << CostText::tr("%1 merged").arg(row.merged);
        break;
    case Verdict::Worse:
    case Verdict::Better:
        if (row.merged > 0 || n < row.total || row.broken + row.fixed == 0)
            parts << examples;
        break;
    }
    const bool hasTotal = !parts.isEmpty();
    if (row.broken > 0)
        parts << (hasTotal ? CostText::tr("%L1 now wrong").arg(row.broken)
                           : CostText::tr("%L1 of %L2 now wrong").arg(row.broken).arg(n));
    if (row.fixed > 0)
        parts << (hasTotal || row.broken > 0 ? CostText::tr("%L1 now right").arg(row.fixed)
                                             : CostText::tr("%L1 of %L2 now right").arg(row.fixed).arg(n));
    if (verdictOf(row) != Verdict::Unchanged)
        parts << (row.p > 0 ? u"p = %1"_s.arg(pText(row.p)) : u"p %1"_s.arg(pText(row.p)));
    return parts.join(u" · "_s);
}

void CostDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const ScoreboardRow& row = rowOf(index);
    const Theme theme = themeOf(option.palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state & (QStyle::State_Selected | QStyle::State_HasFocus)) {
        QColor wash = option.palette.color(QPalette::Highlight);
        wash.setAlphaF(0.10F);
        painter->setPen(option.state.testFlag(QStyle::State_HasFocus)
                            ? QPen(option.palette.color(QPalette::Highlight), 1)
                            : QPen(Qt::NoPen));
        painter->setBrush(wash);
        painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 4, 4);
    }
    const int line = option.fontMetrics.height();
    QRectF box = QRectF(option.rect).adjusted(kCostPad, 1, -kCostPad, 0);
    box.setHeight(line);
    QFont bold = option.font;
    bold.setBold(row.unavailable.isEmpty());
    const bool below = reasonBelow(row, option.fontMetrics, option.rect.width());
    const QString right = below ? QString() : headline(row);
    painter->setFont(bold);
    const QFontMetricsF metrics(bold);
    const QString before = below ? QString() : struckBaseline(row);
    const double score = std::min(metrics.horizontalAdvance(right) + 2, box.width() * 0.6);
    const double room = score + (before.isEmpty() ? 0 : option.fontMetrics.horizontalAdvance(before) + kBeforeGap);
    painter->setPen(verdictOf(row) == Verdict::Unknown && row.unavailable.isEmpty() && !row.stale
                        ? theme.text
                        : verdictColor(row, theme));
    painter->drawText(box, Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(right, Qt::ElideRight, score));
    if (!before.isEmpty()) {
        QFont struck = option.font;
        struck.setStrikeOut(true);
        painter->setFont(struck);
        painter->setPen(theme.muted);
        painter->drawText(box.adjusted(0, 0, -static_cast<int>(score) - kBeforeGap, 0),
                          Qt::AlignRight | Qt::AlignVCenter, before);
        painter->setFont(bold);
    }
    painter->setPen(row.unavailable.isEmpty() && !row.stale ? theme.text : theme.muted);
    painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                      fitting(row.shortName.isEmpty() ? QStringList{row.name} : QStringList{row.name, row.shortName},
                              metrics, box.width() - room - 8));
    painter->setFont(option.font);
    if (hasTrack(row)) {
        box.translate(0, line + 1);
        const auto* view = qobject_cast<const CostView*>(option.widget);
        paintTrack(painter, QRectF(box.left(), box.top(), box.width(), kTrack), row, view ? view->dotOf(row) : row.now,
                   theme);
        box.translate(0, kTrack);
    } else {
        box.translate(0, line);
    }
    if (row.unavailable.isEmpty()) {
        painter->setPen(theme.muted);
        QString words = costWords(row);
        if (row.pinned)
            words = CostText::tr("first · %1").arg(words);
        painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                          partsFitting(words, u" · "_s, QFontMetricsF(option.font), box.width()));
    }
    if (below) {
        box.setHeight(reasonHeight(row, option.fontMetrics, option.rect.width()));
        painter->setPen(theme.muted);
        painter->drawText(box, Qt::AlignLeft | Qt::AlignTop | Qt::TextWrapAnywhere | Qt::TextWordWrap, row.unavailable);
    }
    painter->restore();
}

QSize CostDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const ScoreboardRow& row = rowOf(index);
    const int line = option.fontMetrics.height();
    if (reasonBelow(row, option.fontMetrics, option.rect.width()))
        return {100, line + reasonHeight(row, option.fontMetrics, option.rect.width()) + 6};
    return {100, !row.unavailable.isEmpty() ? line + 6 : hasTrack(row) ? lineHeight(option.font) : 2 * line + 8};
}

int CostDelegate::lineHeight(const QFont& font)
{
    return 2 * QFontMetrics(font).height() + 11;
}

CostView::CostView(ScoreboardModel* model, QWidget* parent) : QListView(parent), m_fade(viewport())
{
    connect(model, &QAbstractItemModel::modelAboutToBeReset, this, [this, model] {
        for (const ScoreboardRow& row : model->rows())
            if (!std::isnan(row.now))
                m_from.insert(row.id, dotOf(row));
    });
    connect(model, &QAbstractItemModel::modelReset, this, [this, model] {
        const auto moves = [this](const ScoreboardRow& row) {
            return m_from.contains(row.id) && !std::isnan(row.now) && m_from.value(row.id) != row.now;
        };
        if (std::any_of(model->rows().begin(), model->rows().end(), moves))
            m_fade.begin();
        share();
    });
    setModel(model);
    setItemDelegate(new CostDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setWordWrap(true); // else lines keep the heights of another width
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setAccessibleName(tr("Scores of the ablation"));
    setWhatsThis(tr("One row per benchmark, from the baseline (open dot) to now (filled dot), with the 95 % "
                    "interval and, if a task has options, a dotted tick at guessing. Red: worse, green: better "
                    "by the paired test on the same examples; grey: no change seen."));
}

double CostView::dotOf(const ScoreboardRow& row) const
{
    if (!m_fade.running() || std::isnan(row.now))
        return row.now;
    const double from = m_from.value(row.id, row.now);
    return from + (row.now - from) * m_fade.now();
}

QSize CostView::sizeHint() const
{
    return {272, 300};
}

QSize CostView::minimumSizeHint() const
{
    return {150, 3 * fontMetrics().height()};
}

void CostView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QListView::currentChanged(current, previous);
    if (current.isValid())
        Q_EMIT benchmarkChosen(current.data(ScoreboardModel::IdRole).toString());
}

void CostView::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    share();
    scheduleDelayedItemsLayout();
}

// The height that is left is shared out between the lines that fit; what is left then shows no half of the next.
void CostView::share()
{
    const int rows = model()->rowCount();
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    option.rect = viewport()->rect();
    int left = contentsRect().height(), whole = 0;
    for (; whole < rows; ++whole) {
        const int high = itemDelegate()->sizeHint(option, model()->index(whole, 0)).height();
        if (high > left)
            break;
        left -= high;
    }
    const int space = whole > 0 ? std::min(left / (2 * whole), kMostSpace) : 0; // above and below each
    setSpacing(space);
    setViewportMargins(0, 0, 0, whole > 0 && whole < rows ? left - 2 * whole * space : 0);
}

} // namespace headscope::widgets
