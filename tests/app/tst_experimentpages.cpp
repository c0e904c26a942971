// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of experiments in the window: studies of one's own, what a session keeps of them, and what is said of input
// that does not fit.
#include "app/backend/session/experimentrequests.h"
#include "app/figures/experimentfigures.h"
#include "app/window/experiments/experimentcontrols.h"
#include "app/window/experiments/experimentgallery.h"
#include "app/window/experiments/experimentspage.h"
#include "app/window/experiments/experimentview.h"
#include "app/window/experiments/unfinishedsessions.h"
#include "app/window/start/translation.h"
#include "core/experiments/own/ownstudy.h"
#include "core/io/textfiles/textfile.h"
#include "sessions/sessionstore.h"
#include "tests/support/sessionfixture.h"
#include "tests/support/windowfixture.h"
#include "widgets/frame/messagebar.h"
#include "widgets/scores/experimentplot.h"

#include <nlohmann/json.hpp>

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QTableWidget>
#include <QThread>
#include <QToolButton>
#include <QUrl>

#include <cmath>

using namespace headscope;
using namespace headscope::gui;

namespace {

constexpr int kWait = testing::WindowFixture::kWait;

QByteArray study(const QByteArray& conditions = R"({"name": "as it is"}, {"name": "without one", "remove": ["L2H5"]})")
{
    return R"({"headscope_study": 1, "id": "my-head", "title": "One head", "question": "Does one head carry retrieval?",
        "setting": "L2H5 removed.", "models": ["tiny-transformer"], "benchmarks": ["toy_kv:pairs=8"], "examples": 40,
        "conditions": [)"
           + conditions + R"(], "expected": {"change": "collapses", "of": ["toy_kv:pairs=8"]}})";
}

QStringList textsOf(const widgets::Figure& figure)
{
    QStringList texts = {figure.caption};
    for (const widgets::FigurePanel& panel : figure.panels) {
        texts << panel.heading;
        if (const auto* plot = std::get_if<widgets::Plot>(&panel.content)) {
            texts << plot->title << plot->xTitle << plot->conditions << plot->xLabels << plot->remarks
                  << plot->grid.rows << plot->grid.columns;
            for (const widgets::PlotSeries& series : plot->series)
                texts << series.name;
        }
    }
    return texts;
}

/// All texts of a result's page and of its figure from the session, which another thread makes, one below the other.
QStringList textsOf(ExperimentView& view, const experiments::Report& report, sessions::SessionStore& session)
{
    view.setReport(report);
    QStringList texts = {view.sentences()};
    const auto add = [&](const QTableWidgetItem* item) { texts << (item ? item->text() : QString()); };
    for (int column = 0; column < view.table()->columnCount(); ++column) {
        add(view.table()->horizontalHeaderItem(column));
        for (int row = 0; row < view.table()->rowCount(); ++row)
            add(view.table()->item(row, column));
    }
    texts << textsOf(view.findChild<widgets::ExperimentPlot*>()->figure());
    const std::unique_ptr<QThread> thread(
        QThread::create([&] { texts << textsOf(figures::experimentFigure(report, session)); }));
    thread->start();
    thread->wait();
    return texts.join(u'\n').split(u'\n');
}

/// The text without names of models, heads, tasks and files, and words that are the same in German.
QString withoutNames(QString text)
{
    static const QRegularExpression name(
        QStringLiteral(R"(\S*[\d_:*/-]\S*|\b(embed|logits|llama|llamba|cpu|redundant)\b)"));
    return text.remove(name);
}

QString program();

QByteArray output(const QStringList& arguments)
{
    QProcess process;
    process.start(program(), arguments);
    return process.waitForFinished(kWait) && process.exitCode() == 0 ? process.readAllStandardOutput() : QByteArray();
}

QString program()
{
    return QString::fromLocal8Bit(qgetenv("HEADSCOPE_CLI"));
}

} // namespace

class TestExperimentPages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStudyThatIsDroppedIsAPage();
    void aStudyWithAFaultIsOneSentence();
    void resultsComeWithTheProgram();
    void includedResultsAreMeasuredAgain();
    void aStudyIsRunAndStaysInTheSession();
    void anotherStudyOfTheNameHasNoRowsYet();
    void whatWasStoppedIsShownAndGoesOn();
    void aQueueStaysWithItsSession();
    void otherPagesCanBeReadMeanwhile();
    void aSessionForReadingOnlyKeepsNothing();
    void allGoesOnWithoutWhatDoesNotFit();
    void modelsThatDoNotFitCanNotBeChosen();
    void theGalleryShowsEachResult();
    void whatWaitsGoesOnAfterARestart();
    void theReportIsTheCommandLines();
    void asManyExamplesAsFit();
    void germanPagesHaveNoEnglish(); // the last: German stays

private:
    [[nodiscard]] QString written(const QString& name, const QByteArray& content)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write(content);
        return file.fileName();
    }
    QTemporaryDir m_folder;
};

void TestExperimentPages::aStudyThatIsDroppedIsAPage()
{
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(QStringLiteral("tiny-transformer"), QStringLiteral("drop.headscope")));
    QMimeData dropped;
    dropped.setUrls({QUrl::fromLocalFile(written(QStringLiteral("drop.json"), study()))});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&fixture.window(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&fixture.window(), &drop);
    const ExperimentsPage* page = fixture.window().experiments();
    QVERIFY(page);
    QVERIFY(page->isVisible());
    QCOMPARE(page->shelf().count(), ExperimentsPage::count() + 1);
    QCOMPARE(page->list()->currentRow(), ExperimentsPage::count());
    QVERIFY(page->list()->currentItem()->text().startsWith(QStringLiteral("Does one head carry retrieval?")));
    QVERIFY(page->view()->sentences().contains(QStringLiteral("Measured: L2H5 removed.")));
    // The rule stands there before anything is run.
    QVERIFY(page->view()->sentences().contains(
        QStringLiteral("half of what toy KV retrieval, 8 pairs has above the floor")));
    QVERIFY(!page->view()->sentences().contains(QStringLiteral("The paper:")));
    // A file that is no study is a benchmark as before.
    QVERIFY(page->controls()->request().models == QStringList{QStringLiteral("tiny-transformer")});
}

void TestExperimentPages::aStudyWithAFaultIsOneSentence()
{
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(QStringLiteral("tiny-transformer"), QStringLiteral("fault.headscope")));
    const auto say = [&](const QByteArray& content) {
        fixture.window().openStudy(written(QStringLiteral("fault.json"), content));
        const auto* bar = fixture.window().parts().messages;
        return bar->kind() == widgets::MessageBar::Kind::Error ? bar->text() : QString();
    };
    QVERIFY2(say(study(R"({"name": "a"}, {"name": "b", "remov": []})")).contains(QStringLiteral("'remov'")),
             qPrintable(say(study(R"({"name": "a"}, {"name": "b", "remov": []})"))));
    QVERIFY(say("{\"headscope_study\": 1,").contains(QStringLiteral("fault.json")));
    QVERIFY(say(study().replace("my-head", "kv-curve")).contains(QStringLiteral("of its own")));
    QCOMPARE(fixture.window().experiments()->shelf().count(), ExperimentsPage::count());
}

// Every experiment of the paper has a result when the program is first opened, and says where it comes from.
void TestExperimentPages::resultsComeWithTheProgram()
{
    const std::filesystem::path folder = HEADSCOPE_SOURCE_DIR "/resources/results";
    app::SessionDoor door;
    ExperimentsPage page(program(), folder, door);
    QCOMPARE(page.shelf().count(), ExperimentsPage::count());
    for (int i = 0; i < ExperimentsPage::count(); ++i) {
        const auto& reports = page.shelf().reports(i);
        const std::string id = page.shelf().at(i).id;
        QVERIFY2(!reports.empty(), id.c_str());
        QVERIFY2(reports.front().included && reports.front().complete && reports.front().problem.empty(), id.c_str());
        page.choose(i);
        QVERIFY2(page.view()->sentences().contains(QStringLiteral("comes with the program")), id.c_str());
        QVERIFY2(!page.view()->finding().contains(QStringLiteral(" %")), id.c_str()); // which may break
        QVERIFY2(page.view()->table()->rowCount() > 0, id.c_str());
    }
    // One of one's own stands in its place.
    ExperimentShelf shelf;
    experiments::Report mine = page.shelf().reports(0).front();
    mine.included = false;
    shelf.put(mine);
    shelf.putIncluded(folder);
    QCOMPARE(shelf.reports(0).size(), page.shelf().reports(0).size());
    QVERIFY(!shelf.reports(0).front().included);
    // A folder that is missing or holds something else: nothing is shown.
    ExperimentShelf none;
    none.putIncluded(m_folder.filePath(QStringLiteral("none")).toStdString());
    const QString broken = written(QStringLiteral("broken.json"), "{\"experiment\": [[[");
    none.putIncluded(QFileInfo(broken).path().toStdString());
    for (int i = 0; i < none.count(); ++i)
        QVERIFY(none.reports(i).empty());
}

// What ships is what these models do: measured again, the numbers are the same.
void TestExperimentPages::includedResultsAreMeasuredAgain()
{
    for (const char* id : {"kv-curve", "gradual-pruning"}) {
        const QTemporaryDir out;
        QVERIFY(!output({QStringLiteral("experiment"), QString::fromLatin1(id), QStringLiteral("-o"), out.path()})
                     .isEmpty());
        const auto reportOf = [id](const QString& in) {
            return experiments::parseReport(*io::readTextFile(
                (in + QLatin1Char('/') + QString::fromLatin1(id) + QStringLiteral(".json")).toStdString(), 1 << 20));
        };
        const auto fresh = reportOf(out.path());
        const auto kept = reportOf(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/results"));
        QVERIFY(fresh.has_value() && kept.has_value());
        QCOMPARE(kept->hashes, fresh->hashes); // of the same models
        QCOMPARE(kept->judgement().verdict, fresh->judgement().verdict);
        const auto cells = experiments::toCells(*kept), now = experiments::toCells(*fresh);
        QCOMPARE(cells.size(), now.size());
        for (std::size_t row = 0; row < cells.size(); ++row)
            for (std::size_t column = 0; column < cells[row].size(); ++column) {
                bool number = false;
                const double was = QString::fromStdString(cells[row][column]).section(u' ', 0, 0).toDouble(&number);
                if (number) // a thousandth of the examples may flip on another processor
                    QVERIFY2(std::fabs(was - QString::fromStdString(now[row][column]).section(u' ', 0, 0).toDouble())
                                 <= 0.5,
                             (std::string(id) + ": " + cells[row][column] + " and " + now[row][column]).c_str());
                else
                    QCOMPARE(cells[row][column], now[row][column]);
            }
    }
}

void TestExperimentPages::aStudyIsRunAndStaysInTheSession()
{
    const QString session = m_folder.filePath(QStringLiteral("kept.headscope"));
    app::SessionDoor door;
    door.open(session.toStdString());
    {
        ExperimentsPage page(program(), {}, door);
        page.setSurroundings(session, {});
        const QString file = written(QStringLiteral("kept.json"), study());
        QVERIFY(page.openStudy(file).has_value());
        QVERIFY(QFile::remove(file)); // what was opened is what is run
        QSignalSpy finished(&page, &ExperimentsPage::finished);
        page.forecast();
        QVERIFY(finished.wait(kWait));
        QVERIFY2(page.controls()->sentence().contains(QStringLiteral("80 examples")),
                 qPrintable(page.controls()->sentence()));
        page.run();
        QVERIFY(finished.wait(kWait));
        QVERIFY2(finished.back().front().toBool(), qPrintable(page.log()));
        QCOMPARE(page.view()->table()->rowCount(), 2);
        QCOMPARE(page.view()->verdict(), QStringLiteral("Here, the effect appears."));
        QVERIFY(page.list()->currentItem()->text().contains(QStringLiteral("appears")));
        QVERIFY(page.view()->sentences().contains(QStringLiteral(", 0 taken from the session")));
        // All is known now; forecast and page say so.
        page.forecast();
        QVERIFY(finished.wait(kWait));
        QVERIFY2(page.controls()->sentence().contains(QStringLiteral("at least 80 of the examples")),
                 qPrintable(page.controls()->sentence()));
        page.run();
        QVERIFY(finished.wait(kWait));
        QVERIFY2(page.view()->sentences().contains(QStringLiteral(", 80 taken from the session")),
                 qPrintable(page.view()->sentences()));
    }
    ExperimentsPage later(program(), {}, door);
    later.setSurroundings(session, {});
    QVERIFY(QTest::qWaitFor([&] { return later.shelf().count() == ExperimentsPage::count() + 1; }, kWait));
    later.choose(ExperimentsPage::count());
    QCOMPARE(later.view()->table()->rowCount(), 2);
    QCOMPARE(later.view()->verdict(), QStringLiteral("Here, the effect appears."));
    // The command line writes the same pages, and tells that nothing changed since.
    const QByteArray document = output({QStringLiteral("session"), QStringLiteral("report"), session});
    QVERIFY2(document.contains("## Does one head carry retrieval?"), document.constData());
    QVERIFY(document.contains("**Verdict: appears.**"));
    QCOMPARE(output({QStringLiteral("session"), QStringLiteral("report"), session}), document);
    const QByteArray compared = output({QStringLiteral("session"), QStringLiteral("report"), session, session});
    QVERIFY2(
        compared.contains("| Does one head carry retrieval? | appears | appears | 2 numbers: 2 the same, 0 apart |"),
        compared.constData());
    // Nor is it in the next session.
    door.open(m_folder.filePath(QStringLiteral("empty.headscope")).toStdString());
    later.setSurroundings(m_folder.filePath(QStringLiteral("empty.headscope")), {});
    QCOMPARE(later.shelf().count(), ExperimentsPage::count());
}

void TestExperimentPages::anotherStudyOfTheNameHasNoRowsYet()
{
    const auto read = [](const QByteArray& json) { return *experiments::ownStudy(json.toStdString()); };
    const auto first = read(study()), second = read(study(R"({"name": "all"}, {"name": "none", "remove": ["L1H1"]})"));
    ExperimentShelf shelf;
    const int index = shelf.put(first);
    shelf.put(experiments::Report{.experiment = first.get(), .own = first, .models = {"m"}, .finished = "2026-01-01"});
    QCOMPARE(shelf.reports(index).size(), std::size_t(1));
    QCOMPARE(shelf.put(first), index); // the same again
    QCOMPARE(shelf.reports(index).size(), std::size_t(1));
    QCOMPARE(shelf.put(second), index);
    QVERIFY(shelf.reports(index).empty());
    // The rows of the first answer another question.
    shelf.put(experiments::Report{.experiment = first.get(), .own = first, .models = {"m"}});
    QVERIFY(shelf.reports(index).empty());
    // One report for each choice of models, the newest first.
    const auto report = [&](const char* model, const char* day) {
        shelf.put(experiments::Report{.experiment = second.get(), .own = second, .models = {model}, .finished = day});
    };
    report("a", "2026-01-02");
    report("b", "2026-01-03");
    report("a", "2026-01-04");
    QCOMPARE(shelf.reports(index).size(), std::size_t(2));
    QCOMPARE(shelf.reports(index).front().models.front(), std::string("a"));
}

void TestExperimentPages::whatWasStoppedIsShownAndGoesOn()
{
    const QString session = m_folder.filePath(QStringLiteral("stopped.headscope"));
    app::SessionDoor door;
    door.open(session.toStdString());
    ExperimentsPage page(program(), {}, door);
    page.setSurroundings(session, {});
    page.choose(page.shelf().indexOf("gradual-pruning"));
    QSignalSpy finished(&page, &ExperimentsPage::finished);
    page.run();
    QVERIFY(
        QTest::qWaitFor([&] { return page.controls()->sentence().startsWith(QStringLiteral("tiny-transformer  ")); },
                        kWait)); // the first row is there
    page.stop();
    QVERIFY(finished.wait(kWait));
    QVERIFY(!finished.back().front().toBool());
    QVERIFY(QTest::qWaitFor([&] { return page.view()->table()->rowCount() > 0; }, kWait));
    const int rows = page.view()->table()->rowCount();
    QVERIFY(page.view()->verdict().contains(QStringLiteral("inconclusive")));
    page.run();
    QVERIFY(finished.wait(kWait));
    QVERIFY2(finished.back().front().toBool(), qPrintable(page.log()));
    QVERIFY(page.view()->table()->rowCount() > rows);
    QVERIFY(page.shelf().reports(page.shelf().indexOf("gradual-pruning")).front().known > 0);
}

void TestExperimentPages::aQueueStaysWithItsSession()
{
    const QString first = m_folder.filePath(QStringLiteral("first.headscope")),
                  second = m_folder.filePath(QStringLiteral("second.headscope"));
    app::SessionDoor door;
    door.open(first.toStdString());
    ExperimentsPage page(program(), {}, door);
    page.setSurroundings(first, {});
    QSignalSpy finished(&page, &ExperimentsPage::finished);
    QVERIFY(page.openStudy(written(QStringLiteral("first.json"), study())).has_value());
    page.run();
    page.choose(page.shelf().indexOf("cache-memory"));
    page.run();
    door.open(second.toStdString());
    page.setSurroundings(second, {});
    page.choose(page.shelf().indexOf("masks"));
    page.run(); // would go to the first session
    QVERIFY(page.controls()->sentence().contains(QStringLiteral("still running")));
    QVERIFY(QTest::qWaitFor([&] { return finished.size() == 2 && !page.running(); }, kWait));
    const auto reports = [&](const QString& file) {
        const auto session = sessions::SessionStore::open(file.toStdString(), {.create = false, .readOnly = true});
        return session.has_value() ? output({QStringLiteral("session"), QStringLiteral("report"), file}) : QByteArray();
    };
    QVERIFY(reports(first).contains("How much memory do fewer attention heads save?"));
    // The second holds neither a result nor a queue, and is what the page shows now.
    auto session = sessions::SessionStore::open(second.toStdString(), {.create = false, .readOnly = true});
    QVERIFY(session.has_value());
    QVERIFY(!session->uiState("experiments-waiting")->has_value());
    QVERIFY(session->models()->empty());
    QVERIFY(page.shelf().reports(page.shelf().indexOf("cache-memory")).empty());
    page.choose(page.shelf().indexOf("cache-memory"));
    page.run();
    QVERIFY(QTest::qWaitFor([&] { return finished.size() == 3; }, kWait));
    QVERIFY(finished.back().front().toBool());
}

void TestExperimentPages::otherPagesCanBeReadMeanwhile()
{
    app::SessionDoor door;
    ExperimentsPage page(program(), {}, door);
    QSignalSpy finished(&page, &ExperimentsPage::finished);
    page.choose(page.shelf().indexOf("cache-memory"));
    page.run();
    QVERIFY(page.running());
    page.choose(0);
    QVERIFY(page.controls()->sentence().isEmpty());
    QVERIFY(finished.wait(kWait));
    QCOMPARE(page.list()->currentRow(), 0);
    QCOMPARE(page.view()->table()->rowCount(), 0);
    page.choose(page.shelf().indexOf("cache-memory"));
    QVERIFY(page.view()->table()->rowCount() >= 9);
}

void TestExperimentPages::aSessionForReadingOnlyKeepsNothing()
{
    const QString session = m_folder.filePath(QStringLiteral("reading.headscope"));
    app::SessionDoor door;
    door.open(session.toStdString());
    QVERIFY(QTest::qWaitFor([&] { return door.facts().has_value(); }, kWait));
    door.close();
    QVERIFY(QFile::setPermissions(session, QFileDevice::ReadOwner));
    door.open(session.toStdString());
    QVERIFY(QTest::qWaitFor([&] { return door.facts().has_value(); }, kWait));
    if (!door.readOnly())
        QSKIP("This user may write to any file.");
    ExperimentsPage page(program(), {}, door);
    page.setSurroundings(session, {});
    page.choose(page.shelf().indexOf("cache-memory"));
    QSignalSpy finished(&page, &ExperimentsPage::finished);
    page.run();
    QVERIFY(finished.wait(kWait));
    QVERIFY(page.view()->table()->rowCount() >= 9);
    QVERIFY(page.controls()->sentence().contains(QStringLiteral("not stored")));
}

void TestExperimentPages::allGoesOnWithoutWhatDoesNotFit()
{
    QProcess process;
    process.start(program(), {QStringLiteral("experiment"), QStringLiteral("all"), QStringLiteral("--forecast"),
                              QStringLiteral("--json"), QStringLiteral("--model"), QStringLiteral("tiny-ssm"),
                              QStringLiteral("--limit"), QStringLiteral("2")});
    QVERIFY(process.waitForFinished(kWait));
    QCOMPARE(process.exitCode(), 1);
    const auto told = nlohmann::json::parse(process.readAllStandardOutput().toStdString());
    QCOMPARE(told["experiments"].size(), std::size_t(ExperimentsPage::count()));
    int left = 0;
    for (const auto& one : told["experiments"])
        if (one.contains("problem")) {
            ++left;
            QCOMPARE(one["experiment"].get<std::string>(), std::string("hybrid-masking"));
            QVERIFY(one["problem"].get<std::string>().starts_with("'tiny-ssm' is not a hybrid"));
        }
    QCOMPARE(left, 1);
    QVERIFY(process.readAllStandardError().contains("1 of "));
}

void TestExperimentPages::modelsThatDoNotFitCanNotBeChosen()
{
    app::SessionDoor door;
    ExperimentsPage page(program(), {}, door);
    const QString models = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models");
    page.controls()->setPlaces({models.toStdString(), {}});
    page.setSurroundings({}, {models + QStringLiteral("/tiny-ssm")});
    const auto enabled = [&](const char* id) {
        page.choose(page.shelf().indexOf(id));
        QStringList names;
        auto* menu = page.controls()->findChild<QMenu*>();
        Q_EMIT menu->aboutToShow();
        for (const QAction* action : menu->actions())
            if (action->isEnabled() && action->text().contains(QStringLiteral("layers")))
                names.append(action->text().section(QLatin1Char(' '), 0, 0));
            else if (!action->isEnabled() && !action->isSeparator() && action->toolTip().isEmpty())
                names.append(QStringLiteral("no reason"));
        for (const auto* box : page.controls()->findChildren<QCheckBox*>())
            if (box->isEnabled() && box->text() == QStringLiteral("tiny-ssm"))
                names.append(QStringLiteral("open"));
        names.sort();
        return names;
    };
    QCOMPARE(enabled("hybrid-masking"), (QStringList{QStringLiteral("small-hybrid"), QStringLiteral("tiny-hybrid")}));
    QCOMPARE(enabled("state-size"),
             (QStringList{QStringLiteral("small-transformer"), QStringLiteral("tiny-transformer")}));
    QCOMPARE(enabled("ranking"),
             (QStringList{QStringLiteral("open"), QStringLiteral("small-hybrid"), QStringLiteral("small-ssm"),
                          QStringLiteral("small-transformer"), QStringLiteral("tiny-hybrid"),
                          QStringLiteral("tiny-ssm"), QStringLiteral("tiny-transformer")}));
}

// Two choices of models are two results beside each other, and each leads to its page.
void TestExperimentPages::theGalleryShowsEachResult()
{
    const QString session = m_folder.filePath(QStringLiteral("gallery.headscope"));
    for (const char* model : {"tiny-transformer", "tiny-ssm"})
        QVERIFY(!output({QStringLiteral("experiment"), QStringLiteral("cache-memory"), QLatin1String(model),
                         QStringLiteral("--session"), session, QStringLiteral("--json")})
                     .isEmpty());
    app::SessionDoor door;
    door.open(session.toStdString());
    ExperimentsPage page(program(), {}, door);
    page.setSurroundings(session, {});
    page.resize(1200, 800);
    const int index = page.shelf().indexOf("cache-memory");
    QVERIFY(QTest::qWaitFor([&] { return page.shelf().reports(index).size() == 2; }, kWait));
    page.showGallery();
    page.show();
    QVERIFY(page.gallery()->isVisible());
    QCOMPARE(int(page.gallery()->results().size()), ExperimentsPage::count() + 1);
    QStringList made;
    for (const QToolButton* button : page.gallery()->results()) {
        QVERIFY(!button->accessibleName().isEmpty());
        if (button->icon().isNull())
            QCOMPARE(button->text(), QStringLiteral("not run yet"));
        else
            made.append(button->text());
    }
    QCOMPARE(made.size(), 2);
    for (const QString& text : std::as_const(made)) {
        QVERIFY2(text.contains(QStringLiteral("today")), qPrintable(text));
        page.showGallery();
        const auto buttons = page.gallery()->results();
        const auto button =
            std::find_if(buttons.begin(), buttons.end(), [&](const QToolButton* one) { return one->text() == text; });
        QVERIFY(button != buttons.end());
        (*button)->click();
        QVERIFY(page.view()->isVisible());
        QVERIFY(page.view()->sentences().contains(text.contains(QStringLiteral("tiny-ssm"))
                                                      ? QStringLiteral("Measured on tiny-ssm")
                                                      : QStringLiteral("Measured on tiny-transformer")));
    }
}

void TestExperimentPages::whatWaitsGoesOnAfterARestart()
{
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    const QString session = m_folder.filePath(QStringLiteral("restart.headscope"));
    app::SessionDoor door;
    door.open(session.toStdString());
    {
        ExperimentsPage page(program(), {}, door);
        page.setSurroundings(session, {});
        page.choose(page.shelf().indexOf("gradual-pruning"));
        page.run();
        page.choose(page.shelf().indexOf("cache-memory"));
        page.run();
        QVERIFY2(page.controls()->sentence().contains(QStringLiteral("Waiting")),
                 qPrintable(page.controls()->sentence()));
        page.showGallery();
        QVERIFY(page.gallery()->waiting().contains(QStringLiteral("1 more waiting")));
        QVERIFY(isUnfinished(session));
        std::string kept; // writing is over when what is asked behind it is there
        door.ask<app::SavedExperiments>(this, app::experimentsKept(), [&](const Result<app::SavedExperiments>& known) {
            kept = known.has_value() ? known->waiting : "?";
        });
        QVERIFY(QTest::qWaitFor([&] { return kept.find("cache-memory") != std::string::npos; }, kWait));
    } // the window is closed
    // A file that comes from elsewhere starts nothing by itself.
    const QString copy = m_folder.filePath(QStringLiteral("copy.headscope"));
    QVERIFY(QProcess::execute(program(), {QStringLiteral("session"), QStringLiteral("duplicate"), session, copy}) == 0);
    {
        app::SessionDoor other;
        other.open(copy.toStdString());
        ExperimentsPage strange(program(), {}, other);
        strange.setSurroundings(copy, {});
        QVERIFY(QTest::qWaitFor([&] { return strange.unfinished().size() == 2; }, kWait));
        strange.showGallery();
        QVERIFY(strange.gallery()->waiting().contains(QStringLiteral("Not finished")));
        QVERIFY(!strange.running());
    }
    ExperimentsPage later(program(), {}, door);
    QSignalSpy finished(&later, &ExperimentsPage::finished), messages(&later, &ExperimentsPage::messageRequested),
        worked(&later, &ExperimentsPage::worked);
    later.setSurroundings(session, {});
    QVERIFY(QTest::qWaitFor([&] { return finished.size() == 2; }, kWait));
    QVERIFY(messages.front().front().toString().contains(QStringLiteral("experiments: 2")));
    QCOMPARE(worked.back().front().toString(), QString());
    QVERIFY(std::ranges::any_of(worked, [](const QList<QVariant>& one) { return one[1].toInt() == 1; }));
    QVERIFY(!isUnfinished(session));
    for (const auto& one : finished)
        QVERIFY2(one.front().toBool(), qPrintable(later.log()));
    QVERIFY(later.gallery()->waiting().isEmpty());
    for (const char* id : {"gradual-pruning", "cache-memory"})
        QVERIFY(!later.shelf().reports(later.shelf().indexOf(id)).empty());
    // Nothing is left for the next time.
    ExperimentsPage last(program(), {}, door);
    last.setSurroundings(session, {});
    QVERIFY(
        QTest::qWaitFor([&] { return !last.shelf().reports(last.shelf().indexOf("cache-memory")).empty(); }, kWait));
    QVERIFY(last.unfinished().empty());
}

void TestExperimentPages::theReportIsTheCommandLines()
{
    const QString session = m_folder.filePath(QStringLiteral("gallery.headscope")); // of the function above
    app::SessionDoor door;
    door.open(session.toStdString());
    ExperimentsPage page(program(), {}, door);
    page.setSurroundings(session, {});
    const auto bytes = [](const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    for (const auto suffix : {QLatin1String(".pdf"), QLatin1String(".md")}) {
        const QString here = m_folder.filePath(QStringLiteral("here") + suffix),
                      there = m_folder.filePath(QStringLiteral("there") + suffix);
        QSignalSpy messages(&page, &ExperimentsPage::messageRequested);
        page.writeReport(here);
        QVERIFY(messages.wait(kWait));
        QVERIFY2(!messages.front().at(1).toBool(), qPrintable(messages.front().front().toString()));
        (void)output({QStringLiteral("session"), QStringLiteral("report"), session, QStringLiteral("-o"), there});
        QVERIFY(bytes(here).size() > 1000);
        QCOMPARE(bytes(here), suffix == QLatin1String(".md") ? bytes(there).replace("there-pictures", "here-pictures")
                                                             : bytes(there));
    }
    QVERIFY(bytes(m_folder.filePath(QStringLiteral("here-pictures/cache-memory.svg"))).contains("<svg"));
    QVERIFY(bytes(m_folder.filePath(QStringLiteral("here-pictures/cache-memory-2.svg"))).contains("<svg"));
    QSignalSpy messages(&page, &ExperimentsPage::messageRequested);
    page.writeReport(m_folder.filePath(QStringLiteral("here.doc")));
    QVERIFY(messages.wait(kWait));
    QVERIFY(messages.front().at(1).toBool());
    QVERIFY2(messages.front().front().toString().contains(QStringLiteral(".md or .pdf")),
             qPrintable(messages.front().front().toString()));
}

void TestExperimentPages::asManyExamplesAsFit()
{
    const auto forecast = [](const QStringList& more) {
        QStringList arguments = {QStringLiteral("experiment"), QStringLiteral("heads-kept"),
                                 QStringLiteral("--forecast"), QStringLiteral("--json")};
        return nlohmann::json::parse(output(arguments + more).toStdString());
    };
    const auto whole = forecast({}), much = forecast({QStringLiteral("--minutes"), QStringLiteral("600")}),
               little = forecast({QStringLiteral("--minutes"), QStringLiteral("0.0001")});
    QCOMPARE(much["tokens"].get<double>(), whole["tokens"].get<double>());
    QVERIFY(little["tokens"].get<double>() < whole["tokens"].get<double>());
    QCOMPARE(little["limit"].get<double>(), 30.0); // fewer carry no verdict
}

void TestExperimentPages::germanPagesHaveNoEnglish()
{
    ExperimentShelf shelf;
    shelf.putIncluded(HEADSCOPE_SOURCE_DIR "/resources/results");
    auto session = sessions::SessionStore::open(m_folder.filePath(QStringLiteral("german.headscope")).toStdString());
    VERIFY_OK(session);
    ExperimentView view;
    QSet<QString> english;
    for (int i = 0; i < shelf.count(); ++i)
        for (const experiments::Report& report : shelf.reports(i))
            for (const QString& text : textsOf(view, report, *session))
                english.insert(text);
    QVERIFY(english.contains(QStringLiteral("effective tokens")));
    installTranslation(QLocale(QStringLiteral("de_DE")));
    static const QRegularExpression word(QStringLiteral("\\b[a-z]{3,}\\b")),
        ofEnglish(QStringLiteral("\\b(the|of|and|with|without|for|from|each|every|one|two|than|no|not|is|are|has|heads?"
                                 "|layers?|tokens)\\b"));
    QStringList wrong;
    for (int i = 0; i < shelf.count(); ++i)
        for (const experiments::Report& report : shelf.reports(i))
            for (const QString& text : textsOf(view, report, *session)) {
                const QString rest = withoutNames(text);
                if (rest.contains(ofEnglish) || (english.contains(text) && rest.contains(word)))
                    wrong << text;
            }
    wrong.removeDuplicates();
    for (const QString& text : wrong)
        qWarning("English on a German page: %s", qPrintable(text));
    QVERIFY(wrong.isEmpty());
}

QTEST_MAIN(TestExperimentPages)
#include "tst_experimentpages.moc"
