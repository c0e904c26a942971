// SPDX-License-Identifier: GPL-3.0-or-later
// The scoreboard's numbers, some examples at a time: in turns over the benchmarks, the baseline's rows just ahead of
// those of the state now, so that the first estimate is early and what a person waits for ends. Worker thread.

#include "app/backend/scores/scoring.h"
#include "app/workbench/scores/workportion.h"
#include "core/base/elapsed.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace headscope::app {

namespace {

class ScoreJob
{
public:
    /// `pinned`: the task that is first and waited for to its last example; empty: none.
    ScoreJob(ModelState now, ModelState reference, std::vector<std::string> tasks, std::string pinned);

    /// One portion of one benchmark; `stream` gets an estimate every 40 ms and behind the portion. False when all rows
    /// are in. When stopped, it goes on where it was.
    [[nodiscard]] Result<bool> step(Models& models, const Send<ScoreReply>& stream, const Control& control);
    [[nodiscard]] const ScoreReply& reply() const { return m_reply; }
    /// Whether there is time left, and something is undecided or only just begun.
    [[nodiscard]] bool isWaitedFor() const;
    /// From now on nobody waits.
    void goOnLater();

private:
    struct Task {
        PairedBenchmark benchmark; ///< null: not made yet
        std::int64_t tokens = 0;   ///< run so far
        bool decided = false;      ///< at any time: that is enough
        bool over = false;
    };
    /// What a step runs.
    struct Portion {
        std::size_t task = 0;
        bool ofReference = false;
        engine::Portion rows;
    };
    [[nodiscard]] bool isPinned(std::size_t task) const { return m_names[task] == m_pinned; }
    [[nodiscard]] Result<void> start(Models& models);
    [[nodiscard]] Result<void> make(Models& models, std::size_t task);
    /// The next portion of a task; without rows where all are in.
    [[nodiscard]] Result<Portion> nextOf(Models& models, std::size_t task);
    [[nodiscard]] std::optional<std::size_t> nextTask(const Models& models) const; ///< nothing: all are over
    [[nodiscard]] std::optional<Portion> next(Models& models);
    [[nodiscard]] Result<void> run(Models& models, const Portion& portion, const Send<ScoreReply>& stream,
                                   const Control& control);
    [[nodiscard]] Result<void> finish(Models& models, std::size_t task);
    /// Rows of a portion stream in; a portion is over; all are in.
    enum class Look { Streaming, Between, Final };
    [[nodiscard]] Result<void> updateLine(Models& models, std::size_t task, Look look);
    void fail(std::size_t task, const Error& error);
    void count();

    ModelState m_now, m_reference;
    std::vector<std::string> m_names;
    std::string m_pinned;
    std::chrono::milliseconds m_patience{};
    std::chrono::steady_clock::time_point m_started, m_streamed;
    SideModel m_after, m_before;
    std::vector<Task> m_tasks;
    ScoreReply m_reply;
    bool m_later = false;
};

using Clock = std::chrono::steady_clock;
constexpr auto kStreamInterval = std::chrono::milliseconds(40);
constexpr auto kAtOnce = std::chrono::seconds(3); // what ends by then ends before anything else goes on

std::vector<bool> knownRows(const engine::Rows& rows)
{
    std::vector<bool> known(rows.outcomes.size());
    std::transform(rows.outcomes.begin(), rows.outcomes.end(), known.begin(),
                   [](const auto& outcome) { return outcome.has_value(); });
    return known;
}

// Who stops where it is decided looks after each batch.
std::int64_t tokensOf(const Settings& settings, const lm::ModelSpec& spec)
{
    return settings.stopWidth > 0 ? 1 : portionTokens(spec);
}

} // namespace

ScoreJob::ScoreJob(ModelState now, ModelState reference, std::vector<std::string> tasks, std::string pinned)
    : m_now(std::move(now)), m_reference(std::move(reference)), m_names(std::move(tasks)), m_pinned(std::move(pinned))
{
}

Result<void> ScoreJob::start(Models& models)
{
    m_started = m_streamed = Clock::now();
    m_patience = models.patience();
    auto after = sideModel(models, m_now);
    if (!after.has_value())
        return after.error();
    auto before = sideModel(models, m_reference);
    if (!before.has_value())
        return before.error();
    const auto edits = lm::resolve(after->set, after->model->spec(), after->model->donors, lm::Others::Examples);
    if (!edits.has_value())
        return edits.error();
    m_after = std::move(*after);
    m_before = std::move(*before);
    m_reply = {.ablation = m_now.ablation, .reference = m_reference};
    m_reply.fromLayer = edits->layers.empty() ? 0 : edits->layers.begin()->first;
    for (const std::string& task : m_names)
        m_reply.lines.push_back({.task = task});
    m_tasks.resize(m_names.size());
    return {};
}

bool ScoreJob::isWaitedFor() const
{
    const auto waited = Clock::now() - m_started;
    if (m_later || waited >= m_patience)
        return false;
    if (waited < kAtOnce)
        return true;
    for (std::size_t i = 0; i < m_tasks.size(); ++i)
        if (!m_tasks[i].over && (!m_tasks[i].decided || isPinned(i)))
            return true;
    return false;
}

void ScoreJob::goOnLater()
{
    m_later = true;
    m_reply.later = true;
}

Result<void> ScoreJob::make(Models& models, std::size_t task)
{
    if (m_tasks[task].benchmark.now)
        return {};
    auto made = pairedBenchmark(models, m_after, m_before, m_names[task]);
    if (!made.has_value())
        return made.error();
    m_tasks[task].benchmark = std::move(*made);
    m_reply.lines[task].total = static_cast<int>(m_tasks[task].benchmark.now->set().examples.size());
    return {};
}

Result<ScoreJob::Portion> ScoreJob::nextOf(Models& models, std::size_t task)
{
    const PairedBenchmark& benchmark = m_tasks[task].benchmark;
    const auto reference = models.known(*m_before.model, benchmark.reference, m_before.set);
    if (!reference.has_value())
        return reference.error();
    const auto now = models.known(*m_after.model, benchmark.now, m_after.set);
    if (!now.has_value())
        return now.error();
    // First what the baseline is ahead by.
    auto rows = engine::nextPortion(*benchmark.now, **now, tokensOf(models.options(), m_after.model->spec()),
                                    knownRows(**reference));
    if (!rows.rows.empty())
        return Portion{task, false, std::move(rows)};
    return Portion{
        task, true,
        engine::nextPortion(*benchmark.reference, **reference, tokensOf(models.options(), m_before.model->spec()))};
}

// The pinned benchmark, else the one that takes least with its next portion; one that has begun has its first number
// before another begins.
std::optional<std::size_t> ScoreJob::nextTask(const Models& models) const
{
    std::optional<std::size_t> first;
    const std::int64_t most = tokensOf(models.options(), m_after.model->spec());
    const auto place = [&](std::size_t index) {
        const Task& task = m_tasks[index];
        const bool hasBegun = task.tokens > 0 && !m_reply.lines[index].hasNow;
        return std::tuple(!isPinned(index), !hasBegun,
                          task.tokens + std::min(most, task.benchmark.now->workload().rows()));
    };
    for (std::size_t i = 0; i < m_tasks.size(); ++i)
        if (!m_tasks[i].over && (!first || place(i) < place(*first)))
            first = i;
    return first;
}

// Looks only at the benchmark whose turn it is: beginning one in the session takes longer than its first examples.
std::optional<ScoreJob::Portion> ScoreJob::next(Models& models)
{
    for (std::size_t i = 0; i < m_tasks.size(); ++i)
        if (!m_tasks[i].over)
            if (const auto made = make(models, i); !made.has_value())
                fail(i, made.error());
    while (const auto task = nextTask(models)) {
        auto portion = nextOf(models, *task);
        if (portion.has_value() && !portion->rows.rows.empty())
            return std::move(*portion);
        if (const auto done = portion.has_value() ? finish(models, *task) : Result<void>(portion.error());
            !done.has_value())
            fail(*task, done.error());
    }
    return std::nullopt;
}

Result<bool> ScoreJob::step(Models& models, const Send<ScoreReply>& stream, const Control& control)
{
    if (m_tasks.empty())
        if (const auto started = start(models); !started.has_value())
            return started.error();
    if (const auto portion = next(models))
        if (const auto ran = run(models, *portion, stream, control); !ran.has_value()) {
            if (ran.error().kind == Error::Kind::Cancelled)
                return ran.error();
            fail(portion->task, ran.error());
        }
    count();
    control.progress("scoring",
                     std::ranges::count_if(m_reply.lines, [](const BenchmarkScore& line) { return line.final; }),
                     static_cast<std::int64_t>(m_reply.lines.size()));
    m_reply.final = std::ranges::all_of(m_tasks, &Task::over);
    return !m_reply.final;
}

Result<void> ScoreJob::run(Models& models, const Portion& portion, const Send<ScoreReply>& stream,
                           const Control& control)
{
    Task& task = m_tasks[portion.task];
    const SideModel& of = portion.ofReference ? m_before : m_after;
    // After each batch. The first number of a benchmark is what a person waits for; the others come at intervals.
    const auto looked = [&](const Progress& progress) {
        if (control.report)
            control.report(progress);
        const bool first = !portion.ofReference && !m_reply.lines[portion.task].hasNow;
        if ((!first && Clock::now() - m_streamed < kStreamInterval)
            || !updateLine(models, portion.task, Look::Streaming).has_value())
            return;
        m_streamed = Clock::now();
        count();
        stream(std::make_shared<const ScoreReply>(m_reply));
    };
    const auto ran = models.run(*of.model, portion.ofReference ? task.benchmark.reference : task.benchmark.now, of.set,
                                portion.rows.rows, {}, {control.stop, looked});
    if (!ran.has_value())
        return ran;
    task.tokens += portion.rows.tokens;
    return updateLine(models, portion.task, Look::Between);
}

Result<void> ScoreJob::finish(Models& models, std::size_t task)
{
    m_tasks[task].over = true;
    return updateLine(models, task, Look::Final);
}

Result<void> ScoreJob::updateLine(Models& models, std::size_t task, Look look)
{
    const bool final = look == Look::Final;
    const PairedBenchmark& benchmark = m_tasks[task].benchmark;
    const auto reference = models.known(*m_before.model, benchmark.reference, m_before.set);
    const auto now = models.known(*m_after.model, benchmark.now, m_after.set);
    if (!reference.has_value() || !now.has_value())
        return reference.has_value() ? now.error() : reference.error();
    auto line = compared(models.options(), m_names[task], *benchmark.now, **reference, **now, final);
    if (!line.has_value())
        return line.error();
    m_tasks[task].decided = m_tasks[task].decided || line->decided;
    line->decided = m_tasks[task].decided;
    // The rows of a portion are of one look; a state beside itself has no sign.
    line->stopped = line->stopped && look == Look::Between && m_now != m_reference && line->n < line->total;
    m_tasks[task].over = m_tasks[task].over || line->stopped;
    if ((final || line->stopped) && line->n > 0) {
        const engine::MergedRows& merged = models.merged(*m_after.model, benchmark.now, line->leaf);
        line->merged = merged.rows;
        line->mergedTask = merged.firstTask;
        line->mergedRow = merged.firstRow;
    }
    m_reply.lines[task] = std::move(*line);
    return {};
}

void ScoreJob::fail(std::size_t task, const Error& error)
{
    m_tasks[task].over = true;
    m_reply.lines[task] = {.task = m_names[task], .final = true, .problem = error.message};
}

void ScoreJob::count()
{
    m_reply.examples = 0;
    for (const BenchmarkScore& line : m_reply.lines)
        m_reply.examples += line.final ? line.total : line.n;
    m_reply.seconds = secondsSince(m_started);
}

Job<ScoreReply> jobOf(const ScoresRequest& request)
{
    const auto job = std::make_shared<ScoreJob>(request.now, request.reference, request.tasks, request.pinned);
    return {
        .urgency = engine::Urgency::Score,
        .step = [job](Models& models, const engine::Turn& turn, const Send<ScoreReply>& send) -> Result<engine::Next> {
            const auto more = job->step(models, send, turn);
            if (!more.has_value())
                return more.error();
            const bool later = *more && !job->isWaitedFor();
            if (later)
                job->goOnLater();
            send(std::make_shared<const ScoreReply>(job->reply()));
            if (!*more)
                return engine::Next::End;
            return later ? engine::Next::AgainLater : engine::Next::Again;
        }};
}

} // namespace headscope::app
