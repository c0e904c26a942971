// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/survey/surveyrun.h"

#include "app/cli/files/texttable.h"
#include "app/cli/runs/sharedrun.h"
#include "app/workbench/heads/factrun.h"
#include "core/base/hash.h"
#include "core/base/words/counted.h"
#include "core/engine/scoring/benchmark.h"

#include <algorithm>

namespace headscope::cli {

namespace {

// Runs to the end. What is measured when it is stopped or fails is stored before it is told.
Result<void> measureSurveyed(const Context& context, app::SurveyRun& run, OpenModel& open,
                             std::optional<app::WorkPart> part)
{
    constexpr std::chrono::milliseconds kTurn(1000);
    const Control control = context.control();
    Result<void> done = open.store() ? run.share(sharingOf(context, open, part), control) : Result<void>();
    for (bool more = !part && !run.finished(); more && done.has_value();) {
        const auto went = run.step(kTurn, control);
        more = went.has_value() && *went;
        done = went.has_value() ? Result<void>() : Result<void>(went.error());
    }
    if (done.has_value())
        return done;
    const auto stored = part ? Result<void>() : run.store();
    return stored.has_value() ? done : stored;
}

// A head that is named by its layer alone is every head of the layer.
Result<std::vector<interventions::HeadRef>> singleHeads(const std::vector<interventions::HeadRef>& heads,
                                                        const lm::ModelSpec& spec)
{
    std::vector<interventions::HeadRef> single;
    for (const interventions::HeadRef& head : heads) {
        const auto mixer = lm::findMixer(spec, {head.layer, head.site, std::max(head.head, 0)});
        if (!mixer.has_value())
            return mixer.error();
        for (int h = std::max(head.head, 0); h <= (head.head < 0 ? (*mixer)->heads - 1 : head.head); ++h)
            single.push_back({head.layer, head.site, h});
    }
    return single;
}

Result<app::FactSheet> factsOf(const Context& context, const SurveyCommandInput& wish, OpenModel& open)
{
    const auto heads = singleHeads(wish.texts.heads, open.spec());
    if (!heads.has_value())
        return heads.error();
    app::FactRequest wanted{.texts = wish.texts, .heads = *heads, .tasks = wish.costs};
    wanted.loss = std::erase(wanted.tasks, kNextToken) > 0;
    const auto prepare = [&](const std::string& task) -> Result<std::shared_ptr<const engine::Benchmark>> {
        auto set = tasks::makeTask(task, wish.texts.taskOptions);
        if (!set.has_value())
            return set.error();
        return engine::Benchmark::make(std::move(*set), *open.scorer, *open.tokenizer, open.subject.bos);
    };
    auto run = app::FactRun::open(open, context.settings, wanted, prepare, context.control());
    if (!run.has_value())
        return run.error();
    for (bool more = true; more;) {
        const auto went = run->step(open.store(), context.control());
        if (!went.has_value())
            return went.error();
        more = *went;
    }
    app::FactSheet sheet = run->sheet();
    if (sheet.known > 0)
        context.note("Known from the session: the cost of " + counted(sheet.known, "removal") + ".");
    for (const std::string& problem : sheet.problems)
        context.note(problem);
    return sheet;
}

} // namespace

std::vector<app::HeadColumn> Surveyed::columns() const
{
    return app::headColumns(result, facts ? &*facts : nullptr);
}

std::vector<std::string> Surveyed::heads() const
{
    std::vector<std::string> names;
    for (const sessions::SurveyHead& head : result.heads)
        names.push_back(head.head);
    return names;
}

void printVocabularyShare(const Context& context, const app::VocabularyShare& words)
{
    if (words.unknown > 0)
        context.note(number(100 * words.share())
                     + " % of the first words are not in the vocabulary; they are read as its token for such, or left "
                       "out where it has none.");
}

Result<void> surveyPart(const Context& context, const app::SurveyRequest& request, OpenModel& open,
                        const app::WorkPart& part)
{
    if (const auto remembered = open.remember(request.ablation); !remembered.has_value())
        return remembered;
    auto run = app::SurveyRun::open(open, request, open.store(), context.control());
    if (!run.has_value())
        return run.error();
    printVocabularyShare(context, run->vocabulary());
    return measurePart(context, *open.store(), part,
                       {{sha256Hex(run->workKey() + ' ' + std::to_string(part.count)),
                         "survey of " + run->source() + " by " + open.provenance(),
                         [&] { return measureSurveyed(context, *run, open, part); }}});
}

Result<Surveyed> surveyModel(const Context& context, const SurveyCommandInput& wish, OpenModel& open)
{
    if (const auto remembered = open.remember(wish.texts.ablation); !remembered.has_value())
        return remembered.error();
    auto run = app::SurveyRun::open(open, wish.texts, open.store(), context.control());
    if (!run.has_value())
        return run.error();
    printVocabularyShare(context, run->vocabulary());
    if (run->knownTokens() > 0)
        context.note("Known from the session: " + counted(run->knownTokens(), "token") + ".");
    if (const auto measured = measureSurveyed(context, *run, open, {}); !measured.has_value())
        return measured.error();
    const auto stored = run->store();
    auto result = run->result();
    if (!result.has_value())
        return result.error();
    Surveyed surveyed{std::move(*result),
                      run->survey().state().measured,
                      run->knownTokens(),
                      run->vocabulary().share(),
                      open.name,
                      open.provenance(),
                      {},
                      run->uniformScores(),
                      {}};
    if (!stored.has_value())
        surveyed.unstored = stored.error();
    if (wish.facts) {
        auto facts = factsOf(context, wish, open);
        if (!facts.has_value())
            return facts.error();
        surveyed.facts = std::move(*facts);
    }
    return surveyed;
}

} // namespace headscope::cli
