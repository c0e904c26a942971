// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/experts/expertpage.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/why/fillbox.h"

#include <QHBoxLayout>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTableView>

namespace headscope::widgets {

ExpertPage::ExpertPage(QWidget* parent) : QWidget(parent), m_layer(new QComboBox), m_order(new QComboBox)
{
    auto* layerLabel = new PlainLabel(tr("&Layer:"));
    layerLabel->setBuddy(m_layer);
    m_layer->setAccessibleName(tr("Layer whose experts are shown"));
    auto* orderLabel = new PlainLabel(tr("&Experts by:"));
    orderLabel->setBuddy(m_order);
    fillBox<ExpertOrder>(*m_order, tr("Order of the experts"),
                         {{ExpertOrder::Number, tr("number")}, {ExpertOrder::Tokens, tr("number of tokens")}});
    auto* line = new QHBoxLayout;
    line->addWidget(layerLabel);
    line->addWidget(m_layer);
    line->addWidget(orderLabel);
    line->addWidget(m_order);
    line->addStretch();
    auto* both = new QSplitter(Qt::Vertical);
    for (const Side side : kSides) {
        m_both[indexOf(side)] = new ExpertView(side);
        both->addWidget(view(side));
        connect(m_order, &QComboBox::currentIndexChanged, view(side),
                [this, side] { view(side)->setOrder(chosenIn<ExpertOrder>(*m_order)); });
        // The same tokens stand side by side.
        connect(view(side)->table()->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, side](int at) {
            const ExpertView* other = view(otherSide(side));
            if (other->model()->experts().tokens == view(side)->model()->experts().tokens)
                other->table()->verticalScrollBar()->setValue(at);
        });
    }
    both->setChildrenCollapsible(false);
    view(Side::B)->hide();
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(0, 4, 0, 0);
    lines->addLayout(line);
    lines->addWidget(both, 1);
    connect(m_layer, &QComboBox::currentIndexChanged, this, &ExpertPage::layerChanged);
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
        Q_EMIT layerChanged();
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

void ExpertPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
