// SPDX-License-Identifier: GPL-3.0-or-later
// Holds what is fetched, packed and installed to its promises: wheels by their sums, files of the desktop that agree
// with each other, one version everywhere, and the Python reader.

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <QtEndian>

using namespace Qt::StringLiterals;

namespace {

constexpr int kLongEnough = 300000; // ms; a stop for a hung program, not a measure
const QString kMimeType = u"application/x-headscope-session"_s;

QString pathOf(const QString& name)
{
    return QStringLiteral(HEADSCOPE_SOURCE_DIR) + u'/' + name;
}

QString textOf(const QString& name)
{
    QFile file(pathOf(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString found(const QString& expression, const QString& text)
{
    return QRegularExpression(expression, QRegularExpression::MultilineOption).match(text).captured(1);
}

/// The values of an attribute, or the texts, of all elements of a name; fails the test for what is no XML.
QStringList elements(const QString& file, const QString& element, const QString& attribute = {})
{
    QXmlStreamReader xml(textOf(file));
    QStringList values;
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == element)
            values += attribute.isEmpty() ? xml.readElementText() : xml.attributes().value(attribute).toString();
    if (xml.hasError())
        QTest::qFail(qPrintable(file + u": "_s + xml.errorString()), __FILE__, __LINE__);
    return values;
}

} // namespace

class TestPackages : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void wheelsArePinned_data();
    void wheelsArePinned();
    void setUpTakesPinnedWheelsOnly();
    void theDesktopKnowsSessions();
    void theDesktopFilesAreValid_data();
    void theDesktopFilesAreValid();
    void oneVersionEverywhere();
    void whatIsInstalledIsThere();
    void whatIsInstalledIsBuiltWithThePrograms();
    void iconsHaveEverySize();
    void packagesNeedNoNetwork();
    void scriptsAreClean();
    void theFlatpakListsItsSources();
    void whatTheProgramsAreMadeOfIsTold();
    void whatIsRememberedIsListed();
    void everyFuzzTargetIsCalled();
    void pythonReadsSessions();
};

void TestPackages::wheelsArePinned_data()
{
    QTest::addColumn<QString>("file");
    const QStringList files = QDir(pathOf(u"packaging/wheels"_s)).entryList({u"*.txt"_s});
    QCOMPARE(files, QStringList({u"cpu.txt"_s, u"cuda.txt"_s, u"words.txt"_s}));
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << u"packaging/wheels/"_s + file;
}

void TestPackages::wheelsArePinned()
{
    QFETCH(QString, file);
    QString text = textOf(file);
    text.replace(u" \\\n"_s, u" "_s);
    QSet<QString> hashes;
    int requirements = 0;
    for (const QString& line : text.split(u'\n', Qt::SkipEmptyParts)) {
        if (line.startsWith(u'#'))
            continue;
        static const QRegularExpression pinned(u"^[a-z0-9-]+==[0-9.]+((?: +--hash=sha256:[0-9a-f]{64})+)$"_s);
        const auto match = pinned.match(line);
        QVERIFY2(match.hasMatch(), qPrintable(line));
        const QStringList these = match.captured(1).split(u' ', Qt::SkipEmptyParts);
        // One for each platform, but for a wheel that has no machine code.
        QCOMPARE(these.size(), line.startsWith(u"wonderwords"_s) ? 1 : 2);
        for (const QString& hash : these) {
            QVERIFY2(!hashes.contains(hash), qPrintable(line));
            hashes.insert(hash);
        }
        ++requirements;
    }
    QVERIFY(requirements > 0);
}

void TestPackages::setUpTakesPinnedWheelsOnly()
{
    const QString script = textOf(u"packaging/install.sh"_s);
    QCOMPARE(script.count(u"-m pip "_s), 1); // one door
    for (const QString& option : {u"--require-hashes"_s, u"--no-deps"_s, u"--only-binary=:all:"_s, u"--requirement"_s})
        QVERIFY2(script.contains(option), qPrintable(option));
    // Nothing is loaded before the sums were compared.
    QVERIFY(script.indexOf(u"check_wheels \"$new\""_s) < script.indexOf(u"ctypes.CDLL"_s));
}

void TestPackages::theDesktopKnowsSessions()
{
    const QString entry = textOf(u"packaging/headscope.desktop"_s);
    QVERIFY(entry.contains(u"\nMimeType="_s + kMimeType + u";\n"_s));
    const QStringList actions = found(u"^Actions=(.*);$"_s, entry).split(u';');
    QCOMPARE(actions.size(), 2);
    for (const QString& action : actions)
        QVERIFY2(entry.contains(u"\n[Desktop Action "_s + action + u"]\n"_s), qPrintable(action));
    const QString mime = u"packaging/headscope.mime.xml"_s,
                  metainfo = u"packaging/org.headscope.Headscope.metainfo.xml"_s;
    QCOMPARE(elements(mime, u"mime-type"_s, u"type"_s), QStringList(kMimeType));
    QCOMPARE(elements(mime, u"glob"_s, u"pattern"_s), QStringList(u"*.headscope"_s));
    QCOMPARE(elements(mime, u"match"_s, u"value"_s), QStringList({u"SQLite format 3"_s, u"HdSc"_s}));
    QVERIFY(textOf(u"sessions/file/schema.h"_s).contains(u"kApplicationId = 0x48645363;"_s)); // "HdSc"
    QVERIFY(QFile::exists(pathOf(u"resources/icons/"_s + elements(mime, u"icon"_s, u"name"_s).value(0) + u".svg"_s)));
    QCOMPARE(elements(metainfo, u"mediatype"_s), QStringList(kMimeType));
    QCOMPARE(elements(metainfo, u"launchable"_s), QStringList(u"headscope.desktop"_s));
}

void TestPackages::theDesktopFilesAreValid_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::newRow("entry") << QStringList{u"desktop-file-validate"_s, u"packaging/headscope.desktop"_s};
    QTest::newRow("metainfo") << QStringList{u"appstreamcli"_s, u"validate"_s, u"--no-net"_s,
                                             u"packaging/org.headscope.Headscope.metainfo.xml"_s};
}

// By the tools that desktops and shops use themselves.
void TestPackages::theDesktopFilesAreValid()
{
    QFETCH(QStringList, command);
    const QString tool = QStandardPaths::findExecutable(command.takeFirst());
    if (tool.isEmpty())
        QSKIP("This tool is not installed.");
    QProcess process;
    process.setWorkingDirectory(pathOf({}));
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(tool, command);
    QVERIFY(process.waitForFinished(kLongEnough));
    const QByteArray told = process.readAll();
    QVERIFY2(process.exitCode() == 0 && !told.contains("hint:") && !told.contains("warning"), told.constData());
}

void TestPackages::oneVersionEverywhere()
{
    const QString version = found(u"^project\\(headscope VERSION ([0-9.]+)"_s, textOf(u"CMakeLists.txt"_s));
    QVERIFY(!version.isEmpty());
    QCOMPARE(found(u"^version: (.*)$"_s, textOf(u"CITATION.cff"_s)), version);
    QCOMPARE(found(u"^version = \"(.*)\"$"_s, textOf(u"packaging/python/pyproject.toml"_s)), version);
    QCOMPARE(elements(u"packaging/org.headscope.Headscope.metainfo.xml"_s, u"release"_s, u"version"_s).value(0),
             version);
    QVERIFY(textOf(u"CHANGELOG.md"_s).contains(u"\n## "_s + version + u" ("_s));
}

void TestPackages::whatIsInstalledIsThere()
{
    const QString rules = textOf(u"packaging/cmake/HeadscopeInstall.cmake"_s);
    static const QRegularExpression name(u"(?:packaging|resources/icons)/[\\w./-]+\\.(?:sh|txt|desktop|xml|svg)"_s);
    int files = 0;
    for (const auto& match : name.globalMatch(rules)) {
        QVERIFY2(QFile::exists(pathOf(match.captured())), qPrintable(match.captured()));
        ++files;
    }
    QVERIFY(files >= 10);
    for (const QString& file :
         QDir(pathOf(u"packaging/wheels"_s)).entryList({u"*.txt"_s})) // the package fetches them too
        QVERIFY2(rules.contains(u"packaging/wheels/"_s + file), qPrintable(file));
}

// Set-up builds both programs and nothing else, and packages are made of that.
void TestPackages::whatIsInstalledIsBuiltWithThePrograms()
{
    const QString cli = qEnvironmentVariable("HEADSCOPE_CLI");
    const QDir build(QFileInfo(cli).dir().filePath(u".."_s));
    if (!build.exists(u"build.ninja"_s))
        QSKIP("not in a build folder of ninja");
    QSet<QString> installed;
    QDirIterator files(build.path(), {u"cmake_install.cmake"_s}, QDir::Files, QDirIterator::Subdirectories);
    static const QRegularExpression library(u"FILES \"[^\"]*/(app/[^\"/]+\\.so)\""_s);
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const auto& match : library.globalMatch(QString::fromUtf8(file.readAll())))
            installed.insert(match.captured(1));
    }
    for (const QString& program : {u"headscope"_s, u"headscope-cli"_s}) {
        QProcess ninja;
        ninja.start(u"ninja"_s, {u"-C"_s, build.path(), u"-t"_s, u"commands"_s, program});
        if (!ninja.waitForStarted())
            QSKIP("ninja is not installed");
        QVERIFY(ninja.waitForFinished(kLongEnough));
        const QString commands = QString::fromUtf8(ninja.readAllStandardOutput());
        if (ninja.exitCode() != 0)
            QSKIP("the program is not built here");
        for (const QString& file : installed)
            QVERIFY2(commands.contains(file), qPrintable(program + u" is built without "_s + file));
    }
}

void TestPackages::iconsHaveEverySize()
{
    QVERIFY(
        textOf(u"packaging/cmake/HeadscopeInstall.cmake"_s).contains(u"install(DIRECTORY resources/icons/hicolor "_s));
    const QString drawn = found(u"^for size in (.*); do$"_s, textOf(u"packaging/icons.sh"_s));
    QCOMPARE(drawn, u"16 22 24 32 48 64 128 256 512"_s);
    for (const QString& size : drawn.split(u' '))
        for (const QString& name : {u"apps/headscope"_s, u"mimetypes/headscope-session"_s}) {
            const QString file = u"resources/icons/hicolor/%1x%1/%2.png"_s.arg(size, name);
            QFile icon(pathOf(file));
            QVERIFY2(icon.open(QIODevice::ReadOnly), qPrintable(file));
            const QByteArray header = icon.read(24); // signature, then width and height of the first chunk
            QVERIFY2(header.startsWith("\x89PNG"), qPrintable(file));
            for (const int at : {16, 20})
                QCOMPARE(qFromBigEndian<quint32>(header.constData() + at), size.toUInt());
        }
}

void TestPackages::packagesNeedNoNetwork()
{
    const QDir debian(pathOf(u"packaging/debian"_s));
    // Nothing runs when they are installed, so nothing can fetch anything.
    QCOMPARE(debian.entryList({u"*inst"_s, u"*rm"_s, u"config"_s}), QStringList());
    QCOMPARE(debian.entryList({u"*.control"_s}),
             QStringList({u"headscope-libtorch.control"_s, u"headscope.control"_s}));
    const QString control = textOf(u"packaging/debian/headscope.control"_s);
    const QString depends = found(u"^Depends: (.*)$"_s, control);
    for (const QString& need : {u"headscope-libtorch (= @VERSION@)"_s, u"qt6-wayland"_s, u"@DEPENDS@"_s})
        QVERIFY2(depends.contains(need), qPrintable(need));
    QVERIFY(!depends.contains(u"python"_s));
}

void TestPackages::scriptsAreClean()
{
    const QString shellcheck = QStandardPaths::findExecutable(u"shellcheck"_s);
    if (shellcheck.isEmpty())
        QSKIP("There is no shellcheck.");
    QProcess process;
    process.setWorkingDirectory(pathOf(u"packaging"_s));
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(shellcheck,
                  QStringList{u"-x"_s, u"bundle/launcher"_s} + QDir(pathOf(u"packaging"_s)).entryList({u"*.sh"_s}));
    QVERIFY(process.waitForFinished(kLongEnough));
    QVERIFY2(process.exitCode() == 0, process.readAll().constData());
}

void TestPackages::theFlatpakListsItsSources()
{
    const QString manifest = textOf(u"packaging/flatpak/org.headscope.Headscope.yml"_s);
    // Whatever comes from a network is pinned, and the build itself has none.
    const qsizetype archives = manifest.count(u"url: https://"_s);
    QVERIFY(archives > 3);
    static const QRegularExpression pinned(u"url: https://[^\n]*\n +sha256: [0-9a-f]{64}\n"_s);
    QCOMPARE(manifest.count(pinned), archives);
    QVERIFY(!manifest.contains(u"--share=network"_s));
    QCOMPARE(found(u"^id: (.*)$"_s, manifest),
             elements(u"packaging/org.headscope.Headscope.metainfo.xml"_s, u"id"_s).value(0));
    // What flatpak-builder keeps beside the sources is none of them, and the desktop is shown what bears the name.
    QVERIFY(found(u"^        skip: \\[(.*)\\]$"_s, manifest).contains(u".flatpak-builder"_s));
    QVERIFY(manifest.contains(u"/app/share/mime/packages/org.headscope.Headscope.xml\n"_s));
}

void TestPackages::whatTheProgramsAreMadeOfIsTold()
{
    const QString python = QStandardPaths::findExecutable(u"python3"_s), cli = qEnvironmentVariable("HEADSCOPE_CLI");
    if (python.isEmpty() || !QFile::exists(cli) || QStandardPaths::findExecutable(u"dpkg-query"_s).isEmpty())
        QSKIP("There is no python3, no dpkg or no program.");
    const QTemporaryDir folder;
    const QString file = folder.filePath(u"sbom.json"_s);
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python, {u"-B"_s, pathOf(u"packaging/sbom.py"_s), u"--build"_s, QFileInfo(cli).path() + u"/.."_s,
                           u"--output"_s, file});
    QVERIFY(process.waitForFinished(kLongEnough));
    QVERIFY2(process.exitCode() == 0, process.readAll().constData());
    QFile made(file);
    QVERIFY(made.open(QIODevice::ReadOnly));
    const QJsonObject sbom = QJsonDocument::fromJson(made.readAll()).object();
    QCOMPARE(sbom[u"spdxVersion"_s].toString(), u"SPDX-2.3"_s);
    QSet<QString> ids, names;
    for (const QJsonValue& part : sbom[u"packages"_s].toArray()) {
        ids.insert(part[u"SPDXID"_s].toString());
        names.insert(part[u"name"_s].toString());
        const QString text = QString::fromUtf8(QJsonDocument(part.toObject()).toJson());
        QVERIFY2(!part[u"versionInfo"_s].toString().isEmpty(), qPrintable(text));
        QVERIFY2(part[u"licenseDeclared"_s].toString(u"NOASSERTION"_s) != u"NOASSERTION"_s, qPrintable(text));
        static const QRegularExpression sum(u"\\b[0-9a-f]{64}\\b"_s);
        QVERIFY2(part[u"SPDXID"_s] == u"SPDXRef-headscope"_s || text.contains(sum), qPrintable(text));
    }
    QCOMPARE(ids.size(), sbom[u"packages"_s].toArray().size());
    for (const QString& name : {u"headscope"_s, u"torch"_s, u"lucide"_s, u"fonts-inter"_s, u"wonderwords"_s,
                                u"nlohmann-json3-dev"_s, u"libsqlite3-0"_s})
        QVERIFY2(names.contains(name), qPrintable(name));
    for (const QJsonValue& relation : sbom[u"relationships"_s].toArray())
        QVERIFY(ids.contains(relation[u"relatedSpdxElement"_s].toString()));
}

// Of a person's doings: every key of the settings, and every column of a session that holds a path.
void TestPackages::whatIsRememberedIsListed()
{
    const QString architecture = textOf(u"ARCHITECTURE.md"_s);
    const QString listed =
        architecture.mid(architecture.indexOf(u"\n## What is remembered\n"_s)).section(u"\n## "_s, 1, 1);
    QVERIFY(listed.contains(u"--no-paths"_s));
    QSet<QString> keys;
    QDirIterator files(pathOf(u"app"_s), {u"*.cpp"_s}, QDir::Files, QDirIterator::Subdirectories);
    static const QRegularExpression key(
        u"(?:setValue\\(QStringLiteral\\(|auto k[A-Z]\\w+ = |return QStringLiteral\\()\"(\\w[\\w/]*)\""_s);
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        if (text.contains(u"QSettings"_s) && text.contains(u"setValue("_s))
            for (const auto& match : key.globalMatch(text))
                keys.insert(match.captured(1));
    }
    QVERIFY(keys.contains(u"prompts"_s) && keys.contains(u"data/folder"_s));
    for (const QString& one : keys)
        QVERIFY2(listed.contains(u'`' + one + u'`'), qPrintable(one));
    for (const QString& column : {u"models.source"_s, u"tokenizers.source"_s, u"examples.file"_s, u"ui_state.value"_s})
        QVERIFY2(listed.contains(column), qPrintable(column));
}

void TestPackages::everyFuzzTargetIsCalled()
{
    const QString smoke = textOf(u"tests/CMakeLists.txt"_s);
    const QString called = found(u"^foreach\\(target (.*)\\)$"_s, smoke).toLower();
    const QStringList targets = QDir(pathOf(u"tests/fuzz"_s)).entryList({u"fuzz_*.cpp"_s});
    QVERIFY(targets.size() >= 7);
    const QString built = textOf(u"tests/fuzz/CMakeLists.txt"_s);
    const QStringList linked = found(u"^headscope_test\\(end_to_end/tst_fuzzsmoke LIBS (.*)\\)$"_s, smoke).split(u' ');
    for (const QString& target : targets) {
        QVERIFY2(called.split(u' ').contains(target.mid(5).chopped(4)), qPrintable(target));
        // What links there with a library links with it here.
        const QString library =
            found(u"^headscope_fuzz\\(%1 (\\w+)\\)$"_s.arg(QRegularExpression::escape(target)), built);
        QVERIFY2(linked.contains(u"Headscope::"_s + library), qPrintable(target));
    }
}

void TestPackages::pythonReadsSessions()
{
    const QString python = QStandardPaths::findExecutable(u"python3"_s);
    if (python.isEmpty())
        QSKIP("There is no python3.");
    QProcess process;
    process.setWorkingDirectory(pathOf({}));
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(python, {u"-B"_s, u"-m"_s, u"unittest"_s, u"discover"_s, u"-s"_s, u"packaging/python/tests"_s});
    QVERIFY(process.waitForFinished(kLongEnough));
    const QByteArray told = process.readAll();
    QVERIFY2(process.exitCode() == 0 && told.contains("\nOK"), told.constData());
}

QTEST_GUILESS_MAIN(TestPackages)
#include "tst_packages.moc"
