// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the sources to their doors: what the command line says goes through app/cli/output.h, files of unknown origin
// are read by core/io/textfiles/textfile.h and written by core/base/writefile.h, the network is touched in one room,
// and text is pasted into widgets/look/boxes/plainedit.h.

#include "tests/support/sourcetree.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

struct Door {
    const char* folders; ///< where it holds, parted by spaces
    const char* forbidden;
    const char* instead;
    QStringList keepers; ///< files that are the door, or need none
};

const QList<Door>& doors()
{
    static const QList<Door> all = {
        {"app/cli/",
         R"(\bstd::(printf|fprintf|puts|fputs|fwrite|cout|cerr|clog)\b)",
         "say it with app/cli/output.h",
         {u"app/cli/output.cpp"_s}},
        {"app/cli/ app/notebook/ app/workbench/ core/ sessions/",
         R"(\bstd::(ifstream|fstream|fopen)\b|\bfopen\()",
         "read it with io::readTextFile(), which has a limit",
         {u"core/lm/device/forecast.cpp"_s,    // the system's own numbers
          u"sessions/claims.cpp"_s,            // the system's words on processes
          u"sessions/file/connection.cpp"_s,   // sixteen bytes
          u"sessions/file/filesystem.cpp"_s}}, // the locks that the system knows
        {"app/ core/ sessions/ widgets/",
         R"(\b(std::ofstream|QSaveFile|QTemporaryFile|QTextDocumentWriter|setFileName|setOutputFileName)\b)"
         R"(|\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND)\b|\bmkostemps?\b|\bmkstemps?\b|\bcreat\(|\bcopy_file\b)"
         R"(|\b(fs|filesystem|QFile)::(rename|copy)\(|(?<![\w.>])(std)?(::)?rename(at2?)?\(|(?<!torch)\.save\((?!&buffer|\)))"
         R"(|(?<!buffer\.open\()QIODevice::(WriteOnly|ReadWrite|Append|Truncate))"
         R"(|\bQ(PdfWriter|ImageWriter) \w+[({](?!&buffer))",
         "write it with writeFile() or OutputFile, which say what did not arrive",
         {u"core/base/writefile.cpp"_s, u"core/hub/arrival.cpp"_s, // a download is continued where it was cut
          u"sessions/file/connection.cpp"_s, u"sessions/file/filesystem.cpp"_s, u"sessions/file/maintenance.cpp"_s,
          u"sessions/file/newfile.cpp"_s}}, // SQLite's files
        {"app/ core/ sessions/ widgets/",
         R"(for \(.* : .*\.value\(.*\)\.items\(\)\))",
         "name the object first: its items() are gone with it",
         {}},
        {"app/",
         R"((^|[{(,])\s*\.device = .*\bsettings\.device\b)",
         "take app::loadOptions(), which forgets no setting",
         {u"app/workbench/models/openmodel.cpp"_s}},
        {"app/ core/ sessions/ widgets/",
         R"(\bTCPStore\b|\b(bind|listen|accept4?)\([^)]*\b(fd|socket|sockaddr)|\bQTcpServer\b)",
         "processes share work through a session (sessions/claims.h)",
         {}},
        {"app/controllers/ app/present/ app/state/ app/window/ widgets/",
         R"(\bQFile \w+[({])",
         "read it with io::readTextFile(), which waits for no pipe",
         {u"app/controllers/models/machinecontroller.cpp"_s, // the system's own numbers
          u"app/window/manual/manualpages.cpp"_s,            // the program's own files
          u"app/window/tours/tour.cpp"_s}},
        {"app/ widgets/",
         R"(\bnew Q(Plain)?TextEdit\b|\bpublic Q(Plain)?TextEdit\b)",
         "use widgets::PlainEdit, which takes no empty clipboard",
         {u"widgets/look/boxes/plainedit.h"_s, u"widgets/prompt/continuationview.h"_s}}, // the latter is only read
    };
    return all;
}

QStringList faultsIn(const QString& path, const QString& text)
{
    QStringList faults;
    for (const Door& door : doors()) {
        const QStringList folders = QString::fromUtf8(door.folders).split(u' ');
        if (door.keepers.contains(path)
            || std::none_of(folders.begin(), folders.end(), [&](const QString& one) { return path.startsWith(one); }))
            continue;
        const QRegularExpression forbidden(QString::fromUtf8(door.forbidden));
        const QStringList lines = text.split(u'\n');
        for (qsizetype i = 0; i < lines.size(); ++i)
            if (const auto match = forbidden.match(lines[i].section(u"//"_s, 0, 0)); match.hasMatch())
                faults +=
                    u"%1:%2: %3; %4"_s.arg(path).arg(i + 1).arg(match.captured(), QString::fromUtf8(door.instead));
    }
    return faults;
}

} // namespace

class TestDoors : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everySourceUsesThem();
    void findsEachFault_data();
    void findsEachFault();
};

void TestDoors::everySourceUsesThem()
{
    const QDir root(QStringLiteral(HEADSCOPE_SOURCE_DIR));
    const testing::SourceTree tree =
        testing::readTree({u"app"_s, u"core"_s, u"sessions"_s, u"widgets"_s}, {u"*.h"_s, u"*.cpp"_s});
    QVERIFY(tree.size() > 300);
    QStringList faults;
    for (auto file = tree.begin(); file != tree.end(); ++file)
        faults += faultsIn(file.key(), file.value());
    QVERIFY2(faults.isEmpty(), qPrintable(u"\n"_s + faults.join(u'\n')));
    for (const Door& door : doors())
        for (const QString& keeper : door.keepers)
            QVERIFY2(QFile::exists(root.filePath(keeper)), qPrintable(keeper));
}

void TestDoors::findsEachFault_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("faults");
    const QString command = u"app/cli/commands/a.cpp"_s;
    QTest::newRow("printf") << command << u"std::printf(\"%s\", name);"_s << 1;
    QTest::newRow("cout") << command << u"std::cout << name;"_s << 1;
    QTest::newRow("the door itself") << u"app/cli/output.cpp"_s << u"std::fwrite(a, 1, 2, stdout);"_s << 0;
    QTest::newRow("in a comment") << command << u"a(); // not std::printf"_s << 0;
    QTest::newRow("snprintf") << command << u"std::snprintf(text, 4, \"%d\", 1);"_s << 0;
    QTest::newRow("the window's start") << u"app/window/start/main.cpp"_s << u"std::fprintf(stderr, \"a\");"_s << 0;
    QTest::newRow("ifstream") << u"core/tasks/a.cpp"_s << u"std::ifstream in(path);"_s << 1;
    QTest::newRow("ofstream") << u"core/train/a.cpp"_s << u"std::ofstream out(path);"_s << 1;
    QTest::newRow("ofstream of a session") << u"sessions/a.cpp"_s << u"std::ofstream out(path);"_s << 1;
    QTest::newRow("save file") << u"widgets/a.cpp"_s << u"QSaveFile file(path);"_s << 1;
    QTest::newRow("picture in a file") << u"app/window/a.cpp"_s << u"grab().save(file);"_s << 1;
    QTest::newRow("picture in memory") << u"app/window/a.cpp"_s << u"grab().save(&buffer, \"PNG\");"_s << 0;
    QTest::newRow("painter") << u"widgets/a.cpp"_s << u"painter.save();"_s << 0;
    QTest::newRow("pages in a file") << u"widgets/a.cpp"_s << u"QPdfWriter writer(path);"_s << 1;
    QTest::newRow("pages in memory") << u"widgets/a.cpp"_s << u"QPdfWriter writer(&buffer);"_s << 0;
    QTest::newRow("device") << u"widgets/a.cpp"_s << u"file.open(QIODevice::WriteOnly);"_s << 1;
    QTest::newRow("device in memory") << u"widgets/a.cpp"_s << u"buffer.open(QIODevice::WriteOnly);"_s << 0;
    QTest::newRow("descriptor") << u"core/a.cpp"_s << u"::open(path, O_WRONLY | O_CREAT, 0666);"_s << 1;
    QTest::newRow("rename") << u"core/a.cpp"_s << u"fs::rename(from, to);"_s << 1;
    QTest::newRow("store") << u"core/engine/a.cpp"_s << u"c10d::TCPStore store(host);"_s << 1;
    QTest::newRow("listening") << u"core/engine/a.cpp"_s << u"::bind(fd, address, size);"_s << 1;
    QTest::newRow("window's reader") << u"app/present/a.cpp"_s << u"    QFile file(path);"_s << 1;
    QTest::newRow("text field") << u"widgets/a.cpp"_s << u"m_text = new QPlainTextEdit(this);"_s << 1;
    QTest::newRow("kind of text field") << u"app/a.h"_s << u"class A : public QTextEdit"_s << 1;
    QTest::newRow("text field of ours") << u"widgets/a.cpp"_s << u"class A : public PlainEdit"_s << 0;
    QTest::newRow("items of what is gone")
        << command << u"for (auto& [a, b] : c[\"d\"].value(\"e\", f()).items())"_s << 1;
    QTest::newRow("a setting forgotten") << command << u"dump(folder, {.device = context.settings.device, .dtype"_s
                                         << 1;
    QTest::newRow("a line of its own") << command << u"    .device = context.settings.device,"_s << 1;
    QTest::newRow("another device") << command << u"    options.device = context.settings.device;"_s << 0;
    QTest::newRow("another bind") << u"sessions/a.cpp"_s << u"query.bind(1, name);"_s << 0;
}

void TestDoors::findsEachFault()
{
    QFETCH(const QString, path);
    QFETCH(const QString, text);
    QFETCH(const int, faults);
    QCOMPARE(faultsIn(path, text).size(), faults);
}

QTEST_GUILESS_MAIN(TestDoors)
#include "tst_doors.moc"
