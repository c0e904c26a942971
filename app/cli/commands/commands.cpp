// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/commands/trustcommand.h"
#include "app/cli/options/commandline.h"
#include "app/workbench/exitcodes.h"

namespace headscope::cli {

namespace {

void addAmount(CLI::App& app, const char* name, std::int64_t& bytes, bool mayBeNone = false)
{
    const auto read = [name, &bytes, mayBeNone](const std::string& text) {
        const auto amount = mayBeNone && text == "0" ? Result<std::int64_t>(0) : app::parseMemory(text);
        if (!amount.has_value())
            throw CLI::ValidationError(name, amount.error().message);
        bytes = *amount;
    };
    described(
        app.add_option_function<std::string>(optionNames(name), read, std::string(app::findOption(name)->meaning)),
        name);
}

void addCommonOptions(CLI::App& app, Context& context)
{
    app::Settings& settings = context.settings;
    option(app, "--device", settings.device)->capture_default_str();
    option(app, "--dtype", settings.dtype)->capture_default_str();
    const auto readWeights = [&settings](const std::string& form) { settings.dtype = form; };
    described(app.add_option_function<std::string>(optionNames("--weights"), readWeights,
                                                   std::string(app::findOption("--weights")->meaning)),
              "--weights")
        ->excludes("--dtype");
    option(app, "--threads", settings.threads)->check(CLI::Range(0, 1024));
    addAmount(app, "--memory", settings.memory);
    addAmount(app, "--keep-packed", settings.keptPacked, true);
    option(app, "--session", context.session);
    option(app, "--seed", settings.seed);
    option(app, "--order-seed", settings.orderSeed);
    flag(app, "--json", context.json);
    flag(app, "--quiet", context.quiet);
}

} // namespace

void addCommands(CLI::App& app, Context& context)
{
    app.name("headscope-cli");
    app.description("Headscope: show what each head of a language model reads, ablate heads, and measure the effect.");
    app.set_version_flag(optionNames("--version"), HEADSCOPE_VERSION,
                         std::string(app::findOption("--version")->meaning));
    app.set_help_flag(optionNames("--help"), std::string(app::findOption("--help")->meaning));
    app.footer("Exit codes: " + std::string(app::kExitCodes));
    app.require_subcommand(1);
    app.fallthrough();
    addCommonOptions(app, context);
    for (const auto add :
         {addModelsCommand,   addGetCommand,        addInfoCommand,     addScoreCommand,    addPatternCommand,
          addPageCommand,     addRankCommand,       addLensCommand,     addLogProbCommand,  addAttributeCommand,
          addPatchCommand,    addEdgesCommand,      addWhyScoreCommand, addCompareCommand,  addSeriesCommand,
          addKnockoutCommand, addExpertsCommand,    addWeightsCommand,  addProbeCommand,    addSurveyCommand,
          addDemoCommand,     addExperimentCommand, addDistillCommand,  addDumpCommand,     addGenerateCommand,
          addTrainCommand,    addTasksCommand,      addTokenizeCommand, addRequestsCommand, addCompareSamplesCommand,
          addSessionCommand,  addBenchCommand,      addTrustCommand,    addManualCommands})
        add(app, context);
}

} // namespace headscope::cli
