// SPDX-License-Identifier: GPL-3.0-or-later
// What pages of analysis make of replies: which number is in which cell, what is said of it, and files of the same.
#include "app/present/heads/headgrid.h"
#include "app/present/why/expertpresenters.h"
#include "app/present/why/numberfiles.h"
#include "app/present/why/patchpresenters.h"
#include "app/present/why/weightpresenters.h"
#include "app/present/why/whypresenters.h"
#include "core/io/textfiles/textfile.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using widgets::ExpertOrder;
using widgets::GridCell;
using widgets::GridData;
using widgets::LensColor;

namespace {

/// Two layers and the output over three tokens; the answer is on top in the output alone.
std::shared_ptr<app::LensReply> lens()
{
    auto reply = std::make_shared<app::LensReply>();
    reply->tokens = {"The", "\n", "is"};
    reply->ids = {1, 2, 3};
    reply->followed = "17";
    reply->layers = 3;
    for (int layer = 0; layer < 3; ++layer)
        for (int position = 0; position < 3; ++position) {
            const bool answer = layer == 2 && position == 2;
            reply->points.push_back({.token = answer ? "17" : "42",
                                     .id = answer ? 17 : 42,
                                     .probability = answer ? 0.9F : 0.2F,
                                     .entropy = answer ? 0.4F : 4.0F,
                                     .rank = answer ? 0 : 30,
                                     .logProbability = answer ? -0.1F : -5.0F});
        }
    return reply;
}

/// Three tokens, two of four experts of layer 2 each.
std::shared_ptr<app::ExpertsReply> experts()
{
    auto reply = std::make_shared<app::ExpertsReply>();
    reply->tokens.tokens = {"The", "\n", "is"};
    reply->layers = {{.layer = 2,
                      .experts = 4,
                      .chosen = 2,
                      .ids = {3, 1, 3, 0, 1, 3},
                      .weights = {0.75F, 0.25F, 0.5F, 0.5F, 0.9F, 0.1F},
                      .shared = {}}};
    return reply;
}

GridData expertGrid(const std::shared_ptr<app::ExpertsReply>& reply, ExpertOrder order = ExpertOrder::Number)
{
    return gui::expertGrid(reply, 2, order, Side::A, u"a model"_s);
}

int columnOf(const GridData& grid, int expert)
{
    return static_cast<int>(std::ranges::find(grid.columns, expert, &widgets::GridLine::id) - grid.columns.begin());
}

QString words(const GridData& grid, int row, int expert)
{
    return grid.words(row, columnOf(grid, expert));
}

/// A layer of attention and one with heads of both kinds.
std::shared_ptr<const app::ModelSummary> hybrid()
{
    auto model = std::make_shared<app::ModelSummary>();
    app::MixerSummary attention{.attention = true}, ssm{.attention = false};
    attention.heads = 2;
    ssm.heads = 3;
    model->layers = {{attention}, {attention, ssm}};
    return model;
}

} // namespace

class TestAnalysisGrids : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aLensIsLayersAndTokens();
    void aLensIsColouredByWhatIsChosen();
    void aCellTellsWeightAndChoice();
    void aSharedExpertHasAColumn();
    void whatAnAblationMovesIsMarked();
    void orderByTokensIsThatWithNothingAblated();
    void patchesTellIntervalAndDifference();
    void headsOfTwoKindsHaveTwoRows();
    void hundredsOfHeadsAreOneGrid();
    void compositionIsByWhatIsReadThrough();
    void filesHaveTheSameNumbers();
};

void TestAnalysisGrids::aLensIsLayersAndTokens()
{
    const GridData grid = gui::lensGrid(lens(), LensColor::Probability, u"a model"_s);
    QCOMPARE(grid.rows.size(), 3U);
    QCOMPARE(grid.columns[1].name, u"⏎"_s); // a line's end is seen
    QCOMPARE(grid.rows[0].name, u"L0"_s);
    QCOMPARE(grid.rows[2].name, u"output"_s);
    QVERIFY(grid.rows[2].strong && grid.columns[2].strong && !grid.rows[0].strong && grid.fromEnd);
    QCOMPARE(grid.cellText(2, 2), u"17"_s);
    QVERIFY(grid.cell(2, 2).marks == GridCell::Framed && grid.cell(0, 0).marks == 0);
    QVERIFY2(grid.words(2, 2).contains(u"rank of “17”: 1"_s) && grid.words(2, 2).contains(u"0.900"_s),
             qPrintable(grid.words(2, 2)));
    const auto unread = lens(); // a layer that a fitted lens has no matrix for
    unread->points.front() = {};
    const GridData blank = gui::lensGrid(unread, LensColor::Probability, {});
    QVERIFY(blank.cellText(0, 0).isEmpty() && blank.cell(0, 0).marks == 0);
    QVERIFY(std::isnan(blank.cell(0, 0).strength) && std::isnan(blank.cell(0, 0).value));
    QVERIFY(blank.words(0, 0).contains(u"no matrix"_s));
    QCOMPARE(blank.cellText(2, 2), u"17"_s);
}

void TestAnalysisGrids::aLensIsColouredByWhatIsChosen()
{
    const auto cells = [](LensColor color) {
        const GridData grid = gui::lensGrid(lens(), color, {});
        return std::pair(grid.cell(2, 2), grid.cell(0, 0));
    };
    for (const LensColor color : {LensColor::Probability, LensColor::Rank, LensColor::Entropy}) {
        const auto [answer, other] = cells(color);
        QVERIFY(answer.strength > other.strength && answer.strength <= 1 && other.strength >= 0);
    }
    QCOMPARE(cells(LensColor::Probability).first.strength, 0.9F);
    QCOMPARE(cells(LensColor::Rank).first.strength, 1.0F);
    QCOMPARE(cells(LensColor::Rank).second.value, 31.0);
    QCOMPARE(cells(LensColor::Entropy).second.strength, 0.0F);
    QVERIFY(std::isnan(cells(LensColor::Change).first.value)); // nothing is off
    const auto ablated = lens();
    ablated->before.assign(9, -5.0F);
    const GridData change = gui::lensGrid(ablated, LensColor::Change, {});
    QVERIFY(change.scale == widgets::GridScale::Signed);
    QCOMPARE(change.cell(0, 0).strength, 0.5F);
    QCOMPARE(change.cell(2, 2).strength, 1.0F);
    QVERIFY(std::abs(change.cell(2, 2).value - 4.9) < 1e-6);
    QVERIFY(change.words(2, 2).endsWith(u"with all heads on −5.00"_s));
}

void TestAnalysisGrids::aCellTellsWeightAndChoice()
{
    const GridData grid = expertGrid(experts());
    QCOMPARE(grid.rows.size(), 3U);
    QCOMPARE(grid.columns.size(), 4U);
    QCOMPARE(grid.cellText(0, 3), u"0.75"_s);
    QVERIFY(grid.cellText(0, 0).isEmpty() && std::isnan(grid.cell(0, 0).value));
    QCOMPARE(words(grid, 0, 1), u"The (position 0): L2X1, weight 0.2500, choice 2 of 2"_s);
    QCOMPARE(words(grid, 0, 0), u"The (position 0) is not routed to L2X0"_s);
    QVERIFY(grid.rows[1].name.size() > 2); // a line's end is seen
    QCOMPARE(grid.columns[3].name, u"X3"_s);
    QCOMPARE(grid.columns[3].count, 3);
    QCOMPARE(grid.columns[3].share, 1.0);
    QCOMPARE(grid.columns[2].words, u"L2X2 receives 0 of 3 tokens; a click ablates it"_s);
    QCOMPARE(grid.cell(2, 1).strength, 1.0F);
    QVERIFY(gui::expertGrid(experts(), 1, ExpertOrder::Number, Side::A, {}).rows.empty());
    const QStringList lines = grid.numbers().text().split(u'\n');
    QCOMPARE(lines.first(), u"token\tX0\tX1\tX2\tX3"_s);
    QCOMPARE(lines.at(1), u"0 The\t\t0.25\t\t0.75"_s);
    QCOMPARE(lines.at(4), u"a model"_s);
}

void TestAnalysisGrids::aSharedExpertHasAColumn()
{
    const auto reply = experts();
    reply->layers[0].shared = {1.0F, 0.5F, 0.25F};
    const GridData grid = expertGrid(reply);
    QCOMPARE(grid.columns.size(), 5U);
    QCOMPARE(grid.columns[0].id, -1);
    QCOMPARE(grid.columns[4].id, 3);
    QCOMPARE(grid.cellText(1, 0), u"0.50"_s);
    QVERIFY(grid.cell(1, 0).marks & GridCell::Plain);
    QVERIFY(grid.words(1, 0).contains(u"runs for every token"_s));
    QCOMPARE(grid.columns[0].count, 3);
}

void TestAnalysisGrids::whatAnAblationMovesIsMarked()
{
    const auto reply = experts();
    reply->before = reply->layers;
    reply->before[0].ids = {3, 1, 3, 2, 1, 3};
    reply->before[0].weights = {0.7F, 0.3F, 0.6F, 0.4F, 0.9F, 0.1F};
    reply->state.ablation = *interventions::InterventionSet::parse("L2X3");
    const GridData grid = expertGrid(reply);
    QVERIFY(grid.cell(1, 0).marks & GridCell::Framed);
    QVERIFY(grid.cell(1, 2).marks & GridCell::Dashed);
    QVERIFY(!(grid.cell(0, 3).marks & (GridCell::Framed | GridCell::Dashed)) && grid.cell(0, 0).marks == 0);
    QVERIFY(grid.cell(0, 3).marks & GridCell::Off && grid.columns[3].off && !grid.columns[2].off);
    QVERIFY(grid.columns[3].words.endsWith(u"restores it"_s));
    QVERIFY(words(grid, 1, 0).endsWith(u"not chosen without the ablation"_s));
    QVERIFY(words(grid, 1, 2).endsWith(u"is not routed to L2X2; without ablation: weight 0.4000, choice 2"_s));
    QVERIFY2(words(grid, 0, 3)
                 .endsWith(u"choice 1 of 2; without ablation: weight 0.7000, choice 1; ablated: its "
                           "output is left out"_s),
             qPrintable(words(grid, 0, 3)));
}

void TestAnalysisGrids::orderByTokensIsThatWithNothingAblated()
{
    const auto reply = experts();
    GridData grid = expertGrid(reply, ExpertOrder::Tokens);
    QCOMPARE(grid.columns[0].id, 3); // three tokens
    QCOMPARE(grid.columns[1].id, 1);
    QCOMPARE(grid.columns[3].id, 2); // none
    QCOMPARE(grid.cellText(0, 0), u"0.75"_s);
    reply->before = reply->layers;
    reply->layers[0].ids = {0, 2, 0, 2, 0, 2}; // no column moves
    grid = expertGrid(reply, ExpertOrder::Tokens);
    QCOMPARE(grid.columns[0].id, 3);
    QCOMPARE(grid.columns[0].count, 0);
    QCOMPARE(expertGrid(reply).columns[0].id, 0);
}

void TestAnalysisGrids::patchesTellIntervalAndDifference()
{
    auto reply = std::make_shared<app::PatchReply>();
    reply->question.part = app::PatchedPart::Stream;
    reply->over.clean = 9;
    reply->over.corrupt = -8;
    reply->over.tokens = {"a", " b"};
    reply->over.otherTokens = {"a", " c"};
    using interventions::Site;
    reply->cells = {{{0, Site::Any, -1}, 0, {.value = 0.5, .interval = {{0.25, 0.75}}}},
                    {{0, Site::Any, -1}, 1, {.value = -0.25}},
                    {{1, Site::Any, -1}, 1, {.value = std::nan("")}}};
    const GridData grid = gui::patchGrid(reply, hybrid(), {});
    QCOMPARE(grid.rows.size(), 2U);
    QCOMPARE(grid.columns.size(), 2U);
    QVERIFY(!grid.columns[0].strong && grid.columns[1].strong);
    QCOMPARE(grid.columns[1].words, u"b: here the two prompts differ"_s);
    QCOMPARE(grid.cellText(0, 0), u"0.50"_s);
    QVERIFY(grid.cell(0, 0).marks == 0 && grid.cell(0, 1).marks == GridCell::Hatched);
    QCOMPARE(grid.cell(0, 1).strength, 0.25F);
    QCOMPARE(grid.words(0, 0), u"stream before layer 0, token 0: effect 0.50, 95 % interval 0.25 to 0.75; logit "
                               "difference +0.50"_s);
    QVERIFY2(grid.words(0, 1).endsWith(u"effect −0.25; logit difference −12.25"_s), qPrintable(grid.words(0, 1)));
    for (const int column : {0, 1})
        QVERIFY(grid.words(1, column).contains(u"no such part"_s) && std::isnan(grid.cell(1, column).value));
}

void TestAnalysisGrids::headsOfTwoKindsHaveTwoRows()
{
    using interventions::Site;
    const auto model = hybrid();
    const GridData grid = gui::headGrid(model, u"sink"_s,
                                        {{.head = {0, Site::Any, 1}, .attention = true, .value = 0.5},
                                         {.head = {1, Site::Ssm, 2}, .attention = false, .value = -0.25}},
                                        1, widgets::GridScale::Signed);
    QCOMPARE(grid.rows.size(), 3U);
    QCOMPARE(grid.columns.size(), 3U);
    QCOMPARE(grid.cell(0, 1).value, 0.5);
    QCOMPARE(grid.cell(0, 1).strength, 0.75F);
    QCOMPARE(grid.cell(2, 2).value, -0.25);
    QCOMPARE(grid.words(0, 1), u"L0H1: sink 0.500"_s);
    QVERIFY2(grid.words(0, 2).contains(u"no such head"_s), qPrintable(grid.words(0, 2)));
    QVERIFY(grid.words(1, 0).contains(u"no value"_s));
    QVERIFY(gui::headAt(*model, 2, 2) == (interventions::HeadRef{1, Site::Ssm, 2}));
    QVERIFY(!gui::headAt(*model, 0, 2) && !gui::headAt(*model, 3, 0) && !gui::headAt(*model, -1, 0));
}

void TestAnalysisGrids::hundredsOfHeadsAreOneGrid()
{
    auto model = std::make_shared<app::ModelSummary>();
    app::MixerSummary mixer{.attention = true};
    mixer.heads = 512;
    model->layers.assign(8, {mixer});
    std::vector<app::HeadValue> values;
    for (int layer = 0; layer < 8; ++layer)
        for (int head = 0; head < 512; ++head)
            values.push_back(
                {.head = {layer, interventions::Site::Any, head}, .attention = true, .value = head / 512.0});
    const GridData grid = gui::headGrid(model, u"sink"_s, values, 1);
    QCOMPARE(grid.cells.size(), 8U * 512U);
    QCOMPARE(grid.words(7, 511), u"L7H511: sink 0.998"_s);
}

void TestAnalysisGrids::compositionIsByWhatIsReadThrough()
{
    auto model = std::make_shared<app::ModelSummary>();
    app::MixerSummary mixer{.attention = true};
    mixer.heads = 2;
    model->layers.assign(3, {mixer});
    app::WeightsReply reply;
    reply.question.head = {1, interventions::Site::Any, 0};
    reply.copying = {{.head = {0, interventions::Site::Any, 1}, .attention = true, .value = -0.5}};
    reply.composed = {{"L0H1", "L1H0", "k", 0.4}, {"L1H0", "L2H0", "q", 0.2}, {"L0H0", "L1H0", "k", 0.1}};
    reply.random = 0.05;
    const widgets::WeightsData data = gui::weightsData(reply, model);
    QCOMPARE(data.parts, (QStringList{u"through k"_s, u"through q"_s}));
    QCOMPARE(data.composed[0].words(0, 1), u"L0H1: composition with L1H0 through k 0.400"_s);
    QCOMPARE(data.composed[0].cell(0, 1).value, 0.4);
    QCOMPARE(data.composed[0].cell(0, 1).strength, 1.0F);
    QCOMPARE(data.composed[0].cell(0, 0).strength, 0.25F);
    QCOMPARE(data.composed[1].cell(2, 0).value, 0.2);
    QVERIFY(std::isnan(data.composed[1].cell(0, 1).value));
    QCOMPARE(data.copying.cell(0, 1).strength, 0.25F); // −1 to 1
    QCOMPARE(data.pairs.rows.size(), 3U);
    QCOMPARE(data.pairs.rows.front().at(4).toDouble(), 0.4 - 0.05);
    QCOMPARE(data.copies.rows.front(), (QVariantList{u"L0H1"_s, -0.5}));
}

void TestAnalysisGrids::filesHaveTheSameNumbers()
{
    const QTemporaryDir folder;
    const widgets::Numbers numbers{.columns = {u"head"_s, u"score"_s, u"label"_s},
                                   .rows = {{u"L0H0"_s, 0.123456789, u"=cmd"_s}, {u"L0_H1"_s, std::nan(""), u""_s}},
                                   .of = u"a model, 50 % of it"_s};
    const auto written = [&](const QString& name) {
        const QString path = folder.filePath(name);
        const auto done = gui::writeNumbers(numbers, path);
        return done.has_value() ? QString::fromStdString(*io::readTextFile(path.toStdString(), 1 << 20))
                                : QString::fromStdString(done.error().message);
    };
    QCOMPARE(written(u"a.csv"_s), u"head,score,label\nL0H0,0.123456789,'=cmd\nL0_H1,,\n# \"a model, 50 % of it\"\n"_s);
    const QString tex = written(u"a.tex"_s);
    QVERIFY2(tex.contains(u"L0H0 & $0.123$ & =cmd \\\\\n"_s) && tex.contains(u"L0\\_H1 & --"_s), qPrintable(tex));
    const QString npz = folder.filePath(u"a.npz"_s);
    QVERIFY(gui::writeNumbers(numbers, npz).has_value());
    QFile file(npz);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(bytes.contains("values.npy") && bytes.contains("(2, 1)"));
    QVERIFY(written(u"a.doc"_s).contains(u".csv, .npz or .tex"_s));
    QVERIFY(!gui::writeNumbers({}, folder.filePath(u"b.csv"_s)).has_value());
    QVERIFY(!gui::writeNumbers(numbers, folder.filePath(u"none/b.csv"_s)).has_value());
}

QTEST_GUILESS_MAIN(TestAnalysisGrids)
#include "tst_analysisgrids.moc"
