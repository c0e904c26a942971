// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Synchronizes the selected heads of the survey and the head maps. GUI thread.

#include "app/state/windowstate.h"
#include "widgets/heads/headmappanel.h"
#include "widgets/survey/surveypage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class SurveySelectionController : public QObject
{
    Q_OBJECT

public:
    SurveySelectionController(WindowState& state, widgets::SurveyPage& page, std::array<widgets::HeadMapPanel*, 2> maps,
                              QObject* parent);

private:
    void toMaps(const QStringList& labels);
    void fromMaps();

    WindowState& m_state;
    widgets::SurveyPage& m_page;
    std::array<widgets::HeadMapPanel*, 2> m_maps;
};

} // namespace headscope::gui
