// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/whyview.h"

#include "widgets/look/plainlabel.h"
#include "widgets/look/theme.h"
#include "widgets/why/bardelegate.h"
#include "widgets/why/lensdelegate.h"

#include <QEvent>
#include <QHeaderView>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

constexpr int kLensWide = 640, kPartsWide = 260;

// A table whose rows are as high as their text.
QTableView* plainTable(QAbstractItemModel* model, QWidget* parent)
{
    auto* table = new QTableView(parent);
    table->setModel(model);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    return table;
}

QWidget* column(QWidget* table, QWidget* sentence)
{
    auto* whole = new QWidget;
    auto* lines = new QVBoxLayout(whole);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(sentence);
    lines->addWidget(table, 1);
    return whole;
}

} // namespace

WhyView::WhyView(QWidget* parent) : QWidget(parent)
{
    m_title = new PlainLabel(this);
    for (QLabel** sentence : {&m_lensSentence, &m_partSentence}) {
        *sentence = new PlainLabel(this);
        (*sentence)->setWordWrap(true);
        setMuted(*sentence);
    }
    makeLens();
    makeParts();
    auto* both = new QSplitter(Qt::Horizontal);
    both->addWidget(column(m_lensTable, m_lensSentence));
    both->addWidget(column(m_partTable, m_partSentence));
    both->setChildrenCollapsible(false);
    both->setSizes({kLensWide, kPartsWide});
    both->setStretchFactor(0, 1);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(m_title);
    lines->addWidget(both, 1);
}

void WhyView::makeLens()
{
    m_lens = new LensModel(this);
    m_lensTable = plainTable(m_lens, this);
    m_lensTable->setItemDelegate(new LensDelegate(m_lensTable));
    m_lensTable->setShowGrid(false);
    m_lensTable->setAccessibleName(tr("Logit lens: layers and tokens"));
    m_lensTable->setWhatsThis(tr("What the model would say at each token if the layers above a row did nothing: the "
                                 "stream before the layer through the model's own final norm and head. A frame marks "
                                 "where the answer is already on top."));
}

void WhyView::makeParts()
{
    m_parts = new PartModel(this);
    m_partTable = plainTable(m_parts, this);
    m_partTable->setItemDelegateForColumn(PartModel::Bar, new BarDelegate(m_partTable));
    m_partTable->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_partTable->verticalHeader()->hide();
    m_partTable->horizontalHeader()->setStretchLastSection(true);
    m_partTable->setAccessibleName(tr("Direct attribution: what each part adds"));
    m_partTable->setWhatsThis(tr("What each head, MLP and the embedding write into the stream along the difference of "
                                 "the two answers, the final norm held. All of them add up to the difference."));
    connect(m_partTable, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        Q_EMIT partChosen(index.siblingAtColumn(PartModel::Name).data().toString());
    });
}

void WhyView::setTitle(const QString& title)
{
    m_title->setText(title);
}

// What is asked for stands at the last token: that end is shown.
void WhyView::setLens(LensData lens, const QString& sentence)
{
    m_lensSentence->setText(sentence);
    m_lens->setLens(std::move(lens));
    fitColumns();
    m_lensTable->horizontalScrollBar()->setValue(m_lensTable->horizontalScrollBar()->maximum());
}

void WhyView::setParts(std::vector<PartRow> parts, const QString& sentence)
{
    m_partSentence->setText(sentence);
    m_parts->setParts(std::move(parts));
    m_partTable->resizeColumnToContents(PartModel::Name);
}

void WhyView::fitColumns()
{
    m_lensTable->resizeColumnsToContents();
}

void WhyView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fitColumns();
    if (event->type() == QEvent::PaletteChange)
        for (QLabel* sentence : {m_lensSentence, m_partSentence})
            if (sentence)
                setMuted(sentence);
}

} // namespace headscope::widgets
