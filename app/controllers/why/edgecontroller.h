// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of path patching: around the shown head, or a part typed by the user; started by the user, shown pair by
// pair, and cleared when its prompt, model or ablation changes. GUI thread.

#include "app/backend/door.h"
#include "app/state/windowstate.h"
#include "widgets/why/edges/edgepage.h"

#include <QObject>

#include <array>

namespace headscope::gui {

class EdgeController : public QObject
{
    Q_OBJECT

public:
    EdgeController(WindowState& state, app::Door& door, widgets::EdgePage& page, QObject* parent);

    /// Traces edges in every open model.
    void start();
    /// The same for one side and part, with the other prompt made by an exchange: "key", "value" or "binding".
    void startAround(Side side, const QString& part, const QString& exchange);
    /// Writes the result of a side: .csv the numbers, .pdf, .svg and .png the graph. Fails if there is none.
    [[nodiscard]] Result<void> write(Side side, const QString& path) const;

private:
    void start(Side side);
    [[nodiscard]] bool hasQuestion(Side side) const; ///< there are a model and a prompt
    /// Fails for a part that the model does not have.
    [[nodiscard]] Result<app::EdgeQuestion> question(Side side) const;
    /// Requests the cost of a run, if the page is visible.
    void askCost(Side side);
    void stop();
    /// Clears results that belong to another prompt, model or ablation.
    void forget(Side side);
    void show(Side side, std::shared_ptr<const app::EdgeReply> reply);
    /// Makes a part the one in question; a head also becomes the shown one.
    void choose(Side side, const QString& name);
    void save(Side side);

    WindowState& m_state;
    app::Door& m_door;
    widgets::EdgePage& m_page;
    std::array<std::shared_ptr<const app::EdgeReply>, 2> m_shown; ///< null: nothing
};

} // namespace headscope::gui
