// SPDX-License-Identifier: GPL-3.0-or-later
// The small English models: corpus, lessons, a short run of the recipe on texts made here, measuring, card, folder.
#include "core/io/textfiles/textfile.h"
#include "core/lm/load.h"
#include "core/tasks/english/english.h"
#include "core/tasks/kvretrieval.h"
#include "core/train/english/englishlessons.h"
#include "core/train/english/englishreport.h"
#include "core/train/english/ngram.h"
#include "core/train/models/exportmodel.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>

using namespace headscope;
using namespace headscope::train;
using namespace Qt::StringLiterals;

namespace {

const char* const kRecipe = R"({
  "name": "short", "about": "For tests.", "seed": 5, "maxSteps": 5, "evaluateEvery": 100,
  "network": {"layers": "AA", "hidden": 16, "heads": 2, "headDim": 8, "mlp": 16, "embeddingStd": 0.05, "tied": true},
  "optimizer": {"warmup": 2, "decay": 2},
  "copying": {"texts": 1, "maxSteps": 2, "fewestWords": 2, "mostWords": 6, "repeats": 2},
  "tasks": {"kvFirstPairs": 3, "kvLastPairs": 4},
  "english": {"vocabulary": 400, "copyTokens": 64, "copyRow": 32, "proseRow": 32, "mcRow": 128,
              "mcFirstWords": 8, "halfwayLayers": 1,
              "mix": {"copyTokens": 32, "proseTokens": 64, "kvTokens": 256, "mcTokens": 384, "mcTold": 0.5, "mcToldQuestions": 5, "ioiTokens": 96, "factTokens": 64},
              "laterAt": 4,
              "later": {"proseTokens": 32, "proseWeight": 4, "kvTokens": 256, "mcTokens": 128, "ioiTokens": 96, "listTokens": 96, "factTokens": 64}},
  "pruning": {"strength": 0}
})";

std::filesystem::path path(const QTemporaryDir& folder, const char* name = "")
{
    return std::filesystem::path(folder.path().toStdString()) / name;
}

std::vector<std::string> ownWords()
{
    return tasks::readOwnWords(HEADSCOPE_SOURCE_DIR "/resources/words/words.txt").value().words;
}

// Eighty made-up words, each in twenty-five sentences.
void writeCorpus(const std::filesystem::path& folder, const std::string& ending = ".")
{
    std::ofstream first(folder / "a.txt"), second(folder / "b.txt");
    for (int round = 0; round < 25; ++round)
        for (int word = 0; word < 80; ++word) {
            const std::string name =
                std::string("zo") + static_cast<char>('a' + word % 26) + static_cast<char>('k' + word / 26);
            (word < 40 ? first : second) << "The " << name << " saw another " << name << " and said nothing" << ending
                                         << "\n\n";
        }
}

struct Made {
    QTemporaryDir corpus, states;
    Recipe recipe = Recipe::parse(kRecipe, "test").value();
    std::shared_ptr<const EnglishMaterial> material;

    Made()
    {
        writeCorpus(path(corpus));
        const Corpus read = readCorpus(path(corpus)).value();
        material = prepareEnglish(read, recipe.english.vocabulary, ownWords(), path(states)).value();
    }
    [[nodiscard]] Trainer trainer() const
    {
        return Trainer(recipe, {}, makeEnglishLessons(recipe, material, at::kCPU));
    }
};

bool sameWeights(const Trainer& a, const Trainer& b)
{
    for (std::size_t i = 0; i < a.network().parameters().size(); ++i)
        if (!a.network().parameters()[i].value.equal(b.network().parameters()[i].value))
            return false;
    return true;
}

} // namespace

class TestEnglishTraining : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void missingCorpusIsOneSentence()
    {
        const auto missing = readCorpus("/nowhere/corpus");
        QVERIFY(!missing.has_value());
        QVERIFY(missing.error().message.starts_with("The corpus /nowhere/corpus cannot be read"));
        QTemporaryDir empty;
        QVERIFY(readCorpus(path(empty)).error().message.ends_with("has no *.txt files."));
        std::ofstream(path(empty, "a.txt")) << "Too short.";
        QVERIFY(readCorpus(path(empty)).error().message.find("too few paragraphs") != std::string::npos);
    }

    void heldOutParagraphsAreNotTrainedOn()
    {
        QTemporaryDir folder;
        writeCorpus(path(folder));
        const Corpus every = readCorpus(path(folder)).value();
        QCOMPARE(every.files, 2);
        QCOMPARE(every.paragraphs.size() + every.heldOut.size(), std::size_t{2000});
        QCOMPARE(every.heldOut.size(), std::size_t{100});
        std::ofstream(path(folder, "heldout.txt")) << "A paragraph that nobody ever reads in training.\n";
        const Corpus named = readCorpus(path(folder)).value();
        QCOMPARE(named.files, 2);
        QCOMPARE(named.paragraphs.size(), std::size_t{2000});
        QCOMPARE(named.heldOut.size(), std::size_t{1});
        QVERIFY(named.sha256 != every.sha256);
        writeCorpus(path(folder), "!");
        QVERIFY(readCorpus(path(folder))->sha256 != named.sha256);
    }

    void trainingWordsAreNoBenchmarkWords()
    {
        const Made made;
        QVERIFY(made.material->pools.words.size() >= 60);
        for (const std::string& word : made.material->pools.words)
            QVERIFY(std::find(made.material->benchmarkWords.begin(), made.material->benchmarkWords.end(), word)
                    == made.material->benchmarkWords.end());
        const Corpus few{{"The lamp hums and the lamp hums and hums."}, {"The lamp."}, 1, ""};
        const auto material = prepareEnglish(few, 300, ownWords(), path(made.states));
        QVERIFY(!material.has_value());
        QVERIFY(material.error().message.starts_with("The corpus has only"));
    }

    void everyKindOfTextIsReadAndResumedBitForBit()
    {
        const Made made;
        Trainer whole = made.trainer(), first = made.trainer(), rest = made.trainer();
        while (!whole.finished())
            whole.step();
        for (int task = 0; task < kTaskCount; ++task)
            QVERIFY2(whole.state().tokens[static_cast<std::size_t>(task)] > 0, kTaskNames[task]);
        for (int step = 0; step < 3; ++step)
            first.step();
        QVERIFY(first.save(path(made.states, "a.safetensors")).has_value());
        QVERIFY(rest.resume(path(made.states, "a.safetensors")).has_value());
        while (!rest.finished())
            rest.step();
        QVERIFY(sameWeights(whole, rest));
        QCOMPARE(rest.state().losses, whole.state().losses);
    }

    void scoredTokensAreTheAnswers()
    {
        const Made made;
        const auto lessons = makeEnglishLessons(made.recipe, made.material, at::kCPU);
        tasks::ToyRandom random(3);
        const TrainingState state{.copyingOnly = false, .pairs = 3};
        const Lesson lesson = lessons->draw(Task::Completion, state, random);
        QVERIFY(lesson.flat.numel() > 0);
        std::vector<int> scored;
        const at::Tensor ids = lesson.ids.flatten(), flat = lesson.flat;
        for (std::int64_t i = 0; i < flat.numel(); ++i)
            scored.push_back(static_cast<int>(ids[flat[i].item<std::int64_t>() + 1].item<std::int64_t>()));
        // What is scored are attributes of facts: it reads as a list of them.
        const std::string text = made.material->tokenizer->decode(scored).value();
        bool known = false;
        for (int fact = 0; fact < tasks::english::kFacts; ++fact)
            known = known || text.starts_with(tasks::english::factText(fact)[3].text);
        QVERIFY2(known, text.c_str());
    }

    /// Of the layers that see everything few heads are left, at least one in each; and a run that goes on knows which.
    void fewHeadsAreKept()
    {
        Made made;
        made.recipe.network.layers = "AWA";
        made.recipe.network.window = 8;
        made.recipe.network.fullRotates = false;
        made.recipe.maxSteps = 14;
        PruningRecipe& p = made.recipe.pruning;
        p.keep = 2, p.layers = "A", p.startPairs = 3, p.startAt = -1.0, p.accuracyAbove = -1.0;
        p.duplicatesFrom = 1, p.duplicatesEvery = 2, p.fadeLeast = 2, p.stepsAfter = 3, p.fullDropout = 0.5;
        Trainer whole = made.trainer(), rest = made.trainer();
        while (!whole.finished()) {
            whole.step();
            if (whole.state().step == 5)
                QVERIFY(whole.save(path(made.states, "few.safetensors")).has_value());
        }
        QCOMPARE(whole.state().pruningStep, 2);
        QCOMPARE(whole.state().step, 14); // the run's length stands
        QCOMPARE(whole.state().fades.size(), std::size_t{2});
        const HeadScales left = whole.scales();
        for (const std::size_t layer : {0, 2})
            QCOMPARE(left[layer][0] + left[layer][1], 1.0F);
        QCOMPARE(left[1][0] + left[1][1], 2.0F);
        QVERIFY(rest.resume(path(made.states, "few.safetensors")).has_value());
        while (!rest.finished())
            rest.step();
        QVERIFY(sameWeights(whole, rest));
        // What has faded is written down before the model is.
        whole.settleFades();
        for (const Fade& fade : whole.state().fades)
            QCOMPARE(whole.network().outputSlices(fade.head.layer).select(1, fade.head.head).abs().max().item<double>(),
                     0.0);
        QVERIFY(Recipe::parse(made.recipe.toJson(), "test").has_value());
        made.recipe.pruning.keep = 1; // of two layers
        QVERIFY(!Recipe::parse(made.recipe.toJson(), "test").has_value());
    }

    /// Stories are learned as slowly as their share of the gradient is small.
    void storiesWeighWhatTheMixSays()
    {
        const Made made;
        const auto lessons = makeEnglishLessons(made.recipe, made.material, at::kCPU);
        tasks::ToyRandom random(3);
        TrainingState state{.copyingOnly = false, .pairs = 3};
        QCOMPARE(lessons->draw(Task::Prose, state, random).weight, 1.0);
        state.step = made.recipe.english.laterAt;
        QCOMPARE(lessons->draw(Task::Prose, state, random).weight, 4.0);
        QCOMPARE(lessons->draw(Task::Kv, state, random).weight, 1.0);
    }

    /// 294 of 300 facts are within 0.02 of all, whatever the difference of the two shares is rounded to.
    void sharesAreHeldToTheirLimitExactly()
    {
        EnglishReport report{.layers = "A", .fiveGram = 1.0, .heads = {EnglishHeadRow()}, .withoutTogether = {{}}};
        report.base.accuracy.fill(1.0);
        report.base.accuracy[Ioi] = 243.0 / 256;
        report.headBase.accuracy.fill(1.0);
        const auto row = [&](const char* what) {
            const std::vector<Requirement> all = judgeEnglish(report);
            return *std::ranges::find(all, what, &Requirement::what);
        };
        for (const auto& [right, met] : {std::pair{294, true}, {293, false}}) {
            report.withoutTogether.front().accuracy[Facts] = right / 300.0;
            QCOMPARE(row("facts lost with them at most 0.02").met, met);
        }
        // What misses is not told as what is asked for.
        QCOMPARE(row("ioi at least 0.95").found, std::string("0.949"));
        QVERIFY(!row("ioi at least 0.95").met);
    }

    /// Letters of passages are found in two steps, which are learned one by one.
    void lettersAreLearnedInTwoSteps()
    {
        const Made made;
        const auto lessons = makeEnglishLessons(made.recipe, made.material, at::kCPU);
        tasks::ToyRandom random(3);
        TrainingState state{.copyingOnly = false, .pairs = 3, .mcWords = 8};
        std::set<std::string> few, all;
        const auto wordsIn = [&](const HalfwayWords& halfway, std::set<std::string>& words) {
            for (const at::Tensor& tokens : {halfway.tokens, halfway.toldTokens})
                for (std::int64_t i = 0; tokens.defined() && i < tokens.numel(); ++i)
                    words.insert(made.material->tokenizer->decode(std::array{tokens[i].item<int>()}).value());
        };
        bool found = false, told = false;
        for (int draw = 0; draw < 20; ++draw) {
            const Lesson lesson = lessons->draw(Task::Mc, state, random);
            wordsIn(lesson.halfway, few);
            const at::Tensor ids = lesson.ids.flatten();
            for (const at::Tensor& places : {lesson.halfway.places, lesson.halfway.toldPlaces}) {
                for (std::int64_t i = 0; places.defined() && i < places.numel(); ++i) {
                    const std::int64_t place = places[i].item<std::int64_t>();
                    QVERIFY(lesson.flat.eq(place).any().item<bool>()); // the letter after it is scored
                    QCOMPARE(made.material->tokenizer->decode(std::array{ids[place].item<int>()}).value(), ":");
                    if ((place + 2) % lesson.ids.size(1) == 0)
                        continue; // the row ends within the letter
                    const std::array next{ids[place + 1].item<int>(), ids[place + 2].item<int>()};
                    const std::string text = made.material->tokenizer->decode(next).value();
                    QVERIFY2(text.size() >= 2 && text[0] == ' ' && text[1] >= 'A' && text[1] <= 'D', text.c_str());
                }
            }
            found = found || lesson.halfway.places.defined();
            told = told || lesson.halfway.toldPlaces.defined();
        }
        QVERIFY(found && told);
        QVERIFY2(few.size() <= 8, qPrintable(QString::number(few.size())));
        state.mcWords = lessons->mostWords();
        for (int draw = 0; draw < 20; ++draw)
            wordsIn(lessons->draw(Task::Mc, state, random).halfway, all);
        QVERIFY(all.size() > few.size());

        // The words grow when letters are mastered, and a run that goes on knows how far they are.
        Trainer trainer = made.trainer();
        QCOMPARE(trainer.state().mcWords, 8);
        while (!trainer.finished())
            trainer.step();
        QVERIFY(trainer.save(path(made.states, "words.safetensors")).has_value());
        Trainer rest = made.trainer();
        QVERIFY(rest.resume(path(made.states, "words.safetensors")).has_value());
        QCOMPARE(rest.state().mcWords, trainer.state().mcWords);
    }

    void halfwayIsReadAsTheLastLayerIs()
    {
        tasks::ToyRandom random(11);
        const Network network(
            {.layers = "ASA", .vocabulary = 40, .hidden = 16, .heads = 2, .headDim = 8, .mlp = 16, .tied = true},
            random);
        const c10::NoGradGuard noGradients;
        for (const char* name : {"self_attn.o_proj.weight", "mlp.down_proj.weight"}) // the last layer adds nothing
            network.parameter(std::string("model.layers.2.") + name).zero_();
        const at::Tensor ids = at::arange(24, at::kLong).view({2, 12}), places = at::tensor({3, 11, 17}, at::kLong);
        const at::Tensor plain = network.logits(ids).flatten(0, 1);
        at::Tensor early;
        const at::Tensor same = network.logits(ids, {.halfway = {2, places, &early, {}, {}}}).flatten(0, 1);
        QVERIFY(same.equal(plain));
        QVERIFY(early.allclose(plain.index_select(0, places), 1e-5, 1e-5));
        // What is told changes the logits where it is told, and what comes after can look at it.
        network.parameter("model.layers.2.self_attn.o_proj.weight").fill_(0.1);
        const at::Tensor before = network.logits(ids);
        const at::Tensor told =
            network.logits(ids, {.halfway = {2, {}, nullptr, at::tensor({5}, at::kLong), at::tensor({39}, at::kLong)}});
        const at::Tensor differs = (told - before).abs().amax(-1).gt(1e-6);
        QVERIFY(!differs[0].narrow(0, 0, 5).any().item<bool>() && differs[0].narrow(0, 5, 7).all().item<bool>());
        QVERIFY(!differs[1].any().item<bool>());
        QVERIFY(told[0][5].argmax().item<std::int64_t>() != before[0][5].argmax().item<std::int64_t>());
    }

    void recipesThatTellNothingAreRefused()
    {
        const auto with = [](const QString& before, const QString& after) {
            return Recipe::parse(QString::fromLatin1(kRecipe).replace(before, after).toStdString(), "test");
        };
        QVERIFY(!with(u"\"halfwayLayers\": 1"_s, u"\"halfwayLayers\": 2"_s).has_value());
        QVERIFY(!with(u"\"halfwayLayers\": 1"_s, u"\"halfwayLayers\": 0"_s).has_value()); // but letters are told
        QVERIFY(!with(u"\"mcFirstWords\": 8"_s, u"\"mcFirstWords\": 3"_s).has_value());
        QVERIFY(!with(u"\"mcTold\": 0.5"_s, u"\"mcTold\": 1.5"_s).has_value());
        QVERIFY(!with(u"\"proseWeight\": 4"_s, u"\"proseWeight\": 0"_s).has_value());
    }

    void shortRunIsMeasuredAndOpens()
    {
        const Made made;
        Trainer trainer = made.trainer();
        QVERIFY(trainer.run().has_value());
        trainer.roundWeightsToBf16();
        const auto report = measureEnglish(trainer.network(), made.material, 32, 4, 3);
        QVERIFY(report.has_value());
        QCOMPARE(report->heads.size(), std::size_t{4});
        QCOMPARE(report->together.size(), std::size_t{3});
        QVERIFY(report->base.prose > 1.0 && report->base.prose < 8.0);
        QVERIFY(report->fiveGram > 0.0 && report->fiveGram < report->base.prose);
        const std::string card = englishCard(trainer.recipe(), trainer.state(), *report, *made.material,
                                             trainer.network().parameterCount(), "test");
        QVERIFY(card.find(made.material->corpusHash) != std::string::npos);
        QVERIFY(card.find("| word_kv, 8 pairs at least 0.97 | 0.000 | NO |") != std::string::npos);

        // The folder opens like any other and computes the same.
        const std::filesystem::path folder = path(made.states, "model");
        QVERIFY(exportModel(trainer.network(), folder, card, {.tokenizer = made.material->tokenizerJson, .bf16 = true})
                    .has_value());
        const auto tokenizer = text::Tokenizer::load(folder);
        QVERIFY(tokenizer.has_value());
        const auto model = lm::load(folder, {.device = "cpu", .dtype = "fp32"});
        QVERIFY2(model.has_value(), model.has_value() ? "" : model.error().message.c_str());
        const auto ids = (*tokenizer)->encode("<s>The zoak saw another").value().ids;
        const at::Tensor tensor =
            toTensor({ids.begin(), ids.end()}, {1, static_cast<std::int64_t>(ids.size())}, at::kCPU);
        const at::Tensor theirs = model->model->logits(tensor).detach(),
                         ours = trainer.network().logits(tensor).detach();
        QVERIFY((theirs - ours).abs().max().item<double>() < 0.02); // the scaled table is rounded once more
    }

    /// A trained Transformer gives a network with SSM layers its first weights.
    void weightsStartFromATransformer_data()
    {
        QTest::addColumn<QString>("layers");
        QTest::newRow("Llama") << u"AA"_s;
        QTest::newRow("SmolLM3, with a window") << u"WA"_s;
    }
    void weightsStartFromATransformer()
    {
        QFETCH(QString, layers);
        Made made;
        made.recipe.network.layers = layers.toStdString();
        Trainer teacher = made.trainer();
        QVERIFY(teacher.run().has_value());
        const std::filesystem::path folder = path(made.states, "teacher");
        QVERIFY(exportModel(teacher.network(), folder, "", {.tokenizer = made.material->tokenizerJson}).has_value());

        Recipe recipe = made.recipe;
        recipe.network.layers = "SA";
        recipe.network.state = 6;
        recipe.network.convWidth = 4;
        recipe.copying.texts = 0;
        Trainer student(recipe, {}, makeEnglishLessons(recipe, made.material, at::kCPU));
        const auto started = student.startFrom(folder, made.material->prose);
        QVERIFY2(started.has_value(), started.has_value() ? "" : started.error().message.c_str());
        const auto same = [&](const char* name, const char* theirs) {
            return student.network().parameter(name).allclose(teacher.network().parameter(theirs));
        };
        for (const char* name : {"model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight",
                                 "model.layers.1.self_attn.q_proj.weight", "model.norm.weight"})
            QVERIFY2(same(name, name), name);
        QVERIFY(same("model.layers.0.mixer.out_proj.weight", "model.layers.0.self_attn.o_proj.weight"));
        QVERIFY(student.network()
                    .parameter("model.layers.0.mixer.in_proj.weight")
                    .narrow(0, 0, 16)
                    .allclose(teacher.network().parameter("model.layers.0.self_attn.v_proj.weight")));
        // Where a head looked: shares of at most 1, the same for all its dims.
        const at::Tensor taps = student.network().parameter("model.layers.0.mixer.conv").narrow(1, 0, 16);
        QVERIFY(taps.min().item<double>() > 0.0 && taps.sum(0).max().item<double>() < 1.1);
        QVERIFY(taps.narrow(1, 0, 7).allclose(taps.narrow(1, 1, 7)));
        while (!student.finished())
            student.step();
        QVERIFY(std::isfinite(student.state().losses[static_cast<std::size_t>(Task::Prose)]));

        recipe.network.heads = 4;
        recipe.network.headDim = 4;
        Trainer other(recipe, {}, makeEnglishLessons(recipe, made.material, at::kCPU));
        const auto refused = other.startFrom(folder, made.material->prose);
        QVERIFY(!refused.has_value());
        QVERIFY(refused.error().message.find("other sizes") != std::string::npos);
        QVERIFY(!student.startFrom(folder, {1, 2, 3}).has_value());
    }

    /// The recipes that ship, as they are, for a step: on a corpus made here.
    void everyRecipeBegins_data()
    {
        QTest::addColumn<QString>("name");
        for (const auto& recipe : std::filesystem::directory_iterator(HEADSCOPE_SOURCE_DIR "/resources/recipes"))
            if (const std::string name = recipe.path().stem().string(); name.starts_with("small-"))
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void everyRecipeBegins()
    {
        QFETCH(QString, name);
        const std::filesystem::path resources = HEADSCOPE_SOURCE_DIR "/resources";
        auto recipe = Recipe::load(resources / "recipes" / (name.toStdString() + ".json"));
        QVERIFY2(recipe.has_value(), recipe.has_value() ? "" : recipe.error().message.c_str());
        QCOMPARE(QString::fromStdString(recipe->name), name);
        recipe->copying.texts = 0; // straight to the mix
        QTemporaryDir corpus, states;
        writeCorpus(path(corpus));
        std::string tokenizer;
        const std::filesystem::path from = resources / "models" / "small-transformer"; // all have its sizes
        if (!recipe->from.empty())
            tokenizer = io::readTextFile(from / "tokenizer.json").value();
        const auto material = prepareEnglish(readCorpus(path(corpus)).value(), recipe->english.vocabulary, ownWords(),
                                             path(states), tokenizer);
        QVERIFY2(material.has_value(), material.has_value() ? "" : material.error().message.c_str());
        Trainer trainer(*recipe, {path(states)}, makeEnglishLessons(*recipe, *material, at::kCPU));
        if (!recipe->from.empty()) {
            const auto started = trainer.startFrom(from, (*material)->prose);
            QVERIFY2(started.has_value(), started.has_value() ? "" : started.error().message.c_str());
        }
        QVERIFY(trainer.run({}, 1).has_value());
        QCOMPARE(trainer.state().step, 1);
        for (const Task task : {Task::Kv, Task::Prose, Task::Completion, Task::Names})
            QVERIFY(trainer.state().losses[static_cast<std::size_t>(task)] > 0.0
                    || recipe->english.mix.factTokens == 0);
        QVERIFY(trainer.network().parameterCount() > 2'000'000 && trainer.network().parameterCount() < 4'000'000);
    }

    void theCurveIsWrittenAndGoesOnWhereTheStateDoes()
    {
        const Made made;
        const LearningCurve curve(path(made.states, "curve.csv"));
        const TrainingState copied{.step = 50, .tokens = {640, 0, 0, 0, 0, 0}};
        QVERIFY(curve.add(copied, 0.002, {}).has_value());
        TrainingState mixed = copied;
        for (const int step : {100, 150, 200}) {
            mixed.step = step;
            mixed.tokens[1] += 100;
            mixed.running[1] = step / 1000.0;
            QVERIFY(
                curve.add(mixed, 0.001, step == 150 ? NamedScores{{"KV4", 0.5}, {"prose nats", 4.25}} : NamedScores())
                    .has_value());
        }
        QVERIFY(curve.cutAfter(150).has_value());
        const auto read = readLearningCurve(path(made.states, "curve.csv"));
        QVERIFY2(read.has_value(), read.has_value() ? "" : read.error().message.c_str());
        QCOMPARE(read->rows.size(), std::size_t{3});
        using Points = std::vector<std::pair<double, double>>;
        QCOMPARE(read->points("step", "test KV4"), (Points{{150, 0.5}}));
        QCOMPARE(read->points("tokens", "kv_accuracy"), (Points{{740, 0.1}, {840, 0.15}}));
        QVERIFY(read->points("step", "mc_accuracy").empty());
        std::ofstream(path(made.states, "other.csv")) << "a,b\n1,2\n";
        QVERIFY(!readLearningCurve(path(made.states, "other.csv")).has_value());
    }

    void countingModelsSumToOne()
    {
        tasks::ToyRandom random(1);
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < 4000; ++i)
            tokens.push_back(i % 3 == 0 ? random.below(20) : (tokens.back() * 7 + 3) % 20);
        const NgramModel model(tokens, 20);
        QCOMPARE(model.order(), 5);
        for (const std::vector<std::int32_t>& before :
             {std::vector<std::int32_t>{}, {3}, {3, 4, 11, 0}, {19, 19, 19, 19, 19, 19}}) {
            double sum = 0;
            for (int token = 0; token < 20; ++token)
                sum += model.probability(before, token);
            QVERIFY2(std::abs(sum - 1.0) < 1e-9, qPrintable(QString::number(sum)));
        }
        // What was seen is expected, and a row that repeats the text costs less than random tokens.
        const std::vector<std::int64_t> seen(tokens.begin(), tokens.begin() + 640);
        QVERIFY(nats(model, seen, 32) < std::log(20.0) - 1.0);
        QCOMPARE(NgramModel(tokens, 65536).order(), 4);
    }
};

QTEST_APPLESS_MAIN(TestEnglishTraining)
#include "tst_englishtraining.moc"
