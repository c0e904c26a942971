// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/scoringmodel.h"

#include "app/cli/options/commandline.h"
#include "app/cli/runs/sharedrun.h"
#include "app/workbench/scores/measure.h"
#include "core/lm/device/device.h"

#include <cstdlib>
#include <memory>

namespace headscope::cli {

namespace {

Result<std::optional<sessions::SessionStore>> openSession(const Context& context, const std::string& file)
{
    auto opened = sessions::SessionStore::open(file, waitingForWriters(context));
    if (!opened.has_value())
        return opened.error();
    if (opened->readOnly()) {
        const auto& notices = opened->notices();
        return ioError("Results cannot be kept in session '" + file + "'. "
                       + (notices.empty() ? "It is open for reading only." : notices.front()));
    }
    for (const std::string& notice : opened->notices())
        context.note(notice);
    return std::optional<sessions::SessionStore>(std::move(*opened));
}

/// Of processes that a launcher such as torchrun started on one machine, each takes its own GPU.
std::string ownDevice(const std::string& device)
{
    const char* local = std::getenv("LOCAL_RANK");
    const bool gpu = device == "cuda" || (device == "auto" && local && lm::cudaAvailable());
    return local && gpu ? std::string("cuda:") + local : device;
}

} // namespace

void addModel(CLI::App& command, std::string& model)
{
    command.add_option("MODEL", model, "model folder, included model or org/name")->required();
    // MODEL may come behind it, so both are put together when all is read.
    auto adapter = std::make_shared<std::string>();
    option(command, "--adapter", *adapter);
    command.parse_complete_callback([adapter, &model] {
        if (!adapter->empty())
            model += "+" + *adapter;
    });
}

void ModelArguments::addTo(CLI::App& command, Context& context)
{
    addModel(command, model);
    option(command, "--tokenizer", tokenizer);
    const auto readStartToken = [&context](const std::string& text) {
        const auto startToken = app::parseStartToken(text);
        if (!startToken.has_value())
            throw CLI::ValidationError("--bos", startToken.error().message);
        context.settings.startToken = *startToken;
    };
    described(command.add_option_function<std::string>(optionNames("--bos"), readStartToken,
                                                       std::string(app::findOption("--bos")->meaning)),
              "--bos");
    option(command, "--ablate", ablate);
}

void TaskArguments::addTo(CLI::App& command, Context& context)
{
    option(command, "--data", context.settings.dataFolder);
    option(command, "--limit", limit);
    option(command, "--fewshot", fewshot);
    option(command, "--words", context.settings.wordsFolder);
}

tasks::TaskOptions TaskArguments::options(const Context& context) const
{
    return app::taskOptions(context.settings, limit, fewshot);
}

Result<void> OpenModel::remember(const interventions::InterventionSet& set)
{
    if (!session)
        return {};
    for (const auto& stored : {session->putTokenizer(subject.tokenizer), session->putModel(subject.model),
                               session->putAblation(set.canonical())})
        if (!stored.has_value())
            return stored.error();
    return {};
}

Result<OpenModel> openModel(const Context& context, const ModelArguments& arguments, const std::string& sessionFile)
{
    // A session that is there is checked before the weights are read; a new one is made only when they could be.
    std::error_code ignored;
    std::optional<sessions::SessionStore> session;
    const auto makeSession = [&]() -> Result<void> {
        auto made = openSession(context, sessionFile);
        if (!made.has_value())
            return made.error();
        session = std::move(*made);
        return {};
    };
    if (!sessionFile.empty() && std::filesystem::exists(sessionFile, ignored))
        if (const auto made = makeSession(); !made.has_value())
            return made.error();
    app::Settings settings = context.settings;
    settings.device = ownDevice(settings.device);
    auto opened = app::openModel(settings, context.resources,
                                 {.model = arguments.model,
                                  .tokenizer = arguments.tokenizer,
                                  .logSoftmax = arguments.logSoftmax == engine::name(engine::LogSoftmax::Model)
                                                    ? engine::LogSoftmax::Model
                                                    : engine::LogSoftmax::Fp32,
                                  .layerLimit = arguments.layerLimit,
                                  .wholeIfItFits = arguments.wholeIfItFits,
                                  .donors = context.control()},
                                 context.control());
    if (!opened.has_value())
        return opened.error();
    for (const std::string& remark : opened->remarks)
        context.note(remark);
    for (const std::string& warning : opened->loaded.warnings)
        context.note("warning: " + warning);
    if (!sessionFile.empty() && !session)
        if (const auto made = makeSession(); !made.has_value())
            return made.error();
    if (session) {
        const auto reason = app::newIdentity(*session, opened->loaded, opened->name);
        if (!reason.has_value())
            return reason.error();
        if (!reason->empty())
            context.note(*reason);
    }
    return OpenModel{std::move(*opened), std::move(session)};
}

} // namespace headscope::cli
