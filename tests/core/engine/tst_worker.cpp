// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef Q_MOC_RUN // Qt 6.4's moc cannot read <stop_token>
#include "core/engine/worker.h"
#endif

#include <QSemaphore>
#include <QTest>

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

using namespace headscope;
using engine::Next;
using engine::Turn;
using engine::Urgency;
using engine::Worker;

class TestWorker : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void runsJobsInOrderAndUrgentOnesFirst();
    void letsUrgentJobsRunBetweenSteps();
    void stopsTheRunningJob();
    void restsOnceBetweenJobs();
    void tellsWaitingJobsThatTheyAreCancelled();
    void turnsExceptionsIntoSentences_data();
    void turnsExceptionsIntoSentences();
    void stopsEverythingWhenItGoes();
    void throttlesProgressButLetsTheLastThrough();
};

namespace {
const Worker::Failed kIgnore = [](const Error&) {};
}

void TestWorker::runsJobsInOrderAndUrgentOnesFirst()
{
    std::vector<int> order;
    QSemaphore gate, done;
    {
        Worker worker;
        worker.post(
            Urgency::Background, [&](const Control&) { gate.acquire(); }, kIgnore);
        const auto note = [&](int id) {
            return [&order, &done, id](const Control&) {
                order.push_back(id);
                done.release();
            };
        };
        worker.post(Urgency::Background, note(3), kIgnore);
        worker.post(Urgency::Background, note(4), kIgnore);
        const Ticket first = worker.post(Urgency::Look, note(1), kIgnore);
        const Ticket second = worker.post(Urgency::Look, note(2), kIgnore);
        QVERIFY(second > first);
        QVERIFY(worker.waits(Urgency::Look));
        gate.release();
        QVERIFY(done.tryAcquire(4, 10000));
    }
    QCOMPARE(order, (std::vector<int>{1, 2, 3, 4}));
}

void TestWorker::letsUrgentJobsRunBetweenSteps()
{
    std::vector<int> order;
    QSemaphore inFirstStep, goOn, done;
    Worker worker;
    worker.postSteps(
        Urgency::Background,
        [&, count = 0](const Turn&) mutable {
            order.push_back(++count);
            if (count == 1) {
                inFirstStep.release();
                goOn.acquire();
            }
            if (count == 3)
                done.release();
            return count < 3 ? Next::Again : Next::End;
        },
        kIgnore);
    worker.post(
        Urgency::Background,
        [&](const Control&) {
            order.push_back(20);
            done.release();
        },
        kIgnore);
    QVERIFY(inFirstStep.tryAcquire(1, 10000));
    worker.post(
        Urgency::Look, [&](const Control&) { order.push_back(10); }, kIgnore);
    goOn.release();
    QVERIFY(done.tryAcquire(2, 10000));
    QCOMPARE(order, (std::vector<int>{1, 10, 20, 2, 3}));
}

void TestWorker::stopsTheRunningJob()
{
    QSemaphore started, ended;
    std::atomic<bool> sawStop = false;
    Worker worker;
    const Ticket ticket = worker.post(
        Urgency::Look,
        [&](const Control& control) {
            started.release();
            while (!control.stopped())
                std::this_thread::yield();
            sawStop = true;
            ended.release();
        },
        kIgnore);
    QVERIFY(started.tryAcquire(1, 10000));
    worker.cancel(ticket);
    QVERIFY(ended.tryAcquire(1, 10000));
    QVERIFY(sawStop);
}

void TestWorker::restsOnceBetweenJobs()
{
    QSemaphore rested, ran;
    Worker worker(0, {.begins = [&] { rested.release(); }, .after = std::chrono::milliseconds(1)});
    QVERIFY(!rested.tryAcquire(1, 100)); // it has done nothing that it could rest from
    for (int job = 0; job < 2; ++job) {
        worker.post(
            Urgency::Look, [&](const Control&) { ran.release(); }, kIgnore);
        QVERIFY(ran.tryAcquire(1, 10000));
        QVERIFY(rested.tryAcquire(1, 10000));
        QVERIFY(!rested.tryAcquire(1, 100));
    }
}

void TestWorker::tellsWaitingJobsThatTheyAreCancelled()
{
    QSemaphore gate, told;
    std::atomic<bool> ran = false;
    Error::Kind kind = Error::Kind::Internal;
    Worker worker;
    worker.post(
        Urgency::Look, [&](const Control&) { gate.acquire(); }, kIgnore);
    const Ticket waiting = worker.post(
        Urgency::Look, [&](const Control&) { ran = true; },
        [&](const Error& error) {
            kind = error.kind;
            told.release();
        });
    worker.cancel(waiting);
    gate.release();
    QVERIFY(told.tryAcquire(1, 10000));
    QVERIFY(!ran);
    QCOMPARE(kind, Error::Kind::Cancelled);
}

void TestWorker::turnsExceptionsIntoSentences_data()
{
    QTest::addColumn<int>("what");
    QTest::addColumn<int>("kind");
    QTest::newRow("memory") << 0 << static_cast<int>(Error::Kind::Memory);
    QTest::newRow("library") << 1 << static_cast<int>(Error::Kind::Internal);
    QTest::newRow("unknown") << 2 << static_cast<int>(Error::Kind::Internal);
}

void TestWorker::turnsExceptionsIntoSentences()
{
    QFETCH(int, what);
    QFETCH(int, kind);
    QSemaphore told;
    Error heard;
    Worker worker;
    worker.post(
        Urgency::Look,
        [what](const Control&) {
            if (what == 0)
                throw std::bad_alloc();
            if (what == 1)
                throw std::runtime_error("first line\nsecond line");
            throw 42;
        },
        [&](const Error& error) {
            heard = error;
            told.release();
        });
    QVERIFY(told.tryAcquire(1, 10000));
    QCOMPARE(static_cast<int>(heard.kind), kind);
    QVERIFY(!heard.message.empty());
    QVERIFY(heard.message.find('\n') == std::string::npos);
}

void TestWorker::stopsEverythingWhenItGoes()
{
    std::atomic<int> cancelled = 0;
    {
        QSemaphore started;
        Worker worker;
        worker.post(
            Urgency::Look,
            [&](const Control& control) {
                started.release();
                while (!control.stopped())
                    std::this_thread::yield();
            },
            kIgnore);
        for (int i = 0; i < 3; ++i)
            worker.post(
                Urgency::Background, [](const Control&) { QFAIL("a job ran after its worker was to stop"); },
                [&](const Error&) { ++cancelled; });
        QVERIFY(started.tryAcquire(1, 10000));
    }
    QVERIFY(cancelled <= 3); // those that are told are told before the destructor returns; none runs
}

void TestWorker::throttlesProgressButLetsTheLastThrough()
{
    QSemaphore done;
    int reports = 0;
    qint64 last = 0;
    Worker worker;
    worker.post(
        Urgency::Look,
        [&](const Control& control) {
            for (int i = 1; i <= 1000; ++i)
                control.progress("counting", i, 1000);
            done.release();
        },
        kIgnore,
        [&](const Progress& progress) {
            ++reports;
            last = progress.done;
        });
    QVERIFY(done.tryAcquire(1, 10000));
    QCOMPARE(last, 1000);
    QVERIFY(reports < 1000);
}

QTEST_GUILESS_MAIN(TestWorker)
#include "tst_worker.moc"
