// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold of analyses in the families of today: experts, latent attention, delta rules, recurrences, lightning
// attention, shared keys and values. The same rules as in tst_why, on small models without expected values of analyses;
// where a rule cannot hold, the sentence that says so.
#include "core/lm/load.h"
#include "core/why/expertrun.h"
#include "core/why/headweights.h"
#include "core/why/knockout.h"
#include "core/why/lenses/jacobianfit.h"
#include "core/why/lenses/lens.h"
#include "core/why/names.h"
#include "core/why/paths/circuit.h"
#include "core/why/paths/direct.h"
#include "core/why/paths/patching.h"
#include "core/why/paths/paths.h"
#include "core/why/paths/score.h"
#include "core/why/probes.h"
#include "core/why/states.h"
#include "tests/support/goldens.h"
#include "tests/support/whyparts.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

using namespace headscope;
using namespace headscope::why;
using testing::everyPart;
using testing::patchOf;
using testing::toAllReaders;
namespace fs = std::filesystem;

namespace {

constexpr double kTolerance = 2e-4; // of sums in fp32, of the larger of 1 and the logits' size
constexpr double kRounding = 1e-5;
constexpr int kLength = 16;
constexpr int kChanged[] = {5, 8, 11}; // positions at which the two prompts differ

/// A model with two random prompts and their runs.
struct Pair {
    std::shared_ptr<const lm::Model> model;
    std::vector<int> cleanIds, corruptIds;
    Metric metric;
    lm::Edits base;
    Recording clean, corrupt;
    double scale = 1;

    explicit Pair(const QString& name) : Pair(goldens::own("golden") / "hub" / name.toStdString()) {}
    explicit Pair(const fs::path& folder)
    {
        auto loaded = lm::load(folder, {"cpu", "fp32"});
        if (!loaded.has_value())
            qFatal("%s", loaded.error().message.c_str());
        model = loaded->model;
        const int vocabulary = model->spec().vocabulary;
        unsigned seed = 7;
        for (int i = 0; i < kLength; ++i) {
            seed = seed * 1664525U + 1013904223U;
            cleanIds.push_back(2 + static_cast<int>((seed >> 8U) % static_cast<unsigned>(vocabulary - 4)));
        }
        corruptIds = cleanIds;
        for (const int position : kChanged)
            corruptIds[static_cast<std::size_t>(position)] =
                (cleanIds[static_cast<std::size_t>(position)] + 7) % vocabulary;
        base = lm::resolve({}, model->spec()).value();
        clean = record(*model, cleanIds, base).value();
        corrupt = record(*model, corruptIds, base).value();
        const int answer = mostProbable(clean, {}, -1);
        metric = {answer, mostProbable(corrupt, {}, answer)};
        scale = std::max(1.0, clean.logits.abs().max().item<double>());
    }
    [[nodiscard]] bool near(double a, double b) const { return std::abs(a - b) < kTolerance * scale; }
    [[nodiscard]] std::vector<double> patched(const std::vector<PatchSet>& sets, const Recording& into,
                                              const Recording& from) const
    {
        const auto values = patchedDifferences(*model, base, into, from, metric, sets);
        if (!values.has_value())
            qFatal("%s", values.error().message.c_str());
        return *values;
    }
    [[nodiscard]] double dirty() const { return corrupt.difference(metric); }
    [[nodiscard]] const lm::Block& block(int layer) const
    {
        return *model->parts().blocks[static_cast<std::size_t>(layer)];
    }
    [[nodiscard]] bool experts() const
    {
        return std::ranges::any_of(model->spec().layers, [](const lm::LayerSpec& layer) { return layer.experts > 0; });
    }
    /// Layers do more to the stream than to add to it (Gemma 4 scales it).
    [[nodiscard]] bool adds() const
    {
        return std::ranges::all_of(model->parts().blocks, [](const auto& block) { return block->addsToStream(); });
    }
};

/// The chosen experts of one token and their weights, from the router's logits [E].
std::map<int, double> plainChoice(const at::Tensor& logits, const lm::Routing& r)
{
    using Scores = lm::Routing::Scores;
    const auto count = static_cast<int>(logits.numel());
    std::vector<double> score, rank;
    double all = 0;
    for (int i = 0; i < count; ++i)
        all += std::exp(logits[i].item<double>());
    for (int i = 0; i < count; ++i) {
        const double logit = logits[i].item<double>();
        score.push_back(r.scores == Scores::Sigmoid ? 1 / (1 + std::exp(-logit)) : std::exp(logit) / all);
        rank.push_back(score.back() + (r.correction.defined() ? r.correction[i].item<double>() : 0.0));
    }
    const int size = count / r.groups;
    std::vector<std::pair<double, int>> groups;
    for (int group = 0; group < r.groups; ++group) {
        std::vector<double> own(rank.begin() + group * size, rank.begin() + (group + 1) * size);
        std::ranges::sort(own, std::greater());
        groups.emplace_back(std::accumulate(own.begin(), own.begin() + r.bestOfGroup, 0.0), group);
    }
    std::ranges::sort(groups, std::greater());
    std::vector<std::pair<double, int>> open;
    for (int best = 0; best < r.chosenGroups; ++best)
        for (int i = 0; i < size; ++i) {
            const int expert = groups[static_cast<std::size_t>(best)].second * size + i;
            open.emplace_back(rank[static_cast<std::size_t>(expert)], expert);
        }
    std::ranges::sort(open, std::greater());
    open.resize(static_cast<std::size_t>(r.chosen));
    double chosen = 0;
    for (const auto& [value, expert] : open)
        chosen += score[static_cast<std::size_t>(expert)];
    std::map<int, double> weights;
    for (const auto& [value, expert] : open) {
        double weight = score[static_cast<std::size_t>(expert)];
        if (r.normalised || r.scores == Scores::SoftmaxOfChosen)
            weight /= chosen;
        weights[expert] = weight * r.factor * (r.factors.defined() ? r.factors[expert].item<double>() : 1.0);
    }
    return weights;
}

// Derivative of a head's entry for a query and a key along the scale of everything that the query reads, by
// differences.
double slopeOfScan(const Pair& pair, const Recording& run, const Where& where, int head, int query, int key)
{
    const lm::SiteReader reader = pair.block(where.first).reader(where.second);
    const at::Tensor stream = run.streams[static_cast<std::size_t>(where.first)].narrow(1, 0, query + 1);
    const at::Tensor input = (*reader.norm)(stream.narrow(2, 0, run.embedding.size(2))).to(at::kFloat);
    const auto terms = [&](double by) { return *reader.mixer->scanScores(head, input * by); };
    const lm::ScanScores here = terms(1);
    const at::Tensor sums = here.logDecay[0].to(at::kDouble).cumsum(0);
    at::Tensor keys = here.key[0][key] * at::exp(sums[query] - sums[key]);
    if (here.weight.defined())
        keys = keys * here.weight[0][key];
    constexpr double kStep = 1e-2;
    return ((terms(1 + kStep).query - terms(1 - kStep).query)[0][query].to(at::kDouble) * keys).sum().item<double>()
           / (2 * kStep);
}

// How far heads write along a direction, by their factors and by the block in a run: the cosine of both, which a norm's
// scale does not change. 1 where the block tells nothing of it.
double agreementOfWrites(const Pair& pair, const LayerFactors& layer)
{
    const at::Tensor direction = at::sin(at::arange(pair.model->spec().hidden, at::kFloat)).unsqueeze(0);
    lm::HeadOutputs z;
    z.site(layer.site) = pair.clean.z.at({layer.layer, layer.site}).select(1, kLength - 1);
    const at::Tensor along = pair.block(layer.layer).headsAlong(z, direction).along.site(layer.site);
    if (!along.defined())
        return 1;
    std::vector<at::Tensor> own;
    for (const HeadFactors& head : layer.heads)
        own.push_back(at::matmul(direction[0].to(at::kDouble), head.output));
    return at::cosine_similarity(along[0].to(at::kDouble), at::cat(own), 0).item<double>();
}

double sumOf(const std::vector<DirectPart>& parts)
{
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double sum, const DirectPart& part) { return sum + part.value; });
}

// What is wrong with the score of a head that scans: it is the entry of the matrix, and its writers add up to the
// slope.
QString problemOfScan(const ScoreAttribution& score, double entry, double slope)
{
    const auto apart = [](double a, double b, double most) {
        return !(std::abs(a - b) < most * std::max(1.0, std::abs(b)));
    };
    const DirectPart& last = score.query.back();
    const double firstOrder = sumOf(score.query) - last.value;
    return last.kind != DirectPart::Kind::Residue ? QStringLiteral("no residue")
           : apart(score.score, entry, 1e-4)      ? QStringLiteral("%1 beside the entry %2").arg(score.score).arg(entry)
           : apart(firstOrder, slope, 1e-2)       ? QStringLiteral("%1 beside the slope %2").arg(firstOrder).arg(slope)
                                                  : QString();
}

} // namespace

class TestWhyFamilies : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_noGrad.emplace(); }
    void statesPastTurningAreRefused();
    void partsAddUp_data() { families(); }
    void partsAddUp();
    void scoresAreSumsOfTheirWriters_data() { families(); }
    void scoresAreSumsOfTheirWriters();
    void sharesAreThoseOfTheRun();
    void patchingKeepsItsRules_data() { families(); }
    void patchingKeepsItsRules();
    void aHeadsPatchIsTheSameFromTheStreamOn_data() { families(); }
    void aHeadsPatchIsTheSameFromTheStreamOn();
    void aRunKeptForPatchesAnswersTheSame_data() { families(); }
    void aRunKeptForPatchesAnswersTheSame();
    void sendingToAllReadersIsPatchingTheSender_data() { families(); }
    void sendingToAllReadersIsPatchingTheSender();
    void lensEndsInTheLogits_data() { families(); }
    void lensEndsInTheLogits();
    void jacobiansAreFiniteDifferences_data() { families(); }
    void jacobiansAreFiniteDifferences();
    void aSkippedLayersJacobianIsTheIdentity_data() { families(); }
    void aSkippedLayersJacobianIsTheIdentity();
    void sumsOfShortTypesAreFp32();
    void aLayerInPlaceOfItselfChangesNothing_data() { families(); }
    void aLayerInPlaceOfItselfChangesNothing();
    void aMinimalModelEndsBehindItsLayer_data() { families(); }
    void aMinimalModelEndsBehindItsLayer();
    void knockoutOfAllLayersIsTheWidestWindow_data() { families(); }
    void knockoutOfAllLayersIsTheWidestWindow();

    void weightsAreReadOfEveryKindOfHead_data() { families(); }
    void weightsAreReadOfEveryKindOfHead();
    void partsAreWhatHeadsReadThrough_data() { families(); }
    void partsAreWhatHeadsReadThrough();
    void choicesAreWhatRuns_data() { families(); }
    void choicesAreWhatRuns();
    void choicesAreThePlainMixture_data() { families(); }
    void choicesAreThePlainMixture();
    void choicesUnderAnAblation_data() { families(); }
    void choicesUnderAnAblation();
    void otherHeadsAreRefused();

private:
    static void families();
    std::optional<at::NoGradGuard> m_noGrad;
};

void TestWhyFamilies::families()
{
    QTest::addColumn<QString>("name");
    int count = 0;
    for (const auto& entry : fs::directory_iterator(goldens::own("golden") / "hub")) {
        const std::string name = entry.path().filename().string();
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
        ++count;
    }
    QVERIFY(count >= 43);
}

// What was written at the query, and what was written at the key, each add up to the score; the scores of a row make
// the pattern that the model itself has. Under an ablation and a steered layer, too.
void TestWhyFamilies::scoresAreSumsOfTheirWriters()
{
    QFETCH(const QString, name);
    Pair pair(name);
    constexpr int kQuery = 12, kKeys[] = {12, 3, 10};
    pair.base.layers[1].steer = at::sin(at::arange(pair.model->spec().hidden, at::kFloat)) * 0.1;
    const Recording run = record(*pair.model, pair.cleanIds, pair.base).value();
    const LayerRun layers(*pair.model, pair.base, run.embedding);
    int measured = 0, refused = 0;
    for (int layer = 0; layer < run.layers(); ++layer)
        for (const lm::MixerSpec& mixer : pair.model->spec().layers[static_cast<std::size_t>(layer)].mixers) {
            const Where where{layer, mixer.site()};
            const int head = mixer.heads - 1;
            lm::Capture capture;
            capture.sites[where].wantMatrix = true;
            capture.sites[where].heads = {head};
            capture.sites[where].row = kQuery;
            capture.sites[where].convention.withD = false;
            for (const int key : kKeys) {
                const auto raw = scoreAttribution(*pair.model, pair.base, run, {where, head, kQuery, key, false});
                const auto centred = scoreAttribution(*pair.model, pair.base, run, {where, head, kQuery, key});
                QCOMPARE(raw.has_value(), centred.has_value());
                if (!raw.has_value()) {
                    using Kind = lm::MixerKind;
                    const bool product = mixer.site() == Site::Attention || mixer.kind == Kind::Mamba1
                                         || mixer.kind == Kind::Mamba2 || mixer.kind == Kind::DiscreteMamba2;
                    const bool fed = mixer.site() == Site::Ssm && pair.block(layer).inputParts(Site::Attention) != 0
                                     && !pair.block(layer).writes(Site::Attention);
                    const bool scored = product && !fed && pair.block(layer).reader(mixer.site()).norm;
                    const bool seen = raw.error().message.find("does not see") == std::string::npos;
                    QVERIFY2(!scored || !pair.adds() || !seen, raw.error().message.c_str());
                    ++refused;
                    continue;
                }
                ++measured;
                for (const auto* all : {&*raw, &*centred})
                    for (const auto* side : {&all->query, &all->key}) {
                        double size = 1;
                        for (const DirectPart& part : *side)
                            size = std::max(size, std::abs(part.value));
                        const double apart = std::abs(sumOf(*side) + all->position - all->score);
                        QVERIFY2(apart < 1e-4 * size, qPrintable(QStringLiteral("L%1: %2").arg(layer).arg(apart)));
                    }
                QVERIFY(std::abs(raw->score - raw->mean - centred->score) < 1e-5 * pair.scale);
                if (layer == 0) { // embedding and constant: all pairs are listed
                    double pairs = 0;
                    for (const ScoreAttribution::Pair& one : raw->pairs)
                        pairs += one.value;
                    QVERIFY(std::abs(pairs + raw->position - raw->score) < 1e-4 * std::max(1.0, std::abs(raw->score)));
                }
                if (!capture.sites[where].matrix.defined())
                    (void)layers.step(run.streams[static_cast<std::size_t>(layer)], layer, layers.edits(layer),
                                      &capture);
                const at::Tensor row = capture.sites[where].matrix[0][0][0].to(at::kDouble);
                const auto entry = row[key].item<double>();
                if (raw->linearised) {
                    const QString problem =
                        problemOfScan(*raw, entry, slopeOfScan(pair, run, where, head, kQuery, key));
                    QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("L%1: %2").arg(layer).arg(problem)));
                    continue;
                }
                QVERIFY(std::abs(raw->share - entry) < 1e-6);
                if (raw->capped)
                    continue;
                // Logarithms of a row are its scores up to a constant, also where a part of it goes to a sink.
                const double fromRow = std::log(entry) - row.masked_select(row > 0).log().mean().item<double>();
                QVERIFY2(std::abs(fromRow - centred->score) < 1e-3 * std::max(1.0, std::abs(centred->score)),
                         qPrintable(QStringLiteral("L%1 key %2: %3 beside %4")
                                        .arg(layer)
                                        .arg(key)
                                        .arg(centred->score)
                                        .arg(fromRow)));
            }
        }
    QVERIFY(measured + refused > 0);
}

// The share of a key is what the run has there in its whole map: behind a cap, beside a sink, and under edits.
void TestWhyFamilies::sharesAreThoseOfTheRun()
{
    constexpr int kHead = 3, kQuery = 12, kKey = 10;
    const Where where{1, Site::Attention};
    for (const auto& [name, ablation] : {std::pair("gemma2", ""),
                                         {"hub/gpt_oss", ""},
                                         {"llama", "knock:L1H3[q=12,k=8]"},
                                         {"llama", "mask:L1H3[q=12,k=10]"}}) {
        Pair pair(goldens::own("golden") / name);
        pair.base = lm::resolve(*interventions::InterventionSet::parse(ablation), pair.model->spec()).value();
        const Recording run = record(*pair.model, pair.cleanIds, pair.base).value();
        lm::Capture capture;
        capture.sites[where].wantMatrix = true;
        (void)pair.model->runLayers(run.embedding, 0, where.first + 1, run.embedding,
                                    {.edits = &pair.base, .capture = &capture});
        const auto entry = capture.sites[where].matrix[0][kHead][kQuery][kKey].item<double>();
        const auto score = scoreAttribution(*pair.model, pair.base, run, {where, kHead, kQuery, kKey});
        QVERIFY2(score.has_value(), score.has_value() ? "" : score.error().message.c_str());
        QVERIFY2(std::abs(score->share - entry) < 1e-6,
                 qPrintable(QStringLiteral("%1 %2: %3 beside %4")
                                .arg(QString::fromLatin1(name), QString::fromLatin1(ablation))
                                .arg(score->share)
                                .arg(entry)));
    }
}

// A run with a head's output put in goes on from the heads; with its layer's stream put in besides, which is the same
// here, it runs the layer as well. Under edits of the base, and at one position too.
void TestWhyFamilies::aHeadsPatchIsTheSameFromTheStreamOn()
{
    QFETCH(const QString, name);
    Pair pair(name);
    pair.base.layers[1].steer = at::sin(at::arange(pair.model->spec().hidden, at::kFloat)) * 0.1;
    for (int layer = 0; layer < pair.base.layerCount; ++layer)
        for (const lm::MixerSpec& mixer : pair.model->spec().layers[static_cast<std::size_t>(layer)].mixers)
            pair.base.layers[layer].site(mixer.site()).scale = at::arange(mixer.heads, at::kFloat) * 0.1 + 0.5;
    const Recording into = record(*pair.model, pair.corruptIds, pair.base).value();
    Recording from = record(*pair.model, pair.cleanIds, pair.base).value();
    from.streams = into.streams; // what is put in of them changes nothing
    from.embedding = into.embedding;
    std::vector<PatchSet> fromHeads, fromStream;
    for (const std::optional<PositionSpan>& where : {std::optional<PositionSpan>(), std::optional(PositionSpan{6, 12})})
        for (const PatchSet& set : everyPart(*pair.model, pair.base, 3, where)) {
            if (set.front().part != PatchPart::Head && set.front().part != PatchPart::Mixer)
                continue;
            fromHeads.push_back(set);
            fromStream.push_back(set);
            fromStream.back().push_back({PatchPart::Stream, set.front().layer});
        }
    const at::Tensor fast = patchedLogits(*pair.model, pair.base, into, from, fromHeads).value(),
                     plain = patchedLogits(*pair.model, pair.base, into, from, fromStream).value();
    QVERIFY((plain - into.logits).abs().max().item<double>() > 1e-3); // something changed
    for (std::size_t i = 0; i < fromHeads.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i);
        const double apart = (fast[row] - plain[row]).abs().max().item<double>();
        QVERIFY2(
            apart < kRounding * pair.scale,
            qPrintable(QStringLiteral("set %1 in layer %2: %3").arg(i).arg(fromHeads[i].front().layer).arg(apart)));
    }
}

// Of such a run the last stream is its last position alone.
void TestWhyFamilies::aRunKeptForPatchesAnswersTheSame()
{
    QFETCH(const QString, name);
    const Pair pair(name);
    const auto kept = recordToPatch(*pair.model, std::array{pair.cleanIds, pair.corruptIds}, pair.base).value();
    std::vector<PatchSet> sets = everyPart(*pair.model, pair.base, 2, std::nullopt);
    for (const std::optional<PositionSpan>& where : {std::optional<PositionSpan>(), std::optional(PositionSpan{3, 8}),
                                                     std::optional(PositionSpan{kLength - 1, kLength - 1})})
        sets.push_back({{PatchPart::Stream, pair.base.layerCount, Site::Any, -1, where}});
    const auto whole = pair.patched(sets, pair.corrupt, pair.clean), few = pair.patched(sets, kept[1], kept[0]);
    for (std::size_t i = 0; i < sets.size(); ++i)
        QVERIFY2(pair.near(few[i], whole[i]),
                 qPrintable(QStringLiteral("set %1: %2 and %3").arg(i).arg(few[i]).arg(whole[i])));
    for (const int layer : layersWithState(*pair.model, pair.base)) {
        const StateCell cell{layer, 6};
        const auto stateOf = [&](const Recording& into, const Recording& from) {
            return handedOverLogits(*pair.model, pair.base, into, from, cell);
        };
        const auto ofFew = stateOf(kept[1], kept[0]), ofWhole = stateOf(pair.corrupt, pair.clean);
        QVERIFY(ofFew.has_value() && ofWhole.has_value());
        QVERIFY(at::allclose(*ofFew, *ofWhole, kTolerance, kTolerance * pair.scale));
    }
    const auto everywhere = [&](const Recording& into, const Recording& from) {
        return handedOverEverywhere(*pair.model, pair.base, into, from, pair.metric, 6).value();
    };
    QVERIFY(pair.near(everywhere(kept[1], kept[0]), everywhere(pair.corrupt, pair.clean)));
    const auto senders = sendersBefore(*pair.model, pair.base, pair.base.layerCount);
    const auto changes = changesOf(*pair.model, pair.base, pair.corrupt, pair.clean, senders);
    if (!changes.has_value()) // layers that do more than to add
        return;
    std::vector<Route> routes;
    for (const at::Tensor& change : *changes)
        routes.push_back({change, {{pair.base.layerCount}}});
    const auto routed = [&](const Recording& into) {
        return routedDifferences(*pair.model, pair.base, into, pair.metric, routes).value();
    };
    const auto byWhole = routed(pair.corrupt), byFew = routed(kept[1]);
    for (std::size_t i = 0; i < routes.size(); ++i)
        QVERIFY2(pair.near(byFew[i], byWhole[i]),
                 qPrintable(QStringLiteral("sender %1: %2 and %3").arg(i).arg(byFew[i]).arg(byWhole[i])));
    const Circuit all = everyEdge(*pair.model, pair.base, {});
    const auto circuit = [&](const Recording& into, const Recording& from) {
        return circuitLogits(*pair.model, pair.base, into, from, all);
    };
    const auto ofFew = circuit(kept[1], kept[0]), ofWhole = circuit(pair.corrupt, pair.clean);
    QCOMPARE(ofFew.has_value(), ofWhole.has_value());
    if (ofWhole.has_value())
        QVERIFY(at::allclose(*ofFew, *ofWhole, kTolerance, kTolerance * pair.scale));
}

void TestWhyFamilies::jacobiansAreFiniteDifferences()
{
    QFETCH(QString, name);
    constexpr int kSkip = 3;
    // Small enough that no router chooses another expert and no larger of two becomes the smaller: one of them.
    constexpr double kSteps[] = {4e-3, 1e-3, 2.5e-4, 6e-5}, kOff = 2e-2;
    const Pair pair(name);
    const lm::Model& model = *pair.model;
    JacobianFit fit(model, pair.base, {.layers = {}, .skip = kSkip});
    QVERIFY(fit.add(pair.cleanIds).has_value());
    const JacobianLens lens = fit.mean();
    const int layers = pair.base.layerCount;
    const std::int64_t hidden = model.spec().hidden, valid = kLength - 1 - kSkip;
    QCOMPARE(static_cast<int>(lens.before.size()), layers);
    at::manual_seed(3);
    for (int layer = 0; layer < layers; ++layer) {
        const at::Tensor& own = pair.clean.streams[static_cast<std::size_t>(layer)];
        const at::Tensor along = at::randn({hidden});
        const double one = own.narrow(-1, 0, hidden).pow(2).mean().sqrt().item<double>();
        const at::Tensor wanted = at::matmul(lens.before.at(layer), along).to(at::kDouble);
        const auto moved = [&](double distance) {
            at::Tensor stream = own.clone(), embedding = pair.clean.embedding;
            stream.narrow(1, kSkip, valid).narrow(-1, 0, hidden).add_(along * distance);
            if (layer == 0) { // later layers may read it, and a second embedding may be made of it
                embedding = stream.narrow(-1, 0, hidden);
                if (model.parts().perLayer.table.defined())
                    embedding = at::cat({embedding, model.parts().perLayer(pair.clean.ids, embedding)}, -1);
            }
            const at::Tensor last = model.runLayers(stream, layer, layers, embedding, {.edits = &pair.base});
            return last[0].narrow(0, kSkip, valid).narrow(-1, 0, hidden).to(at::kDouble).sum(0);
        };
        double off = 1e9;
        for (const double step : kSteps) {
            const at::Tensor seen =
                (moved(step * one) - moved(-step * one)) / (2 * step * one * static_cast<double>(valid));
            off = std::min(off, ((seen - wanted).norm() / wanted.norm()).item<double>());
        }
        QVERIFY2(off < kOff, qPrintable(QStringLiteral("before layer %1: off by %2").arg(layer).arg(off)));
    }
    QVERIFY(lens.carried(pair.clean.streams.back(), layers, layers)->equal(pair.clean.streams.back()));
}

void TestWhyFamilies::aSkippedLayersJacobianIsTheIdentity()
{
    QFETCH(QString, name);
    Pair pair(name);
    const int last = pair.base.layerCount - 1;
    const auto fitted = [&](int skipped) {
        lm::Edits edits = pair.base;
        edits.layers[skipped].skip = true;
        JacobianFit fit(*pair.model, edits, {.layers = {}, .skip = 3});
        if (const auto added = fit.add(pair.cleanIds); !added.has_value())
            qFatal("%s", added.error().message.c_str());
        return fit.mean().before;
    };
    const at::Tensor identity = at::eye(pair.model->spec().hidden);
    if (pair.block(last).addsToStream())
        QVERIFY(fitted(last).at(last).equal(identity));
    const auto first = fitted(1);
    if (pair.block(1).addsToStream() && last > 1)
        QVERIFY(at::allclose(first.at(1), first.at(2), 1e-5, 1e-5));
}

void TestWhyFamilies::sumsOfShortTypesAreFp32()
{
    const fs::path folder = goldens::own("golden") / "llama";
    const Pair full(folder);
    const auto model = lm::load(folder, {"cpu", "bf16"})->model;
    const auto fitted = [&](const lm::Model& of) {
        JacobianFit fit(of, full.base, {.layers = {1, 2}, .skip = 3});
        for (int i = 0; i < 300; ++i) // so many that bf16 would stop to grow
            if (i < 2 || of.dtype() == at::kBFloat16)
                if (!fit.add(i % 2 == 0 ? full.cleanIds : full.corruptIds).has_value())
                    qFatal("not added");
        return fit.mean().before;
    };
    const auto shortened = fitted(*model), exact = fitted(*full.model);
    QCOMPARE(shortened.size(), std::size_t{2});
    for (const auto& [layer, matrix] : shortened) {
        QCOMPARE(matrix.scalar_type(), at::kFloat);
        const double off = ((matrix - exact.at(layer)).norm() / exact.at(layer).norm()).item<double>();
        QVERIFY2(off < 2e-2, qPrintable(QString::number(off)));
    }
}

// `swap:` with a second copy of the model as the donor.
void TestWhyFamilies::aLayerInPlaceOfItselfChangesNothing()
{
    QFETCH(const QString, name);
    const Pair pair(name);
    const auto donor = lm::load(goldens::own("golden") / "hub" / name.toStdString(), {"cpu", "fp32"});
    QVERIFY(donor.has_value());
    const lm::DonorLoader donors([&](const std::string&) -> Result<std::shared_ptr<const lm::Model>> {
        return std::shared_ptr<const lm::Model>(donor->model);
    });
    const int last = static_cast<int>(pair.model->spec().layers.size()) - 1;
    for (const int layer : {0, last}) {
        const std::string text = "swap:L" + std::to_string(layer) + "=copy";
        const auto edits = lm::resolve(*interventions::InterventionSet::parse(text), pair.model->spec(), donors);
        if (!edits.has_value()) {
            QVERIFY2(edits.error().message.ends_with('.'), edits.error().message.c_str());
            QSKIP(edits.error().message.c_str());
        }
        const auto swapped = record(*pair.model, pair.cleanIds, *edits);
        QVERIFY2(swapped.has_value(), swapped.has_value() ? "" : swapped.error().message.c_str());
        QVERIFY(at::equal(swapped->logits, pair.clean.logits));
    }
}

void TestWhyFamilies::aMinimalModelEndsBehindItsLayer()
{
    QFETCH(const QString, name);
    const Pair pair(name);
    const int last = static_cast<int>(pair.model->spec().layers.size()) - 1;
    const auto upTo = [&](int layer) {
        const auto set = interventions::InterventionSet::parse("upto:L" + std::to_string(layer));
        const auto edits = lm::resolve(*set, pair.model->spec());
        return edits.has_value() ? record(*pair.model, pair.cleanIds, *edits) : Result<Recording>(edits.error());
    };
    const auto whole = upTo(last), first = upTo(0);
    QVERIFY2(whole.has_value(), whole.has_value() ? "" : whole.error().message.c_str());
    QVERIFY(at::equal(whole->logits, pair.clean.logits));
    QVERIFY2(first.has_value(), first.has_value() ? "" : first.error().message.c_str());
    QVERIFY(at::isfinite(first->logits).all().item<bool>());
    QVERIFY(last == 0 || !at::equal(first->logits, pair.clean.logits));
}

// Falcon-H1's layers have attention and a state side by side. With dynamic scaling attention turns every token by the
// length of the whole text, so that a state of its first part is no state of it.
void TestWhyFamilies::statesPastTurningAreRefused()
{
    const QTemporaryDir place;
    const fs::path from = goldens::own("golden") / "stretch" / "falcon_h1", to = place.path().toStdString();
    fs::copy_file(from / "model.safetensors", to / "model.safetensors");
    nlohmann::json config = nlohmann::json::parse(std::ifstream(from / "config.json"));
    config["rope_scaling"] = {{"rope_type", "dynamic"}, {"factor", 4.0}};
    for (const int past : {kLength, kLength - 1}) {
        config["max_position_embeddings"] = past;
        std::ofstream(to / "config.json") << config;
        const Pair pair(to);
        const auto own = handedOverLogits(*pair.model, pair.base, pair.clean, pair.clean, {1, kLength / 2});
        QCOMPARE(own.has_value(), past >= kLength);
        if (own.has_value())
            QVERIFY((*own - pair.clean.logits).abs().max().item<double>() < kTolerance * pair.scale);
        else
            QVERIFY2(own.error().message.find("by the length of the whole text") != std::string::npos,
                     own.error().message.c_str());
    }
}

void TestWhyFamilies::partsAddUp()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto all = directAttribution(*pair.model, pair.base, pair.clean, pair.metric);
    if (!pair.adds()) {
        QVERIFY(!all.has_value() && all.error().message.find("can be used") != std::string::npos);
        return;
    }
    QVERIFY2(all.has_value(), all.has_value() ? "" : all.error().message.c_str());
    QVERIFY2(pair.near(all->sum(), all->difference),
             qPrintable(QStringLiteral("%1 and %2").arg(all->sum()).arg(all->difference)));
    if (!all->capped)
        QVERIFY(pair.near(all->difference, pair.clean.difference(pair.metric)));
    int heads = 0;
    for (const DirectPart& part : all->parts) {
        if (part.kind != DirectPart::Kind::Head || part.head >= 2)
            continue;
        ++heads;
        const auto sources =
            sourceParts(*pair.model, pair.base, pair.clean, pair.metric, {part.layer, part.site}, part.head);
        QVERIFY2(sources.has_value(), sources.has_value() ? "" : sources.error().message.c_str());
        double sum = 0;
        for (const double value : *sources)
            sum += value;
        QVERIFY2(
            pair.near(sum, part.value),
            qPrintable(QStringLiteral("L%1H%2: %3 and %4").arg(part.layer).arg(part.head).arg(sum).arg(part.value)));
    }
    QVERIFY(heads > 0);
}

// Each head copies by some number, and composes by one or has a sentence why not; some have no queries and keys.
void TestWhyFamilies::weightsAreReadOfEveryKindOfHead()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto factors = modelFactors(*pair.model);
    if (!factors.has_value()) {
        QVERIFY2(factors.error().message.find("cannot be read as maps") != std::string::npos,
                 factors.error().message.c_str());
        return;
    }
    const VocabularyMap vocabulary = vocabularyMap(*pair.model).value();
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!vocabularyMap(*pair.model, {stop.get_token(), {}}).has_value());
    for (const LayerFactors& layer : factors->layers) {
        for (const double score : copyingScores(vocabulary, layer.heads))
            QVERIFY(std::abs(score) <= 1 + 1e-9);
        QVERIFY2(agreementOfWrites(pair, layer) > 1 - 1e-6, qPrintable(QStringLiteral("L%1").arg(layer.layer)));
        const bool reads = layer.heads.front().query.defined() && layer.heads.front().key.defined();
        const auto queries = compositionScores(layer.heads, layer.heads, Composition::Query);
        QCOMPARE(queries.has_value(), reads);
        QVERIFY(queries.has_value() || queries.error().message.ends_with("are defined."));
        QVERIFY(compositionScores(layer.heads, layer.heads, Composition::Value).has_value());
    }
}

void TestWhyFamilies::patchingKeepsItsRules()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const double wanted = pair.clean.difference(pair.metric);
    QVERIFY(std::abs(wanted - pair.dirty()) > 10 * kTolerance); // the prompts ask different things
    // 1. A run's own activations change no bit, nor do positions before the first difference.
    const auto whole = everyPart(*pair.model, pair.base, 4, std::nullopt),
               early = everyPart(*pair.model, pair.base, 4, PositionSpan{0, kChanged[0] - 1});
    const auto own = pair.patched(whole, pair.corrupt, pair.corrupt),
               before = pair.patched(early, pair.corrupt, pair.clean);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        QVERIFY2(own[i] == pair.dirty(), qPrintable(QStringLiteral("set %1: %2").arg(i).arg(own[i] - pair.dirty())));
        // Experts multiply as many rows as chose them, which rounds the rows of a batch by its size.
        QVERIFY2(before[i] == pair.dirty() || (pair.experts() && std::abs(before[i] - pair.dirty()) < kRounding),
                 qPrintable(QStringLiteral("set %1: %2").arg(i).arg(before[i] - pair.dirty())));
    }
    // 2. All of the first stream is the other run; what a layer read and all that it wrote is the stream behind it.
    std::vector<PatchSet> sets;
    for (int layer = 0; layer <= pair.base.layerCount; ++layer)
        sets.push_back({{PatchPart::Stream, layer}});
    for (int layer = 0; layer < pair.base.layerCount; ++layer) {
        PatchSet all{{PatchPart::Stream, layer}, {PatchPart::Mixer, layer}};
        if (pair.block(layer).mlpWrites())
            all.push_back({PatchPart::Mlp, layer});
        sets.push_back(all);
    }
    const auto values = pair.patched(sets, pair.corrupt, pair.clean);
    QVERIFY2(pair.near(values.front(), wanted),
             qPrintable(QStringLiteral("%1 and %2").arg(values.front()).arg(wanted)));
    // Zamba's shared attention and RWKV-7's later layers read the embedding besides the stream; it comes with the first
    // layer's stream.
    const bool readsEmbedding = name == QStringLiteral("zamba") || name == QStringLiteral("rwkv7");
    const auto layers = static_cast<std::size_t>(pair.base.layerCount);
    for (std::size_t layer = 0; layer < layers; ++layer) {
        const double got = values[layers + 1 + layer], behind = values[readsEmbedding && layer == 0 ? 0 : layer + 1];
        QVERIFY2(pair.near(got, behind),
                 qPrintable(QStringLiteral("layer %1: %2 and %3").arg(layer).arg(got).arg(behind)));
    }
}

void TestWhyFamilies::sendingToAllReadersIsPatchingTheSender()
{
    QFETCH(QString, name);
    const Pair pair(name);
    std::vector<Sender> senders = sendersBefore(*pair.model, pair.base, pair.base.layerCount);
    std::erase_if(senders, [](const Sender& one) { return one.head >= 2; });
    QVERIFY(senders.size() > 2);
    const auto changes = changesOf(*pair.model, pair.base, pair.corrupt, pair.clean, senders);
    if (!pair.adds()) {
        QVERIFY(!changes.has_value() && changes.error().message.find("can be used") != std::string::npos);
        return;
    }
    QVERIFY2(changes.has_value(), changes.has_value() ? "" : changes.error().message.c_str());
    std::vector<Route> routes;
    std::vector<PatchSet> sets;
    for (std::size_t i = 0; i < senders.size(); ++i) {
        routes.push_back(toAllReaders(*pair.model, pair.base, senders[i], (*changes)[i]));
        sets.push_back(patchOf(senders[i]));
    }
    const auto sent = routedDifferences(*pair.model, pair.base, pair.corrupt, pair.metric, routes);
    QVERIFY2(sent.has_value(), sent.has_value() ? "" : sent.error().message.c_str());
    const auto patched = pair.patched(sets, pair.corrupt, pair.clean);
    for (std::size_t i = 0; i < senders.size(); ++i)
        QVERIFY2(pair.near((*sent)[i], patched[i]), qPrintable(QStringLiteral("sender L%1 %2: %3 and %4")
                                                                   .arg(senders[i].layer)
                                                                   .arg(senders[i].head)
                                                                   .arg((*sent)[i])
                                                                   .arg(patched[i])));
}

void TestWhyFamilies::lensEndsInTheLogits()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto seen = lens(*pair.model, pair.clean, {3, pair.metric.answer});
    QVERIFY2(seen.has_value(), seen.has_value() ? "" : seen.error().message.c_str());
    const LensCell& end = seen->at(seen->layers - 1, kLength - 1);
    const double wanted = at::log_softmax(pair.clean.logits, -1)[pair.metric.answer].item<double>();
    QVERIFY2(std::abs(static_cast<double>(end.logProbability) - wanted) < kTolerance * pair.scale,
             qPrintable(QStringLiteral("%1 and %2").arg(end.logProbability).arg(wanted)));
    QCOMPARE(end.rank, 0);
    QCOMPARE(end.top.front().id, pair.metric.answer);
}

void TestWhyFamilies::knockoutOfAllLayersIsTheWidestWindow()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const KnockoutSweep sweep{{kLength - 1, kLength - 1}, {3, 8}, false, 2 * pair.base.layerCount};
    const auto windows = knockoutSweep(*pair.model, pair.base, pair.cleanIds, pair.metric, sweep);
    QVERIFY2(windows.has_value(), windows.has_value() ? "" : windows.error().message.c_str());
    std::string all;
    for (int layer = 0; layer < pair.base.layerCount; ++layer)
        for (const lm::MixerSpec& mixer : pair.model->spec().layers[static_cast<std::size_t>(layer)].mixers)
            all += (all.empty() ? "" : " ") + std::string("mask:L") + std::to_string(layer)
                   + (mixer.site() == Site::Attention ? "A" : "S") + "*[q=15,k=3-8]";
    const auto set = interventions::InterventionSet::parse(all);
    QVERIFY2(set.has_value(), all.c_str());
    const auto edits = lm::resolve(*set, pair.model->spec());
    QVERIFY2(edits.has_value(), edits.has_value() ? "" : edits.error().message.c_str());
    const auto run = record(*pair.model, pair.cleanIds, *edits);
    QVERIFY2(run.has_value(), run.has_value() ? "" : run.error().message.c_str());
    for (const KnockoutWindow& window : *windows)
        if (window.first == 0 && window.last == pair.base.layerCount - 1)
            QVERIFY2(pair.near(window.difference, run->difference(pair.metric)),
                     qPrintable(QStringLiteral("%1 and %2").arg(window.difference).arg(run->difference(pair.metric))));
}

// A part that reads another stream moves what the heads put out, and what is no part of them moves nothing.
void TestWhyFamilies::partsAreWhatHeadsReadThrough()
{
    QFETCH(QString, name);
    const Pair pair(name);
    if (!pair.adds()) // no edge is traced there
        return;
    const LayerRun run(*pair.model, pair.base, pair.clean.embedding);
    for (int layer = 0; layer < pair.base.layerCount; ++layer)
        for (const lm::MixerSpec& mixer : pair.model->spec().layers[static_cast<std::size_t>(layer)].mixers) {
            const at::Tensor own = pair.clean.streams[static_cast<std::size_t>(layer)], other = own.flip(1);
            const auto through = [&](const at::Tensor& stream, unsigned part) {
                return run.rerouted(own, layer, run.edits(layer), {stream, mixer.site(), part});
            };
            const auto read = partsRead(*pair.model, layer, mixer.site());
            for (const auto& part : partsOf(mixer.kind)) {
                const bool moves = !through(own, part.second).equal(through(other, part.second));
                QVERIFY2(
                    moves == (std::ranges::find(read, part) != read.end()),
                    qPrintable(
                        QStringLiteral("L%1.%2: %3").arg(layer).arg(QString::fromStdString(part.first)).arg(moves)));
                const std::string reader = headName(pair.model->spec(), layer, mixer.site(), 0) + "." + part.first;
                const auto parsed = parseReceiver(reader, *pair.model);
                QCOMPARE(parsed.has_value(), moves);
                QVERIFY(moves || parsed.error().message.find("read nothing through '" + reader) != std::string::npos);
            }
        }
}

// An expert that no token chose can be taken out and changes no bit; one that the last token chose cannot.
void TestWhyFamilies::choicesAreWhatRuns()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto all = expertChoices(*pair.model, pair.cleanIds, pair.base);
    QCOMPARE(all.has_value(), pair.experts());
    if (!pair.experts()) {
        QVERIFY(all.error().message.find("'info' lists") != std::string::npos);
        return;
    }
    const auto without = [&pair](int layer, int expert) {
        const std::string text = "L" + std::to_string(layer) + "X" + std::to_string(expert);
        const auto set = interventions::InterventionSet::parse(text);
        return record(*pair.model, pair.cleanIds, lm::resolve(*set, pair.model->spec()).value()).value().logits;
    };
    for (const ExpertChoices& layer : *all) {
        QCOMPARE(layer.ids.size(), static_cast<std::size_t>(kLength * layer.chosen));
        QCOMPARE(layer.weights.size(), layer.ids.size());
        std::vector<bool> used(static_cast<std::size_t>(layer.experts));
        for (std::size_t i = 0; i < layer.ids.size(); ++i) {
            QVERIFY(layer.ids[i] >= 0 && layer.ids[i] < layer.experts);
            used[static_cast<std::size_t>(layer.ids[i])] = true;
            if (i % static_cast<std::size_t>(layer.chosen) != 0)
                QVERIFY(layer.weights[i] <= layer.weights[i - 1] && layer.ids[i] != layer.ids[i - 1]);
        }
        for (int expert = 0; expert < layer.experts; ++expert)
            if (!used[static_cast<std::size_t>(expert)])
                QVERIFY2(at::equal(without(layer.layer, expert), pair.clean.logits),
                         qPrintable(QStringLiteral("L%1X%2").arg(layer.layer).arg(expert)));
        const int heaviest = layer.ids[static_cast<std::size_t>((kLength - 1) * layer.chosen)];
        QVERIFY(!at::equal(without(layer.layer, heaviest), pair.clean.logits));
    }
}

// What one token is given, written out: scores, the best groups, the best experts in them, their weights; and what the
// layer makes of it.
void TestWhyFamilies::choicesAreThePlainMixture()
{
    QFETCH(QString, name);
    const Pair pair(name);
    at::manual_seed(11);
    for (const auto& block : pair.model->parts().blocks) {
        const lm::Experts* experts = block->experts();
        if (!experts)
            continue;
        const lm::ExpertParts& parts = experts->parts();
        const at::Tensor x = at::randn({kLength, pair.model->spec().hidden});
        const lm::Choices choices = experts->chooseAll(x);
        const at::Tensor out = (*experts)(x, {}), logits = parts.router(x).to(at::kDouble);
        QCOMPARE(choices.shared.defined(), parts.shared.has_value());
        for (int token = 0; token < kLength; ++token) {
            const std::map<int, double> plain = plainChoice(logits[token], parts.routing);
            const at::Tensor row = x.narrow(0, token, 1),
                             read = parts.before.weight.defined() ? parts.before(row) : row;
            at::Tensor sum = at::zeros_like(read);
            for (int i = 0; i < choices.experts.size(1); ++i) {
                const int expert = choices.experts[token][i].item<int>();
                const double weight = choices.weights[token][i].item<double>();
                QVERIFY(plain.contains(expert));
                QVERIFY(std::abs(weight - plain.at(expert)) < 1e-5);
                const lm::Mlp& one = parts.experts[static_cast<std::size_t>(expert)];
                sum = sum + (parts.weighsInputs ? one(read * weight) : one(read) * weight);
            }
            QCOMPARE(static_cast<int>(plain.size()), static_cast<int>(choices.experts.size(1)));
            if (parts.after.weight.defined())
                sum = parts.after(sum);
            if (parts.shared)
                sum = sum + (*parts.shared)(row)*choices.shared[token].item<double>();
            QVERIFY((sum[0] - out[token]).abs().max().item<double>()
                    < kRounding * std::max(1.0, out[token].abs().max().item<double>()));
        }
    }
}

// The router chooses as it did where an expert is taken out, and weighs as it did; experts above may be others. All
// but those of the last token taken out change nothing of what it reads.
void TestWhyFamilies::choicesUnderAnAblation()
{
    QFETCH(QString, name);
    const Pair pair(name);
    const auto all = expertChoices(*pair.model, pair.cleanIds, pair.base);
    if (!pair.experts())
        return;
    const auto under = [&pair](const std::string& text) {
        return lm::resolve(interventions::InterventionSet::parse(text).value(), pair.model->spec()).value();
    };
    for (const ExpertChoices& layer : *all) {
        const auto* const last = &layer.ids[layer.ids.size() - static_cast<std::size_t>(layer.chosen)];
        const std::string where = "L" + std::to_string(layer.layer) + "X";
        std::string kept;
        for (int i = 0; i < layer.chosen; ++i)
            kept += (i ? "," : "") + std::to_string(last[i]);
        const auto without = expertChoices(*pair.model, pair.cleanIds, under(where + std::to_string(last[0])));
        const auto only = expertChoices(*pair.model, pair.cleanIds, under("keep:" + where + kept));
        for (const auto* run : {&without, &only})
            for (const ExpertChoices& other : **run)
                if (other.layer <= layer.layer) {
                    const auto& known = *std::ranges::find(*all, other.layer, &ExpertChoices::layer);
                    QVERIFY(other.ids == known.ids && other.weights == known.weights && other.shared == known.shared);
                }
        // Of one layer alone: through attention the others' changes would reach the last token.
        if (layer.layer + 1 == static_cast<int>(pair.model->spec().layers.size())) {
            const auto run = record(*pair.model, pair.cleanIds, under("keep:" + where + kept));
            QVERIFY((run->logits - pair.clean.logits).abs().max().item<double>() < kRounding * pair.scale);
        }
    }
    // A layer whose MLP is left out has no choices.
    const int first = all->front().layer;
    const auto skipped = expertChoices(*pair.model, pair.cleanIds, under("skip:L" + std::to_string(first) + ".mlp"));
    QVERIFY(!skipped.has_value() || skipped->front().layer != first);
}

// A Mamba's layer in place of one with attention: heads are named by the model, so what asks for heads is refused; what
// reads the stream alone is not.
void TestWhyFamilies::otherHeadsAreRefused()
{
    const auto shipped = [](const std::string& name) { return goldens::kSource / "resources/models" / name; };
    const Pair pair(shipped("tiny-transformer"));
    const lm::Model& model = *pair.model;
    const auto donor = lm::load(shipped("tiny-ssm"), {"cpu", "fp32"});
    QVERIFY(donor.has_value());
    const lm::DonorLoader donors([&](const std::string&) -> Result<std::shared_ptr<const lm::Model>> {
        return std::shared_ptr<const lm::Model>(donor->model);
    });
    const auto swap = interventions::InterventionSet::parse("swap:L1=tiny-ssm");
    const lm::Edits base = lm::resolve(*swap, model.spec(), donors).value();
    const Recording clean = record(model, pair.cleanIds, base).value(),
                    corrupt = record(model, pair.corruptIds, base).value();
    const auto refused = [](const auto& result) {
        return !result.has_value()
               && result.error().message.find("another model's with other heads") != std::string::npos;
    };
    QVERIFY(refused(probeHeads(model, base, {pair.cleanIds}, {})));
    QVERIFY(refused(directAttribution(model, base, clean, pair.metric)));
    QVERIFY(refused(sourceParts(model, base, clean, pair.metric, {2, Site::Attention}, 0)));
    const KnockoutSweep sweep{{12, 13}, {3, 6}, true, 1};
    QVERIFY(refused(knockoutSweep(model, base, pair.cleanIds, pair.metric, sweep)));
    const std::vector<Sender> sender{{2, Site::Attention, 0}};
    QVERIFY(refused(changesOf(model, base, corrupt, clean, sender)));
    const auto patch = [&](const PatchPoint& point) {
        const std::vector<PatchSet> sets{{point}};
        return patchedDifferences(model, base, corrupt, clean, pair.metric, sets);
    };
    QVERIFY(refused(patch({PatchPart::Head, 1, Site::Attention, 0})));
    QVERIFY(refused(patch({PatchPart::Mixer, 1})));
    QVERIFY(patch({PatchPart::Head, 2, Site::Attention, 0}).has_value());
    const auto whole = patch({PatchPart::Stream, 0});
    QVERIFY(whole.has_value() && pair.near(whole->front(), clean.difference(pair.metric)));
    QVERIFY(lens(model, clean, {}).has_value());
}

QTEST_GUILESS_MAIN(TestWhyFamilies)
#include "tst_whyfamilies.moc"
