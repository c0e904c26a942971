// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/questions/headchanges.h"

#include "core/analysis/multiplicity.h"
#include "core/analysis/patternchange.h"
#include "core/engine/pattern/patterns.h"
#include "core/engine/ranking/rank.h"
#include "core/lm/edits.h"
#include "core/why/headweights.h"
#include "core/why/names.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace headscope::engine {

namespace {

using interventions::EditHead;
using interventions::HeadRef;
using interventions::InterventionSet;

// |b - a| / |a| of two products left^T right of factors [P, D].
double relativeChange(const at::Tensor& leftA, const at::Tensor& rightA, const at::Tensor& leftB,
                      const at::Tensor& rightB)
{
    if (leftA.equal(leftB) && rightA.equal(rightB))
        return 0; // no rounding
    const auto inner = [](const at::Tensor& left, const at::Tensor& right, const at::Tensor& otherLeft,
                          const at::Tensor& otherRight) {
        return (at::matmul(left, otherLeft.t()) * at::matmul(right, otherRight.t())).sum().item<double>();
    };
    const double a = inner(leftA, rightA, leftA, rightA), b = inner(leftB, rightB, leftB, rightB),
                 both = inner(leftA, rightA, leftB, rightB);
    const double difference = std::sqrt(std::max(a + b - 2 * both, 0.0));
    return a > 0 ? difference / std::sqrt(a) : difference > 0 ? INFINITY : 0.0;
}

// Mixer by mixer, so that the factors of two whole models are never held together.
void addWeights(const lm::Model& a, const lm::Model& b, HeadChanges& changes)
{
    std::size_t first = 0;
    for (int layer = 0; layer < static_cast<int>(a.spec().layers.size()); ++layer)
        for (const lm::MixerSpec& mixer : a.spec().layers[static_cast<std::size_t>(layer)].mixers) {
            const auto heads = static_cast<std::size_t>(mixer.heads);
            const auto one = why::headFactors(a, layer, mixer.site()), other = why::headFactors(b, layer, mixer.site());
            if (!one.has_value())
                changes.undefined.push_back(one.error().message);
            for (std::size_t head = 0; one.has_value() && other.has_value() && head < heads; ++head) {
                const why::HeadFactors &x = (*one)[head], &y = (*other)[head];
                HeadChange& change = changes.heads[first + head];
                change.ov = relativeChange(x.output.t(), x.value, y.output.t(), y.value);
                if (x.query.defined() && y.query.defined())
                    change.qk = relativeChange(x.query, x.key, y.query, y.key);
            }
            first += heads;
        }
}

// Of all heads: the mean distance over the rows behind the first, which has one key alone.
Result<void> addPatterns(const lm::Model& a, const lm::Model& b, const std::vector<int>& ids,
                         const std::vector<HeadRef>& heads, std::vector<std::vector<double>>& distances,
                         const Control& control)
{
    const auto one = patterns(a, ids, heads, {}, {}, control), other = patterns(b, ids, heads, {}, {}, control);
    if (!one.has_value() || !other.has_value())
        return one.has_value() ? other.error() : one.error();
    for (std::size_t head = 0; head < heads.size(); ++head) {
        const Matrix &x = (*one)[head].matrix, &y = (*other)[head].matrix;
        double sum = 0;
        for (int row = 1; row < x.rows; ++row)
            sum += analysis::jensenShannonDistance(x.row(row).first(static_cast<std::size_t>(row) + 1),
                                                   y.row(row).first(static_cast<std::size_t>(row) + 1));
        distances[head].push_back(x.rows > 1 ? sum / (x.rows - 1) : 0);
    }
    return {};
}

// The log-probability of the answer with each head off, the last without an ablation.
std::vector<double> answerLogProbabilities(const lm::Model& model, const Question& question,
                                           const std::vector<lm::Edits>& states)
{
    const auto length = static_cast<std::int64_t>(question.ids.size());
    const at::TensorOptions options = at::TensorOptions(at::kLong).device(model.device());
    const at::Tensor ids = at::tensor(question.ids, options).unsqueeze(0), last = at::full({1, 1}, length - 1, options);
    std::vector<double> values;
    for (const lm::Edits& edits : states) {
        const at::Tensor logits = model.logits(ids, {.edits = &edits, .rows = last})[0][0];
        values.push_back(at::log_softmax(logits, -1)[*question.answer].item<double>());
    }
    return values;
}

Result<std::vector<lm::Edits>> statesOf(const lm::ModelSpec& spec, const std::vector<HeadRef>& heads)
{
    std::vector<lm::Edits> states;
    for (std::size_t i = 0; i <= heads.size(); ++i) {
        const InterventionSet set =
            i < heads.size() ? InterventionSet({EditHead{.head = heads[i]}}) : InterventionSet();
        auto edits = lm::resolve(set, spec, {});
        if (!edits.has_value())
            return edits.error();
        states.push_back(std::move(*edits));
    }
    return states;
}

// What the removal of each head costs in A and in B, a value per prompt.
struct Costs {
    std::vector<std::vector<double>> a, b;
};

void addCosts(const lm::Model& a, const lm::Model& b, const Question& question, const std::vector<lm::Edits>& states,
              Costs& costs)
{
    for (const auto& [model, side] : {std::pair(&a, &costs.a), std::pair(&b, &costs.b)}) {
        const std::vector<double> values = answerLogProbabilities(*model, question, states);
        for (std::size_t head = 0; head < side->size(); ++head)
            (*side)[head].push_back(values.back() - values[head]);
    }
}

void addEffects(const Costs& costs, HeadChanges& changes)
{
    std::vector<double> p;
    for (std::size_t head = 0; head < changes.heads.size(); ++head) {
        const auto test = analysis::pairedT(costs.a[head], costs.b[head]);
        std::vector<double> more(costs.a[head].size());
        for (std::size_t i = 0; i < more.size(); ++i)
            more[i] = costs.b[head][i] - costs.a[head][i];
        changes.heads[head].effect = analysis::meanOf(more);
        p.push_back(test.has_value() ? test->p : 1.0);
    }
    const std::vector<double> corrected = analysis::holm(p);
    for (std::size_t head = 0; head < corrected.size(); ++head)
        changes.heads[head].p = corrected[head];
}

} // namespace

std::optional<std::int64_t> trainingStep(std::string name)
{
    constexpr std::string_view kDigits = "0123456789", kStep = "step";
    if (name.ends_with('/'))
        name.pop_back();
    name.erase(0, name.find_last_of("/@") + 1);
    std::size_t first = name.rfind(kStep);
    first = first == name.npos ? first : name.find_first_not_of("-_=", first + kStep.size());
    if (first == name.npos || kDigits.find(name[first]) == kDigits.npos)
        first = name.find_last_not_of(kDigits) + 1;
    const std::string digits = name.substr(first, name.find_first_not_of(kDigits, first) - first);
    return digits.empty() || digits.size() > 15 ? std::nullopt : std::optional(std::stoll(digits));
}

Result<void> checkShapes(const lm::ModelSpec& a, const lm::ModelSpec& b)
{
    const auto error = [](const std::string& what) {
        return inputError("The two models differ in " + what
                          + "; only models of one shape can be compared head by head.");
    };
    if (a.family != b.family)
        return error("family ('" + a.family + "' and '" + b.family + "')");
    if (a.layers.size() != b.layers.size())
        return error("their number of layers (" + std::to_string(a.layers.size()) + " and "
                     + std::to_string(b.layers.size()) + ")");
    if (a.hidden != b.hidden || a.vocabulary != b.vocabulary)
        return error(a.hidden != b.hidden ? "width" : "the size of their vocabularies");
    for (std::size_t layer = 0; layer < a.layers.size(); ++layer)
        if (!a.layers[layer].sameHeads(b.layers[layer]))
            return error("the heads of layer L" + std::to_string(layer));
    return {};
}

Result<HeadChanges> headChanges(const lm::Model& a, const lm::Model& b, std::span<const Question> questions,
                                const Control& control)
{
    if (const auto shapes = checkShapes(a.spec(), b.spec()); !shapes.has_value())
        return shapes.error();
    const at::NoGradGuard noGrad;
    const std::vector<HeadRef> heads = allHeads(a.spec());
    HeadChanges changes;
    for (const HeadRef& head : heads)
        changes.heads.push_back({.head = why::headName(a.spec(), head.layer, head.site, head.head)});
    addWeights(a, b, changes);
    const auto states = statesOf(a.spec(), heads);
    if (!states.has_value())
        return states.error();
    std::vector<std::vector<double>> distances(heads.size());
    Costs costs{distances, distances};
    for (const Question& question : questions) {
        if (control.stopped())
            return cancelledError();
        if (const auto done = addPatterns(a, b, question.ids, heads, distances, control); !done.has_value())
            return done.error();
        ++changes.prompts;
        if (question.answer) {
            addCosts(a, b, question, *states, costs);
            ++changes.answered;
        }
        control.progress("comparing heads", changes.prompts, static_cast<std::int64_t>(questions.size()));
    }
    for (std::size_t head = 0; head < heads.size() && changes.prompts > 0; ++head)
        changes.heads[head].pattern = analysis::meanOf(distances[head]);
    if (changes.answered > 0)
        addEffects(costs, changes);
    return changes;
}

} // namespace headscope::engine
