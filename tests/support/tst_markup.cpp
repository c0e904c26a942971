// SPDX-License-Identifier: GPL-3.0-or-later
// Text of files must reach labels, tooltips and message boxes as plain text: Qt guesses whether it is given HTML, and
// HTML loads the files that it names. Holds every source of the window to that.

#include "tests/support/sourcetree.h"

#include <QRegularExpression>
#include <QTest>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

/// The call's arguments from the bracket at `open` to the one that closes it.
QString argumentsAt(const QString& text, qsizetype open)
{
    int depth = 0;
    bool inString = false;
    for (qsizetype i = open; i < text.size(); ++i) {
        const QChar c = text[i];
        if (inString && c == u'\\')
            ++i;
        else if (c == u'"')
            inString = !inString;
        else if (!inString && c == u'(')
            ++depth;
        else if (!inString && c == u')' && --depth == 0)
            return text.mid(open + 1, i - open - 1);
    }
    return text.mid(open + 1);
}

/// Words of our own, without anything put into them, or text that went through plainText(); or a choice of such.
bool isSafe(const QString& argument)
{
    static const QRegularExpression own(
        uR"(^(\w[\w.()>-]*\s*\?\s*)?(tr\(|widgets::plainText\(|plainText\(|QString\(\)|\{\}))"_s);
    return own.match(argument.trimmed()).hasMatch()
           && (argument.contains(u"plainText("_s) || !argument.contains(u".arg("_s));
}

QStringList faultsIn(const QString& path, const QString& text)
{
    QStringList faults;
    const auto lineOf = [&](qsizetype at) { return text.left(at).count(u'\n') + 1; };
    static const QRegularExpression label(uR"(\bnew QLabel\b)"_s);
    for (const QRegularExpressionMatch& match : label.globalMatch(text)) {
        // A label that is given a format of its own says so in the function that makes it.
        if (!text.contains(u"setTextFormat("_s))
            faults += u"%1:%2: a QLabel guesses what its text is; use PlainLabel"_s.arg(path).arg(
                lineOf(match.capturedStart()));
    }
    // What a model of a view gives: the view takes it as any tooltip.
    static const QRegularExpression role(uR"((case Qt::ToolTipRole:|role == Qt::ToolTipRole)[^;]*;)"_s);
    for (const QRegularExpressionMatch& match : role.globalMatch(text)) {
        const QString given = match.captured();
        if (!given.contains(u"lainText("_s) && !given.contains(u"tooltip("_s)
            && (!given.contains(u"tr("_s) || given.contains(u".arg("_s)))
            faults += u"%1:%2: a model's tooltip may be read as HTML; use plainText()"_s.arg(path).arg(
                lineOf(match.capturedStart()));
    }
    static const QRegularExpression tip(uR"((setToolTip|QToolTip::showText|QMessageBox::(?!about)\w+)\()"_s);
    for (const QRegularExpressionMatch& match : tip.globalMatch(text)) {
        const QString arguments = argumentsAt(text, match.capturedEnd() - 1);
        const bool one = match.captured(1) == u"setToolTip";
        const bool escaped = arguments.contains(u"toHtmlEscaped"_s) || arguments.contains(u"plainText("_s);
        if (one ? !isSafe(arguments) : !escaped && arguments.contains(u".arg("_s))
            faults += u"%1:%2: %3 may be read as HTML; use plainText()"_s.arg(path)
                          .arg(lineOf(match.capturedStart()))
                          .arg(match.captured(1));
    }
    return faults;
}

} // namespace

class TestMarkup : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyTextOfAFileIsPlain();
    void findsEachFault_data();
    void findsEachFault();
};

void TestMarkup::everyTextOfAFileIsPlain()
{
    const testing::SourceTree tree = testing::readTree({u"app"_s, u"widgets"_s}, {u"*.h"_s, u"*.cpp"_s});
    QVERIFY(tree.size() > 50);
    QStringList faults;
    for (auto file = tree.begin(); file != tree.end(); ++file)
        faults += faultsIn(file.key(), file.value());
    QVERIFY2(faults.isEmpty(), qPrintable(u"\n"_s + faults.join(u'\n')));
}

void TestMarkup::findsEachFault_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("faults");
    QTest::newRow("label") << u"auto* a = new QLabel(name, this);"_s << 1;
    QTest::newRow("plain label") << u"auto* a = new PlainLabel(name, this);"_s << 0;
    QTest::newRow("label with a format") << u"a = new QLabel(this);\na->setTextFormat(Qt::MarkdownText);"_s << 0;
    QTest::newRow("tooltip of a name") << u"a->setToolTip(name);"_s << 1;
    QTest::newRow("tooltip with a name in it") << u"a->setToolTip(tr(\"Open (%1)\").arg(name));"_s << 1;
    QTest::newRow("escaped tooltip") << u"a->setToolTip(plainText(tr(\"Open (%1)\").arg(name)));"_s << 0;
    QTest::newRow("tooltip of our own") << u"a->setToolTip(tr(\"Close (Esc)\"));"_s << 0;
    QTest::newRow("tooltip of a model") << u"case Qt::ToolTipRole:\ncase Qt::AccessibleTextRole: return words(i);"_s
                                        << 1;
    QTest::newRow("plain tooltip of a model") << u"case Qt::ToolTipRole: return plainText(words(i));"_s << 0;
    QTest::newRow("header's tooltip") << u"if (role == Qt::ToolTipRole && d)\n    return tr(\"%1\").arg(t);"_s << 1;
    QTest::newRow("message box") << u"QMessageBox::warning(this, tr(\"A\"), tr(\"%1 is gone\").arg(path));"_s << 1;
}

void TestMarkup::findsEachFault()
{
    QFETCH(const QString, text);
    QFETCH(const int, faults);
    QCOMPARE(faultsIn(u"a.cpp"_s, text).size(), faults);
}

QTEST_GUILESS_MAIN(TestMarkup)
#include "tst_markup.moc"
