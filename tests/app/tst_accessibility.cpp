// SPDX-License-Identifier: GPL-3.0-or-later
// The window without eyes and without a mouse: a walk through its accessibility tree, page by page and dialog by
// dialog. Every control has a name, Tab comes to each and leaves it, what changes is announced, and text stands out
// from its ground by 4.5 to 1, measured in what is painted.
#include "app/window/benchmarks/benchmarkscontroller.h"
#include "app/window/dialogs/shortcutsdialog.h"
#include "app/window/experiments/experimentspage.h"
#include "app/window/explorer.h"
#include "app/window/explorerpage.h"
#include "app/window/finder/commandfinder.h"
#include "app/window/lecture/lecturecontroller.h"
#include "app/window/mainwindow.h"
#include "app/window/settings/settingscontroller.h"
#include "app/window/tours/tourguide.h"
#include "tests/support/contrast.h"
#include "widgets/look/appstyle.h"
#include "widgets/look/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QRadioButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace headscope;
using headscope::testing::contrast;
using namespace Qt::StringLiterals;
using gui::MainWindow;

namespace {

constexpr int kWait = 120000; // slow machines; nothing here is timed
constexpr double kLeastContrast = 4.5;

/// The ground is the colour of most pixels, the ink the one that stands out most.
double paintedContrast(const QImage& image)
{
    QHash<QRgb, int> colours;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++colours[image.pixel(x, y) | 0xff000000U];
    QRgb ground = 0;
    int most = 0;
    for (auto it = colours.begin(); it != colours.end(); ++it)
        if (it.value() > most) {
            most = it.value();
            ground = it.key();
        }
    double best = 1;
    for (auto it = colours.begin(); it != colours.end(); ++it)
        best = std::max(best, contrast(QColor(it.key()), QColor(ground)));
    return best;
}

QString nameOf(const QWidget* widget)
{
    QString name = QLatin1String(widget->metaObject()->className());
    const QString own = !widget->objectName().isEmpty() ? widget->objectName() : widget->accessibleName();
    return (widget->parentWidget() && !widget->isWindow() ? nameOf(widget->parentWidget()) + u'/' : QString()) + name
           + (own.isEmpty() ? QString() : u'(' + own + u')');
}

/// Parts that Qt makes inside its own widgets.
bool isInner(const QWidget* widget)
{
    return widget->objectName().startsWith(u"qt_"_s) || qobject_cast<const QScrollBar*>(widget)
           || (widget->parentWidget() && qobject_cast<const QComboBox*>(widget->parentWidget()))
           || (widget->parentWidget() && qobject_cast<const QTabBar*>(widget->parentWidget()))
           || widget->inherits("QTableCornerButton")
           // that of docks lies elsewhere while none share a place
           || (qobject_cast<const QTabBar*>(widget) && qobject_cast<const QMainWindow*>(widget->parentWidget())
               && !widget->parentWidget()->rect().contains(widget->geometry().center()));
}

bool isControl(QAccessible::Role role)
{
    switch (role) {
    case QAccessible::PushButton:
    case QAccessible::CheckBox:
    case QAccessible::RadioButton:
    case QAccessible::ComboBox:
    case QAccessible::EditableText:
    case QAccessible::SpinBox:
    case QAccessible::Slider:
    case QAccessible::List:
    case QAccessible::Table:
    case QAccessible::Tree:
    case QAccessible::PageTab:
    case QAccessible::PageTabList:
    case QAccessible::MenuItem:
    case QAccessible::ButtonMenu:
    case QAccessible::ButtonDropDown:
    case QAccessible::Graphic:
    case QAccessible::Canvas:
    case QAccessible::Chart:
    case QAccessible::Dialog:
    case QAccessible::ProgressBar: return true;
    default: return false;
    }
}

/// All that a screen reader can read of a widget and its parts. Qt announces each change of it by itself, and of the
/// lines of a view; only with a reader there, so that the text is what a test can see.
QStringList readable(QAccessibleInterface* at, int depth = 0)
{
    if (!at || !at->isValid() || depth > 40)
        return {};
    if (const auto* view = qobject_cast<const QAbstractItemView*>(at->object())) {
        QStringList lines{at->text(QAccessible::Name), at->text(QAccessible::Description)};
        const QAbstractItemModel* model = view->model();
        for (int row = 0; model && row < std::min(model->rowCount(), 50); ++row)
            for (int column = 0; column < std::min(model->columnCount(), 12); ++column)
                for (const int role : {static_cast<int>(Qt::DisplayRole), static_cast<int>(Qt::AccessibleTextRole)})
                    lines += model->index(row, column).data(role).toString();
        return lines;
    }
    QStringList lines;
    for (const auto text : {QAccessible::Name, QAccessible::Description, QAccessible::Value})
        lines += at->text(text);
    for (int i = 0; i < at->childCount(); ++i)
        lines += readable(at->child(i), depth + 1);
    return lines;
}

} // namespace

class TestAccessibility : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void everyControlHasAName_data() { addPlaces(); }
    void everyControlHasAName();
    void tabComesAndGoes_data() { addPlaces(); }
    void tabComesAndGoes();
    void changesAreAnnounced();
    void textStandsOut_data();
    void textStandsOut();
    void paletteStandsOut_data();
    void paletteStandsOut();

private:
    static void addPlaces();
    /// Goes there and returns what is to be walked: the window, or a dialog in front of it.
    QWidget* go(const QString& place);
    void leave(QWidget* place);
    void showExperts() const;
    void walk(QAccessibleInterface* at, int depth, QStringList& nameless);
    [[nodiscard]] bool idle() const
    {
        return QTest::qWaitFor([&] { return !m_window->worker()->busy(); }, kWait);
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
    int m_seen = 0;
};

void TestAccessibility::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
    QApplication::setStyle(new widgets::AppStyle);
    QAccessible::setActive(true);
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    options.session = m_folder.filePath(u"one.headscope"_s);
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(1440, 900);
    m_window->show();
    m_window->openModels(u"tiny-transformer"_s, u"tiny-ssm"_s);
    QSignalSpy scored(m_window->explorer(), &gui::Explorer::scoresFinal);
    QVERIFY(QTest::qWaitFor([&] { return scored.size() >= 2; }, kWait));
    m_window->explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), u"one"_s);
    QVERIFY(idle());
    QVERIFY(m_window->explorer()->pattern(Side::B));
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void TestAccessibility::addPlaces()
{
    QTest::addColumn<QString>("place");
    for (const char* place :
         {"explorer",   "table",   "flips",       "continuation", "tour",       "why",       "patching", "edges",
          "knockout",   "weights", "score-parts", "probes",       "steering",   "experts",   "survey",   "gallery",
          "experiment", "lecture", "finder",      "settings",     "benchmarks", "shortcuts", "manual",   "figures"})
        QTest::newRow(place) << QString::fromLatin1(place);
}

QWidget* TestAccessibility::go(const QString& place)
{
    const auto dialog = [](auto* found) -> QWidget* { return found; };
    if (place == u"table")
        m_window->findChild<gui::ExplorerPage*>()->showDetails();
    else if (place == u"flips" || place == u"why" || place == u"survey" || place == u"lecture" || place == u"steering"
             || place == u"weights" || place == u"score-parts" || place == u"patching" || place == u"edges")
        m_window->act(place);
    else if (place == u"continuation")
        m_window->act(u"continue"_s);
    else if (place == u"knockout" || place == u"probes")
        m_window->findChild<gui::ExplorerPage*>()->showWhy(place == u"probes"
                                                               ? static_cast<QWidget*>(m_window->parts().why->probes())
                                                               : m_window->parts().why->sweep());
    else if (place == u"experts")
        showExperts();
    else if (place == u"tour")
        m_window->guide()->open(m_window->guide()->choices().first().id);
    else if (place == u"gallery")
        m_window->showGallery();
    else if (place == u"experiment")
        m_window->showExperiment(0);
    else if (place == u"finder")
        m_window->finder()->open();
    else if (place == u"settings")
        m_window->settings()->open();
    else if (place == u"benchmarks")
        m_window->benchmarks()->open();
    else if (place == u"shortcuts")
        (new gui::ShortcutsDialog(*m_window->findChild<QMenuBar*>(), m_window.get()))->show();
    else if (place == u"figures") {
        for (QAction* action : m_window->findChildren<QAction*>())
            if (action->shortcut() == QKeySequence(u"Ctrl+E"_s))
                action->trigger();
    } else if (place == u"manual") {
        for (QAction* action : m_window->findChildren<QAction*>())
            if (action->shortcut() == QKeySequence(u"Ctrl+F1"_s))
                action->trigger();
    }
    if (!idle())
        return nullptr;
    QCoreApplication::processEvents();
    QTest::qWait(1); // windows that open are shown
    for (QWidget* top : QApplication::topLevelWidgets())
        if (top != m_window.get() && top->isVisible() && !qobject_cast<QMenu*>(top) && top->isWindow()
            && !top->inherits("QTipLabel"))
            return dialog(top);
    return m_window.get();
}

// None of the shipped models has any.
void TestAccessibility::showExperts() const
{
    widgets::WhyPage& why = *m_window->parts().why;
    why.setExpertsShown(true);
    why.experts()->setLayers({0});
    why.experts()->setShown(Side::A, true);
    why.experts()->view(Side::A)->setTitle(u"A, all heads on"_s);
    why.experts()->view(Side::A)->setExperts(
        {.corner = u"token"_s,
         .rows = {{.name = u"0 The"_s}, {.name = u"1 is"_s}},
         .columns = {{.name = u"X0"_s, .id = 0, .count = 1, .share = 0.5}, {.name = u"X1"_s, .id = 1, .off = true}},
         .cells = {{.value = 0.9, .strength = 1}, {}, {}, {.value = 0.5, .strength = 0.5F}},
         .scale = widgets::GridScale::SideA,
         .sparse = true},
        u"Each of 2 tokens goes to 1 of 2 experts of layer 0."_s);
    m_window->findChild<gui::ExplorerPage*>()->showWhy(why.experts());
}

void TestAccessibility::leave(QWidget* place)
{
    if (m_window->lecture()->isOpen())
        m_window->lecture()->toggle();
    if (place && place != m_window.get())
        place->close();
    m_window->parts().scores->setFlipsOpen(false);
    m_window->parts().continuation->hide();
    m_window->guide()->close();
    if (m_window->experiments() && m_window->experiments()->isVisible())
        Q_EMIT m_window->experiments()->backRequested();
    m_window->findChild<gui::ExplorerPage*>()->showPatterns();
    QVERIFY(idle());
}

void TestAccessibility::walk(QAccessibleInterface* at, int depth, QStringList& nameless)
{
    if (!at || !at->isValid() || at->state().invisible || depth > 60)
        return;
    const auto* widget = qobject_cast<QWidget*>(at->object());
    if (widget && (!widget->isVisible() || isInner(widget)))
        return;
    const QAccessible::Role role = at->role();
    if (isControl(role)) {
        ++m_seen;
        if (at->text(QAccessible::Name).trimmed().isEmpty())
            nameless += u"%1, role %2"_s
                            .arg(widget ? nameOf(widget)
                                        : u"a part of "_s
                                              + (at->parent() && qobject_cast<QWidget*>(at->parent()->object())
                                                     ? nameOf(qobject_cast<QWidget*>(at->parent()->object()))
                                                     : QString()))
                            .arg(role);
    }
    if (role == QAccessible::Table || role == QAccessible::List || role == QAccessible::Tree
        || role == QAccessible::ComboBox)
        return; // its lines are texts
    for (int i = 0; i < at->childCount(); ++i)
        walk(at->child(i), depth + 1, nameless);
}

void TestAccessibility::everyControlHasAName()
{
    QFETCH(QString, place);
    QWidget* there = go(place);
    QVERIFY(there);
    QStringList nameless;
    m_seen = 0;
    walk(QAccessible::queryAccessibleInterface(there), 0, nameless);
    QList<QWidget*> parts = there->findChildren<QWidget*>();
    parts.append(there);
    for (const QWidget* widget : std::as_const(parts)) {
        const auto* label = qobject_cast<const QLabel*>(widget);
        if (!widget->isVisibleTo(there) || widget->focusPolicy() == Qt::NoFocus || isInner(widget)
            || (label && label->text().isEmpty())) // it says nothing yet
            continue;
        ++m_seen;
        QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
        if (!interface || interface->text(QAccessible::Name).trimmed().isEmpty())
            nameless += nameOf(widget) + u", takes the focus"_s;
    }
    leave(there);
    nameless.removeDuplicates();
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
    QVERIFY2(m_seen >= (place == u"lecture" ? 1 : 2), qPrintable(QString::number(m_seen))); // which is one picture
}

void TestAccessibility::tabComesAndGoes()
{
    QFETCH(QString, place);
    QWidget* there = go(place);
    QVERIFY(there);
    QSet<const QWidget*> wanted;
    for (QWidget* widget : there->findChildren<QWidget*>()) {
        const bool other = widget->window() != there && !widget->isVisible();
        if (other || !widget->isVisible() || !widget->isEnabled() || isInner(widget) || widget->focusProxy())
            continue;
        const auto* button = qobject_cast<QAbstractButton*>(widget);
        const bool clicked = button && !qobject_cast<QTabBar*>(widget->parentWidget());
        if ((widget->focusPolicy() & Qt::TabFocus) || clicked)
            wanted.insert(widget);
    }
    // Of radio buttons Tab comes to the one that is chosen; arrows go on from there.
    for (auto it = wanted.begin(); it != wanted.end();)
        if (const auto* radio = qobject_cast<const QRadioButton*>(*it); radio && !radio->isChecked())
            it = wanted.erase(it);
        else
            ++it;
    there->activateWindow();
    (void)QTest::qWaitForWindowActive(there); // where it cannot be, focus goes about all the same
    if (!QApplication::focusWidget() || QApplication::focusWidget()->window() != there->window())
        there->setFocus();
    QSet<const QWidget*> reached;
    QStringList stuck;
    const auto most = 3 * wanted.size() + 250;
    const QWidget* last = nullptr;
    int held = 0; // how often Tab stayed: links of a page are gone through
    for (qsizetype step = 0; step < most; ++step) {
        QWidget* at = QApplication::focusWidget();
        if (!at) {
            QTest::keyClick(there, Qt::Key_Tab);
            if (!QApplication::focusWidget())
                break;
            continue;
        }
        reached.insert(at);
        for (const QWidget* up = at->parentWidget(); up; up = up->parentWidget())
            if (up->focusProxy() == at)
                reached.insert(up);
        held = at == last ? held + 1 : 0;
        last = at;
        QTest::keyClick(at, Qt::Key_Tab);
        if (QApplication::focusWidget() == at && wanted.size() > 1 && held > (at->inherits("QTextBrowser") ? 200 : 0)) {
            stuck += nameOf(at);
            break;
        }
    }
    QStringList missed;
    for (const QWidget* widget : wanted)
        if (!reached.contains(widget)) {
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            missed += nameOf(widget) + (button ? u" “%1”"_s.arg(button->text()) : QString());
        }
    leave(there);
    QVERIFY2(stuck.isEmpty(), qPrintable(u"Tab does not leave "_s + stuck.join(u'\n')));
    QVERIFY2(missed.isEmpty(), qPrintable(u"Tab does not come to\n"_s + missed.join(u'\n')));
    QVERIFY(!reached.isEmpty());
}

void TestAccessibility::changesAreAnnounced()
{
    const auto& parts = m_window->parts();
    auto* explorer = m_window->explorer();
    const auto heard = [&](const char* what, QWidget* by, const std::function<void()>& act) {
        const auto read = [by] { return readable(QAccessible::queryAccessibleInterface(by)); };
        const QStringList before = read();
        act();
        if (idle() && QTest::qWaitFor([&] { return read() != before; }, 5000))
            return QByteArray();
        return QByteArray(what) + " is not told by " + nameOf(by).toUtf8();
    };
    QList<QByteArray> missed;
    missed << heard("a head that is ablated", parts.mapA,
                    [&] { explorer->changeAblation(Side::A, *interventions::InterventionSet::parse("L1H2"), u"x"_s); });
    missed << heard("a result", parts.scores,
                    [&] { explorer->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H5"), u"x"_s); });
    missed << heard("what became of it", parts.messages,
                    [&] { explorer->changeAblation(Side::A, *interventions::InterventionSet::parse("L1H2"), u"x"_s); });
    missed << heard("a run", parts.runs,
                    [&] { explorer->changeAblation(Side::A, *interventions::InterventionSet::parse("L0H3"), u"x"_s); });
    missed << heard("another head's map", parts.patternA, [&] {
        m_window->state()->setHead(Side::A, {1, interventions::Site::Any, 2});
    });
    missed << heard("the row that is locked", parts.patternA, [&] { Q_EMIT parts.patternA->rowLocked(20); });
    missed << heard("the cell that the keyboard is at", parts.patternA, [&] {
        parts.patternA->setFocus();
        QTest::keyClick(parts.patternA, Qt::Key_Left);
    });
    missed << heard("another sample", parts.prompt, [&] { explorer->stepSample(1); });
    missed << heard("an answer that was continued", parts.continuation, [&] { m_window->act(u"continue"_s); });
    parts.continuation->hide();
    missed.removeAll(QByteArray());
    QVERIFY2(missed.isEmpty(), missed.join('\n').constData());
}

void TestAccessibility::textStandsOut_data()
{
    QTest::addColumn<QString>("look");
    QTest::addColumn<QString>("place");
    for (const char* look : {"light", "dark"})
        for (const char* place : {"explorer", "flips", "tour", "why", "survey", "gallery", "experiment", "settings"})
            QTest::addRow("%s %s", look, place) << QString::fromLatin1(look) << QString::fromLatin1(place);
}

void TestAccessibility::textStandsOut()
{
    QFETCH(QString, look);
    QFETCH(QString, place);
    m_window->setLook(look);
    QWidget* there = go(place);
    QVERIFY(there);
    const QImage whole = there->grab().toImage();
    const qreal ratio = whole.devicePixelRatio();
    QStringList faint;
    int measured = 0;
    for (const QWidget* widget : there->findChildren<QWidget*>()) {
        const auto* label = qobject_cast<const QLabel*>(widget);
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const QString text = label ? label->text() : button ? button->text() : QString();
        if (!widget->isVisible() || !widget->isEnabled() || text.trimmed().isEmpty() || isInner(widget)
            || widget->window() != there->window() || (label && !label->pixmap().isNull()))
            continue;
        const QRect box(widget->mapTo(there, QPoint()), widget->size());
        const QRect seen = box & QRect(QPoint(), there->size());
        // What a scroll area cuts may show no letter of its text.
        if (seen.width() < 8 || seen.height() < 8 || widget->visibleRegion().boundingRect().height() < widget->height())
            continue;
        ++measured;
        const QRect pixels(QPoint(static_cast<int>(seen.x() * ratio), static_cast<int>(seen.y() * ratio)),
                           seen.size() * ratio);
        if (const double found = paintedContrast(whole.copy(pixels)); found < kLeastContrast)
            faint += u"%1 : 1, “%2” in %3"_s.arg(found, 0, 'f', 2).arg(text, nameOf(widget));
    }
    leave(there);
    m_window->setLook(u"light"_s);
    QVERIFY2(faint.isEmpty(), qPrintable(faint.join(u'\n')));
    QVERIFY2(measured > 3, qPrintable(QString::number(measured)));
}

void TestAccessibility::paletteStandsOut_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestAccessibility::paletteStandsOut()
{
    QFETCH(bool, dark);
    const QPalette palette = dark ? widgets::darkPalette() : widgets::lightPalette();
    const widgets::Theme theme = widgets::themeOf(palette);
    const QColor window = palette.color(QPalette::Window);
    QStringList faint;
    const auto check = [&](const char* what, const QColor& ink, const QColor& ground) {
        if (const double found = contrast(ink, ground); found < kLeastContrast)
            faint += u"%1: %2 : 1"_s.arg(QLatin1String(what)).arg(found, 0, 'f', 2);
    };
    for (const QColor& ground : {theme.base, window, theme.raised, palette.color(QPalette::Button)}) {
        check("text", theme.text, ground);
        check("secondary text", theme.muted, ground);
        check("A", theme.sideA, ground);
        check("B", theme.sideB, ground);
        check("better", theme.good, ground);
        check("worse", theme.bad, ground);
        check("locked row", theme.crosshair, ground);
    }
    for (const Side side : kSides)
        check("tag", widgets::sideColor(theme, side), widgets::sideGround(theme, side));
    for (const QColor& ground : {theme.base, window}) {
        check("link", palette.color(QPalette::Link), ground);
        check("placeholder", palette.color(QPalette::PlaceholderText), ground);
    }
    check("selected", palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight));
    check("tool tip", palette.color(QPalette::ToolTipText), palette.color(QPalette::ToolTipBase));
    QVERIFY2(faint.isEmpty(), qPrintable(faint.join(u'\n')));
}

QTEST_MAIN(TestAccessibility)
#include "tst_accessibility.moc"
