// SPDX-License-Identifier: GPL-3.0-or-later
// Our CUDA kernels: the library loads without a GPU, and with one gives what the CPU gives.
#include "core/lm/cudakernels.h"
#include "core/lm/device.h"
#include "core/lm/mamba1.h"

#include <ATen/core/grad_mode.h>

#include <QTest>

using namespace headscope;

class TestCuda : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void libraryLoads();
    void scanEqualsTheCpu_data();
    void scanEqualsTheCpu();
};

void TestCuda::libraryLoads()
{
    if (!lm::cudaKernelsAvailable())
        QSKIP("no libheadscope_cuda.so beside the programs (built without nvcc)");
    QVERIFY(lm::cudaKernelsAvailable());
}

void TestCuda::scanEqualsTheCpu_data()
{
    QTest::addColumn<int>("length");
    QTest::addColumn<int>("states");
    for (const int states : {5, 16, 64})
        for (const int length : {1, 15, 16, 17, 300})
            QTest::addRow("T=%d N=%d", length, states) << length << states;
}

void TestCuda::scanEqualsTheCpu()
{
    QFETCH(int, length);
    QFETCH(int, states);
    if (!lm::cudaAvailable())
        QSKIP("no GPU");
    if (!lm::cudaKernelsAvailable())
        QSKIP("no libheadscope_cuda.so beside the programs (built without nvcc)");
    const at::NoGradGuard noGrad;
    const std::int64_t batch = 2, channels = 100;
    const at::Tensor x = at::randn({batch, length, channels}), dt = at::rand({batch, length, channels}), a = -at::rand({channels, states}) * 4;
    const at::Tensor b = at::randn({batch, length, states}), c = at::randn({batch, length, states});
    at::Tensor state = at::randn({batch, channels, states});
    at::Tensor onGpu = state.cuda();
    const at::Tensor y = lm::selectiveScan(x, dt, a, b, c, state);
    const at::Tensor z = lm::cudaSelectiveScan(x.cuda(), dt.cuda(), a.cuda(), b.cuda(), c.cuda(), onGpu);
    QVERIFY((z.cpu() - y).abs().max().item<double>() < 1e-4 * std::max(1.0, y.abs().max().item<double>()));
    QVERIFY((onGpu.cpu() - state).abs().max().item<double>() < 1e-4 * std::max(1.0, state.abs().max().item<double>()));
}

QTEST_GUILESS_MAIN(TestCuda)
#include "tst_cuda.moc"
