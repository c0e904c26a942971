// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows, as values: setters tell once, undo brings back, and a result never outlives what it is of.
#include "app/present/heads/headmarks.h"
#include "app/present/heads/headmetrics.h"
#include "app/present/heads/sidenames.h"
#include "app/present/prompt/savedview.h"
#include "app/present/scores/kvcurves.h"
#include "app/present/scores/scorepresenters.h"
#include "app/state/modelheads.h"
#include "app/state/windowstate.h"
#include "widgets/look/numbertext.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;
using namespace headscope;
using namespace headscope::gui;
using interventions::HeadRef;
using interventions::InterventionSet;
using interventions::Site;

namespace {

std::shared_ptr<app::ModelSummary> model(const std::string& hash)
{
    auto summary = std::make_shared<app::ModelSummary>();
    summary->name = summary->hash = hash;
    summary->layers = {{{.attention = true, .heads = 4}},
                       {{.attention = false, .heads = 2}, {.attention = true, .heads = 4}}};
    summary->benchmarks = {"toy_kv:pairs=4", "toy_mc"};
    summary->kvTask = "toy_kv";
    summary->kvSizes = {4, 8};
    return summary;
}

InterventionSet off(const char* text)
{
    const auto set = InterventionSet::parse(text);
    return set.has_value() ? *set : InterventionSet();
}

std::shared_ptr<const app::ScoreReply> scores(const app::ModelState& state, const app::ModelState& reference)
{
    return std::make_shared<const app::ScoreReply>(
        app::ScoreReply{.ablation = state.ablation, .reference = reference, .final = true});
}

app::HeadValue cost(const HeadRef& head, double delta, bool attention = true)
{
    return {.head = head, .attention = attention, .delta = delta};
}

} // namespace

class TestWindowState : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void manyHeadsAreEstimatedBeforeTheyAreAblated()
    {
        auto summary = *model("a");
        summary.parameters = 600'000;
        QVERIFY(!isSlowToRank(summary)); // ten heads
        summary.layers.assign(80, {{.attention = true, .heads = 64}});
        summary.parameters = 9'000'000;
        QVERIFY(!isLarge(summary) && isSlowToRank(summary));
        summary.layers.assign(1, {{.attention = true, .heads = 1}});
        summary.parameters = 50'000'000;
        QVERIFY(isSlowToRank(summary));
    }

    void aHeadOfALayerThatIsNotThereHasNoColour()
    {
        const auto metric = headMetric(*model("a"), u"cost"_s, false,
                                       {cost({7, Site::Any, 0}, -0.5), cost({0, Site::Any, 1}, -0.4)}, true);
        QCOMPARE(metric.values.size(), std::size_t{3});
        QCOMPARE(metric.values[0][1], 0.4F);
    }

    // The floor of the map belongs to a metric: the number of another prompt does not make it another one.
    void aScoreIsTheSameMetricOnEveryPrompt()
    {
        SideState side;
        side.model = model("a");
        side.metric = "gather";
        const auto shown = [&](double uniform) {
            app::HeadScores found;
            found.scores["gather"] = {cost({0, Site::Any, 1}, 0)};
            found.uniform["gather"] = uniform;
            side.headScores = std::make_shared<const app::HeadScores>(found);
            return *shownMetric(side);
        };
        QCOMPARE(shown(0.1).name, shown(0.2).name);
        QVERIFY2(shown(0.2).unit.contains(u"0.2"_s), qPrintable(shown(0.2).unit));
    }

    void aPromptThatIsReadAnewIsForgotten()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        state.setModel(Side::B, model("b"));
        state.setPrompt({.text = "a b"});
        state.keepPrompt(Side::B, true);
        for (const Side side : kSides) {
            state.setLockedRow(side, 1);
            for (const char* metric : {"prompt", "attribution", "of a file"})
                state.setOwnMetric(side, metric, {cost({0, Site::Any, 1}, -0.5)});
        }
        QSignalSpy changed(&state, &WindowState::promptChanged);
        state.rereadPrompt();
        QCOMPARE(changed.count(), 1);
        QVERIFY(changed.front().front().toBool());
        for (const Side side : kSides) {
            QCOMPARE(state.side(side).lockedRow, -1);
            QCOMPARE(state.side(side).ownMetrics.size(), std::size_t{1}); // that of the file
        }
        QCOMPARE(state.promptOf(Side::B).text, std::string("a b"));
    }

    void beginsInTheMiddleOfTheModel()
    {
        WindowState state;
        QSignalSpy changed(&state, &WindowState::modelChanged);
        state.setModel(Side::A, model("a"));
        QCOMPARE(changed.count(), 1);
        QVERIFY(state.hasModel(Side::A) && !state.hasModel(Side::B));
        QVERIFY((state.side(Side::A).head == HeadRef{1, Site::Ssm, 0})); // of a layer with two sites, so it is named
        QCOMPARE(state.activeSide(), Side::A);
        state.setModel(Side::B, model("b"));
        QCOMPARE(state.activeSide(), Side::A); // until a person chooses the other
    }

    void undoAndRedoActOnTheState()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        QSignalSpy changed(&state, &WindowState::ablationChanged);
        state.changeAblation(Side::A, off("L0H1"), u"L0H1 off"_s);
        state.changeAblation(Side::A, off("L0H1"), u"the same"_s); // no step
        QCOMPARE(changed.count(), 1);
        QCOMPARE(state.undoStack().count(), 1);
        state.undoStack().undo();
        QVERIFY(state.side(Side::A).ablation.empty());
        state.undoStack().redo();
        QVERIFY(state.side(Side::A).ablation == off("L0H1"));
    }

    void stepsAreNotKeptForEver()
    {
        WindowState state;
        state.setPrompt({.text = "0"});
        for (int i = 1; i <= 3 * WindowState::kMostSteps; ++i)
            state.changePrompt({.text = std::to_string(i)}, u"Prompt"_s);
        QCOMPARE(state.undoStack().count(), WindowState::kMostSteps);
        while (state.undoStack().canUndo())
            state.undoStack().undo();
        QCOMPARE(state.prompt().text, std::to_string(2 * WindowState::kMostSteps)); // the last ones
    }

    void aStepMeansNothingOnAnotherModel()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        state.changeAblation(Side::A, off("L0H1"), u"off"_s);
        state.setModel(Side::A, model("other"));
        QVERIFY(state.side(Side::A).ablation.empty());
        state.undoStack().undo();
        state.undoStack().redo();
        QVERIFY(state.side(Side::A).ablation.empty());
    }

    void theSameModelAgainKeepsWhatIsOff()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        state.setAblation(Side::A, off("L0H1"));
        state.setHead(Side::A, {0, Site::Any, 3});
        state.setModel(Side::A, model("a"));
        QVERIFY(state.side(Side::A).ablation == off("L0H1"));
        QCOMPARE(state.side(Side::A).head.head, 3);
    }

    void aTwinBringsWhatIsKnownOfItsHeads()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        state.setHead(Side::A, {0, Site::Any, 2});
        state.setEffects(Side::A, std::make_shared<const std::vector<app::HeadValue>>(1), app::RankMethod::Race);
        state.setModel(Side::B, model("a"));
        QVERIFY(state.side(Side::B).effects == state.side(Side::A).effects);
        QCOMPARE(state.side(Side::B).effectsMethod, app::RankMethod::Race);
        QCOMPARE(state.side(Side::B).head.head, 2);
    }

    void resultsOfAnotherStateAreNotTaken()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        QSignalSpy changed(&state, &WindowState::scoresChanged);
        state.setScores(Side::A, scores({Side::A, off("L0H1")}, {Side::A, {}}));
        state.setScores(Side::A, scores({Side::A, {}}, {Side::B, {}}));
        QCOMPARE(changed.count(), 0);
        state.setScores(Side::A, scores({Side::A, {}}, {Side::A, {}}));
        QCOMPARE(changed.count(), 1);
        state.setAblation(Side::A, off("L0H0"));
        QVERIFY(!state.side(Side::A).scores);
    }

    void aModelThatGoesIsNobodysReference()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        state.setModel(Side::B, model("b"));
        state.setReference(Side::A, {Side::B, off("L0H0")});
        QVERIFY(!state.isReference(Side::A));
        QSignalSpy changed(&state, &WindowState::referenceChanged);
        state.closeModel(Side::B);
        QCOMPARE(changed.count(), 1);
        QVERIFY(!state.side(Side::A).reference && state.isReference(Side::A));
    }

    void aSideKeepsItsPrompt()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        state.setModel(Side::B, model("b"));
        state.setPrompt({.text = "one"});
        state.setLockedRow(Side::A, 2);
        state.setLockedRow(Side::B, 2);
        state.keepPrompt(Side::B, true);
        state.setPrompt({.text = "two"});
        QCOMPARE(state.promptOf(Side::A).text, std::string("two"));
        QCOMPARE(state.promptOf(Side::B).text, std::string("one"));
        QCOMPARE(state.side(Side::A).lockedRow, -1); // of a text that is no longer there
        QCOMPARE(state.side(Side::B).lockedRow, 2);
        state.keepPrompt(Side::B, false);
        QCOMPARE(state.promptOf(Side::B).text, std::string("two"));
    }

    void headsThatTheModelDoesNotHaveAreNotChosen()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        const HeadRef before = state.side(Side::A).head;
        state.setHead(Side::A, {7, Site::Any, 0});
        state.setHead(Side::A, {0, Site::Any, 4});
        QVERIFY(state.side(Side::A).head == before);
        state.setHead(Side::A, {0, Site::Attention, 1});
        QVERIFY((state.side(Side::A).head == HeadRef{0, Site::Any, 1}));
    }

    // The pane of flips showed A's task after a switch to B, whose model does not have it.
    void eachSideLooksAtExamplesOfItsOwn()
    {
        WindowState state;
        auto real = model("b");
        real->benchmarks = {"kv_retrieval:pairs=10", "mmlu"};
        state.setModel(Side::A, model("a"));
        state.setModel(Side::B, real);
        state.setExamplesTask("toy_mc");
        QCOMPARE(state.examplesTask(Side::A), std::string("toy_mc"));
        QCOMPARE(state.examplesTask(Side::B), std::string("kv_retrieval:pairs=10"));
    }

    void unfollowedBenchmarksAreNotScored()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        QSignalSpy changed(&state, &WindowState::followedChanged);
        state.setFollowed("toy_mc", false);
        state.setFollowed("toy_mc", false);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(state.followed(Side::A), std::vector<std::string>{"toy_kv:pairs=4"});
    }

    void thePinnedBenchmarkIsSaved()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        QSignalSpy changed(&state, &WindowState::pinnedChanged);
        state.setPinned("toy_mc");
        state.setPinned("toy_mc");
        QCOMPARE(changed.count(), 1);
        QCOMPARE(gui::viewFrom(gui::viewText(gui::savedView(state))).pinned, std::string("toy_mc"));
        QCOMPARE(gui::viewFrom("{\"pinned\": 3}").pinned, std::string());
    }

    // Choosing a data folder measures anew and leaves the colours of the heads as the person chose them.
    void newBenchmarksKeepTheColours()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        state.setMetric(Side::A, "gather");
        state.forgetScores();
        QCOMPARE(state.side(Side::A).metric, std::string("gather"));
        QVERIFY(!state.side(Side::A).scores);
    }

    // Page results for another prompt or state, and metrics without values, colour no heads.
    void coloursOfAnotherStateAreGone()
    {
        WindowState state;
        state.setModel(Side::A, model("a"));
        const auto colours = [&] {
            const auto metric = shownMetric(state.side(Side::A));
            return metric && std::ranges::any_of(metric->values, [](const auto& row) {
                       return std::ranges::any_of(row, [](float value) { return !std::isnan(value); });
                   });
        };
        for (const char* page : {"patching", "attribution"}) {
            state.setMetric(Side::A, page);
            const auto measure = [&] { state.setOwnMetric(Side::A, page, {cost({0, Site::Any, 1}, -0.5)}); };
            measure();
            QVERIFY(colours());
            state.setPrompt({.text = std::string("another prompt with ") + page});
            QVERIFY(!colours());
            measure();
            state.changeAblation(Side::A, *InterventionSet::parse("L0H2"), u"off"_s);
            QVERIFY(!colours());
            state.changeAblation(Side::A, {}, u"on"_s);
            state.keepPrompt(Side::A, true);
            measure();
            state.keepPrompt(Side::A, false);
            QVERIFY(!colours());
        }
        state.setOwnMetric(Side::A, "of a file", {cost({0, Site::Any, 1}, -0.5)});
        state.setMetric(Side::A, "of a file");
        state.setPrompt({.text = "one more"});
        QVERIFY(colours());
        state.setMetric(Side::A, "gather");
        QVERIFY(!colours());
        QVERIFY(isMeasuredMetric(u"patching"_s) && isMeasuredMetric(u"gather"_s) && !isMeasuredMetric(u"of a file"_s));
    }

    // Of a session without its model, a benchmark may have been scored in one of the two states alone.
    void aRowOfOneStateComparesNothing()
    {
        app::BenchmarkScore line{
            .task = "toy_mc", .baseline = 0.9, .now = 0, .n = 0, .hasBaseline = true, .final = true};
        const auto before = scoreRow(line, true, {});
        QCOMPARE(before.baseline, 0.9);
        QVERIFY(std::isnan(before.now) && std::isnan(before.delta) && std::isnan(before.p) && std::isnan(before.low));
        line.hasBaseline = false;
        line.hasNow = true;
        line.now = 0.4;
        line.total = line.n = 10;
        const auto now = scoreRow(line, true, {});
        QCOMPARE(now.now, 0.4);
        QVERIFY(std::isnan(now.baseline) && std::isnan(now.delta) && std::isnan(now.p));
        QVERIFY(now.unavailable.isEmpty() && !now.waiting);
        QVERIFY(verdictSentence(u"A"_s, u"L2H5 ablated"_s, {line}).isEmpty());
        QCOMPARE(costSentence({}, {line}), costSentence({}, {}));
    }

    void theDearestHeadOfAKindIsTheOneToLookAt()
    {
        const std::vector<app::HeadValue> effects = {
            cost({0, Site::Any, 1}, -0.9), cost({1, Site::Attention, 2}, -0.85), cost({1, Site::Ssm, 0}, -0.4, false),
            cost({0, Site::Any, 0}, 0.1)};
        QVERIFY((*mostImportantHead(effects, {}) == HeadRef{1, Site::Attention, 2})); // the last of those as dear
        QVERIFY((*mostImportantHead(effects, Site::Ssm) == HeadRef{1, Site::Ssm, 0}));
        QVERIFY((costliestFirst(effects).front() == HeadRef{0, Site::Any, 1}));
        QVERIFY(!mostImportantHead({}, {}));
        const std::vector<app::HeadValue> small = {cost({0, Site::Any, 2}, -0.11), cost({4, Site::Any, 2}, -0.02)};
        QVERIFY(
            (*mostImportantHead(small, {}) == HeadRef{0, Site::Any, 2})); // a fifth of the cost is not the same cost
        app::HeadScores looks;
        app::HeadValue gathers = cost({0, Site::Any, 1}, 0), aggregates = cost({1, Site::Attention, 2}, 0);
        gathers.value = aggregates.value = 0.8;
        looks.scores = {{"gather", {gathers}}, {"aggregate", {aggregates}}};
        const RetrievalHeads found = foundHeads(effects, looks);
        QVERIFY((found.aggregate == std::vector<HeadRef>{{1, Site::Attention, 2}}));
        QVERIFY((found.gather == std::vector<HeadRef>{{0, Site::Any, 1}, {1, Site::Ssm, 0}}));
    }

    void whatIsKnownOfAHeadIsItsTag()
    {
        SideState side;
        const HeadRef fetches{1, Site::Attention, 2}, other{0, Site::Any, 0};
        QCOMPARE(headTag(side, fetches), QStringList());
        side.effects =
            std::make_shared<const std::vector<app::HeadValue>>(std::vector{cost(fetches, -0.98), cost(other, 0.0)});
        const QString loss = u"KV "_s + widgets::signedText(-0.98);
        QCOMPARE(headTag(side, fetches), QStringList{loss});
        side.found = RetrievalHeads{{}, {fetches}};
        QCOMPARE(headTag(side, fetches), (QStringList{u"aggregates · "_s + loss, u"aggregates"_s}));
        QCOMPARE(headTag(side, other), QStringList{u"KV "_s + widgets::signedText(0)});
        // Scored in full with this head alone off, the tag and the head's page say what the scores say.
        side.model = model("a");
        const std::string task = retrievalTask(*side.model);
        side.scores = std::make_shared<const app::ScoreReply>(
            app::ScoreReply{.ablation = InterventionSet({interventions::EditHead{.head = fetches}}),
                            .lines = {{.task = task,
                                       .baseline = 1,
                                       .now = 0.04,
                                       .delta = -0.96,
                                       .low = -0.98,
                                       .high = -0.93,
                                       .n = 256,
                                       .hasBaseline = true,
                                       .hasNow = true,
                                       .final = true}},
                            .final = true});
        QCOMPARE(headTag(side, fetches).front(), u"aggregates · KV "_s + widgets::signedText(-0.96));
        const auto costs = shownCosts(side, side.effects->front());
        QCOMPARE(costs.size(), std::size_t{1});
        QCOMPARE(costs[0].loss, 0.96);
        QCOMPARE(costs[0].n, 256);
        QCOMPARE(*costs[0].before, 1.0);
        QCOMPARE(headTag(side, other).front(), u"KV "_s + widgets::signedText(0)); // by the ranking
        app::HeadValue guessed = cost(fetches, -0.98);
        guessed.estimate = true;
        side.effects = std::make_shared<const std::vector<app::HeadValue>>(std::vector{guessed});
        QCOMPARE(headTag(side, fetches), QStringList{u"aggregates"_s}); // an estimate is no cost
    }

    // A's kv_retrieval and B's toy_kv were drawn under one name, with A's chance for both.
    // "A with L2H5 ablated" is already in the heading; an n that all lines share is exact.
    void aSentenceSaysNothingTwice()
    {
        const auto line = [](const char* task, double delta, double p, int n) {
            return app::BenchmarkScore{.task = task,
                                       .baseline = 1,
                                       .now = 1 + delta,
                                       .delta = delta,
                                       .p = p,
                                       .n = n,
                                       .hasBaseline = true,
                                       .hasNow = true,
                                       .final = true};
        };
        const std::vector<app::BenchmarkScore> one{line("toy_kv:pairs=4", -0.9, 1e-9, 256),
                                                   line("toy_knowledge", -0.01, 0.5, 300)};
        QCOMPARE(costSentence({}, one), u"Worse: KV4. No change seen: knowledge (n = 300)."_s);
        std::vector<app::BenchmarkScore> two = one;
        two.push_back(line("toy_mc", -0.01, 0.5, 256));
        QCOMPARE(costSentence(u"A with 2 heads ablated"_s, two),
                 u"A with 2 heads ablated. Worse: KV4. No change seen: knowledge, MC (n = 256 or more)."_s);
        WindowState state;
        state.setModel(Side::A, model("a"));
        state.changeAblation(Side::A, *interventions::InterventionSet::parse("L0H1"), u"one"_s);
        QCOMPARE(stateHeading(state, Side::A), stateText(state, state.stateOf(Side::A)));
        // A head that two items name is one, and one that is replaced is not ablated.
        const auto heading = [&](const char* set) {
            state.changeAblation(Side::A, *interventions::InterventionSet::parse(set), u"other"_s);
            return stateHeading(state, Side::A);
        };
        QCOMPARE(heading("L0H1 L1A2 upto:L0"), u"A with 7 heads ablated"_s); // one of layer 0, and all of layer 1
        QVERIFY2(heading("L0H1=mean L0H2=mean").contains(u"mean"_s), qPrintable(heading("L0H1=mean L0H2=mean")));
        QVERIFY2(heading("shared:L0H1 shared:L0H2").contains(u"every layer"_s),
                 qPrintable(heading("shared:L0H1 shared:L0H2")));
    }

    void linesOfDifferentTasksNameThem()
    {
        const auto side = [](const char* task, double chance) {
            SideState state;
            auto summary = model(task);
            summary->kvTask = task;
            state.model = summary;
            app::ScoreReply curve;
            for (int i = 0; i < 2; ++i)
                curve.lines.push_back({.baseline = 0.9, .now = 0.5, .n = 100, .chance = chance, .hasBaseline = true});
            state.curve = std::make_shared<const app::ScoreReply>(curve);
            return state;
        };
        const SideState real = side("kv_retrieval", 0.1), toy = side("toy_kv", 0.25);
        const KvCurves different = kvCurves(real, toy);
        QCOMPARE(different.lines.size(), std::size_t{2});
        QVERIFY(different.lines[0].name.contains(u"kv_retrieval"_s));
        QVERIFY(different.lines[1].name.contains(u"toy_kv"_s));
        QCOMPARE(different.chance.size(), std::size_t{2});
        QCOMPARE(different.chance[1].points[0].y(), 0.25);
        // Wilson's intervals of 90 of 100, as published tables have them.
        QCOMPARE(different.lines[0].counts, (std::vector<int>{100, 100}));
        QVERIFY(std::abs(different.lines[0].bounds[1].x() - 0.8256) < 1e-4);
        QVERIFY(std::abs(different.lines[0].bounds[1].y() - 0.9448) < 1e-4);
        const KvCurves same = kvCurves(toy, toy);
        QVERIFY(!same.lines[0].name.contains(u"toy_kv"_s));
        QCOMPARE(same.chance.size(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(TestWindowState)
#include "tst_windowstate.moc"
