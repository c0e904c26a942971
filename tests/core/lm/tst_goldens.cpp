// SPDX-License-Identifier: GPL-3.0-or-later
// Every key of every golden model: what dump writes against what the reference implementations computed.
// tests/data/golden/README.md says what the keys mean and where the tolerance comes from; tests/data/variants has the
// logits of models with other options, made by its make.py.
#include "core/engine/dump.h"
#include "core/io/safetensors/safetensors.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 1e-4;

fs::path data()
{
    return fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data";
}

template <typename T> std::vector<T> valuesOf(const io::SafetensorsFile& file, const io::TensorInfo& info)
{
    const auto bytes = file.bytes(info);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

/// The last `rows` positions of a [B, T, V] tensor.
std::vector<float> lastPositions(const std::vector<float>& all, const std::vector<std::int64_t>& shape,
                                 std::int64_t rows)
{
    std::vector<float> out;
    for (std::int64_t b = 0; b < shape[0]; ++b)
        out.insert(out.end(), all.begin() + ((b + 1) * shape[1] - rows) * shape[2],
                   all.begin() + (b + 1) * shape[1] * shape[2]);
    return out;
}

/// Empty when the tensor is as expected.
QString difference(const io::SafetensorsFile& actual, const io::SafetensorsFile& expected, const std::string& key,
                   double& worst)
{
    const io::TensorInfo* want = expected.find(key);
    const io::TensorInfo* got = actual.find(key);
    const QString name = QString::fromStdString(key);
    if (!got)
        return name + QStringLiteral(": missing");
    if (want->dtype == io::Dtype::I64)
        return got->dtype == want->dtype
                       && valuesOf<std::int64_t>(actual, *got) == valuesOf<std::int64_t>(expected, *want)
                   ? QString()
                   : name + QStringLiteral(": integers differ");
    std::vector<float> values = valuesOf<float>(actual, *got);
    std::vector<std::int64_t> shape = got->shape;
    if (key.starts_with("logits.") && shape.size() == 3 && shape[1] > want->shape[1]) {
        values = lastPositions(values, shape, want->shape[1]);
        shape[1] = want->shape[1];
    }
    if (shape != want->shape)
        return name + QStringLiteral(": other shape");
    const std::vector<float> target = valuesOf<float>(expected, *want);
    double largest = 0, off = 0;
    for (std::size_t i = 0; i < target.size(); ++i) {
        if (!std::isfinite(values[i]))
            return name + QStringLiteral(": not finite");
        largest = std::max(largest, std::abs(static_cast<double>(target[i])));
        off = std::max(off, std::abs(static_cast<double>(values[i]) - static_cast<double>(target[i])));
    }
    const bool scaled = key.starts_with("resid") || key.starts_with("z_") || key.starts_with("mat");
    worst = std::max(worst, off / (scaled ? std::max(1.0, largest) : 1.0));
    return off <= kTolerance * (scaled ? std::max(1.0, largest) : 1.0)
               ? QString()
               : QStringLiteral("%1: off by %2").arg(name).arg(off);
}

std::vector<std::string> outputKeys(const io::SafetensorsFile& expected)
{
    static const std::set<std::string> inputs = {"input_ids", "lengths", "entries", "channels"};
    std::vector<std::string> keys;
    for (const io::TensorInfo& tensor : expected.tensors())
        if (!inputs.contains(tensor.name))
            keys.push_back(tensor.name);
    return keys;
}

} // namespace

class TestGoldens : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void dumpEqualsReference_data();
    void dumpEqualsReference();
    void halfPrecisionStaysClose_data() { dumpEqualsReference_data(); }
    void halfPrecisionStaysClose();
    void dumpRefusesUnknownKeys();
    void sizesLayerByLayer();
    void opensTextWhoseKeysStandAtTheTop();
    void qwenExpertsHaveOneWindow();
};

void TestGoldens::dumpEqualsReference_data()
{
    QTest::addColumn<QString>("folder");
    std::vector<fs::path> folders;
    for (const auto& entry : fs::recursive_directory_iterator(data()))
        if (entry.path().filename() == "expected.safetensors"
            && entry.path().parent_path().parent_path() != data() / "packed")
            folders.push_back(entry.path().parent_path());
    QVERIFY(folders.size() >= 113); // 20 golden folders, 68 of the hub and 25 variants; packed ones are of tst_packed
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders)
        QTest::newRow(fs::relative(folder, data()).c_str()) << QString::fromStdString(folder.string());
}

void TestGoldens::dumpEqualsReference()
{
    QFETCH(QString, folder);
    const fs::path model = folder.toStdString();
    const auto expected = io::SafetensorsFile::open(model / "expected.safetensors");
    QVERIFY(expected.has_value());
    const std::vector<std::string> keys = outputKeys(**expected);
    QVERIFY(keys.size() >= (folder.contains(QStringLiteral("variants")) ? 1u
                            : folder.contains(QStringLiteral("hub"))    ? 3u
                                                                        : 20u));
    const QTemporaryDir out;
    const fs::path file = out.filePath(QStringLiteral("actual.safetensors")).toStdString();
    const auto done = engine::dump(model, {"cpu", "fp32"}, model / "expected.safetensors", file, keys);
    QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
    const auto actual = io::SafetensorsFile::open(file);
    QVERIFY(actual.has_value());
    QStringList wrong;
    double worst = 0;
    for (const std::string& key : keys)
        if (const QString what = difference(**actual, **expected, key, worst); !what.isEmpty())
            wrong << what;
    qInfo("%zu keys, largest difference %.1e", keys.size(), worst);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QStringLiteral("; "))));
}

// The mean error of the logits as a share of their size: small random models lose up to a few per cent in bf16.
void TestGoldens::halfPrecisionStaysClose()
{
    QFETCH(QString, folder);
    const fs::path model = folder.toStdString();
    const auto expected = io::SafetensorsFile::open(model / "expected.safetensors");
    QVERIFY(expected.has_value());
    const std::vector<float> target = valuesOf<float>(**expected, *(*expected)->find("logits"));
    const QTemporaryDir out;
    const fs::path file = out.filePath(QStringLiteral("actual.safetensors")).toStdString();
    for (const auto& [dtype, share] : {std::pair("bf16", 0.1), std::pair("fp16", 0.02)}) {
        const auto done = engine::dump(model, {"cpu", dtype}, model / "expected.safetensors", file, {"logits"});
        QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
        const auto actual = io::SafetensorsFile::open(file);
        QVERIFY(actual.has_value());
        const std::vector<float> values = valuesOf<float>(**actual, *(*actual)->find("logits"));
        QCOMPARE(values.size(), target.size());
        double error = 0, size = 0;
        for (std::size_t i = 0; i < target.size(); ++i) {
            QVERIFY(std::isfinite(values[i]));
            error += std::pow(static_cast<double>(values[i]) - static_cast<double>(target[i]), 2);
            size += std::pow(static_cast<double>(target[i]), 2);
        }
        qInfo("%s: root mean square error %.4f of the logits", dtype, std::sqrt(error / size));
        QVERIFY2(std::sqrt(error / size) < share, dtype);
    }
}

void TestGoldens::dumpRefusesUnknownKeys()
{
    const QTemporaryDir out;
    const fs::path file = out.filePath(QStringLiteral("actual.safetensors")).toStdString();
    const fs::path llama = data() / "golden" / "llama";
    for (const char* key : {"nonsense", "mat.L0", "attn.L3", "logits.ablate.L0X1", "logits.ablate_prenorm.L1H0",
                            "logits.lastrow_half.L1"}) {
        const auto done = engine::dump(llama, {"cpu", "fp32"}, llama / "expected.safetensors", file, {key});
        QVERIFY2(!done.has_value(), key);
        QVERIFY2(done.error().message.ends_with('.'), done.error().message.c_str());
    }
    QVERIFY(!fs::exists(file));
}

// Qwen2.5-VL's config.json on the hub has the text's keys at the top, beside a vision_config.
void TestGoldens::opensTextWhoseKeysStandAtTheTop()
{
    const fs::path model = data() / "golden" / "qwen2";
    const QTemporaryDir folder;
    const fs::path saved = folder.path().toStdString();
    fs::copy_file(model / "model.safetensors", saved / "model.safetensors");
    nlohmann::json config = nlohmann::json::parse(std::ifstream(model / "config.json"));
    config["model_type"] = "qwen2_5_vl";
    config["vision_config"] = {{"depth", 32}, {"hidden_size", 1280}};
    std::ofstream(saved / "config.json") << config;
    const fs::path out = saved / "out.safetensors";
    const auto done = engine::dump(saved, {"cpu", "fp32"}, model / "expected.safetensors", out, {"logits"});
    QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
    const auto expected = io::SafetensorsFile::open(model / "expected.safetensors");
    const auto actual = io::SafetensorsFile::open(out);
    double worst = 0;
    const QString differs = difference(**actual, **expected, "logits", worst);
    QVERIFY2(differs.isEmpty(), qPrintable(differs));
}

// transformers 5.23 saves Gemma 4's two kinds of heads layer by layer, and no 'global_head_dim'.
void TestGoldens::sizesLayerByLayer()
{
    const fs::path model = data() / "golden" / "hub" / "gemma4_moe";
    const QTemporaryDir folder;
    const fs::path saved = folder.path().toStdString();
    fs::copy_file(model / "model.safetensors", saved / "model.safetensors");
    nlohmann::json config = nlohmann::json::parse(std::ifstream(model / "config.json"));
    nlohmann::json& text = config["text_config"];
    const nlohmann::json full{{"head_dim", text["global_head_dim"]},
                              {"num_key_value_heads", text["num_global_key_value_heads"]}};
    text.erase("global_head_dim");
    text.erase("num_global_key_value_heads");
    const auto logitsWith = [&](const nlohmann::json& layers) -> Result<std::vector<float>> {
        text["per_layer_config"] = layers;
        std::ofstream(saved / "config.json") << config;
        const fs::path out = saved / "out.safetensors";
        const auto done = engine::dump(saved, {"cpu", "fp32"}, model / "expected.safetensors", out, {"logits"});
        if (!done.has_value())
            return done.error();
        const auto file = io::SafetensorsFile::open(out);
        return valuesOf<float>(**file, *(*file)->find("logits"));
    };
    const auto expected = io::SafetensorsFile::open(model / "expected.safetensors");
    const std::vector<float> target = valuesOf<float>(**expected, *(*expected)->find("logits"));
    const auto logits = logitsWith({{"1", full}});
    QVERIFY2(logits.has_value(), logits.has_value() ? "" : logits.error().message.c_str());
    QCOMPARE(logits->size(), target.size());
    for (std::size_t i = 0; i < target.size(); ++i)
        QVERIFY(std::abs((*logits)[i] - target[i]) < kTolerance);
    // What cannot be had: a layer with a window that differs from the others, another key, another family.
    for (const nlohmann::json& layers :
         {nlohmann::json{{"0", full}, {"1", full}}, nlohmann::json{{"1", {{"head_dim", 12}, {"sliding_window", 2}}}}}) {
        const auto refused = logitsWith(layers);
        QVERIFY(!refused.has_value());
        QVERIFY2(refused.error().message.find("per_layer_config") != std::string::npos,
                 refused.error().message.c_str());
    }
    text = {{"model_type", "llama"}};
    const auto refused = logitsWith({{"0", full}});
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message.find("Gemma 4") != std::string::npos, refused.error().message.c_str());
}

// Qwen3's expert models have their window in every layer, whatever 'max_window_layers' says.
void TestGoldens::qwenExpertsHaveOneWindow()
{
    const fs::path model = data() / "golden" / "hub" / "qwen3_moe";
    const QTemporaryDir folder;
    const fs::path own = folder.path().toStdString(), out = own / "out.safetensors";
    fs::copy_file(model / "model.safetensors", own / "model.safetensors");
    nlohmann::json config = nlohmann::json::parse(std::ifstream(model / "config.json"));
    config["sliding_window"] = 3;
    config["use_sliding_window"] = true;
    for (const int first : {0, 2, 48}) {
        config["max_window_layers"] = first;
        std::ofstream(own / "config.json") << config;
        const auto done =
            engine::dump(own, {"cpu", "fp32"}, model / "expected.safetensors", out, {"attn.L0", "attn.L1"});
        QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
        const auto file = io::SafetensorsFile::open(out);
        for (const char* key : {"attn.L0", "attn.L1"}) {
            const io::TensorInfo* info = (*file)->find(key);
            const std::vector<float> pattern = valuesOf<float>(**file, *info);
            const auto length = static_cast<std::size_t>(info->shape[3]);
            for (std::size_t i = 0; i < pattern.size(); ++i) {
                const std::size_t query = i / length % length, at = i % length;
                QCOMPARE(pattern[i] > 0, at <= query && at + 3 > query);
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestGoldens)
#include "tst_goldens.moc"
