// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli score: JSON members, the baseline beside it, sessions, samples, stopping.
#include "sessions/sessionstore.h"
#include "tests/support/clifixture.h"

#include <cmath>
#include <csignal>

using namespace headscope;
using namespace clifixture;

class TestScoreCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void scoresWithTheContractsMembers();
    void comparesWithTheBaseline();
    void stopsWhereItIsDecided();
    void takesFromTheSessionWhatItHolds();
    void writesOneSampleALine();
    void stoppedByTheUserKeepsFinishedExamples();
    void readsATokenizerFromElsewhere();
    void swapsLayers();
    void loadsWhatAMinimalModelNeedsWhereTheWholeDoesNotFit();
    void scoresAModelThatStaysInItsFile();
    void marksRowsThatMergeAtTheBoundary();
    void measuresAgain();
    void readsOwnTasksAsTheWindowDoes_data();
    void readsOwnTasksAsTheWindowDoes();
    void saysThatAnIncludedModelWasTrainedAnew();
    void tellsTheMemory();
    void keepsToTheThreadsThatThereAre_data();
    void keepsToTheThreadsThatThereAre();

private:
    std::unique_ptr<Folder> m_folder;
};

void TestScoreCommand::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestScoreCommand::scoresWithTheContractsMembers()
{
    const Outcome outcome =
        run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4,8,toy_mc"_s, u"--limit"_s, u"24"_s, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.out.count('\n'), 1);
    const QJsonObject told = outcome.json();
    for (const QString& key : {u"results"_s, u"baseline"_s, u"ablation"_s, u"seconds"_s, u"tokens"_s, u"model"_s,
                               u"dtype"_s, u"device"_s, u"notes"_s})
        QVERIFY2(told.contains(key), qPrintable(key));
    const QJsonArray results = told[u"results"_s].toArray();
    QCOMPARE(results.size(), 3);
    QCOMPARE(results[0][u"task"_s].toString(), u"toy_kv:pairs=4"_s);
    QCOMPARE(results[1][u"task"_s].toString(), u"toy_kv:pairs=8"_s);
    for (const QJsonValue& result : results) {
        for (const QString& key : {u"task"_s, u"metric"_s, u"filter"_s, u"value"_s, u"stderr"_s, u"n"_s, u"rejected"_s,
                                   u"subset"_s, u"delta"_s, u"interval"_s, u"p"_s})
            QVERIFY2(result.toObject().contains(key), qPrintable(key));
        QCOMPARE(result[u"n"_s].toInt(), 24);
        QCOMPARE(result[u"metric"_s].toString(), u"acc"_s);
        QVERIFY(result[u"value"_s].toDouble() > 0.9);
    }
    QVERIFY(told[u"baseline"_s].toArray().isEmpty());
    QCOMPARE(told[u"ablation"_s].toString(), QString());
    QVERIFY(told[u"tokens"_s].toInt() > 24 * 3 * 20);
}

void TestScoreCommand::comparesWithTheBaseline()
{
    // The whole third layer off: no dictionary can be read without it, whichever head does the work.
    const Outcome outcome = run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=8,toy_knowledge"_s, u"--limit"_s,
                                 u"32"_s, u"--ablate"_s, u"L2H4-7"_s, u"--ablate"_s, u"L2H0-3"_s, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QJsonObject told = outcome.json();
    QCOMPARE(told[u"ablation"_s].toString(), u"L2H0-7"_s);
    const QJsonObject now = entry(told[u"results"_s].toArray(), u"toy_kv:pairs=8"_s),
                      before = entry(told[u"baseline"_s].toArray(), u"toy_kv:pairs=8"_s);
    QVERIFY(before[u"value"_s].toDouble() > 0.9);
    QVERIFY(now[u"value"_s].toDouble() < 0.3);
    QVERIFY(std::abs(now[u"delta"_s].toDouble() - (now[u"value"_s].toDouble() - before[u"value"_s].toDouble())) < 1e-9);
    QCOMPARE(now[u"baseline"_s].toDouble(), before[u"value"_s].toDouble());
    QVERIFY(now[u"p"_s].toDouble() < 1e-3);
    QCOMPARE(now[u"test"_s].toString(), u"exact McNemar"_s);
    const QJsonArray interval = now[u"interval"_s].toArray();
    QCOMPARE(interval.size(), 2);
    QVERIFY(interval[0].toDouble() <= now[u"delta"_s].toDouble()
            && interval[1].toDouble() >= now[u"delta"_s].toDouble());
    QVERIFY(entry(told[u"results"_s].toArray(), u"toy_knowledge"_s)[u"value"_s].toDouble() > 0.8);

    const Outcome people =
        run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"8"_s, u"--ablate"_s, u"L2H*"_s});
    QCOMPARE(people.code, 0);
    QVERIFY2(people.out.contains("baseline") && people.out.contains("toy_kv:pairs=8"), people.out.constData());
}

void TestScoreCommand::stopsWhereItIsDecided()
{
    const auto score = [this](const QString& ablation, const QStringList& more) {
        return run(QStringList{u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=8"_s, u"--ablate"_s, ablation,
                               u"--json"_s, u"--session"_s, m_folder->path(u"a.headscope"_s)}
                   + more);
    };
    // 1. the sign: without the third layer's heads nothing is found
    const Outcome lost = score(u"L2H*"_s, {u"--until-decided"_s, u"0.01"_s});
    QVERIFY2(lost.code == 0, lost.err.constData());
    const QJsonValue line = lost.json()[u"results"_s][0];
    QVERIFY(line[u"stopped"_s].toBool());
    QVERIFY(line[u"paired"_s].toInt() < 128);
    QVERIFY(line[u"p"_s].toDouble() < 0.05 && line[u"e_value"_s].toDouble() > 20);
    QVERIFY(line[u"interval"_s][1].toDouble() < 0);
    QVERIFY(line[u"test"_s].toString().contains(u"anytime"_s));
    QVERIFY2(lost.out.contains("sign of the change was decided"), lost.out.constData());
    // 2. a higher level takes more rows
    const Outcome sure = score(u"L2H*"_s, {u"--until-decided"_s, u"0.01"_s, u"--decided-at"_s, u"0.999999"_s});
    QVERIFY(sure.json()[u"results"_s][0][u"p"_s].toDouble() < 1e-6);
    // 3. the width: of a head that nothing needs no sign is ever decided
    const Outcome same = score(u"L0H0"_s, {u"--until-decided"_s, u"0.3"_s});
    const QJsonValue narrow = same.json()[u"results"_s][0];
    QVERIFY(narrow[u"stopped"_s].toBool());
    const double low = narrow[u"interval"_s][0].toDouble(), high = narrow[u"interval"_s][1].toDouble();
    QVERIFY(low < 0 && high > 0 && high - low < 0.3);
    QVERIFY2(same.out.contains("narrower than asked"), same.out.constData());
    // 4. neither: all rows are in, and it says so
    const Outcome all = score(u"L0H0"_s, {u"--until-decided"_s, u"0.001"_s});
    QVERIFY(!all.json()[u"results"_s][0][u"stopped"_s].toBool());
    QCOMPARE(all.json()[u"results"_s][0][u"n"_s].toInt(), 256);
    QVERIFY2(all.out.contains("undecided with all examples"), all.out.constData());
    // 5. what was scored is in the session: all of it takes only the rest
    QVERIFY(score(u"L2H*"_s, {}).json()[u"reused"_s].toInt() >= 256);
    QCOMPARE(score(u"L2H*"_s, {u"--until-decided"_s, u"0"_s}).code, 2);
    // 6. without an ablation there is nothing to decide, and no level without a width
    const QStringList plain{u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=8"_s};
    const Outcome nothing = run(plain + QStringList{u"--until-decided"_s, u"0.05"_s});
    QCOMPARE(nothing.code, 2);
    QVERIFY2(nothing.err.contains("--ablate"), nothing.err.constData());
    QCOMPARE(run(plain + QStringList{u"--ablate"_s, u"L0H0"_s, u"--decided-at"_s, u"0.9"_s}).code, 2);
}

void TestScoreCommand::takesFromTheSessionWhatItHolds()
{
    const QStringList arguments = {u"score"_s,    kModel,    u"--task"_s,    u"toy_kv:pairs=8"_s,
                                   u"--ablate"_s, u"L2H5"_s, u"--session"_s, m_folder->path(u"a.headscope"_s),
                                   u"--json"_s};
    const Outcome first = run(arguments + QStringList{u"--limit"_s, u"16"_s});
    QVERIFY2(first.code == 0, first.err.constData());
    QCOMPARE(first.json()[u"reused"_s].toInt(), 0);
    const Outcome second = run(arguments + QStringList{u"--limit"_s, u"24"_s});
    QCOMPARE(second.json()[u"reused"_s].toInt(), 32); // 16 each of baseline and ablated
    const Outcome third = run(arguments + QStringList{u"--limit"_s, u"24"_s});
    QCOMPARE(third.json()[u"reused"_s].toInt(), 48);
    QCOMPARE(third.json()[u"tokens"_s].toInt(), 0);
    QCOMPARE(third.json()[u"results"_s], second.json()[u"results"_s]);
    QCOMPARE(third.json()[u"baseline"_s], second.json()[u"baseline"_s]);

    // The same from the file as without one.
    const Outcome fresh = run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=8"_s, u"--ablate"_s, u"L2H5"_s,
                               u"--limit"_s, u"24"_s, u"--json"_s});
    QCOMPARE(fresh.json()[u"results"_s], third.json()[u"results"_s]);

    auto session = sessions::SessionStore::open(m_folder->path(u"a.headscope"_s).toStdString());
    QVERIFY(session.has_value());
    QCOMPARE(*session->exampleCount(), 24);
    const auto runs = session->runs();
    QVERIFY(runs.has_value());
    QCOMPARE(runs->size(), std::size_t{2});
    QCOMPARE((*runs)[0].ablation, std::string());
    QCOMPARE((*runs)[1].ablation, std::string("L2H5"));
    QCOMPARE((*runs)[1].series.size(), std::size_t{1});
}

void TestScoreCommand::writesOneSampleALine()
{
    const QString file = m_folder->path(u"samples.jsonl"_s);
    const Outcome outcome = run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"9"_s,
                                 u"--ablate"_s, u"L2H*"_s, u"--samples"_s, file, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QList<QByteArray> lines = read(file).trimmed().split('\n');
    QCOMPARE(lines.size(), 9);
    int right = 0;
    for (int i = 0; i < 9; ++i) {
        const QJsonObject line = QJsonDocument::fromJson(lines[i]).object();
        for (const QString& key : {u"id"_s, u"task"_s, u"row"_s, u"prediction"_s, u"gold"_s, u"correct"_s,
                                   u"log_likelihoods"_s, u"greedy"_s, u"baseline"_s})
            QVERIFY2(line.contains(key), qPrintable(key));
        QCOMPARE(line[u"row"_s].toInt(), i);
        QCOMPARE(line[u"id"_s].toString().size(), 64);
        QCOMPARE(line[u"log_likelihoods"_s].toArray().size(), 1);
        right += line[u"correct"_s].toBool() ? 1 : 0;
        const QJsonObject before = line[u"baseline"_s].toObject();
        QVERIFY(before[u"log_likelihoods"_s][0].toDouble() > line[u"log_likelihoods"_s][0].toDouble());
    }
    QVERIFY(std::abs(outcome.json()[u"results"_s][0][u"value"_s].toDouble() - right / 9.0) < 1e-9);
}

void TestScoreCommand::stoppedByTheUserKeepsFinishedExamples()
{
    // Enough work that the signal comes in the middle of it; which examples are finished by then does not matter.
    const QString file = m_folder->path(u"stopped.headscope"_s);
    const QStringList arguments = {u"score"_s, kModel,         u"--task"_s, u"toy_kv:pairs=48"_s, u"--limit"_s,
                                   u"20000"_s, u"--session"_s, file,        u"--device"_s,        u"cpu"_s};
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments);
    QVERIFY(process.waitForStarted());
    const auto kept = [&file] {
        if (!QFile::exists(file))
            return std::int64_t{0};
        auto session = sessions::SessionStore::open(file.toStdString(), {.create = false, .readOnly = true});
        if (!session.has_value())
            return std::int64_t{0};
        const auto scores = session->scores();
        return scores.has_value() && !scores->empty() ? scores->front().n : std::int64_t{0};
    };
    QTRY_VERIFY_WITH_TIMEOUT(kept() > 0 || process.state() == QProcess::NotRunning, kLongEnough);
    QCOMPARE(process.state(), QProcess::Running);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    const Outcome outcome = finished(process);
    QCOMPARE(outcome.code, 130);
    QVERIFY2(outcome.out.isEmpty(), outcome.out.constData());
    QVERIFY2(outcome.err.contains("Stopped by the user."), outcome.err.constData());
    QVERIFY(kept() > 0 && kept() < 20000);
}

void TestScoreCommand::readsATokenizerFromElsewhere()
{
    const QString bare = m_folder->copiedModel({u"tokenizer.json"_s, u"tokenizer_config.json"_s});
    const QStringList arguments = {u"score"_s, bare, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"8"_s, u"--json"_s};
    VERIFY_FAILS(run(arguments), "--tokenizer");
    for (const QString& tokenizer : {kModel, kModel + u"/tokenizer.json"_s}) {
        const Outcome outcome = run(arguments + QStringList{u"--tokenizer"_s, tokenizer});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QVERIFY(outcome.json()[u"results"_s][0][u"value"_s].toDouble() > 0.9);
    }
}

void TestScoreCommand::swapsLayers()
{
    // A layer replaced by the same layer of the same model changes nothing.
    const Outcome outcome = run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"8"_s,
                                 u"--ablate"_s, u"swap:L1="_s + kModel, u"--json"_s});
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    QCOMPARE(outcome.json()[u"results"_s][0][u"delta"_s].toDouble(), 0.0);
    VERIFY_FAILS(run({u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"8"_s, u"--ablate"_s,
                      u"swap:L1=/there/is/none"_s}),
                 "/there/is/none");
}

void TestScoreCommand::loadsWhatAMinimalModelNeedsWhereTheWholeDoesNotFit()
{
    // In another type than the stored one the weights cannot stay in their file.
    const QStringList converted = {u"--dtype"_s, u"bf16"_s};
    const Outcome info = run(QStringList{u"info"_s, kModel, u"--json"_s} + converted);
    VERIFY_DONE(info);
    // A byte less than the whole model takes.
    const QString memory = QString::number(info.json()[u"memory"_s][u"128"_s][u"total"_s].toInteger() - 1);
    const auto score = [&converted](const QStringList& more) {
        return run(QStringList{u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"8"_s, u"--json"_s}
                   + converted + more);
    };
    const QStringList minimal = {u"--ablate"_s, u"upto:L1"_s}, little = {u"--memory"_s, memory},
                      session = {u"--session"_s, m_folder->path(u"m.headscope"_s)};
    VERIFY_FAILS(score(little), "The model needs");
    const Outcome whole = score(minimal), part = score(minimal + little + session);
    VERIFY_DONE(whole);
    VERIFY_DONE(part);
    QVERIFY2(part.err.contains("The whole model does not fit into memory"), part.err.constData());
    const QJsonObject now = part.json()[u"results"_s][0].toObject(),
                      expected = whole.json()[u"results"_s][0].toObject();
    QCOMPARE(now[u"value"_s], expected[u"value"_s]);
    QCOMPARE(now[u"n"_s].toInt(), 8);
    QVERIFY(!expected[u"delta"_s].isNull());
    QVERIFY(now[u"delta"_s].isNull() && part.json()[u"baseline"_s].toArray().isEmpty());
    QVERIFY2(part.json()[u"notes"_s].toArray().last().toString().contains(u"no baseline"_s), part.out.constData());

    // The session holds what is known of the whole model, and gives its results to a run with more memory.
    const Outcome later = score(minimal + session);
    QCOMPARE(later.json()[u"reused"_s].toInt(), 8);
    QCOMPARE(later.json()[u"results"_s], whole.json()[u"results"_s]);
    auto store = sessions::SessionStore::open(m_folder->path(u"m.headscope"_s).toStdString());
    QVERIFY(store.has_value());
    QCOMPARE(store->models()->front().layers, 4);
}

void TestScoreCommand::scoresAModelThatStaysInItsFile()
{
    const Outcome info = run({u"info"_s, kModel, u"--json"_s});
    VERIFY_DONE(info);
    const QString memory = QString::number(info.json()[u"memory"_s][u"128"_s][u"total"_s].toInteger() - 1);
    const QStringList arguments = {u"score"_s,  kModel,        u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"8"_s,
                                   u"--json"_s, u"--ablate"_s, u"L2H5"_s};
    const Outcome whole = run(arguments), streamed = run(arguments + QStringList{u"--memory"_s, memory});
    VERIFY_DONE(whole);
    VERIFY_DONE(streamed);
    QVERIFY2(streamed.err.contains("stay in their file"), streamed.err.constData());
    QCOMPARE(streamed.json()[u"results"_s], whole.json()[u"results"_s]);
    QCOMPARE(streamed.json()[u"baseline"_s], whole.json()[u"baseline"_s]);
}

void TestScoreCommand::marksRowsThatMergeAtTheBoundary()
{
    // "... of A" + "thens" is the one word "Athens": what is scored are not the tokens of the text.
    const QString task = m_folder->path(u"cut.json"_s), session = m_folder->path(u"cut.headscope"_s);
    QFile file(task);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"task": "cut", "doc_to_text": "{{text}}", "doc_to_choice": "{{choices}}", "doc_to_target": "0",
        "target_delimiter": "", "metric_list": ["acc"], "rows": [
        {"text": "The value of", "choices": [" the key", " Anna is"]},
        {"text": "The value of A", "choices": ["thens is", "nna is"]}]})");
    file.close();
    const QStringList arguments{u"score"_s, kModel, u"--task"_s, task, u"--session"_s, session};
    const QStringList prefix = arguments + QStringList{u"--boundary"_s, u"common-prefix"_s};
    const Outcome table = run(arguments);
    QVERIFY2(table.code == 0, table.err.constData());
    QVERIFY2(table.out.contains("own, 1 merged"), table.out.constData());
    QVERIFY2(table.out.contains("cut: 1 row was scored on other tokens"), table.out.constData());
    QVERIFY2(table.out.contains("(row 1 of 'cut')"), table.out.constData());
    // By the other rule it is another series: nothing is taken from the first, and all of it says so.
    const Outcome other = run(prefix);
    QVERIFY2(other.out.contains("own, common prefix, 1 merged"), other.out.constData());
    QVERIFY2(other.out.contains("0 results taken from the session"), other.out.constData());
    const QJsonObject told = run(prefix + QStringList{u"--json"_s}).json();
    QCOMPARE(told[u"boundary"_s].toString(), u"common-prefix"_s);
    QCOMPARE(told[u"reused"_s].toInt(), 2);
    QCOMPARE(told[u"results"_s].toArray()[0][u"merged"_s].toInt(), 1);
    QCOMPARE(told[u"results"_s].toArray()[0][u"merged_first"_s].toString(), u"row 1 of 'cut'"_s);
    const Outcome stored = run({u"session"_s, u"export"_s, session, u"--table"_s, u"scores"_s});
    QVERIFY2(stored.out.contains("1 common-prefix"), (stored.out + stored.err).constData());
    // A ranking is kept with its rule, too.
    const Outcome ranked = run({u"rank"_s, kModel, u"--task"_s, task, u"--heads"_s, u"L2H5"_s, u"--boundary"_s,
                                u"common-prefix"_s, u"--session"_s, session, u"--json"_s});
    QCOMPARE(ranked.json()[u"boundary"_s].toString(), u"common-prefix"_s);
    auto store = sessions::SessionStore::open(session.toStdString());
    QVERIFY(store.has_value());
    QCOMPARE(store->rankings()->size(), std::size_t{1});
    QVERIFY2(store->rankings()->front().task.ends_with("; common prefix"), store->rankings()->front().task.c_str());
    const Outcome unknown = run(arguments + QStringList{u"--boundary"_s, u"prefix"_s});
    QCOMPARE(unknown.code, 2);
    // So are the rows that a race leaves behind.
    const QStringList raced{u"--session"_s, m_folder->path(u"raced.headscope"_s), u"--json"_s};
    VERIFY_DONE(run(QStringList{u"rank"_s, kModel, u"--task"_s, task, u"--heads"_s, u"L2H5,L1H2"_s, u"--method"_s,
                                u"race"_s, u"--top"_s, u"1"_s, u"--boundary"_s, u"common-prefix"_s}
                    + raced));
    const QJsonObject taken =
        run(QStringList{u"score"_s, kModel, u"--task"_s, task, u"--boundary"_s, u"common-prefix"_s} + raced).json();
    QCOMPARE(taken[u"reused"_s].toInt(), 2);
    QCOMPARE(taken[u"results"_s][0][u"value"_s], told[u"results"_s][0][u"value"_s]);
}

void TestScoreCommand::measuresAgain()
{
    const QString session = m_folder->path(u"again.headscope"_s);
    const QStringList arguments{u"score"_s, kModel,         u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s,
                                u"8"_s,     u"--session"_s, session,     u"--json"_s};
    const QJsonObject first = run(arguments).json();
    QCOMPARE(first[u"results"_s][0][u"value"_s].toDouble(), 1.0);
    std::optional<sessions::SeriesKey> key;
    {
        // What a faulty version has left behind.
        auto store = sessions::SessionStore::open(session.toStdString(), {.again = true});
        QVERIFY(store.has_value());
        key = store->scores()->front().series;
        auto results = sessions::SessionStore::open(session.toStdString())->results(*key);
        QCOMPARE(results->size(), std::size_t{8});
        QCOMPARE(store->results(*key)->size(), std::size_t{0});
        results->resize(3);
        for (sessions::ResultRecord& result : *results)
            result.correct = false;
        QVERIFY(store->putResults(*key, *results).has_value());
        QCOMPARE(store->doneExamples(*key)->size(), std::size_t{3});
    }
    const auto totals = [&] { return sessions::SessionStore::open(session.toStdString())->scores()->front(); };
    QCOMPARE(totals().n, 8);
    QCOMPARE(totals().correct, 5);
    QCOMPARE(run(arguments).json()[u"reused"_s].toInt(), 8);
    const QJsonObject again = run(arguments + QStringList{u"--again"_s}).json();
    QCOMPARE(again[u"reused"_s].toInt(), 0);
    QCOMPARE(again[u"results"_s], first[u"results"_s]);
    QCOMPARE(totals().n, 8);
    QCOMPARE(totals().correct, 8);
    QCOMPARE(run(QStringList{u"score"_s, kModel, u"--task"_s, u"toy_kv"_s, u"--again"_s}).code, 2);
}

void TestScoreCommand::readsOwnTasksAsTheWindowDoes_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("csv") << u"own.csv"_s
                         << QByteArray("question,A,B,answer\nWhich swims?,cow,fish,B\nWhich flies?,owl,cat,A\n");
    QTest::newRow("jsonl") << u"own.jsonl"_s
                           << QByteArray(R"({"question": "Which swims?", "choices": ["cow", "fish"], "answer": 1}
{"question": "Which flies?", "choices": ["owl", "cat"], "answer": 0})");
}

void TestScoreCommand::readsOwnTasksAsTheWindowDoes()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    write(m_folder->path(name), text);
    const QStringList arguments{u"score"_s, u"small-transformer"_s, u"--task"_s, m_folder->path(name), u"--json"_s};
    const Outcome scored = run(arguments);
    QVERIFY2(scored.code == 0, scored.err.constData());
    const QJsonObject own = entry(scored.json()[u"results"_s].toArray(), u"own"_s);
    QCOMPARE(own[u"n"_s].toInt(), 2);
    QCOMPARE(own[u"metric"_s].toString(), u"acc"_s);
    const QString notes = QString::fromUtf8(QJsonDocument(scored.json()[u"notes"_s].toArray()).toJson());
    QVERIFY2(notes.contains(u"the answer is in 'answer'"_s), qPrintable(notes));
    write(m_folder->path(name), "what,is\n");
    VERIFY_FAILS(run(arguments), "has no row");
}

// A session of an earlier version, in which an included model was another one.
void TestScoreCommand::saysThatAnIncludedModelWasTrainedAnew()
{
    const QString file = m_folder->path(u"earlier.headscope"_s);
    const QStringList arguments{u"score"_s, u"small-transformer"_s, u"--task"_s, u"word_kv:pairs=4"_s, u"--limit"_s,
                                u"4"_s,     u"--session"_s,         file};
    const Outcome before = run(arguments);
    VERIFY_DONE(before);
    QVERIFY(!before.err.contains("trained again"));
    {
        auto session = sessions::SessionStore::open(file.toStdString());
        QVERIFY(session.has_value());
        const sessions::ModelRecord model{.hash = "38e722c874777ba072e3cee77db0b0175ab33b7d51ab5f4d38110c45216f2ae2",
                                          .name = "small-transformer",
                                          .family = "llama"};
        QVERIFY(session->putModel(model).has_value());
    }
    const Outcome now = run(arguments);
    VERIFY_DONE(now);
    QVERIFY2(now.err.contains("small-transformer of an earlier version of Headscope"), now.err.constData());
}

void TestScoreCommand::tellsTheMemory()
{
    const QStringList arguments = {u"score"_s,    kModel,    u"--task"_s, u"toy_kv:pairs=4"_s,
                                   u"--ablate"_s, u"L2H5"_s, u"--json"_s};
    const Outcome free = run(arguments), limited = run(arguments + QStringList{u"--memory"_s, u"7MB"_s});
    VERIFY_DONE(free);
    VERIFY_DONE(limited);
    QVERIFY(free.json()[u"memory"_s][u"budget"_s].isNull() && !free.err.contains("memory:"));
    QVERIFY2(limited.err.contains("memory: ") && limited.err.contains(" of 7.0 MB"), limited.err.constData());
    QCOMPARE(limited.json()[u"results"_s], free.json()[u"results"_s]);
    QCOMPARE(limited.json()[u"memory"_s][u"budget"_s].toInteger(), 7'000'000);
    QVERIFY(limited.json()[u"memory"_s][u"measured"_s].toInteger() <= 7'000'000);
    for (const Outcome& outcome : {free, limited}) {
        const double share = outcome.json()[u"memory"_s][u"forecast"_s].toDouble()
                             / outcome.json()[u"memory"_s][u"measured"_s].toDouble();
        QVERIFY2(share > 0.9 && share < 1.1, qPrintable(QString::number(share)));
    }
}

void TestScoreCommand::keepsToTheThreadsThatThereAre_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::newRow("OMP_THREAD_LIMIT") << QByteArray("1");
    QTest::newRow("OMP_DYNAMIC") << QByteArray("true");
}

// A loop that gets fewer threads than it was told left the products of bf16 unfinished: 13 of 16 examples were not
// finite, and the other three wrong.
void TestScoreCommand::keepsToTheThreadsThatThereAre()
{
    QFETCH(QByteArray, value);
    const QStringList score{u"score"_s,   kModel,    u"--task"_s,    u"toy_kv"_s, u"--limit"_s, u"16"_s,
                            u"--dtype"_s, u"bf16"_s, u"--threads"_s, u"2"_s,      u"--json"_s,  u"--quiet"_s};
    const Outcome plain = run(score);
    qputenv(QTest::currentDataTag(), value);
    const Outcome limited = runAnew(score);
    qunsetenv(QTest::currentDataTag());
    QVERIFY2(limited.code == 0, limited.err.constData());
    QCOMPARE(limited.json()[u"results"_s].toArray().at(0)[u"failed"_s].toInt(), 0);
    QCOMPARE(limited.json()[u"results"_s], plain.json()[u"results"_s]);
}

QTEST_GUILESS_MAIN(TestScoreCommand)
#include "tst_scorecommand.moc"
