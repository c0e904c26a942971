// SPDX-License-Identifier: GPL-3.0-or-later
// Which heads changed: changes of weights are those of the dense products, distances those of the definition, of every
// family the same model has changed nowhere, and one changed head is the one that is found.
#include "core/analysis/patternchange.h"
#include "core/engine/questions/headchanges.h"
#include "core/lm/load.h"
#include "core/why/headweights.h"
#include "tests/support/goldens.h"
#include "tests/support/renamedcheckpoint.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

Result<lm::LoadedModel> opened(const fs::path& folder)
{
    return lm::load(folder, {.device = "cpu", .dtype = "fp32"});
}

double denseChange(const at::Tensor& leftA, const at::Tensor& rightA, const at::Tensor& leftB, const at::Tensor& rightB)
{
    const at::Tensor a = at::matmul(leftA.t(), rightA), b = at::matmul(leftB.t(), rightB);
    return ((b - a).norm() / a.norm()).item<double>();
}

} // namespace

class TestHeadChanges : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void distances();
    void theSameModelHasNotChanged_data();
    void theSameModelHasNotChanged();
    void changesAreThoseOfTheDenseProducts();
    void otherShapesAreRefused();

private:
    at::NoGradGuard m_noGrad;
};

void TestHeadChanges::distances()
{
    const auto distance = [](std::vector<float> a, std::vector<float> b) {
        return analysis::jensenShannonDistance(a, b);
    };
    QCOMPARE(distance({1, 0}, {1, 0}), 0.0);
    QCOMPARE(distance({1, 0}, {0, 1}), 1.0);
    QCOMPARE(distance({2, 2}, {1, 1}), 0.0);  // shares
    QCOMPARE(distance({1, -1}, {1, 1}), 0.0); // of absolute values
    // By hand: the middle of (1, 0) and (1/2, 1/2) is (3/4, 1/4).
    const double expected =
        std::sqrt(0.5 * std::log2(4.0 / 3) + 0.5 * (0.5 * std::log2(2.0 / 3) + 0.5 * std::log2(2.0)));
    QVERIFY(std::abs(distance({1, 0}, {0.5, 0.5}) - expected) < 1e-12);
}

void TestHeadChanges::theSameModelHasNotChanged_data()
{
    QTest::addColumn<QString>("name");
    for (const std::string& name : goldens::models())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestHeadChanges::theSameModelHasNotChanged()
{
    QFETCH(const QString, name);
    const auto model = opened(goldens::own("golden") / name.toStdString());
    QVERIFY2(model.has_value(), model.has_value() ? "" : model.error().message.c_str());
    const std::vector<engine::Question> questions = {{.source = "one", .ids = {1, 5, 2, 7, 3}, .answer = 4},
                                                     {.source = "other", .ids = {3, 1, 6}, .answer = 2}};
    const auto changes = engine::headChanges(*model->model, *model->model, questions);
    QVERIFY2(changes.has_value(), changes.has_value() ? "" : changes.error().message.c_str());
    QVERIFY(!changes->heads.empty());
    for (const engine::HeadChange& head : changes->heads) {
        QCOMPARE(head.ov.value_or(0), 0.0);
        QCOMPARE(head.qk.value_or(0), 0.0);
        QVERIFY(head.pattern->value < 1e-6);
        QCOMPARE(head.effect->value, 0.0);
        QCOMPARE(head.p, 1.0);
    }
    // Weights that were left out are said to be.
    const bool all = std::ranges::all_of(changes->heads, [](const auto& head) { return head.ov.has_value(); });
    QCOMPARE(all, changes->undefined.empty());
}

void TestHeadChanges::changesAreThoseOfTheDenseProducts()
{
    const fs::path llama = goldens::own("golden/llama");
    QTemporaryDir folder;
    const fs::path copy = fs::path(folder.path().toStdString()) / "copy";
    fs::copy(llama, copy, fs::copy_options::recursive);
    // The values and queries of layer 1 are exchanged: another OV and another QK there, nowhere else.
    renamedcheckpoint::rename(copy / "model.safetensors", [](const std::string& name) {
        const std::string layer = "model.layers.1.self_attn.";
        return name == layer + "k_proj.weight"   ? layer + "v_proj.weight"
               : name == layer + "v_proj.weight" ? layer + "k_proj.weight"
                                                 : name;
    });
    const auto a = opened(llama), b = opened(copy);
    QVERIFY(a.has_value() && b.has_value());
    const auto changes = engine::headChanges(*a->model, *b->model, {});
    QVERIFY(changes.has_value());
    QCOMPARE(changes->prompts, 0);
    std::size_t at = 0;
    for (int layer = 0; layer < static_cast<int>(a->model->spec().layers.size()); ++layer) {
        const auto one = why::headFactors(*a->model, layer, lm::Site::Attention),
                   other = why::headFactors(*b->model, layer, lm::Site::Attention);
        for (std::size_t head = 0; head < one->size(); ++head, ++at) {
            const engine::HeadChange& change = changes->heads[at];
            const auto &x = (*one)[head], &y = (*other)[head];
            QVERIFY(std::abs(*change.ov - denseChange(x.output.t(), x.value, y.output.t(), y.value)) < 1e-9);
            QVERIFY(std::abs(*change.qk - denseChange(x.query, x.key, y.query, y.key)) < 1e-9);
            QCOMPARE(*change.ov > 0.1, layer == 1);
            QVERIFY(!change.pattern && !change.effect);
        }
    }
    QCOMPARE(at, changes->heads.size());
}

void TestHeadChanges::otherShapesAreRefused()
{
    const auto a = opened(goldens::own("golden/llama")), b = opened(goldens::own("golden/mistral")),
               c = opened(goldens::own("golden/mamba"));
    for (const auto* other : {&b, &c}) {
        const auto changes = engine::headChanges(*a->model, *(*other)->model, {});
        QVERIFY(!changes.has_value());
        QVERIFY(changes.error().message.ends_with("can be compared head by head."));
    }
}

QTEST_GUILESS_MAIN(TestHeadChanges)
#include "tst_headchanges.moc"
