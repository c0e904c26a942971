// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv.h"
#include "core/base/hash.h"
#include "core/base/hmac.h"
#include "core/base/printable.h"
#include "core/base/result.h"

#include <QTest>

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
    void keyedHashIsThatOfTheStandard();
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

void TestBase::keyedHashIsThatOfTheStandard()
{
    // Computed by Python: hmac.new(bytes(range(32)), b"what do ya want for nothing?", "sha256").
    Digest key;
    for (std::size_t i = 0; i < key.size(); ++i)
        key[i] = static_cast<std::uint8_t>(i);
    const Digest digest = hmacSha256(key, "what do ya want for nothing?");
    QCOMPARE(QByteArray(reinterpret_cast<const char*>(digest.data()), 32).toHex(),
             QByteArray("099805f4ac310786968565c098db515cc50862b420ae31e20238312344bed36a"));
    QVERIFY(sameDigest(digest, digest) && !sameDigest(digest, key));
    QVERIFY(randomDigest() != randomDigest());
}

QTEST_GUILESS_MAIN(TestBase)
#include "tst_base.moc"
