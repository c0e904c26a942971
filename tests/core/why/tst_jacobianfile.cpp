// SPDX-License-Identifier: GPL-3.0-or-later
// Files of Jacobian lenses: what is written is read again, a file as PyTorch writes it is read, and what does not fit a
// model is refused with one sentence.
#include "core/base/writefile.h"
#include "core/io/pytorch/torchwriter.h"
#include "core/io/textfiles/textfile.h"
#include "core/lm/load.h"
#include "core/why/lenses/jacobianfile.h"
#include "core/why/lenses/lens.h"
#include "tests/support/goldens.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>

using namespace headscope;
using namespace headscope::why;
using io::TorchValue;
namespace fs = std::filesystem;

namespace {

constexpr int kHidden = 32, kLayers = 3; // of the golden llama
const std::string kHash(64, 'a');

lm::ModelSpec specOf(int layers = kLayers)
{
    lm::ModelSpec spec;
    spec.hidden = kHidden;
    spec.layers.resize(static_cast<std::size_t>(layers));
    return spec;
}

/// A published lens for such a model, to be changed before it is written.
struct Published {
    std::map<std::int64_t, at::Tensor> matrices{{0, at::rand({kHidden, kHidden})}, {1, at::rand({kHidden, kHidden})}};
    std::vector<std::int64_t> listed{0, 1};
    std::int64_t width = kHidden, prompts = 7;
    TorchValue::Table metadata;
    std::string key = "J";

    [[nodiscard]] std::string bytes() const
    {
        TorchValue::Table all;
        TorchValue::List layers;
        std::vector<at::Tensor> kept;
        for (const auto& [layer, matrix] : matrices) {
            const bool whole = matrix.scalar_type() == at::kLong;
            kept.push_back(whole ? matrix : matrix.to(at::kHalf).contiguous());
            all.push_back(
                {{layer},
                 {io::TensorToWrite{{},
                                    whole ? io::Dtype::I64 : io::Dtype::F16,
                                    kept.back().sizes().vec(),
                                    {static_cast<const std::byte*>(kept.back().data_ptr()), kept.back().nbytes()}}}});
        }
        for (const std::int64_t layer : listed)
            layers.push_back({layer});
        return *io::torchBytes({{{key}, {all}},
                                {{std::string("n_prompts")}, {prompts}},
                                {{std::string("source_layers")}, {layers}},
                                {{std::string("d_model")}, {width}},
                                {{std::string("metadata")}, {metadata}}});
    }
    void says(const std::string& name, const std::string& value) { metadata.push_back({{name}, {value}}); }
};

} // namespace

class TestJacobianFile : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatIsWrittenIsRead();
    void anUnfinishedFitGoesOnExactly();
    void aFileOfPyTorchIsRead();
    void refuses_data();
    void refuses();
    void everyCutIsRefused();
    void aReadOutNeedsEveryLayer();

private:
    QTemporaryDir m_folder;
    [[nodiscard]] fs::path file(const char* name = "lens.pt") const
    {
        return m_folder.filePath(QString::fromUtf8(name)).toStdString();
    }
};

void TestJacobianFile::whatIsWrittenIsRead()
{
    JacobianLens lens;
    for (int layer = 0; layer < kLayers; ++layer)
        lens.before[layer] = at::randn({kHidden, kHidden}).to(at::kHalf).to(at::kFloat);
    const LensOrigin origin{.model = "small",
                            .modelHash = kHash,
                            .corpusHash = "c",
                            .promptsHash = "p",
                            .dtype = "fp32",
                            .skip = 4,
                            .length = 24};
    QVERIFY(writeLens(file(), lens, 12, origin).has_value());
    const auto read = readLens(file(), specOf(), kHash);
    QVERIFY2(read.has_value(), read.has_value() ? "" : read.error().message.c_str());
    QCOMPARE(read->prompts, 12);
    QVERIFY(read->origin == origin);
    QCOMPARE(read->lens.before.size(), lens.before.size());
    for (const auto& [layer, matrix] : lens.before)
        QVERIFY(read->lens.before.at(layer).equal(matrix));
    QCOMPARE(lensHash(read->lens), lensHash(lens));
    lens.before[1][3][4] += 1;
    QVERIFY(lensHash(read->lens) != lensHash(lens));
    lens.before[1][3][4] = 1e6;
    const auto large = writeLens(file(), lens, 12, origin);
    QVERIFY(!large.has_value() && large.error().message.find("65504") != std::string::npos);
}

void TestJacobianFile::anUnfinishedFitGoesOnExactly()
{
    const at::NoGradGuard noGrad;
    const auto model = lm::load(goldens::own("golden") / "llama", {"cpu", "fp32"})->model;
    const lm::Edits none{.layers = {}, .layerCount = kLayers};
    const LensOrigin origin{.model = "llama",
                            .modelHash = kHash,
                            .corpusHash = "c",
                            .promptsHash = "p",
                            .dtype = "fp32",
                            .skip = 2,
                            .length = 8};
    const std::vector<std::vector<int>> prompts = {{1, 2, 3, 4, 5, 6}, {9, 8, 7, 6, 5, 4}, {3, 1, 4, 1, 5, 9}};
    JacobianFit whole(*model, none, {.layers = {0, 2}, .skip = 2}), first(*model, none, {.layers = {0, 2}, .skip = 2}),
        second(*model, none, {.layers = {0, 2}, .skip = 2});
    for (const auto& ids : prompts)
        QVERIFY(whole.add(ids).has_value());
    QVERIFY(first.add(prompts[0]).has_value());
    QVERIFY(writeUnfinished(file("part"), first.sums(), origin).has_value());
    auto sums = readUnfinished(file("part"), model->spec(), origin, second.sums());
    QVERIFY2(sums.has_value(), sums.has_value() ? "" : sums.error().message.c_str());
    second.resume(std::move(*sums));
    QVERIFY(second.add(prompts[1]).has_value() && second.add(prompts[2]).has_value());
    const auto a = whole.mean(), b = second.mean();
    QCOMPARE(b.before.size(), std::size_t{2});
    for (const auto& [layer, matrix] : a.before)
        QVERIFY(b.before.at(layer).equal(matrix));
    LensOrigin other = origin;
    other.corpusHash = "d";
    const auto refused = readUnfinished(file("part"), model->spec(), other, second.sums());
    QVERIFY(!refused.has_value() && refused.error().message.find("other texts") != std::string::npos);
    // Prompts that say nothing are refused, and add nothing.
    const auto shorter = second.add({1, 2, 3});
    QVERIFY(!shorter.has_value() && shorter.error().message.find("at least 4") != std::string::npos);
    QVERIFY(!second.add({1, 2, 3, 4, 5, 1000000}).has_value());
    QCOMPARE(second.sums().prompts, 3);
}

void TestJacobianFile::aFileOfPyTorchIsRead()
{
    const auto read = readLens(goldens::own("lenses") / "published.pt", specOf(), kHash);
    QVERIFY2(read.has_value(), read.has_value() ? "" : read.error().message.c_str());
    QCOMPARE(read->prompts, 100);
    QCOMPARE(read->lens.before.size(), std::size_t{2}); // the last layer's is the identity
    // J[l][i][j] = l + i / 64 + j / 4096 in fp16
    for (const int layer : {0, 1})
        for (const int i : {0, 5, 31})
            for (const int j : {0, 7, 31}) {
                const double value = read->lens.before.at(layer + 1)[i][j].item<double>();
                QVERIFY(std::abs(value - (layer + i / 64.0 + j / 4096.0)) < 1e-3);
            }
    LensOrigin told;
    told.dtype = "torch.float16";
    QVERIFY(read->origin == told);
    Published many; // a number that no int holds is no number of prompts
    many.prompts = (std::int64_t{1} << 32) - 1;
    QVERIFY(writeFile(file(), many.bytes()).has_value());
    QCOMPARE(readLens(file(), specOf(), kHash)->prompts, 0);
}

void TestJacobianFile::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* says, const std::function<void(Published&)>& change) {
        Published lens;
        change(lens);
        QTest::newRow(name) << QByteArray::fromStdString(lens.bytes()) << QString::fromUtf8(says);
    };
    row("another width by name", "its width is 64; expected 32", [](Published& l) { l.width = 64; });
    row("another width by shape", "has the shape [16, 16]; expected [32, 32]", [](Published& l) {
        l.matrices[1] = at::rand({16, 16});
    });
    row("not square", "has the shape [32, 16]", [](Published& l) { l.matrices[1] = at::rand({32, 16}); });
    row("a layer too many", "layer 3; expected layers from 0 to 2", [](Published& l) {
        l.matrices[3] = at::rand({kHidden, kHidden});
    });
    row("a negative layer", "layer -1; expected layers from 0 to 2", [](Published& l) {
        l.matrices[-1] = at::rand({kHidden, kHidden});
    });
    row("a listed layer is missing", "names layer 1, but 'J' has no matrix", [](Published& l) { l.matrices.erase(1); });
    row("not a number", "not finite", [](Published& l) { l.matrices[0][3][4] = NAN; });
    row("infinite", "not finite", [](Published& l) { l.matrices[1][0][0] = INFINITY; });
    row("integers", "has the type I64", [](Published& l) { l.matrices[1] = at::ones({kHidden, kHidden}, at::kLong); });
    row("no J", "no matrices under 'J'", [](Published& l) { l.key = "jacobian"; });
    row("processed weights", "processed weights", [](Published& l) { l.says("processed_weights", "True"); });
    row("folded norms", "processed weights", [](Published& l) {
        l.metadata.push_back({{std::string("fold_ln")}, {std::int64_t{1}}});
    });
    row("weights are processed", "processed weights", [](Published& l) { l.says("weights", "processed"); });
    row("processing was not left out", "processed weights", [](Published& l) {
        l.metadata.push_back({{std::string("no_processing")}, {std::int64_t{0}}});
    });
    row("folded by a mode", "processed weights", [](Published& l) {
        l.metadata.push_back({{std::string("processing")},
                              {TorchValue::Table{{{std::string("compatibility_mode")}, {std::int64_t{1}}},
                                                 {{std::string("weight_basis")}, {std::string("raw_huggingface")}}}}});
    });
    row("another basis", "processed weights", [](Published& l) { l.says("weight_basis", "folded"); });
    row("another target", "after layer 1; expected layer 2", [](Published& l) {
        l.metadata.push_back({{std::string("target_layer")}, {std::int64_t{1}}});
    });
    row("another kind", "of the kind 'relevance_lens'", [](Published& l) { l.says("estimator", "relevance_lens"); });
    row("a deeper model", "layer 2 is not the identity", [](Published& l) {
        l.matrices[2] = at::rand({kHidden, kHidden});
    });
    row("another model", "fitted to another model ('elsewhere', hash bbbbbbbbbbbb)", [](Published& l) {
        l.says("model", "elsewhere");
        l.says("model_hash", std::string(64, 'b'));
    });
    row("raw weights", "", [](Published& l) {
        l.says("weights", "raw");
        l.says("weight_basis", "raw_huggingface");
        l.says("estimator", "jacobian_lens");
        l.matrices[2] = at::eye(kHidden);
        l.metadata.push_back({{std::string("target_layer")}, {std::int64_t{2}}});
        l.metadata.push_back({{std::string("fold_ln")}, {std::int64_t{0}}});
        l.metadata.push_back({{std::string("no_processing")}, {std::int64_t{1}}});
        l.says("model_hash", kHash);
    });
    QByteArray code = QByteArray::fromStdString(Published().bytes());
    QTest::newRow("a program") << code.replace("_rebuild_tensor_v2", "_rebuild_tensor_vX") << "which could run code";
    code = QByteArray::fromStdString(Published().bytes());
    QTest::newRow("fp8") << code.replace("_rebuild_tensor_v2", "_rebuild_tensor_v3") << "fp8";
    QTest::newRow("nothing") << QByteArray() << "cut short";
    QTest::newRow("a text") << QByteArray("no lens") << "cut short";
}

void TestJacobianFile::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    QVERIFY(writeFile(file(), bytes.toStdString()).has_value());
    const auto read = readLens(file(), specOf(), kHash);
    if (says.isEmpty()) {
        QVERIFY2(read.has_value(), read.has_value() ? "" : read.error().message.c_str());
        return;
    }
    QVERIFY(!read.has_value());
    const QString message = QString::fromStdString(read.error().message);
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(message.contains(QStringLiteral("lens.pt")) && message.endsWith(QLatin1Char('.'))
                 && !message.contains(QLatin1Char('\n')),
             qPrintable(message));
}

void TestJacobianFile::everyCutIsRefused()
{
    const std::string whole = Published().bytes();
    for (std::size_t size = 0; size < whole.size(); size += 97) {
        QVERIFY(writeFile(file(), whole.substr(0, size)).has_value());
        QVERIFY(!readLens(file(), specOf(), kHash).has_value());
    }
}

void TestJacobianFile::aReadOutNeedsEveryLayer()
{
    QVERIFY(writeFile(file(), Published().bytes()).has_value());
    QVERIFY(readWholeLens(file(), specOf(), kHash).has_value());
    QVERIFY(readLens(file(), specOf(6), kHash).has_value());
    const auto missing = readWholeLens(file(), specOf(6), kHash);
    QVERIFY(!missing.has_value());
    QVERIFY2(missing.error().message.ends_with(
                 ": it has no matrix for layer 2, 3, 4; expected one for each layer from 0 to 4."),
             missing.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestJacobianFile)
#include "tst_jacobianfile.moc"
