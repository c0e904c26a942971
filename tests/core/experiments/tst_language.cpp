// SPDX-License-Identifier: GPL-3.0-or-later
// What experiments say in German: their texts, and what they find in results of real runs.
#include "core/experiments/experiment.h"
#include "core/experiments/experimentreport.h"
#include "core/experiments/words/language.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
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
    void everyNoteIsTranslated();
    void notesNameModels();
    void theNextThreadSpeaksEnglish();
};

void TestLanguage::everyTextIsTranslated()
{
    const Speaking german("de");
    for (const Experiment& experiment : allExperiments()) {
        for (const std::string* text :
             {&experiment.title, &experiment.question, &experiment.claim, &experiment.rule, &experiment.source,
              &experiment.setting, &experiment.scaled, &experiment.assumed})
            if (!text->empty())
                QVERIFY2(translated(*text) != *text, text->c_str());
        for (const Column& column : experiment.columns)
            (void)translated(column.title);
        for (const Chart& chart : experiment.charts)
            if (chart.kind == Chart::Kind::Map || chart.kind == Chart::Kind::Layers) // others show their columns' names
                (void)translated(chart.title);
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

// What recipes say of their rows is stored in English, with the names and numbers in it.
void TestLanguage::everyNoteIsTranslated()
{
    const Speaking german("de");
    static const QRegularExpression said(QStringLiteral(R"(\baddNote\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+))")),
        seam(QStringLiteral(R"("\s*")"));
    int found = 0;
    QDirIterator files(QStringLiteral(HEADSCOPE_SOURCE_DIR "/core/experiments"), {QStringLiteral("*.cpp")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (auto at = said.globalMatch(QString::fromUtf8(file.readAll())); at.hasNext(); ++found) {
            const QString note = at.next().captured(1).trimmed().chopped(1).mid(1).replace(seam, QString());
            QVERIFY2(translated(note.toStdString()) != note.toStdString(), qPrintable(file.fileName() + note));
        }
    }
    QVERIFY2(found >= 11, qPrintable(QString::number(found)));
}

void TestLanguage::notesNameModels()
{
    const std::string note = "Left out: odd {} name. tiny takes at most 8 tokens, so 9 are computed and not measured.";
    QCOMPARE(translatedNote(note), note);
    const Speaking german("de");
    QCOMPARE(translatedNote(note), std::string("Ausgelassen: odd {} name. tiny nimmt höchstens 8 Token auf; 9 sind "
                                               "deshalb berechnet, nicht gemessen."));
    QCOMPARE(translatedNote("needs 4 scores, 80 examples, 3e+04 tokens through the whole model, 0.4 MB of weights, at "
                            "least 80 of the examples are in the session already, about 2 s here if nothing is known "
                            "yet, with 30 examples of each benchmark."),
             std::string("braucht 4 Messwerte, 80 Beispiele, 3e+04 Token durch das ganze Modell, 0.4 MB Gewichte, "
                         "mindestens 80 der Beispiele stehen schon in der Sitzung, etwa 2 s auf diesem Rechner, wenn "
                         "noch nichts bekannt ist, mit 30 Beispielen je Benchmark."));
    for (const char* other : {"", "{}", "Left out", "Left out: x", "Neither of them is a phrase."})
        QCOMPARE(translatedNote(other), std::string(other));
    QCOMPARE(translatedName("tiny as aligned SSM"), std::string("tiny als angeglichenes SSM"));
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
