// SPDX-License-Identifier: GPL-3.0-or-later
// Re-measures every row of the shipped models' cards, through the loader, the tokenizer and the scorer that users meet.
#include "core/engine/scorer.h"
#include "core/lm/load.h"
#include "core/tasks/toy.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kTasks = {"toy_kv:pairs=4", "toy_kv:pairs=8", "toy_kv:pairs=16", "toy_mc", "toy_knowledge"};

/// Cards print two digits, and one prompt of 256 may fall to the other side of a tie.
constexpr double kTolerance = 0.005 + 1.0 / 256 + 1e-9;

fs::path modelsFolder()
{
    return fs::path(HEADSCOPE_SOURCE_DIR) / "resources" / "models";
}

struct CardRow {
    std::string off; ///< "nothing", "L2H3", "L1H1, L2H3"
    std::vector<double> accuracies; ///< one a task
};

std::vector<std::string> cells(const std::string& line)
{
    std::vector<std::string> out;
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) {
        const std::size_t begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
        out.push_back(begin == std::string::npos ? std::string() : cell.substr(begin, end - begin + 1));
    }
    return out;
}

/// The rows of the table under "## Greedy accuracy".
std::vector<CardRow> readCard(const fs::path& file)
{
    std::vector<CardRow> rows;
    std::ifstream in(file);
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## "))
            inside = line.starts_with("## Greedy accuracy");
        if (!inside || !line.starts_with("| ") || line.starts_with("| off"))
            continue;
        CardRow row;
        for (const std::string& cell : cells(line)) {
            if (row.off.empty())
                row.off = cell;
            else
                row.accuracies.push_back(std::stod(cell));
        }
        rows.push_back(row);
    }
    return rows;
}

interventions::InterventionSet without(const std::string& heads)
{
    std::vector<interventions::Intervention> items;
    std::string text = heads == "nothing" ? std::string() : heads;
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream in(text);
    for (std::string name; in >> name;)
        items.push_back(interventions::EditHead{.head = interventions::parseHead(name).value()});
    return interventions::InterventionSet(std::move(items));
}

} // namespace

class TestShippedModels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyModelHasItsFiles_data() { addModels(); }
    void everyModelHasItsFiles()
    {
        QFETCH(QString, model);
        const fs::path folder = modelsFolder() / model.toStdString();
        for (const char* name : {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "README.md"})
            QVERIFY2(fs::is_regular_file(folder / name), name);
        QVERIFY(fs::file_size(folder / "model.safetensors") <= 4'000'000);
        const auto loaded = lm::inspect(folder, {.device = "cpu"});
        QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
        QVERIFY(loaded->warnings.empty());
    }

    void cardIsTrue_data() { addModels(); }
    void cardIsTrue()
    {
        QFETCH(QString, model);
        const fs::path folder = modelsFolder() / model.toStdString();
        const std::vector<CardRow> rows = readCard(folder / "README.md");
        QVERIFY(rows.size() >= 3);
        QCOMPARE(rows.front().off, std::string("nothing"));

        const auto loaded = lm::load(folder, {.device = "cpu", .dtype = "fp32"});
        QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
        const auto tokenizer = text::Tokenizer::load(folder);
        QVERIFY2(tokenizer.has_value(), tokenizer.has_value() ? "" : tokenizer.error().message.c_str());
        engine::Scorer scorer(loaded->model, *tokenizer);
        for (std::size_t task = 0; task < kTasks.size(); ++task) {
            const auto examples = tasks::toyExamples(kTasks[task]);
            std::vector<engine::EncodedExample> encoded;
            for (const tasks::Example& example : *examples)
                encoded.push_back(engine::encode(example, tasks::PairEncoding::Harness, **tokenizer, engine::BosPolicy::Never, loaded->model->spec().maxPositions));
            const auto workload = scorer.prepare(std::move(encoded));
            for (const CardRow& row : rows) {
                int right = 0, finished = 0;
                const auto count = [&](int, const tasks::Outcome& outcome) {
                    ++finished;
                    right += outcome.greedy.size() == 1 && outcome.greedy.front() ? 1 : 0;
                };
                const auto scored = scorer.score(workload, without(row.off), {}, count, {});
                QVERIFY2(scored.has_value(), scored.has_value() ? "" : scored.error().message.c_str());
                QCOMPARE(finished, static_cast<int>(examples->size()));
                QCOMPARE(row.accuracies.size(), kTasks.size());
                const double accuracy = static_cast<double>(right) / finished;
                QVERIFY2(std::abs(accuracy - row.accuracies[task]) <= kTolerance,
                         qPrintable(QStringLiteral("%1 without %2: measured %3, the card says %4")
                                        .arg(QString::fromStdString(kTasks[task]), QString::fromStdString(row.off))
                                        .arg(accuracy).arg(row.accuracies[task])));
            }
        }
    }

    /// What the program's first minute shows: all tasks are solved, and one head carries retrieval but not knowledge.
    void transformerShowsItsPoint()
    {
        const std::vector<CardRow> rows = readCard(modelsFolder() / "tiny-transformer" / "README.md");
        QVERIFY(!rows.empty());
        for (const double accuracy : rows.front().accuracies)
            QVERIFY(accuracy > 0.95);
        bool found = false;
        for (const CardRow& row : rows)
            found = found || (row.off.find(',') == std::string::npos && row.accuracies[1] < 0.1 && row.accuracies[3] < 0.35 && row.accuracies[4] > 0.95);
        QVERIFY(found);
    }

private:
    static void addModels()
    {
        QTest::addColumn<QString>("model");
        for (const auto& entry : fs::directory_iterator(modelsFolder()))
            if (entry.is_directory())
                QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().filename().string());
    }
};

QTEST_GUILESS_MAIN(TestShippedModels)
#include "tst_shippedmodels.moc"
