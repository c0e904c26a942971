// SPDX-License-Identifier: GPL-3.0-or-later
// Models whose config ties the head to the embedding, and files that say otherwise.
#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensorswriter.h"
#include "core/lm/load.h"
#include "core/lm/weights/weights.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

using Tensors = std::map<std::string, at::Tensor>;

const std::string kEmbedding = "model.embed_tokens.weight";
const std::string kHead = "lm_head.weight";

fs::path golden(const std::string& family)
{
    return fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / "golden" / family;
}

Tensors tensorsOf(const fs::path& folder)
{
    const auto checkpoint = *io::Checkpoint::open(folder);
    lm::Weights weights(checkpoint, {});
    Tensors tensors;
    for (const std::string& name : checkpoint->names())
        tensors[name] = weights.take(name, checkpoint->find(name)->info.shape).contiguous();
    return tensors;
}

nlohmann::json configOf(const fs::path& folder)
{
    std::ifstream in(folder / "config.json");
    return nlohmann::json::parse(in);
}

void write(const fs::path& folder, const nlohmann::json& config, const Tensors& tensors)
{
    fs::create_directories(folder);
    std::ofstream(folder / "config.json") << config.dump(1);
    std::vector<io::TensorToWrite> out;
    for (const auto& [name, tensor] : tensors)
        out.push_back({name, io::Dtype::F32, tensor.sizes().vec(),
                       std::as_bytes(std::span(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())))});
    QVERIFY(io::writeSafetensors(folder / "model.safetensors", out).has_value());
}

/// Logits of the last of four tokens.
at::Tensor logitsOf(const fs::path& folder)
{
    const auto loaded = lm::load(folder, {"cpu", "fp32"});
    if (!loaded.has_value()) {
        qWarning("%s", loaded.error().message.c_str());
        return {};
    }
    const at::NoGradGuard noGrad;
    const at::Tensor ids = at::tensor({1L, 2L, 3L, 4L}, at::kLong).unsqueeze(0);
    return loaded->model->logits(ids).select(1, -1);
}

} // namespace

class TestTiedHead : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void usesAStoredHeadOfItsOwn();
    void tiesToAnEqualHeadWithoutAWord();
    void findsTheTableUnderTheHeadsName();
    void zamba2IsKnownByItsTensors();
};

void TestTiedHead::usesAStoredHeadOfItsOwn()
{
    QTemporaryDir dir;
    const fs::path untied = fs::path(dir.path().toStdString()) / "untied",
                   tied = fs::path(dir.path().toStdString()) / "tied";
    Tensors tensors = tensorsOf(golden("llama"));
    tensors[kHead] = at::randn(tensors.at(kEmbedding).sizes());
    nlohmann::json config = configOf(golden("llama"));
    config["tie_word_embeddings"] = false;
    write(untied, config, tensors);
    config["tie_word_embeddings"] = true;
    write(tied, config, tensors);

    const at::Tensor expected = logitsOf(untied), found = logitsOf(tied);
    QVERIFY(expected.defined() && found.defined());
    QVERIFY(at::equal(expected, found));
    const auto inspected = lm::inspect(tied, {"cpu", "fp32"});
    QVERIFY(inspected.has_value());
    QVERIFY(!inspected->model->spec().tiedHead);
    QVERIFY2(std::ranges::any_of(inspected->warnings,
                                 [](const std::string& w) { return w.find("the stored head is used") != w.npos; }),
             "nothing was said");
}

void TestTiedHead::tiesToAnEqualHeadWithoutAWord()
{
    QTemporaryDir dir;
    const fs::path tied = dir.path().toStdString();
    Tensors tensors = tensorsOf(golden("llama"));
    tensors[kHead] = tensors.at(kEmbedding).clone();
    nlohmann::json config = configOf(golden("llama"));
    config["tie_word_embeddings"] = true;
    write(tied, config, tensors);
    const auto loaded = lm::load(tied, {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    QVERIFY(loaded->model->spec().tiedHead);
    QVERIFY2(loaded->warnings.empty(), loaded->warnings.empty() ? "" : loaded->warnings.front().c_str());
}

void TestTiedHead::findsTheTableUnderTheHeadsName()
{
    QTemporaryDir dir;
    for (const auto& [family, embedding] :
         {std::pair{"llama", "model.embed_tokens.weight"}, std::pair{"gpt2", "wte.weight"},
          std::pair{"mamba", "backbone.embeddings.weight"}}) {
        const fs::path both = fs::path(dir.path().toStdString()) / family,
                       one = fs::path(dir.path().toStdString()) / (std::string(family) + "-one");
        Tensors tensors = tensorsOf(golden(family));
        QVERIFY2(tensors.contains(embedding), embedding);
        tensors.erase(kHead);
        nlohmann::json config = configOf(golden(family));
        config["tie_word_embeddings"] = true;
        write(both, config, tensors);
        tensors[kHead] = tensors.at(embedding);
        tensors.erase(embedding);
        write(one, config, tensors);
        const at::Tensor expected = logitsOf(both), found = logitsOf(one);
        QVERIFY2(expected.defined() && found.defined(), family);
        QVERIFY2(at::equal(expected, found), family);
    }
}

void TestTiedHead::zamba2IsKnownByItsTensors()
{
    QTemporaryDir dir;
    const fs::path folder = dir.path().toStdString();
    Tensors tensors = tensorsOf(golden("zamba2"));
    nlohmann::json config = configOf(golden("zamba2"));
    config["lora_rank"] = 128;
    config["ffn_hidden_size"] = 256;
    config["use_shared_block_lora"] = true;
    write(folder, config, tensors);
    const at::Tensor expected = logitsOf(golden("zamba2")), found = logitsOf(folder);
    QVERIFY(expected.defined() && found.defined());
    QVERIFY(at::equal(expected, found));

    Tensors renamed; // what only begins with another word opens
    for (const auto& [name, tensor] : tensors) {
        std::string other = name;
        if (const std::size_t at = other.find(".mamba."); at != std::string::npos)
            other.replace(at, 7, ".mixer.");
        renamed[other] = tensor;
    }
    write(folder, config, renamed);
    const auto refused = lm::load(folder, {"cpu", "fp32"});
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message.find("old Zyphra fork") != std::string::npos, refused.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestTiedHead)
#include "tst_tiedhead.moc"
