// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"
#include "core/base/result.h"

#include <QTest>

using namespace headscope;

class TestBase : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void hashesMatchPublishedVectors();
    void hashDoesNotDependOnHowBytesArrive();
    void resultHoldsValueOrError();
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
}

QTEST_GUILESS_MAIN(TestBase)
#include "tst_base.moc"
