// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/files/patternfiles.h"
#include "app/cli/files/studyfile.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/options/ranges.h"
#include "app/cli/output.h"
#include "app/cli/runs/experimentrun.h"
#include "core/base/words/counted.h"
#include "core/base/writefile.h"
#include "core/experiments/evidence/evidence.h"
#include "core/experiments/own/ownstudy.h"
#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace headscope::cli {

using experiments::Experiment;
using experiments::Report;
using nlohmann::ordered_json;

namespace {

#ifdef HEADSCOPE_FIGURES
constexpr const char* kPatternFiles[] = {".pdf", ".png", ".csv"};
#else
constexpr const char* kPatternFiles[] = {".csv"};
#endif

struct StudyArguments {
    std::string name;
    std::string folder;
    std::string report; ///< file of the whole study; empty: none
    ExperimentArguments run;
    std::vector<std::string> models; ///< named without --model
    bool forecastOnly = false;
    std::string part; ///< K/N
};

Result<void> list(const Context& context)
{
    if (context.json) {
        nlohmann::json reply = nlohmann::json::array();
        for (const Experiment& experiment : experiments::allExperiments())
            reply.push_back({{"name", experiment.id},
                             {"number", experiment.number},
                             {"title", experiment.title},
                             {"question", experiment.question},
                             {"claim", experiment.claim},
                             {"rule", experiment.rule},
                             {"needs", experiment.needs},
                             {"models", experiment.models},
                             {"paper_models", experiment.paperModels},
                             {"setting", experiment.setting},
                             {"scaled", experiment.scaled},
                             {"assumed", experiment.assumed}});
        Context::print({{"experiments", reply}});
        return {};
    }
    std::vector<std::vector<std::string>> rows = {{"", "name", "what"}};
    for (const Experiment& experiment : experiments::allExperiments())
        rows.push_back({experiment.number, experiment.id, experiment.title});
    // Left-aligned throughout: these are words.
    for (const auto& row : rows)
        printText("%-4s %-26s %s\n", row[0].c_str(), row[1].c_str(), row[2].c_str());
    return {};
}

std::string forecastText(const Forecast& forecast, double minutes)
{
    std::string text = fmt::format("{}, {}, {:.3g} tokens through the whole model, {:.1f} MB of weights",
                                   counted(forecast.plan.scores, "score"), counted(forecast.plan.examples, "example"),
                                   forecast.plan.tokens, static_cast<double>(forecast.plan.weightBytes) / 1e6);
    if (forecast.plan.known > 0)
        text += fmt::format(", at least {} of the examples are in the session already", forecast.plan.known);
    if (forecast.seconds > 0)
        text += fmt::format(", about {:.0f} s here if nothing has been measured yet", forecast.seconds);
    if (minutes > 0 && forecast.limit && forecast.seconds <= 60 * minutes)
        text += fmt::format(", with {:g} examples of each benchmark", *forecast.limit);
    if (minutes > 0 && forecast.seconds > 60 * minutes)
        text += fmt::format(", with {:g} examples of each benchmark, the fewest that carry a verdict",
                            forecast.limit.value_or(experiments::kLeastRows));
    return text + ".";
}

std::string wholeText(const Report& report)
{
    const Experiment& experiment = *report.experiment;
    std::string text =
        (experiment.number.empty() ? "" : experiment.number + " ") + experiment.id + ": " + experiment.title + "\n";
    for (const std::string& model : report.measuredOn)
        text += "measured on " + model + "\n";
    text += experiment.question + "\n";
    if (!experiment.claim.empty())
        text += "The paper: " + experiment.claim + " (" + experiment.source + ")\n";
    const experiments::Judgement judgement = report.judgement();
    text += "\n" + textTable(toCells(report)) + "\nVerdict: " + name(judgement.verdict) + ". " + judgement.why
            + "\nThe rule: " + experiment.rule + "\nFound here: " + report.finding + "\n";
    for (const std::string& note : report.notes)
        text += note + "\n";
    text += (experiment.study.empty() ? "\nThe paper's setting: " : "\nThe setting: ") + experiment.setting + "\n";
    if (!experiment.scaled.empty())
        text += "On the included models: " + experiment.scaled + "\n";
    if (!experiment.assumed.empty())
        text += "Assumed: " + experiment.assumed + "\n";
    if (!experiment.paper.empty())
        text += "The paper's own numbers (Bick, Xing and Gu 2025):\n";
    for (const std::string& line : paperLines(experiment))
        text += "  " + line + "\n";
    return text
           + fmt::format("{:.1f} s, {} scored, {} taken from the session\n", report.seconds,
                         counted(report.examples, "example"), report.known);
}

/// A picture (where the program is built with Qt) and the numbers of every matrix that the run looked at.
Result<void> writePictures(const std::string& folder, const Report& report,
                           std::vector<figures::PatternPicture> pictures, std::vector<std::string>& files)
{
    std::vector<figures::PatternPicture> all;
    for (const figures::PatternPicture& picture : pictures)
        for (const std::string suffix : kPatternFiles) {
            const std::string model = picture.title.substr(0, picture.title.find(','));
            all.push_back(picture);
            all.back().path =
                (std::filesystem::path(folder) / (report.experiment->id + "-" + model + "-" + picture.head + suffix))
                    .string();
            files.push_back(all.back().path);
        }
    return all.empty() ? Result<void>() : writePatternFiles(all);
}

Result<std::vector<std::string>> writeReport(const std::string& folder, const Report& report,
                                             const std::vector<figures::PatternPicture>& pictures)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        return ioError("The folder '" + folder + "' could not be created: " + problem.message() + ".");
    std::vector<std::string> files;
    const auto charts = ordered_json::parse(toJson(report))["charts"];
    for (const auto& [suffix, text] :
         std::vector<std::pair<std::string, std::string>>{{".json", toJson(report) + "\n"},
                                                          {".csv", toCsv(report)},
                                                          {".tex", toLatex(report)},
                                                          {".txt", wholeText(report)},
                                                          {"-charts.json", charts.dump(1) + "\n"}}) {
        const std::filesystem::path path = std::filesystem::path(folder) / (report.experiment->id + suffix);
        if (const auto written = writeFile(path, text); !written.has_value())
            return written.error();
        files.push_back(path.string());
    }
    if (const auto written = writePictures(folder, report, pictures, files); !written.has_value())
        return written.error();
    return files;
}

std::string rowText(const experiments::Table& table)
{
    std::string text;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        text += (c == 0 ? "" : "  ") + (c == 0 ? "" : heading(table, c) + " ")
                + shown(table.rows.back().cells[c], table.columns[c].unit);
    return text;
}

Result<ordered_json> runExperiment(const Context& context, const StudyArguments& arguments, Laboratory& laboratory,
                                   const Experiment& experiment, std::vector<Report>& study)
{
    context.note((experiment.number.empty() ? "" : experiment.number + " ") + experiment.id + ": " + experiment.title);
    const auto forecast = laboratory.forecast(experiment);
    if (!forecast.has_value())
        return forecast.error();
    context.note("needs " + forecastText(*forecast, arguments.run.minutes));
    if (arguments.forecastOnly)
        return ordered_json{{"experiment", experiment.id},
                            {"scores", forecast->plan.scores},
                            {"examples", forecast->plan.examples},
                            {"tokens", forecast->plan.tokens},
                            {"weight_bytes", forecast->plan.weightBytes},
                            {"known", forecast->plan.known},
                            {"limit", forecast->limit ? ordered_json(*forecast->limit) : ordered_json()},
                            {"seconds", forecast->seconds}};
    const auto report =
        laboratory.run(experiment, [&](const experiments::Table& table) { context.note(rowText(table)); });
    if (!report.has_value())
        return report.error();
    study.push_back(*report);
    ordered_json reply = ordered_json::parse(toJson(*report));
    reply["files"] = ordered_json::array();
    if (!arguments.folder.empty()) {
        const auto files = writeReport(arguments.folder, *report, laboratory.pictures());
        if (!files.has_value())
            return files.error();
        reply["files"] = *files;
    }
    if (!context.json) {
        printText("%s\n", wholeText(*report).c_str());
        printNow(""); // before the next one's rows on stderr
    }
    return reply;
}

/// What a name on the command line asks for. Nothing owns the program's own.
using Chosen = std::vector<std::shared_ptr<const Experiment>>;

std::shared_ptr<const Experiment> shipped(const Experiment& experiment)
{
    return {std::shared_ptr<const Experiment>(), &experiment};
}

Result<Chosen> chosenBy(const std::string& name)
{
    Chosen chosen;
    if (name == "all") {
        for (const Experiment& experiment : experiments::allExperiments())
            chosen.push_back(shipped(experiment));
        return chosen;
    }
    if (name.ends_with(".json")) {
        const auto json = io::readTextFile(name);
        if (!json.has_value())
            return json.error();
        const auto study = experiments::ownStudy(*json);
        if (!study.has_value())
            return study.error();
        return Chosen{*study};
    }
    const auto found = experiments::findExperiment(name);
    if (!found.has_value())
        return found.error();
    return Chosen{shipped(**found)};
}

/// One that cannot be run does not end the study: its page says why.
ordered_json leftOut(const Experiment& experiment, const Error& problem, std::vector<Report>& study)
{
    study.push_back({.experiment = &experiment, .table = {experiment.columns, {}}, .problem = problem.message});
    return ordered_json::parse(toJson(study.back()));
}

Result<void> writeReport(const StudyArguments& arguments, const std::string& session, const std::vector<Report>& study)
{
    if (arguments.report.empty() || study.empty())
        return {};
    return writeStudyFile(study, session, arguments.report);
}

Result<void> whatFailed(const std::vector<Report>& study)
{
    const auto failed =
        std::count_if(study.begin(), study.end(), [](const Report& one) { return !one.problem.empty(); });
    if (failed == 0)
        return {};
    return inputError(fmt::format("{} of {} could not be run; the page of each says why.", failed,
                                  counted(study.size(), "experiment")));
}

/// The part of every experiment; of several, those that cannot be divided are left to the run on the merged session.
Result<void> runPart(const Context& context, const StudyArguments& arguments, Laboratory& laboratory,
                     const Chosen& chosen, const app::WorkPart& part)
{
    if (arguments.run.minutes > 0)
        return inputError("--part cannot be combined with --minutes, since how many examples fit depends on the "
                          "machine; expected --limit.");
    std::map<std::string, DividedWork> works; // by key: experiments may measure the same
    for (const auto& experiment : chosen) {
        const auto own = laboratory.divided(*experiment, part);
        if (!own.has_value() && (chosen.size() == 1 || own.error().kind == Error::Kind::Cancelled))
            return own.error();
        if (!own.has_value())
            context.note(experiment->id + " is left out: " + own.error().message);
        else
            for (const DividedWork& work : *own)
                works.emplace(work.key, work);
    }
    std::vector<DividedWork> all;
    for (const auto& [key, work] : works)
        all.push_back(work);
    auto session = sessions::SessionStore::open(context.session, waitingForWriters(context));
    return session.has_value() ? measurePart(context, *session, part, all) : session.error();
}

Result<void> runAll(const Context& context, StudyArguments arguments)
{
    if (arguments.name == "list")
        return list(context);
    if (!arguments.report.empty())
        if (const auto known = checkStudyFile(arguments.report); !known.has_value())
            return known;
    const auto part = partOf(context, arguments.part);
    if (!part.has_value())
        return part.error();
    if (const auto can = checkSharing(context); !can.has_value())
        return can;
    const auto chosen = chosenBy(arguments.name);
    if (!chosen.has_value())
        return chosen.error();
    arguments.run.folder = arguments.folder;
    arguments.run.models.insert(arguments.run.models.end(), arguments.models.begin(), arguments.models.end());
    Laboratory laboratory(context, arguments.run, context.control());
    if (*part)
        return runPart(context, arguments, laboratory, *chosen, **part);
    ordered_json reply = ordered_json::array();
    std::vector<Report> study;
    std::optional<Error> stopped;
    for (const auto& experiment : *chosen) {
        const auto one = runExperiment(context, arguments, laboratory, *experiment, study);
        if (!one.has_value() && (chosen->size() == 1 || one.error().kind == Error::Kind::Cancelled)) {
            stopped = one.error();
            break;
        }
        if (!one.has_value())
            context.note(experiment->id + " is left out: " + one.error().message);
        reply.push_back(one.has_value() ? *one : leftOut(*experiment, one.error(), study));
    }
    if (const auto written = writeReport(arguments, context.session, study); !written.has_value())
        return written;
    if (stopped)
        return *stopped;
    if (context.json)
        printJson((arguments.name == "all" ? ordered_json{{"experiments", reply}} : reply.front()).dump());
    return whatFailed(study);
}

} // namespace

void addExperimentCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<StudyArguments>();
    CLI::App* command = app.add_subcommand("experiment", "run an experiment of the paper beside the paper's numbers, "
                                                         "or a study of your own; `experiment list` prints all");
    command
        ->add_option("NAME", arguments->name,
                     "list, all, a name or number from the list, or a file with a study of your own (.json)")
        ->required();
    command->add_option("MODELS", arguments->models, "the same as --model");
    option(*command, "--model", arguments->run.models,
           "model folder, included model or org/name; may be repeated (default: the included models)");
    option(*command, "--tokenizer", arguments->run.tokenizer);
    arguments->run.task.addTo(*command, context);
    option(*command, "--output", arguments->folder,
           "folder for the table (.txt, .csv, .tex), the chart data and the complete result (.json)");
    option(*command, "--report", arguments->report);
    option(*command, "--minutes", arguments->run.minutes)->check(kPositive);
    option(*command, "--distill-steps", arguments->run.distillSteps)->check(kPositive)->capture_default_str();
    flag(*command, "--forecast", arguments->forecastOnly);
    option(*command, "--part", arguments->part);
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return runAll(context, *arguments); }; });
}

} // namespace headscope::cli
