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

    // Airway hyper-responsiveness before and after a transplant (21 children): -0.517 to -0.026 in Fagerland, Lydersen
    // and Laake 2014, Statistics in Medicine 33:2850, table VI.
    void tangoEqualsThePublishedInterval()
    {
        const Interval fall = tangoInterval({.bothRight = 1, .lost = 7, .gained = 1, .bothWrong = 12});
        QVERIFY(near(fall.low, -0.5172322764213775) && near(fall.high, -0.026003032480868604));
        QVERIFY(tangoInterval({}).low == -1 && tangoInterval({}).high == 1);
    }

    void tangoIsTheScoreTestTurnedRound()
    {
        const PairedCounts rows{.bothRight = 20, .lost = 9, .gained = 4, .bothWrong = 17};
        const Interval forward = tangoInterval(rows);
        const Interval backward = tangoInterval({.bothRight = 20, .lost = 4, .gained = 9, .bothWrong = 17});
        QVERIFY(near(forward.low, -backward.high) && near(forward.high, -backward.low));
        for (int n = 1; n < 300; n += 7)
            for (int right = 0; right <= n; right += 3) { // nothing moved: wide as few rows are, whatever the score
                const Interval still = tangoInterval({.bothRight = right, .bothWrong = n - right});
                const double z2 = 3.8414588206941254;
                QVERIFY(near(still.high, z2 / (n + z2)) && near(still.low, -still.high));
            }
    }

    // Exact coverage of the true difference over a grid of truths, by summing the trinomial probabilities.
    void tangoCoversTheTruthOnFewRows()
    {
        for (const int n : {5, 11, 25}) {
            std::vector<double> logFactorial{0};
            for (int i = 1; i <= n; ++i)
                logFactorial.push_back(logFactorial.back() + std::log(i));
            double sum = 0, least = 1;
            int truths = 0;
            for (const double lost : {0.0, 0.01, 0.03, 0.05, 0.1, 0.2, 0.4})
                for (const double gained : {0.0, 0.01, 0.03, 0.05, 0.1, 0.2, 0.4}) {
                    double covered = 0;
                    for (int l = 0; l <= n; ++l)
                        for (int g = 0; g + l <= n; ++g) {
                            const auto log = [](double share, int count) {
                                return count == 0 ? 0 : count * std::log(share);
                            };
                            const double probability = std::exp(
                                logFactorial[static_cast<std::size_t>(n)] - logFactorial[static_cast<std::size_t>(l)]
                                - logFactorial[static_cast<std::size_t>(g)]
                                - logFactorial[static_cast<std::size_t>(n - l - g)] + log(lost, l) + log(gained, g)
                                + log(1 - lost - gained, n - l - g));
                            const Interval interval = tangoInterval({.lost = l, .gained = g, .bothWrong = n - l - g});
                            const double truth = gained - lost;
                            covered += interval.low - 1e-9 <= truth && truth <= interval.high + 1e-9 ? probability : 0;
                        }
                    sum += covered;
                    least = std::min(least, covered);
                    ++truths;
                }
            QVERIFY2(sum / truths >= 0.95 && least >= 0.92, qPrintable(QString::number(least)));
        }
    }

    void aChangeIsTheSameNumbersEverywhere()
    {
        const PairedCounts rows{.bothRight = 36, .lost = 2, .gained = 12, .bothWrong = 0};
        const PairedChange change = pairedChange(rows);
        QCOMPARE(change.delta, 0.2);
        QCOMPARE(rows.before(), 0.76);
        QCOMPARE(change.p, mcnemarExact(rows));
        QCOMPARE(change.interval.low, tangoInterval(rows).low);
        QVERIFY(change.interval.known() && !Interval{}.known());
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

    // With one and two degrees of freedom the quantile has a closed form: tan(0.475 pi), and 0.95 sqrt(2 / 0.0975).
    void intervalsOfMeansAreStudents()
    {
        QVERIFY(near(studentQuantile(1), 12.706204736174696, 1e-9));
        QVERIFY(near(studentQuantile(2), 4.302652729749464, 1e-9));
        QVERIFY(studentQuantile(1e6) > 1.959963 && studentQuantile(1e6) < 1.95998);
        const Interval two = meanInterval(3, 0.5, 2);
        QVERIFY(near(two.low, 3 - 0.5 * 12.706204736174696, 1e-9)
                && near(two.high, 3 + 0.5 * 12.706204736174696, 1e-9));
        QVERIFY(!meanInterval(3, 0.5, 1).known() && !meanInterval(3, 0, 10).known());
        const std::vector<double> before{1, 1, 1}, after{1, 2, 4.5};
        const PairedT paired = *pairedT(before, after);
        const Interval mean = meanInterval(paired.difference, paired.standardError, 3);
        QVERIFY(paired.interval.low == mean.low && paired.interval.high == mean.high);
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
        const std::vector<double> two{1, 2}, three{1, 2, 3}, flat{1, 1, 1};
        const std::vector<double> broken{1, std::numeric_limits<double>::quiet_NaN(), 2};
        QVERIFY(pairedT(two, three).error().message.find("2 and 3 values") != std::string::npos);
        QVERIFY(pairedT(three, broken).error().message.find("Pair 1 is not finite") != std::string::npos);
        QVERIFY(!spearman(two, two).has_value());
        QVERIFY(spearman(three, flat).error().message.find("equal") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
