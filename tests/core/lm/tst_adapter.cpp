// SPDX-License-Identifier: GPL-3.0-or-later
// LoRA adapters: of every family, a model with an adapter is the model whose weights were changed on disk; an adapter
// opens on the base that it names; what is no plain LoRA of this base is refused by one sentence.
#include "core/io/modelfolder.h"
#include "core/io/safetensors/adapter.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/lm/device/device.h"
#include "core/lm/load.h"
#include "tests/support/goldens.h"
#include "tests/support/renamedcheckpoint.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <regex>

using namespace headscope;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr double kAlpha = 6;

at::Tensor logitsOf(const lm::LoadedModel& loaded)
{
    return loaded.model->logits(at::arange(1, 9, at::kLong).unsqueeze(0));
}

void writeText(const fs::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

void writeTensors(const fs::path& path, const std::map<std::string, at::Tensor>& tensors)
{
    std::vector<io::TensorToWrite> writes;
    for (const auto& [name, tensor] : tensors)
        writes.push_back(
            {name, io::Dtype::F32, tensor.sizes().vec(),
             std::as_bytes(std::span(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())))});
    QVERIFY(io::writeSafetensors(path, writes).has_value());
}

/// A random adapter of every map of a model, and the model with its changes.
struct Pair {
    std::map<std::string, at::Tensor> adapter, merged;
    int maps = 0;
};

json configOf(const fs::path& base)
{
    return {{"peft_type", "LORA"},
            {"base_model_name_or_path", base.string()},
            {"r", 2},
            {"lora_alpha", kAlpha},
            {"target_modules", {"q_proj"}},
            {"task_type", "CAUSAL_LM"},
            {"bias", "none"},
            {"use_dora", false},
            {"modules_to_save", nullptr}};
}

Pair randomPair(const fs::path& model, bool transposed, double scale, std::int64_t rank = 2)
{
    static const std::regex linear("(proj|dense|fc[12]|c_attn|c_fc|Wqkv|query_key_value|w[123]|up|down)\\.weight$");
    const auto file = io::SafetensorsFile::open(model / "model.safetensors");
    Pair pair;
    for (const io::TensorInfo& info : (*file)->tensors()) {
        const auto type = lm::scalarType(info.dtype);
        if (!type && renamedcheckpoint::readAll(model / "config.json").find("quantization_config") != std::string::npos)
            return {};
        if (!type)
            continue; // a buffer
        const auto bytes = (*file)->bytes(info);
        at::Tensor map = at::empty(info.shape, *type);
        std::memcpy(map.data_ptr(), bytes.data(), bytes.size());
        map = map.to(at::kFloat);
        if (info.shape.size() == 2 && std::regex_search(info.name, linear)
            && info.name.find("embed") == std::string::npos) {
            const std::int64_t out = info.shape[transposed ? 1 : 0], in = info.shape[transposed ? 0 : 1];
            const at::Tensor a = at::randn({rank, in}) * 0.1, b = at::randn({out, rank}) * 0.1;
            const std::string module = "base_model.model." + info.name.substr(0, info.name.rfind('.'));
            pair.adapter[module + ".lora_A.weight"] = a;
            pair.adapter[module + ".lora_B.weight"] = b;
            const at::Tensor change = at::matmul(b, a) * scale;
            map = map + (transposed ? change.t() : change);
            ++pair.maps;
        }
        pair.merged[info.name] = map.contiguous();
    }
    return pair;
}

} // namespace

class TestAdapter : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        at::manual_seed(3);
        m_folder = std::make_unique<QTemporaryDir>();
        fs::create_directories(path("adapter"));
    }
    void isTheMergedModel_data();
    void isTheMergedModel();
    void namesOfAnotherClass_data();
    void namesOfAnotherClass();
    void agreesWithPeft_data();
    void agreesWithPeft();
    void scales_data();
    void scales();
    void tablesChangeToo();
    void opensOnItsBase();
    void refusesWhatItWouldComputeOtherwise_data();
    void refusesWhatItWouldComputeOtherwise();
    void refusesDamage_data();
    void refusesDamage();

private:
    [[nodiscard]] fs::path path(const std::string& name) const
    {
        return fs::path(m_folder->path().toStdString()) / name;
    }
    /// An adapter of the golden Llama in "adapter".
    void writeAdapter(const json& config, std::int64_t rank = 2) const
    {
        writeText(path("adapter") / "adapter_config.json", config.dump());
        writeTensors(path("adapter") / "adapter_model.safetensors", randomPair(m_llama, false, 1, rank).adapter);
    }
    [[nodiscard]] Result<lm::LoadedModel> opened() const
    {
        return lm::load(m_llama, {.device = "cpu", .dtype = "fp32", .adapter = path("adapter")});
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_llama = goldens::own("golden/llama");
    at::NoGradGuard m_noGrad;
};

void TestAdapter::isTheMergedModel_data()
{
    QTest::addColumn<QString>("name");
    for (const std::string& name : goldens::models())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestAdapter::isTheMergedModel()
{
    QFETCH(const QString, name);
    const fs::path model = goldens::own("golden") / name.toStdString();
    if (!fs::exists(model / "model.safetensors"))
        QSKIP("Its weights are in another form.");
    const bool transposed = renamedcheckpoint::readAll(model / "config.json").find("\"gpt2\"") != std::string::npos;
    const Pair pair = randomPair(model, transposed, kAlpha / 2);
    if (pair.maps == 0)
        QSKIP("Its weights are packed.");
    json config = configOf(model);
    config["fan_in_fan_out"] = !transposed; // PEFT goes by the module, and so do we
    writeText(path("adapter") / "adapter_config.json", config.dump());
    writeTensors(path("adapter") / "adapter_model.safetensors", pair.adapter);
    fs::create_directories(path("merged"));
    fs::copy_file(model / "config.json", path("merged") / "config.json");
    writeTensors(path("merged") / "model.safetensors", pair.merged);

    const lm::LoadOptions plain{.device = "cpu", .dtype = "fp32"};
    lm::LoadOptions with = plain;
    with.adapter = path("adapter");
    const auto changed = lm::load(model, with), merged = lm::load(path("merged"), plain), base = lm::load(model, plain);
    if (!changed.has_value() && changed.error().message.find("as a map of its own") != std::string::npos)
        return; // this family reads one of the maps as part of another: a sentence, not a wrong number
    QVERIFY2(changed.has_value(), changed.has_value() ? "" : changed.error().message.c_str());
    QVERIFY2(merged.has_value(), merged.has_value() ? "" : merged.error().message.c_str());
    const at::Tensor wanted = logitsOf(*merged);
    QVERIFY((logitsOf(*changed) - wanted).abs().max().item<double>()
            < 1e-5 * std::max(1.0, wanted.abs().max().item<double>()));
    QVERIFY((logitsOf(*base) - wanted).abs().max().item<double>() > 1e-3);
    QVERIFY(changed->contentHash != base->contentHash);
    QCOMPARE(QString::fromStdString(changed->adapter), QStringLiteral("LoRA, rank 2"));
}

void TestAdapter::namesOfAnotherClass_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("stored");
    QTest::addColumn<QString>("trained");
    QTest::newRow("a hybrid") << "hub/nemotron_h"
                              << "backbone.layers"
                              << "model.layers";
    QTest::newRow("text of a multimodal model") << "hub/gemma3"
                                                << "language_model.model."
                                                << "model.language_model.";
    QTest::newRow("experts") << "hub/kimi_linear"
                             << ".block_sparse_moe."
                             << ".mlp.";
}

// PEFT writes the names of the class that was trained, which transformers may call otherwise than the file.
void TestAdapter::namesOfAnotherClass()
{
    QFETCH(const QString, name);
    QFETCH(const QString, stored);
    QFETCH(const QString, trained);
    const fs::path model = m_llama.parent_path() / name.toStdString();
    const std::map<std::string, at::Tensor> own = randomPair(model, false, kAlpha / 2).adapter;
    std::map<std::string, at::Tensor> renamed;
    for (const auto& [module, tensor] : own)
        renamed[QString::fromStdString(module).replace(stored, trained).toStdString()] = tensor;
    QVERIFY(std::ranges::any_of(renamed, [&](const auto& each) { return !own.contains(each.first); }));
    if (name == u"hub/gemma3") { // of a part that is left aside
        const std::string vision = "base_model.model.model.vision_tower.layers.0.q_proj.lora_";
        renamed[vision + "A.weight"] = at::randn({2, 7});
        renamed[vision + "B.weight"] = at::randn({7, 2});
    }
    std::vector<at::Tensor> logits;
    for (const auto& tensors : {own, renamed}) {
        writeText(path("adapter") / "adapter_config.json", configOf(model).dump());
        writeTensors(path("adapter") / "adapter_model.safetensors", tensors);
        const auto loaded = lm::load(model, {.device = "cpu", .dtype = "fp32", .adapter = path("adapter")});
        QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
        logits.push_back(logitsOf(*loaded));
    }
    QVERIFY(at::equal(logits[0], logits[1]));
}

void TestAdapter::agreesWithPeft_data()
{
    QTest::addColumn<QString>("folder");
    for (const goldens::Folder& each : goldens::foldersIn("adapters", "adapters"))
        QTest::newRow(each.row.c_str()) << QString::fromStdString(each.path.string());
}

// PEFT's own files, which name their base, and its logits: tests/reference/compare_adapters.py --goldens.
void TestAdapter::agreesWithPeft()
{
    QFETCH(const QString, folder);
    const fs::path adapter = folder.toStdString();
    const auto found = io::resolveModel(adapter.string(), {});
    QVERIFY2(found.has_value(), found.has_value() ? "" : found.error().message.c_str());
    const auto loaded = lm::load(found->path, {.device = "cpu", .dtype = "fp32", .adapter = found->adapter});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    const auto file = io::SafetensorsFile::open(adapter / "logits.safetensors");
    QVERIFY2(file.has_value(), file.has_value() ? "" : file.error().message.c_str());
    const io::TensorInfo* info = (*file)->find("logits");
    QVERIFY(info);
    at::Tensor wanted = at::empty(info->shape, at::kFloat);
    const auto bytes = (*file)->bytes(*info);
    QCOMPARE(bytes.size(), wanted.nbytes());
    std::memcpy(wanted.data_ptr(), bytes.data(), bytes.size());
    const double difference = (logitsOf(*loaded)[0] - wanted).abs().max().item<double>();
    QVERIFY2(difference < 1e-5 * wanted.abs().max().item<double>(), qPrintable(QString::number(difference)));
}

void TestAdapter::scales_data()
{
    QTest::addColumn<QByteArray>("more");
    QTest::addColumn<double>("scale");
    QTest::newRow("alpha / r") << QByteArray("{}") << kAlpha / 4;
    QTest::newRow("rsLoRA") << QByteArray(R"({"use_rslora": true})") << kAlpha / 2;
    QTest::newRow("alpha of all") << QByteArray(
        R"({"alpha_pattern": {"q_proj": 8, "k_proj": 8, "v_proj": 8, "o_proj": 8,
        "gate_proj": 8, "up_proj": 8, "down_proj": 8}})")
                                  << 2.0;
    QTest::newRow("rank of all") << QByteArray(
        R"({"r": 1, "rank_pattern": {"q_proj": 4, "k_proj": 4, "v_proj": 4, "o_proj": 4,
        "gate_proj": 4, "up_proj": 4, "down_proj": 4}})")
                                 << kAlpha / 4;
}

void TestAdapter::scales()
{
    QFETCH(const QByteArray, more);
    QFETCH(const double, scale);
    const Pair pair = randomPair(m_llama, false, scale, 4);
    json config = configOf(m_llama);
    config["r"] = 4;
    config.update(json::parse(more.toStdString()));
    writeText(path("adapter") / "adapter_config.json", config.dump());
    writeTensors(path("adapter") / "adapter_model.safetensors", pair.adapter);
    fs::create_directories(path("merged"));
    fs::copy_file(m_llama / "config.json", path("merged") / "config.json");
    writeTensors(path("merged") / "model.safetensors", pair.merged);
    const auto changed = opened(), merged = lm::load(path("merged"), {.device = "cpu", .dtype = "fp32"});
    QVERIFY2(changed.has_value(), changed.has_value() ? "" : changed.error().message.c_str());
    QVERIFY(at::allclose(logitsOf(*changed), logitsOf(*merged), 1e-5, 1e-5));
}

void TestAdapter::tablesChangeToo()
{
    const auto base = lm::load(m_llama, {.device = "cpu", .dtype = "fp32"});
    const lm::ModelSpec& spec = base->model->spec();
    const at::Tensor a = at::randn({2, spec.vocabulary}), b = at::randn({spec.hidden, 2});
    writeText(path("adapter") / "adapter_config.json", configOf(m_llama).dump());
    writeTensors(path("adapter") / "adapter_model.safetensors",
                 {{"base_model.model.model.embed_tokens.lora_embedding_A", a},
                  {"base_model.model.model.embed_tokens.lora_embedding_B", b}});
    const auto changed = opened();
    QVERIFY2(changed.has_value(), changed.has_value() ? "" : changed.error().message.c_str());
    QVERIFY(!at::allclose(logitsOf(*changed), logitsOf(*base), 1e-3, 1e-3));
    QVERIFY(std::ranges::any_of(changed->warnings, [](const std::string& each) {
        return each.find("the embedding, which is this model's output") != each.npos;
    }));
}

void TestAdapter::opensOnItsBase()
{
    const auto resolved = [](const std::string& argument) { return io::resolveModel(argument, {}); };
    writeAdapter(configOf(m_llama));
    const std::string adapter = path("adapter").string();
    const auto named = resolved(adapter), given = resolved(m_llama.string() + "+" + adapter);
    QVERIFY2(named.has_value(), named.has_value() ? "" : named.error().message.c_str());
    QCOMPARE(QString::fromStdString(named->name), QStringLiteral("llama+adapter"));
    QCOMPARE(named->place(), given->place());
    QCOMPARE(resolved(named->place())->place(), named->place());
    // Beside it.
    json config = configOf("../base");
    fs::copy(m_llama, path("base"), fs::copy_options::recursive);
    writeAdapter(config);
    QCOMPARE(resolved(adapter)->path, path("base"));
    // Neither there nor named; and no adapter on an adapter.
    for (const json& base : {json("org/none"), json(), json(adapter)}) {
        config["base_model_name_or_path"] = base;
        writeAdapter(config);
        const auto none = resolved(adapter);
        QVERIFY(!none.has_value());
        QVERIFY2(none.error().message.find("a LoRA adapter") != std::string::npos, none.error().message.c_str());
    }
}

void TestAdapter::refusesWhatItWouldComputeOtherwise_data()
{
    QTest::addColumn<QByteArray>("more");
    QTest::addColumn<QString>("part");
    const auto add = [](const char* more, const char* part) {
        QTest::newRow(part) << QByteArray(more) << QString::fromLatin1(part);
    };
    add(R"({"use_dora": true})", "use_dora");
    add(R"({"bias": "all"})", "bias");
    add(R"({"lora_bias": true})", "lora_bias");
    add(R"({"modules_to_save": ["lm_head"]})", "modules_to_save");
    add(R"({"layer_replication": [[0, 2], [1, 3]]})", "layer_replication");
    add(R"({"target_parameters": ["experts.gate"]})", "target_parameters");
    add(R"({"trainable_token_indices": [1]})", "trainable_token_indices");
    add(R"({"init_lora_weights": "pissa"})", "init_lora_weights");
    add(R"({"alora_invocation_tokens": [3]})", "alora_invocation_tokens");
    add(R"({"something_of_2027": 3})", "something_of_2027");
    add(R"({"peft_type": "LOKR"})", "LOKR");
    add(R"({"r": 0})", "'r'");
    add(R"({"r": 3})", "rank 2");
    add(R"({"lora_alpha": "much"})", "'lora_alpha'");
    add(R"({"rank_pattern": {".*q_proj": 2}})", "rank_pattern");
    add(R"({"rank_pattern": [2]})", "'rank_pattern'");
    add(R"({"alpha_pattern": {"q_proj": 1e308}})", "at most 1e9");
}

void TestAdapter::refusesWhatItWouldComputeOtherwise()
{
    QFETCH(const QByteArray, more);
    QFETCH(const QString, part);
    json config = configOf(m_llama);
    config.update(json::parse(more.toStdString()));
    writeAdapter(config);
    const auto loaded = opened();
    QVERIFY(!loaded.has_value());
    const QString sentence = QString::fromStdString(loaded.error().message);
    QVERIFY2(sentence.contains(part) && sentence.endsWith(u'.') && !sentence.contains(u'\n'), qPrintable(sentence));
}

void TestAdapter::refusesDamage_data()
{
    QTest::addColumn<QString>("how");
    QTest::addColumn<QString>("part");
    const auto add = [](const char* how, const char* part) {
        QTest::newRow(how) << QString::fromLatin1(how) << QString::fromLatin1(part);
    };
    add("no weights", "neither adapter_model.safetensors");
    add("no tensors", "changes nothing");
    add("half of a map", "only one of");
    add("another base", "of another base");
    add("a map that does not exist", "of another base");
    add("a vector", "is not a matrix");
    add("DoRA's magnitudes", "DoRA");
    add("a whole map", "not part of a plain LoRA map");
    add("ranks that differ", "do not fit");
    add("NaN", "NaN");
    add("no JSON", "adapter_config.json");
    add("a list", "only LoRA");
}

void TestAdapter::refusesDamage()
{
    QFETCH(const QString, how);
    QFETCH(const QString, part);
    const std::string q = "base_model.model.model.layers.0.self_attn.q_proj";
    writeText(path("adapter") / "adapter_config.json", how == u"no JSON"  ? "{"
                                                       : how == u"a list" ? "[]"
                                                                          : configOf(m_llama).dump());
    std::map<std::string, at::Tensor> tensors = randomPair(m_llama, false, 1).adapter;
    const auto has = [&](const char* one) { return how == QLatin1String(one); };
    if (has("no tensors"))
        tensors.clear();
    if (has("half of a map"))
        tensors.erase(q + ".lora_B.weight");
    if (has("another base"))
        tensors[q + ".lora_A.weight"] = at::ones({2, 7});
    if (has("a map that does not exist")) {
        tensors[q + "x.lora_A.weight"] = at::ones({2, 7});
        tensors[q + "x.lora_B.weight"] = at::ones({7, 2});
    }
    if (has("a vector"))
        tensors[q + ".lora_A.weight"] = at::ones({2});
    if (has("DoRA's magnitudes"))
        tensors[q + ".lora_magnitude_vector"] = at::ones({2, 2});
    if (has("a whole map"))
        tensors["base_model.model.lm_head.weight"] = at::ones({2, 2});
    if (has("ranks that differ"))
        tensors[q + ".lora_A.weight"] = at::ones({3, tensors[q + ".lora_A.weight"].size(1)});
    if (has("NaN"))
        tensors[q + ".lora_A.weight"].fill_(NAN);
    if (!has("no weights"))
        writeTensors(path("adapter") / "adapter_model.safetensors", tensors);
    const auto loaded = opened();
    QVERIFY(!loaded.has_value());
    const QString sentence = QString::fromStdString(loaded.error().message);
    QVERIFY2(sentence.contains(part) && sentence.endsWith(u'.') && !sentence.contains(u'\n'), qPrintable(sentence));
}

QTEST_GUILESS_MAIN(TestAdapter)
#include "tst_adapter.moc"
