// SPDX-License-Identifier: GPL-3.0-or-later
// Exercises in the whole window on the shipped models: each can be done and is not done at its start, answers stay in
// the session, and what is handed in is what the class is counted from.
#include "app/present/heads/headspans.h"
#include "app/window/tours/handindesk.h"
#include "app/window/tours/tourguide.h"
#include "sessions/answers.h"
#include "sessions/results/classtally.h"
#include "sessions/sessionstore.h"
#include "tests/support/clifixture.h"
#include "tests/support/widgetfixture.h"
#include "tests/support/windowfixture.h"

#include <QFile>
#include <QJsonObject>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using testing::button;
using testing::predict;
using testing::WindowFixture;

class TestExercises : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void conditionsAreReadStrictly_data();
    void conditionsAreReadStrictly();
    void thereAreEnoughOfThem();
    void translationsAskTheSame();
    void eachCanBeDone_data();
    void eachCanBeDone();
    void headsOfOtherLayersAreNotWhatIsAsked();
    void aRankingLeavesTheHeadOfAStep();
    void theMarksOfTheMapTellNothingBeforeItIsDone();
    void answersStayInTheSession();
    void everyConfidenceIsKept();
    void whatIsHandedInIsCounted();
    void aFolderWithoutSessionsIsTold();

private:
    static QString folder() { return QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/exercises"); }
    static QList<gui::Tour> all(const QString& language = u"en"_s) { return gui::toursIn(folder(), language); }
    static bool waitFor(const std::function<bool()>& holds) { return QTest::qWaitFor(holds, WindowFixture::kWait); }
    /// Until the step is on the screen as it begins, and nothing runs any more.
    static bool begin(WindowFixture& window, const QString& lesson, int step);
    static void solve(WindowFixture& window);
    static std::vector<sessions::Answer> stored(WindowFixture& window, const QString& session);
};

void TestExercises::conditionsAreReadStrictly_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<bool>("good");
    QTest::newRow("score") << QByteArray(R"({"score": "toy_kv:pairs=8", "high": 0.1})") << true;
    QTest::newRow("heads of B") << QByteArray(R"({"heads": [1, 2], "side": "B"})") << true;
    QTest::newRow("row") << QByteArray(R"({"target": [0.5, 1]})") << true;
    QTest::newRow("heads of a layer") << QByteArray(R"({"heads": [2, 8], "of layer": 2})") << true;
    QTest::newRow("score of a layer") << QByteArray(R"({"score": "toy_mc", "of layer": 2})") << false;
    QTest::newRow("nothing") << QByteArray("{}") << false;
    QTest::newRow("unknown") << QByteArray(R"({"heads": [1, 2], "layer": 3})") << false;
    QTest::newRow("side") << QByteArray(R"({"heads": [1, 2], "side": "C"})") << false;
    QTest::newRow("bounds") << QByteArray(R"({"heads": [3, 2]})") << false;
    QTest::newRow("one bound") << QByteArray(R"({"heads": [3]})") << false;
    QTest::newRow("no number") << QByteArray(R"({"score": "toy_mc", "low": "all"})") << false;
}

void TestExercises::conditionsAreReadStrictly()
{
    QFETCH(const QByteArray, json);
    QFETCH(const bool, good);
    QCOMPARE(gui::readCondition(QJsonDocument::fromJson(json).object()).has_value(), good);
}

void TestExercises::thereAreEnoughOfThem()
{
    int steps = 0, open = 0;
    for (const gui::Tour& lesson : all()) {
        QVERIFY(gui::hasExercises(lesson));
        for (const widgets::TourStep& step : lesson.steps) {
            ++steps;
            open += step.writing ? 1 : 0;
            QVERIFY2(step.writing != step.exercise, qPrintable(step.title)); // one or the other
            QVERIFY2(!step.explanation.isEmpty(), qPrintable(step.title));
        }
    }
    QVERIFY(steps >= 10);
    QVERIFY(open >= 4);
}

void TestExercises::translationsAskTheSame()
{
    const auto english = all(), german = all(u"de_DE"_s);
    QCOMPARE(german.size(), english.size());
    for (qsizetype i = 0; i < english.size(); ++i) {
        QVERIFY(german[i].title != english[i].title);
        QCOMPARE(german[i].steps.size(), english[i].steps.size());
        for (qsizetype step = 0; step < english[i].steps.size(); ++step) {
            QCOMPARE(german[i].exercises[step].conditions, english[i].exercises[step].conditions);
            QCOMPARE(german[i].exercises[step].solution, english[i].exercises[step].solution);
            QCOMPARE(german[i].steps[step].writing, english[i].steps[step].writing);
        }
    }
}

bool TestExercises::begin(WindowFixture& window, const QString& lesson, int step)
{
    gui::TourGuide& guide = *window.window().guide();
    guide.open(lesson);
    if (!waitFor([&] { return guide.settled(); }))
        return false;
    Q_EMIT window.window().parts().tour->stepRequested(step);
    return waitFor([&] { return guide.settled() && guide.step() == step && !window.window().worker()->busy(); });
}

void TestExercises::solve(WindowFixture& window)
{
    const gui::TourGuide& guide = *window.window().guide();
    const gui::TourExercise& exercise = guide.tour()->exercises.at(guide.step());
    window.ablate(exercise.solution[0].toUtf8().constData());
    const auto head = interventions::parseHead(exercise.look[0].toStdString());
    if (head.has_value())
        window.explorer().showHead(Side::A, gui::headSpan(*window.explorer().model(Side::A), *head));
}

std::vector<sessions::Answer> TestExercises::stored(WindowFixture& window, const QString& session)
{
    auto file = sessions::SessionStore::open(window.file(session).toStdString(), {.create = false, .readOnly = true});
    if (!file.has_value())
        return {};
    auto answers = sessions::answers(*file);
    return answers.has_value() ? std::move(*answers) : std::vector<sessions::Answer>();
}

void TestExercises::eachCanBeDone_data()
{
    QTest::addColumn<QString>("lesson");
    for (const gui::Tour& lesson : all())
        QTest::newRow(qPrintable(lesson.id)) << lesson.id;
}

void TestExercises::eachCanBeDone()
{
    QFETCH(const QString, lesson);
    WindowFixture window;
    const auto lessons = all();
    const auto found =
        std::find_if(lessons.begin(), lessons.end(), [&](const gui::Tour& tour) { return tour.id == lesson; });
    QVERIFY(window.open(found->models.front(), u"done.headscope"_s));
    int done = 0;
    for (int step = 0; step < found->steps.size(); ++step) {
        if (!found->steps[step].exercise)
            continue;
        QVERIFY(begin(window, lesson, step));
        const auto count = [&] { return static_cast<int>(stored(window, u"done.headscope"_s).size()); };
        QCOMPARE(count(), done); // it is not done at its start
        solve(window);
        QVERIFY2(waitFor([&] { return count() == done + 1; }), qPrintable(found->steps[step].title));
        ++done;
        const sessions::Answer answer = stored(window, u"done.headscope"_s).back();
        QCOMPARE(answer.step, step);
        QVERIFY(answer.correct.value_or(false));
        qInfo("%s", answer.answer.c_str());
    }
    QVERIFY(done > 0);
}

void TestExercises::headsOfOtherLayersAreNotWhatIsAsked()
{
    WindowFixture window;
    QVERIFY(window.open(u"tiny-hybrid"_s, u"layers.headscope"_s));
    QVERIFY(begin(window, u"hybrid-heads"_s, 1));
    window.ablate("L2H0 L3H1"); // looking up is gone, and not by heads of layer 2
    QVERIFY(waitFor([&] {
        const auto& side = window.explorer().state().side(Side::A);
        return !window.window().worker()->busy() && side.scores && side.scores->ablation == side.ablation
               && side.scores->final;
    }));
    QVERIFY(stored(window, u"layers.headscope"_s).empty());
}

// A ranking that ends shows the head that costs most, but only where nobody has chosen one.
void TestExercises::aRankingLeavesTheHeadOfAStep()
{
    WindowFixture window;
    QVERIFY(window.open(u"tiny-transformer"_s));
    gui::TourGuide& guide = *window.window().guide();
    guide.open(u"transformer-heads"_s);
    const auto& side = window.explorer().state().side(Side::A);
    QVERIFY(waitFor([&] { return guide.settled() && side.effects && !window.window().worker()->busy(); }));
    QCOMPARE(interventions::toText(side.head), std::string("L0H0"));
}

// Which heads gather and aggregate is what is asked for: it shows when the exercise is done, and where none is open.
void TestExercises::theMarksOfTheMapTellNothingBeforeItIsDone()
{
    WindowFixture window;
    QVERIFY(window.open(u"tiny-transformer"_s));
    const auto& heads = *window.window().parts().mapA->model();
    const auto marks = [&heads] {
        int count = 0;
        for (int row = 0; row < heads.rowCount(); ++row)
            for (int column = 0; column < heads.columnCount(); ++column) {
                const QModelIndex cell = heads.index(row, column);
                const QString tip = cell.data(Qt::ToolTipRole).toString();
                count += cell.data(widgets::HeadMapModel::MarkRole).toString().isEmpty() ? 0 : 1;
                count += tip.contains(u"gather head"_s) || tip.contains(u"aggregate head"_s) ? 100 : 0;
            }
        return count;
    };
    // Nor do colours, what a tooltip says of the cost, or the button that ablates the first of a ranking.
    const auto coloured = [&heads] {
        int count = 0;
        for (int row = 0; row < heads.rowCount(); ++row)
            for (int column = 0; column < heads.columnCount(); ++column) {
                const QVariant value = heads.index(row, column).data(widgets::HeadMapModel::ValueRole);
                count += value.isValid() && !std::isnan(value.toDouble()) ? 1 : 0;
            }
        return heads.metric().name.isEmpty() ? -count : count;
    };
    const auto tag = [&window] { return window.window().parts().patternA->tag(); };
    QVERIFY(waitFor([&] { return marks() > 0 && !window.window().worker()->busy() && !tag().isEmpty(); }));
    const int all = marks();
    QCOMPARE(coloured(), 32);
    QVERIFY(begin(window, u"transformer-heads"_s, 0));
    QCOMPARE(marks(), 0);
    QCOMPARE(coloured(), 0);
    QCOMPARE(tag(), QString());
    solve(window);
    QVERIFY(waitFor([&] { return marks() == all && !tag().isEmpty(); }));
    QVERIFY(begin(window, u"transformer-heads"_s, 1));
    QCOMPARE(marks(), 0);
    QVERIFY(begin(window, u"transformer-heads"_s, 2)); // asks what the colours say
    QCOMPARE(coloured(), 32);
    window.window().guide()->close();
    QCOMPARE(marks(), all);
    QCOMPARE(coloured(), 32);
}

void TestExercises::answersStayInTheSession()
{
    WindowFixture window;
    QVERIFY(window.open(u"tiny-transformer"_s, u"kept.headscope"_s));
    const int open = 4; // the first open question
    QVERIFY(begin(window, u"transformer-heads"_s, open));
    auto& panel = *window.window().parts().tour;
    auto* text = panel.findChild<QPlainTextEdit*>();
    QVERIFY(text && text->isVisible());
    text->setPlainText(u"Nobody <b>reads</b> it."_s);
    button(panel, u"Save this answer"_s)->click();
    QVERIFY(waitFor([&] { return stored(window, u"kept.headscope"_s).size() == 1; }));
    QVERIFY(begin(window, u"one-head"_s, 1));
    predict(panel, u"about half"_s);
    QVERIFY(waitFor([&] { return stored(window, u"kept.headscope"_s).size() == 2; }));
    window.close();

    QVERIFY(window.open(u"tiny-transformer"_s, u"kept.headscope"_s));
    QVERIFY(begin(window, u"transformer-heads"_s, open));
    auto& again = *window.window().parts().tour;
    QCOMPARE(again.findChild<QPlainTextEdit*>()->toPlainText(), u"Nobody <b>reads</b> it."_s);
    QVERIFY(begin(window, u"one-head"_s, 1));
    QCOMPARE(again.givenAnswer(), 1); // a prediction stays
    for (const sessions::Answer& answer : stored(window, u"kept.headscope"_s))
        if (answer.kind == sessions::AnswerKind::Choice) {
            QCOMPARE(answer.answer, std::string("b) about half"));
            QCOMPARE(answer.correct, std::optional(false));
            QCOMPARE(answer.confidence, std::string("think"));
        }
}

void TestExercises::everyConfidenceIsKept()
{
    WindowFixture window;
    QVERIFY(window.open(u"tiny-transformer"_s, u"sure.headscope"_s));
    const QStringList words{u"guessing"_s, u"fairly sure"_s, u"certain"_s};
    const QList<std::string> kept{"guess", "think", "know"};
    for (int i = 0; i < words.size(); ++i) {
        QVERIFY(begin(window, u"one-head"_s, i + 1));
        const auto& panel = *window.window().parts().tour;
        for (const QRadioButton* choice : panel.findChildren<QRadioButton*>())
            QVERIFY2(!choice->isChecked(), "nothing is chosen before the person chooses");
        for (QRadioButton* choice : panel.findChildren<QRadioButton*>())
            if (choice->text() == words.at(i))
                choice->click();
        QCOMPARE(panel.givenAnswer(), -1);
        for (QPushButton* answer : panel.findChildren<QPushButton*>())
            if (answer->isCheckable() && panel.givenAnswer() < 0)
                answer->click();
        QVERIFY(waitFor([&] { return stored(window, u"sure.headscope"_s).size() == static_cast<std::size_t>(i + 1); }));
        QCOMPARE(stored(window, u"sure.headscope"_s).back().confidence, kept.at(i));
    }
}

void TestExercises::whatIsHandedInIsCounted()
{
    const QTemporaryDir classroom;
    WindowFixture window;
    QVERIFY(window.open(u"tiny-transformer"_s, u"work.headscope"_s));
    QVERIFY(begin(window, u"one-head"_s, 1));
    gui::HandInDesk& desk = *window.window().findChild<gui::HandInDesk*>();
    const QString file = classroom.filePath(u"ada.headscope"_s);
    desk.handIn(u"Ada <i>L.</i>"_s, file);
    QVERIFY(waitFor([&] { return window.window().parts().messages->text().contains(u"nothing to hand in"_s); }));
    QVERIFY(!QFile::exists(file));

    predict(*window.window().parts().tour, u"a handful"_s);
    QVERIFY(begin(window, u"transformer-heads"_s, 0));
    solve(window);
    QVERIFY(waitFor([&] { return stored(window, u"work.headscope"_s).size() == 2; }));
    QFile pages(classroom.filePath(u"ada.pdf"_s));
    QVERIFY(pages.open(QIODevice::WriteOnly) && pages.write("mine") == 4); // another file of that name stays
    pages.close();
    desk.handIn(u"Ada <i>L.</i>"_s, file);
    QVERIFY(waitFor([&] { return window.window().parts().messages->text().contains(u"ada.pdf exists already"_s); }));
    QVERIFY(!QFile::exists(file));
    QCOMPARE(pages.size(), 4);
    QVERIFY(pages.remove());
    desk.handIn(u"Ada <i>L.</i>"_s, file);
    QVERIFY(waitFor([&] { return QFile::exists(file); }));
    QVERIFY(pages.open(QIODevice::ReadOnly));
    QVERIFY(pages.read(5) == "%PDF-");
    // Light enough for any learning platform, and a whole session: its states and scores are there.
    QVERIFY2(QFileInfo(file).size() < 100'000, qPrintable(QString::number(QFileInfo(file).size())));
    const auto checked = clifixture::run({u"session"_s, u"verify"_s, file});
    QVERIFY2(checked.code == 0, checked.err.constData());
    const auto holds = clifixture::run({u"session"_s, u"info"_s, file, u"--json"_s});
    const auto more = clifixture::run({u"score"_s, u"tiny-transformer"_s, u"--task"_s, u"toy_kv:pairs=8"_s,
                                       u"--limit"_s, u"4"_s, u"--session"_s, file});
    QVERIFY2(more.code == 1 && more.err.contains("reading only"), more.err.constData());
    QVERIFY2(holds.code == 0 && holds.out.contains("toy_kv"), holds.out.constData());
    for (const QString& handedIn : {file, pages.fileName()}) // nobody else's to read
        QVERIFY(!QFile::permissions(handedIn).testAnyFlags(QFile::ReadGroup | QFile::ReadOther));

    const QString csv = classroom.filePath(u"class.csv"_s), chart = classroom.filePath(u"class.svg"_s);
    const auto told = clifixture::run({u"class"_s, classroom.path(), u"--json"_s, u"-o"_s, csv, u"-o"_s, chart});
    QVERIFY2(told.code == 0, told.err.constData());
    const QJsonArray questions = told.json()[u"questions"_s].toArray();
    QCOMPARE(questions.size(), 2);
    QCOMPARE(questions[0][u"id"_s].toString(), u"one-head 2"_s);
    QCOMPARE(questions[0][u"n"_s].toInt(), 1);
    QCOMPARE(questions[0][u"right"_s].toInt(), 1);
    QCOMPARE(questions[0][u"answers"_s][0][u"answer"_s].toString(), u"c) a handful"_s);
    QCOMPARE(questions[1][u"right"_s].toInt(), 1);
    QCOMPARE(told.json()[u"students"_s][0][u"name"_s].toString(), u"Ada <i>L.</i>"_s);
    QVERIFY(clifixture::read(csv).contains("one-head 2"));
    QVERIFY(clifixture::read(chart).contains("<svg"));
}

void TestExercises::aFolderWithoutSessionsIsTold()
{
    const QTemporaryDir folder;
    auto told = clifixture::run({u"class"_s, folder.path()});
    QCOMPARE(told.code, 1);
    QVERIFY(told.err.contains("contains no session"));
    told = clifixture::run({u"class"_s, folder.filePath(u"nowhere"_s)});
    QCOMPARE(told.code, 1);
    QVERIFY(told.err.contains("cannot be read"));
    // One broken file is told of; beside others it is left out with a sentence, and they count.
    QFile broken(folder.filePath(u"broken.headscope"_s));
    QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("not a session") > 0);
    broken.close();
    told = clifixture::run({u"class"_s, folder.path(), u"--json"_s});
    QCOMPARE(told.code, 1);
    QVERIFY2(told.err.contains("None of the sessions") && told.err.contains("broken.headscope"), told.err.constData());
    QVERIFY(sessions::SessionStore::open(folder.filePath(u"whole.headscope"_s).toStdString()).has_value());
    told = clifixture::run({u"class"_s, folder.path(), u"--json"_s});
    QCOMPARE(told.code, 0);
    QCOMPARE(told.json()[u"problems"_s].toArray().size(), 1);
    QCOMPARE(told.json()[u"students"_s].toArray().size(), 1);
    QVERIFY(told.json()[u"questions"_s].toArray().isEmpty());
}

QTEST_MAIN(TestExercises)
#include "tst_exercises.moc"
