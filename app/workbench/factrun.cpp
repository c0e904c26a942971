// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/factrun.h"

#include "core/engine/questions/probetexts.h"
#include "core/survey/frequent.h"
#include "core/why/headweights.h"
#include "core/why/names.h"

#include <algorithm>

namespace headscope::app {

namespace {

const std::vector<std::string> kProbes = {"induction", "previous", "duplicate", "sink"};
constexpr std::size_t kHeadsAtOnce = 32; // whose losses are measured side by side
constexpr std::size_t kBefore = 12;      // tokens told in front of one whose loss rises

std::string nameOf(const lm::ModelSpec& spec, const interventions::HeadRef& head)
{
    const lm::MixerSpec* mixer = spec.layers[static_cast<std::size_t>(head.layer)].find(head.site);
    return why::headName(spec, head.layer, mixer->site(), head.head);
}

GroupLoss groupOf(survey::TokenGroup group, const survey::LossChange& change)
{
    return {survey::name(group), change.before.count(), change.before.mean(), change.change.mean(),
            change.change.interval()};
}

std::optional<LossRise> riseOf(const survey::Windows& windows, const survey::Place& place,
                               const text::Tokenizer& tokenizer)
{
    const auto window = windows.again(place.piece, place.window);
    const auto source = windows.nameOf(place.piece);
    if (!window.has_value() || !source.has_value() || place.position >= window->facts.ids.size())
        return std::nullopt; // the file is gone since
    const std::vector<int>& ids = window->facts.ids;
    LossRise rise{static_cast<double>(place.value),
                  *source,
                  static_cast<int>(place.position),
                  engine::tokenText(tokenizer, ids[place.position]),
                  {}};
    for (std::size_t t = place.position - std::min<std::size_t>(place.position, kBefore); t < place.position; ++t)
        rise.before.push_back(engine::tokenText(tokenizer, ids[t]));
    return rise;
}

} // namespace

Result<FactRun> FactRun::open(OpenModel& open, const Settings& settings, const FactRequest& request, Prepare prepare,
                              const Control& control)
{
    auto texts = openTexts(open, request.texts, control);
    if (!texts.has_value())
        return texts.error();
    FactRun run(open, settings, request, std::move(prepare), std::move(*texts));
    if (run.m_request.heads.empty())
        run.m_request.heads = engine::allHeads(open.spec());
    for (const interventions::HeadRef& head : run.m_request.heads)
        if (const auto mixer = lm::findMixer(open.spec(), head); !mixer.has_value())
            return mixer.error();
    for (const interventions::HeadRef& head : engine::allHeads(open.spec()))
        run.m_sheet.heads.push_back({.head = nameOf(open.spec(), head)});
    return run;
}

HeadFacts& FactRun::factsOf(const std::string& head)
{
    return *std::ranges::find(m_sheet.heads, head, &HeadFacts::head);
}

Result<void> FactRun::unlessStopped(Result<void> done)
{
    if (done.has_value() || done.error().kind == Error::Kind::Cancelled)
        return done;
    m_sheet.problems.push_back(done.error().message);
    return {};
}

void FactRun::readWeights()
{
    const lm::ModelSpec& spec = m_open->spec();
    for (int layer = 0; layer < static_cast<int>(spec.layers.size()); ++layer)
        for (const lm::MixerSpec& mixer : spec.layers[static_cast<std::size_t>(layer)].mixers) {
            const auto factors = why::headFactors(*m_open->loaded.model, layer, mixer.site());
            if (!factors.has_value()) {
                if (std::ranges::find(m_sheet.problems, factors.error().message) == m_sheet.problems.end())
                    m_sheet.problems.push_back(factors.error().message);
                continue;
            }
            const auto scores = why::copyingScores(*m_open->loaded.model, *factors);
            for (std::size_t head = 0; head < scores.size(); ++head)
                factsOf(why::headName(spec, layer, mixer.site(), static_cast<int>(head))).copying = scores[head];
        }
}

Result<void> FactRun::probe(const Control& control)
{
    const lm::Model& model = *m_open->loaded.model;
    const auto base = lm::resolve(m_request.texts.ablation, m_open->spec(), m_open->donors);
    if (!base.has_value())
        return base.error();
    const auto sequences =
        why::repeatedSequences(model, engine::repeatedTokens(*m_open->tokenizer, m_open->spec(), m_request.texts.seed));
    if (!sequences.has_value())
        return sequences.error();
    const auto heads = why::probeHeads(model, *base, *sequences, {}, control);
    if (!heads.has_value())
        return heads.error();
    for (const why::HeadProbe& head : *heads) {
        HeadFacts& facts = factsOf(why::headName(m_open->spec(), head.layer, head.site, head.head));
        facts.probes.clear(); // of an earlier try that gave way
        for (const std::string& probe : kProbes)
            facts.probes.emplace_back(probe, why::scoreOf(head, probe));
        facts.label = why::labelOf(head, kProbes, m_sheet.threshold);
    }
    return {};
}

Result<void> FactRun::attribute(const Control& control)
{
    const auto base = lm::resolve(m_request.texts.ablation, m_open->spec(), m_open->donors);
    if (!base.has_value())
        return base.error();
    survey::FrequentOptions options;
    for (const auto& id : {m_open->tokenizer->bosId(), m_open->tokenizer->eosId()})
        if (id)
            options.besides.push_back(*id);
    const auto told = survey::attributeToFrequent(*m_open->loaded.model, *base, m_texts.windows, options, control);
    if (!told.has_value())
        return told.error();
    m_sheet.frequentOver = told->positions;
    for (std::size_t i = 0; i < told->heads.size(); ++i) {
        const survey::SurveyedHead& head = told->heads[i];
        HeadFacts& facts = factsOf(why::headName(m_open->spec(), head.layer, head.site, head.head));
        facts.frequent.clear();
        for (std::size_t t = 0; t < told->tokens.size(); ++t)
            facts.frequent.emplace_back(engine::tokenText(*m_open->tokenizer, told->tokens[t]), told->means[i][t]);
    }
    return {};
}

Result<void> FactRun::describe(const Control& control)
{
    readWeights();
    if (auto probed = unlessStopped(probe(control)); !probed.has_value())
        return probed;
    return unlessStopped(attribute(control));
}

void FactRun::keepCosts(const std::string& task)
{
    const auto baseline = m_ranking->baseline();
    for (const engine::RankedHead& head : m_ranking->measured()) {
        if (!head.fault.empty())
            continue;
        HeadFacts& facts = factsOf(nameOf(m_open->spec(), head.head));
        if (std::ranges::any_of(facts.costs, [&task](const HeadCost& cost) { return cost.task == task; }))
            continue;
        // A loss is positive whichever way the task's number is better.
        const double sign = baseline.higherIsBetter ? -1 : 1;
        HeadCost cost{task, sign * head.delta, head.interval, -head.margin, head.n};
        if (baseline.higherIsBetter)
            cost.interval = {-head.interval.high, -head.interval.low};
        facts.costs.push_back(std::move(cost));
    }
}

Result<bool> FactRun::stepTask(sessions::SessionStore* session, const Control& control)
{
    const std::string& task = m_request.tasks[m_task];
    const auto next = [this](const Result<void>& ended) -> Result<bool> {
        m_ranking.reset();
        ++m_task;
        const auto told = unlessStopped(ended);
        return told.has_value() ? Result<bool>(true) : Result<bool>(told.error());
    };
    if (!m_ranking) {
        const auto benchmark = m_prepare(task);
        if (!benchmark.has_value())
            return next(benchmark.error());
        m_benchmark = *benchmark;
        m_ranking =
            std::make_unique<HeadRanking>(*m_open, m_settings, *m_benchmark,
                                          RankOptions{.fixed = m_request.texts.ablation, .heads = m_request.heads});
    }
    const auto more = m_ranking->step(session, control);
    if (!more.has_value())
        return more.error().kind == Error::Kind::Cancelled ? more : next(more.error());
    keepCosts(task);
    return *more ? more : next({});
}

Result<bool> FactRun::stepLoss(const Control& control)
{
    if (!m_loss) {
        const std::size_t count = std::min(kHeadsAtOnce, m_request.heads.size() - m_lossHead);
        const auto first = m_request.heads.begin() + static_cast<std::ptrdiff_t>(m_lossHead);
        auto base = lm::resolve(m_request.texts.ablation, m_open->spec(), m_open->donors);
        auto made = base.has_value() ? survey::LossSurvey::make(m_open->loaded.model, std::move(*base), m_texts.windows,
                                                                {first, first + static_cast<std::ptrdiff_t>(count)},
                                                                m_request.texts.places.top, control)
                                     : Result<survey::LossSurvey>(base.error());
        m_lossHead += count;
        if (!made.has_value()) {
            const auto told = unlessStopped(made.error());
            return told.has_value() ? Result<bool>(m_lossHead < m_request.heads.size()) : Result<bool>(told.error());
        }
        m_loss = std::move(*made);
    }
    const auto more = m_loss->step(control);
    if (!more.has_value() && more.error().kind == Error::Kind::Cancelled)
        return more;
    control.progress("next tokens without heads", m_loss->measured().tokens,
                     std::max(m_request.texts.tokens, m_loss->measured().tokens));
    if (more.has_value() && *more)
        return true;
    if (!more.has_value())
        m_sheet.problems.push_back(more.error().message);
    keepLoss(m_sheet.heads, m_sheet.lossOver);
    m_loss.reset();
    return m_lossHead < m_request.heads.size();
}

void FactRun::keepLoss(std::vector<HeadFacts>& heads, std::int64_t& over) const
{
    over = m_loss->measured().tokens;
    for (const survey::HeadLoss& loss : m_loss->results()) {
        const std::string name = why::headName(m_open->spec(), loss.head.layer, loss.head.site, loss.head.head);
        HeadFacts& facts = *std::ranges::find(heads, name, &HeadFacts::head);
        facts.losses.clear();
        facts.rises.clear();
        for (int g = 0; g < survey::kTokenGroups; ++g)
            if (const auto group = static_cast<survey::TokenGroup>(g); loss.of(group).before.count() > 0)
                facts.losses.push_back(groupOf(group, loss.of(group)));
        for (const survey::Place& place : loss.rises.places())
            if (auto rise = riseOf(m_loss->windows(), place, *m_open->tokenizer))
                facts.rises.push_back(std::move(*rise));
    }
}

Result<bool> FactRun::step(sessions::SessionStore* session, const Control& control)
{
    if (!m_described) {
        if (const auto described = describe(control); !described.has_value())
            return described.error();
        m_described = true;
        return true;
    }
    if (m_task < m_request.tasks.size())
        return stepTask(session, control);
    if (m_request.loss && (m_loss || m_lossHead < m_request.heads.size())) {
        const auto more = stepLoss(control);
        if (!more.has_value() || *more)
            return more;
    }
    m_sheet.finished = true;
    return false;
}

FactSheet FactRun::sheet() const
{
    FactSheet sheet = m_sheet;
    if (m_loss && m_loss->measured().tokens > 0)
        keepLoss(sheet.heads, sheet.lossOver);
    return sheet;
}

} // namespace headscope::app
