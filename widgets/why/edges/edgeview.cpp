// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/edges/edgeview.h"

#include "widgets/look/labels/elidedlabel.h"
#include "widgets/look/plaintext.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

namespace headscope::widgets {

namespace {

constexpr int kPartWidth = 90, kGraphWidth = 560, kTableWidth = 300;

} // namespace

EdgeView::EdgeView(Side side, QWidget* parent)
    : AnalysisView(parent), m_graph(new EdgeGraph(side)),
      m_parts(new TabledView(m_graph, QStringLiteral("edges"), TabledView::Table::Beside)),
      m_difference(new PromptDifference), m_cost(new ElidedLabel), m_chosen(new PlainLabel), m_part(new QLineEdit),
      m_save(new QToolButton)
{
    m_chosen->setFixedHeight(m_chosen->fontMetrics().lineSpacing() + 2);
    m_chosen->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_parts->setSizes({kGraphWidth, kTableWidth});
    makeTop();
    lines()->addWidget(m_difference);
    lines()->addWidget(m_parts, 1);
    lines()->addWidget(m_chosen);
    connect(m_part, &QLineEdit::returnPressed, this, &EdgeView::partEntered);
    connect(m_part, &QLineEdit::textChanged, this, &EdgeView::partChanged);
    connect(m_save, &QToolButton::clicked, this, &EdgeView::saveRequested);
    connect(m_graph, &EdgeGraph::edgeSelected, this, &EdgeView::select);
    connect(m_graph, &EdgeGraph::partChosen, this, [this](int part) {
        const QString name = m_graph->edges().parts[static_cast<std::size_t>(part)].name; // what is shown may go
        Q_EMIT partChosen(name);
    });
    connect(table(), &NumberTable::currentRow, this, &EdgeView::select);
}

void EdgeView::makeTop()
{
    auto* label = new PlainLabel(tr("&Around:"));
    label->setBuddy(m_part);
    m_part->setFixedWidth(kPartWidth);
    m_part->setAccessibleName(tr("Head or part whose edges are shown"));
    m_part->setToolTip(plainText(tr("A head such as L2H5, an MLP such as L1.mlp, embed or logits")));
    m_save->setText(tr("Save …"));
    m_save->setEnabled(false);
    top()->addWidget(m_cost, 1);
    for (QWidget* each : std::initializer_list<QWidget*>{label, m_part, m_save})
        top()->addWidget(each);
}

void EdgeView::setUpright(bool upright)
{
    m_parts->setOrientation(upright ? Qt::Vertical : Qt::Horizontal);
    m_parts->setSizes(upright ? QList<int>{1, 1} : QList<int>{kGraphWidth, kTableWidth});
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
    setSentence(sentence);
    m_difference->setPair(edges.pair);
    m_save->setEnabled(!edges.edges.empty());
    m_graph->setEdges(std::move(edges));
    m_parts->setNumbers([this] { return m_graph->numbers(); });
    table()->setCurrentRow(-1);
    m_chosen->clear();
}

void EdgeView::select(int edge)
{
    if (edge >= static_cast<int>(m_graph->edges().edges.size()))
        return;
    m_graph->setSelected(edge);
    m_chosen->setText(edge < 0 ? QString() : m_graph->words(edge));
    if (edge >= 0)
        table()->setCurrentRow(edge);
}

QString EdgeView::difference() const
{
    return m_difference->text();
}

QString EdgeView::chosen() const
{
    return m_chosen->text();
}

} // namespace headscope::widgets
