// SPDX-License-Identifier: GPL-3.0-or-later
// The window's rankings: a click comes before the next head, a stopped ranking goes on where it was, an estimate says
// that it is one, and results are in the session as they come.
#ifndef Q_MOC_RUN // Qt 6.4's moc cannot read <stop_token>
#include "sessions/sessionstore.h"
#include "tests/support/requestedmodels.h"
#endif

#include <QSemaphore>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <deque>
#include <mutex>

using namespace headscope;
using app::HeadValue;
using app::RankMethod;
using app::RankRequest;
using headscope::testing::RequestedModels;

namespace {

constexpr int kLongEnough = 300000; // ms; a stop for a hung program, not a measure
constexpr std::size_t kHeads = 32;

/// What a request answered, gathered on the worker's thread.
struct Answers {
    std::mutex mutex;
    std::vector<std::vector<HeadValue>> replies;
    std::string error;
    bool cancelled = false;
    QSemaphore ended;
};

} // namespace

class TestRanking : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void clicksComeFirstAndTheRankingGoesOn();
    void aStoppedRankingGoesOn();
    void theCheapestBenchmarkIsFirstUnlessAnotherIsPinned();
    void estimatesAreMarked();
    void anEstimateGoesOnWhereItWasStopped();
    void racesComeWhole();
    void saysWhatIsWrong();
    void aSessionMayCloseUnderAScoreThatGoesOn();

private:
    /// Runs until its end or an error.
    Ticket rank(const RankRequest& request, Answers& answers, const std::function<void(std::size_t)>& heard = {});
    std::unique_ptr<QTemporaryDir> m_folder;
    std::deque<Answers> m_answers; ///< outlive the worker, which still lets go of them when a test has heard enough
    std::unique_ptr<RequestedModels> m_models;
    RankRequest m_request{Side::A, "toy_kv:pairs=4", 16, RankMethod::Exact};
};

void TestRanking::initTestCase()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_models = std::make_unique<RequestedModels>(
        app::ModelsOptions{{.device = "cpu", .threads = 1}, HEADSCOPE_SOURCE_DIR "/resources"});
    m_models->ask(app::OpenSessionRequest{m_folder->filePath(QStringLiteral("s.headscope")).toStdString()});
    QVERIFY(m_models->open("tiny-transformer").value);
}

Ticket TestRanking::rank(const RankRequest& request, Answers& answers, const std::function<void(std::size_t)>& heard)
{
    return m_models->start(request, {.replied =
                                         [&answers, heard](const auto& heads) {
                                             const std::lock_guard lock(answers.mutex);
                                             answers.replies.push_back(*heads);
                                             if (heard)
                                                 heard(heads->size());
                                         },
                                     .finished = [&answers] { answers.ended.release(); },
                                     .failed =
                                         [&answers](const Error& error) {
                                             const std::lock_guard lock(answers.mutex);
                                             answers.error = error.message;
                                             answers.cancelled = error.kind == Error::Kind::Cancelled;
                                             answers.ended.release();
                                         }});
}

void TestRanking::clicksComeFirstAndTheRankingGoesOn()
{
    Answers& answers = m_answers.emplace_back();
    std::atomic<std::size_t> headsAtClick{0}, headsAtAnswer{0}, headsNow{0};
    QSemaphore clicked;
    rank(m_request, answers, [&](std::size_t heads) {
        headsNow = heads;
        if (heads != 3 || headsAtClick != 0)
            return;
        headsAtClick = heads; // a person clicks a head while the ranking runs
        m_models->start(app::ScoresRequest{{Side::A, interventions::InterventionSet::parse("L2H5").value()},
                                           {Side::A, {}},
                                           {"toy_kv:pairs=4"}},
                        {.replied =
                             [&](const auto& reply) {
                                 if (headsAtAnswer != 0 || reply->examples == 0)
                                     return;
                                 headsAtAnswer = headsNow.load();
                                 clicked.release();
                             },
                         .finished = [] {},
                         .failed = [&](const Error&) { clicked.release(); }});
    });
    QVERIFY(clicked.tryAcquire(1, kLongEnough));
    QVERIFY(answers.ended.tryAcquire(1, kLongEnough));
    // A long score lets the ranking have a step now and then (tst_scheduler); behind it, all heads would be measured.
    // The first answer: on a slow machine the score outlives its time, and is behind the ranking from then on.
    QVERIFY(headsAtAnswer >= 3 && headsAtAnswer < kHeads);
    QCOMPARE(answers.replies.back().size(), kHeads);
    QCOMPARE(answers.replies.size(), kHeads);
    for (const HeadValue& head : answers.replies.back())
        QVERIFY(!head.estimate && head.n == 16);
    // The heads' rows are in the session: the numbers of one removal can be read back.
    auto session = sessions::SessionStore::open(m_folder->filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    const auto ablations = session->ablations();
    QVERIFY(ablations.has_value());
    QVERIFY(ablations->size() >= kHeads);
}

void TestRanking::aStoppedRankingGoesOn()
{
    RankRequest request = m_request;
    request.task = "toy_kv:pairs=8";
    Answers &first = m_answers.emplace_back(), &second = m_answers.emplace_back();
    std::atomic<Ticket> ticket{0};
    QSemaphore known;
    ticket = rank(request, first, [&](std::size_t heads) {
        if (heads != 5)
            return;
        known.acquire(); // until the ticket is written
        m_models->cancel(ticket);
    });
    known.release();
    QVERIFY(first.ended.tryAcquire(1, kLongEnough));
    QVERIFY(first.cancelled);
    QCOMPARE(first.replies.size(), std::size_t{5});
    rank(request, second);
    QVERIFY(second.ended.tryAcquire(1, kLongEnough));
    QCOMPARE(second.replies.front().size(), std::size_t{6}); // five were known
    QCOMPARE(second.replies.back().size(), kHeads);
    QCOMPARE(second.replies.back().front().value, first.replies.back().front().value);
}

void TestRanking::theCheapestBenchmarkIsFirstUnlessAnotherIsPinned()
{
    for (const std::string pinned : {"", "toy_kv:pairs=16"}) {
        std::vector<std::string> order; // in which they had their first and their last number
        const auto state = interventions::InterventionSet::parse(pinned.empty() ? "L1H1" : "L1H3").value();
        m_models->ask(
            app::ScoresRequest{{Side::A, state}, {Side::A, {}}, {"toy_kv:pairs=16", "toy_mc", "toy_knowledge"}, pinned},
            [&](const app::ScoreReply& reply) {
                for (const app::BenchmarkScore& line : reply.lines)
                    for (const auto& [known, what] : {std::pair(line.hasNow, "first "), std::pair(line.final, "last ")})
                        if (known && std::ranges::find(order, what + line.task) == order.end())
                            order.push_back(what + line.task);
            });
        QCOMPARE(order.size(), std::size_t{6});
        if (pinned.empty()) {
            QCOMPARE(order.front(), std::string("first toy_knowledge"));
            continue;
        }
        QCOMPARE(order.front(), "first " + pinned);
        QCOMPARE(order[1], "last " + pinned); // before another had any
    }
}

void TestRanking::estimatesAreMarked()
{
    RankRequest request = m_request;
    request.method = RankMethod::Estimate;
    Answers& answers = m_answers.emplace_back();
    rank(request, answers);
    QVERIFY(answers.ended.tryAcquire(1, kLongEnough));
    QVERIFY2(answers.error.empty(), answers.error.c_str());
    QCOMPARE(answers.replies.back().size(), kHeads);
    for (const HeadValue& head : answers.replies.back())
        QVERIFY(head.estimate && head.delta == 0);
}

void TestRanking::anEstimateGoesOnWhereItWasStopped()
{
    const RankRequest request{.side = Side::A, .task = "toy_mc", .limit = 300, .steps = 2};
    struct ReplyRecorder { // on the worker; read when it has ended
        std::vector<std::vector<HeadValue>> replies;
        std::vector<std::int64_t> reports;
        std::string problem;
        bool cancelled = false;
        QSemaphore ended;
    } first, second;
    std::atomic<Ticket> ticket{0};
    QSemaphore known;
    const auto ask = [&](ReplyRecorder& heard, const std::function<void()>& reported) {
        return m_models->start(app::EstimateRequest{request},
                               {.replied = [&heard](const auto& reply) { heard.replies.push_back(*reply); },
                                .finished = [&heard] { heard.ended.release(); },
                                .failed =
                                    [&heard](const Error& error) {
                                        heard.cancelled = error.kind == Error::Kind::Cancelled;
                                        heard.problem = error.message;
                                        heard.ended.release();
                                    },
                                .progressed =
                                    [&heard, reported](const Progress& progress) {
                                        heard.reports.push_back(progress.done);
                                        reported();
                                    }});
    };
    ticket = ask(first, [&] {
        known.acquire(); // until the ticket is written
        known.release();
        m_models->cancel(ticket);
    });
    known.release();
    QVERIFY(first.ended.tryAcquire(1, kLongEnough));
    QVERIFY(first.cancelled);
    QCOMPARE(first.reports.size(), std::size_t{1});
    ask(second, [] {});
    QVERIFY(second.ended.tryAcquire(1, kLongEnough));
    QVERIFY2(second.problem.empty(), second.problem.c_str());
    QVERIFY(second.reports.front() > first.reports.front()); // none is run a second time
    QCOMPARE(second.replies.back().size(), kHeads);
    for (const HeadValue& head : second.replies.back())
        QVERIFY(head.estimate && head.value == -head.margin && head.n > first.reports.front());
}

void TestRanking::racesComeWhole()
{
    RankRequest request = m_request;
    request.method = RankMethod::Race;
    Answers& answers = m_answers.emplace_back();
    rank(request, answers);
    QVERIFY(answers.ended.tryAcquire(1, kLongEnough));
    QVERIFY2(answers.error.empty(), answers.error.c_str());
    QCOMPARE(answers.replies.size(), std::size_t{1});
    QCOMPARE(answers.replies.back().size(), kHeads);
}

void TestRanking::saysWhatIsWrong()
{
    RankRequest request = m_request;
    request.side = Side::B;
    Answers &nothingOpen = m_answers.emplace_back(), &noTask = m_answers.emplace_back();
    rank(request, nothingOpen);
    QVERIFY(nothingOpen.ended.tryAcquire(1, kLongEnough));
    QVERIFY(nothingOpen.error.find("No model is open") != std::string::npos);
    request.side = Side::A;
    request.task = "there_is_none";
    rank(request, noTask);
    QVERIFY(noTask.ended.tryAcquire(1, kLongEnough));
    QVERIFY(!noTask.error.empty() && !noTask.cancelled);
}

// The model is replaced while it is scored, so that its side does not know it any more; then its session closes.
void TestRanking::aSessionMayCloseUnderAScoreThatGoesOn()
{
    RequestedModels models(app::ModelsOptions{{.device = "cpu", .threads = 1}, HEADSCOPE_SOURCE_DIR "/resources"});
    QSemaphore begun, ended;
    models.ask(app::OpenSessionRequest{m_folder->filePath(QStringLiteral("gone.headscope")).toStdString()});
    QVERIFY(models.open("tiny-transformer").value);
    models.start(app::ScoresRequest{{Side::A, interventions::InterventionSet::parse("L2H5").value()},
                                    {Side::A, {}},
                                    {"toy_kv:pairs=4", "toy_kv:pairs=8", "toy_kv:pairs=16", "toy_mc"}},
                 {.replied = [&](const auto&) { begun.release(); },
                  .finished = [&] { ended.release(); },
                  .failed = [&](const Error&) { ended.release(); }});
    QVERIFY(begun.tryAcquire(1, kLongEnough));
    QVERIFY(models.open("tiny-ssm").value);
    QVERIFY(models.ask(app::OpenSessionRequest{}).value);
    QVERIFY(ended.tryAcquire(1, kLongEnough)); // to its end, or told that its model is gone
}

QTEST_GUILESS_MAIN(TestRanking)
#include "tst_ranking.moc"
