// SPDX-License-Identifier: GPL-3.0-or-later
// The trainer: recipes, the network against the measuring forward pass, pruning rules, training states, model folders.
#include "core/lm/load.h"
#include "core/tasks/ownmodels.h"
#include "core/tasks/toy/toy.h"
#include "core/tasks/toy/toyvocabulary.h"
#include "core/text/tokenizer.h"
#include "core/train/models/exportmodel.h"
#include "core/train/models/modelcard.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones_like.h>
#include <c10/core/GradMode.h>

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace headscope;
using namespace headscope::train;
namespace toy = headscope::tasks::toy;

namespace {

// Small enough for a unit test; every phase comes within six steps: copying, tasks, pruning with fades and head
// dropout.
const char* const kSmallRecipe = R"({
  "name": "small", "about": "For tests.", "seed": 5, "maxSteps": 6, "evaluateEvery": 100,
  "network": {"layers": "AA", "hidden": 16, "heads": 2, "headDim": 8, "mlp": 16},
  "optimizer": {"warmup": 2, "decay": 2},
  "copying": {"texts": 2, "maxSteps": 2, "fewestWords": 2, "mostWords": 4, "repeats": 2},
  "tasks": {"copyTexts": 1, "kvTexts": 2, "kvQueries": 2, "kvFirstPairs": 3, "kvLastPairs": 3, "mcTexts": 2, "mcQuestions": 1,
            "completionTexts": 2, "completionStatements": 1},
  "pruning": {"steps": 4, "duplicatesFrom": 1, "duplicatesEvery": 1, "massAbove": 0.0, "accuracyAbove": -1.0,
              "fadeLeast": 2, "stepsAfter": 1}
})";

Recipe small(const std::string& layers = "AA")
{
    Recipe recipe = Recipe::parse(kSmallRecipe, "test").value();
    recipe.network.layers = layers;
    recipe.pruning.startAt = -1.0; // running accuracies are above it from the start
    return recipe;
}

double difference(const at::Tensor& a, const at::Tensor& b)
{
    return (a - b).abs().max().item<double>();
}

bool sameWeights(const Trainer& a, const Trainer& b)
{
    for (std::size_t i = 0; i < a.network().parameters().size(); ++i)
        if (!a.network().parameters()[i].value.equal(b.network().parameters()[i].value))
            return false;
    return true;
}

std::filesystem::path path(const QTemporaryDir& folder, const char* name)
{
    return std::filesystem::path(folder.path().toStdString()) / name;
}

at::Tensor someIds(int texts = 3)
{
    tasks::ToyRandom random(1);
    const toy::Batch batch = toy::kvTexts(random, texts, {.pairs = 3, .queries = 2});
    return toTensor(batch.ids, {batch.count, batch.length}, at::kCPU);
}

} // namespace

class TestTrain : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void shippedRecipesAreValid()
    {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(HEADSCOPE_SOURCE_DIR)
                                                                     / "resources" / "recipes")) {
            const auto recipe = Recipe::load(entry.path());
            QVERIFY2(recipe.has_value(), recipe.has_value() ? "" : recipe.error().message.c_str());
            QCOMPARE(recipe->name, entry.path().stem().string());
            // Written out and read again it says the same.
            QCOMPARE(Recipe::parse(recipe->toJson(), "again")->toJson(), recipe->toJson());
            ++count;
        }
        QVERIFY(count >= 1);
    }

    void badRecipesNameTheKey_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("named");
        QTest::newRow("unknown") << QStringLiteral(R"({"pruning": {"strenght": 4}})")
                                 << QStringLiteral("pruning.strenght");
        QTest::newRow("type") << QStringLiteral(R"({"optimizer": {"rate": "fast"}})")
                              << QStringLiteral("optimizer.rate");
        QTest::newRow("negative") << QStringLiteral(R"({"maxSteps": -1})") << QStringLiteral("maxSteps");
        QTest::newRow("layers") << QStringLiteral(R"({"network": {"layers": "AXA"}})")
                                << QStringLiteral("network.layers");
        QTest::newRow("pairs") << QStringLiteral(R"({"tasks": {"kvLastPairs": 49}})")
                               << QStringLiteral("tasks.kvLastPairs");
        QTest::newRow("window beside SSM")
            << QStringLiteral(R"({"network": {"layers": "WSA"}})") << QStringLiteral("network.layers");
        QTest::newRow("no positions anywhere")
            << QStringLiteral(R"({"network": {"layers": "AA", "fullRotates": false}})")
            << QStringLiteral("network.fullRotates");
        QTest::newRow("few heads of a tiny model")
            << QStringLiteral(R"({"pruning": {"keep": 2}})") << QStringLiteral("pruning.keep");
        QTest::newRow("group") << QStringLiteral(R"({"tasks": 3})") << QStringLiteral("tasks");
        QTest::newRow("no object") << QStringLiteral("[1]") << QStringLiteral("JSON object");
        QTest::newRow("no JSON") << QStringLiteral("{") << QStringLiteral("JSON object");
    }
    void badRecipesNameTheKey()
    {
        QFETCH(QString, json);
        QFETCH(QString, named);
        const auto recipe = Recipe::parse(json.toStdString(), "x.json");
        QVERIFY(!recipe.has_value());
        QVERIFY2(QString::fromStdString(recipe.error().message).contains(named), recipe.error().message.c_str());
    }

    void patternsAreCausalAndSumToOne()
    {
        tasks::ToyRandom random(2);
        const Network network(small("AS").network, random);
        std::vector<at::Tensor> patterns;
        const at::Tensor ids = someIds();
        const at::Tensor plain = network.logits(ids);
        const at::Tensor captured = network.logits(ids, {.patterns = &patterns});
        QVERIFY(plain.equal(captured));
        QCOMPARE(patterns.size(), std::size_t{2});
        for (const at::Tensor& pattern : patterns) {
            QVERIFY(difference(pattern.sum(-1), at::ones_like(pattern.select(3, 0))) < 1e-5);
            QCOMPARE(pattern.triu(1).abs().max().item<double>(), 0.0);
        }
    }

    /// A layer W sees the last tokens alone, whether it is computed block by block or whole.
    void windowsEndWhereTheySay()
    {
        tasks::ToyRandom random(2);
        const c10::NoGradGuard noGradients;
        for (const int window : {1, 3, 4, 64}) {
            Recipe recipe = small("WA");
            recipe.network.window = window;
            recipe.network.fullRotates = false;
            const Network network(recipe.network, random);
            for (const std::int64_t length : {std::int64_t{5}, std::int64_t{9}, std::int64_t{20}}) {
                const at::Tensor ids = someIds().narrow(1, 0, length);
                std::vector<at::Tensor> patterns;
                const at::Tensor whole = network.logits(ids, {.patterns = &patterns});
                QVERIFY(difference(network.logits(ids), whole) < 1e-5);
                const at::Tensor rows = patterns[0];
                QCOMPARE(rows.tril(-window).abs().max().item<double>(), 0.0);
                QVERIFY(rows.diagonal(-std::min<std::int64_t>(window, length) + 1, 2, 3).min().item<double>() > 0.0);
                QVERIFY(difference(rows.sum(-1), at::ones_like(rows.select(3, 0))) < 1e-5);
            }
            // Without positions the order of what stood before makes no difference to a layer that sees all of it.
            if (window > 1)
                continue;
            const at::Tensor ids = someIds(), swapped = ids.index_select(1, [&] {
                at::Tensor order = at::arange(ids.size(1), at::kLong);
                order[3] = 4, order[4] = 3;
                return order;
            }());
            QVERIFY(difference(network.logits(ids).select(1, 10), network.logits(swapped).select(1, 10)) < 1e-5);
        }
    }

    void fewRowsGiveTheSameLogits()
    {
        tasks::ToyRandom random(2);
        for (const char* layers : {"AA", "AS", "AW"}) {
            Recipe recipe = small(layers);
            recipe.network.window = 4;
            const Network network(recipe.network, random);
            const at::Tensor ids = someIds(), rows = toTensor({4, 11, 20}, {3}, at::kCPU);
            QVERIFY(difference(network.logits(ids, {rows}), network.logits(ids).index_select(1, rows)) < 1e-5);
        }
    }

    void networkAgreesWithTheMeasuringModel_data()
    {
        QTest::addColumn<QString>("layers");
        QTest::newRow("llama") << QStringLiteral("AA");
        QTest::newRow("llamba") << QStringLiteral("SS");
        QTest::newRow("hybrid") << QStringLiteral("SA");
        QTest::newRow("windowed") << QStringLiteral("WA");
        QTest::newRow("windowed last") << QStringLiteral("AW");
    }
    void networkAgreesWithTheMeasuringModel()
    {
        QFETCH(QString, layers);
        for (const int width : {1, 3}) {
            Recipe recipe = small(layers.toStdString());
            recipe.network.convWidth = width;
            recipe.network.window = 2 + width;
            recipe.network.fullRotates = width == 1 || !layers.contains(u'W');
            recipe.pruning.strength = 0; // a few steps, so that biases are no longer at their start
            Trainer trainer(recipe, {});
            while (!trainer.finished())
                trainer.step();
            QTemporaryDir folder;
            QVERIFY(exportModel(trainer.network(), path(folder, "model"), "card").has_value());
            const auto loaded = lm::load(path(folder, "model"), {.device = "cpu", .dtype = "fp32"});
            QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
            QVERIFY2(loaded->warnings.empty(), loaded->warnings.empty() ? "" : loaded->warnings.front().c_str());
            const at::Tensor ids = someIds();
            const at::Tensor theirs = loaded->model->logits(ids).detach();
            QVERIFY(difference(trainer.network().logits(ids).detach(), theirs) < 1e-4);

            // The same head off in both.
            lm::Edits edits;
            edits.layerCount = 2;
            const at::Tensor without = toTensors({{1.0F, 0.0F}}, at::kCPU).front();
            lm::LayerEdits& layer = edits.layers[1];
            (layers[1] != u'S' ? layer.attention : layer.ssm).scale = without;
            const at::Tensor off =
                trainer.network().logits(ids, {{}, toTensors({{1.0F, 1.0F}, {1.0F, 0.0F}}, at::kCPU)}).detach();
            QVERIFY(difference(off, theirs) > 1e-3);
            QVERIFY(difference(off, loaded->model->logits(ids, {.edits = &edits}).detach()) < 1e-4);

            // The same last row masked in both.
            lm::Edits masked;
            masked.layerCount = 2;
            lm::LayerEdits& row = masked.layers[1];
            (layers[1] != u'S' ? row.attention : row.ssm).lastRow = interventions::RowMask::Zero;
            const at::Tensor blind = trainer.network().logits(ids, {.lastRowOff = 1}).detach();
            QVERIFY(difference(blind, theirs) > 1e-3);
            QVERIFY(difference(blind, loaded->model->logits(ids, {.edits = &masked}).detach()) < 1e-4);
        }
    }

    void tokenizerCutsTextsBackIntoTrainedTokens()
    {
        QTemporaryDir folder;
        std::ofstream(path(folder, "tokenizer.json")) << tokenizerJson();
        const auto tokenizer = text::Tokenizer::load(path(folder, "tokenizer.json"));
        QVERIFY2(tokenizer.has_value(), tokenizer.has_value() ? "" : tokenizer.error().message.c_str());
        for (const char* name : {"toy_kv:pairs=16", "toy_mc", "toy_knowledge"}) {
            const toy::Batch batch = tasks::toyBatch(name, {.limit = 20}).value();
            const std::vector<tasks::Example> examples = tasks::toyExamples(name, {.limit = 20}).value();
            for (int i = 0; i < batch.count; ++i) {
                std::vector<int> trained;
                for (std::int64_t position = 0; position <= batch.rows.front() + 1; ++position)
                    trained.push_back(static_cast<int>(batch.at(i, position)));
                // With and without special tokens: the tokenizer adds none.
                for (const bool special : {false, true}) {
                    const auto text =
                        (*tokenizer)->encode(examples[i].context + examples[i].continuations.front(), special);
                    QVERIFY2(text.has_value(), text.has_value() ? "" : text.error().message.c_str());
                    std::vector<int> ids = tasks::startOf(**tokenizer);
                    ids.insert(ids.end(), text->ids.begin(), text->ids.end());
                    QCOMPARE(ids, trained);
                }
            }
        }
        QVERIFY(!(*tokenizer)->encode("<s> The colour of Ada is").has_value());
    }

    void sameSeedGivesTheSameRunBitForBit()
    {
        Trainer first(small(), {}), second(small(), {});
        while (!first.finished()) {
            first.step();
            second.step();
        }
        QVERIFY(sameWeights(first, second));
        Recipe recipe = small();
        recipe.seed = 6;
        QVERIFY(!sameWeights(first, Trainer(recipe, {})));
    }

    void dropoutMeetsItsHeadsInTheLastPhase_data()
    {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<int>("heads");
        QTest::addColumn<double>("ofSsm");
        QTest::addColumn<double>("ofShared");
        QTest::addColumn<bool>("meets");
        QTest::addRow("SSM heads of a hybrid") << "SA" << 2 << 0.5 << 0.0 << true;
        QTest::addRow("SSM heads of a Transformer") << "AA" << 2 << 0.5 << 0.0 << false;
        QTest::addRow("heads that share a layer") << "AA" << 2 << 0.0 << 0.5 << true;
        QTest::addRow("heads alone in their layers") << "AA" << 1 << 0.0 << 0.5 << false;
    }
    void dropoutMeetsItsHeadsInTheLastPhase()
    {
        QFETCH(QString, layers);
        QFETCH(int, heads);
        QFETCH(double, ofSsm);
        QFETCH(double, ofShared);
        QFETCH(bool, meets);
        Recipe plain = small(layers.toStdString());
        plain.network.heads = heads;
        Recipe dropping = plain;
        dropping.pruning.ssmDropout = ofSsm;
        dropping.pruning.sharedDropout = ofShared;
        Trainer with(dropping, {}), without(plain, {});
        while (without.state().pruningStep == 0) {
            with.step();
            without.step();
        }
        QVERIFY(sameWeights(with, without));
        with.step();
        without.step();
        QCOMPARE(sameWeights(with, without), !meets);
    }

    void resumedRunIsBitIdentical_data()
    {
        QTest::addColumn<int>("stopAt");
        for (int step = 1; step <= 5; ++step)
            QTest::addRow("after %d", step) << step;
    }
    void resumedRunIsBitIdentical()
    {
        QFETCH(int, stopAt);
        QTemporaryDir folder;
        Trainer whole(small(), {}), broken(small(), {});
        while (!whole.finished())
            whole.step();
        QVERIFY(whole.state().step >= 6);
        QVERIFY(whole.state().pruningStep > 0 && !whole.state().fades.empty()); // all phases were there
        for (int i = 0; i < stopAt; ++i)
            broken.step();
        QVERIFY(broken.save(path(folder, "a.safetensors")).has_value());
        Recipe other = small();
        other.seed = 77; // all of the state must come from the file
        Trainer resumed(other, {});
        const auto loaded = resumed.resume(path(folder, "a.safetensors"));
        QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
        QCOMPARE(resumed.state().step, stopAt);
        while (!resumed.finished())
            resumed.step();
        QCOMPARE(resumed.state().step, whole.state().step);
        QVERIFY(sameWeights(whole, resumed));
        QCOMPARE(resumed.state().running, whole.state().running);
    }

    void stoppedTrainingGoesOn()
    {
        QTemporaryDir folder;
        Trainer whole(small(), {}), stopped(small(), {.folder = path(folder, "")});
        QVERIFY(whole.run().has_value());
        std::stop_source source;
        Control control;
        control.stop = source.get_token();
        control.report = [&](const Progress& progress) {
            if (progress.done == 3)
                source.request_stop();
        };
        const auto result = stopped.run(control);
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, Error::Kind::Cancelled);
        QCOMPARE(stopped.state().step, 3);
        Trainer resumed(small(), {.folder = path(folder, "")});
        QVERIFY(resumed.resume(path(folder, kTrainingStateFile)).has_value());
        QVERIFY(resumed.run().has_value());
        QVERIFY(sameWeights(whole, resumed));
    }

    void tokensAreCountedOverAllSittings()
    {
        QTemporaryDir folder;
        Trainer whole(small(), {}), first(small(), {}), rest(small(), {});
        while (!whole.finished())
            whole.step();
        for (int step = 0; step < 4; ++step)
            first.step();
        QVERIFY(first.save(path(folder, "a.safetensors")).has_value());
        QVERIFY(rest.resume(path(folder, "a.safetensors")).has_value());
        QCOMPARE(rest.state().tokens, first.state().tokens);
        while (!rest.finished())
            rest.step();
        QCOMPARE(rest.state().tokens, whole.state().tokens);
        for (const Task task : {Task::Copy, Task::Kv, Task::Mc, Task::Completion})
            QVERIFY(whole.state().tokens[static_cast<std::size_t>(task)] > 0);
    }

    /// One report of each kind that meets its table, and the row that fails when one number changes.
    void acceptanceSaysWhichRowFails_data()
    {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<QString>("failed");
        QTest::newRow("transformer") << QStringLiteral(
            "AAAA") << QStringLiteral("every head outside the circuit costs less than 0.10 on any task");
        QTest::newRow("ssm") << QStringLiteral("SSSS")
                             << QStringLiteral("effective tokens in the aggregating row above 10.00");
        QTest::newRow("hybrid") << QStringLiteral("SASA")
                                << QStringLiteral("every SSM head costs less than 0.20 on any task");
    }
    void acceptanceSaysWhichRowFails()
    {
        QFETCH(QString, layers);
        QFETCH(QString, failed);
        ModelReport report;
        report.layers = layers.toStdString();
        const bool ssm = report.layers == "SSSS";
        report.base = ssm ? Scores{0.99, 0.9, 0.7, 1.0, 1.0} : Scores{1.0, 1.0, 1.0, 1.0, 1.0};
        const Scores lost{0.02, 0.02, 0.02, 0.25, 1.0};
        const auto behaviour = [](HeadId head, double effective) {
            return HeadBehaviour{.head = head, .entropy = std::log(effective)};
        };
        report.heads = {{behaviour({3, 4}, ssm ? 20.0 : 1.5), lost},
                        {behaviour({1, 2}, 4.0), lost},
                        {behaviour({2, 7}, 30.0), report.base}};
        report.aggregating = {{3, 4}};
        report.gathering = {{1, 2}};
        report.withoutAggregating = report.withoutAttention = lost;
        for (const Requirement& row : judge(report))
            QVERIFY2(row.met, row.what.c_str());

        if (ssm)
            report.heads.front().behaviour.entropy = std::log(9.0);
        else
            report.heads.back().scores.mc = 0.7;
        std::vector<std::string> unmet;
        for (const Requirement& row : judge(report))
            if (!row.met)
                unmet.push_back(row.what);
        QCOMPARE(unmet, std::vector{failed.toStdString()});
    }

    // Of every step, in pruning too, where heads are half gone: the model is the one that is trained, and writing it
    // changes nothing of what follows.
    void checkpointsAreTheModelOfTheirStep()
    {
        QTemporaryDir folder;
        Trainer trainer(small(), {}), other(small(), {});
        bool fading = false;
        while (!trainer.finished()) {
            trainer.step();
            other.step();
            const auto state = path(folder, ("step-" + std::to_string(trainer.state().step)).c_str());
            QVERIFY(trainer.exportCheckpoint(state, {}).has_value());
            const auto loaded = lm::load(state, {.device = "cpu", .dtype = "fp32"});
            QVERIFY2(loaded.has_value(), loaded.has_value() ? "" : loaded.error().message.c_str());
            const at::Tensor ids = someIds();
            const HeadScales scales = trainer.scales();
            for (const auto& layer : scales)
                fading = fading || std::ranges::any_of(layer, [](float one) { return one > 0 && one < 1; });
            const at::Tensor trained = trainer.network().logits(ids, {{}, toTensors(scales, at::kCPU)}).detach();
            QVERIFY(difference(trained, loaded->model->logits(ids).detach()) < 1e-4);
        }
        QVERIFY(fading);
        QVERIFY(sameWeights(trainer, other));
    }

    void foreignTrainingStatesAreRefused()
    {
        QTemporaryDir folder;
        Trainer trainer(small(), {});
        QVERIFY(trainer.save(path(folder, "a.safetensors")).has_value());
        Recipe wider = small();
        wider.network.hidden = 32;
        Trainer other(wider, {});
        const at::Tensor before = other.network().parameters().front().value.detach().clone();
        const auto misfit = other.resume(path(folder, "a.safetensors"));
        QVERIFY(!misfit.has_value());
        QVERIFY(misfit.error().message.find("model.embed_tokens.weight") != std::string::npos);
        QVERIFY(other.network().parameters().front().value.equal(before));
        QVERIFY(exportModel(trainer.network(), path(folder, "model"), "").has_value());
        const auto model = trainer.resume(path(folder, "model/model.safetensors"));
        QVERIFY(!model.has_value());
        QVERIFY(model.error().message.find("not a training state") != std::string::npos);
        QVERIFY(!trainer.resume(path(folder, "missing.safetensors")).has_value());
    }

    void copyingIsLearned()
    {
        Recipe recipe = small();
        recipe.maxSteps = 150;
        recipe.copying = {.texts = 16, .until = 2.0, .maxSteps = 150, .fewestWords = 2, .mostWords = 2, .repeats = 4};
        recipe.optimizer.copyRate = 0.01;
        recipe.optimizer.warmup = 5;
        Trainer trainer(recipe, {});
        trainer.step();
        const double start = trainer.state().losses[0];
        while (!trainer.finished())
            trainer.step();
        QVERIFY2(trainer.state().losses[0] < 0.93 * start,
                 qPrintable(QString::number(trainer.state().losses[0] / start)));
    }

    void shrinkingTakesIdleHeadsAndLeavesUsedOnes()
    {
        tasks::ToyRandom random(2);
        Network network(small().network, random);
        at::Tensor slices = network.outputSlices(0); // [D, H, P]
        slices.select(1, 1).mul_(0.02);
        const double used = slices.select(1, 0).norm().item<double>();
        for (int step = 0; step < 20; ++step)
            shrinkHeads(network, "A", 1e-3, 4.0, 2.0);
        QCOMPARE(slices.select(1, 1).norm().item<double>(), 0.0);
        QVERIFY(slices.select(1, 0).norm().item<double>() > 0.8 * used);
        // Layers of other kinds are left alone.
        slices.select(1, 1).fill_(0.001);
        const at::Tensor before = slices.clone();
        shrinkHeads(network, "S", 1e-3, 4.0, 2.0);
        QVERIFY(slices.equal(before));
    }

    void fadesFallInAStraightLine()
    {
        const Fade fade{{1, 2}, 100, 50};
        QCOMPARE(fade.factorAt(100), 1.0F);
        QCOMPARE(fade.factorAt(125), 0.5F);
        QCOMPARE(fade.factorAt(150), 0.0F);
        QCOMPARE(fade.factorAt(400), 0.0F);
    }

    void erasedHeadsAreNotMeasured()
    {
        tasks::ToyRandom random(2);
        Network network(small().network, random);
        network.outputSlices(1).select(1, 0).zero_();
        auto report = measureModel(network, 4);
        QVERIFY(report.has_value());
        QCOMPARE(report->heads.size(), std::size_t{3});
        report->base = {1.0, 1.0, 1.0, 1.0, 1.0};
        for (HeadRow& row : report->heads)
            row.scores =
                row.behaviour.head == HeadId{1, 1} ? Scores{1.0, 0.5, 1.0, 1.0, 1.0} : Scores{1.0, 1.0, 0.97, 1.0, 1.0};
        TrainingState run;
        run.fades = {{{1, 0}, 3, 2}};
        const std::string card = modelCard(small(), run, *report, network.parameterCount(), "test");
        QVERIFY(card.find("Faded out: L1H0.") != std::string::npos);
        QVERIFY(card.find("| lastrow:L1 |") != std::string::npos);
        QVERIFY(card.find("| L1H1 | 1.00 | 0.50 |") != std::string::npos && card.find("| L1H0 |") == std::string::npos);
        QVERIFY(card.find("| worst of the 2 others | 1.00 | 1.00 | 0.97 |") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestTrain)
#include "tst_train.moc"
