// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that shows what a session holds of models that are not here.
#include "app/gui/explorer.h"
#include "app/gui/stored.h"
#include "app/gui/storedexamples.h"
#include "app/present/headspans.h"
#include "app/present/messages.h"
#include "app/present/sidenames.h"
#include "app/present/tasknames.h"

#include <algorithm>

namespace headscope::gui {

using Kind = BackendClient::Kind;

namespace {

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

} // namespace

void Explorer::connectStored()
{
    connect(&m_client, &BackendClient::failed, this, [this](Kind kind, Side side) {
        if (const auto& wanted = m_wanted[indexOf(side)];
            kind == Kind::Model && m_session && wanted && !wanted->hash.empty() && !m_state.hasModel(side))
            showStored(side, wanted->hash);
    });
    connect(&m_state, &WindowState::ablationChanged, this, [this](Side side) {
        showStoredPattern(side);
        showStoredScores(side);
    });
    connect(&m_state, &WindowState::headChanged, this, &Explorer::showStoredPattern);
    connect(&m_state, &WindowState::promptChanged, this, [this] {
        for (const Side side : kSides)
            showStoredPattern(side);
    });
    const auto showFlips = [this] { showStoredFlips(m_state.activeSide()); };
    connect(&m_state, &WindowState::scoresChanged, this, showFlips);
    connect(&m_state, &WindowState::activeSideChanged, this, showFlips);
    connect(&m_state, &WindowState::examplesTaskChanged, this, showFlips);
    connect(m_parts.flips, &widgets::FlipsView::exampleActivated, this, [this](const QString& sample) {
        if (at(m_state.activeSide()).isStored())
            showStoredExample(sample);
    });
}

void Explorer::showStored(Side side, const std::string& hash)
{
    const auto model = storedModel(*m_session, hash);
    if (!model.has_value())
        return report(model.error());
    m_state.setModel(side, *model);
    for (const char* method : {"exact", "gather", "aggregate"})
        if (const auto ranking = storedRanking(*m_session, hash, method); ranking.has_value() && *ranking) {
            if (method == std::string("exact"))
                m_state.setEffects(side, *ranking, app::RankMethod::Exact);
            else
                m_state.setOwnMetric(side, method, **ranking);
        }
    // The newest pattern is what was looked at last; its prompt comes with it.
    if (const auto kept = storedPatternInfo(*m_session, hash, {}, {}, {}); kept.has_value() && *kept) {
        if (const auto head = interventions::parseHead((*kept)->head); head.has_value())
            m_state.setHead(side, *head);
        if (m_state.prompt().text.empty())
            m_state.setPrompt({.text = (*kept)->prompt});
    }
    showStoredScores(side);
    showStoredPattern(side);
    m_state.tell(
        {.kind = Message::Kind::Warning,
         .text = tr("%1 is not here (it was at %2). What the session holds of it is shown; to measure more, say where "
                    "it is.")
                     .arg(text((*model)->name), text((*model)->path)),
         .step = Message::Step::LocateModel,
         .side = side});
}

void Explorer::showStoredPattern(Side side)
{
    const SideState& now = at(side);
    if (!now.isStored() || !m_session)
        return;
    const auto info = storedPatternInfo(*m_session, now.model->hash, now.head, now.ablation, m_state.prompt().text);
    if (!info.has_value())
        return report(info.error());
    if (!*info)
        return m_state.setPatternProblem(
            side, tr("The pattern of %1 was not kept for this prompt and state; it needs the model, which is not here.")
                      .arg(text(headName(*now.model, now.head))));
    const auto pattern = storedPattern(*m_session, (*info)->id);
    if (!pattern.has_value())
        return report(pattern.error());
    m_state.setPattern(side, *pattern);
}

void Explorer::showStoredScores(Side side)
{
    const SideState& now = at(side);
    if (!now.isStored() || !m_session)
        return;
    const auto reply = storedScores(*m_session, now.model->hash, now.model->benchmarks, now.ablation);
    if (!reply.has_value())
        return report(reply.error());
    const bool known = std::any_of((*reply)->lines.begin(), (*reply)->lines.end(),
                                   [](const app::BenchmarkScore& line) { return line.hasNow; });
    if (!known && !now.ablation.empty())
        return m_state.tell(needsModel(*now.model, side, tr("The score with %1").arg(text(now.ablation.canonical()))));
    auto shown = std::make_shared<app::ScoreReply>(**reply);
    shown->reference = m_state.referenceOf(side);
    m_state.setScores(side, shown);
}

void Explorer::showStoredFlips(Side side)
{
    const SideState& now = at(side);
    if (!now.isStored() || !m_session)
        return;
    const std::string task = m_state.examplesTask(side);
    if (now.ablation.empty() || task.empty())
        return m_parts.scores->setFlips(-1); // nothing can flip against itself
    const auto source = storedExamples(*m_session, {now.model->hash, task, now.ablation.canonical()});
    if (!source.has_value())
        return report(source.error());
    m_parts.flips->setExamples(taskTitle(text(task)), *source);
    const widgets::FlipsModel& rows = *m_parts.flips->model();
    m_parts.scores->setFlips(
        *source ? static_cast<int>(rows.count(widgets::FlipKind::Broken) + rows.count(widgets::FlipKind::Fixed)) : -1);
}

void Explorer::showStoredExample(const QString& hash)
{
    const auto example = m_session->example(hash.toStdString());
    if (!example.has_value())
        return report(example.error());
    if (*example)
        m_state.setPrompt({.text = storedPrompt(**example)});
}

} // namespace headscope::gui
