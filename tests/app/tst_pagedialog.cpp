// SPDX-License-Identifier: GPL-3.0-or-later
// File > Export > Web page: what is previewed is what is written, by the command; a stop, newer options, what fails.
#include "app/window/dialogs/pagedialog.h"
#include "sessions/sessionstore.h"
#include "tests/support/windowfixture.h"

#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::PageDialog;

namespace {

constexpr int kWait = 300000; // a stop for a hung program, not a measure
const QString kModels = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models");

QByteArray bytesIn(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool runCommand(const QStringList& arguments)
{
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments);
    return process.waitForFinished(kWait) && process.exitCode() == 0;
}

} // namespace

class TestPageDialog : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_dialog = std::make_unique<PageDialog>(qEnvironmentVariable("HEADSCOPE_CLI")); }
    void previewsWhatItWrites();
    void previewsTheNewestOptions();
    void isStopped();
    void whatFailsIsSaid();
    void theMenuKeepsWhatIsOnTheScreen();

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] QPushButton* button(const char* name) const
    {
        return m_dialog->findChild<QPushButton*>(QString::fromLatin1(name));
    }
    [[nodiscard]] QString said() const { return m_dialog->findChild<QLabel*>(u"said"_s)->text(); }
    [[nodiscard]] QString contents() const { return m_dialog->findChild<QPlainTextEdit*>()->toPlainText(); }
    [[nodiscard]] bool settled() const
    {
        return QTest::qWaitFor([this] { return !button("stop")->isEnabled(); }, kWait);
    }

    QTemporaryDir m_folder;
    QString m_session;
    std::unique_ptr<PageDialog> m_dialog;
};

void TestPageDialog::initTestCase()
{
    m_session = path(u"s.headscope"_s);
    QVERIFY(runCommand({u"rank"_s, kModels + u"/tiny-transformer"_s, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s,
                        u"10"_s, u"--session"_s, m_session, u"--quiet"_s}));
    auto session = sessions::SessionStore::open(m_session.toStdString());
    QVERIFY(session.has_value());
    const auto models = session->models();
    QVERIFY(models.has_value() && models->size() == 1);
    QVERIFY(session->putLabel({models->front().hash, "L2H5", "Ada's favourite", "#ff0000"}).has_value());
}

void TestPageDialog::previewsWhatItWrites()
{
    const QString written = path(u"window.html"_s), commanded = path(u"command.html"_s);
    m_dialog->offer(m_session, {{u"one-head"_s, u"One head"_s}});
    QVERIFY(!button("save")->isEnabled()); // before its preview
    m_dialog->saveTo(written);
    QVERIFY(settled());
    QVERIFY(!QFile::exists(written));
    QVERIFY2(contents().contains(u"L2H5: Ada's favourite"_s), qPrintable(contents()));
    QVERIFY2(contents().contains(kModels + u"/tiny-transformer"_s), qPrintable(contents())); // left out, and here only
    QVERIFY2(contents().contains(u"measured states: 33, rankings: 1"_s), qPrintable(contents()));

    auto* story = m_dialog->findChild<QComboBox*>(u"story"_s);
    story->setCurrentIndex(1);
    Q_EMIT story->activated(1);
    QVERIFY(settled());
    const QString previewed = said();
    m_dialog->saveTo(written);
    QVERIFY(settled());
    QCOMPARE(said(), u"The page is in %1."_s.arg(written));
    QVERIFY(runCommand({u"page"_s, m_session, u"-o"_s, commanded, u"--story"_s, u"one-head"_s, u"--quiet"_s}));
    QVERIFY(bytesIn(written) == bytesIn(commanded));
    const QString size = QLocale().toString(double(QFileInfo(written).size()) / 1e6, 'f', 2);
    QVERIFY2(previewed.contains(size + u" MB"_s), qPrintable(previewed));
}

void TestPageDialog::previewsTheNewestOptions()
{
    m_dialog->offer(m_session, {});
    auto* title = m_dialog->findChild<QLineEdit*>();
    for (const QString& text : {u"first"_s, u"second"_s, u"the last one"_s}) {
        title->setText(text);
        title->setModified(true);
        Q_EMIT title->editingFinished();
    }
    QVERIFY(button("stop")->isEnabled() && !button("save")->isEnabled());
    QVERIFY(settled());
    QVERIFY(button("save")->isEnabled());
    m_dialog->saveTo(path(u"titled.html"_s));
    QVERIFY(settled());
    QVERIFY(bytesIn(path(u"titled.html"_s)).contains("<title>the last one</title>"));
}

void TestPageDialog::isStopped()
{
    m_dialog->offer(m_session, {});
    button("stop")->click();
    QVERIFY(settled());
    QCOMPARE(said(), u"Stopped."_s);
    QVERIFY(!button("save")->isEnabled());
    QVERIFY(contents().isEmpty());
}

void TestPageDialog::whatFailsIsSaid()
{
    m_dialog->offer(path(u"none.headscope"_s), {});
    QVERIFY(settled());
    QVERIFY2(said().contains(u"none.headscope"_s), qPrintable(said()));
    QVERIFY(!button("save")->isEnabled());

    m_dialog->offer(m_session, {});
    QVERIFY(settled());
    m_dialog->saveTo(u"/nowhere/page.html"_s);
    QVERIFY(settled());
    QVERIFY2(said().contains(u"/nowhere"_s), qPrintable(said()));

    PageDialog dialog(u"/nowhere/headscope-cli"_s);
    dialog.offer(m_session, {});
    const auto* words = dialog.findChild<QLabel*>(u"said"_s);
    QVERIFY(QTest::qWaitFor([&] { return words->text().contains(u"could not be started"_s); }, kWait));
}

void TestPageDialog::theMenuKeepsWhatIsOnTheScreen()
{
    testing::WindowFixture fixture;
    QVERIFY(fixture.open(kModels + u"/tiny-transformer"_s, u"window.headscope"_s));
    QVERIFY(QTest::qWaitFor(
        [&] { return fixture.window().door().facts() && fixture.explorer().pattern(Side::A) != nullptr; }, kWait));
    for (QAction* action : fixture.window().findChildren<QAction*>())
        if (action->text() == u"&Web page …"_s)
            action->trigger();
    QVERIFY(QTest::qWaitFor([&] { return fixture.window().pageDialog() != nullptr; }, kWait));
    QVERIFY(QTest::qWaitFor([&] { return fixture.window().pageDialog()->isVisible(); }, kWait));
    auto session = sessions::SessionStore::open(fixture.file(u"window.headscope"_s).toStdString(),
                                                {.create = false, .readOnly = true});
    QVERIFY(session.has_value());
    const auto patterns = session->patterns();
    QVERIFY(patterns.has_value() && !patterns->empty());
}

QTEST_MAIN(TestPageDialog)
#include "tst_pagedialog.moc"
