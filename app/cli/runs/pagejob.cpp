// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/runs/pagejob.h"

#include "app/cli/runs/pagerun.h"
#include "app/page/pagefile.h"
#include "app/page/pagesource.h"
#include "app/page/storyfile.h"
#include "core/base/temporaryfolder.h"
#include "core/base/writefile.h"
#include "core/interventions/intervention.h"
#include "sessions/sessionstore.h"

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace headscope::cli {

namespace {

struct ReadStory {
    page::Story english;
    std::optional<page::Story> german;
};

Result<std::vector<ReadStory>> readStories(const Context& context, const PageArguments& arguments)
{
    std::vector<ReadStory> stories;
    for (const std::string& name : arguments.stories) {
        const auto file = page::findStory(context.resources, name);
        if (!file.has_value())
            return file.error();
        auto english = page::readStory(*file);
        if (!english.has_value())
            return english.error();
        ReadStory story{std::move(*english), {}};
        if (const auto german = page::germanOf(*file); !german.empty()) {
            auto translated = page::readStory(german);
            if (!translated.has_value())
                return translated.error();
            story.german = std::move(*translated);
        }
        stories.push_back(std::move(story));
    }
    return stories;
}

Result<page::Options> pageOptionsOf(const PageArguments& arguments, const std::vector<ReadStory>& stories)
{
    page::Options options{
        .title = arguments.title, .models = {}, .samples = arguments.samples, .sources = {}, .named = {}};
    for (const ReadStory& story : stories)
        for (const std::string& source : page::sourcesOf(story.english))
            options.sources.push_back(source);
    if (arguments.heads == "all" || arguments.heads == "ranked") {
        options.heads = arguments.heads == "all" ? page::HeadChoice::All : page::HeadChoice::Ranked;
        return options;
    }
    options.heads = page::HeadChoice::Named;
    const auto set =
        interventions::InterventionSet::parse(arguments.heads); // the notation for sets of heads, commas included
    if (!set.has_value())
        return inputError("--head: expected all, ranked or heads such as L2H5,L1H2; got '" + arguments.heads + "'.");
    for (const auto& item : set->items())
        if (const auto* edit = std::get_if<interventions::EditHead>(&item))
            options.named.push_back(interventions::toText(edit->head));
    return options;
}

/// A model is a folder, a name or a GGUF file.
bool isSessionFile(const std::string& path)
{
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && std::filesystem::path(path).extension() != ".gguf";
}

Result<PageSummary> writeFrom(const Context& context, const PageArguments& arguments,
                              const std::vector<ReadStory>& stories, const page::Options& options,
                              const std::string& file)
{
    auto session = sessions::SessionStore::open(file, {.create = false, .readOnly = true});
    if (!session.has_value())
        return session.error();
    auto data = page::readPage(*session, options);
    if (!data.has_value())
        return data.error();
    data->version = HEADSCOPE_VERSION;
    data->exam = arguments.exam;
    PageSummary summary{.heads = 0,
                        .states = data->states.size(),
                        .samples = data->samples.size(),
                        .analyses = data->analyses.size(),
                        .rankings = data->rankings.size(),
                        .models = {},
                        .leftOut = {},
                        .names = data->names,
                        .folders = data->folders};
    for (const page::LeftOut& left : data->leftOut)
        summary.leftOut.push_back(page::sentenceOf(left));
    for (ReadStory story : stories) {
        page::nameHeads(*data, story.english);
        for (const page::Step& step : story.english.steps)
            summary.questions += step.question.empty() && !step.write && step.conditions.empty() ? 0 : 1;
        if (story.german)
            page::nameHeads(*data, *story.german);
        data->german.push_back(story.german.value_or(story.english));
        data->stories.push_back(std::move(story.english));
    }
    const auto bytes = page::writePage(context.resources, *data, arguments.output, arguments.limitMb);
    if (!bytes.has_value())
        return bytes.error();
    summary.bytes = *bytes;
    std::set<std::pair<int, std::string>> heads;
    for (const page::Pattern& pattern : data->patterns)
        heads.insert({pattern.model, pattern.head});
    summary.heads = heads.size();
    for (const page::Model& model : data->models)
        summary.models.push_back(model.name);
    return summary;
}

Result<void> measureModels(const Context& context, const PageArguments& arguments,
                           const std::vector<ReadStory>& stories, const std::string& session, page::Options& options)
{
    for (int side = 0; side < (arguments.second.empty() ? 1 : 2); ++side) {
        PageMeasurement wanted{.samples = arguments.samples,
                               .sources = options.sources,
                               .ablations = {},
                               .tasks = arguments.tasks,
                               .rows = arguments.rows};
        for (const ReadStory& story : stories)
            for (const std::string& ablation : page::ablationsOf(story.english, side))
                wanted.ablations.push_back(ablation);
        const ModelArguments model{.model = side == 0 ? arguments.first : arguments.second,
                                   .tokenizer = arguments.tokenizer};
        const auto hash = measureForPage(context, model, session, wanted);
        if (!hash.has_value())
            return hash.error();
        options.models.push_back(*hash);
    }
    return {};
}

} // namespace

Result<PageSummary> makePage(const Context& context, const PageArguments& arguments)
{
    const std::string suffix = std::filesystem::path(arguments.output).extension().string();
    if (suffix != ".html" && suffix != ".htm")
        return inputError("A page is written as .html or .htm; got '" + arguments.output + "'.");
    if (const auto writable = checkOutputFile(arguments.output); !writable.has_value())
        return writable.error();
    const auto stories = readStories(context, arguments);
    if (!stories.has_value())
        return stories.error();
    auto options = pageOptionsOf(arguments, *stories);
    if (!options.has_value())
        return options.error();
    if (isSessionFile(arguments.first)) {
        if (!arguments.second.empty())
            return inputError("A session has its own models; MODEL_B needs a MODEL, not a session.");
        return writeFrom(context, arguments, *stories, *options, arguments.first);
    }
    std::optional<TemporaryFolder> unkept; // for a session that nobody asked to keep
    try {
        if (context.session.empty())
            unkept.emplace("page");
    } catch (const std::filesystem::filesystem_error&) {
        return ioError("Cannot create a temporary folder for the results; name a session with --session FILE.");
    }
    const std::string session = unkept ? (unkept->path() / "page.headscope").string() : context.session;
    if (const auto measured = measureModels(context, arguments, *stories, session, *options); !measured.has_value())
        return measured.error();
    return writeFrom(context, arguments, *stories, *options, session);
}

} // namespace headscope::cli
