// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli page: one web page of a session, used in a browser as its readers do (tests/support/pagebrowser.py),
// and headscope-cli class --page, whose answers are counted.
#include "sessions/analyses.h"
#include "sessions/sessionstore.h"
#include "tests/support/clifixture.h"

#include <QStandardPaths>

#include <limits>

using namespace clifixture;
using namespace headscope;

namespace {

const QString kSsm = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-ssm");
const QString kPython = u"/usr/bin/python3"_s; ///< Debian's: selenium is its package
const QString kBrowser = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/support/pagebrowser.py");

/// Text that would be more than text in a page that trusts it.
const std::string kMarkup = "<img src=x onerror=\"window.intruder=1\"></script><script>window.intruder=1</script>";

void check(const Result<void>& done)
{
    QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
}

const std::string kFolder = "/home/ada/secret/"; ///< of a person's machine: on no page
const char* const kSteered = "steer:L0*2=/home/ada/secret/calm.npz[x]";

/// packaging/test.sh installs all of it.
QString whatIsAbsent()
{
    if (!QFile::exists(u"/usr/bin/chromedriver"_s))
        return u"There is no chromium-driver; packaging/install.sh --tests installs it."_s;
    QProcess selenium;
    selenium.start(kPython, {u"-c"_s, u"import selenium"_s});
    return finished(selenium).code == 0 ? QString()
                                        : u"There is no python3-selenium; packaging/install.sh --tests installs it."_s;
}

sessions::ExampleRecord hostileExample()
{
    return {.hash = std::string(64, 'e'),
            .task = "own" + kMarkup,
            .file = "generated",
            .row = 0,
            .scoring = "loglikelihood",
            .context = kMarkup + std::string(20'000, 'x'),
            .continuations = {kMarkup},
            .gold = 0};
}

sessions::AnalysisRecord hostileAnalysis(const char* kind, const std::string& model)
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    sessions::AnalysisRecord record{
        .key = {.modelHash = model, .kind = kind, .dtype = "fp32", .device = "cpu", .questionJson = "{}"},
        .source = kFolder + std::string("texts.txt"),
        .summary = kMarkup};
    for (const char* measure : {"share", "probability", "token", kMarkup.c_str()})
        for (const double value : {kNan, 1e308, -std::numeric_limits<double>::infinity()})
            record.values.push_back({.part = "L0H1",
                                     .receiver = kMarkup,
                                     .position = -1,
                                     .measure = measure,
                                     .value = value,
                                     .words = kMarkup});
    return record;
}

/// A session in which every text is markup and numbers are as large as they can be, or none.
void writeHostile(const QString& file)
{
    auto opened = sessions::SessionStore::open(file.toStdString());
    QVERIFY(opened.has_value());
    sessions::SessionStore& session = *opened;
    const std::string model(64, 'a'), tokenizer(64, 'b');
    check(session.putTokenizer({.hash = tokenizer, .kind = kMarkup, .source = kFolder + kMarkup}));
    check(session.putModel({.hash = model,
                            .name = "model " + kMarkup,
                            .source = kFolder + std::string("tiny"),
                            .family = kMarkup,
                            .dtype = "fp32",
                            .device = "cpu",
                            .tokenizerHash = tokenizer,
                            .layers = 1,
                            .headsJson = R"([[{"kind":"attention","heads":2,"kv_heads":2,"head_dim":4}]])"}));
    check(session.putLabel({model, "L0H1", kMarkup + std::string(16'000, 'w'), "#ff0000"}));
    for (const char* ablation : {"", "L0H1", kSteered})
        check(session.putAblation(ablation));
    const sessions::ExampleRecord example = hostileExample();
    check(session.putExamples({{example}}));
    for (const char* ablation : {"", "L0H1", kSteered}) {
        const sessions::SeriesKey key{.modelHash = model,
                                      .tokenizerHash = tokenizer,
                                      .dtype = "fp32",
                                      .device = "cpu",
                                      .task = example.task,
                                      .rowSource = std::string(64, 'c'),
                                      .taskVersion = "1.0",
                                      .ablation = ablation,
                                      .inputs = {}};
        check(session.putResults(key, {{{.exampleHash = example.hash,
                                         .correct = *ablation == '\0',
                                         .logLikelihoods = {-std::numeric_limits<double>::infinity()},
                                         .generated = kMarkup}}}));
        QVERIFY(
            session
                .putRun({.name = kMarkup, .note = kMarkup, .modelHash = model, .ablation = ablation, .series = {key}})
                .has_value());
    }
    QVERIFY(session
                .addRanking({.modelHash = model,
                             .dtype = "fp32",
                             .device = "cpu",
                             .task = kMarkup,
                             .method = "exact",
                             .n = 1,
                             .heads = {{"L0H1", 1e308, -1e308, -1e308, 1e308}, {kMarkup, 0, 0, 0, 0}}})
                .has_value());
    for (const char* kind : {"lens", "patching", "edges", "probe"})
        check(sessions::putAnalysis(session, hostileAnalysis(kind, model)));
    sessions::PatternRecord pattern{.modelHash = model,
                                    .dtype = "fp32",
                                    .head = "L0H1",
                                    .prompt = kMarkup,
                                    .tokens = {kMarkup, std::string(10'000, 'w')},
                                    .values = Matrix(2, 2),
                                    .source = kMarkup};
    pattern.values.values = {1.0F, 0.0F, 1e30F, 1e30F};
    QVERIFY(session.putPattern(pattern).has_value());
}

const std::string kTwins[] = {std::string(64, '1'), std::string(64, '2')};
const char* const kSource = "toy_kv:pairs=8, sample 0";

/// Of one example.
void putScore(sessions::SessionStore& session, int model, const std::string& task, const std::string& ablation = {},
              bool right = true, char rows = 'c')
{
    const sessions::SeriesKey key{.modelHash = kTwins[model],
                                  .tokenizerHash = std::string(64, 'b'),
                                  .dtype = "fp32",
                                  .device = "cpu",
                                  .task = task,
                                  .rowSource = std::string(64, rows),
                                  .taskVersion = "1.0",
                                  .ablation = ablation,
                                  .inputs = {}};
    const sessions::ExampleRecord example{.hash = (task + key.rowSource).substr(0, 64),
                                          .task = task,
                                          .file = "generated",
                                          .row = 0,
                                          .scoring = "loglikelihood",
                                          .context = "find",
                                          .continuations = {" 27"},
                                          .gold = 0};
    check(session.putAblation(ablation));
    check(session.putExamples({{example}}));
    check(session.putResults(key, {{{.exampleHash = example.hash, .correct = right, .logLikelihoods = {-0.5}}}}));
}

void putMap(sessions::SessionStore& session, int model, const std::string& source, int tokens)
{
    sessions::PatternRecord pattern{.modelHash = kTwins[model],
                                    .dtype = "fp32",
                                    .head = "L0H0",
                                    .prompt = "find",
                                    .tokens = std::vector<std::string>(static_cast<std::size_t>(tokens), "t"),
                                    .values = Matrix(tokens, tokens),
                                    .source = source};
    pattern.convention.shown = analysis::MatrixShown::MinusBaseline;
    QVERIFY(session.putPattern(pattern).has_value());
}

void putRanking(sessions::SessionStore& session, const std::string& task, const std::string& method, int n,
                const std::vector<sessions::RankedHead>& heads)
{
    QVERIFY(session
                .addRanking({.modelHash = kTwins[0],
                             .dtype = "fp32",
                             .device = "cpu",
                             .task = task,
                             .method = method,
                             .n = n,
                             .heads = heads})
                .has_value());
}

/// What a lens reads of the second model at the last two of four tokens.
void putLens(sessions::SessionStore& session)
{
    sessions::AnalysisRecord lens{.key = {.modelHash = kTwins[1],
                                          .kind = "lens",
                                          .dtype = "fp32",
                                          .device = "cpu",
                                          .questionJson = R"({"prompts":[{"ids":[1,2,3,4]}]})"},
                                  .source = kSource,
                                  .summary = "said"};
    for (const int position : {2, 3})
        lens.values.push_back({.part = "L12",
                               .position = position,
                               .measure = "probability",
                               .value = position == 3 ? 0.9998 : 0.18,
                               .words = position == 3 ? " 27" : " ke"});
    check(sessions::putAnalysis(session, lens));
}

/// A session of two models of 12 layers in which different things differ in a folder, in their rows, in their kind of
/// dictionary or in their tokens only.
void writeTwins(const QString& file)
{
    auto opened = sessions::SessionStore::open(file.toStdString());
    QVERIFY(opened.has_value());
    sessions::SessionStore& session = *opened;
    check(session.putTokenizer({.hash = std::string(64, 'b'), .kind = "WordLevel", .source = "tiny"}));
    std::string heads = "[";
    for (int layer = 0; layer < 12; ++layer)
        heads += std::string(layer > 0 ? "," : "") + R"([{"kind":"attention","heads":1,"kv_heads":1,"head_dim":4}])";
    for (const std::string& model : kTwins)
        check(session.putModel({.hash = model,
                                .name = "twin",
                                .source = "twin",
                                .family = "llama",
                                .dtype = "fp32",
                                .device = "cpu",
                                .tokenizerHash = std::string(64, 'b'),
                                .layers = 12,
                                .headsJson = heads + "]"}));
    for (const char* task : {"toy_kv:pairs=4", "toy_kv:pairs=8", "word_kv:pairs=4", "word_kv_plain:pairs=4"})
        putScore(session, 0, task);
    putScore(session, 1, "toy_kv:pairs=8");
    for (const char* folder : {"s1", "s2"})
        putScore(session, 0, "toy_kv:pairs=8", "steer:L1*2=" + kFolder + folder + "/v.npz[x]", folder[1] == '1');
    for (const char rows : {'c', 'd'})
        putScore(session, 0, "my", {}, true, rows);
    putMap(session, 0, kSource, 3);
    putMap(session, 1, kSource, 4);
    putMap(session, 1, "text", 5);
    putLens(session);
    for (const char* method : {"race", "greedy", "random"})
        putRanking(session, "toy_kv:pairs=8", method, 8, {{"L0H0", 0.2, -0.8, -0.9, -0.7}, {"L1H0", 1, 0, -0.1, 0.1}});
    putRanking(session, "toy_kv:pairs=8", "pairs", 8, {{"L0H0+L1H0", 0.1, -0.9, -1, -0.8}});
    putRanking(session, "toy_kv:pairs=8", "estimate", 8, {{"L0H0", -2, 0, -3, -1}, {"L1H0", 0.1, 0, 0, 0.2}});
    for (const auto& [folder, n] : {std::pair("t1", 5), std::pair("t1", 10), std::pair("t2", 5)})
        putRanking(session, kFolder + folder + "/my.csv", "exact", n, {{"L0H0", 0.2, -0.8, -0.9, -0.7}});
}

/// What the script of a page reads.
QJsonObject valuesOf(const QString& page)
{
    QProcess python;
    python.start(kPython, {u"-c"_s,
                           u"import base64, gzip, re, sys; page = open(sys.argv[1], encoding='utf-8').read();"
                           "packed = re.search('id=\"data\">([^<]*)<', page)[1];"
                           "sys.stdout.buffer.write(gzip.decompress(base64.b64decode(packed)))"_s,
                           page});
    return finished(python).json();
}

} // namespace

class TestPage : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void modulesAreClean();
    void sameBytesForTheSameSession();
    void staysSmall();
    void whatReadsAlikeIsToldApart();
    void aLensTellsItsOwnSample();
    void refuses_data();
    void refuses();
    void inABrowser_data();
    void inABrowser();
    void countsSavedAnswers();

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    void makeTwins() const;

    QTemporaryDir m_folder;
    QString m_absent;   ///< what this machine lacks of a browser; empty: nothing
    QJsonObject m_seen; ///< what each check in the browser found
};

void TestPage::initTestCase()
{
    for (const QStringList& analysis :
         {QStringList{u"lens"_s}, {u"attribute"_s}, {u"patch"_s, u"--what"_s, u"heads"_s}}) {
        const Outcome kept = run(analysis.mid(0, 1)
                                 + QStringList{kModel, u"--task"_s, u"toy_kv:pairs=8"_s, u"--sample"_s, u"0"_s,
                                               u"--session"_s, path(u"s.headscope"_s), u"--quiet"_s}
                                 + analysis.mid(1));
        QVERIFY2(kept.code == 0, kept.err.constData());
    }
    const Outcome made =
        run({u"page"_s, kModel, kSsm, u"-o"_s, path(u"study.html"_s), u"--session"_s, path(u"s.headscope"_s),
             u"--samples"_s, u"1"_s, u"--task"_s, u"toy_kv:pairs=8,toy_kv:pairs=4,toy_knowledge"_s, u"--limit"_s,
             u"40"_s, u"--story"_s, u"one-head"_s, u"--json"_s, u"--quiet"_s});
    QVERIFY2(made.code == 0, made.err.constData());
    const QJsonObject told = made.json();
    QCOMPARE(told[u"heads"_s].toInt(), 64);
    QCOMPARE(told[u"states"_s].toInt(), 66);
    QCOMPARE(told[u"samples"_s].toInt(), 3); // and the two that the story shows
    QCOMPARE(told[u"bytes"_s].toInteger(), QFileInfo(path(u"study.html"_s)).size());

    writeHostile(path(u"hostile.headscope"_s));
    const QJsonArray lines{QString::fromStdString(kMarkup)};
    const QJsonObject step{{u"title"_s, lines[0]}, {u"text"_s, lines}, {u"question"_s, lines[0]},
                           {u"answers"_s, lines},  {u"right"_s, 0},    {u"why"_s, lines}};
    write(path(u"story.json"_s),
          QJsonDocument(QJsonObject{{u"title"_s, lines[0]}, {u"steps"_s, QJsonArray{step}}}).toJson());
    const Outcome hostile =
        run({u"page"_s, path(u"hostile.headscope"_s), u"-o"_s, path(u"hostile.html"_s), u"--title"_s,
             QString::fromStdString(kMarkup), u"--story"_s, path(u"story.json"_s), u"--json"_s, u"--quiet"_s});
    QVERIFY2(hostile.code == 0, hostile.err.constData());
    const QJsonArray folders = hostile.json()[u"folders_left_out"_s].toArray();
    for (const std::string& text : {kFolder + "tiny", kFolder + "texts.txt", std::string(kSteered)})
        QVERIFY2(folders.contains(QString::fromStdString(text)), text.c_str());
    QCOMPARE(hostile.json()[u"names"_s].toArray().size(), 2); // a head's, and that of the runs and their notes

    makeTwins();
    const Outcome exam = run({u"class"_s, u"--page"_s, path(u"exam.html"_s), u"transformer-heads"_s, u"--limit"_s,
                              u"20"_s, u"--json"_s, u"--quiet"_s});
    QVERIFY2(exam.code == 0, exam.err.constData());
    QCOMPARE(exam.json()[u"file"_s].toString(), path(u"exam.html"_s));
    QCOMPARE(exam.json()[u"questions"_s].toInt(), 6);

    m_absent = whatIsAbsent();
    if (!m_absent.isEmpty())
        return;
    QVERIFY(QDir().mkdir(path(u"downloads"_s)));
    QProcess browser;
    browser.start(kPython, {kBrowser, path(u"study.html"_s), path(u"s.headscope"_s), path(u"hostile.html"_s),
                            path(u"exam.html"_s), path(u"twins.html"_s), path(u"downloads"_s)});
    const Outcome seen = finished(browser);
    m_seen = seen.json();
    QVERIFY2(!m_seen.isEmpty(), seen.err.right(2000).constData());
}

void TestPage::makeTwins() const
{
    writeTwins(path(u"twins.headscope"_s));
    write(path(u"layers.json"_s), R"({"title":"T","steps":[{"title":"T","text":["t"],
        "check":[{"heads":[1,8],"of layer":1}]}]})");
    const Outcome twins = run({u"page"_s, path(u"twins.headscope"_s), u"-o"_s, path(u"twins.html"_s), u"--samples"_s,
                               u"2"_s, u"--story"_s, path(u"layers.json"_s), u"--json"_s, u"--quiet"_s});
    QVERIFY2(twins.code == 0, twins.err.constData());
    QCOMPARE(twins.json()[u"left_out"_s].toArray(),
             (QJsonArray{u"1 of 3 prompts with patterns are left out (--samples)."_s,
                         u"my was measured on other rows, too; those are not shown."_s}));
}

void TestPage::modulesAreClean()
{
    if (QStandardPaths::findExecutable(u"node"_s).isEmpty())
        QSKIP("There is no node; packaging/install.sh --tests installs it.");
    QProcess lint;
    lint.start(kPython, {QStringLiteral(HEADSCOPE_SOURCE_DIR "/packaging/checkpage.py")});
    const Outcome outcome = finished(lint);
    QVERIFY2(outcome.code == 0, (outcome.out + outcome.err).constData());
}

void TestPage::sameBytesForTheSameSession()
{
    for (const QString& name : {u"first.html"_s, u"second.html"_s}) {
        const Outcome made = run({u"page"_s, path(u"s.headscope"_s), u"-o"_s, path(name), u"--story"_s, u"one-head"_s,
                                  u"--samples"_s, u"1"_s, u"--quiet"_s});
        QVERIFY2(made.code == 0, made.err.constData());
    }
    QCOMPARE(read(path(u"first.html"_s)), read(path(u"second.html"_s)));
    QCOMPARE(read(path(u"first.html"_s)), read(path(u"study.html"_s)));
}

void TestPage::staysSmall()
{
    QVERIFY2(QFileInfo(path(u"study.html"_s)).size() < 2'000'000, "64 heads, 66 states and 3 prompts");
    const QByteArray page = read(path(u"hostile.html"_s));
    QVERIFY(!page.contains("<img"));
    QCOMPARE(page.count("</script>"), 4);
}

void TestPage::whatReadsAlikeIsToldApart()
{
    const QJsonObject values = valuesOf(path(u"twins.html"_s));
    QStringList states, rankings;
    for (const QJsonValue& state : values[u"states"_s].toArray())
        if (const QString ablation = state[u"ablation"_s].toString(); !ablation.isEmpty())
            states << ablation + u": "_s + QString::number(state[u"scores"_s].toArray().first()[u"value"_s].toDouble());
    QCOMPARE(states, (QStringList{u"steer:L1*2=v.npz[x]: 1"_s, u"steer:L1*2=v.npz[x] (2): 0"_s}));
    for (const QJsonValue& ranking : values[u"rankings"_s].toArray())
        if (ranking[u"method"_s].toString() == u"exact"_s)
            rankings << ranking[u"task"_s].toString() + u": "_s + QString::number(ranking[u"n"_s].toInt());
    QCOMPARE(rankings, (QStringList{u"my.csv: 10"_s, u"my.csv (2): 5"_s})); // a newer one of a file for the older
}

void TestPage::aLensTellsItsOwnSample()
{
    const QJsonObject values = valuesOf(path(u"twins.html"_s));
    QMap<qsizetype, QString> answers;
    for (const QJsonValue& state : values[u"states"_s].toArray())
        if (state[u"model"_s].toInt() == 1)
            for (const QJsonValue& answer : state[u"answers"_s].toArray())
                answers[values[u"samples"_s][answer[u"sample"_s].toInt()][u"tokens"_s].toArray().size()] =
                    answer[u"token"_s].toString();
    QCOMPARE(answers, (QMap<qsizetype, QString>{{3, QString()}, {4, u" 27"_s}}));
}

void TestPage::refuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("sentence");
    const QString session = path(u"s.headscope"_s), page = path(u"refused.html"_s);
    const auto row = [](const char* name, const QStringList& arguments, const char* sentence) {
        QTest::addRow("%s", name) << QStringList{u"page"_s} + arguments << QByteArray(sentence);
    };
    row("too large", {session, u"-o"_s, page, u"--limit-mb"_s, u"0.1"_s}, "more than the 0.1 MB of --limit-mb");
    row("story", {session, u"-o"_s, page, u"--story"_s, u"none"_s}, "There is no story 'none'");
    row("two sessions", {session, kSsm, u"-o"_s, page}, "A session has its own models");
    row("heads", {session, u"-o"_s, page, u"--heads"_s, u"best"_s}, "expected all, ranked or heads");
    row("pdf", {session, u"-o"_s, path(u"refused.pdf"_s)}, "A page is written as .html or .htm; got '");
    row("no suffix", {session, u"-o"_s, path(u"refused"_s)}, "A page is written as .html or .htm; got '");
    row("folder", {session, u"-o"_s, u"/nowhere/page.html"_s}, "'/nowhere' does not exist");
}

void TestPage::refuses()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, sentence);
    const Outcome outcome = run(arguments);
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.err.contains(sentence), outcome.err.constData());
    QVERIFY(!QFile::exists(path(u"refused.html"_s)));
}

void TestPage::inABrowser_data()
{
    QTest::addColumn<QString>("check");
    if (!m_absent.isEmpty())
        QTest::newRow("no browser") << QString();
    for (const QString& check : m_seen.keys())
        QTest::addRow("%s", qPrintable(check)) << check;
}

void TestPage::inABrowser()
{
    QFETCH(const QString, check);
    if (!m_absent.isEmpty())
        QSKIP(qPrintable(m_absent));
    QVERIFY2(m_seen[check].toString().isEmpty(), qPrintable(m_seen[check].toString()));
}

void TestPage::countsSavedAnswers()
{
    if (!m_absent.isEmpty())
        QSKIP(qPrintable(m_absent));
    const QString folder = path(u"downloads"_s);
    write(folder + u"/other.json"_s, R"({"headscope_answers":1,"name":"Bo","answers":[
        {"lesson":"one-head","step":2,"question":"?","kind":"choice","answer":"a) x","correct":false,"confidence":"guess","seconds":3}]})");
    write(folder + u"/broken.json"_s, R"({"headscope_answers":1,"answers":[{"lesson":"one-head","step":-1}]})");
    write(folder + u"/none.json"_s, "[]");
    const Outcome told = run({u"class"_s, folder, u"--json"_s});
    QVERIFY2(told.code == 0, told.err.constData());
    QCOMPARE(told.json()[u"students"_s].toArray().size(), 3); // with the exercise, which has no name
    const QJsonObject question = told.json()[u"questions"_s].toArray().first().toObject();
    QCOMPARE(question[u"id"_s].toString(), u"one-head 3"_s);
    QCOMPARE(question[u"n"_s].toInt(), 2);
    QCOMPARE(question[u"right"_s].toInt(), 1);
    QVERIFY(told.err.contains("'broken.json' has an answer that cannot be read"));
    QVERIFY(told.err.contains("'none.json' does not contain answers saved from a page"));
}

QTEST_GUILESS_MAIN(TestPage)
#include "tst_page.moc"
