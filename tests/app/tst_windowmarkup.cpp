// SPDX-License-Identifier: GPL-3.0-or-later
// A session with markup in every text of it, opened in the whole window: no label, tooltip, list, document or chart
// reads it. tst_markup holds the sources to the same.
#include "app/window/dialogs/figuredesk.h"
#include "app/window/explorer.h"
#include "app/window/finder/commandfinder.h"
#include "app/window/lecture/lecturecontroller.h"
#include "app/window/mainwindow.h"
#include "tests/support/richtext.h"
#include "tests/support/sessionfixture.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <QDialog>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace headscope::testing;
using gui::MainWindow;

namespace {

constexpr int kWait = 120000; // slow machines; nothing here is timed
const QString kMarkup = QStringLiteral("<img src=\"/dev/null\">");

std::string marked(const std::string& text)
{
    return kMarkup.toStdString() + text;
}

sessions::ModelRecord markedModel(const std::string& name)
{
    sessions::ModelRecord model = exampleModel(name);
    model.name = marked(name);
    model.source = "/nowhere/" + marked("source");
    model.revision = marked("revision");
    model.family = marked("family");
    model.dtype = marked("dtype");
    model.device = marked("device");
    model.headsJson =
        R"([[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}],[{"kind":"attention","heads":8}]])";
    return model;
}

sessions::ExampleRecord markedExample(int row)
{
    sessions::ExampleRecord example = exampleAt(row, marked("task"));
    example.context = marked(example.context);
    example.file = marked("file");
    for (std::string& continuation : example.continuations)
        continuation = marked(continuation);
    return example;
}

/// Every text of a session that is not a hash, a head, or one of a few words.
std::string fillMarked(sessions::SessionStore& session)
{
    std::string problem;
    const auto check = [&problem](const auto& result) {
        problem = problem.empty() && !result.has_value() ? result.error().message : problem;
    };
    std::vector<sessions::ExampleRecord> some;
    std::vector<sessions::ResultRecord> before, after;
    for (int row = 0; row < 12; ++row) {
        some.push_back(markedExample(row));
        before.push_back(resultFor(some.back(), true));
        after.push_back(resultFor(some.back(), row % 4 == 0));
        after.back().generated = marked("generated");
    }
    check(session.putTokenizer({sha256Hex("tokenizer"), marked("kind"), marked("tokenizer.json"), 321}));
    check(session.putExamples(some));
    for (const char* name : {"tiny-transformer", "tiny-ssm"}) {
        const sessions::ModelRecord model = markedModel(name);
        check(session.putModel(model));
        const auto key = [&](const std::string& ablation) {
            sessions::SeriesKey made = series(ablation);
            made.modelHash = model.hash;
            made.task = marked("task");
            return made;
        };
        check(session.putResults(key(""), before));
        check(session.putResults(key("L2H5"), after));
        check(session.putRun({.name = marked("run"),
                              .note = marked("note"),
                              .modelHash = model.hash,
                              .ablation = "L2H5",
                              .series = {key("L2H5")}}));
        for (const char* method : {"exact", "gather"}) {
            sessions::RankingRecord ranking{.modelHash = model.hash, .task = marked("task"), .method = method};
            ranking.heads = {{"L2H5", 0.03, -0.95, -0.97, -0.92}};
            check(session.addRanking(ranking));
        }
        sessions::PatternRecord pattern;
        pattern.modelHash = model.hash;
        pattern.head = "L2H5";
        pattern.prompt = marked("a b");
        pattern.tokens = {marked("a"), marked("b")};
        pattern.source = marked("source");
        pattern.values = Matrix(2, 2);
        pattern.values.values = {1.0F, 0.0F, 0.25F, 0.75F};
        check(session.putPattern(pattern));
        check(session.putLabel({model.hash, "L2H5", marked("label"), "#cc0000"}));
        check(session.addHistory({0, {}, marked("step"), model.hash, "L2H5"}));
    }
    check(session.putFigure({marked("figure"), "{}", {}}));
    check(session.setTour({marked("tour"), 2, false}));
    return problem;
}

struct Column {
    std::string table, name;
};

std::vector<Column> textColumns(const std::string& file)
{
    SQLite::Database db(file);
    SQLite::Statement query(db, "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c "
                                "WHERE m.type = 'table' AND c.type = 'TEXT' ORDER BY m.name, c.cid");
    std::vector<Column> columns;
    while (query.executeStep())
        columns.push_back({query.getColumn(0).getString(), query.getColumn(1).getString()});
    return columns;
}

} // namespace

class TestWindowMarkup : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void nothingStoredIsReadAsMarkup();
    void noSentenceAboutAFileIsReadAsMarkup();
    void findsWhatIsReadAsMarkup();

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] std::unique_ptr<MainWindow> window(const QString& session) const
    {
        gui::WindowOptions options;
        options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
        options.backend.device = "cpu";
        options.session = session;
        auto made = std::make_unique<MainWindow>(options);
        made->show();
        return made;
    }
    QTemporaryDir m_folder;
};

void TestWindowMarkup::initTestCase()
{
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
}

void TestWindowMarkup::nothingStoredIsReadAsMarkup()
{
    const QString file = path(QStringLiteral("<b>bold<b>.headscope"));
    {
        auto session = sessions::SessionStore::open(file.toStdString());
        VERIFY_OK(session);
        QCOMPARE(fillMarked(*session), std::string());
    }
    const auto window = this->window(file);
    RichTextFinder finder(kMarkup);
    const auto nothingRead = [&](const char* where) {
        const QStringList faults = finder.faultsIn(*window);
        return faults.isEmpty() ? QByteArray() : QByteArray(where) + ": " + faults.join(u'\n').toUtf8();
    };
    for (const Side side : kSides)
        QVERIFY(QTest::qWaitFor([&] { return window->explorer()->pattern(side) != nullptr; }, kWait));
    const auto& rows = window->parts().scores->model()->rows();
    QVERIFY(QTest::qWaitFor([&] { return rows.size() == 1 && rows[0].baseline == 1.0; }, kWait));
    QCOMPARE(nothingRead("opened"), QByteArray());

    window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), kMarkup);
    QVERIFY(QTest::qWaitFor([&] { return rows[0].now == 0.25; }, kWait));
    window->parts().scores->setFlipsOpen(true);
    QVERIFY(QTest::qWaitFor(
        [&] {
            return window->parts().flips->model()->rowCount() == 9
                   && !window->parts().flips->model()->flipAt(0).choices.empty();
        },
        kWait));
    QCOMPARE(nothingRead("ablated"), QByteArray());

    const auto& runs = window->parts().runs->model()->runs();
    QVERIFY(QTest::qWaitFor([&] { return runs.size() >= 2; }, kWait));
    Q_EMIT window->parts().runs->compareRequested(runs[1].id, runs[0].id);
    QVERIFY(QTest::qWaitFor([&] { return window->findChild<QDialog*>(QStringLiteral("comparison")); }, kWait));
    QCOMPARE(nothingRead("compared"), QByteArray());
    window->finder()->open();
    QCOMPARE(nothingRead("searched"), QByteArray());
    window->lecture()->toggle();
    QCOMPARE(nothingRead("lectured"), QByteArray());
    window->lecture()->toggle();

    gui::FigureDesk desk(*window->state(), window->door(), *window->parts().patterns, window.get());
    desk.open();
    QVERIFY(QTest::qWaitFor([&] { return desk.dialog()->options().what == QStringLiteral("shown-maps"); }, kWait));
    QCOMPARE(nothingRead("drawn"), QByteArray());
    window->showExperiment(0);
    QCOMPARE(nothingRead("experiments"), QByteArray());
    QVERIFY2(finder.textsChecked() > 50, qPrintable(QString::number(finder.textsChecked())));
}

// What is refused is named in the sentence that says so.
void TestWindowMarkup::noSentenceAboutAFileIsReadAsMarkup()
{
    const std::string sound = path(QStringLiteral("sound.headscope")).toStdString();
    QCOMPARE(fillFile(sound), std::string());
    const auto window = this->window(QString());
    RichTextFinder finder(kMarkup);
    const auto columns = textColumns(sound);
    QVERIFY(columns.size() > 50);
    int number = 0;
    for (const Column& column : columns) {
        const QString file = path(QStringLiteral("%1.headscope").arg(++number));
        QVERIFY(QFile::copy(QString::fromStdString(sound), file));
        {
            SQLite::Database db(file.toStdString(), SQLite::OPEN_READWRITE);
            SQLite::Statement mark(db, "UPDATE OR IGNORE " + column.table + " SET " + column.name + " = ? || "
                                           + column.name);
            mark.bind(1, kMarkup.toStdString());
            mark.exec();
        }
        window->parts().messages->clear();
        window->explorer()->openSession(file);
        bool answered = false;
        window->door().ask<bool>(
            window.get(), [](sessions::SessionStore&) { return Result<bool>(true); },
            [&](const Result<bool>&) { answered = true; });
        QVERIFY(QTest::qWaitFor([&] { return answered; }, kWait));
        QTest::qWait(20); // for what was asked because of the answer
        const QStringList faults = finder.faultsIn(*window);
        QVERIFY2(faults.isEmpty(),
                 qPrintable(QString::fromStdString(column.table + "." + column.name + ": ") + faults.join(u'\n')));
    }
}

void TestWindowMarkup::findsWhatIsReadAsMarkup()
{
    QWidget window;
    RichTextFinder finder(kMarkup);
    auto* label = new QLabel(kMarkup, &window);
    QCOMPARE(finder.faultsIn(window).size(), 1);
    label->setTextFormat(Qt::PlainText);
    QCOMPARE(finder.faultsIn(window).size(), 0);
    label->setToolTip(kMarkup);
    QCOMPARE(finder.faultsIn(window).size(), 1);
    label->setToolTip(kMarkup.toHtmlEscaped());
    auto* text = new QTextEdit(&window);
    text->setPlainText(kMarkup);
    QCOMPARE(finder.faultsIn(window).size(), 0);
    text->setHtml(kMarkup);
    QCOMPARE(finder.faultsIn(window).size(), 1);
    QVERIFY(finder.textsChecked() >= 3);
}

QTEST_MAIN(TestWindowMarkup)
#include "tst_windowmarkup.moc"
