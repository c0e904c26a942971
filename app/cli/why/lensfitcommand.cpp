// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/runs/scoringmodel.h"
#include "app/workbench/models/lensfit.h"
#include "core/base/words/counted.h"
#include "core/lm/device/forecast.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <memory>

namespace headscope::cli {

namespace {

struct LensFitArguments {
    ModelArguments model;
    app::LensFitRequest request;
    std::vector<std::string> texts;
    std::string layers, output;
    bool forecast = false;
};

// "0,4-7"
Result<std::set<int>> layersOf(const std::string& text)
{
    const Error wrong = inputError("Cannot read '" + text + "' as layers; expected numbers and ranges, as 0,4-7.");
    std::set<int> layers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        int first = 0, last = 0;
        auto read = std::from_chars(at, end, first);
        last = first;
        if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-')
            read = std::from_chars(read.ptr + 1, end, last);
        constexpr int kMost = 100000;
        if (read.ec != std::errc{} || first < 0 || last < first || last > kMost
            || (read.ptr != end && (*read.ptr != ',' || read.ptr + 1 == end)))
            return wrong;
        for (int layer = first; layer <= last; ++layer)
            layers.insert(layer);
        at = read.ptr == end ? end : read.ptr + 1;
    }
    return layers;
}

std::string durationText(double seconds)
{
    return seconds < 90     ? fmt::format("{:.0f} s", std::max(seconds, 1.0))
           : seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60)
                            : fmt::format("{:.1f} h", seconds / 3600);
}

void printInput(const Context& context, const app::LensFitting& fitting, const app::LensFitRequest& request)
{
    if (fitting.leftOut() > 0)
        context.note(fmt::format("Left out for having fewer than {} tokens: {} of text.", request.skip + 2,
                                 counted(fitting.leftOut(), "piece")));
    if (fitting.prompts() < request.prompts)
        context.note(
            fmt::format("The number of prompts in the texts is {} instead of {}.", fitting.prompts(), request.prompts));
    if (fitting.done() > 0)
        context.note(
            fmt::format("Done in an earlier run: {} of {}.", fitting.done(), counted(fitting.prompts(), "prompt")));
}

Result<app::LensFitRequest> fitRequestOf(const Context& context, const LensFitArguments& arguments)
{
    if (!arguments.model.ablate.empty())
        return inputError("A lens is fitted to the whole model; leave out --ablate.");
    auto layers = layersOf(arguments.layers);
    if (!layers.has_value())
        return layers.error();
    app::LensFitRequest request = arguments.request;
    request.layers = std::move(*layers);
    request.texts.assign(arguments.texts.begin(), arguments.texts.end());
    request.output = arguments.output;
    request.seed = context.settings.seed;
    return request;
}

Result<void> fitLens(const Context& context, const LensFitArguments& arguments)
{
    const auto asked = fitRequestOf(context, arguments);
    if (!asked.has_value())
        return asked.error();
    const app::LensFitRequest& request = *asked;
    const auto open = openModel(context, arguments.model, {});
    if (!open.has_value())
        return open.error();
    const Control control = context.control();
    auto fitting = app::LensFitting::open(*open, request, control);
    if (!fitting.has_value())
        return fitting.error();
    const auto seconds = fitting->seconds();
    if (!seconds.has_value())
        return seconds.error();
    printInput(context, *fitting, request);
    const std::string forecast = fmt::format("{} of up to {} tokens: about {} and {} in addition to the model.",
                                             counted(fitting->prompts() - fitting->done(), "prompt"), request.length,
                                             durationText(*seconds), lm::sizeText(fitting->bytes()));
    nlohmann::json reply = {{"model", open->name},       {"prompts", fitting->prompts()}, {"skip", request.skip},
                            {"length", request.length},  {"seconds", *seconds},           {"bytes", fitting->bytes()},
                            {"resumed", fitting->done()}};
    if (arguments.forecast) {
        if (context.json)
            Context::print(reply);
        else
            printText("%s\n", forecast.c_str());
        return {};
    }
    context.note(forecast);
    if (const auto done = fitting->run(control); !done.has_value())
        return done;
    const why::JacobianLens lens = fitting->lens();
    const auto quality = fitting->quality(lens, control);
    if (!quality.has_value())
        return quality.error();
    const auto shareOf = [](double share) { return std::isfinite(share) ? nlohmann::json(share) : nlohmann::json(); };
    std::vector<std::vector<std::string>> rows = {{"before layer", "Jacobian lens", "logit lens"}};
    for (std::size_t layer = 0; layer < quality->fitted.size(); ++layer) {
        const double fitted = quality->fitted[layer], logit = quality->logit[layer];
        reply["agreement"].push_back({{"layer", layer}, {"jacobian", shareOf(fitted)}, {"logit", shareOf(logit)}});
        rows.push_back({std::to_string(layer), std::isfinite(fitted) ? number(fitted) : "", number(logit)});
    }
    const std::string measuredOn =
        counted(quality->prompts, "prompt") + (quality->heldOut ? " that the fit did not use" : " of the fit");
    reply["agreement_on"] = measuredOn;
    reply["file"] = arguments.output;
    reply["matrices"] = lens.before.size();
    if (context.json)
        Context::print(reply);
    else
        printText(
            "%s\nShare of positions at which a lens has the model's own top token on top, on %s.\n%s holds %zu %s from "
            "%s.\n",
            textTable(rows).c_str(), measuredOn.c_str(), arguments.output.c_str(), lens.before.size(),
            lens.before.size() == 1 ? "matrix" : "matrices", counted(fitting->prompts(), "prompt").c_str());
    return {};
}

} // namespace

void addLensFitCommand(CLI::App& lens, Context& context)
{
    auto arguments = std::make_shared<LensFitArguments>();
    CLI::App* command = lens.add_subcommand("fit", "fit a Jacobian lens to texts; continues an interrupted fit");
    lens.get_option("MODEL")->required(false); // else it would take the word "fit"
    arguments->model.addTo(*command, context);
    option(*command, "--texts", arguments->texts)->required();
    option(*command, "--output", arguments->output, "file for the lens, .pt in PyTorch's format")->required();
    app::LensFitRequest& request = arguments->request;
    option(*command, "--prompts", request.prompts)->check(CLI::Range(1, 1 << 20))->capture_default_str();
    option(*command, "--length", request.length, "maximum number of tokens per prompt")
        ->check(CLI::Range(2, 1 << 20))
        ->capture_default_str();
    option(*command, "--skip", request.skip)->check(CLI::Range(0, 1 << 20))->capture_default_str();
    option(*command, "--layers", arguments->layers);
    flag(*command, "--forecast", arguments->forecast);
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return fitLens(context, *arguments); }; });
}

} // namespace headscope::cli
