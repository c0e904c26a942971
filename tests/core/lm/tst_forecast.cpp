// SPDX-License-Identifier: GPL-3.0-or-later
// What the memory forecast says against what a run really keeps, and the refusals that follow from it.
#include "core/base/failure.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/lm/config.h"
#include "core/lm/device/forecast.h"
#include "core/lm/device/memorymeter.h"
#include "core/lm/load.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <c10/core/InferenceMode.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <set>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data";
constexpr std::int64_t kTokens = 128;

/// Every tensor of a state: its elements' bytes, and the bytes of the memory behind them, each memory once.
struct Kept {
    std::int64_t elements = 0, memory = 0;
};

Kept measure(const lm::State& state)
{
    Kept kept;
    std::set<const void*> seen;
    for (const auto& [where, site] : state.sites)
        for (const at::Tensor& tensor : {site.first, site.second, site.mlp})
            if (tensor.defined()) {
                kept.elements += static_cast<std::int64_t>(tensor.nbytes());
                if (seen.insert(tensor.storage().data()).second)
                    kept.memory += static_cast<std::int64_t>(tensor.storage().nbytes());
            }
    return kept;
}

} // namespace

class TestForecast : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void cacheEqualsWhatAStateKeeps_data();
    void cacheEqualsWhatAStateKeeps();
    void activationsStayWithinTheForecast_data();
    void activationsStayWithinTheForecast();
    void refusesWhatDoesNotFit();
    void fewerLayersNeedLess();
    void weightsThatDoNotFitStayInTheirFile();
    void aCutFileEndsInASentence();
    void knowsThisMachine();
};

void TestForecast::cacheEqualsWhatAStateKeeps_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("dtype");
    std::vector<fs::path> folders;
    for (const auto& entry : fs::recursive_directory_iterator(kData))
        if (entry.path().filename() == "config.json")
            folders.push_back(entry.path().parent_path());
    QVERIFY(folders.size() >= 45);
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders)
        for (const char* dtype : {"fp32", "bf16"})
            QTest::addRow("%s %s", fs::relative(folder, kData).c_str(), dtype)
                << QString::fromStdString(folder.string()) << QString::fromLatin1(dtype);
}

void TestForecast::cacheEqualsWhatAStateKeeps()
{
    QFETCH(QString, folder);
    QFETCH(QString, dtype);
    const auto loaded = lm::load(folder.toStdString(), {"cpu", dtype.toStdString()});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    const lm::Model& model = *loaded->model;
    const at::NoGradGuard noGrad;
    const std::int64_t length =
        model.spec().maxPositions > 0 ? std::min<std::int64_t>(kTokens, model.spec().maxPositions) : kTokens;
    lm::State state;
    const at::Tensor ids = (at::arange(length, at::kLong) * 7 % model.spec().vocabulary).unsqueeze(0);
    (void)model.logits(ids.narrow(1, 0, length - 1), {.state = &state});
    (void)model.logits(ids.narrow(1, length - 1, 1), {.state = &state});
    const Kept kept = measure(state);
    QCOMPARE(lm::cacheBytes(model.spec(), length, model.dtype()), kept.elements);
    // No view keeps more alive than the room behind keys and values, of 64 tokens.
    QVERIFY(kept.memory >= kept.elements);
    QVERIFY2(kept.memory <= lm::cacheBytes(model.spec(), length + 64, model.dtype()),
             qPrintable(QString::number(kept.memory)));
    const lm::Forecast forecast = lm::forecast(model.spec(), loaded->bytes, length, model.dtype());
    QCOMPARE(forecast.weights, loaded->bytes);
    QCOMPARE(forecast.cache, kept.elements);
    QVERIFY(forecast.activations > 0);
}

void TestForecast::activationsStayWithinTheForecast_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("length");
    for (const char* name :
         {"llama", "gpt2", "gpt_neox", "gemma2", "mamba", "falcon_mamba", "mamba2", "llamba", "zamba2", "hybrid_llamba",
          "stretch/bamba", "stretch/jamba", "stretch/qwen3_next", "hub/zamba"})
        for (const int length : {32, 1000})
            QTest::addRow("%s %d", name, length) << QString::fromLatin1(name) << length;
}

void TestForecast::activationsStayWithinTheForecast()
{
    QFETCH(QString, folder);
    QFETCH(int, length);
    const fs::path path = kData / "golden" / folder.toStdString();
    const auto loaded = lm::load(path, {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const lm::Model& model = *loaded->model;
    if (model.spec().maxPositions > 0)
        length = std::min(length, model.spec().maxPositions);
    const at::InferenceMode inference;
    const at::Tensor ids = (at::arange(length, at::kLong) * 7 % model.spec().vocabulary).unsqueeze(0);
    lm::RunOptions options;
    options.rows = at::full({1, 1}, length - 1, at::kLong);
    const lm::MemoryMeter meter;
    (void)model.logits(ids, options);
    const lm::Forecast forecast = lm::forecast(model.spec(), loaded->bytes, length, model.dtype());
    const double share = static_cast<double>(meter.peak()) / static_cast<double>(forecast.activations);
    qInfo("the peak is %.2f of the forecast of %lld bytes", share, static_cast<long long>(forecast.activations));
    QVERIFY(share <= 1.0);
}

void TestForecast::refusesWhatDoesNotFit()
{
    const fs::path llama = kData / "golden" / "llama";
    const auto inspected = lm::inspect(llama, {"cpu", "fp32"});
    QVERIFY(inspected.has_value());
    const lm::ModelSpec& spec = inspected->model->spec();
    // The numbers of an 8B model on the same layers, so that the weights are what decides.
    lm::Forecast needed = lm::forecast(spec, 32'000'000'000, lm::kForecastLength, at::kFloat);
    QVERIFY(lm::checkFits(needed, {needed.total()}, spec, at::kFloat, at::kCPU).has_value());
    const auto tight = lm::checkFits(needed, {17'000'000'000}, spec, at::kFloat, at::kCPU);
    QVERIFY(!tight.has_value());
    QVERIFY2(tight.error().message.starts_with("The model needs 32.0 GB (32.0 GB of weights in fp32 and the rest for a "
                                               "text of 128 tokens), and 17.0 GB are free"),
             tight.error().message.c_str());
    const auto layers = lm::checkFits(needed, {17'000'000'000}, spec, at::kBFloat16, at::kCPU);
    QVERIFY(!layers.has_value());
    QVERIFY2(layers.error().message.find("upto:L") != std::string::npos, layers.error().message.c_str());
    const auto never = lm::checkFits(needed, {1'000}, spec, at::kBFloat16, at::kCPU);
    QVERIFY(!never.has_value());
    const auto tiny = lm::checkFits({.length = 128, .weights = 3'160'000, .cache = 40'000, .activations = 0},
                                    {1'000'000}, spec, at::kBFloat16, at::kCPU);
    QVERIFY(!tiny.has_value());
    QVERIFY2(tiny.error().message.starts_with("The model needs 3.2 MB (3.2 MB of weights")
                 && tiny.error().message.find(" 1.0 MB are free") != std::string::npos,
             tiny.error().message.c_str());
    QVERIFY2(never.error().message.ends_with("use a machine with more memory or a smaller model."),
             never.error().message.c_str());

    const lm::LoadOptions limited{.device = "cpu", .dtype = "fp32", .memoryLimit = 1'000};
    const auto refused = lm::load(llama, limited);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, Error::Kind::Memory);
    QVERIFY2(refused.error().message.ends_with("and 0.0 MB may be used; allow more or use a smaller model."),
             refused.error().message.c_str());
    QVERIFY(!lm::checkMemory(*inspected, limited).has_value());
    QVERIFY(lm::checkMemory(*inspected, {}).has_value());
}

void TestForecast::fewerLayersNeedLess()
{
    const fs::path llama = kData / "golden" / "llama";
    const auto all = lm::load(llama, {"cpu", "fp32"});
    const auto first = lm::load(llama, {.device = "cpu", .dtype = "fp32", .layerLimit = 1});
    QVERIFY(all.has_value() && first.has_value());
    QCOMPARE(first->model->spec().layers.size(), std::size_t{1});
    QVERIFY(first->bytes < all->bytes);
    QVERIFY(first->warnings.empty());
}

void TestForecast::weightsThatDoNotFitStayInTheirFile()
{
    const at::NoGradGuard noGrad;
    const fs::path folder = fs::path(HEADSCOPE_SOURCE_DIR) / "resources" / "models" / "tiny-transformer";
    const auto whole = lm::load(folder, {"cpu", "fp32"});
    QVERIFY(whole.has_value());
    const lm::ModelSpec& spec = whole->model->spec();
    const std::int64_t tight =
        lm::forecast(spec, whole->bytes, lm::kForecastLength, at::kFloat).total() - whole->bytes / 3;
    const auto mapped = lm::load(folder, {.device = "cpu", .dtype = "fp32", .memoryLimit = tight});
    QVERIFY2(mapped.has_value(), mapped.has_value() ? "" : mapped.error().message.c_str());
    QCOMPARE(mapped->warnings.size(), whole->warnings.size() + 1);
    QVERIFY(QString::fromStdString(mapped->warnings.back())
                .contains(QStringLiteral("larger than the allowed memory and stay in their file")));
    QVERIFY(!whole->model->parts().allowed.has_value()); // what is free
    QCOMPARE(mapped->model->parts().allowed, std::optional(tight - mapped->resident));
    QVERIFY(!lm::checkMemory(*mapped, {.memoryLimit = tight}).has_value()); // not in memory, but from its file
    QCOMPARE(mapped->contentHash, whole->contentHash);
    const at::Tensor ids = at::arange(3 * 40, at::kLong).view({3, 40});
    for (const char* text : {"", "L0H3", "L2H3 L3H6"}) {
        const auto edits = lm::resolve(*interventions::InterventionSet::parse(text), spec);
        QVERIFY2(
            at::equal(whole->model->logits(ids, {.edits = &*edits}), mapped->model->logits(ids, {.edits = &*edits})),
            text);
    }
    // Numbers that would have to be converted are not read from the file each time; nor is a model whose layers do not
    // fit.
    QVERIFY(
        !lm::load(folder,
                  {.device = "cpu",
                   .dtype = "bf16",
                   .memoryLimit = lm::forecast(spec, whole->bytes / 2, lm::kForecastLength, at::kBFloat16).total() - 1})
             .has_value());
    QVERIFY(!lm::load(folder, {.device = "cpu", .dtype = "fp32", .memoryLimit = tight - whole->bytes}).has_value());
}

void TestForecast::aCutFileEndsInASentence()
{
    const at::NoGradGuard noGrad;
    const QTemporaryDir copies;
    const fs::path original = fs::path(HEADSCOPE_SOURCE_DIR) / "resources" / "models" / "tiny-transformer",
                   folder = copies.path().toStdString();
    const auto fresh = [&] {
        for (const char* name : {"config.json", "model.safetensors"})
            fs::copy_file(original / name, folder / name, fs::copy_options::overwrite_existing);
    };
    const auto cut = [&] { fs::resize_file(folder / "model.safetensors", 12'000); };
    const auto says = [](const Error& error) {
        QVERIFY2(error.message.find("was cut while it was read") != std::string::npos, error.message.c_str());
    };
    // While it is copied into memory.
    fresh();
    const auto checkpoint = io::Checkpoint::open(folder);
    QVERIFY(checkpoint.has_value());
    cut();
    const auto loaded = lm::load(*lm::Config::load(folder), *checkpoint, {"cpu", "bf16"});
    QVERIFY(!loaded.has_value());
    says(loaded.error());
    // While weights that do not fit stay in it.
    fresh();
    const auto whole = lm::load(folder, {"cpu", "fp32"});
    QVERIFY(whole.has_value());
    const std::int64_t tight =
        lm::forecast(whole->model->spec(), whole->bytes, lm::kForecastLength, at::kFloat).total() - whole->bytes / 3;
    const auto mapped = lm::load(folder, {.device = "cpu", .dtype = "fp32", .memoryLimit = tight});
    QVERIFY(mapped.has_value());
    cut();
    try {
        (void)mapped->model->logits(at::arange(40, at::kLong).view({1, 40}));
        QFAIL("a pass over weights that are gone gave numbers");
    } catch (const Failure& failure) {
        says(failure.error());
    }
}

void TestForecast::knowsThisMachine()
{
    const auto available = lm::availableMemory(at::kCPU);
    QVERIFY(available.has_value());
    QVERIFY(*available > 1'000'000);
}

QTEST_GUILESS_MAIN(TestForecast)
#include "tst_forecast.moc"
