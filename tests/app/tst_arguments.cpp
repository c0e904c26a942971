// SPDX-License-Identifier: GPL-3.0-or-later
// What the window makes of its arguments, without a window.
#include "app/window/start/arguments.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

class TestArguments : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void aSessionIsOpenedByItsName();
    void refusesBadArguments_data();
    void refusesBadArguments();
};

void TestArguments::aSessionIsOpenedByItsName()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(u"study.headscope"_s);
    QFile made(file);
    QVERIFY(made.open(QIODevice::WriteOnly));
    const auto session = gui::readArguments({u"headscope"_s, file});
    QVERIFY(session.has_value() && session->has_value());
    QCOMPARE((*session)->session, file);
    QVERIFY((*session)->models.isEmpty());
    // What is named otherwise, or is not there, stays what it was: a model.
    const auto model = gui::readArguments({u"headscope"_s, u"tiny-transformer"_s, u"tiny-ssm"_s});
    QVERIFY(model.has_value() && model->has_value());
    QCOMPARE((*model)->models.size(), 2);
    const auto missing = gui::readArguments({u"headscope"_s, folder.filePath(u"none.headscope"_s)});
    QVERIFY(missing.has_value() && missing->has_value());
    QVERIFY((*missing)->session.isEmpty());
    const auto both = gui::readArguments({u"headscope"_s, u"--session"_s, u"other"_s, file});
    QVERIFY(both.has_value() && both->has_value());
    QCOMPARE((*both)->session, u"other"_s);
}

void TestArguments::refusesBadArguments_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("three models") << QStringList{u"a"_s, u"b"_s, u"c"_s};
    QTest::newRow("unknown") << QStringList{u"--unknown"_s};
    QTest::newRow("threads") << QStringList{u"--threads"_s, u"-1"_s};
    QTest::newRow("size") << QStringList{u"--picture"_s, u"p.png"_s, u"--size"_s, u"0x1"_s};
    QTest::newRow("look") << QStringList{u"--look"_s, u"loud"_s};
}

void TestArguments::refusesBadArguments()
{
    QFETCH(QStringList, arguments);
    const auto read = gui::readArguments(QStringList{u"headscope"_s} + arguments);
    QVERIFY(!read.has_value());
    QVERIFY(read.error().message.ends_with('.'));
}

QTEST_GUILESS_MAIN(TestArguments)
#include "tst_arguments.moc"
