// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of experiments, from reports that were made by them: what they hold, and that nothing overlaps.
#include "app/figures/documents/sessionfigure.h"
#include "app/figures/experimentfigures.h"
#include "app/figures/figurerecipe.h"
#include "app/figures/panels/experimentplots.h"
#include "tests/support/paintedtexts.h"
#include "tests/support/sessionfixture.h"
#include "widgets/figures/figurerenderer.h"
#include "widgets/figures/figuretext.h"

#include <QHashFunctions>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace headscope::figures;
using namespace headscope::testing;

namespace {

experiments::Report storedReport(const QString& id)
{
    QFile file(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/results/") + id + QStringLiteral(".json"));
    const bool there = file.open(QIODevice::ReadOnly);
    auto report = experiments::parseReport(there ? file.readAll().toStdString() : std::string());
    return report.has_value() ? std::move(*report) : experiments::Report();
}

} // namespace

class TestExperimentFigures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyExperimentIsAFigure_data();
    void everyExperimentIsAFigure();
    void paperNumbersAreMarksOfTheirOwn();
    void gridsAndBarsHoldTheMeasuredNumbers();
    void mapsOfHeadsStandAboveTheirNumbers();
};

void TestExperimentFigures::everyExperimentIsAFigure_data()
{
    QTest::addColumn<QString>("id");
    for (const experiments::Experiment& experiment : experiments::allExperiments())
        QTest::newRow(experiment.id.c_str()) << QString::fromStdString(experiment.id);
}

void TestExperimentFigures::everyExperimentIsAFigure()
{
    QFETCH(QString, id);
    const experiments::Report report = storedReport(id);
    QVERIFY(report.experiment);
    QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    QCOMPARE(failure(session->setUiState(experiments::reportKey(report.experiment->id, report.models),
                                         experiments::toJson(report))),
             std::string());
    auto recipe = findRecipe(*session, "experiment-" + report.experiment->id);
    QVERIFY2(recipe.has_value(), recipe.has_value() ? "" : recipe.error().message.c_str());
    const auto kept = parseRecipe(recipeText(*recipe)); // as the session keeps it
    QVERIFY2(kept.has_value(), kept.has_value() ? "" : kept.error().message.c_str());
    QVERIFY(*kept == *recipe);
    for (const char* preset : {"column", "page", "slide"})
        for (const char* background : {"light", "dark"}) {
            recipe->style = *styleRecipe(preset);
            recipe->style.background = background;
            const auto figure = makeFigure(*session, *recipe);
            QVERIFY2(figure.has_value(), figure.has_value() ? "" : figure.error().message.c_str());
            const widgets::FigureStyle style = styleOf(recipe->style);
            const QString wrong = clash(*figure, style);
            QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1String(preset) + QStringLiteral(": ") + wrong));
            if (QLatin1String(background) == QLatin1String("dark"))
                continue;
            for (const auto format : {widgets::FigureFormat::Pdf, widgets::FigureFormat::Svg}) {
                const auto bytes = widgets::renderFigure(*figure, style, format);
                QVERIFY2(bytes.has_value(), bytes.has_value() ? "" : bytes.error().message.c_str());
                QVERIFY(*bytes == *widgets::renderFigure(*makeFigure(*session, *recipe), style, format));
            }
            const auto csv = widgets::figureText(*figure, widgets::FigureText::Csv);
            QVERIFY(csv.has_value() && csv->count('\n') > 3);
            QVERIFY(widgets::figureText(*figure, widgets::FigureText::Latex).has_value());
            // What is measured on toy words says so, wherever a real benchmark's name could stand.
            for (const widgets::FigurePanel& panel : figure->panels)
                for (const char* real : {"MMLU", "LAMBADA", "GSM8K"})
                    QVERIFY2(panel.heading.startsWith(QStringLiteral("the paper:"))
                                 || !panel.heading.contains(QLatin1String(real)),
                             qPrintable(panel.heading));
        }
}

void TestExperimentFigures::paperNumbersAreMarksOfTheirOwn()
{
    const experiments::Report report = storedReport(QStringLiteral("heads-kept"));
    const auto plots = experimentPlots(report);
    QCOMPARE(plots.size(), std::size_t(3));
    const widgets::Plot& first = plots.front();
    QCOMPARE(first.title, QStringLiteral("toy multiple choice"));
    QCOMPARE(first.conditions.size(), 4);
    QCOMPARE(first.series.size(), std::size_t(2));
    QCOMPARE(first.series.back().name, QStringLiteral("the paper: MMLU"));
    QVERIFY(first.series.back().tone == widgets::PlotSeries::Tone::Paper);
    QCOMPARE(first.series.back().points.size(), std::size_t(4));
    QCOMPARE(first.series.back().points.front().value, 0.6632);
    // Retrieval stands in no table of the paper.
    QCOMPARE(plots.back().series.size(), std::size_t(1));
    // Numbers of heads that lie far apart stand in steps, and the axis says so.
    const auto students = experimentPlots(storedReport(QStringLiteral("retrieval-guided-hybrids")));
    QCOMPARE(students.front().xLabels.last(), QStringLiteral("32"));
    QVERIFY(students.front().xTitle.contains(QStringLiteral("not to scale")));
    // Pairs of heads are a grid, points of a correlation are not joined, perplexities stand by their magnitudes.
    QVERIFY(!experimentPlots(storedReport(QStringLiteral("complementary"))).front().grid.rows.isEmpty());
    QVERIFY(!experimentPlots(storedReport(QStringLiteral("quantify"))).front().joined);
    QVERIFY(experimentPlots(storedReport(QStringLiteral("perplexity"))).front().logarithmic);
}

void TestExperimentFigures::gridsAndBarsHoldTheMeasuredNumbers()
{
    // Masks: what is left of gather heads down, of aggregate heads across; nothing where nothing was measured.
    const experiments::Report masked = storedReport(QStringLiteral("masks"));
    const auto maps = experimentPlots(masked);
    const auto models = masked.table.distinct("model");
    QCOMPARE(maps.size(), models.size());
    for (std::size_t m = 0; m < models.size(); ++m) {
        const widgets::PlotGrid& grid = maps[m].grid;
        QCOMPARE(grid.rows.size() * grid.columns.size(), qsizetype(16));
        const auto value = [&](const char* state) {
            return *masked.table.value(*masked.table.find({{"model", models[m]}, {"state", state}}), "accuracy");
        };
        QCOMPARE(grid.values[0], value("as it is"));
        QCOMPARE(grid.values[3], value("aggregate: removed"));
        QCOMPARE(grid.values[8], value("gather: random entries"));
        QCOMPARE(grid.values[10], value("both: random entries"));
        QCOMPARE(std::count_if(grid.values.begin(), grid.values.end(), [](double v) { return std::isnan(v); }), 6);
    }
    QVERIFY(experimentFigure(masked).caption.contains(QStringLiteral("Empty: not measured")));

    // Layers: the change against no layer replaced, and the paper's own cells hollow, after ours.
    const experiments::Report replaced = storedReport(QStringLiteral("layer-replacement"));
    const auto layers = experimentPlots(replaced);
    QCOMPARE(layers.size(), std::size_t(2));
    QVERIFY(!layers.front().grid.hollow && layers.back().grid.hollow);
    QCOMPARE(layers.front().grid.values.front(), 0.0);
    QCOMPARE(layers.back().grid.columns.last(), QStringLiteral("L17"));
    QVERIFY(std::abs(layers.back().grid.values[1] - 0.17) < 1e-9); // MMLU from 33 to 50 %
    QCOMPARE(layers.back().grid.words[1], QStringLiteral("50 %"));

    // Counts: bars of whole heads; what is not halved has no bar and says so; the paper's last.
    const auto counts = experimentPlots(storedReport(QStringLiteral("redundancy")));
    QVERIFY(counts.front().bars && counts.back().bars);
    const widgets::Plot& paper = counts.back();
    QVERIFY(paper.series.front().tone == widgets::PlotSeries::Tone::Paper);
    QCOMPARE(paper.series.front().points.front().value, 20.0);
    QVERIFY(paper.series.back().points.empty());
    QVERIFY2(paper.conditions.last().contains(QStringLiteral("not by 30 heads")), qPrintable(paper.conditions.last()));
}

void TestExperimentFigures::mapsOfHeadsStandAboveTheirNumbers()
{
    const experiments::Report report = storedReport(QStringLiteral("heatmaps"));
    const auto recipe = experimentRecipe(report);
    QVERIFY(recipe.has_value());
    QCOMPARE(recipe->together, 3);
    QVERIFY(recipe->panels.front().kind == PanelKind::Pattern && recipe->panels.back().kind == PanelKind::Experiment);
    QCOMPARE(recipe->panels[0].heading, std::string("tiny-transformer, gather head"));
    QCOMPARE(recipe->panels[1].heading, std::string("tiny-ssm, gather head"));
    QCOMPARE(recipe->panels[3].heading, std::string("tiny-transformer, aggregate head"));
    // A session without the maps: the numbers, and a sentence in place of the maps.
    QTemporaryDir folder;
    auto session = sessions::SessionStore::open(folder.filePath(QStringLiteral("s.headscope")).toStdString());
    QVERIFY(session.has_value());
    const widgets::Figure numbers = experimentFigure(report, *session);
    QCOMPARE(numbers.panels.size(), experimentFigure(report).panels.size());
    QVERIFY2(numbers.caption.contains(QStringLiteral("tiny-transformer")), qPrintable(numbers.caption));
}

int main(int argc, char** argv)
{
    QHashSeed::setDeterministicGlobalSeed();
    QGuiApplication application(argc, argv);
    TestExperimentFigures test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_experimentfigures.moc"
