// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window shows, as values with signals: two models with what is done to them and what is known of them, and
// the prompt that they read. A setter reports what changed, once, and drops the results that the change makes untrue.
// Knows no widget, no file and no tensor. GUI thread.

#include "app/state/message.h"
#include "app/state/sidestate.h"

#include "core/analysis/tokenmatch.h"

#include <QObject>
#include <QUndoStack>

#include <array>
#include <functional>
#include <set>

namespace headscope::gui {

class WindowState : public QObject
{
    Q_OBJECT

public:
    /// The steps that can be taken back; each of a prompt holds it twice.
    static constexpr int kMostSteps = 200;

    explicit WindowState(QObject* parent = nullptr) : QObject(parent) { m_undo.setUndoLimit(kMostSteps); }

    [[nodiscard]] const SideState& side(Side side) const { return m_sides[indexOf(side)]; }
    [[nodiscard]] bool hasModel(Side side) const { return m_sides[indexOf(side)].model != nullptr; }
    /// The side whose scores are shown, and that keys and menus act on.
    [[nodiscard]] Side activeSide() const { return m_active; }
    [[nodiscard]] const app::Prompt& prompt() const { return m_prompt; }
    /// What this side reads: its own, or the one of both as its chat template writes it.
    [[nodiscard]] const app::Prompt& promptOf(Side side) const;
    [[nodiscard]] app::ModelState stateOf(Side side) const;
    [[nodiscard]] app::ModelState referenceOf(Side side) const;
    /// The state is its own reference: nothing can differ.
    [[nodiscard]] bool isReference(Side side) const;
    [[nodiscard]] bool isFollowed(const std::string& task) const { return !m_unfollowed.contains(task); }
    [[nodiscard]] const std::set<std::string>& unfollowed() const { return m_unfollowed; }
    /// The benchmark that is scored first and to its last example; empty: none.
    [[nodiscard]] const std::string& pinned() const { return m_pinned; }
    /// The model's benchmarks, then those that a person added; of a stored model those that it was scored on.
    [[nodiscard]] std::vector<std::string> benchmarks(Side side) const;
    /// What a person added: names of tasks and paths of task files.
    [[nodiscard]] const std::vector<std::string>& addedBenchmarks() const { return m_added; }
    /// Those of them that are scored after each change.
    [[nodiscard]] std::vector<std::string> followed(Side side) const;
    /// The benchmark whose examples are looked at: the one that was chosen, or this model's first where it has no such.
    [[nodiscard]] std::string examplesTask(Side side) const;
    /// Which tokens of the two maps are the same piece of text.
    [[nodiscard]] const analysis::TokenMatch& tokenMatch() const { return m_match; }
    /// The token of the other side's map that belongs to this one; -1: none.
    [[nodiscard]] int partner(Side side, int token) const;
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

    /// The same model again keeps its ablation and head; the other side's model brings what is known of it there.
    void setModel(Side side, std::shared_ptr<const app::ModelSummary> model);
    void closeModel(Side side);
    /// What a person does: one step that can be undone.
    void changeAblation(Side side, const interventions::InterventionSet& set, const QString& what);
    /// The same of the prompt; `typed`: a step together with what was typed right before.
    void changePrompt(const app::Prompt& prompt, const QString& what, bool typed = false);
    /// The prompt, which was set step by step since it was `before`, is one step from there.
    void settlePrompt(const app::Prompt& before, const QString& what);
    /// The same of anything else, for as long as `owner` lives.
    void change(QObject* owner, const QString& what, std::function<void()> make, std::function<void()> takeBack);
    /// Without a step: of the undo stack, and of what is restored.
    void setAblation(Side side, const interventions::InterventionSet& set);
    void setHead(Side side, const interventions::HeadRef& head);
    void setLockedRow(Side side, int row);
    void setMetric(Side side, const std::string& metric);
    void setSite(Side side, std::optional<interventions::Site> site);
    /// The model itself with all heads on is what is compared with where nothing else is said.
    void setReference(Side side, const app::ModelState& reference);
    void setActiveSide(Side side);
    void setPrompt(const app::Prompt& prompt);
    void keepPrompt(Side side, bool keep);
    void setFollowed(const std::string& task, bool followed);
    void setUnfollowed(std::set<std::string> tasks);
    void setPinned(const std::string& task);
    void setAddedBenchmarks(std::vector<std::string> tasks);
    void setExamplesTask(const std::string& task);
    /// Every score is of benchmarks that were replaced.
    void forgetScores();

    /// `identity`: of the question; empty where the session says what they cost.
    void setEffects(Side side, std::shared_ptr<const std::vector<app::HeadValue>> heads, app::RankMethod method,
                    const std::string& identity = {});
    void setOwnMetric(Side side, const std::string& id, std::vector<app::HeadValue> values);
    void dropOwnMetric(Side side, const std::string& id) { at(side).ownMetrics.erase(id); }
    void setFoundHeads(Side side, const RetrievalHeads& found);
    void setPattern(Side side, std::shared_ptr<const app::PatternReply> pattern);
    /// There is none, and this is why.
    void setPatternProblem(Side side, const QString& sentence);
    /// Scores of another state or against another reference are not taken.
    void setScores(Side side, std::shared_ptr<const app::ScoreReply> scores);
    void setCurve(Side side, std::shared_ptr<const app::ScoreReply> curve);
    void setHeadScores(Side side, std::shared_ptr<const app::HeadScores> scores);

    void tell(const Message& message) { Q_EMIT told(message); }
    void showError(const Error& error);
    void clearMessage() { Q_EMIT messageCleared(); }

Q_SIGNALS:
    void modelChanged(headscope::Side side); ///< another one, the same again, or none
    void ablationChanged(headscope::Side side);
    void headChanged(headscope::Side side);
    void lockedRowChanged(headscope::Side side);
    void metricChanged(headscope::Side side);
    void siteChanged(headscope::Side side);
    void referenceChanged(headscope::Side side);
    void activeSideChanged();
    void promptChanged();
    void followedChanged();
    void pinnedChanged();
    void benchmarksChanged();
    void examplesTaskChanged();
    void scoresForgotten();
    void effectsChanged(headscope::Side side);
    void ownMetricsChanged(headscope::Side side);
    void foundHeadsChanged(headscope::Side side);
    void patternChanged(headscope::Side side);
    void scoresChanged(headscope::Side side);
    void curveChanged(headscope::Side side);
    void headScoresChanged(headscope::Side side);
    void told(const headscope::gui::Message& message);
    void messageCleared();

private:
    [[nodiscard]] SideState& at(Side side) { return m_sides[indexOf(side)]; }
    /// Nobody is compared with a model that goes.
    void forgetReferencesTo(Side side);

    std::array<SideState, 2> m_sides;
    Side m_active = Side::A;
    app::Prompt m_prompt;
    std::optional<app::Prompt> m_promptOfB; ///< where its text is another
    analysis::TokenMatch m_match;
    std::set<std::string> m_unfollowed;
    std::string m_pinned;
    std::vector<std::string> m_added;
    std::string m_examplesTask;
    QUndoStack m_undo;
};

} // namespace headscope::gui
