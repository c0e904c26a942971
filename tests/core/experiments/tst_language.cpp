// SPDX-License-Identifier: GPL-3.0-or-later
// What experiments say in German: their texts, and what they find in results of real runs.
#include "core/experiments/experiment.h"
#include "core/experiments/experimentreport.h"
#include "core/experiments/words/language.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QtTest>

using namespace headscope::experiments;

namespace {

QString results()
{
    return QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/results/");
}

QString missing()
{
    QStringList texts;
    for (const std::string& text : untranslated())
        texts.append(QString::fromStdString(text));
    return texts.join(QLatin1Char('\n'));
}

} // namespace

class TestLanguage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyTextIsTranslated();
    void findingsAreTranslated_data();
    void findingsAreTranslated();
    void namesOfATable();
    void theNextThreadSpeaksEnglish();
};

void TestLanguage::everyTextIsTranslated()
{
    const Speaking german("de");
    for (const Experiment& experiment : allExperiments()) {
        for (const std::string* text : {&experiment.title, &experiment.question, &experiment.claim, &experiment.rule,
                                        &experiment.setting, &experiment.scaled, &experiment.assumed})
            if (!text->empty())
                QVERIFY2(translated(*text) != *text, text->c_str());
        for (const Column& column : experiment.columns)
            (void)translated(column.title);
    }
    QVERIFY2(missing().isEmpty(), qPrintable(missing()));
}

void TestLanguage::findingsAreTranslated_data()
{
    QTest::addColumn<QString>("id");
    for (const QString& file : QDir(results()).entryList({QStringLiteral("*.json")}, QDir::Files))
        if (QFileInfo(results() + file).size() > 0)
            QTest::newRow(qPrintable(file)) << file;
}

// Of results of real runs.
void TestLanguage::findingsAreTranslated()
{
    QFETCH(QString, id);
    QFile file(results() + id);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto report = parseReport(file.readAll().toStdString());
    QVERIFY(report.has_value());
    const std::string english = report->experiment->finding(report->table), why = report->judgement().why;
    const Speaking german("de");
    QVERIFY2(report->experiment->finding(report->table) != english, english.c_str());
    QVERIFY2(report->judgement().why != why, why.c_str());
    QVERIFY2(missing().isEmpty(), qPrintable(missing()));
}

void TestLanguage::namesOfATable()
{
    QCOMPARE(translatedName("random 2"), std::string("random 2"));
    const Speaking german("de");
    QCOMPARE(translatedName("random 2"), std::string("zufällig 2"));
    QCOMPARE(translatedName("without L3"), std::string("ohne L3"));
    QCOMPARE(translatedName("L2H5"), std::string("L2H5"));
    {
        const Speaking english("en");
        QCOMPARE(translatedName("neither kept"), std::string("neither kept"));
    }
    QCOMPARE(translatedName("neither kept"), std::string("keiner behalten"));
}

void TestLanguage::theNextThreadSpeaksEnglish()
{
    const Speaking german("de");
    std::string other;
    std::unique_ptr<QThread> thread(QThread::create([&] { other = translatedName("neither kept"); }));
    thread->start();
    QVERIFY(thread->wait());
    QCOMPARE(other, std::string("neither kept"));
}

QTEST_APPLESS_MAIN(TestLanguage)
#include "tst_language.moc"
