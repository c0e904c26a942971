// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/pagerun.h"

#include "app/cli/runs/rankrun.h"
#include "app/cli/runs/savedpattern.h"
#include "app/cli/runs/scorerun.h"
#include "app/cli/why/analysisrun.h"
#include "app/workbench/scores/scoreboard.h"
#include "core/base/samplesource.h"
#include "core/engine/questions/question.h"
#include "core/engine/ranking/rank.h"
#include "core/why/lenses/lens.h"
#include "sessions/analyses.h"

#include <algorithm>

namespace headscope::cli {

namespace {

using interventions::HeadRef;
using interventions::InterventionSet;

/// One model's measurements, step by step.
class PageMeasuring
{
public:
    PageMeasuring(const Context& context, OpenModel& open, const PageMeasurement& wanted)
        : m_context(context), m_open(open), m_wanted(wanted), m_options(wanted.rows.options(context)),
          m_board(app::scoreboardOf(*open.tokenizer, open.spec().maxPositions, m_options)),
          m_heads(engine::allHeads(open.spec()))
    {
        if (!wanted.tasks.empty())
            m_board.benchmarks = expandTasks(wanted.tasks);
    }
    [[nodiscard]] Result<void> run()
    {
        for (const std::string& task : m_board.benchmarks)
            if (const auto done = rank(task); !done.has_value())
                return done;
        for (const int size : m_board.kvSizes)
            if (const auto done = score(m_board.kvTask + ":pairs=" + std::to_string(size), {}); !done.has_value())
                return done;
        if (const auto done = scoreOthers(); !done.has_value())
            return done;
        return lookAtSamples();
    }

private:
    [[nodiscard]] Result<std::shared_ptr<const engine::Benchmark>> benchmarkOf(const std::string& task) const
    {
        return makeBenchmark(m_context, m_open, task, m_options);
    }
    /// As in the window, on the second size.
    [[nodiscard]] std::string firstTask() const
    {
        if (!m_wanted.tasks.empty())
            return m_board.benchmarks.front();
        const std::size_t size = std::min<std::size_t>(1, m_board.kvSizes.size() - 1);
        return m_board.kvTask + ":pairs=" + std::to_string(m_board.kvSizes[size]);
    }

    // What removing each head costs; of a dictionary also what the heads look at, which names their roles.
    [[nodiscard]] Result<void> rank(const std::string& task)
    {
        const auto benchmark = benchmarkOf(task);
        if (!benchmark.has_value())
            return benchmark.error();
        using app::RankMethod;
        std::vector<RankMethod> methods{RankMethod::Exact};
        if (task == firstTask() && task.find("kv") != std::string::npos)
            methods.insert(methods.end(), {RankMethod::Gather, RankMethod::Aggregate});
        for (const RankMethod method : methods) {
            const auto ranking = rankHeads(m_context, m_open, **benchmark, {.method = method, .heads = m_heads});
            if (!ranking.has_value())
                return ranking.error();
            if (const auto kept = rememberRanking(m_open, **benchmark, {}, *ranking); !kept.has_value())
                return kept;
        }
        m_open.scorer->dropCache();
        return {};
    }

    [[nodiscard]] Result<void> score(const std::string& task, const InterventionSet& set)
    {
        auto benchmark = benchmarkOf(task);
        if (!benchmark.has_value())
            return benchmark.error();
        ScoredTask scored{.benchmark = std::move(*benchmark)};
        return scoreTask(m_context, m_open, set, scored);
    }

    [[nodiscard]] Result<void> scoreOthers()
    {
        for (const std::string& text : m_wanted.ablations) {
            const auto set = InterventionSet::parse(text);
            if (!set.has_value())
                return set.error();
            for (const std::string& task : m_board.benchmarks)
                if (const auto done = score(task, *set); !done.has_value())
                    return done;
        }
        return {};
    }

    [[nodiscard]] Result<void> lookAtSamples()
    {
        std::vector<SampleSource> samples;
        for (int i = 0; i < m_wanted.samples; ++i)
            samples.push_back({firstTask(), i});
        for (const std::string& source : m_wanted.sources) {
            const auto placed = parseSampleSource(source);
            if (!placed)
                return inputError("'" + source
                                  + "' is not a sample of a benchmark; expected e.g. 'toy_kv:pairs=8, sample 5'.");
            if (placed->task != firstTask() || placed->sample >= m_wanted.samples)
                samples.push_back(*placed);
        }
        for (const SampleSource& sample : samples) {
            const auto set = tasks::makeTask(sample.task, m_options, *m_open.tokenizer);
            if (!set.has_value())
                return set.error();
            if (const auto done = keepMaps(*set, sample.sample); !done.has_value())
                return done;
            if (const auto done = keepAnswers(*set, sample.sample); !done.has_value())
                return done;
        }
        return {};
    }

    [[nodiscard]] Result<void> keepMaps(const tasks::TaskSet& set, int sample)
    {
        const auto prompt = promptOfExample(m_open, set, sample);
        if (!prompt.has_value())
            return prompt.error();
        if (const auto kept = m_open.remember({}); !kept.has_value())
            return kept;
        const auto patterns =
            engine::patterns(*m_open.loaded.model, prompt->ids, m_heads, {}, m_open.donors, m_context.control());
        if (!patterns.has_value())
            return patterns.error();
        for (const engine::HeadPattern& pattern : *patterns) {
            const auto mixer = lm::findMixer(m_open.spec(), pattern.head);
            const auto kept =
                rememberPattern(m_open, *prompt, {}, pattern, conventionOf((*mixer)->kind, /*withD=*/true));
            if (!kept.has_value())
                return kept;
        }
        return {};
    }

    // With nothing ablated, and without each head: as a lens of the last position, which the session knows how to keep.
    [[nodiscard]] Result<void> keepAnswers(const tasks::TaskSet& set, int sample)
    {
        const auto question = engine::questionOf(set, sample, readerOf(m_open, set));
        if (!question.has_value())
            return {}; // an answer that is generated is not one token
        std::vector<InterventionSet> states{{}};
        for (const HeadRef& head : m_heads)
            states.push_back(engine::without({}, std::span(&head, 1)));
        for (const InterventionSet& state : states)
            if (const auto kept = keepAnswer(*question, state); !kept.has_value())
                return kept;
        return {};
    }

    [[nodiscard]] Result<void> keepAnswer(const engine::Question& question, const InterventionSet& set)
    {
        const int last = static_cast<int>(question.ids.size()) - 1;
        const app::QuestionState asked{m_open.subject, m_open.spec(), *m_open.tokenizer, set};
        const app::LensedPrompt lensed{question, last, last, {}};
        const sessions::AnalysisKey key = app::lensKey(asked, lensed);
        const auto known = sessions::storedAnalysis(*m_open.session, key);
        if (!known.has_value() || known->has_value())
            return known.has_value() ? Result<void>() : Result<void>(known.error());
        const auto base = lm::resolve(set, m_open.spec(), m_open.donors);
        if (!base.has_value())
            return base.error();
        const auto run = why::record(*m_open.loaded.model, question.ids, *base, m_context.control());
        if (!run.has_value())
            return run.error();
        const auto lens = why::lens(*m_open.loaded.model, *run, {1, question.answer}, m_context.control());
        if (!lens.has_value())
            return lens.error();
        if (const auto kept = m_open.remember(set); !kept.has_value())
            return kept;
        return sessions::putAnalysis(*m_open.session, app::lensRecord(asked, lensed, *lens));
    }

    const Context& m_context;
    OpenModel& m_open;
    const PageMeasurement& m_wanted;
    tasks::TaskOptions m_options;
    app::Scoreboard m_board;
    std::vector<HeadRef> m_heads;
};

} // namespace

Result<std::string> measureForPage(const Context& context, const ModelArguments& model, const std::string& session,
                                   const PageMeasurement& wanted)
{
    auto open = openModel(context, model, session);
    if (!open.has_value())
        return open.error();
    const auto done = PageMeasuring(context, *open, wanted).run();
    return done.has_value() ? Result<std::string>(open->subject.model.hash) : Result<std::string>(done.error());
}

} // namespace headscope::cli
