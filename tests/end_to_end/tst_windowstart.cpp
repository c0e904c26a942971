// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of the window's program that cannot end in a window: each is answered in one sentence, with a display or
// without.
#include "tests/support/clifixture.h"

#include <QDataStream>
#include <QImage>
#include <QRect>
#include <QSettings>
#include <QTest>

#include <csignal>

using namespace clifixture;
using namespace Qt::StringLiterals;

namespace {

// QT_QPA_PLATFORM of the tests would be a display.
Outcome start(const QStringList& arguments, const Folder& folder, const QString& display = {})
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"XDG_DATA_HOME"_s, folder.path()); // no session of a person's own
    environment.insert(u"LC_ALL"_s, u"C.UTF-8"_s);
    for (const QString& name : {u"QT_QPA_PLATFORM"_s, u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s})
        environment.remove(name);
    if (!display.isEmpty())
        environment.insert(u"DISPLAY"_s, display);
    process.setProcessEnvironment(environment);
    process.start(QFileInfo(qEnvironmentVariable("HEADSCOPE_CLI")).path() + u"/headscope"_s, arguments);
    return finished(process);
}

class TestWindowStart : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void helpAndVersionNeedNoDisplay()
    {
        const Folder folder;
        const Outcome help = start({u"--help"_s}, folder);
        QCOMPARE(help.code, 0);
        QVERIFY(help.out.contains("--picture FILE") && help.out.contains("MODEL_B"));
        const Outcome version = start({u"-v"_s}, folder);
        QCOMPARE(version.code, 0);
        QVERIFY(version.out.startsWith("headscope 0."));
    }

    void noDisplayIsOneSentence_data()
    {
        QTest::addColumn<QString>("display");
        QTest::newRow("none") << QString();
        QTest::newRow("dead") << u":4711"_s;
    }
    void noDisplayIsOneSentence()
    {
        QFETCH(QString, display);
        const Folder folder;
        const Outcome none = start({}, folder, display);
        QCOMPARE(none.code, 1);
        QCOMPARE(
            none.err,
            QByteArray(
                "headscope: There is no display to open a window on; headscope-cli does the same work without one.\n"));
    }

    void wrongUseIsOneSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const auto add = [](const char* name, const QStringList& arguments, const QString& says) {
            QTest::newRow(name) << arguments << says;
        };
        add("option", {u"--colour"_s}, u"colour"_s);
        add("no value", {u"--session"_s}, u"session"_s);
        add("threads", {u"--threads"_s, u"many"_s}, u"'many' does not fit --threads"_s);
        add("negative", {u"--threads"_s, u"-3"_s}, u"--threads"_s);
        add("look", {u"--look"_s, u"pink"_s}, u"expected system, light or dark"_s);
        add("size", {u"--picture"_s, u"x.png"_s, u"--size"_s, u"900"_s}, u"'900' does not fit --size"_s);
        add("huge", {u"--picture"_s, u"x.png"_s, u"--size"_s, u"99999x99999"_s}, u"--size"_s);
        add("act", {u"--picture"_s, u"x.png"_s, u"--act"_s, u"dance"_s}, u"'dance' does not fit --act"_s);
        add("off without picture", {u"tiny-transformer"_s, u"--off"_s, u"L2H5"_s}, u"expected --picture FILE.png"_s);
        add("three models", {u"a"_s, u"b"_s, u"c"_s}, u"got 3"_s);
        add("exam in a session", {u"--exam"_s, u"e.json"_s, u"--session"_s, u"s"_s}, u"without --session"_s);
        add("exam of a model", {u"--exam"_s, u"e.json"_s, u"tiny-transformer"_s}, u"without --session"_s);
    }
    void wrongUseIsOneSentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Folder folder;
        const Outcome wrong = start(arguments, folder);
        QVERIFY2(wrong.code == 2, wrong.err.constData());
        QVERIFY2(wrong.err.contains(says.toUtf8()), wrong.err.constData());
        QVERIFY2(wrong.err.startsWith("headscope: ") && wrong.err.endsWith(".\n") && wrong.err.count('\n') == 1,
                 wrong.err.constData());
    }

    // As a person closes the window: settings are written, the session is whole, the exit code is 0.
    void signalsCloseTheWindow_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGHUP") << SIGHUP;
    }
    void signalsCloseTheWindow()
    {
        QFETCH(int, signal);
        const Folder folder;
        const QString session = folder.path(u"s.headscope"_s);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
        environment.insert(u"XDG_CONFIG_HOME"_s, folder.path(u"config"_s));
        process.setProcessEnvironment(environment);
        process.start(QFileInfo(qEnvironmentVariable("HEADSCOPE_CLI")).path() + u"/headscope"_s,
                      {u"--session"_s, session});
        // The settings say that a window is open; the session is made by then or a moment later.
        const QString settings = folder.path(u"config/Headscope/Headscope.conf"_s);
        QVERIFY(QTest::qWaitFor([&] { return read(settings).contains("open=true") && QFile::exists(session); },
                                kLongEnough));
        ::kill(static_cast<pid_t>(process.processId()), signal);
        const Outcome outcome = finished(process);
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QVERIFY(read(settings).contains("open=false"));
        QVERIFY(!QFile::exists(session + u"-wal"_s));
        // Of 1440 by 900 that it likes, it took what this platform's screen of 800 by 800 has.
        QDataStream geometry(QSettings(settings, QSettings::IniFormat).value(u"window/geometry"_s).toByteArray());
        quint32 magic = 0;
        quint16 major = 0, minor = 0;
        QRect frame;
        geometry >> magic >> major >> minor >> frame; // as QWidget::saveGeometry() writes it
        QVERIFY2(frame.isValid() && frame.width() < 900 && frame.height() < 900,
                 qPrintable(QStringLiteral("%1 x %2").arg(frame.width()).arg(frame.height())));
    }

    void pictureNeedsNoDisplay()
    {
        const Folder folder;
        const QString file = folder.path(u"welcome.png"_s);
        const Outcome drawn = start({u"--picture"_s, file, u"--size"_s, u"800x600"_s}, folder);
        QVERIFY2(drawn.code == 0, drawn.err.constData());
        QCOMPARE(QImage(file).size(), QSize(800, 600));
        const Outcome missing = start({u"no-such-model"_s, u"--picture"_s, file}, folder);
        QCOMPARE(missing.code, 1);
        QVERIFY2(missing.err.contains("no-such-model"), missing.err.constData());
        const Outcome unwritable = start({u"--picture"_s, folder.path(u"no/such/folder.png"_s)}, folder);
        QCOMPARE(unwritable.code, 1);
        QVERIFY2(unwritable.err.contains("cannot be written: No such file or directory."), unwritable.err.constData());
    }

    // What an exam cannot be is said in one sentence; one that is goes on with its own session.
    void anExamIsAFileOfExercises()
    {
        const Folder folder;
        const QString file = folder.path(u"exam.png"_s);
        const QStringList picture{u"--picture"_s, file, u"--exam"_s};
        const QString broken = folder.path(u"broken.json"_s);
        write(broken, R"({"title": "T", "models": ["tiny-ssm"], "minutes": -1, "steps": []})");
        for (const QString& none : {folder.path(u"nowhere.json"_s), broken}) {
            const Outcome refused = start(QStringList(picture) << none, folder);
            QCOMPARE(refused.code, 1);
            QVERIFY2(refused.err.startsWith("headscope: ") && refused.err.endsWith(".\n")
                         && refused.err.count('\n') == 1,
                     refused.err.constData());
        }
        const QString sessions = folder.path(u"Headscope/Exam"_s);
        QVERIFY(!QFile::exists(sessions));
        for (int time = 0; time < 2; ++time) {
            const Outcome drawn = start(QStringList(picture) << u"ssm-heads"_s, folder);
            QVERIFY2(drawn.code == 0, drawn.err.constData());
            QCOMPARE(QDir(sessions).entryList({u"*-?"_s}, QDir::Dirs).size(), 1);
        }
        QVERIFY(!QFile::exists(folder.path(u"Headscope/Headscope"_s))); // nothing of the ordinary window
    }

    // The first prompt fits where any dictionary does; else there is an error.
    void aShortModelGetsItsPicture_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("positions");
        QTest::newRow("another's") << QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/shortwindow") << 64;
        QTest::newRow("another's, hardly any") << QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/shortwindow") << 12;
        QTest::newRow("our own") << QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/small-transformer") << 64;
    }
    void aShortModelGetsItsPicture()
    {
        QFETCH(QString, model);
        QFETCH(int, positions);
        const Folder folder;
        const QString copy = folder.path(u"short"_s);
        QVERIFY(QDir().mkpath(copy));
        for (const QString& name : {u"model.safetensors"_s, u"tokenizer.json"_s, u"tokenizer_config.json"_s})
            QVERIFY(QFile::copy(model + u'/' + name, copy + u'/' + name));
        QJsonObject config = QJsonDocument::fromJson(read(model + u"/config.json"_s)).object();
        config[u"max_position_embeddings"_s] = positions;
        write(copy + u"/config.json"_s, QJsonDocument(config).toJson());
        const QString file = folder.path(u"short.png"_s);
        const Outcome drawn = start({copy, u"--picture"_s, file, u"--size"_s, u"900x700"_s}, folder);
        if (positions >= 64) {
            QVERIFY2(drawn.code == 0, drawn.err.constData());
            QCOMPARE(QImage(file).size(), QSize(900, 700));
            QVERIFY(QFile::remove(file));
        } else { // no dictionary is so short
            QVERIFY2(drawn.code == 1 && drawn.err.contains("tokens; "), drawn.err.constData());
        }
        // A text that does not fit is an error, and never a success without a picture.
        write(folder.path(u"long.txt"_s), QByteArray("word and word and ").repeated(100));
        const Outcome tooLong =
            start({copy, u"--picture"_s, file, u"--act"_s, u"text="_s + folder.path(u"long.txt"_s)}, folder);
        QVERIFY2(tooLong.code == 1 && !QFile::exists(file), tooLong.err.constData());
        QVERIFY2(tooLong.err.contains("tokens; "), tooLong.err.constData());
    }
};

} // namespace

QTEST_GUILESS_MAIN(TestWindowStart)
#include "tst_windowstart.moc"
