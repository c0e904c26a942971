// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the constructions of bannedwords.txt out of what people read: the window's strings and errors, command-line
// help, header comments, documents, the manual, tours and exercises, in English and German.

#include "tests/support/sourcetree.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

struct Rule {
    QString language;
    QRegularExpression expression;
    QString example;
    QString instead;
};

/// A piece of text that people read, and the file that it is from.
struct Passage {
    QString language;
    QString file;
    QString text;
};

QList<Rule> rules()
{
    QList<Rule> found;
    const QString list = testing::readTree({u"tests/support"_s}, {u"bannedwords.txt"_s}).first();
    for (const QString& line : list.split(u'\n', Qt::SkipEmptyParts)) {
        const QStringList cells = line.split(u'\t');
        if (!line.startsWith(u'#'))
            found +=
                {cells.value(0), QRegularExpression(cells.value(1), QRegularExpression::UseUnicodePropertiesOption),
                 cells.value(2), cells.value(3)};
    }
    return found;
}

/// String literals with a space in them, those that follow each other joined, and the comments of a source.
struct Source {
    QStringList literals;
    QStringList comments;
};

Source partsOf(const QString& text)
{
    static const QRegularExpression token(
        u"//[/<!]*[ ]?(?<comment>[^\\n]*)|/\\*.*?\\*/|'(?:[^'\\\\\\n]|\\\\.)'"
        "|R\"(?<d>\\w*)\\((?<raw>.*?)\\)\\k<d>\"|\"(?<text>(?:[^\"\\\\\\n]|\\\\.)*+)\"|(?<gap>\\n[ \\t]*\\n)|[^\\s/'\"R]++|."_s,
        QRegularExpression::DotMatchesEverythingOption);
    Source parts;
    QString literal, comment;
    const auto close = [](QString& open, QStringList& into) {
        if (open.contains(u' '))
            into += open.simplified();
        open.clear();
    };
    for (const auto& match : token.globalMatch(text)) {
        const QString all = match.captured();
        if (all.trimmed().isEmpty()) {
            if (match.hasCaptured(u"gap"_s)) // an empty line ends a comment
                close(comment, parts.comments);
            continue;
        }
        if (all.startsWith(u"//"_s)) {
            comment += match.captured(u"comment"_s) + u'\n';
            continue;
        }
        close(comment, parts.comments);
        if (match.hasCaptured(u"text"_s) || match.hasCaptured(u"raw"_s))
            literal += match.captured(u"raw"_s) + match.captured(u"text"_s);
        else if (all != u"_s"_s && all != u"u"_s)
            close(literal, parts.literals);
    }
    close(literal, parts.literals);
    close(comment, parts.comments);
    return parts;
}

QStringList stringsOf(const QJsonValue& value)
{
    if (value.isString())
        return {value.toString()};
    QStringList found;
    for (const QJsonValue& one : value.toArray())
        found += stringsOf(one);
    const QJsonObject object = value.toObject();
    for (const QJsonValue& one : object)
        found += stringsOf(one);
    return found;
}

QStringList stringsOf(const QString& json)
{
    const QJsonDocument document = QJsonDocument::fromJson(json.toUtf8());
    return document.isArray() ? stringsOf(QJsonValue(document.array())) : stringsOf(QJsonValue(document.object()));
}

QStringList translations(const QString& ts)
{
    QXmlStreamReader xml(ts);
    QStringList found;
    while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement
            && (xml.name() == u"numerusform"_s || xml.name() == u"translation"_s))
            found += xml.readElementText(QXmlStreamReader::IncludeChildElements);
    return found;
}

QStringList paragraphs(const QString& markdown)
{
    static const QRegularExpression gap(u"\\n\\s*\\n|\\n(?=[-*|#])"_s);
    QStringList found;
    for (const QString& one : markdown.split(gap))
        found += one.simplified();
    return found;
}

QList<Passage> passages()
{
    using Tree = testing::SourceTree;
    const QStringList rooms{u"app"_s, u"core"_s, u"widgets"_s, u"sessions"_s};
    QList<Passage> found;
    const auto add = [&found](const QString& file, const QStringList& texts) {
        const bool german = file.contains(u"/de/"_s) || file.contains(u".de."_s) || file.endsWith(u"_de.ts"_s);
        for (const QString& text : texts)
            found += {german ? u"de"_s : u"en"_s, file, text};
    };
    const Tree sources = testing::readTree(rooms, {u"*.cpp"_s, u"*.h"_s});
    for (const QString& path : sources.keys()) {
        const Source parts = partsOf(sources.value(path));
        add(path, parts.literals);
        if (path.endsWith(u".h"_s))
            add(path, parts.comments);
    }
    Tree documents = testing::readTree(rooms + QStringList{u"tests"_s, u"packaging"_s, u"resources"_s}, {u"*.md"_s});
    for (const QString& name :
         {u"README.md"_s, u"ARCHITECTURE.md"_s, u"CONTRIBUTING.md"_s, u"SECURITY.md"_s, u"CHANGELOG.md"_s}) {
        QFile file(QStringLiteral(HEADSCOPE_SOURCE_DIR) + u'/' + name);
        if (file.open(QIODevice::ReadOnly))
            documents[name] = QString::fromUtf8(file.readAll());
    }
    for (const QString& path : documents.keys())
        add(path, paragraphs(documents.value(path)));
    const Tree json = testing::readTree({u"resources/tours"_s, u"resources/exercises"_s, u"resources/studies"_s,
                                         u"resources/page"_s, u"resources/phrases"_s},
                                        {u"*.json"_s});
    for (const QString& path : json.keys())
        add(path, stringsOf(json.value(path)));
    const Tree german = testing::readTree({u"resources/translations"_s}, {u"*.ts"_s});
    for (const QString& path : german.keys())
        add(path, translations(german.value(path)));
    return found;
}

/// Labels of the window in one language, without mnemonics, ellipses and what is in parentheses at their end, and
/// whole.
QSet<QString> labels(bool german)
{
    static const QRegularExpression message(u"<source>(.*?)</source>(?:(?!</message>).)*?<translation[^>]*>(.*?)</"_s,
                                            QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression mnemonic(u"&amp;(?=\\w)"_s), ellipsis(u"\\s*…$"_s), aside(u" \\([^)]*\\)$"_s);
    QSet<QString> found;
    const QString ts = testing::readTree({u"resources/translations"_s}, {u"*.ts"_s}).first();
    for (const auto& match : message.globalMatch(ts)) {
        QString label = match.captured(german ? 2 : 1).remove(mnemonic).remove(ellipsis);
        label.replace(u"&amp;"_s, u"&"_s).replace(u"&apos;"_s, u"'"_s);
        found.insert(label);
        found.insert(label.remove(aside));
    }
    return found;
}

/// Whether a sentence begins with one of the labels.
bool startsWithLabel(const QSet<QString>& all, const QString& text)
{
    const QStringList words = text.split(u' ');
    for (qsizetype n = words.size(); n > 0; --n)
        if (all.contains(words.first(n).join(u' ')))
            return true;
    return false;
}

/// Pages of the manual in one language, their code left out and each paragraph in one line.
testing::SourceTree manualTexts(bool german)
{
    static const QRegularExpression code(u"^```.*?^```$|`[^`]*`"_s,
                                         QRegularExpression::MultilineOption
                                             | QRegularExpression::DotMatchesEverythingOption);
    auto pages = testing::readTree({german ? u"resources/manual/de"_s : u"resources/manual/en"_s}, {u"*.md"_s});
    for (QString& page : pages)
        page.remove(code).replace(u'\n', u' ');
    return pages;
}

/// The first rule that a text breaks, as a sentence; empty when it keeps all.
QString fault(const QList<Rule>& all, const Passage& passage)
{
    for (const Rule& rule : all) {
        const auto match = rule.expression.match(passage.text);
        if (rule.language == passage.language && match.hasMatch())
            return u"%1: \"…%2…\"; as in \"%3\", write \"%4\""_s.arg(
                passage.file, passage.text.mid(std::max(0, int(match.capturedStart()) - 40), 100), rule.example,
                rule.instead);
    }
    return {};
}

} // namespace

class TestWording : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyRuleFindsItsExample()
    {
        const QList<Rule> all = rules();
        QVERIFY(all.size() > 20);
        for (const Rule& rule : all) {
            QVERIFY2(rule.expression.isValid(), qPrintable(rule.expression.pattern()));
            QVERIFY2(!fault(all, {rule.language, {}, rule.example}).isEmpty(), qPrintable(rule.example));
            QVERIFY2(rule.expression.match(rule.example).hasMatch(), qPrintable(rule.example));
            QCOMPARE(fault(all, {rule.language, {}, rule.instead}), QString());
        }
    }

    void readsWhatPeopleRead()
    {
        const Source parts = partsOf(u"// Tells\n// a thing.\n\n/// Two.\nint a = 'x'; f(tr(\"one \"\n   \"two\"), "
                                     "u\"three four\"_s, R\"(five six)\");\n"_s);
        QCOMPARE(parts.comments, (QStringList{u"Tells a thing."_s}));
        QCOMPARE(parts.literals, (QStringList{u"one two"_s, u"three four"_s, u"five six"_s}));
        QMap<QString, int> counts;
        for (const Passage& passage : passages())
            ++counts[passage.language];
        QVERIFY2(counts[u"en"_s] > 8000 && counts[u"de"_s] > 2500,
                 qPrintable(u"%1 %2"_s.arg(counts[u"en"_s]).arg(counts[u"de"_s])));
    }

    void everyMenuEntryOfTheManualExists()
    {
        static const QRegularExpression entry(
            u"\\b(Analyse|Compare|Edit|Experiments|Figure|File|Heads|Help|Run|Session|Settings|View|Window|Analysieren"
            "|Vergleichen|Experimente|Grafik|Datei|Köpfe|Hilfe|Lauf|Sitzung|Einstellungen|Ansicht|Fenster)"
            "((?: > [„\"]?[\\w-][^>.,;:()*\\n|“\"]*)+)"_s);
        QStringList faults;
        int names = 0;
        for (const bool german : {false, true}) {
            const QSet<QString> all = labels(german);
            const auto pages = manualTexts(german);
            for (const QString& path : pages.keys())
                for (const auto& match : entry.globalMatch(pages.value(path)))
                    for (QString name : match.captured(2).split(u" > "_s, Qt::SkipEmptyParts)) {
                        name.remove(u'„').remove(u'"');
                        ++names;
                        if (!startsWithLabel(all, name.trimmed()))
                            faults += u"%1: the window has no '%2 > %3'"_s.arg(path, match.captured(1), name);
                    }
        }
        QVERIFY2(names > 30, qPrintable(QString::number(names)));
        QVERIFY2(faults.isEmpty(), qPrintable(u"\n"_s + faults.join(u'\n')));
        QVERIFY(!startsWithLabel(labels(false), u"Knead the heads"_s));
        QVERIFY(!startsWithLabel(labels(false), u"Rank every tail"_s)); // "Rank" alone is not a label
    }

    void everyButtonOfTheManualExists() // what a page has in italics is a label of the window
    {
        static const QRegularExpression italic(u"(?<![*\\w])\\*([^* ][^*]*)\\*(?!\\*)"_s), ellipsis(u"\\s*…$"_s);
        QStringList faults;
        int names = 0;
        for (const bool german : {false, true}) {
            const QSet<QString> all = labels(german);
            const auto pages = manualTexts(german);
            for (const QString& path : pages.keys())
                for (const auto& match : italic.globalMatch(pages.value(path))) {
                    ++names;
                    if (const QString name = match.captured(1).remove(ellipsis).simplified(); !all.contains(name))
                        faults += u"%1: the window has no '%2'"_s.arg(path, name);
                }
        }
        QVERIFY2(names > 50, qPrintable(QString::number(names)));
        QVERIFY2(faults.isEmpty(), qPrintable(u"\n"_s + faults.join(u'\n')));
    }

    void theGlossariesHaveTheSameTerms()
    {
        static const QRegularExpression term(u"^\\*\\*([^*]+)\\*\\*: (.+)$"_s, QRegularExpression::MultilineOption);
        const auto pages = testing::readTree({u"resources/manual"_s}, {u"glossary.md"_s});
        QCOMPARE(pages.size(), 2);
        QList<qsizetype> sizes;
        for (const QString& page : pages) {
            QSet<QString> terms;
            for (const auto& match : term.globalMatch(page)) {
                terms.insert(match.captured(1));
                QVERIFY2(match.captured(2).count(u". "_s) < 3, qPrintable(match.captured()));
            }
            QCOMPARE(terms.size(), page.count(u"\n**"_s)); // one entry per term
            sizes += terms.size();
        }
        QVERIFY(sizes.first() >= 60);
        QCOMPARE(sizes.first(), sizes.last());
    }

    void everyTextKeepsTheRules()
    {
        const QList<Rule> all = rules();
        QStringList faults;
        for (const Passage& passage : passages())
            if (const QString one = fault(all, passage); !one.isEmpty())
                faults += one;
        faults.removeDuplicates();
        QVERIFY2(faults.isEmpty(), qPrintable(u"%1 texts\n"_s.arg(faults.size()) + faults.mid(0, 400).join(u'\n')));
    }
};

QTEST_GUILESS_MAIN(TestWording)
#include "tst_wording.moc"
