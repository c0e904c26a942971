// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli: the same core as the window, without a display.

#include "app/cli/commands.h"
#include "app/cli/ranges.h"
#include "core/io/resources.h"
#include "core/lm/device/threads.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

using namespace headscope;

namespace {

void addCommonOptions(CLI::App& app, cli::Context& context)
{
    app.add_option("--device", context.device, "auto, cpu, cuda or cuda:i")->capture_default_str();
    app.add_option("--dtype", context.dtype, "auto, fp32, bf16 or fp16")->capture_default_str();
    app.add_option("--threads", context.threads, "processor threads; 0: one per core")->check(CLI::Range(0, 1024));
    app.add_option(
           "--memory", context.memory,
           "memory for weights and runs, as 12GB, besides the program itself (150 to 350 MB); without it what is free")
        ->transform(CLI::AsSizeValue(true))
        ->check(cli::kPositive);
    app.add_option("--session", context.session, "session file to create or continue");
    app.add_option("--seed", context.seed, "seed of everything random");
    app.add_flag("--json", context.json, "one JSON object on standard output and nothing else there");
    app.add_flag("--quiet", context.quiet, "no progress and no remarks");
}

int report(const Error& error)
{
    std::fprintf(stderr, "headscope-cli: %s\n", error.message.c_str());
    return error.kind == Error::Kind::Cancelled ? 130 : 1;
}

int run(int argc, char** argv)
{
    cli::Context context;
    lm::reuseFreedMemory();
    (void)context.control(); // blocks the stop signals before any thread is made
    CLI::App app{"Headscope: see every head's pattern, switch heads off, score again."};
    app.set_version_flag("--version", HEADSCOPE_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
    addCommonOptions(app, context);
    cli::addModelsCommand(app, context);
    cli::addInfoCommand(app, context);
    cli::addScoreCommand(app, context);
    cli::addPatternCommand(app, context);
    cli::addRankCommand(app, context);
    cli::addDemoCommand(app, context);
    cli::addExperimentCommand(app, context);
    cli::addDistillCommand(app, context);
    cli::addDumpCommand(app, context);
    cli::addGenerateCommand(app, context);
    cli::addTrainCommand(app, context);
    cli::addTasksCommand(app, context);
    cli::addTokenizeCommand(app, context);
    cli::addRequestsCommand(app, context);
    cli::addCompareSamplesCommand(app, context);
    cli::addSessionCommand(app, context);
    cli::addBenchCommand(app, context);
#ifdef HEADSCOPE_FIGURES
    cli::addFigureCommand(app, context);
#endif
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    context.resources = io::resourcesFolder();
    if (context.threads > 0)
        lm::setThreads(context.threads);
    try {
        const Result<void> done = context.run();
        return done.has_value() ? 0 : report(done.error());
    } catch (const std::bad_alloc&) {
        return report({Error::Kind::Memory,
                       "The memory is not enough for this; try fewer rows, a shorter prompt or --dtype bf16.",
                       {}});
    } catch (const std::exception& error) { // c10::Error among them: its first line says what happened
        const std::string text = error.what();
        return report({Error::Kind::Internal, "Unexpected failure: " + text.substr(0, text.find('\n')), text});
    }
}

} // namespace

int main(int argc, char** argv)
{
    const int status = run(argc, argv);
#ifndef __SANITIZE_ADDRESS__ // looks for leaks when the process ends
    // All that is ours is closed by now. libtorch would take each of its thousands of operators off its lists again,
    // which takes as long as a small model needs for its answer.
    if (std::fflush(nullptr) == 0)
        std::_Exit(status);
#endif
    return status;
}
