// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/metrics.h"

#include "core/tasks/filters.h"
#include "core/tasks/python/pyrandom.h"
#include "core/tasks/python/pytext.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::tasks {

struct Judge::Compiled {
    LeafTask leaf;                             // without report and rows
    std::vector<Filter> filters;               // one a metric
    std::vector<std::vector<PyRegex>> removes; // one a metric
};

Result<Judge> Judge::make(const LeafTask& leaf)
{
    auto compiled = std::make_shared<Compiled>();
    compiled->leaf = leaf;
    compiled->leaf.report = {};
    for (const Metric& metric : leaf.metrics) {
        Result<Filter> filter = Filter::make(metric.extraction);
        if (!filter.has_value())
            return filter.error();
        compiled->filters.push_back(std::move(*filter));
        std::vector<PyRegex> removes;
        for (const std::string& pattern : metric.remove) {
            Result<PyRegex> regex = PyRegex::compile(pattern);
            if (!regex.has_value())
                return regex.error();
            removes.push_back(std::move(*regex));
        }
        compiled->removes.push_back(std::move(removes));
    }
    Judge judge;
    judge.m_compiled = std::move(compiled);
    return judge;
}

namespace {

// numpy's argmax: the first of the largest.
int argmax(const std::vector<double>& values)
{
    return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::string rowName(const Example& example)
{
    return "Row " + std::to_string(example.row) + " of '" + example.task + "'";
}

// The row's question as the importer had it: between "Q: " after the description and the last "\nA:".
std::string_view inputOf(const Example& example, const std::string& description)
{
    std::string_view text = example.context;
    if (text.starts_with(description))
        text.remove_prefix(description.size());
    if (text.starts_with("Q: "))
        text.remove_prefix(3);
    return text.substr(0, text.rfind("\nA:"));
}

} // namespace

Result<Judgement> Judge::judge(const Example& example, const Outcome& outcome) const
{
    if (!outcome.rejected.empty())
        return inputError(rowName(example) + " could not be scored: " + outcome.rejected);
    Judgement judgement;
    const std::vector<Metric>& metrics = m_compiled->leaf.metrics;
    if (example.scoring == Scoring::Generation) {
        if (const Result<void> judged = judgeText(example, outcome.generated, judgement); !judged.has_value())
            return judged.error();
        judgement.correct = judgement.values.front() > 0.5;
        return judgement;
    }

    const std::vector<double>& likelihoods = outcome.logLikelihoods;
    if (likelihoods.size() != example.continuations.size() || outcome.greedy.size() != likelihoods.size())
        return inputError(rowName(example) + " has " + std::to_string(example.continuations.size())
                          + " continuations and " + std::to_string(likelihoods.size()) + " log-likelihoods.");
    for (const double value : likelihoods) {
        if (!std::isfinite(value))
            return inputError(rowName(example) + " has a log-likelihood that is not finite.");
    }
    if (example.scoring == Scoring::LogLikelihood) {
        judgement.correct = outcome.greedy.front();
        for (const Metric& metric : metrics)
            judgement.values.push_back(metric.kind == Metric::Kind::Perplexity ? likelihoods.front()
                                                                               : judgement.correct);
        return judgement;
    }

    judgement.prediction = argmax(likelihoods);
    judgement.correct = judgement.prediction == example.gold;
    for (const Metric& metric : metrics) {
        int prediction = judgement.prediction;
        if (metric.kind == Metric::Kind::AccNorm) {
            std::vector<double> normalised = likelihoods;
            for (std::size_t i = 0; i < normalised.size(); ++i)
                normalised[i] /= example.normLengths[i];
            prediction = argmax(normalised);
        }
        judgement.values.push_back(prediction == example.gold);
    }
    return judgement;
}

Result<void> Judge::judgeText(const Example& example, const std::string& text, Judgement& judgement) const
{
    for (std::size_t m = 0; m < m_compiled->leaf.metrics.size(); ++m) {
        const Metric& metric = m_compiled->leaf.metrics[m];
        Result<std::string> answer = m_compiled->filters[m].apply(text, inputOf(example, m_compiled->leaf.description));
        if (!answer.has_value())
            return answer.error();
        judgement.answers.push_back(*answer);
        if (metric.kind == Metric::Kind::Contains) {
            Result<PyRegex> literal = PyRegex::compile(PyRegex::escaped(example.target), true);
            Result<bool> found = literal.has_value() ? literal->search(*answer) : Result<bool>(literal.error());
            if (!found.has_value())
                return found.error();
            judgement.values.push_back(*found);
            continue;
        }
        std::string sides[2] = {*answer, example.target};
        for (std::string& side : sides) {
            for (const PyRegex& regex : m_compiled->removes[m]) {
                Result<std::string> kept = regex.removed(side);
                if (!kept.has_value())
                    return kept.error();
                side = std::move(*kept);
            }
            if (metric.ignoreCase)
                side = lower(side);
            if (metric.ignorePunctuation)
                side = withoutAsciiPunctuation(side);
        }
        judgement.values.push_back(sides[0] == sides[1]);
    }
    return {};
}

std::optional<double> standardErrorOfMean(std::span<const double> values)
{
    if (values.size() < 2)
        return std::nullopt;
    const double n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / (n - 1)) / std::sqrt(n);
}

Result<std::optional<double>> perplexityError(std::span<const double> logLikelihoods, int resamples,
                                              const Control& control)
{
    if (resamples <= 0 || logLikelihoods.size() < 2)
        return std::optional<double>();
    const double n = static_cast<double>(logLikelihoods.size());
    const int chunk = std::min(1000, resamples);
    std::vector<double> values;
    for (int i = 0; i < resamples / chunk; ++i) {
        if (control.stopped())
            return cancelledError();
        control.progress("standard error of the perplexity", i, resamples / chunk);
        PyRandom random(static_cast<std::uint64_t>(i));
        for (int r = 0; r < chunk; ++r) {
            double sum = 0;
            for (std::size_t k = 0; k < logLikelihoods.size(); ++k)
                sum += logLikelihoods[static_cast<std::size_t>(random.uniform() * n)];
            values.push_back(std::exp(-sum / n));
        }
    }
    // The sample standard deviation is the standard error of a mean times sqrt(count).
    return std::optional(*standardErrorOfMean(values) * std::sqrt(static_cast<double>(values.size())));
}

double pooledError(std::span<const int> sizes, std::span<const double> errors)
{
    double total = 0, pooled = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        total += sizes[i];
        pooled += (sizes[i] - 1.0) * errors[i] * errors[i] * sizes[i];
    }
    return std::sqrt(pooled / (total - static_cast<double>(sizes.size())) / total);
}

namespace {

std::optional<Result<Score>> leafScore(const TaskSet& set, const LeafTask& leaf, std::size_t m,
                                       std::span<const RowResult> rows, const AggregateOptions& options,
                                       const Control& control)
{
    const Metric& metric = leaf.metrics[m];
    Score score;
    score.task = leaf.name;
    score.metric = name(metric.kind);
    score.filter = metric.filter;
    score.rejected = static_cast<int>(leaf.report.rejected.size());
    score.extent = leaf.report.extent();
    score.higherIsBetter = metric.kind != Metric::Kind::Perplexity;
    score.chance = score.higherIsBetter ? set.chanceOf(leaf) : 0;
    std::vector<double> values;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        score.failed += !rows[i].error.empty();
        if (rows[i].judgement)
            values.push_back(rows[i].judgement->values[m]);
    }
    if (values.empty())
        return std::nullopt;
    // A limit or a failure makes a subset of a complete file.
    if (score.extent == "complete" && std::ssize(values) < leaf.report.official)
        score.extent = "subset";
    score.n = static_cast<int>(values.size());
    score.value = std::accumulate(values.begin(), values.end(), 0.0) / score.n;
    if (metric.kind == Metric::Kind::Perplexity) {
        score.value = std::exp(-score.value);
        Result<std::optional<double>> error = perplexityError(values, options.bootstrapResamples, control);
        if (!error.has_value())
            return Result<Score>(error.error());
        score.standardError = *error;
        score.errorKind = "bootstrap";
    } else if (metric.kind != Metric::Kind::Contains) {
        score.standardError = standardErrorOfMean(values);
        score.errorKind = "mean";
    }
    if (!score.standardError)
        score.errorKind.clear();
    score.harnessError = score.standardError;
    if (score.higherIsBetter
        && std::all_of(values.begin(), values.end(), [](double value) { return value == 0 || value == 1; }))
        score.wilson = analysis::wilsonInterval(std::count(values.begin(), values.end(), 1.0), score.n);
    return Result<Score>(score);
}

// Of right and wrong rows in parts too small to tell their own spread: that of all rows together. `scale` is the
// standard error of the group's value over the standard deviation of a row.
void useSpreadOfRows(Score& score, double share, double scale)
{
    score.standardError = scale * std::sqrt(share * (1 - share) * score.n / (score.n - 1));
    score.errorKind = "mean";
}

// The group's value from its leaves' scores; `macro` adds the plain mean of a weighted group.
void addGroup(const TaskSet& set, const Group& group, const std::vector<Score>& leaves, std::vector<Score>& scores)
{
    std::vector<int> sizes;
    std::vector<double> errors;
    Score score;
    score.task = group.name;
    score.metric = name(group.metric);
    score.filter = group.filter;
    score.group = true;
    constexpr int kEnough = 30; // rows beyond the first of each part, for a spread within parts
    double weighted = 0, plain = 0, squares = 0, inverse = 0, below = 0, above = 0;
    bool complete = true, sample = false, proportions = true, options = true;
    for (const std::size_t index : group.leaves) {
        const auto found = std::find_if(leaves.begin(), leaves.end(), [&](const Score& leaf) {
            return leaf.task == set.leaves[index].name && leaf.metric == score.metric && leaf.filter == group.filter;
        });
        if (found == leaves.end()) {
            complete = false;
            continue;
        }
        sizes.push_back(found->n);
        weighted += found->value * found->n;
        plain += found->value;
        inverse += 1.0 / found->n;
        options = options && found->chance > 0;
        score.chance += found->chance * (group.weighBySize ? found->n : 1);
        if (found->standardError) {
            errors.push_back(*found->standardError);
            squares += *found->standardError * *found->standardError;
        }
        proportions = proportions && found->wilson;
        if (found->wilson) {
            below += std::pow(found->value - found->wilson->low, 2);
            above += std::pow(found->wilson->high - found->value, 2);
        }
        score.n += found->n;
        score.failed += found->failed;
        score.rejected += found->rejected;
        complete = complete && found->extent == "complete";
        sample = sample || found->extent == "sample";
    }
    if (sizes.empty())
        return;
    const double count = static_cast<double>(sizes.size());
    score.chance = options ? score.chance / (group.weighBySize ? score.n : count) : 0;
    score.extent = sample ? "sample" : complete && set.report.accepted == set.report.official ? "complete" : "subset";
    const bool hasError = errors.size() == sizes.size();
    const bool small = proportions && score.n > 1 && score.n - static_cast<int>(sizes.size()) < kEnough;
    Score macro = score;
    macro.metric = score.metric + "_macro";
    macro.value = plain / count;
    if (hasError) {
        macro.standardError = std::sqrt(squares) / count;
        macro.errorKind = "mean of tasks";
    }
    macro.harnessError = macro.standardError;
    if (proportions)
        macro.wilson = {macro.value - std::sqrt(below) / count, macro.value + std::sqrt(above) / count};
    if (small)
        useSpreadOfRows(macro, weighted / score.n, std::sqrt(inverse) / count);
    if (!group.weighBySize) {
        macro.metric = score.metric;
        scores.push_back(macro);
        return;
    }
    score.value = weighted / score.n;
    if (hasError && score.n > static_cast<int>(sizes.size())) {
        score.standardError = pooledError(sizes, errors);
        score.errorKind = "pooled";
    }
    score.harnessError = score.standardError;
    if (small)
        useSpreadOfRows(score, score.value, 1 / std::sqrt(score.n));
    if (proportions)
        score.wilson = analysis::wilsonInterval(std::llround(weighted), score.n);
    scores.push_back(score);
    scores.push_back(macro);
}

} // namespace

Result<std::vector<Score>> aggregate(const TaskSet& set, std::span<const RowResult> rows,
                                     const AggregateOptions& options, const Control& control)
{
    if (rows.size() != set.examples.size())
        return inputError("There are " + std::to_string(rows.size()) + " row results for "
                          + std::to_string(set.examples.size()) + " examples.");
    std::vector<Score> leaves;
    for (const LeafTask& leaf : set.leaves) {
        for (std::size_t m = 0; m < leaf.metrics.size(); ++m) {
            std::optional<Result<Score>> score = leafScore(set, leaf, m, rows, options, control);
            if (!score)
                continue;
            if (!score->has_value())
                return score->error();
            leaves.push_back(std::move(**score));
        }
    }
    std::vector<Score> scores;
    for (const Group& group : set.groups)
        addGroup(set, group, leaves, scores);
    scores.insert(scores.end(), std::make_move_iterator(leaves.begin()), std::make_move_iterator(leaves.end()));
    return scores;
}

} // namespace headscope::tasks
