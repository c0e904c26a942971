// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The widgets of the window by name: created by MainWindow, filled by Explorer.

#include "widgets/frame/messagebar.h"
#include "widgets/frame/tourpanel.h"
#include "widgets/heads/headmappanel.h"
#include "widgets/pattern/card/patternpage.h"
#include "widgets/prompt/continuationview.h"
#include "widgets/prompt/promptbar.h"
#include "widgets/scores/charts.h"
#include "widgets/scores/flipsview.h"
#include "widgets/scores/runsview.h"
#include "widgets/scores/scoreboardview.h"
#include "widgets/survey/surveypage.h"
#include "widgets/welcome/welcomepage.h"
#include "widgets/why/parts/whypage.h"

class QLabel;

namespace headscope::gui {

struct Parts {
    widgets::WelcomePage* welcome = nullptr;
    widgets::PromptBar* prompt = nullptr;
    widgets::ContinuationView* continuation = nullptr;
    widgets::MessageBar* messages = nullptr;
    QLabel* machine = nullptr; ///< device and memory, in the bottom line
    widgets::HeadMapPanel* mapA = nullptr;
    widgets::HeadMapPanel* mapB = nullptr;
    widgets::PatternPage* patterns = nullptr; ///< contains patternA and patternB
    widgets::PatternView* patternA = nullptr;
    widgets::PatternView* patternB = nullptr;
    widgets::ScoreboardView* scores = nullptr;
    widgets::FlipsView* flips = nullptr;
    widgets::KvChart* chart = nullptr;
    widgets::RankingChart* removal = nullptr;
    widgets::RunsView* runs = nullptr;
    widgets::TourPanel* tour = nullptr;
    widgets::WhyPage* why = nullptr;       ///< in place of the maps
    widgets::SurveyPage* survey = nullptr; ///< likewise
};

} // namespace headscope::gui
