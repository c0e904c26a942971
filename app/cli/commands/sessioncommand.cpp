// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/files/studyfile.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/notebook/savedexperiments.h"
#include "core/base/printable.h"
#include "core/base/words/counted.h"
#include "core/base/writefile.h"
#include "core/experiments/evidence/comparison.h"
#include "core/experiments/study.h"
#include "sessions/export/exportscores.h"
#include "sessions/export/exporttables.h"
#include "sessions/file/maintenance.h"
#include "sessions/file/sessionpaths.h"
#include "sessions/merge.h"
#include "sessions/parts.h"
#include "sessions/results/comparestates.h"
#include "sessions/sessionstore.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope::cli {

namespace {

using sessions::OpenOptions;
using sessions::SessionStore;

struct SessionArguments {
    std::string session;
    std::vector<std::string> others;
    std::string output;
    std::string format = "csv";
    std::string table = "scores";
    std::vector<std::string> states;
    std::string model;
    std::string against;
    bool noPaths = false;
};

Result<SessionStore> openExisting(const Context& context, const std::string& path, bool readOnly)
{
    OpenOptions options;
    options.create = false;
    options.readOnly = readOnly;
    auto session = SessionStore::open(path, options);
    if (session.has_value())
        for (const std::string& notice : session->notices())
            context.note(notice);
    return session;
}

Result<nlohmann::json> describeSession(SessionStore& session)
{
    const auto models = session.models();
    const auto scores = sessions::scoreTable(session);
    const auto runs = session.runs();
    const auto rankings = session.rankings();
    const auto patterns = session.patterns();
    const auto figures = session.figures();
    const auto conflicts = session.conflicts();
    const auto tasks = session.tasks();
    const auto uid = session.uid();
    const auto examples = session.exampleCount();
    const Error* failed = nullptr;
    const auto check = [&failed](const auto& result) {
        failed = failed == nullptr && !result.has_value() ? &result.error() : failed;
    };
    check(models), check(scores), check(runs), check(rankings), check(patterns), check(figures), check(conflicts),
        check(tasks), check(uid), check(examples);
    if (failed != nullptr)
        return *failed;
    std::error_code ignored;
    nlohmann::json info = {{"path", session.path().string()},
                           {"uid", *uid},
                           {"read_only", session.readOnly()},
                           {"notices", session.notices()},
                           {"bytes", std::filesystem::file_size(session.path(), ignored)},
                           {"tasks", *tasks},
                           {"examples", *examples},
                           {"rankings", rankings->size()},
                           {"patterns", patterns->size()},
                           {"conflicts", conflicts->size()}};
    info["models"] = nlohmann::json::array();
    for (const auto& model : *models)
        info["models"].push_back({{"name", model.name},
                                  {"hash", model.hash},
                                  {"source", model.source},
                                  {"revision", model.revision},
                                  {"family", model.family},
                                  {"layers", model.layers},
                                  {"parameters", model.parameters}});
    info["runs"] = nlohmann::json::array();
    for (const auto& run : *runs)
        info["runs"].push_back({{"uid", run.uid},
                                {"name", run.name},
                                {"note", run.note},
                                {"created", run.created},
                                {"ablation", run.ablation}});
    info["figures"] = nlohmann::json::array();
    for (const auto& figure : *figures)
        info["figures"].push_back(figure.name);
    info["scores"] = nlohmann::json::parse(sessions::scoreText(*scores, sessions::TableFormat::Json))["scores"];
    return info;
}

Result<void> info(const Context& context, const SessionArguments& arguments)
{
    auto session = openExisting(context, arguments.session, true);
    if (!session.has_value())
        return session.error();
    const auto described = describeSession(*session);
    if (!described.has_value())
        return described.error();
    if (context.json) {
        Context::print(*described);
        return {};
    }
    const nlohmann::json& json = *described;
    printText("%s\n", json["path"].get<std::string>().c_str());
    for (const auto& model : json["models"])
        printText("  model %s (%s, %s) from %s\n", model["name"].get<std::string>().c_str(),
                  model["family"].get<std::string>().c_str(), counted(model["layers"].get<int>(), "layer").c_str(),
                  model["source"].get<std::string>().c_str());
    printText("  %s, %s, %s, %s, %s, %s\n", counted(json["examples"].get<std::int64_t>(), "example").c_str(),
              counted(json["runs"].size(), "run").c_str(),
              counted(json["rankings"].get<std::size_t>(), "ranking").c_str(),
              counted(json["patterns"].get<std::size_t>(), "pattern").c_str(),
              counted(json["figures"].size(), "figure").c_str(),
              counted(json["conflicts"].get<std::size_t>(), "conflict").c_str());
    auto scores = sessions::scoreTable(*session);
    if (!scores.has_value())
        return scores.error();
    if (!scores->empty())
        printText("\n%s", sessions::scoreText(*scores, sessions::TableFormat::Markdown).c_str());
    return {};
}

Result<void> exportTable(const Context& context, const SessionArguments& arguments)
{
    const auto format = sessions::tableFormat(context.json ? "json" : arguments.format);
    if (!format.has_value())
        return format.error();
    auto session = openExisting(context, arguments.session, true);
    if (!session.has_value())
        return session.error();
    const sessions::TableOptions options(*format, !arguments.noPaths);
    if (arguments.output.empty()) {
        const auto rows = sessions::exportTable(*session, arguments.table, options, dataStream(), context.control());
        return rows.has_value() ? Result<void>() : Result<void>(rows.error());
    }
    const auto rows = sessions::exportTable(*session, arguments.table, options, std::filesystem::path(arguments.output),
                                            context.control());
    if (!rows.has_value())
        return rows.error();
    if (context.json)
        Context::print({{"file", arguments.output}, {"rows", *rows}});
    return {};
}

Result<void> merge(const Context& context, const SessionArguments& arguments)
{
    auto into = openExisting(context, arguments.session, false);
    if (!into.has_value())
        return into.error();
    nlohmann::json merged = nlohmann::json::array();
    for (const std::string& other : arguments.others) {
        auto from = openExisting(context, other, true);
        if (!from.has_value())
            return from.error();
        const auto report = sessions::merge(*into, *from, context.control());
        if (!report.has_value())
            return report.error();
        merged.push_back({{"from", other},
                          {"models", report->models},
                          {"examples", report->examples},
                          {"results", report->results},
                          {"runs", report->runs},
                          {"rankings", report->rankings},
                          {"patterns", report->patterns},
                          {"figures", report->figures},
                          {"labels", report->labels},
                          {"history", report->history},
                          {"reports", report->reports},
                          {"surveys", report->surveys},
                          {"conflicts", report->conflicts}});
        if (!context.json)
            printText("%s: %s, %s, %s, %s added; %s stored.\n", other.c_str(), counted(report->models, "model").c_str(),
                      counted(report->examples, "example").c_str(), counted(report->results, "result").c_str(),
                      counted(report->runs, "run").c_str(), counted(report->conflicts, "conflict").c_str());
    }
    if (context.json)
        Context::print({{"session", arguments.session}, {"merged", merged}});
    return {};
}

/// Whether the parts of some sessions make up the whole.
Result<void> checkParts(const Context& context, const SessionArguments& arguments)
{
    std::vector<std::string> files{arguments.session};
    files.insert(files.end(), arguments.others.begin(), arguments.others.end());
    std::vector<sessions::SessionParts> found;
    for (const std::string& file : files) {
        auto session = openExisting(context, file, true);
        if (!session.has_value())
            return session.error();
        auto parts = sessions::parts(*session);
        if (!parts.has_value())
            return parts.error();
        found.push_back({file, std::move(*parts)});
    }
    const std::vector<std::string> problems = sessions::partProblems(found);
    const std::vector<sessions::PartedWork> works = sessions::partedWorks(found);
    if (context.json) {
        nlohmann::json reply = {
            {"complete", problems.empty()}, {"problems", problems}, {"works", nlohmann::json::array()}};
        for (const sessions::PartedWork& work : works)
            reply["works"].push_back(
                {{"work", work.work}, {"what", work.what}, {"parts", work.parts}, {"missing", work.missing}});
        Context::print(reply);
    } else if (problems.size() > 1) {
        for (const std::string& problem : problems)
            printText("%s\n", problem.c_str());
    }
    if (problems.size() == 1)
        return inputError(problems.front());
    if (!problems.empty())
        return inputError(fmt::format("The parts do not make up the whole: {} problems.", problems.size()));
    if (!context.json)
        for (const sessions::PartedWork& work : works)
            printText("All %d parts are there: %s.\n", work.parts, work.what.c_str());
    return {};
}

Result<void> verify(const Context& context, const SessionArguments& arguments)
{
    auto session = openExisting(context, arguments.session, true);
    if (!session.has_value())
        return session.error();
    const auto report = sessions::verify(*session, context.control());
    if (!report.has_value())
        return report.error();
    if (context.json)
        Context::print({{"ok", report->problems.empty()},
                        {"problems", report->problems},
                        {"examples", report->examples},
                        {"results", report->results},
                        {"patterns", report->patterns}});
    else
        for (const std::string& problem : report->problems)
            printText("%s\n", problem.c_str());
    if (!report->problems.empty())
        return inputError("Session '" + arguments.session + "' has " + counted(report->problems.size(), "problem")
                          + "; expected none.");
    if (!context.json)
        printText("%s is sound: %s, %s, %s checked.\n", arguments.session.c_str(),
                  counted(report->examples, "example").c_str(), counted(report->results, "result").c_str(),
                  counted(report->patterns, "pattern").c_str());
    return {};
}

Result<void> compact(const Context& context, const SessionArguments& arguments)
{
    auto session = openExisting(context, arguments.session, false);
    if (!session.has_value())
        return session.error();
    const auto report = sessions::compact(*session);
    if (!report.has_value())
        return report.error();
    if (context.json)
        Context::print({{"bytes_before", report->bytesBefore}, {"bytes_after", report->bytesAfter}});
    else
        printText("%s: %lld bytes, before %lld.\n", arguments.session.c_str(),
                  static_cast<long long>(report->bytesAfter), static_cast<long long>(report->bytesBefore));
    return {};
}

Result<void> copyOf(const Context& context, SessionStore& session, const SessionArguments& arguments)
{
    if (!arguments.noPaths)
        return sessions::duplicate(session, arguments.output);
    const auto kept = sessions::duplicateWithoutPaths(session, arguments.output);
    if (!kept.has_value())
        return kept.error();
    if (*kept > 0)
        context.note(fmt::format("Ablations that keep the folder of a model in their names: {}.", *kept));
    return {};
}

Result<void> duplicate(const Context& context, const SessionArguments& arguments)
{
    auto session = openExisting(context, arguments.session, true);
    if (!session.has_value())
        return session.error();
    if (auto done = copyOf(context, *session, arguments); !done.has_value())
        return done;
    if (context.json)
        Context::print({{"file", arguments.output}});
    else
        printText("%s\n", arguments.output.c_str());
    return {};
}

Result<sessions::ModelRecord> modelNamed(SessionStore& session, const std::string& name)
{
    const auto models = session.models();
    if (!models.has_value())
        return models.error();
    std::vector<const sessions::ModelRecord*> found;
    for (const sessions::ModelRecord& model : *models)
        if (name.empty() || model.name == name || (name.size() >= 6 && model.hash.starts_with(name)))
            found.push_back(&model);
    if (found.size() > 1 && !name.empty()) {
        std::string all;
        for (const sessions::ModelRecord* model : found)
            all += (all.empty() ? "" : ", ") + model->name + " (" + model->hash.substr(0, 12) + ")";
        return inputError(fmt::format("The session has {} models '{}': {}; expected --model with one of these hashes.",
                                      found.size(), name, all));
    }
    if (!found.empty())
        return *found.front();
    return inputError("The session has no model" + (name.empty() ? "" : " '" + name + "'") + ".");
}

std::string stateOf(const std::string& word)
{
    return word == "baseline" ? std::string() : word;
}

// Hashes are printed by their first digits, as models are.
std::string conditionText(const sessions::ConditionDifference& difference)
{
    constexpr std::size_t kDigits = 12;
    const bool hash = difference.condition == "tokenizer";
    const auto shown = [hash](const std::string& value) {
        return value.empty() ? std::string("none") : hash ? value.substr(0, kDigits) : value;
    };
    return fmt::format("{} {} and {}", difference.condition, shown(difference.first), shown(difference.second));
}

void printChange(const sessions::StateChange& change, std::span<const sessions::ConditionDifference> differences)
{
    printText("%-24s n %6lld  %.4f -> %.4f  %+.4f %s [%+.4f, %+.4f]  p %.3g\n", change.task.c_str(),
              static_cast<long long>(change.n), change.first, change.second, change.delta, analysis::kPairedInterval,
              change.interval.low, change.interval.high, change.p);
    if (differences.empty())
        return;
    std::vector<std::string> parts;
    for (const sessions::ConditionDifference& difference : differences)
        parts.push_back(conditionText(difference));
    printText("  Not only the ablation differs: %s.\n", fmt::format("{}", fmt::join(parts, "; ")).c_str());
}

nlohmann::json changeJson(const sessions::StateChange& change,
                          std::span<const sessions::ConditionDifference> differences)
{
    nlohmann::json others = nlohmann::json::array();
    for (const sessions::ConditionDifference& difference : differences)
        others.push_back(
            {{"condition", difference.condition}, {"first", difference.first}, {"second", difference.second}});
    return {{"task", change.task},
            {"n", change.n},
            {"first", change.first},
            {"second", change.second},
            {"delta", change.delta},
            {"interval", {change.interval.low, change.interval.high}},
            {"interval_kind", analysis::kPairedInterval},
            {"p", change.p},
            {"differs", others}};
}

Result<void> compareSession(const Context& context, const SessionArguments& arguments)
{
    auto session = openExisting(context, arguments.session, true);
    if (!session.has_value())
        return session.error();
    const auto model = modelNamed(*session, arguments.model);
    if (!model.has_value())
        return model.error();
    const auto compared = sessions::compareSeries(*session, {model->hash, stateOf(arguments.states[0])},
                                                  {model->hash, stateOf(arguments.states[1])});
    if (!compared.has_value())
        return compared.error();
    if (compared->empty())
        return inputError("The states '" + arguments.states[0] + "' and '" + arguments.states[1] + "' of " + model->name
                          + " have no scored example in common.");
    nlohmann::json rows = nlohmann::json::array();
    for (const sessions::ComparedSeries& pair : *compared) {
        const auto differences = sessions::differencesOf(pair.first, pair.second);
        rows.push_back(changeJson(pair.change, differences));
        if (!context.json)
            printChange(pair.change, differences);
    }
    if (context.json)
        Context::print(
            {{"model", model->name}, {"first", arguments.states[0]}, {"second", arguments.states[1]}, {"tasks", rows}});
    return {};
}

Result<std::vector<experiments::Report>> reportsOf(const Context& context, const std::string& path)
{
    auto session = openExisting(context, path, true);
    if (!session.has_value())
        return session.error();
    auto kept = app::keptExperiments(*session);
    if (!kept.has_value())
        return kept.error();
    if (kept->unread > 0)
        context.note(fmt::format("Left out of {}: {} of another version.", path, counted(kept->unread, "experiment")));
    if (kept->reports.empty())
        return inputError("The session '" + path
                          + "' has no experiment; run some with 'headscope-cli experiment all --session FILE'.");
    return std::move(kept->reports);
}

/// One document of all experiments that the session keeps, or what changed since another session's.
Result<void> report(const Context& context, const SessionArguments& arguments)
{
    const auto reports = reportsOf(context, arguments.session);
    if (!reports.has_value())
        return reports.error();
    if (arguments.against.empty() && !arguments.output.empty())
        return writeStudyFile(*reports, arguments.session, arguments.output);
    std::string summary;
    if (arguments.against.empty()) {
        summary = experiments::studyMarkdown(*reports);
    } else {
        const auto then = reportsOf(context, arguments.against);
        if (!then.has_value())
            return then.error();
        const auto pages = experiments::compareReports(*then, *reports);
        summary = context.json ? printableJson(experiments::comparisonJson(pages)) + "\n"
                               : printable(experiments::comparisonMarkdown(pages), Newlines::Keep);
    }
    if (!arguments.output.empty())
        return writeFile(arguments.output, summary);
    printNow(summary);
    return {};
}

} // namespace

void addSessionCommand(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand("session", "inspect, check, merge, copy and export session files");
    command->require_subcommand(1);
    const auto arguments = std::make_shared<SessionArguments>();
    const auto add = [&](const char* name, const char* help,
                         Result<void> (*run)(const Context&, const SessionArguments&)) {
        CLI::App* sub = command->add_subcommand(name, help);
        sub->add_option("SESSION", arguments->session, "session file")->required();
        sub->callback([&context, arguments, run] {
            context.run = [&context, arguments, run] { return run(context, *arguments); };
        });
        return sub;
    };
    add("info", "show the contents of the session, with scores", info);
    CLI::App* table = add("export", "export its contents as tables for other programs", exportTable);
    option(*table, "--table", arguments->table, fmt::format("{}", fmt::join(sessions::tableNames(), ", ")))
        ->capture_default_str();
    option(*table, "--format", arguments->format)->capture_default_str();
    option(*table, "--output", arguments->output, "output file (default: standard output)");
    flag(*table, "--no-paths", arguments->noPaths);
    add("merge", "add the contents of other sessions to the first", merge)
        ->add_option("OTHER", arguments->others, "sessions to read")
        ->required();
    add("parts", "check whether the parts stored by commands with --part are complete", checkParts)
        ->add_option("OTHER", arguments->others, "sessions with other parts");
    CLI::App* pair = add("compare", "compare two scored states on the examples that both have", compareSession);
    pair->add_option("STATES", arguments->states, "two states: 'baseline', or an ablation as score prints it")
        ->required()
        ->expected(2);
    option(*pair, "--model", arguments->model, "name or hash of the model (default: the first of the session)");
    CLI::App* document = add("report", "write all its experiments as one document", report);
    document->add_option("EARLIER", arguments->against,
                         "earlier session, to compare its experiments with the present ones page by page");
    option(*document, "--output", arguments->output,
           "output file, .md (with a folder of pictures) or .pdf (default: standard output, without pictures)");
    add("verify", "check pages, references and checksums", verify);
    add("compact", "release unused space", compact);
    CLI::App* copy = add("duplicate", "write an independent copy", duplicate);
    copy->add_option(optionNames("--output") + ",TARGET", arguments->output, "file to create; must not exist")
        ->required();
    flag(*copy, "--no-paths", arguments->noPaths);
}

} // namespace headscope::cli
