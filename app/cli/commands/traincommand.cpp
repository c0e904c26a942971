// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/figures/curvefigure.h"
#include "app/workbench/models/automatictype.h"
#include "core/base/words/counted.h"
#include "core/base/words/suggestion.h"
#include "core/io/pathlist.h"
#include "core/io/textfiles/textfile.h"
#include "core/lm/device/device.h"
#include "core/lm/weights/packedweight.h"
#include "core/tasks/kvretrieval.h"
#include "core/train/english/englishlessons.h"
#include "core/train/english/englishreport.h"
#include "core/train/models/exportmodel.h"
#include "core/train/models/modelcard.h"
#include "core/train/process.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <memory>

namespace headscope::cli {

namespace {

struct TrainArguments {
    std::string recipe;
    std::filesystem::path folder;
    std::filesystem::path corpus; ///< of a small English model
    int steps = 0;                ///< 0: to the end
    int checkpointEvery = 0;      ///< steps; 0: no models are kept on the way
    CLI::Option* seed = nullptr;
};

constexpr int kPrompts = 256;     ///< a cell of the model card's table
constexpr int kHeadPrompts = 100; ///< the same with heads off, of a small English model, which has many

// A recipe is a file, or the name of one that ships with the program.
Result<train::Recipe> loadRecipe(const Context& context, const std::string& name)
{
    std::error_code unused;
    if (std::filesystem::is_regular_file(name, unused))
        return train::Recipe::load(name);
    const std::filesystem::path shipped = context.resources / "recipes" / (name + ".json");
    if (std::filesystem::is_regular_file(shipped, unused))
        return train::Recipe::load(shipped);
    std::vector<std::string> known;
    for (const auto& entry : std::filesystem::directory_iterator(context.resources / "recipes", unused))
        known.push_back(entry.path().stem().string());
    return inputError("There is no recipe '" + name + "'" + didYouMean(name, known) + ": it is neither a file nor in "
                      + (context.resources / "recipes").string() + ".");
}

nlohmann::json scoresJson(const train::Scores& s)
{
    return {{"kv4", s.kv4}, {"kv8", s.kv8}, {"kv16", s.kv16}, {"mc", s.mc}, {"knowledge", s.knowledge}};
}

nlohmann::json scoresJson(const train::EnglishScores& s)
{
    nlohmann::json out = {{"prose", s.prose}};
    for (std::size_t cell = 0; cell < train::kEnglishTasks.size(); ++cell)
        out[train::kEnglishTasks[cell]] = s.accuracy[cell];
    return out;
}

// The acceptance table, told and as JSON.
void addAcceptance(const Context& context, const std::vector<train::Requirement>& rows, nlohmann::json& out)
{
    nlohmann::json acceptance = nlohmann::json::array(), unmet = nlohmann::json::array();
    for (const train::Requirement& row : rows) {
        context.note((row.met ? "met      " : "NOT met  ") + row.what + ": " + row.found);
        acceptance.push_back({{"required", row.what}, {"found", row.found}, {"met", row.met}});
        if (!row.met)
            unmet.push_back(row.what);
    }
    out["acceptance"] = acceptance;
    out["unmet"] = unmet;
}

Result<nlohmann::json> writeEnglishModel(const Context& context, train::Trainer& trainer,
                                         const std::shared_ptr<const train::EnglishMaterial>& english,
                                         const std::filesystem::path& folder)
{
    trainer.settleFades();
    trainer.roundWeightsToBf16();
    const auto report = train::measureEnglish(trainer.network(), english, trainer.recipe().english.proseRow, kPrompts,
                                              kHeadPrompts, context.control());
    if (!report.has_value())
        return report.error();
    const std::string card = train::englishCard(trainer.recipe(), trainer.state(), *report, *english,
                                                trainer.network().parameterCount(), HEADSCOPE_VERSION);
    if (Result<void> written =
            train::exportModel(trainer.network(), folder, card, {.tokenizer = english->tokenizerJson, .bf16 = true});
        !written.has_value())
        return written.error();
    nlohmann::json heads = nlohmann::json::array();
    for (const train::EnglishHeadRow& row : report->heads)
        heads.push_back({{"head", train::toString(row.behaviour.head)},
                         {"without", scoresJson(row.scores)},
                         {"live", row.live},
                         {"mass_on_value", row.behaviour.massOnTarget},
                         {"entropy", row.behaviour.entropy}});
    nlohmann::json out = {{"scores", scoresJson(report->base)}, {"heads", heads}, {"five_gram", report->fiveGram}};
    addAcceptance(context, report->acceptance, out);
    return out;
}

Result<nlohmann::json> writeModel(const Context& context, train::Trainer& trainer, const std::filesystem::path& folder)
{
    trainer.settleFades();
    const auto report = train::measureModel(trainer.network(), kPrompts, context.control());
    if (!report.has_value())
        return report.error();
    const std::string card = train::modelCard(trainer.recipe(), trainer.state(), *report,
                                              trainer.network().parameterCount(), HEADSCOPE_VERSION);
    if (Result<void> written = train::exportModel(trainer.network(), folder, card); !written.has_value())
        return written.error();
    nlohmann::json heads = nlohmann::json::array();
    for (const train::HeadRow& row : report->heads)
        heads.push_back({{"head", train::toString(row.behaviour.head)}, {"without", scoresJson(row.scores)}});
    nlohmann::json out = {{"scores", scoresJson(report->base)}, {"heads", heads}};
    addAcceptance(context, report->acceptance, out);
    return out;
}

// The model whose weights the recipe starts from: a shipped one, or one that the recipe of that name writes below
// `folder`.
std::filesystem::path startFolder(const Context& context, const train::Recipe& recipe,
                                  const std::filesystem::path& folder)
{
    std::error_code unused;
    const std::filesystem::path shipped = context.resources / "models" / recipe.from;
    return std::filesystem::exists(shipped, unused) ? shipped : folder / recipe.from;
}

Result<void> makeFolder(const std::filesystem::path& folder)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        return ioError("The folder " + folder.string() + " could not be created: " + problem.message() + ".");
    return {};
}

// What a small English model learns from; null for the tiny models, which need no corpus.
Result<std::shared_ptr<const train::EnglishMaterial>> material(const Context& context, const train::Recipe& recipe,
                                                               const TrainArguments& arguments,
                                                               const std::filesystem::path& states,
                                                               const std::filesystem::path& from)
{
    if (recipe.english.vocabulary == 0)
        return std::shared_ptr<const train::EnglishMaterial>();
    if (arguments.corpus.empty())
        return inputError("The recipe '" + recipe.name
                          + "' learns from a corpus of plain texts; expected --corpus DIR with *.txt files.");
    const auto words = tasks::readOwnWords(context.resources / "words" / "words.txt");
    if (!words.has_value())
        return words.error();
    const auto corpus = train::readCorpus(arguments.corpus);
    if (!corpus.has_value())
        return corpus.error();
    context.note("Corpus of " + counted(corpus->files, "file") + ", SHA-256 " + corpus->sha256 + ".");
    std::string tokenizer;
    if (!recipe.from.empty()) {
        auto text = io::readTextFile(from / train::kTokenizerFile);
        if (!text.has_value())
            return text.error();
        tokenizer = std::move(*text);
    }
    if (const Result<void> made = makeFolder(states); !made.has_value()) // it keeps its words there
        return made.error();
    return train::prepareEnglish(*corpus, recipe.english.vocabulary, words->words, states, std::move(tokenizer));
}

// Goes on from the training state in `states`, or begins with the weights of the model that the recipe names, if any.
Result<void> resumeOrStart(const Context& context, train::Trainer& trainer, const train::EnglishMaterial* english,
                           const std::filesystem::path& states, const std::filesystem::path& from)
{
    std::error_code unused;
    const std::filesystem::path stateFile = states / train::kTrainingStateFile;
    if (std::filesystem::exists(stateFile, unused)) {
        if (Result<void> resumed = trainer.resume(stateFile); !resumed.has_value())
            return resumed;
        if (const auto begun = trainer.state().seed; begun && *begun != trainer.recipe().seed)
            return inputError("The training in '" + states.string() + "' was begun with seed " + std::to_string(*begun)
                              + "; expected --seed " + std::to_string(*begun) + " or another --output.");
        context.note("Continuing at step " + std::to_string(trainer.state().step) + ".");
    } else if (english && !trainer.recipe().from.empty()) {
        if (Result<void> started = trainer.startFrom(from, english->prose); !started.has_value())
            return started;
        context.note("The weights start from those of " + from.string() + ".");
    }
    return {};
}

// The learning curve as a picture beside its numbers.
Result<void> drawCurve(const train::Recipe& recipe, const std::filesystem::path& states)
{
#ifdef HEADSCOPE_FIGURES
    const auto curve = train::readLearningCurve(states / train::kLearningCurveFile);
    if (!curve.has_value())
        return curve.error();
    figures::CurvePanel seen{.heading = "Answers in training, running mean", .xTitle = "million tokens", .share = true};
    figures::CurvePanel tested{.heading = "Greedy accuracy on test texts", .xTitle = "million tokens", .share = true};
    figures::CurvePanel prose{.heading = "Prose", .xTitle = "million tokens", .yTitle = "nats a token"};
    const auto add = [&](figures::CurvePanel& panel, const std::string& column, const std::string& name) {
        auto points = curve->points("tokens", column);
        for (auto& [tokens, value] : points)
            tokens /= 1e6;
        panel.lines.push_back({name, std::move(points)});
    };
    for (const char* task : train::kTaskNames)
        if (std::string_view(task) != "prose")
            add(seen, std::string(task) + "_accuracy", task);
    add(prose, "prose_loss", "in training, running mean");
    for (const std::string& name : curve->names)
        if (const std::string_view test = "test "; name.starts_with(test))
            add(name.ends_with(" nats") ? prose : tested, name,
                name.ends_with(" nats") ? "held out" : name.substr(test.size()));
    return figures::writeCurves({seen, tested, prose}, recipe.name + ", seed " + std::to_string(recipe.seed),
                                "Headscope " HEADSCOPE_VERSION ", recipe " + recipe.name,
                                (states / "curve.svg").string());
#else
    (void)recipe, (void)states;
    return {};
#endif
}

// To the end, or for the steps that were asked for.
Result<void> trainWithCheckpoints(const Context& context, const TrainArguments& arguments, train::Trainer& trainer,
                                  const train::EnglishMaterial* english)
{
    const int every = arguments.checkpointEvery;
    if (every == 0)
        return trainer.run(context.control(), arguments.steps);
    const auto step = [&trainer] { return static_cast<int>(trainer.state().step); };
    const int last = arguments.steps > 0 ? step() + arguments.steps : std::numeric_limits<int>::max();
    const train::ExportOptions options{.tokenizer = english ? english->tokenizerJson : std::string(),
                                       .bf16 = english != nullptr};
    while (!trainer.finished() && step() < last) {
        if (Result<void> trained = trainer.run(context.control(), std::min(every - step() % every, last - step()));
            !trained.has_value())
            return trained;
        const auto folder = arguments.folder / "checkpoints" / ("step-" + std::to_string(step()));
        if (step() % every == 0 || trainer.finished())
            if (Result<void> kept = trainer.exportCheckpoint(folder, options); !kept.has_value())
                return kept;
    }
    return {};
}

// The result of a run; "finished" is false where it was stopped. A base model that does not ship is trained first.
Result<nlohmann::json> trainRecipe(const Context& context, const TrainArguments& arguments)
{
    Result<train::Recipe> recipe = loadRecipe(context, arguments.recipe);
    if (!recipe.has_value())
        return recipe.error();
    if (arguments.seed->count() > 0)
        recipe->seed = context.settings.seed;
    const auto device = lm::parseDevice(context.settings.device == "auto" ? "cpu" : context.settings.device);
    if (!device.has_value())
        return device.error();
    const std::filesystem::path from = startFolder(context, *recipe, arguments.folder);
    std::error_code unused;
    if (!recipe->from.empty() && !std::filesystem::exists(from / "config.json", unused)) {
        TrainArguments first = arguments;
        first.recipe = recipe->from, first.folder = from;
        if (auto begun = trainRecipe(context, first); !begun.has_value() || !begun->at("finished").get<bool>())
            return begun;
    }

    const std::filesystem::path states = arguments.folder / "training";
    const auto english = material(context, *recipe, arguments, states, from);
    if (!english.has_value())
        return english.error();
    if (const Result<void> made = makeFolder(states); !made.has_value())
        return made.error();
    if (recipe->optimizer.bf16 && device->is_cpu() && app::cachedSpeedup("bf16", io::cacheFolder()) < 1) {
        recipe->optimizer.bf16 = false;
        context.note("This processor multiplies fp32 faster than bf16, so the products are done in fp32.");
    }
    train::Trainer trainer(*recipe, {states, *device, [&context](const std::string& line) { context.note(line); }},
                           *english ? train::makeEnglishLessons(*recipe, *english, *device) : nullptr);
    if (Result<void> begun = resumeOrStart(context, trainer, english->get(), states, from); !begun.has_value())
        return begun.error();
    if (Result<void> trained = trainWithCheckpoints(context, arguments, trainer, english->get()); !trained.has_value())
        return trained.error();

    const train::TrainingState& state = trainer.state();
    nlohmann::json out = {{"recipe", recipe->name},   {"seed", recipe->seed},
                          {"steps", state.step},      {"finished", trainer.finished()},
                          {"seconds", state.seconds}, {"core_seconds", state.coreSeconds}};
    for (int task = 0; task < train::kTaskCount; ++task) {
        out["running_accuracy"][train::kTaskNames[task]] = state.running[task];
        out["running_loss"][train::kTaskNames[task]] = state.losses[task];
        out["tokens"][train::kTaskNames[task]] = state.tokens[task];
    }
    if (trainer.finished()) {
        if (Result<void> drawn = drawCurve(*recipe, states); !drawn.has_value())
            context.note("No picture of the learning curve: " + drawn.error().message);
        const auto model = *english ? writeEnglishModel(context, trainer, *english, arguments.folder)
                                    : writeModel(context, trainer, arguments.folder);
        if (!model.has_value())
            return model.error();
        out.update(*model);
    }
    return out;
}

Result<void> runTraining(const Context& context, const TrainArguments& arguments)
{
    if (lm::weightForm(context.settings.dtype) != lm::WeightForm::Full)
        return inputError("A model is trained with all bits of its weights; leave --weights out.");
    train::prepareProcess(context.settings.threads > 0 ? context.settings.threads : 1);
    const auto out = trainRecipe(context, arguments);
    if (!out.has_value())
        return out.error();
    if (context.json)
        Context::print(*out);
    else if (out->at("finished").get<bool>())
        printText("%s\n", out->at("scores").dump().c_str());
    else
        printText("Stopped after step %d of %s; run the same command again to go on.\n", out->at("steps").get<int>(),
                  out->at("recipe").get<std::string>().c_str());
    return {};
}

} // namespace

void addTrainCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<TrainArguments>();
    CLI::App* command =
        app.add_subcommand("train", "train an included model from its recipe; continues an interrupted training");
    command->add_option("RECIPE", arguments->recipe, "recipe file, or the name of an included recipe")->required();
    option(*command, "--output", arguments->folder, "folder for the model and its training states")->required();
    option(*command, "--corpus", arguments->corpus);
    option(*command, "--steps", arguments->steps)->check(kNotNegative);
    option(*command, "--checkpoint-every", arguments->checkpointEvery)->check(kNotNegative);
    arguments->seed = app.get_option("--seed");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return runTraining(context, *arguments); }; });
}

} // namespace headscope::cli
