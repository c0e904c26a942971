// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Explorer that ranks heads: by removing each, as a job that can be paused and stopped, and by what their
// patterns look like; which head to look at, and which gather and which aggregate.
#include "app/gui/explorer.h"
#include "app/gui/presenters.h"

#include <algorithm>

namespace headscope::gui {

using Kind = BackendClient::Kind;

namespace {

constexpr double kMarkFrom = 0.3;

QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

qint64 jobOf(Slot slot)
{
    return slot == Slot::A ? 0 : 1;
}

} // namespace

void Explorer::connectRanking()
{
    connect(&m_client, &BackendClient::rankReady, this, &Explorer::rankArrived);
    connect(&m_client, &BackendClient::progressed, this,
            [this](Kind kind, Slot slot, const QString&, qint64 done, qint64 total) {
                if (kind != Kind::Rank)
                    return;
                RankJob& job = m_rankJobs[slot == Slot::A ? 0 : 1];
                const qint64 before = job.first.value_or(done);
                job.first = before;
                const double seconds = static_cast<double>(job.clock.elapsed()) / 1000;
                job.shown = {.id = jobOf(slot),
                             .name = rankName(slot),
                             .done = done,
                             .total = total,
                             .perSecond = seconds > 0 ? static_cast<double>(done - before) / seconds : 0,
                             .unit = tr("heads"),
                             .canPause = true};
                m_parts.runs->setJob(job.shown);
            });
    const auto ends = [this](Kind kind, Slot slot) {
        if (kind == Kind::Rank && !m_rankJobs[slot == Slot::A ? 0 : 1].shown.paused)
            m_parts.runs->removeJob(jobOf(slot));
    };
    connect(&m_client, &BackendClient::finished, this, [=, this](Kind kind, Slot slot) {
        ends(kind, slot);
        if (kind == Kind::Rank && pane(slot).model && !pane(slot).headScores)
            m_client.requestHeadScores(slot, promptOf(slot), text(pane(slot).set.canonical()));
    });
    connect(&m_client, &BackendClient::cancelled, this, ends);
    connect(&m_client, &BackendClient::failed, this, ends);
    connect(m_parts.runs, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        m_rankJobs[id == 0 ? 0 : 1].shown.paused = false;
        m_client.stop(Kind::Rank, id == 0 ? Slot::A : Slot::B);
        m_parts.runs->removeJob(id);
    });
    // What was measured is in the session: going on measures only the rest.
    connect(m_parts.runs, &widgets::RunsView::pauseRequested, this, [this](qint64 id, bool pause) {
        const Slot slot = id == 0 ? Slot::A : Slot::B;
        m_rankJobs[id == 0 ? 0 : 1].shown.paused = pause;
        m_parts.runs->setJob(m_rankJobs[id == 0 ? 0 : 1].shown);
        if (pause)
            m_client.stop(Kind::Rank, slot);
        else
            startRanking(slot);
    });
}

void Explorer::startRanking(Slot slot)
{
    RankJob& job = m_rankJobs[slot == Slot::A ? 0 : 1];
    job.shown.paused = false;
    job.first.reset();
    job.clock.start();
    m_client.requestRank({.slot = slot,
                          .task = rankTask(slot).toStdString(),
                          .limit = m_rankMethod == app::RankMethod::Race ? 0 : kRankLimit,
                          .method = m_rankMethod});
}

QString Explorer::rankTask(Slot slot) const
{
    const auto& model = pane(slot).model;
    if (!model || model->kvSizes.empty()) // of a stored model only what was scored is known
        return {};
    return text(model->kvTask) + QLatin1String(":pairs=")
           + QString::number(model->kvSizes[std::min<std::size_t>(1, model->kvSizes.size() - 1)]);
}

QStringList Explorer::ranking(Slot slot) const
{
    std::vector<app::HeadValue> heads;
    if (pane(slot).effects)
        heads = *pane(slot).effects;
    std::stable_sort(heads.begin(), heads.end(), [](const auto& a, const auto& b) { return a.delta < b.delta; });
    QStringList names;
    for (const app::HeadValue& head : heads)
        names.append(text(head.text));
    return names;
}

void Explorer::rankHeads(Slot slot, app::RankMethod method)
{
    Pane& p = pane(slot);
    if (!p.model)
        return;
    if (isStored(slot))
        return sayWhatNeedsTheModel(slot, tr("Ranking heads"));
    if (method == app::RankMethod::Exact || method == app::RankMethod::Race) {
        m_rankMethod = method;
        p.metric = QStringLiteral("effect");
        startRanking(slot);
    } else {
        p.metric = method == app::RankMethod::Estimate ? QStringLiteral("estimate")
                   : method == app::RankMethod::Gather ? QStringLiteral("gather")
                                                       : QStringLiteral("aggregate");
    }
    showMetricChoices(slot);
    showMetric(slot);
}

QString Explorer::rankName(Slot slot) const
{
    return (m_rankMethod == app::RankMethod::Race ? tr("Race for the first ten heads of %1")
                                                  : tr("Rank all heads of %1 (ablate, measure, reinsert)"))
        .arg(letter(slot));
}

void Explorer::rankArrived(Slot slot, std::shared_ptr<const std::vector<app::HeadValue>> heads)
{
    Pane& p = pane(slot);
    const bool first = !p.effects || p.effects->size() < heads->size();
    p.effects = heads;
    if (p.metric == QLatin1String("effect"))
        showMetric(slot);
    // When all are measured and nobody has chosen a head yet, look at the one that costs most.
    std::size_t all = 0;
    for (const auto& layer : p.model->layers)
        for (const auto& mixer : layer)
            all += static_cast<std::size_t>(mixer.heads);
    if (first && heads->size() == all && p.set.empty() && (p.head.first == 0 || p.attention))
        lookAtMostImportant(slot);
}

void Explorer::lookAtMostImportant(Slot slot)
{
    const Pane& p = pane(slot);
    if (!p.effects)
        return;
    const app::HeadValue* chosen = nullptr;
    const auto counts = [&](const app::HeadValue& head) { return !p.attention || head.attention == *p.attention; };
    double most = 0;
    for (const app::HeadValue& head : *p.effects)
        if (counts(head) && (!chosen || head.delta < most)) {
            chosen = &head;
            most = head.delta;
        }
    // Of several that cost the same the last layer's is the one that fetches the answer.
    for (const app::HeadValue& head : *p.effects)
        if (counts(head) && head.delta < most + 0.1 && head.layer > chosen->layer && most < -0.1)
            chosen = &head;
    if (!chosen)
        return;
    if (const auto ref = interventions::parseHead(chosen->text); ref.has_value())
        showHead(slot, headSpan(*p.model, *ref));
}

void Explorer::showMarks(Slot slot)
{
    Pane& p = pane(slot);
    if (!p.effects || !p.headScores)
        return;
    const auto& gather = p.headScores->scores.at("gather");
    const auto& aggregate = p.headScores->scores.at("aggregate");
    // A head that retrieval needs is an aggregate head when its last row looks at representatives more than its
    // representatives look at their segments, else a gather head.
    const auto valueOf = [](const std::vector<app::HeadValue>& heads, const std::string& name) {
        for (const app::HeadValue& head : heads)
            if (head.text == name)
                return head.value;
        return 0.0;
    };
    QList<widgets::HeadSpan> gathers, aggregates;
    std::array<double, 2> dearest{};
    p.found = {};
    for (const app::HeadValue& head : *p.effects) {
        if (head.delta > -kMarkFrom)
            continue;
        const auto ref = interventions::parseHead(head.text);
        if (!ref.has_value())
            continue;
        const bool aggregating = valueOf(aggregate, head.text) > valueOf(gather, head.text);
        (aggregating ? aggregates : gathers).append(headSpan(*p.model, *ref));
        if (const std::size_t which = aggregating ? 1 : 0; head.delta < dearest[which]) {
            dearest[which] = head.delta;
            p.found[which] = text(head.text);
        }
    }
    map(slot)->model()->setMarks(gathers, aggregates);
    p.marked = true;
    Q_EMIT headsFound(slot);
}

} // namespace headscope::gui
