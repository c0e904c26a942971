// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/runs/scoringmodel.h"
#include "app/cli/runs/sharedrun.h"
#include "app/cli/survey/lossfiles.h"
#include "app/cli/survey/surveyoutput.h"
#include "app/cli/survey/surveyrun.h"
#include "app/workbench/heads/headcard.h"
#include "core/base/words/counted.h"
#include "core/base/writefile.h"
#include "core/survey/loss.h"
#include "core/survey/texts/filter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

namespace headscope::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kHeadsShown = 40;

struct SurveyArguments {
    ModelArguments model;
    TaskArguments rows;
    std::vector<std::string> texts, tasks, heads, loss, costs, outputs;
    std::string where, against, part;
    double threshold = app::FactSheet().threshold;
    int window = app::SurveyRequest().window;
    std::int64_t tokens = app::SurveyRequest().tokens;
    int top = survey::PlaceCounts().top;
};

Result<std::vector<interventions::HeadRef>> surveyedHeads(const std::vector<std::string>& texts)
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

Result<app::SurveyRequest> requestOf(const Context& context, const SurveyArguments& arguments)
{
    if (arguments.texts.empty() && arguments.tasks.empty())
        return inputError("Nothing to read; expected --texts with files or folders, or --task.");
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
    auto heads = surveyedHeads(arguments.heads);
    if (!heads.has_value())
        return heads.error();
    request.heads = std::move(*heads);
    return request;
}

// The loss with and without the heads that were named. When it is stopped, what was measured by then is told.
Result<void> loss(const Context& context, const SurveyArguments& arguments, const app::SurveyRequest& request,
                  const OpenModel& open)
{
    const Control control = context.control();
    auto heads = surveyedHeads(arguments.loss);
    if (!heads.has_value())
        return heads.error();
    auto texts = app::openTexts(open, request, control);
    if (!texts.has_value())
        return texts.error();
    printVocabularyShare(context, texts->vocabulary);
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
    const auto reply = lossJson(*survey, open.spec(), *open.tokenizer);
    if (!reply.has_value())
        return ended.value_or(reply.error());
    if (const auto written =
            writeAnalysis(arguments.outputs, lossFiles(*reply, open.provenance() + ", " + texts->source));
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
                        {"loss", *reply},
                        {"files", arguments.outputs}});
    else
        printText("%s\nNats per token over %s of %s; 95 %% intervals over windows.\n", lossTable(*reply).c_str(),
                  counted(survey->measured().tokens, "token").c_str(), texts->source.c_str());
    return ended ? Result<void>(*ended) : Result<void>();
}

bool isPage(const std::string& path)
{
    return std::filesystem::path(path).extension() == ".html";
}

bool isLatex(const std::string& path)
{
    return std::filesystem::path(path).extension() == ".tex";
}

// The paths of numbers, without those of pages and of tables for papers.
std::vector<std::string> tablesOf(std::vector<std::string> paths)
{
    std::erase_if(paths, [](const std::string& path) { return isPage(path) || isLatex(path); });
    return paths;
}

// A page tells of weights, probes and costs too; a table only where costs are asked for.
bool wantsFacts(const SurveyArguments& arguments)
{
    return !arguments.costs.empty() || std::ranges::any_of(arguments.outputs, isPage);
}

void printSurvey(const Surveyed& own)
{
    printText("%s\n", surveyTable(own.heads(), own.columns(), kHeadsShown).c_str());
    const survey::WindowCounts& counts = own.counts;
    printText("Means of %zu of %s over %s in %s of %s; %lld shorter.\n", std::min(kHeadsShown, own.result.heads.size()),
              counted(own.result.heads.size(), "head").c_str(), counted(counts.tokens, "token").c_str(),
              counted(counts.windows, "window").c_str(), own.result.record.source.c_str(),
              static_cast<long long>(counts.shorter));
    if (own.uniform.gather && own.uniform.aggregate)
        printText("A head that reads all tokens alike: gather %s, aggregate %s.\n", number(*own.uniform.gather).c_str(),
                  number(*own.uniform.aggregate).c_str());
}

// The same texts through another model, with all heads on.
Result<std::optional<Surveyed>> surveyOther(const Context& context, const SurveyArguments& arguments,
                                            app::SurveyRequest request)
{
    if (arguments.against.empty())
        return std::optional<Surveyed>();
    auto open = openModel(context, {.model = arguments.against}, context.session);
    if (!open.has_value())
        return open.error();
    request.ablation = {};
    request.heads.clear();
    auto other = surveyModel(context, {request, arguments.costs, wantsFacts(arguments)}, *open);
    if (!other.has_value())
        return other.error();
    return std::optional(std::move(*other));
}

// Known before anything is measured: a filter that cannot be read ends the command at once.
Result<survey::Filter> filterOf(const SurveyArguments& arguments)
{
    std::vector<std::string> all(survey::kMetricNames.begin(), survey::kMetricNames.end());
    if (wantsFacts(arguments))
        all.emplace_back("copying");
    for (const std::string& task : arguments.costs) {
        if (task != kNextToken) {
            all.insert(all.end(), {"cost", "cost_" + app::columnName(task), "odds_" + app::columnName(task)});
            continue;
        }
        all.emplace_back("loss");
        for (int group = 1; group < survey::kTokenGroups; ++group)
            all.push_back("loss_" + std::string(survey::name(static_cast<survey::TokenGroup>(group))));
    }
    const std::vector<std::string_view> names(all.begin(), all.end());
    return survey::Filter::parse(arguments.where, names);
}

std::set<std::string> fittingHeads(const survey::Filter& filter, const Surveyed& surveyed)
{
    const sessions::StoredSurvey& survey = surveyed.result;
    const auto columns = surveyed.columns();
    std::set<std::string> fitting;
    for (std::size_t i = 0; i < survey.heads.size(); ++i)
        if (filter.matches([&](std::string_view name) -> std::optional<double> {
                const auto found = std::ranges::find(columns, name, &app::HeadColumn::name);
                return found == columns.end() ? std::nullopt : std::optional(found->values[i]);
            }))
            fitting.insert(survey.heads[i].head);
    return fitting;
}

Surveyed withOnly(const std::set<std::string>& fitting, Surveyed surveyed)
{
    sessions::StoredSurvey& survey = surveyed.result;
    std::erase_if(survey.heads, [&](const sessions::SurveyHead& head) { return !fitting.contains(head.head); });
    std::erase_if(survey.places, [&](const sessions::SurveyPlace& place) { return !fitting.contains(place.head); });
    return surveyed;
}

// Which matches are listed, and whether `mutual` is known: a head that was not measured may be nearer.
struct ListedMatches {
    std::set<std::string> heads;
    bool complete = true;
};

json similarJson(const std::vector<survey::HeadTraits>& a, const std::vector<survey::HeadTraits>& b,
                 const ListedMatches& listed)
{
    json reply = json::array();
    for (const survey::HeadMatch& match : survey::nearestHeads(a, b))
        if (listed.heads.contains(a[match.first].head))
            reply.push_back({{"head", a[match.first].head},
                             {"other", b[match.second].head},
                             {"distance", match.distance},
                             {"mutual", listed.complete ? json(match.mutual) : json()}});
    return reply;
}

void printSimilar(const json& similar, const std::string& title)
{
    std::vector<std::vector<std::string>> rows = {{"head", title, "distance", "mutual"}};
    for (const json& match : similar)
        rows.push_back({match["head"].get<std::string>(), match["other"].get<std::string>(), number(match["distance"]),
                        match["mutual"].is_null()     ? "unknown"
                        : match["mutual"].get<bool>() ? "yes"
                                                      : ""});
    printText("\n%s", textTable(rows).c_str());
}

// A page names the most similar of all heads, so it needs those that are not listed.
Result<void> writeAll(const SurveyArguments& arguments, const Surveyed& own, const Surveyed& all, const Surveyed* other)
{
    const std::vector<std::string> heads = own.heads();
    const Surveyed& known = heads.empty() ? own : all; // no name would mean every head
    const std::string provenance = own.provenance + ", " + own.result.record.source;
    if (const auto written = writeAnalysis(tablesOf(arguments.outputs),
                                           surveyFiles(own.result, own.facts ? &*own.facts : nullptr, provenance));
        !written.has_value())
        return written;
    for (const std::string& path : arguments.outputs) {
        std::string text;
        if (isPage(path))
            text = app::headCards(known.result, heads,
                                  {.model = own.provenance,
                                   .otherModel = other ? other->model : "",
                                   .facts = own.facts ? &*own.facts : nullptr,
                                   .threshold = arguments.threshold,
                                   .uniform = own.uniform},
                                  other ? &other->result : nullptr);
        else if (isLatex(path))
            text = app::headLatex(own.heads(), own.columns(), provenance);
        else
            continue;
        if (const auto written = writeFile(path, text); !written.has_value())
            return written;
    }
    return {};
}

// Which heads do the same, by what they look at and, where it was measured of both, by what their removal costs.
json matchesOf(const Surveyed& own, const Surveyed& other, const ListedMatches& listed)
{
    json reply = {{"against", other.model},
                  {"similar", similarJson(app::traitsOf(own.result), app::traitsOf(other.result), listed)}};
    if (own.facts && other.facts) {
        const auto tasks = app::tasksOfBoth(*own.facts, *other.facts);
        reply["similar_by_cost"] =
            similarJson(app::costTraitsOf(*own.facts, tasks), app::costTraitsOf(*other.facts, tasks), listed);
    }
    return reply;
}

json describeSurvey(const SurveyArguments& arguments, const app::SurveyRequest& request, const Surveyed& own)
{
    json reply = surveyJson(own.result, own.facts ? &*own.facts : nullptr);
    reply.update({{"model", own.model},
                  {"ablation", request.ablation.canonical()},
                  {"seed", request.seed},
                  {"window", request.window},
                  {"known", own.known},
                  {"known_removals", own.facts ? own.facts->known : 0},
                  {"counts",
                   {{"windows", own.counts.windows},
                    {"shorter", own.counts.shorter},
                    {"unknown", own.counts.unknown},
                    {"left_out", own.counts.leftOut}}},
                  {"uniform",
                   {{"gather", own.uniform.gather ? json(*own.uniform.gather) : json()},
                    {"aggregate", own.uniform.aggregate ? json(*own.uniform.aggregate) : json()}}},
                  {"unknown_share", own.unknownShare},
                  {"files", arguments.outputs}});
    return reply;
}

// Lists the heads that fit; they are matched and compared among all.
Result<void> presentSurvey(const Context& context, const SurveyArguments& arguments, const app::SurveyRequest& request,
                           const Surveyed& all, const Surveyed* other, const survey::Filter& filter)
{
    const ListedMatches listed{fittingHeads(filter, all), arguments.heads.empty()};
    const Surveyed own = withOnly(listed.heads, all);
    if (const auto written = writeAll(arguments, own, all, other); !written.has_value())
        return written;
    json reply = describeSurvey(arguments, request, own);
    if (other)
        reply.update(matchesOf(all, *other, listed));
    // What was measured is printed even if it could not be stored.
    const Result<void> stored = own.unstored ? Result<void>(*own.unstored) : Result<void>();
    if (context.json) {
        Context::print(reply);
        return stored;
    }
    printSurvey(own);
    if (other)
        printSimilar(reply["similar"], "most similar in " + other->model);
    if (reply.contains("similar_by_cost"))
        printSimilar(reply["similar_by_cost"], "costs the same in " + other->model);
    return stored;
}

Result<void> surveyTexts(const Context& context, const SurveyArguments& arguments)
{
    if (const auto known = checkAnalysisPaths(arguments.loss.empty() ? tablesOf(arguments.outputs) : arguments.outputs);
        !known.has_value())
        return known;
    const auto filter = filterOf(arguments);
    if (!filter.has_value())
        return filter.error();
    const auto request = requestOf(context, arguments);
    if (!request.has_value())
        return request.error();
    const auto part = partOf(context, arguments.part);
    if (!part.has_value())
        return part.error();
    if (*part && !arguments.loss.empty())
        return inputError("The loss without heads cannot be divided into parts; leave out --part or --loss.");
    if (const auto can = checkSharing(context); !can.has_value())
        return can;
    auto open = openModel(context, arguments.model, context.session);
    if (!open.has_value())
        return open.error();
    if (*part && !arguments.costs.empty())
        context.note("The costs of heads are not divided: the run without --part measures them.");
    if (*part)
        return surveyPart(context, *request, *open, **part);
    if (!arguments.loss.empty())
        return loss(context, arguments, *request, *open);
    auto own = surveyModel(context, {*request, arguments.costs, wantsFacts(arguments)}, *open);
    if (!own.has_value())
        return own.error();
    const auto other = surveyOther(context, arguments, *request);
    if (!other.has_value())
        return other.error();
    return presentSurvey(context, arguments, *request, *own, other->has_value() ? &**other : nullptr, *filter);
}

} // namespace

void addSurveyCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<SurveyArguments>();
    CLI::App* command = app.add_subcommand(
        "survey",
        "measure every head on many texts: means, quantiles, and where each metric is largest; resumes from a session");
    arguments->model.addTo(*command, context);
    option(*command, "--texts", arguments->texts);
    option(*command, "--task", arguments->tasks, "use the prompts of this task with their answers; may be repeated");
    arguments->rows.addTo(*command, context);
    option(*command, "--window", arguments->window)
        ->check(CLI::Range(survey::kFewestTokens, 1 << 20))
        ->capture_default_str();
    option(*command, "--token-count", arguments->tokens)
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{4'000'000'000}))
        ->capture_default_str();
    option(*command, "--top", arguments->top,
           "number of examples to keep per head and metric, and as many typical ones")
        ->check(CLI::Range(0, 24))
        ->capture_default_str();
    option(*command, "--head", arguments->heads, "only these heads, such as L2H5, L1H0-3 or L1H*; may be repeated");
    CLI::Option* lossOf = option(*command, "--loss", arguments->loss);
    option(*command, "--cost", arguments->costs);
    option(*command, "--threshold", arguments->threshold)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    option(*command, "--where", arguments->where);
    option(*command, "--against", arguments->against);
    for (const char* ofEveryHead : {"--head", "--cost", "--threshold", "--where", "--against"})
        lossOf->excludes(command->get_option(ofEveryHead));
    option(*command, "--part", arguments->part);
    option(*command, "--output", arguments->outputs,
           "output file: .csv .safetensors .tex, or .html for one page per head; may be repeated");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return surveyTexts(context, *arguments); }; });
}

} // namespace headscope::cli
