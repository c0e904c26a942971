// SPDX-License-Identifier: GPL-3.0-or-later
// Exams in the whole window on a shipped model: which files can be one, what is left of the window, that neither a kill
// nor a restart loses an answer or gains time, and what is handed in.
#include "app/window/finder/commandfinder.h"
#include "app/window/lecture/lecturecontroller.h"
#include "app/window/tours/examdesk.h"
#include "app/window/tours/handindesk.h"
#include "app/window/tours/openedexam.h"
#include "app/window/tours/tourguide.h"
#include "sessions/answers.h"
#include "sessions/sessionstore.h"
#include "tests/support/clifixture.h"
#include "tests/support/widgetfixture.h"
#include "tests/support/windowfixture.h"
#include "widgets/frame/finder.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QProcess>
#include <QTabWidget>
#include <QToolButton>

#include <cmath>
#include <csignal>

using namespace headscope;
using namespace Qt::StringLiterals;
using testing::button;
using testing::predict;
using testing::WindowFixture;

namespace {

const QByteArray kExam = R"({
  "title": "Midterm", "summary": "Three questions", "models": ["tiny-transformer"], "minutes": 30,
  "steps": [
    {"title": "Predict", "text": "Look at the map.", "show": {"sample": "toy_kv:pairs=8 5", "head": "L0H0"},
     "question": "How many heads are needed?", "answers": ["none", "a handful", "all"], "right": 1,
     "explanation": "A handful."},
    {"title": "Break it", "text": "Ablate one head.", "show": {"sample": "toy_kv:pairs=8 5", "head": "L0H0"},
     "coloured": true, "check": [{"heads": [1, 1]}, {"score": "toy_kv:pairs=8", "high": 0.1}],
     "explanation": "It was L2H5."},
    {"title": "Explain", "text": "Why?", "show": {"sample": "toy_kv:pairs=8 5"}, "write": true,
     "explanation": "Because."}]})";

} // namespace

class TestExam : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup() { close(); }
    void otherFilesAreRefused_data();
    void otherFilesAreRefused();
    void anExamGoesOnUntilItIsHandedIn();
    void timeIsCountedWhileItIsClosed_data();
    void timeIsCountedWhileItIsClosed();
    void onlyTheExamIsLeft();
    void keysOfOtherPartsDoNothing();
    void answersTellNothingAndCanBeChanged();
    void aKilledExamGoesOn();
    void answersAndDies(); ///< the program that is killed
    void whatCannotBeOpenedIsNotBegunAnew();
    void theEndLocksWhatWasAnswered();
    void whatIsHandedInIsCounted();

private:
    static bool waitFor(const std::function<bool()>& holds) { return QTest::qWaitFor(holds, WindowFixture::kWait); }
    [[nodiscard]] QString path(const QString& name) const { return m_root + u'/' + name; }
    [[nodiscard]] Result<gui::OpenedExam> opened(const QString& file) const
    {
        return gui::openExam(file, QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources"), path(u"sessions"_s), u"en"_s);
    }
    /// The window on the exam, at its first step or the one that was reached.
    bool start();
    void close() { m_window.reset(); }
    bool go(int step) const;
    [[nodiscard]] const gui::Parts& parts() const { return m_window->parts(); }
    [[nodiscard]] std::vector<sessions::Answer> answers() const;
    [[nodiscard]] sessions::Exam record() const;
    void keepRecord(const sessions::Exam& exam) const;

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_root; ///< its path; of the program that is killed, that of the other one
    QString m_file;
    QString m_session;
    std::unique_ptr<gui::MainWindow> m_window;
};

void TestExam::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_root = qEnvironmentVariable("HEADSCOPE_EXAM", m_folder->path());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder->path());
    m_file = path(u"midterm.json"_s);
    clifixture::write(m_file, kExam);
}

// Its answers may be there again tomorrow; an empty exam with the full time would hide them.
void TestExam::whatCannotBeOpenedIsNotBegunAnew()
{
    QString session;
    {
        const auto first = opened(m_file);
        QVERIFY(first.has_value());
        session = first->session;
    }
    QFile file(session);
    QVERIFY(file.rename(session + u".away"_s));
    clifixture::write(session, "no session");
    const auto again = opened(m_file);
    QVERIFY(!again.has_value());
    QVERIFY2(again.error().message.find("is not a session") != std::string::npos, again.error().message.c_str());
    QVERIFY(QFile::remove(session) && file.rename(session));
    const auto later = opened(m_file);
    QVERIFY(later.has_value());
    QCOMPARE(later->session, session);
}

bool TestExam::start()
{
    auto exam = opened(m_file);
    if (!exam.has_value())
        return false;
    m_session = exam->session;
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = exam->session;
    options.restore = false;
    options.exam = std::make_shared<const gui::OpenedExam>(std::move(*exam));
    m_window = std::make_unique<gui::MainWindow>(options);
    m_window->show();
    return waitFor([this] { return m_window->guide()->settled() && !m_window->worker()->busy(); });
}

bool TestExam::go(int step) const
{
    Q_EMIT parts().tour->stepRequested(step);
    const gui::TourGuide& guide = *m_window->guide();
    return waitFor([&] { return guide.settled() && guide.step() == step && !m_window->worker()->busy(); });
}

std::vector<sessions::Answer> TestExam::answers() const
{
    auto file = sessions::SessionStore::open(m_session.toStdString(), {.create = false, .readOnly = true});
    auto all = file.has_value() ? sessions::answers(*file) : Result<std::vector<sessions::Answer>>(file.error());
    return all.has_value() ? std::move(*all) : std::vector<sessions::Answer>();
}

sessions::Exam TestExam::record() const
{
    auto file = sessions::SessionStore::open(m_session.toStdString(), {.create = false, .readOnly = true});
    const auto exam = file.has_value() ? sessions::examOf(*file) : Result<std::optional<sessions::Exam>>(file.error());
    return exam.has_value() ? exam->value_or(sessions::Exam()) : sessions::Exam();
}

void TestExam::keepRecord(const sessions::Exam& exam) const
{
    auto file = sessions::SessionStore::open(m_session.toStdString(), {.create = false});
    QVERIFY(file.has_value() && sessions::keepExam(*file, exam).has_value());
}

void TestExam::otherFilesAreRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says");
    const auto with = [](const char* minutes) { return QByteArray(kExam).replace("30", minutes); };
    const auto row = [](const char* name, const QByteArray& text, const char* says) {
        QTest::newRow(name) << text << QByteArray(says);
    };
    row("empty", "", "cannot be read");
    row("picture", "\x89PNG\r\n", "cannot be read");
    row("nothing of it", "{}", "needs a title, models and steps");
    row("asks nothing", R"({"title": "T", "models": ["m"], "steps": [{"title": "S", "text": "Look."}]})",
        "contains no questions");
    row("large", QByteArray(1'100'000, ' '), "larger than 1 MB");
    row("no minutes", with("0"), "\"minutes\"");
    row("negative", with("-5"), "\"minutes\"");
    row("too long", with("1441"), "\"minutes\"");
    row("endless", with("1e300"), "\"minutes\"");
    row("a word", with("\"30\""), "\"minutes\"");
    row("ranked", QByteArray(kExam).replace("\"L0H0\"", "\"{gather}\""), "'{gather}' in step 1");
}

void TestExam::otherFilesAreRefused()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, says);
    clifixture::write(m_file, text);
    const auto exam = opened(m_file);
    QVERIFY(!exam.has_value());
    const QByteArray why = QByteArray::fromStdString(exam.error().message);
    QVERIFY2(why.contains(says) && why.endsWith('.') && !why.contains('\n'), why.constData());
    for (const QString& none : {path(u"nowhere.json"_s), m_root, u"/dev/zero"_s})
        QVERIFY(!opened(none).has_value());
    QVERIFY(!QFile::exists(path(u"sessions"_s))); // nothing was begun
}

void TestExam::anExamGoesOnUntilItIsHandedIn()
{
    const auto first = opened(m_file);
    QVERIFY(first.has_value());
    QCOMPARE(first->record.name, std::string("midterm"));
    QCOMPARE(first->record.minutes, 30.0);
    m_session = first->session;
    const auto again = opened(m_file);
    QVERIFY(again.has_value());
    QCOMPARE(again->session, first->session);
    QCOMPARE(again->record, first->record);
    // The same questions under another name are the same exam; other questions are another.
    const QString copy = path(u"copy.json"_s), other = path(u"other.json"_s);
    clifixture::write(copy, kExam);
    QCOMPARE(opened(copy)->session, first->session);
    clifixture::write(other, QByteArray(kExam).replace("Why?", "How?"));
    QVERIFY(opened(other)->session != first->session);
    sessions::Exam done = first->record;
    done.handedIn = done.started;
    keepRecord(done);
    const auto next = opened(m_file);
    QVERIFY(next.has_value() && next->session != first->session);
    QVERIFY(next->record.handedIn.empty());
    QVERIFY(QFile::exists(first->session));
    // Exercises that come with the program have no limit.
    const auto included = opened(u"transformer-heads"_s);
    QVERIFY(included.has_value());
    QCOMPARE(included->record.minutes, 0.0);
}

void TestExam::timeIsCountedWhileItIsClosed_data()
{
    QTest::addColumn<int>("later");
    QTest::addColumn<double>("used");
    QTest::addColumn<QString>("says");
    QTest::newRow("at once") << 0 << 60.0 << u"29 min left"_s;
    QTest::newRow("closed for a while") << 600 << 660.0 << u"19 min left"_s;
    QTest::newRow("a set clock gains nothing") << -7200 << 60.0 << u"29 min left"_s;
    QTest::newRow("nearly over") << 1740 - 65 << 1735.0 << u"1:05 left"_s;
    QTest::newRow("over") << 100'000 << 1800.0 << u"Time is up"_s;
}

void TestExam::timeIsCountedWhileItIsClosed()
{
    QFETCH(const int, later);
    const sessions::Exam exam{.name = "midterm", .minutes = 30, .seen = "2026-11-29T22:00:00Z", .seconds = 60};
    const QDateTime seen(QDate(2026, 11, 29), QTime(22, 0), Qt::UTC);
    const double used = gui::secondsUsed(exam, seen.addSecs(later));
    QTEST(used, "used");
    QTEST(gui::timeLeftText(exam, used), "says");
    QCOMPARE(gui::timeLeftText({.name = "endless"}, used), QString());
}

void TestExam::onlyTheExamIsLeft()
{
    QVERIFY(start());
    QVERIFY(!parts().welcome->isVisible());
    QVERIFY(m_window->findChild<gui::ExamDesk*>()->timeText().contains(u"min left"_s));
    const auto told = [this] {
        const auto& heads = *parts().mapA->model();
        int count = 0;
        for (int row = 0; row < heads.rowCount(); ++row)
            for (int column = 0; column < heads.columnCount(); ++column) {
                const QModelIndex cell = heads.index(row, column);
                const QVariant value = cell.data(widgets::HeadMapModel::ValueRole);
                count += value.isValid() && !std::isnan(value.toDouble()) ? 1 : 0;
                count += cell.data(widgets::HeadMapModel::MarkRole).toString().isEmpty() ? 0 : 1;
            }
        return count;
    };
    for (int step = 0; step < 3; ++step) { // the second one asks for colours
        QVERIFY(go(step));
        QCOMPARE(told(), 0);
        QCOMPARE(parts().patternA->tag(), QString());
    }
    QVERIFY(!m_window->state()->side(Side::A).effects); // nothing was ranked
    QCOMPARE(parts().removal->window(), static_cast<QWidget*>(m_window.get()));
    QVERIFY(!parts().removal->isVisible() && !parts().mapA->findChild<widgets::MetricLegend*>()->isVisible());
    for (const QToolButton* tool : parts().prompt->findChildren<QToolButton*>())
        if (tool->isVisible())
            QVERIFY2(!tool->text().contains(u"Find"_s) && !tool->text().contains(u"Rank"_s)
                         && !tool->text().contains(u"Share"_s) && !tool->text().contains(u"Lecture"_s),
                     qPrintable(tool->text()));
    for (const QComboBox* box : parts().prompt->findChildren<QComboBox*>())
        QVERIFY2(!box->isVisible() || box->objectName() == u"promptSource"_s, qPrintable(box->accessibleName()));
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(m_file)});
    QDragEnterEvent drag(m_window->rect().center(), Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(m_window.get(), &drag);
    QVERIFY(!m_window->acceptDrops());
}

// Every key that the ordinary window knows, but those of an exam.
void TestExam::keysOfOtherPartsDoNothing()
{
    QVERIFY(start());
    QApplication::setActiveWindow(m_window.get());
    const auto menus = m_window->findChild<QMenuBar*>();
    QVERIFY(menus);
    for (const QAction* menu : menus->actions())
        QVERIFY2(!menu->isVisible(), qPrintable(menu->text()));
    int heard = 0, keys = 0;
    const QObject* desk = m_window->findChild<gui::ExamDesk*>();
    const QList<QAction*> ofMaps = parts().patterns->viewActions(); // how a map is drawn tells nothing
    for (QAction* action : m_window->findChildren<QAction*>())
        if (action->parent() != desk && !ofMaps.contains(action) && action->shortcutContext() == Qt::WindowShortcut
            && !action->shortcut().isEmpty()) {
            connect(action, &QAction::triggered, this, [&heard, action] {
                ++heard;
                qInfo("%s", qPrintable(action->text()));
            });
            ++keys;
        }
    QVERIFY(keys > 20);
    for (QAction* action : m_window->findChildren<QAction*>())
        for (const QKeySequence& key : action->parent() == desk ? QList<QKeySequence>() : action->shortcuts())
            if (action->shortcutContext() == Qt::WindowShortcut && key.count() == 1 && key != QKeySequence(Qt::Key_F10))
                QTest::keyClick(m_window.get(), key[0].key(), key[0].keyboardModifiers());
    QCOMPARE(heard, 0);
    QVERIFY(!m_window->finder()->finder()->isVisible() && !m_window->lecture()->isOpen());
    QVERIFY(!m_window->experiments());
}

void TestExam::answersTellNothingAndCanBeChanged()
{
    QVERIFY(start());
    auto& panel = *parts().tour;
    QVERIFY(button(panel, u"Next"_s)->isEnabled()); // a question may be left for later
    predict(panel, u"all"_s);
    QVERIFY(waitFor([&] { return answers().size() == 1 && answers()[0].answer == "c) all"; }));
    const auto silent = [&panel] {
        for (const QLabel* label : panel.findChildren<QLabel*>())
            if (label->isVisible() && (label->text().contains(u"A handful."_s) || label->text().contains(u"It was"_s)))
                return false;
        for (const QPushButton* each : panel.findChildren<QPushButton*>())
            if (each->text().contains(u'✓') || each->text().contains(u'✗'))
                return false;
        return true;
    };
    QVERIFY(silent());
    button(panel, u"a handful"_s)->click();
    QVERIFY(waitFor([&] { return answers().size() == 1 && answers()[0].answer == "b) a handful"; }));
    QCOMPARE(answers()[0].correct, std::optional(true));
    QVERIFY(silent());
    QVERIFY(go(1));
    m_window->state()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), u"L2H5"_s);
    QVERIFY(waitFor([&] { return answers().size() == 2; }));
    QVERIFY(silent());
    QVERIFY(go(2));
    auto* text = panel.findChild<QPlainTextEdit*>();
    QTest::keyClicks(text, u"Nobody reads it"_s); // kept while it is written
    QVERIFY(waitFor([&] { return answers().size() == 3 && answers()[2].answer == "Nobody reads it"; }));
    QTest::keyClicks(text, u"!"_s);
    button(panel, u"Back"_s)->click(); // and before another step is shown
    QVERIFY(waitFor([&] { return answers()[2].answer == "Nobody reads it!"; }));
    QCOMPARE(answers()[1].kind, sessions::AnswerKind::Check);
}

void TestExam::answersAndDies()
{
    if (!qEnvironmentVariableIsSet("HEADSCOPE_EXAM"))
        QSKIP("aKilledExamGoesOn() starts this and sees it die.");
    QVERIFY(start());
    predict(*parts().tour, u"all"_s);
    QVERIFY(go(2));
    QTest::keyClicks(parts().tour->findChild<QPlainTextEdit*>(), u"Nobody reads it"_s);
    QVERIFY(waitFor([this] { return answers().size() == 2; }));
    ::raise(SIGKILL);
}

void TestExam::aKilledExamGoesOn()
{
    auto begun = opened(m_file);
    QVERIFY(begun.has_value());
    m_session = begun->session;
    begun->record.seconds = 600;
    keepRecord(begun->record);
    QProcess other;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"HEADSCOPE_EXAM"_s, m_root);
    other.setProcessEnvironment(environment);
    other.start(QCoreApplication::applicationFilePath(), {u"answersAndDies"_s});
    QVERIFY(other.waitForFinished(clifixture::kLongEnough));
    QVERIFY2(other.exitStatus() == QProcess::CrashExit, other.readAll().constData());

    QVERIFY(start());
    QCOMPARE(m_session, begun->session);
    QCOMPARE(record().started, begun->record.started);
    const QString left = m_window->findChild<gui::ExamDesk*>()->timeText(); // of the 20 minutes that were left before
    QVERIFY2(left == u"20 min left"_s || left == u"19 min left"_s, qPrintable(left));
    QCOMPARE(answers().size(), std::size_t{2});
    QVERIFY(go(0));
    QVERIFY(button(*parts().tour, u"all"_s)->isChecked());
    QVERIFY(go(2));
    QCOMPARE(parts().tour->findChild<QPlainTextEdit*>()->toPlainText(), u"Nobody reads it"_s);
}

void TestExam::theEndLocksWhatWasAnswered()
{
    auto exam = opened(m_file);
    QVERIFY(exam.has_value());
    m_session = exam->session;
    exam->record.seconds = 30 * 60 - 2;
    keepRecord(exam->record);
    QVERIFY(start());
    const auto& desk = *m_window->findChild<gui::ExamDesk*>();
    QVERIFY(waitFor([&] { return desk.isLocked() && record().seconds >= 1800; }));
    QCOMPARE(desk.timeText(), u"Time is up"_s);
    QVERIFY(!button(*parts().tour, u"a handful"_s)->isEnabled());
    QVERIFY(!parts().mapA->view()->isEnabled() && !parts().prompt->isEnabled());
    QVERIFY(go(2));
    QVERIFY(parts().tour->findChild<QPlainTextEdit*>()->isReadOnly());
    Q_EMIT parts().tour->textSubmitted(u"Too late"_s);
    QVERIFY(go(1));
    m_window->state()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), u"L2H5"_s);
    QVERIFY(waitFor([this] {
        const auto& side = m_window->state()->side(Side::A);
        return side.scores && side.scores->final && side.scores->ablation == side.ablation;
    }));
    QVERIFY(answers().empty());
    // There is nothing in it, and it can be handed in.
    const QString file = path(u"late.headscope"_s);
    m_window->findChild<gui::HandInDesk*>()->handIn(u"Late"_s, file);
    QVERIFY(waitFor([this] { return !record().handedIn.empty(); }));
    QVERIFY(QFile::exists(file));
}

void TestExam::whatIsHandedInIsCounted()
{
    QVERIFY(start());
    predict(*parts().tour, u"a handful"_s);
    QVERIFY(QDir().mkpath(path(u"class"_s)));
    const QString file = path(u"class/ada.headscope"_s);
    const auto& desk = *m_window->findChild<gui::ExamDesk*>();
    QVERIFY(!desk.isLocked());
    m_window->findChild<gui::HandInDesk*>()->handIn(u"Ada"_s, file);
    QVERIFY(waitFor([&] { return desk.isLocked() && !record().handedIn.empty(); }));
    QVERIFY2(QFileInfo(file).size() < 100'000, qPrintable(QString::number(QFileInfo(file).size())));
    close();
    const auto counted = clifixture::run({u"class"_s, path(u"class"_s), u"--json"_s});
    QVERIFY2(counted.code == 0, counted.err.constData());
    const QJsonObject student = counted.json()[u"students"_s][0].toObject(), exam = student[u"exam"_s].toObject();
    QCOMPARE(student[u"name"_s].toString(), u"Ada"_s);
    QCOMPARE(student[u"right"_s].toInt(), 1);
    QCOMPARE(exam[u"name"_s].toString(), u"midterm"_s);
    QCOMPARE(exam[u"started"_s].toString().toStdString(), record().started);
    QCOMPARE(exam[u"minutes_allowed"_s].toDouble(), 30.0);
    QVERIFY(exam[u"minutes"_s].toDouble() > 0 && exam[u"minutes"_s].toDouble() <= record().seconds / 60);
    const auto printed = clifixture::run({u"class"_s, path(u"class"_s)});
    QVERIFY2(printed.out.contains("Ada") && printed.out.contains("midterm"), printed.out.constData());
    const QString before = m_session;
    QVERIFY(start()); // the next person
    QVERIFY(m_session != before);
    QVERIFY(answers().empty());
}

QTEST_MAIN(TestExam)
#include "tst_exam.moc"
