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
    void openModel(Slot slot, const QString& model);
    /// Opens what could not be opened for want of a tokenizer, with this one (tokenizer.json, vocab.json or another
    /// file), which is remembered for the model's folder.
    void openWithTokenizer(Slot slot, const QString& file);
    /// Shows what the session holds of a model that is not here (storedpane.cpp).
    void showStored(Slot slot, const std::string& hash);
    void closeB();
    /// Takes an ablation set over as one undoable step.
    void changeAblation(Slot slot, const interventions::InterventionSet& set, const QString& text);
    /// Called by the undo stack only.
    void applyAblation(Slot slot, const interventions::InterventionSet& set);
    void showHead(Slot slot, const widgets::HeadSpan& head);

    /// Measures everything anew: the benchmarks have changed.
    void scoreAgain();
    void stepSample(int step);
    /// Exact rankings and races run as a job; the others are shown as what the map's colours mean.
    void rankHeads(Slot slot, app::RankMethod method = app::RankMethod::Exact);
    /// Heads in the order of what their removal cost, the dearest first; empty before the ranking.
    [[nodiscard]] QStringList ranking(Slot slot) const;
    /// The dearest head that aggregates (or gathers) on this prompt, "L2H3"; empty while it is not known or where there
    /// is none.
    [[nodiscard]] QString foundHead(Slot slot, bool aggregate) const { return pane(slot).found[aggregate ? 1 : 0]; }
    /// The task that heads are ranked by.
    [[nodiscard]] QString rankTask(Slot slot) const;
    [[nodiscard]] std::shared_ptr<const app::ModelSummary> model(Slot slot) const { return pane(slot).model; }
    /// The scoreboard compares `slot` with this state from now on; the baseline of the model itself ends that.
    void compareWith(Slot slot, const app::ModelState& reference);
    void restoreAll(Slot slot);
    void toggleLastRow(Slot slot, bool thisLayerOnly);
    void skipLayer(Slot slot);
    void minimalModel(Slot slot);
    /// A's model as B, everything on: what switching off changed, side by side.
    void openTwin();
    /// The same with an attention head as A and an SSM head as B: who does the retrieval?
    void compareKinds();
    void addMetricFile(Slot slot, const QString& path);
    [[nodiscard]] bool isHybrid(Slot slot) const;
    /// Makes this the prompt of both models.
    void usePrompt(const app::Prompt& prompt) { promptArrived(prompt); }
    [[nodiscard]] const app::Prompt& prompt() const { return m_prompt; }
    /// Canonical text of what is off; empty: nothing.
    [[nodiscard]] QString ablation(Slot slot) const { return QString::fromStdString(pane(slot).set.canonical()); }
    [[nodiscard]] Slot activeSlot() const { return m_active; }
    [[nodiscard]] bool hasModel(Slot slot) const { return pane(slot).model != nullptr; }
    [[nodiscard]] std::shared_ptr<const app::PatternReply> pattern(Slot slot) const
    {
        return m_patterns->pattern(slot);
    }
    [[nodiscard]] Patterns* patterns() const { return m_patterns; }
    /// While kept, this side stays at the prompt it has now and the other goes on.
    void keepPrompt(Slot slot, bool keep);
    [[nodiscard]] QString provenance(Slot slot) const;
    /// Null where none is open.
    [[nodiscard]] sessions::SessionStore* session() { return m_session ? &*m_session : nullptr; }
    /// Puts the patterns on the screen and finished rankings into a session (keepshown.cpp).
    [[nodiscard]] Result<void> keepShown(sessions::SessionStore& session) const;
    /// The same, and the model's row, into the session that is open; says so, or why not.
    void keepPatterns();
    /// The pattern on the screen as it is kept; there must be one.
    [[nodiscard]] sessions::PatternRecord patternRecord(Slot slot) const;

Q_SIGNALS:
    /// The first model is there: leave the welcome page.
    void modelShown();
    void titleChanged(const QString& title);
    void patternShown(headscope::app::Slot slot);
    void scoresFinal(headscope::app::Slot slot);
    void promptShown();
    /// The ranking and the scores of the patterns have told which heads gather and which aggregate.
    void headsFound(headscope::app::Slot slot);
    void ablationChanged(headscope::app::Slot slot);

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
    [[nodiscard]] Pane& pane(Slot slot) { return m_panes[slot == Slot::A ? 0 : 1]; }
    [[nodiscard]] const Pane& pane(Slot slot) const { return m_panes[slot == Slot::A ? 0 : 1]; }
    [[nodiscard]] static QString letter(Slot slot)
    {
        return slot == Slot::A ? QStringLiteral("A") : QStringLiteral("B");
    }
    [[nodiscard]] widgets::HeadMapPanel* map(Slot slot) const { return slot == Slot::A ? m_parts.mapA : m_parts.mapB; }
    [[nodiscard]] widgets::PatternView* view(Slot slot) const
    {
        return m_parts.patterns->view(slot == Slot::A ? widgets::Side::A : widgets::Side::B);
    }

    void connectPrompt();
    void connectMap(Slot slot);
    void connectScores();
    void connectRuns();
    void connectRanking();
    void connectAnswers();

    void modelArrived(Slot slot, std::shared_ptr<const app::ModelSummary> model);
    void promptArrived(const app::Prompt& prompt);
    void scoresArrived(Slot slot, std::shared_ptr<const app::ScoreReply> reply);
    void rankArrived(Slot slot, std::shared_ptr<const std::vector<app::HeadValue>> heads);
    void showMachine();
    void showMetricChoices(Slot slot);
    void startRanking(Slot slot);
    [[nodiscard]] QString rankName(Slot slot) const;
    void headScoresArrived(Slot slot, std::shared_ptr<const app::HeadScores> scores);
    void failureArrived(BackendClient::Kind kind, Slot slot, const QString& sentence);

    void requestPattern(Slot slot);
    void requestScores(Slot slot);
    void requestMissingScores();
    [[nodiscard]] bool isRunning(BackendClient::Kind kind, Slot slot) const;
    void requestFlips(Slot slot);
    void forgetReferencesTo(Slot slot);
    void compareRuns(qint64 first, qint64 second);
    [[nodiscard]] app::ModelState stateOf(Slot slot) const { return {slot, pane(slot).set.canonical()}; }
    [[nodiscard]] app::ModelState referenceOf(Slot slot) const
    {
        return pane(slot).reference.value_or(app::ModelState{slot, {}});
    }
    /// "A, all heads on", "B without L2H5"
    [[nodiscard]] QString stateText(const app::ModelState& state) const;
    /// The entry of the list of models for what is open; a folder that is not in the list is added to it.
    [[nodiscard]] QString choiceOf(Slot slot);
    [[nodiscard]] std::optional<Slot> slotOfRun(const sessions::RunRecord& run) const;
    void requestCurve(Slot slot);
    void showScores(Slot slot);
    void showCurve();
    void showMetric(Slot slot);
    void showMarks(Slot slot);
    void refreshSources();
    void refreshState();
    void rememberRun(Slot slot);
    void refreshRuns();
    /// Shows what another program has stored meanwhile.
    void lookForNews();
    void saveState();
    void restoreState();
    void report(const Result<void>& stored);
    [[nodiscard]] bool isStored(Slot slot) const { return pane(slot).model && pane(slot).model->stored; }
    void showStoredPattern(Slot slot);
    void showStoredScores(Slot slot);
    void sayWhatNeedsTheModel(Slot slot, const QString& what);
    void compareKeptRuns(const sessions::RunRecord& before, const sessions::RunRecord& after);
    void readRuns();
    void keepRun(sessions::RunRecord& run);
    [[nodiscard]] sessions::RunRecord* runOf(qint64 id);
    /// The model's row must be in the session before anything can name it.
    [[nodiscard]] Result<void> keepModel(Slot slot, sessions::SessionStore& session) const;
    [[nodiscard]] Result<void> keepRankings(Slot slot, sessions::SessionStore& session) const;
    [[nodiscard]] QStringList followed(Slot slot) const;
    void lookAtMostImportant(Slot slot);
    void labelHead(Slot slot, const widgets::HeadSpan& head, const std::function<void(sessions::HeadLabel&)>& change);
    void readLabels(Slot slot);
    void forgetLabels();
    void showLabels(Slot slot);
    void showStoredFlips(Slot slot);
    void showStoredExample(const QString& hash);

    /// The folder of the model that was last asked for, if it has no tokenizer of its own; else empty.
    [[nodiscard]] std::filesystem::path folderWithoutTokenizer(Slot slot) const;

    [[nodiscard]] const app::Prompt& promptOf(Slot slot) const
    {
        return pane(slot).keptPrompt ? *pane(slot).keptPrompt : m_prompt;
    }

    Parts m_parts;
    Patterns* m_patterns;
    BackendClient& m_client;
    QUndoStack& m_undo;
    std::array<Pane, 2> m_panes;
    Slot m_active = Slot::A;
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
    AblationCommand(Explorer& explorer, Slot slot, interventions::InterventionSet before,
                    interventions::InterventionSet after, const QString& text);
    void undo() override;
    void redo() override;

private:
    Explorer& m_explorer;
    Slot m_slot;
    interventions::InterventionSet m_before, m_after;
};

} // namespace headscope::gui
