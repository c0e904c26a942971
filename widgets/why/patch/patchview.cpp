// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/patch/patchview.h"

#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/labels/fewlineslabel.h"
#include "widgets/look/theme.h"
#include "widgets/why/patch/patchdelegate.h"

#include <QEvent>
#include <QHeaderView>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

constexpr int kFewHeads = 16, kPatchLines = 3;
constexpr double kHeadlineSize = 1.15;
constexpr double kMostLines = 4.5;             // of text, in the height of a cell of a map of heads
constexpr int kRest = 200;                     // ms that a choice of cells rests before it is asked about
constexpr int kMapWide = 620, kLookWide = 300; // pixels

} // namespace

PatchView::PatchView(QWidget* parent)
    : QWidget(parent), m_model(new PatchModel(this)), m_table(new QTableView(this)), m_look(new PatchLookView),
      m_parts(new QSplitter(Qt::Horizontal)), m_title(new ElidedLabel), m_cost(new PlainLabel),
      m_headline(new ElidedLabel), m_sentence(new FewLinesLabel(kPatchLines)), m_difference(new PromptDifference)
{
    m_table->setModel(m_model);
    m_table->setItemDelegate(new PatchDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setAccessibleName(tr("Patching: layers and heads or tokens"));
    m_table->setWhatsThis(
        tr("Each cell is one run with this part replaced by that of the other run. 0: no effect; 1: "
           "the answer of the other run; hatched: negative. Drag over cells to patch them together."));
    m_parts->addWidget(m_table);
    m_parts->addWidget(m_look);
    m_parts->setChildrenCollapsible(false);
    m_parts->setSizes({kMapWide, kLookWide});
    m_parts->setStretchFactor(0, 1);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_cost);
    lines->addLayout(top);
    lines->addWidget(m_headline);
    lines->addWidget(m_sentence);
    lines->addWidget(m_difference);
    lines->addWidget(m_parts, 1);
    fitLetters();
    m_chosen.setSingleShot(true);
    m_chosen.setInterval(kRest);
    connect(&m_chosen, &QTimer::timeout, this, &PatchView::cellsChosen);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, &m_chosen, qOverload<>(&QTimer::start));
    connect(m_look, &PatchLookView::mapToggled, this, &PatchView::arrange);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (m_model->patches().heads)
            Q_EMIT headChosen(index.data(PatchModel::NameRole).toString());
    });
}

void PatchView::setUpright(bool upright)
{
    m_parts->setOrientation(upright ? Qt::Vertical : Qt::Horizontal);
    arrange();
}

// Below the map, what becomes of chosen cells has room once there is some of it.
void PatchView::arrange()
{
    if (m_parts->orientation() == Qt::Horizontal)
        m_parts->setSizes({kMapWide, kLookWide});
    else
        m_parts->setSizes({kMapWide, m_look->hasMap() ? kMapWide : 1});
}

void PatchView::setTitle(const QString& title)
{
    m_title->setText(title);
}

void PatchView::setCost(const QString& cost)
{
    m_cost->setText(cost);
}

QString PatchView::cost() const
{
    return m_cost->text();
}

void PatchView::setPatches(PatchData patches, const QString& sentence, const QString& headline)
{
    m_headline->setText(headline);
    m_sentence->setText(sentence);
    m_difference->setPair(patches.pair);
    if (patches.names != m_model->patches().names) // more pairs of the same map leave what is looked at
        m_look->setLook({});
    m_chosen.stop();
    m_model->setPatches(std::move(patches));
    // Heads fill the page, tokens scroll.
    m_table->horizontalHeader()->setSectionResizeMode(m_model->patches().heads && m_model->columnCount() <= kFewHeads
                                                          ? QHeaderView::Stretch
                                                          : QHeaderView::ResizeToContents);
    const int rows = m_model->rowCount();
    const bool few = m_model->patches().heads && rows > 0 && rows <= kFewHeads;
    m_table->verticalHeader()->setSectionResizeMode(few ? QHeaderView::Stretch : QHeaderView::Interactive);
    if (!few)
        m_table->resizeRowsToContents(); // once: a map of tokens has many
    fitRows();
}

void PatchView::fitRows()
{
    const bool few = m_table->verticalHeader()->sectionResizeMode(0) == QHeaderView::Stretch;
    const double rows = m_model->rowCount() * kMostLines * fontMetrics().lineSpacing();
    m_table->setMaximumHeight(few ? m_table->horizontalHeader()->sizeHint().height() + static_cast<int>(rows)
                                  : QWIDGETSIZE_MAX);
}

QList<std::pair<int, int>> PatchView::chosen() const
{
    QList<std::pair<int, int>> cells;
    for (const QModelIndex& index : m_table->selectionModel()->selectedIndexes())
        if (index.data(PatchModel::ShareRole).isValid())
            cells.append({index.row(), index.column()});
    return cells;
}

QString PatchView::difference() const
{
    return m_difference->text();
}

QString PatchView::headline() const
{
    return m_headline->text();
}

void PatchView::fitLetters()
{
    QFont large = font();
    large.setBold(true);
    large.setPointSizeF(large.pointSizeF() * kHeadlineSize);
    m_headline->setFont(large);
    setMuted(m_sentence);
    setMuted(m_cost);
}

void PatchView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        fitLetters();
        fitRows();
    }
}

QString PatchView::sentence() const
{
    return m_sentence->text();
}

} // namespace headscope::widgets
