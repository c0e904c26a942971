// SPDX-License-Identifier: GPL-3.0-or-later
// What the analyses cost beside plain runs of the same prompts, as ratios of processor time within one process; no
// test.
//
//   bench_analyses MODEL [--pairs N] [--length N] [--rounds N] [--threads N] [--dtype T]
//                  [--only patch|lens_last|lens_everywhere|survey]
//
// patch: a head map on pairs of prompts over a sweep that removes every head on the second prompts. lens: a
// recorded run and every layer read at the last position, or at all of them, over a forward pass with logits
// everywhere. survey: windows of random text with every head measured over plain runs of as many windows. MODEL is a
// folder with a tokenizer; tokens are drawn. Prints one JSON object.
#include "core/engine/bench/benchclock.h"
#include "core/engine/questions/patchmap.h"
#include "core/engine/scoring/scorer.h"
#include "core/lm/device/threads.h"
#include "core/lm/load.h"
#include "core/survey/survey.h"
#include "core/why/lenses/lens.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>

#include <QCommandLineParser>
#include <QCoreApplication>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

using namespace headscope;
using engine::Clock;
using nlohmann::json;

namespace {

template <typename T> T need(Result<T> result)
{
    if (!result.has_value()) {
        std::fprintf(stderr, "%s\n", result.error().message.c_str());
        std::exit(1);
    }
    return std::move(*result);
}

void need(const Result<void>& result)
{
    if (!result.has_value()) {
        std::fprintf(stderr, "%s\n", result.error().message.c_str());
        std::exit(1);
    }
}

struct Settings {
    int pairs = 64, length = 0, rounds = 5;
};

class Bench
{
public:
    Bench(std::shared_ptr<const lm::Model> model, Settings settings)
        : m_model(std::move(model)), m_settings(settings), m_draw(1)
    {
        m_base.layerCount = static_cast<int>(m_model->spec().layers.size());
    }

    /// Pairs that differ in one token of the middle.
    json patch()
    {
        std::vector<engine::PromptPair> pairs(static_cast<std::size_t>(m_settings.pairs));
        std::vector<engine::EncodedExample> items;
        for (engine::PromptPair& pair : pairs) {
            pair.clean = pair.corrupt = ids(m_settings.length);
            const int other = pair.clean[pair.clean.size() / 2] + 1;
            pair.corrupt[pair.corrupt.size() / 2] = other < m_model->spec().vocabulary ? other : 0;
            pair.answer = 1;
            pair.distractor = 2;
            const int last = m_settings.length - 1;
            items.push_back({.choices = 2, .sequences = {{pair.corrupt, {{0, last, 1}, {1, last, 2}}}}, .prompt = {}});
        }
        const auto cells = need(engine::cellsOf(*m_model, m_base, {}, m_settings.length));
        const auto map = [&] { need(engine::patchMap(*m_model, m_base, pairs, {}, {})); };
        const auto sweep = [&] {
            engine::Scorer scorer(m_model, nullptr, {.cacheBytes = std::int64_t{8} << 30, .firstChunk = 64});
            const auto workload = scorer.prepare(items);
            const auto score = [&](const interventions::InterventionSet& set) {
                need(scorer.score(workload, set, {}, [](int, const tasks::Outcome&) {}, {}));
            };
            score({});
            for (const engine::PatchCell& cell : cells)
                score(interventions::InterventionSet(
                    {interventions::EditHead{.head = {cell.layer, cell.site, cell.head}}}));
        };
        return inTurn(map, sweep,
                      {{"pairs", m_settings.pairs}, {"tokens", m_settings.length}, {"heads", cells.size()}});
    }

    json lens(bool everywhere)
    {
        const std::vector<int> text = ids(m_settings.length);
        const auto forward = [&] { return m_model->logits(need(why::tokensOf(*m_model, text)), {}); };
        const auto read = [&] {
            const why::Recording run = need(why::record(*m_model, text, m_base));
            if (everywhere)
                need(why::lens(*m_model, run, {5}));
            else
                static_cast<void>(why::lastLens(*m_model, run, 1));
        };
        return inTurn(read, forward, {{"tokens", m_settings.length}});
    }

    /// Words of the tokenizer, so that windows are full.
    json survey(const std::shared_ptr<const text::Tokenizer>& tokenizer)
    {
        constexpr int kWindow = 128, kWindows = 512;
        std::vector<survey::GivenText> texts;
        for (int i = 0; i < kWindows; ++i)
            texts.push_back(
                {std::to_string(i),
                 need(tokenizer->decode(ids(
                     2 * kWindow, std::min<std::int64_t>(tokenizer->vocabularySize(), m_model->spec().vocabulary)))),
                 {}});
        const auto source = std::make_shared<const survey::TextSource>(need(survey::TextSource::open({}, texts)));
        const survey::WindowOptions options{.length = kWindow, .tokens = kWindow * kWindows};
        survey::WindowCounts counts;
        const auto measure = [&] {
            auto survey = need(survey::Survey::make(m_model, m_base, {source, tokenizer, options}, {}));
            while (need(survey.step()))
                ;
            counts = survey.state().measured;
        };
        measure();
        const auto runs = counts.tokens / kWindow;
        const auto plain = [&] {
            for (std::int64_t first = 0; first < runs; first += 8) {
                const auto count = std::min<std::int64_t>(8, runs - first);
                const at::Tensor batch = at::randint(m_model->spec().vocabulary, {count, kWindow}, at::kLong);
                static_cast<void>(m_model->logits(batch, {.rows = at::full({count, 1}, kWindow - 1, at::kLong)}));
            }
        };
        return inTurn(measure, plain, {{"windows", counts.windows}, {"tokens", counts.tokens}});
    }

private:
    std::vector<int> ids(int count) { return ids(count, m_model->spec().vocabulary); }
    std::vector<int> ids(int count, std::int64_t vocabulary)
    {
        std::uniform_int_distribution<int> draw(3, static_cast<int>(vocabulary) - 1);
        std::vector<int> out(static_cast<std::size_t>(count));
        for (int& id : out)
            id = draw(m_draw);
        return out;
    }

    // One after the other, after one warm-up each: medians, and the median of each round's ratio.
    json inTurn(const std::function<void()>& analysis, const std::function<void()>& plain, json line) const
    {
        std::vector<double> ours, theirs, ratios;
        for (int round = -1; round < m_settings.rounds; ++round) {
            const Clock first;
            analysis();
            const double a = first.read().cpu;
            const Clock second;
            plain();
            const double b = second.read().cpu;
            if (round < 0)
                continue;
            ours.push_back(a);
            theirs.push_back(b);
            ratios.push_back(a / b);
        }
        line["cpu_seconds"] = engine::spread(ours);
        line["plain_cpu_seconds"] = engine::spread(theirs);
        line["ratio"] = engine::spread(ratios);
        return line;
    }

    std::shared_ptr<const lm::Model> m_model;
    lm::Edits m_base; ///< changes nothing
    Settings m_settings;
    std::mt19937 m_draw;
};

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication app(argc, argv);
    QCommandLineParser parser;
    const QCommandLineOption only(QStringLiteral("only"), {}, QStringLiteral("PART")),
        pairs(QStringLiteral("pairs"), {}, QStringLiteral("N"), QStringLiteral("64")),
        length(QStringLiteral("length"), {}, QStringLiteral("N"), QStringLiteral("200")),
        rounds(QStringLiteral("rounds"), {}, QStringLiteral("N"), QStringLiteral("3")),
        threads(QStringLiteral("threads"), {}, QStringLiteral("N"), QStringLiteral("1")),
        dtype(QStringLiteral("dtype"), {}, QStringLiteral("T"), QStringLiteral("fp32"));
    parser.addOptions({only, pairs, length, rounds, threads, dtype});
    parser.addPositionalArgument(QStringLiteral("MODEL"), {});
    parser.process(app);
    if (parser.positionalArguments().size() != 1)
        parser.showHelp(2);
    const at::NoGradGuard noGrad;
    const std::filesystem::path folder = parser.positionalArguments().front().toStdString();
    const auto loaded = need(lm::load(folder, {.device = "cpu", .dtype = parser.value(dtype).toStdString()}));
    lm::setThreadsFor(loaded.model->spec(), parser.value(threads).toInt());
    Bench bench(loaded.model,
                {parser.value(pairs).toInt(), parser.value(length).toInt(), parser.value(rounds).toInt()});
    json line = {{"model", folder.filename().string()}, {"dtype", loaded.dtype}, {"threads", lm::threads()}};
    const auto part = [&](const char* name, const std::function<json()>& measure) {
        if (!parser.isSet(only) || parser.value(only) == QLatin1StringView(name))
            line[name] = measure();
    };
    part("patch", [&] { return bench.patch(); });
    part("lens_last", [&] { return bench.lens(false); });
    part("lens_everywhere", [&] { return bench.lens(true); });
    part("survey", [&] { return bench.survey(need(text::Tokenizer::load(folder))); });
    std::printf("%s\n", line.dump(2).c_str());
    return 0;
}
