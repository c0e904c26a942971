// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "core/engine/bench/bench.h"

namespace headscope::cli {

namespace {

Result<void> run(const Context& context, engine::BenchOptions options)
{
    if (context.settings.device != "auto")
        options.device = context.settings.device;
    if (context.settings.dtype != "auto")
        options.dtype = context.settings.dtype;
    options.threads = context.settings.threads;
    options.memory = context.settings.memory;
    const auto line = engine::bench(options, context.control());
    if (!line.has_value())
        return line.error();
    Context::print(*line);
    return {};
}

} // namespace

void addBenchCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<engine::BenchOptions>();
    CLI::App* command = app.add_subcommand("bench", "time one workload on a model and print one line of JSON");
    command
        ->add_option("WORKLOAD", options->workload,
                     "kv-click, kv-sweep, mc-letter, mc-text, maps, prefill, decode, startup, control (first estimate "
                     "and cancelling), race or estimate (against the exact sweep)")
        ->required();
    option(*command, "--model", options->model, "folder in Hugging Face layout; no tokenizer is needed")->required();
    option(*command, "--requests", options->requests)->required();
    option(*command, "--repeat", options->repeat)->check(CLI::Range(1, 1000))->capture_default_str();
    option(*command, "--head-count", options->heads)->check(CLI::Range(0, 1'000'000));
    option(*command, "--clicks", options->clicks)->check(CLI::Range(0, 1'000'000));
    option(*command, "--top", options->top)->check(CLI::Range(1, 1'000'000))->capture_default_str();
    option(*command, "--work", options->work)->check(CLI::Range(0.001, 1.0))->capture_default_str();
    option(*command, "--agreement", options->agreement)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    option(*command, "--length", options->length, "maps: so many tokens of the prompt; 0: all")
        ->check(CLI::Range(0, 1'000'000));
    command->callback([&context, options] { context.run = [&context, options] { return run(context, *options); }; });
}

} // namespace headscope::cli
