// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/edges/edgeview.h"

#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/labels/fewlineslabel.h"
#include "widgets/look/plaintext.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

namespace headscope::widgets {

namespace {

constexpr int kToldLines = 3, kPartWidth = 90, kGraphWidth = 560, kTableWidth = 300;

} // namespace

EdgeView::EdgeView(Side side, QWidget* parent)
    : QWidget(parent), m_model(new EdgeModel(this)), m_graph(new EdgeGraph(side)), m_table(new QTableView),
      m_parts(new QSplitter(Qt::Horizontal)), m_title(new ElidedLabel), m_cost(new ElidedLabel),
      m_sentence(new FewLinesLabel(kToldLines)), m_difference(new PromptDifference), m_chosen(new PlainLabel),
      m_part(new QLineEdit), m_save(new QToolButton)
{
    m_chosen->setFixedHeight(m_chosen->fontMetrics().lineSpacing() + 2);
    m_chosen->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->addWidget(makeTop());
    lines->addWidget(m_sentence);
    lines->addWidget(m_difference);
    lines->addWidget(makeEdges(), 1);
    lines->addWidget(m_chosen);
    connect(m_part, &QLineEdit::returnPressed, this, &EdgeView::askedAgain);
    connect(m_part, &QLineEdit::textChanged, this, &EdgeView::partChanged);
    connect(m_save, &QToolButton::clicked, this, &EdgeView::saveRequested);
    connect(m_graph, &EdgeGraph::edgeSelected, this, &EdgeView::select);
    connect(m_graph, &EdgeGraph::partChosen, this, [this](int part) {
        const QString name = m_model->edges().parts[static_cast<std::size_t>(part)].name; // what is shown may go
        Q_EMIT partChosen(name);
    });
}

QWidget* EdgeView::makeTop()
{
    auto* label = new PlainLabel(tr("&Around:"));
    label->setBuddy(m_part);
    m_part->setFixedWidth(kPartWidth);
    m_part->setAccessibleName(tr("Head or part whose edges are shown"));
    m_part->setToolTip(plainText(tr("A head such as L2H5, an MLP such as L1.mlp, embed or logits")));
    m_save->setText(tr("Save …"));
    m_save->setEnabled(false);
    auto* top = new QWidget;
    auto* line = new QHBoxLayout(top);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_title, 1);
    line->addWidget(m_cost, 1);
    line->addWidget(label);
    line->addWidget(m_part);
    line->addWidget(m_save);
    return top;
}

QWidget* EdgeView::makeEdges()
{
    m_table->setModel(m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->setAccessibleName(tr("Edges, the strongest first"));
    m_parts->addWidget(m_graph);
    m_parts->addWidget(m_table);
    m_parts->setChildrenCollapsible(false);
    m_parts->setSizes({kGraphWidth, kTableWidth});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) { select(now.isValid() ? now.row() : -1); });
    return m_parts;
}

void EdgeView::setUpright(bool upright)
{
    m_parts->setOrientation(upright ? Qt::Vertical : Qt::Horizontal);
    m_parts->setSizes(upright ? QList<int>{1, 1} : QList<int>{kGraphWidth, kTableWidth});
}

void EdgeView::setTitle(const QString& title)
{
    m_title->setText(title);
}

void EdgeView::setCost(const QString& cost)
{
    m_cost->setText(cost);
}

QString EdgeView::cost() const
{
    return m_cost->text();
}

QString EdgeView::part() const
{
    return m_part->text().trimmed();
}

void EdgeView::setPart(const QString& name)
{
    m_part->setText(name);
}

void EdgeView::setEdges(EdgeData edges, const QString& sentence)
{
    m_sentence->setText(sentence);
    m_difference->setPair(edges.pair);
    m_save->setEnabled(!edges.edges.empty());
    m_graph->setEdges(edges);
    m_model->setEdges(std::move(edges));
    m_table->setColumnHidden(EdgeModel::Interval,
                             m_model->rowCount() == 0 || !m_model->edges().edges.front().hasInterval());
    m_chosen->clear();
}

void EdgeView::select(int edge)
{
    if (edge >= m_model->rowCount())
        return;
    m_graph->setSelected(edge);
    m_chosen->setText(edge < 0 ? QString() : m_model->words(edge));
    if (edge >= 0 && m_table->currentIndex().row() != edge)
        m_table->selectRow(edge);
}

QString EdgeView::difference() const
{
    return m_difference->text();
}

QString EdgeView::sentence() const
{
    return m_sentence->text();
}

QString EdgeView::chosen() const
{
    return m_chosen->text();
}

} // namespace headscope::widgets
