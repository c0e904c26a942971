// SPDX-License-Identifier: GPL-3.0-or-later
// The published sizes of public models, counted from configs alone: a family that forgets a tensor, or takes one of
// another shape, is off by it. No weights are read or made.
#include "core/lm/familykind.h"
#include "core/lm/load.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <set>

using namespace headscope;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kData = fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data";

json llama(int hidden, int inner, int layers, int heads, int keyHeads, int headDim, int vocabulary, bool tied,
           const char* type = "llama")
{
    return {{"model_type", type},          {"hidden_size", hidden},        {"intermediate_size", inner},
            {"num_hidden_layers", layers}, {"num_attention_heads", heads}, {"num_key_value_heads", keyHeads},
            {"head_dim", headDim},         {"vocab_size", vocabulary},     {"tie_word_embeddings", tied}};
}

json neox(int hidden, int layers, int heads, int vocabulary)
{
    return {{"model_type", "gpt_neox"},    {"hidden_size", hidden},        {"intermediate_size", 4 * hidden},
            {"num_hidden_layers", layers}, {"num_attention_heads", heads}, {"vocab_size", vocabulary}};
}

json mamba(int hidden, int layers, int vocabulary)
{
    return {
        {"model_type", "mamba"}, {"hidden_size", hidden}, {"num_hidden_layers", layers}, {"vocab_size", vocabulary}};
}

json mamba2(int hidden, int layers, int heads)
{
    return {{"model_type", "mamba2"},
            {"hidden_size", hidden},
            {"num_hidden_layers", layers},
            {"num_heads", heads},
            {"head_dim", 64},
            {"n_groups", 1},
            {"vocab_size", 50288},
            {"tie_word_embeddings", true}};
}

json llamba(int width, int layers, int inner, bool tied)
{
    return {{"model_type", "llamba"},
            {"vocab_size", 128256},
            {"d_model", width},
            {"n_layer", layers},
            {"tie_embeddings", tied},
            {"mlp_cfg", {{"intermediate_size", inner}}},
            {"ssm_cfg", {{"d_state", 64}, {"n_v_heads", 32}, {"n_qk_heads", 32}, {"expand", 1}}}};
}

json zamba2(int hidden, int layers, const std::vector<int>& hybrid, int states, int groups, int mambaHeads, int blocks,
            bool adapters, bool rotary)
{
    json types(std::vector<std::string>(static_cast<std::size_t>(layers), "mamba"));
    for (const int layer : hybrid)
        types[static_cast<std::size_t>(layer)] = "hybrid";
    return {{"model_type", "zamba2"},
            {"hidden_size", hidden},
            {"num_hidden_layers", layers},
            {"layers_block_type", types},
            {"mamba_d_state", states},
            {"mamba_ngroups", groups},
            {"n_mamba_heads", mambaHeads},
            {"num_attention_heads", 32},
            {"intermediate_size", 4 * hidden},
            {"num_mem_blocks", blocks},
            {"use_shared_attention_adapter", adapters},
            {"use_mem_rope", rotary},
            {"adapter_rank", 128},
            {"vocab_size", 32000}};
}

} // namespace

class TestParameters : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void areThePublishedOnes_data();
    void areThePublishedOnes();
    void checkpointsHoldWhatTheirConfigSays();
    void headThatIsMissingIsSaid();
    void unknownFamilyIsRefused();
    void kindsAreWhatTheLayersSay();
};

void TestParameters::areThePublishedOnes_data()
{
    QTest::addColumn<QString>("config");
    QTest::addColumn<qlonglong>("parameters");
    const auto row = [](const char* name, const json& config, qlonglong parameters) {
        QTest::newRow(name) << QString::fromStdString(config.dump()) << parameters;
    };
    row("Llama-3.1-8B", llama(4096, 14336, 32, 32, 8, 128, 128256, false), 8'030'261'248);
    row("Llama-3.2-1B", llama(2048, 8192, 16, 32, 8, 64, 128256, true), 1'235'814'400);
    row("Llama-3.2-3B", llama(3072, 8192, 28, 24, 8, 128, 128256, true), 3'212'749'824);
    row("Mistral-7B-v0.1", llama(4096, 14336, 32, 32, 8, 128, 32000, false, "mistral"), 7'241'732'096);
    row("Qwen2.5-0.5B", llama(896, 4864, 24, 14, 2, 64, 151936, true, "qwen2"), 494'032'768);
    row("Qwen2.5-14B", llama(5120, 13824, 48, 40, 8, 128, 152064, false, "qwen2"), 14'770'033'664);
    row("Qwen3-0.6B", llama(1024, 3072, 28, 16, 8, 128, 151936, true, "qwen3"), 596'049'920);
    row("Qwen3-8B", llama(4096, 12288, 36, 32, 8, 128, 151936, false, "qwen3"), 8'190'735'360);
    row("GPT-2", {{"model_type", "gpt2"}}, 124'439'808);
    row("Pythia-160m", neox(768, 12, 12, 50304), 162'322'944);
    row("mamba-130m", mamba(768, 24, 50280), 129'135'360);
    row("mamba-2.8b", mamba(2560, 64, 50280), 2'768'345'600);
    row("falcon-mamba-7b",
        {{"model_type", "falcon_mamba"},
         {"hidden_size", 4096},
         {"intermediate_size", 8192},
         {"expand", 16},
         {"num_hidden_layers", 64},
         {"vocab_size", 65024},
         {"tie_word_embeddings", false}},
        7'272'665'088);
    row("mamba2-130m", mamba2(768, 24, 24), 128'989'632);
    row("mamba2-2.7b", mamba2(2560, 64, 80), 2'702'599'680);
    row("Llamba-1B", llamba(2048, 16, 8192, true), 1'405'159'936);
    row("Llamba-3B", llamba(3072, 28, 8192, true), 3'656'994'688);
    row("Llamba-8B", llamba(4096, 32, 14336, true), 8'315'868'160);
    row("Llamba-8B-untied", llamba(4096, 32, 14336, false), 8'841'204'736);
    row("Zamba2-1.2B", zamba2(2048, 38, {5, 11, 17, 23, 29, 35}, 128, 1, 64, 1, true, true), 1'215'064'704);
    row("Zamba2-2.7B", zamba2(2560, 54, {6, 12, 18, 24, 30, 36, 42, 47, 51}, 64, 1, 80, 2, false, false),
        2'662'214'560);
    row("Zamba2-7B", zamba2(3584, 81, {6, 11, 17, 23, 29, 35, 41, 47, 53, 59, 65, 71, 77}, 64, 2, 112, 2, false, true),
        7'356'749'648);
}

void TestParameters::areThePublishedOnes()
{
    QFETCH(QString, config);
    QFETCH(qlonglong, parameters);
    const auto spec = lm::describe(lm::Config(json::parse(config.toStdString())));
    QVERIFY2(spec.has_value(), spec.has_value() ? "" : spec.error().message.c_str());
    QCOMPARE(static_cast<qlonglong>(spec->parameters), parameters);
}

void TestParameters::checkpointsHoldWhatTheirConfigSays()
{
    int folders = 0;
    for (const auto& entry : fs::recursive_directory_iterator(kData)) {
        if (entry.path().filename() != "config.json")
            continue;
        const auto model = lm::inspect(entry.path().parent_path(), {"cpu", "fp32"});
        QVERIFY2(model.has_value(), entry.path().c_str());
        for (const std::string& warning : model->warnings) // what is said of tensors is not expected
            QVERIFY2(warning.starts_with("Only the text part") || warning.starts_with("Time steps")
                         || warning.starts_with("This model is supported up to ")
                         || warning.starts_with("The weights are packed as "),
                     (entry.path().string() + ": " + warning).c_str());
        ++folders;
    }
    QVERIFY(folders >= 76);
}

void TestParameters::headThatIsMissingIsSaid()
{
    const QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    const fs::path tied = kData / "variants" / "llama_yarn"; // its checkpoint has no head
    fs::copy(tied / "model.safetensors", path / "model.safetensors");
    std::ifstream in(tied / "config.json");
    json config = json::parse(in);
    config["tie_word_embeddings"] = false;
    std::ofstream(path / "config.json") << config;
    const auto model = lm::inspect(path, {"cpu", "fp32"});
    QVERIFY(!model.has_value()); // the embedding in its place would be another model
    QVERIFY2(model.error().message.find("'lm_head.weight' is missing") != std::string::npos,
             model.error().message.c_str());
}

void TestParameters::unknownFamilyIsRefused()
{
    const auto spec = lm::describe(lm::Config(json{{"model_type", "rwkv"}}));
    QVERIFY(!spec.has_value());
    QVERIFY(spec.error().message.find("'rwkv' is not supported") != std::string::npos);
    QVERIFY(!lm::familyKind("rwkv"));
    // A known one with layers of another kind.
    const auto hybrid =
        lm::describe(lm::Config(json{{"model_type", "rwkv7"},
                                     {"hidden_size", 64},
                                     {"attn", {{"layers", {1}}, {"num_heads", 2}, {"window_size", 8}}}}));
    QVERIFY(!hybrid.has_value());
    QVERIFY(hybrid.error().message.find("This RWKV-7 model has layers of attention ('attn')") != std::string::npos);
}

// What a family is called must be what its layers are.
void TestParameters::kindsAreWhatTheLayersSay()
{
    std::set<std::string> seen;
    for (const auto& folder : fs::recursive_directory_iterator(kData / "golden")) {
        if (!fs::exists(folder.path() / "config.json"))
            continue;
        const auto config = lm::Config::load(folder.path());
        QVERIFY(config.has_value());
        const std::string family = *config->family();
        const auto spec = lm::describe(*config);
        QVERIFY2(spec.has_value(), family.c_str());
        std::set<lm::Site> sites;
        for (const lm::LayerSpec& layer : spec->layers)
            for (const lm::MixerSpec& mixer : layer.mixers)
                sites.insert(mixer.site());
        const auto expected = sites.size() == 2               ? lm::FamilyKind::Hybrid
                              : sites.contains(lm::Site::Ssm) ? lm::FamilyKind::Ssm
                                                              : lm::FamilyKind::Transformer;
        QVERIFY2(lm::familyKind(family) == expected, family.c_str());
        seen.insert(family);
    }
    QVERIFY(seen.size() >= 15);
}

QTEST_GUILESS_MAIN(TestParameters)
#include "tst_parameters.moc"
