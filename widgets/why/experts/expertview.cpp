// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/experts/expertview.h"

#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/labels/fewlineslabel.h"
#include "widgets/why/experts/expertdelegate.h"
#include "widgets/why/experts/expertheader.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QTableView>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int kSentenceLines = 2;
constexpr int kThinColumn = 8, kWideColumn = 64; // pixels
constexpr double kStepOfZoom = 1.25, kMostZoom = 8;
constexpr int kTokenLetters = 14; // of the token beside a row

} // namespace

ExpertView::ExpertView(Side side, QWidget* parent)
    : QWidget(parent), m_model(new ExpertModel(this)), m_table(new QTableView), m_title(new ElidedLabel),
      m_sentence(new FewLinesLabel(kSentenceLines)), m_save(new QToolButton)
{
    m_save->setText(tr("Save …"));
    m_save->setEnabled(false);
    connect(m_save, &QToolButton::clicked, this, &ExpertView::saveRequested);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_save);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addLayout(top);
    lines->addWidget(m_sentence);
    lines->addWidget(m_table, 1);
    makeTable(side);
    addActions();
}

void ExpertView::makeTable(Side side)
{
    m_header = new ExpertHeader(side, m_table);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ExpertDelegate(side, m_table));
    m_table->setHorizontalHeader(m_header);
    m_table->setSelectionMode(QAbstractItemView::ContiguousSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setCornerButtonEnabled(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->setAccessibleName(tr("Tokens and their experts"));
    m_table->setWhatsThis(tr("One row per token, one column per expert: the colour shows the router's weight; empty "
                             "cells are experts that the token is not sent to. The number above an expert counts "
                             "its tokens. Click an expert, or press Space, to ablate or restore it. A frame marks "
                             "where a token goes because of the ablation, a dashed frame where it went before."));
    m_table->viewport()->installEventFilter(this);
    connect(m_header, &QHeaderView::sectionClicked, this, &ExpertView::toggle);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) { toggle(index.column()); });
}

void ExpertView::addActions()
{
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    const auto add = [this](const QString& name, const QKeySequence& key, auto act) {
        auto* action = new QAction(name, m_table);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, act);
        m_table->addAction(action);
    };
    add(tr("Ablate this expert or restore it"), Qt::Key_Space, [this] { toggle(m_table->currentIndex().column()); });
    add(tr("Copy selected weights"), QKeySequence::Copy,
        [this] { QApplication::clipboard()->setText(selectedText()); });
    add(tr("Copy all weights of the layer"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
        [this] { QApplication::clipboard()->setText(m_model->valuesText()); });
    add(tr("Zoom in"), Qt::Key_Plus, [this] { setZoom(m_zoom * kStepOfZoom); });
    add(tr("Zoom out"), Qt::Key_Minus, [this] { setZoom(m_zoom / kStepOfZoom); });
    add(tr("Fit all experts"), Qt::Key_0, [this] { setZoom(1); });
}

void ExpertView::toggle(int column)
{
    if (const int expert = m_model->expertAt(column); expert >= 0)
        Q_EMIT switchRequested(expert, !m_model->isOff(expert));
}

void ExpertView::setTitle(const QString& title)
{
    m_title->setText(title);
}

QString ExpertView::title() const
{
    return m_title->text();
}

QString ExpertView::sentence() const
{
    return m_sentence->text();
}

// Where a person looks stays: the same layer of the same tokens is read on after an ablation.
void ExpertView::setExperts(ExpertData experts, const QString& sentence)
{
    const QModelIndex at = m_table->currentIndex();
    const bool same = experts.tokens == m_model->experts().tokens && experts.experts == m_model->experts().experts;
    m_sentence->setText(sentence);
    m_save->setEnabled(!experts.tokens.isEmpty());
    m_model->setExperts(std::move(experts));
    if (same && at.isValid())
        m_table->setCurrentIndex(m_model->index(at.row(), at.column()));
    fitCells();
}

void ExpertView::setOrder(ExpertOrder order)
{
    m_model->setOrder(order);
}

void ExpertView::setZoom(double zoom)
{
    m_zoom = std::clamp(zoom, 1.0, kMostZoom);
    fitCells();
}

// Fixed sizes: thousands of rows are not asked how large they would like to be.
void ExpertView::fitCells()
{
    const QFontMetrics metrics = m_table->fontMetrics();
    m_table->verticalHeader()->setDefaultSectionSize(metrics.height() + 4);
    m_table->verticalHeader()->setFixedWidth(kTokenLetters * metrics.averageCharWidth() + 8);
    const int shared = m_header->sharedWidth(), columns = std::max(1, m_model->columnCount() - (shared > 0 ? 1 : 0));
    const int fitting = std::clamp((m_table->viewport()->width() - shared) / columns, kThinColumn, kWideColumn);
    m_header->setDefaultSectionSize(static_cast<int>(fitting * m_zoom));
    if (shared > 0)
        m_header->resizeSection(0, shared);
}

QString ExpertView::selectedText() const
{
    const QItemSelection selection = m_table->selectionModel()->selection();
    if (selection.isEmpty())
        return {};
    const QItemSelectionRange& range = selection.first();
    if (range.width() == 1 && range.height() == 1)
        return range.indexes().first().data(Qt::AccessibleTextRole).toString() + QLatin1Char('\t')
               + m_model->experts().of;
    QString out;
    for (int row = range.top(); row <= range.bottom(); ++row) {
        out += m_model->headerData(row, Qt::Vertical, Qt::DisplayRole).toString();
        for (int column = range.left(); column <= range.right(); ++column) {
            const QVariant weight = m_model->index(row, column).data(ExpertModel::WeightRole);
            out += QLatin1Char('\t') + (weight.isValid() ? QString::number(weight.toDouble(), 'g', 9) : QString());
        }
        out += QLatin1Char('\n');
    }
    return out + m_model->experts().of + QLatin1Char('\n');
}

bool ExpertView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        fitCells();
    if (event->type() == QEvent::Wheel) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        if (wheel->modifiers().testFlag(Qt::ControlModifier) && wheel->angleDelta().y() != 0) {
            setZoom(wheel->angleDelta().y() > 0 ? m_zoom * kStepOfZoom : m_zoom / kStepOfZoom);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ExpertView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fitCells();
}

} // namespace headscope::widgets
