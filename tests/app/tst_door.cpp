// SPDX-License-Identifier: GPL-3.0-or-later
// The window's door to its models: what the README's section Threads promises, on streams of random requests.
#include "app/backend/door.h"
#include "tests/support/replyrecorder.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <algorithm>
#include <map>
#include <memory>
#include <random>

using namespace headscope;
using app::Door;
using app::Lane;

namespace {

constexpr int kWait = 120000; // a stop for a hung program, not a measure
constexpr const char* kTask = "toy_kv:pairs=4";

app::ModelsOptions options()
{
    return {{.device = "cpu", .threads = 1}, HEADSCOPE_SOURCE_DIR "/resources"};
}

/// What became of the requests of each lane.
struct Ends : QObject {
    std::map<Lane, int> finished, failed, cancelled;
    bool elsewhere = false; ///< something was heard on another thread, or while something was being asked

    Ends(Door& door, const bool& asking)
    {
        const auto count = [this, &asking](std::map<Lane, int>& ends) {
            return [this, &asking, &ends](const Lane& lane) {
                elsewhere = elsewhere || asking || QThread::currentThread() != thread();
                ++ends[lane];
            };
        };
        connect(&door, &Door::finished, this, count(finished));
        connect(&door, &Door::failed, this, count(failed));
        connect(&door, &Door::cancelled, this, count(cancelled));
    }
    [[nodiscard]] int of(const Lane& lane) { return finished[lane] + failed[lane] + cancelled[lane]; }
};

} // namespace

class TestDoor : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void eachRequestEndsOnce_data();
    void eachRequestEndsOnce();
    void theLatestWins();
    void aStopIsNoFailure();
    void whatIsWithdrawnIsAnsweredNoMore();
    void anotherModelEndsWhatTheFormerWasAsked();
    void tellsHowFarItIs();
    void whoIsGoneHearsNothing();
    void whatIsAskedWhileAnAnswerIsHeardIsAnswered();
    void everyRequestIsOfItsSide();

private:
    void open(Door& door)
    {
        for (const Side side : kSides)
            door.ask(app::OpenModelRequest{side, {side == Side::A ? "tiny-transformer" : "tiny-ssm", {}}});
        QVERIFY(settled(door));
    }
    static bool settled(const Door& door)
    {
        return QTest::qWaitFor([&] { return !door.busy(); }, kWait);
    }
};

void TestDoor::eachRequestEndsOnce_data()
{
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 8; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

// Asked, replaced, stopped and failing in any order: what was not replaced ends once, never from within a call.
void TestDoor::eachRequestEndsOnce()
{
    QFETCH(const unsigned, seed);
    std::mt19937 random(seed);
    const auto upTo = [&](unsigned most) { return static_cast<int>(random() % most); };
    Door door(options());
    open(door);
    bool asking = false;
    Ends ends(door, asking);
    std::map<Lane, int> asked, replaced;
    const auto ask = [&](const auto& request) {
        const Lane lane = Lane::of<std::decay_t<decltype(request)>>(app::sideOf(request));
        replaced[lane] += door.isRunning(lane) ? 1 : 0;
        ++asked[lane];
        asking = true;
        door.ask(request);
        asking = false;
        QVERIFY(door.isRunning(lane));
    };
    for (int i = 0; i < 120; ++i) {
        const Side side = kSides[static_cast<std::size_t>(upTo(2))];
        const app::Prompt prompt{.text = upTo(3) == 0 ? std::string() : "<s> The food of Ada is"}; // none: it fails
        const interventions::HeadRef head{upTo(4), interventions::Site::Any, upTo(8)};
        switch (upTo(9)) {
        case 0: ask(app::SampleRequest{upTo(4) == 0 ? "no_such_task" : kTask, upTo(50)}); break;
        case 1: ask(app::TokensRequest{side, prompt}); break;
        case 2: ask(app::MapRequest{side, prompt, {.head = head}}); break;
        case 3: ask(app::HeadScoresRequest{side, prompt, {}}); break;
        case 4: ask(app::ScoresRequest{{side, {}}, {side, {}}, {kTask}}); break;
        case 5: ask(app::RankRequest{side, kTask, 8}); break;
        case 6: ask(app::LensRequest{{{side, {}}, prompt}}); break;
        case 7:
            if (const auto running = door.running(); !running.empty())
                door.stop(running[static_cast<std::size_t>(upTo(static_cast<unsigned>(running.size())))]);
            break;
        case 8: QTest::qWait(upTo(20)); break;
        }
    }
    if (seed % 2 == 0)
        door.stopAll();
    QVERIFY(settled(door));
    QTest::qWait(50); // nothing comes behind the last end
    QVERIFY(!ends.elsewhere);
    for (const auto& [lane, count] : asked)
        QCOMPARE(ends.of(lane), count - replaced[lane]);
}

void TestDoor::theLatestWins()
{
    Door door(options());
    open(door);
    const testing::ReplyRecorder<app::SampleRequest> samples(door);
    for (int i = 0; i < 20; ++i)
        door.ask(app::SampleRequest{kTask, i});
    QVERIFY(settled(door));
    QVERIFY(!samples.replies.empty());
    QCOMPARE(samples.replies.back()->sample, 19);
    QVERIFY(std::ranges::is_sorted(samples.replies, {}, [](const auto& prompt) { return prompt->sample; }));
}

void TestDoor::aStopIsNoFailure()
{
    Door door(options());
    open(door);
    bool asking = false;
    Ends ends(door, asking);
    door.ask(app::RankRequest{Side::A, "toy_mc", 0});
    door.stop<app::RankRequest>(Side::A);
    door.ask(app::RankRequest{Side::B, "no_such_task", 8});
    QVERIFY(settled(door));
    QCOMPARE(ends.cancelled[Lane::of<app::RankRequest>(Side::A)], 1);
    QCOMPARE(ends.failed[Lane::of<app::RankRequest>(Side::B)], 1);
    QVERIFY(ends.finished.empty());
}

// Also where the answer is already on its way: the worker has time to send it, and nobody hears it before the call.
void TestDoor::whatIsWithdrawnIsAnsweredNoMore()
{
    Door door(options());
    open(door);
    const app::LensRequest asked{{{Side::A, {}}, {.text = "<s> The food of Ada is"}}};
    const testing::ReplyRecorder<app::LensRequest> heard(door);
    bool asking = false;
    Ends ends(door, asking);
    for (unsigned long wait = 0; wait <= 320; wait = wait * 2 + 5) {
        door.ask(asked);
        QThread::msleep(wait);
        door.withdraw<app::LensRequest>(Side::A);
        QVERIFY(settled(door));
        QVERIFY2(heard.replies.empty(), qPrintable(QString::number(wait)));
    }
    QVERIFY(ends.finished[Lane::of<app::LensRequest>(Side::A)] > 0); // some had been answered
    door.ask(asked);
    QVERIFY(settled(door));
    QCOMPARE(heard.replies.size(), 1U);
    door.ask(asked);
    QThread::msleep(320);
    door.closeModel(Side::A);
    QVERIFY(settled(door));
    QCOMPARE(heard.replies.size(), 1U);
}

// Of its side only, and not what is of no model.
void TestDoor::anotherModelEndsWhatTheFormerWasAsked()
{
    Door door(options());
    open(door);
    bool asking = false;
    Ends ends(door, asking);
    std::map<Side, int> ranked;
    door.on<app::RankRequest>(this, [&](Side side, const auto&) { ++ranked[side]; });
    const testing::ReplyRecorder<app::ScoresRequest> scores(door);
    const testing::ReplyRecorder<app::SampleRequest> samples(door);
    door.ask(app::RankRequest{Side::A, "toy_mc", 0});
    door.ask(app::RankRequest{Side::B, kTask, 8});
    door.ask(app::ScoresRequest{{Side::A, {}}, {Side::A, {}}, {kTask}});
    door.ask(app::SampleRequest{kTask, 0});
    door.withdrawModel(Side::A);
    // At once, so that the next model can be asked.
    QVERIFY(!door.isRunning<app::RankRequest>(Side::A) && !door.isRunning<app::ScoresRequest>(Side::A));
    QVERIFY(door.isRunning<app::RankRequest>(Side::B) && door.isRunning<app::SampleRequest>(Side::A));
    QVERIFY(settled(door));
    QCOMPARE(ends.cancelled[Lane::of<app::RankRequest>(Side::A)], 1);
    QCOMPARE(ends.of(Lane::of<app::ScoresRequest>(Side::A)), 1);
    QVERIFY(scores.replies.empty() && ranked[Side::A] == 0);
    QVERIFY(ranked[Side::B] > 0);
    QCOMPARE(samples.replies.size(), 1U);
    door.ask(app::ScoresRequest{{Side::A, {}}, {Side::A, {}}, {kTask}});
    QVERIFY(door.isRunning<app::ScoresRequest>(Side::A));
    QVERIFY(settled(door));
    QVERIFY(!scores.replies.empty());
}

void TestDoor::tellsHowFarItIs()
{
    Door door(options());
    open(door);
    qint64 last = 0, all = 0;
    bool fell = false;
    connect(&door, &Door::progressed, this, [&](const Lane& lane, const QString&, qint64 done, qint64 total) {
        if (!lane.is<app::RankRequest>())
            return;
        fell = fell || done < last;
        last = done;
        all = total;
    });
    door.ask(app::RankRequest{Side::A, kTask, 8});
    QVERIFY(settled(door));
    QVERIFY(!fell && all > 0);
    QCOMPARE(last, all); // once at the end in any case
}

void TestDoor::whoIsGoneHearsNothing()
{
    Door door(options());
    open(door);
    auto context = std::make_unique<QObject>();
    int heard = 0, alive = 0;
    door.on<app::SampleRequest>(context.get(), [&] { ++heard; });
    door.on<app::SampleRequest>(this, [&] { ++alive; });
    door.ask(app::SampleRequest{kTask, 0});
    QVERIFY(settled(door));
    door.ask(app::SampleRequest{kTask, 1});
    context.reset();
    QVERIFY(settled(door));
    QCOMPARE(heard, 1);
    QCOMPARE(alive, 2);
    { // nor does anybody once the door is gone
        Door closed(options());
        closed.on<app::OpenModelRequest>(this, [&] { ++alive; });
        closed.ask(app::OpenModelRequest{Side::A, {"tiny-transformer", {}}});
    }
    QTest::qWait(50);
    QCOMPARE(alive, 2);
}

void TestDoor::whatIsAskedWhileAnAnswerIsHeardIsAnswered()
{
    Door door(options());
    open(door);
    std::vector<int> samples;
    door.on<app::SampleRequest>(this, [&](const app::SampleRequest& request, const auto& prompt) {
        QCOMPARE(prompt->sample, request.index);
        samples.push_back(prompt->sample);
        if (request.index < 5)
            door.ask(app::SampleRequest{kTask, request.index + 1});
    });
    QSignalSpy finished(&door, &Door::finished);
    door.ask(app::SampleRequest{kTask, 0});
    QVERIFY(settled(door));
    QCOMPARE(samples, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    QCOMPARE(finished.size(), 1); // the others were replaced before they ended
}

void TestDoor::everyRequestIsOfItsSide()
{
    const app::ModelState b{Side::B, {}};
    const app::WhyQuestion why{b};
    const app::PatchQuestion patch{{b}};
    const app::EdgeQuestion edges{{b}};
    const app::RankRequest rank{Side::B};
    const auto all = [](const auto&... requests) {
        return std::vector<std::pair<std::type_index, Side>>{{typeid(requests), app::sideOf(requests)}...};
    };
    const auto lanes =
        all(app::OpenModelRequest{Side::B}, app::TokensRequest{Side::B}, app::NextTokensRequest{Side::B},
            app::ContinuationRequest{Side::B}, app::MapRequest{Side::B}, app::RowsRequest{Side::B},
            app::ProfileRowRequest{{Side::B}}, app::RowOfHeadsRequest{Side::B}, app::PreviewsRequest{Side::B},
            app::HoverRequest{{Side::B}}, app::MapsRequest{Side::B}, rank, app::ForecastRequest{rank},
            app::EstimateRequest{rank}, app::ScoresRequest{b}, app::CurveRequest{{b}}, app::FlipsRequest{b},
            app::RemovalRequest{Side::B}, app::PromptEffectsRequest{Side::B}, app::HeadScoresRequest{Side::B},
            app::TaskScoresRequest{Side::B}, app::LensRequest{why}, app::DirectRequest{why}, app::SourcesRequest{why},
            app::ExpertsRequest{b}, app::LogProbsRequest{b}, app::SurveyQuestion{b}, app::HeadFactsRequest{b},
            app::WeightsQuestion{Side::B}, app::ProbeQuestion{b}, app::SweepQuestion{why}, patch,
            app::PatchedRunRequest{patch}, edges, app::PatchCostRequest{patch}, app::EdgeCostRequest{edges});
    std::map<std::type_index, int> types;
    for (const auto& [type, side] : lanes) {
        QVERIFY2(side == Side::B, type.name());
        QCOMPARE(++types[type], 1);
    }
}

QTEST_GUILESS_MAIN(TestDoor)
#include "tst_door.moc"
