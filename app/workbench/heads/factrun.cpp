// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/heads/factrun.h"

#include "core/engine/questions/probetexts.h"
#include "core/survey/frequent.h"
#include "core/why/headweights.h"
#include "core/why/names.h"

#include <algorithm>
#include <array>
#include <map>

namespace headscope::app {

namespace {

const std::vector<std::string> kProbes = {"induction", "previous", "duplicate", "sink"};
constexpr std::size_t kHeadsAtOnce = 32;  // whose losses are measured side by side
constexpr std::size_t kTokensBefore = 12; // tokens told in front of one whose loss rises

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

std::optional<LossRise> riseAt(const survey::Windows& windows, const survey::Place& place,
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
    for (std::size_t t = place.position - std::min<std::size_t>(place.position, kTokensBefore); t < place.position; ++t)
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
    run.m_sheet.texts = run.nextTokens().key.questionJson;
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

Result<void> FactRun::readWeights(const Control& control)
{
    const lm::ModelSpec& spec = m_open->spec();
    std::optional<why::VocabularyMap> vocabulary; // read with the first heads that have factors
    for (int layer = 0; layer < static_cast<int>(spec.layers.size()); ++layer)
        for (const lm::MixerSpec& mixer : spec.layers[static_cast<std::size_t>(layer)].mixers) {
            const auto factors = why::headFactors(*m_open->loaded.model, layer, mixer.site());
            if (!factors.has_value()) {
                if (std::ranges::find(m_sheet.problems, factors.error().message) == m_sheet.problems.end())
                    m_sheet.problems.push_back(factors.error().message);
                continue;
            }
            if (control.stopped())
                return cancelledError();
            if (!vocabulary) {
                auto map = why::vocabularyMap(*m_open->loaded.model, control);
                if (!map.has_value())
                    return map.error();
                vocabulary = std::move(*map);
            }
            const auto scores = why::copyingScores(*vocabulary, *factors);
            for (std::size_t head = 0; head < scores.size(); ++head)
                factsOf(why::headName(spec, layer, mixer.site(), static_cast<int>(head))).copying = scores[head];
        }
    return {};
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

RemovalRows FactRun::nextTokens() const
{
    return removalRows(*m_open, m_request.texts, m_texts.hash, m_texts.source, m_texts.windows.options().start);
}

std::vector<interventions::HeadRef> FactRun::unknownHeads(const std::function<bool(const HeadFacts&)>& known)
{
    std::vector<interventions::HeadRef> heads = m_request.heads;
    m_sheet.known += static_cast<int>(std::erase_if(
        heads, [&](const interventions::HeadRef& head) { return known(factsOf(nameOf(m_open->spec(), head))); }));
    return heads;
}

Result<void> FactRun::describe(sessions::SessionStore* session, const Control& control)
{
    if (session && !session->again())
        if (auto taken = takeAllRemovals(*session, nextTokens(), m_sheet); !taken.has_value())
            m_sheet.problems.push_back(taken.error().message);
    if (auto read = unlessStopped(readWeights(control)); !read.has_value())
        return read;
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
        // A loss is positive whichever way the task's number is better; a zero has no sign.
        HeadCost cost{task, head.delta, head.interval, 0.0 - head.margin, head.n};
        if (baseline.higherIsBetter) {
            cost.before = baseline.value;
            cost.loss = 0.0 - head.delta;
            cost.interval = {0.0 - head.interval.high, 0.0 - head.interval.low};
        }
        facts.costs.push_back(std::move(cost));
    }
}

// As the window names them: by the prompt of the first example, with all heads on.
Result<void> FactRun::findRoles(const std::string& task, const Control& control)
{
    const engine::PatternPrompts first{m_benchmark->set(), *m_open->tokenizer, m_open->subject.bos, 0, 1};
    std::map<std::string, std::array<double, 2>> scores;
    for (const auto which : {engine::PatternScore::Gather, engine::PatternScore::Aggregate}) {
        const auto ranked = engine::rankByPattern(*m_open->loaded.model, first, which, {}, control);
        if (!ranked.has_value())
            return ranked.error();
        for (const engine::RankedHead& head : *ranked)
            scores[nameOf(m_open->spec(), head.head)][which == engine::PatternScore::Gather ? 0 : 1] = head.value;
    }
    for (HeadFacts& head : m_sheet.heads)
        for (const HeadCost& cost : head.costs)
            if (cost.task == task && cost.loss >= analysis::kRetrievalHeadCost)
                head.role = analysis::aggregates(scores[head.head][0], scores[head.head][1]) ? "aggregates" : "gathers";
    return {};
}

// A task that is measured: of other rows of it nothing is told any more.
Result<void> FactRun::startTask(sessions::SessionStore* session)
{
    const std::string& task = m_request.tasks[m_task];
    const auto benchmark = m_prepare(task);
    if (!benchmark.has_value())
        return benchmark.error();
    m_benchmark = *benchmark;
    m_taskRows = removalRows(*m_open, m_request.texts.ablation, task, *m_benchmark);
    const auto ofTask = [&task](const HeadCost& cost) { return cost.task == task; };
    for (HeadFacts& head : m_sheet.heads)
        std::erase_if(head.costs, ofTask);
    if (session && !session->again())
        if (auto taken = takeRemovals(*session, m_taskRows, m_sheet); !taken.has_value())
            return taken;
    auto heads = unknownHeads([&](const HeadFacts& head) { return std::ranges::any_of(head.costs, ofTask); });
    if (!heads.empty()) // else the next task is begun
        m_ranking =
            std::make_unique<HeadRanking>(*m_open, m_settings, *m_benchmark,
                                          RankOptions{.fixed = m_request.texts.ablation, .heads = std::move(heads)});
    return {};
}

Result<bool> FactRun::stepTask(sessions::SessionStore* session, const Control& control)
{
    const auto next = [&](Result<void> ended) -> Result<bool> {
        m_ranking.reset();
        const std::string task = m_request.tasks[m_task++];
        if (ended.has_value() && m_benchmark->set().leaves.front().name.find(":pairs=") != std::string::npos
            && m_request.texts.ablation.empty())
            ended = findRoles(task, control);
        const auto told = unlessStopped(ended);
        return told.has_value() ? Result<bool>(true) : Result<bool>(told.error());
    };
    if (!m_ranking)
        if (const auto started = startTask(session); !started.has_value() || !m_ranking)
            return next(started);
    const auto more = m_ranking->step(session, control);
    keepCosts(m_request.tasks[m_task]);
    if (more.has_value() && *more)
        return more;
    // What was measured by now is kept, whatever the reason is that it is over.
    const auto kept = session ? keepRemovals(*session, *m_open, m_taskRows, m_sheet) : Result<void>();
    if (!more.has_value())
        return more.error().kind == Error::Kind::Cancelled ? more : next(more.error());
    return next(kept);
}

// So many heads side by side as a run takes.
Result<void> FactRun::startLoss(const Control& control)
{
    const auto count = static_cast<std::ptrdiff_t>(std::min(kHeadsAtOnce, m_lossHeads->size()));
    std::vector<interventions::HeadRef> heads(m_lossHeads->begin(), m_lossHeads->begin() + count);
    m_lossHeads->erase(m_lossHeads->begin(), m_lossHeads->begin() + count);
    auto base = lm::resolve(m_request.texts.ablation, m_open->spec(), m_open->donors);
    if (!base.has_value())
        return base.error();
    auto made = survey::LossSurvey::make(m_open->loaded.model, std::move(*base), m_texts.windows, std::move(heads),
                                         m_request.texts.places.top, control);
    if (!made.has_value())
        return made.error();
    m_loss = std::move(*made);
    return {};
}

Result<bool> FactRun::stepLoss(sessions::SessionStore* session, const Control& control)
{
    if (!m_lossHeads)
        m_lossHeads = unknownHeads([](const HeadFacts& head) { return !head.losses.empty(); });
    const auto goesOn = [this](Result<void> ended) {
        const auto told = unlessStopped(std::move(ended));
        return told.has_value() ? Result<bool>(!m_lossHeads->empty()) : Result<bool>(told.error());
    };
    if (!m_loss) {
        if (m_lossHeads->empty())
            return false;
        if (auto started = startLoss(control); !started.has_value())
            return goesOn(std::move(started));
    }
    const auto more = m_loss->step(control);
    if (!more.has_value() && more.error().kind == Error::Kind::Cancelled)
        return more;
    control.progress("next tokens without heads", m_loss->measured().tokens,
                     std::max(m_request.texts.tokens, m_loss->measured().tokens));
    if (more.has_value() && *more)
        return true;
    keepLoss(m_sheet.heads, m_sheet.lossOver);
    m_loss.reset();
    if (!more.has_value()) { // of a part of the texts, which cannot be read any more: told, and not kept
        m_lossHeads->clear();
        return goesOn(more.error());
    }
    return goesOn(session ? keepRemovals(*session, *m_open, nextTokens(), m_sheet) : Result<void>());
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
            if (auto rise = riseAt(m_loss->windows(), place, *m_open->tokenizer))
                facts.rises.push_back(std::move(*rise));
    }
}

Result<bool> FactRun::step(sessions::SessionStore* session, const Control& control)
{
    if (!m_described) {
        if (const auto described = describe(session, control); !described.has_value())
            return described.error();
        m_described = true;
        return true;
    }
    if (m_task < m_request.tasks.size())
        return stepTask(session, control);
    if (m_request.loss) {
        const auto more = stepLoss(session, control);
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
