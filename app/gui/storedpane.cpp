// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that shows what a session holds of models that are not here.
#include "app/gui/explorer.h"
#include "app/gui/presenters.h"
#include "app/gui/stored.h"
#include "app/gui/storedexamples.h"

#include <algorithm>

namespace headscope::gui {

using widgets::MessageBar;

namespace {

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

} // namespace

void Explorer::showStored(Side side, const std::string& hash)
{
    const auto model = storedModel(*m_session, hash);
    if (!model.has_value())
        return report(model.error());
    modelArrived(side, *model);
    Pane& p = pane(side);
    for (const char* method : {"exact", "gather", "aggregate"})
        if (const auto ranking = storedRanking(*m_session, hash, method); ranking.has_value() && *ranking) {
            if (method == std::string("exact"))
                p.effects = *ranking;
            else
                p.ownMetrics[QLatin1String(method)] = **ranking;
        }
    // The newest pattern is what was looked at last; its prompt comes with it.
    if (const auto kept = storedPatternInfo(*m_session, hash, {}, {}, {}); kept.has_value() && *kept) {
        if (const auto head = interventions::parseHead((*kept)->head); head.has_value())
            p.head = headSpan(*p.model, *head);
        const QSignalBlocker quiet(map(side)->view());
        map(side)->view()->setCurrentHead(p.head);
        if (m_prompt.text.empty())
            m_prompt.text = (*kept)->prompt;
        if (m_parts.prompt->prompt().toStdString() != m_prompt.text)
            m_parts.prompt->setPrompt(text(m_prompt.text));
    }
    showMetric(side);
    showMarks(side);
    requestScores(side);
    requestPattern(side);
    m_parts.messages->showMessage(
        MessageBar::Kind::Warning,
        tr("%1 is not here (it was at %2). What the session holds of it is shown; to measure more, say where it is.")
            .arg(text(p.model->name), text(p.model->path)),
        tr("Locate the model …"), side == Side::A ? QStringLiteral("locateA") : QStringLiteral("locateB"));
}

void Explorer::sayWhatNeedsTheModel(Side side, const QString& what)
{
    m_parts.messages->showMessage(
        MessageBar::Kind::Info, tr("%1 needs the model %2, which is not here.").arg(what, text(pane(side).model->name)),
        tr("Locate the model …"), side == Side::A ? QStringLiteral("locateA") : QStringLiteral("locateB"));
}

void Explorer::showStoredPattern(Side side)
{
    const Pane& p = pane(side);
    const std::string head = headName(*p.model, p.head);
    const auto info = storedPatternInfo(*m_session, p.model->hash, head, p.set.canonical(), m_prompt.text);
    if (!info.has_value())
        return report(info.error());
    if (!*info)
        return view(side)->clearPattern(
            tr("The pattern of %1 was not kept for this prompt and state; it needs the model, which is not here.")
                .arg(text(head)));
    const auto pattern = storedPattern(*m_session, (*info)->id);
    if (!pattern.has_value())
        return report(pattern.error());
    m_patterns->showKept(side, {p.model, m_prompt, p.head, text(p.set.canonical()), provenance(side)}, *pattern);
}

void Explorer::showStoredScores(Side side)
{
    const Pane& p = pane(side);
    const auto reply = storedScores(*m_session, p.model->hash, p.model->benchmarks, p.set.canonical());
    if (!reply.has_value())
        return report(reply.error());
    const bool known = std::any_of((*reply)->lines.begin(), (*reply)->lines.end(),
                                   [](const app::BenchmarkScore& line) { return line.hasNow; });
    if (!known && !p.set.empty())
        return sayWhatNeedsTheModel(side, tr("The score with %1").arg(text(p.set.canonical())));
    auto shown = std::make_shared<app::ScoreReply>(**reply);
    shown->reference = referenceOf(side);
    scoresArrived(side, shown);
}

void Explorer::showStoredFlips(Side side)
{
    const Pane& p = pane(side);
    const std::string task = m_flipsTask.toStdString();
    if (p.set.empty() || task.empty())
        return m_parts.scores->setFlips(-1); // nothing can flip against itself
    const auto source = storedExamples(*m_session, {p.model->hash, task, p.set.canonical()});
    if (!source.has_value())
        return report(source.error());
    m_parts.flips->setExamples(taskTitle(m_flipsTask), *source);
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
        promptArrived({.text = storedPrompt(**example)});
}

} // namespace headscope::gui
