// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stores the view of the window and each undo step in the session, and restores the view when the session is opened.
// GUI thread.

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

    /// Sets, before a session is opened, whether its view is restored.
    void setRestoring(bool on) { m_restore = on; }
    /// The next session that is opened opens no models, because the models of the first `sides` sides were named beside
    /// it.
    void useNamedModels(int sides) { m_named = sides; }
    /// Stores the view before the window or the session closes, without waiting for the delay after the last
    /// change.
    void saveNow();

Q_SIGNALS:
    /// The model named by the session is not in its place.
    void modelGone(headscope::Side side, const std::string& hash);

private:
    void connectState();
    void opened();
    void restore(const SavedView& view);
    /// Restores a session that no window has used: opens its first two models.
    void restoreModels();
    void open(Side side, const SavedSide& wanted);
    /// Restores the view of a side once its model is open.
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
    std::array<std::optional<SavedSide>, 2> m_wanted; ///< until its model is open
    QTimer m_pause;
    bool m_restore = true;
    int m_named = 0;         ///< number of sides
    bool m_known = false;    ///< the stored view has been read; it must not be overwritten before
    bool m_applying = false; ///< restoring, which adds no step to the history
};

} // namespace headscope::gui
