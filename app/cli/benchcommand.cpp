// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/benchcommand.h"

#include "core/engine/bench/bench.h"

namespace headscope::cli {

namespace {

Result<void> run(const Context& context, engine::BenchOptions options)
{
    if (context.device != "auto")
        options.device = context.device;
    if (context.dtype != "auto")
        options.dtype = context.dtype;
    options.threads = context.threads;
    options.memory = context.memory;
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
    command->add_option("--model", options->model, "folder in Hugging Face layout; no tokenizer is needed")->required();
    command->add_option("--requests", options->requests, "file with token ids, headscope-bench-request/1")->required();
    command->add_option("--repeat", options->repeat, "timed runs after one warm-up")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command
        ->add_option("--heads", options->heads,
                     "kv-sweep: so many heads, spread evenly; 0: all. maps: 1: only one head")
        ->check(CLI::Range(0, 1'000'000));
    command->add_option("--clicks", options->clicks, "kv-click, mc-letter, mc-text: the first so many cuts; 0: all")
        ->check(CLI::Range(0, 1'000'000));
    command->add_option("--top", options->top, "race: so many heads")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--work", options->work, "race: stop at this share of the exact sweep's runs")
        ->check(CLI::Range(0.001, 1.0))
        ->capture_default_str();
    command
        ->add_option("--agreement", options->agreement,
                     "estimate: take examples until as many others would rank the heads alike with this rank "
                     "correlation; 1: all")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    command->add_option("--length", options->length, "maps: so many tokens of the prompt; 0: all")
        ->check(CLI::Range(0, 1'000'000));
    command->callback([&context, options] { context.run = [&context, options] { return run(context, *options); }; });
}

} // namespace headscope::cli
