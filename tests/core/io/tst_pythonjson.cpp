// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration files as Python writes them, and what else people leave in them.
#include "core/io/textfiles/pythonjson.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>
#include <string>

using namespace headscope;

class TestPythonJson : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void readsWhatPythonWrites();
    void leavesStringsAlone();
    void skipsAByteOrderMark();
    void refuses_data();
    void refuses();
};

void TestPythonJson::readsWhatPythonWrites()
{
    const auto json = io::parsePythonJson(R"({"limit": [0.0, Infinity], "low": -Infinity, "none": NaN, "n": 3})");
    QVERIFY(json.has_value());
    QCOMPARE((*json)["limit"][1].get<double>(), io::kInfinityRead);
    QCOMPARE((*json)["low"].get<double>(), -io::kInfinityRead);
    QVERIFY(std::isnan((*json)["none"].get<double>()));
    QVERIFY((*json)["n"].is_number_integer());
}

void TestPythonJson::leavesStringsAlone()
{
    const auto json = io::parsePythonJson(R"({"Infinity": "NaN, // \" Infinity /* */ {[", "b": "\\"})");
    QVERIFY(json.has_value());
    QCOMPARE((*json)["Infinity"].get<std::string>(), std::string("NaN, // \" Infinity /* */ {["));
    QCOMPARE((*json)["b"].get<std::string>(), std::string("\\"));
}

void TestPythonJson::skipsAByteOrderMark()
{
    const auto json = io::parsePythonJson("\xEF\xBB\xBF{\"a\": 1}");
    QVERIFY(json.has_value());
    QCOMPARE((*json)["a"].get<int>(), 1);
}

void TestPythonJson::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const QByteArray& text, const char* says) {
        QTest::newRow(name) << text << QString::fromLatin1(says);
    };
    row("empty", "", "ends too early");
    row("cut", "{\"a\": [1, ", "ends too early");
    row("cut in a string", "{\"a\": \"b", "not valid JSON");
    row("cut after a backslash", "{\"a\": \"b\\", "not valid JSON");
    row("line comment", "{\"a\": 1} // said", "a comment at byte 9");
    row("block comment", "{ /* said */ \"a\": 1}", "a comment at byte 2");
    row("two values", "{} {}", "unexpected text");
    row("half a word", "{\"a\": Infin}", "not valid JSON");
    row("a word too long", "{\"a\": Infinityy}", "not valid JSON");
    row("infinity as a key", "{Infinity: 1}", "not valid JSON");
    row("invalid UTF-8", "{\"a\": \"\xff\"}", "invalid UTF-8");
    row("too large a number", "{\"a\": 1e999}", "out of range");
    row("deep", QByteArray(100'000, '['), "nests deeper than 64 levels at byte 65");
}

void TestPythonJson::refuses()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, says);
    const auto json = io::parsePythonJson(std::string_view(text.data(), static_cast<std::size_t>(text.size())));
    QVERIFY(!json.has_value());
    QVERIFY2(QString::fromStdString(json.error().message).contains(says), json.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestPythonJson)
#include "tst_pythonjson.moc"
