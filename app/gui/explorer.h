// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The loop of the window: what a person does changes the state, the state asks the worker, answers fill the widgets and
// the session. GUI thread; computes nothing.

#include "app/gui/backendclient.h"
#include "app/gui/parts.h"
#include "app/gui/patterns.h"
#include "core/interventions/intervention.h"
#include "sessions/sessionstore.h"
#include "widgets/heads/headmapmodel.h"

#include <QElapsedTimer>
#include <QHash>
#include <QTimer>
#include <QUndoStack>

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace headscope::gui {

constexpr int kRankLimit = 64; ///< examples a head in the automatic ranking

class Explorer : public QObject
{
    Q_OBJECT

public:
    Explorer(const Parts& parts, BackendClient& client, QUndoStack& undo, QObject* parent = nullptr);

    /// Models of the combo boxes; shipped ones first.
    void setModelChoices(const QList<widgets::Choice>& choices);
    /// What is done is kept in this file from now on; `restore`: show what it shows.
    void openSession(const QString& file, bool restore = true);
    void openModel(Side side, const QString& model);
    /// Opens what could not be opened for want of a tokenizer, with this one (tokenizer.json, vocab.json or another
    /// file), which is remembered for the model's folder.
    void openWithTokenizer(Side side, const QString& file);
    /// Shows what the session holds of a model that is not here (storedpane.cpp).
    void showStored(Side side, const std::string& hash);
    void closeB();
    /// Takes an ablation set over as one undoable step.
    void changeAblation(Side side, const interventions::InterventionSet& set, const QString& text);
    /// Called by the undo stack only.
    void applyAblation(Side side, const interventions::InterventionSet& set);
    void showHead(Side side, const widgets::HeadSpan& head);

    /// Measures everything anew: the benchmarks have changed.
    void scoreAgain();
    void stepSample(int step);
    /// Exact rankings and races run as a job; the others are shown as what the map's colours mean.
    void rankHeads(Side side, app::RankMethod method = app::RankMethod::Exact);
    /// Heads in the order of what their removal cost, the dearest first; empty before the ranking.
    [[nodiscard]] QStringList ranking(Side side) const;
    /// The dearest head that aggregates (or gathers) on this prompt, "L2H3"; empty while it is not known or where there
    /// is none.
    [[nodiscard]] QString foundHead(Side side, bool aggregate) const { return pane(side).found[aggregate ? 1 : 0]; }
    /// The task that heads are ranked by.
    [[nodiscard]] QString rankTask(Side side) const;
    [[nodiscard]] std::shared_ptr<const app::ModelSummary> model(Side side) const { return pane(side).model; }
    /// The scoreboard compares `side` with this state from now on; the baseline of the model itself ends that.
    void compareWith(Side side, const app::ModelState& reference);
    void restoreAll(Side side);
    void toggleLastRow(Side side, bool thisLayerOnly);
    void skipLayer(Side side);
    void minimalModel(Side side);
    /// A's model as B, everything on: what switching off changed, side by side.
    void openTwin();
    /// The same with an attention head as A and an SSM head as B: who does the retrieval?
    void compareKinds();
    void addMetricFile(Side side, const QString& path);
    [[nodiscard]] bool isHybrid(Side side) const;
    /// Makes this the prompt of both models.
    void usePrompt(const app::Prompt& prompt) { promptArrived(prompt); }
    [[nodiscard]] const app::Prompt& prompt() const { return m_prompt; }
    /// Canonical text of what is off; empty: nothing.
    [[nodiscard]] QString ablation(Side side) const { return QString::fromStdString(pane(side).set.canonical()); }
    [[nodiscard]] Side activeSide() const { return m_active; }
    [[nodiscard]] bool hasModel(Side side) const { return pane(side).model != nullptr; }
    [[nodiscard]] std::shared_ptr<const app::PatternReply> pattern(Side side) const
    {
        return m_patterns->pattern(side);
    }
    [[nodiscard]] Patterns* patterns() const { return m_patterns; }
    /// While kept, this side stays at the prompt it has now and the other goes on.
    void keepPrompt(Side side, bool keep);
    [[nodiscard]] QString provenance(Side side) const;
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
    void titleChanged(const QString& title);
    void patternShown(headscope::Side side);
    void scoresFinal(headscope::Side side);
    void promptShown();
    /// The ranking and the scores of the patterns have told which heads gather and which aggregate.
    void headsFound(headscope::Side side);
    void ablationChanged(headscope::Side side);

private:
    struct Pane {
        std::shared_ptr<const app::ModelSummary> model;
        interventions::InterventionSet set;
        widgets::HeadSpan head;
        std::shared_ptr<const std::vector<app::HeadValue>> effects;
        std::shared_ptr<const app::ScoreReply> scores;
        std::shared_ptr<const app::ScoreReply> curve; ///< under the set; holds the baseline too
        std::optional<app::Prompt> keptPrompt;
        std::shared_ptr<const app::HeadScores> headScores;      ///< on this prompt, under this set
        QHash<QString, std::vector<app::HeadValue>> ownMetrics; ///< by id, from the person's files
        bool marked = false;                                    ///< gather and aggregate heads are known
        std::optional<bool> attention;                          ///< look at heads of this kind by oneself
        QString metric = QStringLiteral("effect");
        std::array<QString, 2> found;             ///< the dearest gather head and the dearest aggregate head
        std::optional<app::ModelState> reference; ///< what scores are compared with; none: the model with all heads on
    };
    [[nodiscard]] Pane& pane(Side side) { return m_panes[indexOf(side)]; }
    [[nodiscard]] const Pane& pane(Side side) const { return m_panes[indexOf(side)]; }
    [[nodiscard]] static QString letter(Side side)
    {
        return side == Side::A ? QStringLiteral("A") : QStringLiteral("B");
    }
    [[nodiscard]] widgets::HeadMapPanel* map(Side side) const { return side == Side::A ? m_parts.mapA : m_parts.mapB; }
    [[nodiscard]] widgets::PatternView* view(Side side) const { return m_parts.patterns->view(side); }

    void connectPrompt();
    void connectMap(Side side);
    void connectScores();
    void connectRuns();
    void connectRanking();
    void connectAnswers();

    void modelArrived(Side side, std::shared_ptr<const app::ModelSummary> model);
    void promptArrived(const app::Prompt& prompt);
    void scoresArrived(Side side, std::shared_ptr<const app::ScoreReply> reply);
    void rankArrived(Side side, std::shared_ptr<const std::vector<app::HeadValue>> heads);
    void showMachine();
    void showMetricChoices(Side side);
    void startRanking(Side side);
    [[nodiscard]] QString rankName(Side side) const;
    void headScoresArrived(Side side, std::shared_ptr<const app::HeadScores> scores);
    void failureArrived(BackendClient::Kind kind, Side side, const QString& sentence);

    void requestPattern(Side side);
    void requestScores(Side side);
    void requestMissingScores();
    [[nodiscard]] bool isRunning(BackendClient::Kind kind, Side side) const;
    void requestFlips(Side side);
    void forgetReferencesTo(Side side);
    void compareRuns(qint64 first, qint64 second);
    [[nodiscard]] app::ModelState stateOf(Side side) const { return {side, pane(side).set.canonical()}; }
    [[nodiscard]] app::ModelState referenceOf(Side side) const
    {
        return pane(side).reference.value_or(app::ModelState{side, {}});
    }
    /// "A, all heads on", "B without L2H5"
    [[nodiscard]] QString stateText(const app::ModelState& state) const;
    /// The entry of the list of models for what is open; a folder that is not in the list is added to it.
    [[nodiscard]] QString choiceOf(Side side);
    [[nodiscard]] std::optional<Side> sideOfRun(const sessions::RunRecord& run) const;
    void requestCurve(Side side);
    void showScores(Side side);
    void showCurve();
    void showMetric(Side side);
    void showMarks(Side side);
    void refreshSources();
    void refreshState();
    void rememberRun(Side side);
    void refreshRuns();
    /// Shows what another program has stored meanwhile.
    void lookForNews();
    void saveState();
    void restoreState();
    void report(const Result<void>& stored);
    [[nodiscard]] bool isStored(Side side) const { return pane(side).model && pane(side).model->stored; }
    void showStoredPattern(Side side);
    void showStoredScores(Side side);
    void sayWhatNeedsTheModel(Side side, const QString& what);
    void compareKeptRuns(const sessions::RunRecord& before, const sessions::RunRecord& after);
    void readRuns();
    void keepRun(sessions::RunRecord& run);
    [[nodiscard]] sessions::RunRecord* runOf(qint64 id);
    /// The model's row must be in the session before anything can name it.
    [[nodiscard]] Result<void> keepModel(Side side, sessions::SessionStore& session) const;
    [[nodiscard]] Result<void> keepRankings(Side side, sessions::SessionStore& session) const;
    [[nodiscard]] QStringList followed(Side side) const;
    void lookAtMostImportant(Side side);
    void labelHead(Side side, const widgets::HeadSpan& head, const std::function<void(sessions::HeadLabel&)>& change);
    void readLabels(Side side);
    void forgetLabels();
    void showLabels(Side side);
    void showStoredFlips(Side side);
    void showStoredExample(const QString& hash);

    /// The folder of the model that was last asked for, if it has no tokenizer of its own; else empty.
    [[nodiscard]] std::filesystem::path folderWithoutTokenizer(Side side) const;

    [[nodiscard]] const app::Prompt& promptOf(Side side) const
    {
        return pane(side).keptPrompt ? *pane(side).keptPrompt : m_prompt;
    }

    Parts m_parts;
    Patterns* m_patterns;
    BackendClient& m_client;
    QUndoStack& m_undo;
    std::array<Pane, 2> m_panes;
    Side m_active = Side::A;
    bool m_kindsWanted = false; ///< B is being opened to look at its SSM heads
    app::Prompt m_prompt;
    QList<widgets::Choice> m_modelChoices;
    std::array<QString, 2> m_asked;      ///< the model last asked for: folder or name
    std::array<std::string, 2> m_wanted; ///< hashes of the models that the session was last seen with
    QHash<QString, bool> m_follow;
    std::map<std::string, std::map<std::string, sessions::HeadLabel>>
        m_labels; ///< names and colours: by model hash, then by head
    QString m_flipsTask;
    std::optional<sessions::SessionStore> m_session; ///< this thread's own connection
    std::vector<sessions::RunRecord> m_runs; ///< their index is the id in the list, which shows them by position
    QHash<QString, QString> m_runScores;     ///< by model hash and ablation: "KV8 .02  MC .29"
    QHash<QString, QString> m_modelNames;    ///< by hash
    std::int64_t m_seenVersion = 0;          ///< of the session's data
    QTimer m_news;
    QTimer m_save;
    QTimer m_typing;
    struct RankJob {
        widgets::JobState shown;
        std::optional<qint64> first; ///< heads that were done when the clock was started
        QElapsedTimer clock;
    };
    std::array<RankJob, 2> m_rankJobs;
    app::RankMethod m_rankMethod = app::RankMethod::Exact;
    bool m_hinted = false;
    bool m_restoring = false;
};

/// One step of the undo stack: the ablation set of one model before and after.
class AblationCommand : public QUndoCommand
{
public:
    AblationCommand(Explorer& explorer, Side side, interventions::InterventionSet before,
                    interventions::InterventionSet after, const QString& text);
    void undo() override;
    void redo() override;

private:
    Explorer& m_explorer;
    Side m_side;
    interventions::InterventionSet m_before, m_after;
};

} // namespace headscope::gui
