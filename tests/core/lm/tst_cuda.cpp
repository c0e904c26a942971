// SPDX-License-Identifier: GPL-3.0-or-later
// On a GPU: our kernels, every family's scores with recorded layers, and what memory is counted, against the CPU.
#include "core/engine/scoring/scorer.h"
#include "core/lm/device/device.h"
#include "core/lm/device/forecast.h"
#include "core/lm/device/memorymeter.h"
#include "core/lm/kernels/cudakernels.h"
#include "core/lm/load.h"
#include "core/lm/mixers/selectivescan.h"
#include "tests/support/encodedfixture.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <QTest>

#include <filesystem>

using namespace headscope;
using namespace encodedfixture;

class TestCuda : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void libraryLoads();
    void scanEqualsTheCpu_data();
    void scanEqualsTheCpu();
    void scoresEqualTheCpus_data();
    void scoresEqualTheCpus();
    void memoryIsCounted();
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
    const at::Tensor x = at::randn({batch, length, channels}), dt = at::rand({batch, length, channels}),
                     a = -at::rand({channels, states}) * 4;
    const at::Tensor b = at::randn({batch, length, states}), c = at::randn({batch, length, states});
    at::Tensor state = at::randn({batch, channels, states});
    at::Tensor onGpu = state.cuda();
    const at::Tensor y = lm::selectiveScan(x, dt, a, b, c, state);
    const at::Tensor z = lm::cudaSelectiveScan(x.cuda(), dt.cuda(), a.cuda(), b.cuda(), c.cuda(), onGpu);
    QVERIFY((z.cpu() - y).abs().max().item<double>() < 1e-4 * std::max(1.0, y.abs().max().item<double>()));
    QVERIFY((onGpu.cpu() - state).abs().max().item<double>() < 1e-4 * std::max(1.0, state.abs().max().item<double>()));
}

void TestCuda::scoresEqualTheCpus_data()
{
    QTest::addColumn<QString>("folder");
    for (const auto& [name, folder] : families())
        QTest::newRow(qPrintable(name)) << QString::fromStdString(folder.string());
}

// Three times: as it is, recorded, replayed.
void TestCuda::scoresEqualTheCpus()
{
    QFETCH(QString, folder);
    if (!lm::cudaAvailable())
        QSKIP("no GPU");
    const auto onCpu = lm::load(folder.toStdString(), {"cpu", "fp32"}),
               onGpu = lm::load(folder.toStdString(), {"cuda", "fp32"});
    QVERIFY2(onCpu.has_value() && onGpu.has_value(), onGpu.has_value() ? "" : onGpu.error().message.c_str());
    engine::Scorer plain(onCpu->model, nullptr), scorer(onGpu->model, nullptr, {.batchTokens = 64, .firstChunk = 2});
    const auto examples = questions(onCpu->model->spec().vocabulary);
    const auto plainWork = plain.prepare(examples), work = scorer.prepare(examples);
    QVERIFY(work->batches().size() > 1);
    const int last = static_cast<int>(onCpu->model->spec().layers.size()) - 1;
    for (int round = 0; round < 3; ++round)
        for (const std::string& text : {std::string(), std::string("L0H0"), "skip:L" + std::to_string(last)}) {
            const auto set = interventions::InterventionSet::parse(text);
            std::vector<tasks::Outcome> wanted(examples.size()), got(examples.size());
            QVERIFY(
                plain
                    .score(plainWork, *set, {},
                           [&](int i, const tasks::Outcome& outcome) { wanted[static_cast<std::size_t>(i)] = outcome; },
                           {})
                    .has_value());
            const auto done = scorer.score(
                work, *set, {},
                [&](int i, const tasks::Outcome& outcome) { got[static_cast<std::size_t>(i)] = outcome; }, {});
            QVERIFY2(done.has_value(), done.has_value() ? "" : done.error().message.c_str());
            for (std::size_t i = 0; i < wanted.size(); ++i)
                for (std::size_t c = 0; c < wanted[i].logLikelihoods.size(); ++c) {
                    const double off = std::abs(got[i].logLikelihoods[c] - wanted[i].logLikelihoods[c]);
                    QVERIFY2(off < 1e-3 * std::max(1.0, std::abs(wanted[i].logLikelihoods[c])),
                             qPrintable(QStringLiteral("%1 at %2").arg(off).arg(QString::fromStdString(text))));
                }
        }
    if (!lm::cudaRecorder(onGpu->model->device()))
        QSKIP("no libheadscope_cudagraphs.so beside the programs; the scores without it are equal");
    QVERIFY2(scorer.graphs()->fault.empty(), scorer.graphs()->fault.c_str());
    QVERIFY(scorer.graphs()->replays > 0);
}

void TestCuda::memoryIsCounted()
{
    if (!lm::cudaAvailable())
        QSKIP("no GPU");
    const at::Device gpu(at::kCUDA, 0);
    QVERIFY(lm::availableMemory(gpu).value_or(0) > 0);
    const lm::MemoryMeter outer(gpu);
    {
        const at::Tensor one = at::empty({10'000'000}, at::TensorOptions(at::kByte).device(gpu));
        const lm::MemoryMeter inner(gpu);
        QCOMPARE(inner.peak(), 0);
    }
    QVERIFY(outer.peak() >= 10'000'000 && outer.peak() < 20'000'000);
}

QTEST_GUILESS_MAIN(TestCuda)
#include "tst_cuda.moc"
