// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/scoreboardview.h"

#include "widgets/look/plainlabel.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

/// Sections as wide as their words: the room belongs to the names of the benchmarks.
class CompactHeader : public QHeaderView
{
public:
    explicit CompactHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) { setSectionsClickable(true); }
    [[nodiscard]] QSize sectionSizeFromContents(int section) const override
    {
        const int text = fontMetrics().horizontalAdvance(model()->headerData(section, Qt::Horizontal).toString());
        const int arrow = isSortIndicatorShown() && sortIndicatorSection() == section ? fontMetrics().height() : 0;
        return {text + arrow + 8, QHeaderView::sectionSizeFromContents(section).height()};
    }
};

} // namespace

void ScoreDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme theme = themeOf(option.palette);
    QStyleOptionViewItem drawn = option;
    initStyleOption(&drawn, index);
    drawn.state &= ~QStyle::State_HasFocus;
    const int column = index.column();
    const bool numeric = column != ScoreboardModel::Benchmark && column != ScoreboardModel::Delta;
    drawn.displayAlignment = Qt::AlignVCenter | (numeric ? Qt::AlignRight : Qt::AlignLeft);
    QColor ink = theme.text;
    if (index.data(ScoreboardModel::UnavailableRole).toBool() || index.data(ScoreboardModel::StaleRole).toBool()) {
        ink = theme.muted;
        ink.setAlphaF(0.75F);
    } else if (column == ScoreboardModel::Now || column == ScoreboardModel::Delta) {
        switch (static_cast<Verdict>(index.data(ScoreboardModel::VerdictRole).toInt())) {
        case Verdict::Worse: ink = theme.bad; break;
        case Verdict::Unchanged:
        case Verdict::Better: ink = theme.good; break;
        case Verdict::Unknown: break;
        }
        drawn.font.setBold(column == ScoreboardModel::Now);
    }
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::HighlightedText})
        drawn.palette.setColor(role, ink);
    const QWidget* widget = option.widget;
    (widget ? widget->style() : QApplication::style())->drawControl(QStyle::CE_ItemViewItem, &drawn, painter, widget);
    const double progress = index.data(ScoreboardModel::ProgressRole).toDouble();
    if (column == ScoreboardModel::N && progress >= 0) {
        const QRectF track(option.rect.left() + 4, option.rect.bottom() - 4, option.rect.width() - 8, 3);
        painter->fillRect(track, theme.faint);
        painter->fillRect(QRectF(track.topLeft(), QSizeF(track.width() * std::min(1.0, progress), 3)), theme.sideA);
    }
}

QSize ScoreDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    // Room for bold figures.
    return {size.width() + 4, std::max(size.height(), option.fontMetrics.height() + 10)};
}

ScoreboardView::ScoreboardView(QWidget* parent)
    : QWidget(parent), m_model(new ScoreboardModel(this)), m_sorted(new QSortFilterProxyModel(this)),
      m_table(new QTableView(this)), m_state(new PlainLabel(this)), m_footnote(new PlainLabel(this)),
      m_flips(new QPushButton(this))
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(ScoreboardModel::SortRole);
    m_sorted->setDynamicSortFilter(false); // lines do not jump while scores stream in
    m_table->setHorizontalHeader(new CompactHeader(m_table));
    m_table->setModel(m_sorted);
    m_table->setItemDelegate(new ScoreDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setWordWrap(false);
    m_table->setTextElideMode(Qt::ElideMiddle); // "KV-Re…n=16": the size tells lines apart
    QFont tight = font();
    tight.setPointSizeF(font().pointSizeF() * 0.95);
    m_table->setFont(tight);
    m_table->horizontalHeader()->setFont(tight);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->horizontalHeader()->setSectionResizeMode(ScoreboardModel::Benchmark, QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(24);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setAccessibleName(tr("Scores"));
    m_table->setWhatsThis(
        tr("One line a benchmark. Tick the ones that follow your clicks. Red: worse by the paired test on "
           "the same examples; green: no difference, or better. Ctrl+C copies a cell with where it comes "
           "from."));
    m_table->installEventFilter(this);
    QFont bold = font();
    bold.setBold(true);
    m_state->setFont(bold);
    m_state->setText(tr("Scores"));
    m_footnote->setWordWrap(true);
    m_flips->setCheckable(true);
    m_flips->hide();
    auto* keep = new QPushButton(tr("Keep as run…"), this);
    auto* copy = new QPushButton(tr("Copy as"), this);
    auto* menu = new QMenu(copy);
    menu->addAction(tr("LaTeX"), this, [this] { QApplication::clipboard()->setText(m_model->latex()); });
    menu->addAction(tr("Markdown"), this, [this] { QApplication::clipboard()->setText(m_model->markdown()); });
    copy->setMenu(menu);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_flips);
    buttons->addWidget(keep);
    buttons->addWidget(copy);
    buttons->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 6);
    layout->setSpacing(4);
    layout->addWidget(m_state);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_footnote);
    layout->addLayout(buttons);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (index.isValid())
            Q_EMIT benchmarkChosen(index.data(ScoreboardModel::IdRole).toString());
    });
    connect(m_flips, &QPushButton::toggled, this, &ScoreboardView::flipsToggled);
    connect(keep, &QPushButton::clicked, this, &ScoreboardView::keepRunRequested);
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        QMenu cell(m_table);
        cell.addAction(tr("Copy with where it comes from"), this, &ScoreboardView::copySelection);
        cell.exec(m_table->viewport()->mapToGlobal(at));
    });
    makePage(this);
    restyle();
}

void ScoreboardView::restyle()
{
    setMuted(m_footnote);
    // Selected lines keep their verdict colours: a light wash instead of the style's solid highlight.
    QPalette own = palette();
    own.setColor(QPalette::Highlight, mixed(own.color(QPalette::Base), own.color(QPalette::Highlight), 0.18));
    own.setColor(QPalette::HighlightedText, own.color(QPalette::Text));
    m_table->setPalette(own);
}

QSize ScoreboardView::sizeHint() const
{
    return {470, 320};
}

void ScoreboardView::setState(const QString& text)
{
    m_state->setText(tr("Scores") + (text.isEmpty() ? QString() : u"   "_s + text));
}

void ScoreboardView::setFootnote(const QString& text)
{
    m_footnote->setText(text);
}

void ScoreboardView::setFlips(int count)
{
    m_flips->setVisible(count >= 0);
    m_flips->setEnabled(count > 0);
    m_flips->setText(tr("Flipped examples: %1").arg(std::max(0, count)) + (m_flips->isChecked() ? u" ▾"_s : u" ▸"_s));
}

void ScoreboardView::setFlipsOpen(bool open)
{
    m_flips->setChecked(open);
}

void ScoreboardView::copySelection()
{
    const QModelIndex index = m_table->currentIndex();
    if (index.isValid())
        QApplication::clipboard()->setText(index.data(ScoreboardModel::CopyRole).toString());
}

bool ScoreboardView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copySelection();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ScoreboardView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        restyle();
}

} // namespace headscope::widgets
