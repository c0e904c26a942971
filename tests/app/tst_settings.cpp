// SPDX-License-Identifier: GPL-3.0-or-later
// The settings page: every setting is shown, read, remembered and done, and a change is told before it is made.
#include "app/window/explorer.h"
#include "app/window/mainwindow.h"
#include "app/window/settings/settingscontroller.h"
#include "app/window/settings/settingsdialog.h"
#include "app/window/settings/typebutton.h"
#include "core/io/pathlist.h"
#include "widgets/frame/messagebar.h"
#include "widgets/scores/costview.h"
#include "widgets/scores/scoreboardmodel.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <memory>

using namespace headscope;
using namespace Qt::StringLiterals;
using app::Door;
using gui::Appearance;
using gui::MainWindow;
using gui::ModelController;
using gui::SettingsDialog;
using gui::WindowSettings;

namespace {

gui::WindowOptions onTheProcessor()
{
    gui::WindowOptions options;
    options.backend.resources = HEADSCOPE_SOURCE_DIR "/resources";
    options.backend.device = "cpu";
    return options;
}

} // namespace

class TestSettings : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup() { QSettings().clear(); }
    void numbersHaveAPointInEveryLanguage();
    void everySettingIsRemembered();
    void whatIsNoSettingGivesWayToItsDefault();
    void thePageShowsAndReadsEverySetting();
    void defaultsComeBack();
    void aChangeIsToldBeforeItIsMade_data();
    void aChangeIsToldBeforeItIsMade();
    void whatCanNotBeIsRefused_data();
    void whatCanNotBeIsRefused();
    void aChangeOpensTheModelsAgain();
    void anotherStartTokenReadsThePromptAnew();
    void scoresEndWhereTheyAreDecided();
    void itScrollsOnASmallScreen();
    void oneClickChangesTheType();
    void twoTypesStandSideBySide();
    void whatDoesNotFitIsOfferedInLess();
    void looksChangeAtOnce();

private:
    [[nodiscard]] WindowSettings other() const;
    QTemporaryDir m_folder;
};

namespace {

constexpr int kWait = 120000; // slow machines; nothing here is timed

} // namespace

void TestSettings::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
}

/// Differs from the defaults in every member.
WindowSettings TestSettings::other() const
{
    return {.work = {.device = "cuda:1",
                     .dtype = "bf16",
                     .threads = 3,
                     .memory = 12'000'000'000,
                     .keptPacked = 3'000'000'000,
                     .startToken = app::StartToken::Always,
                     .boundary = engine::Boundary::CommonPrefix,
                     .stopWidth = 0.08,
                     .stopLevel = 0.99,
                     .orderSeed = 7,
                     .seed = 18'446'744'073'709'551'615U,
                     .dataFolder = m_folder.path().toStdString(),
                     .wordsFolder = m_folder.path().toStdString()},
            .look = Appearance::Look::Dark,
            .textScale = 1.5,
            .motion = false,
            .clickLooks = true,
            .language = u"de"_s};
}

void TestSettings::numbersHaveAPointInEveryLanguage()
{
    for (const QString& language : {u"en"_s, u"de"_s, u"fr"_s})
        QCOMPARE(gui::localeOf(language).toString(0.5), u"0.5"_s);
    QCOMPARE(gui::localeOf(u"de"_s).language(), QLocale::German);
}

void TestSettings::everySettingIsRemembered()
{
    QVERIFY(gui::rememberedSettings() == WindowSettings());
    gui::remember(other());
    QVERIFY(gui::rememberedSettings() == other());
}

void TestSettings::whatIsNoSettingGivesWayToItsDefault()
{
    gui::remember(other());
    QSettings stored;
    stored.setValue(u"models/device"_s, u"abacus"_s);
    stored.setValue(u"models/threads"_s, -3);
    stored.setValue(u"models/startToken"_s, u"sometimes"_s);
    stored.setValue(u"look"_s, 17);
    const WindowSettings read = gui::rememberedSettings();
    QCOMPARE(read.work.device, "auto");
    QCOMPARE(read.work.threads, 0);
    QVERIFY(read.work.startToken == app::StartToken::Automatic);
    QVERIFY(read.look == Appearance::Look::Dark); // the last there is
    QCOMPARE(read.work.dtype, "bf16");            // what is good stays
}

void TestSettings::thePageShowsAndReadsEverySetting()
{
    SettingsDialog page;
    const auto first = page.settings();
    QVERIFY(first.has_value());
    QVERIFY(*first == WindowSettings());
    page.setSettings(other());
    const auto read = page.settings();
    QVERIFY2(read.has_value(), read.has_value() ? "" : read.error().message.c_str());
    QVERIFY(*read == other());
    QVERIFY(page.note().isEmpty());
    // And says where disk space goes.
    const QString kept = page.findChild<QSpinBox*>(u"keptPacked"_s)->toolTip();
    QVERIFY2(kept.contains(QString::fromStdString(io::cacheFolder().string())), qPrintable(kept));
}

void TestSettings::defaultsComeBack()
{
    SettingsDialog page;
    page.setSettings(other());
    page.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::RestoreDefaults)->click();
    QVERIFY(*page.settings() == WindowSettings());
    QSignalSpy applied(&page, &SettingsDialog::applied);
    page.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Apply)->click();
    QCOMPARE(applied.size(), 1);
    QVERIFY(applied.first().first().value<WindowSettings>() == WindowSettings());
}

void TestSettings::aChangeIsToldBeforeItIsMade_data()
{
    QTest::addColumn<QString>("box");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("told");
    QTest::newRow("dtype") << u"dtype"_s << u"fp16"_s << u"are reopened"_s;
    QTest::newRow("device") << u"device"_s << u"processor"_s << u"are reopened"_s;
    QTest::newRow("start token") << u"startToken"_s << u"never"_s << u"scored again"_s;
    QTest::newRow("merged tokens") << u"boundary"_s << u"from the longest common prefix"_s << u"scored again"_s;
    QTest::newRow("language") << u"language"_s << u"Deutsch"_s << u"next start"_s;
}

void TestSettings::aChangeIsToldBeforeItIsMade()
{
    QFETCH(const QString, box);
    QFETCH(const QString, value);
    QFETCH(const QString, told);
    SettingsDialog page;
    QSignalSpy applied(&page, &SettingsDialog::applied);
    page.findChild<QComboBox*>(box)->setCurrentText(value);
    QVERIFY2(page.note().contains(told), qPrintable(page.note()));
    QVERIFY(applied.isEmpty());
    page.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->click();
    QCOMPARE(applied.size(), 1);
    QVERIFY(page.note().isEmpty()); // nothing is left to do
}

void TestSettings::whatCanNotBeIsRefused_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("told");
    QTest::newRow("memory") << u"memory"_s << u"12 elephants"_s << u"12 elephants"_s;
    QTest::newRow("seed") << u"seed"_s << u"-1"_s << u"whole number"_s;
    QTest::newRow("order") << u"order"_s << u"first"_s << u"whole number"_s;
    QTest::newRow("data") << u"data"_s << u"/nowhere/at/all"_s << u"no folder"_s;
    QTest::newRow("words") << u"words"_s << u"/nowhere/at/all"_s << u"no folder"_s;
    QTest::newRow("no file's name") << u"words"_s << u"/tmp\0/x"_s << u"no folder"_s;
}

void TestSettings::whatCanNotBeIsRefused()
{
    QFETCH(const QString, line);
    QFETCH(const QString, value);
    QFETCH(const QString, told);
    SettingsDialog page;
    page.findChild<QLineEdit*>(line)->setText(value);
    QVERIFY2(page.note().contains(told), qPrintable(page.note()));
    auto* buttons = page.findChild<QDialogButtonBox*>();
    QVERIFY(!buttons->button(QDialogButtonBox::Ok)->isEnabled());
    QVERIFY(!buttons->button(QDialogButtonBox::Apply)->isEnabled());
    page.findChild<QLineEdit*>(line)->clear();
    QVERIFY(buttons->button(QDialogButtonBox::Ok)->isEnabled());
}

void TestSettings::aChangeOpensTheModelsAgain()
{
    gui::WindowOptions options = onTheProcessor();
    options.session = m_folder.filePath(u"settings.headscope"_s);
    MainWindow window(options);
    window.openModels(u"tiny-transformer"_s, u"tiny-transformer"_s); // loaded once, opened again on both sides
    window.show();
    const auto dtype = [&](Side side) {
        return window.explorer()->hasModel(side) ? window.explorer()->model(side)->dtype : std::string();
    };
    QVERIFY(QTest::qWaitFor([&] { return dtype(Side::A) == "fp32" && dtype(Side::B) == "fp32"; }, kWait));
    const auto off = interventions::InterventionSet::parse("L1H2");
    window.explorer()->changeAblation(Side::A, *off, u"off"_s);
    WindowSettings changed = window.settings()->settings();
    changed.work.dtype = "bf16";
    window.settings()->apply(changed);
    QVERIFY(QTest::qWaitFor([&] { return dtype(Side::A) == "bf16" && dtype(Side::B) == "bf16"; }, kWait));
    QCOMPARE(window.explorer()->ablation(Side::A), u"L1H2"_s);
    QVERIFY(gui::rememberedSettings().work == changed.work);
    window.settings()->open();
    QVERIFY(*window.settings()->dialog()->settings() == changed);
}

// It moves every token: nothing that is shown of the prompt stays, also of one that B keeps.
void TestSettings::anotherStartTokenReadsThePromptAnew()
{
    MainWindow window(onTheProcessor());
    window.openModels(u"tiny-transformer"_s, u"tiny-ssm"_s);
    window.show();
    gui::WindowState& state = *window.state();
    QVERIFY(QTest::qWaitFor(
        [&] { return state.hasModel(Side::A) && state.hasModel(Side::B) && !state.prompt().text.empty(); }, kWait));
    const auto tokens = [&](Side side) {
        const auto& pattern = state.side(side).pattern;
        return pattern && pattern->text == state.promptOf(side).text ? pattern->prompt.ids.size() : 0;
    };
    const auto read = [&](std::size_t count) {
        return QTest::qWaitFor([&] { return tokens(Side::A) == count && tokens(Side::B) == count; }, kWait);
    };
    state.setPrompt({.text = "The food of Ada is"});
    QVERIFY(read(5));
    state.keepPrompt(Side::B, true);
    window.parts().patterns->setStripShown(widgets::StripShown::Layer);
    const widgets::HeadMapModel& map = *window.parts().mapA->model();
    const auto pictured = [&] {
        return map.hasThumbnail({state.side(Side::A).head.layer, widgets::HeadKind::Attention, 0, 1});
    };
    QVERIFY(QTest::qWaitFor(pictured, kWait));
    WindowSettings changed = window.settings()->settings();
    changed.work.startToken = app::StartToken::Always;
    window.settings()->apply(changed);
    QVERIFY(!pictured());
    QVERIFY(read(6));
    QVERIFY(QTest::qWaitFor(pictured, kWait));
}

void TestSettings::scoresEndWhereTheyAreDecided()
{
    gui::WindowOptions options = onTheProcessor();
    MainWindow window(options);
    window.openModels(u"tiny-transformer"_s);
    window.show();
    QVERIFY(QTest::qWaitFor([&] { return window.explorer()->hasModel(Side::A); }, kWait));
    // 1. a tick in the menu
    QAction* until = nullptr;
    for (QAction* action : window.findChildren<QAction*>())
        if (action->text().remove(u'&') == u"Score until decided"_s)
            until = action;
    QVERIFY(until && !until->isChecked());
    until->trigger();
    QVERIFY(until->isChecked());
    QVERIFY(window.settings()->settings().work.stopWidth > 0);
    // 2. what an ablation costs is known from some of the rows, and it says from how many
    const auto lines = [&] {
        const auto scores = window.state()->side(Side::A).scores;
        return scores && scores->final && !scores->ablation.empty() ? scores->lines
                                                                    : std::vector<app::BenchmarkScore>();
    };
    window.explorer()->changeAblation(Side::A, *interventions::InterventionSet::parse("L2H*"), u"off"_s);
    QVERIFY(QTest::qWaitFor([&] { return !lines().empty(); }, kWait));
    bool stopped = false;
    for (const app::BenchmarkScore& line : lines()) {
        QVERIFY(line.final || line.stopped);
        if (!line.stopped)
            continue;
        stopped = true;
        QVERIFY(line.n < line.total);
        QVERIFY(line.p < 0.05 || line.high - line.low < window.settings()->settings().work.stopWidth);
    }
    QVERIFY(stopped);
    for (const widgets::ScoreboardRow& row : window.parts().scores->model()->rows())
        if (!row.running && row.done < row.total && row.unavailable.isEmpty())
            QVERIFY2(widgets::costWords(row).contains(QString::number(row.done)), qPrintable(widgets::costWords(row)));
    // 3. and back: all rows
    until->trigger();
    QVERIFY(!until->isChecked());
    QCOMPARE(window.settings()->settings().work.stopWidth, 0.0);
    QVERIFY(QTest::qWaitFor([&] { return !lines().empty() && !lines().front().stopped; }, kWait));
}

void TestSettings::itScrollsOnASmallScreen()
{
    SettingsDialog page;
    page.show();
    QVERIFY2(page.minimumSizeHint().height() < 400, qPrintable(QString::number(page.minimumSizeHint().height())));
    page.resize(page.minimumSizeHint().width(), 500);
    for (const QWidget* field : page.findChildren<QWidget*>())
        if (field->isVisible() && !field->objectName().isEmpty()
            && field->metaObject()->inherits(&QAbstractSpinBox::staticMetaObject))
            QVERIFY2(field->width() >= field->minimumSizeHint().width(), qPrintable(field->objectName()));
}

void TestSettings::oneClickChangesTheType()
{
    gui::WindowOptions options = onTheProcessor();
    MainWindow window(options);
    window.openModels(u"tiny-transformer"_s);
    window.show();
    const auto dtype = [&] {
        return window.explorer()->hasModel(Side::A) ? window.explorer()->model(Side::A)->dtype : std::string();
    };
    QVERIFY(QTest::qWaitFor([&] { return dtype() == "fp32"; }, kWait));
    auto* button = window.findChild<gui::TypeButton*>();
    QVERIFY(button);
    QCOMPARE(button->text(), u"CPU · fp32"_s);
    QVERIFY2(button->toolTip().contains(u"bf16"), qPrintable(button->toolTip())); // where a click leads
    QTest::mouseClick(button, Qt::LeftButton, {}, {5, button->height() / 2});
    QVERIFY(QTest::qWaitFor([&] { return dtype() == "bf16"; }, kWait));
    QCOMPARE(button->text(), u"CPU · bf16"_s);
    button->menu()->actions().front()->trigger(); // as in the settings
    QVERIFY(QTest::qWaitFor([&] { return dtype() == "fp32"; }, kWait));
    QCOMPARE(button->findChildren<QActionGroup*>().size(), 1); // nothing is left of the menu before
}

void TestSettings::twoTypesStandSideBySide()
{
    gui::WindowOptions options = onTheProcessor();
    options.session = m_folder.filePath(u"types.headscope"_s);
    auto window = std::make_unique<MainWindow>(options);
    window->openModels(u"tiny-transformer"_s, u"tiny-transformer"_s);
    window->show();
    const auto dtype = [&](Side side) {
        return window->explorer()->hasModel(side) ? window->explorer()->model(side)->dtype : std::string();
    };
    const auto opens = [&](const char* a, const char* b) {
        return QTest::qWaitFor([&] { return dtype(Side::A) == a && dtype(Side::B) == b; }, kWait);
    };
    QVERIFY(opens("fp32", "fp32"));
    // Another type for all opens all in it; one model's own leaves the other alone.
    WindowSettings changed = window->settings()->settings();
    changed.work.dtype = "bf16";
    window->settings()->apply(changed);
    QVERIFY(opens("bf16", "bf16"));
    window->explorer()->controllers().models.open(Side::B, u"tiny-transformer"_s, u"int8"_s);
    QVERIFY(opens("bf16", "int8"));
    QVERIFY2(window->windowTitle().contains(u"tiny-transformer in int8"_s), qPrintable(window->windowTitle()));
    // What else is set opens both again, each as it was.
    changed.work.memory = 4'000'000'000;
    window->settings()->apply(changed);
    QVERIFY(QTest::qWaitFor([&] { return !window->worker()->isRunning<app::OpenModelRequest>(Side::B); }, kWait));
    QVERIFY(opens("bf16", "int8"));
    // The session opens it so again, though the window was closed at once.
    window->explorer()->controllers().models.open(Side::A, u"tiny-transformer"_s, u"int4"_s);
    QVERIFY(opens("int4", "int8"));
    window->close();
    window.reset();
    window = std::make_unique<MainWindow>(options);
    window->show();
    QVERIFY(opens("int4", "int8"));
}

void TestSettings::whatDoesNotFitIsOfferedInLess()
{
    gui::WindowOptions options = onTheProcessor();
    options.backend.memory = 12'000'000; // as fp32 it takes 18 MB, as bf16 11
    MainWindow window(options);
    window.openModels(u"small-transformer"_s);
    window.show();
    auto* bar = window.parts().messages;
    QVERIFY(QTest::qWaitFor([&] { return bar->text().contains(u"as bf16 it would fit"_s); }, kWait));
    const auto buttons = bar->findChildren<QPushButton*>();
    const auto offer = std::ranges::find_if(buttons, [](auto* button) { return button->isVisible(); });
    QVERIFY(offer != buttons.end());
    (*offer)->click();
    QVERIFY(QTest::qWaitFor([&] { return window.explorer()->hasModel(Side::A); }, kWait));
    QCOMPARE(window.explorer()->model(Side::A)->dtype, std::string("bf16"));
}

void TestSettings::looksChangeAtOnce()
{
    gui::WindowOptions options = onTheProcessor();
    options.session = m_folder.filePath(u"look.headscope"_s);
    MainWindow window(options);
    const double points = QApplication::font().pointSizeF();
    WindowSettings changed = window.settings()->settings();
    changed.look = Appearance::Look::Dark;
    changed.textScale = 2;
    window.settings()->apply(changed);
    QVERIFY(QApplication::palette().color(QPalette::Window).lightness() < 128);
    QCOMPARE(QApplication::font().pointSizeF(), 2 * points);
    window.settings()->apply(WindowSettings{.work = changed.work});
    QCOMPARE(QApplication::font().pointSizeF(), points);
}

QTEST_MAIN(TestSettings)
#include "tst_settings.moc"
