// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/interventions/intervention.h"
#include "core/interventions/positions.h"

#include <QTest>

using namespace headscope;
using namespace headscope::interventions;

class TestInterventions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void writesTheCanonicalText_data();
    void writesTheCanonicalText();
    void canonicalTextReadsBackAsItself_data() { writesTheCanonicalText_data(); }
    void canonicalTextReadsBackAsItself();
    void minimalModelNeedsFewerLayers();
    void refusesWithOneSentence_data();
    void refusesWithOneSentence();
    void commasJoinNothingButHeads();
    void positionsHaveToBeInTheText();
};

void TestInterventions::writesTheCanonicalText_data()
{
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("canonical");
    const auto row = [](const char* given, const char* canonical) {
        QTest::newRow(given) << QString::fromLatin1(given) << QString::fromLatin1(canonical);
    };
    row("", "");
    row("L2H5", "L2H5");
    row("L2H5 L1H0 L2H5", "L1H0 L2H5");
    row("L1H0,2,7 L1H1", "L1H0-2,7");
    row("L1H3-4", "L1H3,4");
    row("L35C3186", "L35H3186");
    row("L1H*", "L1H*");
    row("L2A5 L2S5", "L2A5 L2S5");
    row("L2X5 L2H5", "L2H5 L2X5");
    row("keep:L1X2 keep:L1X0", "keep:L1X0,2");
    row("L2X5=scale:0.5", "L2X5=scale:0.5");
    row("L2H5=mean", "L2H5=mean");
    row("L2H5=resample:7", "L2H5=resample:7");
    row("L2H5=scale:1.5", "L2H5=scale:1.5");
    row("L2H5@last", "L2H5@last");
    row("L2H5@30-36 L2H4@7 L2H5=mean@0-0", "L2H4@7 L2H5@30-36 L2H5=mean@0");
    row("mask:L2H5[q=30-36,k=3-5]", "mask:L2H5[q=30-36,k=3-5]");
    row("mask:L2H*[q=30,k=3-5,renorm] mask:L2-4H*[q=30-36,k=3]",
        "mask:L2H*[q=30,k=3-5,renorm] mask:L2-4H*[q=30-36,k=3]");
    row("mask:L2A1[q=9,k=2-3] knock:L2H5[q=9,k=2] knock:L0-2H*[q=5-9,k=1-4]",
        "knock:L0-2H*[q=5-9,k=1-4] knock:L2H5[q=9,k=2] mask:L2A1[q=9,k=2-3]");
    row("steer:L2=a/b.safetensors[v] steer:L1*-2.5=good.txt-bad.txt",
        "steer:L1*-2.5=good.txt-bad.txt steer:L2=a/b.safetensors[v]");
    row("swap:L2=jlens:soup,bread swap:L1=a/jlens:x", "swap:L1=a/jlens:x swap:L2=jlens:bread,soup");
    row("keep:L2H5,L1H3", "keep:L1H3 keep:L2H5");
    row("keep:L1H3 keep:L1H0", "keep:L1H0,3");
    row("upto:L2 skip:L1.mlp skip:L0 skip:L3.mixer skip:L1A.mixer",
        "upto:L2 skip:L0 skip:L1A.mixer skip:L1.mlp skip:L3.mixer");
    row("lastrow:* lastrow_self:L2 lastrow_self_renorm:L1", "lastrow:* lastrow_self_renorm:L1 lastrow_self:L2");
    row("mask:L2H5[q=36,k=14] mask:L2H5[q=36,k=13,renorm]", "mask:L2H5[q=36,k=13,renorm] mask:L2H5[q=36,k=14]");
    row("mask:L2H5[q=36,k=13],renorm", "mask:L2H5[q=36,k=13,renorm]");
    row("swap:L2=tiny-ssm", "swap:L2=tiny-ssm");
    row("prenorm:L1H3", "prenorm:L1H3");
    // Commas join heads, of several layers too; what is done to a list is done to all of it.
    row("L1H6,L1H3", "L1H3,6");
    row("L1H6, L1H3", "L1H3,6");
    row("L1H6 ,L1H3 , L2X0\n,L2H5 L0H0", "L0H0 L1H3,6 L2H5 L2X0");
    row("L1H0,2, L2H5-6,7,L3A1,L3S1", "L1H0,2 L2H5-7 L3A1 L3S1");
    row("L1H6,L2H3=mean L0H1, L0H2=scale:0.5", "L0H1=scale:0.5 L0H2=scale:0.5 L1H6=mean L2H3=mean");
    row("L1H6,L2H3@4-5", "L1H6@4-5 L2H3@4-5");
    row("prenorm:L1H3,L2H0", "prenorm:L1H3 prenorm:L2H0");
    row("shared:L1H3, L2H0", "shared:L1H3 shared:L2H0");
    row("keep:L1H3, L2H5", "keep:L1H3 keep:L2H5");
    row("mask:L2H5[q=36, k=13, renorm]", "mask:L2H5[q=36,k=13,renorm]");
    row("L1H3, L0H1 swap:L2=a,L1H4", "L0H1 L1H3 swap:L2=a,L1H4"); // a name may hold a comma
    row("swap:L2=a, L1H3", "L1H3 swap:L2=a,");
}

void TestInterventions::writesTheCanonicalText()
{
    QFETCH(QString, given);
    QFETCH(QString, canonical);
    const auto set = InterventionSet::parse(given.toStdString());
    QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
    QCOMPARE(QString::fromStdString(set->canonical()), canonical);
}

void TestInterventions::canonicalTextReadsBackAsItself()
{
    QFETCH(QString, canonical);
    const auto set = InterventionSet::parse(canonical.toStdString());
    QVERIFY(set.has_value());
    QCOMPARE(QString::fromStdString(set->canonical()), canonical);
    const auto again = InterventionSet::parse(set->canonical());
    QVERIFY(again.has_value() && *again == *set);
}

void TestInterventions::minimalModelNeedsFewerLayers()
{
    QCOMPARE(InterventionSet::parse("L2H5 skip:L3")->layersNeeded(), 0);
    QCOMPARE(InterventionSet::parse("upto:L0")->layersNeeded(), 1);
    QCOMPARE(InterventionSet::parse("upto:L17 L3H1")->layersNeeded(), 18);
    QCOMPARE(InterventionSet::parse("upto:L17 upto:L5")->layersNeeded(), 6);
}

void TestInterventions::refusesWithOneSentence_data()
{
    QTest::addColumn<QString>("given");
    for (const char* bad : {"L2",
                            "H5",
                            "L2H",
                            "L-1H2",
                            "L2H5=median",
                            "L2H5=resample",
                            "L2H5@first",
                            "L1H3-2",
                            "L99999999999H1",
                            "keep:",
                            "keep:L1H3,",
                            "L1H3,",
                            ",L1H3",
                            "L1H3,,L1H4",
                            "L1H3,H4",
                            "L1H3,skip:L2",
                            "L1H3=mean,L1H4",
                            "keep:L1H3,skip:L2",
                            "skip:L1,L2H3",
                            "upto:L2,L1H3",
                            "lastrow:L2,L1H3",
                            "mask:L2H5[q=3,k=2],L1H3",
                            "upto:2",
                            "upto:L2x",
                            "skip:L2.head",
                            "skip:L2A",
                            "lastrow",
                            "lastrow:2",
                            "mask:L2H5",
                            "mask:L2H5[q=1,k=2]",
                            "mask:L2H5[q=3]",
                            "swap:L2",
                            "swap:L2=",
                            "swap:L2=jlens:",
                            "swap:L2=jlens:bread",
                            "swap:L2=jlens:bread,",
                            "swap:L2=jlens:,soup",
                            "swap:L2=jlens:bread,bread",
                            "swap:L2=jlens:bread,soup,rice",
                            "swap:L2*2=jlens:bread,soup",
                            "L1H0-99999999",
                            "prenorm:",
                            "prenorm:L1H3@last",
                            "L2H5@30-20",
                            "L2H5@30-",
                            "knock:L2H5[q=3-4,k=5-6]",
                            "mask:L2H5[q=3-6,k=5-7]",
                            "mask:L4-2H*[q=9,k=3]",
                            "knock:L2H5[q=9,k=3,renorm]",
                            "steer:L2",
                            "steer:L2=",
                            "steer:L2*x=a-b",
                            "steer:L2*nan=a-b",
                            "steer:L2*-inf=a-b",
                            "steer:L2*1e99=a-b",
                            "L2H5=scale:nan",
                            "L2H5=scale:inf",
                            "\xc3\xa4"})
        QTest::newRow(bad) << QString::fromUtf8(bad);
}

void TestInterventions::refusesWithOneSentence()
{
    QFETCH(QString, given);
    const auto set = InterventionSet::parse(given.toStdString());
    QVERIFY(!set.has_value());
    const QString sentence = QString::fromStdString(set.error().message);
    QVERIFY(sentence.endsWith(QLatin1Char('.')));
    QVERIFY(!sentence.contains(QLatin1Char('\n')));
}

// A comma joins heads and nothing else: what would be read in two ways is refused, with how it is written.
void TestInterventions::commasJoinNothingButHeads()
{
    const auto set = InterventionSet::parse("L0H0=mean,L1H1,2");
    QVERIFY(!set.has_value());
    QVERIFY2(set.error().message.find("a space before 'L1H1,2'") != std::string::npos, set.error().message.c_str());
    const auto heads = parseHeads("L1H6, L1H3,L2H0-1 L3H*");
    QVERIFY(heads.has_value());
    QCOMPARE(heads->size(), 5U);
    QCOMPARE(toText(heads->at(1)), std::string("L1H3"));
    for (const char* bad : {"", ",", "L1H6,", "L1H6,x", "L1H6=mean"})
        QVERIFY2(!parseHeads(bad).has_value(), bad);
}

void TestInterventions::positionsHaveToBeInTheText()
{
    const auto refused = [](const char* set, int length) {
        const auto there = checkPositions(*InterventionSet::parse(set), length);
        return there.has_value() ? std::string() : there.error().message;
    };
    for (const char* anywhere : {"L2H5", "L2H5@last", "lastrow:*", "keep:L1H2", "skip:L0", "L2H5@3-99", "L2H*@5",
                                 "mask:L2H5[q=5,k=2]", "knock:L0-2H*[q=4-9,k=1-3]"})
        QCOMPARE(refused(anywhere, 6), std::string());
    QCOMPARE(refused("L1H1 L2H5@6-9", 6),
             std::string("'L2H5@6-9' names token 6, and the prompt has 6: expected 0 to 5, or a longer prompt."));
    for (const char* beyond : {"mask:L2H5[q=6,k=2]", "knock:L0-2H*[q=7-9,k=1-3]", "mask:L1H*[q=9,k=6-8]"})
        QVERIFY(refused(beyond, 6).ends_with("or a longer prompt."));
}

QTEST_GUILESS_MAIN(TestInterventions)
#include "tst_interventions.moc"
