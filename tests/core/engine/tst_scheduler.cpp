// SPDX-License-Identifier: GPL-3.0-or-later
// Whose turn it is, with work that takes only the time of a clock that the test turns.
#include "core/engine/scheduler.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <random>

using namespace headscope;
using engine::Scheduler;
using engine::Urgency;
using Time = Scheduler::Time;
using namespace std::chrono_literals;

namespace {

constexpr Time kStretch = 150ms; // the longest that anything works without giving way

constexpr Time kLongestStep = 3050ms; // of the random streams

struct Work {
    Urgency urgency = Urgency::Look;
    Time arrives{0};
    int steps = 1;
    Time step = 10ms;
    Time cancelledAt = Time::max();
};

enum class End { None, Finished, Cancelled };

/// A job of the slow model that is made of waiting.
struct Job {
    Work work;
    int stepsLeft = 0;
    Time stepLeft{0};
    Time worked{0};
    Time firstTurn = Time::max();
    Time ended{0};
    Time backlog{0};            ///< of work as urgent that was there when it came
    bool behindAChange = false; ///< that was there when it came
    int ends = 0;
    End end = End::None;
};

/// The worker, without a thread: takes turns from the scheduler and lets its clock run.
class SlowModel
{
public:
    explicit SlowModel(std::vector<Work> stream)
    {
        std::ranges::stable_sort(stream, {}, &Work::arrives);
        for (const Work& work : stream)
            m_jobs.push_back({.work = work, .stepsLeft = work.steps, .stepLeft = work.step});
    }

    std::vector<Job> run()
    {
        admit();
        while (m_arrived < m_jobs.size() || !m_scheduler.idle()) {
            if (const auto ticket = m_scheduler.next(m_now))
                turn(*ticket);
            else
                m_now = m_jobs[m_arrived].work.arrives;
            admit();
        }
        return m_jobs;
    }
    [[nodiscard]] Time longestBackgroundWait() const { return m_longestWait; }

private:
    void admit()
    {
        for (; m_arrived < m_jobs.size() && m_jobs[m_arrived].work.arrives <= m_now; ++m_arrived) {
            Job& job = m_jobs[m_arrived];
            for (std::size_t other = 0; other < m_arrived; ++other)
                if (const Job& before = m_jobs[other]; before.end == End::None) {
                    if (before.work.urgency <= Urgency::Change)
                        job.backlog += before.stepLeft + (before.stepsLeft - 1) * before.work.step;
                    job.behindAChange |= before.work.urgency == Urgency::Change;
                }
            m_scheduler.add(m_arrived, job.work.urgency, job.work.arrives);
        }
        for (std::size_t i = 0; i < m_arrived; ++i)
            if (m_jobs[i].work.cancelledAt <= m_now && !m_told.contains(i)) {
                m_told[i] = true;
                m_scheduler.cancel(i);
            }
    }

    void turn(Ticket ticket)
    {
        Job& job = m_jobs[ticket];
        job.firstTurn = std::min(job.firstTurn, m_now);
        if (m_told.contains(ticket))
            return finish(job, End::Cancelled);
        bool early = false;
        while (job.stepLeft > 0ns && !early) {
            const Time piece = std::min(job.stepLeft, kStretch);
            const bool background = job.work.urgency == Urgency::Background;
            if (background)
                m_longestWait = std::max(m_longestWait, m_now - std::max(m_lastBackground, job.work.arrives));
            m_now += piece;
            if (background)
                m_lastBackground = m_now;
            job.worked += piece;
            job.stepLeft -= piece;
            admit();
            early = (job.stepLeft > 0ns && giveWay()) || m_told.contains(ticket);
        }
        if (job.stepLeft == 0ns) {
            --job.stepsLeft;
            job.stepLeft = job.stepsLeft > 0 ? job.work.step : 0ns;
        }
        if (m_told.contains(ticket))
            finish(job, End::Cancelled);
        else if (job.stepsLeft == 0)
            finish(job, End::Finished);
        else
            m_scheduler.again(job.work.urgency, m_now);
    }

    bool giveWay()
    {
        for (bool worked = true;; worked = false) {
            const auto ticket = m_scheduler.between(m_now, worked);
            if (!ticket)
                return m_scheduler.shouldEnd();
            turn(*ticket);
        }
    }

    void finish(Job& job, End end)
    {
        job.end = end;
        job.ended = m_now;
        ++job.ends;
        m_scheduler.ended(m_now);
    }

    std::vector<Job> m_jobs;
    std::map<Ticket, bool> m_told;
    std::size_t m_arrived = 0;
    Time m_now{0}, m_lastBackground{0}, m_longestWait{0};
    Scheduler m_scheduler;
};

std::vector<Work> randomStream(unsigned seed)
{
    std::mt19937 random(seed);
    const auto upTo = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
    std::vector<Work> stream;
    for (int i = 0; i < 200; ++i) {
        Work work{.urgency = static_cast<Urgency>(upTo(static_cast<int>(engine::kUrgencies) - 1)),
                  .arrives = std::chrono::milliseconds(upTo(60000))};
        const bool brief = work.urgency <= Urgency::Change;
        work.steps = brief ? 1 : 1 + upTo(work.urgency == Urgency::Preview ? 16 : 5);
        work.step =
            std::chrono::milliseconds(brief || work.urgency == Urgency::Preview ? 5 + upTo(140) : 50 + upTo(3000));
        if (upTo(3) == 0)
            work.cancelledAt = work.arrives + std::chrono::milliseconds(upTo(2000));
        stream.push_back(work);
    }
    return stream;
}

} // namespace

class TestScheduler : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyJobEndsOnce_data() { seeds(); }
    void everyJobEndsOnce()
    {
        QFETCH(unsigned, seed);
        for (const Job& job : SlowModel(randomStream(seed)).run()) {
            QCOMPARE(job.ends, 1);
            const Time all = job.work.steps * job.work.step;
            if (job.end == End::Finished)
                QCOMPARE(job.worked.count(), all.count()); // what gave way went on where it was
            else
                QVERIFY(job.worked <= all);
        }
    }

    void whoLooksWaitsForOneStretch_data() { seeds(); }
    void whoLooksWaitsForOneStretch()
    {
        QFETCH(unsigned, seed);
        for (const Job& job : SlowModel(randomStream(seed)).run())
            if (job.work.urgency == Urgency::Look) {
                // What was asked for before it, a stretch of what runs, and what the four others get of that time and
                // of their own. A change is made between two steps; one that was due for long is not ended for it.
                const Time others = (job.backlog / 1s + 1) * 5 * kStretch;
                QVERIFY(job.firstTurn - job.work.arrives
                        <= job.backlog + kStretch + others + (job.behindAChange ? kLongestStep : 0ms));
            }
    }

    void aClickIsMeasuredBeforeRankings()
    {
        // The ranking's step takes ten seconds; the score comes in after a stretch of it, and the ranking goes on
        // later.
        const auto jobs = SlowModel({{.urgency = Urgency::Background, .steps = 3, .step = 10s},
                                     {.urgency = Urgency::Score, .arrives = 500ms, .steps = 5, .step = 100ms}})
                              .run();
        QVERIFY(jobs[1].firstTurn <= 500ms + kStretch);
        QVERIFY(jobs[1].ended <= 500ms + kStretch + 5 * 100ms);
        QCOMPARE(jobs[0].worked.count(), Time(30s).count());
        QCOMPARE(jobs[0].end, End::Finished);
    }

    void nobodyStarves_data()
    {
        QTest::addColumn<int>("urgency");
        QTest::newRow("looking") << static_cast<int>(Urgency::Look);
        QTest::newRow("thumbnails") << static_cast<int>(Urgency::Preview);
        QTest::newRow("scoring") << static_cast<int>(Urgency::Score);
    }
    void nobodyStarves()
    {
        QFETCH(int, urgency);
        std::vector<Work> stream{{.urgency = Urgency::Background, .steps = 250, .step = 400ms}};
        for (int i = 0; i < 2000; ++i) // more than there is time for
            stream.push_back({.urgency = static_cast<Urgency>(urgency), .arrives = i * 50ms, .step = 60ms});
        SlowModel model(stream);
        const auto jobs = model.run();
        QVERIFY(model.longestBackgroundWait() <= 9 * 400ms + 2 * kStretch); // a tenth of the time is its own
        QCOMPARE(jobs[0].end, End::Finished);
    }

    void onlyTheLastClickIsLeft()
    {
        // Ten clicks in half a second while something runs: each takes the place of the one before.
        std::vector<Work> stream{{.urgency = Urgency::Score, .steps = 50, .step = 1s}};
        for (int i = 0; i < 10; ++i)
            stream.push_back({.urgency = Urgency::Score,
                              .arrives = 100ms + i * 5ms,
                              .steps = 4,
                              .step = 1s,
                              .cancelledAt = i < 9 ? 105ms + i * 5ms : Time::max()});
        stream.front().cancelledAt = 100ms;
        const auto jobs = SlowModel(stream).run();
        for (std::size_t i = 0; i < 10; ++i) {
            QCOMPARE(jobs[i].end, End::Cancelled);
            QVERIFY(jobs[i].worked <= kStretch);
        }
        QCOMPARE(jobs.back().end, End::Finished);
        QVERIFY(jobs.back().ended <= 4s + 2 * kStretch);
    }

    void whatIsStoppedLetsNothingMoreInItsMiddle()
    {
        // A click's thumbnails are made in the middle of its score, which is stopped during the second of them.
        std::vector<Work> stream{{.urgency = Urgency::Score, .steps = 4, .step = 1s, .cancelledAt = 100ms}};
        for (int i = 0; i < 16; ++i)
            stream.push_back({.urgency = Urgency::Preview, .arrives = 10ms, .step = 60ms});
        stream.push_back({.urgency = Urgency::Look, .arrives = 110ms, .step = 60ms});
        const auto jobs = SlowModel(stream).run();
        QCOMPARE(jobs[0].end, End::Cancelled);
        QVERIFY(jobs[0].ended <= 100ms + kStretch + 60ms); // what runs in its middle ends first
        QCOMPARE(jobs.back().end, End::Finished);
    }

    void aFirstEstimateWaitsOnceForThumbnails()
    {
        // A click on a large model, with a ranking behind: thumbnails and the prompt's layers for three seconds, and a
        // score of two. A ranking's step is due a little before the score.
        std::vector<Work> stream{{.urgency = Urgency::Background, .steps = 20, .step = 100ms},
                                 {.urgency = Urgency::Preview, .arrives = 100ms, .steps = 30, .step = 100ms},
                                 {.urgency = Urgency::Score, .arrives = 200ms, .steps = 1, .step = 2s},
                                 {.urgency = Urgency::Look, .arrives = 2s, .step = 20ms}};
        const auto jobs = SlowModel(stream).run();
        QVERIFY(jobs[2].ended <= 200ms + 1s + 2s + 20ms + 2 * kStretch);
        QVERIFY(jobs[3].ended <= 2s + 20ms + kStretch); // what is looked at still comes in the middle
        QCOMPARE(jobs[0].end, End::Finished);
        QCOMPARE(jobs[1].end, End::Finished);
    }

    void aClickAfterSlowOnesIsAsUrgentAsTheFirst()
    {
        Scheduler scheduler;
        scheduler.add(1, Urgency::Score, 0ns);
        QCOMPARE(scheduler.next(0ns), std::optional<Ticket>(1));
        scheduler.ended(3s); // slow
        scheduler.add(2, Urgency::Preview, 3s);
        scheduler.add(3, Urgency::Score, 3s);
        QCOMPARE(scheduler.next(3s), std::optional<Ticket>(2));
        scheduler.again(Urgency::Preview, 4s);
        QCOMPARE(scheduler.next(4s), std::optional<Ticket>(3));
        scheduler.again(Urgency::Score, 7s); // its own turns count
        QCOMPARE(scheduler.next(7s), std::optional<Ticket>(2));
        scheduler.again(Urgency::Preview, 8s);
        QCOMPARE(scheduler.next(8s), std::optional<Ticket>(2));
    }

    void nothingThatIsAskedForLaterComesBeforeAChange()
    {
        Scheduler scheduler;
        scheduler.add(1, Urgency::Score, 0ns);
        QCOMPARE(scheduler.next(0ns), std::optional<Ticket>(1));
        scheduler.add(2, Urgency::Look, 0ns);
        scheduler.add(3, Urgency::Change, 0ns);
        scheduler.add(4, Urgency::Look, 0ns);
        QCOMPARE(scheduler.between(1ms, true), std::optional<Ticket>(2));
        QVERIFY(!scheduler.shouldEnd()); // the innermost is what a person looks at
        scheduler.ended(2ms);
        QCOMPARE(scheduler.between(2ms, false), std::optional<Ticket>());
        QVERIFY(scheduler.shouldEnd());
        scheduler.again(Urgency::Score, 3ms);
        QCOMPARE(scheduler.next(3ms), std::optional<Ticket>(3));
        QCOMPARE(scheduler.between(4ms, true), std::optional<Ticket>()); // nothing comes in the middle of a change
        scheduler.ended(5ms);
        QCOMPARE(scheduler.next(5ms), std::optional<Ticket>(4));
    }

    void scoresComeInTheMiddleOfWorkThatHasNoSteps()
    {
        Scheduler scheduler;
        scheduler.add(1, Urgency::Background, 0ns, false);
        QCOMPARE(scheduler.next(0ns), std::optional<Ticket>(1));
        scheduler.add(2, Urgency::Score, 0ns);
        QVERIFY(!scheduler.shouldEnd());
        QCOMPARE(scheduler.between(1ms, true), std::optional<Ticket>(2));
    }

    // A score that goes on in batches of a second takes no more than its half from an estimate that goes on by layers.
    void jobsOfOneClassShareItsTime()
    {
        using namespace std::chrono_literals;
        Scheduler scheduler;
        Scheduler::Time now = 0ns;
        std::map<Ticket, Scheduler::Time> used;
        const std::map<Ticket, Scheduler::Time> turns{{1, 900ms}, {2, 100ms}, {3, 300ms}};
        for (const Ticket ticket : {1, 2})
            scheduler.add(ticket, Urgency::Background, now);
        const auto run = [&](int count) {
            for (int i = 0; i < count; ++i) {
                const auto ticket = scheduler.next(now);
                QVERIFY(ticket.has_value());
                now += turns.at(*ticket);
                used[*ticket] += turns.at(*ticket);
                scheduler.again(Urgency::Background, now);
            }
        };
        run(200);
        QVERIFY(used[2] > 5s);
        QVERIFY(std::chrono::abs(used[1] - used[2]) <= 900ms);
        scheduler.add(3, Urgency::Background, now); // who comes later gets no more than its part, and no less
        const auto before = used;
        run(400);
        for (const Ticket ticket : {1, 2})
            QVERIFY(std::chrono::abs(used[3] - (used[ticket] - before.at(ticket))) <= 1800ms);
    }

    // A score that was not decided in its time leaves the ranking nine tenths of what is left, and goes on.
    void aScoreBehindItsTimeIsBehindARanking()
    {
        using namespace std::chrono_literals;
        Scheduler scheduler;
        Scheduler::Time now = 0ns, ranking = 0ns, score = 0ns;
        scheduler.add(1, Urgency::Background, now);
        scheduler.add(2, Urgency::Score, now);
        while (now < 100s) {
            const auto ticket = scheduler.next(now);
            QVERIFY(ticket.has_value());
            now += *ticket == 1 ? 100ms : 900ms;
            (*ticket == 1 ? ranking : score) += *ticket == 1 ? 100ms : 900ms;
            scheduler.again(*ticket == 1 ? Urgency::Background : Urgency::Rest, now);
        }
        QVERIFY(ranking >= 85s);
        QVERIFY(score >= 8s);
    }

    void workForLaterIsBehindWhatIsWaitedFor()
    {
        Scheduler scheduler;
        scheduler.add(1, Urgency::Score, 0ns);
        scheduler.add(2, Urgency::Background, 0ns);
        QCOMPARE(scheduler.next(0ns), std::optional<Ticket>(1));
        scheduler.again(Urgency::Background, 1ms);
        scheduler.add(3, Urgency::Score, 1ms);
        QCOMPARE(scheduler.next(1ms), std::optional<Ticket>(3));
        scheduler.ended(2ms);
        QCOMPARE(scheduler.next(2ms), std::optional<Ticket>(2));
        scheduler.again(Urgency::Background, 3ms);
        QCOMPARE(scheduler.next(3ms), std::optional<Ticket>(1)); // in turns
    }

private:
    static void seeds()
    {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 0; seed < 25; ++seed)
            QTest::addRow("%u", seed) << seed;
    }
};

QTEST_GUILESS_MAIN(TestScheduler)
#include "tst_scheduler.moc"
