// SPDX-License-Identifier: GPL-3.0-or-later
// The processor's own products and element-wise loops against the library's, at sizes that fill no vector.
#include "core/lm/device/threads.h"
#include "core/lm/kernels/cpukernels.h"
#include "core/lm/kernels/cpulinear.h"
#include "core/lm/mixers/fusedattention.h"
#include "core/lm/mixers/nexttoken.h"
#include "core/lm/ops.h"
#include "core/lm/tree/treemixing.h"
#include "core/lm/weights/packedweight.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <omp.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

using namespace headscope;

namespace {

at::Tensor waves(std::vector<std::int64_t> shape, double step)
{
    return at::sin(at::arange(at::empty(shape, at::kFloat).numel(), at::kFloat) * step).view(shape);
}

} // namespace

class TestKernels : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void productsAreTheLibrarys_data();
    void productsAreTheLibrarys();
    void bfloatRowsAreExactSums();
    void geluIsTheLibrarys();
    void passesNaNOn();
    void fusedAttentionIsTheFormula();
    void nextTokenIsTheFormula_data();
    void nextTokenIsTheFormula();
    void bfloatsAreTheLibrarys_data() { everySet(); }
    void bfloatsAreTheLibrarys();
    void everySetMakesTheSame_data() { everySet(); }
    void everySetMakesTheSame();
    void distanceBandsAreTheirSums_data() { everySet(); }
    void distanceBandsAreTheirSums();
    void loopsUseTheThreads();

private:
    static void everySet();
};

void TestKernels::productsAreTheLibrarys_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("in");
    QTest::addColumn<int>("outs");
    for (const int rows : {1, 2, 33, 100})
        for (const int in : {1, 7, 64, 130, 2100})
            for (const int outs : {1, 64, 100, 130})
                QTest::addRow("%d x %d x %d", rows, in, outs) << rows << in << outs;
}

void TestKernels::productsAreTheLibrarys()
{
    const at::NoGradGuard noGrad;
    QFETCH(int, rows);
    QFETCH(int, in);
    QFETCH(int, outs);
    const at::Tensor x = at::sin(at::arange(rows * in, at::kFloat)).view({rows, in});
    const at::Tensor weight = at::cos(at::arange(outs * in, at::kFloat) * 0.7).view({outs, in}),
                     bias = at::arange(outs, at::kFloat);
    const at::Tensor turned = weight.t().contiguous().t(); // as GPT-2 stores it
    for (const at::Tensor& w : {weight, turned})
        for (const at::Tensor& b : {at::Tensor(), bias}) {
            const at::Tensor wanted = b.defined() ? at::linear(x.to(at::kDouble), w.to(at::kDouble), b.to(at::kDouble))
                                                  : at::linear(x.to(at::kDouble), w.to(at::kDouble));
            const double worst = (lm::linearOf(x, w, b).to(at::kDouble) - wanted).abs().max().item<double>();
            QVERIFY2(worst < 1e-6 * (in + outs), qPrintable(QString::number(worst)));
        }
}

// One row in bfloat16, summed in fp32: what is left is the rounding of the result.
void TestKernels::bfloatRowsAreExactSums()
{
    if (!lm::bfloatRowKernel())
        QSKIP("this processor or build uses the library's product, which rounds more often");
    const at::NoGradGuard noGrad;
    for (const int in : {1, 7, 16, 31, 64, 130, 576, 2100})
        for (const int outs : {1, 2, 3, 65, 200}) {
            const at::Tensor x = at::sin(at::arange(in, at::kFloat)).view({1, 1, in}).to(at::kBFloat16);
            const at::Tensor wide =
                at::cos(at::arange(outs * (in + 5), at::kFloat) * 0.7).view({outs, in + 5}).to(at::kBFloat16);
            const at::Tensor bias = at::arange(outs, at::kFloat).to(at::kBFloat16);
            for (const at::Tensor& w : {wide.narrow(1, 2, in), wide.narrow(1, 2, in).contiguous(),
                                        wide.narrow(1, 2, in).t().contiguous().t()})
                for (const at::Tensor& b : {at::Tensor(), bias}) {
                    const at::Tensor sums =
                        at::linear(x.to(at::kDouble), w.to(at::kDouble), b.defined() ? b.to(at::kDouble) : b);
                    const at::Tensor made = lm::linearOf(x, w, b);
                    QCOMPARE(made.scalar_type(), at::kBFloat16);
                    QVERIFY(made.sizes() == sums.sizes());
                    const at::Tensor off = (made.to(at::kDouble) - sums).abs() - sums.abs() / 256;
                    QVERIFY2(off.max().item<double>() < 1e-4,
                             qPrintable(QStringLiteral("%1 x %2: %3").arg(in).arg(outs).arg(off.max().item<double>())));
                }
        }
}

void TestKernels::geluIsTheLibrarys()
{
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::linspace(-12, 12, 1003, at::kFloat).view({17, 59});
    lm::Mlp mlp; // identity maps around the activation
    mlp.up.weight = mlp.down.weight = at::eye(59);
    for (const lm::Activation activation : {lm::Activation::GeluTanh, lm::Activation::Gelu}) {
        mlp.activation = activation;
        const double worst = (mlp(x) - lm::activate(activation, x)).abs().max().item<double>();
        QVERIFY2(worst < 2e-6, qPrintable(QString::number(worst)));
    }
}

void TestKernels::passesNaNOn()
{
    const at::NoGradGuard noGrad;
    for (const int rows : {1, 40})
        QVERIFY(at::isnan(lm::linearOf(at::full({rows, 3}, std::numeric_limits<float>::quiet_NaN(), at::kFloat),
                                       at::ones({64, 3})))
                    .all()
                    .item<bool>());
}

// Softmax of scaled products over the keys that a query sees, heads in groups that share keys.
void TestKernels::fusedAttentionIsTheFormula()
{
    const at::NoGradGuard noGrad;
    const std::int64_t batch = 2, keys = 19, headDim = 8;
    for (const std::int64_t kvHeads : {1, 2, 4})
        for (const bool causal : {false, true})
            for (const int window : {0, 5}) {
                const at::Tensor q = waves({batch, 4, keys, headDim}, 0.71),
                                 k = waves({batch, kvHeads, keys, headDim}, 0.37),
                                 v = waves({batch, kvHeads, keys, headDim}, 0.53);
                const at::Tensor row = at::arange(keys).unsqueeze(1), column = at::arange(keys);
                at::Tensor visible = causal ? column <= row : at::ones({keys, keys}, at::kBool);
                if (window > 0)
                    visible = visible.logical_and(column > row - window);
                const auto own = [&](const at::Tensor& x) {
                    return x.repeat_interleave(4 / kvHeads, 1).to(at::kDouble);
                };
                const at::Tensor scores =
                    (at::matmul(q.to(at::kDouble), own(k).transpose(2, 3)) * 0.4)
                        .masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
                const at::Tensor wanted = at::matmul(at::softmax(scores, -1), own(v));
                const at::Tensor got =
                    lm::fusedAttention({q, k, v, window > 0 ? visible.unsqueeze(0) : at::Tensor(), causal, 0.4});
                QCOMPARE(got.sizes(), wanted.sizes());
                QVERIFY((got.to(at::kDouble) - wanted).abs().max().item<double>() < 1e-5);
            }
}

void TestKernels::nextTokenIsTheFormula_data()
{
    QTest::addColumn<int>("keys");
    QTest::addColumn<int>("kvHeads");
    QTest::addColumn<int>("headDim");
    QTest::addColumn<int>("window");
    QTest::addColumn<double>("softCap");
    for (const int keys : {1, 15, 16, 17, 200})
        for (const int kvHeads : {1, 2, 6})
            for (const int headDim : {5, 16, 64, 80})
                for (const int window : {0, 1, 19})
                    for (const double softCap : {0.0, 3.0})
                        QTest::addRow("%d keys, %d key heads of %d, window %d, cap %g", keys, kvHeads, headDim, window,
                                      softCap)
                            << keys << kvHeads << headDim << window << softCap;
}

// What is kept grows token by token in memory that has room; two texts beside each other.
void TestKernels::nextTokenIsTheFormula()
{
    const at::NoGradGuard noGrad;
    QFETCH(const int, keys);
    QFETCH(const int, kvHeads);
    QFETCH(const int, headDim);
    QFETCH(const int, window);
    QFETCH(const double, softCap);
    constexpr int kHeads = 6;
    const at::Tensor q = waves({2, kHeads, 1, headDim}, 0.71), k = waves({2, kvHeads, keys, headDim}, 0.37),
                     v = waves({2, kvHeads, keys, headDim}, 0.53);
    at::Tensor keptKeys, keptValues;
    const int first = std::min(3, keys);
    for (int begin = 0; begin < keys; begin += begin == 0 ? first : 1) {
        const int count = begin == 0 ? first : 1;
        keptKeys = lm::appended(keptKeys, k.narrow(2, begin, count));
        keptValues = lm::appended(keptValues, v.narrow(2, begin, count));
    }
    QVERIFY(keptKeys.equal(k) && keptValues.equal(v));
    const auto own = [&](const at::Tensor& x) { return x.repeat_interleave(kHeads / kvHeads, 1).to(at::kDouble); };
    at::Tensor scores = at::matmul(q.to(at::kDouble), own(k).transpose(2, 3)) * 0.4;
    if (softCap > 0)
        scores = at::tanh(scores / softCap) * softCap;
    if (window > 0 && window < keys)
        scores.narrow(3, 0, keys - window).fill_(-std::numeric_limits<double>::infinity());
    const at::Tensor wanted = at::matmul(at::softmax(scores, -1), own(v)).view({2, 1, kHeads * headDim});
    const at::Tensor got = lm::attendNext({q, keptKeys, keptValues, 0.4, softCap, window});
    QCOMPARE(got.sizes(), wanted.sizes());
    QVERIFY((got.to(at::kDouble) - wanted).abs().max().item<double>() < 1e-5);
}

// Beside the library's rounding: numbers of every size, those that lie between two, and NaN.
void TestKernels::bfloatsAreTheLibrarys()
{
    QFETCH(const int, set);
    const auto kernels = static_cast<lm::KernelSet>(set);
    if (!lm::runsHere(kernels))
        QSKIP("this processor or build lacks the instructions");
    at::Tensor x = at::exp(waves({301}, 0.61) * 80) * at::sign(waves({301}, 1.7));
    for (int i = 0; i < 300; i += 3) // half a step above what bfloat16 has
        x.data_ptr<float>()[i] =
            std::bit_cast<float>((std::bit_cast<std::uint32_t>(x.data_ptr<float>()[i]) & 0xFFFF0000U) | 0x8000U);
    for (const int place : {5, 300})
        x.data_ptr<float>()[place] = std::numeric_limits<float>::quiet_NaN();
    x.data_ptr<float>()[7] = -std::numeric_limits<float>::infinity();
    const at::Tensor halves = x.to(at::kBFloat16), wanted = halves.to(at::kFloat), wide = at::zeros_like(x);
    lm::cpuKernels(kernels).widen(static_cast<const std::uint16_t*>(halves.data_ptr()), wide.data_ptr<float>(), 301);
    lm::cpuKernels(kernels).roundToBfloat(x.data_ptr<float>(), 301);
    for (const at::Tensor& got : {wide, x})
        QVERIFY(at::allclose(got, wanted, 0, 0, true));
}

void TestKernels::everySet()
{
    QTest::addColumn<int>("set");
    QTest::newRow("baseline") << static_cast<int>(lm::KernelSet::Baseline);
    QTest::newRow("AVX2") << static_cast<int>(lm::KernelSet::Avx2);
    QTest::newRow("AVX-512") << static_cast<int>(lm::KernelSet::Avx512);
}

void TestKernels::everySetMakesTheSame()
{
    const at::NoGradGuard noGrad;
    QFETCH(const int, set);
    const auto kernels = static_cast<lm::KernelSet>(set);
    if (!lm::runsHere(kernels))
        QSKIP("this processor or build lacks the instructions");
    for (const lm::WeightForm form : {lm::WeightForm::Int8, lm::WeightForm::Int4}) {
        const at::Tensor weight = waves({150, 70}, 0.7);
        const lm::PackedWeight packed(weight, form);
        for (const int rows : {1, 2, 40}) {
            const at::Tensor x = waves({rows, 70}, 0.3), got = at::empty({rows, 150}, at::kFloat);
            lm::PackedRows product;
            product.weight = packed.matrix();
            product.x = x.data_ptr<float>();
            product.out = got.data_ptr<float>();
            product.xStride = 70;
            product.outStride = 150;
            product.rows = rows;
            lm::packedKernels(kernels).linear(product, 0, 3);
            const at::Tensor wanted = at::linear(x, packed.dense());
            QVERIFY((got - wanted).abs().max().item<double>() < 2e-5);
            if (!lm::packedKernels(kernels).linearOfRounded)
                continue;
            const at::Tensor rounded = at::empty({rows, 96}, at::kShort), steps = at::empty({rows, 1}, at::kFloat);
            const lm::RoundedRows inputs{rounded.data_ptr<std::int16_t>(), steps.data_ptr<float>(), 96, 1};
            QVERIFY(lm::packedKernels(kernels).round(product, inputs, 0, rows));
            got.zero_();
            lm::packedKernels(kernels).linearOfRounded(product, inputs, 0, 3);
            QVERIFY((got - wanted).abs().max().item<double>() < (form == lm::WeightForm::Int8 ? 1e-3 : 5e-3));
        }
    }
    const at::Tensor q = waves({6, 20}, 0.71), k = waves({2, 33, 20}, 0.37), v = waves({2, 33, 20}, 0.53);
    at::Tensor got = at::empty({6, 20}, at::kFloat), best = at::empty_like(got);
    lm::NextRow row;
    row.q = q.data_ptr<float>();
    row.k = k.data_ptr<float>();
    row.v = v.data_ptr<float>();
    row.kStride = row.vStride = 33 * 20;
    row.heads = 6;
    row.kvHeads = 2;
    row.headDim = 20;
    row.keys = 33;
    for (const auto& [out, with] : {std::pair(got, &lm::cpuKernels(kernels)), std::pair(best, &lm::cpuKernels())}) {
        row.z = out.data_ptr<float>();
        with->attentionOfNext(row, 0, 2);
    }
    QVERIFY((got - best).abs().max().item<double>() < 1e-5);
    const at::Tensor halfKeys = k.to(at::kBFloat16), halfValues = v.to(at::kBFloat16),
                     wideKeys = halfKeys.to(at::kFloat), wideValues = halfValues.to(at::kFloat);
    row.k = wideKeys.data_ptr();
    row.v = wideValues.data_ptr();
    lm::cpuKernels(kernels).attentionOfNext(row, 0, 2);
    row.k = halfKeys.data_ptr();
    row.v = halfValues.data_ptr();
    row.bfloat = true;
    row.z = got.data_ptr<float>();
    lm::cpuKernels(kernels).attentionOfNext(row, 0, 2);
    QVERIFY((got - best).abs().max().item<double>() < 1e-6);
}

// Row lengths before, at and behind every border of a band and a vector; entries from 0 to very small and large ones.
void TestKernels::distanceBandsAreTheirSums()
{
    QFETCH(const int, set);
    const auto kernels = static_cast<lm::KernelSet>(set);
    if (!lm::runsHere(kernels))
        QSKIP("this processor or build lacks the instructions");
    constexpr std::size_t kBands = 9;
    const at::Tensor numbers = at::exp(waves({700}, 0.61) * 40) * at::sign(waves({700}, 1.7));
    float* const row = numbers.data_ptr<float>();
    for (int i = 0; i < 700; i += 9)
        row[i] = i % 2 == 0 ? 0.0F : std::numeric_limits<float>::denorm_min();
    for (int query = 0; query < 700; query = query < 70 ? query + 1 : query + 37) {
        std::array<double, kBands> got{}, wanted{};
        double logs = -1, wantedLogs = 0, size = 0;
        for (int s = 0; s <= query; ++s) {
            const double a = std::abs(static_cast<double>(row[s]));
            wanted[std::min<std::size_t>(std::bit_width(static_cast<unsigned>(query - s)), kBands - 1)] += a;
            wantedLogs += a > 0 ? a * std::log(std::max(a, static_cast<double>(std::numeric_limits<float>::min()))) : 0;
            size += a * (std::abs(std::log(std::max(a, 1e-38))) + 1);
        }
        lm::cpuKernels(kernels).distanceBands(row, query, got.data(), kBands, &logs);
        for (std::size_t band = 0; band < kBands; ++band)
            QVERIFY2(std::abs(got[band] - wanted[band]) <= 1e-6 * wanted[band],
                     qPrintable(QStringLiteral("query %1 band %2").arg(query).arg(band)));
        QVERIFY2(std::abs(logs - wantedLogs) <= 1e-6 * size, qPrintable(QStringLiteral("query %1").arg(query)));
    }
    row[5] = std::numeric_limits<float>::quiet_NaN();
    std::array<double, kBands> sums{};
    double logs = 0;
    lm::cpuKernels(kernels).distanceBands(row, 100, sums.data(), kBands, &logs);
    QVERIFY(std::isnan(sums[7]) && std::isnan(logs) && std::isfinite(sums[6]));
}

void TestKernels::loopsUseTheThreads()
{
    if (omp_get_thread_limit() < 3)
        QSKIP("OMP_THREAD_LIMIT allows fewer than three threads");
    const int before = lm::threads();
    for (const int count : {1, 2, 3}) {
        lm::setThreads(count);
        std::mutex lock;
        std::set<std::thread::id> seen;
        at::parallel_for(0, count, 1, [&](std::int64_t, std::int64_t) {
            const std::scoped_lock locked(lock);
            seen.insert(std::this_thread::get_id());
        });
        QCOMPARE(static_cast<int>(seen.size()), count);
    }
    lm::setThreads(before);
}

QTEST_GUILESS_MAIN(TestKernels)
#include "tst_kernels.moc"
