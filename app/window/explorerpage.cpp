// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/explorerpage.h"

#include "app/gui/explorer.h"

#include <QTabWidget>

namespace headscope::gui {

ExplorerPage::ExplorerPage(BackendClient& client, WindowState& state, QWidget* parent) : QSplitter(Qt::Vertical, parent)
{
    m_parts.prompt = new widgets::PromptBar;
    m_parts.continuation = new widgets::ContinuationView;
    m_parts.messages = new widgets::MessageBar;
    m_parts.messages->hide();
    m_parts.welcome = new widgets::WelcomePage;
    m_parts.tour = new widgets::TourPanel;
    m_parts.runs = new widgets::RunsView;
    makeCentre();
    makeMaps();
    makeBoard();
    makeCharts();
    explainParts();
    m_explorer = new Explorer(m_parts, client, state, this);
}

void ExplorerPage::makeCentre()
{
    m_parts.patterns = new widgets::PatternPage;
    m_parts.patternA = m_parts.patterns->view(Side::A);
    m_parts.patternB = m_parts.patterns->view(Side::B);
    m_parts.profile = new widgets::RowProfileView;
    addWidget(m_parts.patterns);
    addWidget(m_parts.profile);
    setStretchFactor(0, 3);
    setStretchFactor(1, 1);
    setSizes({560, 190});
    setChildrenCollapsible(false);
}

void ExplorerPage::makeMaps()
{
    m_parts.mapA = new widgets::HeadMapPanel(Side::A);
    m_parts.mapB = new widgets::HeadMapPanel(Side::B);
    m_parts.mapB->hide();
    m_maps = new QSplitter(Qt::Vertical);
    m_maps->addWidget(m_parts.mapA);
    m_maps->addWidget(m_parts.mapB);
    m_maps->setChildrenCollapsible(false);
}

void ExplorerPage::makeBoard()
{
    m_parts.scores = new widgets::ScoreboardView;
    m_parts.flips = new widgets::FlipsView;
    m_parts.flips->hide();
    m_board = new QSplitter(Qt::Vertical);
    m_board->addWidget(m_parts.scores);
    m_board->addWidget(m_parts.flips);
    m_board->setChildrenCollapsible(false);
    m_board->setStretchFactor(0, 3);
    m_board->setStretchFactor(1, 2);
    m_board->setMinimumWidth(400); // the names of the benchmarks beside their numbers
}

void ExplorerPage::makeCharts()
{
    m_parts.chart = new widgets::KvChart;
    m_parts.removal = new widgets::RankingChart;
    m_charts = new QTabWidget;
    m_charts->setDocumentMode(true);
    m_charts->addTab(m_parts.chart, tr("Dictionary size"));
    m_charts->addTab(m_parts.removal, tr("Heads removed"));
    m_charts->setAccessibleName(tr("Charts"));
}

void ExplorerPage::explainParts()
{
    for (auto* map : {m_parts.mapA, m_parts.mapB})
        map->setWhatsThis(tr("Rows are layers, columns are heads. A click switches a head off or on; the scores "
                             "follow. A crossed cell is off."));
    for (auto* pattern : {m_parts.patternA, m_parts.patternB})
        pattern->setWhatsThis(tr("Rows look at columns: a bright cell means that the token of the row takes "
                                 "information from the token of the column."));
    m_parts.scores->setWhatsThis(tr("Every benchmark before and now, the difference with its 95 % interval, and the p "
                                    "value of a paired test on the same examples."));
    m_parts.flips->setWhatsThis(tr("Every example whose answer changed, with both log-likelihoods of its choices. A "
                                   "double click makes it the prompt."));
    m_parts.prompt->setWhatsThis(tr("The models, and the text they read. Alternating tints are tokens, colours are "
                                    "segments: select text and right click to mark a key, a "
                                    "value, a question. [ and ] step through the samples of a benchmark."));
    m_parts.profile->setWhatsThis(
        tr("The locked row of the pattern (else the last) as bars over the tokens: sharp or smooth at a glance."));
}

} // namespace headscope::gui
