// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The explorer of models: the controllers of its page, and the functions used by menus, dialogs and tours. GUI thread.

#include "app/window/explorercontrollers.h"
#include "app/window/windowparts.h"

#include <memory>

namespace headscope::gui {

class Explorer : public QObject
{
    Q_OBJECT

public:
    Explorer(const Parts& parts, app::Door& worker, app::SessionDoor& door, WindowState& state,
             QObject* parent = nullptr);

    [[nodiscard]] WindowState& state() { return m_state; }
    [[nodiscard]] ExplorerControllers& controllers() { return m_controllers; }
    // Functions for menus, dialogs and tours, until each of them has the state and the controllers that it needs.
    void setModelChoices(const QList<widgets::Choice>& choices) { m_controllers.models.setChoices(choices); }
    void openModel(Side side, const QString& model) { m_controllers.models.open(side, model); }
    void openWithTokenizer(Side side, const QString& file) { m_controllers.models.openWithTokenizer(side, file); }
    void closeB() { m_controllers.models.closeB(); }
    void openTwin() { m_controllers.models.openTwin(); }
    void compareKinds() { m_controllers.models.compareKinds(); }
    void changeAblation(Side side, const interventions::InterventionSet& set, const QString& what)
    {
        m_state.changeAblation(side, set, what);
    }
    void restoreAll(Side side) { m_state.changeAblation(side, {}, tr("All heads on")); }
    void compareWith(Side side, const app::ModelState& reference) { m_state.setReference(side, reference); }
    void showHead(Side side, const widgets::HeadSpan& head);
    void stepSample(int step) { m_controllers.prompt.stepSample(step); }
    void usePrompt(const app::Prompt& prompt) { m_state.setPrompt(prompt); }
    [[nodiscard]] const app::Prompt& prompt() const { return m_state.prompt(); }
    /// Measures everything again, after a change of the benchmarks.
    void scoreAgain() { m_state.forgetScores(); }
    void rankHeads(Side side, app::RankMethod method = app::RankMethod::Exact)
    {
        m_controllers.ranking.rank(side, method);
    }
    void addMetricFile(Side side, const QString& path) { m_controllers.metrics.addFile(side, path); }
    void keepPrompt(Side side, bool keep) { m_state.keepPrompt(side, keep); }
    /// Returns "L2H3"; empty while it is unknown or if there is none.
    [[nodiscard]] QString foundHead(Side side, bool aggregate) const;
    [[nodiscard]] std::shared_ptr<const app::ModelSummary> model(Side side) const { return m_state.side(side).model; }
    [[nodiscard]] bool hasModel(Side side) const { return m_state.hasModel(side); }
    [[nodiscard]] bool isHybrid(Side side) const;
    [[nodiscard]] Side activeSide() const { return m_state.activeSide(); }
    [[nodiscard]] QString ablation(Side side) const;
    [[nodiscard]] std::shared_ptr<const app::PatternReply> pattern(Side side) const
    {
        return m_state.side(side).pattern;
    }
    /// Stores all work in this file from now on; empty: nowhere. `restore`: restore the view stored in it.
    void openSession(const QString& file, bool restore = true);

Q_SIGNALS:
    /// The first model is open: leave the welcome page.
    void modelShown();
    void scoresFinal(headscope::Side side);
    void headsFound(headscope::Side side);

private:
    app::Door& m_worker;
    app::SessionDoor& m_door;
    WindowState& m_state;
    ExplorerControllers m_controllers;
};

} // namespace headscope::gui
