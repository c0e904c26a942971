// SPDX-License-Identifier: GPL-3.0-or-later
// Weights packed in few bits: the numbers are those that the libraries make of them, every family reads them, and what
// does not go together is one sentence.
#include "core/io/packed/packing.h"
#include "core/io/safetensors/safetensors.h"
#include "core/lm/load.h"
#include "core/lm/weights/quantization.h"
#include "tests/support/goldens.h"
#include "tests/support/packcheckpoint.h"
#include "tests/support/renamedcheckpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>

#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <iterator>

using namespace headscope;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 1e-4; // of the largest logit

at::Tensor valuesOf(const fs::path& file, const std::string& name)
{
    const auto opened = io::SafetensorsFile::open(file);
    const io::TensorInfo* info = opened.has_value() ? (*opened)->find(name) : nullptr;
    if (!info)
        return {};
    const auto type = info->dtype == io::Dtype::I64 ? at::kLong : at::kFloat;
    const at::Tensor values = at::empty(info->shape, type);
    std::memcpy(values.data_ptr(), (*opened)->bytes(*info).data(), values.nbytes());
    return values;
}

struct Opened {
    std::string error, packing;
    at::Tensor logits;
};

Opened openedAt(const fs::path& model, const at::Tensor& ids, const std::string& dtype = "fp32")
{
    const auto loaded = lm::load(model, {"cpu", dtype});
    if (!loaded.has_value())
        return {loaded.error().message, {}, {}};
    const at::NoGradGuard noGrad;
    return {{}, loaded->packing, loaded->model->logits(ids)};
}

at::Tensor someIds()
{
    return at::arange(1, 9, at::kLong).unsqueeze(0);
}

} // namespace

class TestPacked : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void givesTheLibrariesNumbers_data();
    void givesTheLibrariesNumbers();
    void everyFamilyReadsThem_data();
    void everyFamilyReadsThem();
    void namesTheForm_data();
    void namesTheForm();
    void refusesMethodsByName_data();
    void refusesMethodsByName();
    void refusesConfigsThatDoNotFit_data();
    void refusesConfigsThatDoNotFit();
    void refusesTensorsThatDoNotFit_data();
    void refusesTensorsThatDoNotFit();
    void tellsSchemesOfOneShapeApart();
    void packsAgainInFewerBits();

private:
    [[nodiscard]] fs::path copyOf(const fs::path& model) const
    {
        const fs::path copy = fs::path(m_folder->path().toStdString()) / "copy";
        fs::remove_all(copy);
        fs::create_directories(copy);
        for (const char* name : {"config.json", "model.safetensors"})
            fs::copy_file(model / name, copy / name);
        return copy;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestPacked::givesTheLibrariesNumbers_data()
{
    QTest::addColumn<QString>("folder");
    for (const auto& [row, path] : goldens::foldersIn("packed", fs::path("golden") / "packed"))
        QTest::newRow(row.c_str()) << QString::fromStdString(path.string());
}

void TestPacked::givesTheLibrariesNumbers()
{
    QFETCH(const QString, folder);
    const fs::path path = folder.toStdString();
    const at::Tensor want = valuesOf(path / "expected.safetensors", "logits_dequantized");
    QVERIFY(want.defined());
    const Opened got = openedAt(path, valuesOf(path / "expected.safetensors", "input_ids"));
    QVERIFY2(got.error.empty(), got.error.c_str());
    const double worst = (got.logits - want).abs().max().item<double>() / want.abs().max().item<double>();
    qInfo("%s: largest difference %.1e of the largest logit", got.packing.c_str(), worst);
    QVERIFY(worst <= kTolerance);
}

void TestPacked::everyFamilyReadsThem_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("form");
    for (const std::string& name : goldens::models()) {
        const json config = packcheckpoint::configOf(goldens::own(fs::path("golden") / name));
        if (config.contains("quantization_config") || !config.contains("model_type"))
            continue;
        for (const packcheckpoint::Form form : packcheckpoint::kForms)
            if (form != packcheckpoint::Form::Rows || name == "llama" || name == "gpt2") // much like the first form
                QTest::newRow((name + " " + packcheckpoint::nameOf(form)).c_str())
                    << QString::fromStdString(name) << static_cast<int>(form);
    }
}

void TestPacked::everyFamilyReadsThem()
{
    QFETCH(const QString, model);
    QFETCH(const int, form);
    const fs::path golden = goldens::own(fs::path("golden") / model.toStdString());
    const fs::path packed = copyOf(golden), plain = fs::path(m_folder->path().toStdString()) / "plain";
    fs::copy(packed, plain);
    if (packcheckpoint::pack(packed, plain, static_cast<packcheckpoint::Form>(form)) == 0)
        QSKIP("no map of this model has a size that this form packs");
    const Opened want = openedAt(plain, someIds()), got = openedAt(packed, someIds());
    QVERIFY2(want.error.empty() && got.error.empty(), (want.error + got.error).c_str());
    QVERIFY(at::equal(want.logits, got.logits));
}

void TestPacked::namesTheForm_data()
{
    QTest::addColumn<QString>("settings");
    QTest::addColumn<QString>("title");
    const auto row = [](const char* title, const char* settings) {
        QTest::newRow(title) << QString::fromUtf8(settings) << QString::fromUtf8(title);
    };
    row("AWQ 4 bit g64", R"({"quant_method": "awq", "bits": 4, "group_size": 64, "version": "GEMM"})");
    row("GPTQ 4 bit g128", R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": false})");
    row("GPTQ 3 bit per channel act-order",
        R"({"quant_method": "gptq", "bits": 3, "group_size": -1, "desc_act": true})");
    row("bitsandbytes NF4 double",
        R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4",
            "bnb_4bit_use_double_quant": true})");
    row("bitsandbytes int8", R"({"load_in_8bit": true})");
    row("compressed-tensors int4 g128, FP8 128x128",
        R"({"quant_method": "compressed-tensors", "format": "mixed-precision", "config_groups": {
            "a": {"format": "pack-quantized", "weights": {"num_bits": 4, "type": "int", "group_size": 128}},
            "b": {"format": "float-quantized", "weights": {"num_bits": 8, "type": "float", "strategy": "block",
                  "block_structure": [128, 128]}}}})");
    row("torchao int4 g64", R"({"quant_method": "torchao", "quant_type": {"default": {"_type": "IntxWeightOnlyConfig",
            "_data": {"weight_dtype": {"_type": "torch.dtype", "_data": "int4"},
                      "granularity": {"_type": "PerGroup", "_data": {"group_size": 64}}}}}})");
    row("torchao int4 g32", R"({"quant_method": "torchao", "quant_type": {"default": {
            "_type": "Int8DynamicActivationIntxWeightConfig", "_data": {"weight_dtype": {"_data": "int4"},
            "weight_granularity": {"_type": "PerGroup", "_data": {"group_size": 32}}}}}})");
    row("torchao int8 per row, int4 g16", R"({"quant_method": "torchao", "quant_type": {"default": {
            "_type": "FqnToConfig", "_data": {"fqn_to_config": {"a": {"_type": "Int8WeightOnlyConfig", "_data": {}},
            "b": null, "c": {"_type": "IntxWeightOnlyConfig", "_data": {"weight_dtype": {"_data": "int4"},
            "granularity": {"_data": {"group_size": 16}}}}}}}}})");
    row("FP8 128x128", R"({"quant_method": "fp8", "weight_block_size": [128, 128]})");
    row("MXFP4", R"({"quant_method": "mxfp4"})");
}

void TestPacked::namesTheForm()
{
    QFETCH(const QString, settings);
    QFETCH(const QString, title);
    lm::Config config(json{{"quantization_config", json::parse(settings.toStdString())}});
    const auto packing = lm::readPacking(config);
    QVERIFY2(packing.has_value(), packing.has_value() ? "" : packing.error().message.c_str());
    QVERIFY(packing->has_value());
    QCOMPARE(QString::fromStdString((*packing)->title), title);
}

void TestPacked::refusesMethodsByName_data()
{
    QTest::addColumn<QString>("method");
    for (const char* method : {"hqq", "aqlm", "quip", "eetq", "vptq", "spqr", "fbgemm_fp8", "modelopt", "quanto",
                               "auto-round", "higgs", "bitnet", "quark", "sinq", "fp_quant"})
        QTest::newRow(method) << QString::fromLatin1(method);
}

void TestPacked::refusesMethodsByName()
{
    QFETCH(const QString, method);
    json config = packcheckpoint::configOf(goldens::own("golden") / "llama");
    config["quantization_config"] = {{"quant_method", method.toStdString()}};
    const auto described = lm::describe(lm::Config(config)); // without a file of weights
    QVERIFY(!described.has_value());
    QVERIFY2(described.error().message.find("packed as " + method.toStdString() + ", which is not supported")
                 != std::string::npos,
             described.error().message.c_str());
}

void TestPacked::refusesConfigsThatDoNotFit_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("settings"); // that the file's are patched with
    QTest::addColumn<QString>("words");
    const auto row = [](const char* what, const char* model, const char* settings, const char* words) {
        QTest::newRow(what) << QString::fromUtf8(model) << QString::fromUtf8(settings) << QString::fromUtf8(words);
    };
    const char *awq = "awq-mamba2-g64", *gptq = "gptq-llama-g32-asym-act", *bnb = "bnb-mamba2-nf4-dq",
               *ct = "ct-mamba2-int4-g32-asym", *ao = "torchao-mamba2-int4-unpacked-g32";
    row("AWQ without a config", awq, R"({"quant_method": null, "bits": null})", "packed as AWQ or GPTQ, and config");
    row("bitsandbytes without one", bnb, R"({"quant_method": null, "load_in_4bit": null, "load_in_8bit": null})",
        "packed as bitsandbytes, and config");
    row("compressed-tensors without one", ct, R"({"quant_method": null})", "packed as compressed-tensors, and");
    row("torchao without one", ao, R"({"quant_method": null})", "packed as torchao, and config");
    row("AWQ for GPTQ", gptq, R"({"quant_method": "awq"})", "is not AWQ 4 bit g32, as config.json says");
    row("GPTQ for AWQ", awq, R"({"quant_method": "gptq"})", "is not GPTQ 4 bit g64, as config.json says");
    row("AWQ for bitsandbytes", bnb, R"({"quant_method": "awq", "bits": 4})", "has shape [37376, 1]; expected");
    row("AWQ for plain numbers", "../golden/llama", R"({"quant_method": "awq"})", "no tensor of the file is");
    row("group of 0", awq, R"({"group_size": 0})", "'group_size' in quantization_config is 0; expected at least 1");
    row("another group", awq, R"({"group_size": 32})", "is not AWQ 4 bit g32");
    row("bits of AWQ", awq, R"({"bits": 8})", "'bits' in quantization_config is 8; expected 4");
    row("version of AWQ", awq, R"({"version": "gemv"})", "is 'gemv'; expected gemm");
    row("format of AWQ", awq, R"({"version": null, "format": "gemv"})", "'format' in quantization_config is 'gemv'");
    row("bits of GPTQ", gptq, R"({"bits": 5})", "'bits' in quantization_config is 5; expected 2, 3, 4, 8");
    row("other bits of GPTQ", gptq, R"({"bits": 8})", "is not GPTQ 8 bit g32 act-order");
    row("bits as a text", gptq, R"({"bits": "four"})", "expected a whole number");
    row("newer format of GPTQ", gptq, R"({"checkpoint_format": null, "format": "marlin"})", "expected gptq, gptq_v2");
    row("format of GPTQ", gptq, R"({"checkpoint_format": "marlin"})", "is 'marlin'; expected gptq, gptq_v2");
    row("kind of bitsandbytes", bnb, R"({"bnb_4bit_quant_type": "af4"})", "is 'af4'; expected nf4, fp4");
    row("neither kind", bnb, R"({"load_in_4bit": false})", "neither 'load_in_4bit' nor 'load_in_8bit'");
    row("NVFP4", ct, R"({"config_groups": {"group_0": {"format": "nvfp4-pack-quantized"}}})",
        "is 'nvfp4-pack-quantized'; expected pack-quantized");
    row("sparse", ct, R"({"sparsity_config": {"format": "sparse-24-bitmask"}})", "expected dense");
    row("rotations", ct, R"({"transform_config": {"config_groups": {"u": {}}}})", "has rotations of the weights");
    row("no groups", ct, R"({"config_groups": null})", "has no 'config_groups'");
    row("other bits", ct, R"({"config_groups": {"group_0": {"weights": {"num_bits": 8}}}})",
        "is not compressed-tensors int8 g32");
    row("torchao for a GPU", ao, R"({"quant_type": {"default": {"_type": "Int4WeightOnlyConfig"}}})",
        "packed as torchao's 'Int4WeightOnlyConfig'");
    row("torchao for a GPU by name", ao,
        R"({"quant_type": {"default": {"_type": "ModuleFqnToConfig", "_data": {"module_fqn_to_config": {
            "_default": {"_type": "Float8WeightOnlyConfig"}}}}}})",
        "packed as torchao's 'Float8WeightOnlyConfig'");
    row("no object", ao, R"({"quant_type": 5})", "expected an object");
}

void TestPacked::refusesConfigsThatDoNotFit()
{
    QFETCH(const QString, model);
    QFETCH(const QString, settings);
    QFETCH(const QString, words);
    const fs::path copy = copyOf(goldens::own("packed") / model.toStdString());
    json config = packcheckpoint::configOf(copy);
    config["quantization_config"].merge_patch(json::parse(settings.toStdString()));
    std::ofstream(copy / "config.json") << config;
    const Opened got = openedAt(copy, someIds());
    QVERIFY2(got.error.find(words.toStdString()) != std::string::npos, got.error.c_str());
}

void TestPacked::refusesTensorsThatDoNotFit_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("part");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* model, const char* part, const char* change, const char* words) {
        QTest::newRow(QStringLiteral("%1 %2 %3")
                          .arg(QLatin1String(model), QLatin1String(part), QLatin1String(change))
                          .toUtf8()
                          .constData())
            << QString::fromUtf8(model) << QString::fromUtf8(part) << QString::fromUtf8(change)
            << QString::fromUtf8(words);
    };
    const std::pair<const char*, std::vector<const char*>> forms[] = {
        {"awq-mamba2-g64", {"in_proj.qweight", "in_proj.qzeros", "in_proj.scales"}},
        {"gptq-llama-g32-asym-act", {"up_proj.qweight", "up_proj.qzeros", "up_proj.scales", "up_proj.g_idx"}},
        {"bnb-mamba2-nf4-dq",
         {"in_proj.weight", "in_proj.weight.absmax", "in_proj.weight.nested_absmax", "in_proj.weight.nested_quant_map",
          "in_proj.weight.quant_map", "in_proj.weight.quant_state.bitsandbytes__nf4"}},
        {"ct-mamba2-int4-g32-asym", {"in_proj.weight_packed", "in_proj.weight_scale", "in_proj.weight_shape"}},
        {"torchao-mamba2-int4-unpacked-g32", {"in_proj._weight_qdata", "in_proj._weight_scale"}},
    };
    for (const auto& [model, parts] : forms)
        for (const char* part : parts) {
            row(model, part, "missing", "' is missing; ");
            row(model, part, "type", "; expected ");
            row(model, part, "flat", "Tensor '");
        }
    row("ct-mamba2-int4-g32-asym", "in_proj.weight_zero_point", "missing", "is not compressed-tensors int4 g32");
    for (const char* model : {"awq-mamba2-g64", "gptq-llama-g32-asym-act"})
        row(model, model[0] == 'a' ? "in_proj.scales" : "up_proj.scales", "ones", "contains NaN or infinite values");
    row("ct-mamba2-int4-g32-asym", "in_proj.weight_scale", "ones", "contains NaN or infinite values");
    row("bnb-mamba2-nf4-dq", "in_proj.weight.nested_absmax", "ones", "contains NaN or infinite values");
    row("bnb-mamba2-nf4-dq", "in_proj.weight.quant_state.bitsandbytes__nf4", "ones", "contains no JSON object");
    row("gptq-llama-g32-asym-act", "up_proj.g_idx", "ones", "to group -1; expected 0 to 3");
    row("ct-mamba2-int4-g32-asym", "in_proj.weight_shape", "ones", "in_proj.weight_shape' says [-1, -1]");
}

void TestPacked::refusesTensorsThatDoNotFit()
{
    QFETCH(const QString, model);
    QFETCH(const QString, part);
    QFETCH(const QString, change);
    QFETCH(const QString, words);
    const fs::path copy = copyOf(goldens::own("packed") / model.toStdString());
    packcheckpoint::change(copy / "model.safetensors", part.toStdString(), change.toStdString());
    const Opened got = openedAt(copy, someIds());
    QVERIFY2(got.error.find(words.toStdString()) != std::string::npos, got.error.c_str());
    QVERIFY2(got.error.ends_with('.') && got.error.find(". ") == std::string::npos, got.error.c_str());
}

// A map of [128] inputs in 4 bits has the shape of one of [64] in 8 bits; its zero points have not.
void TestPacked::tellsSchemesOfOneShapeApart()
{
    const fs::path copy = copyOf(goldens::own("packed") / "gptq-llama-g32-asym-act");
    renamedcheckpoint::edit(copy / "model.safetensors", [](json& header) {
        for (auto at = header.begin(); at != header.end();)
            at = at.key().ends_with("g_idx") ? header.erase(at) : std::next(at);
    });
    const auto opened = [&](const char* settings) {
        json config = packcheckpoint::configOf(copy);
        config["quantization_config"].merge_patch(json::parse(settings));
        std::ofstream(copy / "config.json") << config;
        return openedAt(copy, someIds());
    };
    const Opened one = opened(R"({"desc_act": false})");
    const Opened first = opened(R"({"bits": 8, "group_size": 16, "dynamic": {"+:x": {"bits": 4, "group_size": 32}}})");
    QVERIFY2(one.error.empty() && first.error.empty(), (one.error + first.error).c_str());
    QVERIFY(at::equal(one.logits, first.logits));
}

void TestPacked::packsAgainInFewerBits()
{
    const fs::path folder = goldens::own("packed") / "gptq-llama-g32-asym-act";
    const at::Tensor ids = valuesOf(folder / "expected.safetensors", "input_ids");
    const Opened full = openedAt(folder, ids);
    QVERIFY2(full.error.empty(), full.error.c_str());
    for (const auto& [dtype, tolerance] : {std::pair("bf16", 0.05), std::pair("int8", 0.05), std::pair("int4", 0.5)}) {
        const Opened few = openedAt(folder, ids, dtype);
        QVERIFY2(few.error.empty(), few.error.c_str());
        QVERIFY((few.logits - full.logits).abs().max().item<double>()
                < tolerance * full.logits.abs().max().item<double>());
    }
}

QTEST_GUILESS_MAIN(TestPacked)
#include "tst_packed.moc"
