// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "core/lm/device/device.h"
#include "core/train/exportmodel.h"
#include "core/train/modelcard.h"
#include "core/train/process.h"

#include <memory>

namespace headscope::cli {

namespace {

struct TrainArguments {
    std::string recipe;
    std::filesystem::path folder;
    int steps = 0; ///< 0: to the end
    CLI::Option* seed = nullptr;
};

constexpr int kPrompts = 256; ///< a cell of the model card's table

// A recipe is a file, or the name of one that ships with the program.
Result<train::Recipe> loadRecipe(const Context& context, const std::string& name)
{
    std::error_code unused;
    if (std::filesystem::is_regular_file(name, unused))
        return train::Recipe::load(name);
    const std::filesystem::path shipped = context.resources / "recipes" / (name + ".json");
    if (std::filesystem::is_regular_file(shipped, unused))
        return train::Recipe::load(shipped);
    return inputError("There is no recipe '" + name + "': it is neither a file nor in "
                      + (context.resources / "recipes").string() + ".");
}

nlohmann::json toJson(const train::Scores& s)
{
    return {{"kv4", s.kv4}, {"kv8", s.kv8}, {"kv16", s.kv16}, {"mc", s.mc}, {"knowledge", s.knowledge}};
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
    nlohmann::json acceptance = nlohmann::json::array(), unmet = nlohmann::json::array();
    for (const train::Requirement& row : report->acceptance) {
        context.say((row.met ? "met      " : "NOT met  ") + row.what + ": " + row.found);
        acceptance.push_back({{"required", row.what}, {"found", row.found}, {"met", row.met}});
        if (!row.met)
            unmet.push_back(row.what);
    }
    nlohmann::json heads = nlohmann::json::array();
    for (const train::HeadRow& row : report->heads)
        heads.push_back({{"head", train::toString(row.behaviour.head)}, {"without", toJson(row.scores)}});
    return nlohmann::json{
        {"scores", toJson(report->base)}, {"heads", heads}, {"acceptance", acceptance}, {"unmet", unmet}};
}

Result<void> runTraining(const Context& context, const TrainArguments& arguments)
{
    Result<train::Recipe> recipe = loadRecipe(context, arguments.recipe);
    if (!recipe.has_value())
        return recipe.error();
    if (arguments.seed->count() > 0)
        recipe->seed = context.settings.seed;
    const auto device = lm::parseDevice(context.settings.device == "auto" ? "cpu" : context.settings.device);
    if (!device.has_value())
        return device.error();
    train::prepareProcess(context.settings.threads > 0 ? context.settings.threads : 1);

    const std::filesystem::path states = arguments.folder / "training";
    std::error_code problem;
    std::filesystem::create_directories(states, problem);
    if (problem)
        return ioError("The folder " + states.string() + " cannot be made: " + problem.message() + ".");
    train::Trainer trainer(*recipe, {states, *device, [&context](const std::string& line) { context.say(line); }});
    const std::filesystem::path stateFile = states / train::kTrainingStateFile;
    if (std::filesystem::exists(stateFile, problem)) {
        if (Result<void> resumed = trainer.resume(stateFile); !resumed.has_value())
            return resumed;
        context.say("Continuing at step " + std::to_string(trainer.state().step) + ".");
    }
    if (Result<void> trained = trainer.run(context.control(), arguments.steps); !trained.has_value())
        return trained;

    const train::TrainingState& state = trainer.state();
    nlohmann::json out = {{"recipe", recipe->name},   {"seed", recipe->seed},
                          {"steps", state.step},      {"finished", trainer.finished()},
                          {"seconds", state.seconds}, {"core_seconds", state.coreSeconds}};
    const char* const names[] = {"copy", "kv", "mc", "completion"};
    for (int task = 0; task < train::kTaskCount; ++task) {
        out["running_accuracy"][names[task]] = state.running[task];
        out["running_loss"][names[task]] = state.losses[task];
        out["tokens"][names[task]] = state.tokens[task];
    }
    if (trainer.finished()) {
        const auto model = writeModel(context, trainer, arguments.folder);
        if (!model.has_value())
            return model.error();
        out.update(*model);
    }
    if (context.json)
        Context::print(out);
    else if (trainer.finished())
        tell("%s\n", out["scores"].dump().c_str());
    else
        tell("Stopped after step %d; run the same command again to go on.\n", state.step);
    return {};
}

} // namespace

void addTrainCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<TrainArguments>();
    CLI::App* command =
        app.add_subcommand("train", "trains a tiny model from its recipe; continues where it was stopped");
    command->add_option("RECIPE", arguments->recipe, "recipe file, or the name of a shipped one")->required();
    option(*command, "--output", arguments->folder, "folder for the model and its training states")->required();
    option(*command, "--steps", arguments->steps)->check(kNotNegative);
    arguments->seed = app.get_option("--seed");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return runTraining(context, *arguments); }; });
}

} // namespace headscope::cli
