// SPDX-License-Identifier: GPL-3.0-or-later
// One option, one name: the table that all commands share, old names, and what is made from it for shells and man.
#include "app/workbench/exitcodes.h"
#include "app/workbench/options.h"
#include "tests/support/clifixture.h"

#include <QStandardPaths>

#include <algorithm>
#include <map>
#include <set>

#include <csignal>

using namespace headscope;
using namespace clifixture;

namespace {

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

/// The options of each command, as the parser has them.
const std::map<QString, QStringList>& optionsOfCommands()
{
    static std::map<QString, QStringList> all;
    if (!all.empty())
        return all;
    for (const QJsonValue& command : run({u"options"_s}).json()[u"commands"_s].toArray()) {
        QStringList& names = all[command[u"name"_s].toString()]; // none too
        for (const QJsonValue& option : command[u"options"_s].toArray())
            names.append(option.toString());
    }
    return all;
}

} // namespace

class TestOptions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void namesAreSortedAndDifferent();
    void anAliasStandsForOneOption();
    void commandsTakeOnlyNamesOfTheTable();
    void everyNameIsTaken();
    void theContractsSpellingsWork_data();
    void theContractsSpellingsWork();
    void oldNamesWork_data();
    void oldNamesWork();
    void aValueIsNoAlias();
    void aMisspeltNameIsRecognized_data();
    void aMisspeltNameIsRecognized();
    void helpShowsNoOldName();
    void exitCodesFollowOneRule_data();
    void exitCodesFollowOneRule();
    void everyPageTellsTheExitCodes();
    void aStoppedCommandEndsWith130();
    void manPagesTellEveryOption();
    void completionKnowsEveryOption_data();
    void completionKnowsEveryOption();
    void shellsComplete_data();
    void shellsComplete();

private:
    Folder m_folder;
};

void TestOptions::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
}

void TestOptions::namesAreSortedAndDifferent()
{
    const auto all = app::allOptions();
    QVERIFY(std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name >= b.name; })
            == all.end());
    std::set<char> letters;
    for (const app::OptionInfo& option : all) {
        QVERIFY2(option.name.starts_with("--"), option.name.data());
        QVERIFY2(!option.meaning.empty(), option.name.data());
        QCOMPARE(option.takes == app::Takes::Nothing, option.value.empty());
        QVERIFY2(option.letter == 0 || letters.insert(option.letter).second, option.name.data());
    }
    for (const auto names : {app::windowOptions(), app::commonOptions()})
        for (const std::string_view name : names)
            QVERIFY2(app::findOption(name), name.data());
}

void TestOptions::anAliasStandsForOneOption()
{
    // An alias may be the name of an option of other commands, but in one command it stands for one option.
    for (const auto& [command, names] : optionsOfCommands()) {
        QStringList aliases;
        for (const QString& name : names) {
            const app::OptionInfo* info = app::findOption(name.toStdString());
            QVERIFY2(info, qPrintable(command + u' ' + name));
            for (const std::string_view alias : info->aliasList())
                aliases.append(text(alias));
        }
        QVERIFY2(aliases.removeDuplicates() == 0, qPrintable(command));
    }
}

void TestOptions::commandsTakeOnlyNamesOfTheTable()
{
    const auto& commands = optionsOfCommands();
    QVERIFY(commands.size() > 15);
    for (const auto& [command, names] : commands)
        for (const QString& name : names)
            QVERIFY2(app::findOption(name.toStdString()), qPrintable(command + u' ' + name));
}

void TestOptions::everyNameIsTaken()
{
    QStringList taken;
    for (const auto& [command, names] : optionsOfCommands())
        taken += names;
    for (const std::string_view name : app::windowOptions())
        taken.append(text(name));
    for (const app::OptionInfo& option : app::allOptions())
        QVERIFY2(taken.contains(text(option.name)), option.name.data());
    for (const std::string_view name : app::commonOptions())
        QVERIFY2(optionsOfCommands().at(QString()).contains(text(name)), name.data());
}

void TestOptions::theContractsSpellingsWork_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("prompt of a text") << QStringList{u"pattern"_s, kModel,    u"--text"_s,  u"The"_s,
                                                     u"--head"_s,  u"L0H0"_s, u"--scale"_s, u"raw"_s};
    QTest::newRow("sample of a task") << QStringList{u"pattern"_s,  kModel, u"--task"_s, u"toy_kv"_s,
                                                     u"--sample"_s, u"2"_s, u"--head"_s, u"L0H0"_s};
    QTest::newRow("rank") << QStringList{u"rank"_s, kModel,        u"--task"_s, u"toy_kv"_s, u"--limit"_s,
                                         u"4"_s,    u"--method"_s, u"gather"_s, u"--top"_s,  u"3"_s};
    QTest::newRow("score") << QStringList{u"score"_s, kModel,        u"--task"_s, u"toy_mc"_s,   u"--limit"_s,
                                          u"4"_s,     u"--ablate"_s, u"L0H0"_s,   u"--ablate"_s, u"L1H0"_s};
    QTest::newRow("tokenize") << QStringList{u"tokenize"_s, kModel, u"--text"_s, u"The"_s, u"--no-special"_s};
    QTest::newRow("experiments") << QStringList{u"experiment"_s, u"list"_s};
    QTest::newRow("common ones") << QStringList{u"tokenize"_s, kModel,    u"--text"_s, u"The"_s, u"--threads"_s, u"1"_s,
                                                u"--dtype"_s,  u"fp32"_s, u"--seed"_s, u"3"_s,   u"--quiet"_s};
}

void TestOptions::theContractsSpellingsWork()
{
    QFETCH(QStringList, arguments);
    VERIFY_DONE(run(arguments + QStringList{u"--json"_s}));
}

void TestOptions::oldNamesWork_data()
{
    QTest::addColumn<QStringList>("old");
    QTest::addColumn<QStringList>("now");
    const QStringList prompt{u"generate"_s, kModel, u"--quiet"_s};
    QTest::newRow("prompt") << prompt + QStringList{u"--prompt"_s, u"The value"_s, u"--tokens=3"_s}
                            << prompt + QStringList{u"--text"_s, u"The value"_s, u"--new-tokens"_s, u"3"_s};
    const QStringList rank{u"rank"_s, kModel,        u"--task"_s,   u"toy_kv:pairs=4"_s, u"--limit"_s,
                           u"8"_s,    u"--method"_s, u"estimate"_s, u"--top"_s,          u"2"_s};
    QTest::newRow("heads and steps") << rank + QStringList{u"--heads"_s, u"L1H*"_s, u"--steps"_s, u"1"_s, u"--json"_s}
                                     << rank + QStringList{u"--head"_s, u"L1H*"_s, u"--points=1"_s, u"--json"_s};
    const QStringList pattern{u"pattern"_s, kModel, u"--text"_s, u"The"_s, u"--head"_s, u"L0H0"_s};
    const QString file = m_folder.path(u"p.csv"_s);
    QTest::newRow("out") << pattern + QStringList{u"--out"_s, file} << pattern + QStringList{u"-o"_s, file};
}

void TestOptions::oldNamesWork()
{
    QFETCH(QStringList, old);
    QFETCH(QStringList, now);
    const Outcome before = run(old), after = run(now);
    VERIFY_DONE(before);
    VERIFY_DONE(after);
    QVERIFY(!before.out.isEmpty());
    if (old.contains(u"--json"_s)) // which tells the seconds too
        QCOMPARE(before.json()[u"heads"_s], after.json()[u"heads"_s]);
    else
        QCOMPARE(before.out, after.out);
}

void TestOptions::aValueIsNoAlias()
{
    // Where a command has an option of that name itself, the name is no alias.
    const QString folder = m_folder.path(u"trained"_s);
    const Outcome trained = run({u"train"_s, u"no-such-recipe"_s, u"-o"_s, folder, u"--steps"_s, u"1"_s});
    VERIFY_FAILS(trained, "no-such-recipe");
    QCOMPARE(run({u"score"_s, kModel, u"--task"_s, u"toy_mc"_s, u"--steps"_s, u"1"_s}).code, 2);
}

void TestOptions::aMisspeltNameIsRecognized_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("meant"); // empty: none is close
    QTest::addColumn<int>("code");
    const auto row = [](const char* arguments, const char* meant, int code) {
        QTest::newRow(arguments) << QString::fromLatin1(arguments).split(u' ') << QString::fromLatin1(meant) << code;
    };
    for (const auto& [command, names] : optionsOfCommands()) { // two letters swapped, for every command and option
        const auto swapped = [](const QString& name) { return name.chopped(2) + name.back() + name[name.size() - 2]; };
        const QString known = command.section(u' ', -1);
        if (!known.isEmpty() && swapped(known) != known && command != u"lens fit"_s) // lens takes a word for a model
            row(qPrintable(command.chopped(known.size()) + swapped(known)), qPrintable(known), 2);
        for (const QString& name : names)
            if (const QString other = swapped(name); !names.contains(other) && other != name)
                row(qPrintable((command + u' ' + other).trimmed()), qPrintable(name), 2);
    }
    row("why_score tiny-ssm", "why-score", 2);
    row("help scroe", "score", 2);
    row("scroe --help", "score", 2);
    row("--seed 3 rnak tiny-ssm --task toy_kv", "rank", 2);
    row("elephant", "", 2);
    row("score tiny-ssm --task toy_kv --elephant 3", "", 2);
    row("rank tiny-ssm --task toy_kv --method exakt", "exact", 2);
    row("trust tiny-ssm --against bf-16", "bf16", 2);
    row("score tiny-transfomer --task toy_kv", "tiny-transformer", 1);
    row("score elephant --task toy_kv", "", 1);
    row("requests --task hellaswg", "hellaswag", 1);
    row("requests --task toykv", "toy_kv", 1);
    row("score tiny-ssm --task toy_kv --ablate l2h5", "L2H5", 1);
    row("score tiny-ssm --task toy_kv --ablate kep:L2H5", "keep:", 1);
    row("pattern tiny-ssm --text The --head l1h0-3", "L1H0-3", 1);
    row("why-score tiny-ssm --text The --head l1h0 --query 0 --key 0", "L1H0", 1);
    row("experiment kvcurve", "kv-curve", 1);
    row("train tiny-transformr --output unused", "tiny-transformer", 1);
}

void TestOptions::aMisspeltNameIsRecognized()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, meant);
    QFETCH(int, code);
    const Outcome wrong = run(arguments);
    QCOMPARE(wrong.code, code);
    const QByteArray question = "did you mean '" + meant.toUtf8() + "'?";
    QVERIFY2(meant.isEmpty() ? !wrong.err.contains("did you mean") : wrong.err.contains(question),
             wrong.err.constData());
}

void TestOptions::helpShowsNoOldName()
{
    for (const auto& [command, names] : optionsOfCommands()) {
        if (command.isEmpty())
            continue;
        const QString help = QString::fromUtf8(run(command.split(u' ') + QStringList{u"--help"_s}).out);
        for (const QString& line : help.split(u'\n')) // of descriptions: names of options may be longer
            QVERIFY2(line.size() <= 100 || !line.startsWith(QString(20, u' ')), qPrintable(line));
        for (const QString& name : names) {
            QVERIFY2(help.contains(name), qPrintable(command + u' ' + name));
            for (const std::string_view alias : app::findOption(name.toStdString())->aliasList())
                if (!names.contains(text(alias)))
                    QVERIFY2(!help.contains(text(alias) + u' '), alias.data());
        }
    }
}

void TestOptions::exitCodesFollowOneRule_data()
{
    QTest::addColumn<QStringList>("fails");
    QTest::addColumn<bool>("complete");
    // What each command needs to run, and then fails at; of the first two all that can fail is the output. One without
    // an entry gets too little, or fails.
    const QString none = u"/nowhere"_s;
    const std::map<QString, QStringList> needs = {
        {u"models"_s, {}},
        {u"tasks"_s, {}},
        {u"info"_s, {none}},
        {u"score"_s, {none, u"--task"_s, u"toy_mc"_s}},
        {u"pattern"_s, {none, u"--text"_s, u"a"_s, u"--head"_s, u"L0H0"_s}},
        {u"rank"_s, {none, u"--task"_s, u"toy_kv"_s}},
        {u"demo"_s, {u"--output"_s, u"/proc/nowhere"_s}},
        {u"experiment"_s, {u"no-such-experiment"_s}},
        {u"distill"_s, {none, u"--keep-heads"_s, u"L0H0"_s, u"--output"_s, m_folder.path(u"student"_s)}},
        {u"dump"_s, {none, u"--tokens"_s, none, u"--want"_s, u"a"_s, u"--output"_s, m_folder.path(u"d.safetensors"_s)}},
        {u"generate"_s, {none, u"--text"_s, u"a"_s}},
        {u"train"_s, {none, u"--output"_s, m_folder.path(u"trained"_s)}},
        {u"tokenize"_s, {none, u"--text"_s, u"a"_s}},
        {u"requests"_s, {u"--task"_s, u"no-such-task"_s}},
        {u"compare-samples"_s, {none, none}},
        {u"session info"_s, {none}},
        {u"session export"_s, {none}},
        {u"session merge"_s, {none, none}},
        {u"session compare"_s, {none, u"baseline"_s, u"L0H0"_s}},
        {u"session verify"_s, {none}},
        {u"session compact"_s, {none}},
        {u"session duplicate"_s, {none, m_folder.path(u"copy"_s)}},
        {u"page"_s, {none, u"--output"_s, m_folder.path(u"page.html"_s)}},
        {u"bench"_s, {u"maps"_s, u"--model"_s, none, u"--requests"_s, none}},
        {u"figure"_s, {none, u"--list"_s}}};
    int commands = 0;
    for (const auto& [name, options] : optionsOfCommands()) {
        const QStringList words = name.split(u' ', Qt::SkipEmptyParts);
        if (name.isEmpty() || name == u"session"_s) // does nothing by itself
            continue;
        const auto found = needs.find(name);
        QTest::newRow(qPrintable(name)) << words + (found == needs.end() ? QStringList{none} : found->second)
                                        << (found != needs.end());
        ++commands;
    }
    QVERIFY(commands > 20);
}

void TestOptions::exitCodesFollowOneRule()
{
    QFETCH(QStringList, fails);
    const QStringList command = QString::fromUtf8(QTest::currentDataTag()).split(u' ');
    const Outcome help = run(command + QStringList{u"--help"_s});
    QCOMPARE(help.code, 0);
    QVERIFY(help.out.contains((u"Exit codes: "_s + text(app::kExitCodes)).toUtf8()));
    const Outcome wrong = run(command + QStringList{u"--no-such-option"_s});
    QCOMPARE(wrong.code, 2);
    QVERIFY(wrong.out.isEmpty() && !wrong.err.isEmpty());
    const Outcome told = run(fails, u"/dev/full"_s);
    QFETCH(bool, complete);
    if (complete)
        VERIFY_FAILS(told, "");
    QVERIFY2(told.code == 1 || told.code == 2, told.err.constData());
    QVERIFY(!told.err.isEmpty());
}

void TestOptions::everyPageTellsTheExitCodes()
{
    const QByteArray rule = text(app::kExitCodes).toUtf8();
    QVERIFY(run({u"--help"_s}).out.contains(rule));
    for (const QString& page : {u"headscope"_s, u"headscope-cli"_s})
        QVERIFY2(run({u"man"_s, page}).out.contains(rule), qPrintable(page));
}

void TestOptions::aStoppedCommandEndsWith130()
{
    QProcess process;
    process.start(qEnvironmentVariable("HEADSCOPE_CLI"), {u"tokenize"_s, kModel, u"--stdin-jsonl"_s});
    QVERIFY(process.waitForStarted(kLongEnough));
    process.write(QByteArray("{\"text\": \"The\"}\n").repeated(1000)); // answered when it listens to signals
    QVERIFY(process.waitForReadyRead(kLongEnough));
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    ::kill(static_cast<pid_t>(process.processId()), SIGTERM); // it waits for a line that never comes
    QCOMPARE(finished(process).code, 130);
}

void TestOptions::manPagesTellEveryOption()
{
    const auto page = [](const char* name) {
        return QString::fromUtf8(run({u"man"_s, QString::fromLatin1(name)}).out).replace(u"\\-"_s, u"-"_s);
    };
    const QString cli = page("headscope-cli"), window = page("headscope");
    for (const auto& [command, names] : optionsOfCommands()) {
        QVERIFY2(command.isEmpty() || cli.contains(u".SS "_s + command), qPrintable(command));
        for (const QString& name : names)
            QVERIFY2(cli.contains(u"\\fB"_s + name + u"\\fR"_s), qPrintable(name));
    }
    for (const std::string_view name : app::windowOptions())
        QVERIFY2(window.contains(text(name)), name.data());
    for (const QString& line : (cli + window).split(u'\n'))
        QVERIFY2(!line.startsWith(u'\'') && (!line.startsWith(u'.') || line.size() > 2), qPrintable(line));
    QCOMPARE(run({u"man"_s, u"ls"_s}).code, 2);
}

void TestOptions::completionKnowsEveryOption_data()
{
    QTest::addColumn<QString>("spelling");
    QTest::newRow("bash") << u"--%1"_s;
    QTest::newRow("zsh") << u"--%1"_s;
    QTest::newRow("fish") << u" -l %1"_s;
}

void TestOptions::completionKnowsEveryOption()
{
    QFETCH(QString, spelling);
    const QString script = QString::fromUtf8(run({u"completion"_s, QString::fromLatin1(QTest::currentDataTag())}).out);
    for (const auto& [command, names] : optionsOfCommands()) {
        QVERIFY2(script.contains(command.section(u' ', -1)), qPrintable(command));
        for (const QString& name : names)
            QVERIFY2(script.contains(spelling.arg(name.mid(2))), qPrintable(name));
    }
    QVERIFY(script.contains(u"lambada_openai"_s));
    QVERIFY(script.contains(u"minmax"_s));
}

void TestOptions::shellsComplete_data()
{
    QTest::addColumn<QString>("shell");
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("expected");
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const auto row = [shell](const char* name, const QString& line, const QString& expected) {
            QTest::addRow("%s: %s", shell, name) << QString::fromLatin1(shell) << line << expected;
        };
        row("a command", u"sco"_s, u"score"_s);
        row("an option", u"score M --abl"_s, u"--ablate"_s);
        row("a common option", u"rank M --memo"_s, u"--memory"_s);
        row("a choice", u"pattern M --scale mi"_s, u"minmax"_s);
        row("a task", u"score M --task lambada_o"_s, u"lambada_openai"_s);
        row("a command of a command", u"session exp"_s, u"export"_s);
        row("a model", u"info tiny-tr"_s, u"tiny-transformer"_s);
    }
}

// In the shell itself: what it offers for a line. Fish adds a tab and a meaning; zsh writes into a terminal, which is
// read.
void TestOptions::shellsComplete()
{
    QFETCH(QString, shell);
    QFETCH(QString, line);
    QFETCH(QString, expected);
    const QString program = QStandardPaths::findExecutable(shell);
    if (program.isEmpty())
        QSKIP("This shell is not installed.");
    const QString script = m_folder.path(u"_headscope-cli"_s);
    write(script, run({u"completion"_s, shell}).out);
    const QMap<QString, QStringList> arguments = {
        {u"bash"_s,
         {u"-c"_s, u"source %1; COMP_WORDS=(headscope-cli %2); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); "
                   "_headscope_cli; echo \"${COMPREPLY[@]}\""_s.arg(script, line)}},
        {u"zsh"_s,
         {u"-f"_s, QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/support/completion.zsh"), m_folder.path({}), line}},
        {u"fish"_s, {u"-N"_s, u"-c"_s, u"source %1; complete -C 'headscope-cli %2'"_s.arg(script, line)}}};
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"TERM"_s, u"dumb"_s);
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_folder.path({})); // no files that could be meant
    process.start(program, arguments[shell]);
    const Outcome outcome = finished(process);
    QVERIFY2(outcome.err.isEmpty(), outcome.err.constData());
    QString offered = QString::fromUtf8(outcome.out).section(u'\t', 0, 0).trimmed();
    if (shell == u"zsh")
        offered = offered.section(u"headscope-cli "_s + line, 1).section(u'<', 1).section(u'>', 0, 0);
    QCOMPARE(offered, expected);
}

QTEST_GUILESS_MAIN(TestOptions)
#include "tst_options.moc"
