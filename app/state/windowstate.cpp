// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/state/windowstate.h"

#include "app/state/modelheads.h"

#include <QPointer>
#include <QUndoCommand>

#include <algorithm>
#include <utility>

namespace headscope::gui {

using interventions::HeadRef;
using interventions::InterventionSet;

namespace {

/// The ablation set of one model before and after.
class AblationCommand : public QUndoCommand
{
public:
    AblationCommand(WindowState& state, Side side, InterventionSet after, const QString& what)
        : QUndoCommand(what), m_state(state), m_side(side), m_model(state.side(side).model->hash),
          m_before(state.side(side).ablation), m_after(std::move(after))
    {
    }
    void undo() override { set(m_before); }
    void redo() override { set(m_after); }

private:
    void set(const InterventionSet& ablation)
    {
        if (m_state.hasModel(m_side) && m_state.side(m_side).model->hash == m_model)
            m_state.setAblation(m_side, ablation);
    }

    WindowState& m_state;
    Side m_side;
    std::string m_model; ///< hash; on another model the step has no effect
    InterventionSet m_before, m_after;
};

/// The prompt before and after. Continuous typing is merged into one step.
class PromptCommand : public QUndoCommand
{
public:
    PromptCommand(WindowState& state, app::Prompt before, app::Prompt after, const QString& what, bool typed)
        : QUndoCommand(what), m_state(state), m_before(std::move(before)), m_after(std::move(after)), m_typed(typed)
    {
    }
    void undo() override { m_state.setPrompt(m_before); }
    void redo() override { m_state.setPrompt(m_after); }
    [[nodiscard]] int id() const override { return m_typed ? 1 : -1; }
    bool mergeWith(const QUndoCommand* next) override
    {
        m_after = static_cast<const PromptCommand*>(next)->m_after; // only a typed one has this id
        return true;
    }

private:
    WindowState& m_state;
    app::Prompt m_before, m_after;
    bool m_typed;
};

/// Two functions, one of which makes a change and the other reverts it. Neither is called after `owner` has been
/// destroyed.
class Change : public QUndoCommand
{
public:
    Change(QObject* owner, const QString& what, std::function<void()> make, std::function<void()> takeBack)
        : QUndoCommand(what), m_owner(owner), m_make(std::move(make)), m_takeBack(std::move(takeBack))
    {
    }
    void undo() override { call(m_takeBack); }
    void redo() override { call(m_make); }

private:
    void call(const std::function<void()>& function) const
    {
        if (m_owner)
            function();
    }

    QPointer<QObject> m_owner;
    std::function<void()> m_make, m_takeBack;
};

} // namespace

const app::Prompt& WindowState::promptOf(Side which) const
{
    const auto& kept = side(which).keptPrompt;
    return kept ? *kept : which == Side::B && m_promptOfB ? *m_promptOfB : m_prompt;
}

int WindowState::partner(Side side, int token) const
{
    return side == Side::A ? m_match.tokenOfB(token) : m_match.tokenOfA(token);
}

app::ModelState WindowState::stateOf(Side which) const
{
    return {which, side(which).ablation};
}

app::ModelState WindowState::referenceOf(Side which) const
{
    return side(which).reference.value_or(app::ModelState{which, {}});
}

bool WindowState::isReference(Side which) const
{
    return stateOf(which) == referenceOf(which);
}

std::vector<std::string> WindowState::benchmarks(Side which) const
{
    if (!hasModel(which))
        return {};
    std::vector<std::string> tasks = side(which).model->benchmarks;
    if (!side(which).isStored())
        std::ranges::copy_if(m_added, std::back_inserter(tasks), [&tasks](const std::string& task) {
            return std::ranges::find(tasks, task) == tasks.end();
        });
    return tasks;
}

std::vector<std::string> WindowState::followed(Side which) const
{
    std::vector<std::string> tasks = benchmarks(which);
    std::erase_if(tasks, [this](const std::string& task) { return !isFollowed(task); });
    return tasks;
}

std::string WindowState::examplesTask(Side which) const
{
    if (!hasModel(which))
        return {};
    const std::vector<std::string> tasks = benchmarks(which);
    if (std::ranges::find(tasks, m_examplesTask) != tasks.end())
        return m_examplesTask;
    const std::vector<std::string> scored = followed(which);
    return !scored.empty() ? scored.front() : tasks.empty() ? std::string() : tasks.front();
}

void WindowState::forgetReferencesTo(Side which)
{
    for (const Side each : kSides)
        if (at(each).reference && at(each).reference->side == which)
            setReference(each, {each, {}});
}

void WindowState::setModel(Side which, std::shared_ptr<const app::ModelSummary> model)
{
    const SideState before = std::exchange(at(which), {});
    SideState& now = at(which);
    m_match = {};
    now.model = std::move(model);
    const SideState& there = side(otherSide(which));
    const bool again = before.model && before.model->hash == now.model->hash;
    const bool twin = !again && there.model && there.model->hash == now.model->hash;
    now.head = again ? before.head : twin ? there.head : middleHead(*now.model);
    if (again)
        now.ablation = before.ablation;
    if (twin) {
        now.effects = there.effects; // the same model knows what its heads are for
        now.effectsMethod = there.effectsMethod;
        now.effectsIdentity = there.effectsIdentity;
        now.effectsShipped = there.effectsShipped;
    }
    forgetReferencesTo(which);
    Q_EMIT modelChanged(which);
    setActiveSide(which == Side::B && hasModel(Side::A) ? Side::A : which); // until a person chooses the other
}

void WindowState::closeModel(Side which)
{
    if (!hasModel(which))
        return;
    at(which) = {};
    m_match = {};
    forgetReferencesTo(which);
    Q_EMIT modelChanged(which);
    setActiveSide(otherSide(which));
}

void WindowState::changeAblation(Side which, const InterventionSet& set, const QString& what)
{
    if (hasModel(which) && set != side(which).ablation)
        m_undo.push(new AblationCommand(*this, which, set, what));
}

void WindowState::changePrompt(const app::Prompt& prompt, const QString& what, bool typed)
{
    if (m_prompt.text.empty() && m_prompt.turns.empty()) // there is nothing to go back to
        setPrompt(prompt);
    else
        m_undo.push(new PromptCommand(*this, m_prompt, prompt, what, typed));
}

void WindowState::settlePrompt(const app::Prompt& before, const QString& what)
{
    if (m_prompt != before)
        m_undo.push(new PromptCommand(*this, before, m_prompt, what, false));
}

void WindowState::change(QObject* owner, const QString& what, std::function<void()> make,
                         std::function<void()> takeBack)
{
    m_undo.push(new Change(owner, what, std::move(make), std::move(takeBack)));
}

void WindowState::setAblation(Side which, const InterventionSet& set)
{
    if (!hasModel(which))
        return;
    SideState& now = at(which);
    now.ablation = set;
    now.scores.reset();
    now.curve.reset();
    now.headScores.reset();
    now.forgetPages();
    setActiveSide(which);
    Q_EMIT ablationChanged(which);
}

void WindowState::setHead(Side which, const HeadRef& head)
{
    if (!hasModel(which) || !mixerOf(*side(which).model, head))
        return;
    at(which).head = siteNamed(*side(which).model, head);
    Q_EMIT headChanged(which);
}

void WindowState::setLockedRow(Side which, int row)
{
    at(which).lockedRow = row;
    Q_EMIT lockedRowChanged(which);
}

void WindowState::setMetric(Side which, const std::string& metric)
{
    at(which).metric = metric;
    Q_EMIT metricChanged(which);
}

void WindowState::setSite(Side which, std::optional<interventions::Site> site)
{
    at(which).site = site;
    Q_EMIT siteChanged(which);
}

void WindowState::setReference(Side which, const app::ModelState& reference)
{
    auto& now = at(which).reference;
    now = reference == app::ModelState{which, {}} ? std::nullopt : std::optional(reference);
    at(which).scores.reset();
    Q_EMIT referenceChanged(which);
}

void WindowState::setActiveSide(Side which)
{
    if (m_active == which)
        return;
    m_active = which;
    Q_EMIT activeSideChanged();
}

void WindowState::setPrompt(const app::Prompt& prompt)
{
    const bool sameText = prompt.text == m_prompt.text && prompt.textOfB == m_prompt.textOfB
                          && prompt.turns.empty() == m_prompt.turns.empty(); // else the start token differs
    const bool sameAnswer = sameText && prompt.task == m_prompt.task && prompt.answer == m_prompt.answer;
    m_prompt = prompt;
    m_promptOfB.reset();
    if (prompt.textOfB) {
        m_promptOfB = prompt;
        m_promptOfB->text = *prompt.textOfB;
    }
    for (SideState& each : m_sides)
        if (!each.keptPrompt) {
            each.headScores.reset();
            if (!sameText) {
                each.lockedRow = -1;
                each.ownMetrics.erase("changed pattern");
            }
            if (!sameAnswer) {
                each.ownMetrics.erase("prompt");
                each.forgetPages();
            }
        }
    Q_EMIT promptChanged();
}

void WindowState::rereadPrompt()
{
    for (SideState& each : m_sides)
        each.forgetPrompt();
    Q_EMIT promptChanged(true);
}

void WindowState::keepPrompt(Side which, bool keep)
{
    SideState& now = at(which);
    if (keep) {
        now.keptPrompt = app::Prompt(promptOf(which));
        return;
    }
    now.keptPrompt.reset();
    now.forgetPrompt();
    setPrompt(app::Prompt(m_prompt));
}

void WindowState::setFollowed(const std::string& task, bool followed)
{
    if (isFollowed(task) == followed)
        return;
    if (followed)
        m_unfollowed.erase(task);
    else
        m_unfollowed.insert(task);
    Q_EMIT followedChanged();
}

void WindowState::setAddedBenchmarks(std::vector<std::string> tasks)
{
    if (tasks == m_added)
        return;
    m_added = std::move(tasks);
    Q_EMIT benchmarksChanged();
}

void WindowState::setPinned(const std::string& task)
{
    if (task == m_pinned)
        return;
    m_pinned = task;
    Q_EMIT pinnedChanged();
}

void WindowState::setUnfollowed(std::set<std::string> tasks)
{
    m_unfollowed = std::move(tasks);
    Q_EMIT followedChanged();
}

void WindowState::setExamplesTask(const std::string& task)
{
    m_examplesTask = task;
    Q_EMIT examplesTaskChanged();
}

void WindowState::forgetScores()
{
    for (SideState& each : m_sides) {
        each.scores.reset();
        each.curve.reset();
    }
    Q_EMIT scoresForgotten();
}

void WindowState::setEffects(Side which, std::shared_ptr<const std::vector<app::HeadValue>> heads,
                             app::RankMethod method, const std::string& identity, bool shipped)
{
    if (!hasModel(which)) // it was closed meanwhile
        return;
    at(which).effects = std::move(heads);
    at(which).effectsMethod = method;
    at(which).effectsIdentity = identity;
    at(which).effectsShipped = shipped;
    Q_EMIT effectsChanged(which);
}

void WindowState::setOwnMetric(Side which, const std::string& id, std::vector<app::HeadValue> values)
{
    if (!hasModel(which)) // it was closed meanwhile
        return;
    at(which).ownMetrics.insert_or_assign(id, std::move(values));
    Q_EMIT ownMetricsChanged(which);
}

void WindowState::setFoundHeads(Side which, const RetrievalHeads& found)
{
    if (!hasModel(which)) // it was closed meanwhile
        return;
    at(which).found = found;
    Q_EMIT foundHeadsChanged(which);
}

void WindowState::setPattern(Side which, std::shared_ptr<const app::PatternReply> pattern)
{
    if (!hasModel(which)) // it was closed meanwhile
        return;
    const bool sameText = at(which).pattern && at(which).pattern->prompt.ids == pattern->prompt.ids;
    at(which).pattern = std::move(pattern);
    at(which).patternProblem.clear();
    const auto& a = side(Side::A).pattern;
    const auto& b = side(Side::B).pattern;
    if (a && b && !(sameText && m_match.countA() > 0))
        m_match = {{a->text, a->prompt.offsets}, {b->text, b->prompt.offsets}};
    Q_EMIT patternChanged(which);
}

void WindowState::setPatternProblem(Side which, const QString& sentence)
{
    if (!hasModel(which)) // it was closed meanwhile
        return;
    at(which).pattern.reset();
    at(which).patternProblem = sentence;
    Q_EMIT patternChanged(which);
}

void WindowState::setScores(Side which, std::shared_ptr<const app::ScoreReply> scores)
{
    if (!hasModel(which) || scores->ablation != side(which).ablation || scores->reference != referenceOf(which))
        return;
    at(which).scores = std::move(scores);
    Q_EMIT scoresChanged(which);
}

void WindowState::setCurve(Side which, std::shared_ptr<const app::ScoreReply> curve)
{
    if (!hasModel(which) || curve->ablation != side(which).ablation)
        return;
    at(which).curve = std::move(curve);
    Q_EMIT curveChanged(which);
}

void WindowState::setHeadScores(Side which, std::shared_ptr<const app::HeadScores> scores)
{
    if (!hasModel(which) || (scores && scores->ablation != side(which).ablation))
        return;
    at(which).headScores = std::move(scores);
    Q_EMIT headScoresChanged(which);
}

void WindowState::showError(const Error& error)
{
    notify({.kind = Message::Kind::Error, .text = QString::fromStdString(error.message)});
}

} // namespace headscope::gui
