// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The widgets of the window by name: made by MainWindow, filled by Explorer.

#include "widgets/charts.h"
#include "widgets/continuationview.h"
#include "widgets/flipsview.h"
#include "widgets/headmappanel.h"
#include "widgets/messagebar.h"
#include "widgets/patternpage.h"
#include "widgets/promptbar.h"
#include "widgets/rowprofileview.h"
#include "widgets/runsview.h"
#include "widgets/scoreboardview.h"
#include "widgets/tourpanel.h"
#include "widgets/welcomepage.h"

namespace headscope::gui {

struct Parts {
    widgets::WelcomePage* welcome = nullptr;
    widgets::PromptBar* prompt = nullptr;
    widgets::ContinuationView* continuation = nullptr;
    widgets::MessageBar* messages = nullptr;
    widgets::HeadMapPanel* mapA = nullptr;
    widgets::HeadMapPanel* mapB = nullptr;
    widgets::PatternPage* patterns = nullptr; ///< holds patternA and patternB
    widgets::PatternView* patternA = nullptr;
    widgets::PatternView* patternB = nullptr;
    widgets::RowProfileView* profile = nullptr;
    widgets::ScoreboardView* scores = nullptr;
    widgets::FlipsView* flips = nullptr;
    widgets::KvChart* chart = nullptr;
    widgets::RankingChart* removal = nullptr;
    widgets::RunsView* runs = nullptr;
    widgets::TourPanel* tour = nullptr;
};

} // namespace headscope::gui
