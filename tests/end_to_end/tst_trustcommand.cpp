// SPDX-License-Identifier: GPL-3.0-or-later
// Weights in 8 and 4 bits on the command line: told apart from the model itself, and what "trust" says of them. The
// shipped models are trained, so that their answers mean something.
#include "tests/support/clifixture.h"

using namespace clifixture;

namespace {

QString shipped(const QString& name)
{
    return QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/") + name;
}

QJsonObject jsonOf(const QStringList& arguments)
{
    const Outcome outcome = run(arguments + QStringList{u"--json"_s, u"--quiet"_s});
    if (outcome.code != 0)
        qWarning("%s", outcome.err.constData());
    return outcome.json();
}

} // namespace

class TestTrustCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<Folder>(); }
    void eightBitsKeepTheAnswersOfTrainedModels_data();
    void eightBitsKeepTheAnswersOfTrainedModels();
    void fourBitsAreTold();
    void bothFormsAreSeriesOfTheirOwn();
    void infoTellsWhatEachFormTakes();
    void whatDoesNotFitTogetherIsRefused();

private:
    std::unique_ptr<Folder> m_folder;
};

void TestTrustCommand::eightBitsKeepTheAnswersOfTrainedModels_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("task");
    for (const QString& model : {u"tiny-transformer"_s, u"tiny-ssm"_s, u"tiny-hybrid"_s})
        QTest::newRow(qPrintable(model)) << model << u"toy_kv:pairs=8"_s;
    QTest::newRow("small-transformer") << u"small-transformer"_s << u"word_kv:pairs=8"_s;
}

void TestTrustCommand::eightBitsKeepTheAnswersOfTrainedModels()
{
    QFETCH(const QString, model);
    QFETCH(const QString, task);
    const QJsonObject told =
        jsonOf({u"trust"_s, shipped(model), u"--weights"_s, u"int8"_s, u"--task"_s, task, u"--limit"_s, u"100"_s});
    const QJsonObject one = told[u"tasks"_s][0].toObject();
    qInfo("%s", QJsonDocument(told).toJson(QJsonDocument::Compact).constData());
    QCOMPARE(one[u"examples"_s].toInt(), 100);
    QVERIFY(one[u"changed_share"_s].toDouble() <= 0.02);
    QVERIFY(one[u"log_likelihood"_s][u"continuations"_s].toInt() >= 100);
    QVERIFY(one[u"log_likelihood"_s][u"mean_absolute"_s].toDouble() > 0); // they are not the same numbers
    QVERIFY(one[u"log_likelihood"_s][u"mean_absolute"_s].toDouble() < 0.1);
    QVERIFY(one[u"head_costs"_s][u"rho"_s].toDouble() > 0.8);
    QVERIFY(told[u"memory_share"_s].toDouble() < 0.4);
    QCOMPARE(told[u"reference"_s][u"dtype"_s].toString(), u"fp32"_s);
    QCOMPARE(told[u"form"_s][u"dtype"_s].toString(), u"int8"_s);
}

void TestTrustCommand::fourBitsAreTold()
{
    const QStringList asked = {u"trust"_s,    shipped(u"tiny-transformer"_s),
                               u"--task"_s,   u"toy_kv:pairs=8,toy_mc"_s,
                               u"--limit"_s,  u"64"_s,
                               u"--method"_s, u"none"_s};
    const QJsonObject told = jsonOf(asked + QStringList{u"--weights"_s, u"int4"_s});
    QCOMPARE(told[u"tasks"_s].toArray().size(), 2);
    QVERIFY(told[u"tasks"_s][0][u"head_costs"_s].isUndefined()); // none were asked for
    const QJsonObject eight = jsonOf(asked + QStringList{u"--weights"_s, u"int8"_s});
    const auto off = [](const QJsonObject& of) {
        return of[u"tasks"_s][0][u"log_likelihood"_s][u"mean_absolute"_s].toDouble();
    };
    QVERIFY(off(told) > off(eight) && off(eight) > 0);
    QVERIFY(told[u"memory_share"_s].toDouble() < eight[u"memory_share"_s].toDouble());
    const Outcome table = run(asked + QStringList{u"--weights"_s, u"int8"_s, u"--quiet"_s});
    QVERIFY2(table.out.contains("answers changed") && table.out.contains("toy_mc"), table.out.constData());
}

void TestTrustCommand::bothFormsAreSeriesOfTheirOwn()
{
    const QString session = m_folder->path(u"forms.headscope"_s);
    const QStringList asked = {u"score"_s,   kModel,  u"--task"_s,    u"toy_kv:pairs=8"_s,
                               u"--limit"_s, u"32"_s, u"--session"_s, session};
    const QJsonObject full = jsonOf(asked);
    const QJsonObject first = jsonOf(asked + QStringList{u"--weights"_s, u"int8"_s});
    QCOMPARE(first[u"dtype"_s].toString(), u"int8"_s);
    QVERIFY(first[u"tokens"_s].toInt() > 0); // the other form's results are not its own
    QCOMPARE(jsonOf(asked + QStringList{u"--weights"_s, u"int8"_s})[u"tokens"_s].toInt(), 0);
    QCOMPARE(jsonOf(asked)[u"tokens"_s].toInt(), 0);
    const QByteArray csv = [&] {
        const QString out = m_folder->path(u"scores.csv"_s);
        [&] { VERIFY_DONE(run({u"session"_s, u"export"_s, session, u"-o"_s, out})); }();
        return read(out);
    }();
    QVERIFY2(csv.contains(",fp32,") && csv.contains(",int8,"), csv.constData());
}

void TestTrustCommand::infoTellsWhatEachFormTakes()
{
    const QJsonObject told = jsonOf({u"info"_s, kModel});
    const auto bytes = [&](const QString& dtype) {
        return told[u"memory_by_dtype"_s][dtype][u"128"_s][u"weights"_s].toInteger();
    };
    QVERIFY(bytes(u"int4"_s) < bytes(u"int8"_s) && bytes(u"int8"_s) < bytes(u"bf16"_s));
    QCOMPARE(bytes(u"fp32"_s), told[u"bytes"_s].toInteger());
    for (const QString& form : {u"int8"_s, u"int4"_s}) { // what is forecast is what is there
        const QJsonObject loaded = jsonOf({u"info"_s, kModel, u"--weights"_s, form});
        QCOMPARE(loaded[u"dtype"_s].toString(), form);
        QCOMPARE(loaded[u"bytes"_s].toInteger(), bytes(form));
        QVERIFY(loaded[u"self_test"_s][u"passed"_s].toBool());
    }
}

void TestTrustCommand::whatDoesNotFitTogetherIsRefused()
{
    const QStringList asked = {u"trust"_s, kModel, u"--task"_s, u"toy_kv"_s, u"--limit"_s, u"8"_s};
    QCOMPARE(run(asked + QStringList{u"--weights"_s, u"int8"_s, u"--dtype"_s, u"bf16"_s}).code, 2);
    QCOMPARE(run(asked + QStringList{u"--weights"_s, u"int2"_s}).code, 2);
    VERIFY_FAILS(run(asked), "There is nothing to compare; expected --weights int8 or int4");
    VERIFY_FAILS(run(asked + QStringList{u"--weights"_s, u"int8"_s, u"--ablate"_s, u"L0H0"_s}), "leave --ablate out");
}

QTEST_GUILESS_MAIN(TestTrustCommand)
#include "tst_trustcommand.moc"
