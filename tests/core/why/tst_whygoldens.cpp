// SPDX-License-Identifier: GPL-3.0-or-later
// Every key of analyses of every golden model: what dump writes against what an independent fp64 program computed.
// tests/data/golden/README.md says what the keys mean and where the tolerance comes from.
#include "core/engine/dump.h"
#include "core/engine/questions/attributionrun.h"
#include "core/engine/questions/overpairs.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/lm/load.h"
#include "tests/support/goldens.h"

#include <ATen/core/grad_mode.h>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 1e-4;

std::vector<float> floatsOf(const io::SafetensorsFile& file, const io::TensorInfo& info)
{
    const auto bytes = file.bytes(info);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

std::vector<std::string> outputKeys(const io::SafetensorsFile& expected)
{
    static const std::set<std::string> inputs = {"clean_ids", "corrupt_ids", "answer", "distractor", "skip"};
    std::vector<std::string> keys;
    for (const io::TensorInfo& tensor : expected.tensors())
        if (!inputs.contains(tensor.name))
            keys.push_back(tensor.name);
    return keys;
}

} // namespace

class TestWhyGoldens : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void dumpEqualsReference_data();
    void dumpEqualsReference();
    void exchangedPromptsExchangePatchAndNoise();
    void dumpRefusesWhatIsNotThere();
    void whatWasMeasuredBeforeAStopIsTold();
};

void TestWhyGoldens::dumpEqualsReference_data()
{
    QTest::addColumn<QString>("path");
    std::map<std::string, int> counts;
    for (const auto& [prefix, root] : {std::pair(std::string(), goldens::own("golden")),
                                       std::pair(std::string("beside/"), goldens::beside("golden/models"))})
        for (const auto& entry :
             root.empty() ? fs::recursive_directory_iterator() : fs::recursive_directory_iterator(root)) {
            const std::string file = entry.path().filename().string();
            if (file != "lenses.safetensors" && (file != "analyses.safetensors" || !prefix.empty()))
                continue;
            QTest::newRow((prefix + fs::relative(entry.path(), root).replace_extension().string()).c_str())
                << QString::fromStdString(entry.path().string());
            ++counts[prefix + file];
        }
    QCOMPARE(counts["analyses.safetensors"], 20);
    QCOMPARE(counts["lenses.safetensors"], 2);
}

void TestWhyGoldens::dumpEqualsReference()
{
    QFETCH(QString, path);
    const fs::path given = path.toStdString(), model = given.parent_path();
    const bool fitted = given.stem() == "lenses";
    const auto expected = io::SafetensorsFile::open(given);
    QVERIFY(expected.has_value());
    const std::vector<std::string> keys = outputKeys(**expected);
    QVERIFY(keys.size() >= (fitted ? 2U : 13U));
    const QTemporaryDir out;
    const fs::path file = out.filePath(QStringLiteral("actual.safetensors")).toStdString();
    const auto done = engine::dump(model, {"cpu", "fp32"}, given, file, keys);
    QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
    const auto actual = io::SafetensorsFile::open(file);
    QVERIFY(actual.has_value());
    QStringList wrong;
    std::map<std::string, double> worst; // by the first word of the key
    for (const std::string& key : keys) {
        const io::TensorInfo* want = (*expected)->find(key);
        const io::TensorInfo* got = (*actual)->find(key);
        QVERIFY2(got && got->shape == want->shape, key.c_str());
        const std::vector<float> target = floatsOf(**expected, *want), values = floatsOf(**actual, *got);
        double off = 0, largest = fitted ? 0 : 1;
        for (std::size_t i = 0; i < target.size(); ++i) {
            QVERIFY2(std::isfinite(values[i]), key.c_str());
            off = std::max(off, static_cast<double>(std::abs(values[i] - target[i])));
            largest = std::max(largest, static_cast<double>(std::abs(target[i])));
        }
        off /= key == "lens" || fitted ? largest : 1.0;
        double& most = worst[key == "patch.resid" ? key : key.substr(0, key.find('.'))];
        most = std::max(most, off);
        if (off > kTolerance)
            wrong << QStringLiteral("%1: off by %2").arg(QString::fromStdString(key)).arg(off);
    }
    QString told;
    for (const auto& [key, off] : worst)
        told += QStringLiteral(" %1 %2").arg(QString::fromStdString(key)).arg(off, 0, 'e', 1);
    qInfo("%zu keys, largest differences:%s", keys.size(), qPrintable(told));
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QStringLiteral("; "))));
}

void TestWhyGoldens::whatWasMeasuredBeforeAStopIsTold()
{
    const at::NoGradGuard noGrad;
    const auto model = lm::load(goldens::own("golden") / "llama", {"cpu", "fp32"})->model;
    const lm::Edits base = lm::resolve({}, model->spec()).value();
    const engine::PromptPair pair{
        .source = "a", .clean = {1, 2, 3}, .corrupt = {1, 4, 3}, .answer = 5, .distractor = 6};
    const engine::Question question{.source = "a", .ids = {1, 2, 3}, .answer = 5, .wrong = {6}};
    for (const int before : {0, 1, 2}) { // pairs that are over when a person stops
        std::stop_source stop;
        int done = 0;
        if (before == 0)
            stop.request_stop();
        const Control control{stop.get_token(), [&](const Progress&) {
                                  if (++done == before)
                                      stop.request_stop();
                              }};
        const auto over = engine::measurePairs(
            *model, base, {pair, pair, pair}, engine::PatchDirection::Denoise,
            [](const auto&, const auto&, const auto&, const Control&) { return std::vector<double>{0.5}; }, control);
        done = 0;
        stop = before == 0 ? stop : std::stop_source();
        const Control again{stop.get_token(), control.report};
        const auto parts = engine::attribute(*model, base, {question, question, question}, false, again);
        QCOMPARE(over.has_value(), before > 0);
        QCOMPARE(parts.has_value(), before > 0);
        if (before == 0)
            continue;
        QCOMPARE(over->asked, std::size_t{3});
        QCOMPARE(over->clean.size(), static_cast<std::size_t>(before));
        QCOMPARE(over->values.front().size(), static_cast<std::size_t>(before));
        QCOMPARE(parts->asked, 3);
        QCOMPARE(parts->prompts, before);
        QVERIFY(std::abs(parts->sum() - parts->difference.value) < kTolerance);
    }
}

void TestWhyGoldens::exchangedPromptsExchangePatchAndNoise()
{
    const fs::path model = goldens::own("golden") / "mamba2";
    const QTemporaryDir out;
    const auto stored = io::SafetensorsFile::open(model / "analyses.safetensors");
    QVERIFY(stored.has_value());
    std::vector<io::TensorToWrite> tensors;
    for (const io::TensorInfo& tensor : (*stored)->tensors()) {
        const std::string name = tensor.name == "clean_ids"     ? "corrupt_ids"
                                 : tensor.name == "corrupt_ids" ? "clean_ids"
                                                                : tensor.name;
        tensors.push_back({name, tensor.dtype, tensor.shape, (*stored)->bytes(tensor)});
    }
    const fs::path exchanged = out.filePath(QStringLiteral("exchanged.safetensors")).toStdString();
    QVERIFY(io::writeSafetensors(exchanged, tensors).has_value());
    const auto dumped = [&](const fs::path& tokens, const std::string& key) {
        const fs::path file = out.filePath(QStringLiteral("actual.safetensors")).toStdString();
        const auto done = engine::dump(model, {"cpu", "fp32"}, tokens, file, {key});
        if (!done.has_value())
            qWarning("%s", done.error().message.c_str());
        const auto actual = io::SafetensorsFile::open(file);
        return floatsOf(**actual, *(*actual)->find(key));
    };
    for (const char* layer : {"L0", "L1", "L2"})
        QCOMPARE(dumped(exchanged, std::string("noise.ssm.") + layer),
                 dumped(model / "analyses.safetensors", std::string("patch.ssm.") + layer));
}

void TestWhyGoldens::dumpRefusesWhatIsNotThere()
{
    const QTemporaryDir out;
    const fs::path file = out.filePath(QStringLiteral("actual.safetensors")).toStdString();
    const auto refused = [&](const char* model, const char* key, const char* tokens = "analyses.safetensors") {
        const fs::path folder = goldens::own("golden") / model;
        const auto done = engine::dump(folder, {"cpu", "fp32"}, folder / tokens, file, {key});
        QVERIFY2(!done.has_value(), key);
        QVERIFY2(done.error().message.ends_with('.'), done.error().message.c_str());
        QVERIFY(!fs::exists(file));
    };
    for (const char* key : {"dla.attn.L3", "dla.ssm.L0", "dla.attn", "patch.attn.L0.x", "patch_last.head.L0",
                            "copying.L9", "composition.x.L0.L1", "composition.q.L0"})
        refused("llama", key);
    refused("qwen3", "composition.q.L0.L1"); // queries and keys pass a norm
    refused("zamba2", "dla.attn.L1");        // feeds the layer's Mamba
    refused("zamba2", "copying.L1");
    refused("llama", "patch.resid", "expected.safetensors"); // no prompts in it
    refused("llama", "jacobian");                            // nothing says how many positions are skipped
    refused("llama", "lens", "lenses.safetensors");          // no answer in it
}

QTEST_GUILESS_MAIN(TestWhyGoldens)
#include "tst_whygoldens.moc"
