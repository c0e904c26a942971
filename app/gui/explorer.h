// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is kept between the window and its session: runs, labels, models that are not here, and what was on the screen.
// Everything else is the state's and its controllers'. GUI thread.

#include "app/gui/explorercontrollers.h"
#include "app/gui/parts.h"
#include "sessions/sessionstore.h"

#include <QHash>
#include <QTimer>

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace headscope::gui {

class Explorer : public QObject
{
    Q_OBJECT

public:
    Explorer(const Parts& parts, BackendClient& client, WindowState& state, QObject* parent = nullptr);

    [[nodiscard]] WindowState& state() { return m_state; }
    [[nodiscard]] ExplorerControllers& controllers() { return m_controllers; }
    // What menus, dialogs and tours ask for, until each of them has the state and the controllers that it needs.
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
    /// Measures everything anew: the benchmarks have changed.
    void scoreAgain() { m_state.forgetScores(); }
    void rankHeads(Side side, app::RankMethod method = app::RankMethod::Exact)
    {
        m_controllers.ranking.rank(side, method);
    }
    void addMetricFile(Side side, const QString& path) { m_controllers.metrics.addFile(side, path); }
    void keepPrompt(Side side, bool keep) { m_state.keepPrompt(side, keep); }
    /// "L2H3"; empty while it is not known or where there is none.
    [[nodiscard]] QString foundHead(Side side, bool aggregate) const;
    [[nodiscard]] std::shared_ptr<const app::ModelSummary> model(Side side) const { return at(side).model; }
    [[nodiscard]] bool hasModel(Side side) const { return m_state.hasModel(side); }
    [[nodiscard]] bool isHybrid(Side side) const;
    [[nodiscard]] Side activeSide() const { return m_state.activeSide(); }
    [[nodiscard]] QString ablation(Side side) const { return QString::fromStdString(at(side).ablation.canonical()); }
    [[nodiscard]] std::shared_ptr<const app::PatternReply> pattern(Side side) const { return at(side).pattern; }

    /// What is done is kept in this file from now on; `restore`: show what it shows.
    void openSession(const QString& file, bool restore = true);
    /// Shows what the session holds of a model that is not here (storedpane.cpp).
    void showStored(Side side, const std::string& hash);
    /// Null where none is open.
    [[nodiscard]] sessions::SessionStore* session() { return m_session ? &*m_session : nullptr; }
    /// Puts the patterns on the screen and finished rankings into a session (keepshown.cpp).
    [[nodiscard]] Result<void> keepShown(sessions::SessionStore& session) const;
    /// The same, and the model's row, into the session that is open; says so, or why not.
    void keepPatterns();
    /// The pattern on the screen as it is kept; there must be one.
    [[nodiscard]] sessions::PatternRecord patternRecord(Side side) const;

Q_SIGNALS:
    /// The first model is there: leave the welcome page.
    void modelShown();
    void scoresFinal(headscope::Side side);
    void headsFound(headscope::Side side);

private:
    void connectRuns();
    void connectLabels();
    void connectStored();
    void connectKept();
    void compareRuns(qint64 first, qint64 second);
    [[nodiscard]] std::optional<Side> sideOfRun(const sessions::RunRecord& run) const;
    void rememberRun(Side side);
    void refreshRuns();
    /// Shows what another program has stored meanwhile.
    void lookForNews();
    void saveState();
    void restoreState();
    void restoreSide(Side side);
    void report(const Result<void>& stored);
    void showStoredPattern(Side side);
    void showStoredScores(Side side);
    void compareKeptRuns(const sessions::RunRecord& before, const sessions::RunRecord& after);
    void readRuns();
    void keepRun(sessions::RunRecord& run);
    [[nodiscard]] sessions::RunRecord* runOf(qint64 id);
    /// The model's row must be in the session before anything can name it.
    [[nodiscard]] Result<void> keepModel(Side side, sessions::SessionStore& session) const;
    [[nodiscard]] Result<void> keepRankings(Side side, sessions::SessionStore& session) const;
    void labelHead(Side side, const widgets::HeadSpan& head, const std::function<void(sessions::HeadLabel&)>& change);
    void readLabels(Side side);
    void forgetLabels();
    void showLabels(Side side);
    void showStoredFlips(Side side);
    void showStoredExample(const QString& hash);
    [[nodiscard]] const SideState& at(Side side) const { return m_state.side(side); }
    [[nodiscard]] widgets::HeadMapPanel* map(Side side) const { return side == Side::A ? m_parts.mapA : m_parts.mapB; }

    /// What the session last showed of a side, until its model is there.
    struct Wanted {
        std::string hash;
        interventions::InterventionSet ablation;
        std::optional<interventions::HeadRef> head;
        std::string metric;
    };

    Parts m_parts;
    BackendClient& m_client;
    WindowState& m_state;
    ExplorerControllers m_controllers;
    std::array<std::optional<Wanted>, 2> m_wanted;
    /// Names and colours: by model hash, then by head.
    std::map<std::string, std::map<std::string, sessions::HeadLabel>> m_labels;
    std::optional<sessions::SessionStore> m_session; ///< this thread's own connection
    std::vector<sessions::RunRecord> m_runs; ///< their index is the id in the list, which shows them by position
    QHash<QString, QString> m_runScores;     ///< by model hash and ablation: "KV8 .02  MC .29"
    QHash<QString, QString> m_modelNames;    ///< by hash
    std::int64_t m_seenVersion = 0;          ///< of the session's data
    QTimer m_news;
    QTimer m_save;
    bool m_restoring = false; ///< what is restored is no new step of the history
};

} // namespace headscope::gui
