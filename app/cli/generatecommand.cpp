// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/generatecommand.h"

#include "app/cli/prompt.h"
#include "core/engine/generate.h"
#include "core/text/streamdecoder.h"

#include <chrono>
#include <cstdio>

namespace headscope::cli {

namespace {

using interventions::InterventionSet;

struct Options {
    ModelArguments model;
    std::string prompt;
    int tokens = 64;
    double temperature = 0;
};

void show(const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

Result<void> run(const Context& context, Options options)
{
    const auto set = InterventionSet::parse(options.model.ablate);
    if (!set.has_value())
        return set.error();
    options.model.layerLimit = set->layersNeeded();
    auto open = openModel(context, options.model, engine::BosPolicy::TokenizerDefault, {});
    if (!open.has_value())
        return open.error();
    const lm::Model& model = *open->loaded.model;
    const auto edits = lm::resolve(*set, model.spec(), open->donors);
    if (!edits.has_value())
        return edits.error();
    const auto prompt = promptOfText(*open, options.prompt);
    if (!prompt.has_value())
        return prompt.error();
    if (prompt->ids.empty())
        return inputError("The prompt has no tokens; expected at least one to continue.");
    for (const int id : prompt->ids)
        if (id >= model.spec().vocabulary)
            return inputError("The tokenizer gives token " + std::to_string(id) + "; the model knows only those below "
                              + std::to_string(model.spec().vocabulary) + ".");
    const auto length = static_cast<std::int64_t>(prompt->ids.size());
    if (model.spec().maxPositions > 0 && length + options.tokens > model.spec().maxPositions)
        return inputError("The prompt has " + std::to_string(length) + " tokens and " + std::to_string(options.tokens)
                          + " are to follow; the model reads at most " + std::to_string(model.spec().maxPositions)
                          + ".");

    text::StreamDecoder decoder(open->tokenizer, true);
    std::string text;
    std::optional<Error> broken;
    const auto take = [&](const Result<std::string>& part) {
        if (!part.has_value()) {
            broken = part.error();
            return false;
        }
        text += *part;
        if (!context.json)
            show(*part);
        return true;
    };
    engine::GenerateOptions how{.newTokens = options.tokens,
                                .temperature = options.temperature,
                                .seed = context.seed,
                                .stopIds = model.spec().eosIds,
                                .edits = &*edits};
    if (const auto eos = open->tokenizer->eosId())
        how.stopIds.push_back(*eos);
    how.onToken = [&](int id) { return take(decoder.push(id)); };
    const std::vector<std::int64_t> longs(prompt->ids.begin(), prompt->ids.end());
    const at::Tensor ids = at::tensor(longs, at::TensorOptions(at::kLong)).unsqueeze(0);
    const Control control = context.control();
    const auto begin = std::chrono::steady_clock::now();
    const auto made = engine::generate(model, ids, how, control.stop);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!broken)
        (void)take(decoder.finish());
    if (broken)
        return *broken;
    const double rate = seconds > 0 ? static_cast<double>(made.front().size()) / seconds : 0;
    if (context.json)
        Context::print({{"text", text},
                        {"ids", made.front()},
                        {"prompt_ids", prompt->ids},
                        {"ablation", set->canonical()},
                        {"tokens_per_second", rate},
                        {"seconds", seconds}});
    else
        show("\n");
    return control.stopped() ? Result<void>(cancelledError()) : Result<void>();
}

} // namespace

void addGenerateCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("generate", "continue a text, with heads switched off if wanted");
    options->model.addTo(*command);
    command->add_option("--prompt", options->prompt, "the text to continue")->required();
    command->add_option("--tokens", options->tokens, "the most new tokens")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command
        ->add_option("--temperature", options->temperature, "0: always the likeliest token; else sampled, see --seed")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    command->callback([&context, options] { context.run = [&context, options] { return run(context, *options); }; });
}

} // namespace headscope::cli
