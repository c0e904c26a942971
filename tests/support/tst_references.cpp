// SPDX-License-Identifier: GPL-3.0-or-later
// Holds comments and documents to the tree: a file that they name exists, and a numbered section is one of a paper.

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace {

/// Texts by path from the root of the repository; files that are not text are there with an empty one.
using Tree = QMap<QString, QString>;

/// Names of other people's files that comments speak of.
const QSet<QString>& foreign()
{
    static const QSet<QString> names = {u"kv_retrieval.py"_s,   u"qcustomplot.h"_s, u"torch/torch.h"_s,
                                        u"ATen/ATen.h"_s,       u"nounlist.txt"_s,  u"verblist.txt"_s,
                                        u"adjectivelist.txt"_s, u"linux/magic.h"_s, u"merges.txt"_s};
    return names;
}

bool endsWithAny(const QString& path, std::initializer_list<QLatin1StringView> suffixes)
{
    return std::ranges::any_of(suffixes, [&](QLatin1StringView suffix) { return path.endsWith(suffix); });
}

bool isDocument(const QString& path)
{
    return path.endsWith(".md"_L1);
}

bool isCode(const QString& path)
{
    return endsWithAny(path, {".h"_L1, ".cpp"_L1, ".cu"_L1});
}

bool isScript(const QString& path)
{
    return endsWithAny(path, {"CMakeLists.txt"_L1, ".cmake"_L1, ".sh"_L1, ".py"_L1});
}

/// What a file says in words: all of a document, the comments of a source. One line a line of the file.
QStringList wordsOf(const QString& path, const QString& text)
{
    static const QRegularExpression code(uR"(^(?:[^"/]++|"(?:[^"\\]|\\.)*+"|/(?!/))*+//(.*)$)"_s),
        script(u"(?:^|\\s)#(?!!)(.*)$"_s), address(u"\\w+://[^\\s)]+"_s);
    QStringList lines;
    for (QString line : text.split(u'\n')) {
        line.remove(address);
        lines += isDocument(path) ? line : (isCode(path) ? code : script).match(line).captured(1);
    }
    return lines;
}

/// Names of files in a line. Where `*` or `<` stands before, it is a pattern of names and not one of them.
QStringList filesIn(const QString& line)
{
    static const QRegularExpression name(
        uR"((?<![\w*>.}/-])((?:\.\./)+[\w./-]*\w|\w[\w./-]*\.(?:md|h|cpp|cu|py|sh|cmake|txt))\b)"_s);
    QStringList names;
    for (const QRegularExpressionMatch& match : name.globalMatch(line))
        if (!match.captured(1).startsWith("build/"_L1))
            names += match.captured(1);
    return names;
}

bool isFolder(const Tree& tree, const QString& path)
{
    return std::ranges::any_of(tree.keys(), [&](const QString& other) { return other.startsWith(path + u'/'); });
}

/// Whether a name, or a path from `from` or from the root or the end of one, is that of something in the tree.
bool exists(const Tree& tree, const QString& from, const QString& file)
{
    const QString beside = QDir::cleanPath(from.left(from.lastIndexOf(u'/') + 1) + file);
    return foreign().contains(file) || tree.contains(beside) || isFolder(tree, beside)
           || std::ranges::any_of(tree.keys(),
                                  [&](const QString& path) { return path == file || path.endsWith(u'/' + file); });
}

QStringList faultsOfFile(const Tree& tree, const QString& path, const QSet<QString>& known)
{
    static const QRegularExpression section(u"\\b[Ss]ections? \\d"_s), source(u"arXiv|paper|RFC|Unicode|README"_s),
        link(u"\\]\\(([^)#:\\s]+)\\)"_s);
    QStringList faults;
    const QStringList lines = wordsOf(path, tree.value(path));
    for (int i = 0; i < lines.size(); ++i) {
        const QString where = u"%1:%2"_s.arg(path).arg(i + 1), &line = lines[i];
        for (const QString& file : filesIn(line))
            if (!known.contains(file) && !exists(tree, path, file))
                faults += u"%1 names %2, which is not in the tree"_s.arg(where, file);
        if (section.match(line).hasMatch() && !source.match(line).hasMatch())
            faults += u"%1 cites a section of nothing"_s.arg(where);
        if (!isDocument(path))
            continue;
        for (const QRegularExpressionMatch& match : link.globalMatch(line)) {
            const QString target = QDir::cleanPath(path.left(path.lastIndexOf(u'/') + 1) + match.captured(1));
            if (!tree.contains(target) && !isFolder(tree, target))
                faults += u"%1 links to %2, which is not in the tree"_s.arg(where, match.captured(1));
        }
    }
    return faults;
}

QStringList faultsOf(const Tree& tree)
{
    QSet<QString> known; // by name alone, so that not every reference walks the tree
    for (const QString& path : tree.keys())
        known += path.mid(path.lastIndexOf(u'/') + 1);
    QStringList faults;
    for (const QString& path : tree.keys())
        if (isDocument(path) || isCode(path) || isScript(path))
            faults += faultsOfFile(tree, path, known);
    return faults;
}

Tree readTree(const QString& root)
{
    Tree tree;
    const auto read = [&](const QString& path) {
        QFile file(path);
        const QString name = QDir(root).relativeFilePath(path);
        const bool text = isDocument(name) || isCode(name) || isScript(name);
        tree.insert(name, text && file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString());
    };
    for (const QString& name : QDir(root).entryList(QDir::Files))
        read(root + u'/' + name);
    for (const QString& folder :
         {u"app"_s, u"core"_s, u"widgets"_s, u"sessions"_s, u"resources"_s, u"tests"_s, u"packaging"_s}) {
        QDirIterator files(root + u'/' + folder, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext())
            read(files.next());
    }
    return tree;
}

} // namespace

class TestReferences : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatIsCitedIsThere()
    {
        const Tree tree = readTree(QStringLiteral(HEADSCOPE_SOURCE_DIR));
        QVERIFY2(tree.contains(u"core/base/result.h"_s), "The sources were not found.");
        const QStringList faults = faultsOf(tree);
        QVERIFY2(faults.isEmpty(), qPrintable(u"\n"_s + faults.join(u'\n')));
    }

    void acceptsGoodReferences()
    {
        Tree tree = goodTree();
        tree[u"core/lm/b.cpp"_s] =
            u"// As in a.h and core/base/a.h, see core/lm/README.md; *.md, 2.5 (arXiv 2405.21060,\n"
            "// arXiv 2312.00752, section 3.2) and https://example.org/none.md.\n"
            "const char* text = \"gone.md\";\n"_s;
        tree[u"core/lm/README.md"_s] = u"See [a](../base/a.h), `core/base/a.h` and [its folder](../base).\n"_s;
        QCOMPARE(faultsOf(tree), QStringList());
    }

    void findsEachFault_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("fault");
        const auto row = [](const char* name, const QString& path, const QString& text, const QString& fault) {
            QTest::newRow(name) << path << text << fault;
        };
        row("document", u"core/lm/b.cpp"_s, u"int a; // as benchmarks.md says\n"_s,
            u"core/lm/b.cpp:1 names benchmarks.md"_s);
        row("header", u"core/lm/b.cpp"_s, u"\n    /// See old.h.\n"_s, u"core/lm/b.cpp:2 names old.h"_s);
        row("beside the tree", u"tests/t.py"_s, u"# from ../shared/x.jsonl\n"_s, u"names ../shared/x.jsonl"_s);
        row("section", u"core/lm/b.cpp"_s, u"// architectures, section 3.9\n"_s, u"cites a section of nothing"_s);
        row("link", u"core/lm/README.md"_s, u"[pictures](pictures/x.png)\n"_s, u"links to pictures/x.png"_s);
        row("document in a document", u"core/lm/README.md"_s, u"as `specs/y.md` says\n"_s, u"names specs/y.md"_s);
    }
    void findsEachFault()
    {
        QFETCH(const QString, path);
        QFETCH(const QString, text);
        QFETCH(const QString, fault);
        Tree tree = goodTree();
        tree[path] = text;
        const QStringList faults = faultsOf(tree);
        QCOMPARE(faults.size(), 1);
        QVERIFY2(faults.front().contains(fault), qPrintable(faults.front()));
    }

private:
    static Tree goodTree()
    {
        return {{u"core/base/a.h"_s, {}}, {u"core/lm/README.md"_s, {}}, {u"core/lm/b.cpp"_s, {}}};
    }
};

QTEST_GUILESS_MAIN(TestReferences)
#include "tst_references.moc"
