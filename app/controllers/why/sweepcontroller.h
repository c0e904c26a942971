// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention knockout by layer: spans of the prompt, swept over windows of layers on request. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/why/sweeppage.h"

#include <QObject>

#include <array>

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
    std::string m_text;                                            ///< the prompt of the offered tokens
};

} // namespace headscope::gui
