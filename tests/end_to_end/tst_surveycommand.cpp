// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli survey: what heads do on many texts, kept in a session, stopped and gone on with, and what texts lose
// without a head. Each bad input has its sentence.
#include "tests/support/clifixture.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <sys/resource.h>

using namespace clifixture;

namespace {

const QString kSsm = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-ssm");
const QString kHybrid = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-hybrid");
const QStringList kPrompts = {u"--task"_s, u"toy_kv:pairs=8"_s, u"--limit"_s, u"60"_s};

QJsonObject jsonOf(const QStringList& arguments)
{
    const Outcome outcome = run(arguments + QStringList{u"--json"_s, u"--quiet"_s});
    if (outcome.code != 0)
        qWarning("%s", outcome.err.constData());
    return outcome.json();
}

/// The head with the largest mean of a metric.
QString largest(const QJsonArray& heads, const QString& metric)
{
    QString best;
    double value = -1;
    for (const QJsonValue& head : heads)
        if (const double mean = head[u"metrics"_s][metric][u"mean"_s].toDouble(); mean > value) {
            value = mean;
            best = head[u"head"_s].toString();
        }
    return best;
}

/// Sentences that the shipped models can spell.
QByteArray sentences(int count)
{
    QByteArray text;
    const QByteArrayList keys = {"color", "home", "food"},
                         names = {"Ada", "Agnes", "The", "key", "value", "dictionary"};
    for (int i = 0; i < count; ++i)
        text += "The " + keys[i % 3] + " of " + names[(i / 3) % 6] + " is the " + names[(i * 7) % 6] + " .\n";
    return text;
}

} // namespace

class TestSurveyCommand : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void measuresEveryHead_data() { models(); }
    void measuresEveryHead();
    void agreesWithTheRankingByScores();
    void isKnownFromTheSession();
    void goesOnWhereItWasStopped();
    void lossRisesWithoutTheAggregateHead();
    void writesFiles();
    void pagesHoldTextsAsTheyAre();
    void filtersHeads();
    void findsSimilarHeads();
    void matchesAmongAllHeads();
    void pagesCompareWithHeadsThatAreNotListed();
    void tellsWhatRemovalCosts();
    void costsAreRowsOfTheSession();
    void headsOfBothKindsInOneLayer();
    void aFullDiskLosesNothingThatWasMeasured();
    void readsSeveralCollections();
    void badTextsEachHaveTheirSentence_data();
    void badTextsEachHaveTheirSentence();
    void aLineOfTwoGigabytesIsReadInPieces();
    void leavesOutWordsAndSaysSo();
    void textsWithoutAWindowAreRefused();
    void tellsForPeople();
    void lossRefusesWhatItDoesNotRead_data();
    void lossRefusesWhatItDoesNotRead();
    void refusesWithASentence_data();
    void refusesWithASentence();

private:
    static void models()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("heads");
        QTest::newRow("transformer") << kModel << 32;
        QTest::newRow("ssm") << kSsm << 32;
        QTest::newRow("hybrid") << kHybrid << 0;
    }
    std::unique_ptr<Folder> m_folder;
};

void TestSurveyCommand::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestSurveyCommand::measuresEveryHead()
{
    QFETCH(QString, model);
    QFETCH(int, heads);
    const QJsonObject told = jsonOf(QStringList{u"survey"_s, model, u"--top"_s, u"2"_s} + kPrompts);
    const QJsonArray all = told[u"heads"_s].toArray();
    QVERIFY(heads > 0 ? all.size() == heads : all.size() > 8);
    QVERIFY(told[u"finished"_s].toBool());
    QCOMPARE(told[u"counts"_s][u"left_out"_s].toInt(), 0);
    double wrote = 0;
    for (const QJsonValue& head : all) {
        double whole = 0;
        for (const QJsonValue& share : head[u"profile"_s].toArray())
            whole += share.toDouble();
        QVERIFY(std::abs(whole - 1) < 1e-3);
        for (const QJsonValue& metric : head[u"metrics"_s].toObject()) {
            QVERIFY(metric[u"n"_s].toInt() > 0);
            QVERIFY(metric[u"q05"_s].toDouble() <= metric[u"median"_s].toDouble());
            QVERIFY(metric[u"median"_s].toDouble() <= metric[u"q95"_s].toDouble());
            QVERIFY(metric[u"q95"_s].toDouble() <= metric[u"largest"_s].toDouble());
        }
        wrote += head[u"metrics"_s][u"stream_share"_s][u"mean"_s].toDouble(); // 0 of a pruned head
    }
    QVERIFY(wrote > 0);
    // Each place is a token of its window, and reads none behind it.
    const QJsonArray windows = told[u"windows"_s].toArray(), top = told[u"top"_s].toArray();
    QVERIFY(top.size() > all.size());
    for (const QJsonValue& place : top) {
        const QJsonArray tokens = windows[place[u"text"_s].toInt()][u"tokens"_s].toArray();
        QCOMPARE(tokens[place[u"position"_s].toInt()].toString(), place[u"token"_s].toString());
        for (const QJsonValue& read : place[u"reads"_s].toArray())
            QVERIFY(read[u"position"_s].toInt() <= place[u"position"_s].toInt());
    }
}

// On prompts of a task segments are those of the scores of one prompt, so the heads that gather are the same.
void TestSurveyCommand::agreesWithTheRankingByScores()
{
    const QJsonObject survey = jsonOf(QStringList{u"survey"_s, kModel, u"--top"_s, u"0"_s} + kPrompts);
    for (const QString& metric : {u"gather"_s, u"aggregate"_s}) {
        const QJsonObject ranked =
            jsonOf(QStringList{u"rank"_s, kModel, u"--method"_s, metric, u"--top"_s, u"4"_s} + kPrompts);
        const QString best = largest(survey[u"heads"_s].toArray(), metric);
        bool among = false;
        for (const QJsonValue& head : ranked[u"heads"_s].toArray())
            among = among || head[u"head"_s].toString() == best;
        QVERIFY2(among, qPrintable(metric + u": "_s + best));
    }
}

void TestSurveyCommand::isKnownFromTheSession()
{
    const QString session = m_folder->path(u"a.session"_s);
    const QStringList arguments = QStringList{u"survey"_s, kHybrid, u"--session"_s, session} + kPrompts;
    const QJsonObject first = jsonOf(arguments), second = jsonOf(arguments);
    QCOMPARE(first[u"known"_s].toInt(), 0);
    QCOMPARE(second[u"known"_s].toInt(), first[u"tokens"_s].toInt());
    QVERIFY(first[u"tokens"_s].toInt() > 0);
    QVERIFY(first[u"heads"_s] == second[u"heads"_s]);
    QVERIFY(first[u"top"_s] == second[u"top"_s]);
    const Outcome table = run({u"session"_s, u"export"_s, session, u"--table"_s, u"surveys"_s});
    QVERIFY(table.out.count('\n') > 100);
    VERIFY_DONE(run({u"session"_s, u"verify"_s, session}));
    // Another window is another survey.
    QCOMPARE(jsonOf(arguments + QStringList{u"--window"_s, u"64"_s})[u"known"_s].toInt(), 0);
}

void TestSurveyCommand::goesOnWhereItWasStopped()
{
    QDir().mkpath(m_folder->path(u"texts"_s));
    write(m_folder->path(u"texts/a.txt"_s), sentences(6000));
    const QString session = m_folder->path(u"a.session"_s);
    const QStringList arguments = {u"survey"_s, kModel, u"--texts"_s, m_folder->path(u"texts"_s), u"--json"_s};
    const QStringList kept = arguments + QStringList{u"--session"_s, session};
    // Stopped wherever it is once the session is there; what it had by then is stored.
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), kept + QStringList{u"--device"_s, u"cpu"_s});
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(session), kLongEnough);
    QTest::qWait(300);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    const Outcome stopped = finished(process);
    QVERIFY2(stopped.code == 130 || stopped.code == 0, stopped.err.constData());
    const QJsonObject second = run(kept).json(), whole = run(arguments).json();
    QVERIFY(second[u"finished"_s].toBool());
    QCOMPARE(second[u"tokens"_s].toInt(), whole[u"tokens"_s].toInt());
    QVERIFY(second[u"heads"_s] == whole[u"heads"_s]);
    QVERIFY(second[u"top"_s] == whole[u"top"_s]);
    QVERIFY(second[u"ordinary"_s] == whole[u"ordinary"_s]);
}

void TestSurveyCommand::lossRisesWithoutTheAggregateHead()
{
    const QJsonObject told =
        jsonOf(QStringList{u"survey"_s, kModel, u"--loss"_s, u"L2H5"_s, u"--loss"_s, u"L0H0-3"_s} + kPrompts);
    const QJsonArray heads = told[u"loss"_s].toArray();
    QCOMPARE(heads.size(), 5);
    for (const QJsonValue& head : heads) {
        const QJsonValue all = head[u"groups"_s][u"all"_s];
        QVERIFY(all[u"n"_s].toInt() > 500);
        QVERIFY(all[u"low"_s].toDouble() <= all[u"change"_s].toDouble());
        QVERIFY(all[u"change"_s].toDouble() <= all[u"high"_s].toDouble());
        // The same model with the head in place, whichever head it is.
        QCOMPARE(all[u"loss"_s].toDouble(), heads[0][u"groups"_s][u"all"_s][u"loss"_s].toDouble());
    }
    QVERIFY(told[u"finished"_s].toBool());
    QVERIFY(!heads[4][u"rises"_s].toArray().isEmpty());
    // A pruned head changes nothing anywhere, and without spread the uncertainty is unknown.
    const QJsonValue pruned = heads[3][u"groups"_s][u"all"_s];
    QCOMPARE(heads[3][u"head"_s].toString(), u"L0H3"_s);
    QCOMPARE(pruned[u"change"_s].toDouble(1), 0.0);
    QVERIFY(pruned[u"low"_s].isNull() && pruned[u"high"_s].isNull());
}

void TestSurveyCommand::writesFiles()
{
    const QString table = m_folder->path(u"a.csv"_s), tensors = m_folder->path(u"a.safetensors"_s);
    VERIFY_DONE(
        run(QStringList{u"survey"_s, kSsm, u"-o"_s, table, u"-o"_s, tensors, u"--head"_s, u"L1H0-3"_s} + kPrompts));
    const QByteArray lines = read(table);
    QVERIFY(lines.startsWith("head,metric,n,mean,deviation,q05,q25,median,q75,q95,largest\n"));
    QVERIFY(lines.count('\n') > 4 * 8);
    QVERIFY(lines.contains("\nL1H3,stream_share,"));
    QVERIFY(read(tensors).contains("survey.entropy.mean"));
}

void TestSurveyCommand::pagesHoldTextsAsTheyAre()
{
    // A tokenizer that knows a word of markup: what stands in files must not become part of the page.
    const QString model = m_folder->copiedModel();
    QByteArray tokenizer = clifixture::read(model + u"/tokenizer.json"_s);
    tokenizer.replace("\"Ada\"", "\"<script>Ada</script>\"");
    write(model + u"/tokenizer.json"_s, tokenizer);
    write(m_folder->path(u"a.txt"_s), QByteArray("The value of <script>Ada</script> is the key \n").repeated(30));
    const QString page = m_folder->path(u"cards.html"_s);
    VERIFY_DONE(
        run({u"survey"_s, model, u"--texts"_s, m_folder->path(u"a.txt"_s), u"--head"_s, u"L2H5"_s, u"-o"_s, page}));
    const QByteArray html = clifixture::read(page);
    QVERIFY(html.contains("L2H5") && html.contains("class=\"query\""));
    QVERIFY(html.contains("&lt;script&gt;Ada"));
    QVERIFY(!html.contains("<script"));
    QCOMPARE(html.count("<div class=\"card\">"), 1);
}

void TestSurveyCommand::filtersHeads()
{
    const QStringList survey = QStringList{u"survey"_s, kModel, u"--top"_s, u"1"_s} + kPrompts;
    const QJsonArray all = jsonOf(survey)[u"heads"_s].toArray();
    const QJsonObject some = jsonOf(survey + QStringList{u"--where"_s, u"previous > 0.2 or first > 0.5"_s});
    QStringList expected, seen;
    for (const QJsonValue& head : all)
        if (head[u"metrics"_s][u"previous"_s][u"mean"_s].toDouble() > 0.2
            || head[u"metrics"_s][u"first"_s][u"mean"_s].toDouble() > 0.5)
            expected += head[u"head"_s].toString();
    for (const QJsonValue& head : some[u"heads"_s].toArray())
        seen += head[u"head"_s].toString();
    QCOMPARE(seen, expected);
    QVERIFY(!seen.isEmpty() && seen.size() < all.size());
    for (const QJsonValue& place : some[u"top"_s].toArray())
        QVERIFY(seen.contains(place[u"head"_s].toString()));
}

void TestSurveyCommand::findsSimilarHeads()
{
    const QStringList survey = QStringList{u"survey"_s, kModel, u"--top"_s, u"0"_s} + kPrompts;
    // A model is most like itself, and its heads are each other's nearest.
    const QJsonArray same = jsonOf(survey + QStringList{u"--against"_s, kModel})[u"similar"_s].toArray();
    QCOMPARE(same.size(), 32);
    for (const QJsonValue& match : same)
        QCOMPARE(match[u"distance"_s].toDouble(), 0.0);
    const QJsonObject other = jsonOf(survey + QStringList{u"--against"_s, kSsm});
    QCOMPARE(other[u"similar"_s].toArray().size(), 32);
    QVERIFY(other[u"similar"_s][0][u"distance"_s].toDouble() > 0);
    QCOMPARE(other[u"against"_s].toString().section(u'/', -1), u"tiny-ssm"_s);
}

// A filter decides what is listed, not what is nearest: on these texts it leaves eight heads, of which one is nearest
// to its match only without the others.
void TestSurveyCommand::matchesAmongAllHeads()
{
    const QStringList survey = {u"survey"_s,  kModel,  u"--top"_s,  u"0"_s,      u"--task"_s,    u"toy_kv:pairs=8"_s,
                                u"--limit"_s, u"20"_s, u"--cost"_s, u"toy_mc"_s, u"--against"_s, kSsm};
    const QStringList where = {u"--where"_s, u"previous > 0.2 or first > 0.5"_s};
    const QJsonObject all = jsonOf(survey), some = jsonOf(survey + where);
    QStringList listed;
    for (const QJsonValue& head : some[u"heads"_s].toArray())
        listed += head[u"head"_s].toString();
    QVERIFY(listed.size() > 1 && listed.size() < 32);
    for (const QString& kind : {u"similar"_s, u"similar_by_cost"_s}) {
        QVERIFY(all[kind].isArray());
        QJsonArray expected;
        for (const QJsonValue& match : all[kind].toArray())
            if (listed.contains(match[u"head"_s].toString()))
                expected.append(match);
        QCOMPARE(some[kind].toArray(), expected);
    }
    // Heads that were not measured may be nearer.
    for (const QJsonValue& match : jsonOf(survey + QStringList{u"--head"_s, u"L1H0-3"_s})[u"similar"_s].toArray())
        QVERIFY(match[u"mutual"_s].isNull());
}

// "here:" names the nearest of all heads, also of those that the filter leaves out.
void TestSurveyCommand::pagesCompareWithHeadsThatAreNotListed()
{
    const QString filtered = m_folder->path(u"some.html"_s), whole = m_folder->path(u"all.html"_s);
    const QStringList survey = QStringList{u"survey"_s, kModel, u"--top"_s, u"0"_s} + kPrompts;
    VERIFY_DONE(run(survey + QStringList{u"-o"_s, whole}));
    VERIFY_DONE(run(survey + QStringList{u"-o"_s, filtered, u"--where"_s, u"previous > 0.2 or first > 0.5"_s}));
    const QByteArray some = read(filtered), all = read(whole);
    const qsizetype cards = some.count("<div class=\"card\">");
    QVERIFY(cards > 0 && cards < 32);
    for (const QByteArray& line : some.split('\n'))
        QVERIFY2(all.contains(line), line.constData());
}

void TestSurveyCommand::tellsWhatRemovalCosts()
{
    const QString page = m_folder->path(u"a.html"_s), table = m_folder->path(u"a.tex"_s),
                  lines = m_folder->path(u"a.csv"_s);
    const QStringList survey =
        QStringList{u"survey"_s, kModel,    u"--cost"_s, u"toy_kv:pairs=8"_s, u"--cost"_s, u"next_token"_s,
                    u"--head"_s, u"L1H2"_s, u"--head"_s, u"L2H5"_s,           u"--head"_s, u"L0H3"_s}
        + kPrompts;
    const QJsonObject told = jsonOf(survey + QStringList{u"-o"_s, page, u"-o"_s, table, u"-o"_s, lines});
    const QJsonArray heads = told[u"heads"_s].toArray();
    QCOMPARE(heads.size(), 3);
    const auto factsOf = [&heads](const QString& name) {
        for (const QJsonValue& head : heads)
            if (head[u"head"_s].toString() == name)
                return head[u"facts"_s];
        return QJsonValue();
    };
    // The cost is the one that a ranking finds on the same rows.
    const QJsonObject ranked = jsonOf(QStringList{u"rank"_s, kModel, u"--head"_s, u"L2H5"_s} + kPrompts);
    const QJsonValue cost = factsOf(u"L2H5"_s)[u"costs"_s][0];
    QCOMPARE(cost[u"task"_s].toString(), u"toy_kv:pairs=8"_s);
    QCOMPARE(cost[u"loss"_s].toDouble(), -ranked[u"heads"_s][0][u"delta"_s].toDouble());
    QVERIFY(cost[u"loss"_s].toDouble() > 0.3 && cost[u"low"_s].toDouble() <= cost[u"loss"_s].toDouble());
    // And the loss of next tokens is the one that --loss tells.
    const QJsonObject loss = jsonOf(QStringList{u"survey"_s, kModel, u"--loss"_s, u"L2H5"_s} + kPrompts);
    QVERIFY(std::abs(factsOf(u"L2H5"_s)[u"losses"_s][0][u"change"_s].toDouble()
                     - loss[u"loss"_s][0][u"groups"_s][u"all"_s][u"change"_s].toDouble())
            < 1e-5);
    QVERIFY(std::abs(factsOf(u"L0H3"_s)[u"copying"_s].toDouble()) <= 1.0001);
    const QJsonArray frequent = factsOf(u"L1H2"_s)[u"frequent"_s].toArray();
    QCOMPARE(frequent.size(), 5);
    for (const QJsonValue& token : frequent)
        QVERIFY(token[u"token"_s].toString() != u"<s>"_s); // prompts begin with it, and it is no word
    const QByteArray html = read(page);
    QVERIFY(html.contains("What removing it costs") && html.contains("Label: ") && html.contains("Copying score")
            && html.contains("next token: seen before, after the same token (nats)"));
    QVERIFY(!html.contains("place:")); // links are the window's
    QVERIFY(read(table).contains("\\begin{tabular}") && read(table).contains("cost\\_toy\\_kv"));
    QVERIFY(read(lines).contains("\nL2H5,cost_toy_kv_pairs_8,60,"));
    const QJsonArray costly =
        jsonOf(survey + QStringList{u"--where"_s, u"cost > 0.3 and loss > 0"_s})[u"heads"_s].toArray();
    QVERIFY(costly.size() >= 1 && costly.size() < 3);
}

void TestSurveyCommand::costsAreRowsOfTheSession()
{
    const QString session = m_folder->path(u"a.session"_s);
    const QStringList survey = QStringList{u"survey"_s, kHybrid,         u"--cost"_s,    u"toy_kv:pairs=8"_s,
                                           u"--cost"_s, u"next_token"_s, u"--session"_s, session}
                               + kPrompts;
    // Heads of both kinds, of the layer that has both.
    const QJsonArray all = jsonOf(QStringList{u"survey"_s, kHybrid} + kPrompts)[u"heads"_s].toArray();
    QStringList names;
    for (const QJsonValue& head : all)
        names << head[u"head"_s].toString();
    const QString attention = *std::ranges::find_if(names, [](const QString&name) { return name.startsWith(u'L'); }),
                  last = names.back();
    const QJsonObject first = jsonOf(survey + QStringList{u"--head"_s, attention});
    QCOMPARE(first[u"known_removals"_s].toInt(), 0);
    const QJsonObject second = jsonOf(survey + QStringList{u"--head"_s, attention, u"--head"_s, last});
    QCOMPARE(second[u"known_removals"_s].toInt(), 2); // of the task and of next tokens
    QVERIFY(first[u"heads"_s][0][u"facts"_s][u"costs"_s] == second[u"heads"_s][0][u"facts"_s][u"costs"_s]);
    QVERIFY(first[u"heads"_s][0][u"facts"_s][u"losses"_s] == second[u"heads"_s][0][u"facts"_s][u"losses"_s]);
    QCOMPARE(second[u"heads"_s][1][u"facts"_s][u"losses"_s].toArray().size(),
             second[u"heads"_s][0][u"facts"_s][u"losses"_s].toArray().size());
    // Other rows of the task are not these.
    QStringList other = survey;
    other.replace(other.indexOf(u"60"_s), u"40"_s);
    const QJsonObject fewer = jsonOf(other + QStringList{u"--head"_s, attention});
    QCOMPARE(fewer[u"heads"_s].toArray().size(), 1);
    QCOMPARE(fewer[u"known_removals"_s].toInt(), 0);
    const Outcome table = run({u"session"_s, u"export"_s, session, u"--table"_s, u"analyses"_s});
    VERIFY_DONE(table);
    QVERIFY(table.out.contains(",removal,") && table.out.contains("loss rise") && table.out.contains("examples"));
    VERIFY_DONE(run({u"session"_s, u"verify"_s, session}));
}

// A layer of the small hybrid has attention and SSM heads side by side; it knows 64 words.
void TestSurveyCommand::headsOfBothKindsInOneLayer()
{
    const QString golden = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/hybrid_llamba/"),
                  model = m_folder->path(u"both"_s), session = m_folder->path(u"a.session"_s);
    QDir().mkpath(model);
    for (const QString& name : {u"config.json"_s, u"model.safetensors"_s})
        QVERIFY(QFile::copy(golden + name, model + u'/' + name));
    QJsonObject words;
    QByteArray text;
    for (int id = 0; id < 64; ++id)
        words[u"w%1"_s.arg(id)] = id;
    for (int i = 0; i < 3000; ++i)
        text += "w" + QByteArray::number(1 + i * i % 61) + (i % 12 == 11 ? "\n" : " ");
    const QJsonObject tokenizer{
        {u"version"_s, u"1.0"_s},
        {u"pre_tokenizer"_s, QJsonObject{{u"type"_s, u"WhitespaceSplit"_s}}},
        {u"model"_s, QJsonObject{{u"type"_s, u"WordLevel"_s}, {u"vocab"_s, words}, {u"unk_token"_s, u"w0"_s}}}};
    write(model + u"/tokenizer.json"_s, QJsonDocument(tokenizer).toJson());
    write(m_folder->path(u"a.txt"_s), text);
    const QStringList survey = {u"survey"_s,    model,           u"--texts"_s, m_folder->path(u"a.txt"_s),
                                u"--cost"_s,    u"next_token"_s, u"--top"_s,   u"1"_s,
                                u"--session"_s, session};
    const QJsonObject told = jsonOf(survey);
    QStringList names;
    for (const QJsonValue& head : told[u"heads"_s].toArray()) {
        names << head[u"head"_s].toString();
        QVERIFY(head[u"metrics"_s][u"norm"_s][u"mean"_s].toDouble() > 0);
        QVERIFY(std::abs(head[u"facts"_s][u"losses"_s][0][u"change"_s].toDouble()) > 0);
    }
    QCOMPARE(names, (QStringList{u"L0A0"_s, u"L0S0"_s, u"L0S1"_s, u"L0S2"_s, u"L0S3"_s, u"L1H0"_s, u"L1H1"_s, u"L1H2"_s,
                                 u"L1H3"_s, u"L2A0"_s, u"L2A1"_s, u"L2S0"_s, u"L2S1"_s, u"L2S2"_s, u"L2S3"_s}));
    // Each kind's head has its own numbers, alone as among all, and the session tells them apart.
    const QJsonObject one = jsonOf(survey + QStringList{u"--head"_s, u"L2S1"_s});
    QCOMPARE(one[u"heads"_s].toArray().size(), 1);
    const QJsonObject alone = one[u"heads"_s][0][u"metrics"_s].toObject();
    QVERIFY(!alone.isEmpty());
    for (auto metric = alone.begin(); metric != alone.end(); ++metric)
        QVERIFY(std::abs(metric.value()[u"mean"_s].toDouble()
                         - told[u"heads"_s][12][u"metrics"_s][metric.key()][u"mean"_s].toDouble())
                < 1e-4);
    QVERIFY(one[u"heads"_s][0][u"facts"_s][u"losses"_s] == told[u"heads"_s][12][u"facts"_s][u"losses"_s]);
    QCOMPARE(one[u"known_removals"_s].toInt(), 1);
}

void TestSurveyCommand::aFullDiskLosesNothingThatWasMeasured()
{
    const QString session = m_folder->path(u"a.session"_s);
    const QStringList survey =
        QStringList{u"survey"_s, kModel, u"--session"_s, session, u"--json"_s, u"--quiet"_s} + kPrompts;
    VERIFY_DONE(run(survey + QStringList{u"--head"_s, u"L2H5"_s}));
    const qint64 room = QFileInfo(session).size() + 100'000;
    QProcess process;
    process.setChildProcessModifier([room] {
        const rlimit most{static_cast<rlim_t>(room), static_cast<rlim_t>(room)};
        ::setrlimit(RLIMIT_FSIZE, &most);
    });
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), survey + QStringList{u"--device"_s, u"cpu"_s});
    const Outcome full = finished(process);
    QCOMPARE(full.code, 1);
    QVERIFY2(full.err.count('\n') == 1 && full.err.trimmed().endsWith('.') && full.err.contains("a.session"),
             full.err.constData());
    QVERIFY(full.out.isEmpty()); // processes that share a session all print what it holds
    VERIFY_DONE(run({u"session"_s, u"verify"_s, session}));
    const QJsonObject again = run(survey + QStringList{u"--head"_s, u"L2H5"_s}).json();
    QCOMPARE(again[u"known"_s].toInt(), again[u"tokens"_s].toInt()); // what was there before
    QCOMPARE(run(survey).json()[u"heads"_s].toArray().size(), 32);
}

void TestSurveyCommand::badTextsEachHaveTheirSentence_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("said");
    const auto row = [](const char* what, const QString& name, const QByteArray& bytes, const char* said) {
        QTest::newRow(what) << name << bytes << QByteArray(said);
    };
    row("empty folder", {}, {}, "has no .txt and no .jsonl file");
    row("folder of other files", u"a.pdf"_s, "%PDF-1.4", "has no .txt and no .jsonl file");
    row("empty file", u"a.txt"_s, {}, "has no text");
    row("only white space", u"a.txt"_s, " \n\t\n", "Every text is shorter than 4 tokens");
    row("binary", u"a.txt"_s,
        QByteArray("\x7f"
                   "ELF\2\1\1\0\0",
                   9),
        "is not text: byte 7 is 0");
    row("UTF-16", u"a.txt"_s, QByteArray("\xff\xfeT\0h\0e\0", 8), "is not text: byte 3 is 0");
    row("UTF-8 that breaks off", u"a.txt"_s, "The key \xc3", "is not UTF-8 at byte 8");
    row("an overlong slash", u"a.txt"_s, "The key \xc0\xaf is", "is not UTF-8 at byte 8");
    row("half a JSON", u"a.jsonl"_s, "{\"text\": \"The key\"}\n{\"text\": ", "line 2 of");
    row("JSON of no text", u"a.jsonl"_s, "{\"text\": 3}\n", "has no \"text\"");
    row("JSON of bytes that are no text", u"a.jsonl"_s, "{\"text\": \"\xff\"}\n", "is not UTF-8 at byte 10");
    row("a long line of JSON", u"a.jsonl"_s, "{\"text\": \"" + QByteArray(17'000'000, 'a') + "\"}\n",
        "is longer than 16 MB");
    row("no word is known", u"a.txt"_s, "Gramophones telephoned xylophones loudly everywhere\n",
        "words outside the vocabulary do not count");
}

void TestSurveyCommand::badTextsEachHaveTheirSentence()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, said);
    const QString texts = m_folder->path(u"texts"_s), session = m_folder->path(u"a.session"_s);
    QDir().mkpath(texts);
    if (!name.isEmpty())
        write(texts + u'/' + name, bytes);
    VERIFY_FAILS(run({u"survey"_s, kModel, u"--texts"_s, texts, u"--quiet"_s}), said);
    // Beside good ones it is told just the same, and nothing of the session is lost.
    write(m_folder->path(u"good.txt"_s), sentences(20));
    const QStringList good = {u"survey"_s,    kModel,  u"--texts"_s, m_folder->path(u"good.txt"_s),
                              u"--session"_s, session, u"--json"_s,  u"--quiet"_s,
                              u"--top"_s,     u"1"_s};
    const int tokens = jsonOf(good)[u"tokens"_s].toInt();
    if (!said.contains("4 tokens") && !said.contains("outside the vocabulary") && !said.contains("has no text"))
        VERIFY_FAILS(run(good + QStringList{u"--texts"_s, texts}), said);
    QCOMPARE(jsonOf(good)[u"known"_s].toInt(), tokens);
}

// Without an end of the line, and mostly a hole of the file: no reader may take it as a whole.
void TestSurveyCommand::aLineOfTwoGigabytesIsReadInPieces()
{
    const QString file = m_folder->path(u"a.txt"_s);
    write(file, sentences(20) + "The key ");
    QVERIFY(QFile::resize(file, (qint64{1} << 31) + 1000));
    VERIFY_FAILS(run({u"survey"_s, kModel, u"--texts"_s, file, u"--quiet"_s}), "is not text: byte");
    const QString lines = m_folder->path(u"a.jsonl"_s);
    write(lines, "{\"text\": \"The key ");
    QVERIFY(QFile::resize(lines, (qint64{1} << 31) + 1000));
    VERIFY_FAILS(run({u"survey"_s, kModel, u"--texts"_s, lines, u"--quiet"_s}), "is longer than 16 MB");
}

void TestSurveyCommand::readsSeveralCollections()
{
    QDir().mkpath(m_folder->path(u"texts/inner"_s));
    write(m_folder->path(u"texts/inner/a.txt"_s), sentences(60));
    write(m_folder->path(u"lines.jsonl"_s), QByteArray(R"({"text": "The key of the value is Ada ."})") + "\n");
    const QStringList both = {
        u"survey"_s, kModel, u"--texts"_s, m_folder->path(u"texts"_s), u"--texts"_s, m_folder->path(u"lines.jsonl"_s),
        u"--top"_s,  u"0"_s};
    const QJsonObject texts = jsonOf(both), all = jsonOf(both + kPrompts);
    QVERIFY(texts[u"texts"_s].toString().contains(u"texts, lines.jsonl"_s));
    QVERIFY(all[u"texts"_s].toString().contains(u"toy_kv"_s));
    QVERIFY(all[u"tokens"_s].toInt() > texts[u"tokens"_s].toInt());
}

void TestSurveyCommand::leavesOutWordsAndSaysSo()
{
    write(m_folder->path(u"a.txt"_s), "The value of gramophone the key is The key of the value \n");
    const Outcome outcome = run({u"survey"_s, kModel, u"--texts"_s, m_folder->path(u"a.txt"_s)});
    VERIFY_DONE(outcome);
    QVERIFY2(outcome.err.contains("not in the vocabulary"), outcome.err.constData());
}

void TestSurveyCommand::textsWithoutAWindowAreRefused()
{
    const auto refused = [this](const QByteArray& text, const QByteArray& said) {
        write(m_folder->path(u"a.txt"_s), text);
        const Outcome outcome = run({u"survey"_s, kModel, u"--texts"_s, m_folder->path(u"a.txt"_s), u"--quiet"_s});
        return outcome.code == 1 && outcome.err.contains(said) && outcome.err.count('\n') == 1;
    };
    QVERIFY(refused("The", "Every text is shorter than 4 tokens"));
    QVERIFY(refused("gramophones telephoned xylophones loudly\n", "Every text is shorter than 4 tokens"));
    QVERIFY(refused(QByteArray("The key \0 is", 12), "byte 8 is 0"));
    QVERIFY(refused("The key of \xff is", "not UTF-8 at byte 11"));
}

void TestSurveyCommand::tellsForPeople()
{
    const Outcome outcome = run(QStringList{u"survey"_s, kModel} + kPrompts);
    VERIFY_DONE(outcome);
    QVERIFY(outcome.out.contains("entropy") && outcome.out.contains("L3H7") && outcome.out.contains("toy_kv"));
    const Outcome loss = run(QStringList{u"survey"_s, kModel, u"--loss"_s, u"L2H5"_s} + kPrompts);
    VERIFY_DONE(loss);
    QVERIFY(loss.out.contains("continued") && loss.out.contains("95 %"));
    QVERIFY(loss.out.contains("Tokens whose loss rises most:\n") && loss.out.contains(", sample "));
}

void TestSurveyCommand::refusesWithASentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("said");
    QTest::newRow("nothing to read") << QStringList{} << QByteArray("Nothing to read");
    QTest::newRow("no file") << QStringList{u"--texts"_s, u"/no/such/file.txt"_s} << QByteArray("There is no file");
    QTest::newRow("window") << QStringList{u"--window"_s, u"4096"_s} + kPrompts
                            << QByteArray("longer than the model reads");
    QTest::newRow("head") << QStringList{u"--head"_s, u"L9H0"_s} + kPrompts << QByteArray("L9");
    QTest::newRow("loss of a head") << QStringList{u"--loss"_s, u"L0H99"_s} + kPrompts << QByteArray("99");
    QTest::newRow("suffix") << QStringList{u"-o"_s, u"a.xlsx"_s} + kPrompts << QByteArray("suffix");
    QTest::newRow("filter") << QStringList{u"--where"_s, u"indction > 0.5"_s} + kPrompts
                            << QByteArray("expected a number or one of entropy");
    QTest::newRow("filter by a cost that is not measured")
        << QStringList{u"--where"_s, u"cost > 0.5"_s} + kPrompts << QByteArray("expected a number or one of entropy");
    QTest::newRow("page of losses") << QStringList{u"--loss"_s, u"L0H0"_s, u"-o"_s, u"a.html"_s} + kPrompts
                                    << QByteArray("suffix");
    QTest::newRow("task") << QStringList{u"--task"_s, u"nothing"_s} << QByteArray("nothing");
}

void TestSurveyCommand::refusesWithASentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, said);
    VERIFY_FAILS(run(QStringList{u"survey"_s, kModel, u"--quiet"_s} + arguments), said);
}

void TestSurveyCommand::lossRefusesWhatItDoesNotRead_data()
{
    QTest::addColumn<QStringList>("option");
    QTest::newRow("--against") << QStringList{u"--against"_s, kSsm};
    QTest::newRow("--where") << QStringList{u"--where"_s, u"entropy > 1"_s};
    QTest::newRow("--cost") << QStringList{u"--cost"_s, u"toy_kv"_s};
    QTest::newRow("--head") << QStringList{u"--head"_s, u"L0H0"_s};
    QTest::newRow("--threshold") << QStringList{u"--threshold"_s, u"0.5"_s};
}

void TestSurveyCommand::lossRefusesWhatItDoesNotRead()
{
    QFETCH(QStringList, option);
    const Outcome outcome = run(QStringList{u"survey"_s, kModel, u"--loss"_s, u"L2H5"_s} + kPrompts + option);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains("excludes") && outcome.err.contains(option.front().toUtf8()),
             outcome.err.constData());
}

QTEST_GUILESS_MAIN(TestSurveyCommand)
#include "tst_surveycommand.moc"
