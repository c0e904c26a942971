// SPDX-License-Identifier: GPL-3.0-or-later
// A tour in the lecture: what would give the answer away is covered there too, until the speaker goes on.
#include "app/window/lecture/lecturecontroller.h"
#include "app/window/tours/tourguide.h"
#include "app/window/tours/tourmark.h"
#include "tests/support/windowfixture.h"
#include "widgets/pattern/patternpage.h"

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

private:
    /// At the first step that covers this part; -1: none does.
    [[nodiscard]] int stepThatCovers(const QString& tour, const QString& part) const;
    testing::WindowFixture m_fixture;
};

int TestLecture::stepThatCovers(const QString& tour, const QString& part) const
{
    gui::TourGuide& guide = *m_fixture.window().guide();
    guide.open(tour);
    const auto ready = [&] { return guide.settled() && !m_fixture.window().client()->busy(); };
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
    const auto covers = [this] {
        int count = 0;
        for (const auto* mark : m_fixture.window().parts().patterns->strip()->findChildren<gui::TourMark*>())
            count += mark->kind() == gui::TourMark::Kind::Cover ? 1 : 0;
        return count;
    };
    QCOMPARE(covers(), 1);
    m_fixture.window().guide()->reveal();
    QVERIFY(QTest::qWaitFor([&] { return covers() == 0; }, m_fixture.kWait));
}

QTEST_MAIN(TestLecture)
#include "tst_lecture.moc"
