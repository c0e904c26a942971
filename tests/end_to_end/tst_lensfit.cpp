// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli lens fit, and lenses read out with what it wrote.
#include "tests/support/clifixture.h"

#include <cmath>

#include <signal.h>

using namespace clifixture;

namespace {

const QString kHybrid = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-hybrid");
const QStringList kShort = {u"--length"_s, u"16"_s, u"--skip"_s, u"4"_s, u"--prompts"_s, u"3"_s};
const QStringList kPrompt = {u"--text"_s, u"The home of Ada is Rome . The food of Ada is"_s};

} // namespace

class TestLensFit : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aFittedLensIsReadOut_data();
    void aFittedLensIsReadOut();
    void aLensOfOtherFamiliesIsAnotherModels();
    void someLayersAreNoWholeLens();
    void aKilledFitGoesOn();
    void theSeedChoosesTheTexts();
    void aForecastWritesNothing();
    void aWordOfTheLensSteers();
    void anAdapterHasALensOfItsOwn();
    void twoWordsOfTheLensChangePlaces();
    void shippedLensesAgreeWithAFreshFit_data();
    void shippedLensesAgreeWithAFreshFit();
    void aTextThatIsTooShortIsLeftOut();
    void refuses_data();
    void refuses();

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder.path(name); }
    [[nodiscard]] QStringList fit(const QString& lens, const QString& model = kModel) const
    {
        return QStringList{u"lens"_s, u"fit"_s, model, u"--texts"_s, path(u"texts.txt"_s), u"--output"_s, path(lens)};
    }
    Folder m_folder;
};

void TestLensFit::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
    QByteArray text;
    for (int line = 0; line < 200; ++line)
        text += QByteArray("The home of Ada is Rome . The food of ") + (line % 2 ? "Ben" : "Max") + " is "
                + (line % 3 ? "bread" : "soup") + " .\n";
    write(path(u"texts.txt"_s), text);
}

void TestLensFit::aFittedLensIsReadOut_data()
{
    QTest::addColumn<QString>("model");
    for (const char* name : {"tiny-transformer", "tiny-ssm", "tiny-hybrid"})
        QTest::newRow(name) << QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/") + QString::fromLatin1(name);
}

void TestLensFit::aFittedLensIsReadOut()
{
    QFETCH(const QString, model);
    const Outcome fitted = run(fit(u"lens.pt"_s, model) + kShort + QStringList{u"--json"_s});
    QVERIFY2(fitted.code == 0, fitted.err.constData());
    QCOMPARE(fitted.json()[u"prompts"_s].toInt(), 3);
    QCOMPARE(fitted.json()[u"matrices"_s].toInt(), 4); // before each layer, the embedding's too
    QVERIFY(fitted.json()[u"seconds"_s].toDouble() > 0 && fitted.json()[u"bytes"_s].toDouble() > 0);
    QVERIFY(!QFile::exists(path(u"lens.pt.unfinished"_s)));
    const QJsonArray agreement = fitted.json()[u"agreement"_s].toArray();
    QCOMPARE(agreement.size(), 4);
    QCOMPARE(fitted.json()[u"agreement_on"_s].toString(), u"16 prompts that the fit did not use"_s);
    for (const char* lens : {"jacobian", "logit"})
        for (const QJsonValue& layer : agreement)
            QVERIFY(layer[QLatin1String(lens)].toDouble() >= 0 && layer[QLatin1String(lens)].toDouble() <= 1);

    const QStringList look = QStringList{u"lens"_s, model} + kPrompt + QStringList{u"--json"_s};
    const QStringList fittedLook = look + QStringList{u"--lens"_s, path(u"lens.pt"_s)};
    const QJsonObject plain = run(look).json(), through = run(fittedLook).json();
    QVERIFY(plain[u"lens"_s].isNull());
    QCOMPARE(through[u"lens"_s].toString().size(), 64);
    const QJsonArray before = plain[u"positions"_s].toArray(), after = through[u"positions"_s].toArray();
    QCOMPARE(after.size(), before.size());
    QVERIFY(!after.isEmpty());
    for (qsizetype position = 0; position < after.size(); ++position) {
        const QJsonArray a = before[position].toObject()[u"layers"_s].toArray(),
                         b = after[position].toObject()[u"layers"_s].toArray();
        QCOMPARE(b.size(), 5);
        QCOMPARE(b.last(), a.last()); // the model's own output
        for (int layer = 0; layer < 4; ++layer)
            QVERIFY(a[layer].toObject()[u"entropy"_s] != b[layer].toObject()[u"entropy"_s]);
    }
    // Ablations are read through the same lens.
    const QJsonObject ablated = run(fittedLook + QStringList{u"--ablate"_s, u"L2H5"_s}).json();
    QCOMPARE(ablated[u"lens"_s], through[u"lens"_s]);
    QVERIFY(ablated[u"positions"_s] != through[u"positions"_s]);
    QCOMPARE(ablated[u"positions"_s].toArray().last()[u"layers"_s].toArray().first(),
             through[u"positions"_s].toArray().last()[u"layers"_s].toArray().first()); // before what is off
    // People are shown which lens it is, and tensors say so.
    const QString table = path(u"lens.safetensors"_s);
    const Outcome shown = run(QStringList{u"lens"_s, model} + kPrompt
                              + QStringList{u"--lens"_s, path(u"lens.pt"_s), u"--output"_s, table});
    QVERIFY2(shown.out.contains("(Jacobian lens)"), shown.out.constData());
    QVERIFY(read(table).contains("Jacobian lens " + through[u"lens"_s].toString().left(12).toUtf8()));
}

void TestLensFit::aLensOfOtherFamiliesIsAnotherModels()
{
    VERIFY_DONE(run(fit(u"hybrid.pt"_s, kHybrid) + kShort));
    VERIFY_FAILS(run(QStringList{u"lens"_s, kModel, u"--lens"_s, path(u"hybrid.pt"_s)} + kPrompt),
                 "fitted to another model");
}

void TestLensFit::someLayersAreNoWholeLens()
{
    VERIFY_DONE(run(fit(u"some.pt"_s) + kShort + QStringList{u"--layers"_s, u"0,2"_s}));
    VERIFY_FAILS(run(QStringList{u"lens"_s, kModel, u"--lens"_s, path(u"some.pt"_s)} + kPrompt),
                 "no matrix for layer 1");
}

void TestLensFit::aKilledFitGoesOn()
{
    const QStringList settings = {u"--length"_s, u"64"_s, u"--skip"_s, u"4"_s, u"--prompts"_s, u"12"_s};
    VERIFY_DONE(run(fit(u"whole.pt"_s) + settings));
    const QStringList arguments = fit(u"killed.pt"_s) + settings;
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments + QStringList{u"--device"_s, u"cpu"_s});
    const QString unfinished = path(u"killed.pt.unfinished"_s);
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(unfinished) || process.state() == QProcess::NotRunning, kLongEnough);
    ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
    (void)finished(process);
    QVERIFY2(QFile::exists(unfinished), "it was over before it could be killed");
    QVERIFY(!QFile::exists(path(u"killed.pt"_s)));
    // Another question is not mixed in.
    VERIFY_FAILS(run(arguments + QStringList{u"--quiet"_s, u"--layers"_s, u"1"_s}),
                 "begun with other texts or options");
    const Outcome resumed = run(arguments + QStringList{u"--json"_s});
    QVERIFY2(resumed.code == 0, resumed.err.constData());
    QVERIFY(resumed.json()[u"resumed"_s].toInt() >= 1);
    QCOMPARE(read(path(u"killed.pt"_s)), read(path(u"whole.pt"_s)));
    QVERIFY(!QFile::exists(unfinished));
}

void TestLensFit::theSeedChoosesTheTexts()
{
    const QString texts = path(u"several"_s);
    QVERIFY(QDir().mkpath(texts));
    const QByteArray words = read(path(u"texts.txt"_s));
    for (int i = 0; i < 8; ++i) {
        QFile file(texts + u"/%1.txt"_s.arg(i));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(words.mid(words.indexOf(' ', 40 * i) + 1, 200));
    }
    QSet<QByteArray> lenses;
    for (const char* seed : {"0", "1", "2", "3", "0"}) {
        VERIFY_DONE(
            run({u"lens"_s, u"fit"_s, kModel, u"--texts"_s, texts, u"--output"_s, path(u"seeded.pt"_s), u"--length"_s,
                 u"16"_s, u"--skip"_s, u"4"_s, u"--prompts"_s, u"1"_s, u"--seed"_s, QLatin1String(seed)}));
        lenses.insert(read(path(u"seeded.pt"_s)));
        QVERIFY(QFile::remove(path(u"seeded.pt"_s)));
    }
    QVERIFY2(lenses.size() > 1 && lenses.size() < 5, qPrintable(QString::number(lenses.size())));
}

void TestLensFit::aForecastWritesNothing()
{
    const Outcome told = run(fit(u"none.pt"_s) + kShort + QStringList{u"--forecast"_s});
    QVERIFY2(told.code == 0, told.err.constData());
    QVERIFY2(told.out.contains("3 prompts of up to 16 tokens: about "), told.out.constData());
    QVERIFY(!QFile::exists(path(u"none.pt"_s)));
}

// The direction is the word's row of the head through the lens: it makes the word likelier, the more the stronger.
void TestLensFit::aWordOfTheLensSteers()
{
    const QString model = m_folder.copiedModel();
    const QStringList look = QStringList{u"lens"_s, model, u"--answer"_s, u"bread"_s, u"--json"_s} + kPrompt;
    const auto steered = [&](const QString& steer) { return look + QStringList{u"--ablate"_s, u"steer:"_s + steer}; };
    QFile::remove(path(u"model/jacobian-lens.pt"_s));
    VERIFY_FAILS(run(steered(u"L2*4=jlens:bread"_s)), "jacobian-lens.pt");
    VERIFY_DONE(run(fit(u"model/jacobian-lens.pt"_s, model) + kShort));
    const auto logProbability = [&](const QStringList& arguments) {
        const Outcome outcome = run(arguments);
        if (outcome.code != 0)
            qWarning("%s", outcome.err.constData());
        return outcome.json()[u"positions"_s].toArray().last()[u"layers"_s].toArray().last()[u"logprob"_s].toDouble();
    };
    const double plain = logProbability(look), some = logProbability(steered(u"L2*2=jlens:bread"_s)),
                 more = logProbability(steered(u"L2*8=jlens:bread"_s)),
                 against = logProbability(steered(u"L2*-8=jlens:bread"_s));
    QVERIFY2(against < plain && plain < some && some < more,
             qPrintable(u"%1 %2 %3 %4"_s.arg(against).arg(plain).arg(some).arg(more)));
    VERIFY_FAILS(run(steered(u"L2=jlens:porridge"_s)), "not in the vocabulary");
}

// In the folder of the adapter, since it is not the lens of the base.
void TestLensFit::anAdapterHasALensOfItsOwn()
{
    writeAdapter(path(u"turned"_s));
    const QString changed = kModel + u'+' + path(u"turned"_s);
    const QStringList steered =
        QStringList{u"lens"_s, changed, u"--ablate"_s, u"steer:L2*4=jlens:bread"_s, u"--json"_s} + kPrompt;
    VERIFY_FAILS(run(steered), "turned/jacobian-lens.pt");
    VERIFY_DONE(run(fit(u"turned/jacobian-lens.pt"_s, changed) + kShort));
    VERIFY_DONE(run(steered));
}

// What the stream says of one word it says of the other: with ablations, in scores, and twice is nothing.
void TestLensFit::twoWordsOfTheLensChangePlaces()
{
    const QString model = m_folder.copiedModel();
    if (!QFile::exists(path(u"model/jacobian-lens.pt"_s)))
        VERIFY_DONE(run(fit(u"model/jacobian-lens.pt"_s, model) + kShort));
    const auto logProbability = [&](const QString& answer, const QString& set) {
        const Outcome outcome = run(QStringList{u"lens"_s, model, u"--answer"_s, answer, u"--json"_s} + kPrompt
                                    + (set.isEmpty() ? QStringList() : QStringList{u"--ablate"_s, set}));
        if (outcome.code != 0)
            qWarning("%s", outcome.err.constData());
        return outcome.json()[u"positions"_s].toArray().last()[u"layers"_s].toArray().last()[u"logprob"_s].toDouble();
    };
    for (const QString& ablated : {QString(), u"L2H5 "_s}) {
        const QString swap = ablated + u"swap:L3=jlens:soup,bread"_s;
        const double before = logProbability(u"bread"_s, ablated) - logProbability(u"soup"_s, ablated),
                     after = logProbability(u"bread"_s, swap) - logProbability(u"soup"_s, swap);
        QVERIFY2(before * after < 0 || std::abs(after - before) > 0.01, qPrintable(u"%1 %2"_s.arg(before).arg(after)));
        QCOMPARE(logProbability(u"bread"_s, ablated + u"swap:L3=jlens:bread,soup"_s), logProbability(u"bread"_s, swap));
    }
    const QStringList ablated = {u"--ablate"_s, u"swap:L3=jlens:bread,soup"_s};
    VERIFY_DONE(run(QStringList{u"score"_s, model, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"4"_s} + ablated));
    VERIFY_DONE(run(QStringList{u"attribute"_s, model} + kPrompt + ablated));
    VERIFY_FAILS(
        run(QStringList{u"edges"_s, model, u"--receiver"_s, u"L3.mlp"_s, u"--task"_s, u"toy_kv:pairs=4"_s} + ablated),
        "exchange");
    VERIFY_FAILS(run(QStringList{u"lens"_s, model, u"--ablate"_s, u"swap:L3=jlens:bread,porridge"_s} + kPrompt),
                 "not in the vocabulary");
}

void TestLensFit::shippedLensesAgreeWithAFreshFit_data()
{
    QTest::addColumn<QString>("model");
    for (const char* name : {"tiny-transformer", "tiny-ssm", "tiny-hybrid"})
        QTest::newRow(name) << QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/%1").arg(QLatin1String(name));
}

// On prompts that neither fit used, both have the same token on top where the logit lens has another. The shipped lens
// is found without being named.
void TestLensFit::shippedLensesAgreeWithAFreshFit()
{
    QFETCH(const QString, model);
    const QString texts = path(u"prompts.jsonl"_s), shipped = model + u"/jacobian-lens.pt"_s,
                  fresh = path(u"fresh.pt"_s);
    QFile::remove(texts);
    write(texts, run({u"requests"_s, u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"40"_s, u"--json"_s})
                     .out.replace("\"context\"", "\"text\""));
    QFile::remove(fresh);
    VERIFY_DONE(run({u"lens"_s, u"fit"_s, model, u"--texts"_s, texts, u"--prompts"_s, u"12"_s, u"--skip"_s, u"4"_s,
                     u"--layers"_s, u"0-2"_s, u"--output"_s, fresh}));
    const auto tops = [&](const QString& file, int sample) {
        QStringList names;
        const QStringList read = {
            u"lens"_s, model, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, QString::number(sample), u"--json"_s};
        const QJsonArray positions =
            run(file.isEmpty() ? read : read + QStringList{u"--lens"_s, file}).json()[u"positions"_s].toArray();
        for (const QJsonValue& position : positions)
            for (const QJsonValue& layer : position[u"layers"_s].toArray())
                if (layer[u"layer"_s].toInt() >= 1 && layer[u"layer"_s].toInt() <= 3)
                    names.append(layer[u"top"_s][0][u"token"_s].toString());
        return names;
    };
    int same = 0, logit = 0, all = 0;
    for (const int sample : {100, 101, 102}) {
        const QStringList ours = tops(shipped, sample), theirs = tops(fresh, sample), plain = tops({}, sample);
        QVERIFY(!ours.isEmpty() && ours.size() == theirs.size() && ours.size() == plain.size());
        for (qsizetype i = 0; i < ours.size(); ++i) {
            same += ours[i] == theirs[i] ? 1 : 0;
            logit += ours[i] == plain[i] ? 1 : 0;
            ++all;
        }
    }
    const QString counted = u"%1 alike, %2 as the logit lens, of %3"_s.arg(same).arg(logit).arg(all);
    QVERIFY2(same > 0.7 * all && logit + 0.2 * all < same, qPrintable(counted));
    const QStringList steered = QStringList{u"lens"_s, model, u"--ablate"_s, u"swap:L2=jlens:bread,soup"_s} + kPrompt;
    VERIFY_DONE(run(steered));
}

void TestLensFit::aTextThatIsTooShortIsLeftOut()
{
    QDir().mkpath(path(u"mixed"_s));
    write(path(u"mixed/a.txt"_s), "The home of Ada is Rome .");
    write(path(u"mixed/b.txt"_s), "The home of Ada is Rome . The food of Ben is bread . The food of Ada is soup .");
    const Outcome fitted = run({u"lens"_s, u"fit"_s, kModel, u"--texts"_s, path(u"mixed"_s), u"--output"_s,
                                path(u"mixed.pt"_s), u"--length"_s, u"64"_s, u"--skip"_s, u"10"_s});
    QVERIFY2(fitted.code == 0, fitted.err.constData());
    QVERIFY2(fitted.err.contains("Left out for having fewer than 12 tokens"), fitted.err.constData());
    QVERIFY2(fitted.err.contains("is 1 instead of 100"), fitted.err.constData());
}

void TestLensFit::refuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [this](const char* name, const QStringList& more, const char* says) {
        QTest::newRow(name) << fit(u"refused.pt"_s) + more << QByteArray(says);
    };
    row("a length that is skipped", {u"--length"_s, u"17"_s}, "expected at least 18, two more than --skip");
    row("a layer that does not exist", {u"--layers"_s, u"0,3"_s}, "no matrix for layer 3; expected layers from 0 to 2");
    row("layers that are no numbers", {u"--layers"_s, u"0-"_s}, "as layers; expected numbers and ranges");
    write(path(u"short.txt"_s), "The home of Ada is Rome .");
    QTest::newRow("only short texts") << QStringList{u"lens"_s,
                                                     u"fit"_s,
                                                     kModel,
                                                     u"--texts"_s,
                                                     path(u"short.txt"_s),
                                                     u"--output"_s,
                                                     path(u"refused.pt"_s)}
                                      << QByteArray("Every text is shorter than 18 tokens");
    QTest::newRow("no such folder") << QStringList{u"lens"_s,
                                                   u"fit"_s,
                                                   kModel,
                                                   u"--texts"_s,
                                                   path(u"texts.txt"_s),
                                                   u"--output"_s,
                                                   path(u"nowhere/lens.pt"_s)}
                                    << QByteArray("nowhere");
    QTest::newRow("an ablated model")
        << QStringList{u"lens"_s,     u"fit"_s,  kModel,        u"--texts"_s,         path(u"texts.txt"_s),
                       u"--ablate"_s, u"L0H0"_s, u"--output"_s, path(u"refused.pt"_s)}
        << QByteArray("leave out --ablate");
    QTest::newRow("no such lens") << QStringList{u"lens"_s, kModel, u"--lens"_s, path(u"absent.pt"_s)} + kPrompt
                                  << QByteArray("absent.pt");
    QTest::newRow("a lens that is a text")
        << QStringList{u"lens"_s, kModel, u"--lens"_s, path(u"short.txt"_s)} + kPrompt << QByteArray("short.txt");
    QTest::newRow("a lens of another width")
        << QStringList{u"lens"_s, kModel, u"--lens"_s,
                       QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/lenses/published.pt")}
               + kPrompt
        << QByteArray("its width is 32; expected 128");
}

void TestLensFit::refuses()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, says);
    VERIFY_FAILS(run(arguments + QStringList{u"--quiet"_s}), says);
    QVERIFY(!QFile::exists(path(u"refused.pt"_s)));
}

QTEST_GUILESS_MAIN(TestLensFit)
#include "tst_lensfit.moc"
