// SPDX-License-Identifier: GPL-3.0-or-later
// The window and its session: a session without its model, the menu of the session, states compared, figures made and
// kept.
#include "app/figures/documents/sessionfigure.h"
#include "app/window/dialogs/figuredesk.h"
#include "app/window/explorer.h"
#include "app/window/lecture/lecturecontroller.h"
#include "app/window/mainwindow.h"
#include "app/window/menus/sessionmenu.h"
#include "app/window/tours/tourguide.h"
#include "app/window/welcome/recentsessions.h"
#include "sessions/export/exporttables.h"
#include "tests/support/sessionfixture.h"
#include "tests/support/windowfixture.h"
#include "widgets/figures/dialog/partsstrip.h"
#include "widgets/figures/figurerenderer.h"

#include <SQLiteCpp/Database.h>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QDialog>
#include <QDockWidget>
#include <QHashFunctions>
#include <QListWidget>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>
#include <sys/stat.h>
#include <unistd.h>

using namespace headscope;
using namespace headscope::testing;
using namespace Qt::StringLiterals;
using gui::MainWindow;

namespace {

constexpr int kWait = 120000; // slow machines; nothing here is timed

} // namespace

class TestWindowSession : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void showsWhatIsStoredWithoutTheModel();
    void storedSharesAreOfTheSameRows();
    void aViewOfAModelThatIsNotHereStays();
    void aSessionOfTheSameModelIsShownAsItWasLeft();
    void opensNoFolderOfAStrangersSession();
    void refusesAStoredModelWithoutHeads();
    void staysUsableWithAHostileSession_data();
    void staysUsableWithAHostileSession();
    void waitsForNoPipe();
    void scrollsTheExamplesOfASessionWithoutTheModel();
    void showsWhatAnotherProgramStores();
    void keepsNamesColoursAndLayout();
    void survivesALayoutFromSomebodyElse();
    void whatIsNoSessionLeavesTheOneThatIsOpen();
    void aModelThatStaysOpenIsTold();
    void aNamedModelIsOpenedInPlaceOfTheStoredOne();
    void aSlowSessionIsNotWrittenOver();
    void theWelcomePageShowsTheWindowAsItWasLeft();
    void toursGoOnWhereTheyWereLeft();
    void aTourThatIsNotYetPlacedIsAtNoStep();
    void menuCopiesMergesAndExports();
    void figuresOfWhatIsStored();
    void theFigureOfOneMapIsOfThatMap();

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] std::unique_ptr<MainWindow> window(const QString& session, const QStringList& named = {}) const
    {
        gui::WindowOptions options;
        options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
        options.backend.device = "cpu";
        options.session = path(session);
        options.named = static_cast<int>(named.size());
        auto made = std::make_unique<MainWindow>(options);
        if (!named.isEmpty())
            made->openModels(named.at(0), named.value(1));
        made->show();
        return made;
    }
    /// What the file holds once the window has written what it was asked to.
    [[nodiscard]] sessions::SessionStore stored(MainWindow& window, const QString& name) const
    {
        bool written = false;
        window.door().write<void>(
            &window, [](sessions::SessionStore&) { return Result<void>(); },
            [&](const Result<void>&) { written = true; });
        if (!QTest::qWaitFor([&] { return written; }, kWait))
            qFatal("the session never answered");
        return std::move(*sessions::SessionStore::open(path(name).toStdString()));
    }
    /// A session as another machine left it: the model is nowhere here.
    void make(const QString& name, const std::string& heads) const
    {
        auto session = sessions::SessionStore::open(path(name).toStdString());
        VERIFY_OK(session);
        QCOMPARE(fill(*session), std::string());
        sessions::ModelRecord model = exampleModel();
        model.source = "/server/models/gone";
        model.headsJson = heads;
        VERIFY_OK(session->putModel(model));
    }

    QTemporaryDir m_folder;
    const std::string m_heads =
        R"([[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}]])";
};

void TestWindowSession::initTestCase()
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
}

void TestWindowSession::showsWhatIsStoredWithoutTheModel()
{
    make(QStringLiteral("gone.headscope"), m_heads);
    const auto window = this->window(QStringLiteral("gone.headscope"));
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
    QCOMPARE(toText(window->explorer()->pattern(Side::A)->request.head), std::string("L2H5"));
    QVERIFY2(window->parts().messages->text().contains(QStringLiteral("/server/models/gone")),
             qPrintable(window->parts().messages->text()));
    const auto& rows = window->parts().scores->model()->rows();
    QVERIFY(QTest::qWaitFor([&] { return rows.size() == 1 && rows[0].baseline == 1.0; }, kWait));

    // A state that was scored comes from the session; one that was not says what it needs.
    window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), QStringLiteral("off"));
    QVERIFY(QTest::qWaitFor([&] { return rows[0].now == 0.25; }, kWait));
    window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L1H1"), QStringLiteral("off"));
    QVERIFY(QTest::qWaitFor(
        [&] { return window->parts().messages->text().contains(QStringLiteral("needs the model")); }, kWait));
    QVERIFY(std::isnan(rows[0].now) && std::isnan(rows[0].delta)); // those of L2H5 are not L1H1's
    QTRY_COMPARE(window->parts().flips->model()->rowCount(), 0);
    window->undoStack()->undo();
    QVERIFY(QTest::qWaitFor([&] { return rows[0].now == 0.25; }, kWait));

    // Baseline and L2H5 were scored: both can be gone back to, and compared.
    const auto& runs = window->parts().runs->model()->runs();
    QVERIFY(QTest::qWaitFor([&] { return runs.size() >= 2; }, kWait));
    Q_EMIT window->parts().runs->compareRequested(runs[1].id, runs[0].id);
    const QDialog* comparison = nullptr;
    QVERIFY(QTest::qWaitFor(
        [&] { return (comparison = window->parts().runs->findChild<QDialog*>(QStringLiteral("comparison"))); }, kWait));
    const auto* table = comparison->findChild<QTableWidget*>();
    QCOMPARE(table->rowCount(), 1);
    QCOMPARE(table->item(0, 6)->text(), QStringLiteral("12"));
}

// Rankings measure each head on the first rows only: its score and the baseline are computed on these rows.
void TestWindowSession::storedSharesAreOfTheSameRows()
{
    {
        auto session = sessions::SessionStore::open(path(u"ranked.headscope"_s).toStdString());
        sessions::ModelRecord model = exampleModel();
        model.source = "/server/models/gone";
        model.headsJson = m_heads;
        VERIFY_OK(session->putModel(model));
        const auto some = examples(12);
        std::vector<sessions::ResultRecord> all, first;
        for (const auto& example : some) {
            all.push_back(resultFor(example, example.row < 6));
            if (example.row < 8)
                first.push_back(resultFor(example, example.row < 2));
        }
        VERIFY_OK(session->putExamples(some));
        VERIFY_OK(session->putResults(series(), all));
        VERIFY_OK(session->putResults(series("L0H3"), first));
        sessions::RankingRecord other{.modelHash = model.hash, .dtype = "fp32", .task = "toy_kv"}; // as it was typed
        other.method = "exact";
        other.heads = {{"L2H5", 0.03, -0.95, -0.97, -0.92}};
        VERIFY_OK(session->addRanking(other));
        other.task = "arc_easy";
        other.heads = {{"L0H0", 1, -1}, {"L0H1", 1, -1}, {"L0H2", 1, -1}};
        VERIFY_OK(session->addRanking(other));
        other.task = "toy_kv:pairs=8";
        other.ablation = "L2H5";
        VERIFY_OK(session->addRanking(other));
    }
    const auto window = this->window(u"ranked.headscope"_s);
    const auto& rows = window->parts().scores->model()->rows();
    QVERIFY(QTest::qWaitFor([&] { return rows.size() == 1 && rows[0].baseline == 0.5; }, kWait));
    const auto& effects = window->explorer()->state().side(Side::A).effects; // of KV, with no other head off
    QVERIFY(effects && effects->size() == 1 && toText(effects->front().head) == "L2H5");
    window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L0H3"), u"off"_s);
    QVERIFY(QTest::qWaitFor([&] { return rows[0].now == 0.25; }, kWait));
    QCOMPARE(rows[0].baseline, 0.75); // six of the eight
    QCOMPARE(rows[0].delta, -0.5);
    QCOMPARE(rows[0].total, 8);
}

// A session opened without its model keeps its saved view for when the model is available.
void TestWindowSession::aViewOfAModelThatIsNotHereStays()
{
    make(u"away.headscope"_s, m_heads);
    gui::SavedView view;
    view.sides[0] = gui::SavedSide{.model = "/server/models/gone",
                                   .hash = exampleModel().hash,
                                   .type = "int8",
                                   .ablation = *interventions::InterventionSet::parse("L2H5"),
                                   .metric = "gather",
                                   .head = interventions::HeadRef{.layer = 0, .head = 1}};
    {
        auto session = sessions::SessionStore::open(path(u"away.headscope"_s).toStdString());
        VERIFY_OK(session->setUiState("explorer", gui::viewText(view)));
    }
    const auto window = this->window(u"away.headscope"_s);
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
    window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L1H1"), u"off"_s);
    window->close();
    const auto kept = stored(*window, u"away.headscope"_s).uiState("explorer");
    const auto side = gui::viewFrom(kept.has_value() ? kept->value_or("") : "").sides[0];
    QVERIFY(side);
    QCOMPARE(side->type, view.sides[0]->type);
    QCOMPARE(side->ablation.canonical(), std::string("L2H5"));
    QCOMPARE(side->metric, view.sides[0]->metric);
    QVERIFY(side->head == view.sides[0]->head);
}

// The ablation of the open model is replaced by the session's.
void TestWindowSession::aSessionOfTheSameModelIsShownAsItWasLeft()
{
    const auto open = [&](const QString& name) {
        auto window = this->window(name, {u"tiny-transformer"_s});
        return QTest::qWaitFor([&] { return window->door().facts() && window->explorer()->model(Side::A); }, kWait)
                   ? std::move(window)
                   : nullptr;
    };
    {
        const auto window = open(u"allon.headscope"_s);
        QVERIFY(window);
        window->close();
    }
    const auto window = open(u"oneoff.headscope"_s);
    QVERIFY(window);
    window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L1H0"), u"off"_s);
    window->explorer()->openSession(path(u"allon.headscope"_s));
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->ablation(Side::A).isEmpty(); }, kWait));
}

void TestWindowSession::opensNoFolderOfAStrangersSession()
{
    const QString folder = path(QStringLiteral("elsewhere"));
    QVERIFY(QDir().mkpath(folder));
    for (const char* name : {"config.json", "model.safetensors", "tokenizer.json"})
        QVERIFY(QFile::copy(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer/")
                                + QLatin1String(name),
                            QDir(folder).filePath(QLatin1String(name))));
    make(QStringLiteral("strange.headscope"), m_heads);
    {
        auto session = sessions::SessionStore::open(path(QStringLiteral("strange.headscope")).toStdString());
        sessions::ModelRecord model = exampleModel();
        model.source = folder.toStdString();
        model.headsJson = m_heads;
        VERIFY_OK(session->putModel(model));
    }
    {
        const auto window = this->window(QStringLiteral("strange.headscope"));
        QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
        QVERIFY(window->explorer()->model(Side::A)->stored); // shown as it is kept; nothing was read there
        QVERIFY2(window->parts().messages->text().contains(QStringLiteral("not opened here before")),
                 qPrintable(window->parts().messages->text()));
        window->openModels(folder); // a person does
        QVERIFY(QTest::qWaitFor([&] { return !window->explorer()->model(Side::A)->stored; }, kWait));
    }
    const auto again = this->window(QStringLiteral("strange.headscope"));
    QVERIFY(QTest::qWaitFor(
        [&] { return again->explorer()->hasModel(Side::A) && !again->explorer()->model(Side::A)->stored; }, kWait));
}

void TestWindowSession::refusesAStoredModelWithoutHeads()
{
    make(QStringLiteral("odd.headscope"), R"({"not":"a list"})");
    const auto window = this->window(QStringLiteral("odd.headscope"));
    QVERIFY(QTest::qWaitFor([&] { return window->parts().messages->text().contains(QStringLiteral("which heads")); },
                            kWait));
}

void TestWindowSession::staysUsableWithAHostileSession_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("finding");
    QTest::newRow("not a database") << QStringLiteral("noise") << QStringLiteral("file is not a database");
    QTest::newRow("a link to itself") << QStringLiteral("loop") << QStringLiteral("a link that leads to itself");
    QTest::newRow("a pipe") << QStringLiteral("pipe") << QStringLiteral("got a device or pipe");
    QTest::newRow("a pipe for its log") << QStringLiteral("log")
                                        << QStringLiteral("is not a file but a device or pipe");
    QTest::newRow("trigger") << QStringLiteral("CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM runs; END")
                             << QStringLiteral("has the trigger 't'");
    QTest::newRow("view of itself") << QStringLiteral("DROP VIEW scores; CREATE VIEW scores AS SELECT * FROM scores")
                                    << QStringLiteral("another definition of the view");
    QTest::newRow("virtual table") << QStringLiteral("CREATE VIRTUAL TABLE f USING fts5(x)")
                                   << QStringLiteral("has the table 'f");
    QTest::newRow("later version") << QStringLiteral("PRAGMA user_version = 99") << QStringLiteral("newer version");
    QTest::newRow("no version") << QStringLiteral("PRAGMA user_version = 0") << QStringLiteral("got 0");
    QTest::newRow("heads without end") << QStringLiteral("UPDATE models SET heads = printf('%.*c', 1000000, '[')")
                                       << QStringLiteral("nests deeper than 64 levels");
    QTest::newRow("more heads than any") << QStringLiteral(
        "UPDATE models SET heads = '[[{\"kind\":\"attention\",\"heads\":2000000000}]]'")
                                         << QStringLiteral("more heads than any model");
    QTest::newRow("endless layers") << QStringLiteral("UPDATE models SET layers = 2000000000")
                                    << QStringLiteral("2000000000 layers");
    QTest::newRow("window state too long")
        << QStringLiteral("INSERT INTO ui_state VALUES ('explorer', zeroblob(60000000))")
        << QStringLiteral("60000000 bytes");
    QTest::newRow("totals below nothing")
        << QStringLiteral("UPDATE series_totals SET n = -5, correct = -5") << QStringLiteral("not sums");
}

// The sentence is in the message bar, and a good session opens in the same window afterwards.
void TestWindowSession::staysUsableWithAHostileSession()
{
    QFETCH(QString, sql);
    QFETCH(QString, finding);
    const QString name = QStringLiteral("hostile %1.headscope").arg(QLatin1StringView(QTest::currentDataTag()));
    const std::string file = path(name).toStdString();
    if (sql == QLatin1String("noise")) {
        QFile noise(path(name));
        QVERIFY(noise.open(QIODevice::WriteOnly)
                && noise.write(QByteArray("SQLite format 3\0", 16) + QByteArray(5000, 'x')) > 0);
    } else if (sql == QLatin1String("loop")) {
        QCOMPARE(symlink(file.c_str(), file.c_str()), 0);
    } else if (sql == QLatin1String("pipe")) {
        QCOMPARE(mkfifo(file.c_str(), 0600), 0);
    } else if (sql == QLatin1String("log")) {
        make(name, m_heads);
        QCOMPARE(mkfifo((file + "-wal").c_str(), 0600), 0);
    } else {
        make(name, m_heads);
        SQLite::Database(file, SQLite::OPEN_READWRITE).exec(sql.toStdString());
    }
    const auto window = this->window(name);
    QVERIFY2(QTest::qWaitFor([&] { return window->parts().messages->text().contains(finding); }, kWait),
             qPrintable(window->parts().messages->text()));
    QVERIFY(!window->parts().messages->text().contains(QLatin1Char('\n')));
    make(QStringLiteral("good.headscope"), m_heads);
    window->explorer()->openSession(path(QStringLiteral("good.headscope")), true);
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
    QVERIFY(QTest::qWaitFor([&] { return window->parts().scores->model()->rows().size() == 1; }, kWait));
}

// A text and a table of numbers that are pipes: nobody ever writes into them.
void TestWindowSession::waitsForNoPipe()
{
    make(QStringLiteral("pipes.headscope"), m_heads);
    const auto window = this->window(QStringLiteral("pipes.headscope"));
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
    const auto saysPipe = [&] {
        return QTest::qWaitFor(
            [&] { return window->parts().messages->text().contains(QStringLiteral("it is a pipe")); }, kWait);
    };
    const QString prompt = path(QStringLiteral("prompt.txt")), table = path(QStringLiteral("heads.csv"));
    QCOMPARE(mkfifo(prompt.toUtf8().constData(), 0600), 0);
    QCOMPARE(mkfifo(table.toUtf8().constData(), 0600), 0);
    window->act(QStringLiteral("text=") + prompt);
    QVERIFY2(saysPipe(), qPrintable(window->parts().messages->text()));
    window->parts().messages->clear();
    window->explorer()->addMetricFile(Side::A, table);
    QVERIFY2(saysPipe(), qPrintable(window->parts().messages->text()));
}

void TestWindowSession::scrollsTheExamplesOfASessionWithoutTheModel()
{
    make(QStringLiteral("flips.headscope"), m_heads);
    const auto window = this->window(QStringLiteral("flips.headscope"));
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
    window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), QStringLiteral("off"));
    widgets::FlipsModel& rows = *window->parts().flips->model();
    const QAbstractItemModelTester tester(&rows, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(QTest::qWaitFor([&] { return rows.rowCount() == 9; }, kWait)); // of 12, every fourth stays right
    QCOMPARE(rows.count(widgets::FlipKind::Broken), 9U);
    QVERIFY(QTest::qWaitFor([&] { return !rows.flipAt(1).choices.empty(); }, kWait));
    const widgets::Flip second = rows.flipAt(1);
    QCOMPARE(second.prompt, QString::fromStdString(testing::exampleAt(2).context));
    QCOMPARE(second.choices.size(), 2U);
    QVERIFY(second.choices[0].gold && second.choices[0].chosenBefore && second.choices[1].chosenAfter);
    QCOMPARE(second.choices[0].after, resultFor(testing::exampleAt(2), false).logLikelihoods[0]);
    rows.setFilter(widgets::FlipFilter::Every);
    QCOMPARE(rows.rowCount(), 12);
    Q_EMIT window->parts().flips->exampleActivated(second.exampleId);
    QVERIFY(QTest::qWaitFor([&] { return window->parts().prompt->prompt() == second.prompt; }, kWait));
}

void TestWindowSession::showsWhatAnotherProgramStores()
{
    make(QStringLiteral("shared.headscope"), m_heads);
    const auto window = this->window(QStringLiteral("shared.headscope"));
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
    QVERIFY(QTest::qWaitFor([&] { return window->parts().runs->model()->runs().size() == 2; }, kWait));
    const std::size_t runs = 2;
    {
        auto other = sessions::SessionStore::open(path(QStringLiteral("shared.headscope")).toStdString());
        VERIFY_OK(other);
        const auto more = examples(24);
        std::vector<sessions::ResultRecord> before, now;
        for (const auto& example : more) {
            before.push_back(resultFor(example, example.row < 18));
            now.push_back(resultFor(example, false));
        }
        VERIFY_OK(other->putExamples(more));
        VERIFY_OK(other->putResults(series(), before));
        VERIFY_OK(other->putResults(series("L1H1"), now));
    }
    QVERIFY(QTest::qWaitFor([&] { return window->parts().runs->model()->runs().size() == runs + 1; }, kWait));
    QCOMPARE(window->parts().runs->model()->runs().back().provenance, QStringLiteral("tiny-transformer, L1H1"));
    const auto& rows = window->parts().scores->model()->rows();
    QVERIFY(QTest::qWaitFor([&] { return rows[0].baseline == 0.75; }, kWait)); // 12 right before, 6 of 12 more

    // A state that somebody kept stands above one that was scored on the way, whichever came first.
    {
        auto other = sessions::SessionStore::open(path(QStringLiteral("shared.headscope")).toStdString());
        VERIFY_OK(other);
        VERIFY_OK(
            other->putRun({.name = "kept", .modelHash = exampleModel().hash, .ablation = "L0H0", .position = 99}));
    }
    QVERIFY(QTest::qWaitFor([&] { return window->parts().runs->model()->runs().size() == runs + 2; }, kWait));
    QStringList names;
    for (const widgets::RunRow& row : window->parts().runs->model()->runs())
        names += row.name;
    QVERIFY2(names.indexOf(QStringLiteral("kept")) < names.indexOf(QStringLiteral("L1H1 ablated"))
                 && names.contains(QStringLiteral("L1H1 ablated")),
             qPrintable(names.join(u',')));
}

void TestWindowSession::keepsNamesColoursAndLayout()
{
    make(QStringLiteral("kept.headscope"), m_heads);
    const QString name = QStringLiteral("the one");
    {
        const auto window = this->window(QStringLiteral("kept.headscope"));
        QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
        auto* map = window->parts().mapA;
        QVERIFY(QTest::qWaitFor(
            [&] {
                return map->model()->index(2, 5).data(widgets::HeadMapModel::NameRole)
                       == QStringLiteral("the aggregator");
            },
            kWait));
        QCOMPARE(map->model()->index(2, 5).data(widgets::HeadMapModel::LabelColorRole).value<QColor>(),
                 QColor(QStringLiteral("#cc0000")));
        QVERIFY(map->model()->setData(map->model()->index(1, 3), name, Qt::EditRole));
        Q_EMIT map->view()->colorRequested({{1, widgets::HeadKind::Attention, 2, 3}}, QColor(Qt::blue));
        Q_EMIT map->view()->colorRequested({{2, widgets::HeadKind::Attention, 5, 1}}, QColor());
        window->findChild<QDockWidget*>(QStringLiteral("runs"))->hide();
        window->addDockWidget(Qt::LeftDockWidgetArea, window->findChild<QDockWidget*>(QStringLiteral("chart")));
        window->findChild<QDockWidget*>(QStringLiteral("chart"))->findChild<QTabWidget*>()->setCurrentIndex(1);
        window->close();
    }
    QSettings().remove(QStringLiteral("window/layout")); // what follows comes from the session
    const auto window = this->window(QStringLiteral("kept.headscope"));
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
    const auto* heads = window->parts().mapA->model();
    QVERIFY(QTest::qWaitFor([&] { return heads->index(1, 3).data(widgets::HeadMapModel::NameRole) == name; }, kWait));
    for (int head = 0; head < 8; ++head)
        QCOMPARE(heads->index(1, head).data(widgets::HeadMapModel::LabelColorRole).value<QColor>().isValid(),
                 head >= 2 && head <= 4);
    QCOMPARE(heads->index(2, 5).data(widgets::HeadMapModel::NameRole).toString(), QStringLiteral("the aggregator"));
    QVERIFY(!heads->index(2, 5).data(widgets::HeadMapModel::LabelColorRole).value<QColor>().isValid());
    QVERIFY(!window->findChild<QDockWidget*>(QStringLiteral("runs"))->isVisible());
    QVERIFY(window->findChild<QDockWidget*>(QStringLiteral("scores"))->isVisible());
    QCOMPARE(window->dockWidgetArea(window->findChild<QDockWidget*>(QStringLiteral("chart"))), Qt::LeftDockWidgetArea);
    QCOMPARE(window->dockWidgetArea(window->findChild<QDockWidget*>(QStringLiteral("scores"))),
             Qt::RightDockWidgetArea);
    QCOMPARE(window->findChild<QDockWidget*>(QStringLiteral("chart"))->findChild<QTabWidget*>()->currentIndex(), 1);
}

void TestWindowSession::survivesALayoutFromSomebodyElse()
{
    make(QStringLiteral("other.layout"), m_heads);
    for (
        const char* json :
        {"[1, 2", R"({"docks": 5, "chart": 1e300, "centre": {"a": 1}})",
         R"({"docks": {"runs": {"area": 99, "width": -7, "height": 1e99}}, "chart": 77, "centre": [-5, "x"]})",
         R"({"docks": {"runs": {"area": 2, "floating": "yes"}, "heads": [], "nobody": {"area": 1}}, "chart": -1, "centre": []})"}) {
        {
            auto session = sessions::SessionStore::open(path(QStringLiteral("other.layout")).toStdString());
            VERIFY_OK(session);
            VERIFY_OK(session->setUiState("window", json));
        }
        const auto window = this->window(QStringLiteral("other.layout"));
        QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
        QVERIFY(window->findChild<QDockWidget*>(QStringLiteral("chart"))->findChild<QTabWidget*>()->currentIndex()
                >= 0);
        QVERIFY(window->findChild<QDockWidget*>(QStringLiteral("runs"))->isVisible());
        QVERIFY(window->findChild<QDockWidget*>(QStringLiteral("runs"))->width() < window->width());
    }
}

// By a drop or in the dialog: the work goes on in the session it was in, and the list of sessions does not name the
// other.
void TestWindowSession::whatIsNoSessionLeavesTheOneThatIsOpen()
{
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(u"tiny-transformer"_s, u"mine.headscope"_s));
    MainWindow& opened = fixture.window();
    QVERIFY(QTest::qWaitFor([&] { return opened.door().isOpen(); }, kWait));
    const QString title = opened.windowTitle();
    QVERIFY2(title.contains(u"mine"_s), qPrintable(title));
    for (const QString& name : {u"picture.png"_s, u"damaged.headscope"_s}) {
        QFile file(fixture.file(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no session") > 0);
        file.close();
        opened.parts().messages->clear();
        QVERIFY(fixture.drop({file.fileName()}));
        QVERIFY(QTest::qWaitFor([&] { return opened.parts().messages->text().contains(name); }, kWait));
        QVERIFY(QTest::qWaitFor([&] { return opened.door().isOpen() && opened.windowTitle() == title; }, kWait));
        QVERIFY(!QSettings().value(u"sessions/recent"_s).toStringList().contains(file.fileName()));
    }
    QVERIFY(fixture.explorer().model(Side::A)); // as it was on the screen
}

// A session of another machine is opened over a model: whose numbers are on the screen is said.
void TestWindowSession::aModelThatStaysOpenIsTold()
{
    make(u"theirs.headscope"_s, m_heads);
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(u"tiny-ssm"_s, u"mine.headscope"_s));
    QVERIFY(fixture.drop({path(u"theirs.headscope"_s)}));
    const auto* messages = fixture.window().parts().messages;
    QVERIFY(QTest::qWaitFor([&] { return messages->text().contains(u"tiny-ssm stays open"_s); }, kWait));
    QVERIFY2(messages->text().contains(u"/server/models/gone"_s), qPrintable(messages->text()));
}

void TestWindowSession::aNamedModelIsOpenedInPlaceOfTheStoredOne()
{
    const QString file = u"named.headscope"_s;
    const auto nameOf = [](const MainWindow& window, Side side) {
        const auto model = window.explorer()->model(side);
        return model ? model->name : std::string();
    };
    {
        const auto window = this->window(file, {u"tiny-transformer"_s, u"tiny-hybrid"_s});
        QVERIFY(QTest::qWaitFor([&] { return !nameOf(*window, Side::A).empty() && !nameOf(*window, Side::B).empty(); },
                                kWait));
        window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), u"off"_s);
        window->close();
        (void)stored(*window, file);
    }
    {
        const auto window = this->window(file, {u"tiny-ssm"_s});
        const auto* messages = window->parts().messages;
        QVERIFY2(
            QTest::qWaitFor([&] { return messages->text().contains(u"in place of the session's model"_s); }, kWait),
            qPrintable(messages->text() + u"; "_s + QString::fromStdString(nameOf(*window, Side::A))));
        QCOMPARE(nameOf(*window, Side::A), std::string("tiny-ssm"));
        QVERIFY(window->explorer()->ablation(Side::A).isEmpty());
        QVERIFY(!QTest::qWaitFor(
            [&] { return nameOf(*window, Side::A) != "tiny-ssm" || !nameOf(*window, Side::B).empty(); }, 500));
    }
    // The session's own model, named again, is shown as it was.
    {
        const auto window = this->window(u"same.headscope"_s, {u"tiny-transformer"_s});
        QVERIFY(QTest::qWaitFor([&] { return nameOf(*window, Side::A) == "tiny-transformer"; }, kWait));
        window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), u"off"_s);
        window->close();
        (void)stored(*window, u"same.headscope"_s);
    }
    const auto window = this->window(u"same.headscope"_s, {u"tiny-transformer"_s});
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->ablation(Side::A) == u"L2H5"_s; }, kWait));
}

// A change that is made while a session is being opened belongs to the one that is left, or to none.
void TestWindowSession::aSlowSessionIsNotWrittenOver()
{
    const auto ablationIn = [&](const QString& name) {
        auto session = sessions::SessionStore::open(path(name).toStdString());
        const auto kept = session->uiState("explorer");
        const auto side = gui::viewFrom(kept.has_value() ? kept->value_or("") : "").sides[0];
        return side ? QString::fromStdString(side->ablation.canonical()) : u"nothing"_s;
    };
    const auto set = [](MainWindow& window, const char* ablation) {
        window.explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse(ablation), u"off"_s);
    };
    // What is asked of the session now is answered a second later.
    const auto delay = [](MainWindow& window) {
        const auto wait = [](sessions::SessionStore&) {
            QThread::sleep(1);
            return Result<void>();
        };
        window.door().write<void>(&window, wait, [](const Result<void>&) {});
    };
    const auto open = [&](const QString& name) {
        auto window = this->window(name, {u"tiny-transformer"_s});
        return QTest::qWaitFor([&] { return window->door().facts() && window->explorer()->model(Side::A); }, kWait)
                   ? std::move(window)
                   : nullptr;
    };
    {
        const auto window = open(u"reopened.headscope"_s);
        QVERIFY(window);
        QVERIFY(QTest::qWaitFor([&] { return ablationIn(u"reopened.headscope"_s).isEmpty(); }, kWait));
        set(*window, "L2H5");
        window->close();
    }
    QCOMPARE(ablationIn(u"reopened.headscope"_s), u"L2H5"_s);
    {
        const auto window = open(u"left.headscope"_s);
        QVERIFY(window);
        set(*window, "L1H1");
        delay(*window);
        window->explorer()->openSession(path(u"reopened.headscope"_s));
        set(*window, "L0H0");
        QVERIFY(QTest::qWaitFor([&] { return window->explorer()->ablation(Side::A) == u"L2H5"_s; }, kWait));
    }
    QCOMPARE(ablationIn(u"left.headscope"_s), u"L1H1"_s);
    QCOMPARE(ablationIn(u"reopened.headscope"_s), u"L2H5"_s);
    // Closed before anything was read.
    for (const auto& [name, kept] :
         {std::pair(u"reopened.headscope"_s, u"L2H5"_s), {u"fresh.headscope"_s, u"L0H0"_s}}) {
        const auto window = open(u"left.headscope"_s);
        QVERIFY(window);
        delay(*window);
        window->explorer()->openSession(path(name));
        set(*window, "L0H0");
        window->close();
        (void)stored(*window, name);
        QCOMPARE(ablationIn(name), kept);
    }
}

void TestWindowSession::theWelcomePageShowsTheWindowAsItWasLeft()
{
    const QString file = QStringLiteral("pictured.headscope");
    {
        const auto window = this->window(file, {QStringLiteral("tiny-transformer")});
        QVERIFY(QTest::qWaitFor([&] { return window->explorer()->model(Side::A) != nullptr; }, kWait));
        QVERIFY(gui::sessionPicture(path(file)).isNull());
        window->close();
    }
    const QPixmap kept = gui::sessionPicture(path(file));
    QVERIFY(kept.width() > 100 && kept.height() > 50);
    const auto window = this->window(QStringLiteral("next.headscope")); // begins with the welcome page
    const auto cards = window->findChildren<widgets::OfferCard*>();
    const auto card = std::ranges::find_if(cards, [&](const auto* one) { return one->offer().id == path(file); });
    QVERIFY(card != cards.end());
    QVERIFY((*card)->offer().photo.toImage() == kept.toImage());
    // A session that is not offered any more leaves none behind.
    for (int i = 0; i < 9; ++i)
        gui::rememberSession(path(QString::number(i)));
    gui::keepSessionPicture(path(QStringLiteral("8")), kept);
    QVERIFY(gui::sessionPicture(path(file)).isNull() && !gui::sessionPicture(path(QStringLiteral("8"))).isNull());
}

void TestWindowSession::toursGoOnWhereTheyWereLeft()
{
    const QString file = QStringLiteral("tour.headscope");
    QString tour;
    {
        const auto window = this->window(file);
        tour = window->guide()->choices().constFirst().id;
        QSignalSpy opened(window->guide(), &gui::TourGuide::opened);
        window->guide()->open(tour);
        QVERIFY(opened.wait(kWait));
        QCOMPARE(window->guide()->step(), 0);
        Q_EMIT window->parts().tour->stepRequested(2);
    }
    {
        const auto window = this->window(file);
        QSignalSpy opened(window->guide(), &gui::TourGuide::opened);
        window->guide()->open(tour);
        QVERIFY(opened.wait(kWait));
        QCOMPARE(window->guide()->step(), 2);
        Q_EMIT window->parts().tour->stepRequested(static_cast<int>(window->guide()->tour()->steps.size()) - 1);
        const auto tours = stored(*window, file).tours();
        VERIFY_OK(tours);
        QCOMPARE(tours->size(), 1U);
        QVERIFY(tours->front().finished);
    }
    const auto window = this->window(file);
    QSignalSpy opened(window->guide(), &gui::TourGuide::opened);
    window->guide()->open(tour);
    QVERIFY(opened.wait(kWait));
    QCOMPARE(window->guide()->step(), 0); // a finished one begins again
}

void TestWindowSession::aTourThatIsNotYetPlacedIsAtNoStep()
{
    const auto window = this->window(QStringLiteral("places.headscope"));
    gui::TourGuide* guide = window->guide();
    QSignalSpy opened(guide, &gui::TourGuide::opened);
    const QString longer = guide->choices().constFirst().id, shorter = guide->exercises().constFirst().id;
    guide->open(longer);
    QVERIFY(opened.wait(kWait));
    Q_EMIT window->parts().tour->stepRequested(static_cast<int>(guide->tour()->steps.size()) - 1);
    QVERIFY(guide->step() > 2);
    guide->open(shorter); // its step is asked of the session; the other tour's is none of its own
    QVERIFY(!guide->tour());
    window->lecture()->toggle(); // reads the step that is shown
    Q_EMIT window->parts().tour->textSubmitted(QStringLiteral("an answer to the tour before"));
    QVERIFY(opened.wait(kWait));
    QCOMPARE(guide->step(), 0);
    QVERIFY(guide->tour()->steps.size() <= 3);
    window->lecture()->toggle();
}

void TestWindowSession::menuCopiesMergesAndExports()
{
    make(QStringLiteral("menu.headscope"), m_heads);
    const auto window = this->window(QStringLiteral("menu.headscope"));
    gui::SessionMenu& menu = *window->sessionMenu();
    const auto opened = [&](const QString& name) {
        return QTest::qWaitFor(
            [&] { return window->door().facts() && window->door().facts()->path == path(name).toStdString(); }, kWait);
    };
    const auto said = [&](const QString& words) {
        return QTest::qWaitFor([&] { return window->parts().messages->text().contains(words); }, kWait);
    };
    QVERIFY(opened(QStringLiteral("menu.headscope")));
    menu.duplicate(path(QStringLiteral("copy.headscope")));
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(path(QStringLiteral("copy.headscope"))); }, kWait));
    menu.saveAs(path(QStringLiteral("as.headscope")));
    QVERIFY(opened(QStringLiteral("as.headscope")));
    make(QStringLiteral("other.headscope"), m_heads);
    {
        auto other = sessions::SessionStore::open(path(QStringLiteral("other.headscope")).toStdString());
        VERIFY_OK(other->putFigure({"from the other", "{}", {}}));
    }
    menu.merge(path(QStringLiteral("other.headscope")));
    QVERIFY2(said(QStringLiteral("figures 1")), qPrintable(window->parts().messages->text()));
    QVERIFY(opened(QStringLiteral("as.headscope")));
    QCOMPARE(stored(*window, QStringLiteral("as.headscope")).figures()->size(), 2U);
    for (const std::string_view table : sessions::tableNames()) // whatever the command line exports
        QVERIFY2(window->findChild<QAction*>(QStringLiteral("export-")
                                             + QLatin1String(table.data(), static_cast<qsizetype>(table.size()))),
                 std::string(table).c_str());
    for (const char* suffix : {"csv", "json", "tex", "md"}) {
        const QString table = path(QStringLiteral("scores.") + QLatin1String(suffix));
        menu.exportTable("scores", table);
        QVERIFY(QTest::qWaitFor([&] { return QFileInfo(table).size() > 50; }, kWait));
    }
    menu.verify();
    QVERIFY2(said(QStringLiteral("No problems found")), qPrintable(window->parts().messages->text()));
    menu.compact();
    QVERIFY(said(QStringLiteral("bytes")));
}

void TestWindowSession::figuresOfWhatIsStored()
{
    make(QStringLiteral("figures.headscope"), m_heads);
    const auto window = this->window(QStringLiteral("figures.headscope"));
    QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(Side::A) != nullptr; }, kWait));
    const auto drawn = [&] { return stored(*window, QStringLiteral("figures.headscope")); }; // after what was asked
    gui::FigureDesk desk(*window->state(), window->door(), *window->parts().patterns, window.get());
    desk.setOnScreen([] { return QStringList{QStringLiteral("shown-maps")}; });
    desk.open();
    widgets::FigureDialog& dialog = *desk.dialog();
    QVERIFY(QTest::qWaitFor(
        [&] { return dialog.options().what == QStringLiteral("shown-maps") && dialog.preview()->isVisibleTo(&dialog); },
        kWait));
    QVERIFY(dialog.options().scale == window->parts().patterns->scale()); // as it stands on the screen

    // What the dialog writes, the recipe draws again: the same bytes.
    auto options = dialog.options();
    options.style = *widgets::stylePreset(QStringLiteral("column"));
    options.title = QStringLiteral("One head");
    dialog.setOptions(options);
    Q_EMIT dialog.optionsChanged();
    static_cast<void>(drawn());
    QVERIFY(dialog.saveTo(path(QStringLiteral("dialog.pdf"))));
    Q_EMIT dialog.keepRequested(QStringLiteral("for the talk"));
    auto session = drawn();
    const auto recipe = figures::findRecipe(session, "for the talk");
    VERIFY_OK(recipe);
    QCOMPARE(recipe->title, std::string("One head"));
    QCOMPARE(recipe->style.widthMm, 85.0);
    QVERIFY(QTest::qWaitFor([&] { return dialog.options().what == QStringLiteral("stored:for the talk"); }, kWait));
    static_cast<void>(drawn());
    QVERIFY(dialog.saveTo(path(QStringLiteral("again.pdf"))));
    const auto bytes = [&](const QString& name) {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QVERIFY(bytes(QStringLiteral("dialog.pdf")).size() > 1000);
    QVERIFY(bytes(QStringLiteral("dialog.pdf")) == bytes(QStringLiteral("again.pdf")));

    // Figures composed in the dialog are composed by the command line from the same names: the same bytes.
    dialog.setComposing(true);
    QVERIFY(dialog.parts()->ids().contains(QStringLiteral("shown-maps"))); // what is on the screen
    for (const QString& id : dialog.parts()->ids())
        dialog.parts()->remove(id);
    const QStringList names{QStringLiteral("gather-aggregate-maps"), QStringLiteral("last-row"),
                            QStringLiteral("stored:for the talk")};
    for (const QString& name : names)
        dialog.parts()->add(name, name, {});
    Q_EMIT dialog.parts()->arranged();
    dialog.parts()->list()->setCurrentRow(0);
    dialog.parts()->moveBy(1);
    session = drawn();
    QCOMPARE(desk.recipe().parts.size(), std::size_t{3});
    QVERIFY(dialog.saveTo(path(QStringLiteral("composed.pdf"))));
    const auto composed = figures::findComposed(session, {"last-row", "gather-aggregate-maps", "for the talk"});
    VERIFY_OK(composed);
    QVERIFY(*composed == desk.recipe());
    VERIFY_OK(widgets::writeFigure(*figures::makeFigure(session, *composed), figures::styleOf(composed->style),
                                   path(QStringLiteral("named.pdf"))));
    QVERIFY(bytes(QStringLiteral("composed.pdf")) == bytes(QStringLiteral("named.pdf")));
    // A caption that a person wrote stays when parts are moved; its own follows them.
    options = dialog.options();
    options.caption = QStringLiteral("My own words.");
    dialog.setOptions(options);
    Q_EMIT dialog.optionsChanged();
    dialog.parts()->moveBy(1);
    QCOMPARE(desk.recipe().caption, std::string("My own words."));
    options = dialog.options();
    options.style.widthMm = 140;
    dialog.setOptions(options);
    Q_EMIT dialog.optionsChanged();
    const figures::Recipe own = desk.recipe();
    Q_EMIT dialog.keepRequested(QStringLiteral("three parts"));
    dialog.parts()->remove(names[0]);
    dialog.parts()->remove(names[1]);
    Q_EMIT dialog.parts()->arranged();
    QVERIFY(!dialog.preview()->isVisibleTo(&dialog)); // one is no composition
    dialog.setComposing(false);
    // What was stored is taken apart, arranged anew and put back.
    const QString three = QStringLiteral("stored:three parts");
    QVERIFY(QTest::qWaitFor([&] { return dialog.list()->choice(three) != nullptr; }, kWait));
    dialog.list()->setCurrentId(three);
    static_cast<void>(drawn());
    const auto buttons = dialog.findChildren<QToolButton*>();
    auto* button = *std::ranges::find(buttons, QStringLiteral("Compose several figures"), &QToolButton::text);
    button->click();
    static_cast<void>(drawn());
    QCOMPARE(dialog.parts()->ids().size(), 3);
    QVERIFY(desk.recipe() == own);
    dialog.parts()->list()->setCurrentRow(0);
    dialog.parts()->moveBy(1);
    static_cast<void>(drawn());
    QCOMPARE(desk.recipe().parts, (std::vector<std::string>{own.parts[1], own.parts[0], own.parts[2]}));
    QCOMPARE(desk.recipe().caption, own.caption);
    dialog.parts()->moveBy(-1);
    static_cast<void>(drawn());
    QVERIFY(desk.recipe() == own);
    button->click();

    // Every entry of the list shows a figure or says why it cannot.
    for (int row = 0; row < dialog.list()->count(); ++row) {
        dialog.list()->setCurrentRow(row);
        static_cast<void>(drawn());
        QVERIFY(dialog.preview()->isVisibleTo(&dialog) || !dialog.list()->item(row)->toolTip().isEmpty());
    }
    Q_EMIT dialog.removeRequested(QStringLiteral("stored:for the talk"));
    session = drawn();
    QVERIFY(!figures::findRecipe(session, "for the talk").has_value());
}

void TestWindowSession::theFigureOfOneMapIsOfThatMap()
{
    const auto window = this->window(QStringLiteral("onemap.headscope"));
    window->openModels(QStringLiteral("tiny-transformer"), QStringLiteral("tiny-ssm"));
    const gui::Explorer& explorer = *window->explorer();
    // Until the rankings are in, after which the heads that they find are looked at.
    QVERIFY(QTest::qWaitFor(
        [&] { return explorer.pattern(Side::A) && explorer.pattern(Side::B) && !window->worker()->busy(); }, kWait));
    gui::FigureDesk desk(*window->state(), window->door(), *window->parts().patterns, window.get());
    const auto shows = [&](const QString& what, std::size_t panels) {
        return QTest::qWaitFor(
            [&] { return desk.dialog()->options().what == what && desk.recipe().panels.size() == panels; }, kWait);
    };
    desk.open();
    QVERIFY(shows(QStringLiteral("shown-maps"), 2));
    desk.open(Side::B);
    QVERIFY(shows(QStringLiteral("shown-map-B"), 1));
    QCOMPARE(desk.recipe().panels.front().side, std::string("B"));
    // The menu's composed figure begins with what the screen shows.
    auto* compose = window->findChild<QAction*>(QStringLiteral("compose figure"));
    QVERIFY(compose);
    const auto composes = [&](const QString& first, bool maps) {
        compose->trigger();
        return QTest::qWaitFor(
            [&] {
                const QStringList ids = window->figures()->dialog()->parts()->ids();
                return ids.contains(first) && ids.contains(QStringLiteral("shown-maps")) == maps;
            },
            kWait);
    };
    QVERIFY(composes(QStringLiteral("shown-maps"), true));
    // One row of every head is a figure as well, once it is what the screen shows.
    window->parts().patterns->setShown(widgets::PatternShown::RowOfHeads);
    for (const Side side : kSides)
        QVERIFY(QTest::qWaitFor([&] { return !window->parts().patterns->view(side)->pattern().rowLabels.isEmpty(); },
                                kWait));
    desk.open();
    const auto listed = [&] {
        const auto found =
            desk.dialog()->list()->findItems(QStringLiteral("what every head reads from one token"), Qt::MatchExactly);
        return found.isEmpty() ? QString() : found.front()->toolTip();
    };
    QVERIFY(QTest::qWaitFor([&] { return listed() == QStringLiteral("what every head reads from one token"); }, kWait));
    for (const QString& id : window->figures()->dialog()->parts()->ids())
        window->figures()->dialog()->parts()->remove(id);
    QVERIFY(composes(QStringLiteral("all-heads"), false));
    window->parts().patterns->setShown(widgets::PatternShown::Pattern);
    window->explorer()->closeB();
    desk.open(Side::A); // then it is all that is on the screen
    QVERIFY(shows(QStringLiteral("shown-maps"), 1));
}

int main(int argc, char** argv)
{
    QHashSeed::setDeterministicGlobalSeed();
    QApplication application(argc, argv);
    TestWindowSession test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_windowsession.moc"
