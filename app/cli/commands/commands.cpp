// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/workbench/exitcodes.h"

#include <memory>
#include <sstream>

namespace headscope::cli {

namespace {

/// Breaks descriptions into lines that fit a terminal; CLI11 leaves each as one line.
class WrappedHelp : public CLI::Formatter
{
public:
    [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override
    {
        return wrapped(Formatter::make_option_desc(option));
    }
    [[nodiscard]] std::string make_subcommand(const CLI::App* command) const override
    {
        std::ostringstream out;
        CLI::detail::format_help(out, command->get_name(), wrapped(command->get_description()), get_column_width());
        return out.str();
    }

private:
    [[nodiscard]] std::string wrapped(const std::string& text) const
    {
        constexpr std::size_t kLine = 100;
        const std::size_t room = kLine - get_column_width();
        std::string lines;
        std::size_t used = 0;
        std::istringstream words(text);
        for (std::string word; words >> word; used += word.size()) {
            const bool fits = used + 1 + word.size() <= room;
            lines += lines.empty() ? "" : fits ? " " : "\n";
            used = lines.empty() || !fits ? 0 : used + 1;
            lines += word;
        }
        return lines;
    }
};

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
    CLI::Option* session = option(app, "--session", context.session);
    flag(app, "--again", context.again)->needs(session);
    option(app, "--seed", settings.seed);
    option(app, "--order-seed", settings.orderSeed);
    flag(app, "--json", context.json);
    flag(app, "--quiet", context.quiet);
}

} // namespace

void addCommands(CLI::App& app, Context& context)
{
    app.name("headscope-cli");
    app.formatter(std::make_shared<WrappedHelp>()); // of subcommands too, which are added after it
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
