// SPDX-License-Identifier: GPL-3.0-or-later
// The scorer against itself and against a published table: nothing ablated changes nothing, looking changes nothing,
// batches and kept streams change no answer, stopping loses nothing.
#include "core/engine/activationcache.h"
#include "core/engine/scoring/benchmark.h"
#include "core/engine/scoring/scorer.h"
#include "core/lm/load.h"
#include "core/tasks/toy/toy.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace headscope;
using engine::EncodedExample;
using engine::Scorer;
using engine::Sequence;
using interventions::InterventionSet;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance =
    1e-5; ///< of a log-likelihood relative where it is large: sums of fp32 numbers in two orders

fs::path llamaFolder()
{
    return fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / "llama";
}

/// A trained circuit whose table stands in its card.
fs::path trainedFolder()
{
    return fs::path(HEADSCOPE_SOURCE_DIR) / "resources" / "models" / "tiny-transformer";
}

std::shared_ptr<const lm::Model> load(const fs::path& folder)
{
    const auto loaded = lm::load(folder, {"cpu", "fp32"});
    return loaded.has_value() ? loaded->model : nullptr;
}

/// Numbers that look random and are the same everywhere.
class Numbers
{
public:
    int below(int limit)
    {
        m_state = m_state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<int>((m_state >> 33) % static_cast<std::uint64_t>(limit));
    }

private:
    std::uint64_t m_state = 7;
};

/// Examples of unlike lengths with two choices, one of one token and one of two: a sequence each.
std::vector<EncodedExample> randomExamples(int count, int vocabulary)
{
    Numbers numbers;
    std::vector<EncodedExample> examples;
    for (int i = 0; i < count; ++i) {
        EncodedExample example;
        example.choices = 2;
        const int length = 8 + numbers.below(14);
        std::vector<int> context;
        for (int t = 0; t < length; ++t)
            context.push_back(numbers.below(vocabulary));
        for (int choice = 0; choice < 2; ++choice) {
            Sequence sequence{.ids = context};
            sequence.targets.push_back({choice, length - 1, numbers.below(vocabulary)});
            if (choice == 1) {
                sequence.ids.push_back(sequence.targets.front().token);
                sequence.targets.push_back({choice, length, numbers.below(vocabulary)});
            }
            example.sequences.push_back(std::move(sequence));
        }
        examples.push_back(std::move(example));
    }
    return examples;
}

/// Dictionary prompts by token id.
std::vector<EncodedExample> dictionaryExamples(const std::string& task, int count)
{
    const auto batch = tasks::toyBatch(task, {.limit = count});
    std::vector<EncodedExample> examples;
    if (!batch.has_value())
        return examples;
    const auto row = static_cast<int>(batch->rows.front());
    for (int text = 0; text < batch->count; ++text) {
        Sequence sequence;
        for (int t = 0; t <= row; ++t)
            sequence.ids.push_back(static_cast<int>(batch->at(text, t)));
        sequence.targets.push_back({0, row, static_cast<int>(batch->at(text, row + 1))});
        EncodedExample example;
        example.choices = 1;
        example.sequences.push_back(std::move(sequence));
        examples.push_back(std::move(example));
    }
    return examples;
}

using Outcomes = std::vector<std::optional<tasks::Outcome>>;

Result<Outcomes> scored(Scorer& scorer, const std::shared_ptr<const engine::Workload>& workload,
                        const std::string& ablation)
{
    const auto set = InterventionSet::parse(ablation);
    if (!set.has_value())
        return set.error();
    Outcomes outcomes(workload->examples().size());
    const auto done = scorer.score(
        workload, *set, {},
        [&](int example, const tasks::Outcome& outcome) { outcomes[static_cast<std::size_t>(example)] = outcome; }, {});
    return done.has_value() ? Result<Outcomes>(outcomes) : Result<Outcomes>(done.error());
}

std::size_t largest(const std::vector<double>& values)
{
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// Empty when both sides gave the same answers.
QString difference(const Outcomes& one, const Outcomes& other)
{
    double worst = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (!one[i] || !other[i])
            return QStringLiteral("example %1 was not scored").arg(i);
        if (!one[i]->rejected.empty())
            return QString::fromStdString(one[i]->rejected);
        for (std::size_t c = 0; c < one[i]->logLikelihoods.size(); ++c)
            worst = std::max(worst, std::abs(one[i]->logLikelihoods[c] - other[i]->logLikelihoods[c])
                                        / std::max(1.0, std::abs(one[i]->logLikelihoods[c])));
        if (one[i]->greedy != other[i]->greedy || largest(one[i]->logLikelihoods) != largest(other[i]->logLikelihoods))
            return QStringLiteral("example %1 has another prediction").arg(i);
    }
    return worst <= kTolerance ? QString() : QStringLiteral("log-likelihoods differ by %1").arg(worst);
}

double accuracy(const Outcomes& outcomes)
{
    const auto right =
        std::count_if(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return outcome->greedy.front(); });
    return static_cast<double>(right) / static_cast<double>(outcomes.size());
}

at::Tensor randomIds(int vocabulary)
{
    Numbers numbers;
    at::Tensor ids = at::empty({3, 20}, at::kLong);
    for (std::int64_t i = 0; i < ids.numel(); ++i)
        ids.data_ptr<std::int64_t>()[i] = numbers.below(vocabulary);
    return ids;
}

} // namespace

class TestEngine : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void ablatingNothingChangesNoBit();
    void lookingChangesNothing();
    void batchesChangeNoAnswer();
    void restartEqualsFreshRun_data();
    void restartEqualsFreshRun();
    void restartEqualsFreshRunOnATrainedCircuit_data() { restartEqualsFreshRun_data(); }
    void restartEqualsFreshRunOnATrainedCircuit();
    void dropsOldStreamsWithinItsBudget();
    void dropsStreamsOfWorkloadsThatAreGone();
    void dropsWhatIsSoonThereAgainWhenNobodyAsks();
    void stoppingKeepsWhatIsFinished();
    void runsOnlyWhatIsAskedFor();
    void findsTheKnownCircuit_data();
    void findsTheKnownCircuit();
    void everyOtherHeadCostsLittle();

private:
    std::shared_ptr<const lm::Model> m_llama;
    std::shared_ptr<const lm::Model> m_trained;
};

void TestEngine::initTestCase()
{
    m_llama = load(llamaFolder());
    QVERIFY(m_llama);
    m_trained = load(trainedFolder());
    QVERIFY(m_trained);
}

void TestEngine::ablatingNothingChangesNoBit()
{
    const at::NoGradGuard noGrad;
    const at::Tensor ids = randomIds(m_llama->spec().vocabulary);
    const at::Tensor plain = m_llama->logits(ids);
    for (const char* text : {"", "L1H2=scale:1", "keep:L1H*"}) {
        const auto set = InterventionSet::parse(text);
        QVERIFY(set.has_value());
        const auto edits = lm::resolve(*set, m_llama->spec());
        QVERIFY2(edits.has_value(), edits.has_value() ? "" : edits.error().message.c_str());
        QVERIFY2(at::equal(plain, m_llama->logits(ids, {.edits = &*edits})), text);
    }
}

void TestEngine::lookingChangesNothing()
{
    const at::NoGradGuard noGrad;
    const at::Tensor ids = randomIds(m_llama->spec().vocabulary);
    const at::Tensor plain = m_llama->logits(ids);
    lm::Capture streams{.residual = true};
    QVERIFY(at::equal(plain, m_llama->logits(ids, {.capture = &streams})));
    QCOMPARE(streams.residuals.size(), m_llama->spec().layers.size() + 1);
    lm::Capture everything{.residual = true};
    for (int layer = 0; layer < static_cast<int>(m_llama->spec().layers.size()); ++layer)
        everything.sites[{layer, lm::Site::Attention}] = {.wantMatrix = true, .wantZ = true, .wantValues = true};
    const at::Tensor watched = m_llama->logits(ids, {.capture = &everything});
    QVERIFY((plain - watched).abs().max().item<double>() <= kTolerance);
    QVERIFY(at::equal(plain.argmax(-1), watched.argmax(-1)));
    for (const auto& [where, site] : everything.sites) {
        QVERIFY((site.matrix.sum(-1) - 1).abs().max().item<double>() <= kTolerance);
        QCOMPARE(site.matrix.triu(1).abs().max().item<double>(), 0.0);
    }
}

void TestEngine::batchesChangeNoAnswer()
{
    const auto examples = randomExamples(24, m_llama->spec().vocabulary);
    Scorer one(m_llama, nullptr, {.batchTokens = 1}), many(m_llama, nullptr);
    const auto alone = one.prepare(examples), together = many.prepare(examples);
    QVERIFY(alone->batches().size() > together->batches().size());
    for (const auto& batch : alone->batches())
        QCOMPARE(batch.members.size(), std::size_t{1});
    for (const char* ablation : {"", "L1H2", "L0H1=mean", "lastrow:L1", "L2H0@last"}) {
        const auto a = scored(one, alone, ablation), b = scored(many, together, ablation);
        QVERIFY2(a.has_value() && b.has_value(), ablation);
        const QString differs = difference(*a, *b);
        QVERIFY2(differs.isEmpty(), qPrintable(QString::fromLatin1(ablation) + QStringLiteral(": ") + differs));
    }
}

void TestEngine::restartEqualsFreshRun_data()
{
    QTest::addColumn<QString>("ablation");
    for (const char* text : {"L0H0",
                             "L1H2",
                             "L2H3",
                             "L1H0-2 L2H1",
                             "L2H*",
                             "skip:L0",
                             "skip:L1",
                             "skip:L2.mlp",
                             "skip:L1.mixer",
                             "keep:L1H3",
                             "keep:L0H1 keep:L2H0",
                             "upto:L0",
                             "upto:L1",
                             "upto:L1 L0H2",
                             "lastrow:L2",
                             "lastrow:*",
                             "lastrow_self:L1",
                             "mask:L1H2[q=5,k=2]",
                             "mask:L2H0[q=6,k=1,renorm]",
                             "L1H2=mean",
                             "L2H1=resample:5",
                             "L1H1=scale:0.5",
                             "L1H2@last",
                             "L2H3=mean@last"})
        QTest::newRow(text) << QString::fromLatin1(text);
}

namespace {

/// The scorer that keeps streams, warmed by the baseline and by another ablation, against one that keeps nothing.
QString restartFault(const std::shared_ptr<const lm::Model>& model, std::vector<EncodedExample> examples,
                     const std::string& ablation)
{
    Scorer keeps(model, nullptr), forgets(model, nullptr, {.cacheBytes = 0});
    const auto warm = keeps.prepare(examples), cold = forgets.prepare(std::move(examples));
    const auto before = scored(keeps, warm, "");
    const auto other = scored(keeps, warm, "L2H2");
    const auto restarted = scored(keeps, warm, ablation), fresh = scored(forgets, cold, ablation);
    for (const auto* run : {&before, &other, &restarted, &fresh})
        if (!run->has_value())
            return QString::fromStdString(run->error().message);
    if (keeps.keptBytes() == 0 || forgets.keptBytes() != 0)
        return QStringLiteral("the wrong scorer kept streams");
    if (const QString differs = difference(*restarted, *fresh); !differs.isEmpty())
        return differs;
    // The kept streams are still those of the clean run.
    const auto after = scored(keeps, warm, "");
    if (!after.has_value())
        return QString::fromStdString(after.error().message);
    const QString changed = difference(*before, *after);
    return changed.isEmpty() ? changed : QStringLiteral("the baseline afterwards: ") + changed;
}

} // namespace

void TestEngine::restartEqualsFreshRun()
{
    QFETCH(QString, ablation);
    const QString fault = restartFault(m_llama, randomExamples(20, m_llama->spec().vocabulary), ablation.toStdString());
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
}

void TestEngine::restartEqualsFreshRunOnATrainedCircuit()
{
    QFETCH(QString, ablation);
    const QString fault = restartFault(m_trained, dictionaryExamples("toy_kv:pairs=4", 12), ablation.toStdString());
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
}

void TestEngine::dropsOldStreamsWithinItsBudget()
{
    // Room for about one batch of the several.
    const auto examples = randomExamples(40, m_llama->spec().vocabulary);
    constexpr std::int64_t kBudget = 64 * 1024;
    Scorer small(m_llama, nullptr, {.cacheBytes = kBudget, .batchTokens = 64}), large(m_llama, nullptr);
    const auto one = small.prepare(examples), other = large.prepare(examples);
    for (const char* ablation : {"", "L2H1", "L1H0", ""}) {
        const auto a = scored(small, one, ablation), b = scored(large, other, ablation);
        QVERIFY(a.has_value() && b.has_value());
        QVERIFY(small.keptBytes() <= kBudget);
        const QString differs = difference(*a, *b);
        QVERIFY2(differs.isEmpty(), qPrintable(differs));
    }
    QVERIFY(large.keptBytes() > kBudget);
}

void TestEngine::dropsStreamsOfWorkloadsThatAreGone()
{
    Scorer scorer(m_llama, nullptr);
    auto large = scorer.prepare(randomExamples(20, m_llama->spec().vocabulary));
    QVERIFY(scored(scorer, large, "").has_value());
    const auto small = scorer.prepare(randomExamples(2, m_llama->spec().vocabulary));
    QVERIFY(scored(scorer, small, "").has_value());
    const std::int64_t both = scorer.keptBytes();
    large.reset();
    QVERIFY(scored(scorer, small, "L2H1").has_value());
    Scorer alone(m_llama, nullptr);
    QVERIFY(scored(alone, small, "").has_value());
    QVERIFY(scored(alone, small, "L2H1").has_value());
    QVERIFY(scorer.keptBytes() < both);
    QCOMPARE(scorer.keptBytes(), alone.keptBytes());
}

void TestEngine::dropsWhatIsSoonThereAgainWhenNobodyAsks()
{
    Scorer scorer(m_llama, nullptr);
    const auto workload = scorer.prepare(randomExamples(20, m_llama->spec().vocabulary));
    const auto before = scored(scorer, workload, "L2H1");
    const std::int64_t kept = scorer.keptBytes();
    QVERIFY(before.has_value() && kept > 0);
    scorer.rest();
    QCOMPARE(scorer.keptBytes(), 0);
    const auto after = scored(scorer, workload, "L2H1");
    QVERIFY(after.has_value());
    QCOMPARE(scorer.keptBytes(), kept);
    const QString differs = difference(*before, *after);
    QVERIFY2(differs.isEmpty(), qPrintable(differs));

    // What took long stays.
    engine::ActivationCache cache(1 << 20);
    cache.keep({&cache, 0}, {{0, {at::zeros({4}), {}}}}, 1.5);
    cache.keep({&cache, 1}, {{0, {at::zeros({4}), {}}}}, 1.5);
    cache.keep({&cache, 1}, {{2, {at::zeros({4}), {}}}}, 0.5);
    QCOMPARE(cache.seconds(), 3.5);
    cache.forget(&cache);
    QCOMPARE(cache.seconds(), 0.0);
}

void TestEngine::stoppingKeepsWhatIsFinished()
{
    Scorer scorer(m_llama, nullptr, {.batchTokens = 1});
    const auto workload = scorer.prepare(randomExamples(10, m_llama->spec().vocabulary));
    std::stop_source stop;
    Outcomes finished(10);
    int count = 0;
    const auto done = scorer.score(workload, {}, {},
                                   [&](int example, const tasks::Outcome& outcome) {
                                       finished[static_cast<std::size_t>(example)] = outcome;
                                       if (++count == 4)
                                           stop.request_stop();
                                   },
                                   {stop.get_token(), {}});
    QVERIFY(!done.has_value());
    QCOMPARE(static_cast<int>(done.error().kind), static_cast<int>(Error::Kind::Cancelled));
    QCOMPARE(count, 4);

    // The rest alone completes it to what an undisturbed run gives.
    std::vector<bool> missing(10);
    std::transform(finished.begin(), finished.end(), missing.begin(), [](const auto& outcome) { return !outcome; });
    const auto rest = scorer.score(
        workload, {}, {},
        [&](int example, const tasks::Outcome& outcome) { finished[static_cast<std::size_t>(example)] = outcome; }, {},
        missing);
    QVERIFY(rest.has_value());
    Scorer undisturbed(m_llama, nullptr);
    const auto whole = scored(undisturbed, undisturbed.prepare(randomExamples(10, m_llama->spec().vocabulary)), "");
    QVERIFY(whole.has_value());
    const QString differs = difference(finished, *whole);
    QVERIFY2(differs.isEmpty(), qPrintable(differs));
}

void TestEngine::runsOnlyWhatIsAskedFor()
{
    Scorer scorer(m_llama, nullptr, {.batchTokens = 1});
    const auto workload = scorer.prepare(randomExamples(6, m_llama->spec().vocabulary));
    std::vector<int> heard;
    const auto done =
        scorer.score(workload, {}, {}, [&](int example, const tasks::Outcome&) { heard.push_back(example); }, {},
                     {false, true, false, false, true, false});
    QVERIFY(done.has_value());
    std::sort(heard.begin(), heard.end());
    QCOMPARE(heard, (std::vector<int>{1, 4}));
}

void TestEngine::findsTheKnownCircuit_data()
{
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("ablation");
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    // As the card has them, measured after the training; the prompts here are others.
    for (const char* task : {"toy_kv:pairs=4", "toy_kv:pairs=8", "toy_kv:pairs=16"})
        QTest::addRow("%s", task) << QString::fromLatin1(task) << QString() << 0.98 << 1.0;
    QTest::newRow("L1H2") << QStringLiteral("toy_kv:pairs=8") << QStringLiteral("L1H2") << 0.0 << 0.1;
    QTest::newRow("L2H5") << QStringLiteral("toy_kv:pairs=8") << QStringLiteral("L2H5") << 0.0 << 0.1;
}

void TestEngine::findsTheKnownCircuit()
{
    QFETCH(QString, task);
    QFETCH(QString, ablation);
    QFETCH(double, low);
    QFETCH(double, high);
    Scorer scorer(m_trained, nullptr);
    const auto outcomes =
        scored(scorer, scorer.prepare(dictionaryExamples(task.toStdString(), 256)), ablation.toStdString());
    QVERIFY2(outcomes.has_value(), outcomes.has_value() ? "" : outcomes.error().message.c_str());
    const double right = accuracy(*outcomes);
    QVERIFY2(right >= low && right <= high, qPrintable(QString::number(right)));
}

void TestEngine::everyOtherHeadCostsLittle()
{
    Scorer scorer(m_trained, nullptr);
    const auto workload = scorer.prepare(dictionaryExamples("toy_kv:pairs=8", 128));
    QCOMPARE(workload->examples().size(), std::size_t{128});
    for (int layer = 0; layer < 4; ++layer)
        for (int head = 0; head < 8; ++head) {
            const std::string name = "L" + std::to_string(layer) + "H" + std::to_string(head);
            if (name == "L1H2" || name == "L2H5")
                continue;
            const auto outcomes = scored(scorer, workload, name);
            QVERIFY(outcomes.has_value());
            QVERIFY2(accuracy(*outcomes) >= 0.95,
                     qPrintable(QStringLiteral("%1: %2").arg(QString::fromStdString(name)).arg(accuracy(*outcomes))));
        }
}

QTEST_GUILESS_MAIN(TestEngine)
#include "tst_engine.moc"
