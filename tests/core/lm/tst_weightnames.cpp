// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints whose tensors are named otherwise than the model's own save would name them: base classes, training
// wrappers, adapters; and folders that hold no model.
#include "core/io/modelfolder.h"
#include "core/io/packed/packedelements.h"
#include "core/io/safetensors/adapter.h"
#include "core/lm/load.h"
#include "tests/support/goldens.h"
#include "tests/support/renamedcheckpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace headscope;
using nlohmann::json;
using renamedcheckpoint::edit;
using renamedcheckpoint::headerOf;
using renamedcheckpoint::readAll;
using renamedcheckpoint::rename;
namespace fs = std::filesystem;

namespace {

struct Opened {
    std::string error;
    at::Tensor logits;
    std::vector<std::string> warnings;
};

Opened openedAt(const fs::path& model)
{
    const auto loaded = lm::load(model, {"cpu", "fp32"});
    if (!loaded.has_value())
        return {loaded.error().message, {}, {}};
    const at::NoGradGuard noGrad;
    return {{}, loaded->model->logits(at::arange(1, 9, at::kLong).unsqueeze(0)), loaded->warnings};
}

bool mentioned(const std::vector<std::string>& warnings, const std::string& what)
{
    return std::ranges::any_of(warnings, [&](const std::string& one) { return one.find(what) != one.npos; });
}

std::string firstPart(const std::string& name)
{
    return name.substr(0, name.find('.') + 1);
}

/// What most names begin with: "model."; empty where they differ from the first part on, as those of GPT-2 do.
std::string baseOf(const fs::path& file)
{
    std::map<std::string, std::size_t> counts;
    const json header = headerOf(readAll(file));
    for (const auto& [name, tensor] : header.items())
        ++counts[firstPart(name)];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    return most->second + 3 >= header.size() && most->first != "h." ? most->first : std::string();
}

std::string without(const std::string& prefix, const std::string& name)
{
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

} // namespace

class TestWeightNames : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void opensBaseClasses_data() { models(); }
    void opensBaseClasses();
    void opensBehindAnyPrefix_data() { models(); }
    void opensBehindAnyPrefix();
    void opensWhatTrainingWrapped_data();
    void opensWhatTrainingWrapped();
    void refusesAPrefixOfSome_data() { models(); }
    void refusesAPrefixOfSome();
    void refusesAMissingHead_data() { models(); }
    void refusesAMissingHead();
    void refusesOneNameForTwo();
    void refusesAdaptersThatWereNotMerged();
    void readsPlainFp8_data();
    void readsPlainFp8();
    void namesPackedWeights();
    void anIndexMayListTooMuch();
    void namesAdapterFolders();
    void namesBrokenLinks();

private:
    static void models()
    {
        QTest::addColumn<QString>("model");
        for (const std::string& name : goldens::models())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    /// A copy of a golden model, in a folder of this name.
    [[nodiscard]] fs::path copyOf(const std::string& model, const std::string& name = "copy") const
    {
        const fs::path golden = goldens::own(fs::path("golden") / model),
                       copy = fs::path(m_folder->path().toStdString()) / name;
        fs::create_directories(copy);
        for (const auto& entry : fs::directory_iterator(golden))
            if (entry.is_regular_file() && !entry.path().filename().string().starts_with("expected"))
                fs::copy_file(entry.path(), copy / entry.path().filename(), fs::copy_options::overwrite_existing);
        return copy;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestWeightNames::opensBaseClasses()
{
    QFETCH(const QString, model);
    const fs::path copy = copyOf(model.toStdString());
    const Opened want = openedAt(copy);
    QVERIFY2(want.error.empty(), want.error.c_str());
    const std::string base = baseOf(copy / "model.safetensors");
    if (base.empty())
        QSKIP("its base class has the same names");
    rename(copy / "model.safetensors", [&](const std::string& name) {
        // The class of the whole: Gemma3Model has "language_model.layers" of "language_model.model.layers".
        return base == "language_model." && name.starts_with("language_model.model.")
                   ? "language_model." + name.substr(21)
                   : without(base, name);
    });
    const Opened got = openedAt(copy);
    QVERIFY2(got.error.empty(), got.error.c_str());
    QVERIFY(at::equal(want.logits, got.logits));
    QCOMPARE(got.warnings.size(), want.warnings.size());
}

void TestWeightNames::opensBehindAnyPrefix()
{
    QFETCH(const QString, model);
    const fs::path copy = copyOf(model.toStdString());
    const Opened want = openedAt(copy);
    for (const std::string prefix : {"student.", "module._orig_mod."}) {
        const fs::path other = copyOf(model.toStdString(), "other");
        rename(other / "model.safetensors", [&](const std::string& name) { return prefix + name; });
        const Opened got = openedAt(other);
        QVERIFY2(got.error.empty(), got.error.c_str());
        QVERIFY(at::equal(want.logits, got.logits));
        QVERIFY2(mentioned(got.warnings, "All tensors begin with '" + prefix + "'"), prefix.c_str());
    }
}

void TestWeightNames::opensWhatTrainingWrapped_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    const auto row = [](const char* from, const char* to) {
        QTest::newRow(to) << QString::fromLatin1(from) << QString::fromLatin1(to);
    };
    row("", "_orig_mod.");
    row("", "module.");
    row("", "_forward_module.");
    row("", "module._orig_mod.");
    row("", "_orig_mod.module.");
    row("", "base_model.model.");
    row("", "transformer.");
    row("", "model."); // a module of a training program
    row("", "module.base_model.model.");
    row("model.", "model._orig_mod.");
    row("model.", "model.module.");
    row("model.layers.0.", "model.layers.0._orig_mod."); // compiled layer by layer
    row("model.layers.", "_fsdp_wrapped_module.model.layers.");
    row(".self_attn.q_proj.", ".self_attn.q_proj.base_layer.");
    row(".mlp.", "._checkpoint_wrapped_module.mlp.");
}

void TestWeightNames::opensWhatTrainingWrapped()
{
    QFETCH(const QString, from);
    QFETCH(const QString, to);
    for (const char* model : {"llama", "llama3", "gpt2", "mamba"}) { // tied, untied, without "model."
        const fs::path copy = copyOf(model);
        const Opened want = openedAt(copy);
        const bool whole = from.isEmpty();
        rename(copy / "model.safetensors", [&](const std::string& name) {
            const QString old = QString::fromStdString(name);
            return whole ? (to + old).toStdString() : QString(old).replace(from, to).toStdString();
        });
        if (from == QLatin1String("model.layers.") && to.startsWith(QLatin1Char('_')))
            rename(copy / "model.safetensors", [&](const std::string& name) {
                return name.starts_with("_") ? name : "_fsdp_wrapped_module." + name;
            });
        const Opened got = openedAt(copy);
        QVERIFY2(got.error.empty(), got.error.c_str());
        QVERIFY(at::equal(want.logits, got.logits));
        const std::string plain = model; // whose base class "transformer." names, and which may have nothing to wrap
        QVERIFY(!got.warnings.empty() || plain == "gpt2" || plain == "mamba");
    }
}

void TestWeightNames::refusesAPrefixOfSome()
{
    QFETCH(const QString, model);
    const std::string base = baseOf(copyOf(model.toStdString()) / "model.safetensors");
    for (const std::string prefix : {"_orig_mod.", "module.", "student.", "less"}) {
        if (prefix == "less" && (base.empty() || base == "language_model.")) // whose other names may be
            continue;
        const fs::path copy = copyOf(model.toStdString(), prefix);
        std::string victim; // the last tensor of a layer that the model needs
        rename(copy / "model.safetensors", [&](const std::string& name) {
            const bool layer = name.find("s.1.") != name.npos || name.starts_with("h.1.");
            if (!layer || name.find("visi") != name.npos || name.ends_with(".attn.bias") || !name.ends_with(".weight")
                || name.find("norm") != name.npos || !victim.empty())
                return name;
            victim = name;
            return prefix == "less" ? without(base, name) : prefix + name;
        });
        if (victim.empty())
            QSKIP("it has one layer");
        const auto got = lm::inspect(copy, {"cpu", "fp32"});
        QVERIFY2(!got.has_value(), victim.c_str());
        // Without the outermost name, the one behind it is what only some have.
        QVERIFY2(got.error().message.find("only some of its names begin with '" + (prefix == "less" ? "" : prefix))
                     != std::string::npos,
                 (victim + ": " + got.error().message).c_str());
    }
}

void TestWeightNames::refusesAMissingHead()
{
    QFETCH(const QString, model);
    const fs::path copy = copyOf(model.toStdString());
    std::string head;
    rename(copy / "model.safetensors", [&](const std::string& name) {
        const bool isHead = name.ends_with("lm_head.weight") || name == "embed_out.weight";
        head = isHead ? name : head;
        return isHead ? std::string() : name;
    });
    const auto got = lm::inspect(copy, {"cpu", "fp32"});
    const std::string said = got.has_value() ? std::string() : got.error().message;
    QVERIFY2(head.empty() ? said.empty() : said.find("head.weight' is missing") != std::string::npos, said.c_str());
}

void TestWeightNames::refusesOneNameForTwo()
{
    const fs::path copy = copyOf("llama");
    edit(copy / "model.safetensors", [](json& header) {
        header["model.layers.0._orig_mod.input_layernorm.weight"] = header["model.layers.0.input_layernorm.weight"];
    });
    const Opened got = openedAt(copy);
    QVERIFY2(got.error.find("'model.layers.0.input_layernorm.weight' and "
                            "'model.layers.0._orig_mod.input_layernorm.weight'")
                 != std::string::npos,
             got.error.c_str());
}

void TestWeightNames::refusesAdaptersThatWereNotMerged()
{
    const fs::path copy = copyOf("llama");
    edit(copy / "model.safetensors", [](json& header) {
        json peft = json::object();
        for (const auto& [name, tensor] : header.items())
            if (name != "__metadata__")
                peft["base_model.model." + name] = tensor;
        const std::string map = "base_model.model.model.layers.0.self_attn.q_proj.";
        peft[map + "base_layer.weight"] = peft[map + "weight"];
        peft[map + "lora_A.default.weight"] = peft[map + "weight"];
        peft.erase(map + "weight");
        header = peft;
    });
    const Opened got = openedAt(copy);
    QVERIFY2(got.error.find("lora_A.default.weight' belongs to an adapter that was not merged") != std::string::npos,
             got.error.c_str());
}

void TestWeightNames::readsPlainFp8_data()
{
    QTest::addColumn<QString>("dtype");
    QTest::newRow("E4M3") << QStringLiteral("F8_E4M3");
    QTest::newRow("E5M2") << QStringLiteral("F8_E5M2");
}

void TestWeightNames::readsPlainFp8()
{
    QFETCH(const QString, dtype);
    const bool e4m3 = dtype == QLatin1String("F8_E4M3");
    const fs::path plain = copyOf("llama", "plain"), fp8 = copyOf("llama", "fp8");
    // Random bytes of sizes near 1, and the numbers that they are.
    const json header = headerOf(readAll(plain / "model.safetensors"));
    json few = json::object(), many = json::object();
    std::string bytes, numbers;
    std::uint32_t seed = 1;
    for (const auto& [name, tensor] : header.items()) {
        if (name == "__metadata__")
            continue;
        std::size_t count = 1;
        for (const std::size_t size : tensor["shape"])
            count *= size;
        const std::size_t at = bytes.size();
        for (std::size_t i = 0; i < count; ++i) {
            seed = seed * 1664525 + 1013904223;
            const auto byte = static_cast<std::uint8_t>((seed >> 24 & 0x83) | (e4m3 ? 0x28 : 0x34));
            const float value = e4m3 ? io::fromE4m3(byte) : io::fromE5m2(byte);
            bytes += static_cast<char>(byte);
            numbers.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
        few[name] = {{"dtype", dtype.toStdString()}, {"shape", tensor["shape"]}, {"data_offsets", {at, at + count}}};
        many[name] = {{"dtype", "F32"}, {"shape", tensor["shape"]}, {"data_offsets", {4 * at, 4 * (at + count)}}};
    }
    renamedcheckpoint::writeFile(plain / "model.safetensors", many, numbers);
    renamedcheckpoint::writeFile(fp8 / "model.safetensors", few, bytes);
    const Opened want = openedAt(plain), got = openedAt(fp8);
    QVERIFY2(want.error.empty() && got.error.empty(), (want.error + got.error).c_str());
    QVERIFY(at::equal(want.logits, got.logits));
    QVERIFY(mentioned(got.warnings, "FP8 without factors"));
    // Factors that nothing explains are not left out.
    edit(fp8 / "model.safetensors", [](json& all) {
        all["model.layers.0.mlp.up_proj.weight_scale_inv"] = all["model.layers.0.mlp.up_proj.weight"];
    });
    const Opened refused = openedAt(fp8);
    QVERIFY2(refused.error.find("up_proj.weight_scale_inv'") != std::string::npos, refused.error.c_str());
}

void TestWeightNames::namesPackedWeights()
{
    const fs::path gptq = copyOf("llama", "gptq"), awq = copyOf("llama", "awq"), mlx = copyOf("llama", "mlx");
    const auto packed = [](const fs::path& folder, const std::vector<std::string>& parts) {
        edit(folder / "model.safetensors", [&](json& header) {
            const json original = header;
            for (const auto& [name, tensor] : original.items())
                if (name.ends_with("_proj.weight")) {
                    header.erase(name);
                    for (const std::string& part : parts) {
                        json& made = header[name.substr(0, name.size() - 6) + part] = tensor;
                        made["dtype"] = part == "scales" ? "F32" : part == "weight" ? "U32" : "I32";
                    }
                }
        });
    };
    packed(gptq, {"qweight", "qzeros", "scales", "g_idx"});
    packed(awq, {"qweight", "qzeros", "scales"});
    packed(mlx, {"weight", "scales", "biases"});
    const fs::path old = copyOf("llama", "old"); // without an order of its own
    packed(old, {"qweight", "qzeros", "scales"});
    for (const fs::path& folder : {gptq, old})
        std::ofstream(folder / "quantize_config.json") << R"({"bits": 4, "group_size": 128, "desc_act": false})";
    for (const auto& [folder, words] : {std::pair(gptq, "packed as GPTQ"), std::pair(old, "packed as GPTQ"),
                                        std::pair(awq, "packed as AWQ or GPTQ"), std::pair(mlx, "packed as MLX")}) {
        const Opened got = openedAt(folder);
        QVERIFY2(got.error.find(words) != std::string::npos, got.error.c_str());
    }
}

void TestWeightNames::anIndexMayListTooMuch()
{
    const fs::path copy = copyOf("llama");
    const Opened want = openedAt(copy);
    fs::rename(copy / "model.safetensors", copy / "model-00001-of-00001.safetensors");
    json map = json::object();
    const json header = headerOf(readAll(copy / "model-00001-of-00001.safetensors"));
    for (const auto& [name, tensor] : header.items())
        if (name != "__metadata__")
            map[name] = "model-00001-of-00001.safetensors";
    const auto write = [&](const json& names) {
        std::ofstream(copy / "model.safetensors.index.json") << json{{"weight_map", names}};
    };
    json more = map;
    more["model.layers.0.self_attn.rotary_emb.inv_freq"] = "model-00001-of-00001.safetensors";
    write(more);
    const Opened got = openedAt(copy);
    QVERIFY2(got.error.empty(), got.error.c_str());
    QVERIFY(at::equal(want.logits, got.logits));
    QVERIFY(mentioned(got.warnings, "rotary_emb.inv_freq"));
    // A shard that is not there, and a tensor that the model needs.
    more["model.layers.0.self_attn.rotary_emb.inv_freq"] = "model-00002-of-00002.safetensors";
    write(more);
    QVERIFY(openedAt(copy).error.find("'model-00002-of-00002.safetensors' is missing") != std::string::npos);
    fs::create_symlink("/nowhere/shard", copy / "model-00002-of-00002.safetensors");
    QVERIFY(openedAt(copy).error.find("the link leads to '/nowhere/shard'") != std::string::npos);
    write(map);
    rename(copy / "model-00001-of-00001.safetensors",
           [](const std::string& name) { return name == "model.norm.weight" ? "aside" : name; });
    const Opened needed = openedAt(copy);
    QVERIFY2(needed.error.find("'model.norm.weight' is missing") != std::string::npos, needed.error.c_str());
}

void TestWeightNames::namesAdapterFolders()
{
    const fs::path folder = fs::path(m_folder->path().toStdString()) / "adapter";
    fs::create_directory(folder);
    const auto words = [&] { return openedAt(folder).error; };
    const auto write = [&](const char* text) { std::ofstream(folder / "adapter_config.json") << text; };
    write(R"({"peft_type": "LORA", "base_model_name_or_path": "org/base"})");
    std::ofstream(folder / "tokenizer.json") << "{}";
    std::ofstream(folder / "adapter_model.safetensors") << "x";
    QVERIFY2(words().find("contains a LoRA adapter of 'org/base', not a model") != std::string::npos, words().c_str());
    QVERIFY(!io::resolveModel(folder.string(), {}).has_value()); // its base is not here
    write(R"({"peft_type": "IA3"})");
    QVERIFY2(words().find("an adapter of the type 'IA3' of a model that it does not name") != std::string::npos,
             words().c_str());
    write("no JSON");
    QVERIFY2(words().find("contains an adapter") != std::string::npos, words().c_str());
    // With a config.json of the base beside it; with the base's weights too.
    write(R"({"peft_type": "LORA", "base_model_name_or_path": "org/base"})");
    const fs::path model = copyOf("llama", "adapter");
    fs::rename(model / "model.safetensors", model / "weights");
    QVERIFY2(openedAt(model).error.find("contains a LoRA adapter of 'org/base', not a model") != std::string::npos,
             openedAt(model).error.c_str());
    fs::rename(model / "weights", model / "model.safetensors");
    const Opened both = openedAt(model);
    QVERIFY2(both.error.empty() && mentioned(both.warnings, "a LoRA adapter of 'org/base', which is not added"),
             both.error.c_str());
}

void TestWeightNames::namesBrokenLinks()
{
    const fs::path folder = m_folder->path().toStdString();
    const std::string expected = "the link leads to '/nowhere/x', which does not exist";
    const auto named = [&](const fs::path& model) {
        const std::string said = openedAt(model).error;
        return said.find(expected) != std::string::npos && said.ends_with('.');
    };
    fs::create_symlink("/nowhere/x", folder / "broken.gguf");
    fs::create_symlink("/nowhere/x", folder / "broken");
    for (const char* name : {"broken.gguf", "broken"}) {
        QVERIFY2(named(folder / name), openedAt(folder / name).error.c_str());
        const auto resolved = io::resolveModel((folder / name).string(), {});
        QVERIFY(!resolved.has_value() && resolved.error().message.find(expected) != std::string::npos);
    }
    for (const char* file : {"config.json", "model.safetensors"}) {
        const fs::path copy = copyOf("llama", file);
        fs::remove(copy / file);
        fs::create_symlink("/nowhere/x", copy / file);
        QVERIFY2(named(copy), openedAt(copy).error.c_str());
    }
}

QTEST_GUILESS_MAIN(TestWeightNames)
#include "tst_weightnames.moc"
