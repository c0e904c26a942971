// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/runs/scorerun.h"
#include "app/notebook/tokenizerchoice.h"
#include "core/base/words/counted.h"
#include "core/engine/scoring/pairs/encode.h"
#include "core/tasks/import/requestjson.h"

#include <limits>
#include <memory>

namespace headscope::cli {

namespace {

struct RequestsArguments {
    TaskArguments task;
    std::vector<std::string> names;
    std::string model;
};

constexpr std::size_t kRowsShown = 20;

void printRows(const Context& context, const char* word, const std::vector<tasks::RowIssue>& issues)
{
    for (std::size_t i = 0; i < issues.size() && i < kRowsShown; ++i)
        context.note(std::string(word) + " " + tasks::toText(issues[i]) + " [" + issues[i].code + "]");
    if (issues.size() > kRowsShown)
        context.note("... and " + std::to_string(issues.size() - kRowsShown) + " more " + word + " rows");
}

// One pair a continuation, read back from the sequences that would be run.
Result<std::vector<tasks::PairTokens>> pairTokens(const tasks::Example& example, tasks::PairEncoding pairing,
                                                  const text::Tokenizer& tokenizer)
{
    const engine::EncodedExample encoded =
        engine::encode(example, pairing, tokenizer, engine::BosPolicy::Never, std::numeric_limits<int>::max() / 2);
    if (!encoded.rejected.empty())
        return inputError("Row " + std::to_string(example.row) + " of '" + example.file + "': " + encoded.rejected);
    if (example.scoring == tasks::Scoring::Generation)
        return std::vector<tasks::PairTokens>{{encoded.prompt, {}}};
    std::vector<tasks::PairTokens> pairs(static_cast<std::size_t>(encoded.choices));
    for (const engine::Sequence& sequence : encoded.sequences) {
        for (const engine::Sequence::Target& target : sequence.targets) {
            tasks::PairTokens& pair = pairs[static_cast<std::size_t>(target.choice)];
            if (pair.continuation.empty())
                pair.context.assign(sequence.ids.begin(), sequence.ids.begin() + target.position + 1);
            pair.continuation.push_back(target.token);
        }
    }
    return pairs;
}

Result<void> printTask(const Context& context, const std::string& name, const RequestsArguments& arguments,
                       const text::Tokenizer* tokenizer)
{
    const tasks::TaskOptions options = arguments.task.options(context);
    const Result<tasks::TaskSet> set =
        tokenizer ? tasks::makeTask(name, options, *tokenizer) : tasks::makeTask(name, options);
    if (!set.has_value())
        return set.error();
    const tasks::ImportReport& report = set->report;
    context.note(name + ": " + std::to_string(report.accepted) + " of " + counted(report.read, "row") + " accepted, "
                 + std::to_string(report.rejected.size()) + " rejected (" + report.extent() + "), layout "
                 + tasks::name(report.layout));
    printRows(context, "rejected", report.rejected);
    printRows(context, "warning", report.warnings);
    for (const std::string& note : set->notes)
        context.note(note);
    std::size_t bad = 0;
    for (std::size_t i = 0; i < set->examples.size(); ++i) {
        std::vector<tasks::PairTokens> pairs;
        if (tokenizer) {
            Result<std::vector<tasks::PairTokens>> found =
                pairTokens(set->examples[i], set->leafOf(i).pairing, *tokenizer);
            if (!found.has_value()) { // listed, and the others are still worth having
                if (++bad <= kRowsShown)
                    context.note("left out: " + found.error().message);
                continue;
            }
            pairs = std::move(*found);
        }
        printJson(tasks::requestJson(set->examples[i], pairs));
    }
    if (bad > kRowsShown)
        context.note("... and " + counted(bad - kRowsShown, "more row") + " left out");
    if (bad > 0 && bad == set->examples.size())
        return inputError("This model's tokenizer can read no row of '" + name + "'.");
    return {};
}

} // namespace

void addRequestsCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<RequestsArguments>();
    CLI::App* command = app.add_subcommand("requests", "print the exact prompts and continuations of a task");
    option(*command, "--task", arguments->names)->required()->delimiter(',');
    arguments->task.addTo(*command, context);
    option(*command, "--model", arguments->model, "also print the token ids of this model's tokenizer");
    command->callback([&context, arguments] {
        context.run = [&context, arguments]() -> Result<void> {
            std::shared_ptr<const text::Tokenizer> tokenizer;
            if (!arguments->model.empty()) {
                const auto folder = context.modelFolder(arguments->model);
                if (!folder.has_value())
                    return folder.error();
                auto loaded =
                    app::openTokenizer(folder->path, {}, [&context](const std::string& line) { context.note(line); });
                if (!loaded.has_value())
                    return loaded.error();
                tokenizer = *loaded;
            }
            for (const std::string& name : expandTasks(arguments->names)) {
                if (const Result<void> printed = printTask(context, name, *arguments, tokenizer.get());
                    !printed.has_value())
                    return printed.error();
            }
            return {};
        };
    });
}

} // namespace headscope::cli
