// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shows the messages of the state and errors of the worker in the bar below the prompt, and performs next steps that
// need no dialog. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"

#include <QObject>

#include <optional>

namespace headscope::widgets {
class MessageBar;
}

namespace headscope::gui {

class MessageController : public QObject
{
    Q_OBJECT

public:
    MessageController(WindowState& state, app::Door& door, widgets::MessageBar& bar, QObject* parent);

Q_SIGNALS:
    void locateWanted(headscope::Side side);
    void tokenizerWanted(headscope::Side side);
    void smallerTypeWanted(headscope::Side side);
    void openVocabularyRequested();             ///< models that read any words
    void measuringWanted(headscope::Side side); ///< of what each head costs
    void cutWanted(headscope::Side side);

private:
    void show(const Message& message);
    void showOffer();
    void act(const QString& id);

    WindowState& m_state;
    widgets::MessageBar& m_bar;
    QString m_saidInPlace;                       ///< why a prompt could not be read, shown beside the prompt
    std::optional<Message> m_offer;              ///< waits until no other message is shown
    Message m_shown;                             ///< the current message
    const QUndoCommand* m_shownBehind = nullptr; ///< the last undo step then; the index of a full stack stays the same
};

} // namespace headscope::gui
