// SPDX-License-Identifier: GPL-3.0-or-later
// What a scoring run is forecast to take, against what its tensors take; that a budget is obeyed; and memory that
// serves twice.
#include "core/engine/ranking/attribution.h"
#include "core/engine/scoring/scorer.h"
#include "core/lm/device/memorymeter.h"
#include "core/lm/device/waiting.h"
#include "core/lm/load.h"
#include "tests/support/encodedfixture.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <malloc.h>
#include <map>
#include <optional>

using namespace headscope;
namespace fs = std::filesystem;
using engine::EncodedExample;
using engine::Scorer;
using interventions::EditHead;
using interventions::InterventionSet;

namespace {

const fs::path kSource = fs::path(HEADSCOPE_SOURCE_DIR);

/// Questions of about `length` tokens, some with the same beginning, each with two choices of one to three tokens.
std::vector<EncodedExample> questions(int count, int length, const lm::ModelSpec& spec)
{
    const auto id = [&](int a, int b) { return 3 + (a * 7919 + b * 31) % (spec.vocabulary - 3); };
    std::vector<EncodedExample> examples;
    for (int i = 0; i < count; ++i) {
        EncodedExample example{.choices = 2};
        const int own = spec.maxPositions > 0 ? std::min(length, spec.maxPositions) : length;
        for (int choice = 0; choice < 2; ++choice) {
            engine::Sequence sequence;
            const int tokens = own - i % 5, answer = 1 + choice + i % 2;
            for (int t = 0; t < tokens; ++t)
                sequence.ids.push_back(t < 4 ? 3 : id(i, t >= tokens - answer ? t + choice + 1 : t));
            for (int t = tokens - answer; t < tokens; ++t)
                sequence.targets.push_back({choice, t - 1, sequence.ids[static_cast<std::size_t>(t)]});
            example.sequences.push_back(std::move(sequence));
        }
        examples.push_back(std::move(example));
    }
    return examples;
}

/// A clean pass and passes with one head off in each of these layers; the weights are counted as loaded. Nothing when a
/// pass failed.
std::optional<std::int64_t> measured(Scorer& scorer, const std::shared_ptr<const engine::Workload>& workload,
                                     const lm::LoadedModel& loaded, const std::vector<int>& layers,
                                     const std::vector<bool>& only = {})
{
    const lm::MemoryMeter meter;
    std::vector<InterventionSet> sets(1);
    for (const int layer : layers) {
        const auto& mixers = loaded.model->spec().layers[static_cast<std::size_t>(layer)].mixers;
        if (!mixers.empty()) // some layers of Nemotron-H are an MLP alone
            sets.push_back(InterventionSet({EditHead{.head = {layer, mixers.front().site(), 0}}}));
    }
    for (const InterventionSet& set : sets)
        if (!scorer
                 .score(
                     workload, set, {}, [](int, const tasks::Outcome&) {}, {}, only)
                 .has_value())
            return std::nullopt;
    return loaded.resident + meter.peak();
}

QString megabytes(std::int64_t bytes)
{
    return QString::number(static_cast<double>(bytes) / 1e6, 'f', 3);
}

} // namespace

class TestMemory : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void productsOfManyShapesAreNotKept();
    void metersAreNested();
    void processorUseIsCounted();
    void aMapsMemoryServesTheNextRun();
    void forecastIsWhatIsMeasured_data();
    void forecastIsWhatIsMeasured();
    void portionsAreForecastAlone();
    void batchesSideBySideAreForecast_data();
    void batchesSideBySideAreForecast();
    void obeysABudget_data();
    void obeysABudget();
    void refusesABatchThatDoesNotFit();
    void estimatesObeyABudget_data();
    void estimatesObeyABudget();
};

// Each prompt of another length has products of other shapes; what is compiled for them has an end. The first test: the
// number is asked for once.
void TestMemory::productsOfManyShapesAreNotKept()
{
    const at::NoGradGuard noGrad;
    const at::Tensor weight = at::ones({64, 64}, at::kBFloat16);
    const auto multiply = [&weight](int from, int to) {
        for (int rows = from; rows < to; ++rows)
            (void)at::matmul(at::ones({rows, 64}, at::kBFloat16), weight);
        return mallinfo2().uordblks + mallinfo2().hblkhd;
    };
    const std::size_t before = multiply(2, 202);
    const std::size_t after = multiply(202, 402);
    QVERIFY2(after < before + 5'000'000, qPrintable(QString::number(after - before)));
}

void TestMemory::metersAreNested()
{
    const auto held = [](std::int64_t bytes, std::int64_t wanted) { return bytes >= wanted && bytes < wanted + 4096; };
    const lm::MemoryMeter outer;
    {
        const at::Tensor one = at::empty({1'000'000}, at::kByte);
    }
    const at::Tensor stays = at::empty({200'000}, at::kByte);
    {
        const lm::MemoryMeter inner;
        QCOMPARE(inner.peak(), 0);
        const at::Tensor more = at::empty({500'000}, at::kByte);
        QVERIFY(held(inner.peak(), 500'000));
    }
    QVERIFY(held(outer.peak(), 1'000'000));
}

void TestMemory::processorUseIsCounted()
{
    const auto before = lm::processorUse();
    QVERIFY(before.has_value());
    double sum = 0;
    for (int i = 0; lm::processorUse()->own < before->own + 0.3; ++i)
        sum += std::sqrt(static_cast<double>(i));
    const auto after = lm::processorUse();
    QVERIFY(after->own - before->own >= 0.3 && after->own - before->own < 1 && sum > 0);
    QVERIFY(after->machine - before->machine > after->own - before->own - 0.1); // counted in hundredths
}

// A large map is mostly the cost of fresh memory. What somebody else holds is left alone.
void TestMemory::aMapsMemoryServesTheNextRun()
{
    const at::NoGradGuard noGrad;
    const auto loaded = lm::load(kSource / "resources/models/tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    lm::Capture capture;
    at::Tensor& matrix = capture.sites[{0, lm::Site::Attention}].matrix;
    capture.sites[{0, lm::Site::Attention}].wantMatrix = true;
    const auto run = [&](int length, int seed) {
        const at::Tensor ids =
            at::tensor(encodedfixture::someIds(length, loaded->model->spec().vocabulary, seed), at::kLong);
        static_cast<void>(loaded->model->logits(ids.unsqueeze(0), {.capture = &capture}));
    };
    for (const int length : {20, 1000}) { // 1,000: 32 MB
        run(length, 1);
        const void* const first = matrix.data_ptr();
        const at::Tensor before = matrix.clone();
        run(length, 2);
        QCOMPARE(matrix.data_ptr(), first);
        QVERIFY(!at::equal(matrix, before));
        run(length, 1);
        QVERIFY(at::equal(matrix, before));
        const at::Tensor held = matrix;
        run(length, 2);
        QVERIFY(matrix.data_ptr() != first && at::equal(held, before));
        const at::Tensor part = matrix[0][0];
        const void* const second = matrix.data_ptr();
        run(length, 1);
        QVERIFY(matrix.data_ptr() != second);
    }
}

void TestMemory::forecastIsWhatIsMeasured_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("length");
    QTest::addColumn<int>("count");
    std::vector<fs::path> folders;
    for (const char* root : {"tests/data/golden", "resources/models"})
        for (const auto& entry : fs::recursive_directory_iterator(kSource / root))
            if (entry.path().filename() == "config.json")
                folders.push_back(entry.path().parent_path());
    std::sort(folders.begin(), folders.end());
    QVERIFY(folders.size() >= 23);
    for (const fs::path& folder : folders)
        for (const auto& [length, count] : {std::pair{40, 24}, std::pair{200, 8}})
            QTest::addRow("%s %d", fs::relative(folder, kSource).c_str(), length)
                << QString::fromStdString(folder.string()) << length << count;
}

void TestMemory::forecastIsWhatIsMeasured()
{
    QFETCH(QString, folder);
    QFETCH(int, length);
    QFETCH(int, count);
    const auto loaded = lm::load(folder.toStdString(), {"cpu", "fp32"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    const at::NoGradGuard noGrad;
    const int last = static_cast<int>(loaded->model->spec().layers.size()) - 1;
    struct Case {
        std::int64_t cacheBytes = 0;
        std::vector<int> layers; ///< with a head off, in order
    };
    for (const Case& run : {Case{0, {0, last / 2, last}}, Case{std::int64_t{1} << 31, {}},
                            Case{std::int64_t{1} << 31, {0, last / 2, last}}, Case{std::int64_t{1} << 31, {last}}}) {
        Scorer scorer(loaded->model, nullptr, {.cacheBytes = run.cacheBytes, .weightBytes = loaded->resident});
        const auto workload = scorer.prepare(questions(count, length, loaded->model->spec()));
        const engine::RunMemory told =
            scorer.forecast(*workload, run.layers.empty() ? std::nullopt : std::optional(run.layers.front()));
        const auto taken = measured(scorer, workload, *loaded, run.layers);
        QVERIFY(taken.has_value());
        QCOMPARE(told.kept, scorer.keptBytes());
        QCOMPARE(told.weights, loaded->resident);
        // Beside the weights, which are known: within a tenth.
        const double share =
            static_cast<double>(told.total() - told.weights) / static_cast<double>(*taken - told.weights);
        const QString what =
            QStringLiteral("kept %1 MB, %2 layers changed: forecast %3 MB, measured %4 MB, beside the weights %5")
                .arg(megabytes(told.kept))
                .arg(run.layers.size())
                .arg(megabytes(told.total()), megabytes(*taken))
                .arg(share);
        QVERIFY2(share > 0.9 && share < 1.1, qPrintable(what));
    }
}

// What several processes share is run a portion at a time, and only that portion's clean run is kept.
void TestMemory::portionsAreForecastAlone()
{
    constexpr int kExamples = 120;
    const auto loaded = lm::load(kSource / "resources" / "models" / "tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const at::NoGradGuard noGrad;
    Scorer scorer(loaded->model, nullptr, {.batchTokens = 512, .weightBytes = loaded->resident});
    const auto workload = scorer.prepare(questions(kExamples, 70, loaded->model->spec()));
    const engine::RunMemory whole = scorer.forecast(*workload, 0);
    for (const std::size_t batches : {std::size_t{1}, workload->batches().size() / 3}) {
        std::vector<bool> only(kExamples);
        for (std::size_t batch = 0; batch < batches; ++batch)
            for (const auto& member : workload->batches()[batch].members)
                only[static_cast<std::size_t>(member.example)] = true;
        scorer.dropCache();
        const engine::RunMemory told = scorer.forecast(*workload, 0, only);
        const auto taken = measured(scorer, workload, *loaded, {0, 1, 3}, only);
        QVERIFY(taken.has_value());
        QCOMPARE(told.kept, scorer.keptBytes());
        QVERIFY(2 * told.kept < whole.kept);
        const double share =
            static_cast<double>(told.total() - told.weights) / static_cast<double>(*taken - told.weights);
        QVERIFY2(share > 0.9 && share < 1.1, qPrintable(QString::number(share)));
    }
}

void TestMemory::batchesSideBySideAreForecast_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"tiny-transformer", "tiny-ssm", "tiny-hybrid", "small-transformer", "small-ssm"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

// Their largest moments meet in some runs only, as the threads come: the largest of a few counts, and the middle of a
// few forecasts.
void TestMemory::batchesSideBySideAreForecast()
{
    QFETCH(QString, name);
    constexpr int kRuns = 5, kExamples = 30, kAtOnce = 2;
    const auto loaded = lm::load(kSource / "resources" / "models" / name.toStdString(), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const at::NoGradGuard noGrad;
    for (const std::int64_t cacheBytes : {std::int64_t{0}, std::int64_t{1} << 31}) {
        Scorer scorer(
            loaded->model, nullptr,
            {.cacheBytes = cacheBytes, .batchTokens = 256, .batchesAtOnce = kAtOnce, .weightBytes = loaded->resident});
        const auto workload = scorer.prepare(questions(kExamples, 90, loaded->model->spec()));
        QVERIFY(std::ssize(workload->batches()) > 2 * kAtOnce);
        std::int64_t most = 0;
        std::vector<std::int64_t> told;
        for (int run = 0; run < kRuns; ++run) {
            told.push_back(scorer.forecast(*workload, 0).total() - loaded->resident);
            scorer.dropCache();
            const auto taken = measured(scorer, workload, *loaded, {0, 1, 3});
            QVERIFY(taken.has_value());
            most = std::max(most, *taken - loaded->resident);
        }
        std::sort(told.begin(), told.end());
        const double share = static_cast<double>(told[kRuns / 2]) / static_cast<double>(most);
        QVERIFY2(share > 0.9 && share < 1.1, qPrintable(QString::number(share)));
    }
}

void TestMemory::obeysABudget_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("kilobytes");
    QTest::addColumn<int>("batchesAtOnce");
    for (const char* name : {"tiny-transformer", "tiny-ssm", "tiny-hybrid"})
        for (const int kilobytes : {1'000, 4'000, 10'000, 32'000})
            for (const int atOnce : {1, 3})
                QTest::addRow("%s %d, %d at once", name, kilobytes, atOnce)
                    << QString::fromLatin1(name) << kilobytes << atOnce;
}

void TestMemory::obeysABudget()
{
    QFETCH(QString, name);
    QFETCH(int, kilobytes);
    QFETCH(int, batchesAtOnce);
    const auto loaded = lm::load(kSource / "resources" / "models" / name.toStdString(), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const int last = static_cast<int>(loaded->model->spec().layers.size()) - 1;
    const std::int64_t budget = loaded->resident + std::int64_t{1000} * kilobytes;
    Scorer scorer(loaded->model, nullptr,
                  {.batchesAtOnce = batchesAtOnce, .memory = budget, .weightBytes = loaded->resident});
    const lm::MemoryMeter all; // the way to the forecast must not take more either, nor a second benchmark
    for (const int length : {60, 90}) {
        const auto workload = scorer.prepare(questions(30, length, loaded->model->spec()));
        const engine::RunMemory told = scorer.forecast(*workload, 0);
        const auto taken = measured(scorer, workload, *loaded, {0, last / 2, last});
        QVERIFY(taken.has_value());
        QVERIFY(told.total() <= budget);
        QVERIFY(*taken <= budget);
    }
    QVERIFY2(loaded->resident + all.peak() <= budget, qPrintable(megabytes(loaded->resident + all.peak() - budget)));
}

void TestMemory::refusesABatchThatDoesNotFit()
{
    const auto loaded = lm::load(kSource / "resources" / "models" / "tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    Scorer scorer(loaded->model, nullptr, {.memory = loaded->resident + 300'000, .weightBytes = loaded->resident});
    const auto workload = scorer.prepare(questions(8, 200, loaded->model->spec()));
    const auto refused =
        scorer.score(workload, {}, {}, [](int, const tasks::Outcome&) { QFAIL("nothing was to be scored"); }, {});
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, Error::Kind::Memory);
    QVERIFY2(refused.error().message.starts_with("The weights and a batch of 2"), refused.error().message.c_str());
}

void TestMemory::estimatesObeyABudget_data()
{
    QTest::addColumn<QString>("folder");
    for (const auto& entry : fs::directory_iterator(kSource / "tests/data/golden"))
        if (fs::exists(entry.path() / "config.json"))
            QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
    for (const char* name : {"tiny-transformer", "tiny-ssm", "tiny-hybrid"})
        QTest::newRow(name) << QString::fromStdString((kSource / "resources/models" / name).string());
}

// Beside the weights; the way to the forecast is measured with it.
void TestMemory::estimatesObeyABudget()
{
    QFETCH(QString, folder);
    const auto loaded = lm::load(folder.toStdString(), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const at::NoGradGuard noGrad;
    const auto items = questions(24, 60, loaded->model->spec());
    const Scorer scorer(loaded->model, nullptr);
    const auto benchmark = engine::Benchmark::ofEncoded(encodedfixture::taskOf(items), items, scorer);
    QVERIFY(benchmark.has_value());
    const auto estimate = [&](std::int64_t memory) {
        return engine::estimateRemovals(**benchmark, *loaded->model, {}, {}, {}, {.agreement = 1, .memory = memory});
    };
    const auto without = estimate(0);
    QVERIFY(without.has_value() && !without->forecast);
    const auto refused = estimate(1000);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, Error::Kind::Memory);
    QVERIFY2(refused.error().message.starts_with("An example of "), refused.error().message.c_str());
    const bool byBlocks = std::ranges::any_of(loaded->model->spec().layers, [](const lm::LayerSpec& layer) {
        return std::ranges::any_of(layer.mixers, &lm::MixerSpec::channels);
    });
    for (const std::int64_t budget : {std::int64_t{6'000'000}, std::int64_t{20'000'000}, std::int64_t{1} << 40}) {
        const lm::MemoryMeter meter;
        const auto within = estimate(budget);
        const std::int64_t taken = meter.peak();
        if (!within.has_value()) { // wide channels of Mamba-1: an example alone takes more
            QCOMPARE(within.error().kind, Error::Kind::Memory);
            continue;
        }
        // Mamba-1's way back works through a text in blocks, one text after the other: what one example takes beside
        // its own states is taken once, so the forecast of many is too high.
        const auto off = std::max(taken - *within->forecast, byBlocks ? 0 : *within->forecast - taken);
        QVERIFY2(*within->forecast <= budget && 10 * off <= *within->forecast,
                 qPrintable(megabytes(taken) + QStringLiteral(" of ") + megabytes(*within->forecast)));
        std::map<std::string, double> wanted;
        for (const engine::RankedHead& head : without->heads)
            wanted[toText(head.head)] = head.value;
        for (const engine::RankedHead& head : within->heads)
            QVERIFY(std::abs(head.value - wanted.at(toText(head.head))) < 1e-4);
    }
}

QTEST_GUILESS_MAIN(TestMemory)
#include "tst_memory.moc"
