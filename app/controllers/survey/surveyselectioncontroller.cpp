// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/survey/surveyselectioncontroller.h"

#include "app/present/heads/headspans.h"
#include "app/present/text.h"
#include "app/state/modelheads.h"

#include <set>
#include <utility>

namespace headscope::gui {

using widgets::HeadMapView;
using widgets::HeadSpan;

SurveySelectionController::SurveySelectionController(WindowState& state, widgets::SurveyPage& page,
                                                     std::array<widgets::HeadMapPanel*, 2> maps, QObject* parent)
    : QObject(parent), m_state(state), m_page(page), m_maps(maps)
{
    // Behind what else the click does: a row that becomes the current head leaves that one alone selected in the map.
    connect(&page, &widgets::SurveyPage::headsSelected, this, &SurveySelectionController::toMaps, Qt::QueuedConnection);
    for (const Side side : kSides)
        connect(maps[indexOf(side)]->view(), &HeadMapView::headSelectionChanged, this,
                &SurveySelectionController::fromMaps);
}

void SurveySelectionController::toMaps(const QStringList& labels)
{
    std::array<QList<HeadSpan>, 2> spans;
    const auto& rows = m_page.model()->rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& model = m_state.side(rows[i].side).model;
        const auto head = interventions::parseHead(rows[i].head.toStdString());
        if (model && head.has_value() && mixerOf(*model, *head) && labels.contains(m_page.model()->label(i)))
            spans[indexOf(rows[i].side)].append(headSpan(*model, *head));
    }
    for (const Side side : kSides)
        if (m_state.hasModel(side))
            m_maps[indexOf(side)]->view()->setSelectedHeads(spans[indexOf(side)]);
}

void SurveySelectionController::fromMaps()
{
    if (!m_page.isVisible())
        return;
    std::set<std::pair<Side, QString>> chosen;
    for (const Side side : kSides)
        if (const auto& model = m_state.side(side).model)
            for (const HeadSpan& span : m_maps[indexOf(side)]->view()->selectedHeads())
                for (int offset = 0; offset < span.count; ++offset)
                    chosen.emplace(side, text(headName(*model, headRef(*model, span, offset))));
    QStringList labels;
    const auto& rows = m_page.model()->rows();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (chosen.contains({rows[i].side, rows[i].head}))
            labels << m_page.model()->label(i);
    m_page.selectHeads(labels);
}

} // namespace headscope::gui
