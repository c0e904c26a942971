// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/openmodel.h"

#include "core/lm/device/threads.h"

#include "app/notebook/tokenizerchoice.h"

#include <map>

namespace headscope::cli {

namespace {

Result<std::optional<sessions::SessionStore>> openSession(const Context& context, const std::string& file)
{
    auto opened = sessions::SessionStore::open(file);
    if (!opened.has_value())
        return opened.error();
    if (opened->readOnly()) {
        const auto& notices = opened->notices();
        return ioError("Results can not be kept in session '" + file + "'. "
                       + (notices.empty() ? "It is open for reading only." : notices.front()));
    }
    for (const std::string& notice : opened->notices())
        context.say(notice);
    return std::optional<sessions::SessionStore>(std::move(*opened));
}

// --tokenizer as a path: a file, a folder, or a MODEL whose tokenizer it is.
Result<std::filesystem::path> tokenizerPath(const Context& context, const std::string& named)
{
    std::error_code ignored;
    if (named.empty() || std::filesystem::exists(named, ignored))
        return std::filesystem::path(named);
    return context.modelFolder(named);
}

lm::DonorLoader donorLoader(const Context& context, const lm::LoadOptions& options)
{
    auto kept = std::make_shared<std::map<std::string, std::shared_ptr<const lm::Model>>>();
    return [&context, options, kept](const std::string& name) -> Result<std::shared_ptr<const lm::Model>> {
        if (const auto found = kept->find(name); found != kept->end())
            return found->second;
        const auto folder = context.modelFolder(name);
        if (!folder.has_value())
            return folder.error();
        const auto donor = lm::load(*folder, options, context.control());
        if (!donor.has_value())
            return donor.error();
        (*kept)[name] = donor->model;
        return donor->model;
    };
}

} // namespace

void ModelArguments::addTo(CLI::App& command)
{
    command.add_option("MODEL", model, "folder, shipped name or org/name")->required();
    command.add_option("--tokenizer", tokenizer, "folder or tokenizer.json; without it the model's own");
    command.add_option("--bos", bos, "start token: never, default (as the tokenizer does) or always")
        ->check(CLI::IsMember({"never", "default", "always"}));
    command
        .add_option("--ablate", ablate, "what to do to the model: L2H5, keep:L1H3, skip:L2.mlp ...; may be repeated")
        ->allow_extra_args(false);
}

void TaskArguments::addTo(CLI::App& command)
{
    command.add_option("--data", data, "data folder; without it the sample rows");
    command.add_option("--limit", limit, "the first so many rows of each task; below 1 a fraction");
    command.add_option("--fewshot", fewshot, "examples in the prompt; without it the task's own number");
    command.add_option("--words", words, "folder with wonderwords' word lists, for kv_retrieval");
}

tasks::TaskOptions TaskArguments::options(const Context& context) const
{
    tasks::TaskOptions options;
    options.dataFolder = data;
    options.wordsFolder = words;
    options.fewshot = fewshot;
    options.limit = limit;
    if (context.seed != 0)
        options.seed = context.seed;
    return options;
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

std::string OpenModel::provenance() const
{
    return name + ", " + spec().family + ", " + loaded.dtype + ", " + loaded.device;
}

Result<OpenModel> openModel(const Context& context, const ModelArguments& arguments, engine::BosPolicy otherwise,
                            const std::string& sessionFile)
{
    OpenModel open;
    engine::BosPolicy bos = otherwise;
    if (!arguments.bos.empty()) {
        const auto parsed = engine::parseBosPolicy(arguments.bos);
        if (!parsed.has_value())
            return parsed.error();
        bos = *parsed;
    }
    const auto folder = context.modelFolder(arguments.model);
    if (!folder.has_value())
        return folder.error();
    open.folder = std::filesystem::absolute(*folder).lexically_normal();
    std::error_code ignored;
    open.name = arguments.model;
    if (std::filesystem::is_directory(arguments.model, ignored))
        open.name = open.folder.has_filename() ? open.folder.filename().string()
                                               : open.folder.parent_path().filename().string();
    lm::LoadOptions options{.device = context.device, .dtype = context.dtype, .memoryLimit = context.memory};
    auto whole = lm::inspect(*folder, options);
    if (!whole.has_value())
        return whole.error();
    open.partial = arguments.layerLimit > 0
                   && arguments.layerLimit < static_cast<int>(whole->model->spec().layers.size())
                   && !(arguments.wholeIfItFits && lm::checkMemory(*whole, options).has_value());
    options.layerLimit = open.partial ? arguments.layerLimit : 0;
    const auto named = tokenizerPath(context, arguments.tokenizer);
    if (!named.has_value())
        return named.error();
    auto tokenizer = app::openTokenizer(*folder, *named, [&context](const std::string& line) { context.say(line); });
    if (!tokenizer.has_value())
        return tokenizer.error();
    open.tokenizer = std::move(*tokenizer);

    // A session that is there is checked before the weights are read; a new one is made only when they could be.
    const bool sessionIsThere = !sessionFile.empty() && std::filesystem::exists(sessionFile, ignored);
    if (sessionIsThere) {
        auto session = openSession(context, sessionFile);
        if (!session.has_value())
            return session.error();
        open.session = std::move(*session);
    }
    auto loaded = lm::load(*folder, options, context.control());
    if (!loaded.has_value())
        return loaded.error();
    lm::setThreadsFor(loaded->model->spec(), context.threads);
    open.loaded = std::move(*loaded);
    for (const std::string& warning : open.loaded.warnings)
        context.say("warning: " + warning);
    if (!sessionFile.empty() && !sessionIsThere) {
        auto session = openSession(context, sessionFile);
        if (!session.has_value())
            return session.error();
        open.session = std::move(*session);
    }
    whole->contentHash = open.loaded.contentHash; // what is kept of a model is all of it, however much is loaded
    open.subject = app::subjectOf(*whole, open.name, open.folder.string(), *open.tokenizer, bos);
    open.donors = donorLoader(context, options);
    open.subject.logSoftmax = arguments.logSoftmax == engine::name(engine::LogSoftmax::Model)
                                  ? engine::LogSoftmax::Model
                                  : engine::LogSoftmax::Fp32;
    const engine::ScorerOptions scoring{
        .logSoftmax = open.subject.logSoftmax, .memory = context.memory, .weightBytes = open.loaded.resident};
    open.scorer = std::make_unique<engine::Scorer>(open.loaded.model, open.tokenizer, scoring);
    return open;
}

} // namespace headscope::cli
