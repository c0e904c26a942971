// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bench/bench.h"

#include "core/engine/bench/benchclock.h"
#include "core/engine/bench/benchrequest.h"
#include "core/engine/bench/rankbench.h"
#include "core/engine/generate.h"
#include "core/engine/pattern/patternreader.h"
#include "core/engine/scoring/scorer.h"
#include "core/engine/worker.h"
#include "core/lm/device/memorymeter.h"
#include "core/lm/device/threads.h"
#include "core/lm/load.h"

#include <nlohmann/json.hpp>

#include <ATen/core/grad_mode.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

namespace headscope::engine {

using interventions::EditHead;
using interventions::HeadRef;
using interventions::InterventionSet;
using nlohmann::json;

namespace {

std::int64_t peakMegabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

/// A workload on a loaded model; each function adds its own keys to the line.
class BenchRun
{
public:
    BenchRun(const BenchOptions& options, const BenchRequest& request, const lm::LoadedModel& loaded,
             const Control& control)
        : m_options(options), m_request(request), m_model(loaded.model), m_weightBytes(loaded.resident),
          m_control(control)
    {
    }

    Result<void> clicks(json& line)
    {
        std::vector<HeadRef> cuts = m_request.ablations;
        if (m_options.clicks > 0)
            cuts.resize(std::min(cuts.size(), static_cast<std::size_t>(m_options.clicks)));

        // 1. A person has scored the model once: that run, and what it costs without keeping anything.
        Scorer scorer = this->scorer(m_options.cacheBytes);
        const auto workload = scorer.prepare(m_request.items);
        line["forecast_mb"] = scorer.forecast(*workload, 0).total() / (1024 * 1024);
        const lm::MemoryMeter meter(m_model->device());
        Answer answer;
        const Clock prepared;
        if (const auto done = score(scorer, workload, {}, answer); !done.has_value())
            return done;
        line["prepare_seconds"] = prepared.read().wall;
        line["prepare_cpu_seconds"] = prepared.read().cpu;
        Scorer plain = this->scorer(0);
        const auto cold = plain.prepare(m_request.items);
        const Clock uncut;
        if (const auto done = score(plain, cold, {}, answer); !done.has_value())
            return done;
        line["uncut_pass_seconds"] = uncut.read().wall;
        line["uncut_pass_cpu_seconds"] = uncut.read().cpu;
        line["kept_mb"] = scorer.keptBytes() / (1024 * 1024);
        line["tokens"] = workload->rows() * static_cast<std::int64_t>(cuts.size());

        // 2. The cuts in file order, each recomputed in each repeat; one warm-up.
        if (const auto warm = score(scorer, workload, only(cuts.front()), answer); !warm.has_value())
            return warm;
        std::vector<std::vector<double>> perCut(cuts.size());
        std::vector<Span> spans;
        json answers = json::array();
        for (int repeat = 0; repeat < m_options.repeat; ++repeat)
            for (std::size_t i = 0; i < cuts.size(); ++i) {
                const auto done = timedRun(spans, [&] { return score(scorer, workload, only(cuts[i]), answer); });
                if (!done.has_value())
                    return done;
                perCut[i].push_back(spans.back().wall);
                if (repeat == 0)
                    answers.push_back(toJson(cuts[i], answer, true));
            }
        line["measured_mb"] = (m_weightBytes + meter.peak()) / (1024 * 1024);
        if (const lm::GraphPool* graphs = scorer.graphs())
            line["recorded"] = {{"layers", graphs->made}, {"replays", graphs->replays}, {"fault", graphs->fault}};
        putTimes(line, spans);
        // A program that restarts behind the cut shows its mean gain, not its best or its median one.
        for (const char* key : {"seconds", "cpu_seconds"}) {
            double total = 0;
            for (const Span& span : spans)
                total += std::string(key) == "seconds" ? span.wall : span.cpu;
            line[key]["mean"] = total / static_cast<double>(spans.size());
        }
        for (const auto& times : perCut)
            line["per_click_seconds"].push_back(median(times));
        line["answers"] = std::move(answers);
        return {};
    }

    Result<void> sweep(json& line)
    {
        const auto all = static_cast<std::int64_t>(m_request.ablations.size());
        std::vector<HeadRef> cuts;
        const std::int64_t count = m_options.heads > 0 ? std::min<std::int64_t>(m_options.heads, all) : all;
        for (std::int64_t i = 0; i < count; ++i)
            cuts.push_back(
                m_request.ablations[static_cast<std::size_t>(count == all ? i : (2 * i + 1) * all / (2 * count))]);

        std::vector<Span> spans;
        json answers;
        for (int repeat = -1; repeat < m_options.repeat; ++repeat) { // the first is the warm-up
            answers = json::array();
            const Clock clock;
            Scorer scorer = this->scorer(m_options.cacheBytes);
            const auto workload = scorer.prepare(m_request.items);
            Answer answer;
            if (const auto done = score(scorer, workload, {}, answer); !done.has_value())
                return done;
            for (const HeadRef& cut : cuts) {
                if (const auto done = score(scorer, workload, only(cut), answer); !done.has_value())
                    return done;
                answers.push_back(toJson(cut, answer, false));
            }
            if (repeat >= 0)
                spans.push_back(clock.read());
            line["kept_mb"] = scorer.keptBytes() / (1024 * 1024);
            line["tokens"] = workload->rows() * count;
        }
        putTimes(line, spans, static_cast<double>(all) / static_cast<double>(count));
        line["measured_fraction"] = static_cast<double>(count) / static_cast<double>(all);
        line["answers"] = std::move(answers);
        return {};
    }

    Result<void> maps(json& line)
    {
        const auto length = m_options.length > 0 ? std::min<std::size_t>(static_cast<std::size_t>(m_options.length),
                                                                         m_request.prompt.size())
                                                 : m_request.prompt.size();
        const std::vector<int> ids(m_request.prompt.begin(),
                                   m_request.prompt.begin() + static_cast<std::ptrdiff_t>(length));
        json values;
        const auto& layers = m_model->spec().layers;
        lm::Capture capture; // its memory serves every run
        for (std::size_t layer = 0; layer < layers.size(); ++layer)
            for (const lm::MixerSpec& mixer : layers[layer].mixers)
                capture.sites[{static_cast<int>(layer), mixer.site()}].wantMatrix = true;
        const auto once = [&]() -> Result<void> {
            values = json::array();
            const at::Tensor embedding = m_model->embed(tensor({ids}), {});
            if (!m_model
                     ->runLayers(embedding, 0, static_cast<int>(layers.size()), embedding,
                                 {.capture = &capture, .stop = m_control.stop})
                     .defined())
                return cancelledError();
            for (const auto& [layer, head, query, key] : m_request.probes) {
                const auto site = capture.sites.lower_bound({layer, lm::Site{}});
                if (site == capture.sites.end() || site->first.first != layer || head < 0
                    || head >= site->second.matrix.size(1) || key < 0)
                    return inputError("The probe [" + std::to_string(layer) + ", " + std::to_string(head)
                                      + "] names a head that does not exist.");
                if (query < static_cast<int>(length))
                    values.push_back(site->second.matrix[0][head][query][key].item<float>());
            }
            return {};
        };
        line["length"] = length;
        if (const auto done = timed(line, once); !done.has_value())
            return done;
        line["answers"] = {{"length", length}, {"values", values}};
        return {};
    }

    // One head's whole matrix in the middle of the model, from the stream that is kept before its layer, as the window
    // reads it.
    Result<void> oneMap(json& line)
    {
        const auto length = m_options.length > 0 ? std::min<std::size_t>(static_cast<std::size_t>(m_options.length),
                                                                         m_request.prompt.size())
                                                 : m_request.prompt.size();
        const std::vector<int> ids(m_request.prompt.begin(),
                                   m_request.prompt.begin() + static_cast<std::ptrdiff_t>(length));
        const Clock preparing;
        auto reader = PatternReader::open(m_model, ids, {}, {});
        if (!reader.has_value())
            return reader.error();
        const HeadRef head{static_cast<int>(m_model->spec().layers.size()) / 2, interventions::Site::Any, 0};
        if (const auto chosen = reader->choose({head}, m_control); !chosen.has_value())
            return chosen;
        line["prepare_seconds"] = preparing.read().wall;
        line["prepare_cpu_seconds"] = preparing.read().cpu;
        line["prepare_peak_rss_mb"] = peakMegabytes();
        line["length"] = length;
        json values = json::array();
        std::vector<Matrix> rows; // its memory serves every run
        const auto done = timed(line, [&]() -> Result<void> {
            if (const auto read = reader->rows(0, static_cast<int>(length), m_control, rows); !read.has_value())
                return read;
            values = json::array();
            for (const auto& [layer, h, query, key] : m_request.probes)
                if (layer == head.layer && h == head.head && query < static_cast<int>(length))
                    values.push_back(rows.front().at(query, key));
            return {};
        });
        line["answers"] = {
            {"length", length}, {"head", {{"layer", head.layer}, {"head", head.head}}}, {"values", values}};
        return done;
    }

    // How long a person waits for the first estimate of a click, and for the end of a sweep that is cancelled.
    Result<void> control(json& line)
    {
        constexpr int kRounds = 40;
        Scorer scorer(m_model, nullptr, {});
        const auto workload = scorer.prepare(m_request.items);
        const auto run = [&](const InterventionSet& set, const std::function<void(int)>& seen, const Control& control) {
            return scorer.score(
                workload, set, {}, [&](int example, const tasks::Outcome&) { seen(example); }, control);
        };
        if (const auto done = run(
                {}, [](int) {}, m_control);
            !done.has_value())
            return done;
        std::vector<Span> estimates, ends;
        for (int round = 0; round < kRounds; ++round) {
            const Clock clock;
            int seen = 0;
            const auto first = [&](int) {
                if (++seen == std::min(static_cast<int>(m_request.items.size()), ScorerOptions().firstChunk))
                    estimates.push_back(clock.read());
            };
            if (const auto done = run(only(cut(round)), first, m_control); !done.has_value())
                return done;
        }
        Worker worker(m_options.threads);
        for (int round = 0; round < kRounds; ++round) {
            std::promise<void> started, ended;
            const auto sweep = [&](const Control& control) {
                started.set_value();
                for (int i = round; run(
                                        only(cut(i)), [](int) {}, control)
                                        .has_value();
                     ++i) {
                }
                ended.set_value();
            };
            const Ticket ticket = worker.post(Urgency::Background, sweep, [](const Error&) {});
            started.get_future().wait();
            std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * round)); // anywhere in the sweep
            const Clock clock;
            worker.cancel(ticket);
            ended.get_future().wait();
            ends.push_back(clock.read());
        }
        putTimes(line, ends);
        json first;
        putTimes(first, estimates);
        line["first_estimate_seconds"] = first["seconds"];
        line["first_estimate_cpu_seconds"] = first["cpu_seconds"];
        return {};
    }

    Result<void> prefill(json& line)
    {
        at::Tensor logits;
        const at::Tensor ids = tensor(m_request.sequences);
        const auto once = [&]() -> Result<void> {
            const lm::RunOptions run{.rows = at::full({ids.size(0), 1}, ids.size(1) - 1, ids.options()),
                                     .stop = m_control.stop};
            logits = m_model->logits(ids, run).cpu();
            return logits.defined() ? Result<void>() : Result<void>(cancelledError());
        };
        if (const auto done = timed(line, once); !done.has_value())
            return done;
        line["tokens"] = ids.numel();
        line["tokens_per_s"] = static_cast<double>(ids.numel()) / line["seconds"]["median"].get<double>();
        json best = json::array(), height = json::array();
        for (std::int64_t i = 0; i < ids.size(0); ++i) {
            best.push_back(logits[i][0].argmax().item<std::int64_t>());
            height.push_back(logits[i][0].max().item<float>());
        }
        line["answers"] = {{"argmax", best}, {"max_logit", height}};
        return {};
    }

    Result<void> decode(json& line)
    {
        std::vector<int> made;
        std::vector<double> prompt,
            next; // seconds of the first token, which reads the prompt, and of one further token
        const auto once = [&]() -> Result<void> {
            Generation generation(*m_model, tensor({m_request.prompt}), {.newTokens = m_request.newTokens});
            const Clock clock;
            bool more = generation.step(m_control.stop);
            prompt.push_back(clock.read().wall);
            while (more)
                more = generation.step(m_control.stop);
            made = generation.tokens().front();
            if (made.size() > 1)
                next.push_back((clock.read().wall - prompt.back()) / static_cast<double>(made.size() - 1));
            return m_control.stopped() ? Result<void>(cancelledError()) : Result<void>();
        };
        if (const auto done = timed(line, once); !done.has_value())
            return done;
        line["tokens"] = made.size();
        line["tokens_per_s"] = static_cast<double>(made.size()) / line["seconds"]["median"].get<double>();
        line["prompt_seconds"] = spread(prompt);
        if (!next.empty())
            line["next_token_seconds"] = spread(next);
        line["answers"] = {{"tokens", made}};
        return {};
    }

    // Timed from outside as a whole process: no warm-up, one run.
    Result<void> startup(json& line)
    {
        const at::Tensor ids = tensor({m_request.prompt});
        const Clock clock;
        const at::Tensor logits =
            m_model->logits(ids, {.rows = at::full({1, 1}, ids.size(1) - 1, ids.options())})[0][0];
        line["answers"] = {{"argmax", logits.argmax().item<std::int64_t>()}, {"max_logit", logits.max().item<float>()}};
        putTimes(line, {clock.read()});
        line["tokens"] = ids.numel();
        return {};
    }

private:
    struct Answer {
        std::vector<tasks::Outcome> outcomes;
    };

    // Heads all over the model, in an order that goes from layer to layer.
    [[nodiscard]] const HeadRef& cut(int i) const
    {
        return m_request.ablations[static_cast<std::size_t>(i) * 37 % m_request.ablations.size()];
    }

    [[nodiscard]] Scorer scorer(std::int64_t cacheBytes) const
    {
        ScorerOptions options{.firstChunk = static_cast<int>(m_request.items.size()),
                              .batchParts = lm::batchPartsFor(m_model->spec()),
                              .batchesAtOnce = lm::batchesAtOnceFor(m_model->spec(), m_options.threads)};
        options.cacheBytes = cacheBytes;
        options.memory = m_options.memory;
        options.weightBytes = m_weightBytes;
        return Scorer(m_model, nullptr, options);
    }

    [[nodiscard]] at::Tensor tensor(const std::vector<std::vector<int>>& rows) const
    {
        at::Tensor ids = at::empty(
            {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows.front().size())}, at::kLong);
        for (std::size_t i = 0; i < rows.size(); ++i)
            std::copy(rows[i].begin(), rows[i].end(), ids[static_cast<std::int64_t>(i)].data_ptr<std::int64_t>());
        return ids.to(m_model->device());
    }

    static InterventionSet only(const HeadRef& head) { return InterventionSet({EditHead{.head = head}}); }

    Result<void> score(Scorer& scorer, const std::shared_ptr<const Workload>& workload, const InterventionSet& set,
                       Answer& answer) const
    {
        answer.outcomes.assign(m_request.items.size(), {});
        const auto done = scorer.score(
            workload, set, {},
            [&](int example, const tasks::Outcome& outcome) {
                answer.outcomes[static_cast<std::size_t>(example)] = outcome;
            },
            m_control);
        if (!done.has_value())
            return done;
        for (std::size_t i = 0; i < answer.outcomes.size(); ++i)
            if (!answer.outcomes[i].rejected.empty())
                return inputError("Item " + std::to_string(i) + " cannot be scored: " + answer.outcomes[i].rejected);
        return {};
    }

    [[nodiscard]] json toJson(const HeadRef& cut, const Answer& answer, bool withScores) const
    {
        json predictions = json::array(), scores = json::array();
        int right = 0;
        for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
            const auto& values = answer.outcomes[i].logLikelihoods;
            const auto best = std::max_element(values.begin(), values.end()) - values.begin(); // the first on a tie
            right += best == m_request.gold[i] ? 1 : 0;
            predictions.push_back(best);
            scores.push_back(values);
        }
        json out = {{"ablation", {{"layer", cut.layer}, {"head", cut.head}}},
                    {"predictions", predictions},
                    {"accuracy", static_cast<double>(right) / static_cast<double>(answer.outcomes.size())}};
        if (withScores)
            out["scores"] = scores;
        return out;
    }

    Result<void> timed(json& line, const std::function<Result<void>()>& once) const
    {
        if (const auto warm = once(); !warm.has_value())
            return warm;
        std::vector<Span> spans;
        for (int repeat = 0; repeat < m_options.repeat; ++repeat)
            if (const auto done = timedRun(spans, once); !done.has_value())
                return done;
        putTimes(line, spans);
        return {};
    }

    Result<void> timedRun(std::vector<Span>& spans, const std::function<Result<void>()>& once) const
    {
        if (m_options.aboutToRun)
            m_options.aboutToRun();
        const Clock clock;
        if (const auto done = once(); !done.has_value())
            return done;
        spans.push_back(clock.read());
        if (m_options.ran)
            m_options.ran(spans.back().cpu);
        return {};
    }

    const BenchOptions& m_options;
    const BenchRequest& m_request;
    std::shared_ptr<const lm::Model> m_model;
    std::int64_t m_weightBytes;
    const Control& m_control;
};

// Fails when the model lacks an id, a position or a head that the request names.
Result<void> checkFits(const BenchRequest& request, const lm::ModelSpec& spec)
{
    if (request.largestId() >= spec.vocabulary)
        return inputError("The request contains the token id " + std::to_string(request.largestId())
                          + "; the model has ids 0 to " + std::to_string(spec.vocabulary - 1) + ".");
    std::size_t longest = request.prompt.size() + static_cast<std::size_t>(std::max(request.newTokens, 0));
    for (const auto& sequence : request.sequences)
        longest = std::max(longest, sequence.size());
    for (const EncodedExample& item : request.items)
        for (const Sequence& sequence : item.sequences)
            longest = std::max(longest, sequence.ids.size());
    if (spec.maxPositions > 0 && longest > static_cast<std::size_t>(spec.maxPositions))
        return inputError("The request has a text of " + std::to_string(longest) + " tokens; the model allows "
                          + std::to_string(spec.maxPositions) + ".");
    for (const HeadRef& head : request.ablations)
        if (const auto found = lm::findMixer(spec, head); !found.has_value())
            return found.error();
    return {};
}

} // namespace

Result<json> bench(const BenchOptions& options, const Control& control)
{
    const auto request = readBenchRequest(options.requests, options.workload);
    return request.has_value() ? bench(options, *request, control) : Result<json>(request.error());
}

Result<json> bench(const BenchOptions& options, const BenchRequest& request, const Control& control)
{
    const at::NoGradGuard noGrad;
    const Clock loading;
    const auto loaded = lm::load(options.model,
                                 {.device = options.device,
                                  .dtype = options.dtype,
                                  .memoryLimit = options.memory,
                                  .keptPacked = options.keptPacked},
                                 control);
    if (!loaded.has_value())
        return loaded.error();
    const Span load = loading.read();
    const lm::ModelSpec& spec = loaded->model->spec();
    if (const auto fits = checkFits(request, spec); !fits.has_value())
        return fits.error();
    lm::setThreadsFor(spec, options.threads);

    json line = {{"format", "headscope-bench-result/1"},
                 {"workload", options.workload},
                 {"peer", "headscope"},
                 {"version", HEADSCOPE_VERSION},
                 {"model", request.model},
                 {"dtype", loaded->dtype},
                 {"threads", lm::threads()},
                 {"device", loaded->device},
                 {"load_seconds", load.wall},
                 {"load_cpu_seconds", load.cpu},
                 {"tokens", 0},
                 {"flops", 0},
                 {"measured_fraction", 1.0}};
    BenchRun run(options, request, *loaded, control);
    const bool race = options.workload == "race";
    const RankBenchOptions ranking{.race = race,
                                   .top = options.top,
                                   .work = options.work,
                                   .agreement = options.agreement,
                                   .cacheBytes = options.cacheBytes};
    const Result<void> done = race || options.workload == "estimate"
                                  ? benchRanking(request, loaded->model, ranking, control, line)
                              : options.workload == "kv-sweep" ? run.sweep(line)
                              : options.workload == "control"  ? run.control(line)
                              : request.scores()               ? run.clicks(line)
                              : options.workload == "maps"    ? (options.heads == 1 ? run.oneMap(line) : run.maps(line))
                              : options.workload == "prefill" ? run.prefill(line)
                              : options.workload == "decode"  ? run.decode(line)
                                                              : run.startup(line);
    if (!done.has_value())
        return done.error();
    line["peak_rss_mb"] = peakMegabytes();
    return line;
}

} // namespace headscope::engine
