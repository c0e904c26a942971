// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention knockout by layer: spans of the prompt, swept over windows of layers on request. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "core/interventions/intervention.h"
#include "widgets/why/sweeppage.h"

#include <QObject>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace headscope::gui {

class SweepController : public QObject
{
    Q_OBJECT

public:
    SweepController(WindowState& state, app::Door& door, widgets::SweepPage& page, QObject* parent);
    [[nodiscard]] std::shared_ptr<const app::SweepReply> shown(Side side) const { return m_shown[indexOf(side)]; }

private:
    void start();
    void ask(Side side, const app::AnswerTokens& tokens);
    /// Returns whether the tokens of the page are those of this side's prompt.
    [[nodiscard]] bool isOffered(Side side) const;
    /// Returns the choice in this side's tokens; none, with the problem, if it has no such tokens.
    [[nodiscard]] std::optional<widgets::SweepChoice> choiceOf(Side side);
    /// Returns this side's tokens for tokens of the other one's; none: there are none.
    [[nodiscard]] std::optional<interventions::PositionSpan> spanOf(Side side,
                                                                    const interventions::PositionSpan& other) const;
    [[nodiscard]] bool readAlike() const;
    void startAtOnce();
    void forget(Side side);
    /// Takes the tokens of the prompt; the initial choice is what the last token reads of the right segment.
    void takeTokens();
    void refresh();

    WindowState& m_state;
    app::Door& m_door;
    widgets::SweepPage& m_page;
    std::array<std::shared_ptr<const app::SweepReply>, 2> m_shown; ///< null: nothing
    std::array<QString, 2> m_problems;                             ///< why a side is not swept
    /// The tokens in which spans are chosen.
    struct Offered {
        Side side = Side::A;
        std::string model, text; ///< hash, prompt
        std::vector<std::string> tokens;
    } m_offered;
};

} // namespace headscope::gui
