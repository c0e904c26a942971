// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Keeps in the session what the window shows and each step that was made, and shows it again when the session is
// opened. GUI thread.

#include "app/backend/door.h"
#include "app/backend/session/sessiondoor.h"
#include "app/controllers/models/modelcontroller.h"
#include "app/present/prompt/savedview.h"
#include "app/state/windowstate.h"

#include <QObject>
#include <QTimer>

#include <array>
#include <optional>
#include <string>

namespace headscope::gui {

class RestoreController : public QObject
{
    Q_OBJECT

public:
    RestoreController(WindowState& state, app::SessionDoor& door, app::Door& worker, ModelController& models,
                      QObject* parent);

    /// Before a session is opened: whether it brings what it shows.
    void setRestoring(bool on) { m_restore = on; }
    /// The session that is opened next opens none of its models, because the models of the first `sides` sides were
    /// named beside it.
    void useNamedModels(int sides) { m_named = sides; }
    /// Before the window or the session closes: what is shown is kept though the pause after the last change is not
    /// over.
    void keepNow();

Q_SIGNALS:
    /// The model that the session speaks of is not where it was.
    void modelGone(headscope::Side side, const std::string& hash);

private:
    void connectState();
    void opened();
    void restore(const SavedView& view);
    /// Of a session that no window has worked in: the first two models are what it is about.
    void restoreModels();
    void open(Side side, const SavedSide& wanted);
    /// Takes over what is wanted of a side when its model is there; once.
    void modelArrived(Side side);
    void restoreBesideNamed(Side side, SavedSide wanted);
    void keepStep(Side side);
    void keepView();
    void failed(Side side, const QString& sentence);
    void showError(const Error& error);

    WindowState& m_state;
    app::SessionDoor& m_door;
    app::Door& m_worker;
    ModelController& m_models;
    std::array<std::optional<SavedSide>, 2> m_wanted; ///< until its model is there
    QTimer m_pause;
    bool m_restore = true;
    int m_named = 0;         ///< sides
    bool m_known = false;    ///< what the session shows has been read; before that it must not be written over
    bool m_applying = false; ///< what is restored is not a new step of the history
};

} // namespace headscope::gui
