// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The prompt as a conversation: turns that a person edits, the text that the models' chat templates make of them, and
// turns that a model writes. GUI thread.

#include "app/backend/door.h"
#include "app/controllers/prompt/promptgrowth.h"
#include "app/state/windowstate.h"
#include "widgets/prompt/conversationview.h"
#include "widgets/prompt/promptbar.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace headscope::gui {

class ConversationController : public QObject
{
    Q_OBJECT

public:
    ConversationController(WindowState& state, app::Door& door, widgets::PromptBar& bar, QObject* parent);

    /// Makes the prompt the first turn of a conversation.
    void begin();
    /// Lets the side's model write the assistant's next turn, or the rest of it.
    void answer(Side side);

private:
    void connectView();
    void connectDoor();
    void edited(bool typed);
    /// Asks the templates for the text of the turns.
    void write(std::vector<text::ChatMessage> turns);
    void written(const std::vector<text::ChatMessage>& turns, const app::WrittenConversation& texts);
    [[nodiscard]] app::Prompt promptFor(const std::vector<text::ChatMessage>& turns,
                                        const app::WrittenConversation& texts) const;
    void showNotes(const app::WrittenConversation& texts);
    void showPrompt();
    void showModels();
    void ask(Side side);
    void partArrived(Side side, const app::ContinuationPart& part);
    void endAnswer(const QString& note);

    /// What a person did to the turns, until it is the prompt.
    struct Edit {
        QString what;
        bool typed = false;
    };

    WindowState& m_state;
    app::Door& m_door;
    widgets::PromptBar& m_bar;
    widgets::ConversationView& m_view;
    QTimer m_typing;
    PromptGrowth m_growth;
    std::optional<Edit> m_edit;
    std::optional<Side> m_toAnswer; ///< when the templates have written what was edited
    bool m_setting = false;         ///< the prompt, as it has just been written
};

} // namespace headscope::gui
