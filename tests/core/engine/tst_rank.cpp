// SPDX-License-Identifier: GPL-3.0-or-later
// Rankings of heads: estimates against finite differences in every kind of model, races against the exact order, pairs,
// greedy sets and random draws.
#include "core/base/giveway.h"
#include "core/engine/questions/patchmap.h"
#include "core/engine/ranking/attribution.h"
#include "core/engine/ranking/gradientsums.h"
#include "core/engine/ranking/headsets.h"
#include "core/engine/ranking/manyheads.h"
#include "core/engine/ranking/margin.h"
#include "core/engine/ranking/race.h"
#include "core/lm/device/threads.h"
#include "core/tasks/registry.h"
#include "tests/support/scoringfixture.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

using namespace headscope;
using namespace scoringfixture;
using engine::Benchmark;
using engine::BosPolicy;
using engine::RankedHead;
using engine::Rows;
using engine::Scorer;
using interventions::HeadRef;
using interventions::InterventionSet;
namespace fs = std::filesystem;

namespace {

/// A model with a benchmark on it.
struct Bench {
    lm::LoadedModel loaded;
    std::shared_ptr<const text::Tokenizer> tokenizer;
    std::unique_ptr<Scorer> scorer;
    std::shared_ptr<const Benchmark> benchmark;

    [[nodiscard]] Result<Rows> measure(const Benchmark& part, const InterventionSet& set) const
    {
        Rows rows = part.emptyRows();
        const auto done = part.run(*scorer, set, {}, rows, {}, {});
        return done.has_value() ? Result<Rows>(std::move(rows)) : Result<Rows>(done.error());
    }
    [[nodiscard]] Result<std::shared_ptr<const Benchmark>> part(tasks::TaskSet set) const
    {
        return Benchmark::make(std::move(set), *scorer, *tokenizer, BosPolicy::Never);
    }
    [[nodiscard]] std::vector<HeadRef> heads() const { return engine::allHeads(loaded.model->spec()); }
    [[nodiscard]] double meanMargin(const std::string& ablation) const
    {
        const Rows rows = measure(*benchmark, InterventionSet::parse(ablation).value()).value();
        double sum = 0;
        for (std::size_t i = 0; i < rows.outcomes.size(); ++i)
            sum += engine::margin(benchmark->set().examples[i], *rows.outcomes[i]).value();
        return sum / static_cast<double>(rows.outcomes.size());
    }
};

Bench bench(const fs::path& folder, std::shared_ptr<const text::Tokenizer> tokenizer, tasks::TaskSet set)
{
    Bench made;
    auto loaded = lm::load(folder, {"cpu", "fp32"});
    if (!loaded.has_value())
        qFatal("%s", loaded.error().message.c_str());
    made.loaded = std::move(*loaded);
    made.tokenizer = std::move(tokenizer);
    made.scorer = std::make_unique<Scorer>(made.loaded.model, made.tokenizer);
    auto benchmark = made.part(std::move(set));
    if (!benchmark.has_value())
        qFatal("%s", benchmark.error().message.c_str());
    made.benchmark = *benchmark;
    return made;
}

/// Six rows of two to four choices, of one to three tokens.
tasks::TaskSet wordRows(int count)
{
    std::vector<tasks::Example> rows;
    for (int i = 0; i < count; ++i)
        rows.push_back(choiceRow(i, words(5 + i % 4, i),
                                 i % 2 == 0 ? std::vector<std::string>{" w1 w2 w3", " w9", " w4 w5"}
                                            : std::vector<std::string>{" w7", " w8"}));
    return setOf(std::move(rows));
}

Bench shipped(const char* name, const char* task, int limit)
{
    const fs::path folder = fs::path(HEADSCOPE_SOURCE_DIR) / "resources" / "models" / name;
    return bench(folder, text::Tokenizer::load(folder).value(), tasks::makeTask(task, {.limit = limit}).value());
}

std::set<HeadRef> firstOf(const std::vector<RankedHead>& heads, std::size_t count)
{
    std::set<HeadRef> set;
    for (std::size_t i = 0; i < count; ++i)
        set.insert(heads[i].head);
    return set;
}

template <typename Sweep> void finish(Sweep& sweep)
{
    while (!sweep.done()) {
        const auto stepped = sweep.step();
        if (!stepped.has_value())
            qFatal("%s", stepped.error().message.c_str());
    }
}

} // namespace

class TestRank : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void marginsAreLogOdds();
    void estimatesAreGradients_data();
    void estimatesAreGradients();
    void estimatesTakeAsManyExamplesAsTheyNeed();
    void estimatesOverFewExamplesHaveStudentsIntervals();
    void estimatesKnowWhatTheyCanNotDo();
    void stopsAnEstimate();
    void aDisturbedEstimateGivesTheSameBits_data();
    void aDisturbedEstimateGivesTheSameBits();
    void headsAreTestedTogether();
    void aHeadThatIsScaledCanBeRemoved();
    void headsOfAnotherModelsLayerAreRefused();
    void uniformScoresAreOfTheSameTokens();
    void racesFindTheExactTop_data();
    void racesFindTheExactTop();
    void racesErrAsRarelyAsTheySay();
    void deadHeadsDoNotHoldARaceUp();
    void racesStopWhereTheWorkEnds_data();
    void racesStopWhereTheWorkEnds();
    void racesRefuseWhatTheyCanNotDo();
    void findsHowPairsDependOnEachOther();
    void greedySetsRankAgain();
    void drawsRandomHeads();
    void goesOnWhereNumbersBreak();

private:
    /// Made-up answers: head h costs `loss[h]` of margin on average, and the more of `spread` the more it varies by
    /// row; one that costs 0 changes nothing anywhere.
    [[nodiscard]] engine::Race::Measure madeUp(const std::vector<double>& loss, double spread,
                                               std::uint64_t seed) const;
    std::shared_ptr<const text::Tokenizer> m_words;
    Bench m_llama;
};

void TestRank::initTestCase()
{
    lm::setThreads(1); // models this small only wait for each other's threads
    m_words = tokenizerfixture::load(wordsFile());
    QVERIFY(m_words);
    m_llama = bench(llamaFolder(), m_words, wordRows(200));
}

void TestRank::marginsAreLogOdds()
{
    tasks::Example example = choiceRow(1, "w1", {" w1", " w2", " w3"}); // gold 1
    const auto two = engine::margin(example, {.logLikelihoods = {std::log(0.25), std::log(0.5), std::log(0.25)}});
    QVERIFY(two && std::abs(*two) < 1e-12);
    example.continuations.resize(1);
    QCOMPARE(engine::margin(example, {.logLikelihoods = {-3.5}}).value(), -3.5);
    QVERIFY(!engine::margin(example, {.generated = "text"}));
    QVERIFY(!engine::margin(example, {.logLikelihoods = {-3.5}, .rejected = "no"}));
    QVERIFY(!engine::margin(choiceRow(0, "w1", {" w1", " w2"}), {.logLikelihoods = {-1.0, -HUGE_VAL}}));
}

void TestRank::estimatesAreGradients_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("fixed");
    QTest::newRow("a layer at a time") << QStringLiteral("llama") << QStringLiteral("skip:L1.mlp L0H2");
    QTest::newRow("a layer at a time, states") << QStringLiteral("mamba") << QStringLiteral("upto:L1");
    for (const char* family :
         {"llama", "gpt2", "gpt_neox", "gemma2", "phi", "mamba", "falcon_mamba", "mamba2", "llamba", "zamba2"})
        QTest::newRow(family) << QString::fromLatin1(family) << QString();
    QTest::newRow("on top of cuts") << QStringLiteral("llama") << QStringLiteral("L0H1 L1H2=mean skip:L2.mlp");
    QTest::newRow("minimal model") << QStringLiteral("llama") << QStringLiteral("upto:L1");
}

void TestRank::estimatesAreGradients()
{
    QFETCH(QString, family);
    QFETCH(QString, fixed);
    const fs::path folder = llamaFolder().parent_path() / family.toStdString();
    const Bench one = bench(folder, m_words, wordRows(6));
    const InterventionSet set = InterventionSet::parse(fixed.toStdString()).value();
    const bool small = QByteArray(QTest::currentDataTag()).startsWith("a layer at a time");
    const auto estimated = engine::estimateRemovals(*one.benchmark, *one.loaded.model, set, {}, {},
                                                    {.graphBytes = small ? 0 : std::int64_t{1} << 30});
    QVERIFY2(estimated.has_value(), estimated.has_value() ? "" : estimated.error().message.c_str());
    QCOMPARE(estimated->heads.size(), one.heads().size());
    std::map<HeadRef, double> byHead;
    for (const RankedHead& head : estimated->heads) {
        QVERIFY(head.estimate);
        QCOMPARE(head.n, 6);
        byHead[head.head] = head.margin;
    }
    const auto other = engine::estimateRemovals(*one.benchmark, *one.loaded.model, set, {}, {},
                                                {.graphBytes = small ? std::int64_t{1} << 30 : 0});
    QVERIFY(other.has_value());
    for (const RankedHead& head : other->heads)
        QVERIFY2(std::abs(head.margin - byHead[head.head]) < 1e-4,
                 qPrintable(QStringLiteral("%1: %2 with whole graphs, %3 a layer at a time")
                                .arg(QString::fromStdString(toText(head.head)))
                                .arg(head.margin)
                                .arg(byHead[head.head])));
    // A head of every layer and site, by a small step to either side.
    constexpr double kStep = 0.01;
    int checked = 0;
    std::map<std::pair<int, lm::Site>, int> seen;
    for (const HeadRef& head : one.heads()) {
        const bool touched = fixed.contains(QString::fromStdString(toText(head)));
        if (touched || ++seen[{head.layer, head.site}] != 2)
            continue;
        const std::string text = toText(head), more = fixed.toStdString() + " " + text + "=scale:";
        const double slope =
            (one.meanMargin(more + std::to_string(1 + kStep)) - one.meanMargin(more + std::to_string(1 - kStep)))
            / (2 * kStep);
        QVERIFY2(std::abs(-slope - byHead[head]) <= 2e-3 + 0.03 * std::abs(slope),
                 qPrintable(QStringLiteral("%1: estimated %2, measured %3")
                                .arg(QString::fromStdString(text))
                                .arg(byHead[head])
                                .arg(-slope)));
        ++checked;
    }
    QVERIFY(checked >= 2);
}

void TestRank::estimatesTakeAsManyExamplesAsTheyNeed()
{
    const auto estimate = [&](double agreement, std::uint64_t seed) {
        return engine::estimateRemovals(*m_llama.benchmark, *m_llama.loaded.model, {}, {}, {},
                                        {.agreement = agreement, .seed = seed})
            .value();
    };
    const engine::Estimate all = estimate(1, 0), some = estimate(0, 0), others = estimate(0, 1);
    QCOMPARE(all.heads.front().n, 200);
    QVERIFY2(some.heads.front().n < 200 && some.heads.front().n % 16 == 0,
             qPrintable(QString::number(some.heads.front().n)));
    QVERIFY(some.agreement.value() >= 0);
    std::map<HeadRef, std::array<double, 3>> values;
    for (const RankedHead& head : all.heads)
        values[head.head][0] = head.value;
    for (const RankedHead& head : some.heads)
        values[head.head][1] = head.value;
    for (const RankedHead& head : others.heads)
        values[head.head][2] = head.value;
    std::array<std::vector<double>, 3> columns;
    for (const auto& [head, row] : values)
        for (std::size_t i = 0; i < row.size(); ++i)
            columns[i].push_back(row[i]);
    QVERIFY(columns[1] != columns[2]); // the seed draws other examples
    QVERIFY(analysis::spearman(columns[0], columns[1]).value().rho > 0.5);
    QVERIFY(estimate(0, 0).heads.front().value == some.heads.front().value);
}

void TestRank::estimatesOverFewExamplesHaveStudentsIntervals()
{
    const lm::ModelSpec& spec = m_llama.loaded.model->spec();
    const auto heads = static_cast<std::int64_t>(m_llama.heads().size());
    engine::GradientSums sums(heads);
    sums.add(at::full({1, heads}, 1.0, at::kDouble));
    QVERIFY(!sums.ranked(spec).front().interval.known()); // of one example
    sums.add(at::full({1, heads}, 3.0, at::kDouble));
    const RankedHead head = sums.ranked(spec).front();
    QCOMPARE(head.value, -2.0);
    QVERIFY(std::abs(head.interval.high - (-2 + 12.706204736174696)) < 1e-9); // standard error 1, t with one degree
    QVERIFY(std::abs(head.interval.low - (-2 - 12.706204736174696)) < 1e-9);
}

void TestRank::estimatesKnowWhatTheyCanNotDo()
{
    auto rows = std::vector<tasks::Example>{choiceRow(0, "w1 w2", {" w1"})};
    rows.front().scoring = tasks::Scoring::Generation;
    rows.front().continuations.clear();
    rows.front().maxNewTokens = 2;
    const auto generated = m_llama.part(setOf(rows));
    QVERIFY(generated.has_value());
    const auto refused = engine::estimateRemovals(**generated, *m_llama.loaded.model, {}, {}, {});
    QVERIFY(!refused.has_value());
    QVERIFY(refused.error().message.find("--method exact") != std::string::npos);
}

void TestRank::stopsAnEstimate()
{
    std::stop_source stop;
    int reports = 0;
    const Control control{stop.get_token(), [&](const Progress&) {
                              ++reports;
                              stop.request_stop();
                          }};
    const Bench long_ = bench(llamaFolder(), m_words, wordRows(4000));
    const auto stopped = engine::estimateRemovals(*long_.benchmark, *long_.loaded.model, {}, {}, control);
    QVERIFY(!stopped.has_value());
    QVERIFY(stopped.error().kind == Error::Kind::Cancelled);
    QCOMPARE(reports, 1);
}

void TestRank::aDisturbedEstimateGivesTheSameBits_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("fixed");
    QTest::addColumn<bool>("layerwise");
    for (const char* family : {"llama", "mamba", "mamba2", "zamba2"}) {
        QTest::newRow(family) << QString::fromLatin1(family) << QString() << false;
        QTest::addRow("%s, a layer at a time", family) << QString::fromLatin1(family) << QString() << true;
    }
    QTest::newRow("on top of a mean") << QStringLiteral("llama") << QStringLiteral("L1H2=mean") << false;
}

// Stopped at every few products, forth and back, with other work in between.
void TestRank::aDisturbedEstimateGivesTheSameBits()
{
    QFETCH(QString, family);
    QFETCH(QString, fixed);
    QFETCH(bool, layerwise);
    const Bench one = bench(llamaFolder().parent_path() / family.toStdString(), m_words, wordRows(40));
    const InterventionSet set = InterventionSet::parse(fixed.toStdString()).value();
    const engine::EstimateOptions options{
        .steps = 2, .graphBytes = layerwise ? 0 : std::int64_t{1} << 30, .agreement = 1};
    const auto whole = engine::estimateRemovals(*one.benchmark, *one.loaded.model, set, {}, {}, options);
    QVERIFY(whole.has_value());

    auto parts = engine::RemovalEstimate::start(*one.benchmark, *one.loaded.model, set, {}, options);
    QVERIFY(parts.has_value());
    const at::Tensor ids = at::arange(1, 12, at::kLong).unsqueeze(0);
    int stops = 0, looks = 0, places = 0, next = 10;
    std::int64_t early = 0;
    for (bool more = true; more;) {
        std::stop_source stop;
        const GivesWay here([&] {
            if (++places % 3 == 0) {
                const GivesWay alone([] {});
                const at::NoGradGuard noGrad;
                looks += one.loaded.model->logits(ids, {}).defined() ? 1 : 0;
            }
            if (places >= next) { // less and less often: a layer that is always stopped never ends
                next = places + 11 + stops;
                stop.request_stop();
            }
        });
        const auto stepped = parts->step({stop.get_token(), {}});
        if (parts->examples() > 0 && early == 0)
            early = parts->examples();
        if (!stepped.has_value())
            QVERIFY2(stepped.error().kind == Error::Kind::Cancelled, stepped.error().message.c_str());
        stops += stepped.has_value() ? 0 : 1;
        more = !stepped.has_value() || *stepped;
        QVERIFY(stops < 100000);
    }
    QVERIFY2(stops > 2 && looks > 5, qPrintable(QStringLiteral("%1 stops, %2 looks").arg(stops).arg(looks)));
    QVERIFY(early < 40); // something is known before all is
    const engine::Estimate disturbed = parts->estimate();
    QCOMPARE(disturbed.heads.size(), whole->heads.size());
    for (std::size_t i = 0; i < disturbed.heads.size(); ++i) {
        QVERIFY(disturbed.heads[i].head == whole->heads[i].head);
        QCOMPARE(disturbed.heads[i].margin, whole->heads[i].margin);
        QCOMPARE(disturbed.heads[i].interval.low, whole->heads[i].interval.low);
    }
    QVERIFY(!parts->step({}).value()); // nothing is left to do
}

// Twenty heads of 64 rows: two that half of the rows need, the others idle but for a row.
void TestRank::headsAreTestedTogether()
{
    std::vector<RankedHead> ranked;
    for (int i = 0; i < 20; ++i) {
        RankedHead head{.head = {0, {}, i}, .n = 64, .right = std::vector<bool>(64, true)};
        for (int row = 0; row < (i < 2 ? 32 - i : 1); ++row)
            head.right[static_cast<std::size_t>(row)] = false;
        analysis::PairedCounts counts;
        for (const bool right : head.right)
            counts.add(true, right);
        head.p = analysis::mcnemarExact(counts);
        ranked.push_back(head);
    }
    RankedHead failed;
    failed.fault = "No row could be scored.";
    ranked.push_back(failed);
    const engine::ManyHeads together = engine::testedTogether(ranked);
    QCOMPARE(together.holm[0], 20 * ranked[0].p); // of twenty tests; the failed one is none
    QCOMPARE(together.holm[1], 19 * ranked[1].p);
    QCOMPARE(together.falseDiscovery[1], 10 * ranked[1].p);
    QCOMPARE(together.holm[2], 1.0);
    QCOMPARE(together.holm[20], 1.0);
    QCOMPARE(together.group[0], 0);
    QCOMPARE(together.group[1], 0); // a row less does not tell them apart
    for (std::size_t i = 2; i < 20; ++i)
        QCOMPARE(together.group[i], 1);
    QCOMPARE(together.group[20], -1);
    QVERIFY(engine::testedTogether({}).group.empty());
}

void TestRank::aHeadThatIsScaledCanBeRemoved()
{
    const Bench one = bench(llamaFolder(), m_words, wordRows(12));
    auto ranking = engine::RemovalRanking::start(
        *one.benchmark, InterventionSet::parse("L0H1=scale:0.9").value(), {{0, lm::Site::Any, 1}},
        [&](const InterventionSet& set) { return one.measure(*one.benchmark, set); });
    QVERIFY(ranking.has_value());
    finish(*ranking);
    const double cost = one.meanMargin("L0H1") - one.meanMargin("L0H1=scale:0.9");
    QVERIFY(std::abs(cost) > 1e-6);
    QVERIFY(std::abs(ranking->measured().front().margin - cost) < 1e-9);
}

void TestRank::headsOfAnotherModelsLayerAreRefused()
{
    const Bench one = shipped("tiny-transformer", "toy_kv", 1);
    const lm::Model& model = *one.loaded.model;
    const lm::DonorLoader donors([](const std::string& name) -> Result<std::shared_ptr<const lm::Model>> {
        return std::shared_ptr<const lm::Model>(shipped(name.c_str(), "toy_kv", 1).loaded.model);
    });
    const InterventionSet other = InterventionSet::parse("swap:L1=tiny-ssm").value(),
                          same = InterventionSet::parse("swap:L1=tiny-transformer").value();
    const auto refused = [](const auto& result) {
        return !result.has_value()
               && result.error().message.find("another model's with other heads") != std::string::npos;
    };
    QVERIFY(refused(engine::checkRemovals(model.spec(), other, one.heads(), donors)));
    QVERIFY(engine::checkRemovals(model.spec(), same, one.heads(), donors).has_value());
    const std::vector<HeadRef> besides{{0, lm::Site::Any, 1}, {2, lm::Site::Any, 0}};
    QVERIFY(engine::checkRemovals(model.spec(), other, besides, donors).has_value());
    using engine::PatchWhat;
    const lm::Edits base = lm::resolve(other, model.spec(), donors).value();
    for (const PatchWhat what : {PatchWhat::Heads, PatchWhat::Mixer, PatchWhat::State})
        QVERIFY(refused(engine::cellsOf(model, base, {.what = what}, 8)));
    for (const PatchWhat what : {PatchWhat::Stream, PatchWhat::Mlp})
        QVERIFY(engine::cellsOf(model, base, {.what = what}, 8).has_value());
}

// A start token is one more that a uniform head reads.
void TestRank::uniformScoresAreOfTheSameTokens()
{
    using engine::PatternScore;
    std::vector<tasks::Example> rows{choiceRow(0, "w1 w2 w3 w4 w5", {" w1", " w2"}),
                                     choiceRow(1, "w0 w1 w2 w3 w4 w5", {" w1", " w2"})};
    rows[0].segments = {{Role::Option, 9, 14}}; // "w4 w5"
    rows[1].segments = {{Role::Option, 12, 17}};
    const tasks::TaskSet set = setOf(rows);
    for (const PatternScore score : {PatternScore::Gather, PatternScore::Aggregate}) {
        QCOMPARE(engine::uniformPatternScore({set, *m_words, BosPolicy::Never, 0, 1}, score).value(), 1.0 / 5);
        QCOMPARE(engine::uniformPatternScore({set, *m_words, BosPolicy::Never, 1}, score).value(), 1.0 / 6);
        QCOMPARE(engine::uniformPatternScore({set, *m_words, BosPolicy::Always, 0, 1}, score).value(), 1.0 / 6);
        QCOMPARE(engine::uniformPatternScore({set, *m_words, BosPolicy::Always}, score).value(),
                 (1.0 / 6 + 1.0 / 7) / 2);
    }
}

void TestRank::racesFindTheExactTop_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("top");
    QTest::newRow("transformer, 2") << QStringLiteral("tiny-transformer") << 2;
    QTest::newRow("transformer, 10") << QStringLiteral("tiny-transformer") << 10;
    QTest::newRow("hybrid, 1") << QStringLiteral("tiny-hybrid") << 1;
    QTest::newRow("hybrid, 10") << QStringLiteral("tiny-hybrid") << 10;
}

void TestRank::racesFindTheExactTop()
{
    QFETCH(QString, model);
    QFETCH(int, top);
    static std::map<QString, std::vector<RankedHead>> exact;
    const Bench one = shipped(qPrintable(model), "toy_kv:pairs=4", 64);
    if (!exact.contains(model)) {
        auto ranking = engine::RemovalRanking::start(*one.benchmark, {}, one.heads(), [&](const InterventionSet& set) {
            return one.measure(*one.benchmark, set);
        });
        QVERIFY(ranking.has_value());
        finish(*ranking);
        exact[model] = ranking->sorted();
    }
    auto race = engine::Race::start(
        *one.benchmark, {}, one.heads(), *one.scorer,
        [&](const Benchmark& part, const InterventionSet& set) { return one.measure(part, set); }, {.top = top});
    QVERIFY(race.has_value());
    finish(*race);
    QVERIFY(race->runsDone() <= race->runsOfAll());
    QVERIFY(firstOf(race->sorted(), static_cast<std::size_t>(top))
            == firstOf(exact[model], static_cast<std::size_t>(top)));
    if (top == 2) // its circuit; which of the others costs one row in many can only be told from all rows
        QVERIFY2(race->decidedEarly() && race->runsDone() < race->runsOfAll() / 2,
                 qPrintable(QString::number(race->runsDone())));
}

engine::Race::Measure TestRank::madeUp(const std::vector<double>& loss, double spread, std::uint64_t seed) const
{
    const auto heads = m_llama.heads();
    return [loss, heads, spread, seed](const Benchmark& part, const InterventionSet& set) -> Result<Rows> {
        Rows rows = part.emptyRows();
        for (std::size_t i = 0; i < rows.outcomes.size(); ++i) {
            const tasks::Example& example = part.set().examples[i];
            double margin = 1;
            for (std::size_t h = 0; h < heads.size(); ++h) {
                const bool off = std::any_of(set.items().begin(), set.items().end(), [&](const auto& item) {
                    return std::get<interventions::EditHead>(item).head == heads[h];
                });
                if (!off || loss[h] == 0)
                    continue;
                std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(example.row) * 101 + h);
                std::normal_distribution<double> noise(0, spread);
                margin -= loss[h] + noise(random);
            }
            std::vector<double> values(example.continuations.size(), 0.0);
            values[static_cast<std::size_t>(example.gold)] = margin;
            part.put(rows, static_cast<int>(i),
                     {.logLikelihoods = values, .greedy = std::vector<bool>(values.size(), false)});
        }
        return rows;
    };
}

void TestRank::racesErrAsRarelyAsTheySay()
{
    // Heads one apart by small steps, so that the border is close; 40 draws of rows.
    const auto heads = m_llama.heads();
    std::vector<double> loss;
    for (std::size_t h = 0; h < heads.size(); ++h)
        loss.push_back(0.02 * static_cast<double>(h % heads.size()) + (h + 3 >= heads.size() ? 0.3 : 0.0));
    int wrong = 0, early = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto measure = madeUp(loss, 0.25, seed);
        auto ranking = engine::RemovalRanking::start(*m_llama.benchmark, {}, heads, [&](const InterventionSet& set) {
            return measure(*m_llama.benchmark, set);
        });
        QVERIFY(ranking.has_value());
        finish(*ranking);
        auto race = engine::Race::start(*m_llama.benchmark, {}, heads, *m_llama.scorer, measure,
                                        {.top = 3, .errorProbability = 0.1, .seed = seed});
        QVERIFY(race.has_value());
        finish(*race);
        wrong += firstOf(race->sorted(), 3) != firstOf(ranking->sorted(), 3) ? 1 : 0;
        early += race->decidedEarly() ? 1 : 0;
    }
    QVERIFY2(wrong <= 8, qPrintable(QString::number(wrong))); // more than 8 of 40 has a chance below 2 % at 0.1
    QVERIFY2(early >= 20, qPrintable(QString::number(early)));
}

void TestRank::deadHeadsDoNotHoldARaceUp()
{
    // Three heads matter, the others are not used at all: any order of those is as good, the exact ranking's is taken.
    const auto heads = m_llama.heads();
    std::vector<double> loss(heads.size(), 0.0);
    loss[4] = 3;
    loss[7] = 2;
    loss[8] = 4;
    const auto measure = madeUp(loss, 0.3, 5);
    auto ranking = engine::RemovalRanking::start(
        *m_llama.benchmark, {}, heads, [&](const InterventionSet& set) { return measure(*m_llama.benchmark, set); });
    QVERIFY(ranking.has_value());
    finish(*ranking);
    auto race = engine::Race::start(*m_llama.benchmark, {}, heads, *m_llama.scorer, measure, {.top = 6});
    QVERIFY(race.has_value());
    finish(*race);
    QVERIFY(race->decidedEarly());
    QVERIFY(firstOf(race->sorted(), 6) == firstOf(ranking->sorted(), 6));
}

void TestRank::racesStopWhereTheWorkEnds_data()
{
    QTest::addColumn<double>("work");
    QTest::addColumn<int>("certain");
    QTest::newRow("all") << 1.0 << 6;
    QTest::newRow("half") << 0.5 << 3;
    QTest::newRow("an eighth") << 0.125 << 3;
    QTest::newRow("not even a round") << 0.01 << 3;
}

void TestRank::racesStopWhereTheWorkEnds()
{
    QFETCH(double, work);
    QFETCH(int, certain);
    // Three heads stand out, three of the others are to be told from heads that are as good.
    const auto heads = m_llama.heads();
    std::vector<double> loss(heads.size(), 0.1);
    loss[4] = 3;
    loss[7] = 2;
    loss[8] = 4;
    const auto measure = madeUp(loss, 0.3, 5);
    auto race = engine::Race::start(*m_llama.benchmark, {}, heads, *m_llama.scorer, measure, {.top = 6, .work = work});
    QVERIFY(race.has_value());
    finish(*race);
    QCOMPARE(race->certain(), certain);
    QCOMPARE(race->exact(), work == 1);
    QVERIFY(!race->decidedEarly());
    const auto firstRound = static_cast<std::int64_t>(16 * heads.size());
    QVERIFY2(race->runsDone()
                 <= std::max(firstRound, static_cast<std::int64_t>(work * static_cast<double>(race->runsOfAll()))),
             qPrintable(QString::number(race->runsDone())));
    QVERIFY((firstOf(race->sorted(), 3) == std::set<HeadRef>{heads[4], heads[7], heads[8]}));
}

void TestRank::racesRefuseWhatTheyCanNotDo()
{
    const auto start = [&](const char* fixed, int top) {
        const auto race = engine::Race::start(*m_llama.benchmark, InterventionSet::parse(fixed).value(),
                                              m_llama.heads(), *m_llama.scorer, {}, {.top = top});
        return race.has_value() ? std::string() : race.error().message;
    };
    QVERIFY(start("L0H0=mean", 2).find("--method exact") != std::string::npos);
    QVERIFY(start("", 0).find("got 0") != std::string::npos);
    QVERIFY(!start("", static_cast<int>(m_llama.heads().size())).empty());
    QVERIFY(start("L0H0", 2).empty());
}

void TestRank::findsHowPairsDependOnEachOther()
{
    // Rows are right while the margin is above 0. Heads 0 and 1 stand in for each other, 2 and 3 work together, 4 does
    // nothing.
    const auto heads = m_llama.heads();
    const engine::RemovalRanking::Measure measure = [&](const InterventionSet& set) -> Result<Rows> {
        const auto off = [&](std::size_t h) {
            return std::any_of(set.items().begin(), set.items().end(), [&](const auto& item) {
                return std::get<interventions::EditHead>(item).head == heads[h];
            });
        };
        Rows rows = m_llama.benchmark->emptyRows();
        for (std::size_t i = 0; i < rows.outcomes.size(); ++i) {
            const tasks::Example& example = m_llama.benchmark->set().examples[i];
            const bool right = !((off(0) && off(1)) || (i % 3 != 0 && (off(2) || off(3))));
            std::vector<double> values(example.continuations.size(), 0.0);
            values[static_cast<std::size_t>(example.gold)] = right ? 1 : -1;
            m_llama.benchmark->put(rows, static_cast<int>(i),
                                   {.logLikelihoods = values, .greedy = std::vector<bool>(values.size(), false)});
        }
        return rows;
    };
    auto sweep = engine::PairSweep::start(*m_llama.benchmark, {}, {heads.begin(), heads.begin() + 5}, measure);
    QVERIFY(sweep.has_value());
    QCOMPARE(sweep->total(), 10);
    finish(*sweep);
    std::map<std::pair<HeadRef, HeadRef>, engine::PairKind> kinds;
    for (const engine::HeadPair& pair : sweep->measured())
        kinds[{pair.first, pair.second}] = pair.kind;
    QCOMPARE(kinds.size(), std::size_t{10});
    QVERIFY((kinds[{heads[0], heads[1]}] == engine::PairKind::Redundant));
    QVERIFY((kinds[{heads[2], heads[3]}] == engine::PairKind::Synergistic));
    QVERIFY((kinds[{heads[0], heads[4]}] == engine::PairKind::Additive));
    QVERIFY((kinds[{heads[0], heads[2]}] == engine::PairKind::Additive));
    QVERIFY(!engine::PairSweep::start(*m_llama.benchmark, {}, {heads[0]}, measure).has_value());

    // Taking the best and ranking again finds the pair that no single removal shows.
    auto set = engine::GreedySet::start(*m_llama.benchmark, {}, {heads.begin(), heads.begin() + 5}, 3, measure);
    QVERIFY(set.has_value());
    finish(*set);
    const auto& chosen = set->chosen();
    QCOMPARE(set->stepsDone(), set->total());
    QVERIFY(chosen[0].head == heads[2]);
    QVERIFY(chosen.back().delta <= chosen.front().delta);
}

void TestRank::greedySetsRankAgain()
{
    const Bench one = bench(llamaFolder(), m_words, wordRows(12));
    const auto measure = [&](const InterventionSet& set) { return one.measure(*one.benchmark, set); };
    auto set = engine::GreedySet::start(*one.benchmark, {}, one.heads(), 2, measure);
    QVERIFY(set.has_value());
    finish(*set);
    auto single = engine::RemovalRanking::start(*one.benchmark, {}, one.heads(), measure);
    QVERIFY(single.has_value());
    finish(*single);
    const HeadRef first = single->sorted().front().head;
    QVERIFY(set->chosen().front().head == first);
    auto rest = one.heads();
    std::erase(rest, first);
    auto again =
        engine::RemovalRanking::start(*one.benchmark, engine::without({}, std::span(&first, 1)), rest, measure);
    QVERIFY(again.has_value());
    finish(*again);
    QCOMPARE(set->chosen()[1].value, again->sorted().front().value);
}

void TestRank::drawsRandomHeads()
{
    const auto heads = m_llama.heads();
    const auto one = engine::randomHeads(heads, 4, 7), same = engine::randomHeads(heads, 4, 7),
               other = engine::randomHeads(heads, 4, 8);
    QVERIFY(one == same);
    QVERIFY(one != other);
    QCOMPARE(std::set<HeadRef>(one.begin(), one.end()).size(), std::size_t{4});
    QCOMPARE(engine::randomHeads(heads, 1000, 1).size(), heads.size());
}

void TestRank::goesOnWhereNumbersBreak()
{
    // One head's removal makes every number NaN, another's those of every second row.
    const auto heads = m_llama.heads();
    const auto measure = [&](const Benchmark& part, const InterventionSet& set) -> Result<Rows> {
        Rows rows = part.emptyRows();
        const std::string text = set.canonical();
        for (std::size_t i = 0; i < rows.outcomes.size(); ++i) {
            const tasks::Example& example = part.set().examples[i];
            std::vector<double> values(example.continuations.size(), 0.0);
            values[static_cast<std::size_t>(example.gold)] = text == toText(heads[1]) ? -1 : 1;
            tasks::Outcome outcome{.logLikelihoods = values, .greedy = std::vector<bool>(values.size(), false)};
            if (text == toText(heads[3]) || (text == toText(heads[1]) && i % 2 == 0))
                outcome.rejected = "The model's log-likelihood is not a finite number here.";
            part.put(rows, static_cast<int>(i), outcome);
        }
        return rows;
    };
    auto ranking = engine::RemovalRanking::start(
        *m_llama.benchmark, {}, heads, [&](const InterventionSet& set) { return measure(*m_llama.benchmark, set); });
    QVERIFY(ranking.has_value());
    finish(*ranking);
    const auto sorted = ranking->sorted();
    QCOMPARE(sorted.size(), heads.size());
    QVERIFY(sorted.front().head == heads[1]);
    QCOMPARE(sorted.front().n, 100);
    QVERIFY(sorted.back().head == heads[3]);
    QVERIFY(sorted.back().fault.find("not a finite number") != std::string::npos);
    auto race = engine::Race::start(*m_llama.benchmark, {}, heads, *m_llama.scorer, measure, {.top = 1});
    QVERIFY(race.has_value());
    finish(*race);
    QVERIFY(race->sorted().front().head == heads[1]);
}

QTEST_GUILESS_MAIN(TestRank)
#include "tst_rank.moc"
