// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/models/openmodel.h"
#include "core/engine/dump.h"

namespace headscope::cli {

void addDumpCommand(CLI::App& app, Context& context)
{
    struct Options {
        std::string model, tokens, out;
        std::vector<std::string> want;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("dump", "write raw tensors of a forward pass, for comparison with other programs");
    addModel(*command, options->model);
    option(*command, "--tokens", options->tokens)->required();
    option(*command, "--output", options->out, "safetensors file to write")->required();
    option(*command, "--want", options->want)->delimiter(',')->required();
    command->callback([&context, options] {
        context.run = [&context, options]() -> Result<void> {
            const auto folder = context.modelFolder(options->model);
            if (!folder.has_value())
                return folder.error();
            const std::string dtype = context.settings.dtype == "auto" ? "fp32" : context.settings.dtype;
            const auto done = engine::dump(folder->path, app::loadOptions(context.settings, dtype, folder->adapter),
                                           options->tokens, options->out, options->want);
            if (!done.has_value())
                return done.error();
            for (const std::string& warning : *done)
                context.note("warning: " + warning);
            if (context.json)
                Context::print({{"files", {options->out}}});
            return {};
        };
    });
}

} // namespace headscope::cli
