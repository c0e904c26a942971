// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv.h"
#include "core/base/hash.h"
#include "core/base/printable.h"
#include "core/base/result.h"
#include "core/base/words/counted.h"

#include <QTest>

#include <set>
#include <type_traits>
#include <vector>

using namespace headscope;

class TestBase : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void hashesMatchPublishedVectors();
    void hashDoesNotDependOnHowBytesArrive();
    void resultHoldsValueOrError();
    void tablesHoldNoFormulas_data();
    void tablesHoldNoFormulas();
    void shownTextGivesNoOrders_data();
    void shownTextGivesNoOrders();
    void longTextIsCut();
    void tokensAreSeenAndToldApart();
    void formsOfLettersStayInText();
    void numbersAgreeWithTheirNouns();
};

// FIPS 180-4 examples.
void TestBase::hashesMatchPublishedVectors()
{
    QCOMPARE(sha256Hex(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    QCOMPARE(sha256Hex("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(sha256Hex(std::string(1000000, 'a')),
             std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

void TestBase::hashDoesNotDependOnHowBytesArrive()
{
    const std::string text(300, 'x');
    Sha256 pieces;
    for (std::size_t at = 0; at < text.size(); at += 7)
        pieces.add(std::string_view(text).substr(at, 7));
    QCOMPARE(pieces.hex(), sha256Hex(text));
}

void TestBase::resultHoldsValueOrError()
{
    const Result<int> good = 3;
    const Result<int> bad = inputError("Expected a number; got a fish.");
    QVERIFY(good.has_value());
    QCOMPARE(*good, 3);
    QVERIFY(!bad.has_value());
    QCOMPARE(bad.error().message, std::string("Expected a number; got a fish."));
    // What a call returned may be looped over at once: it is a value, not a reference into what is gone.
    static_assert(std::is_same_v<decltype(*std::declval<Result<std::vector<int>>>()), std::vector<int>>);
    static_assert(std::is_same_v<decltype(std::declval<Result<std::vector<int>>>().value()), std::vector<int>>);
    const auto numbers = [] { return Result<std::vector<int>>(std::vector<int>(100, 7)); };
    int sum = 0;
    for (const int number : *numbers())
        sum += number;
    QCOMPARE(sum, 700);
}

void TestBase::tablesHoldNoFormulas_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("cell");
    QTest::newRow("word") << QByteArray("L2H5") << QByteArray("L2H5");
    QTest::newRow("formula") << QByteArray("=1+1") << QByteArray("'=1+1");
    QTest::newRow("formula with a comma") << QByteArray("=A(1,2)") << QByteArray("\"'=A(1,2)\"");
    QTest::newRow("command") << QByteArray("@SUM(A1)") << QByteArray("'@SUM(A1)");
    QTest::newRow("plus") << QByteArray("+cmd|' /C calc'!A0") << QByteArray("'+cmd|' /C calc'!A0");
    QTest::newRow("behind a tab") << QByteArray("\t=1") << QByteArray("'\t=1");
    QTest::newRow("number") << QByteArray("-0.25") << QByteArray("-0.25");
    QTest::newRow("signed number") << QByteArray("+1e-05") << QByteArray("+1e-05");
    QTest::newRow("quotes") << QByteArray("a \"b\"\n") << QByteArray("\"a \"\"b\"\"\n\"");
    QTest::newRow("orders") << QByteArray("\x1b[2J\x07") << QByteArray("\\x1b[2J\\x07");
    QTest::newRow("returns") << QByteArray("a\rb") << QByteArray("a\\x0db");
    QTest::newRow("nothing") << QByteArray("") << QByteArray("");
}

void TestBase::tablesHoldNoFormulas()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, cell);
    QCOMPARE(QByteArray::fromStdString(csvCell(text.toStdString())), cell);
}

void TestBase::shownTextGivesNoOrders_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("plain") << QByteArray("Kopf \xc3\xa4 \xe2\x86\x92\tb")
                           << QByteArray("Kopf \xc3\xa4 \xe2\x86\x92\tb");
    QTest::newRow("escape") << QByteArray("\x1b[2J") << QByteArray("\\x1b[2J");
    QTest::newRow("newline") << QByteArray("a\nb\rc") << QByteArray("a\\nb\\x0dc");
    QTest::newRow("C1") << QByteArray("\xc2\x9b") + QByteArray("31m") << QByteArray("\\u009b31m");
    QTest::newRow("delete") << QByteArray("\x7f") << QByteArray("\\x7f");
    QTest::newRow("right to left") << QByteArray("\xe2\x80\xae") << QByteArray("\\u202e");
    QTest::newRow("no UTF-8") << QByteArray("a\xff\xc3") << QByteArray("a\\xff\\xc3");
    QTest::newRow("overlong") << QByteArray("\xc0\x9b") << QByteArray("\\xc0\\x9b");
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\\xed\\xa0\\x80");
}

void TestBase::shownTextGivesNoOrders()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(printable(text.toStdString(), Newlines::Escape)), shown);
}

void TestBase::longTextIsCut()
{
    QCOMPARE(printable("abcdef", Newlines::Keep, 4), std::string("abcd... (2 more bytes)"));
    QCOMPARE(printable("abcd\n", Newlines::Keep, 5), std::string("abcd\n"));
    QCOMPARE(printable(std::string(1'000'000, '\x1b'), Newlines::Keep, 10).size(),
             std::string("\\x1b").size() * 10 + std::string("... (999990 more bytes)").size());
    QCOMPARE(printableJson("{\"a\":\"\x7f\xc2\x9b\xc3\xa4\xe2\x80\xae\xd8\x9c\"}"),
             std::string("{\"a\":\"\\u007f\\u009b\xc3\xa4\\u202e\\u061c\"}"));
}

namespace {

/// Characters that Qt's data, another than the program uses, say cannot be seen.
bool isUnseen(char32_t c)
{
    switch (QChar::category(c)) {
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Other_Surrogate:
    case QChar::Other_PrivateUse:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph: return true;
    default: return (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0000 && c <= 0xe0fff) || c == 0x3164;
    }
}

} // namespace

void TestBase::tokensAreSeenAndToldApart()
{
    std::set<std::string> forms;
    const std::set<char32_t> kept = {U' ', U'\t', U'\n', U'\r'}; // labels have a mark for each of them
    for (char32_t c = 0; c <= 0x10ffff; ++c) {
        if ((c >= 0xd800 && c < 0xe000) || (c >= 0x40000 && c < 0xe0000 && c % 0xfff > 0)) // those are unassigned
            continue;
        const std::string token = QString::fromUcs4(&c, 1).toStdString();
        const std::string shown = visible(token);
        QVERIFY2(forms.insert(shown).second, shown.c_str());
        QCOMPARE(visible(shown), shown);
        for (const char32_t seen : QString::fromStdString(shown).toUcs4())
            QVERIFY2(kept.contains(seen) || !isUnseen(seen), qPrintable(QString::number(c, 16)));
        if (QChar::isSpace(c) && !kept.contains(c))
            QVERIFY2(shown.starts_with("<U+"), qPrintable(QString::number(c, 16)));
    }
    for (int byte = 0x80; byte < 0x100; ++byte)
        QVERIFY(forms.insert(visible(std::string(1, static_cast<char>(byte)))).second);
    QCOMPARE(visible("\xe6"), std::string("<0xE6>"));
    QCOMPARE(visible("a\xe6\x97"), std::string("a<0xE6><0x97>"));
    QCOMPARE(visible("\u200b"), std::string("<U+200B>"));
    QCOMPARE(visible("a\u202eb"), std::string("a<U+202E>b"));
    QCOMPARE(visible("\u2764\ufe0f"), std::string("\u2764<U+FE0F>"));
    QCOMPARE(visible("\u0301"), std::string("\u25cc\u0301"));
    QCOMPARE(visible("e\u0301 \u0301"), std::string("e\u0301 \u25cc\u0301"));
    QCOMPARE(visible("\U000e0041"), std::string("<U+E0041>"));
}

void TestBase::formsOfLettersStayInText()
{
    const std::string whole = "\u2764\ufe0f \u06cc\u200c\u062e 1\ufe0f\u20e3"; // they choose how a letter looks
    QCOMPARE(printable(whole, Newlines::Escape), whole);
    QCOMPARE(printable("\u200d '\u200d", Newlines::Escape), std::string("\\u200d '\\u200d"));
    QCOMPARE(printable("\ufeffa\u00adb\U000e0041", Newlines::Escape), std::string("\\ufeffa\\u00adb\\U000e0041"));
    QCOMPARE(printableJson("\"\u200d\ufeff\U000e0041\u65e5\""), std::string("\"\\u200d\\ufeff\\udb40\\udc41\u65e5\""));
}

void TestBase::numbersAgreeWithTheirNouns()
{
    QCOMPARE(counted(1, "head"), std::string("1 head"));
    QCOMPARE(counted(0, "head"), std::string("0 heads"));
    QCOMPARE(counted(std::size_t{12}, "more row"), std::string("12 more rows"));
    QCOMPARE(counted(1, "analysis is", "analyses are"), std::string("1 analysis is"));
    QCOMPARE(counted(2, "analysis is", "analyses are"), std::string("2 analyses are"));
}

QTEST_GUILESS_MAIN(TestBase)
#include "tst_base.moc"
