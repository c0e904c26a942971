// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of a head: opened by a double click in the survey's table or plot, or from a head map; a place on it can
// become the prompt. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/heads/headmappanel.h"
#include "widgets/survey/surveypage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class HeadCardController : public QObject
{
    Q_OBJECT

public:
    HeadCardController(WindowState& state, app::Door& door, widgets::SurveyPage& page,
                       std::array<widgets::HeadMapPanel*, 2> maps, QObject* parent);

    /// Returns the page of a head ("L2H5"), without scripts; empty before there is a survey of it.
    [[nodiscard]] QString cardOf(Side side, const QString& head, bool linked, double threshold) const;
    /// Opens the page, or shows on the survey's page what is missing.
    void show(Side side, const QString& head);
    /// Uses the text of a place of the survey as the prompt, with the query's row locked.
    void takePlace(Side side, const QString& head, int place);

private:
    [[nodiscard]] app::FactSheet factsOf(Side side) const;
    void remove(Side side, const QString& head);

    WindowState& m_state;
    app::Door& m_door;
    widgets::SurveyPage& m_page;
    std::array<std::shared_ptr<const app::SurveyReply>, 2> m_surveys;
    std::array<std::shared_ptr<const app::HeadFactsReply>, 2> m_facts;
};

} // namespace headscope::gui
