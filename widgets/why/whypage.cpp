// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/whypage.h"

#include "widgets/look/plainlabel.h"
#include "widgets/look/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

constexpr QSize kLeastPage(200, 200); // it scrolls; the window may be smaller than it would like
constexpr int kEdge = 6;

} // namespace

WhyPage::WhyPage(QWidget* parent) : QWidget(parent)
{
    makePage(this);
    setMinimumSize(kLeastPage);
    auto* back = new QToolButton;
    back->setText(QStringLiteral("◂ ") + tr("Back to the maps"));
    connect(back, &QToolButton::clicked, this, &WhyPage::backRequested);
    auto* color = new QComboBox;
    color->addItem(tr("probability of the token"), int(LensColor::Probability));
    color->addItem(tr("rank of the answer"), int(LensColor::Rank));
    color->addItem(tr("certainty (low entropy)"), int(LensColor::Entropy));
    auto* label = new PlainLabel(tr("&Colour:"));
    label->setBuddy(color);
    auto* line = new QHBoxLayout;
    line->addWidget(back);
    line->addStretch();
    line->addWidget(label);
    line->addWidget(color);
    auto* both = new QSplitter(Qt::Vertical);
    for (WhyView*& view : m_views) {
        view = new WhyView;
        both->addWidget(view);
        connect(color, &QComboBox::currentIndexChanged, view,
                [view, color] { view->setColor(static_cast<LensColor>(color->currentData().toInt())); });
    }
    both->setChildrenCollapsible(false);
    view(Side::B)->hide();
    m_patches = new PatchPage;
    m_edges = new EdgePage;
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(both, tr("Layers and parts"));
    m_tabs->addTab(m_patches, tr("Patching"));
    m_tabs->addTab(m_edges, tr("Edges"));
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(kEdge, kEdge, kEdge, kEdge);
    lines->addLayout(line);
    lines->addWidget(m_tabs, 1);
    connect(m_tabs, &QTabWidget::currentChanged, this, [color, label, both, this] {
        for (QWidget* one : {static_cast<QWidget*>(color), static_cast<QWidget*>(label)})
            one->setEnabled(m_tabs->currentWidget() == both); // of the lens
    });
}

void WhyPage::setShown(Side side, bool shown)
{
    view(side)->setVisible(shown);
}

void WhyPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
