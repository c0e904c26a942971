// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

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
        app.add_subcommand("dump", "write raw tensors of a run, for comparison with reference programs");
    command->add_option("MODEL", options->model, "folder, shipped name or org/name")->required();
    command->add_option("--tokens", options->tokens, "safetensors file with input_ids")->required();
    command->add_option("--out", options->out, "safetensors file to write")->required();
    command->add_option("--want", options->want, "keys, separated by commas")->delimiter(',')->required();
    command->callback([&context, options] {
        context.run = [&context, options]() -> Result<void> {
            const auto folder = context.modelFolder(options->model);
            if (!folder.has_value())
                return folder.error();
            const std::string dtype = context.dtype == "auto" ? "fp32" : context.dtype;
            const auto done =
                engine::dump(*folder, {context.device, dtype}, options->tokens, options->out, options->want);
            if (done.has_value() && context.json)
                Context::print({{"files", {options->out}}});
            return done;
        };
    });
}

} // namespace headscope::cli
