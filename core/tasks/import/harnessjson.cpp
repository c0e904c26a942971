// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/harnessjson.h"

#include "core/base/hash.h"
#include "core/tasks/import/rows.h"
#include "core/tasks/python/pytext.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headscope::tasks {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

// The harness writes numbers of responses as Python prints them.
std::string pythonFloat(double value)
{
    return json(value).dump();
}

ordered_json numberOrNa(const std::optional<double>& value)
{
    return value ? ordered_json(*value) : ordered_json("N/A");
}

// "1.0" as the number 1.0; other texts as they are.
ordered_json versionOf(const std::string& version)
{
    const ordered_json number = ordered_json::parse(version, nullptr, false);
    return number.is_number() ? number : ordered_json(version);
}

ordered_json configOf(const LeafTask& leaf)
{
    ordered_json metrics = ordered_json::array();
    for (const Metric& metric : leaf.metrics)
        metrics.push_back({{"metric", name(metric.kind)},
                           {"aggregation", metric.kind == Metric::Kind::Perplexity ? "perplexity" : "mean"},
                           {"higher_is_better", metric.kind != Metric::Kind::Perplexity},
                           {"filter", metric.filter}});
    return {{"task", leaf.name},
            {"description", leaf.description},
            {"output_type", name(leaf.scoring)},
            {"num_fewshot", leaf.fewshot},
            {"metric_list", metrics},
            {"metadata", {{"version", versionOf(leaf.version)}}}};
}

ordered_json requestArguments(const Example& example)
{
    ordered_json arguments = ordered_json::object();
    const auto add = [&](std::size_t i, ordered_json first, ordered_json second) {
        arguments["gen_args_" + std::to_string(i)] = {{"arg_0", std::move(first)}, {"arg_1", std::move(second)}};
    };
    if (example.scoring == Scoring::Generation)
        add(0, example.context,
            {{"until", example.until}, {"max_gen_toks", example.maxNewTokens}, {"do_sample", false}});
    for (std::size_t i = 0; i < example.continuations.size(); ++i)
        add(i, example.contexts.empty() ? example.context : example.contexts[i], example.continuations[i]);
    return arguments;
}

} // namespace

std::vector<std::string> filtersOf(const LeafTask& leaf)
{
    std::vector<std::string> filters;
    for (const Metric& metric : leaf.metrics) {
        if (std::find(filters.begin(), filters.end(), metric.filter) == filters.end())
            filters.push_back(metric.filter);
    }
    return filters;
}

std::string harnessFileName(const std::string& name)
{
    std::string result;
    bool replaced = false;
    for (const char c : name) {
        const bool objected = std::string_view("\"<>:/|\\?*[]").find(c) != std::string_view::npos;
        if (!objected)
            result += c;
        else if (!replaced)
            result += "__";
        replaced = objected;
    }
    return result;
}

std::string harnessResults(const HarnessRun& run, std::span<const HarnessTask> tasks)
{
    ordered_json results = ordered_json::object(), groups = ordered_json::object(), subtasks = ordered_json::object();
    ordered_json configs = ordered_json::object(), versions = ordered_json::object(), shots = ordered_json::object();
    ordered_json higher = ordered_json::object(), counts = ordered_json::object(), ours = ordered_json::object();
    for (const HarnessTask& task : tasks) {
        for (const Score& score : task.scores) {
            for (ordered_json* const target : {&results, &groups}) {
                if (target == &groups && !score.group)
                    continue;
                ordered_json& entry = (*target)[score.task];
                entry["alias"] = score.task;
                entry[score.metric + "," + score.filter] = score.value;
                entry[score.metric + "_stderr," + score.filter] = numberOrNa(score.harnessError);
            }
            higher[score.task][score.metric] = score.higherIsBetter;
            ours[score.task] = {
                {"extent", score.extent}, {"n", score.n}, {"failed", score.failed}, {"rejected", score.rejected}};
        }
    }
    for (const HarnessTask& task : tasks) {
        const TaskSet& set = *task.set;
        for (const Group& group : set.groups) {
            subtasks[group.name] = ordered_json::array();
            for (const std::size_t leaf : group.leaves)
                subtasks[group.name].push_back(set.leaves[leaf].name);
            versions[group.name] = versionOf(group.version);
        }
        for (const LeafTask& leaf : set.leaves) {
            if (set.groups.empty())
                subtasks[leaf.name] = ordered_json::array();
            configs[leaf.name] = configOf(leaf);
            versions[leaf.name] = versionOf(leaf.version);
            shots[leaf.name] = leaf.fewshot;
            counts[leaf.name] = {{"original", leaf.report.accepted}, {"effective", leaf.end - leaf.begin}};
            ours[leaf.name]["split"] = leaf.split;
            ours[leaf.name]["chance"] = set.chanceOf(leaf);
        }
    }
    const ordered_json limit = run.limit ? ordered_json(*run.limit) : ordered_json();
    const ordered_json document{{"results", results},
                                {"groups", groups},
                                {"group_subtasks", subtasks},
                                {"configs", configs},
                                {"versions", versions},
                                {"n-shot", shots},
                                {"higher_is_better", higher},
                                {"n-samples", counts},
                                {"config",
                                 {{"model", run.model},
                                  {"model_args", run.modelArgs},
                                  {"batch_size", run.batchSize},
                                  {"batch_sizes", json::array()},
                                  {"limit", limit},
                                  {"bootstrap_iters", run.bootstrapResamples},
                                  {"fewshot_seed", 1234}}},
                                {"git_hash", nullptr},
                                {"date", run.date},
                                {"max_length", run.maxLength > 0 ? ordered_json(run.maxLength) : ordered_json()},
                                {"model_source", "headscope"},
                                {"model_name", run.model},
                                {"model_name_sanitized", harnessFileName(run.model)},
                                {"system_instruction", nullptr},
                                {"start_time", run.date},
                                {"end_time", run.date + run.seconds},
                                {"total_evaluation_time_seconds", std::to_string(run.seconds)},
                                {"headscope",
                                 {{"parity", "lm-evaluation-harness 0.4.7"},
                                  {"ablation", run.ablation},
                                  {"bos", run.bos},
                                  {"log_softmax", run.logSoftmax},
                                  {"tasks", ours}}}};
    return document.dump(2, ' ', false, json::error_handler_t::replace);
}

std::string harnessSample(const Example& example, const LeafTask& leaf, const Outcome& outcome,
                          const Judgement& judgement, const std::string& filter)
{
    const std::string target = example.scoring == Scoring::MultipleChoice  ? std::to_string(example.gold)
                               : example.scoring == Scoring::LogLikelihood ? example.continuations.front()
                                                                           : example.target;
    ordered_json responses = ordered_json::array(), filtered = ordered_json::array();
    for (std::size_t i = 0; i < outcome.logLikelihoods.size() && i < outcome.greedy.size(); ++i) {
        const ordered_json pair = {pythonFloat(outcome.logLikelihoods[i]), outcome.greedy[i] ? "True" : "False"};
        responses.push_back(ordered_json::array({pair}));
        filtered.push_back(pair);
    }
    ordered_json values = ordered_json::object();
    for (std::size_t m = 0; m < leaf.metrics.size() && m < judgement.values.size(); ++m) {
        if (leaf.metrics[m].filter != filter)
            continue;
        values[name(leaf.metrics[m].kind)] = judgement.values[m];
        if (example.scoring == Scoring::Generation)
            filtered = ordered_json::array({judgement.answers[m]});
    }
    if (example.scoring == Scoring::Generation)
        responses = ordered_json::array({ordered_json::array({outcome.generated})});

    ordered_json metrics = ordered_json::array();
    for (const auto& [key, value] : values.items())
        metrics.push_back(key);
    const std::string& prompt = example.contexts.empty() ? example.context : example.contexts.front();
    ordered_json sample{{"doc_id", example.row},
                        {"doc", {{"file", example.file}, {"row", example.row}}},
                        {"target", target},
                        {"arguments", requestArguments(example)},
                        {"resps", responses},
                        {"filtered_resps", filtered},
                        {"filter", filter},
                        {"metrics", metrics},
                        {"doc_hash", contentHash(example)},
                        {"prompt_hash", sha256Hex(prompt)},
                        {"target_hash", sha256Hex(target)}};
    sample.update(values);
    sample["id"] = contentHash(example);
    sample["task"] = example.task;
    sample["prediction"] = judgement.prediction;
    sample["gold"] = example.gold;
    sample["log_likelihoods"] = outcome.logLikelihoods;
    return sample.dump(-1, ' ', false, json::error_handler_t::replace);
}

namespace {

// A number, or a text that is one ("-1.25", "-inf").
std::optional<double> numberOf(const json& value)
{
    if (value.is_number())
        return value.get<double>();
    if (value.is_boolean())
        return value.get<bool>() ? 1.0 : 0.0;
    if (!value.is_string())
        return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// One request's arguments: {"arg_0", "arg_1"} on disk, a list in memory dumps.
bool addRequest(const json& request, HarnessSample& sample)
{
    const json first = request.is_array() && !request.empty() ? request[0]
                       : request.is_object()                  ? request.value("arg_0", json())
                                                              : json();
    const json second = request.is_array() && request.size() > 1 ? request[1]
                        : request.is_object()                    ? request.value("arg_1", json())
                                                                 : json();
    if (!first.is_string())
        return false;
    sample.contexts.push_back(first);
    if (second.is_string())
        sample.continuations.push_back(second);
    return true;
}

// The response of one request: [["-1.5", "False"]] or ["text"], with or without the outer list of repeats.
bool addResponse(const json& response, HarnessSample& sample)
{
    const json* value = &response;
    if (value->is_array() && value->size() == 1 && (value->front().is_array() || value->front().is_string()))
        value = &value->front();
    if (value->is_string()) {
        sample.text = value->get<std::string>();
        return true;
    }
    if (!value->is_array() || value->size() != 2)
        return false;
    const std::optional<double> logLikelihood = numberOf((*value)[0]);
    if (!logLikelihood)
        return false;
    const json& greedy = (*value)[1];
    sample.logLikelihoods.push_back(*logLikelihood);
    sample.greedy.push_back(greedy == json("True") || greedy == json(true));
    return true;
}

// The first thing that is wrong with a line, or an empty text.
std::string readSample(const json& line, HarnessSample& sample)
{
    const json id = line.value("doc_id", json());
    if (!id.is_number_integer() || id < 0 || id > 1'000'000'000)
        return "doc_id is missing or not a whole number.";
    sample.docId = id;
    if (const json filter = line.value("filter", json("none")); filter.is_string())
        sample.filter = filter;
    const json arguments = line.value("arguments", json());
    if (!arguments.is_structured() || arguments.empty())
        return "arguments is missing.";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const json request =
            arguments.is_array() ? arguments[i] : arguments.value("gen_args_" + std::to_string(i), json());
        if (!addRequest(request, sample))
            return "Request " + std::to_string(i) + " in arguments has no context.";
    }
    const json responses = line.value("resps", json());
    if (!responses.is_array() || responses.size() != arguments.size())
        return "resps does not contain one response a request.";
    for (std::size_t i = 0; i < responses.size(); ++i) {
        if (!addResponse(responses[i], sample))
            return "Response " + std::to_string(i) + " in resps is neither a string nor (log-likelihood, greedy).";
    }
    for (const char* metric : {"acc", "acc_norm", "perplexity", "exact_match", "contains"}) {
        if (line.contains(metric)) {
            if (const std::optional<double> value = numberOf(line[metric]))
                sample.metrics[metric] = *value;
        }
    }
    return {};
}

int largest(const std::vector<double>& values)
{
    return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

} // namespace

Result<HarnessSamples> readHarnessSamples(const std::filesystem::path& path)
{
    Result<std::string> bytes = readBytes(path);
    if (!bytes.has_value())
        return bytes.error();
    const std::string file = path.filename().string();
    Rows rows = jsonLines(*bytes, file);
    HarnessSamples samples;
    samples.rejected = std::move(rows.rejected);
    for (const Row& row : rows.rows) {
        HarnessSample sample;
        const std::string wrong = readSample(row.value, sample);
        if (wrong.empty())
            samples.rows.push_back(std::move(sample));
        else
            samples.rejected.push_back({file,
                                        row.firstLine,
                                        row.lastLine,
                                        row.record,
                                        {},
                                        "missing_field",
                                        {},
                                        wrong,
                                        excerpt(row.value.dump())});
    }
    if (samples.rows.empty())
        return inputError(
            "'" + path.string() + "' contains no samples of lm-evaluation-harness"
            + (samples.rejected.empty() ? std::string(": it is empty.") : "; " + toText(samples.rejected.front())));
    return samples;
}

SampleComparison compareSamples(const HarnessSamples& first, const HarnessSamples& second, double tolerance)
{
    SampleComparison result;
    std::map<std::pair<int, std::string>, const HarnessSample*> others;
    for (const HarnessSample& sample : second.rows)
        others[{sample.docId, sample.filter}] = &sample;
    result.onlySecond = static_cast<int>(others.size());
    double sum = 0;
    std::int64_t compared = 0;
    for (const HarnessSample& mine : first.rows) {
        const auto found = others.find({mine.docId, mine.filter});
        if (found == others.end()) {
            ++result.onlyFirst;
            continue;
        }
        const HarnessSample& theirs = *found->second;
        ++result.matched;
        --result.onlySecond;
        SampleComparison::Row row;
        row.docId = mine.docId;
        row.filter = mine.filter;
        row.promptDiffers = mine.contexts != theirs.contexts || mine.continuations != theirs.continuations;
        row.textDiffers = mine.text != theirs.text;
        const bool comparable = mine.logLikelihoods.size() == theirs.logLikelihoods.size();
        row.promptDiffers = row.promptDiffers || !comparable;
        for (std::size_t i = 0; comparable && i < mine.logLikelihoods.size(); ++i) {
            const double difference = mine.logLikelihoods[i] == theirs.logLikelihoods[i]
                                          ? 0.0
                                          : std::abs(mine.logLikelihoods[i] - theirs.logLikelihoods[i]);
            row.largestDifference = std::max(row.largestDifference, difference);
            sum += difference;
            ++compared;
        }
        if (comparable && mine.logLikelihoods.size() > 1)
            row.predictionDiffers = largest(mine.logLikelihoods) != largest(theirs.logLikelihoods);
        for (const auto& [metric, value] : mine.metrics) {
            const auto other = theirs.metrics.find(metric);
            // A perplexity row is a log-likelihood, so it has the log-likelihoods' tolerance.
            const double allowed = metric == "perplexity" ? tolerance : 0;
            if (other != theirs.metrics.end() && std::abs(other->second - value) > allowed)
                row.metrics.push_back(metric);
        }
        result.largestDifference = std::max(result.largestDifference, row.largestDifference);
        result.beyondTolerance += row.largestDifference > tolerance;
        result.promptsDiffer += row.promptDiffers;
        result.predictionsDiffer += row.predictionDiffers;
        result.metricsDiffer += !row.metrics.empty();
        if (row.largestDifference > tolerance || row.promptDiffers || row.predictionDiffers || row.textDiffers
            || !row.metrics.empty())
            result.rows.push_back(std::move(row));
    }
    result.meanDifference = compared > 0 ? sum / static_cast<double>(compared) : 0;
    std::stable_sort(result.rows.begin(), result.rows.end(),
                     [](const auto& a, const auto& b) { return a.largestDifference > b.largestDifference; });
    return result;
}

} // namespace headscope::tasks
