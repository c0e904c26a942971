// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/session/storedmodelcontroller.h"

#include "app/controllers/models/ownfolders.h"
#include "app/present/heads/headspans.h"
#include "app/present/heads/sidenames.h"
#include "app/present/messages.h"
#include "app/present/text.h"
#include "core/base/foldernames.h"

#include <algorithm>

namespace headscope::gui {

using app::SessionDoor;

namespace {

/// A lane of the door: what is asked of one side is no answer to the other.
std::string laneOf(const char* what, Side side)
{
    return what + letterOf(side).toStdString();
}

} // namespace

StoredModelController::StoredModelController(WindowState& state, SessionDoor& door, QObject* parent)
    : QObject(parent), m_state(state), m_door(door)
{
    connect(&state, &WindowState::ablationChanged, this, [this](Side side) {
        showPattern(side);
        showScores(side);
    });
    connect(&state, &WindowState::headChanged, this, &StoredModelController::showPattern);
    connect(&state, &WindowState::promptChanged, this, [this] {
        for (const Side side : kSides)
            showPattern(side);
    });
    connect(&door, &SessionDoor::changed, this, [this] {
        for (const Side side : kSides)
            showScores(side);
    });
}

void StoredModelController::showError(const Error& error)
{
    if (error.kind != Error::Kind::Cancelled) // another session is open
        m_state.showError(error);
}

void StoredModelController::open(Side side, const std::string& hash)
{
    m_door.askLatest<app::StoredModel>(
        this, laneOf("model", side), app::storedModel(hash), [this, side](const Result<app::StoredModel>& model) {
            if (!model.has_value())
                showError(model.error());
            else if (!m_state.hasModel(side) || m_state.side(side).isStored()) // none was loaded meanwhile
                opened(side, *model);
            else if (const app::ModelSummary& open = *m_state.side(side).model; open.hash != model->summary->hash)
                m_state.notify(
                    {.kind = Message::Kind::Warning,
                     .text = tr("The session was using %1, which was at %2; "
                                "%3 stays open. To continue with %1, choose its folder.")
                                 .arg(text(model->summary->name), text(model->summary->path), text(open.name)),
                     .step = Message::Step::LocateModel,
                     .side = side});
        });
}

void StoredModelController::opened(Side side, const app::StoredModel& model)
{
    const SideState& before = m_state.side(side);
    const bool told = before.isStored() && before.model->hash == model.summary->hash; // of the same session, read again
    m_state.setModel(side, model.summary);
    for (const auto& [method, heads] : model.rankings)
        if (method == "exact")
            m_state.setEffects(side, std::make_shared<const std::vector<app::HeadValue>>(heads),
                               app::RankMethod::Exact);
        else
            m_state.setOwnMetric(side, method, heads);
    // The newest pattern is what was looked at last; its prompt comes with it.
    if (model.newest) {
        if (const auto head = interventions::parseHead(model.newest->head); head.has_value())
            m_state.setHead(side, *head);
        if (m_state.prompt().text.empty())
            m_state.setPrompt({.text = model.newest->prompt});
    }
    showScores(side);
    showPattern(side);
    if (!told)
        m_state.notify({.kind = Message::Kind::Warning,
                        .text = (isOwnModel(text(model.summary->path))
                                     ? tr("%1 is not here (it was at %2). Stored results are shown; to "
                                          "measure more, choose its folder.")
                                     : tr("The session says that %1 is at %2, which you have not opened here before. "
                                          "Stored results are shown; to "
                                          "measure more, choose its folder."))
                                    .arg(text(model.summary->name), text(model.summary->path)),
                        .step = Message::Step::LocateModel,
                        .side = side});
    if (model.problem)
        showError(*model.problem);
}

void StoredModelController::showPattern(Side side)
{
    const SideState& now = m_state.side(side);
    if (!now.isStored() || !m_door.isOpen())
        return;
    using Pattern = std::shared_ptr<const app::PatternReply>;
    const app::PatternQuestion question{now.model->hash, now.head, now.ablation, m_state.promptOf(side).text};
    m_door.askLatest<Pattern>(this, laneOf("pattern", side), app::storedPattern(question),
                              [this, side, model = now.model](const Result<Pattern>& pattern) {
                                  if (!pattern.has_value())
                                      showError(pattern.error());
                                  else if (m_state.side(side).model == model)
                                      takePattern(side, *pattern);
                              });
}

void StoredModelController::takePattern(Side side, const std::shared_ptr<const app::PatternReply>& pattern)
{
    const SideState& now = m_state.side(side);
    if (pattern)
        m_state.setPattern(side, pattern);
    else
        m_state.setPatternProblem(
            side, tr("The pattern of %1 was not kept for this prompt and state; it needs the model, which is not here.")
                      .arg(text(headName(*now.model, now.head))));
}

void StoredModelController::showScores(Side side)
{
    const SideState& now = m_state.side(side);
    if (!now.isStored() || !m_door.isOpen())
        return;
    using Scores = std::shared_ptr<const app::ScoreReply>;
    m_door.askLatest<Scores>(this, laneOf("scores", side),
                             app::storedScores(now.model->hash, now.model->benchmarks, now.ablation),
                             [this, side, model = now.model](const Result<Scores>& scores) {
                                 if (!scores.has_value())
                                     showError(scores.error());
                                 else if (m_state.side(side).model == model)
                                     takeScores(side, **scores);
                             });
}

void StoredModelController::takeScores(Side side, const app::ScoreReply& scores)
{
    const SideState& now = m_state.side(side);
    if (now.ablation.empty() || std::ranges::any_of(scores.lines, &app::BenchmarkScore::hasNow)) {
        auto shown = std::make_shared<app::ScoreReply>(scores);
        shown->reference = m_state.referenceOf(side);
        return m_state.setScores(side, shown);
    }
    m_state.notify(needsModel(*now.model, side,
                              tr("The score with %1").arg(text(ablationWithoutFolders(now.ablation.canonical())))));
}

} // namespace headscope::gui
