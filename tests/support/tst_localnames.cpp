// SPDX-License-Identifier: GPL-3.0-or-later
// Files of one library may be compiled together (HEADSCOPE_UNITY): then what is local to one, and what its headers
// declare, is seen by its neighbours, and a function of the same name, but of other parameters, would be called in the
// other's place without a word.

#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

using namespace Qt::StringLiterals;

namespace {

QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
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

/// Sources by library, as the CMake files under `root` list them.
QMap<QString, QStringList> librariesOf(const QString& root)
{
    static const QRegularExpression list(
        u"(?:headscope_library\\((\\w+) SOURCES|target_sources\\(headscope_(\\w+) PRIVATE)([^)]*)\\)"_s);
    QMap<QString, QStringList> libraries;
    for (const QString& room : {u"core"_s, u"sessions"_s, u"widgets"_s, u"app"_s})
        for (QDirIterator it(root + u'/' + room, {u"CMakeLists.txt"_s}, QDir::Files, QDirIterator::Subdirectories);
             it.hasNext();) {
            const QString folder = QFileInfo(it.next()).path();
            const QString text = textOf(it.filePath());
            for (auto found = list.globalMatch(text); found.hasNext();) {
                const QRegularExpressionMatch match = found.next();
                const QString name = match.captured(1).isEmpty() ? match.captured(2) : match.captured(1);
                for (const QString& source : match.captured(3).simplified().split(u' ', Qt::SkipEmptyParts))
                    if (source.endsWith(u".cpp")
                        && !source.startsWith(u"kernels/cpukernels")) // each with options of its own
                        libraries[name].append(folder + u'/' + source);
            }
        }
    return libraries;
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
    const QMap<QString, QStringList> libraries = librariesOf(QStringLiteral(HEADSCOPE_SOURCE_DIR));
    QVERIFY2(libraries.size() > 20, "The CMake files were not read.");
    int names = 0;
    QStringList shared;
    for (auto library = libraries.begin(); library != libraries.end(); ++library) {
        QMap<QString, QString> owner;
        for (const QString& path : *library)
            for (const QString& name : localNames(textOf(path))) {
                ++names;
                if (owner.contains(name))
                    shared.append(u"%1 is in %2 and in %3"_s.arg(name, owner[name], path));
                owner.insert(name, path);
            }
        QSet<QString> folders;
        for (const QString& path : *library)
            folders.insert(QFileInfo(path).path());
        for (const QString& folder : std::as_const(folders))
            for (QDirIterator it(folder, {u"*.h"_s}, QDir::Files); it.hasNext();) {
                const QString header = it.next();
                for (const QString& name : namesIn(textOf(header)))
                    if (owner.contains(name))
                        shared.append(u"%1 is in %2 and in %3"_s.arg(name, owner[name], header));
            }
    }
    QVERIFY2(names > 3000, "The sources were not read.");
    QVERIFY2(shared.isEmpty(), qPrintable(shared.join(u'\n')));
}

QTEST_APPLESS_MAIN(TestLocalNames)
#include "tst_localnames.moc"
