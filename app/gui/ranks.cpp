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

qint64 jobOf(Side side)
{
    return side == Side::A ? 0 : 1;
}

} // namespace

void Explorer::connectRanking()
{
    connect(&m_client, &BackendClient::rankReady, this, &Explorer::rankArrived);
    connect(&m_client, &BackendClient::progressed, this,
            [this](Kind kind, Side side, const QString&, qint64 done, qint64 total) {
                if (kind != Kind::Rank)
                    return;
                RankJob& job = m_rankJobs[indexOf(side)];
                const qint64 before = job.first.value_or(done);
                job.first = before;
                const double seconds = static_cast<double>(job.clock.elapsed()) / 1000;
                job.shown = {.id = jobOf(side),
                             .name = rankName(side),
                             .done = done,
                             .total = total,
                             .perSecond = seconds > 0 ? static_cast<double>(done - before) / seconds : 0,
                             .unit = tr("heads"),
                             .canPause = true};
                m_parts.runs->setJob(job.shown);
            });
    const auto ends = [this](Kind kind, Side side) {
        if (kind == Kind::Rank && !m_rankJobs[indexOf(side)].shown.paused)
            m_parts.runs->removeJob(jobOf(side));
    };
    connect(&m_client, &BackendClient::finished, this, [=, this](Kind kind, Side side) {
        ends(kind, side);
        if (kind == Kind::Rank && pane(side).model && !pane(side).headScores)
            m_client.requestHeadScores(side, promptOf(side), text(pane(side).set.canonical()));
    });
    connect(&m_client, &BackendClient::cancelled, this, ends);
    connect(&m_client, &BackendClient::failed, this, ends);
    connect(m_parts.runs, &widgets::RunsView::stopRequested, this, [this](qint64 id) {
        m_rankJobs[id == 0 ? 0 : 1].shown.paused = false;
        m_client.stop(Kind::Rank, id == 0 ? Side::A : Side::B);
        m_parts.runs->removeJob(id);
    });
    // What was measured is in the session: going on measures only the rest.
    connect(m_parts.runs, &widgets::RunsView::pauseRequested, this, [this](qint64 id, bool pause) {
        const Side side = id == 0 ? Side::A : Side::B;
        m_rankJobs[id == 0 ? 0 : 1].shown.paused = pause;
        m_parts.runs->setJob(m_rankJobs[id == 0 ? 0 : 1].shown);
        if (pause)
            m_client.stop(Kind::Rank, side);
        else
            startRanking(side);
    });
}

void Explorer::startRanking(Side side)
{
    RankJob& job = m_rankJobs[indexOf(side)];
    job.shown.paused = false;
    job.first.reset();
    job.clock.start();
    m_client.requestRank({.side = side,
                          .task = rankTask(side).toStdString(),
                          .limit = m_rankMethod == app::RankMethod::Race ? 0 : kRankLimit,
                          .method = m_rankMethod});
}

QString Explorer::rankTask(Side side) const
{
    const auto& model = pane(side).model;
    if (!model || model->kvSizes.empty()) // of a stored model only what was scored is known
        return {};
    return text(model->kvTask) + QLatin1String(":pairs=")
           + QString::number(model->kvSizes[std::min<std::size_t>(1, model->kvSizes.size() - 1)]);
}

QStringList Explorer::ranking(Side side) const
{
    std::vector<app::HeadValue> heads;
    if (pane(side).effects)
        heads = *pane(side).effects;
    std::stable_sort(heads.begin(), heads.end(), [](const auto& a, const auto& b) { return a.delta < b.delta; });
    QStringList names;
    for (const app::HeadValue& head : heads)
        names.append(text(head.text));
    return names;
}

void Explorer::rankHeads(Side side, app::RankMethod method)
{
    Pane& p = pane(side);
    if (!p.model)
        return;
    if (isStored(side))
        return sayWhatNeedsTheModel(side, tr("Ranking heads"));
    if (method == app::RankMethod::Exact || method == app::RankMethod::Race) {
        m_rankMethod = method;
        p.metric = QStringLiteral("effect");
        startRanking(side);
    } else {
        p.metric = method == app::RankMethod::Estimate ? QStringLiteral("estimate")
                   : method == app::RankMethod::Gather ? QStringLiteral("gather")
                                                       : QStringLiteral("aggregate");
    }
    showMetricChoices(side);
    showMetric(side);
}

QString Explorer::rankName(Side side) const
{
    return (m_rankMethod == app::RankMethod::Race ? tr("Race for the first ten heads of %1")
                                                  : tr("Rank all heads of %1 (ablate, measure, reinsert)"))
        .arg(letter(side));
}

void Explorer::rankArrived(Side side, std::shared_ptr<const std::vector<app::HeadValue>> heads)
{
    Pane& p = pane(side);
    const bool first = !p.effects || p.effects->size() < heads->size();
    p.effects = heads;
    if (p.metric == QLatin1String("effect"))
        showMetric(side);
    // When all are measured and nobody has chosen a head yet, look at the one that costs most.
    std::size_t all = 0;
    for (const auto& layer : p.model->layers)
        for (const auto& mixer : layer)
            all += static_cast<std::size_t>(mixer.heads);
    if (first && heads->size() == all && p.set.empty() && (p.head.first == 0 || p.attention))
        lookAtMostImportant(side);
}

void Explorer::lookAtMostImportant(Side side)
{
    const Pane& p = pane(side);
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
        showHead(side, headSpan(*p.model, *ref));
}

void Explorer::showMarks(Side side)
{
    Pane& p = pane(side);
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
    map(side)->model()->setMarks(gathers, aggregates);
    p.marked = true;
    Q_EMIT headsFound(side);
}

} // namespace headscope::gui
