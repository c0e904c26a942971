// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the tree to the table of layers in ARCHITECTURE.md: what each folder may include, and that no source is
// forgotten.

#include "tests/support/sourcetree.h"

#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

using Tree = testing::SourceTree;

enum Library { kQt = 1, kTorch = 2, kSqlite = 4, kJson = 8, kPlots = 16, kQtWidgets = 32 };

/// One row of the table: a folder, the folders and headers of ours that it may include besides itself, the libraries
/// that it may not include, those that it may not even reach through headers of ours, and headers hidden from it.
struct Layer {
    QString folder;
    QStringList mayInclude;
    int never = 0;
    int neverReach = 0;
    QStringList hidden{}; ///< headers of ours in those folders that it may not reach all the same
};

/// The rooms of app: what works with models, then what shows them.
QList<Layer> rooms(const QStringList& core)
{
    const int calls = kTorch | kSqlite; // torch is called by core, SQLite by sessions
    const QStringList stores = core + QStringList{u"sessions"_s};
    const QStringList drives = stores + QStringList{u"app/notebook"_s, u"app/workbench"_s};
    const QStringList replies = {u"app/backend/values.h"_s,
                                 u"app/backend/values"_s,
                                 u"app/workbench/heads/rankmethod.h"_s,
                                 u"app/workbench/heads/rankcost.h"_s,
                                 u"app/workbench/heads/headfacts.h"_s,
                                 u"app/workbench/heads/headcolumns.h"_s,
                                 u"app/workbench/models/lensfitrequest.h"_s};
    const QStringList values = QStringList{core[0], core[1], core[4], u"core/text/chatmessage.h"_s} + replies;
    const QStringList shows = stores + replies + QStringList{u"app/state"_s, u"widgets"_s};
    const QStringList acts = drives + QStringList{u"app/state"_s, u"app/present"_s, u"app/backend"_s, u"widgets"_s};
    const QStringList composes = acts + QStringList{u"app/controllers"_s, u"app/figures"_s};
    // What has a window reads and writes its session through the door only.
    const QStringList store = {u"sessions/sessionstore.h"_s};
    return {
        {u"app/notebook"_s, stores, calls, kSqlite},
        {u"app/workbench"_s, drives, calls | kQt, kSqlite},
        {u"app/page"_s, stores, calls | kQt, kSqlite | kQt},
        {u"app/backend"_s, drives, calls | kQtWidgets, kSqlite},
        {u"app/cli"_s, drives + QStringList{u"app/figures"_s, u"app/page"_s, u"widgets"_s}, calls, kSqlite},
        {u"app/figures"_s, stores + QStringList{u"widgets"_s}, calls, calls},
        {u"app/state"_s, values, calls | kQtWidgets, calls | kQtWidgets},
        {u"app/present"_s, shows, calls, calls, store},
        {u"app/controllers"_s, acts, calls, calls, store},
        {u"app/window"_s, composes, calls, calls, store},
    };
}

const QList<Layer>& layers()
{
    static const int plain = kQt | kPlots | kSqlite | kTorch;
    static const int tensors = kQt | kPlots | kSqlite;
    // In the order of core/CMakeLists.txt: what may use torch may use every folder before it.
    static const QStringList core = {
        u"core/base"_s,        u"core/analysis"_s, u"core/io"_s,     u"core/text"_s,  u"core/interventions"_s,
        u"core/lm"_s,          u"core/why"_s,      u"core/survey"_s, u"core/tasks"_s, u"core/engine"_s,
        u"core/experiments"_s, u"core/train"_s,    u"core/hub"_s}; // uses nothing behind core/io
    static const QList<Layer> table = {
        {core[0], {}, plain | kJson},
        {core[1], {core[0]}, plain | kJson},
        {core[2], {core[0]}, plain},
        {core[3], {core[0], core[2]}, plain},
        {core[4], {core[0]}, plain},
        {core[5], core.first(5), tensors},
        {core[6], core.first(6), tensors},
        {core[7], core.first(7), tensors},
        {core[8], core.first(4), plain},
        {core[9], core.first(9), tensors},
        {core[10], core.first(10), tensors},
        {core[11], core.first(11), tensors},
        {core[12], {core[0], core[2]}, plain},
        {u"sessions"_s, core.first(2), kQt | kPlots | kTorch},
        {u"widgets"_s, core.first(2), kTorch | kSqlite, kSqlite},
    };
    static const QList<Layer> whole =
        table + rooms(core) + QList<Layer>{{u"tests"_s, core + QStringList{u"sessions"_s, u"widgets"_s, u"app"_s}}};
    return whole;
}

/// A folder holds what lies in it, a header itself.
bool within(const QString& path, const QString& folder)
{
    return path.startsWith(folder + u'/') || path == folder;
}

const Layer* layerOf(const QString& path)
{
    const auto row = std::ranges::find_if(layers(), [&](const Layer& layer) { return within(path, layer.folder); });
    return row == layers().end() ? nullptr : &*row;
}

struct Include {
    QString name;
    bool quoted = false;
};

QList<Include> includesOf(const QString& text)
{
    static const QRegularExpression pattern(uR"(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"])"_s,
                                            QRegularExpression::MultilineOption);
    QList<Include> found;
    for (const QRegularExpressionMatch& match : pattern.globalMatch(text))
        found += {match.captured(2), match.captured(1) == u"\""};
    return found;
}

/// The library that a header belongs to, 0 for the standard library and those that every layer may use.
int libraryOf(const QString& header)
{
    static const QRegularExpression qt(u"^(Q[A-Z]|Qt[A-Z]?\\w*/|q[a-z]+\\.h$)"_s);
    static const QRegularExpression torch(u"^(torch|ATen|c10|caffe2)/"_s);
    static const QRegularExpression sqlite(u"^(SQLiteCpp/|sqlite3)"_s);
    static const QRegularExpression qtWidgets(
        u"^(QtWidgets|QApplication$|QMainWindow$|QMenu|QLabel$|QLineEdit$|QSplitter$|QAction$|QStyle"
        "|Q\\w*(Widget|Dialog|Button|View|Layout|Box|Delegate|TextEdit)$)"_s);
    if (header == u"qcustomplot.h" || header.startsWith(u"QtCharts"))
        return kPlots | kQt;
    if (qtWidgets.match(header).hasMatch())
        return kQtWidgets | kQt;
    if (qt.match(header).hasMatch())
        return kQt;
    if (torch.match(header).hasMatch())
        return kTorch;
    if (sqlite.match(header).hasMatch())
        return kSqlite;
    return header.startsWith(u"nlohmann/") ? kJson : 0;
}

QString nameOf(int libraries)
{
    const std::pair<int, QString> names[] = {{kPlots, u"plots"_s},          {kQt, u"Qt"_s},
                                             {kQtWidgets, u"Qt Widgets"_s}, {kTorch, u"torch"_s},
                                             {kSqlite, u"SQLite"_s},        {kJson, u"JSON"_s}};
    QStringList found;
    for (const auto& [bit, name] : names)
        if (libraries & bit)
            found += name;
    return found.join(u" and "_s);
}

/// Libraries that a source reaches through its own includes and those of our headers.
int reached(const Tree& tree, const QString& path, QSet<QString>& seen)
{
    if (seen.contains(path))
        return 0;
    seen.insert(path);
    int libraries = 0;
    for (const Include& include : includesOf(tree.value(path)))
        libraries |= tree.contains(include.name) ? reached(tree, include.name, seen) : libraryOf(include.name);
    return libraries;
}

/// Whether sources of a layer may use a header of ours; what lies in no layer is another fault.
bool mayUse(const Layer& layer, const QString& header)
{
    if (layer.hidden.contains(header))
        return false;
    const Layer* target = layerOf(header);
    return target == nullptr || target->folder == layer.folder
           || std::ranges::any_of(layer.mayInclude, [&](const QString& one) { return within(header, one); });
}

/// What a header that a layer may not use is called where that is told.
QString refused(const Layer& layer, const QString& header)
{
    return layer.hidden.contains(header) ? header : layerOf(header)->folder;
}

/// Why one include is not allowed where it stands; empty when it is.
QString includeFault(const Tree& tree, const Layer& layer, const QString& path, const Include& include)
{
    if (const int banned = libraryOf(include.name) & layer.never)
        return u"%1 includes <%2>; %3 may not use %4"_s.arg(path, include.name, layer.folder, nameOf(banned));
    if (!include.quoted)
        return {};
    if (!tree.contains(include.name)) {
        const bool byMoc = include.name.endsWith(u".moc") && path.endsWith(u".cpp");
        return byMoc ? QString()
                     : u"%1 includes \"%2\", which is no file of ours by its path from the root"_s.arg(path,
                                                                                                       include.name);
    }
    return mayUse(layer, include.name) ? QString()
                                       : u"%1 includes \"%2\"; %3 may not use %4"_s.arg(
                                           path, include.name, layer.folder, refused(layer, include.name));
}

/// What a source must not reach through our headers either: a room of app that it may not include, libraries that are
/// another's work, torch beside Qt. Tests may: they are Qt Test programs, compiled without Qt's keywords, and some of
/// them are about tensors and tables.
QString reachFault(const Tree& tree, const Layer& layer, const QString& path)
{
    if (layer.folder == u"tests")
        return {};
    QSet<QString> seen;
    const int libraries = reached(tree, path, seen);
    if (const int banned = libraries & layer.neverReach)
        return u"%1 reaches %2 through headers of ours; %3 may not use it"_s.arg(path, nameOf(banned), layer.folder);
    for (const QString& header : std::as_const(seen))
        if (!mayUse(layer, header))
            return u"%1 reaches \"%2\" through headers of ours; %3 may not use %4"_s.arg(path, header, layer.folder,
                                                                                         refused(layer, header));
    if ((libraries & kQt) && (libraries & kTorch))
        return u"%1 sees both Qt and torch headers"_s.arg(path);
    return {};
}

QString formFault(const QString& path, const QString& text)
{
    const qsizetype secondLineEnd = text.indexOf(u'\n', text.indexOf(u'\n') + 1);
    if (!text.left(secondLineEnd).contains(u"SPDX-License-Identifier: GPL-3.0-or-later"))
        return u"%1 does not begin with its SPDX line"_s.arg(path);
    if (path.endsWith(u".h") && !text.contains(u"\n#pragma once\n"))
        return u"%1 has no #pragma once"_s.arg(path);
    return {};
}

/// A .cpp that is in no library is listed by its path from the folder of the nearest CMakeLists.txt, a test without its
/// suffix.
QString listingFault(const Tree& tree, const QString& path)
{
    QString folder = path;
    do
        folder = folder.left(folder.lastIndexOf(u'/'));
    while (folder.contains(u'/') && !tree.contains(folder + u"/CMakeLists.txt"_s));
    const QString list = folder + u"/CMakeLists.txt"_s;
    QString entry = path.mid(folder.size() + 1);
    if (entry.mid(entry.lastIndexOf(u'/') + 1).startsWith(u"tst_"))
        entry.chop(4);
    const QRegularExpression word(u"(^|[\\s(])%1($|[\\s)])"_s.arg(QRegularExpression::escape(entry)),
                                  QRegularExpression::MultilineOption);
    QString listed = tree.value(list);
    listed.remove(QRegularExpression(u"#[^\n]*|headscope_library\\([^)]*\\)"_s));
    return word.match(listed).hasMatch() ? QString() : u"%1 is not listed in %2"_s.arg(path, list);
}

/// In app a header has at most 150 lines and a function at most 60: between the braces that stand alone at its depth.
QString sizeFault(const QString& path, const QString& text)
{
    constexpr qsizetype kMostOfHeader = 150, kMostOfFunction = 60;
    if (!path.startsWith(u"app/"))
        return {};
    const QStringList lines = text.split(u'\n');
    if (path.endsWith(u".h") && lines.size() - 1 > kMostOfHeader)
        return u"%1 has %2 lines; at most %3 are wanted"_s.arg(path).arg(lines.size() - 1).arg(kMostOfHeader);
    for (const QString& depth : {QString(), u"    "_s}) {
        qsizetype begin = -1;
        for (qsizetype i = 0; i < lines.size(); ++i) {
            if (lines[i] == depth + u'{')
                begin = i;
            else if (begin >= 0 && lines[i] == depth + u'}') {
                if (const qsizetype length = i - begin - 1; length > kMostOfFunction)
                    return u"%1 has a function of %2 lines, from line %3; at most %4 are wanted"_s.arg(path)
                        .arg(length)
                        .arg(begin + 1)
                        .arg(kMostOfFunction);
                begin = -1;
            }
        }
    }
    return {};
}

/// What one token writes is what text::writtenText() says, which no two tokens share and everybody can see.
QString tokenFault(const QString& path, const QString& text)
{
    static const QRegularExpression one(u"decode\\((std::vector<int>)?\\{[^}]*\\}\\)"_s);
    const bool own = path.startsWith(u"tests/") || path == u"core/text/writtentext.cpp";
    return own || !one.match(text).hasMatch() ? QString()
                                              : u"%1 decodes a token by itself; expected writtenText()"_s.arg(path);
}

QStringList faultsOfFile(const Tree& tree, const QString& path)
{
    QStringList faults{formFault(path, tree.value(path)), sizeFault(path, tree.value(path)),
                       tokenFault(path, tree.value(path))};
    if (path.endsWith(u".h") || path.endsWith(u".cpp")) {
        const Layer* layer = layerOf(path);
        if (layer == nullptr)
            return {u"%1 is in no folder of the table"_s.arg(path)};
        QStringList direct;
        for (const Include& include : includesOf(tree.value(path)))
            direct += includeFault(tree, *layer, path, include);
        direct.removeAll(QString());
        // What a bad include drags in is not told a second time.
        faults += direct.isEmpty() ? QStringList{reachFault(tree, *layer, path)} : direct;
    }
    faults.removeAll(QString());
    return faults;
}

/// Where functions of a class are defined, by its namespace and name: it has one source file.
QStringList classFaults(const Tree& tree)
{
    static const QRegularExpression space(u"^namespace ([\\w:]+)"_s, QRegularExpression::MultilineOption);
    static const QRegularExpression member(u"^(?![\\s(/#])[^(\n]*?\\b([A-Z]\\w*)::~?\\w+\\("_s,
                                           QRegularExpression::MultilineOption);
    QMap<QString, QStringList> files;
    for (const QString& path : tree.keys()) {
        if (!path.endsWith(u".cpp") || path.startsWith(u"tests/"))
            continue;
        const QString text = tree.value(path);
        const QString outer = space.match(text).captured(1);
        for (auto found = member.globalMatch(text); found.hasNext();)
            if (QStringList& in = files[outer + u"::"_s + found.next().captured(1)]; !in.contains(path))
                in += path;
    }
    QStringList faults;
    for (auto one = files.cbegin(); one != files.cend(); ++one)
        if (one->size() > 1)
            faults += u"%1 is defined in %2; a class has one source file"_s.arg(one.key(), one->join(u" and "_s));
    return faults;
}

/// A room is seen at a glance: its files are few, except in lists whose entries are all alike, and no header has the
/// name of another.
QStringList roomFaults(const Tree& tree)
{
    constexpr int kMostOfRoom = 26;
    static const QSet<QString> lists = {u"core/lm/families"_s, u"core/lm/mixers"_s, u"core/tasks/import"_s};
    QMap<QString, int> files;
    QMap<QString, QString> headers;
    QStringList faults;
    for (const QString& path : tree.keys()) {
        const bool header = path.endsWith(u".h");
        if (path.startsWith(u"tests/") || (!header && !path.endsWith(u".cpp")))
            continue;
        const qsizetype slash = path.lastIndexOf(u'/');
        ++files[path.left(slash)];
        if (QString& first = headers[path.mid(slash + 1)]; !header || first.isEmpty())
            first = path;
        else
            faults += u"%1 has the name of %2"_s.arg(path, first);
    }
    for (auto room = files.cbegin(); room != files.cend(); ++room)
        if (*room > kMostOfRoom && !lists.contains(room.key()))
            faults += u"%1 has %2 files; at most %3 are wanted"_s.arg(room.key()).arg(*room).arg(kMostOfRoom);
    return faults;
}

/// Every way in which a tree breaks the table, one sentence each.
QStringList faultsOf(const Tree& tree)
{
    QStringList faults = classFaults(tree) + roomFaults(tree);
    QSet<QString> built;
    for (const QStringList& sources : testing::librariesOf(tree))
        built.unite({sources.begin(), sources.end()});
    for (const QString& path : tree.keys()) {
        faults += faultsOfFile(tree, path);
        if (path.endsWith(u".cpp") && !built.contains(path))
            faults += listingFault(tree, path);
    }
    faults.removeAll(QString());
    return faults;
}

} // namespace

class TestLayers : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theTreeKeepsItsLayers();
    void acceptsASmallGoodTree();
    void findsEachFault_data();
    void findsEachFault();

private:
    static Tree goodTree();
};

void TestLayers::theTreeKeepsItsLayers()
{
    const Tree tree =
        testing::readTree({u"app"_s, u"core"_s, u"widgets"_s, u"sessions"_s, u"tests"_s, u"packaging"_s},
                          {u"*.h"_s, u"*.cpp"_s, u"CMakeLists.txt"_s, u"*.cmake"_s, u"*.sh"_s, u"*.py"_s});
    QVERIFY2(tree.contains(u"core/base/result.h"_s), "The sources were not found.");
    const QStringList faults = faultsOf(tree);
    QVERIFY2(faults.isEmpty(), qPrintable(u"\n"_s + faults.join(u'\n')));
}

/// The smallest tree with a header, a source, a window and a test that breaks nothing.
Tree TestLayers::goodTree()
{
    const QString spdx = u"// SPDX-License-Identifier: GPL-3.0-or-later\n"_s;
    const QString cmake = u"# SPDX-License-Identifier: GPL-3.0-or-later\n"_s;
    return {
        {u"core/base/a.h"_s, spdx + u"#pragma once\n#include <vector>\n"_s},
        {u"core/lm/b.h"_s, spdx + u"#pragma once\n#include \"core/base/a.h\"\n#include <ATen/ATen.h>\n"_s},
        {u"core/lm/b.cpp"_s, spdx + u"#include \"core/lm/b.h\"\n"_s},
        {u"core/lm/CMakeLists.txt"_s, cmake + u"headscope_library(lm EXCEPT old.cpp)\n"_s},
        {u"sessions/s.h"_s, spdx + u"#pragma once\n#include <string>\n"_s},
        {u"sessions/private.h"_s, spdx + u"#pragma once\n#include <sqlite3.h>\n"_s},
        {u"widgets/w.cpp"_s, spdx + u"#include \"core/base/a.h\"\n#include <QWidget>\n#include <qcustomplot.h>\n"_s},
        {u"widgets/CMakeLists.txt"_s, cmake + u"headscope_library(widgets)\n"_s},
        {u"tests/tst_b.cpp"_s, spdx + u"#include \"core/lm/b.h\"\n#include <QTest>\n#include \"tst_b.moc\"\n"_s},
        {u"tests/CMakeLists.txt"_s, cmake + u"headscope_test(tst_b LIBS Headscope::lm)\n"_s},
    };
}

void TestLayers::acceptsASmallGoodTree()
{
    QCOMPARE(faultsOf(goodTree()), QStringList());
}

void TestLayers::findsEachFault_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("added");
    QTest::addColumn<QString>("fault");
    const auto row = [](const char* name, const QString& path, const QString& added, const QString& fault) {
        QTest::newRow(name) << path << added << fault;
    };
    row("upward", u"core/base/a.h"_s, u"#include \"core/lm/b.h\"\n"_s, u"core/base may not use core/lm"_s);
    row("qt in core", u"core/lm/b.cpp"_s, u"#include <QString>\n"_s, u"core/lm may not use Qt"_s);
    row("qt module in core", u"core/lm/b.cpp"_s, u"#  include <QtCore/qglobal.h>\n"_s, u"core/lm may not use Qt"_s);
    row("torch in base", u"core/base/a.h"_s, u"#include <c10/util/Half.h>\n"_s, u"core/base may not use torch"_s);
    row("torch in a window", u"widgets/w.cpp"_s, u"#include <torch/torch.h>\n"_s, u"widgets may not use torch"_s);
    row("engine in a window", u"widgets/w.cpp"_s, u"#include \"core/lm/b.h\"\n"_s, u"widgets may not use core/lm"_s);
    row("database in a window", u"widgets/w.cpp"_s, u"#include <SQLiteCpp/Database.h>\n"_s,
        u"widgets may not use SQLite"_s);
    row("window in sessions", u"sessions/s.h"_s, u"#include <QWidget>\n"_s, u"sessions may not use Qt"_s);
    row("torch calls in a program", u"app/cli/m.cpp"_s, u"#include <ATen/ATen.h>\n"_s, u"app/cli may not use torch"_s);
    row("torch beside Qt", u"app/cli/m.cpp"_s, u"#include \"core/lm/b.h\"\n#include <QObject>\n"_s,
        u"app/cli/m.cpp sees both Qt and torch"_s);
    row("database behind a header", u"app/cli/m.cpp"_s, u"#include \"sessions/private.h\"\n"_s,
        u"app/cli/m.cpp reaches SQLite"_s);
    row("tensors in the window", u"app/window/m.cpp"_s, u"#include \"core/lm/b.h\"\n"_s,
        u"app/window/m.cpp reaches torch"_s);
    row("tensors in a controller", u"app/controllers/m.cpp"_s, u"#include \"core/lm/b.h\"\n"_s,
        u"app/controllers/m.cpp reaches torch"_s);
    row("Qt in the workbench", u"app/workbench/m.cpp"_s, u"#include <QString>\n"_s, u"app/workbench may not use Qt"_s);
    row("widget in the state", u"app/state/m.cpp"_s, u"#include <QPushButton>\n"_s,
        u"app/state may not use Qt Widgets"_s);
    row("our widget in the state", u"app/state/m.cpp"_s, u"#include \"widgets/w.h\"\n"_s,
        u"app/state may not use widgets"_s);
    row("door in the state", u"app/state/m.cpp"_s, u"#include \"app/backend/door.h\"\n"_s,
        u"app/state may not use app/backend"_s);
    row("door in a presenter", u"app/present/m.cpp"_s, u"#include \"app/backend/door.h\"\n"_s,
        u"app/present may not use app/backend"_s);
    row("door behind a value", u"app/present/m.cpp"_s, u"#include \"app/backend/values.h\"\n"_s,
        u"app/present/m.cpp reaches \"app/backend/door.h\""_s);
    row("session in a controller", u"app/controllers/m.cpp"_s, u"#include \"sessions/sessionstore.h\"\n"_s,
        u"app/controllers may not use sessions/sessionstore.h"_s);
    row("session behind a header", u"app/window/m.cpp"_s, u"#include \"sessions/merge.h\"\n"_s,
        u"app/window/m.cpp reaches \"sessions/sessionstore.h\""_s);
    row("window in a controller", u"app/controllers/m.cpp"_s, u"#include \"app/window/v.h\"\n"_s,
        u"app/controllers may not use app/window"_s);
    row("room that is not in the table", u"app/m.cpp"_s, u"\n"_s, u"app/m.cpp is in no folder of the table"_s);
    row("token by itself", u"core/lm/b.cpp"_s, u"auto text = tokenizer.decode(std::vector<int>{id});\n"_s,
        u"core/lm/b.cpp decodes a token by itself"_s);
    row("relative include", u"core/lm/b.cpp"_s, u"#include \"b.h\"\n"_s, u"no file of ours"_s);
    row("not in cmake", u"app/state/forgotten.cpp"_s, u"\n"_s,
        u"app/state/forgotten.cpp is not listed in app/state/CMakeLists.txt"_s);
    row("left out in cmake", u"core/lm/old.cpp"_s, u"\n"_s, u"core/lm/old.cpp is not listed"_s);
    row("test not in cmake", u"tests/tst_c.cpp"_s, u"\n"_s, u"tests/tst_c.cpp is not listed"_s);
    row("no pragma once", u"core/base/c.h"_s, u"\n"_s, u"core/base/c.h has no #pragma once"_s);
    row("no folder of the table", u"core/other/d.h"_s, u"#pragma once\n"_s, u"core/other/d.h is in no folder"_s);
    row("long header", u"app/state/long.h"_s, u"#pragma once\n"_s + QString(149, u'\n'),
        u"app/state/long.h has 151 lines"_s);
    row("long function", u"app/state/m.cpp"_s, u"void f()\n{\n"_s + u"    int x;\n"_s.repeated(61) + u"}\n"_s,
        u"app/state/m.cpp has a function of 61 lines, from line 3"_s);
    row("a class in two files", u"app/state/m.cpp"_s, u"namespace headscope::gui {\nint Door::open()\n{\n}\n}\n"_s,
        u"headscope::gui::Door is defined in app/state/m.cpp and app/window/door.cpp"_s);
    row("twin header", u"core/lm/a.h"_s, u"#pragma once\n"_s, u"core/lm/a.h has the name of core/base/a.h"_s);
    row("crowded room", u"core/base/z.h"_s, u"#pragma once\n"_s, u"core/base has 27 files; at most 26"_s);
    row("no licence", u"packaging/x.sh"_s, {}, u"packaging/x.sh does not begin with its SPDX line"_s);
}

void TestLayers::findsEachFault()
{
    QFETCH(const QString, path);
    QFETCH(const QString, added);
    QFETCH(const QString, fault);
    Tree tree = goodTree();
    tree[u"core/lm/CMakeLists.txt"_s] += u"# old.cpp\n"_s;
    for (const char* room : {"cli", "controllers", "present", "state", "window", "workbench"})
        tree[u"app/%1/CMakeLists.txt"_s.arg(QLatin1String(room))] =
            u"# SPDX-License-Identifier: GPL-3.0-or-later\nadd_library(m m.cpp)\n"_s;
    const QString header = u"// SPDX-License-Identifier: GPL-3.0-or-later\n#pragma once\n"_s;
    tree[u"app/backend/door.h"_s] = tree[u"app/window/v.h"_s] = tree[u"widgets/w.h"_s] = header;
    tree[u"app/backend/values.h"_s] = header + u"#include \"app/backend/door.h\"\n"_s;
    tree[u"sessions/sessionstore.h"_s] = header;
    tree[u"sessions/merge.h"_s] = header + u"#include \"sessions/sessionstore.h\"\n"_s;
    tree[u"app/window/door.cpp"_s] =
        u"// SPDX-License-Identifier: GPL-3.0-or-later\nnamespace headscope::gui {\nDoor::Door()\n{\n}\n}\n"_s;
    if (path == u"core/base/z.h")
        for (int i = 0; i < 25; ++i)
            tree[u"core/base/z%1.h"_s.arg(i)] = header;
    if (!tree.contains(path) && !added.isEmpty())
        tree[path] = u"// SPDX-License-Identifier: GPL-3.0-or-later\n"_s;
    tree[path] += added;
    const QStringList faults = faultsOf(tree);
    QVERIFY2(faults.join(u'\n').contains(fault), qPrintable(faults.join(u'\n')));
}

QTEST_GUILESS_MAIN(TestLayers)
#include "tst_layers.moc"
