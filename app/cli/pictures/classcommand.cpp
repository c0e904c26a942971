// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/runs/pagejob.h"
#include "app/figures/documents/classfigure.h"
#include "app/page/answersheet.h"
#include "app/page/storyfile.h"
#include "core/base/words/counted.h"
#include "core/base/writefile.h"
#include "sessions/export/tabletext.h"
#include "sessions/results/classtally.h"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <sstream>

namespace headscope::cli {

namespace {

using nlohmann::json;
using sessions::ClassTally;
using sessions::QuestionTally;

struct ClassArguments {
    std::string folder; ///< of hand-ins; with a page the file of exercises
    std::vector<std::string> outputs;
    std::string page;
    TaskArguments rows; ///< of what a page measures
};

json toldQuestion(const QuestionTally& question)
{
    json answers = json::array();
    for (const auto& [words, times] : question.answers)
        answers.push_back({{"answer", words}, {"n", times}});
    json tallyJson = {{"id", question.id},
                      {"question", question.question},
                      {"kind", sessions::nameOf(question.kind)},
                      {"n", question.n},
                      {"right", question.right},
                      {"median_seconds", question.seconds},
                      {"answers", std::move(answers)}};
    if (question.kind == sessions::AnswerKind::Open)
        tallyJson["right"] = nullptr; // nobody has marked it
    return tallyJson;
}

json examJson(const sessions::Exam& exam)
{
    return {{"name", exam.name},
            {"sha256", exam.hash},
            {"started", exam.started},
            {"minutes", exam.seconds / 60},
            {"minutes_allowed", exam.minutes > 0 ? json(exam.minutes) : json()}};
}

json tallyJson(const ClassTally& tally)
{
    json students = json::array(), questions = json::array();
    for (const sessions::HandedIn& student : tally.students)
        students.push_back({{"file", student.file.filename().string()},
                            {"name", student.name},
                            {"answers", student.answers},
                            {"right", student.right},
                            {"exam", student.exam ? examJson(*student.exam) : json()}});
    for (const QuestionTally& question : tally.questions)
        questions.push_back(toldQuestion(question));
    return {{"students", students}, {"questions", questions}, {"problems", tally.problems}};
}

/// A line for each answer of each question.
std::string csvOf(const ClassTally& tally)
{
    std::ostringstream out;
    sessions::TableWriter table(
        out, sessions::TableFormat::Csv, "class",
        {{"id"}, {"question"}, {"kind"}, {"n", true}, {"right", true}, {"answer"}, {"times", true}});
    for (const QuestionTally& question : tally.questions)
        for (const auto& [words, times] : question.answers) {
            const bool open = question.kind == sessions::AnswerKind::Open;
            const std::vector<sessions::TableValue> row = {question.id,
                                                           question.question,
                                                           std::string(sessions::nameOf(question.kind)),
                                                           std::int64_t{question.n},
                                                           open ? sessions::TableValue{}
                                                                : sessions::TableValue{std::int64_t{question.right}},
                                                           words,
                                                           std::int64_t{times}};
            table.row(row);
        }
    table.end();
    return out.str();
}

bool isCsv(const std::string& path)
{
    return std::filesystem::path(path).extension() == ".csv";
}

std::string oneDigit(double number)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << number;
    return text.str();
}

/// Returns the table of exam takers and their times; empty if there are none.
std::string examTable(const ClassTally& tally)
{
    std::vector<std::vector<std::string>> rows{{"name", "exam", "started", "minutes", "allowed", "answers", "right"}};
    for (const sessions::HandedIn& student : tally.students)
        if (const auto& exam = student.exam)
            rows.push_back({student.name, exam->name, exam->started, oneDigit(exam->seconds / 60),
                            exam->minutes > 0 ? oneDigit(exam->minutes) : std::string("any"),
                            std::to_string(student.answers), std::to_string(student.right)});
    return rows.size() > 1 ? textTable(rows) + "\n" : std::string();
}

void print(const ClassTally& tally)
{
    std::vector<std::vector<std::string>> rows{{"question", "n", "right", "most frequent answer"}};
    for (const QuestionTally& question : tally.questions)
        rows.push_back({question.id, std::to_string(question.n),
                        question.kind == sessions::AnswerKind::Open ? "open" : std::to_string(question.right),
                        question.answers.front().first.substr(0, 60)});
    printText("%zu hand-ins\n%s%s", tally.students.size(), examTable(tally).c_str(), textTable(rows).c_str());
}

/// An exam or a workshop as one web page, whose answers a later `class` counts.
Result<void> makeClassPage(const Context& context, const ClassArguments& arguments)
{
    const auto file = page::findStory(context.resources, arguments.folder);
    const auto story = file.has_value() ? page::readStory(*file) : Result<page::Story>(file.error());
    if (!story.has_value())
        return story.error();
    if (story->models.empty())
        return inputError("'" + arguments.folder + "' names no model; expected \"models\": [\"tiny-transformer\"].");
    PageArguments page{.first = story->models.front(),
                       .second = story->models.size() > 1 ? story->models[1] : std::string(),
                       .output = arguments.page,
                       .title = story->title,
                       .stories = {file->string()},
                       .tasks = {},
                       .tokenizer = {},
                       .rows = arguments.rows,
                       .samples = page::sourcesOf(*story).empty() ? 1 : 0,
                       .exam = true};
    const auto made = makePage(context, page);
    if (!made.has_value())
        return made.error();
    if (context.json)
        Context::print({{"file", arguments.page}, {"questions", made->questions}, {"bytes", made->bytes}});
    else
        printText("%s: %.2f MB, %s\n", arguments.page.c_str(), static_cast<double>(made->bytes) / 1e6,
                  counted(made->questions, "question").c_str());
    return {};
}

Result<void> run(const Context& context, const ClassArguments& arguments)
{
    if (!arguments.page.empty())
        return makeClassPage(context, arguments);
    for (const std::string& path : arguments.outputs)
        if (const auto known = isCsv(path) ? Result<void>() : figures::checkClassChart(path); !known.has_value())
            return known;
    const page::AnswerSheets handedIn = page::answerSheetsIn(arguments.folder);
    auto tally = sessions::tallyClass(arguments.folder, handedIn.sheets);
    if (!tally.has_value())
        return tally.error();
    tally->problems.insert(tally->problems.end(), handedIn.problems.begin(), handedIn.problems.end());
    for (const std::string& problem : tally->problems)
        context.note(problem);
    for (const std::string& path : arguments.outputs) {
        const auto written = isCsv(path) ? writeFile(path, csvOf(*tally)) : figures::writeClassChart(*tally, path);
        if (!written.has_value())
            return written;
    }
    if (context.json)
        Context::print(tallyJson(*tally));
    else
        print(*tally);
    return {};
}

} // namespace

void addClassCommand(CLI::App& app, Context& context)
{
    const auto arguments = std::make_shared<ClassArguments>();
    CLI::App* command = app.add_subcommand(
        "class",
        "evaluate the answers that a class handed in to tours and exercises, or write exercises as a web page");
    command
        ->add_option("FOLDER", arguments->folder,
                     "folder of sessions (*.headscope) and answers from web pages (*.json); with --page, exercises by "
                     "name or as a file")
        ->required();
    CLI::Option* page = option(*command, "--page", arguments->page);
    arguments->rows.addTo(*command, context);
    command->get_option("--limit")->needs(page);
    option(*command, "--output", arguments->outputs,
           "output file: a .csv table, or a chart as .pdf .svg .png; may be repeated");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return run(context, *arguments); }; });
}

} // namespace headscope::cli
