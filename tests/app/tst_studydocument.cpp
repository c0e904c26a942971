// SPDX-License-Identifier: GPL-3.0-or-later
// All experiments as one document, from results of real runs: Markdown with pictures beside it, and PDF.
#include "app/figures/documents/studydocument.h"
#include "core/experiments/experiment.h"
#include "core/experiments/experimentreport.h"

#include <QFile>
#include <QGuiApplication>
#include <QHash>
#include <QTemporaryDir>
#include <QtTest>

using namespace headscope;

namespace {

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::vector<experiments::Report> storedReports()
{
    std::vector<experiments::Report> reports;
    for (const experiments::Experiment& experiment : experiments::allExperiments()) {
        auto report = experiments::parseReport(bytesOf(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/results/%1.json")
                                                           .arg(QString::fromStdString(experiment.id)))
                                                   .toStdString());
        if (report.has_value())
            reports.push_back(std::move(*report));
    }
    return reports;
}

} // namespace

class TestStudyDocument : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void markdownHasItsPictures();
    void aPdfHasAPageForEach();
    void otherNamesAreRefused();
    void whatCouldNotBeRunHasNoPicture();

private:
    [[nodiscard]] QString written(const QString& name, const std::vector<experiments::Report>& reports)
    {
        const QString path = m_folder.filePath(name);
        const auto done = figures::writeStudy(reports, nullptr, path.toStdString());
        if (!done.has_value())
            qWarning("%s", done.error().message.c_str());
        return path;
    }
    QTemporaryDir m_folder;
};

void TestStudyDocument::markdownHasItsPictures()
{
    auto reports = storedReports();
    QVERIFY(reports.size() >= 20);
    // No included model is asked to choose among options: one that is has a score of guessing.
    reports.front().table.rows.front().cells[3].chance = 0.25;
    const QByteArray text = bytesOf(written(QStringLiteral("a study.md"), reports));
    for (const experiments::Report& report : reports) {
        const QString place =
            QStringLiteral("a study-pictures/%1.svg").arg(QString::fromStdString(report.experiment->id));
        QVERIFY2(text.contains("](<" + place.toUtf8() + ">)"), qPrintable(place));
        QVERIFY2(bytesOf(m_folder.filePath(place)).contains("</svg>"), qPrintable(place));
    }
    QVERIFY(text.contains("Guessing: toy multiple choice 0.25"));
    QCOMPARE(bytesOf(written(QStringLiteral("a study.md"), reports)), text);
}

void TestStudyDocument::aPdfHasAPageForEach()
{
    const auto reports = storedReports();
    const QByteArray pdf = bytesOf(written(QStringLiteral("study.pdf"), reports));
    QVERIFY(pdf.startsWith("%PDF-"));
    QVERIFY2(pdf.count("/Type /Page\n") + pdf.count("/Type /Page ") > int(reports.size()), "pages");
    QCOMPARE(bytesOf(written(QStringLiteral("study.pdf"), reports)), pdf);
}

void TestStudyDocument::otherNamesAreRefused()
{
    const auto done =
        figures::writeStudy(storedReports(), nullptr, m_folder.filePath(QStringLiteral("study.doc")).toStdString());
    QVERIFY(!done.has_value());
    QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("study.doc"))));
}

void TestStudyDocument::whatCouldNotBeRunHasNoPicture()
{
    experiments::Report report = storedReports().front();
    report.table.rows.clear();
    report.problem = "Nothing fits.";
    const QByteArray text = bytesOf(written(QStringLiteral("none.md"), {report}));
    QVERIFY(text.contains("Nothing fits."));
    QVERIFY(!text.contains("!["));
    QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("none-pictures"))));
    QVERIFY(bytesOf(written(QStringLiteral("none.pdf"), {report})).startsWith("%PDF-"));
}

int main(int argc, char** argv)
{
    QHashSeed::setDeterministicGlobalSeed();
    QGuiApplication application(argc, argv);
    TestStudyDocument test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_studydocument.moc"
