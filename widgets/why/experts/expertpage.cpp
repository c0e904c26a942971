// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/experts/expertpage.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/why/fillbox.h"
#include "widgets/why/views/tabledview.h"

#include <QHBoxLayout>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace headscope::widgets {

ExpertView::ExpertView(QWidget* parent)
    : AnalysisView(parent), m_grid(new GridView(tr("Tokens and their experts"))), m_save(new QToolButton)
{
    m_save->setText(tr("Save …"));
    m_save->setEnabled(false);
    connect(m_save, &QToolButton::clicked, this, &ExpertView::saveRequested);
    top()->addWidget(m_save);
    m_grid->setSelectionMode(QAbstractItemView::ContiguousSelection);
    m_grid->setWhatsThis(tr("One row per token, one column per expert: the colour shows the router's weight; empty "
                            "cells are experts that the token is not sent to. The number above an expert counts "
                            "its tokens. Click an expert, or press Space, to ablate or restore it. A frame marks "
                            "where a token goes because of the ablation, a dashed frame where it went before."));
    auto* tabled = new TabledView(m_grid, QString());
    lines()->addWidget(tabled, 1);
    connect(m_grid, &GridView::columnClicked, this, &ExpertView::toggle);
    connect(m_grid, &GridView::cellChosen, this, [this](int, int column) { toggle(column); });
    connect(tabled, &TabledView::menuAboutToShow, this, [this](QMenu* menu, int, int column) {
        menu->addAction(tr("Ablate this expert or &restore it"), this, [this, column] { toggle(column); })
            ->setEnabled(column >= 0);
    });
}

void ExpertView::toggle(int column)
{
    if (column < 0 || column >= static_cast<int>(m_grid->grid().columns.size()))
        return;
    if (const GridLine& expert = m_grid->grid().columns[static_cast<std::size_t>(column)]; expert.id >= 0)
        Q_EMIT switchRequested(expert.id, !expert.off);
}

void ExpertView::setExperts(GridData experts, const QString& sentence)
{
    setSentence(sentence);
    m_save->setEnabled(!experts.rows.empty());
    m_grid->setGrid(std::move(experts));
}

ExpertPage::ExpertPage(QWidget* parent) : SidesPage(parent), m_layer(new QComboBox), m_order(new QComboBox)
{
    auto* layerLabel = new PlainLabel(tr("&Layer:"));
    layerLabel->setBuddy(m_layer);
    m_layer->setAccessibleName(tr("Layer whose experts are shown"));
    auto* orderLabel = new PlainLabel(tr("&Experts by:"));
    orderLabel->setBuddy(m_order);
    fillBox<ExpertOrder>(*m_order, tr("Order of the experts"),
                         {{ExpertOrder::Number, tr("number")}, {ExpertOrder::Tokens, tr("number of tokens")}});
    for (QWidget* each : std::initializer_list<QWidget*>{layerLabel, m_layer, orderLabel, m_order})
        line()->addWidget(each);
    line()->addStretch();
    for (const Side side : kSides) // the same tokens stand side by side
        connect(view(side)->grid()->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, side](int at) {
            GridView *here = view(side)->grid(), *other = view(otherSide(side))->grid();
            if (std::ranges::equal(here->grid().rows, other->grid().rows, {}, &GridLine::name, &GridLine::name))
                other->verticalScrollBar()->setValue(at);
        });
    for (QComboBox* box : {m_layer, m_order})
        connect(box, &QComboBox::currentIndexChanged, this, &ExpertPage::choiceChanged);
}

void ExpertPage::setLayers(const QList<int>& layers)
{
    const int chosen = layer();
    {
        const QSignalBlocker quiet(m_layer);
        m_layer->clear();
        for (const int each : layers)
            m_layer->addItem(QStringLiteral("L%1").arg(each), each);
        m_layer->setCurrentIndex(std::max(0, m_layer->findData(chosen)));
    }
    if (layer() != chosen)
        Q_EMIT choiceChanged();
}

int ExpertPage::layer() const
{
    return m_layer->currentIndex() < 0 ? -1 : m_layer->currentData().toInt();
}

void ExpertPage::setLayer(int layer)
{
    if (const int at = m_layer->findData(layer); at >= 0)
        m_layer->setCurrentIndex(at);
}

ExpertOrder ExpertPage::order() const
{
    return chosenIn<ExpertOrder>(*m_order);
}

void ExpertPage::setOrder(ExpertOrder order)
{
    chooseIn(*m_order, order);
}

} // namespace headscope::widgets
