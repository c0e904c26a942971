// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/prompt/continuation.h"
#include "app/workbench/prompt/prompt.h"
#include "core/base/elapsed.h"

#include <chrono>

namespace headscope::cli {

namespace {

using interventions::InterventionSet;

struct GenerateOptions {
    ModelArguments model;
    std::string prompt;
    int tokens = 64;
    double temperature = 0;
};

// All that follows, shown as it comes where that is wanted. What was made before a stop stays.
Result<std::string> writeOn(app::Continuation& continuation, const std::stop_token& stop, bool shown)
{
    std::string text;
    for (bool more = true; more;) {
        const auto step = continuation.step(stop);
        if (!step.has_value() && step.error().kind == Error::Kind::Cancelled)
            break;
        if (!step.has_value())
            return step.error();
        text += step->text;
        if (shown)
            printNow(step->text);
        more = step->ending == app::Continuation::Ending::None;
    }
    return text;
}

Result<void> runGenerate(const Context& context, GenerateOptions options)
{
    const auto set = InterventionSet::parse(options.model.ablate);
    if (!set.has_value())
        return set.error();
    options.model.layerLimit = set->layersNeeded();
    auto open = openModel(context, options.model, {});
    if (!open.has_value())
        return open.error();
    const auto prompt = app::encodePrompt(*open, options.prompt, app::PromptOrigin::OwnText);
    if (!prompt.has_value())
        return prompt.error();
    const auto length = static_cast<std::int64_t>(prompt->ids.size());
    const int longest = open->spec().maxPositions;
    if (longest > 0 && length + options.tokens > longest) // so many were asked for: fewer would be another answer
        return inputError("The prompt has " + std::to_string(length) + " tokens and " + std::to_string(options.tokens)
                          + " are to follow; the model reads at most " + std::to_string(longest) + ".");
    auto continuation = app::Continuation::start(
        *open, prompt->ids, *set,
        {.tokens = options.tokens, .temperature = options.temperature, .seed = context.settings.seed});
    if (!continuation.has_value())
        return continuation.error();
    const Control control = context.control();
    const auto begin = std::chrono::steady_clock::now();
    const auto text = writeOn(*continuation, control.stop, !context.json);
    const double seconds = secondsSince(begin);
    if (!text.has_value())
        return text.error();
    const std::vector<int>& ids = continuation->ids();
    if (context.json)
        Context::print({{"text", *text},
                        {"ids", ids},
                        {"prompt_ids", prompt->ids},
                        {"ablation", set->canonical()},
                        {"tokens_per_second", seconds > 0 ? static_cast<double>(ids.size()) / seconds : 0},
                        {"seconds", seconds}});
    else
        printText("\n");
    return control.stopped() ? Result<void>(cancelledError()) : Result<void>();
}

} // namespace

void addGenerateCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<GenerateOptions>();
    CLI::App* command = app.add_subcommand("generate", "continue a text, optionally with heads ablated");
    options->model.addTo(*command, context);
    option(*command, "--text", options->prompt, "text to continue")->required();
    option(*command, "--new-tokens", options->tokens)->check(CLI::Range(1, 1'000'000))->capture_default_str();
    option(*command, "--temperature", options->temperature)->check(CLI::Range(0.0, 100.0))->capture_default_str();
    command->callback(
        [&context, options] { context.run = [&context, options] { return runGenerate(context, *options); }; });
}

} // namespace headscope::cli
