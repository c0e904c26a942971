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

/// Returns functions, types and constants declared at the start of a line, and type aliases with their types.
QMap<QString, QString> namesIn(const QString& text)
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
    static const QRegularExpression alias(u"^using (?:(\\w+) = ([^;]*)|([\\w:]*::(\\w+)));"_s,
                                          QRegularExpression::MultilineOption);
    QMap<QString, QString> names;
    for (auto found = constant.globalMatch(text); found.hasNext();)
        for (auto name = named.globalMatch(found.next().captured()); name.hasNext();)
            names.insert(name.next().captured(1), {});
    for (const QRegularExpression& kind : {function, type})
        for (auto found = kind.globalMatch(text); found.hasNext();)
            names.insert(found.next().captured(1), {});
    for (auto found = alias.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch one = found.next();
        names.insert(one.captured(1) + one.captured(4), one.captured(2) + one.captured(3));
    }
    return names;
}

/// Returns the names in anonymous namespaces, and type aliases outside them, which are visible to the next file too.
QMap<QString, QString> localNames(QString source)
{
    static const QRegularExpression raw(u"R\"(\\w*)\\(.*?\\)\\1\""_s, QRegularExpression::DotMatchesEverythingOption);
    source.remove(raw); // statements of SQL begin lines too
    static const QRegularExpression region(u"^namespace \\{\\n(.*?)^\\} // namespace$"_s,
                                           QRegularExpression::MultilineOption
                                               | QRegularExpression::DotMatchesEverythingOption);
    QMap<QString, QString> names;
    for (auto part = region.globalMatch(source); part.hasNext();)
        names.insert(namesIn(part.next().captured(1)));
    const QMap<QString, QString> around = namesIn(source.remove(region));
    for (auto name = around.begin(); name != around.end(); ++name)
        if (!name->isEmpty())
            names.insert(name.key(), *name);
    return names;
}

/// Names of a library's files and headers that two of them have; `names` counts those of files.
QStringList sharedNames(const testing::SourceTree& tree, const QStringList& sources, int& names)
{
    QStringList shared;
    QMap<QString, std::pair<QString, QString>> owner; // and the aliased type
    QSet<QString> folders;
    const auto compare = [&](const QString& name, const QString& meaning, const QString& path) {
        if (const auto known = owner.find(name);
            known != owner.end() && (meaning.isEmpty() || known->second != meaning))
            shared.append(u"%1 is in %2 and in %3"_s.arg(name, known->first, path));
    };
    for (const QString& path : sources) {
        if (path.contains(u"/kernels/cpukernels"_s)) // each with options of its own
            continue;
        folders.insert(folderOf(path));
        const QMap<QString, QString> own = localNames(tree[path]);
        for (auto name = own.begin(); name != own.end(); ++name, ++names) {
            compare(name.key(), *name, path);
            owner.insert(name.key(), {path, *name});
        }
    }
    for (auto file = tree.begin(); file != tree.end(); ++file)
        if (file.key().endsWith(u".h") && folders.contains(folderOf(file.key()))) {
            const QMap<QString, QString> declared = namesIn(*file);
            for (auto name = declared.begin(); name != declared.end(); ++name)
                compare(name.key(), *name, file.key());
        }
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
        "using b::Thing;\n\nint outside()\n{\n}\n\n} // namespace a\n"_s;
    QCOMPARE(localNames(source), (QMap<QString, QString>{{u"kFirst"_s, {}},
                                                         {u"kSecond"_s, {}},
                                                         {u"Row"_s, {}},
                                                         {u"taken"_s, {}},
                                                         {u"listed"_s, {}},
                                                         {u"Kind"_s, u"int"_s},
                                                         {u"Thing"_s, u"b::Thing"_s}}));
}

void TestLocalNames::noOtherFileOfALibraryHasThem()
{
    const testing::SourceTree tree = testing::readTree({u"core"_s, u"sessions"_s, u"widgets"_s, u"app"_s},
                                                       {u"*.h"_s, u"*.cpp"_s, u"CMakeLists.txt"_s});
    const QMap<QString, QStringList> libraries = testing::librariesOf(tree);
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
