// SPDX-License-Identifier: GPL-3.0-or-later
// Every golden request, byte for byte: those of our sample rows, and those of real rows where they lie beside the tree.

#include "core/tasks/registry.h"
#include "tests/support/goldens.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <map>

using namespace headscope;
using namespace headscope::tasks;

namespace {

QStringList strings(const QJsonValue& value)
{
    QStringList result;
    for (const auto& element : value.toArray())
        result.append(element.toString());
    return result;
}

QStringList strings(const std::vector<std::string>& values)
{
    QStringList result;
    for (const std::string& value : values)
        result.append(QString::fromStdString(value));
    return result;
}

// The first field that differs, or an empty string.
QString difference(const QJsonObject& golden, const Example& example)
{
    if (golden.contains(QLatin1String("context"))
        && golden[QLatin1String("context")].toString() != QString::fromStdString(example.context))
        return QStringLiteral("context: got <%1>").arg(QString::fromStdString(example.context));
    if (golden.contains(QLatin1String("contexts"))
        && strings(golden[QLatin1String("contexts")]) != strings(example.contexts))
        return QStringLiteral("contexts");
    if (golden.contains(QLatin1String("continuations"))
        && strings(golden[QLatin1String("continuations")]) != strings(example.continuations))
        return QStringLiteral("continuations");
    if (golden.contains(QLatin1String("norm_lengths"))) {
        QJsonArray lengths;
        for (const int length : example.normLengths)
            lengths.append(length);
        if (golden[QLatin1String("norm_lengths")].toArray() != lengths)
            return QStringLiteral("norm_lengths");
    }
    if (golden.contains(QLatin1String("gold")) && golden[QLatin1String("gold")].toInt() != example.gold)
        return QStringLiteral("gold");
    if (golden.contains(QLatin1String("target"))
        && golden[QLatin1String("target")].toString() != QString::fromStdString(example.target))
        return QStringLiteral("target");
    if (golden.contains(QLatin1String("until")) && strings(golden[QLatin1String("until")]) != strings(example.until))
        return QStringLiteral("until");
    if (golden.contains(QLatin1String("max_gen_toks"))
        && golden[QLatin1String("max_gen_toks")].toInt() != example.maxNewTokens)
        return QStringLiteral("max_gen_toks");
    return {};
}

} // namespace

class TestTasksGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsEveryGoldenRequest_data()
    {
        QTest::addColumn<QString>("requests");
        QTest::addColumn<QString>("data");
        QTest::addColumn<int>("count");
        const auto row = [](const char* name, const std::filesystem::path& requests, const std::filesystem::path& data,
                            int count) {
            QTest::newRow(name) << QString::fromStdString(requests.string()) << QString::fromStdString(data.string())
                                << count;
        };
        row("samples", goldens::own("requests.jsonl"), goldens::kSource / "resources" / "samples", 44);
        if (const auto data = goldens::beside("data"); !data.empty())
            row("beside", data / "golden" / "requests.jsonl", data, 288);
    }

    void equalsEveryGoldenRequest()
    {
        QFETCH(QString, requests);
        QFETCH(QString, data);
        QFETCH(int, count);
        QFile file(requests);
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(requests));

        std::map<QString, TaskSet> sets;
        int compared = 0;
        while (!file.atEnd()) {
            const QJsonObject golden = QJsonDocument::fromJson(file.readLine()).object();
            const QString label = golden[QLatin1String("task")].toString();
            const QRegularExpressionMatch shots = QRegularExpression(QStringLiteral("num_fewshot=(\\d+)")).match(label);
            if (!sets.contains(label)) {
                TaskOptions options;
                options.dataFolder = data.toStdString();
                if (shots.hasMatch())
                    options.fewshot = shots.captured(1).toInt();
                Result<TaskSet> set = makeTask(label.section(u' ', 0, 0).toStdString(), options);
                QVERIFY2(set.has_value(), set.has_value() ? "" : set.error().message.c_str());
                sets.emplace(label, std::move(*set));
            }
            const TaskSet& set = sets.at(label);
            const Example* example = nullptr;
            for (const Example& candidate : set.examples) {
                if (candidate.row == golden[QLatin1String("row")].toInt()
                    && candidate.file == golden[QLatin1String("file")].toString().toStdString())
                    example = &candidate;
            }
            QVERIFY2(example,
                     qPrintable(label + QStringLiteral(" lacks row %1").arg(golden[QLatin1String("row")].toInt())));
            const QString different = difference(golden, *example);
            QVERIFY2(different.isEmpty(),
                     qPrintable(label + QStringLiteral(" row %1: ").arg(example->row) + different));
            ++compared;
        }
        QCOMPARE(compared, count);
    }
};

QTEST_GUILESS_MAIN(TestTasksGolden)
#include "tst_tasksgolden.moc"
