// SPDX-License-Identifier: GPL-3.0-or-later
// The simulation of `headscope-cli bench scaling` against what can be worked out by hand. Nothing about time.
#include "core/engine/bench/scaling.h"
#include "core/engine/processes/chunkqueue.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>
#include <numeric>

using namespace headscope;
using namespace headscope::engine;
using nlohmann::json;

namespace {

SimulationResult simulated(int chunks, const ProcessCosts& costs, const Cluster& cluster,
                           const Disturbances& disturbances = {}, std::uint64_t seed = 1)
{
    const auto result = simulate(chunks, costs, cluster, disturbances, seed);
    return result.has_value() ? *result : SimulationResult{.seconds = -1};
}

bool near(double one, double other)
{
    return std::abs(one - other) < 1e-6 * std::max(std::abs(other), 1.0);
}

int sum(const std::vector<int>& values)
{
    return std::accumulate(values.begin(), values.end(), 0);
}

} // namespace

class TestScaling : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void oneProcessNeedsTheSumOfItsWork();
    void manyNeedTheirShareWithoutMessages_data();
    void manyNeedTheirShareWithoutMessages();
    void everyProcessLoadsAndMeasuresItsBaseline();
    void processesShareTheCoresOfTheirNode();
    void coresSlowEachOther();
    void theFirstProcessCanBeTheLimit();
    void bytesTakeTheirTime();
    void chunksOfALostNodeAreDoneByOthers();
    void aLostNodeIsNoticedBeforeWhatItHadIsRunAgain();
    void aSlowProcessCostsAChunkWithStealing();
    void chunksDealtOutWaitForTheSlowest();
    void aLongWaitIsNoEndlessSimulation();
    void sameSeedSameAnswer();
    void saysWhyItIsNotLinear();
    void refusesNonsense();
    void readsCostsOfAFile();
    void aBaselineInPortionsIsMeasuredOnce();
    void tellsEveryWork();
};

void TestScaling::oneProcessNeedsTheSumOfItsWork()
{
    const ProcessCosts costs{.start = 2, .baseline = 3, .chunk = 1, .chunkSpread = 1, .claimBytes = 100, .serve = 5};
    const auto result = simulated(100, costs, {});
    QVERIFY(near(result.seconds, alone(100, costs, 1))); // no message is sent
    QCOMPARE(result.chunksOf, std::vector<int>{100});
    QVERIFY(near(result.busy.front(), result.seconds));
    QVERIFY(near(alone(100, {.start = 2, .baseline = 3, .chunk = 1}, 1), 105));
}

void TestScaling::manyNeedTheirShareWithoutMessages_data()
{
    QTest::addColumn<int>("nodes");
    QTest::addColumn<int>("ranks");
    for (const auto& [nodes, ranks] : {std::pair(1, 2), {1, 6}, {2, 4}, {8, 8}})
        QTest::addRow("%d nodes of %d", nodes, ranks) << nodes << ranks;
}

void TestScaling::manyNeedTheirShareWithoutMessages()
{
    QFETCH(int, nodes);
    QFETCH(int, ranks);
    const int chunks = nodes * ranks * 5;
    for (const bool stealing : {true, false}) {
        const auto result = simulated(chunks, {.chunk = 3}, {nodes, ranks}, {.stealing = stealing});
        QVERIFY(near(result.seconds, 15));
        QCOMPARE(sum(result.chunksOf), chunks);
        for (const int own : result.chunksOf)
            QCOMPARE(own, 5);
    }
}

void TestScaling::everyProcessLoadsAndMeasuresItsBaseline()
{
    QVERIFY(near(simulated(80, {.start = 7, .baseline = 2, .chunk = 1}, {2, 4}).seconds, 7 + 2 + 10));
}

void TestScaling::processesShareTheCoresOfTheirNode()
{
    QVERIFY(near(simulated(60, {.chunk = 1}, {1, 6, 2}).seconds, 30));
    QVERIFY(near(simulated(60, {.chunk = 1}, {1, 6, 6}).seconds, 10));
    QVERIFY(near(simulated(60, {.chunk = 1}, {3, 2, 1}).seconds, 20)); // of each node's own
}

void TestScaling::coresSlowEachOther()
{
    const auto seconds = [](int ranks, int cores, Crowding crowding) {
        return simulated(60, {.chunk = 1}, {1, ranks, cores, crowding}).seconds;
    };
    QVERIFY(near(seconds(1, 4, {.busy = 3, .shared = 5}), 60)); // alone
    QVERIFY(near(seconds(2, 2, {.busy = 1.2, .shared = 5}), 36));
    QVERIFY(near(seconds(2, 3, {.busy = 1.2}), 33)); // one of two neighbours
    QVERIFY(near(seconds(6, 2, {.busy = 1.2, .shared = 1.5}), 45));
    QVERIFY(near(seconds(6, 0, {.busy = 1.2, .shared = 1.5}), 10)); // each has a core of its own
}

// Each chunk of another process is a claim and a result, one after another.
void TestScaling::theFirstProcessCanBeTheLimit()
{
    const auto result = simulated(640, {.chunk = 1, .serve = 0.5}, {8, 8});
    const int theirs = 640 - result.chunksOf.front();
    QVERIFY(result.seconds >= theirs * 2 * 0.5 - 1e-6);
    QVERIFY(result.seconds <= theirs * 2 * 0.5 + 64 * 0.5 + 1);
    QVERIFY(result.served / result.seconds > 0.95);
}

void TestScaling::bytesTakeTheirTime()
{
    const Cluster cluster{.nodes = 2, .network = {.latencyBetween = 0.25, .bytesPerSecond = 100}};
    // Of two chunks one is the other process's: 0.25 to claim it, 0.5 on the way, 0.25 back, the chunk, 0.25 and 2.
    const auto result = simulated(2, {.chunk = 10, .claimBytes = 50, .resultBytes = 200}, cluster);
    QVERIFY(near(result.seconds, 0.25 + 0.5 + 0.25 + 10 + 0.25 + 2));
}

void TestScaling::chunksOfALostNodeAreDoneByOthers()
{
    const auto calm = simulated(320, {.chunk = 1}, {4, 8});
    const Disturbances lost{.lost = {{2, 4.5}}, .patience = 1};
    const auto result = simulated(320, {.chunk = 1}, {4, 8}, lost);
    QCOMPARE(sum(result.chunksOf), 320); // nothing is lost
    for (int rank = 16; rank < 24; ++rank)
        QCOMPARE(result.chunksOf[static_cast<std::size_t>(rank)], 4);
    // 8 x 4 were in; the 24 others do the rest, whole chunks at a time.
    QVERIFY(near(calm.seconds, 10));
    QVERIFY(result.seconds >= (320 - 32) / 24.0 - 1e-6 && result.seconds <= (320 - 32) / 24.0 + 2);
}

void TestScaling::aLostNodeIsNoticedBeforeWhatItHadIsRunAgain()
{
    // Ten chunks are left when it goes, and its own is the last one out: waited for, since no other took as long.
    const Disturbances lost{.lost = {{1, 0.5}}, .patience = 100};
    const auto result = simulated(2, {.chunk = 1}, {2, 1}, lost);
    QCOMPARE(result.chunksOf, (std::vector<int>{2, 0}));
    QVERIFY(result.seconds > 3 && result.seconds < 3.1); // twice as long as a chunk takes, then it is run again
    QCOMPARE(result.runTwice, 1);
    Disturbances dealt = lost;
    dealt.stealing = false;
    QVERIFY(near(std::floor(simulated(2, {.chunk = 1}, {2, 1}, dealt).seconds), 101)); // the patience, and the chunk
}

void TestScaling::aSlowProcessCostsAChunkWithStealing()
{
    for (const double factor : {2.0, 4.0, 100.0}) {
        const Disturbances slow{.slow = {{3, factor}}};
        const auto result = simulated(80, {.chunk = 1}, {1, 8}, slow);
        QCOMPARE(sum(result.chunksOf), 80);
        const double ideal = 80 / (7 + 1 / factor);
        QVERIFY(result.seconds >= ideal - 1e-6);
        QVERIFY2(result.seconds <= ideal + 2, qPrintable(QString::number(result.seconds)));
    }
}

void TestScaling::chunksDealtOutWaitForTheSlowest()
{
    const Disturbances slow{.slow = {{3, 4}}, .stealing = false};
    QVERIFY(near(simulated(80, {.chunk = 1}, {1, 8}, slow).seconds, 40));
}

// One portion for eight processes: seven wait 30 years for its baseline.
void TestScaling::aLongWaitIsNoEndlessSimulation()
{
    const auto result = simulated(2, {.baseline = 1e9, .together = 2, .chunk = 1e-3}, {2, 4});
    QVERIFY(result.seconds >= 1e9 && result.seconds < 1.1e9);
    QVERIFY(!simulate(2, {.baseline = 2e9, .chunk = 1}, {8, 8}, {}, 1).has_value());
}

void TestScaling::sameSeedSameAnswer()
{
    const ProcessCosts costs{.start = 1, .baseline = 1, .chunk = 1, .chunkSpread = 1, .serve = 0.001};
    const auto one = simulated(200, costs, {2, 8}, {}, 5), again = simulated(200, costs, {2, 8}, {}, 5);
    QCOMPARE(one.seconds, again.seconds);
    QCOMPARE(one.chunksOf, again.chunksOf);
    QVERIFY(one.seconds != simulated(200, costs, {2, 8}, {}, 6).seconds);
}

void TestScaling::saysWhyItIsNotLinear()
{
    const auto why = [](int chunks, const ProcessCosts& costs, const Cluster& cluster) {
        return QString::fromStdString(whyNotLinear(simulated(chunks, costs, cluster), chunks, costs, cluster));
    };
    QCOMPARE(why(64, {.chunk = 1}, {8, 8}), QStringLiteral("nothing that counts"));
    QVERIFY(why(640, {.start = 9, .chunk = 1}, {8, 8}).startsWith(QStringLiteral("loading")));
    QVERIFY(why(65, {.chunk = 1}, {8, 8}).startsWith(QStringLiteral("the end")));
    QVERIFY(why(640, {.chunk = 1, .serve = 0.5}, {8, 8}).startsWith(QStringLiteral("waiting")));
    QVERIFY(why(60, {.chunk = 1}, {1, 6, 2}).startsWith(QStringLiteral("fewer cores")));
    QVERIFY(why(60, {.chunk = 1}, {1, 2, 2, {.busy = 1.2}}).startsWith(QStringLiteral("cores that slow each other")));
}

void TestScaling::refusesNonsense()
{
    QVERIFY(!simulate(0, {.chunk = 1}, {}, {}, 1).has_value());
    QVERIFY(!simulate(1, {.chunk = 1}, {0, 1}, {}, 1).has_value());
    QVERIFY(!simulate(1, {.chunk = -1}, {}, {}, 1).has_value());
    QVERIFY(!simulate(1, {.chunk = std::nan("")}, {}, {}, 1).has_value());
    QVERIFY(!simulate(1, {.chunk = 1, .chunkSpread = 2}, {}, {}, 1).has_value());
    QVERIFY(!simulate(1, {.chunk = 1}, {1, 2, 2, {.busy = 0.9}}, {}, 1).has_value());
    QVERIFY(!simulate(1, {.chunk = 1}, {1, 2, 2, {.shared = std::nan("")}}, {}, 1).has_value());
    QVERIFY(!simulate(1, {.chunk = 1}, {2, 1}, {.lost = {{0, 1}}}, 1).has_value()); // nobody is left who knows
    QVERIFY(!simulate(1, {.chunk = 1}, {2, 1}, {.slow = {{2, 1}}}, 1).has_value());
}

void TestScaling::readsCostsOfAFile()
{
    const auto work = scalingWork(R"({"name": "mine", "heads": 32, "start": 1, "baseline": 2, "head": 0.5})", "costs");
    QVERIFY2(work.has_value(), work.has_value() ? "" : work.error().message.c_str());
    QCOMPARE(work->heads, 32);
    QCOMPARE(work->costs.chunk, 0.5);
    QCOMPARE(work->crowding.busy, 1.0); // nobody measured it
    const auto crowded = scalingWork(
        R"({"name": "c", "heads": 2, "start": 1, "baseline": 2, "head": 1, "busy": 1.5, "shared": 2})", "costs");
    QVERIFY(crowded.has_value());
    QCOMPARE(crowded->crowding.busy, 1.5);
    QCOMPARE(crowded->crowding.shared, 2.0);
    QVERIFY(work->costs.serve > 0 && work->costs.claimBytes > 0 && work->headBytes > 200);
    for (const char* text :
         {"", "{\"name\": \"cut", "{}", R"({"name": "x", "heads": 0, "start": 1, "baseline": 2, "head": 1})",
          R"({"name": "x", "heads": 3, "start": 1, "baseline": -2, "head": 1})",
          R"({"name": "x", "heads": 3, "start": 1, "baseline": 2, "head": 1, "busy": 0.5})",
          R"({"name": "x", "heads": 3, "start": 1, "baseline": 2, "head": 1, "shared": "2"})",
          R"({"name": "x", "heads": 3, "start": 1, "baseline": 2, "head": 1, "busy": 1e308, "shared": 1e308})",
          R"({"name": "x", "heads": 3, "start": 1, "baseline": 2e9, "head": 1})",
          R"({"name": "x", "heads": 3, "start": 1, "baseline": 2, "head": 4e8})",
          R"({"name": "x", "heads": "3", "start": 1, "baseline": 2, "head": 1})"}) {
        const auto bad = scalingWork(text, "costs");
        QVERIFY2(!bad.has_value(), text);
        QVERIFY(bad.error().message.starts_with("Cannot read the costs 'costs': "));
    }
}

// A baseline as dear as all heads: with one batch each process measures it, in portions each measures its own.
void TestScaling::aBaselineInPortionsIsMeasuredOnce()
{
    const auto gainOfTwo = [](int batches) {
        const ScalingWork work{.name = "made", .heads = 60, .batches = batches, .costs = {.baseline = 60, .chunk = 1}};
        const auto line = scalingLine({work}, {});
        return line.has_value() ? (*line)["works"][0]["processes"][1]["gain"].get<double>() : 0;
    };
    QVERIFY(near(gainOfTwo(1), 120.0 / 90));
    QVERIFY(gainOfTwo(64) > 1.95);
    const auto two = simulated(8, {.baseline = 3, .together = 2, .chunk = 1}, {1, 2});
    QVERIFY(near(two.seconds, 2 * 3 + 4));
    QCOMPARE(two.baselines, 4);
    QVERIFY(near(alone(8, {.baseline = 3, .together = 2, .chunk = 1}, 1), 4 * 3 + 8));
}

void TestScaling::tellsEveryWork()
{
    ScalingWork work{.name = "made", .heads = 1024, .costs = {.start = 4, .baseline = 2, .chunk = 1}};
    work.costs.serve = 1e-5;
    const auto line = scalingLine({work}, {});
    QVERIFY2(line.has_value(), line.has_value() ? "" : line.error().message.c_str());
    const json& told = (*line)["works"][0];
    QVERIFY(near(told["alone_seconds"].get<double>(), 4 + 2 + 1024));
    QVERIFY(near(told["processes"][0]["seconds"].get<double>(), 1030));
    QCOMPARE(told["processes"].back()["processes"].get<int>(), 64);
    QCOMPARE(told["processes"].back()["nodes"].get<int>(), 8);
    // Of 16 processes' 70 seconds six are not shared, of 24 processes' 49 as well.
    QCOMPARE(told["linear_until"].get<int>(), 16);
    QVERIFY(told["why"].get<std::string>().starts_with("loading"));
    QCOMPARE(told["disturbed"].size(), std::size_t{4});
    QCOMPARE(cutWork(1024, 1, 64).chunks(), 1024);
    QCOMPARE(cutWork(8192, 1, 64).chunks(), 4096);
    QCOMPARE(cutWork(10, 1, 64).chunks(), 10);
    QCOMPARE(cutWork(25, 16, 2).each, 3);
    QCOMPARE(cutWork(25, 16, 2).chunks(), 16 * 9);
    QCOMPARE(mostPortions(25, 2), 16);
    QCOMPARE(mostPortions(2, 2), 64); // of a score and its baseline
}

QTEST_GUILESS_MAIN(TestScaling)
#include "tst_scaling.moc"
