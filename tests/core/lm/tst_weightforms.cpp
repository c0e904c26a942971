// SPDX-License-Identifier: GPL-3.0-or-later
// Golden models in other forms than safetensors (tests/support/makeweightforms.py): the numbers that come out are those
// of the reference implementations all the same.
#include "core/engine/dump.h"
#include "core/io/safetensors/safetensors.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 1e-4; // of tests/core/lm/tst_goldens.cpp

const fs::path kData = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data";

std::vector<float> valuesOf(const io::SafetensorsFile& file, const std::string& name)
{
    const auto bytes = file.bytes(*file.find(name));
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

} // namespace

class TestWeightForms : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void givesTheReferencesNumbers_data();
    void givesTheReferencesNumbers();
    void followsTheRulesOfLlamaCpp_data();
    void followsTheRulesOfLlamaCpp();
};

void TestWeightForms::givesTheReferencesNumbers_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("reference"); // under tests/data
    const auto golden = [](const QString& model, const QString& name) {
        QTest::newRow(qPrintable(model)) << model << QStringLiteral("golden/%1/expected.safetensors").arg(name);
    };
    golden(QStringLiteral("mamba"), QStringLiteral("mamba")); // the original's form
    golden(QStringLiteral("mamba2"), QStringLiteral("mamba2"));
    for (const char* name : {"llama", "gpt2", "mamba", "mamba2", "falcon_mamba"})
        golden(QStringLiteral("%1.gguf").arg(QLatin1String(name)), QLatin1String(name));
    for (const char* name : {"mixtral", "qwen2_moe", "qwen3_moe", "gpt_oss", "granite", "arcee", "olmo2", "olmo3",
                             "seed_oss", "ernie4_5", "exaone4", "phi3", "glm4", "glm4_moe"})
        golden(QStringLiteral("%1.gguf").arg(QLatin1String(name)), QStringLiteral("hub/%1").arg(QLatin1String(name)));
    // Made by tests/reference/make_gguf_forms.py, the reference's numbers beside them.
    for (const char* name : {"lfm2", "lfm2_moe", "falcon_h1", "granitemoe", "granitemoehybrid", "jamba", "deepseek_v2",
                             "deepseek_v3", "nemotron_h", "nemotron_h_moe", "qwen3_next", "qwen3_5_text",
                             "qwen3_5_moe_text", "gemma3n_text", "gemma4_text"})
        QTest::newRow(name) << QStringLiteral("%1.gguf").arg(QLatin1String(name))
                            << QStringLiteral("forms/%1.safetensors").arg(QLatin1String(name));
}

void TestWeightForms::givesTheReferencesNumbers()
{
    QFETCH(const QString, model);
    QFETCH(const QString, reference);
    const fs::path expectedAt = kData / reference.toStdString();
    const QTemporaryDir out;
    const fs::path file = out.filePath(QStringLiteral("actual.safetensors")).toStdString();
    const auto done =
        engine::dump(kData / "forms" / model.toStdString(), {"cpu", "fp32"}, expectedAt, file, {"logits"});
    QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
    const auto expected = io::SafetensorsFile::open(expectedAt), actual = io::SafetensorsFile::open(file);
    QVERIFY(expected.has_value() && actual.has_value());
    const auto want = valuesOf(**expected, "logits"), got = valuesOf(**actual, "logits");
    QCOMPARE(got.size(), want.size());
    double worst = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
        worst = std::max(worst, static_cast<double>(std::abs(want[i] - got[i])));
    qInfo("largest difference %.1e", worst);
    QVERIFY(worst <= kTolerance);
}

void TestWeightForms::followsTheRulesOfLlamaCpp_data()
{
    QTest::addColumn<QByteArray>("changes");
    QTest::newRow("gemma3_text") << QByteArray(R"({"sliding_window_pattern": 6, "query_pre_attn_scalar": 8})");
    QTest::newRow("cohere2") << QByteArray(R"({"layer_types": ["sliding_attention", "sliding_attention"]})");
    QTest::newRow("smollm3") << QByteArray(R"({"no_rope_layers": [1, 1]})");
    QTest::newRow("starcoder2") << QByteArray(R"({"sliding_window": null})");
}

// What a GGUF file leaves out follows llama.cpp: the golden model with that in its config gives the same numbers.
void TestWeightForms::followsTheRulesOfLlamaCpp()
{
    QFETCH(const QByteArray, changes);
    const std::string name = QTest::currentDataTag();
    const QTemporaryDir out;
    const fs::path folder = out.filePath(QStringLiteral("model")).toStdString(),
                   golden = kData / "golden" / "hub" / name;
    fs::copy(golden, folder, fs::copy_options::recursive);
    std::ifstream in(golden / "config.json");
    nlohmann::json config = nlohmann::json::parse(in);
    config.update(nlohmann::json::parse(changes.toStdString()));
    std::ofstream(folder / "config.json") << config;
    const fs::path ids = golden / "expected.safetensors", one = folder / "one", two = folder / "two";
    QVERIFY(engine::dump(folder, {"cpu", "fp32"}, ids, one, {"logits"}).has_value());
    const auto done = engine::dump(kData / "forms" / (name + ".gguf"), {"cpu", "fp32"}, ids, two, {"logits"});
    QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
    const auto want = valuesOf(**io::SafetensorsFile::open(one), "logits"),
               got = valuesOf(**io::SafetensorsFile::open(two), "logits");
    QVERIFY(want == got);
}

QTEST_GUILESS_MAIN(TestWeightForms)
#include "tst_weightforms.moc"
