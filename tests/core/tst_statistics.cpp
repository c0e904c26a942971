// SPDX-License-Identifier: GPL-3.0-or-later
// Paired statistics against SciPy, statsmodels and the published examples; seeds and bad input.

#include "core/analysis/confidencesequence.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace headscope;
using namespace headscope::analysis;

namespace {

bool near(double value, double expected, double relative = 1e-12)
{
    const bool ok = std::abs(value - expected) <= relative * std::max(1.0, std::abs(expected));
    if (!ok)
        qInfo("got %.17g, expected %.17g", value, expected);
    return ok;
}

PairedCounts counts(std::int64_t bothRight, std::int64_t gained, std::int64_t lost, std::int64_t bothWrong)
{
    PairedCounts result;
    result.bothRight = bothRight;
    result.gained = gained;
    result.lost = lost;
    result.bothWrong = bothWrong;
    return result;
}

/// What a function says of counts, asked once for each.
template <typename Said> class KnownCounts
{
public:
    explicit KnownCounts(std::function<Said(const PairedCounts&)> ask) : m_ask(std::move(ask)) {}
    Said of(const PairedCounts& rows)
    {
        const auto key = static_cast<std::uint64_t>((rows.total() * 1024 + rows.lost) * 1024 + rows.gained);
        const auto known = m_known.find(key);
        return known != m_known.end() ? known->second : m_known.emplace(key, m_ask(rows)).first->second;
    }

private:
    std::function<Said(const PairedCounts&)> m_ask;
    std::unordered_map<std::uint64_t, Said> m_known;
};

} // namespace

class TestStatistics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void wilsonEqualsStatsmodels()
    {
        QVERIFY(near(wilsonInterval(0, 10).low, 0) && near(wilsonInterval(0, 10).high, 0.27753279986288926));
        QVERIFY(near(wilsonInterval(3, 10).low, 0.10779126740630104));
        QVERIFY(near(wilsonInterval(3, 10).high, 0.6032218525388546));
        QCOMPARE(wilsonInterval(10, 10).high, 1.0);
        QVERIFY(near(wilsonInterval(617, 1172).low, 0.4978252030872603));
        QVERIFY(near(wilsonInterval(617, 1172).high, 0.5549029938434575));
        QVERIFY(near(wilsonInterval(3, 10, 0.99).low, 0.07956631652306578));
        QVERIFY(wilsonInterval(0, 0).low == 0 && wilsonInterval(0, 0).high == 1);
    }

    void anytimeNumbersAreThoseOfTheMartingale()
    {
        // One lost row of one: under the mixture it has probability 1/3, under the likeliest without a difference 1/2.
        QVERIFY(near(anytimeP(counts(0, 0, 1, 0)), 1)); // 1.5, and a probability is at most 1
        // Six lost, none gained: 1/3 3/5 5/7 ... as Jeffreys' mixture has it, against (1/2)^6.
        const double mixture = 0.5 / 1.5 * 1.5 / 2.5 * 2.5 / 3.5 * 3.5 / 4.5 * 4.5 / 5.5 * 5.5 / 6.5;
        QVERIFY(near(anytimeP(counts(0, 0, 6, 0)), std::pow(0.5, 6) / mixture, 1e-9));
        // The bound of the interval is where the ratio is 20: difference -d with (lost/n)... of six lost rows p^6.
        const Interval six = anytimeDifference(counts(0, 0, 6, 0));
        const double d =
            2 * std::pow(mixture / 20, 1.0 / 6) - 1; // the lost rows have (1 + d) / 2 and the gained the rest
        QVERIFY(near(six.low, -1, 1e-9) && near(six.high, -d, 1e-9));
        QVERIFY(anytimeDifference(counts(0, 0, 0, 0)).low == -1 && anytimeDifference(counts(0, 0, 0, 0)).high == 1);
        // Both ways round, and in any order of the rows that have the same counts.
        const Interval one = anytimeDifference(counts(40, 3, 15, 30)), other = anytimeDifference(counts(30, 15, 3, 40));
        QVERIFY(near(one.low, -other.high, 1e-9) && near(one.high, -other.low, 1e-9));
        QVERIFY(one.low < -12.0 / 88 && one.high > -12.0 / 88);
    }

    void theAnytimeIntervalExcludesNothingWhereItsPIsLarge()
    {
        for (std::int64_t lost = 0; lost < 30; ++lost)
            for (const std::int64_t gained : {0, 1, 4, 9}) {
                const PairedCounts rows = counts(20, gained, lost, 20);
                const Interval interval = anytimeDifference(rows);
                QCOMPARE(anytimeP(rows) < 0.05, interval.low > 0 || interval.high < 0);
            }
    }

    // Who looks after each of 300 rows is wrong no more often than promised; with the test of a finished run many times
    // as often.
    void lookingAllTheTimeRaisesNoFalseAlarms_data()
    {
        QTest::addColumn<double>("changed"); ///< share of the rows that are right in one state only
        QTest::newRow("few rows change") << 0.05;
        QTest::newRow("some rows change") << 0.3;
        QTest::newRow("all rows change") << 1.0;
    }

    void lookingAllTheTimeRaisesNoFalseAlarms()
    {
        QFETCH(double, changed);
        constexpr int kRuns = 10000, kRows = 300;
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> uniform;
        KnownCounts<std::pair<bool, bool>> alarmed(
            [](const PairedCounts& rows) { return std::pair(anytimeP(rows) < 0.05, mcnemarExact(rows) < 0.05); });
        int alarms = 0, alarmsOfTheFinishedTest = 0;
        for (int run = 0; run < kRuns; ++run) {
            PairedCounts rows;
            bool alarm = false, other = false;
            for (int row = 0; row < kRows; ++row) {
                const bool moves = uniform(random) < changed, gained = uniform(random) < 0.5;
                rows.add(moves && !gained, moves && gained);
                const auto [now, finished] = alarmed.of(rows);
                alarm = alarm || now;
                other = other || finished;
            }
            alarms += alarm ? 1 : 0;
            alarmsOfTheFinishedTest += other ? 1 : 0;
        }
        qInfo("%d of %d runs with a false alarm (%.2f %%), %d (%.2f %%) by McNemar's test", alarms, kRuns,
              100.0 * alarms / kRuns, alarmsOfTheFinishedTest, 100.0 * alarmsOfTheFinishedTest / kRuns);
        QVERIFY(alarms <= kRuns / 20);
        QVERIFY(alarmsOfTheFinishedTest > kRuns / 20);
    }

    void theAnytimeIntervalHoldsTheTruthAtAllTimes()
    {
        // Lost in 20 %, gained in 5 % of the rows: the difference is -0.15.
        constexpr int kRuns = 10000, kRows = 150;
        std::mt19937_64 random(11);
        std::uniform_real_distribution<double> uniform;
        KnownCounts<std::pair<bool, bool>> intervals([](const PairedCounts& rows) {
            const Interval now = anytimeDifference(rows);
            return std::pair(now.low > -0.15 || now.high < -0.15, now.high < 0);
        });
        int missed = 0, decided = 0;
        for (int run = 0; run < kRuns; ++run) {
            PairedCounts rows;
            bool miss = false, found = false;
            for (int row = 0; row < kRows; ++row) {
                const double u = uniform(random);
                rows.add(u < 0.2 || u > 0.5, (u >= 0.2 && u < 0.25) || u > 0.5);
                const auto [misses, finds] = intervals.of(rows);
                miss = miss || misses;
                found = found || finds;
            }
            missed += miss ? 1 : 0;
            decided += found ? 1 : 0;
        }
        qInfo("the interval missed the truth in %d of %d runs (%.2f %%), and excluded 0 in %.1f %%", missed, kRuns,
              100.0 * missed / kRuns, 100.0 * decided / kRuns);
        QVERIFY(missed <= kRuns / 20);
        QVERIFY(decided > kRuns / 4); // and it is of use
    }

    // Parts of answers: numbers in [0, 1] that are not only right or wrong.
    void bettingOnPartsOfAnswersHoldsAtAllTimes()
    {
        constexpr int kRuns = 10000, kRows = 60;
        std::mt19937_64 random(13);
        std::uniform_real_distribution<double> uniform;
        int alarms = 0;
        for (int run = 0; run < kRuns; ++run) {
            std::vector<double> before, after;
            bool alarm = false;
            for (int row = 0; row < kRows; ++row) {
                before.push_back(uniform(random));
                after.push_back(uniform(random) * uniform(random) < 0.5 ? uniform(random) : before.back());
                if (row % 4 == 0 && uniform(random) < 0.5)
                    std::swap(before.back(), after.back());
                alarm = alarm || boundedEvidence(before, after) > 20;
            }
            alarms += alarm ? 1 : 0;
        }
        qInfo("betting: %d of %d runs with a false alarm (%.2f %%)", alarms, kRuns, 100.0 * alarms / kRuns);
        QVERIFY(alarms <= kRuns / 20);
    }

    void theBetsIntervalHoldsTheTruthAndIsOfUse()
    {
        constexpr int kRuns = 1000, kRows = 120;
        std::mt19937_64 random(17);
        std::uniform_real_distribution<double> uniform;
        int missed = 0, decided = 0;
        for (int run = 0; run < kRuns; ++run) {
            std::vector<double> before, after; // 0.5 less in every second row: -0.25 in the mean
            bool miss = false;
            Interval now;
            for (int row = 0; row < kRows; ++row) {
                before.push_back(0.5 + uniform(random) / 2);
                after.push_back(uniform(random) < 0.5 ? before.back() - 0.5 : before.back());
                if (row % 10 != 9)
                    continue;
                now = boundedDifference(before, after);
                miss = miss || now.low > -0.25 || now.high < -0.25;
            }
            missed += miss ? 1 : 0;
            decided += now.high < 0 ? 1 : 0;
        }
        qInfo("betting: the interval missed the truth in %d of %d runs (%.2f %%), and excluded 0 in %d", missed, kRuns,
              100.0 * missed / kRuns, decided);
        QVERIFY(missed <= kRuns / 20);
        QVERIFY(decided > kRuns / 2);
    }

    void betsDependOnNoOrder()
    {
        const std::vector<double> before{0.1, 0.9, 0.5, 0.7, 1.0}, after{0.0, 0.4, 0.5, 0.1, 0.2};
        const std::vector<double> sameBefore{1.0, 0.5, 0.1, 0.7, 0.9}, sameAfter{0.2, 0.5, 0.0, 0.1, 0.4};
        QVERIFY(near(boundedEvidence(before, after), boundedEvidence(sameBefore, sameAfter), 1e-9));
        // The other way round the interval is mirrored; of no rows nothing is known.
        const Interval one = boundedDifference(before, after), other = boundedDifference(after, before);
        QVERIFY(near(one.low, -other.high, 1e-6) && near(one.high, -other.low, 1e-6));
        QVERIFY(boundedDifference({}, {}).low == -1 && boundedDifference({}, {}).high == 1);
        QVERIFY(near(boundedEvidence({}, {}), 1));
        // One share s of all the capital: 20 equal steps down by one multiply it by 1 + s, or by 1 - s.
        const std::vector<double> right(20, 1.0), wrong(20, 0.0);
        double expected = 0;
        for (int i = 1; i <= 10; ++i)
            expected += (std::pow(1 + i / 11.0, 20) + std::pow(1 - i / 11.0, 20)) / 20;
        QVERIFY(near(boundedEvidence(right, wrong), expected, 1e-9));
    }

    void mcnemarEqualsStatsmodels()
    {
        QVERIFY(near(mcnemarExact(counts(10, 12, 2, 10)), 0.012939453125));
        QVERIFY(near(mcnemarExact(counts(10, 2, 12, 10)), 0.012939453125));
        QCOMPARE(mcnemarExact(counts(10, 5, 5, 10)), 1.0);
        QCOMPARE(mcnemarExact(counts(0, 0, 1, 0)), 1.0);
        QVERIFY(near(mcnemarExact(counts(0, 70, 40, 0)), 0.005447429511444476));
        QVERIFY(near(mcnemarExact(counts(0, 30, 0, 0)) / 1.862645149230957e-09, 1));
        QCOMPARE(mcnemarExact(counts(50, 0, 0, 50)), 1.0);
    }

    void countsTallyRows()
    {
        PairedCounts tally;
        tally.add(true, true);
        tally.add(true, false);
        tally.add(true, false);
        tally.add(false, true);
        QCOMPARE(tally.lost, 2);
        QCOMPARE(tally.gained, 1);
        QCOMPARE(tally.total(), 4);
        QCOMPARE(tally.difference(), -0.25);
        QCOMPARE(PairedCounts().difference(), 0.0);
    }

    // The first is the example of Newcombe 1998, table II: 0.0569 to 0.3404.
    void newcombeEqualsThePaper()
    {
        const Interval paper = newcombePairedInterval(counts(36, 12, 2, 0));
        QVERIFY(near(paper.low, 0.05692958400323889) && near(paper.high, 0.3404276029749407));
        const Interval rare = newcombePairedInterval(counts(53, 3, 1, 36));
        QVERIFY(near(rare.low, -0.025130333176864104) && near(rare.high, 0.0679700859253008));
        const Interval fall = newcombePairedInterval(counts(1, 1, 7, 12));
        QVERIFY(near(fall.low, -0.506920226686141) && near(fall.high, -0.02555912416485978));
        QVERIFY(newcombePairedInterval({}).low == -1 && newcombePairedInterval({}).high == 1);
    }

    void newcombeMirrorsWhenBeforeAndAfterAreSwapped()
    {
        const Interval forward = newcombePairedInterval(counts(20, 9, 4, 17));
        const Interval backward = newcombePairedInterval(counts(20, 4, 9, 17));
        QVERIFY(near(forward.low, -backward.high) && near(forward.high, -backward.low));
    }

    void bootstrapIsSeededAndNearTheNormalInterval()
    {
        std::mt19937_64 random(3);
        std::vector<double> before(400), after(400);
        PairedCounts tally;
        for (std::size_t i = 0; i < before.size(); ++i) {
            before[i] = static_cast<double>(random() >> 63);
            after[i] = random() % 5 == 0 ? 1 - before[i] : before[i];
            tally.add(before[i] > 0, after[i] > 0);
        }
        const Interval one = *pairedBootstrapInterval(before, after, 7);
        const Interval same = *pairedBootstrapInterval(before, after, 7);
        QCOMPARE(one.low, same.low);
        QCOMPARE(one.high, same.high);
        // The large-sample interval of the same difference (Newcombe 1998, method 1).
        const double n = static_cast<double>(tally.total()), net = static_cast<double>(tally.gained - tally.lost),
                     discordant = static_cast<double>(tally.gained + tally.lost);
        const double half = 1.959963984540054 * std::sqrt(discordant - net * net / n) / n;
        QVERIFY(std::abs(one.low - (net / n - half)) < 0.006 && std::abs(one.high - (net / n + half)) < 0.006);
    }

    // Draws that are kept serve whole numbers; halves are drawn one by one, and halve all sums exactly.
    void keptDrawsAreTheDraws()
    {
        for (const std::size_t rows : {1U, 2U, 30U, 400U, 5000U}) {
            std::mt19937_64 random(rows);
            std::vector<double> before(rows), after(rows), halfBefore(rows), halfAfter(rows);
            for (int repeat = 0; repeat < 3; ++repeat) {
                for (std::size_t i = 0; i < rows; ++i) {
                    before[i] = static_cast<double>(random() >> 63);
                    after[i] = random() % 3 == 0 ? 1 - before[i] : before[i];
                    halfBefore[i] = before[i] / 2;
                    halfAfter[i] = after[i] / 2;
                }
                halfAfter[0] = (before[0] == after[0] ? 1 - before[0] : after[0]) / 2; // at least one that is no whole
                after[0] = 2 * halfAfter[0];
                const Interval kept = *pairedBootstrapInterval(before, after, 11, 500);
                const Interval drawn = *pairedBootstrapInterval(halfBefore, halfAfter, 11, 500);
                QCOMPARE(kept.low, 2 * drawn.low);
                QCOMPARE(kept.high, 2 * drawn.high);
            }
        }
    }

    void anotherSeedGivesAnotherInterval()
    {
        const std::vector<double> before{-1.25, -0.5, -3.0, -0.125, -2.75}, after{-1.5, -0.75, -3.6, -0.35, -2.5};
        const Interval one = *pairedBootstrapInterval(before, after, 7, 99);
        const Interval other = *pairedBootstrapInterval(before, after, 8, 99);
        QVERIFY(one.low != other.low || one.high != other.high);
    }

    void bootstrapOfNoChangeIsZero()
    {
        const std::vector<double> scores{1, 0, 1, 1};
        const Interval interval = *pairedBootstrapInterval(scores, scores, 1, 100);
        QCOMPARE(interval.low, 0.0);
        QCOMPARE(interval.high, 0.0);
    }

    void pairedTEqualsScipy()
    {
        const std::vector<double> before{-1.25, -0.5, -3.0, -0.125, -2.75, -0.0625, -4.5, -1.0};
        const std::vector<double> after{-1.5, -0.75, -3.5, -0.25, -2.5, -0.5, -5.25, -1.125};
        const PairedT result = *pairedT(before, after);
        QVERIFY(near(result.t, -2.589296546694489, 1e-10));
        QVERIFY(near(result.p, 0.03598163359545356, 1e-10));
        QVERIFY(near(result.interval.low, -0.5231489301644305, 1e-10));
        QVERIFY(near(result.interval.high, -0.02372606983556949, 1e-10));
        QCOMPARE(result.degrees, 7.0);

        QCOMPARE(pairedT(before, before)->p, 1.0);
        const std::vector<double> ones{1, 2, 3}, twos{2, 3, 4};
        QCOMPARE(pairedT(ones, twos)->p, 0.0);
    }

    void spearmanEqualsScipy()
    {
        const std::vector<double> x{1, 2, 2, 3, 5, 8, 8, 8, 13, 1}, y{2, 1, 4, 3, 5, 9, 7, 7, 12, 3};
        const Correlation result = *spearman(x, y);
        QVERIFY(near(result.rho, 0.897584786035756));
        QVERIFY(near(result.p / 0.0004246559425976543, 1, 1e-9));
        QCOMPARE(result.n, 10);
        const std::vector<double> up{1, 2, 3, 4}, down{8, 6, 4, 2};
        QCOMPARE(spearman(up, down)->rho, -1.0);
    }

    void badInputIsOneSentence()
    {
        const std::vector<double> two{1, 2}, three{1, 2, 3}, flat{1, 1, 1}, none;
        const std::vector<double> broken{1, std::numeric_limits<double>::quiet_NaN(), 2};
        QVERIFY(pairedT(two, three).error().message.find("2 and 3 values") != std::string::npos);
        QVERIFY(pairedT(three, broken).error().message.find("Pair 1 is not finite") != std::string::npos);
        QVERIFY(!pairedBootstrapInterval(none, none, 1).has_value());
        QVERIFY(!spearman(two, two).has_value());
        QVERIFY(spearman(three, flat).error().message.find("equal") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
