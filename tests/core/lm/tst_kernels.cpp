// SPDX-License-Identifier: GPL-3.0-or-later
// The processor's own products and element-wise loops against the library's, at sizes that fill no vector.
#include "core/lm/device/threads.h"
#include "core/lm/mixers/fusedattention.h"
#include "core/lm/ops.h"
#include "core/lm/tree/treemixing.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include <omp.h>

#include <limits>
#include <mutex>
#include <set>
#include <thread>

using namespace headscope;

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
    void loopsUseTheThreads();
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
    const auto numbers = [](std::vector<std::int64_t> shape, double step) {
        at::Tensor x = at::empty(shape, at::kFloat);
        return at::sin(at::arange(x.numel(), at::kFloat) * step).view(shape);
    };
    for (const std::int64_t kvHeads : {1, 2, 4})
        for (const bool causal : {false, true})
            for (const int window : {0, 5}) {
                const at::Tensor q = numbers({batch, 4, keys, headDim}, 0.71),
                                 k = numbers({batch, kvHeads, keys, headDim}, 0.37),
                                 v = numbers({batch, kvHeads, keys, headDim}, 0.53);
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
