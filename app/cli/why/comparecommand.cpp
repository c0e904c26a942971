// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "app/workbench/survey/surveytexts.h"
#include "core/base/words/counted.h"
#include "core/engine/questions/headchanges.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace headscope::cli {

using engine::HeadChange;
using nlohmann::json;

namespace {

constexpr std::size_t kChangesShown = 24;
constexpr double kLevel = 0.05;

struct CompareArguments {
    ModelArguments model;
    std::string other;
    QuestionArguments question;
    std::vector<std::string> texts;
    int prompts = 100, length = 128; ///< of the texts
    int top = 0;
    std::vector<std::string> outputs;
};

json jsonOf(const std::optional<double>& value)
{
    return value ? json(*value) : json();
}

json describeChanges(const engine::HeadChanges& changes)
{
    json heads = json::array();
    for (const HeadChange& change : changes.heads) {
        json head = {{"head", change.head},
                     {"ov", jsonOf(change.ov)},
                     {"qk", jsonOf(change.qk)},
                     {"pattern", change.pattern ? json(change.pattern->value) : json()},
                     {"effect", change.effect ? json(change.effect->value) : json()},
                     {"interval", json()}};
        if (change.effect && change.effect->interval)
            head["interval"] = {change.effect->interval->low, change.effect->interval->high};
        if (change.effect)
            head["p"] = change.p;
        heads.push_back(std::move(head));
    }
    return heads;
}

AnalysisResult changesResult(const engine::HeadChanges& changes, const std::string& provenance)
{
    AnalysisResult result{.table = {{"head", "ov", "qk", "pattern", "effect", "low", "high", "p (Holm)"}},
                          .tensors = {},
                          .provenance = provenance};
    const auto count = static_cast<std::int64_t>(changes.heads.size());
    for (const char* name : {"compare.ov", "compare.qk", "compare.pattern", "compare.effect"})
        result.tensors.push_back({name, {count}, {}});
    const auto cell = [](const std::optional<double>& value) { return value ? number(*value) : std::string(); };
    for (const HeadChange& change : changes.heads) {
        const auto& interval = change.effect ? change.effect->interval : std::nullopt;
        const std::optional<double> pattern = change.pattern ? std::optional(change.pattern->value) : std::nullopt,
                                    effect = change.effect ? std::optional(change.effect->value) : std::nullopt;
        result.table.push_back({change.head, cell(change.ov), cell(change.qk), cell(pattern),
                                effect ? signedNumber(*effect) : "", interval ? signedNumber(interval->low) : "",
                                interval ? signedNumber(interval->high) : "", effect ? number(change.p) : ""});
        std::size_t at = 0;
        for (const auto& value : {change.ov, change.qk, pattern, effect})
            result.tensors[at++].values.push_back(static_cast<float>(value.value_or(NAN)));
    }
    return result;
}

// By what was measured: the effect where there is one, else the pattern, else the weights.
double sizeOf(const HeadChange& change)
{
    return change.effect    ? std::abs(change.effect->value)
           : change.pattern ? change.pattern->value
                            : change.ov.value_or(0) + change.qk.value_or(0);
}

void printChanges(const engine::HeadChanges& changes, const std::string& a, const std::string& b, std::size_t count)
{
    std::vector<HeadChange> heads = changes.heads;
    std::stable_sort(heads.begin(), heads.end(),
                     [](const HeadChange& x, const HeadChange& y) { return sizeOf(x) > sizeOf(y); });
    const std::size_t all = heads.size();
    heads.resize(std::min(count, all));
    printText("Heads of %s against %s: relative change of the weights (OV, QK)%s%s\n\n", b.c_str(), a.c_str(),
              changes.prompts > 0 ? ", Jensen-Shannon distance of the patterns" : "",
              changes.answered > 0 ? ", and how much more their removal costs (nats of the answer)" : "");
    engine::HeadChanges shown = changes;
    shown.heads = std::move(heads);
    printText("%s\n", textTable(changesResult(shown, {}).table).c_str());
    if (shown.heads.size() < all)
        printText("Shown: %zu of %s, the largest first.\n", shown.heads.size(), counted(all, "head").c_str());
    if (changes.answered > 0) {
        const auto moved = std::count_if(changes.heads.begin(), changes.heads.end(),
                                         [](const HeadChange& change) { return change.p < kLevel; });
        printText("Over %s the effect of %s changed (p < 0.05, corrected over %s).\n",
                  counted(static_cast<std::size_t>(changes.answered), "prompt").c_str(),
                  counted(static_cast<std::size_t>(moved), "head").c_str(), counted(all, "head").c_str());
    }
    for (const std::string& sentence : changes.undefined)
        printText("%s\n", sentence.c_str());
}

// Both models must read the same tokens, or rows of their patterns are of different words.
Result<void> checkTokens(const std::vector<engine::Question>& a, const std::vector<engine::Question>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        if (i >= b.size() || a[i].ids != b[i].ids || a[i].answer != b[i].answer)
            return inputError("The two models read " + a[i].source
                              + " as different tokens; heads can only be compared on the same ones.");
    return {};
}

// The texts in pieces, which have no answer.
Result<std::vector<engine::Question>> piecesOf(const Context& context, const CompareArguments& arguments,
                                               const Analysed& analysed)
{
    app::SurveyRequest wanted;
    wanted.texts.assign(arguments.texts.begin(), arguments.texts.end());
    wanted.window = arguments.length;
    wanted.tokens = 0;
    wanted.seed = context.settings.seed;
    auto texts = app::openTexts(analysed.open, wanted, context.control());
    if (!texts.has_value())
        return texts.error();
    std::vector<engine::Question> pieces;
    while (std::ssize(pieces) < arguments.prompts) {
        auto window = texts->windows.next();
        if (!window.has_value())
            return window.error();
        if (!window->has_value())
            break;
        pieces.push_back({.source = texts->source, .ids = std::move((*window)->facts.ids)});
    }
    if (pieces.empty())
        return inputError("The texts contain no tokens.");
    return pieces;
}

Result<void> compare(const Context& context, const CompareArguments& arguments)
{
    if (const auto known = checkAnalysisPaths(arguments.outputs); !known.has_value())
        return known;
    if (!arguments.model.ablate.empty() || !arguments.question.distractor.empty())
        return inputError(std::string("Whole models are compared, by the log-probability of the answer; leave out ")
                          + (arguments.model.ablate.empty() ? "--distractor." : "--ablate."));
    ModelArguments second = arguments.model;
    second.model = arguments.other;
    auto a = openAnalysed(context, arguments.model);
    if (!a.has_value())
        return a.error();
    auto b = openAnalysed(context, second);
    if (!b.has_value())
        return b.error();
    std::vector<engine::Question> questions;
    if (arguments.question.text || !arguments.question.task.empty() || !arguments.texts.empty()) {
        const auto read = [&](const Analysed& of) {
            return arguments.texts.empty() ? questionsOf(context, arguments.question, of)
                                           : piecesOf(context, arguments, of);
        };
        auto own = read(*a);
        const auto other = read(*b);
        if (!own.has_value() || !other.has_value())
            return own.has_value() ? other.error() : own.error();
        if (const auto same = checkTokens(*own, *other); !same.has_value())
            return same;
        questions = std::move(*own);
    }
    const auto changes = engine::headChanges(a->model(), b->model(), questions, context.control());
    if (!changes.has_value())
        return changes.error();
    if (const auto stored = a->keep(app::compareRecord(a->asked(), b->open.subject, questions, *changes));
        !stored.has_value())
        return stored;
    const std::string source = questions.empty()                                   ? "weights alone"
                               : questions.size() == 1 || !arguments.texts.empty() ? questions.front().source
                                                                                   : arguments.question.task;
    if (!arguments.outputs.empty())
        if (const auto written =
                writeAnalysis(arguments.outputs,
                              changesResult(*changes, a->provenance(source) + ", against " + b->open.provenance()));
            !written.has_value())
            return written;
    const json reply = {{"models", {a->open.name, b->open.name}},
                        {"source", source},
                        {"prompts", changes->prompts},
                        {"answered", changes->answered},
                        {"heads", describeChanges(*changes)},
                        {"undefined", changes->undefined},
                        {"files", arguments.outputs}};
    if (context.json)
        Context::print(reply);
    else
        printChanges(*changes, a->open.name, b->open.name,
                     arguments.top > 0 ? static_cast<std::size_t>(arguments.top) : kChangesShown);
    return {};
}

} // namespace

void addCompareCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<CompareArguments>();
    CLI::App* command = app.add_subcommand(
        "compare",
        "list heads that differ between two models of the same shape, such as a model and its fine-tuned version");
    arguments->model.addTo(*command, context);
    command->add_option("MODEL_B", arguments->other, "the other model; MODEL+FOLDER is a model with a LoRA adapter")
        ->required();
    arguments->question.addTo(*command, context, "this example of the task only (default: all, with intervals)");
    option(*command, "--texts", arguments->texts,
           "texts whose patterns are compared: a .txt or .jsonl file, or a folder of such files; may be repeated")
        ->excludes("--text")
        ->excludes("--task");
    option(*command, "--prompts", arguments->prompts, "number of pieces of the texts, at most")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    option(*command, "--length", arguments->length, "number of tokens per piece of the texts")
        ->check(CLI::Range(2, 1 << 20))
        ->capture_default_str();
    option(*command, "--top", arguments->top, "number of heads to print, largest change first; 0: 24");
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback(
        [&context, arguments] { context.run = [&context, arguments] { return compare(context, *arguments); }; });
}

} // namespace headscope::cli
