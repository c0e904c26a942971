// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli: the same core as the window, without a display.

#include "app/cli/commands/commands.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/outputs.h"
#include "app/cli/output.h"
#include "core/base/failure.h"
#include "core/io/resources.h"
#include "core/lm/device/threads.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

using namespace headscope;

namespace {

int report(const Error& error)
{
    cli::note("headscope-cli: " + error.message);
    return error.kind == Error::Kind::Cancelled ? 130 : 1;
}

// --help and --version on stdout, what is wrong with the arguments on stderr.
int exitParsing(const CLI::App& app, const CLI::ParseError& error)
{
    if (const std::string unknown = cli::unknownArgument(app); !unknown.empty()) {
        cli::noteLines(unknown + "\nRun with --help for more information.\n");
        return 2;
    }
    std::ostringstream out, wrong;
    const bool asked = app.exit(error, out, wrong) == 0;
    if (!asked) {
        cli::noteLines(wrong.str());
        return 2;
    }
    try {
        cli::printData(out.str());
        const auto done = cli::finishOutput();
        return done.has_value() ? 0 : report(done.error());
    } catch (const Failure& failure) {
        return report(failure.error());
    }
}

int run(int argc, char** argv)
{
    // A closed pipe and a file that may not grow are errors of the write that meets them, not the end of the program.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    cli::Context context;
    lm::reuseFreedMemory();
    cli::Context::waitForStop();
    CLI::App app;
    cli::addCommands(app, context);
#ifdef HEADSCOPE_FIGURES
    cli::addFigureCommand(app, context);
    cli::addClassCommand(app, context);
#endif
    std::vector<std::string> arguments = cli::withoutAliases(app, {argv + 1, argv + argc});
    if (!arguments.empty() && arguments.front() == "help") { // "help score" is "score --help"
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
    }
    if (const auto known = cli::refuseRetired(arguments); !known.has_value())
        return report(known.error());
    std::reverse(arguments.begin(), arguments.end()); // as the parser takes them
    try {
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        return exitParsing(app, error);
    }
    context.resources = io::resourcesFolder();
    if (context.settings.threads > 0)
        lm::setThreads(context.settings.threads);
    try {
        Result<void> done = cli::checkOutputs(app);
        if (done.has_value())
            done = context.run();
        if (done.has_value())
            done = cli::finishOutput();
        return done.has_value() ? 0 : report(done.error());
    } catch (const Failure& failure) {
        return report(failure.error());
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
    std::fflush(nullptr);
    std::_Exit(status);
#endif
    return status;
}
