// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/scoreboardview.h"

#include "widgets/look/fitting.h"
#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/labels/fewlineslabel.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"
#include "widgets/scores/costview.h"

#include <QAction>
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
#include <cmath>

namespace headscope::widgets {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRoomyLines = 17;
constexpr int kBetween = 6; // pixels, where the lines of benchmarks have room

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
        case Verdict::Better: ink = theme.good; break;
        case Verdict::Unchanged: ink = theme.muted; break; // not decided is neither good nor bad
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
      m_table(new QTableView), m_details(makeDetails()), m_cost(new CostView(m_model, this)),
      m_state(new ElidedLabel(this)), m_sentence(new FewLinesLabel(3, this)), m_key(new ElidedLabel(this)),
      m_footnote(new ElidedLabel(this)), m_flips(new QPushButton(this))
{
    makeTable();
    makePlot();
    const auto choose = [this](const QModelIndex& index) {
        if (index.isValid())
            Q_EMIT benchmarkChosen(index.data(ScoreboardModel::IdRole).toString());
    };
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, choose);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ScoreboardView::refreshGet);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &ScoreboardView::refreshGet);
    connect(m_model, &QAbstractItemModel::modelReset, this, &ScoreboardView::refreshGet);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &ScoreboardView::refreshKey);
    connect(m_model, &QAbstractItemModel::modelReset, this, &ScoreboardView::refreshKey);
    connect(m_get, &QPushButton::clicked, this, &ScoreboardView::requestFiles);
    connect(m_cost, &CostView::benchmarkChosen, this, &ScoreboardView::benchmarkChosen);
    connect(m_flips, &QPushButton::toggled, this, &ScoreboardView::flipsToggled);
    for (QAbstractItemView* view :
         {static_cast<QAbstractItemView*>(m_table), static_cast<QAbstractItemView*>(m_cost)}) {
        view->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(view, &QWidget::customContextMenuRequested, this,
                [this, view](const QPoint& at) { openMenu(view, at); });
    }
    makePage(this);
    restyle();
}

void ScoreboardView::makeTable()
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
    m_table->setTabKeyNavigation(false);        // Tab goes on to what is next in the window
    m_table->setTextElideMode(Qt::ElideMiddle); // "KV re…8 pairs": the size tells lines apart
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(false);
    m_table->horizontalHeader()->setSectionResizeMode(ScoreboardModel::Benchmark, QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(24);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->setAccessibleName(tr("Scores"));
    m_table->setWhatsThis(
        tr("One row per benchmark. Tick the ones to score after each click. Red: worse by the paired "
           "test on the same examples; green: better; grey: no change seen. Ctrl+C copies a cell with "
           "its provenance."));
    m_table->installEventFilter(this);
}

QWidget* ScoreboardView::makeDetails()
{
    auto* box = new QWidget(this);
    auto* copy = new QPushButton(tr("Copy as"), box);
    auto* menu = new QMenu(copy);
    menu->addAction(tr("LaTeX"), this, [this] { QApplication::clipboard()->setText(m_model->latex()); });
    menu->addAction(tr("Markdown"), this, [this] { QApplication::clipboard()->setText(m_model->markdown()); });
    copy->setMenu(menu);
    auto* benchmarks = new QPushButton(tr("Benchmarks …"), box);
    benchmarks->setToolTip(tr("Choose the benchmarks to score, and add your own files"));
    connect(benchmarks, &QPushButton::clicked, this, &ScoreboardView::benchmarksRequested);
    m_get = new QPushButton(tr("Get this benchmark …"), box);
    m_get->setObjectName(u"get"_s);
    m_get->setToolTip(tr("This row uses the included sample rows; download the real ones"));
    m_get->setEnabled(false);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(benchmarks);
    buttons->addWidget(m_get);
    buttons->addWidget(copy);
    buttons->addStretch();
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(6, 4, 6, 6);
    layout->setSpacing(4);
    layout->addWidget(m_table, 1);
    layout->addLayout(buttons);
    makePage(box);
    box->hide();
    return box;
}

void ScoreboardView::makePlot()
{
    QFont bold;
    bold.setBold(true);
    m_state->setFont(bold);
    m_state->setText(tr("Scores"));
    refreshKey();
    setSentence({});
    m_flips->setCheckable(true);
    setFlips(-1);
    QAction* table = new QAction(tr("Show as a table"), this);
    table->setToolTip(tr("Show the scores as a table with intervals, in place of the maps"));
    QAction* keep = new QAction(tr("Save as run…"), this);
    addActions({table, keep}); // in the menu of whoever shows this, and of the list
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2, 0, 0, 0);
    layout->setSpacing(3);
    layout->addWidget(m_state);
    layout->addWidget(m_sentence);
    layout->addWidget(m_cost, 1);
    layout->addWidget(m_key);
    layout->addWidget(m_footnote);
    layout->addWidget(m_flips); // as wide as the column, whatever it counts
    connect(table, &QAction::triggered, this, &ScoreboardView::tableRequested);
    connect(keep, &QAction::triggered, this, &ScoreboardView::keepRunRequested);
}

void ScoreboardView::restyle()
{
    setMuted(m_footnote);
    setMuted(m_key);
    // Selected lines keep their verdict colours: a light wash instead of the style's solid highlight.
    QPalette own = palette();
    own.setColor(QPalette::Highlight, mixed(own.color(QPalette::Base), own.color(QPalette::Highlight), 0.18));
    own.setColor(QPalette::HighlightedText, own.color(QPalette::Text));
    m_table->setPalette(own);
}

int ScoreboardView::heightOf(int benchmarks) const
{
    // What is around the list now: its sentence takes more lines in a narrow column.
    return height() - m_cost->height() + benchmarks * (CostDelegate::lineHeight(font()) + kBetween);
}

QSize ScoreboardView::sizeHint() const
{
    return {272, 400};
}

void ScoreboardView::setSentence(const QString& text)
{
    m_sentence->setText(text.isEmpty() ? tr("Click a head to ablate it. The effect on each benchmark appears here.")
                                       : text);
    m_sentence->setToolTip(plainText(text));
}

void ScoreboardView::setState(const QString& text)
{
    m_state->setText(text.isEmpty() ? tr("Scores") : text);
}

void ScoreboardView::setFootnote(const QString& text)
{
    m_footnote->setForms(withoutLastParts(text, u" · "_s));
    m_state->setToolTip(plainText(m_key->text() + u'\n' + text + u'\n' + tr("Paired tests on the same examples.")));
}

void ScoreboardView::setFlips(int count)
{
    m_flips->setEnabled(count > 0 || m_flips->isChecked());
    m_flips->setText((count < 0 ? tr("Changed answers") : tr("Changed answers: %1").arg(count))
                     + (m_flips->isChecked() ? u" ▾"_s : u" ▸"_s));
}

void ScoreboardView::setFlipsOpen(bool open)
{
    m_flips->setChecked(open);
}

void ScoreboardView::openMenu(QAbstractItemView* view, const QPoint& at)
{
    QMenu menu(view);
    if (view == m_table)
        menu.addAction(tr("Copy with provenance"), this, &ScoreboardView::copySelection);
    const QModelIndex under = view->indexAt(at), index = under.isValid() ? under : view->currentIndex();
    if (index.isValid()) {
        const QString id = index.data(ScoreboardModel::IdRole).toString();
        QAction* first = menu.addAction(tr("Score first, to the last example"));
        first->setCheckable(true);
        first->setChecked(m_model->pinned() == id);
        connect(first, &QAction::toggled, this,
                [this, id](bool pinned) { Q_EMIT pinRequested(pinned ? id : QString()); });
        if (index.data(ScoreboardModel::ObtainableRole).toBool())
            menu.addAction(m_get->text(), this, [this, id] { Q_EMIT filesRequested(id); });
    }
    if (view == m_cost)
        menu.addActions(actions());
    if (!menu.isEmpty())
        menu.exec(view->viewport()->mapToGlobal(at));
}

void ScoreboardView::refreshGet()
{
    m_get->setEnabled(m_table->currentIndex().data(ScoreboardModel::ObtainableRole).toBool());
}

// Guessing has a tick only where a task offers options.
void ScoreboardView::refreshKey()
{
    const bool guessing =
        std::ranges::any_of(m_model->rows(), [](const ScoreboardRow& row) { return !std::isnan(row.chance); });
    m_key->setText(guessing ? tr("○ baseline   ● now   ┊ guessing") : tr("○ baseline   ● now"));
}

void ScoreboardView::requestFiles()
{
    Q_EMIT filesRequested(m_table->currentIndex().data(ScoreboardModel::IdRole).toString());
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

// In a low place, as beside a tour, the room is for the scores: the rest is in tooltips and the menu of the list.
void ScoreboardView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const bool roomy = height() >= kRoomyLines * fontMetrics().lineSpacing();
    for (QLabel* part : {m_key, static_cast<QLabel*>(m_footnote)})
        part->setVisible(roomy);
}

void ScoreboardView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        restyle();
}

} // namespace headscope::widgets
