// SPDX-License-Identifier: GPL-3.0-or-later
// Rows read some at a time are the rows of the whole matrix, for every mixer; norms are those of what was captured.
#include "core/engine/pattern/headnorms.h"
#include "core/engine/pattern/patternreader.h"
#include "core/lm/load.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using engine::PatternReader;

class TestPatternReader : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void rowsAreThoseOfTheWholeMatrix_data();
    void rowsAreThoseOfTheWholeMatrix();
    void goesBackUpTheLayers();
    void normsFollowTheAblation();
    void refusesWhatIsNotThere();
};

namespace {

std::filesystem::path golden(const QString& name)
{
    return (QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden/") + name).toStdString();
}

std::vector<int> someIds(int count, int vocabulary = 46)
{
    std::vector<int> ids;
    for (int i = 0; i < count; ++i)
        ids.push_back(i * 7 % (std::min(vocabulary, 46) - 1) + 1);
    return ids;
}

double largestDifference(const Matrix& a, const Matrix& b)
{
    double most = a.rows == b.rows && a.cols == b.cols ? 0 : 1e9;
    for (std::size_t i = 0; most < 1e9 && i < a.values.size(); ++i)
        most = std::max(most, static_cast<double>(std::abs(a.values[i] - b.values[i])));
    return most;
}

} // namespace

void TestPatternReader::rowsAreThoseOfTheWholeMatrix_data()
{
    QTest::addColumn<QString>("name");
    const QDir models(QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden"));
    for (const QString& folder : {QString(), QStringLiteral("hub/")})
        for (const QString& name : QDir(models.filePath(folder)).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            if (models.exists(folder + name + QStringLiteral("/config.json")))
                QTest::newRow(qPrintable(folder + name)) << folder + name;
}

void TestPatternReader::rowsAreThoseOfTheWholeMatrix()
{
    QFETCH(QString, name);
    const auto loaded = lm::load(golden(name), {"cpu", "fp32"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    const auto ablation = interventions::InterventionSet::parse("lastrow:L0");
    QVERIFY(ablation.has_value());
    const lm::ModelSpec& spec = loaded->model->spec();
    constexpr int kLong = 150; // chunks of 64 and what is over
    const int tokens = spec.maxPositions > 0 ? std::min(kLong, spec.maxPositions) : kLong;
    const std::vector<int> ids = someIds(tokens, spec.vocabulary);
    auto reader = PatternReader::open(loaded->model, ids, {.ablation = *ablation}, {});
    QVERIFY2(reader.has_value(), reader.has_value() ? "" : reader.error().message.c_str());
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        for (const lm::MixerSpec& mixer : spec.layers[layer].mixers) {
            const std::vector<interventions::HeadRef> heads{{static_cast<int>(layer), mixer.site(), mixer.heads - 1},
                                                            {static_cast<int>(layer), mixer.site(), 0}};
            const auto whole = engine::patterns(*loaded->model, ids, heads, {.ablation = *ablation}, {}, {});
            QVERIFY2(whole.has_value(), whole.has_value() ? "" : whole.error().message.c_str());
            QVERIFY(reader->choose(heads, {}).has_value());
            std::vector<Matrix> again{Matrix(7, tokens)}; // what is left in memory that serves again must not show
            std::fill(again.front().values.begin(), again.front().values.end(), 3.0F);
            auto alone = PatternReader::open(loaded->model, ids, {.ablation = *ablation}, {});
            QVERIFY(alone.has_value() && alone->choose({heads.front()}, {}).has_value());
            QVERIFY(alone->rows(5, 7, {}, again).has_value());
            for (int row = 0; row < 7; ++row)
                for (int key = 0; key < tokens; ++key)
                    QVERIFY(std::abs(again.front().at(row, key) - whole->front().matrix.at(5 + row, key)) < 1e-5F);
            // Of all heads what few rows need is made when they are asked for.
            QVERIFY(alone->choose({{heads.front().layer, heads.front().site, -1}}, {}).has_value());
            const auto every = alone->rows(5, 7, {});
            QVERIFY(every.has_value());
            QCOMPARE(every->size(), static_cast<std::size_t>(mixer.heads));
            QVERIFY(largestDifference(every->back(), again.front()) < 1e-5);
            for (const auto& [first, count] : {std::pair{0, tokens}, std::pair{5, 7},
                                               std::pair{tokens / 2 - 14, tokens / 2}, std::pair{tokens - 1, 1}}) {
                const auto part = reader->rows(first, count, {});
                QVERIFY2(part.has_value(), part.has_value() ? "" : part.error().message.c_str());
                QCOMPARE(part->size(), heads.size());
                for (std::size_t i = 0; i < heads.size(); ++i) {
                    Matrix expected(count, tokens);
                    const Matrix& all = whole->at(i).matrix;
                    for (int row = 0; row < count; ++row)
                        std::copy(all.row(first + row).begin(), all.row(first + row).end(),
                                  expected.values.begin() + static_cast<std::ptrdiff_t>(row) * tokens);
                    const double off = largestDifference(part->at(i), expected);
                    QVERIFY2(off < 1e-5,
                             qPrintable(QStringLiteral("layer %1, rows from %2: %3").arg(layer).arg(first).arg(off)));
                }
            }
        }
}

void TestPatternReader::goesBackUpTheLayers()
{
    const auto loaded = lm::load(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    auto reader = PatternReader::open(loaded->model, someIds(12), {}, {});
    QVERIFY(reader.has_value());
    QVERIFY(reader->choose({{1, lm::Site::Any, -1}}, {}).has_value());
    const auto before = reader->rows(0, 12, {});
    QVERIFY(before.has_value());
    QCOMPARE(before->size(), std::size_t{8});
    QVERIFY(reader->choose({{3, lm::Site::Any, 2}}, {}).has_value());
    QVERIFY(reader->choose({{1, lm::Site::Any, 5}}, {}).has_value());
    const auto after = reader->rows(0, 12, {});
    QVERIFY(after.has_value());
    QVERIFY(largestDifference(after->front(), (*before)[5]) < 1e-6);
}

void TestPatternReader::normsFollowTheAblation()
{
    const auto loaded = lm::load(golden(QStringLiteral("llama")), {"cpu", "fp32"}); // all its heads are alive
    QVERIFY(loaded.has_value());
    const auto off = interventions::InterventionSet::parse("L1H3");
    QVERIFY(off.has_value());
    const auto before = engine::outputNorms(*loaded->model, someIds(12), {}, {}, {});
    const auto after = engine::outputNorms(*loaded->model, someIds(12), {.ablation = *off}, {}, {});
    QVERIFY(before.has_value() && after.has_value());
    QCOMPARE(before->size(), std::size_t{12});
    for (std::size_t i = 0; i < before->size(); ++i) {
        QVERIFY((*before)[i].norm > 0);
        if ((*before)[i].head == interventions::HeadRef{1, lm::Site::Any, 3})
            QCOMPARE((*after)[i].norm, 0.0);
        else if ((*before)[i].head.layer <= 1)
            QCOMPARE((*after)[i].norm, (*before)[i].norm);
    }
    const auto values = engine::valueNorms(*loaded->model, someIds(12), {2, lm::Site::Any, 3}, {}, {}, {});
    QVERIFY(values.has_value());
    QCOMPARE(values->size(), std::size_t{12});
    QVERIFY(std::all_of(values->begin(), values->end(), [](float v) { return v > 0; }));
}

void TestPatternReader::refusesWhatIsNotThere()
{
    const auto loaded = lm::load(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-transformer", {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    QVERIFY(!PatternReader::open(loaded->model, {}, {}, {}).has_value());
    auto reader = PatternReader::open(loaded->model, someIds(12), {}, {});
    QVERIFY(reader.has_value());
    QVERIFY(!reader->choose({{0, lm::Site::Any, 8}}, {}).has_value());
    QVERIFY(reader->choose({{0, lm::Site::Any, 7}}, {}).has_value());
    QVERIFY(!reader->rows(10, 3, {}).has_value());
    QVERIFY(!reader->rows(0, 0, {}).has_value());

    // The heads of a layer that another model's replaces are none of this model's.
    const lm::DonorLoader donors([](const std::string& name) -> Result<std::shared_ptr<const lm::Model>> {
        return std::shared_ptr<const lm::Model>(
            lm::load(std::filesystem::path(HEADSCOPE_SOURCE_DIR "/resources/models") / name, {"cpu", "fp32"})->model);
    });
    const engine::PatternOptions swapped{.ablation = *interventions::InterventionSet::parse("swap:L1=tiny-ssm")};
    auto under = PatternReader::open(loaded->model, someIds(12), swapped, donors);
    QVERIFY(under.has_value());
    const auto chosen = under->choose({{1, lm::Site::Any, 0}}, {});
    QVERIFY(!chosen.has_value() && chosen.error().message.find("another model's") != std::string::npos);
    QVERIFY(under->choose({{2, lm::Site::Any, 0}}, {}).has_value());
    const auto whole = engine::patterns(*loaded->model, someIds(12), {{1, lm::Site::Any, 0}}, swapped, donors, {});
    QVERIFY(!whole.has_value() && whole.error().message.find("another model's") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestPatternReader)
#include "tst_patternreader.moc"
