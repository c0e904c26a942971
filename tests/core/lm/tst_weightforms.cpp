// SPDX-License-Identifier: GPL-3.0-or-later
// Golden models in other forms than safetensors (tests/support/makeweightforms.py): the numbers that come out are those
// of the reference implementations all the same.
#include "core/engine/dump.h"
#include "core/io/safetensors.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>

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
};

void TestWeightForms::givesTheReferencesNumbers_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("golden");
    QTest::newRow("original Mamba") << QStringLiteral("mamba") << QStringLiteral("mamba");
    QTest::newRow("original Mamba-2") << QStringLiteral("mamba2") << QStringLiteral("mamba2");
    for (const QString& name : {QStringLiteral("llama"), QStringLiteral("gpt2"), QStringLiteral("mamba"),
                                QStringLiteral("mamba2"), QStringLiteral("falcon_mamba")})
        QTest::newRow(qPrintable(QStringLiteral("GGUF ") + name)) << name + QStringLiteral(".gguf") << name;
    for (const QString& name : {QStringLiteral("mixtral"), QStringLiteral("qwen2_moe"), QStringLiteral("qwen3_moe")})
        QTest::newRow(qPrintable(QStringLiteral("GGUF ") + name))
            << name + QStringLiteral(".gguf") << QStringLiteral("hub/") + name;
}

void TestWeightForms::givesTheReferencesNumbers()
{
    QFETCH(const QString, model);
    QFETCH(const QString, golden);
    const fs::path reference = kData / "golden" / golden.toStdString() / "expected.safetensors";
    const QTemporaryDir out;
    const fs::path file = out.filePath(QStringLiteral("actual.safetensors")).toStdString();
    const auto done = engine::dump(kData / "forms" / model.toStdString(), {"cpu", "fp32"}, reference, file, {"logits"});
    QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
    const auto expected = io::SafetensorsFile::open(reference), actual = io::SafetensorsFile::open(file);
    QVERIFY(expected.has_value() && actual.has_value());
    const auto want = valuesOf(**expected, "logits"), got = valuesOf(**actual, "logits");
    QCOMPARE(got.size(), want.size());
    double worst = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
        worst = std::max(worst, static_cast<double>(std::abs(want[i] - got[i])));
    qInfo("largest difference %.1e", worst);
    QVERIFY(worst <= kTolerance);
}

QTEST_GUILESS_MAIN(TestWeightForms)
#include "tst_weightforms.moc"
