// SPDX-License-Identifier: GPL-3.0-or-later
// A tour in the lecture: what would give the answer away is covered there too, until the speaker goes on.
#include "app/window/lecture/lecturecontroller.h"
#include "app/window/tours/tourguide.h"
#include "app/window/tours/tourmark.h"
#include "tests/support/windowfixture.h"
#include "widgets/pattern/card/patternpage.h"

#include <QFile>
#include <QGuiApplication>
#include <QProcess>
#include <QScreen>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestLecture : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(m_fixture.open(u"tiny-transformer"_s)); }
    void cleanup() { m_fixture.window().guide()->close(); }
    void aTourAsksBeforeItShows();
    void aCoveredMapHasNoSmallPictures();
    void onTwoScreensTheSpeakerSeesTheNextStep();
    void onTwoScreens();

private:
    /// At the first step that covers this part; -1: none does.
    [[nodiscard]] int stepThatCovers(const QString& tour, const QString& part) const;
    testing::WindowFixture m_fixture;
};

int TestLecture::stepThatCovers(const QString& tour, const QString& part) const
{
    gui::TourGuide& guide = *m_fixture.window().guide();
    guide.open(tour);
    const auto ready = [&] { return guide.settled() && !m_fixture.window().worker()->busy(); };
    if (!QTest::qWaitFor(ready, m_fixture.kWait))
        return -1;
    for (int step = 0; step < guide.tour()->steps.size(); ++step) {
        Q_EMIT m_fixture.window().parts().tour->stepRequested(step);
        if (guide.step() == step && guide.covered().contains(part))
            return QTest::qWaitFor(ready, m_fixture.kWait) ? step : -1;
    }
    return -1;
}

void TestLecture::aTourAsksBeforeItShows()
{
    gui::TourGuide& guide = *m_fixture.window().guide();
    const int step = stepThatCovers(u"one-head"_s, u"patternA"_s);
    QVERIFY(step >= 0);
    gui::LectureController& lecture = *m_fixture.window().lecture();
    lecture.toggle();
    widgets::LectureView& view = *lecture.view();
    QVERIFY(view.lecture().a.covered);
    QCOMPARE(view.lecture().sentence, guide.question());
    view.resize(1280, 720);
    const QImage asked = view.grab().toImage();
    QTest::keyClick(&view, Qt::Key_Space); // shows, and stays
    QCOMPARE(guide.step(), step);
    QVERIFY(guide.covered().isEmpty());
    QVERIFY(!view.lecture().a.covered);
    QCOMPARE(view.lecture().sentence, guide.tour()->steps.at(step).title);
    QVERIFY(view.grab().toImage() != asked);
    QTest::keyClick(&view, Qt::Key_Space);
    QVERIFY(guide.step() != step);
    QTest::keyClick(&view, Qt::Key_Backspace); // nobody has answered: it asks again
    QCOMPARE(guide.step(), step);
    QVERIFY(view.lecture().a.covered);
    QTest::keyClick(&view, Qt::Key_Escape);
}

void TestLecture::aCoveredMapHasNoSmallPictures()
{
    QVERIFY(stepThatCovers(u"one-head"_s, u"patternA"_s) >= 0);
    const widgets::PatternPage& page = *m_fixture.window().parts().patterns;
    const auto covers = [&page] { // of the strip, and of every head of both sides
        int count = 0;
        for (const widgets::HeadStrip* strip : {page.strip(), page.everyHead(Side::A), page.everyHead(Side::B)})
            for (const auto* mark : strip->findChildren<gui::TourMark*>())
                count += mark->kind() == gui::TourMark::Kind::Cover ? 1 : 0;
        return count;
    };
    QCOMPARE(covers(), 3);
    // What the last row reads has no darker colour in the prompt either.
    QVERIFY(!m_fixture.window().parts().prompt->answersShown());
    m_fixture.window().guide()->reveal();
    QVERIFY(m_fixture.window().parts().prompt->answersShown());
    QVERIFY(QTest::qWaitFor([&] { return covers() == 0; }, m_fixture.kWait));
}

// In a program of its own, see onTwoScreens().
void TestLecture::onTwoScreensTheSpeakerSeesTheNextStep()
{
    if (QGuiApplication::screens().size() < 2)
        QSKIP("onTwoScreens() runs this in a program with two screens");
    gui::MainWindow& window = m_fixture.window();
    const QList<QScreen*> screens = QGuiApplication::screens();
    const QScreen* hall = screens.at(screens.at(0) == window.screen() ? 1 : 0);
    const int step = stepThatCovers(u"one-head"_s, u"patternA"_s);
    QVERIFY(step >= 0);
    const gui::Tour& tour = *window.guide()->tour();
    const auto told = [&] { return window.parts().messages->text(); };
    // 1. the lecture fills the other screen; notes and questions stay on this one
    window.lecture()->toggle();
    widgets::LectureView& view = *window.lecture()->view();
    QVERIFY(view.isFullScreen());
    QVERIFY(QTest::qWaitForWindowActive(&view)); // else Esc is the window's
    QCOMPARE(view.geometry(), hall->geometry());
    QVERIFY(window.parts().tour->isVisible());
    QVERIFY2(told().contains(u"the answer"_s), qPrintable(told()));
    // 2. Space there leads the tour here
    QTest::keyClick(&view, Qt::Key_Space);
    QVERIFY2(told().contains(tour.steps.at(step + 1).title), qPrintable(told()));
    QTest::keyClick(&view, Qt::Key_Space);
    QCOMPARE(window.guide()->step(), step + 1);
    // 3. Esc ends it, and what was said of it
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.isVisible());
    QVERIFY(!told().contains(u"Lecture"_s));
}

void TestLecture::onTwoScreens()
{
    if (QGuiApplication::screens().size() > 1)
        QSKIP("this is the program with two screens");
    QTemporaryDir folder;
    QFile screens(folder.filePath(u"screens.json"_s));
    QVERIFY(screens.open(QIODevice::WriteOnly));
    screens.write(R"({"screens": [
        {"name": "notes", "x": 0, "y": 0, "width": 1440, "height": 900, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1},
        {"name": "hall", "x": 1440, "y": 0, "width": 1280, "height": 720, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    ]})");
    screens.close();
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen:configfile="_s + screens.fileName());
    program.setProcessEnvironment(environment);
    program.setProcessChannelMode(QProcess::MergedChannels);
    program.start(QCoreApplication::applicationFilePath(), {u"onTwoScreensTheSpeakerSeesTheNextStep"_s});
    QVERIFY(program.waitForFinished(2 * m_fixture.kWait));
    const QByteArray said = program.readAll();
    QVERIFY2(program.exitCode() == 0 && !said.contains("SKIP"), said.constData());
}

QTEST_MAIN(TestLecture)
#include "tst_lecture.moc"
