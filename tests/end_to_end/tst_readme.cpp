// SPDX-License-Identifier: GPL-3.0-or-later
// The README as a newcomer follows it: its commands run in the order in which they are printed, in an empty home, and
// every command and option that a document or the manual names exists.
#include "tests/support/clifixture.h"
#include "tests/support/sourcetree.h"

#include <QFileInfo>
#include <QMap>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

using namespace clifixture;
using namespace Qt::StringLiterals;

namespace {

const QStringList kRootDocuments{u"README.md"_s, u"ARCHITECTURE.md"_s, u"CONTRIBUTING.md"_s, u"CHANGELOG.md"_s};

QString document(const QString& name)
{
    return QString::fromUtf8(read(QStringLiteral(HEADSCOPE_SOURCE_DIR) + u'/' + name));
}

struct Fence {
    QString language;
    QString text;
};

QList<Fence> fences(const QString& markdown)
{
    static const QRegularExpression fence(u"^```(\\w*)\\n(.*?)^```$"_s,
                                          QRegularExpression::MultilineOption
                                              | QRegularExpression::DotMatchesEverythingOption);
    QList<Fence> found;
    for (const auto& match : fence.globalMatch(markdown))
        found += {match.captured(1), match.captured(2)};
    return found;
}

QString programs()
{
    return QFileInfo(qEnvironmentVariable("HEADSCOPE_CLI")).path();
}

/// Runs in an empty home whose PATH has both programs and whose Python finds the reader.
Outcome inHome(const QString& home, const QString& program, const QStringList& arguments)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : environment.keys())
        if (name.startsWith(u"XDG_"_s) || name.startsWith(u"HF_"_s) || name.startsWith(u"HEADSCOPE_"_s))
            environment.remove(name);
    environment.insert(u"HOME"_s, home);
    environment.insert(u"CUDA_VISIBLE_DEVICES"_s, QString());
    environment.insert(u"PATH"_s, programs() + u':' + environment.value(u"PATH"_s));
    environment.insert(u"PYTHONPATH"_s, QStringLiteral(HEADSCOPE_SOURCE_DIR "/packaging/python"));
    environment.insert(u"PYTHONDONTWRITEBYTECODE"_s, u"1"_s);
    environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(home);
    process.start(program, arguments);
    return finished(process);
}

/// A window is open until somebody closes it; with --picture it closes itself.
QString closing(const QString& command)
{
    return command.startsWith(u"headscope "_s) ? u"headscope --picture window.png "_s + command.mid(10) : command;
}

/// What `headscope-cli` and one of its commands, with the commands below that, say of themselves.
QString help(const QString& command)
{
    static QMap<QString, QString> texts;
    if (texts.contains(command))
        return texts[command];
    const QStringList words = command.split(u' ', Qt::SkipEmptyParts);
    QString text = QString::fromUtf8(run(words + QStringList{u"--help"_s}).out);
    static const QRegularExpression entry(u"^  ([a-z-]+) "_s, QRegularExpression::MultilineOption);
    if (const qsizetype below = text.indexOf(u"\nSubcommands:"_s); below >= 0 && !command.isEmpty())
        for (const auto& match : entry.globalMatch(text.mid(below)))
            text += QString::fromUtf8(run(words + QStringList{match.captured(1), u"--help"_s}).out);
    return texts[command] = text;
}

/// Why a written call is none of the program's; empty when it is.
QString callFault(const QString& call)
{
    static const QRegularExpression name(u"^headscope-cli ([a-z][a-z-]+)"_s), option(u"(?<=[ \\[])(--[a-z][a-z-]*)"_s);
    const QString command = name.match(call).captured(1), common = help({});
    if (!command.isEmpty() && !common.contains(u"\n  "_s + command + u' ')
        && !QStringList{u"man"_s, u"completion"_s}.contains(command)) // hidden: for packages
        return u"there is no command '%1'"_s.arg(command);
    const QString own = command.isEmpty() ? QString() : help(command);
    for (const auto& match : option.globalMatch(call))
        if (!QRegularExpression(match.captured(1) + u"\\b(?!-)"_s).match(common + own).hasMatch())
            return u"'%1' has no option %2"_s.arg(command, match.captured(1));
    return {};
}

/// The calls of headscope-cli in a document's code: whole lines of blocks, and spans in sentences.
QStringList calls(const QString& markdown)
{
    static const QRegularExpression line(u"^(headscope-cli [^|#\\n]*)"_s, QRegularExpression::MultilineOption),
        span(u"`(headscope-cli [^`]*)`"_s);
    QStringList found;
    for (const Fence& fence : fences(markdown))
        for (const auto& match : line.globalMatch(fence.text))
            found += match.captured(1).trimmed();
    for (const auto& match : span.globalMatch(markdown))
        found += match.captured(1).simplified();
    return found;
}

/// Whether a line of a block is for the shell: a call of ours, or a small file for the next one.
bool isCommand(const QString& line)
{
    return line.startsWith(u"headscope-cli "_s) || line.startsWith(u"printf "_s);
}

/// The English pages of the manual that say what their commands print.
QStringList pagesWithOutput()
{
    const auto pages = headscope::testing::readTree({u"resources/manual/en"_s}, {u"*.md"_s});
    QStringList found;
    for (const QString& path : pages.keys())
        if (pages.value(path).contains(u"\n```text\n"_s))
            found += path;
    return found;
}

/// What a page runs, and what it says of the output.
QStringList runsOf(const QString& page)
{
    QStringList found;
    for (const Fence& fence : fences(page))
        for (const QString& line : fence.text.split(u'\n', Qt::SkipEmptyParts))
            if (fence.language == u"text"_s || isCommand(line))
                found += line;
    return found;
}

class TestReadme : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isShortAndNamesThePaper()
    {
        const QString readme = document(u"README.md"_s);
        QVERIFY2(readme.count(u'\n') <= 150, "README.md has more than 150 lines; expected the rest in ARCHITECTURE.md, "
                                             "CONTRIBUTING.md or the manual.");
        for (const QString& part :
             {u"Understanding the Skill Gap in Recurrent Language Models"_s, u"arXiv:2504.18574"_s})
            QVERIFY2(readme.simplified().contains(part), qPrintable(part));
        QCOMPARE(readme.count(u"!["_s), 1);
    }

    void commandsRunInTheirOrder_data()
    {
        QTest::addColumn<int>("least");
        QTest::newRow("README.md") << 8;
        for (const QString& path : pagesWithOutput())
            QTest::newRow(qPrintable(path)) << (path.contains(u"-study"_s) ? 10 : 1);
    }
    void commandsRunInTheirOrder()
    {
        QFETCH(const int, least);
        const QString page = document(QString::fromUtf8(QTest::currentDataTag()));
        const QTemporaryDir home;
        const bool window = QFile::exists(programs() + u"/headscope"_s);
        const QString python = QStandardPaths::findExecutable(u"python3"_s);
        int ran = 0;
        QString printed; // by the commands of the block before
        for (const Fence& fence : fences(page)) {
            for (const QString& line :
                 fence.language == u"text" ? fence.text.split(u'\n', Qt::SkipEmptyParts) : QStringList())
                QVERIFY2(printed.contains(line.simplified()), qPrintable(line + u" is not in: "_s + printed));
            printed.clear();
            if (fence.language == u"python" && !python.isEmpty()) {
                const Outcome outcome = inHome(home.path(), python, {u"-c"_s, fence.text});
                QVERIFY2(outcome.code == 0 && !outcome.out.isEmpty(), outcome.err.constData());
                ++ran;
            }
            for (const QString& line : fence.text.split(u'\n', Qt::SkipEmptyParts)) {
                const bool opens = line.startsWith(u"headscope "_s);
                if (opens ? !window : !isCommand(line))
                    continue;
                const Outcome outcome = inHome(home.path(), u"bash"_s, {u"-c"_s, closing(line)});
                QVERIFY2(outcome.code == 0, qPrintable(line + u": "_s + QString::fromUtf8(outcome.err)));
                printed += QString::fromUtf8(outcome.out).simplified() + u' ';
                QVERIFY2(!opens || QFile::exists(home.filePath(u"window.png"_s)), qPrintable(line));
                ++ran;
            }
        }
        QVERIFY2(ran >= least, qPrintable(QString::number(ran)));
        static const QRegularExpression output(u" -o (\\S+)"_s);
        for (const auto& match : output.globalMatch(page))
            if (const QString file = match.captured(1); file.endsWith(u".html"_s) || file.endsWith(u".pdf"_s))
                QVERIFY2(QFileInfo(home.filePath(file)).size() > 0, qPrintable(file));
    }

    void bothLanguagesRunTheSame()
    {
        const QStringList paths = pagesWithOutput();
        QVERIFY(paths.size() >= 15);
        for (QString path : paths) {
            const QStringList english = runsOf(document(path));
            QCOMPARE(runsOf(document(path.replace(u"/en/"_s, u"/de/"_s))), english);
        }
    }

    void everyNamedCallExists()
    {
        headscope::testing::SourceTree pages = headscope::testing::readTree(
            {u"resources/manual"_s, u"packaging"_s, u"sessions"_s, u"app"_s, u"core"_s, u"widgets"_s}, {u"*.md"_s});
        for (const QString& name : kRootDocuments)
            pages[name] = document(name);
        int checked = 0;
        QStringList faults;
        for (const QString& path : pages.keys())
            for (const QString& call : calls(pages.value(path))) {
                if (const QString fault = callFault(call); !fault.isEmpty())
                    faults += u"%1: %2 (%3)"_s.arg(path, call, fault);
                ++checked;
            }
        QVERIFY(checked > 40);
        QVERIFY2(faults.isEmpty(), qPrintable(u"\n"_s + faults.join(u'\n')));
        QVERIFY(!callFault(u"headscope-cli socre MODEL"_s).isEmpty());
        QVERIFY(!callFault(u"headscope-cli score MODEL --tasks x"_s).isEmpty());
        QVERIFY(callFault(u"headscope-cli session duplicate S COPY --no-paths"_s).isEmpty());
    }
};

} // namespace

QTEST_GUILESS_MAIN(TestReadme)
#include "tst_readme.moc"
