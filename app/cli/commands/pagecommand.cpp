// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli page: what a session holds as one web page that opens without a server or a network.
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/runs/pagejob.h"
#include "core/base/words/counted.h"
#include "core/base/writefile.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

Result<void> page(const Context& context, const PageArguments& arguments)
{
    const auto made = makePage(context, arguments);
    if (!made.has_value())
        return made.error();
    for (const std::string& sentence : made->leftOut)
        context.note(sentence);
    const json reply = {{"file", arguments.output},
                        {"bytes", made->bytes},
                        {"heads", made->heads},
                        {"states", made->states},
                        {"samples", made->samples},
                        {"analyses", made->analyses},
                        {"rankings", made->rankings},
                        {"left_out", made->leftOut},
                        {"models", made->models},
                        {"names", made->names},
                        {"folders_left_out", made->folders},
                        {"questions", made->questions}};
    if (context.json)
        Context::print(reply);
    else
        printText("%s: %.2f MB, %s, %s, %s\n", arguments.output.c_str(), static_cast<double>(made->bytes) / 1e6,
                  counted(made->heads, "head").c_str(), counted(made->states, "state").c_str(),
                  counted(made->samples, "sample").c_str());
    return {};
}

} // namespace

void addPageCommand(CLI::App& app, Context& context)
{
    const auto arguments = std::make_shared<PageArguments>();
    CLI::App* command = app.add_subcommand(
        "page", "write the results of a session or model as one interactive web page that works offline");
    command
        ->add_option("SESSION|MODEL", arguments->first,
                     "a session, or a model, whose missing results are measured first")
        ->required();
    command->add_option("MODEL_B", arguments->second, "second model, shown beside the first");
    option(*command, "--output", arguments->output, "output file, .html")->required();
    option(*command, "--samples", arguments->samples, "number of prompts with patterns")
        ->type_name("K")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    option(
        *command, "--head", arguments->heads,
        "heads whose patterns are included: all, ranked (the first eight of each ranking), or a list such as L2H5,L1H2")
        ->capture_default_str();
    option(*command, "--title", arguments->title, "title of the page (default: the names of the models)");
    option(*command, "--story", arguments->stories);
    option(*command, "--limit-mb", arguments->limitMb)->check(kPositive)->capture_default_str();
    option(*command, "--tokenizer", arguments->tokenizer);
    option(*command, "--task", arguments->tasks,
           "with MODEL: benchmarks to score (default: those of the window); may be repeated")
        ->delimiter(',');
    arguments->rows.addTo(*command, context);
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return page(context, *arguments); }; });
}

} // namespace headscope::cli
