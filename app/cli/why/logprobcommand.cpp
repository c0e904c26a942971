// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"
#include "app/cli/files/texttable.h"
#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/cli/why/analysisfiles.h"
#include "app/cli/why/analysisrun.h"
#include "app/cli/why/likelytokens.h"
#include "core/why/lenses/tokenlogprobs.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace headscope::cli {

using nlohmann::json;

namespace {

struct LogprobArguments {
    ModelArguments model;
    QuestionArguments question;
    int top = 3;
    std::vector<std::string> outputs;
};

/// The same tokens twice: as things are, and with all heads on.
struct Read {
    engine::Question question;
    std::vector<why::TokenLogProb> now, baseline;
};

Result<Read> read(const Context& context, const LogprobArguments& arguments, const Analysed& analysed)
{
    auto question = questionOf(context, arguments.question, analysed);
    if (!question.has_value())
        return question.error();
    const auto plain = lm::resolve({}, analysed.open.spec(), analysed.open.donors);
    if (!plain.has_value())
        return plain.error();
    const Control control = context.control();
    auto now = why::tokenLogProbs(analysed.model(), question->ids, analysed.base, arguments.top, control);
    if (!now.has_value())
        return now.error();
    auto baseline =
        analysed.set.empty() ? now : why::tokenLogProbs(analysed.model(), question->ids, *plain, 0, control);
    if (!baseline.has_value())
        return baseline.error();
    return Read{std::move(*question), std::move(*now), std::move(*baseline)};
}

// JSON has no NaN: the first token has none.
json numberOrNull(double value)
{
    return std::isfinite(value) ? json(value) : json();
}

json describeLogprob(const Read& read, const Analysed& analysed)
{
    const std::vector<std::string> texts = analysed.tokens(read.question.ids);
    json tokens = json::array();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        tokens.push_back({{"position", i},
                          {"token", texts[i]},
                          {"id", read.question.ids[i]},
                          {"logprob", numberOrNull(read.now[i].value)},
                          {"baseline", numberOrNull(read.baseline[i].value)},
                          {"likely", likelyTokens(read.now[i].likely, analysed)}});
    }
    return tokens;
}

AnalysisResult logprobResult(const Read& read, const json& tokens, const Analysed& analysed)
{
    AnalysisResult result{.table = {{"position", "token", "logprob", "baseline", "change"}},
                          .provenance = analysed.provenance(read.question.source)};
    NamedTensor now{"logprob", {static_cast<std::int64_t>(tokens.size())}, {}}, baseline{"baseline", now.shape, {}};
    for (std::size_t i = 0; i < read.now.size(); ++i) {
        const double is = read.now[i].value, was = read.baseline[i].value;
        now.values.push_back(static_cast<float>(is));
        baseline.values.push_back(static_cast<float>(was));
        result.table.push_back({std::to_string(i), tokens[i]["token"].get<std::string>(), i > 0 ? signedNumber(is) : "",
                                i > 0 ? signedNumber(was) : "", i > 0 ? signedNumber(is - was) : ""});
    }
    result.tensors = {std::move(now), std::move(baseline)};
    return result;
}

void printLogprob(const json& reply, bool ablated)
{
    std::vector<std::vector<std::string>> rows = {{"token", "log-probability", "most probable there"}};
    if (ablated)
        rows.front().insert(rows.front().begin() + 2, "change");
    for (const json& token : reply["tokens"]) {
        if (token["logprob"].is_null())
            continue;
        const double now = token["logprob"];
        rows.push_back({token["token"], signedNumber(now), likelyText(token["likely"])});
        if (ablated)
            rows.back().insert(rows.back().begin() + 2, signedNumber(now - token["baseline"].get<double>()));
    }
    printText("%s\nNatural logarithms; the first token has nothing before it.\n", textTable(rows).c_str());
}

Result<void> logProbs(const Context& context, const LogprobArguments& arguments)
{
    auto analysed = openAnalysed(context, arguments.model, arguments.outputs);
    if (!analysed.has_value())
        return analysed.error();
    const auto found = read(context, arguments, *analysed);
    if (!found.has_value())
        return found.error();
    const json reply = {{"model", analysed->open.name},
                        {"source", found->question.source},
                        {"ablation", analysed->set.canonical()},
                        {"tokens", describeLogprob(*found, *analysed)},
                        {"files", arguments.outputs}};
    if (!arguments.outputs.empty())
        if (const auto written = writeAnalysis(arguments.outputs, logprobResult(*found, reply["tokens"], *analysed));
            !written.has_value())
            return written;
    if (context.json)
        Context::print(reply);
    else
        printLogprob(reply, !analysed->set.empty());
    return {};
}

} // namespace

void addLogProbCommand(CLI::App& app, Context& context)
{
    auto arguments = std::make_shared<LogprobArguments>();
    CLI::App* command = app.add_subcommand(
        "logprob", "show the log-probability of each token of a prompt, and how an ablation changes it");
    arguments->model.addTo(*command, context);
    arguments->question.addTo(*command, context, "example of the task, counted from 0", ComparedTokens::None);
    option(*command, "--top", arguments->top, "number of most likely tokens per position")->check(CLI::Range(0, 1000));
    option(*command, "--output", arguments->outputs, "output file: .safetensors .csv; may be repeated");
    command->callback([&context, command, arguments] {
        QuestionArguments::require(*command);
        context.run = [&context, arguments] { return logProbs(context, *arguments); };
    });
}

} // namespace headscope::cli
