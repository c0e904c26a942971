// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the models that are open say next, asked anew with each prompt, model and ablation. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/answersview.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class AnswerController : public QObject
{
    Q_OBJECT

public:
    AnswerController(WindowState& state, app::Door& door, widgets::AnswersView& view, QObject* parent);

private:
    void refresh(Side side);
    void show(const app::NextTokensRequest& request, const std::shared_ptr<const app::NextTokenReply>& reply);

    /// What was said with all heads on, and of which prompt.
    struct Before {
        std::string prompt;
        QString said;
        bool right = false;
    };
    WindowState& m_state;
    app::Door& m_door;
    widgets::AnswersView& m_view;
    std::array<Before, 2> m_before;
};

} // namespace headscope::gui
