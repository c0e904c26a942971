// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention knockout in the shown head, its layer or the whole model: edges are marked in the map or the prompt,
// or typed, and become part of the side's ablation; also heads ablated at the tokens marked in the prompt. GUI
// thread.

#include "app/state/windowstate.h"
#include "widgets/pattern/card/patternpage.h"
#include "widgets/prompt/promptbar.h"

#include <QObject>

#include <optional>

namespace headscope::widgets {
struct KnockoutChoice;
}

namespace headscope::gui {

class KnockoutController : public QObject
{
    Q_OBJECT

public:
    KnockoutController(WindowState& state, widgets::PatternPage& page, widgets::PromptBar& bar, QObject* parent);

    /// Opens the dialog, starting with what the shown row reads of the segment that contains the answer.
    void open(Side side);

private:
    void open(Side side, const widgets::KnockoutChoice& first);
    /// Returns that choice: the segment of the answer, read by the shown row.
    [[nodiscard]] widgets::KnockoutChoice likely(Side side) const;
    void useTokens(widgets::TokenUse use, int begin, int end);
    void markSpan(widgets::TokenUse use, const interventions::PositionSpan& span);
    void apply(Side side, const interventions::HeadRef& head, const widgets::KnockoutChoice& choice);

    WindowState& m_state;
    widgets::PatternPage& m_page;
    widgets::PromptBar& m_bar;
    std::optional<interventions::PositionSpan> m_queries, m_keys; ///< marked in the prompt before
};

} // namespace headscope::gui
