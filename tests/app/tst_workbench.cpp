// SPDX-License-Identifier: GPL-3.0-or-later
// What both programs do, once: settings, and the same numbers whichever door they are asked at.
#include "app/workbench/settings.h"

#include <QTest>

using namespace headscope;
using app::Settings;
using app::StartToken;

class TestWorkbench : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void readsAmountsOfMemory_data();
    void readsAmountsOfMemory();
    void startTokensHaveNames();
    void refusesSettingsThatNoModelRunsWith();
    void knowsWhatOpensModelsAgain();
};

void TestWorkbench::readsAmountsOfMemory_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("bytes"); // 0: refused
    QTest::newRow("bytes") << "123" << qint64{123};
    QTest::newRow("thousands") << "12GB" << qint64{12'000'000'000};
    QTest::newRow("lower case and a blank") << "1.5 kb" << qint64{1500};
    QTest::newRow("short") << "2g" << qint64{2'000'000'000};
    QTest::newRow("powers of two") << "512MiB" << qint64{512} * 1024 * 1024;
    for (const char* wrong : {"", "GB", "0", "-1", "12 elephants", "12Gb it", "nan", "inf", "1e40", "12GiBB"})
        QTest::addRow("'%s'", wrong) << QString::fromLatin1(wrong) << qint64{0};
}

void TestWorkbench::readsAmountsOfMemory()
{
    QFETCH(QString, text);
    QFETCH(qint64, bytes);
    const auto read = app::parseMemory(text.toStdString());
    QCOMPARE(read.has_value(), bytes != 0);
    if (bytes != 0)
        QCOMPARE(qint64{*read}, bytes);
    else
        QVERIFY(read.error().message.find("12GB") != std::string::npos);
}

void TestWorkbench::startTokensHaveNames()
{
    for (const StartToken token :
         {StartToken::Automatic, StartToken::Never, StartToken::AsTokenizer, StartToken::Always}) {
        const auto read = app::parseStartToken(app::name(token));
        QVERIFY(read.has_value());
        QVERIFY(*read == token);
    }
    QVERIFY(!app::parseStartToken("sometimes").has_value());
}

void TestWorkbench::refusesSettingsThatNoModelRunsWith()
{
    QVERIFY(app::check(Settings{}).has_value());
    QVERIFY(app::check({.device = "cuda:1", .dtype = "bf16", .threads = 3, .memory = 1}).has_value());
    for (const Settings& wrong :
         {Settings{.device = "gpu"}, Settings{.device = "cuda:"}, Settings{.device = "cuda:x"},
          Settings{.dtype = "int3"}, Settings{.threads = -1}, Settings{.threads = 5000}, Settings{.memory = -1}})
        QVERIFY(!app::check(wrong).has_value());
}

void TestWorkbench::knowsWhatOpensModelsAgain()
{
    const Settings now;
    for (const Settings& again : {Settings{.device = "cuda"}, Settings{.dtype = "bf16"}, Settings{.memory = 1}})
        QVERIFY(app::reopensModels(now, again));
    for (const Settings& later : {now, Settings{.threads = 2}, Settings{.startToken = StartToken::Never},
                                  Settings{.seed = 7}, Settings{.dataFolder = "data"}})
        QVERIFY(!app::reopensModels(now, later));
}

QTEST_GUILESS_MAIN(TestWorkbench)
#include "tst_workbench.moc"
