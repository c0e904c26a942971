// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The next tokens of the open models, updated after each change of prompt, model and ablation; for a text of the user's
// own also the head that reads the answer. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/answersview.h"

#include <QObject>

#include <array>
#include <optional>
#include <string>

namespace headscope::gui {

class AnswerController : public QObject
{
    Q_OBJECT

public:
    AnswerController(WindowState& state, app::Door& door, widgets::AnswersView& view, QObject* parent);
    /// In an exam no head is shown unasked, whatever it reads.
    void setExam() { m_exam = true; }

private:
    void refresh(Side side);
    /// Finds the heads that read the answer in a text of the user's own.
    void askReaders(Side side, const app::Prompt& prompt, const app::NextTokenReply& reply);
    /// Shows the one that reads most of it, unless the user has chosen another head.
    void takeReader(const app::ReadersRequest& request, const app::HeadScores& scores);
    void showReader(Side side);
    void showInPlaceOfRanked(Side side);
    void show(const app::NextTokensRequest& request, const std::shared_ptr<const app::NextTokenReply>& reply);

    /// The answer with all heads on, and its prompt.
    struct Before {
        std::string prompt;
        QString said;
        bool right = false;
    };
    WindowState& m_state;
    app::Door& m_door;
    widgets::AnswersView& m_view;
    bool m_exam = false;
    std::array<Before, 2> m_before;
    std::array<std::optional<interventions::HeadRef>, 2> m_reader; ///< the last head shown because it reads the answer
    std::array<std::optional<interventions::HeadRef>, 2> m_found;  ///< found, but not shown yet
};

} // namespace headscope::gui
