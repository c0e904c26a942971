// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/why/parts/whypage.h"

#include "widgets/look/boxes/flowlayout.h"
#include "widgets/look/icons.h"
#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/labels/termbutton.h"
#include "widgets/look/theme.h"
#include "widgets/why/fillbox.h"
#include "widgets/why/views/tabledview.h"

#include <QCheckBox>
#include <QComboBox>
#include <QMenu>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

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
    back->setObjectName(QStringLiteral("back"));
    back->setIcon(icon(u"grid-3x3"));
    back->setText(tr("Maps"));
    back->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(back, &QToolButton::clicked, this, &WhyPage::backRequested);
    m_tabs = new QTabWidget;
    m_tabs->setAccessibleName(tr("Why a head matters"));
    m_tabs->setDocumentMode(true);
    m_tabs->setCornerWidget(back, Qt::TopLeftCorner);
    add(m_layers = makeLayers(), u"layers", tr("Layers"), tr("logit lens"));
    add(m_patches = new PatchPage, u"arrow-left-right", tr("Patching"), tr("patching"));
    add(m_edges = new EdgePage, u"workflow", tr("Edges"), tr("path patching"));
    add(m_sweep = new SweepPage, u"unlink", tr("Knockout"), tr("knockout"));
    add(m_scoreParts = new ScorePartsPage, u"scale", tr("Score"), tr("query, key, value"));
    m_weights = new WeightsPage;
    m_weights->addStart(tr("&Weights of the shown head"));
    add(m_weights, u"weight", tr("Weights"), tr("composition"));
    add(m_probes = new ProbePage, u"radar", tr("Probes"), tr("probe"));
    add(m_steering = new SteerPage, u"compass", tr("Steering"), tr("steering"));
    add(m_experts = new ExpertPage, u"network", tr("Experts"), tr("expert"));
    setExpertsShown(false);
    auto* term = new TermButton(m_terms.value(m_tabs->currentWidget()));
    m_tabs->setCornerWidget(term, Qt::TopRightCorner);
    connect(m_tabs, &QTabWidget::currentChanged, term,
            [this, term] { term->setTerm(m_terms.value(m_tabs->currentWidget())); });
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(kEdge, kEdge, kEdge, kEdge);
    lines->addWidget(m_tabs, 1);
    m_layers->installEventFilter(this);
    // Both pages compare the same two runs.
    connect(m_patches->pair(), &PairBox::changed, m_edges,
            [this] { m_edges->pair()->takeOver(m_patches->pair()->choice()); });
    connect(m_edges->pair(), &PairBox::changed, m_patches,
            [this] { m_patches->pair()->takeOver(m_edges->pair()->choice()); });
}

void WhyPage::add(QWidget* page, QStringView sign, const QString& title, const QString& term)
{
    m_tabs->addTab(page, icon(sign), title);
    m_terms.insert(page, term);
}

QWidget* WhyPage::makeLayers()
{
    m_lensColor = new QComboBox;
    fillBox<LensColor>(*m_lensColor, tr("Colour of the lens"),
                       {{LensColor::Probability, tr("probability of the token")},
                        {LensColor::Rank, tr("rank of the answer")},
                        {LensColor::Entropy, tr("certainty (low entropy)")},
                        {LensColor::Change, tr("change of the answer by the ablation")}});
    connect(m_lensColor, &QComboBox::currentIndexChanged, this, &WhyPage::lensColorChanged);
    auto* label = new PlainLabel(tr("&Colour:"));
    label->setBuddy(m_lensColor);
    m_many = new QCheckBox(tr("&Average over up to 64 samples"));
    connect(m_many, &QCheckBox::toggled, this, &WhyPage::manyChanged);
    m_lensKind = new QComboBox;
    m_lensKind->setObjectName(QStringLiteral("lens kind"));
    m_lensKind->setAccessibleName(tr("Lens"));
    m_lensKind->addItems({tr("Logit lens"), tr("Jacobian lens")});
    m_lensKind->setToolTip(tr("Reads the stream before each layer as if the layers above did nothing, or through their "
                              "average first-order effect, fitted to texts"));
    connect(m_lensKind, &QComboBox::currentIndexChanged, this, &WhyPage::lensChanged);
    auto* lenses = new QToolButton;
    lenses->setObjectName(QStringLiteral("lens files"));
    lenses->setText(tr("Fit or open a lens"));
    lenses->setToolTip(tr("Fits a Jacobian lens to texts of yours, or opens one from a file"));
    lenses->setPopupMode(QToolButton::InstantPopup);
    lenses->setMenu(new QMenu(lenses));
    lenses->menu()->addAction(tr("&Fit a Jacobian lens…"), this, &WhyPage::lensFitRequested);
    lenses->menu()->addAction(tr("&Open a Jacobian lens…"), this, &WhyPage::lensFileRequested);
    auto* choices = new QWidget;
    auto* line = new FlowLayout(choices);
    for (QWidget* one : std::initializer_list<QWidget*>{m_lensKind, lenses, label, m_lensColor, m_many})
        line->addWidget(one);
    auto* both = new QSplitter(Qt::Vertical);
    for (WhyView*& view : m_views) {
        view = new WhyView;
        both->addWidget(view);
    }
    both->setChildrenCollapsible(false);
    view(Side::B)->hide();
    auto* page = new QWidget;
    auto* lines = new QVBoxLayout(page);
    lines->setContentsMargins(0, 4, 0, 0);
    lines->addWidget(choices);
    lines->addWidget(both, 1);
    return page;
}

void WhyPage::setShown(Side side, bool shown)
{
    view(side)->setVisible(shown);
}

void WhyPage::setExpertsShown(bool shown)
{
    m_tabs->setTabVisible(m_tabs->indexOf(m_experts), shown);
}

bool WhyPage::jacobian() const
{
    return m_lensKind->currentIndex() == 1;
}

LensColor WhyPage::lensColor() const
{
    return chosenIn<LensColor>(*m_lensColor);
}

void WhyPage::setLensColor(LensColor color)
{
    chooseIn(*m_lensColor, color);
}

void WhyPage::toggleTables()
{
    const auto views = m_tabs->currentWidget()->findChildren<TabledView*>();
    const bool shown = std::ranges::any_of(views, &TabledView::tableShown);
    for (TabledView* view : views)
        view->setTableShown(!shown);
}

bool WhyPage::layersShown() const
{
    return m_layers->isVisible();
}

void WhyPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT visibilityChanged(true);
}

void WhyPage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    Q_EMIT visibilityChanged(false);
}

bool WhyPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_layers && event->type() == QEvent::Show)
        Q_EMIT shown();
    return QWidget::eventFilter(watched, event);
}

} // namespace headscope::widgets
