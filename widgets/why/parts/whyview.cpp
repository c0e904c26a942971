// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/whyview.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/theme.h"
#include "widgets/pattern/patterndata.h"
#include "widgets/why/lens/lensdelegate.h"
#include "widgets/why/parts/bardelegate.h"

#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int kLensWide = 640, kPartsWide = 260;
constexpr int kThinnest = 8, kLargest = 6; // pixels of a column; steps
constexpr double kZoomStep = 1.2;

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
    m_lensTable->setAccessibleName(tr("Lens: layers and tokens"));
    m_lensTable->setWhatsThis(tr("The next token that the model would predict if the layers above a row did nothing "
                                 "(logit lens) or had their average first-order effect (Jacobian lens): the stream "
                                 "before the layer, through the model's final norm and head. A frame marks where the "
                                 "answer is already on top. Double-click a token to follow it, right-click to compare "
                                 "with it; Ctrl and the wheel zoom."));
    m_lensTable->viewport()->installEventFilter(this);
    m_lensTable->setContextMenuPolicy(Qt::CustomContextMenu);
    m_lensTable->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    m_lensTable->horizontalHeader()->setMinimumSectionSize(kThinnest);
    connect(m_lensTable, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (m_lens->pool() > 1)
            setZoom(0);
        else if (const int token = m_lens->said(index).id; token >= 0)
            Q_EMIT answerChosen(token);
    });
    connect(m_lensTable, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        if (const QModelIndex index = m_lensTable->indexAt(at); index.isValid())
            showTokenMenu(index.row(), index.column(), m_lensTable->viewport()->mapToGlobal(at));
    });
    QHeaderView* header = m_lensTable->horizontalHeader();
    connect(header, &QWidget::customContextMenuRequested, this, [this, header](const QPoint& at) {
        if (const int column = header->logicalIndexAt(at); column >= 0)
            showTokenMenu(-1, column, header->mapToGlobal(at));
    });
}

void WhyView::showTokenMenu(int row, int column, const QPoint& globalAt)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const NumberedToken token = row < 0 ? m_lens->asked(column) : m_lens->said(m_lens->index(row, column));
    if (m_lens->pool() == 1 && token.id >= 0) {
        const QString name = tokenQuoted(token.text).replace(QLatin1Char('&'), QStringLiteral("&&"));
        menu->addAction(tr("&Follow “%1” as the answer").arg(name), this,
                        [this, token] { Q_EMIT answerChosen(token.id); });
        menu->addAction(tr("&Compare with “%1”").arg(name), this, [this, token] { Q_EMIT distractorChosen(token.id); });
    }
    menu->addAction(tr("As the &sample asks"), this, &WhyView::sampleAsked)->setEnabled(m_chosenByHand);
    menu->addSeparator();
    menu->addAction(tr("Zoom &in"), this, [this] { setZoom(m_zoom + 1); });
    menu->addAction(tr("Zoom &out"), this, [this] { setZoom(m_zoom - 1); });
    menu->popup(globalAt);
}

// From the first step below on tokens do not read; then every step halves the columns, until all are there at once.
int WhyView::lowestZoom() const
{
    int step = -1;
    const int room = std::max(1, m_lensTable->viewport()->width() / kThinnest);
    for (int columns = static_cast<int>(m_lens->lens().tokens.size()); columns > room; columns = (columns + 1) / 2)
        --step;
    return step;
}

void WhyView::setZoom(int step)
{
    const int centre = m_lensTable->columnAt(m_lensTable->viewport()->width() / 2) * m_lens->pool();
    m_zoom = std::clamp(step, lowestZoom(), kLargest);
    m_lens->setPool(m_zoom >= -1 ? 1 : 1 << (-m_zoom - 1));
    fitColumns();
    if (centre >= 0 && m_lens->columnCount() > 0)
        m_lensTable->scrollTo(m_lens->index(0, std::min(centre / m_lens->pool(), m_lens->columnCount() - 1)),
                              QAbstractItemView::PositionAtCenter);
}

bool WhyView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Wheel) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        if (wheel->modifiers().testFlag(Qt::ControlModifier) && wheel->angleDelta().y() != 0) {
            setZoom(m_zoom + (wheel->angleDelta().y() > 0 ? 1 : -1));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void WhyView::makeParts()
{
    m_parts = new PartModel(this);
    m_partTable = plainTable(m_parts, this);
    m_partTable->setItemDelegateForColumn(PartModel::Bar, new BarDelegate(m_partTable));
    m_partTable->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_partTable->verticalHeader()->hide();
    m_partTable->horizontalHeader()->setStretchLastSection(true);
    m_partTable->setAccessibleName(tr("Direct attribution"));
    m_partTable->setWhatsThis(
        tr("The contribution of each head, MLP and the embedding to the logit difference of the two "
           "answers, with the final norm held fixed. All contributions add up to the difference."));
    connect(m_partTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                const bool head = row.isValid() && row.data(PartModel::HeadRole).toBool();
                Q_EMIT partSelected(head ? row.siblingAtColumn(PartModel::Name).data().toString() : QString());
            });
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
    setZoom(m_zoom);
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
    QFont font = this->font();
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * std::pow(kZoomStep, std::max(m_zoom, 0)));
    m_lensTable->setFont(font);
    if (m_zoom >= 0)
        return m_lensTable->resizeColumnsToContents();
    for (int column = 0; column < m_lens->columnCount(); ++column)
        m_lensTable->setColumnWidth(column, kThinnest);
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
