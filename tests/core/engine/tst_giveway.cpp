// SPDX-License-Identifier: GPL-3.0-or-later
// Work that gives way: what comes in its middle changes no bit of it, what is stopped goes on where it was, and a
// prompt's layers are run once.
#ifndef Q_MOC_RUN // Qt 6.4's moc cannot read <stop_token>
#include "core/base/giveway.h"
#include "core/engine/pattern/patternreader.h"
#include "core/engine/scoring/portion.h"
#include "core/engine/worker.h"
#include "tests/support/scoringfixture.h"

#include <ATen/Parallel.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#endif

#include <QSemaphore>
#include <QTest>

#include <algorithm>
#include <cstring>

#include <omp.h>
#include <utility>

using namespace headscope;
using namespace scoringfixture;
using engine::Benchmark;
using engine::PatternReader;
using engine::Scorer;
using interventions::InterventionSet;

namespace {

InterventionSet set(const char* text)
{
    return InterventionSet::parse(text).value();
}

bool sameBits(const engine::Rows& one, const engine::Rows& other)
{
    return std::equal(one.outcomes.begin(), one.outcomes.end(), other.outcomes.begin(), other.outcomes.end(),
                      [](const auto& a, const auto& b) {
                          return a && b && a->logLikelihoods == b->logLikelihoods && a->greedy == b->greedy;
                      });
}

bool sameBits(const std::vector<Matrix>& one, const std::vector<Matrix>& other)
{
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Matrix& a, const Matrix& b) {
        return a.values.size() == b.values.size()
               && std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
    });
}

} // namespace

class TestGiveWay : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void nothingIsCalledWhereNothingIsSetUp() { giveWay(); }
    void theInnermostIsAsked();
    void whatIsStoppedEndsInside();
    void rowsGiveWay();
    void whatComesInTheMiddleChangesNoBit_data();
    void whatComesInTheMiddleChangesNoBit();
    void theWorkerLetsALookInAndFindsItsSettings();
    void aStepThatGaveWayGoesOn();
    void portionsGiveTheBitsOfTheWhole();
    void aPortionIsNoLargerThanAskedFor();
    void aStoppedPortionGoesOn();
    void keptStreamsChangeNoBit_data();
    void keptStreamsChangeNoBit();
    void keptStreamsStayInTheirBudget();
    void editsAboveALayerDoNotCount();

private:
    std::shared_ptr<const Benchmark> benchmark(const Scorer& scorer) const;
    std::vector<Matrix> mapsOf(const InterventionSet& under, std::shared_ptr<engine::StreamStore> streams = {}) const;

    std::shared_ptr<const lm::Model> m_model;
    std::shared_ptr<const text::Tokenizer> m_words;
    std::vector<int> m_ids;
};

void TestGiveWay::initTestCase()
{
    at::set_num_threads(1); // the model is too small for more
    auto loaded = lm::load(llamaFolder(), {"cpu", "fp32"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    m_model = loaded->model;
    m_words = tokenizerfixture::load(wordsFile());
    QVERIFY(m_words);
    m_ids = m_words->encode(words(20, 3), false)->ids;
}

std::shared_ptr<const Benchmark> TestGiveWay::benchmark(const Scorer& scorer) const
{
    auto made = Benchmark::make(setOf(rowsOf("several tokens")), scorer, *m_words);
    if (!made.has_value())
        qFatal("%s", made.error().message.c_str());
    return *made;
}

// Of the last layer, so that all others are run.
std::vector<Matrix> TestGiveWay::mapsOf(const InterventionSet& under,
                                        std::shared_ptr<engine::StreamStore> streams) const
{
    auto reader = PatternReader::open(m_model, m_ids, {.ablation = under}, {}, std::move(streams));
    const int last = static_cast<int>(m_model->spec().layers.size()) - 1;
    if (!reader.has_value() || !reader->choose({{last, interventions::Site::Any, -1}}, {}).has_value())
        return {};
    auto rows = reader->rows(0, reader->tokens(), {});
    return rows.has_value() ? *rows : std::vector<Matrix>();
}

void TestGiveWay::theInnermostIsAsked()
{
    std::vector<int> asked;
    const GivesWay outer([&] { asked.push_back(1); });
    {
        const GivesWay inner([&] { asked.push_back(2); });
        giveWay();
    }
    giveWay();
    QCOMPARE(asked, (std::vector<int>{2, 1}));
}

void TestGiveWay::whatIsStoppedEndsInside()
{
    const at::NoGradGuard noGrad;
    std::stop_source stop;
    int places = 0;
    const GivesWay here([&] {
        if (++places == 3) // in the middle of the first layer
            stop.request_stop();
    });
    const at::Tensor ids = at::tensor(std::vector<std::int64_t>(m_ids.begin(), m_ids.end()), at::kLong).unsqueeze(0);
    QVERIFY(!m_model->logits(ids, {.stop = stop.get_token()}).defined());
    QCOMPARE(places, 3);
    // What comes in between is not ended with it.
    std::stop_source other;
    bool whole = false;
    int depth = 0;
    const GivesWay between([&] {
        if (depth++ > 0)
            return;
        other.request_stop();
        whole = m_model->logits(ids, {}).defined();
    });
    QVERIFY(!m_model->logits(ids, {.stop = other.get_token()}).defined());
    QVERIFY(whole);
}

// The map of a long text is many blocks of rows, and a row that is asked for meanwhile waits for one of them.
void TestGiveWay::rowsGiveWay()
{
    auto reader = PatternReader::open(m_model, m_ids, {}, {});
    QVERIFY(reader.has_value() && reader->choose({{1, interventions::Site::Any, 2}}, {}).has_value());
    std::vector<Matrix> between;
    std::stop_source stop;
    bool first = true;
    {
        const GivesWay here([&] {
            if (std::exchange(first, false))
                between = *reader->rows(3, 1, {});
        });
        const auto rows = reader->rows(0, 8, {});
        QVERIFY(rows.has_value() && between.size() == 1);
        QVERIFY(std::ranges::equal(rows->front().row(3), between.front().row(0)));
    }
    {
        const GivesWay here([&] { stop.request_stop(); });
        const auto rows = reader->rows(0, 8, {.stop = stop.get_token()});
        QVERIFY(!rows.has_value() && rows.error().kind == Error::Kind::Cancelled);
    }
}

void TestGiveWay::whatComesInTheMiddleChangesNoBit_data()
{
    QTest::addColumn<QString>("ablation");
    for (const char* ablation : {"", "L1H0", "L0H1=mean", "lastrow:L1"})
        QTest::newRow(ablation) << QString::fromLatin1(ablation);
}

void TestGiveWay::whatComesInTheMiddleChangesNoBit()
{
    QFETCH(QString, ablation);
    const InterventionSet under = set(ablation.toLatin1().constData());
    const auto rowsOfARun = [&](bool disturbed) {
        Scorer scorer(m_model, m_words, {.batchTokens = 64});
        const auto made = benchmark(scorer);
        engine::Rows rows = made->emptyRows();
        int depth = 0, places = 0, came = 0;
        const GivesWay here([&] {
            if (!disturbed || depth > 0 || ++places % 7 != 0)
                return;
            ++depth;
            came += mapsOf(set("L0H2 L1H1")).empty() ? 0 : 1;
            --depth;
        });
        const bool ran = made->run(scorer, under, {}, rows, {}, {}).has_value();
        return ran && (came > 20 || !disturbed) ? rows : engine::Rows();
    };
    const engine::Rows plainRows = rowsOfARun(false), disturbedRows = rowsOfARun(true);
    QCOMPARE(plainRows.outcomes.size(), std::size_t{24});
    QVERIFY(sameBits(plainRows, disturbedRows));
}

void TestGiveWay::theWorkerLetsALookInAndFindsItsSettings()
{
    std::vector<int> order;
    QSemaphore working, go, done;
    bool gradInside = false, gradAfter = true;
    int threadsAfter = 0;
    engine::Worker worker(2);
    worker.post(
        engine::Urgency::Score,
        [&](const Control&) {
            const at::NoGradGuard noGrad;
            order.push_back(1);
            working.release();
            go.acquire();
            giveWay();
            order.push_back(3);
            gradAfter = at::GradMode::is_enabled();
            threadsAfter = at::get_num_threads();
            done.release();
        },
        [](const Error&) {});
    QVERIFY(working.tryAcquire(1, 10000));
    worker.post(
        engine::Urgency::Look,
        [&](const Control&) {
            order.push_back(2);
            gradInside = at::GradMode::is_enabled();
            at::set_num_threads(1); // as a smaller model does
        },
        [](const Error&) {});
    go.release();
    QVERIFY(done.tryAcquire(1, 10000));
    QCOMPARE(order, (std::vector<int>{1, 2, 3}));
    QVERIFY(gradInside && !gradAfter);
    QCOMPARE(threadsAfter, std::min(2, omp_get_thread_limit()));
}

void TestGiveWay::aStepThatGaveWayGoesOn()
{
    std::vector<int> order;
    QSemaphore working, go, done;
    bool wasCancelled = true;
    engine::Worker worker;
    worker.postSteps(
        engine::Urgency::Background,
        [&, step = 0](const engine::Turn& turn) mutable {
            order.push_back(10 + step);
            if (step++ > 0) {
                done.release();
                return engine::Next::End;
            }
            working.release();
            go.acquire();
            giveWay();
            wasCancelled = !turn.yielded();
            return engine::Next::Again;
        },
        [](const Error&) {});
    QVERIFY(working.tryAcquire(1, 10000));
    worker.post(
        engine::Urgency::Change, [&](const Control&) { order.push_back(1); }, [](const Error&) {});
    go.release();
    QVERIFY(done.tryAcquire(1, 10000));
    QVERIFY(!wasCancelled);
    QCOMPARE(order, (std::vector<int>{10, 1, 11}));
}

void TestGiveWay::portionsGiveTheBitsOfTheWhole()
{
    const InterventionSet under = set("L1H2");
    Scorer first(m_model, m_words, {.batchTokens = 64, .firstChunk = 4}),
        second(m_model, m_words, {.batchTokens = 64, .firstChunk = 4});
    const auto one = benchmark(first), other = benchmark(second);
    engine::Rows whole = one->emptyRows(), parts = other->emptyRows();
    QVERIFY(one->run(first, under, {}, whole, {}, {}).has_value());
    int portions = 0;
    for (auto portion = engine::nextPortion(*other, parts, 1); !portion.rows.empty();
         portion = engine::nextPortion(*other, parts, 1)) {
        QVERIFY(engine::runOnly(portion.rows, *other, second, under, {}, parts, {}, {}).has_value());
        ++portions;
    }
    QVERIFY(portions > 3);
    QVERIFY(sameBits(whole, parts));
}

void TestGiveWay::aPortionIsNoLargerThanAskedFor()
{
    Scorer scorer(m_model, m_words, {.batchTokens = 64, .firstChunk = 4});
    const auto made = benchmark(scorer);
    const engine::Rows rows = made->emptyRows();
    std::int64_t largest = 0;
    for (const auto& batch : made->workload().batches())
        largest = std::max(largest, batch.tree->rows());
    QVERIFY(engine::nextPortion(*made, rows, 1).tokens <= largest);
    QVERIFY(engine::nextPortion(*made, rows, 3 * largest).tokens <= 3 * largest);
    QVERIFY(engine::nextPortion(*made, rows, 3 * largest).tokens > largest);
    QCOMPARE(engine::nextPortion(*made, rows, 1 << 30).tokens, made->workload().rows());
    // Among some: none of the others.
    std::vector<bool> among(rows.outcomes.size());
    among[5] = true;
    QCOMPARE(engine::nextPortion(*made, rows, 1 << 30, among).rows, among);
}

void TestGiveWay::aStoppedPortionGoesOn()
{
    Scorer undisturbed(m_model, m_words, {.batchTokens = 64}), scorer(m_model, m_words, {.batchTokens = 64});
    const auto one = benchmark(undisturbed), other = benchmark(scorer);
    engine::Rows whole = one->emptyRows(), rows = other->emptyRows();
    QVERIFY(one->run(undisturbed, {}, {}, whole, {}, {}).has_value());
    int stops = 0;
    for (bool ran = false; !ran;) {
        std::stop_source stop;
        int places = 0;
        const GivesWay here([&] {
            if (++places == 40 + stops)
                stop.request_stop();
        });
        ran = other->run(scorer, {}, {}, rows, {}, {stop.get_token(), {}}).has_value();
        stops += ran ? 0 : 1;
        QVERIFY(stops < 200);
    }
    QVERIFY(stops > 2);
    QVERIFY(sameBits(whole, rows));
}

void TestGiveWay::keptStreamsChangeNoBit_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("now");
    QTest::newRow("the same") << ""
                              << "";
    QTest::newRow("a head off") << ""
                                << "L0H1";
    QTest::newRow("a head on again") << "L0H1"
                                     << "";
    QTest::newRow("another one") << "L0H1"
                                 << "L0H2";
    QTest::newRow("a layer skipped") << ""
                                     << "skip:L0";
    QTest::newRow("the last row everywhere") << ""
                                             << "lastrow:*";
    QTest::newRow("a head kept") << "L0H1"
                                 << "keep:L0H1";
}

void TestGiveWay::keptStreamsChangeNoBit()
{
    QFETCH(QString, before);
    QFETCH(QString, now);
    const auto parsed = InterventionSet::parse(now.toStdString());
    QVERIFY2(parsed.has_value(), parsed.has_value() ? "" : parsed.error().message.c_str());
    const auto streams = std::make_shared<engine::StreamStore>(1 << 20);
    (void)mapsOf(set(before.toLatin1().constData()), streams);
    QVERIFY(streams->bytes() > 0);
    const auto fresh = mapsOf(*parsed);
    QVERIFY(!fresh.empty());
    QVERIFY(sameBits(fresh, mapsOf(*parsed, streams)));
    QVERIFY(sameBits(fresh, mapsOf(*parsed, streams)));
}

void TestGiveWay::keptStreamsStayInTheirBudget()
{
    const at::Tensor stream = at::zeros({1, 10, 10});
    engine::StreamStore streams(3 * 400);
    for (int layer = 1; layer <= 5; ++layer)
        streams.keep({1, 2}, {}, layer, stream);
    QCOMPARE(streams.bytes(), std::int64_t{1200});
    QCOMPARE(streams.nearest({1, 2}, {}, 2).layer, 0); // the longest unused went
    QCOMPARE(streams.nearest({1, 2}, {}, 9).layer, 5);
    QCOMPARE(streams.nearest({1, 3}, {}, 9).layer, 0); // another prompt
    streams.keep({1, 2}, {}, 6, at::zeros({1, 100, 10}));
    QCOMPARE(streams.nearest({1, 2}, {}, 9).layer, 5); // what does not fit is not kept
}

void TestGiveWay::editsAboveALayerDoNotCount()
{
    QCOMPARE(engine::actingBelow(set("L1H0 L3H2"), 3), std::string("L1H0"));
    QCOMPARE(engine::actingBelow(set("L1H0 L3H2"), 1), std::string());
    QCOMPARE(engine::actingBelow(set("upto:L2"), 2), std::string()); // layers up to its last are run as ever
    QCOMPARE(engine::actingBelow(set("lastrow:*"), 1), set("lastrow:*").canonical());
    QCOMPARE(engine::actingBelow(set("shared:L6A3"), 1), set("shared:L6A3").canonical()); // in earlier layers too
}

QTEST_GUILESS_MAIN(TestGiveWay)
#include "tst_giveway.moc"
