// SPDX-License-Identifier: GPL-3.0-or-later
// Rankings that come with the program: they are what is measured now, they colour the map of an included model when it
// is opened, and they answer no other question.
#include "app/workbench/heads/shippedranking.h"
#include "core/base/hash.h"
#include "tests/support/clifixture.h"
#include "tests/support/widgetfixture.h"
#include "tests/support/windowfixture.h"

#include <QDir>
#include <QToolButton>

#include <cmath>

using namespace headscope;
using namespace Qt::StringLiterals;
using testing::WindowFixture;

class TestShippedRanking : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyIncludedModelHasOne();
    void aSampleIsMeasuredAlike_data();
    void aSampleIsMeasuredAlike();
    void coloursTheMapOfAModelThatIsOpened();
    void answersNoOtherQuestion_data();
    void answersNoOtherQuestion();
    void brokenFilesAreNone_data();
    void brokenFilesAreNone();

private:
    static bool waitFor(const std::function<bool()>& holds) { return QTest::qWaitFor(holds, WindowFixture::kWait); }
    static QString folder() { return QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/rankings"); }
    static QStringList models()
    {
        return QDir(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models"))
            .entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    }
    static QJsonObject ranking(const QString& model)
    {
        return QJsonDocument::fromJson(clifixture::read(folder() + u'/' + model + u".json"_s)).object();
    }
};

void TestShippedRanking::everyIncludedModelHasOne()
{
    qint64 bytes = 0;
    for (const QString& model : models()) {
        const QFileInfo file(folder() + u'/' + model + u".json"_s);
        QVERIFY2(file.isFile(), qPrintable(file.filePath()));
        bytes += file.size();
    }
    QVERIFY2(bytes < 25'000, qPrintable(QString::number(bytes)));
    QCOMPARE(QDir(folder()).entryList(QDir::Files).size(), models().size());
}

void TestShippedRanking::aSampleIsMeasuredAlike_data()
{
    QTest::addColumn<QString>("model");
    for (const QString& model : models())
        QTest::newRow(qPrintable(model)) << model;
}

// The head that costs most and another one, on the same rows as the window.
void TestShippedRanking::aSampleIsMeasuredAlike()
{
    QFETCH(const QString, model);
    const QJsonObject shipped = ranking(model);
    const QJsonArray heads = shipped[u"heads"_s].toArray();
    QJsonArray dearest = heads[0].toArray();
    for (const QJsonValue& head : heads)
        if (head[2].toDouble() < dearest[2].toDouble())
            dearest = head.toArray();
    const QJsonArray other = heads[heads.size() / 2].toArray();
    QVERIFY(dearest[2].toDouble() < -0.04);
    const auto measured =
        clifixture::run({u"rank"_s, QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/") + model, u"--task"_s,
                         shipped[u"task"_s].toString(), u"--limit"_s, QString::number(shipped[u"n"_s].toInt()),
                         u"--head"_s, dearest[0].toString(), u"--head"_s, other[0].toString(), u"--json"_s});
    QVERIFY2(measured.code == 0, measured.err.constData());
    QCOMPARE(measured.json()[u"key"_s].toString(), shipped[u"key"_s].toString());
    const QJsonArray now = measured.json()[u"heads"_s].toArray();
    QCOMPARE(now.size(), 2);
    for (const QJsonValue& head : now) {
        const QJsonArray before = head[u"head"_s] == dearest[0] ? dearest : other;
        QCOMPARE(head[u"head"_s].toString(), before[0].toString());
        QCOMPARE(head[u"n"_s].toInt(), shipped[u"n"_s].toInt());
        const auto near = [](double one, double two, double within) { return std::abs(one - two) <= within; };
        QVERIFY(near(head[u"value"_s].toDouble(), before[1].toDouble(), 1e-6)); // the same rows are right
        QVERIFY(near(head[u"delta"_s].toDouble(), before[2].toDouble(), 1e-6));
        QVERIFY(near(head[u"interval"_s][0].toDouble(), before[3].toDouble(), 1e-5));
        QVERIFY(near(head[u"interval"_s][1].toDouble(), before[4].toDouble(), 1e-5));
        QVERIFY(
            near(head[u"margin_delta"_s].toDouble(), before[5].toDouble(), 1e-3)); // other processors round otherwise
        QVERIFY(near(head[u"p"_s].toDouble(), before[6].toDouble(), 1e-5));
    }
}

void TestShippedRanking::coloursTheMapOfAModelThatIsOpened()
{
    WindowFixture window;
    for (const QString& model : models()) {
        QVERIFY(window.open(model, model + u".headscope"_s));
        const auto& side = window.explorer().state().side(Side::A);
        QVERIFY2(waitFor([&] { return side.effects != nullptr; }), qPrintable(model));
        QVERIFY2(side.effectsShipped, qPrintable(model));
        QCOMPARE(side.effects->size(), static_cast<std::size_t>(ranking(model)[u"heads"_s].toArray().size()));
        const auto& map = *window.window().parts().mapA->model();
        QVERIFY(!map.metric().name.isEmpty() && map.metric().notes[0][0].contains(u"when this version was built"_s));
        if (model == u"tiny-transformer"_s) {
            auto& messages = *window.window().parts().messages;
            // The offer to measure again takes no other message's place; it follows when that is closed.
            if (!messages.text().contains(u"when this version was built"_s))
                for (QToolButton* each : messages.findChildren<QToolButton*>())
                    if (each->text() == u"✕"_s)
                        each->click();
            QVERIFY2(waitFor([&] { return messages.text().contains(u"when this version was built"_s); }),
                     qPrintable(messages.text()));
            const auto shipped = side.effects;
            testing::button(messages, u"Measure again"_s)->click();
            QVERIFY(waitFor([&] { return !side.effectsShipped && side.effects->size() == shipped->size(); }));
            for (std::size_t i = 0; i < shipped->size(); ++i)
                QCOMPARE(side.effects->at(i).delta, shipped->at(i).delta);
            QVERIFY(waitFor([&] { return !window.window().worker()->busy(); }));
            window.close(); // what was measured here counts from now on
            QVERIFY(window.open(model, model + u".headscope"_s));
            const auto& again = window.explorer().state().side(Side::A);
            QVERIFY(waitFor([&] { return again.effects && again.effects->size() == shipped->size(); }));
            QVERIFY(!again.effectsShipped);
        }
        window.close();
    }
}

void TestShippedRanking::answersNoOtherQuestion_data()
{
    QTest::addColumn<QString>("what");
    for (const char* what : {"weights", "seed", "type"})
        QTest::newRow(what) << QString::fromLatin1(what);
}

void TestShippedRanking::answersNoOtherQuestion()
{
    QFETCH(const QString, what);
    const QTemporaryDir copies;
    const QString model = copies.filePath(u"tiny-transformer"_s);
    QVERIFY(QDir().mkpath(model));
    for (const QString& name :
         {u"config.json"_s, u"model.safetensors"_s, u"tokenizer.json"_s, u"tokenizer_config.json"_s})
        QVERIFY(QFile::copy(clifixture::kModel + u'/' + name, model + u'/' + name));
    if (what == u"weights"_s) { // one bit of the last one
        QFile file(model + u"/model.safetensors"_s);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(file.size() - 4));
        const char last = file.peek(1)[0];
        QVERIFY(file.putChar(static_cast<char>(last ^ 1)));
    }
    const auto ranked = clifixture::run(QStringList{u"rank"_s, model, u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s,
                                                    u"64"_s, u"--head"_s, u"L2H5"_s, u"--json"_s}
                                        + (what == u"seed"_s   ? QStringList{u"--seed"_s, u"7"_s}
                                           : what == u"type"_s ? QStringList{u"--dtype"_s, u"int8"_s}
                                                               : QStringList()));
    QVERIFY2(ranked.code == 0, ranked.err.constData());
    const std::string key = ranked.json()[u"key"_s].toString().toStdString();
    QVERIFY(!key.empty());
    QVERIFY(app::shippedRanking(folder().toStdString(), key).empty());
    QVERIFY(
        !app::shippedRanking(folder().toStdString(), ranking(u"tiny-transformer"_s)[u"key"_s].toString().toStdString())
             .empty());
}

void TestShippedRanking::brokenFilesAreNone_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto with = [](const char* row) {
        return QByteArray(R"({"task":"t","n":64,"key":"k","heads":[)") + row + "]}";
    };
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("a list") << QByteArray("[]");
    QTest::newRow("no heads") << QByteArray(R"({"key":"k","n":64})");
    QTest::newRow("n") << QByteArray(R"({"key":"k","n":"many","heads":[]})");
    QTest::newRow("short") << with(R"(["L0H0",1,2])");
    QTest::newRow("name") << with(R"(["head",1,0,0,0,0,1,1,1,0])");
    QTest::newRow("text") << with(R"(["L0H0","one",0,0,0,0,1,1,1,0])");
    QTest::newRow("group") << with(R"(["L0H0",1,0,0,0,0,1,1,1,0.5])");
}

void TestShippedRanking::brokenFilesAreNone()
{
    QFETCH(const QByteArray, text);
    const QTemporaryDir broken;
    clifixture::write(broken.filePath(u"model.json"_s), text);
    QVERIFY(app::shippedRanking(broken.path().toStdString(), "k").empty());
    clifixture::write(broken.filePath(u"model.json"_s),
                      R"({"task":"t","n":64,"key":"k","heads":[["L0H0",1,0,0,0,0,1,1,1,0]]})");
    QCOMPARE(app::shippedRanking(broken.path().toStdString(), "k").size(), std::size_t{1});
    QVERIFY(app::shippedRanking(broken.path().toStdString(), "other").empty());
}

QTEST_MAIN(TestShippedRanking)
#include "tst_shippedranking.moc"
