// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content of the window, as values with signals: two models with their interventions and results, and the prompt. A
// setter reports each change once, and discards results that are no longer valid. Independent of widgets, files and
// tensors. GUI thread.

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
    /// Undo steps kept; each step of a prompt contains it twice.
    static constexpr int kMostSteps = 200;

    explicit WindowState(QObject* parent = nullptr) : QObject(parent) { m_undo.setUndoLimit(kMostSteps); }

    [[nodiscard]] const SideState& side(Side side) const { return m_sides[indexOf(side)]; }
    [[nodiscard]] bool hasModel(Side side) const { return m_sides[indexOf(side)].model != nullptr; }
    /// Returns the side whose scores are shown, and that keys and menus act on.
    [[nodiscard]] Side activeSide() const { return m_active; }
    [[nodiscard]] const app::Prompt& prompt() const { return m_prompt; }
    /// Returns the prompt of a side: its own, or the shared one as formatted by its chat template.
    [[nodiscard]] const app::Prompt& promptOf(Side side) const;
    [[nodiscard]] app::ModelState stateOf(Side side) const;
    [[nodiscard]] app::ModelState referenceOf(Side side) const;
    /// Returns whether the state is its own reference, so that nothing can differ.
    [[nodiscard]] bool isReference(Side side) const;
    [[nodiscard]] bool isFollowed(const std::string& task) const { return !m_unfollowed.contains(task); }
    [[nodiscard]] const std::set<std::string>& unfollowed() const { return m_unfollowed; }
    /// Returns the benchmark that is scored first and on all its examples; empty: none.
    [[nodiscard]] const std::string& pinned() const { return m_pinned; }
    /// Returns the model's benchmarks, then those added by the user; of a stored model those that it was scored on.
    [[nodiscard]] std::vector<std::string> benchmarks(Side side) const;
    /// Returns the benchmarks added by the user: names of tasks and paths of task files.
    [[nodiscard]] const std::vector<std::string>& addedBenchmarks() const { return m_added; }
    /// Returns those of the benchmarks that are scored after each change.
    [[nodiscard]] std::vector<std::string> followed(Side side) const;
    /// Returns the benchmark whose examples are shown: the chosen one, or this model's first if it lacks that one.
    [[nodiscard]] std::string examplesTask(Side side) const;
    /// Returns the alignment of the tokens of the two maps by their text.
    [[nodiscard]] const analysis::TokenMatch& tokenMatch() const { return m_match; }
    /// Returns the token of the other side's map that corresponds to this one; -1: none.
    [[nodiscard]] int partner(Side side, int token) const;
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

    /// Sets the model. The same model again keeps ablation and head; a twin of the other side takes over its results.
    void setModel(Side side, std::shared_ptr<const app::ModelSummary> model);
    void closeModel(Side side);
    /// Changes the ablation, as one step that can be undone.
    void changeAblation(Side side, const interventions::InterventionSet& set, const QString& what);
    /// The same for the prompt; `typed`: merged with a step typed right before.
    void changePrompt(const app::Prompt& prompt, const QString& what, bool typed = false);
    /// Makes one undo step of all changes of the prompt since it was `before`.
    void settlePrompt(const app::Prompt& before, const QString& what);
    /// The same for any other change, for as long as `owner` lives.
    void change(QObject* owner, const QString& what, std::function<void()> make, std::function<void()> takeBack);
    /// Sets the ablation without an undo step: used by the undo stack, and when a session is restored.
    void setAblation(Side side, const interventions::InterventionSet& set);
    void setHead(Side side, const interventions::HeadRef& head);
    void setLockedRow(Side side, int row);
    void setMetric(Side side, const std::string& metric);
    void setSite(Side side, std::optional<interventions::Site> site);
    /// Sets the baseline of the scores; by default the model itself with all heads on.
    void setReference(Side side, const app::ModelState& reference);
    void setActiveSide(Side side);
    void setPrompt(const app::Prompt& prompt);
    void rereadPrompt(); ///< the same text is other tokens now
    void keepPrompt(Side side, bool keep);
    void setFollowed(const std::string& task, bool followed);
    void setUnfollowed(std::set<std::string> tasks);
    void setPinned(const std::string& task);
    void setAddedBenchmarks(std::vector<std::string> tasks);
    void setExamplesTask(const std::string& task);
    /// Discards all scores, after their benchmarks were replaced.
    void forgetScores();

    /// `identity`: of the question; empty where the session says what they cost. `shipped`: they come with the program.
    void setEffects(Side side, std::shared_ptr<const std::vector<app::HeadValue>> heads, app::RankMethod method,
                    const std::string& identity = {}, bool shipped = false);
    void setOwnMetric(Side side, const std::string& id, std::vector<app::HeadValue> values);
    void dropOwnMetric(Side side, const std::string& id) { at(side).ownMetrics.erase(id); }
    void setFoundHeads(Side side, const RetrievalHeads& found);
    void setPattern(Side side, std::shared_ptr<const app::PatternReply> pattern);
    void setPatternProblem(Side side, const QString& sentence); ///< why there is no pattern
    /// Ignores scores of another state or with another reference.
    void setScores(Side side, std::shared_ptr<const app::ScoreReply> scores);
    void setCurve(Side side, std::shared_ptr<const app::ScoreReply> curve);
    void setHeadScores(Side side, std::shared_ptr<const app::HeadScores> scores); ///< null: not available

    void notify(const Message& message) { Q_EMIT notified(message); }
    void showError(const Error& error);
    void clearMessage() { Q_EMIT messageCleared(); }

Q_SIGNALS:
    void modelChanged(headscope::Side side); ///< another model, the same again, or none
    void ablationChanged(headscope::Side side);
    void headChanged(headscope::Side side);
    void lockedRowChanged(headscope::Side side);
    void metricChanged(headscope::Side side);
    void siteChanged(headscope::Side side);
    void referenceChanged(headscope::Side side);
    void activeSideChanged();
    void promptChanged(bool reread = false); ///< `reread`: also one that a side keeps
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
    void notified(const headscope::gui::Message& message);
    void messageCleared();

private:
    [[nodiscard]] SideState& at(Side side) { return m_sides[indexOf(side)]; }
    /// Resets references to a model that is closed.
    void forgetReferencesTo(Side side);

    std::array<SideState, 2> m_sides;
    Side m_active = Side::A;
    app::Prompt m_prompt;
    std::optional<app::Prompt> m_promptOfB; ///< if its text differs
    analysis::TokenMatch m_match;
    std::set<std::string> m_unfollowed;
    std::string m_pinned;
    std::vector<std::string> m_added;
    std::string m_examplesTask;
    QUndoStack m_undo;
};

} // namespace headscope::gui
