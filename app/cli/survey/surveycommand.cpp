// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/runs/openmodel.h"
#include "app/cli/survey/lossfiles.h"
#include "app/cli/survey/surveyfiles.h"
#include "app/workbench/survey.h"

#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kShown = 40;

struct Arguments {
    ModelArguments model;
    TaskArguments rows;
    std::vector<std::string> texts, tasks, heads, loss, outputs;
    int window = app::SurveyRequest().window;
    std::int64_t tokens = app::SurveyRequest().tokens;
    int top = survey::PlaceCounts().top;
};

Result<std::vector<interventions::HeadRef>> headsOf(const std::vector<std::string>& texts)
{
    std::vector<interventions::HeadRef> heads;
    for (const std::string& text : texts) {
        const auto some = interventions::parseHeads(text);
        if (!some.has_value())
            return some.error();
        heads.insert(heads.end(), some->begin(), some->end());
    }
    return heads;
}

Result<app::SurveyRequest> requestOf(const Context& context, const Arguments& arguments)
{
    if (arguments.texts.empty() && arguments.tasks.empty())
        return inputError("There is nothing to read; expected --texts with files or folders, or --task.");
    auto set = interventions::InterventionSet::parse(arguments.model.ablate);
    if (!set.has_value())
        return set.error();
    app::SurveyRequest request{.texts = {arguments.texts.begin(), arguments.texts.end()},
                               .tasks = arguments.tasks,
                               .taskOptions = arguments.rows.options(context),
                               .window = arguments.window,
                               .tokens = arguments.tokens,
                               .seed = context.settings.seed,
                               .places = {.top = arguments.top},
                               .heads = {},
                               .ablation = std::move(*set)};
    auto heads = headsOf(arguments.heads);
    if (!heads.has_value())
        return heads.error();
    request.heads = std::move(*heads);
    return request;
}

void sayVocabulary(const Context& context, const app::VocabularyShare& words)
{
    if (words.unknown > 0)
        context.say(number(100 * words.share())
                    + " % of the first words are not in the vocabulary; they are read as its token for such, or left "
                      "out where it has none.");
}

// Runs to the end. What is measured when it is stopped or fails is stored before the command ends.
Result<void> measure(const Context& context, app::SurveyRun& run)
{
    constexpr std::chrono::milliseconds kTurn(1000);
    const Control control = context.control();
    for (bool more = !run.finished(); more;) {
        const auto went = run.step(kTurn, control);
        if (!went.has_value()) {
            const auto stored = run.store();
            return stored.has_value() ? Result<void>(went.error()) : stored;
        }
        more = *went;
    }
    return run.store();
}

void printForPeople(const sessions::StoredSurvey& survey, const survey::WindowCounts& counts)
{
    tell("%s\n", surveyTable(survey, kShown).c_str());
    tell("Means of %zu of %zu heads over %lld tokens in %lld windows of %s; %lld windows are shorter.\n",
         std::min(kShown, survey.heads.size()), survey.heads.size(), static_cast<long long>(counts.tokens),
         static_cast<long long>(counts.windows), survey.record.source.c_str(), static_cast<long long>(counts.shorter));
}

// The loss with and without the heads that were named. When it is stopped, what was measured by then is told.
Result<void> loss(const Context& context, const Arguments& arguments, const app::SurveyRequest& request,
                  const OpenModel& open)
{
    const Control control = context.control();
    auto heads = headsOf(arguments.loss);
    if (!heads.has_value())
        return heads.error();
    auto texts = app::openTexts(open, request, control);
    if (!texts.has_value())
        return texts.error();
    sayVocabulary(context, texts->vocabulary);
    auto base = lm::resolve(request.ablation, open.spec(), open.donors);
    if (!base.has_value())
        return base.error();
    auto survey = survey::LossSurvey::make(open.loaded.model, std::move(*base), std::move(texts->windows),
                                           std::move(*heads), request.places.top, control);
    if (!survey.has_value())
        return survey.error();
    std::optional<Error> ended;
    for (bool more = true; more && !ended;) {
        const auto went = survey->step(control);
        if (!went.has_value())
            ended = went.error();
        more = went.has_value() && *went;
        const std::int64_t done = survey->measured().tokens;
        control.progress("tokens read", done, std::max(request.tokens, done));
    }
    const auto told = lossJson(*survey, open.spec(), *open.tokenizer);
    if (!told.has_value())
        return ended.value_or(told.error());
    if (const auto written =
            writeAnalysis(arguments.outputs, lossFiles(*told, open.provenance() + ", " + texts->source));
        !written.has_value())
        return written;
    if (context.json)
        Context::print({{"model", open.name},
                        {"ablation", request.ablation.canonical()},
                        {"texts", texts->source},
                        {"seed", request.seed},
                        {"window", request.window},
                        {"tokens", survey->measured().tokens},
                        {"finished", !ended},
                        {"loss", *told},
                        {"files", arguments.outputs}});
    else
        tell("%s\nNats a token over %lld tokens of %s; 95 %% intervals over windows.\n", lossTable(*told).c_str(),
             static_cast<long long>(survey->measured().tokens), texts->source.c_str());
    return ended ? Result<void>(*ended) : Result<void>();
}

Result<void> surveyTexts(const Context& context, const Arguments& arguments)
{
    if (const auto known = checkAnalysisPaths(arguments.outputs); !known.has_value())
        return known;
    const auto request = requestOf(context, arguments);
    if (!request.has_value())
        return request.error();
    auto open = openModel(context, arguments.model, context.session);
    if (!open.has_value())
        return open.error();
    if (const auto remembered = open->remember(request->ablation); !remembered.has_value())
        return remembered;
    if (!arguments.loss.empty())
        return loss(context, arguments, *request, *open);
    auto run = app::SurveyRun::open(*open, *request, open->store(), context.control());
    if (!run.has_value())
        return run.error();
    sayVocabulary(context, run->vocabulary());
    if (run->knownTokens() > 0)
        context.say(std::to_string(run->knownTokens()) + " tokens are known from the session.");
    if (const auto measured = measure(context, *run); !measured.has_value())
        return measured;
    const auto result = run->result();
    if (!result.has_value())
        return result.error();
    const std::string provenance = open->provenance() + ", " + result->record.source;
    if (const auto written = writeAnalysis(arguments.outputs, surveyFiles(*result, provenance)); !written.has_value())
        return written;
    const survey::WindowCounts& counts = run->survey().state().measured;
    if (!context.json) {
        printForPeople(*result, counts);
        return {};
    }
    json told = surveyJson(*result);
    told.update({{"model", open->name},
                 {"ablation", request->ablation.canonical()},
                 {"seed", request->seed},
                 {"window", request->window},
                 {"known", run->knownTokens()},
                 {"counts",
                  {{"windows", counts.windows},
                   {"shorter", counts.shorter},
                   {"unknown", counts.unknown},
                   {"left_out", counts.leftOut}}},
                 {"unknown_share", run->vocabulary().share()},
                 {"files", arguments.outputs}});
    Context::print(told);
    return {};
}

} // namespace

void addSurveyCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("survey", "every head on many texts: means, quantiles, where each metric is "
                                                     "largest; goes on where a session has it");
    arguments->model.addTo(*command, context);
    option(*command, "--texts", arguments->texts);
    option(*command, "--task", arguments->tasks, "prompts of this task with their answers; may be repeated");
    arguments->rows.addTo(*command, context);
    option(*command, "--window", arguments->window)
        ->check(CLI::Range(survey::kFewestTokens, 1 << 20))
        ->capture_default_str();
    option(*command, "--token-count", arguments->tokens)
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{4'000'000'000}))
        ->capture_default_str();
    option(*command, "--top", arguments->top, "places that are kept of each head and metric, and as many ordinary ones")
        ->check(CLI::Range(0, 24))
        ->capture_default_str();
    option(*command, "--head", arguments->heads, "only these: L2H5, L1H0-3, L1H*; may be repeated");
    option(*command, "--loss", arguments->loss);
    option(*command, "--output", arguments->outputs, "file to write: .safetensors .csv; may be repeated");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return surveyTexts(context, *arguments); }; });
}

} // namespace headscope::cli
