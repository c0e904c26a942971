// SPDX-License-Identifier: GPL-3.0-or-later
// Sequences packed by what they start with, runs restarted from what is kept, and the processor's own loops against one
// plain pass a sequence: the same log-likelihoods and the same predictions in every family under every intervention.
#include "core/base/giveway.h"
#include "core/engine/replacements.h"
#include "core/engine/scoring/scorer.h"
#include "core/engine/scoring/unreadheads.h"
#include "core/engine/treerun.h"
#include "core/lm/device/threads.h"
#include "core/lm/load.h"
#include "core/lm/tree/treemixing.h"
#include "tests/support/encodedfixture.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <stop_token>

using namespace headscope;
using namespace encodedfixture;
using engine::Scorer;
using interventions::InterventionSet;

namespace {

constexpr double kTolerance =
    1e-5; ///< of a log-likelihood, relative where it is large: sums of fp32 numbers in two orders

using Values = std::vector<std::vector<double>>; ///< by example and choice

Result<InterventionSet> setOf(const QString& text)
{
    return InterventionSet::parse(text.toStdString());
}

/// One sequence at a time through the tensor operations (a state switches the processor's own loops off).
Values plainly(const lm::Model& model, const std::vector<EncodedExample>& examples, const InterventionSet& set)
{
    const auto edits = lm::resolve(set, model.spec());
    Values values;
    for (const EncodedExample& example : examples) {
        values.emplace_back(static_cast<std::size_t>(example.choices), 0.0);
        for (const Sequence& sequence : example.sequences) {
            lm::State state;
            const at::Tensor ids =
                at::tensor(std::vector<std::int64_t>(sequence.ids.begin(), sequence.ids.end()), at::kLong).unsqueeze(0);
            const at::Tensor logits =
                at::log_softmax(model.logits(ids, {.edits = &*edits, .state = &state})[0].to(at::kDouble), -1);
            for (const Sequence::Target& target : sequence.targets)
                values.back()[static_cast<std::size_t>(target.choice)] +=
                    logits[target.position][target.token].item<double>();
        }
    }
    return values;
}

Result<Values> scored(Scorer& scorer, const std::shared_ptr<const engine::Workload>& workload,
                      const InterventionSet& set)
{
    Values values(workload->examples().size());
    const auto done = scorer.score(workload, set, {},
                                   [&](int example, const tasks::Outcome& outcome) {
                                       values[static_cast<std::size_t>(example)] = outcome.logLikelihoods;
                                   },
                                   {});
    return done.has_value() ? Result<Values>(values) : Result<Values>(done.error());
}

/// Empty when both say the same.
QString difference(const Values& one, const Values& other)
{
    double worst = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i].size() != other[i].size())
            return QStringLiteral("example %1 was not scored").arg(i);
        for (std::size_t c = 0; c < one[i].size(); ++c)
            worst = std::isnan(one[i][c] - other[i][c])
                        ? INFINITY
                        : std::max(worst, std::abs(one[i][c] - other[i][c]) / std::max(1.0, std::abs(one[i][c])));
        if (std::max_element(one[i].begin(), one[i].end()) - one[i].begin()
            != std::max_element(other[i].begin(), other[i].end()) - other[i].begin())
            return QStringLiteral("example %1 is answered otherwise").arg(i);
    }
    return worst <= kTolerance ? QString() : QStringLiteral("worst difference %1").arg(worst);
}

} // namespace

class TestPrefix : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { lm::setThreads(1); }
    void treeHoldsEachTokenOnce();
    void sharedEqualsPlain_data();
    void sharedEqualsPlain();
    void treesGiveGradients_data() { sharedEqualsPlain_data(); }
    void treesGiveGradients();
    void budgetThreadsAndChunksChangeNothing_data() { sharedEqualsPlain_data(); }
    void budgetThreadsAndChunksChangeNothing();
    void batchesSideBySideChangeNoBit_data() { sharedEqualsPlain_data(); }
    void batchesSideBySideChangeNoBit();
    void whatIsStoppedSideBySideEnds();
    void recordedLayersChangeNothing_data() { sharedEqualsPlain_data(); }
    void recordedLayersChangeNothing();
    void failedRecordingsChangeNothing();
    void optionsShrinkToTheMemory();
    void onePassForChoicesOfOneToken();
    void moreBatchesDoNotRunAHeaderAgain();
    void keepsWhatWasForecast();
    void keepsFewerLayersWhereTheyAreManyAndLarge();
    void editsOfUnreadHeadsAreDropped();
    void noLayerRunsToLookAtHeads();

private:
    at::NoGradGuard m_noGrad;
};

void TestPrefix::treeHoldsEachTokenOnce()
{
    const std::vector<std::vector<int>> texts = {{1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2, 7}, {1, 2, 7, 8}, {6}};
    std::vector<const std::vector<int>*> pointers;
    for (const auto& text : texts)
        pointers.push_back(&text);
    std::vector<std::vector<std::int64_t>> rowOf;
    const lm::TokenTree tree(pointers, &rowOf);
    QCOMPARE(tree.rows(), 8);
    QCOMPARE(tree.longest(), 5);
    for (std::size_t i = 0; i < texts.size(); ++i)
        for (std::size_t t = 0; t < texts[i].size(); ++t) {
            const auto row = static_cast<std::size_t>(rowOf[i][t]);
            QCOMPARE(tree.ids()[row], texts[i][t]);
            QCOMPARE(tree.positions()[row], static_cast<std::int64_t>(t));
            QCOMPARE(tree.previous()[row], t == 0 ? std::int64_t{-1} : rowOf[i][t - 1]);
        }
    std::int64_t next = 0;
    for (std::size_t s = 0; s < tree.segments().size(); ++s) {
        const lm::TreeSegment& segment = tree.segments()[s];
        QCOMPARE(segment.begin, next);
        next += segment.count;
        QVERIFY(segment.parent < static_cast<std::int64_t>(s));
        const std::int64_t before = tree.previous()[static_cast<std::size_t>(segment.begin)];
        if (segment.parent >= 0) {
            const lm::TreeSegment& parent = tree.segments()[static_cast<std::size_t>(segment.parent)];
            QCOMPARE(before, parent.begin + parent.count - 1);
            QCOMPARE(segment.level, parent.level + 1);
        } else {
            QCOMPARE(before, std::int64_t{-1});
        }
    }
    QCOMPARE(next, tree.rows());
    // Written out level by level, short segments beside longer ones: each row once, behind its parent's.
    const lm::TreeLevels levels = lm::levelsOf(tree, at::kCPU);
    QCOMPARE(static_cast<std::int64_t>(levels.levels.size()), tree.levels());
    std::vector<std::int64_t> written;
    for (const auto& level : levels.levels)
        for (const auto& group : level) {
            const at::Tensor flat = group.rows.reshape(-1);
            for (std::int64_t i = 0; i < flat.numel(); ++i)
                written.push_back(flat[i].item<std::int64_t>());
            QCOMPARE(group.begin >= 0, at::equal(flat, at::arange(flat[0].item<std::int64_t>(),
                                                                  flat[0].item<std::int64_t>() + flat.numel())));
            QCOMPARE(group.parents.defined(), &level != &levels.levels.front());
        }
    for (std::int64_t row = 0; row < tree.rows(); ++row)
        QCOMPARE(written[static_cast<std::size_t>(levels.place[row].item<std::int64_t>())], row);
    const lm::TreePaths paths = lm::pathsOf(tree, at::kCPU);
    for (std::int64_t row = 0; row < tree.rows(); ++row)
        QCOMPARE(paths.rows.view(-1)[paths.place[row].item<std::int64_t>()].item<std::int64_t>(), row);
}

void TestPrefix::sharedEqualsPlain_data()
{
    QTest::addColumn<QString>("folder");
    for (const auto& [name, folder] : families())
        QTest::newRow(qPrintable(name)) << QString::fromStdString(folder.string());
}

void TestPrefix::sharedEqualsPlain()
{
    QFETCH(QString, folder);
    const auto loaded = lm::load(folder.toStdString(), {"cpu", "fp32"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    const lm::Model& model = *loaded->model;
    const auto examples = questions(model.spec().vocabulary);
    const int last = static_cast<int>(model.spec().layers.size()) - 1;
    Scorer scorer(loaded->model, nullptr);
    const auto workload = scorer.prepare(examples);
    QVERIFY(workload->rows() < workload->tokens());
    // Cold, then warm in every order; what speaks of a sample's last position cannot be shared and must fall back.
    for (QString text : {QStringLiteral("L%1H1"), QString(), QStringLiteral("L0H0"), QStringLiteral("L0H0 L%1H*"),
                         QStringLiteral("L%1H0@last"), QStringLiteral("skip:L%1"), QStringLiteral("lastrow:L%1"),
                         QStringLiteral("keep:L0H1"), QStringLiteral("upto:L0"), QString()}) {
        text = text.contains(QLatin1Char('%')) ? text.arg(last) : text;
        const auto set = setOf(text);
        QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
        const auto values = scored(scorer, workload, *set);
        if (!values.has_value() && text.contains(QLatin1Char('H')))
            continue; // a channel or site that this family lacks
        QVERIFY2(values.has_value(), values.has_value() ? "" : values.error().message.c_str());
        const QString differs = difference(*values, plainly(model, examples, *set));
        QVERIFY2(differs.isEmpty(), qPrintable(text + QStringLiteral(": ") + differs));
    }
}

// Where gradients are asked for, tensors do along the tree what the processor's own loops do else.
void TestPrefix::treesGiveGradients()
{
    QFETCH(QString, folder);
    const auto loaded = lm::load(folder.toStdString(), {"cpu", "fp32"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    const lm::Model& model = *loaded->model;
    const int layers = static_cast<int>(model.spec().layers.size());
    const Scorer scorer(loaded->model, nullptr);
    const auto workload = scorer.prepare(questions(model.spec().vocabulary));
    const lm::DeviceTree tree(workload->batches().front().tree, at::kCPU);
    QVERIFY(tree.paths().visible.defined()
            || model.spec().rotatedByLengthPast > 0); // choices of one question stand in one group
    const at::NoGradGuard noGrad;
    const at::Tensor embedding = model.embed(tree.ids(), {.tree = &tree});
    const at::Tensor expected = model.runLayers(embedding.clone(), 0, layers, embedding, {.tree = &tree});
    const at::AutoGradMode withGraph(true);
    const at::Tensor input = embedding.clone().requires_grad_(true);
    const at::Tensor stream = model.runLayers(input, 0, layers, input, {.tree = &tree});
    const double largest = expected.abs().max().item<double>(), off = (stream - expected).abs().max().item<double>();
    QVERIFY2(off < 2e-5 * std::max(largest, 1.0), qPrintable(QStringLiteral("%1 of %2").arg(off).arg(largest)));
    stream.sum().backward();
    QVERIFY(at::isfinite(input.grad()).all().item<bool>());
}

void TestPrefix::budgetThreadsAndChunksChangeNothing()
{
    QFETCH(QString, folder);
    const auto loaded = lm::load(folder.toStdString(), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const auto examples = questions(loaded->model->spec().vocabulary);
    const int last = static_cast<int>(loaded->model->spec().layers.size()) - 1, threads = lm::threads();
    const engine::ScorerOptions all, tight{.cacheBytes = 40'000, .batchTokens = 64, .firstChunk = 2},
        none{.cacheBytes = 0, .batchTokens = 1, .orderSeed = 9};
    for (const QString& text : {QStringLiteral("L0H0=mean"), QStringLiteral("L%1H0").arg(last), QString()}) {
        std::optional<Values> first;
        for (const auto& options : {all, tight, none}) {
            lm::setThreads(options.batchTokens == 64 ? 2 : 1);
            Scorer scorer(loaded->model, nullptr, options);
            const auto workload = scorer.prepare(examples);
            (void)scored(scorer, workload, {});
            const auto values = scored(scorer, workload, *setOf(text));
            QVERIFY2(values.has_value(), values.has_value() ? "" : values.error().message.c_str());
            QVERIFY(scorer.keptBytes() <= options.cacheBytes);
            first = first.value_or(*values);
            const QString differs = difference(*first, *values);
            QVERIFY2(differs.isEmpty(), qPrintable(text + QStringLiteral(": ") + differs));
        }
    }
    lm::setThreads(threads);
}

void TestPrefix::batchesSideBySideChangeNoBit()
{
    QFETCH(QString, folder);
    const auto loaded = lm::load(folder.toStdString(), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const auto examples = questions(loaded->model->spec().vocabulary);
    const engine::ScorerOptions apart{.batchTokens = 1, .firstChunk = 2},
        beside{.batchTokens = 1, .firstChunk = 2, .batchesAtOnce = 3};
    Scorer one(loaded->model, nullptr, apart), many(loaded->model, nullptr, beside);
    const auto ofOne = one.prepare(examples), ofMany = many.prepare(examples);
    QVERIFY(ofMany->batches().size() > 3);
    // Nothing, a head, what is made of all examples, what holds for single texts; the second time from what is kept.
    for (const char* text : {"", "L0H0", "L0H0=mean", "L0H0=resample:1", "lastrow:L0", "L0H0"}) {
        using Outcomes = std::vector<std::pair<int, std::vector<double>>>; // in the order of their reports
        const auto outcomesOf = [&](Scorer& scorer, const std::shared_ptr<const engine::Workload>& workload) {
            Outcomes outcomes;
            const auto take = [&](int example, const tasks::Outcome& outcome) {
                outcomes.emplace_back(example, outcome.logLikelihoods);
            };
            return scorer.score(workload, *setOf(QLatin1String(text)), {}, take, {}).has_value() ? outcomes
                                                                                                 : Outcomes();
        };
        const Outcomes expected = outcomesOf(one, ofOne);
        QCOMPARE(expected.size(), examples.size());
        QVERIFY2(outcomesOf(many, ofMany) == expected, text);
        QCOMPARE(many.keptBytes(), one.keptBytes());
    }
}

void TestPrefix::whatIsStoppedSideBySideEnds()
{
    const auto loaded = lm::load(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    Scorer scorer(loaded->model, nullptr, {.batchTokens = 1, .firstChunk = 2, .batchesAtOnce = 3});
    const auto workload = scorer.prepare(questions(loaded->model->spec().vocabulary));
    std::stop_source stop;
    std::set<int> told;
    const auto take = [&](int example, const tasks::Outcome&) {
        QVERIFY(told.insert(example).second);
        stop.request_stop();
    };
    const auto stopped = scorer.score(workload, {}, {}, take, {.stop = stop.get_token()});
    QVERIFY(!stopped.has_value() && stopped.error().kind == Error::Kind::Cancelled);
    QVERIFY(!told.empty() && told.size() < workload->examples().size());
    const auto values = scored(scorer, workload, {});
    QVERIFY(values.has_value());
    Scorer plain(loaded->model, nullptr, {.batchTokens = 1, .firstChunk = 2});
    const auto expected = scored(plain, plain.prepare(questions(loaded->model->spec().vocabulary)), {});
    QVERIFY(expected.has_value() && *values == *expected);
}

// On the processor a recording can only do the work again; that shows which run may use which.
void TestPrefix::recordedLayersChangeNothing()
{
    QFETCH(QString, folder);
    const auto loaded = lm::load(folder.toStdString(), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const lm::Recorder recorder = [](const std::function<void()>& work) { return repeated(work); };
    const int last = static_cast<int>(loaded->model->spec().layers.size()) - 1;
    const auto examples = questions(loaded->model->spec().vocabulary);
    Scorer plain(loaded->model, nullptr, {.batchTokens = 64, .firstChunk = 2}),
        scorer(loaded->model, nullptr, {.batchTokens = 64, .firstChunk = 2, .recorder = recorder});
    const auto plainWork = plain.prepare(examples), work = scorer.prepare(examples);
    QVERIFY(work->batches().size() > 1);
    for (int round = 0; round < 3; ++round)
        for (QString text : {QString(), QStringLiteral("L0H0"), QStringLiteral("skip:L0"), QStringLiteral("L%1H0"),
                             QStringLiteral("skip:L%1"), QStringLiteral("upto:L0"), QStringLiteral("lastrow:L%1")}) {
            text = text.contains(QLatin1Char('%')) ? text.arg(last) : text;
            const auto set = setOf(text);
            const auto wanted = scored(plain, plainWork, *set), values = scored(scorer, work, *set);
            QVERIFY2(values.has_value(), values.has_value() ? "" : values.error().message.c_str());
            const QString differs = difference(*wanted, *values);
            QVERIFY2(differs.isEmpty(), qPrintable(text + QStringLiteral(": ") + differs));
        }
    const auto& layers =
        loaded->model->spec().layers; // layers whose experts choose by what they read are run each time
    const auto experts = std::count_if(layers.begin(), layers.end(), [](const auto& one) { return one.experts > 0; });
    QCOMPARE(scorer.slowdown().empty(), experts == 0);
    if (experts == 0)
        QVERIFY(scorer.graphs()->made > 0 && scorer.graphs()->replays > scorer.graphs()->made);
    else if (experts == std::ssize(layers)) // of the others the layers that run again may be those with experts
        QCOMPARE(scorer.graphs()->made, 0);
    QCOMPARE(plain.graphs(), nullptr);
    const auto other = scorer.prepare(examples); // the recordings of a workload end with it
    QVERIFY(scored(scorer, other, {}).has_value());
    QCOMPARE(scorer.graphs()->made, 0);
}

void TestPrefix::failedRecordingsChangeNothing()
{
    const auto loaded =
        lm::load(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / "llama", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const auto examples = questions(loaded->model->spec().vocabulary);
    Scorer plain(loaded->model, nullptr),
        scorer(loaded->model, nullptr, {.recorder = [](const std::function<void()>&) -> std::unique_ptr<lm::Recording> {
                   throw std::runtime_error("not today");
               }});
    const auto plainWork = plain.prepare(examples), work = scorer.prepare(examples);
    for (int round = 0; round < 4; ++round)
        for (const char* text : {"L0H0", "skip:L0"}) {
            const auto wanted = scored(plain, plainWork, *setOf(QString::fromLatin1(text))),
                       values = scored(scorer, work, *setOf(QString::fromLatin1(text)));
            QVERIFY(values.has_value());
            QCOMPARE(difference(*wanted, *values), QString());
        }
    QCOMPARE(scorer.graphs()->fault, std::string("not today"));
    QVERIFY(scorer.slowdown().ends_with("not today") && plain.slowdown().empty());
    QCOMPARE(scorer.graphs()->made, 0);
}

void TestPrefix::optionsShrinkToTheMemory()
{
    const auto loaded =
        lm::load(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / "llama", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    QCOMPARE(loaded->resident, loaded->bytes);
    std::vector<EncodedExample> examples;
    for (int i = 0; i < 40; ++i) {
        examples.push_back({.choices = 1});
        examples.back().sequences.push_back({someIds(40, loaded->model->spec().vocabulary, i), {{0, 39, 1}}});
    }
    const auto prepared = [&](std::int64_t beside) {
        return Scorer(loaded->model, nullptr,
                      {.memory = beside > 0 ? loaded->resident + beside : 0, .weightBytes = loaded->resident})
            .prepare(examples)
            ->largestBatch();
    };
    const std::int64_t plenty = prepared(std::int64_t{1} << 40), some = prepared(2'000'000), tight = prepared(500'000);
    QCOMPARE(plenty, prepared(0));
    QVERIFY2(tight <= 128 && tight < some && some < plenty,
             qPrintable(QStringLiteral("%1 %2 %3").arg(tight).arg(some).arg(plenty)));
}

void TestPrefix::onePassForChoicesOfOneToken()
{
    const auto loaded =
        lm::load(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / "llama", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    EncodedExample example{.choices = 4};
    example.sequences.push_back(
        {someIds(12, loaded->model->spec().vocabulary, 3), {{0, 11, 1}, {1, 11, 2}, {2, 11, 3}, {3, 11, 4}}});
    const Scorer scorer(loaded->model, nullptr);
    QCOMPARE(scorer.prepare({example, example})->rows(), 12);
}

// Batches are halved for two threads, but not where each would run what all texts begin with once more.
void TestPrefix::moreBatchesDoNotRunAHeaderAgain()
{
    const auto loaded = lm::load(fs::path(HEADSCOPE_SOURCE_DIR) / "resources/models/tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const int vocabulary = loaded->model->spec().vocabulary;
    const auto prepared = [&](int header, int parts) {
        std::vector<EncodedExample> examples;
        for (int i = 0; i < 200; ++i) {
            std::vector<int> ids = someIds(header, vocabulary, 1000);
            for (const int id : someIds(60, vocabulary, i))
                ids.push_back(id);
            const int last = static_cast<int>(ids.size()) - 1;
            examples.push_back({.choices = 1});
            examples.back().sequences.push_back({std::move(ids), {{0, last, 1}}});
        }
        return Scorer(loaded->model, nullptr, {.batchParts = parts}).prepare(std::move(examples));
    };
    const auto plain = prepared(0, 1), halved = prepared(0, 2), whole = prepared(600, 1), behind = prepared(600, 2);
    QVERIFY(halved->batches().size() > plain->batches().size());
    QVERIFY(whole->batches().size() > 1);
    QCOMPARE(behind->batches().size(), whole->batches().size());
    QCOMPARE(behind->rows(), whole->rows());
}

void TestPrefix::keepsWhatWasForecast()
{
    const auto loaded =
        lm::load(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / "llama", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const auto examples = questions(loaded->model->spec().vocabulary);
    constexpr std::int64_t kPlenty = std::int64_t{1} << 30;
    const std::int64_t all =
        engine::keepPlan(*loaded->model, *Scorer(loaded->model, nullptr).prepare(examples), kPlenty).bytes;
    QVERIFY(all > 0);
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t budget : {kPlenty, all - 1, all / 4, std::int64_t{10}}) {
        Scorer scorer(loaded->model, nullptr, {.cacheBytes = budget});
        const auto workload = scorer.prepare(examples);
        const engine::KeepPlan plan = engine::keepPlan(*loaded->model, *workload, budget);
        QVERIFY(plan.bytes <= budget);
        QVERIFY(scored(scorer, workload, {}).has_value());
        QCOMPARE(scorer.keptBytes(), plan.bytes);
        QVERIFY(plan.bytes < before || plan.bytes == 0);
        before = plan.bytes;
    }
}

void TestPrefix::keepsFewerLayersWhereTheyAreManyAndLarge()
{
    constexpr std::int64_t kMega = 1 << 20, kPlenty = std::int64_t{1} << 40;
    const auto stride = [](int layers, std::int64_t all, std::int64_t budget) {
        return engine::strideOf(layers, budget, [&](int wanted) { return all / wanted; });
    };
    QCOMPARE(stride(24, 4096 * kMega, kPlenty), 3); // a layer more on the mean, of twelve
    QCOMPARE(stride(24, 400 * kMega, kPlenty), 2);  // little enough
    QCOMPARE(stride(24, 200 * kMega, kPlenty), 1);
    QCOMPARE(stride(4, 4096 * kMega, kPlenty), 1); // one layer more were half of a click
    QCOMPARE(stride(4, 4096 * kMega, 1500 * kMega), 3);
    QCOMPARE(stride(24, 4096 * kMega, 10 * kMega), 0);
    QCOMPARE(stride(24, 4096 * kMega, 0), 0);
}

void TestPrefix::editsOfUnreadHeadsAreDropped()
{
    const auto loaded =
        lm::load(fs::path(HEADSCOPE_SOURCE_DIR) / "resources" / "models" / "tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const lm::Model& model = *loaded->model;
    const std::vector<int> text = someIds(24, model.spec().vocabulary, 1);
    const at::Tensor ids = at::tensor(std::vector<std::int64_t>(text.begin(), text.end()), at::kLong).unsqueeze(0);
    const auto logits = [&](const lm::Edits& edits) {
        lm::State state; // the plain tensor operations
        return model.logits(ids, {.edits = &edits, .state = &state});
    };
    const at::Tensor clean = logits(*lm::resolve({}, model.spec()));
    engine::UnreadHeads heads(model);
    int dropped = 0, kept = 0;
    for (int layer = 0; layer < 4; ++layer)
        for (int head = 0; head < 8; ++head) {
            const auto edits = lm::resolve(*setOf(QStringLiteral("L%1H%2").arg(layer).arg(head)), model.spec());
            QVERIFY(edits.has_value());
            const bool unread = heads.withoutUnreadHeads(*edits).layers.empty();
            QVERIFY2(unread == at::equal(clean, logits(*edits)),
                     qPrintable(QStringLiteral("L%1H%2").arg(layer).arg(head)));
            ++(unread ? dropped : kept);
        }
    QVERIFY(dropped > 0 && kept > 0);
    // Beside a head that is read, and where an edit reaches further than one head's output, nothing is dropped.
    for (const char* set : {"L2H*", "skip:L1", "skip:L0.mlp", "lastrow:L3", "L2H5=mean"}) {
        const auto edits = lm::resolve(*setOf(QString::fromLatin1(set)), model.spec());
        QVERIFY2(!heads.withoutUnreadHeads(*edits).layers.empty(), set);
    }
}

// With each head that is off a layer would run at each step of a score, and a stop waited for all of them.
void TestPrefix::noLayerRunsToLookAtHeads()
{
    const auto loaded =
        lm::load(fs::path(HEADSCOPE_SOURCE_DIR) / "resources" / "models" / "tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    int products = 0;
    const GivesWay counts([&products] { ++products; });
    const auto of = [&](const char* set) {
        return *lm::resolve(*setOf(QString::fromLatin1(set)), loaded->model->spec());
    };
    engine::UnreadHeads heads(*loaded->model);
    QCOMPARE(heads.withoutUnreadHeads(of("L1H2 L2H5")).layers.size(), 2U);
    QCOMPARE(heads.withoutUnreadHeads(of("L1H2=scale:2 L2H5=scale:0.5")).layers.size(), 2U);
    QCOMPARE(products, 0);
}

QTEST_GUILESS_MAIN(TestPrefix)
#include "tst_prefix.moc"
