// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses of a model whose tensors lie elsewhere give the processor's numbers, for a model of every family; and in
// bf16 their rules hold within its digits.
#include "core/io/safetensors/checkpoint.h"
#include "core/io/safetensors/safetensors.h"
#include "core/lm/config.h"
#include "core/lm/family.h"
#include "core/lm/load.h"
#include "core/lm/weights/weights.h"
#include "core/why/headweights.h"
#include "core/why/knockout.h"
#include "core/why/lenses/lens.h"
#include "core/why/paths/direct.h"
#include "core/why/paths/patchedmatrix.h"
#include "core/why/paths/paths.h"
#include "core/why/paths/score.h"
#include "core/why/probes.h"
#include "core/why/states.h"
#include "core/why/steering.h"
#include "tests/support/goldens.h"
#include "tests/support/hostdevice.h"
#include "tests/support/modelon.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

using namespace headscope;
using namespace headscope::why;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 1e-4; // of fp32
constexpr double kBf16 = 0.02;      // of the larger of 1 and the logits' size: 8 bits a number, over a few layers

std::vector<int> integersOf(const io::SafetensorsFile& file, const char* name)
{
    const auto bytes = file.bytes(*file.find(name));
    std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return {values.begin(), values.end()};
}

/// Both runs of a golden model's prompts.
struct Pair {
    std::shared_ptr<const lm::Model> model;
    std::vector<int> ids;
    Metric metric;
    lm::Edits base;
    Recording clean, corrupt;

    Pair(std::shared_ptr<const lm::Model> opened, const fs::path& folder) : model(std::move(opened))
    {
        const auto file = io::SafetensorsFile::open(folder / "analyses.safetensors");
        metric = {integersOf(**file, "answer")[0], integersOf(**file, "distractor")[0]};
        base = lm::resolve({}, model->spec()).value();
        ids = integersOf(**file, "clean_ids");
        clean = record(*model, ids, base).value();
        corrupt = record(*model, integersOf(**file, "corrupt_ids"), base).value();
    }

    /// One number of each analysis, in an order that all models have.
    [[nodiscard]] std::vector<double> numbers() const
    {
        std::vector<double> all{clean.difference(metric), corrupt.difference(metric)};
        const auto add = [&all](const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
        const Lens seen = lens(*model, clean, {1, metric.answer}).value();
        for (const LensCell& cell : seen.cells)
            all.push_back(cell.logProbability);
        const DirectAttribution parts = directAttribution(*model, base, clean, metric).value();
        std::vector<PatchSet> sets;
        std::vector<Sender> senders;
        for (const DirectPart& part : parts.parts) {
            all.push_back(part.value);
            if (part.kind != DirectPart::Kind::Head || part.head > 1)
                continue;
            sets.push_back({{PatchPart::Head, part.layer, part.site, part.head}});
            add(sourceParts(*model, base, clean, metric, {part.layer, part.site}, part.head).value());
            if (part.layer == 0)
                senders.push_back({part.layer, part.site, part.head});
        }
        for (int layer = 0; layer < base.layerCount; ++layer)
            sets.push_back({{PatchPart::Stream, layer}});
        add(patchedDifferences(*model, base, corrupt, clean, metric, sets).value());
        std::vector<Route> routes;
        const auto changes = changesOf(*model, base, corrupt, clean, senders).value();
        for (std::size_t i = 0; i < senders.size(); ++i)
            routes.push_back({changes[i], receiversBehind(*model, base, senders[i])});
        add(routedDifferences(*model, base, corrupt, metric, routes).value());
        for (const int layer : layersWithState(*model, base)) {
            const std::vector<StateCell> cell{{layer, 3}};
            add(handedOverDifferences(*model, base, corrupt, clean, metric, cell).value());
        }
        const int last = static_cast<int>(ids.size()) - 1;
        const auto windows = knockoutSweep(*model, base, ids, metric, {{last, last}, {1, last - 2}, false, 2}).value();
        for (const KnockoutWindow& window : windows)
            all.push_back(window.difference);
        std::vector<int> drawn(static_cast<std::size_t>(model->spec().vocabulary) - 4);
        std::iota(drawn.begin(), drawn.end(), 4);
        const auto repeated = repeatedSequences(*model, {.sequences = 1, .repeat = 6, .drawn = drawn}).value();
        const auto probed = probeHeads(*model, base, repeated, {}).value();
        for (const HeadProbe& head : probed)
            if (head.head < 2)
                for (const char* method : {"induction", "previous", "duplicate", "sink"})
                    all.push_back(scoreOf(head, method));
        const at::Tensor direction = meanDifference(*model, {ids}, {{ids.front(), ids.back()}}, 1).value();
        add(std::vector<float>(direction.data_ptr<float>(), direction.data_ptr<float>() + direction.numel()));
        const Where where = clean.z.begin()->first;
        const at::Tensor map = patchedMatrix(*model, base, corrupt, clean, {{PatchPart::Stream, 0}}, where, 0).value();
        add(std::vector<float>(map.data_ptr<float>(), map.data_ptr<float>() + map.numel()));
        for (const auto& [place, z] : clean.z)
            if (const auto score = scoreAttribution(*model, base, clean, {place, 0, last, last - 2, true});
                score.has_value()) {
                all.push_back(score->score);
                for (const DirectPart& part : score->query)
                    all.push_back(part.value);
            }
        if (const auto factors = modelFactors(*model); factors.has_value())
            for (const LayerFactors& layer : factors->layers) {
                const std::vector<HeadFactors> first{layer.heads.front()};
                add(copyingScores(*vocabularyMap(*model), first));
                all.push_back(compositionScores(first, first, Composition::Value).value()[0][0]);
            }
        return all;
    }
};

/// The golden models with analyses, below their folder.
std::vector<std::string> analysed()
{
    std::vector<std::string> names;
    const fs::path root = goldens::own("golden");
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.path().filename() == "analyses.safetensors")
            names.push_back(fs::relative(entry.path().parent_path(), root).string());
    return names;
}

} // namespace

class TestWhyDevice : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void elsewhereIsAsOnTheProcessor_data();
    void elsewhereIsAsOnTheProcessor();
    void bf16KeepsTheRules_data() { families(); }
    void bf16KeepsTheRules();

private:
    static void families();
    static fs::path folderOf(const QString& name) { return goldens::own("golden") / name.toStdString(); }
    std::optional<at::NoGradGuard> m_noGrad;
};

void TestWhyDevice::initTestCase()
{
    m_noGrad.emplace();
}

void TestWhyDevice::families()
{
    QTest::addColumn<QString>("name");
    for (const std::string& name : analysed())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestWhyDevice::elsewhereIsAsOnTheProcessor_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("devices");
    for (const auto& folder : analysed())
        for (const int devices : {1, 2})
            QTest::addRow("%s, %d", folder.c_str(), devices) << QString::fromStdString(folder) << devices;
}

void TestWhyDevice::elsewhereIsAsOnTheProcessor()
{
    QFETCH(QString, name);
    const fs::path folder = folderOf(name);
    QFETCH(int, devices);
    std::vector<at::Device> placed;
    for (int i = 0; i < devices; ++i)
        placed.push_back(tests::hostDevice(i));
    const auto there = tests::modelOn(folder, placed), host = tests::modelOn(folder, {at::kCPU});
    QVERIFY(there && host);
    static_cast<void>(tests::takeHostTraffic());
    const std::vector<double> found = Pair(there, folder).numbers();
    for (const std::string& traffic : tests::takeHostTraffic())
        QVERIFY2(traffic.find("two devices") == std::string::npos, traffic.c_str());
    const std::vector<double> wanted = Pair(host, folder).numbers();
    QCOMPARE(found.size(), wanted.size());
    QVERIFY(found.size() > 100);
    for (std::size_t i = 0; i < found.size(); ++i)
        QVERIFY2(std::abs(found[i] - wanted[i]) < kTolerance * std::max(1.0, std::abs(wanted[i])),
                 qPrintable(QStringLiteral("number %1: %2 and %3").arg(i).arg(found[i]).arg(wanted[i])));
}

void TestWhyDevice::bf16KeepsTheRules()
{
    QFETCH(QString, name);
    const fs::path folder = folderOf(name);
    const auto loaded = lm::load(folder, {"cpu", "bf16"});
    QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
    const Pair pair(loaded->model, folder);
    const double scale = std::max(1.0, pair.clean.logits.abs().max().item<double>());
    // The parts add up, what is patched into itself changes no bit, and all of the first stream is the other run.
    const DirectAttribution parts = directAttribution(*pair.model, pair.base, pair.clean, pair.metric).value();
    QVERIFY2(std::abs(parts.sum() - parts.difference) < kBf16 * scale,
             qPrintable(QStringLiteral("%1 and %2").arg(parts.sum()).arg(parts.difference)));
    const std::vector<PatchSet> all{{{PatchPart::Stream, 0}}, {{PatchPart::Mixer, 1}}};
    const auto own = patchedDifferences(*pair.model, pair.base, pair.corrupt, pair.corrupt, pair.metric, all).value();
    for (const double value : own)
        QCOMPARE(value, pair.corrupt.difference(pair.metric));
    const auto other = patchedDifferences(*pair.model, pair.base, pair.corrupt, pair.clean, pair.metric, all).value();
    QVERIFY2(std::abs(other.front() - pair.clean.difference(pair.metric)) < kBf16 * scale,
             qPrintable(QStringLiteral("%1 and %2").arg(other.front()).arg(pair.clean.difference(pair.metric))));
    // Sent to every reader is patched, and the lens ends in the logits.
    const std::vector<Sender> senders{{0, pair.clean.z.begin()->first.second, 0}, {0, Site::Any, -1}};
    for (const Sender& sender : senders) {
        const auto known = sendersBefore(*pair.model, pair.base, 1);
        if (std::ranges::find(known, sender) == known.end())
            continue; // writes nothing itself
        std::map<std::tuple<int, Site, int>, unsigned> reads;
        for (const Receiver& one : receiversBehind(*pair.model, pair.base, sender))
            reads[{one.layer, one.site, one.head}] |= one.parts;
        Route route{changesOf(*pair.model, pair.base, pair.corrupt, pair.clean, std::span(&sender, 1)).value()[0], {}};
        for (const auto& [where, bits] : reads)
            route.receivers.push_back({std::get<0>(where), std::get<1>(where), std::get<2>(where), bits});
        const double sent =
            routedDifferences(*pair.model, pair.base, pair.corrupt, pair.metric, std::vector<Route>{route}).value()[0];
        const PatchPart what = sender.head < 0 ? PatchPart::Mlp : PatchPart::Head;
        const std::vector<PatchSet> patch{{{what, 0, sender.site, sender.head}}};
        const double patched =
            patchedDifferences(*pair.model, pair.base, pair.corrupt, pair.clean, pair.metric, patch).value()[0];
        QVERIFY2(std::abs(sent - patched) < 2 * kBf16 * scale,
                 qPrintable(QStringLiteral("%1 and %2").arg(sent).arg(patched)));
    }
    const Lens seen = lens(*pair.model, pair.clean, {1, pair.metric.answer}).value();
    const double end = static_cast<double>(seen.cells.back().logProbability);
    const double wanted = at::log_softmax(pair.clean.logits.to(at::kFloat), -1)[pair.metric.answer].item<double>();
    QVERIFY2(std::abs(end - wanted) < kBf16 * scale, qPrintable(QStringLiteral("%1 and %2").arg(end).arg(wanted)));
}

QTEST_GUILESS_MAIN(TestWhyDevice)
#include "tst_whydevice.moc"
