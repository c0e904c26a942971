// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/attributionrun.h"

namespace headscope::engine {

namespace {

Result<std::vector<SourceSplit>> splitHeads(const lm::Model& model, const lm::Edits& base, const why::Recording& run,
                                            const why::Metric& metric, const std::vector<why::DirectPart>& parts,
                                            const Control& control)
{
    std::vector<SourceSplit> splits(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].kind != why::DirectPart::Kind::Head)
            continue;
        if (control.stopped())
            return cancelledError();
        auto values = why::sourceParts(model, base, run, metric, {parts[i].layer, parts[i].site}, parts[i].head);
        if (values.has_value())
            splits[i].values = std::move(*values);
        else
            splits[i].why = values.error().message;
        control.progress("splitting heads", static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(parts.size()));
    }
    return splits;
}

struct OneAttribution {
    why::Recording run;
    why::Metric metric;
    why::DirectAttribution direct;
};

Result<OneAttribution> attributeOne(const lm::Model& model, const lm::Edits& base, const Question& question,
                                    const Control& control)
{
    auto run = why::record(model, question.ids, base, {control.stop, {}});
    if (!run.has_value())
        return run.error();
    const auto metric = metricOf(question, *run, model);
    if (!metric.has_value())
        return metric.error();
    auto direct = why::directAttribution(model, base, *run, *metric, {control.stop, {}});
    if (!direct.has_value())
        return direct.error();
    return OneAttribution{std::move(*run), *metric, std::move(*direct)};
}

} // namespace

double MeanAttribution::sum() const
{
    double sum = 0;
    for (const analysis::Mean& mean : means)
        sum += mean.value;
    return sum;
}

Result<MeanAttribution> attribute(const lm::Model& model, const lm::Edits& base, const std::vector<Question>& questions,
                                  bool sources, const Control& control)
{
    MeanAttribution all{.asked = static_cast<int>(questions.size())};
    std::vector<double> differences;
    std::vector<std::vector<double>> values; // by part, then prompt
    for (const Question& question : questions) {
        const auto one = attributeOne(model, base, question, control);
        if (!one.has_value() && one.error().kind == Error::Kind::Cancelled && all.prompts > 0)
            break;
        if (!one.has_value())
            return one.error();
        if (all.prompts++ == 0) {
            all.metric = one->metric;
            all.capped = one->direct.capped;
            all.parts = one->direct.parts;
            all.silent = one->direct.silent;
            values.resize(all.parts.size());
        }
        differences.push_back(one->direct.difference);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i].push_back(one->direct.parts[i].value);
        control.progress("attributing", all.prompts, all.asked);
        if (sources && questions.size() == 1) {
            auto split = splitHeads(model, base, one->run, one->metric, all.parts, control);
            if (!split.has_value())
                return split.error();
            all.sources = std::move(*split);
        }
    }
    all.difference = analysis::meanOf(differences);
    for (std::size_t i = 0; i < values.size(); ++i) {
        all.means.push_back(analysis::meanOf(values[i]));
        all.parts[i].value = all.means[i].value;
    }
    return all;
}

} // namespace headscope::engine
