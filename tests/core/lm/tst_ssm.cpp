// SPDX-License-Identifier: GPL-3.0-or-later
// SSM mixers against themselves: matrix, chunked scan, recurrence and continued state are one map.
#include "core/lm/load.h"
#include "core/lm/mixers/gateddeltanet.h"
#include "core/lm/mixers/mamba1.h"
#include "core/lm/mixers/mamba2.h"
#include "core/lm/mixers/selectivescan.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

using namespace headscope;
using namespace headscope::lm;

namespace {

constexpr double kTolerance = 1e-4;

/// With a matrix for every mixer and a state that goes on.
constexpr const char* kModels[] = {"llama",
                                   "mamba",
                                   "falcon_mamba",
                                   "mamba2",
                                   "llamba",
                                   "zamba2",
                                   "hybrid_llamba",
                                   "stretch/bamba",
                                   "stretch/jamba",
                                   "stretch/falcon_h1",
                                   "stretch/granitemoehybrid",
                                   "stretch/qwen3_next",
                                   "hub/lfm2",
                                   "hub/nemotron_h_moe",
                                   "hub/recurrent_gemma",
                                   "hub/minimax",
                                   "hub/olmo_hybrid",
                                   "hub/kimi_linear",
                                   "hub/zamba",
                                   "hub/xlstm",
                                   "hub/rwkv7",
                                   "hub/gemma3n",
                                   "hub/gemma4"};

at::Tensor random(at::IntArrayRef shape)
{
    static at::Generator generator = at::detail::createCPUGenerator(11);
    return at::randn(shape, generator);
}

/// Largest difference as a share of the largest magnitude.
double relative(const at::Tensor& a, const at::Tensor& b)
{
    return (a - b).abs().max().item<double>() / std::max(1e-12, b.abs().max().item<double>());
}

SsdTerms randomTerms(std::int64_t length, bool weighted)
{
    constexpr std::int64_t batch = 2, heads = 6, groups = 3, headDim = 5, states = 4;
    SsdTerms t;
    t.x = random({batch, length, heads, headDim});
    t.b = random({batch, length, groups, states});
    t.c = random({batch, length, groups, states});
    const at::Tensor dt = at::softplus(random({batch, length, heads}));
    t.logDecay = -dt * 0.3;
    if (weighted)
        t.weight = dt;
    t.d = random({heads});
    return t;
}

at::Tensor applyMatrix(const at::Tensor& m, const at::Tensor& x) // [B, H, T, T], [B, T, H, P]
{
    return at::matmul(m, x.transpose(1, 2)).transpose(1, 2);
}

std::string golden(const char* name)
{
    return std::string(HEADSCOPE_SOURCE_DIR) + "/tests/data/golden/" + name;
}

} // namespace

class TestSsm : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { c10::GradMode::set_enabled(false); }
    void ssdEqualsMatrix_data();
    void ssdEqualsMatrix();
    void ssdStepsEqualScan();
    void ssdRowsEqualMatrix();
    void selectiveScansAgree();
    void selectiveScansHaveOneGradient();
    void deltaScanEqualsMatrixAndSteps_data();
    void deltaScanEqualsMatrixAndSteps();
    void valuesTimesMatrixGiveOutputs_data();
    void valuesTimesMatrixGiveOutputs();
    void stateContinuesAnywhere_data();
    void stateContinuesAnywhere();
    void capturingChangesNothing_data() { stateContinuesAnywhere_data(); }
    void capturingChangesNothing();
    void chosenRowsEqualAllRows_data() { stateContinuesAnywhere_data(); }
    void chosenRowsEqualAllRows();
    void masksActOnMatrixAndOutputAlike_data();
    void masksActOnMatrixAndOutputAlike();
    void sharedHeadsGoInEverySharingLayer();
    void longTextsContinueExactly_data();
    void longTextsContinueExactly();
};

void TestSsm::ssdEqualsMatrix_data()
{
    QTest::addColumn<int>("length");
    QTest::addColumn<bool>("weighted");
    constexpr int chunk = 8;
    for (const int length : {1, chunk - 1, chunk, chunk + 1, 3 * chunk, 3 * chunk + 5})
        for (const bool weighted : {false, true})
            QTest::addRow("T=%d %s", length, weighted ? "dt" : "no dt") << length << weighted;
}

void TestSsm::ssdEqualsMatrix()
{
    QFETCH(int, length);
    QFETCH(bool, weighted);
    const SsdTerms t = randomTerms(length, weighted);
    at::Tensor state;
    const at::Tensor y = ssdScan(t, state, 8);
    const at::Tensor m = ssdMatrix(t, {}, 0, t.x.size(1), true, true);
    QVERIFY(relative(applyMatrix(m, t.x), y) < kTolerance);
    QVERIFY(at::equal(m, m.tril()));
    // Without D and without dt the same factors are left out.
    const at::Tensor plain = ssdMatrix(t, {}, 0, t.x.size(1), false, false);
    at::Tensor again = weighted ? plain * t.weight.transpose(1, 2).unsqueeze(2) : plain;
    again = again + at::eye(length) * t.d.view({1, -1, 1, 1});
    QVERIFY(relative(again, m) < kTolerance);
}

void TestSsm::ssdStepsEqualScan()
{
    const SsdTerms t = randomTerms(21, true);
    at::Tensor whole, stepwise;
    const at::Tensor y = ssdScan(t, whole, 8);
    std::vector<at::Tensor> steps;
    for (std::int64_t i = 0; i < 21; ++i) {
        const auto at = [&](const at::Tensor& x) { return x.narrow(1, i, 1); };
        steps.push_back(ssdScan({at(t.x), at(t.b), at(t.c), at(t.logDecay), at(t.weight), t.d}, stepwise, 8));
    }
    QVERIFY(relative(at::cat(steps, 1), y) < kTolerance);
    QVERIFY(relative(stepwise, whole) < kTolerance);
}

void TestSsm::ssdRowsEqualMatrix()
{
    const SsdTerms t = randomTerms(13, true);
    const at::Tensor m = ssdMatrix(t, {}, 0, t.x.size(1), true, true);
    QVERIFY(relative(ssdMatrix(t, {4, 1}, 9, 1, true, true).squeeze(2),
                     at::stack({m.select(1, 4).select(1, 9), m.select(1, 1).select(1, 9)}, 1))
            < 1e-6);
    QVERIFY(relative(ssdDiagonal(t), m.diagonal(0, 2, 3).transpose(1, 2)) < kTolerance);
}

void TestSsm::selectiveScansAgree()
{
    for (const std::int64_t length : {1, 5, 64, 65, 150}) {
        const at::Tensor x = random({2, length, 7}), dt = at::softplus(random({2, length, 7})),
                         a = -at::exp(random({7, 3}));
        const at::Tensor b = random({2, length, 3}), c = random({2, length, 3});
        at::Tensor first = random({2, 7, 3}), second = first.clone(), third = first.clone();
        const at::Tensor byPosition = selectiveScan(x, dt, a, b, c, first);
        c10::GradMode::set_enabled(true);
        const at::Tensor tracked = selectiveScan(x.clone().requires_grad_(), dt, a, b, c, second);
        c10::GradMode::set_enabled(false);
        QVERIFY(tracked.requires_grad());
        const at::Tensor byDoubling = scanByDoubling(x, dt, a, b, c, third);
        QVERIFY(relative(tracked.detach(), byPosition) < kTolerance);
        QVERIFY(relative(second.detach(), first) < kTolerance);
        QVERIFY(relative(byDoubling, byPosition) < kTolerance);
        QVERIFY(relative(third, first) < kTolerance);
    }
}

void TestSsm::selectiveScansHaveOneGradient()
{
    for (const std::int64_t length : {1, 5, 64, 65, 150}) {
        const std::vector<at::Tensor> values{random({2, length, 7}),   at::softplus(random({2, length, 7})),
                                             -at::exp(random({7, 3})), random({2, length, 3}),
                                             random({2, length, 3}),   random({2, 7, 3})};
        const at::Tensor ofY = random({2, length, 7}), ofState = random({2, 7, 3});
        const auto gradients = [&](const auto& scan) {
            std::vector<at::Tensor> leaves;
            for (const at::Tensor& value : values)
                leaves.push_back(value.clone().requires_grad_());
            at::Tensor state = leaves[5];
            const at::Tensor y = scan(leaves[0], leaves[1], leaves[2], leaves[3], leaves[4], state);
            ((y * ofY).sum() + (state * ofState).sum()).backward();
            for (at::Tensor& leaf : leaves)
                leaf = leaf.grad();
            return leaves;
        };
        c10::GradMode::set_enabled(true);
        const auto own = gradients(selectiveScan), plain = gradients(scanByDoubling);
        c10::GradMode::set_enabled(false);
        for (std::size_t i = 0; i < own.size(); ++i)
            QVERIFY2(relative(own[i], plain[i]) < kTolerance, qPrintable(QString::number(i)));
    }
}

void TestSsm::deltaScanEqualsMatrixAndSteps_data()
{
    QTest::addColumn<int>("decays");
    QTest::newRow("one decay a token") << 1;
    QTest::newRow("one for each channel") << 4;
}

void TestSsm::deltaScanEqualsMatrixAndSteps()
{
    QFETCH(int, decays);
    constexpr std::int64_t batch = 2, heads = 3, length = 19, keyDim = 4, valueDim = 5;
    const auto unit = [](const at::Tensor& x) { return x / x.norm(2, {-1}, true); };
    const DeltaTerms t{random({batch, heads, length, keyDim}), unit(random({batch, heads, length, keyDim})),
                       random({batch, heads, length, valueDim}), at::sigmoid(random({batch, heads, length})),
                       -at::softplus(random({batch, heads, length, decays}))};
    at::Tensor state;
    const at::Tensor y = deltaScan(t, state, 6);
    for (int head = 0; head < heads; ++head)
        QVERIFY(
            relative(at::matmul(deltaRows(t, {head})(0, length).select(1, 0), t.v.select(1, head)), y.select(1, head))
            < kTolerance);
    // The plain recurrence.
    at::Tensor s = at::zeros({batch, heads, keyDim, valueDim});
    for (std::int64_t i = 0; i < length; ++i) {
        const auto at = [&](const at::Tensor& x) { return x.select(2, i); };
        s = s * at(t.logAlpha).exp().unsqueeze(-1);
        const at::Tensor answer = at::matmul(at(t.k).unsqueeze(-2), s).squeeze(-2);
        s = s + at(t.k).unsqueeze(-1) * (at(t.beta).unsqueeze(-1) * (at(t.v) - answer)).unsqueeze(-2);
        QVERIFY(relative(at::matmul(at(t.q).unsqueeze(-2), s).squeeze(-2), y.select(2, i)) < kTolerance);
    }
    QVERIFY(relative(state, s) < kTolerance);
}

void TestSsm::valuesTimesMatrixGiveOutputs_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("length");
    constexpr int chunk = 8, ownChunk = 64; // of the golden configs; of mixers whose configs name none
    for (const char* name : kModels)
        for (const int length : {1, chunk - 1, chunk, chunk + 1, 3 * chunk, 2 * ownChunk + 22})
            QTest::addRow("%s T=%d", name, length) << QString::fromLatin1(name) << length;
}

void TestSsm::valuesTimesMatrixGiveOutputs()
{
    QFETCH(QString, name);
    QFETCH(int, length);
    const auto loaded = load(golden(qPrintable(name)), {"cpu", "fp32"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    const ModelSpec& spec = loaded->model->spec();
    Capture capture;
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer)
        for (const MixerSpec& mixer : spec.layers[layer].mixers) {
            SiteCapture& site = capture.sites[{static_cast<int>(layer), mixer.site()}];
            site.wantMatrix = site.wantValues = true;
        }
    const at::Tensor ids = (at::arange(2 * length, at::kLong) * 7 % (spec.vocabulary - 1) + 1).view({2, length});
    (void)loaded->model->logits(ids, {.capture = &capture});
    for (const auto& [where, site] : capture.sites) {
        QVERIFY(site.matrix.defined() && site.values.defined());
        QVERIFY2(relative(applyMatrix(site.matrix, site.values.to(at::kFloat)), site.outputs) < kTolerance,
                 qPrintable(QStringLiteral("layer %1").arg(where.first)));
    }
}

void TestSsm::stateContinuesAnywhere_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"mistral", "gpt2", "gemma2"})
        QTest::newRow(name) << QString::fromLatin1(name);
    for (const char* name : kModels)
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestSsm::stateContinuesAnywhere()
{
    QFETCH(QString, name);
    const auto loaded = load(golden(qPrintable(name)), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const at::Tensor ids = (at::arange(46, at::kLong) * 5 % (loaded->model->spec().vocabulary - 1) + 1).view({2, 23});
    const at::Tensor whole = loaded->model->logits(ids);
    for (const std::int64_t first : {1, 2, 8, 9, 22}) {
        State state;
        const at::Tensor before = loaded->model->logits(ids.narrow(1, 0, first), {.state = &state});
        std::vector<at::Tensor> pieces = {before, loaded->model->logits(ids.narrow(1, first, 1), {.state = &state})};
        if (first < 22)
            pieces.push_back(loaded->model->logits(ids.narrow(1, first + 1, 22 - first), {.state = &state}));
        QVERIFY2(relative(at::cat(pieces, 1), whole) < kTolerance,
                 qPrintable(QStringLiteral("split at %1").arg(first)));
    }
}

void TestSsm::capturingChangesNothing()
{
    QFETCH(QString, name);
    const auto loaded = load(golden(qPrintable(name)), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const at::Tensor ids = (at::arange(40, at::kLong) * 3 % (loaded->model->spec().vocabulary - 1) + 1).view({2, 20});
    Capture capture{.residual = true};
    for (std::size_t layer = 0; layer < loaded->model->spec().layers.size(); ++layer)
        for (const MixerSpec& mixer : loaded->model->spec().layers[layer].mixers) {
            SiteCapture& site = capture.sites[{static_cast<int>(layer), mixer.site()}];
            site.wantMatrix = site.wantValues = site.wantZ = true;
            site.heads = {0, 1};
            if (mixer.heads < 2)
                site.heads = {0};
            site.row = 4;
        }
    // A single row takes the path in tiles, the bare run the fused kernel: equal but for rounding.
    QVERIFY(relative(loaded->model->logits(ids, {.capture = &capture}), loaded->model->logits(ids)) < 1e-5);
    for (const auto& [where, site] : capture.sites)
        QCOMPARE(site.matrix.sizes().vec(),
                 (std::vector<std::int64_t>{2, static_cast<std::int64_t>(site.heads.size()), 1, 20}));
}

void TestSsm::chosenRowsEqualAllRows()
{
    QFETCH(QString, name);
    const auto loaded = load(golden(qPrintable(name)), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const at::Tensor ids = (at::arange(40, at::kLong) * 3 % (loaded->model->spec().vocabulary - 1) + 1).view({2, 20});
    const at::Tensor rows = at::tensor(std::vector<std::int64_t>{3, 19, 0, 7}, at::kLong).view({2, 2});
    // With a mean over all positions in the last layer, too: it must not become a mean over the rows.
    const std::string last = "L" + std::to_string(loaded->model->spec().layers.size() - 1);
    for (const std::string& text : {std::string(), last + "H0=mean", last + "H0@last"}) {
        const auto set = interventions::InterventionSet::parse(text);
        QVERIFY(set.has_value());
        const auto edits = resolve(*set, loaded->model->spec());
        QVERIFY(edits.has_value());
        const at::Tensor all = loaded->model->logits(ids, {.edits = &*edits});
        const at::Tensor some = loaded->model->logits(ids, {.edits = &*edits, .rows = rows});
        QVERIFY2(relative(some, gatherRows(all, rows)) < kTolerance, text.c_str());
    }
}

void TestSsm::masksActOnMatrixAndOutputAlike_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("layer");
    for (const char* name :
         {"mamba", "mamba2", "llamba", "stretch/bamba", "stretch/qwen3_next", "hub/lfm2", "hub/recurrent_gemma",
          "hub/minimax", "hub/olmo_hybrid", "hub/kimi_linear", "hub/xlstm", "hub/rwkv7"})
        QTest::newRow(name) << QString::fromLatin1(name)
                            << (QByteArray(name).startsWith("stretch/") || QByteArray(name).startsWith("hub/") ? 0 : 1);
}

void TestSsm::masksActOnMatrixAndOutputAlike()
{
    QFETCH(QString, name);
    QFETCH(int, layer);
    const auto loaded = load(golden(qPrintable(name)), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const at::Tensor ids = (at::arange(24, at::kLong) * 3 % (loaded->model->spec().vocabulary - 1) + 1).view({2, 12});
    const std::string where = "L" + std::to_string(layer);
    const std::string entries = " mask:" + where + "H0[q=5,k=2] mask:" + where + "H1[b=1,q=7,k=7] mask:" + where
                                + "H2[q=11,k=11] mask:" + where + "H2[b=0,q=11,k=11] mask:" + where + "H0[q=11,k=3]";
    for (const char* row : {"", "lastrow:", "lastrow_self:"}) {
        const auto set = interventions::InterventionSet::parse((*row ? row + where : std::string()) + entries);
        QVERIFY(set.has_value());
        const auto edits = resolve(*set, loaded->model->spec());
        QVERIFY2(edits.has_value(), edits.has_value() ? "" : edits.error().message.c_str());
        Capture capture;
        SiteCapture& site = capture.sites[{layer, Site::Ssm}];
        site.wantMatrix = site.wantValues = true;
        (void)loaded->model->logits(ids, {.edits = &*edits, .capture = &capture});
        QVERIFY2(relative(applyMatrix(site.matrix, site.values), site.outputs) < kTolerance, row);
        QCOMPARE(site.matrix[0][0][5][2].item<float>(), 0.0F);
        QCOMPARE(site.matrix[1][1][7][7].item<float>(), 0.0F);
        QVERIFY(site.matrix[0][1][7][7].item<float>() != 0.0F);
    }
}

void TestSsm::sharedHeadsGoInEverySharingLayer()
{
    const auto loaded = load(golden("zamba2"), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    const at::Tensor ids = (at::arange(24, at::kLong) * 3 % (loaded->model->spec().vocabulary - 1) + 1).view({2, 12});
    const auto logits = [&](const char* text) {
        const auto edits = resolve(*interventions::InterventionSet::parse(text), loaded->model->spec());
        return edits.has_value() ? loaded->model->logits(ids, {.edits = &*edits}) : at::Tensor();
    };
    // Hybrid layers 1, 3, 4 use the blocks 0, 1, 0.
    const at::Tensor shared = logits("shared:L1A2");
    QVERIFY(at::equal(shared, logits("L1A2 L4A2")));
    QVERIFY(relative(logits("L1A2"), shared) > kTolerance);
    QVERIFY(!logits("shared:L0S1").defined());
    QCOMPARE(interventions::InterventionSet::parse("shared:L1A2")->canonical(), std::string("shared:L1A2"));
}

void TestSsm::longTextsContinueExactly_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"mamba", "mamba2", "llamba", "zamba2", "hub/xlstm", "hub/rwkv7"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestSsm::longTextsContinueExactly()
{
    QFETCH(QString, name);
    const auto loaded = load(golden(qPrintable(name)), {"cpu", "fp32"});
    QVERIFY(loaded.has_value());
    constexpr std::int64_t length = 4096;
    const at::Tensor ids =
        (at::arange(length, at::kLong) * 31 % (loaded->model->spec().vocabulary - 1) + 1).unsqueeze(0);
    const at::Tensor rows = at::full({1, 1}, length - 1, at::kLong);
    const at::Tensor whole = loaded->model->logits(ids, {.rows = rows});
    State state;
    (void)loaded->model->logits(ids.narrow(1, 0, length - 3), {.state = &state, .rows = at::zeros({1, 1}, at::kLong)});
    at::Tensor step;
    for (std::int64_t t = length - 3; t < length; ++t)
        step = loaded->model->logits(ids.narrow(1, t, 1), {.state = &state});
    QVERIFY(relative(step, whole) < kTolerance);
    for (const auto& [where, site] : state.sites)
        if (where.second == Site::Ssm && site.second.defined())
            QVERIFY(site.second.numel() < 10'000 && site.first.storage().nbytes() < 10'000);
}

QTEST_GUILESS_MAIN(TestSsm)
#include "tst_ssm.moc"
