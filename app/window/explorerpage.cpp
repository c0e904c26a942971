// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/explorerpage.h"

#include "app/window/explorer.h"

#include "widgets/frame/carddock.h"
#include "widgets/look/boxes/card.h"
#include "widgets/look/labels/plainlabel.h"

#include <QEvent>
#include <QPainter>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace headscope::gui {

namespace {

constexpr QSize kLeastDetails(200, 200);
constexpr int kLeastChart = 80;
constexpr int kWithin = 4; // keeps pages off the rounded corners

} // namespace

ExplorerPage::ExplorerPage(app::Door& worker, app::SessionDoor& door, WindowState& state, QWidget* parent)
    : QStackedWidget(parent)
{
    setContentsMargins(kWithin, widgets::CardDock::kBetween + kWithin, kWithin, widgets::CardDock::kBetween + kWithin);
    m_parts.prompt = new widgets::PromptBar;
    m_parts.messages = new widgets::MessageBar;
    m_parts.machine = new widgets::PlainLabel;
    m_parts.welcome = new widgets::WelcomePage;
    m_parts.tour = new widgets::TourPanel;
    m_parts.runs = new widgets::RunsView;
    makeCentre();
    makeMaps();
    makeDetails();
    m_parts.why = new widgets::WhyPage;
    addWidget(m_parts.why);
    connect(m_parts.why, &widgets::WhyPage::backRequested, this, &ExplorerPage::showPatterns);
    m_parts.survey = new widgets::SurveyPage;
    addWidget(m_parts.survey);
    connect(m_parts.survey, &widgets::SurveyPage::backRequested, this, &ExplorerPage::showPatterns);
    connect(m_parts.survey, &widgets::SurveyPage::wanted, this, &ExplorerPage::showSurvey);
    makeCharts();
    explainParts();
    m_explorer = new Explorer(m_parts, worker, door, state, this);
    connect(&m_explorer->controllers().scoreParts, &ScorePartsController::pageWanted, this,
            [this] { showWhy(m_parts.why->scoreParts()); });
}

void ExplorerPage::makeCentre()
{
    m_parts.patterns = new widgets::PatternPage;
    m_parts.patternA = m_parts.patterns->view(Side::A);
    m_parts.patternB = m_parts.patterns->view(Side::B);
    addWidget(m_parts.patterns);
    m_parts.continuation = new widgets::ContinuationView(this);
    m_parts.continuation->installEventFilter(this);
    m_parts.patterns->installEventFilter(this);
    connect(this, &QStackedWidget::currentChanged, this, &ExplorerPage::placeContinuation);
}

void ExplorerPage::makeMaps()
{
    m_parts.mapA = new widgets::HeadMapPanel(Side::A);
    m_parts.mapB = new widgets::HeadMapPanel(Side::B);
    m_parts.mapB->hide();
    m_maps = new QWidget;
    widgets::makePage(m_maps);
    auto* column = new QVBoxLayout(m_maps);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(m_parts.mapA);
    column->addWidget(m_parts.mapB);
    column->addStretch();
}

void ExplorerPage::makeDetails()
{
    m_parts.scores = new widgets::ScoreboardView;
    m_parts.flips = new widgets::FlipsView;
    m_details = new QWidget;
    widgets::makePage(m_details);
    auto* back = new QToolButton;
    back->setText(QStringLiteral("◂ ") + tr("Back to the maps"));
    auto* both = new QSplitter(Qt::Vertical);
    both->addWidget(m_parts.scores->details());
    both->addWidget(m_parts.flips);
    both->setChildrenCollapsible(false);
    both->setSizes({260, 400});
    m_parts.scores->details()->show();
    auto* column = new QVBoxLayout(m_details);
    column->setContentsMargins(6, 6, 6, 6);
    column->addWidget(back, 0, Qt::AlignLeft);
    column->addWidget(both, 1);
    m_details->setMinimumSize(kLeastDetails); // it scrolls; the window may be smaller than it would like
    addWidget(m_details);
    connect(back, &QToolButton::clicked, this, &ExplorerPage::showPatterns);
    connect(m_parts.scores, &widgets::ScoreboardView::tableRequested, this, &ExplorerPage::showDetails);
    connect(m_parts.scores, &widgets::ScoreboardView::flipsToggled, this,
            [this](bool open) { open ? showDetails() : showPatterns(); });
}

void ExplorerPage::showDetails()
{
    setCurrentWidget(m_details);
}

void ExplorerPage::showPatterns()
{
    m_parts.scores->setFlipsOpen(false);
    setCurrentWidget(m_parts.patterns);
}

void ExplorerPage::showWhy(QWidget* page)
{
    m_parts.why->tabs()->setCurrentWidget(page);
    setCurrentWidget(m_parts.why);
}

void ExplorerPage::showExperts(int layer)
{
    m_parts.why->experts()->setLayer(layer);
    showWhy(m_parts.why->experts());
}

void ExplorerPage::placeContinuation()
{
    widgets::ContinuationView* view = m_parts.continuation;
    const bool onMaps = currentWidget() == m_parts.patterns;
    const QRect room = onMaps ? m_parts.patterns->belowHeadings().translated(m_parts.patterns->pos()) : contentsRect();
    QRect place(QPoint(), view->fitInto(room.size()));
    onMaps ? place.moveTopRight(room.topRight()) : place.moveBottomRight(room.bottomRight());
    view->setGeometry(place);
    view->raise();
}

void ExplorerPage::resizeEvent(QResizeEvent* event)
{
    QStackedWidget::resizeEvent(event);
    placeContinuation();
}

void ExplorerPage::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    widgets::paintCard(painter, rect().adjusted(0, widgets::CardDock::kBetween, 0, -widgets::CardDock::kBetween),
                       palette());
}

bool ExplorerPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show)
        placeContinuation();
    return QStackedWidget::eventFilter(watched, event);
}

void ExplorerPage::makeCharts()
{
    m_parts.chart = new widgets::KvChart;
    m_parts.removal = new widgets::RankingChart;
    m_charts = new QTabWidget;
    m_charts->setDocumentMode(true);
    m_charts->setMinimumHeight(kLeastChart);
    m_charts->addTab(m_parts.chart, tr("Dictionary size"));
    m_charts->addTab(m_parts.removal, tr("Heads ablated"));
    m_charts->setAccessibleName(tr("Charts"));
}

void ExplorerPage::explainParts()
{
    for (auto* map : {m_parts.mapA, m_parts.mapB})
        map->setWhatsThis(tr("Rows are layers, columns are heads, both counted from zero. Click a head to ablate or "
                             "restore it; the scores follow. A crossed cell is ablated."));
    for (auto* pattern : {m_parts.patternA, m_parts.patternB})
        pattern->setWhatsThis(
            tr("Rows read columns: a bright cell means that the token of the row reads the token of the "
               "column."));
    m_parts.scores->setWhatsThis(tr("Every benchmark before and now, the difference with its 95 % interval, and the p "
                                    "value of a paired test on the same examples."));
    m_parts.flips->setWhatsThis(tr("All examples whose answer changed, with both log-likelihoods of their choices. "
                                   "Double-click one to make it the prompt."));
    m_parts.prompt->setWhatsThis(tr("The models, and the text they read. Alternating tints are tokens, colours are "
                                    "segments: select text and right click to mark a key, a "
                                    "value, a question. [ and ] step through the samples of a benchmark."));
}

} // namespace headscope::gui
