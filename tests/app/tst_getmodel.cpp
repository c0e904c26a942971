// SPDX-License-Identifier: GPL-3.0-or-later
// "Get a model" against a hub of our own (tests/support/hubserver.py): a look, a download, a stop, and each refusal as
// a sentence on the page.
#include "app/window/models/getmodeldialog.h"
#include "tests/support/clifixture.h"
#include "tests/support/hubprocess.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;
using gui::GetModelDialog;

namespace {

constexpr int kWait = 30000;

} // namespace

class TestGetModel : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanupTestCase();
    void looksFetchesAndOffersToOpen();
    void theCommandSaysWhatItNeeds();
    void infoAsksTheHubWhatIsNotHere();
    void whatIsHereIsNotFetchedAgain();
    void refusalsAreSentences_data();
    void refusalsAreSentences();
    void aDownloadIsStopped();
    void namesOfFilesAreText();

private:
    [[nodiscard]] QPushButton* button(const char* name) const
    {
        return m_dialog->findChild<QPushButton*>(QString::fromLatin1(name));
    }
    [[nodiscard]] QString label(const char* name) const
    {
        return m_dialog->findChild<QLabel*>(QString::fromLatin1(name))->text();
    }
    void look(const QString& name) const
    {
        auto* line = m_dialog->findChild<QLineEdit*>(u"name"_s);
        line->setText(name);
        QTest::keyClick(line, Qt::Key_Return);
    }
    [[nodiscard]] bool settled() const
    {
        return QTest::qWaitFor([this] { return !button("stop")->isEnabled(); }, kWait);
    }
    testing::HubProcess m_server;
    hub::HubSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_cache;
    std::unique_ptr<GetModelDialog> m_dialog;
};

void TestGetModel::initTestCase()
{
    QVERIFY(m_server.start());
    m_settings = m_server.settings();
}

void TestGetModel::init()
{
    m_cache = std::make_unique<QTemporaryDir>();
    m_settings.cache = std::filesystem::path(m_cache->path().toStdString()) / "hub";
    m_dialog = std::make_unique<GetModelDialog>(m_settings);
    m_dialog->show();
}

void TestGetModel::cleanupTestCase()
{
    m_dialog.reset();
    QVERIFY(m_server.stop());
}

void TestGetModel::looksFetchesAndOffersToOpen()
{
    QVERIFY(!button("look")->isEnabled() && !button("fetch")->isEnabled());
    look(u"org/good"_s);
    QVERIFY(button("stop")->isEnabled());
    QVERIFY(settled());
    QVERIFY2(label("about").contains(u"to download"_s), qPrintable(label("about")));
    QVERIFY(button("fetch")->isEnabled() && !button("openA")->isEnabled());
    QSignalSpy opened(m_dialog.get(), &GetModelDialog::openRequested),
        fetched(m_dialog.get(), &GetModelDialog::fetched);
    button("fetch")->click();
    QVERIFY(settled());
    QCOMPARE(fetched.count(), 1);
    button("openA")->click();
    QCOMPARE(opened.count(), 1);
    QVERIFY(std::filesystem::exists(opened.front().at(1).toString().toStdString() + "/model.safetensors"));
}

void TestGetModel::theCommandSaysWhatItNeeds()
{
    qputenv("HF_ENDPOINT", QByteArray::fromStdString(m_settings.endpoint));
    qputenv("HF_HOME", m_cache->path().toUtf8());
    const clifixture::Outcome said = clifixture::runAnew({u"get"_s, u"--forecast"_s, u"org/packed"_s});
    QVERIFY2(said.code == 0, said.err.constData());
    QVERIFY2(said.out.contains("packed as AWQ 4 bit g32") && said.out.contains("as bf16 it needs"),
             said.out.constData());
}

// "Would it run?" by the name alone, from the list of files and the configuration; a model that is here is described.
void TestGetModel::infoAsksTheHubWhatIsNotHere()
{
    qputenv("HF_ENDPOINT", QByteArray::fromStdString(m_settings.endpoint));
    qputenv("HF_HOME", m_cache->path().toUtf8());
    const auto info = clifixture::runAnew({u"info"_s, u"org/packed"_s});
    QVERIFY2(info.code == 0, info.err.constData());
    QVERIFY2(info.out.contains("packed as AWQ 4 bit g32") && info.out.contains("as int4 it needs"),
             info.out.constData());
    QJsonObject told = clifixture::runAnew({u"info"_s, u"org/packed"_s, u"--json"_s}).json(),
                forecast = clifixture::runAnew({u"get"_s, u"--forecast"_s, u"org/packed"_s, u"--json"_s}).json();
    QVERIFY(told.take(u"free_bytes"_s).toDouble() > 0 && forecast.take(u"free_bytes"_s).toDouble() > 0); // changes
    QVERIFY(told[u"needs"_s][u"memory"_s][u"bf16"_s][u"bytes"_s].toDouble() > 0);
    QCOMPARE(told, forecast);
    QVERIFY(!QDir(m_cache->path() + u"/hub"_s).exists());
    const auto fails = [](const QString& model, const char* says) {
        const clifixture::Outcome failed = clifixture::runAnew({u"info"_s, model});
        QVERIFY2(failed.code == 1 && failed.out.isEmpty() && failed.err.contains(says), failed.err.constData());
        QVERIFY2(failed.err.count('\n') == 1 && failed.err.endsWith(".\n"), failed.err.constData());
    };
    fails(u"org/nowhere"_s,
          "'org/nowhere' is not on this computer: Cannot get 'org/nowhere': the hub has no such model");
    fails(u"org/good@a b"_s, "'org/good@a b' is not the name of a model on a hub");
    fails(u"nowhere"_s, "No model 'nowhere'"); // not the name of one on the hub
    qputenv("HF_ENDPOINT", "http://127.0.0.1:9");
    fails(u"org/packed"_s, "'127.0.0.1' cannot be reached (");
    qputenv("HF_HUB_OFFLINE", "1");
    fails(u"org/packed"_s, "HF_HUB_OFFLINE is set");
    qunsetenv("HF_HUB_OFFLINE");
}

void TestGetModel::whatIsHereIsNotFetchedAgain()
{
    look(u"org/good"_s);
    QVERIFY(settled());
    button("fetch")->click();
    QVERIFY(settled());
    look(u"org/good"_s);
    QVERIFY(settled());
    QVERIFY(!button("fetch")->isEnabled() && button("openA")->isEnabled());
}

void TestGetModel::refusalsAreSentences_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("expected");
    QTest::newRow("no such model") << u"org/nowhere"_s << u"org/nowhere"_s;
    QTest::newRow("private") << u"org/private"_s << u"org/private"_s;
    QTest::newRow("no name") << u"../../etc"_s << u"org/name"_s;
    QTest::newRow("no JSON") << u"org/nonsense"_s << u"not a list of files"_s;
    QTest::newRow("a fault of the host") << u"org/broken"_s << u"org/broken"_s;
}

void TestGetModel::refusalsAreSentences()
{
    QFETCH(const QString, name);
    QFETCH(const QString, expected);
    look(name);
    QVERIFY(settled());
    QVERIFY2(label("said").contains(expected), qPrintable(label("said")));
    QVERIFY(label("about").isEmpty());
    QVERIFY(button("look")->isEnabled() && !button("fetch")->isEnabled());
}

void TestGetModel::aDownloadIsStopped()
{
    look(u"org/slow"_s);
    QVERIFY(settled());
    button("fetch")->click();
    QTest::qWait(50);
    button("stop")->click();
    QVERIFY(settled());
    QVERIFY2(label("said").startsWith(u"Stopped."_s), qPrintable(label("said")));
    QVERIFY(button("fetch")->isEnabled()); // it goes on
}

void TestGetModel::namesOfFilesAreText()
{
    for (const char* name : {"about", "said"})
        QCOMPARE(m_dialog->findChild<QLabel*>(QString::fromLatin1(name))->textFormat(), Qt::PlainText);
}

QTEST_MAIN(TestGetModel)
#include "tst_getmodel.moc"
