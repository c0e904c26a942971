// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page of edges: around the head that is shown, or a part that is written; asked for by a person, shown pair by
// pair, gone with what it was asked of. GUI thread.

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

    /// Traces in every open model.
    void start();
    /// The same of one side and part, with the other prompt made by an exchange: "key", "value" or "binding".
    void startAround(Side side, const QString& part, const QString& exchange);
    /// What is shown of a side: .csv the numbers, .pdf, .svg and .png the graph. Fails where nothing is.
    [[nodiscard]] Result<void> write(Side side, const QString& path) const;

private:
    void start(Side side);
    [[nodiscard]] bool isAsked(Side side) const; ///< there are a model and a prompt
    /// Fails for a part that the model does not have.
    [[nodiscard]] Result<app::EdgeQuestion> question(Side side) const;
    /// Reports what it would take, where the page is looked at.
    void askCost(Side side);
    void stop();
    /// The shown results belong to another prompt, model or ablation.
    void forget(Side side);
    void show(Side side, std::shared_ptr<const app::EdgeReply> reply);
    /// The part becomes the one that is asked about, a head also the one that is shown.
    void choose(Side side, const QString& name);
    void save(Side side);
    void refreshRunning();

    WindowState& m_state;
    app::Door& m_door;
    widgets::EdgePage& m_page;
    std::array<std::shared_ptr<const app::EdgeReply>, 2> m_shown; ///< null: nothing
};

} // namespace headscope::gui
