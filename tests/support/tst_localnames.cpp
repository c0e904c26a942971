// SPDX-License-Identifier: GPL-3.0-or-later
// Files of one library may be compiled together (HEADSCOPE_UNITY): then what is local to one, and what its headers
// declare, is seen by its neighbours, and a function of the same name, but of other parameters, would be called in the
// other's place without a word.

#include "tests/support/sourcetree.h"

#include <QRegularExpression>
#include <QSet>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// "core/lm" of "core/lm/model.cpp".
QString folderOf(const QString& path)
{
    return path.left(path.lastIndexOf(u'/'));
}

/// Functions, types and constants that begin a line. Another name for a type may stand twice.
QSet<QString> namesIn(const QString& text)
{
    static const QRegularExpression function(
        u"^(?!using |namespace |return |struct |class |public|private|#|/|\\*| )[^=;{\\n]*?\\b(\\w+)\\("_s,
        QRegularExpression::MultilineOption);
    static const QRegularExpression type(
        u"^(?:template <[^\\n]*> )?(?:struct|class|enum class|enum) (\\w+)(?! *;)\\b"_s,
        QRegularExpression::MultilineOption);
    static const QRegularExpression constant(u"^(?:static |inline )?(?:constexpr|const)\\b[^\\n/]*"_s,
                                             QRegularExpression::MultilineOption);
    static const QRegularExpression named(u"\\b(k[A-Z]\\w*)\\s*[=\\[{(]"_s);
    QSet<QString> names;
    for (auto found = constant.globalMatch(text); found.hasNext();)
        for (auto name = named.globalMatch(found.next().captured()); name.hasNext();)
            names.insert(name.next().captured(1));
    for (const QRegularExpression& kind : {function, type})
        for (auto found = kind.globalMatch(text); found.hasNext();)
            names.insert(found.next().captured(1));
    return names;
}

/// Those within `namespace {`.
QSet<QString> localNames(QString source)
{
    static const QRegularExpression raw(u"R\"(\\w*)\\(.*?\\)\\1\""_s, QRegularExpression::DotMatchesEverythingOption);
    source.remove(raw); // statements of SQL begin lines too
    static const QRegularExpression region(u"^namespace \\{\\n(.*?)^\\} // namespace$"_s,
                                           QRegularExpression::MultilineOption
                                               | QRegularExpression::DotMatchesEverythingOption);
    QSet<QString> names;
    for (auto part = region.globalMatch(source); part.hasNext();)
        names += namesIn(part.next().captured(1));
    return names;
}

/// Sources by library, as the CMake files list them.
QMap<QString, QStringList> librariesOf(const testing::SourceTree& tree)
{
    static const QRegularExpression list(
        u"(?:headscope_library\\((\\w+) SOURCES|target_sources\\(headscope_(\\w+) PRIVATE)([^)]*)\\)"_s);
    QMap<QString, QStringList> libraries;
    for (auto file = tree.begin(); file != tree.end(); ++file) {
        if (!file.key().endsWith(u"CMakeLists.txt"))
            continue;
        for (auto found = list.globalMatch(*file); found.hasNext();) {
            const QRegularExpressionMatch match = found.next();
            const QString name = match.captured(1).isEmpty() ? match.captured(2) : match.captured(1);
            for (const QString& source : match.captured(3).simplified().split(u' ', Qt::SkipEmptyParts))
                if (source.endsWith(u".cpp")
                    && !source.startsWith(u"kernels/cpukernels")) // each with options of its own
                    libraries[name].append(folderOf(file.key()) + u'/' + source);
        }
    }
    return libraries;
}

/// Names of a library's files and headers that two of them have; `names` counts those of files.
QStringList sharedNames(const testing::SourceTree& tree, const QStringList& sources, int& names)
{
    QStringList shared;
    QMap<QString, QString> owner;
    QSet<QString> folders;
    const auto compare = [&](const QString& name, const QString& path) {
        if (owner.contains(name))
            shared.append(u"%1 is in %2 and in %3"_s.arg(name, owner[name], path));
    };
    for (const QString& path : sources) {
        folders.insert(folderOf(path));
        for (const QString& name : localNames(tree[path])) {
            ++names;
            compare(name, path);
            owner.insert(name, path);
        }
    }
    for (auto file = tree.begin(); file != tree.end(); ++file)
        if (file.key().endsWith(u".h") && folders.contains(folderOf(file.key())))
            for (const QString& name : namesIn(*file))
                compare(name, file.key());
    return shared;
}

} // namespace

class TestLocalNames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesAreFound();
    void noOtherFileOfALibraryHasThem();
};

void TestLocalNames::namesAreFound()
{
    const QString source =
        u"namespace a {\n\nnamespace {\n\nusing Kind = int;\nconstexpr int kFirst = 1, kSecond{2}; // of kThird = 3\n"
        "struct Row {\n    int other(int x);\n};\n\ntemplate <typename T> T taken(std::vector<T> from)\n{\n"
        "    return called(from);\n}\n\nconst std::vector<int>& listed()\n{\n}\n\n} // namespace\n\n"
        "int outside()\n{\n}\n\n} // namespace a\n"_s;
    QCOMPARE(localNames(source), QSet<QString>({u"kFirst"_s, u"kSecond"_s, u"Row"_s, u"taken"_s, u"listed"_s}));
}

void TestLocalNames::noOtherFileOfALibraryHasThem()
{
    const testing::SourceTree tree = testing::readTree({u"core"_s, u"sessions"_s, u"widgets"_s, u"app"_s},
                                                       {u"*.h"_s, u"*.cpp"_s, u"CMakeLists.txt"_s});
    const QMap<QString, QStringList> libraries = librariesOf(tree);
    QVERIFY2(libraries.size() > 20, "The CMake files were not read.");
    int names = 0;
    QStringList shared;
    for (const QStringList& sources : libraries)
        shared += sharedNames(tree, sources, names);
    QVERIFY2(names > 3000, "The sources were not read.");
    QVERIFY2(shared.isEmpty(), qPrintable(shared.join(u'\n')));
}

QTEST_APPLESS_MAIN(TestLocalNames)
#include "tst_localnames.moc"
