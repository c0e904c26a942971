// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scores/flipsview.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/theme.h"

#include <QComboBox>
#include <QFont>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>

namespace headscope::widgets {

FlipsView::FlipsView(QWidget* parent)
    : QWidget(parent), m_model(new FlipsModel(this)), m_tree(new QTreeView(this)), m_title(new PlainLabel(this)),
      m_filter(new QComboBox(this))
{
    m_tree->setModel(m_model);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(true);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setAccessibleName(tr("Changed answers"));
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setResizeContentsPrecision(0); // only what is on the screen is read
    m_tree->header()->setSectionResizeMode(FlipsModel::Text, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(FlipsModel::Before, QHeaderView::ResizeToContents);
    m_tree->header()->setSectionResizeMode(FlipsModel::After, QHeaderView::ResizeToContents);
    m_filter->setAccessibleName(tr("Changes to list"));
    m_filter->addItem(tr("all"), static_cast<int>(FlipFilter::Flipped));
    m_filter->addItem(tr("now wrong"), static_cast<int>(FlipFilter::Broken));
    m_filter->addItem(tr("now right"), static_cast<int>(FlipFilter::Fixed));
    m_filter->addItem(tr("every example"), static_cast<int>(FlipFilter::Every));
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    makePage(this);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_filter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->addLayout(top);
    layout->addWidget(m_tree, 1);
    connect(m_filter, &QComboBox::currentIndexChanged, this,
            [this] { m_model->setFilter(static_cast<FlipFilter>(m_filter->currentData().toInt())); });
    connect(m_tree, &QTreeView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT exampleActivated(index.data(FlipsModel::IdRole).toString()); });
}

QSize FlipsView::sizeHint() const
{
    return {470, 240};
}

void FlipsView::setFlips(const QString& benchmark, std::vector<Flip> flips)
{
    setExamples(benchmark, std::make_shared<FlipList>(std::move(flips)));
}

void FlipsView::setExamples(const QString& benchmark, std::shared_ptr<ExampleSource> source)
{
    m_model->setSource(std::move(source));
    m_title->setText(tr("%1: %2 now wrong, %3 now right")
                         .arg(benchmark)
                         .arg(m_model->count(FlipKind::Broken))
                         .arg(m_model->count(FlipKind::Fixed)));
}

} // namespace headscope::widgets
