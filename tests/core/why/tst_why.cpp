// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold of analyses whatever the weights are, on a random model of every family: parts add up, patching
// nothing changes no bit, patching all gives the other run, nothing before the first difference matters, sending to all
// readers is patching the sender.
#include "core/io/safetensors/safetensors.h"
#include "core/lm/load.h"
#include "core/why/cost.h"
#include "core/why/headweights.h"
#include "core/why/knockout.h"
#include "core/why/lenses/lens.h"
#include "core/why/names.h"
#include "core/why/paths/circuit.h"
#include "core/why/paths/direct.h"
#include "core/why/paths/patchedmatrix.h"
#include "core/why/paths/paths.h"
#include "core/why/states.h"
#include "tests/support/goldens.h"
#include "tests/support/whyparts.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <QTest>

#include <cmath>
#include <cstring>

using namespace headscope;
using namespace headscope::why;
using testing::everyPart;
using testing::patchOf;
using testing::toAllReaders;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 1e-4; // of sums in fp32 over a few layers, logits near 10

std::vector<int> integersOf(const io::SafetensorsFile& file, const char* name)
{
    const auto bytes = file.bytes(*file.find(name));
    std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return {values.begin(), values.end()};
}

/// A golden model with its two prompts and their runs.
struct Pair {
    std::shared_ptr<const lm::Model> model;
    std::vector<int> cleanIds, corruptIds;
    Metric metric;
    lm::Edits base;
    Recording clean, corrupt;

    explicit Pair(const QString& name, const char* ablation = "")
    {
        const fs::path folder = goldens::own("golden") / name.toStdString();
        model = lm::load(folder, {"cpu", "fp32"})->model;
        const auto file = io::SafetensorsFile::open(folder / "analyses.safetensors");
        cleanIds = integersOf(**file, "clean_ids");
        corruptIds = integersOf(**file, "corrupt_ids");
        metric = {integersOf(**file, "answer")[0], integersOf(**file, "distractor")[0]};
        base = lm::resolve(*interventions::InterventionSet::parse(ablation), model->spec()).value();
        clean = record(*model, cleanIds, base).value();
        corrupt = record(*model, corruptIds, base).value();
    }
    int layers() const { return base.layerCount; }
    int length() const { return static_cast<int>(cleanIds.size()); }
    int firstDifference() const
    {
        return static_cast<int>(std::mismatch(cleanIds.begin(), cleanIds.end(), corruptIds.begin()).first
                                - cleanIds.begin());
    }
    std::vector<double> patched(const std::vector<PatchSet>& sets, const Recording& into, const Recording& from) const
    {
        return patchedDifferences(*model, base, into, from, metric, sets).value();
    }
    std::vector<double> patched(const std::vector<PatchSet>& sets) const { return patched(sets, corrupt, clean); }
    double dirty() const { return corrupt.difference(metric); }
    const lm::MixerSpec* mixer(int layer, Site site) const
    {
        return model->spec().layers[static_cast<std::size_t>(layer)].find(site);
    }
    const lm::Block& block(int layer) const { return *model->parts().blocks[static_cast<std::size_t>(layer)]; }
};

/// The same model with so many bytes for its runs.
lm::Model allowing(const lm::Model& model, std::int64_t bytes)
{
    lm::ModelParts parts = model.parts();
    parts.allowed = bytes;
    return lm::Model(std::move(parts));
}

} // namespace

class TestWhy : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_noGrad.emplace(); }
    void partsAddUp_data() { families(); }
    void partsAddUp();
    void sourcesAddUpToTheirHead_data() { families(); }
    void sourcesAddUpToTheirHead();
    void patchingOwnActivationsChangesNoBit_data() { families(); }
    void patchingOwnActivationsChangesNoBit();
    void patchingAllIsTheOtherRun_data() { families(); }
    void patchingAllIsTheOtherRun();
    void anExchangeIsBehindThePatchedMlp();
    void aMapFollowsThePatch_data() { families(); }
    void aMapFollowsThePatch();
    void nothingBeforeTheFirstDifferenceMatters_data() { families(); }
    void nothingBeforeTheFirstDifferenceMatters();
    void sendingToAllReadersIsPatchingTheSender_data() { families(); }
    void sendingToAllReadersIsPatchingTheSender();
    void edgesReachTheirPartOnly();
    void allEdgesAreTheOtherRun_data() { families(); }
    void allEdgesAreTheOtherRun();
    void namesAreReadAsTheyAreWritten_data() { families(); }
    void namesAreReadAsTheyAreWritten();
    void statesHandedOverGoOnAsTheOtherRun_data() { families(); }
    void statesHandedOverGoOnAsTheOtherRun();
    void lensEndsInTheLogits_data() { families(); }
    void lensEndsInTheLogits();
    void weightsEqualDenseProducts_data() { families(); }
    void weightsEqualDenseProducts();
    void sweepEndsInTheKnockoutOfAll();
    void sweepLeavesOutWhatDoesNotRun();
    void whatDoesNotFitIsRefusedBefore();
    void fewerGoSideBySideWhereLittleIsAllowed();
    void refusesWithASentence();

private:
    static void families();
    std::optional<at::NoGradGuard> m_noGrad;
};

void TestWhy::families()
{
    QTest::addColumn<QString>("name");
    const fs::path root = goldens::own("golden");
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.path().filename() == "analyses.safetensors") {
            const std::string name = fs::relative(entry.path().parent_path(), root).string();
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
            ++count;
        }
    QCOMPARE(count, 20);
}

void TestWhy::partsAddUp()
{
    QFETCH(QString, name);
    for (const char* ablation : {"", "L1.mlp", "heads", "steer"}) {
        Pair pair(name);
        if (std::string_view(ablation) == "L1.mlp")
            pair.base =
                lm::resolve(*interventions::InterventionSet::parse("skip:L1.mixer"), pair.model->spec()).value();
        if (std::string_view(ablation) == "heads")
            pair.base =
                lm::resolve(*interventions::InterventionSet::parse("L0H0 L1H0=mean lastrow:L1"), pair.model->spec())
                    .value();
        if (std::string_view(ablation) == "steer")
            for (const int layer : {0, 1})
                pair.base.layers[layer].steer = at::linspace(-1, 1, pair.model->spec().hidden);
        const Recording run = record(*pair.model, pair.cleanIds, pair.base).value();
        const auto all = directAttribution(*pair.model, pair.base, run, pair.metric);
        QVERIFY2(all.has_value(), all.has_value() ? "" : all.error().message.c_str());
        QVERIFY2(std::abs(all->sum() - all->difference) < kTolerance, qPrintable(QStringLiteral("%1: %2 and %3")
                                                                                     .arg(QString::fromLatin1(ablation))
                                                                                     .arg(all->sum())
                                                                                     .arg(all->difference)));
        if (!all->capped)
            QVERIFY(std::abs(all->difference - run.difference(pair.metric)) < kTolerance);
        double heads = 0;
        for (const DirectPart& part : all->parts)
            heads += part.kind == DirectPart::Kind::Head ? std::abs(part.value) : 0.0;
        QVERIFY(heads > 0.01); // the sum does not hold for want of parts
        QCOMPARE(all->silent.empty(), name != QStringLiteral("zamba2"));
    }
}

void TestWhy::sourcesAddUpToTheirHead()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto all = directAttribution(*pair.model, pair.base, pair.clean, pair.metric).value();
    int compared = 0;
    for (const DirectPart& part : all.parts) {
        if (part.kind != DirectPart::Kind::Head || part.head >= 4)
            continue;
        const auto sources =
            sourceParts(*pair.model, pair.base, pair.clean, pair.metric, {part.layer, part.site}, part.head);
        QVERIFY2(sources.has_value(), sources.has_value() ? "" : sources.error().message.c_str());
        QCOMPARE(sources->size(), static_cast<std::size_t>(pair.length()));
        double sum = 0;
        for (const double value : *sources)
            sum += value;
        QVERIFY2(
            std::abs(sum - part.value) < kTolerance,
            qPrintable(QStringLiteral("L%1H%2: %3 and %4").arg(part.layer).arg(part.head).arg(sum).arg(part.value)));
        ++compared;
    }
    QVERIFY(compared >= 8);
}

void TestWhy::patchingOwnActivationsChangesNoBit()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto sets = everyPart(*pair.model, pair.base, 8, std::nullopt);
    const auto again = pair.patched(sets, pair.corrupt, pair.corrupt);
    for (std::size_t i = 0; i < sets.size(); ++i)
        QVERIFY(again[i] == pair.dirty());
    QVERIFY(pair.patched({PatchSet{}}).front() == pair.dirty());
    // One position that is patched beside others that are not changes no bit of what those have.
    const auto mixed = patchedLogits(
        *pair.model, pair.base, pair.corrupt, pair.clean,
        std::vector<PatchSet>{{{PatchPart::Stream, 1, Site::Any, -1, PositionSpan{0, 0}}}, {{PatchPart::Stream, 1}}});
    QVERIFY(at::equal(mixed.value()[0], pair.corrupt.logits));
    QVERIFY(patchedDifferences(*pair.model, pair.base, pair.corrupt, pair.clean, pair.metric, {})->empty());
}

void TestWhy::patchingAllIsTheOtherRun()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const double wanted = pair.clean.difference(pair.metric);
    std::vector<PatchSet> whole;
    for (int layer = 0; layer <= pair.layers(); ++layer)
        whole.push_back({{PatchPart::Stream, layer}});
    // Everything of a layer is what it read and what its parts wrote: the stream behind it.
    std::vector<PatchSet> parts;
    for (int layer = 0; layer < pair.layers(); ++layer) {
        PatchSet all{{PatchPart::Stream, layer}, {PatchPart::Mixer, layer}};
        PatchSet heads{{PatchPart::Stream, layer}};
        for (const Site site : interventions::kMixerSites)
            if (pair.mixer(layer, site))
                heads.push_back({PatchPart::Head, layer, site, -1});
        if (pair.block(layer).mlpWrites()) {
            all.push_back({PatchPart::Mlp, layer});
            heads.push_back({PatchPart::Mlp, layer});
        }
        parts.push_back(all);
        parts.push_back(heads);
    }
    // Zamba2's shared attention reads the embedding besides the stream; it comes with the first layer's stream.
    const bool readsEmbedding = name == QStringLiteral("zamba2");
    const auto streams = pair.patched(whole), layers = pair.patched(parts);
    for (int layer = 0; layer <= pair.layers(); ++layer)
        if (!readsEmbedding || layer == 0 || layer == pair.layers())
            QVERIFY2(std::abs(streams[static_cast<std::size_t>(layer)] - wanted) < kTolerance,
                     qPrintable(QStringLiteral("layer %1: %2 and %3")
                                    .arg(layer)
                                    .arg(streams[static_cast<std::size_t>(layer)])
                                    .arg(wanted)));
    for (int layer = 0; layer < pair.layers(); ++layer)
        for (int which = 0; which < 2; ++which) {
            const double got = layers[static_cast<std::size_t>(2 * layer + which)];
            const double behind = streams[static_cast<std::size_t>(readsEmbedding && layer == 0 ? 0 : layer + 1)];
            QVERIFY2(std::abs(got - behind) < kTolerance,
                     qPrintable(QStringLiteral("layer %1: %2 and %3").arg(layer).arg(got).arg(behind)));
        }
    QVERIFY(std::abs(wanted - pair.dirty()) > 10 * kTolerance); // the prompts ask different things of the model
}

// What a patched MLP wrote passes the exchange of words before the next layer, as what it replaces would.
void TestWhy::anExchangeIsBehindThePatchedMlp()
{
    Pair pair(QStringLiteral("llama"));
    const auto writeOf = [&](const Recording& run) {
        const LayerRun layers(*pair.model, pair.base, run.embedding);
        return layers.mlpWrite(run.streams[1], 1, layers.edits(1));
    };
    const at::Tensor write = writeOf(pair.clean), change = (write - writeOf(pair.corrupt))[0][pair.length() - 1];
    pair.base.layers[2].exchanges = {
        lm::exchangeOf(change / change.norm(), at::sin(at::arange(pair.model->spec().hidden, at::kFloat)))};
    const Recording into = record(*pair.model, pair.corruptIds, pair.base).value(),
                    from = record(*pair.model, pair.cleanIds, pair.base).value();
    const LayerRun layers(*pair.model, pair.base, into.embedding);
    const at::Tensor stream = layers.behindMixer(into.streams[1], 1, layers.edits(1)) + write;
    const at::Tensor logits = layers.toLogits(lm::steered(stream, pair.base.find(2)), 2, {})[0];
    const double wanted = (logits[pair.metric.answer] - logits[pair.metric.distractor]).item<double>();
    QVERIFY(std::abs(pair.patched({PatchSet{{PatchPart::Mlp, 1}}}, into, from).front() - wanted) < kTolerance);
}

void TestWhy::aMapFollowsThePatch()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto matrix = [&](const Recording& into, const Recording& from, const PatchSet& set, const Where& where) {
        return patchedMatrix(*pair.model, pair.base, into, from, set, where, 0).value();
    };
    const PatchSet all{{PatchPart::Stream, 0}};
    for (const auto& [where, z] : pair.clean.z) {
        const at::Tensor own = matrix(pair.corrupt, pair.clean, {}, where),
                         other = matrix(pair.clean, pair.corrupt, {}, where);
        QCOMPARE(own.size(0), pair.length());
        // Patching its own run in changes no bit; all of the first stream gives the other run's map.
        QVERIFY(at::equal(own, matrix(pair.corrupt, pair.corrupt, all, where)));
        const at::Tensor patched = matrix(pair.corrupt, pair.clean, all, where);
        QVERIFY2((patched - other).abs().max().item<double>() < kTolerance, qPrintable(name));
        // What comes behind the map does not change it.
        const PatchSet behind{{PatchPart::Head, where.first, where.second, 0}};
        QVERIFY(at::equal(own, matrix(pair.corrupt, pair.clean, behind, where)));
    }
    QVERIFY(!patchedMatrix(*pair.model, pair.base, pair.corrupt, pair.clean, {}, {99, Site::Attention}, 0).has_value());
}

void TestWhy::nothingBeforeTheFirstDifferenceMatters()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const int first = pair.firstDifference();
    QVERIFY(first > 1);
    const auto sets = everyPart(*pair.model, pair.base, 8, PositionSpan{0, first - 1});
    const auto values = pair.patched(sets);
    for (std::size_t i = 0; i < sets.size(); ++i)
        QVERIFY2(values[i] == pair.dirty(),
                 qPrintable(QStringLiteral("set %1: %2 and %3").arg(i).arg(values[i]).arg(pair.dirty())));
    const auto behind = pair.patched({{{PatchPart::Stream, 0, Site::Any, -1, PositionSpan{first, pair.length() - 1}}}});
    QVERIFY(std::abs(behind.front() - pair.dirty()) > kTolerance);
}

void TestWhy::sendingToAllReadersIsPatchingTheSender()
{
    QFETCH(QString, name);
    const Pair pair(name);
    std::vector<Sender> senders = sendersBefore(*pair.model, pair.base, pair.layers());
    std::erase_if(senders, [](const Sender& one) { return one.head >= 4; });
    const auto changes = changesOf(*pair.model, pair.base, pair.corrupt, pair.clean, senders);
    QVERIFY2(changes.has_value(), changes.has_value() ? "" : changes.error().message.c_str());
    std::vector<Route> routes;
    std::vector<PatchSet> sets;
    for (std::size_t i = 0; i < senders.size(); ++i) {
        routes.push_back(toAllReaders(*pair.model, pair.base, senders[i], (*changes)[i]));
        sets.push_back(patchOf(senders[i]));
    }
    const auto sent = routedDifferences(*pair.model, pair.base, pair.corrupt, pair.metric, routes);
    QVERIFY2(sent.has_value(), sent.has_value() ? "" : sent.error().message.c_str());
    const auto patched = pair.patched(sets);
    for (std::size_t i = 0; i < senders.size(); ++i)
        QVERIFY2(std::abs((*sent)[i] - patched[i]) < kTolerance, qPrintable(QStringLiteral("sender L%1 %2: %3 and %4")
                                                                                .arg(senders[i].layer)
                                                                                .arg(senders[i].head)
                                                                                .arg((*sent)[i])
                                                                                .arg(patched[i])));
    // Sent to nobody, nothing changes.
    QCOMPARE(
        routedDifferences(*pair.model, pair.base, pair.corrupt, pair.metric, std::vector<Route>{{(*changes)[1], {}}})
            ->front(),
        pair.dirty());
}

// A head's pattern is made of its query and key alone; a change of its value leaves the pattern as it is.
void TestWhy::edgesReachTheirPartOnly()
{
    for (const auto& [model, site] : {std::pair("llama", Site::Attention), std::pair("mamba2", Site::Ssm)}) {
        const Pair pair(QString::fromLatin1(model));
        const LayerRun run(*pair.model, pair.base, pair.corrupt.embedding);
        const at::Tensor other = pair.clean.streams[2], own = pair.corrupt.streams[2];
        const lm::LayerEdits edits;
        const auto z = [&](unsigned parts) { return run.rerouted(own, 2, edits, {other, site, parts}); };
        QVERIFY(at::allclose(z(0), pair.corrupt.z.at({2, site}), 1e-5, 1e-5));
        QVERIFY(at::allclose(z(lm::kEveryPart), pair.clean.z.at({2, site}), 1e-5, 1e-5));
        const at::Tensor value = z(lm::kValue), query = z(lm::kQuery);
        QVERIFY(!at::allclose(value, query, 1e-3, 1e-3));
        // Positions before the first difference read what they read before.
        const std::int64_t first = pair.firstDifference();
        QVERIFY(at::equal(value.narrow(1, 0, first), z(0).narrow(1, 0, first)));
        // A query reaches its own position only: the last one's output is that of the other's query there.
        at::Tensor mixed = own.clone();
        mixed.select(1, pair.length() - 1).copy_(other.select(1, pair.length() - 1));
        const at::Tensor last = run.rerouted(own, 2, edits, {mixed, site, lm::kQuery});
        if (site == Site::Attention) {
            QVERIFY(at::allclose(last.select(1, pair.length() - 1), query.select(1, pair.length() - 1), 1e-5, 1e-5));
            QVERIFY(at::equal(last.narrow(1, 0, pair.length() - 1), z(0).narrow(1, 0, pair.length() - 1)));
        }
    }
}

// Keeping every edge is the other run, keeping none is the run itself, and one edge alone is what path patching says.
void TestWhy::allEdgesAreTheOtherRun()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto difference = [&](const Circuit& kept) {
        const at::Tensor logits = circuitLogits(*pair.model, pair.base, pair.corrupt, pair.clean, kept).value();
        return logits[pair.metric.answer].item<double>() - logits[pair.metric.distractor].item<double>();
    };
    QVERIFY(std::abs(difference({}) - pair.dirty()) < kTolerance);
    const Circuit all = everyEdge(*pair.model, pair.base);
    QVERIFY(!all.empty());
    // What heads write does not add up behind a norm of the mixer, or where an adapter matches the statistics of two;
    // Zamba2's attention reads the embedding besides.
    const bool addsUp = name != QStringLiteral("gemma2") && name != QStringLiteral("hybrid_llamba");
    if (addsUp && name != QStringLiteral("zamba2"))
        QVERIFY2(std::abs(difference(all) - pair.clean.difference(pair.metric)) < 10 * kTolerance,
                 qPrintable(QStringLiteral("%1 and %2").arg(difference(all)).arg(pair.clean.difference(pair.metric))));
    const Receiver logits{pair.layers(), Site::Any, -1, 0};
    if (name == QStringLiteral("zamba2"))
        return;
    const auto into = edgesInto(*pair.model, pair.base, pair.corrupt, pair.clean, pair.metric, logits).value();
    QCOMPARE(into.front().sender, Sender());
    QVERIFY(std::abs(difference({{Sender(), logits}}) - into.front().value) < kTolerance);
}

void TestWhy::namesAreReadAsTheyAreWritten()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const lm::ModelSpec& spec = pair.model->spec();
    std::vector<Sender> senders = sendersBefore(*pair.model, pair.base, pair.layers());
    for (const Sender& sender : senders)
        QCOMPARE(parseSender(nameOf(spec, sender), spec).value(), sender);
    for (const Receiver& receiver : receiversBehind(*pair.model, pair.base, senders.front()))
        QCOMPARE(parseReceiver(nameOf(spec, receiver), *pair.model).value(), receiver);
    for (const char* wrong : {"L9.mlp", "L1H999", "what", ""})
        QVERIFY(!parseSender(wrong, spec).has_value());
    const std::string behind = "L" + std::to_string(pair.layers()) + ".mlp"; // the logits' number, but no MLP
    for (const char* wrong : {"L1H0", "L1H0.", "L1H0.z", "embed", ".q", behind.c_str()})
        QVERIFY(!parseReceiver(wrong, *pair.model).has_value());
}

void TestWhy::statesHandedOverGoOnAsTheOtherRun()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const std::vector<int> layers = layersWithState(*pair.model, pair.base);
    if (layers.empty()) {
        const std::vector<StateCell> cell{{0, 3}};
        const auto refused = handedOverDifferences(*pair.model, pair.base, pair.corrupt, pair.clean, pair.metric, cell);
        QVERIFY(!refused.has_value());
        QVERIFY(refused.error().message.find("no state") != std::string::npos);
        return;
    }
    int lastDifference = 0;
    for (int i = 0; i < pair.length(); ++i)
        if (pair.cleanIds[static_cast<std::size_t>(i)] != pair.corruptIds[static_cast<std::size_t>(i)])
            lastDifference = i;
    // Before the first difference both carry the same.
    std::vector<StateCell> early;
    for (const int layer : layers)
        early.push_back({layer, pair.firstDifference() - 1});
    const auto unchanged = handedOverDifferences(*pair.model, pair.base, pair.corrupt, pair.clean, pair.metric, early);
    for (const double value : *unchanged)
        QVERIFY2(std::abs(value - pair.dirty()) < kTolerance,
                 qPrintable(QStringLiteral("%1 and %2").arg(value).arg(pair.dirty())));
    if (lastDifference + 1 >= pair.length())
        QSKIP("the prompts differ in their last token: no position behind which they go on alike");
    const double everywhere =
        handedOverEverywhere(*pair.model, pair.base, pair.corrupt, pair.clean, pair.metric, lastDifference).value();
    if (static_cast<int>(layers.size()) == pair.layers()
        && !std::any_of(pair.model->spec().layers.begin(), pair.model->spec().layers.end(),
                        [](const lm::LayerSpec& layer) { return layer.find(Site::Attention); })) {
        QVERIFY(std::abs(everywhere - pair.clean.difference(pair.metric)) < kTolerance);
    } else { // attention still reads the other tokens
        QVERIFY(std::abs(everywhere - pair.dirty()) > kTolerance);
        QVERIFY(std::abs(everywhere - pair.clean.difference(pair.metric)) > kTolerance);
    }
}

void TestWhy::lensEndsInTheLogits()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto seen = lens(*pair.model, pair.clean, {3, pair.metric.answer}).value();
    QCOMPARE(seen.layers, pair.layers() + 1);
    QCOMPARE(seen.positions, pair.length());
    const at::Tensor logs = at::log_softmax(pair.clean.logits, -1);
    const LensCell& end = seen.at(pair.layers(), pair.length() - 1);
    QVERIFY(std::abs(end.logProbability - logs[pair.metric.answer].item<double>()) < kTolerance);
    QCOMPARE(end.top.front().id, static_cast<int>(logs.argmax().item<std::int64_t>()));
    QCOMPARE(end.rank, static_cast<int>((logs > logs[pair.metric.answer]).sum().item<std::int64_t>()));
    for (const LensCell& cell : seen.cells) {
        QCOMPARE(cell.top.size(), std::size_t{3});
        QVERIFY(cell.top[0].probability >= cell.top[1].probability);
        QVERIFY(cell.entropy > 0 && cell.entropy <= std::log(pair.model->spec().vocabulary) + 1e-3);
    }
    const auto first = firstTopLayer(seen, pair.length() - 1, end.top.front().id);
    QVERIFY(first && *first <= pair.layers());
    QVERIFY(!firstTopLayer(seen, pair.length() - 1, end.top[1].id));
    // Without a followed token it is the one of the last row.
    const auto own = lens(*pair.model, pair.clean, {1}).value();
    for (int position = 0; position < own.positions; ++position)
        QCOMPARE(own.at(pair.layers(), position).rank, 0);
}

// Thin factors against the D x D and V x V matrices that they stand for, SSM heads too.
void TestWhy::weightsEqualDenseProducts()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto doubled = [](const at::Tensor& x) { return x.to(at::kDouble); };
    const at::Tensor embedding = doubled(pair.model->parts().embedding);
    at::Tensor head = doubled(pair.model->parts().head.weight);
    const lm::Norm& norm = pair.model->parts().finalNorm;
    head = head * (norm.kind == lm::NormKind::RmsPlusOne ? doubled(norm.weight) + 1 : doubled(norm.weight));
    if (norm.kind == lm::NormKind::Layer)
        head = head - head.mean(-1, true);
    int compared = 0;
    std::vector<HeadFactors> before;
    for (int layer = 0; layer < pair.layers(); ++layer)
        for (const Site site : interventions::kMixerSites) {
            if (!pair.mixer(layer, site))
                continue;
            auto heads = headFactors(*pair.model, layer, site);
            if (!heads.has_value()) {
                QCOMPARE(name, QStringLiteral("zamba2"));
                continue;
            }
            heads->resize(std::min<std::size_t>(heads->size(), 4));
            const auto copying = copyingScores(*vocabularyMap(*pair.model), *heads);
            for (std::size_t h = 0; h < heads->size(); ++h) {
                const HeadFactors& one = (*heads)[h];
                const at::Tensor ov = at::matmul(one.output, one.value);
                const at::Tensor values = at::linalg_eigvals(at::matmul(at::matmul(head, ov), embedding.t()));
                const double magnitude = values.abs().sum().item<double>();
                QVERIFY(std::abs(copying[h] - at::real(values).sum().item<double>() / magnitude) < 1e-6);
                const auto directions = singularDirections(*pair.model, one, HeadMatrix::OutputValue, 2, 3).value();
                const at::Tensor singular = at::linalg_svdvals(ov);
                for (std::size_t i = 0; i < directions.size(); ++i)
                    QVERIFY(std::abs(directions[i].value - singular[static_cast<std::int64_t>(i)].item<double>())
                            < 1e-8);
                QVERIFY(directions.front().read.front().second > 0);
            }
            const auto dense = [](const at::Tensor& second, const at::Tensor& ov) {
                return at::linalg_matrix_norm(at::matmul(second, ov)).item<double>()
                       / (at::linalg_matrix_norm(second).item<double>() * at::linalg_matrix_norm(ov).item<double>());
            };
            for (const Composition kind : {Composition::Query, Composition::Key, Composition::Value}) {
                const auto scores = compositionScores(before, *heads, kind);
                if (!scores.has_value()) {
                    QVERIFY(!heads->front().query.defined() && kind != Composition::Value);
                    continue;
                }
                for (std::size_t a = 0; a < before.size(); ++a)
                    for (std::size_t b = 0; b < heads->size(); ++b) {
                        const HeadFactors& to = (*heads)[b];
                        const at::Tensor second = kind == Composition::Value ? at::matmul(to.output, to.value)
                                                  : kind == Composition::Key ? at::matmul(to.query.t(), to.key)
                                                                             : at::matmul(to.key.t(), to.query);
                        QVERIFY(std::abs((*scores)[a][b] - dense(second, at::matmul(before[a].output, before[a].value)))
                                < 1e-8);
                        ++compared;
                    }
            }
            before = *heads;
        }
    QVERIFY(compared > 0);
}

void TestWhy::sweepEndsInTheKnockoutOfAll()
{
    const PositionSpan queries{16, 19}, keys{3, 6};
    const auto spanText = [](const PositionSpan& span) {
        return std::to_string(span.first) + "-" + std::to_string(span.last);
    };
    for (const auto& [name, before] :
         {std::pair("llama", true), std::pair("llama", false), std::pair("mamba2", false),
          std::pair("hybrid_llamba", true), std::pair("zamba2", true), std::pair("stretch/falcon_h1", false),
          std::pair("stretch/falcon_h1", true), std::pair("stretch/jamba", true)}) {
        const Pair pair(QString::fromLatin1(name));
        const auto windows = knockoutSweep(*pair.model, pair.base, pair.cleanIds, pair.metric,
                                           {queries, keys, before, 2 * pair.layers()});
        QVERIFY2(windows.has_value(), windows.has_value() ? "" : windows.error().message.c_str());
        std::string all; // heads of both kinds, in layers with both, too
        for (std::size_t layer = 0; layer < pair.model->spec().layers.size(); ++layer)
            for (const lm::MixerSpec& mixer : pair.model->spec().layers[layer].mixers) {
                const bool attention = mixer.site() == Site::Attention;
                all += (before && attention ? "knock:L" : "mask:L") + std::to_string(layer) + (attention ? "A" : "S")
                       + "*[q=" + spanText(queries) + ",k=3-6] ";
            }
        const Pair knocked(QString::fromLatin1(name), all.c_str());
        for (const KnockoutWindow& window : *windows)
            QVERIFY(std::abs(window.difference - knocked.clean.difference(pair.metric)) < kTolerance);
        QVERIFY(std::abs(knocked.clean.difference(pair.metric) - pair.clean.difference(pair.metric)) > kTolerance);
        const auto narrow =
            knockoutSweep(*pair.model, pair.base, pair.cleanIds, pair.metric, {queries, keys, before, 1}).value();
        for (const KnockoutWindow& window : narrow)
            QCOMPARE(window.first, window.last);
    }
}

void TestWhy::sweepLeavesOutWhatDoesNotRun()
{
    const KnockoutSweep narrow{{16, 19}, {3, 6}, true, 1};
    for (const char* ablation : {"skip:L1", "skip:L1.mixer"}) {
        const Pair pair(QStringLiteral("llama"), ablation);
        const auto windows = knockoutSweep(*pair.model, pair.base, pair.cleanIds, pair.metric, narrow);
        QVERIFY2(windows.has_value(), windows.has_value() ? "" : windows.error().message.c_str());
        QCOMPARE(windows->size(), std::size_t{2});
        QVERIFY(windows->front().first == 0 && windows->back().first == 2);
    }
    const Pair none(QStringLiteral("llama"), "skip:L0.mixer skip:L1 skip:L2");
    const auto windows = knockoutSweep(*none.model, none.base, none.cleanIds, none.metric, narrow);
    QVERIFY(!windows.has_value() && windows.error().message.find("No layer has heads that run") != std::string::npos);
}

void TestWhy::whatDoesNotFitIsRefusedBefore()
{
    const Pair pair(QStringLiteral("llama"));
    QVERIFY(!pair.model->parts().allowed.has_value());
    const Cost one = costOf(*pair.model, pair.length(), 1, 1), two = costOf(*pair.model, pair.length(), 2, 1);
    QVERIFY(one.bytes > recordingBytes(*pair.model, pair.length()) && two.bytes > one.bytes);
    QVERIFY(checkFits(*pair.model, two).has_value()); // of what is free here
    QVERIFY(checkFits(allowing(*pair.model, two.bytes), two).has_value());
    const auto refused = checkFits(allowing(*pair.model, two.bytes - 1), two);
    QVERIFY(!refused.has_value() && refused.error().kind == Error::Kind::Memory);
    QVERIFY2(refused.error().message.find("may be used; expected a shorter prompt") != std::string::npos,
             refused.error().message.c_str());
    // Whoever records asks first.
    QVERIFY(record(allowing(*pair.model, one.bytes), pair.cleanIds, pair.base).has_value());
    const auto unrecorded = record(allowing(*pair.model, one.bytes - 1), pair.cleanIds, pair.base);
    QVERIFY(!unrecorded.has_value() && unrecorded.error().kind == Error::Kind::Memory);
}

void TestWhy::fewerGoSideBySideWhereLittleIsAllowed()
{
    const Pair pair(QStringLiteral("llama"));
    const lm::Model few = allowing(*pair.model, 6 * cellBytes(*pair.model, pair.length()));
    QCOMPARE(cellsAtOnce(few, pair.length()), std::int64_t{3});
    QCOMPARE(cellsAtOnce(allowing(*pair.model, 0), pair.length()), std::int64_t{1}); // and checkFits() refuses
    std::vector<PatchSet> sets;
    for (int layer = 0; layer < pair.layers(); ++layer)
        for (int position = pair.firstDifference(); position < pair.length(); ++position)
            sets.push_back({{PatchPart::Stream, layer, Site::Any, -1, PositionSpan{position, position}}});
    const auto apart = patchedDifferences(few, pair.base, pair.corrupt, pair.clean, pair.metric, sets);
    QVERIFY(apart.has_value());
    const auto together = pair.patched(sets);
    QCOMPARE(apart->size(), together.size());
    for (std::size_t i = 0; i < together.size(); ++i)
        QVERIFY2(std::abs((*apart)[i] - together[i]) < 1e-5, qPrintable(QString::number((*apart)[i] - together[i])));
}

void TestWhy::refusesWithASentence()
{
    const Pair pair(QStringLiteral("llama")), mamba(QStringLiteral("mamba")), zamba(QStringLiteral("zamba2"));
    const auto refused = [](const auto& result, const char* words) {
        QVERIFY2(!result.has_value(), words);
        QVERIFY2(result.error().message.ends_with('.'), result.error().message.c_str());
        QVERIFY2(result.error().message.find(words) != std::string::npos, result.error().message.c_str());
    };
    refused(record(*pair.model, {}, pair.base), "no tokens");
    refused(record(*pair.model, {1, 6400}, pair.base), "6400");
    refused(check(Metric{3, 3}, *pair.model), "same token 3");
    refused(check(Metric{3, 64}, *pair.model), "no token 64");
    const Recording shorter = record(*pair.model, {1, 2, 3}, pair.base).value();
    const std::vector<PatchSet> stream{{{PatchPart::Stream, 0}}};
    refused(patchedDifferences(*pair.model, pair.base, pair.corrupt, shorter, pair.metric, stream),
            "expected equal lengths");
    const auto patch = [](const Pair& of, const PatchPoint& point) {
        const std::vector<PatchSet> sets{{point}};
        return patchedDifferences(*of.model, of.base, of.corrupt, of.clean, of.metric, sets);
    };
    refused(patch(pair, {PatchPart::Stream, 4}), "no layer L4");
    refused(patch(pair, {PatchPart::Head, 1, Site::Ssm, 0}), "no such head");
    refused(patch(pair, {PatchPart::Head, 1, Site::Attention, 4}), "no such head");
    refused(patch(pair, {PatchPart::Stream, 1, Site::Any, -1, PositionSpan{20, 24}}), "no position 24");
    refused(patch(mamba, {PatchPart::Mlp, 1}), "no MLP");
    refused(patch(zamba, {PatchPart::Mlp, 1}), "no MLP");
    refused(patch(Pair(QStringLiteral("llama"), "skip:L1"), {PatchPart::Mixer, 1}), "is skipped");
    refused(patch(Pair(QStringLiteral("llama"), "skip:L1.mlp"), {PatchPart::Mlp, 1}), "The MLP of layer L1 is skipped");
    const auto into = [](const Pair& of, const char* reader) {
        return edgesInto(*of.model, of.base, of.corrupt, of.clean, of.metric, parseReceiver(reader, *of.model).value());
    };
    refused(into(Pair(QStringLiteral("llama"), "skip:L1"), "L1H0.q"), "Layer L1 is skipped");
    refused(into(Pair(QStringLiteral("llama"), "skip:L1.mlp"), "L1.mlp"), "The MLP of layer L1 is skipped");
    refused(into(Pair(QStringLiteral("llama"), "skip:L1.mixer"), "L1H0.q"), "The mixer of layer L1 is skipped");
    refused(into(zamba, "L0H0.x"), "writes before L0H0.x");
    refused(changesOf(*zamba.model, zamba.base, zamba.corrupt, zamba.clean, std::vector<Sender>{{}}),
            "besides the stream");
    const std::vector<Sender> silent{{1, Site::Attention, 0}};
    refused(changesOf(*zamba.model, zamba.base, zamba.corrupt, zamba.clean, silent), "other mixer");
    refused(sourceParts(*zamba.model, zamba.base, zamba.clean, zamba.metric, {1, Site::Attention}, 0), "other mixer");
    refused(headFactors(*zamba.model, 1, Site::Attention), "L1");
    const auto sweep = [&](const KnockoutSweep& how, const Pair& of) {
        return knockoutSweep(*of.model, of.base, of.cleanIds, of.metric, how);
    };
    refused(sweep({{5, 9}, {3, 6}, true, 1}, pair), "overlap");
    refused(sweep({{20, 24}, {3, 6}, true, 1}, pair), "no positions");
    refused(sweep({{20, 22}, {3, 6}, true, 1}, mamba), "no attention");
    QVERIFY(!normalised(1.0, 2.0, 2.0 + 1e-7));
    QCOMPARE(normalised(1.5, 1.0, 2.0).value(), 0.5);
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = patchedDifferences(*pair.model, pair.base, pair.corrupt, pair.clean, pair.metric, stream,
                                            {stop.get_token(), {}});
    QVERIFY(!stopped.has_value());
    QCOMPARE(stopped.error().kind, Error::Kind::Cancelled);
}

QTEST_GUILESS_MAIN(TestWhy)
#include "tst_why.moc"
