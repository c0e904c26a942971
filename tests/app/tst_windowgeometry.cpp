// SPDX-License-Identifier: GPL-3.0-or-later
// How large the maps are, that nothing is cut off or lies over another, and that nothing moves when news comes: the
// whole window with two shipped models, at several sizes, in both languages, with small and large letters.
#include "app/state/windowstate.h"
#include "app/window/appearance.h"
#include "app/window/docklayout.h"
#include "app/window/experiments/experimentspage.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/mainwindow.h"
#include "app/window/start/translation.h"
#include "app/window/tours/tourguide.h"
#include "widgets/frame/busystrip.h"
#include "widgets/frame/carddock.h"
#include "widgets/frame/rail.h"
#include "widgets/look/appstyle.h"
#include "widgets/look/boxes/tallarea.h"
#include "widgets/look/fitscreen.h"
#include "widgets/look/labels/elidedlabel.h"
#include "widgets/prompt/answersview.h"
#include "widgets/scores/costview.h"
#include "widgets/why/views/gridview.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLayout>
#include <QProcess>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QStatusBar>
#include <QStyleOptionComboBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTranslator>

#include <malloc.h>

#include <array>
#include <cstdlib>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::MainWindow;

namespace {

constexpr int kWait = 120000; // slow machines; nothing here is timed

QString nameOf(const QWidget* widget)
{
    QString name;
    for (const QWidget* at = widget; at && !at->isWindow(); at = at->parentWidget()) {
        QString own = at->objectName().isEmpty() ? at->accessibleName() : at->objectName();
        if (const auto* button = qobject_cast<const QAbstractButton*>(at); own.isEmpty() && button)
            own = button->text();
        if (const auto* label = qobject_cast<const QLabel*>(at); own.isEmpty() && label)
            own = label->text();
        name.prepend(u"/"_s + QLatin1String(at->metaObject()->className()) + u"("_s + own + u")"_s);
    }
    return name;
}

QRect placeOf(const QWidget* widget, const QWidget* window)
{
    return {widget->mapTo(window, QPoint()), widget->size()};
}

/// Pixels that the shown choice has too little.
int cutBy(const QComboBox& combo)
{
    QStyleOptionComboBox option;
    option.initFrom(&combo);
    option.editable = combo.isEditable();
    option.frame = combo.hasFrame();
    const QRect field =
        combo.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &combo);
    return combo.fontMetrics().horizontalAdvance(combo.currentText()) - field.width();
}

/// What scrolls is reached by scrolling; what has its own place behind a tab is seen there.
bool scrolls(const QWidget* widget)
{
    for (const QWidget* at = widget->parentWidget(); at && !at->isWindow(); at = at->parentWidget())
        if (qobject_cast<const widgets::TallArea*>(at))
            return true;
    return false;
}

bool isBehindATab(const QWidget* widget, const QMainWindow* window)
{
    for (const QWidget* at = widget; at && !at->isWindow(); at = at->parentWidget())
        if (const auto* dock = qobject_cast<const QDockWidget*>(at))
            return !window->tabifiedDockWidgets(const_cast<QDockWidget*>(dock)).isEmpty()
                   && !window->rect().contains(placeOf(dock, window));
    return false;
}

void settle()
{
    for (int i = 0; i < 5; ++i)
        QCoreApplication::processEvents();
}

bool inside(const QWidget* widget, const QWidget* of)
{
    return widget == of || of->isAncestorOf(widget);
}

} // namespace

class TestWindowGeometry : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup() { QApplication::setFont(m_font); }
    void mapsAreLarge_data();
    void mapsAreLarge();
    void oneMapUsesTheRoom();
    void nothingIsCutOff_data();
    void nothingIsCutOff();
    void lettersOfEveryWidgetGrow();
    void analysesGetTheRoomOfTheSides_data();
    void analysesGetTheRoomOfTheSides();
    void nothingIsCutOffOnAnalyses_data();
    void nothingIsCutOffOnAnalyses();
    void everyLayerIsSeenOnWeights_data();
    void everyLayerIsSeenOnWeights();
    void sidesUnfoldAndComeBack();
    void theContinuationLeavesHeadingsAndThumbnails_data();
    void theContinuationLeavesHeadingsAndThumbnails();
    void fourTokensStayBesideALongAnswer_data();
    void fourTokensStayBesideALongAnswer();
    void newsMovesNothing_data();
    void newsMovesNothing();
    void aTourLeavesTheMapsLarge();
    void aTourGivesItsHeightBack();
    void aTourLeavesRoomForTwoScores();
    void twoClicksAtOnePlaceHitOneHead();
    void fiveBenchmarksAreSeen_data();
    void fiveBenchmarksAreSeen();
    void theFirstWindowFitsTheScreen_data();
    void theFirstWindowFitsTheScreen();
    void sizesArePartsOfTheScreen();
    void onTheScreenOfALaptop();
    void floatingCardsGoWithTheWindow();

private:
    void open(const QString& language);
    void fit(int width, int height, int percent);
    [[nodiscard]] QHash<const QWidget*, QRect> places() const;
    void compare(const QHash<const QWidget*, QRect>& before, const QString& what) const;
    [[nodiscard]] const gui::Parts& parts() const { return m_window->parts(); }
    void addSizes(const QList<int>& percents = {100, 125, 140, 150, 175}) const;
    [[nodiscard]] gui::ExplorerPage& page() const { return *m_window->findChild<gui::ExplorerPage*>(); }
    [[nodiscard]] QDockWidget* dock(const char* name) const
    {
        return m_window->findChild<QDockWidget*>(QLatin1String(name));
    }
    /// What is cut, outside the window, or over another.
    [[nodiscard]] QStringList faults() const;

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    QString m_language;
    QFont m_font;
    int m_number = 0;
};

void TestWindowGeometry::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    QApplication::setStyle(new widgets::AppStyle); // as the program does
    m_font = QApplication::font();
}

// Both models, every number in.
void TestWindowGeometry::open(const QString& language)
{
    if (!m_window || language != m_language) {
        m_window.reset();
        QSettings().clear();
        qDeleteAll(qApp->findChildren<QTranslator*>());
        gui::installTranslation(QLocale(language));
        m_language = language;
        gui::WindowOptions options;
        options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
        options.backend.device = "cpu";
        options.session = m_folder.filePath(u"%1.headscope"_s.arg(++m_number));
        m_window = std::make_unique<MainWindow>(options);
        m_window->resize(1440, 900);
        m_window->show();
        m_window->openModels(u"tiny-transformer"_s, u"tiny-ssm"_s);
        QSignalSpy scored(m_window->explorer(), &gui::Explorer::scoresFinal);
        QVERIFY(QTest::qWaitFor([&] { return scored.size() >= 2; }, kWait));
    }
    if (!m_window->state()->hasModel(Side::B))
        m_window->explorer()->openModel(Side::B, u"tiny-ssm"_s);
    QVERIFY(
        QTest::qWaitFor([&] { return !m_window->worker()->busy() && m_window->explorer()->pattern(Side::B); }, kWait));
}

void TestWindowGeometry::fit(int width, int height, int percent)
{
    m_window->findChild<gui::Appearance*>()->setTextScale(percent / 100.0);
    settle(); // what it needs with these letters is known a while later
    m_window->resize(width, height);
    settle();
    m_window->findChild<gui::DockLayout*>()->reset(); // as in a window just opened
    settle();
    m_window->resize(width, height); // where wide columns had kept it wider
    settle();
}

// Those in the language of the window come first: opening another takes a while.
void TestWindowGeometry::addSizes(const QList<int>& percents) const
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("percent");
    for (const char* language : m_language == u"de"_s ? std::array{"de", "en"} : std::array{"en", "de"})
        for (const auto& [width, height] : {std::pair(1440, 900), std::pair(1280, 720), std::pair(1024, 640)})
            for (const int percent : percents)
                QTest::addRow("%s %dx%d at %d %%", language, width, height, percent)
                    << QString::fromLatin1(language) << width << height << percent;
}

void TestWindowGeometry::mapsAreLarge_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("side"); // of each of two maps
    QTest::newRow("1440x900") << 1440 << 900 << 370;
    QTest::newRow("1280x720") << 1280 << 720 << 290;
    QTest::newRow("1024x640") << 1024 << 640 << 190;
}

void TestWindowGeometry::mapsAreLarge()
{
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, side);
    open(u"en"_s);
    fit(width, height, 100);
    QCOMPARE(m_window->size(), QSize(width, height));
    double shown = 0;
    for (const Side each : kSides) {
        const QRectF plot = parts().patterns->view(each)->mapGeometry().plot();
        QVERIFY2(plot.width() >= side && plot.height() >= side, qPrintable(QString::number(plot.width())));
        shown += plot.width() * plot.height() + plot.width() * parts().patterns->profile(each)->height();
    }
    qInfo("maps and profiles: %.1f %% of the window", 100 * shown / (width * height));
    if (width == 1440)
        QVERIFY(shown >= 0.25 * width * height);
    // Bars stand below their columns.
    const auto* view = parts().patternA;
    const auto* profile = parts().patterns->profile(Side::A);
    QVERIFY(profile->mapTo(m_window.get(), QPoint()).y() >= view->mapTo(m_window.get(), QPoint()).y() + view->height());
    QCOMPARE(profile->mapTo(m_window.get(), QPoint()).x(), view->mapTo(m_window.get(), QPoint()).x());
}

void TestWindowGeometry::oneMapUsesTheRoom()
{
    open(u"en"_s);
    m_window->explorer()->closeB();
    fit(1440, 900, 100);
    const QRectF plot = parts().patternA->mapGeometry().plot();
    qInfo("one map: %.0f px", plot.width());
    QVERIFY2(plot.width() >= 560, qPrintable(QString::number(plot.width())));
    open(u"en"_s);
}

void TestWindowGeometry::nothingIsCutOff_data()
{
    addSizes();
}

void TestWindowGeometry::nothingIsCutOff()
{
    QFETCH(QString, language);
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, percent);
    open(language);
    fit(width, height, percent);
    if (m_window->size() != QSize(width, height))
        for (const QWidget* part : m_window->findChildren<QWidget*>())
            if (part->isVisible() && !part->isWindow()
                && (part->minimumSizeHint().width() > 250 || part->minimumSizeHint().height() > 120
                    || part->minimumWidth() > 200))
                qInfo("%s needs %d x %d", qPrintable(nameOf(part)),
                      std::max(part->minimumSizeHint().width(), part->minimumWidth()),
                      std::max(part->minimumSizeHint().height(), part->minimumHeight()));
    QCOMPARE(m_window->size(), QSize(width, height));
    const QStringList wrong = faults();
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    for (const Side side : kSides)
        QVERIFY2(parts().patterns->view(side)->mapGeometry().plot().width()
                     >= (width == 1024 && percent > 150 ? 80 : 100),
                 qPrintable(QString::number(parts().patterns->view(side)->mapGeometry().plot().width())));
}

QStringList TestWindowGeometry::faults() const
{
    QStringList wrong;
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->isWindow() || widget->objectName().startsWith(u"qt_"_s)
            || widget->inherits("QTabBar") // that of docks lies elsewhere while it is not needed
            || isBehindATab(widget, m_window.get()))
            continue;
        if (!scrolls(widget) && !m_window->rect().contains(placeOf(widget, m_window.get())))
            wrong += u"outside the window: "_s + nameOf(widget);
        const auto* label = qobject_cast<const QLabel*>(widget);
        if (label && !qobject_cast<const widgets::ElidedLabel*>(label) && !label->wordWrap()
            && label->sizeHint().width() > label->width() + 1)
            wrong += u"cut: "_s + nameOf(widget);
        if (const auto* combo = qobject_cast<const QComboBox*>(widget); combo && cutBy(*combo) > 0)
            wrong += u"cut by %1: "_s.arg(cutBy(*combo)) + nameOf(widget) + u" "_s + combo->currentText();
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        if (button && !button->text().isEmpty() && button->minimumSizeHint().width() > button->width() + 1)
            wrong += u"cut: "_s + nameOf(widget);
        if (button && m_language == u"de"_s && (button->text() + button->toolTip()).contains(u"Ctrl"_s))
            wrong += u"keys in another language: "_s + nameOf(widget) + u" "_s + button->text();
        // Widgets of one layout lie beside each other.
        if (const QLayout* layout = widget->layout(); layout && !qobject_cast<const QMainWindow*>(widget))
            for (int i = 0; i < layout->count(); ++i)
                for (int k = i + 1; k < layout->count(); ++k) {
                    const QWidget *one = layout->itemAt(i)->widget(), *two = layout->itemAt(k)->widget();
                    if (one && two && one->isVisible() && two->isVisible()
                        && one->geometry().intersects(two->geometry()) && !layout->inherits("QStackedLayout"))
                        wrong += u"overlap: "_s + nameOf(one) + u" and "_s + nameOf(two);
                }
    }
    return wrong;
}

void TestWindowGeometry::analysesGetTheRoomOfTheSides_data()
{
    addSizes({100, 175});
}

void TestWindowGeometry::analysesGetTheRoomOfTheSides()
{
    QFETCH(QString, language);
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, percent);
    open(language);
    fit(width, height, percent);
    const std::array names{"heads", "runs", "scores", "chart"};
    QHash<const char*, QRect> before;
    for (const char* name : names)
        before.insert(name, dock(name)->geometry());
    const QWidget* picture = parts().why->patches()->view(Side::A)->parentWidget(); // of both models
    page().showWhy(parts().why->patches());
    settle();
    QCOMPARE(m_window->size(), QSize(width, height));
    const QList<widgets::Rail*> rails = m_window->findChildren<widgets::Rail*>();
    QCOMPARE(rails.size(), 2);
    QCOMPARE(page().width(), width - 2 * widgets::Rail::kWidth);
    for (const widgets::Rail* rail : rails)
        QVERIFY(rail->isVisible() && rail->width() == widgets::Rail::kWidth);
    for (const char* name : names)
        QVERIFY(!dock(name)->isVisible());
    // A click on each rail unfolds its side as it was, and the card's button folds it again.
    const int wide = picture->width();
    for (const widgets::Rail* rail : rails) {
        auto* button = rail->findChild<QToolButton*>();
        QVERIFY(rail->rect().contains(placeOf(button, rail)) && !button->accessibleName().isEmpty()
                && !button->toolTip().isEmpty() && (button->focusPolicy() & Qt::TabFocus));
        QTest::mouseClick(button, Qt::LeftButton);
    }
    settle();
    for (const char* name : names)
        QVERIFY2(std::abs(dock(name)->width() - before[name].width()) <= 2
                     && std::abs(dock(name)->height() - before[name].height()) <= 2,
                 name);
    QVERIFY2(picture->width() < wide, qPrintable(u"%1 px, folded %2"_s.arg(picture->width()).arg(wide)));
    for (const char* name : {"heads", "scores"}) {
        auto* fold = static_cast<widgets::CardDock*>(dock(name))->foldButton();
        QVERIFY(fold->isVisible());
        QTest::mouseClick(fold, Qt::LeftButton);
    }
    settle();
    QCOMPARE(picture->width(), wide);
    page().showPatterns();
    settle();
    for (const char* name : names)
        QVERIFY2(std::abs(dock(name)->width() - before[name].width()) <= 2
                     && std::abs(dock(name)->height() - before[name].height()) <= 2,
                 name);
    QVERIFY(!rails.first()->isVisible() && !rails.last()->isVisible());
}

void TestWindowGeometry::nothingIsCutOffOnAnalyses_data()
{
    addSizes({100, 175});
}

void TestWindowGeometry::nothingIsCutOffOnAnalyses()
{
    QFETCH(QString, language);
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, percent);
    open(language);
    fit(width, height, percent);
    QStringList wrong;
    const QTabWidget* tabs = parts().why->tabs();
    for (int i = 0; i < tabs->count(); ++i) {
        if (!tabs->isTabVisible(i))
            continue;
        page().showWhy(tabs->widget(i));
        QVERIFY(QTest::qWaitFor([&] { return !m_window->worker()->busy(); }, kWait));
        settle();
        for (const QString& fault : faults())
            wrong += tabs->tabText(i) + u": "_s + fault;
        if (m_window->size() != QSize(width, height))
            wrong += tabs->tabText(i) + u" is too large"_s;
    }
    page().showSurvey();
    settle();
    for (const QString& fault : faults())
        wrong += u"survey: "_s + fault;
    page().showPatterns();
    for (const QString& fault : std::as_const(wrong))
        qInfo("%s", qPrintable(fault));
    QVERIFY(wrong.isEmpty());
}

void TestWindowGeometry::everyLayerIsSeenOnWeights_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    for (const char* language : m_language == u"de"_s ? std::array{"de", "en"} : std::array{"en", "de"})
        for (const auto& [width, height] : {std::pair(1440, 900), std::pair(1280, 720)})
            QTest::addRow("%s %dx%d", language, width, height) << QString::fromLatin1(language) << width << height;
}

// Of both models, without scrolling, with their numbers.
void TestWindowGeometry::everyLayerIsSeenOnWeights()
{
    QFETCH(const QString, language);
    QFETCH(const int, width);
    QFETCH(const int, height);
    open(language);
    fit(width, height, 100);
    page().showWhy(parts().why->weights());
    QVERIFY(QTest::qWaitFor([&] { return !m_window->worker()->busy(); }, kWait));
    settle();
    int seen = 0;
    for (const widgets::GridView* grid : parts().why->weights()->findChildren<widgets::GridView*>()) {
        if (!grid->isVisible())
            continue;
        ++seen;
        const QRect last = grid->visualRect(grid->model()->index(grid->model()->rowCount() - 1, 0));
        QVERIFY2(grid->viewport()->height() > last.bottom(),
                 qPrintable(
                     u"%1: %2 of %3"_s.arg(grid->accessibleName()).arg(grid->viewport()->height()).arg(last.bottom())));
        QVERIFY(last.height() > grid->fontMetrics().ascent());
    }
    QVERIFY2(seen >= 8, qPrintable(QString::number(seen))); // copying, and three ways to compose, of two models
    page().showPatterns();
    settle();
}

// The choice of the person is that of the next analysis and of the session, and heads are clicked there as well.
void TestWindowGeometry::sidesUnfoldAndComeBack()
{
    open(u"en"_s); // for the name of a menu entry
    fit(1440, 900, 100);
    auto& layout = *m_window->findChild<gui::DockLayout*>();
    page().showWhy(parts().why->patches());
    settle();
    auto* button = m_window->findChild<widgets::Rail*>()->findChild<QToolButton*>();
    button->setFocus();
    QTest::keyClick(button, Qt::Key_Space);
    settle();
    QVERIFY(dock("heads")->isVisible() && dock("runs")->isVisible() && !dock("scores")->isVisible());
    QVERIFY(inside(QApplication::focusWidget(), dock("heads")));
    const auto* heads = parts().mapA->view();
    QTest::mouseClick(heads->viewport(), Qt::LeftButton, {}, heads->visualRect(heads->model()->index(2, 1)).center());
    QCOMPARE(m_window->explorer()->ablation(Side::A), u"L2H1"_s);
    m_window->explorer()->restoreAll(Side::A);
    page().showPatterns();
    settle();
    QVERIFY(dock("scores")->isVisible());
    page().showSurvey();
    settle();
    QVERIFY(dock("heads")->isVisible() && !dock("scores")->isVisible());
    const QByteArray unfolded = layout.arrangement();
    layout.reset();
    settle();
    QVERIFY(!dock("heads")->isVisible() && !dock("scores")->isVisible());
    layout.arrange(unfolded);
    settle();
    QVERIFY(dock("heads")->isVisible() && !dock("scores")->isVisible());
    // What is to be seen in a folded card unfolds it: the charts, by the menu.
    layout.showCharts();
    settle();
    QVERIFY(dock("scores")->isVisible() && dock("chart")->isVisible());
    // Beside the welcome page there are no rails, and after it everything is as before.
    layout.reset();
    m_window->act(u"command=Welcome page"_s);
    QVERIFY(!m_window->findChild<widgets::Rail*>()->isVisible());
    m_window->guide()->open(u"one-head"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_window->guide()->settled() && !m_window->worker()->busy(); }, kWait));
    settle();
    QVERIFY(dock("heads")->isVisible() && dock("scores")->isVisible());
    Q_EMIT parts().tour->closed();
    page().showPatterns();
    settle();
}

void TestWindowGeometry::theContinuationLeavesHeadingsAndThumbnails_data()
{
    addSizes({100, 175});
}

void TestWindowGeometry::theContinuationLeavesHeadingsAndThumbnails()
{
    QFETCH(QString, language);
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, percent);
    open(language);
    fit(width, height, percent);
    auto* popover = parts().continuation;
    m_window->explorer()->controllers().continuation.start(); // the bottom line has its words in this size from now on
    QVERIFY(QTest::qWaitFor([&] { return !popover->running() && !m_window->worker()->busy(); }, kWait));
    popover->hide();
    for (const bool chosen : {false, true}) { // thumbnails wherever they have room, and everywhere
        parts().patterns->setStripShown(chosen ? widgets::StripShown::Column : widgets::StripShown::Layer);
        settle();
        const auto before = places();
        QTest::mouseClick(parts().prompt->answers(), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return popover->isVisible() && !m_window->worker()->busy(); }, kWait));
        settle();
        compare(before, u"the continuation"_s);
        const QRect place = placeOf(popover, m_window.get());
        QVERIFY(placeOf(&page(), m_window.get()).contains(place));
        for (const QWidget* covered :
             {static_cast<QWidget*>(parts().patterns->strip()), static_cast<QWidget*>(parts().prompt)})
            QVERIFY2(!covered->isVisible() || !placeOf(covered, m_window.get()).intersects(place),
                     qPrintable(nameOf(covered)));
        for (const Side side : kSides) { // the heading is above the map
            const auto* map = parts().patterns->view(side);
            QVERIFY(place.top() >= map->mapTo(m_window.get(), map->mapGeometry().plot().topLeft().toPoint()).y() - 2);
        }
        for (const Side side : kSides)
            QVERIFY(popover->text(side)->isVisible() && popover->text(side)->width() > 200);
        const QStringList wrong = faults();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
        auto* text = popover->text(Side::A);
        text->setFocus();
        QTest::keyClick(text, Qt::Key_Escape);
        QVERIFY(!popover->isVisible());
    }
    parts().patterns->setStripShown(widgets::StripShown::Layer);
}

void TestWindowGeometry::fourTokensStayBesideALongAnswer_data()
{
    addSizes({100, 175});
}

void TestWindowGeometry::fourTokensStayBesideALongAnswer()
{
    QFETCH(QString, language);
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, percent);
    open(language);
    fit(width, height, percent);
    using widgets::ModelAnswer;
    auto* answers = parts().prompt->answers();
    const std::array before{*answers->answer(Side::A), *answers->answer(Side::B)};
    const QString longer = u"piano"_s + QString(40, u'o');
    const QList<QPair<QString, double>> likely{{u"piano"_s, 1}, {u"violoncello"_s, 0.1}, {u"ö"_s, 0.01}, {u"?"_s, 0}};
    answers->setAnswer(Side::A, {longer, u"harpsichord"_s, ModelAnswer::Verdict::WasRight, likely});
    answers->setAnswer(Side::B, {u"x"_s, {}, ModelAnswer::Verdict::Right, likely});
    settle();
    for (const Side side : kSides) {
        const widgets::AnswerLine line = answers->lineOf(side);
        QCOMPARE(line.likely.size(), 4);
        QList<QRect> parts{line.letter, line.said, line.verdict};
        parts += line.likely;
        for (const QRect& each : {line.answers, line.before})
            if (!each.isEmpty())
                parts += each;
        for (qsizetype i = 0; i < parts.size(); ++i) {
            QVERIFY(answers->rect().contains(parts[i]) && parts[i].width() >= 10);
            for (qsizetype k = i + 1; k < parts.size(); ++k)
                QVERIFY2(!parts[i].intersects(parts[k]), qPrintable(u"parts %1 and %2"_s.arg(i).arg(k)));
        }
    }
    for (int i = 0; i < 4; ++i) // columns
        QCOMPARE(answers->lineOf(Side::A).likely[i].left(), answers->lineOf(Side::B).likely[i].left());
    QVERIFY(answers->toolTip().contains(longer)); // whole
    for (const Side side : kSides)
        answers->setAnswer(side, before[indexOf(side)]);
}

void TestWindowGeometry::lettersOfEveryWidgetGrow()
{
    open(m_language);
    fit(1440, 900, 100);
    QHash<const QWidget*, double> before;
    for (const QWidget* widget : m_window->findChildren<QWidget*>())
        before.insert(widget, QFontInfo(widget->font()).pointSizeF());
    fit(1440, 900, 150);
    QStringList wrong;
    for (const QWidget* widget : m_window->findChildren<QWidget*>())
        if (before.contains(widget) && QFontInfo(widget->font()).pointSizeF() < 1.4 * before.value(widget))
            wrong += nameOf(widget);
    fit(1440, 900, 100);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

QHash<const QWidget*, QRect> TestWindowGeometry::places() const
{
    QHash<const QWidget*, QRect> places;
    for (const QWidget* widget : m_window->findChildren<QWidget*>())
        if (widget->isVisible() && !widget->isWindow() && !inside(widget, parts().messages)
            && !inside(widget, parts().continuation) && !widget->objectName().startsWith(u"qt_"_s)) // inner parts
            places.insert(widget, placeOf(widget, m_window.get()));
    return places;
}

void TestWindowGeometry::compare(const QHash<const QWidget*, QRect>& before, const QString& what) const
{
    const auto now = places();
    const auto words = [](const QRect& box) {
        return u" %1,%2 %3x%4"_s.arg(box.x()).arg(box.y()).arg(box.width()).arg(box.height());
    };
    QStringList moved;
    for (auto it = before.begin(); it != before.end(); ++it)
        if (now.contains(it.key()) && now.value(it.key()) != it.value())
            moved += nameOf(it.key()) + words(it.value()) + u" to"_s + words(now.value(it.key()));
    QVERIFY2(moved.isEmpty(), qPrintable(what + u" moved:\n"_s + moved.join(u'\n')));
}

void TestWindowGeometry::newsMovesNothing_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::newRow("1440x900") << 1440 << 900;
    QTest::newRow("1280x720") << 1280 << 720;
    QTest::newRow("1024x640") << 1024 << 640;
}

void TestWindowGeometry::newsMovesNothing()
{
    QFETCH(int, width);
    QFETCH(int, height);
    open(m_language);
    fit(width, height, 100);
    auto* explorer = m_window->explorer();
    const auto idle = [&] { return !m_window->worker()->busy(); };
    explorer->restoreAll(Side::A);
    QVERIFY(QTest::qWaitFor(idle, kWait));
    parts().messages->clear();
    const auto before = places();
    // 0. work of a while, which is told of
    auto* work = m_window->findChild<widgets::BusyStrip*>();
    work->showWork(u"Scoring A"_s, 3, 10);
    settle();
    compare(before, u"work"_s);
    work->clear();
    settle();
    compare(before, u"the end of work"_s);
    // 1. messages, short and long, with and without a next step
    for (const QString& text : {u"Short."_s, QString(u"A very long sentence about what went wrong. "_s).repeated(12)})
        for (const auto kind : {widgets::MessageBar::Kind::Info, widgets::MessageBar::Kind::Error}) {
            parts().messages->showMessage(kind, text, u"Do something about it"_s);
            settle();
            compare(before, u"a message"_s);
            parts().messages->clear();
        }
    // 2. the continuation of both models
    explorer->controllers().continuation.start();
    QVERIFY(QTest::qWaitFor(idle, kWait));
    QVERIFY(parts().continuation->isVisible());
    settle();
    compare(before, u"the continuation"_s);
    parts().continuation->hide();
    // 3. a result: heads ablated, scores, flips, its run
    const auto set = interventions::InterventionSet::parse("L1H0 L2H1");
    explorer->changeAblation(Side::A, *set, u"two"_s);
    settle();
    compare(before, u"an ablation"_s);
    QVERIFY(QTest::qWaitFor(idle, kWait));
    settle();
    compare(before, u"a result"_s);
    // 4. a hint, over a cell
    QTest::mouseMove(parts().patternA, parts().patternA->mapGeometry().cellRect(20, 5).center().toPoint());
    settle();
    QVERIFY(!parts().patterns->card(Side::A)->footer()->readout().isEmpty());
    compare(before, u"the readout"_s);
    // 5. the next sample, whose text is longer or shorter
    explorer->stepSample(1);
    QVERIFY(QTest::qWaitFor(idle, kWait));
    settle();
    compare(before, u"another sample"_s);
    explorer->stepSample(-1);
    explorer->restoreAll(Side::A);
    QVERIFY(QTest::qWaitFor(idle, kWait));
}

// The band takes its height from everything above it, and no width.
void TestWindowGeometry::aTourLeavesTheMapsLarge()
{
    open(m_language);
    for (const auto& [size, least] : {std::pair(QSize(1440, 900), 350.0), std::pair(QSize(1280, 720), 200.0)}) {
        fit(size.width(), size.height(), 100);
        m_window->guide()->open(u"sharp-and-smooth"_s);
        QVERIFY(QTest::qWaitFor([&] { return m_window->guide()->settled() && !m_window->worker()->busy(); }, kWait));
        QCOMPARE(m_window->size(), size);
        for (const Side side : kSides) {
            const double wide = parts().patterns->view(side)->mapGeometry().plot().width();
            QVERIFY2(wide >= least, qPrintable(u"%1 px in a window of %2"_s.arg(wide).arg(size.width())));
        }
        Q_EMIT parts().tour->closed();
    }
}

// The cards are as high as before when it closes, whether it began beside them or brought them.
void TestWindowGeometry::aTourGivesItsHeightBack()
{
    open(u"en"_s); // for the name of a menu entry
    fit(1440, 900, 100);
    const auto heights = [this] {
        for (int i = 0; i < 10; ++i)
            QCoreApplication::processEvents();
        QList<int> all;
        for (const char* name : {"heads", "runs", "scores", "chart"})
            all.append(m_window->findChild<QDockWidget*>(QLatin1String(name))->height());
        return all;
    };
    const QList<int> before = heights();
    for (const bool fromWelcome : {false, true}) {
        if (fromWelcome)
            m_window->act(u"command=Welcome page"_s);
        m_window->guide()->open(u"one-head"_s);
        QVERIFY(QTest::qWaitFor([&] { return m_window->guide()->settled() && !m_window->worker()->busy(); }, kWait));
        QVERIFY(parts().tour->isVisible());
        QVERIFY(heights() != before);
        Q_EMIT parts().tour->closed();
        const QList<int> after = heights();
        for (qsizetype i = 0; i < before.size(); ++i)
            QVERIFY2(std::abs(after.at(i) - before.at(i)) <= 2,
                     qPrintable(u"card %1: %2 px, before %3"_s.arg(i).arg(after.at(i)).arg(before.at(i))));
        // Nor does its empty band come back with the cards.
        m_window->showGallery();
        Q_EMIT m_window->experiments()->backRequested();
        QVERIFY(m_window->findChild<QDockWidget*>(u"tourband"_s)->isHidden());
        const QList<int> back = heights();
        for (qsizetype i = 0; i < after.size(); ++i)
            QVERIFY2(std::abs(back.at(i) - after.at(i)) <= 2, qPrintable(QString::number(back.at(i))));
    }
}

void TestWindowGeometry::aTourLeavesRoomForTwoScores()
{
    open(m_language);
    fit(1280, 720, 100);
    m_window->guide()->open(u"one-head"_s);
    QVERIFY(QTest::qWaitFor([&] { return m_window->guide()->settled() && !m_window->worker()->busy(); }, kWait));
    const auto* scores = parts().scores->findChild<widgets::CostView*>();
    const int high = scores->viewport()->height(), row = scores->sizeHintForRow(0);
    QVERIFY2(high >= 2 * row, qPrintable(u"%1 px for scores of %2"_s.arg(high).arg(row)));
    Q_EMIT parts().tour->closed();
}

void TestWindowGeometry::twoClicksAtOnePlaceHitOneHead()
{
    open(m_language);
    fit(1440, 900, 100);
    auto* explorer = m_window->explorer();
    const auto idle = [&] { return !m_window->worker()->busy(); };
    explorer->restoreAll(Side::A);
    QVERIFY(QTest::qWaitFor(idle, kWait));
    parts().messages->clear();
    auto* heads = parts().mapA;
    const QModelIndex cell = heads->model()->index(2, 1);
    const QPoint place = heads->view()->viewport()->mapTo(m_window.get(), heads->view()->visualRect(cell).center());
    const auto click = [&] {
        QWidget* there = m_window->childAt(place);
        QTest::mouseClick(there, Qt::LeftButton, {}, there->mapFrom(m_window.get(), place));
    };
    click();
    QCOMPARE(explorer->ablation(Side::A), u"L2H1"_s);
    QVERIFY(QTest::qWaitFor(idle, kWait)); // scores, and the sentence that tells of them
    QVERIFY(!parts().messages->text().isEmpty());
    click();
    QVERIFY2(explorer->ablation(Side::A).isEmpty(), qPrintable(explorer->ablation(Side::A)));
    QVERIFY(QTest::qWaitFor(idle, kWait));
}

// 2560 x 1440 at scale 2 is a program of its own: the scale is read when it starts.
void TestWindowGeometry::fiveBenchmarksAreSeen_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    for (const char* language : {"en", "de"})
        for (const auto& [width, height] : {std::pair(1440, 900), std::pair(1280, 720)})
            QTest::addRow("%s %dx%d", language, width, height) << QString::fromLatin1(language) << width << height;
}

void TestWindowGeometry::fiveBenchmarksAreSeen()
{
    QFETCH(const QString, language);
    QFETCH(const int, width);
    QFETCH(const int, height);
    open(language);
    fit(width, height, 100);
    const auto* lines = parts().scores->findChild<widgets::CostView*>();
    QVERIFY(lines->model()->rowCount() >= 5);
    const QRect fifth = lines->visualRect(lines->model()->index(4, 0));
    QVERIFY2(fifth.bottom() < lines->viewport()->height(),
             qPrintable(u"%1 of %2"_s.arg(fifth.bottom()).arg(lines->viewport()->height())));
    for (int row = 5; row < lines->model()->rowCount(); ++row) { // whole or not there
        const QRect line = lines->visualRect(lines->model()->index(row, 0));
        QVERIFY2(line.bottom() < lines->viewport()->height() || line.top() >= lines->viewport()->height(),
                 qPrintable(u"line %1: %2 to %3 of %4"_s.arg(row)
                                .arg(line.top())
                                .arg(line.bottom())
                                .arg(lines->viewport()->height())));
    }
}

void TestWindowGeometry::theFirstWindowFitsTheScreen_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<QSize>("screen");
    for (const char* language : {"en", "de"})
        for (const QSize screen : {QSize(2560, 1440), QSize(1440, 900), QSize(1280, 720), QSize(1024, 640)})
            QTest::addRow("%s %dx%d", language, screen.width(), screen.height())
                << QString::fromLatin1(language) << screen;
}

// With a frame around it the bottom line is inside.
void TestWindowGeometry::theFirstWindowFitsTheScreen()
{
    QFETCH(const QString, language);
    QFETCH(const QSize, screen);
    open(language);
    fit(1024, 640, 100);
    QSettings().remove(u"window/geometry"_s);
    m_window->fitTo(screen);
    settle();
    QVERIFY2(m_window->width() <= (screen * 9 / 10).width() && m_window->height() <= (screen * 9 / 10).height(),
             qPrintable(u"%1x%2"_s.arg(m_window->width()).arg(m_window->height())));
    const QRect line = placeOf(m_window->findChild<QStatusBar*>(), m_window.get());
    QVERIFY(m_window->rect().contains(line) && line.height() > 10);
}

void TestWindowGeometry::sizesArePartsOfTheScreen()
{
    open(m_language);
    fit(1280, 720, 100);
    auto& layout = *m_window->findChild<gui::DockLayout*>();
    const QByteArray small = layout.arrangement();
    const auto widthOf = [this](const char* dock) {
        return m_window->findChild<QDockWidget*>(QLatin1String(dock))->width();
    };
    const double share = widthOf("heads") / 1280.0;
    fit(1440, 900, 100);
    layout.arrange(small);
    settle();
    QVERIFY2(std::abs(widthOf("heads") - share * 1440) <= 2, qPrintable(QString::number(widthOf("heads"))));
    // But a column keeps room for its words.
    const QByteArray large = layout.arrangement();
    const int before = widthOf("scores");
    fit(1280, 720, 100);
    layout.arrange(large);
    settle();
    QVERIFY2(widthOf("scores") >= std::min(before, 266) - 2, qPrintable(QString::number(widthOf("scores"))));
    QVERIFY2(widthOf("heads") >= 254 - 2, qPrintable(QString::number(widthOf("heads"))));
    // The window itself, closed on a projector and opened on a large screen, and the other way round.
    for (const auto& [there, here] :
         {std::pair(QSize(1280, 720), QSize(2560, 1440)), std::pair(QSize(2560, 1440), QSize(1440, 900))}) {
        const QSize chosen = there * 3 / 4;
        QCOMPARE(widgets::sizeOnScreen(chosen, there, here), here * 3 / 4);
        QCOMPARE(widgets::sizeOnScreen(there, there, there), there);
    }
    QCOMPARE(widgets::sizeOnScreen({1440, 900}, {}, {1280, 720}), QSize(1280, 720)); // of an earlier version
}

void TestWindowGeometry::onTheScreenOfALaptop()
{
    if (qEnvironmentVariableIsSet("QT_SCALE_FACTOR"))
        QSKIP("this is the program at scale 2");
    QProcess again;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"QT_SCALE_FACTOR"_s, u"2"_s);
    again.setProcessEnvironment(environment);
    again.setProcessChannelMode(QProcess::MergedChannels);
    QStringList arguments{u"mapsAreLarge:1280x720"_s, u"newsMovesNothing:1280x720"_s};
    for (const char* language : {"en", "de"})
        for (const int percent : {100, 125, 150, 175})
            arguments += u"nothingIsCutOff:%1 1280x720 at %2 %"_s.arg(QLatin1String(language)).arg(percent);
    again.start(QCoreApplication::applicationFilePath(), arguments);
    QVERIFY(again.waitForFinished(5 * kWait));
    const QStringList said = QString::fromUtf8(again.readAll()).split(u'\n');
    const QStringList failed = said.filter(QRegularExpression(u"^(FAIL|   Loc|QFATAL|XPASS)|Actual|Expected"_s));
    QVERIFY2(again.exitStatus() == QProcess::NormalExit && again.exitCode() == 0,
             qPrintable(failed.isEmpty() ? said.mid(std::max<qsizetype>(said.size() - 5, 0)).join(u'\n')
                                         : failed.join(u'\n')));
}

// Cards that float, or are seen, tell that they hide while the window goes: nobody may ask its layout then, which is
// gone. What is freed is overwritten here.
void TestWindowGeometry::floatingCardsGoWithTheWindow()
{
    open(u"en"_s);
    for (QDockWidget* card : m_window->findChildren<QDockWidget*>()) {
        card->setFloating(true);
        card->show();
    }
    mallopt(M_PERTURB, 0xa5);
    m_window.reset();
    mallopt(M_PERTURB, 0);
}

QTEST_MAIN(TestWindowGeometry)
#include "tst_windowgeometry.moc"
