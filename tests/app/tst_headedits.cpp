// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does to heads as ablation sets, and tables of their own.
#include "app/present/heads/ablationwords.h"
#include "app/present/heads/headcsv.h"
#include "app/present/heads/headedits.h"
#include "app/present/heads/headmetrics.h"
#include "app/present/heads/headspans.h"
#include "app/present/heads/sidenames.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <set>

using namespace headscope;
using namespace headscope::gui;
using widgets::HeadKind;
using widgets::HeadSpan;

namespace {

// Two layers of attention, and one with an SSM and an attention mixer.
app::ModelSummary model()
{
    app::ModelSummary summary;
    summary.name = "toy";
    summary.layers = {{{.attention = true, .heads = 4}},
                      {{.attention = true, .heads = 4}},
                      {{.attention = false, .heads = 2}, {.attention = true, .heads = 4}}};
    return summary;
}

InterventionSet set(const char* text)
{
    const auto parsed = InterventionSet::parse(text);
    return parsed.has_value() ? *parsed : InterventionSet();
}

HeadSpan head(int layer, int first, int count = 1)
{
    return {layer, HeadKind::Attention, first, count};
}

} // namespace

class TestHeadEdits : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void switchesOffAndOn()
    {
        const InterventionSet off = switched(model(), {}, {head(1, 2)}, true);
        QCOMPARE(off.canonical(), std::string("L1H2"));
        QVERIFY(switched(model(), off, {head(1, 2)}, false).empty());
    }

    // What is done to all heads of a layer is done to each of them: one can be taken out.
    void oneOfAWholeLayerIsRestored()
    {
        QCOMPARE(switched(model(), set("L1H*"), {head(1, 2)}, false), set("L1H0,1,3"));
        QCOMPARE(switched(model(), set("L1H*=mean"), {head(1, 2)}, true), set("L1H0,1,3=mean L1H2"));
        QCOMPARE(switched(model(), set("L1H*"), {head(0, 2)}, true), set("L0H2 L1H*"));
    }

    void headsAreNamedAsOnTheCommandLine()
    {
        app::ModelSummary mixed = model();
        mixed.layers.push_back({{.attention = false, .channels = true, .heads = 48}});
        QCOMPARE(headName(mixed, headRef(mixed, head(1, 2))), std::string("L1H2"));
        QCOMPARE(headName(mixed, headRef(mixed, head(2, 3))), std::string("L2A3"));
        QCOMPARE(headName(mixed, headRef(mixed, {2, HeadKind::Ssm, 1, 1})), std::string("L2S1"));
        QCOMPARE(headName(mixed, headRef(mixed, {3, HeadKind::Channels, 31, 1})), std::string("L3C31"));
    }

    void aNewCutReplacesTheOld()
    {
        const InterventionSet mean = switched(model(), set("L1H2"), {head(1, 2)}, true, widgets::HeadCut::Mean);
        QCOMPARE(mean.canonical(), std::string("L1H2=mean"));
        QCOMPARE(ablatedAtLastPosition(model(), mean, {head(1, 2)}).canonical(), std::string("L1H2@last"));
    }

    void aHeadThatIsOffAtSomeTokensIsNotOff()
    {
        const InterventionSet some =
            ablatedAtPositions(ablatedAtPositions(set("L0H1"), {1, interventions::Site::Any, 2}, {3, 5}),
                               {2, interventions::Site::Ssm, -1}, {7, 7});
        QCOMPARE(some.canonical(), std::string("L0H1 L1H2@3-5 L2S*@7"));
        QCOMPARE(offHeads(model(), some), QList<HeadSpan>{head(0, 1)});
        const QList<HeadSpan> partly = partlyOffHeads(model(), some);
        QCOMPARE(partly.size(), 2);
        QCOMPARE(partly[0], head(1, 2));
        QVERIFY(partly[1].kind == HeadKind::Ssm && partly[1].count > 1);
        for (const char* masked : {"mask:L1H2[q=9,k=2]", "knock:L1H2[q=9,k=2-3]", "L1H2@last"})
            QCOMPARE(partlyOffHeads(model(), set(masked)), QList<HeadSpan>{head(1, 2)});
        QCOMPARE(partlyOffHeads(model(), set("mask:L0-1H*[q=9,k=2]")).size(), 2);
        QCOMPARE(partlyOffHeads(model(), set("lastrow:L0")), (QList<HeadSpan>{{0, HeadKind::Attention, 0, 4}}));
        QCOMPARE(partlyOffHeads(model(), set("lastrow:*")).size(), 3); // attention of every layer
        QCOMPARE(offHeads(model(), set("L1H*")), (QList<HeadSpan>{{1, HeadKind::Attention, 0, 4}}));
        QVERIFY(partlyOffHeads(model(), set("mask:L9H2[q=9,k=2] lastrow:L9")).isEmpty()); // no such layer
        QVERIFY(partlyOffHeads(model(), set("L1H2 skip:L0 steer:L1=a-b")).isEmpty());
    }

    void keepsOnlyHeadsOfOneLayerInOneItem()
    {
        const InterventionSet kept = keptOnly(model(), {head(1, 3), head(1, 0, 2)});
        QCOMPARE(kept.items().size(), std::size_t{1});
        QCOMPARE(offHeads(model(), kept), QList<HeadSpan>{head(1, 2)});
        // On and off now mean in and out of that list.
        QCOMPARE(offHeads(model(), switched(model(), kept, {head(1, 2)}, false)), QList<HeadSpan>());
        QCOMPARE(offHeads(model(), switched(model(), kept, {head(1, 0)}, true)),
                 (QList<HeadSpan>{head(1, 0), head(1, 2)}));
        // A head that gets another output instead stays in it: what is left out gives none.
        const auto replaced = [&](int one) {
            return switched(model(), kept, {head(1, one)}, true, widgets::HeadCut::Mean);
        };
        QCOMPARE(replaced(0), set("L1H0=mean keep:L1H0,1,3"));
        QCOMPARE(replaced(2), set("L1H2=mean keep:L1H0-3"));
    }

    void aScaledHeadIsNotOff()
    {
        const InterventionSet scaled = set("L1H0=scale:2");
        QCOMPARE(ablationWords(scaled), QStringLiteral("L1H0 scaled by 2"));
        QCOMPARE(offHeads(model(), scaled), QList<HeadSpan>());
        QCOMPARE(partlyOffHeads(model(), scaled), QList<HeadSpan>{head(1, 0)});
        QCOMPARE(offHeads(model(), set("L1H0=scale:0")), QList<HeadSpan>{head(1, 0)});
    }

    void namesTheSiteWhereALayerHasTwo()
    {
        const InterventionSet off = switched(model(), {}, {{2, HeadKind::Ssm, 1, 1}, head(2, 1)}, true);
        QCOMPARE(off.canonical(), std::string("L2A1 L2S1"));
    }

    void minimalModelMovesAndGoesAway()
    {
        const InterventionSet one = minimalUpTo(set("L0H1"), 1);
        QVERIFY(one.items().size() == 2);
        QCOMPARE(offHeads(model(), one).size(), 3); // the head and both mixers of layer 2
        const InterventionSet zero = minimalUpTo(one, 0);
        QCOMPARE(zero.items().size(), std::size_t{2});
        QCOMPARE(minimalUpTo(zero, 0), set("L0H1"));
    }

    void togglesWholeItems()
    {
        const interventions::Intervention mask = interventions::MaskLastRow{};
        const InterventionSet masked = toggled({}, mask);
        QCOMPARE(masked.items().size(), std::size_t{1});
        QVERIFY(toggled(masked, mask).empty());
    }

    void topHeadsFollowTheColour()
    {
        widgets::HeadMetric metric{
            QStringLiteral("m"),
            {},
            false,
            {{0.1F, 0.2F, -0.9F, 0}, {0, 0.5F, 0, 0}, {0.4F, 0}, {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0}}};
        QCOMPARE(topHeads(model(), metric, 2).canonical(), std::string("L1H1 L2S0"));
        metric.isSigned = true;
        QCOMPARE(topHeads(model(), metric, 1).canonical(), std::string("L0H2"));
        QCOMPARE(topHeads(model(), metric, 100).items().size(), std::size_t{13}); // all but the one without a value
        QVERIFY(topHeads(model(), {}, 3).empty());
    }

    void randomHeadsFollowTheirSeed()
    {
        const InterventionSet a = randomHeads(model(), 3, 7);
        QCOMPARE(a.items().size(), std::size_t{3});
        QCOMPARE(randomHeads(model(), 3, 7), a);
        std::set<std::string> different;
        for (quint64 seed = 0; seed < 10; ++seed)
            different.insert(randomHeads(model(), 3, seed).canonical());
        QVERIFY(different.size() > 5);
        QCOMPARE(randomHeads(model(), 1000, 0).items().size(), std::size_t{14});
    }

    void channelsAreNoHeads()
    {
        app::ModelSummary channels = model();
        for (auto& mixers : channels.layers) {
            mixers.resize(1);
            mixers.front().attention = false;
            mixers.front().channels = true;
            mixers.front().heads = 64;
        }
        const auto few = *InterventionSet::parse("L1H0-1"), many = *InterventionSet::parse("L1H0-47");
        QCOMPARE(ablationWords(few, &channels), QStringLiteral("L1C0, L1C1 ablated"));
        QCOMPARE(ablationWords(many, &channels), QStringLiteral("48 channels ablated"));
        QCOMPARE(ablationWords(many), QStringLiteral("48 heads ablated")); // whose, nobody said
        QCOMPARE(stateName(many, &channels), QStringLiteral("48 channels ablated"));
    }

    void readsATable()
    {
        const auto columns = readHeadColumns(QStringLiteral("head,\"my score\",other\r\nL0H1,0.25,\nL2A3;-1;2e-3\n\n"));
        QVERIFY2(columns.has_value(), columns.has_value() ? "" : columns.error().message.c_str());
        QCOMPARE(columns->size(), std::size_t{2});
        QCOMPARE(columns->at(0).name, QStringLiteral("my score"));
        QCOMPARE(columns->at(0).values.size(), std::size_t{2});
        QCOMPARE(columns->at(1).values.size(), std::size_t{1});
        const auto values = headValues(columns->at(0), model());
        QVERIFY(values.has_value());
        const widgets::HeadMetric metric = headMetric(model(), QStringLiteral("my score"), true, *values, false);
        QCOMPARE(metric.values[0][1], 0.25F);
        QCOMPARE(metric.values[3][3], -1.0F);
        QVERIFY(std::isnan(metric.values[0][0]));
    }

    void readsATableWithoutNames()
    {
        const auto columns = readHeadColumns(QStringLiteral("L0H1\t3"));
        QVERIFY(columns.has_value());
        QCOMPARE(columns->front().values.front().second, 3.0);
        const auto german = readHeadColumns(QStringLiteral("L2H5;0,31\nL0H1;-1,5"));
        QVERIFY(german.has_value());
        QCOMPARE(german->size(), std::size_t{1});
        QCOMPARE(german->front().values.front().second, 0.31);
        QCOMPARE(german->front().values.back().second, -1.5);
    }

    void saysWhatIsWrongWithATable_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << QString() << QStringLiteral("empty");
        QTest::newRow("one field") << QStringLiteral("L0H1") << QStringLiteral("Line 1");
        QTest::newRow("no head") << QStringLiteral("h,x\nfoo,1")
                                 << QStringLiteral("Line 2 of the table begins with 'foo'");
        QTest::newRow("no number") << QStringLiteral("L0H1,x") << QStringLiteral("'x' where a number");
        QTest::newRow("short line") << QStringLiteral("h,x,y\nL0H1,1") << QStringLiteral("has 2 fields; expected 3");
    }

    void saysWhatIsWrongWithATable()
    {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto columns = readHeadColumns(text);
        QVERIFY(!columns.has_value());
        QVERIFY2(columns.error().message.find(says.toStdString()) != std::string::npos,
                 columns.error().message.c_str());
    }

    void refusesHeadsOfAnotherModel()
    {
        const auto columns = readHeadColumns(QStringLiteral("L9H1,3"));
        QVERIFY(columns.has_value());
        const auto values = headValues(columns->front(), model());
        QVERIFY(!values.has_value());
        QVERIFY(values.error().message.find("L9H1") != std::string::npos);
        QVERIFY(!readHeadColumnFile(QStringLiteral("/no/such/table.csv")).has_value());
    }
};

QTEST_GUILESS_MAIN(TestHeadEdits)
#include "tst_headedits.moc"
