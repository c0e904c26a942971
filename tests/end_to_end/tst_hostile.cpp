// SPDX-License-Identifier: GPL-3.0-or-later
// The command line where the disk is full, the reader is gone and files and arguments mean no good.
#include "tests/support/clifixture.h"

#include "sessions/sessionstore.h"

#include <QDirIterator>
#include <QMap>
#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <memory>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace headscope;
using namespace clifixture;

namespace {

/// Runs with something of the process changed before it starts.
Outcome runIn(const QStringList& arguments, const std::function<void()>& inChild)
{
    QProcess process;
    process.setChildProcessModifier(inChild);
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), arguments + QStringList{u"--device"_s, u"cpu"_s});
    return finished(process);
}

void noFileMayGrow()
{
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
}

void nobodyReads()
{
    int ends[2];
    if (::pipe(ends) == 0) {
        ::close(ends[0]);
        ::dup2(ends[1], STDOUT_FILENO);
    }
}

const QStringList kScore = {u"score"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"4"_s, u"--quiet"_s};

/// Nothing that a terminal would take as an order.
bool isPlain(const QByteArray& bytes)
{
    return std::all_of(bytes.begin(), bytes.end(),
                       [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= 0x20; })
           && !bytes.contains('\x7f') && !bytes.contains("\xc2\x9b") && !bytes.contains("\xe2\x80\xae");
}

const QByteArray kOrders = "\x1b]0;owned\x07\x1b[2J\x7f\xc2\x9b"
                           "31m\xe2\x80\xae";

} // namespace

class TestHostile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init() { m_folder = std::make_unique<Folder>(); }
    void lostOutputIsAFailure_data();
    void lostOutputIsAFailure();
    void lostFilesAreAFailure_data();
    void lostFilesAreAFailure();
    void everyOutputIsTried();
    void pipesNeedAReader();
    void impossibleOutputsAreToldFirst_data();
    void impossibleOutputsAreToldFirst();
    void aMissingCorpusLeavesNothing();
    void whatAModelStartsFromIsTrainedFirst();
    void textOfFilesGivesNoOrders();
    void tablesHoldNoFormulas();
    void namesOfMegabytesAreNotExported();
    void argumentsGiveNoOrders_data();
    void argumentsGiveNoOrders();
    void rankingsOfFilesAreChecked_data();
    void rankingsOfFilesAreChecked();
    void endlessFilesAreRefused_data();
    void endlessFilesAreRefused();
    void endlessLinesAreRefused();
    void badNumbersAreWrongUse_data();
    void badNumbersAreWrongUse();

private:
    std::unique_ptr<Folder> m_folder;
};

void TestHostile::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI does not name the program.");
}

void TestHostile::lostOutputIsAFailure_data()
{
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const char* name, const QStringList& arguments) { QTest::newRow(name) << arguments; };
    row("help", {u"--help"_s});
    row("version", {u"--version"_s});
    row("models", {u"models"_s});
    row("models, JSON", {u"models"_s, u"--json"_s});
    row("info", {u"info"_s, kModel});
    row("tasks", {u"tasks"_s});
    row("tokenize", {u"tokenize"_s, kModel, u"--text"_s, u"The"_s});
    row("requests", {u"requests"_s, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"2"_s, u"--quiet"_s});
    row("score", kScore);
    row("score, JSON", kScore + QStringList{u"--json"_s});
    row("pattern", {u"pattern"_s, kModel, u"--text"_s, u"The"_s, u"--head"_s, u"L2H5"_s});
    row("rank",
        {u"rank"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"2"_s, u"--method"_s, u"gather"_s});
    row("generate", {u"generate"_s, kModel, u"--text"_s, u"The"_s, u"--new-tokens"_s, u"2"_s});
    row("experiment", {u"experiment"_s, u"list"_s});
    row("man", {u"man"_s, u"headscope-cli"_s});
    row("completion", {u"completion"_s, u"zsh"_s});
}

void TestHostile::lostOutputIsAFailure()
{
    QFETCH(QStringList, arguments);
    const Outcome full = run(arguments, u"/dev/full"_s);
    VERIFY_FAILS(full, "The output could not be written: No space left on device.");
    const Outcome closed = runIn(arguments, nobodyReads);
    VERIFY_FAILS(closed, "The output could not be written: Broken pipe.");
}

// Every option that names a file or folder to write, with every form that it writes. @ is the test's folder.
void TestHostile::lostFilesAreAFailure_data()
{
    QTest::addColumn<QStringList>("arguments");
    const auto rows = [](const QStringList& command, const QString& option, const QStringList& files) {
        for (const QString& file : files)
            QTest::newRow(qPrintable(command.first() + u' ' + option + u' ' + file))
                << command + QStringList{option, u"@/"_s + file};
    };
    const QString known = u"@/known.headscope"_s, source = QStringLiteral(HEADSCOPE_SOURCE_DIR);
    const QStringList task = {u"--task"_s, u"toy_kv:pairs=4"_s}, sample = task + QStringList{u"--sample"_s, u"0"_s},
                      few = task + QStringList{u"--limit"_s, u"2"_s}, tables = {u"t.csv"_s, u"t.safetensors"_s};
    rows(kScore, u"--samples"_s, {u"s.jsonl"_s});
    rows(kScore, u"--harness"_s, {u"harness/"_s});
    rows(kScore, u"--session"_s, {u"new.headscope"_s});
    rows({u"pattern"_s, kModel, u"--text"_s, u"The"_s, u"--head"_s, u"L2H5"_s}, u"-o"_s,
         {u"p.csv"_s, u"p.safetensors"_s, u"p.npy"_s, u"p.npz"_s, u"p.png"_s, u"p.pdf"_s, u"p.svg"_s});
    for (const QString& command : {u"lens"_s, u"attribute"_s, u"patch"_s, u"logprob"_s})
        rows(QStringList{command, kModel} + sample, u"-o"_s, tables);
    rows(QStringList{u"edges"_s, kModel, u"--receiver"_s, u"L2H5.q"_s} + few, u"-o"_s, tables);
    rows(QStringList{u"knockout"_s, kModel, u"--queries"_s, u"20"_s, u"--keys"_s, u"3"_s} + sample, u"-o"_s, tables);
    rows(QStringList{u"why-score"_s, kModel, u"--head"_s, u"L2H5"_s, u"--query"_s, u"20"_s, u"--key"_s, u"3"_s}
             + sample,
         u"-o"_s, tables);
    rows(QStringList{u"compare"_s, kModel, kModel} + few, u"-o"_s, tables);
    rows({u"series"_s, u"@/step-1"_s, u"@/step-2"_s, u"--metric"_s, u"sink"_s}, u"-o"_s,
         tables + QStringList{u"t.svg"_s});
    rows({u"weights"_s, kModel, u"--head"_s, u"L2H5"_s}, u"-o"_s, tables);
    rows(QStringList{u"probe"_s, kModel} + few, u"-o"_s, tables);
    rows(QStringList{u"survey"_s, kModel, u"--head"_s, u"L2H5"_s} + few, u"-o"_s,
         tables + QStringList{u"t.tex"_s, u"t.html"_s});
    rows({u"dump"_s, kLlama, u"--tokens"_s, source + u"/tests/data/golden/llama/expected.safetensors"_s, u"--want"_s,
          u"logits"_s},
         u"-o"_s, {u"d.safetensors"_s});
    rows({u"session"_s, u"export"_s, known}, u"-o"_s, {u"t.csv"_s});
    rows({u"session"_s, u"export"_s, known, u"--table"_s, u"examples"_s}, u"-o"_s, {u"t.json"_s});
    rows({u"session"_s, u"report"_s, known}, u"-o"_s, {u"r.md"_s, u"r.pdf"_s});
    rows({u"figure"_s, known, u"scores"_s}, u"-o"_s,
         {u"f.pdf"_s, u"f.svg"_s, u"f.png"_s, u"f.csv"_s, u"f.tex"_s, u"f.md"_s});
    rows({u"page"_s, known}, u"-o"_s, {u"p.html"_s});
    rows({u"class"_s, source + u"/tests/data/sessions"_s}, u"-o"_s, {u"c.csv"_s, u"c.pdf"_s});
    rows({u"demo"_s, kModel}, u"-o"_s, {u"demo/"_s});
    rows({u"train"_s, source + u"/resources/recipes/tiny-transformer.json"_s, u"--steps"_s, u"1"_s}, u"-o"_s,
         {u"trained/"_s});
    rows({u"experiment"_s, u"kv-curve"_s, kModel, u"--limit"_s, u"2"_s}, u"-o"_s, {u"e/"_s});
    rows({u"models"_s}, u"--add-folder"_s, {u"folder/"_s});
}

/// Scores, and an experiment.
void makeSession(const QString& file)
{
    VERIFY_DONE(run(kScore + QStringList{u"--session"_s, file}));
    {
        auto session = sessions::SessionStore::open(file.toStdString());
        QVERIFY(session.has_value());
        const QByteArray report = read(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/results/heatmaps.json"));
        QVERIFY(session->setUiState("experiment/heatmaps/tiny-transformer", report.toStdString()).has_value());
    }
    // Without a log, whose index would be a file that has to grow for reading.
    QByteArray bytes = read(file);
    bytes[18] = bytes[19] = 1;
    write(file, bytes);
}

/// Names and contents of everything in a folder.
QMap<QString, QByteArray> contentsOf(const QString& folder)
{
    QMap<QString, QByteArray> contents;
    QDirIterator all(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
    while (all.hasNext()) {
        const QString file = all.next();
        contents[file] = read(file);
    }
    return contents;
}

void TestHostile::lostFilesAreAFailure()
{
    QFETCH(QStringList, arguments);
    const QString known = m_folder->path(u"known.headscope"_s);
    arguments.replaceInStrings(u"@"_s, m_folder->path());
    if (arguments.contains(known))
        makeSession(known);
    if (arguments.first() == u"series")
        for (const QString& step : {u"step-1"_s, u"step-2"_s})
            QVERIFY(QFile::link(kModel, m_folder->path(step)));
    const QString target = arguments.last();
    if (target.endsWith(u'/'))
        QVERIFY(QDir().mkpath(target));
    else if (!target.endsWith(u".headscope"_s))
        write(target, "what was there before");
    const QMap<QString, QByteArray> before = contentsOf(m_folder->path());
    const Outcome outcome =
        runIn(arguments.contains(u"--quiet"_s) ? arguments : arguments + QStringList{u"--quiet"_s}, noFileMayGrow);
    QVERIFY2(outcome.code == 1, (QByteArray::number(outcome.code) + ": " + outcome.err).constData());
    QVERIFY2(outcome.err.startsWith("headscope-cli: ") && outcome.err.trimmed().endsWith('.')
                 && outcome.err.count('\n') == 1,
             outcome.err.constData());
    if (!target.endsWith(u'/'))
        QVERIFY2(outcome.err.contains(QFileInfo(target).completeBaseName().toUtf8()), outcome.err.constData());
    const QMap<QString, QByteArray> after = contentsOf(m_folder->path());
    for (auto file = after.begin(); file != after.end(); ++file) {
        const bool stub = file.key().endsWith(u"-wal"_s) || file.key().endsWith(u"-shm"_s) || file.value().isEmpty();
        QVERIFY2(before.contains(file.key()) || stub, qPrintable(file.key() + u" was left behind"_s));
        QVERIFY2(!file.key().contains(u".headscope-"_s) || !file.key().section(u'/', -1).startsWith(u'.'),
                 qPrintable(file.key() + u" was left behind"_s));
    }
    for (auto file = before.begin(); file != before.end(); ++file)
        QVERIFY2(after.value(file.key()) == file.value(), qPrintable(file.key() + u" was changed"_s));
}

// A command that gets an output has to get rows above.
void TestHostile::everyOutputIsTried()
{
    // distill writes its student as train does, experts its tables as lens does; both need models made for them.
    const QStringList alike = {u"distill"_s, u"experts"_s};
    QFile source(QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/end_to_end/tst_hostile.cpp"));
    QVERIFY(source.open(QIODevice::ReadOnly));
    const QString rows = QString::fromUtf8(source.readAll());
    const auto commands = [](const QString& help) {
        QStringList names;
        static const QRegularExpression line(u"^  ([a-z]+) {2,}"_s, QRegularExpression::MultilineOption);
        for (const QRegularExpressionMatch& match : line.globalMatch(help))
            names += match.captured(1);
        return names;
    };
    static const QRegularExpression output(u"^ +(-o,--output|--report|--samples|--harness)\\b"_s,
                                           QRegularExpression::MultilineOption);
    const QStringList all = commands(QString::fromUtf8(run({u"--help"_s}).out));
    QVERIFY(all.size() > 15);
    int found = 0;
    for (const QString& command : all)
        if (QString::fromUtf8(run({command, u"--help"_s}).out).contains(output) && !alike.contains(command)) {
            ++found;
            QVERIFY2(rows.contains(u"u\""_s + command + u"\"_s"_s), qPrintable(command));
        }
    QVERIFY(found > 10);
}

// Whoever reads a pipe gets all of it; without a reader the run ends by itself.
void TestHostile::pipesNeedAReader()
{
    const QString pipe = m_folder->path(u"pipe"_s), file = m_folder->path(u"s.jsonl"_s);
    QCOMPARE(::mkfifo(pipe.toUtf8().constData(), 0600), 0);
    VERIFY_FAILS(run(kScore + QStringList{u"--samples"_s, pipe}), "it is a pipe without a reader");
    VERIFY_DONE(run(kScore + QStringList{u"--samples"_s, file}));
    QProcess reader;
    reader.start(u"cat"_s, {pipe});
    QVERIFY(reader.waitForStarted());
    VERIFY_DONE(run(kScore + QStringList{u"--samples"_s, pipe}));
    QVERIFY(reader.waitForFinished());
    const QByteArray got = reader.readAllStandardOutput();
    QVERIFY(!got.isEmpty());
    QCOMPARE(got.count('\n'), read(file).count('\n'));
}

void TestHostile::impossibleOutputsAreToldFirst_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    // The model is not there: a command that opened it first would say so instead.
    const QString none = u"/nowhere/model"_s;
    const auto row = [](const char* name, const QStringList& arguments, const char* says) {
        QTest::newRow(name) << arguments << QByteArray(says);
    };
    row("samples", {u"score"_s, none, u"--task"_s, u"toy_mc"_s, u"--samples"_s, u"/nowhere/s.jsonl"_s},
        "'/nowhere' does not exist");
    row("samples are a folder", {u"score"_s, none, u"--task"_s, u"toy_mc"_s, u"--samples"_s, u"/tmp"_s}, "is a folder");
    row("harness", {u"score"_s, none, u"--task"_s, u"toy_mc"_s, u"--harness"_s, u"/proc/x"_s}, "'/proc/x'");
    row("pattern", {u"pattern"_s, none, u"--text"_s, u"a"_s, u"--head"_s, u"L0H0"_s, u"-o"_s, u"/nowhere/p.csv"_s},
        "'/nowhere' does not exist");
    row("dump", {u"dump"_s, none, u"--tokens"_s, u"/nowhere"_s, u"--want"_s, u"a"_s, u"-o"_s, u"/proc/a.safetensors"_s},
        "'/proc'");
    row("train", {u"train"_s, u"/nowhere/recipe.json"_s, u"-o"_s, u"/dev/null/x"_s}, "is a file");
    row("distill", {u"distill"_s, none, u"--keep-heads"_s, u"L0H0"_s, u"-o"_s, u"/proc/student"_s}, "'/proc/student'");
    row("export", {u"session"_s, u"export"_s, none, u"-o"_s, u"/nowhere/t.csv"_s}, "'/nowhere' does not exist");
    row("figure", {u"figure"_s, none, u"heatmaps"_s, u"-o"_s, u"/nowhere/f.pdf"_s}, "'/nowhere' does not exist");
}

void TestHostile::impossibleOutputsAreToldFirst()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    VERIFY_FAILS(run(arguments), says);
}

// A training that cannot begin makes no folder.
void TestHostile::aMissingCorpusLeavesNothing()
{
    const QString folder = m_folder->path(u"nothing-to-learn-from"_s);
    VERIFY_FAILS(
        run({u"train"_s, u"small-transformer"_s, u"-o"_s, folder, u"--corpus"_s, m_folder->path(u"no-corpus"_s)}),
        "no-corpus cannot be read");
    QVERIFY(!QFileInfo::exists(folder));
}

// A recipe whose weights start from those of a model that does not ship trains that model first.
void TestHostile::whatAModelStartsFromIsTrainedFirst()
{
    const QString folder = m_folder->path(u"trained"_s), corpus = m_folder->path(u"corpus"_s);
    QVERIFY(QDir().mkpath(corpus));
    for (const char* name : {"a.txt", "b.txt"}) {
        QByteArray text;
        for (int i = 0; i < 2000; ++i)
            text += "The zo" + QByteArray(1, static_cast<char>('a' + i % 80 % 26))
                    + static_cast<char>('k' + i % 80 / 26) + " said nothing.\n\n";
        write(corpus + u'/' + QLatin1String(name), text);
    }
    const Outcome begun =
        run({u"train"_s, u"small-transformer"_s, u"-o"_s, folder, u"--corpus"_s, corpus, u"--steps"_s, u"1"_s});
    VERIFY_DONE(begun);
    QVERIFY2(begun.out.contains("step 1 of small-transformer-base"), begun.out.constData());
    QVERIFY(QFileInfo::exists(folder + u"/small-transformer-base/training/training-state.safetensors"_s));
    QVERIFY(!QFileInfo::exists(folder + u"/training"_s));
}

void TestHostile::textOfFilesGivesNoOrders()
{
    const QString file = m_folder->path(u"s.headscope"_s);
    {
        auto session = sessions::SessionStore::open(file.toStdString());
        QVERIFY(session.has_value());
        sessions::ModelRecord model{.hash = std::string(64, 'a'),
                                    .name = kOrders.toStdString() + "\nsecond line",
                                    .source = kOrders.toStdString(),
                                    .family = "llama"};
        QVERIFY(session->putModel(model).has_value());
    }
    for (const QStringList& more : {QStringList(), QStringList{u"--json"_s}}) {
        const Outcome info = run(QStringList{u"session"_s, u"info"_s, file} + more);
        VERIFY_DONE(info);
        QVERIFY2(isPlain(info.out) && isPlain(info.err), info.out.constData());
        QVERIFY2(info.out.contains(more.isEmpty() ? "\\x1b]0;owned" : "\\u001b]0;owned"), info.out.constData());
    }
    for (const QString& format : {u"csv"_s, u"json"_s, u"markdown"_s, u"latex"_s}) {
        const Outcome table = run({u"session"_s, u"export"_s, file, u"--table"_s, u"models"_s, u"--format"_s, format});
        VERIFY_DONE(table);
        QByteArray text = table.out;
        QVERIFY2(isPlain(text.replace("\r\n", "\n")) && isPlain(table.err), text.constData());
        QVERIFY2(text.contains("owned"), text.constData());
    }
    // The same text comes back from JSON that is fit for a terminal.
    const QJsonObject told = run({u"session"_s, u"info"_s, file, u"--json"_s}).json();
    QCOMPARE(told[u"models"_s][0][u"source"_s].toString().toUtf8(), kOrders);
}

void TestHostile::tablesHoldNoFormulas()
{
    const QString file = m_folder->path(u"s.headscope"_s);
    {
        auto session = sessions::SessionStore::open(file.toStdString());
        QVERIFY(session.has_value());
        const sessions::ModelRecord model{.hash = std::string(64, 'a'),
                                          .name = "=HYPERLINK(\"http://x\",\"y\")",
                                          .source = "@here",
                                          .family = "-1+1"};
        QVERIFY(session->putModel(model).has_value());
    }
    const Outcome table = run({u"session"_s, u"export"_s, file, u"--table"_s, u"models"_s});
    VERIFY_DONE(table);
    const QByteArray row = table.out.split('\n').value(1);
    QVERIFY2(row.startsWith("\"'=HYPERLINK("), row.constData());
    QVERIFY2(row.contains(",'@here,") && row.contains(",'-1+1,"), row.constData());
    // JSON is for programs, and says what there is.
    QVERIFY(run({u"session"_s, u"export"_s, file, u"--table"_s, u"models"_s, u"--format"_s, u"json"_s})
                .out.contains("\"@here\""));
}

void TestHostile::namesOfMegabytesAreNotExported()
{
    const QString file = m_folder->path(u"s.headscope"_s);
    {
        auto session = sessions::SessionStore::open(file.toStdString());
        QVERIFY(session.has_value());
        QVERIFY(
            session->putModel({.hash = std::string(64, 'a'), .name = std::string(10'000'000, 'n'), .family = "llama"})
                .has_value());
    }
    for (const QString& name : {u"scores"_s, u"examples"_s, u"models"_s})
        VERIFY_FAILS(run({u"session"_s, u"export"_s, file, u"--table"_s, name}),
                     "column 'name' of table 'models' contains 10000000 bytes, expected at most 16384");
}

void TestHostile::argumentsGiveNoOrders_data()
{
    QTest::addColumn<QStringList>("arguments");
    const QString orders = QString::fromUtf8(kOrders), endless = orders.repeated(5000);
    QTest::newRow("model") << QStringList{u"info"_s, orders};
    QTest::newRow("task") << QStringList{u"score"_s, kModel, u"--task"_s, orders};
    QTest::newRow("head") << QStringList{u"score"_s, kModel, u"--task"_s, u"toy_mc"_s, u"--ablate"_s, orders};
    QTest::newRow("command") << QStringList{orders};
    QTest::newRow("option") << QStringList{u"models"_s, u"--"_s + orders};
    QTest::newRow("long task") << QStringList{u"score"_s, kModel, u"--task"_s, endless};
    QTest::newRow("long command") << QStringList{endless};
    QTest::newRow("long ablation") << QStringList{u"score"_s, kModel, u"--task"_s, u"toy_mc"_s, u"--ablate"_s, endless};
}

void TestHostile::argumentsGiveNoOrders()
{
    QFETCH(QStringList, arguments);
    const Outcome outcome = run(arguments);
    QVERIFY(outcome.code == 1 || outcome.code == 2);
    QVERIFY2(isPlain(outcome.err), outcome.err.constData());
    QVERIFY2(outcome.err.size() < 10000, QByteArray::number(outcome.err.size()).constData());
    if (outcome.code == 1)
        QCOMPARE(outcome.err.count('\n'), 1);
}

void TestHostile::rankingsOfFilesAreChecked_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", "[]", R"({"heads": {}})", R"({"heads": [{"head": 245}]})", R"({"heads": [["L2H5"]]})",
                             R"({"heads": [{"name": "L2H5"}]})"})
        QTest::newRow(text) << QByteArray(text);
}

void TestHostile::rankingsOfFilesAreChecked()
{
    QFETCH(QByteArray, text);
    const QString file = m_folder->path(u"ranking.json"_s);
    write(file, text);
    VERIFY_FAILS(run({u"distill"_s, kModel, u"--keep-heads"_s, file + u":1"_s, u"-o"_s, m_folder->path(u"student"_s)}),
                 "rank --json");
}

void TestHostile::endlessFilesAreRefused_data()
{
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"pipe", "/dev/zero", "sparse"})
        QTest::newRow(kind) << QString::fromUtf8(kind);
}

void TestHostile::endlessFilesAreRefused()
{
    QFETCH(QString, kind);
    const auto make = [&](const QString& path) {
        QFile::remove(path);
        if (kind == u"pipe"_s)
            QCOMPARE(::mkfifo(path.toUtf8().constData(), 0600), 0);
        else if (kind == u"sparse"_s)
            QVERIFY(QFile(path).open(QIODevice::WriteOnly)
                    && ::truncate(path.toUtf8().constData(), qint64{1} << 42) == 0);
        else
            QVERIFY(QFile::link(kind, path));
    };
    const QString model = m_folder->copiedModel();
    for (const char* name : {"config.json", "tokenizer.json", "tokenizer_config.json"}) {
        const QString file = model + u'/' + QLatin1StringView(name);
        const QByteArray sound = read(file);
        make(file);
        const Outcome outcome = run({u"score"_s, model, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"2"_s});
        QVERIFY2(outcome.code == 1 && outcome.err.count('\n') == 1,
                 (QByteArray(name) + ": " + outcome.err).constData());
        QFile::remove(file);
        write(file, sound);
    }
    const QString file = m_folder->path(u"file"_s), task = m_folder->path(u"task.json"_s);
    make(file);
    make(task);
    VERIFY_FAILS(run({u"tokenize"_s, kModel, u"--file"_s, file}), "Cannot read");
    VERIFY_FAILS(run({u"score"_s, kModel, u"--task"_s, task}), "task.json");
    VERIFY_FAILS(run({u"train"_s, file, u"-o"_s, m_folder->path(u"t"_s)}), "/file'");
    VERIFY_FAILS(run({u"bench"_s, u"maps"_s, u"--model"_s, kModel, u"--requests"_s, file}), "Cannot read");
    VERIFY_FAILS(run({u"bench"_s, u"--against"_s, file}), "Cannot read");
    VERIFY_FAILS(run({u"figure"_s, file, u"--list"_s}), "file");
}

void TestHostile::endlessLinesAreRefused()
{
    QProcess process;
    process.setStandardInputFile(u"/dev/zero"_s);
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), {u"tokenize"_s, kModel, u"--stdin-jsonl"_s});
    VERIFY_FAILS(finished(process), "the largest size that is read");
}

void TestHostile::badNumbersAreWrongUse_data()
{
    QTest::addColumn<QStringList>("more");
    for (const char* value : {"inf", "-inf", "nan", "1e300", "-1", ""})
        QTest::addRow("--limit %s", value) << QStringList{u"--limit"_s, QString::fromUtf8(value)};
    for (const char* value : {"-1", "1.5", "1e3", "18446744073709551616", ""})
        QTest::addRow("--seed %s", value) << QStringList{u"--seed"_s, QString::fromUtf8(value)};
    QTest::newRow("--order-seed -1") << QStringList{u"--order-seed"_s, u"-1"_s};
    for (const char* option : {"--task", "--samples", "--session", "--data", "--memory", "--device"})
        QTest::addRow("%s empty", option) << QStringList{QString::fromUtf8(option), QString()};
}

void TestHostile::badNumbersAreWrongUse()
{
    QFETCH(QStringList, more);
    const Outcome outcome = run(QStringList{u"score"_s, kModel, u"--task"_s, u"toy_mc"_s} + more);
    QVERIFY2(outcome.code == 2, (QByteArray::number(outcome.code) + ": " + outcome.err).constData());
    QVERIFY(outcome.out.isEmpty());
}

QTEST_GUILESS_MAIN(TestHostile)
#include "tst_hostile.moc"
