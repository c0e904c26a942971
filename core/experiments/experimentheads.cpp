// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiments/experimentheads.h"

#include "core/tasks/python/pyrandom.h"

#include <algorithm>
#include <cassert>

namespace headscope::experiments {

using interventions::EditHead;
using interventions::Intervention;

namespace {

/// The table of heads in the Gather-and-Aggregate paper (Bick et al. 2025, arXiv 2504.18574). The name is the last part
/// of the hub's, in lower case, without
/// "-instruct".
struct Known {
    const char* model;
    int gatherLayer;
    std::vector<int> gather;
    int aggregateLayer;
    std::vector<int> aggregate;
};
const Known kKnown[] = {
    {"llama-3.1-8b", 16, {22}, 17, {24}},
    {"falcon-mamba-7b", 35, {3186, 5143, 6607, 7305}, 36, {1565, 1906, 3873, 4925}},
    {"llamba-8b-untied", 16, {10}, 17, {3, 9}},
};

std::string plainName(const std::string& model)
{
    std::string name = model.substr(model.rfind('/') == std::string::npos ? 0 : model.rfind('/') + 1);
    name = name.substr(0, name.find('@'));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.ends_with("-instruct") ? name.substr(0, name.size() - 9) : name;
}

std::vector<HeadRef> headsOfLayer(int layer, const std::vector<int>& numbers)
{
    std::vector<HeadRef> heads;
    for (const int number : numbers)
        heads.push_back({layer, lm::Site::Any, number});
    return heads;
}

/// The costliest head in the highest layer below `below` that has a critical one. The ranking has the costliest first.
const engine::RankedHead* highest(const std::vector<engine::RankedHead>& ranking, double worstDelta, int below)
{
    const engine::RankedHead* found = nullptr;
    for (const engine::RankedHead& head : ranking)
        if (head.delta <= worstDelta && head.head.layer < below && (!found || head.head.layer > found->head.layer))
            found = &head;
    return found;
}

} // namespace

std::vector<HeadRef> GatherAggregate::both() const
{
    std::vector<HeadRef> all = gather;
    all.insert(all.end(), aggregate.begin(), aggregate.end());
    return all;
}

Result<GatherAggregate> gatherAggregate(Lab& lab, Bench& bench)
{
    for (const Known& known : kKnown)
        if (plainName(bench.name) == known.model && known.aggregateLayer < bench.layers())
            return GatherAggregate{headsOfLayer(known.gatherLayer, known.gather),
                                   headsOfLayer(known.aggregateLayer, known.aggregate), known.aggregateLayer, true};

    const std::string task = bench.suite.kv(bench.suite.pairs());
    const auto baseline = lab.score(bench, task, {});
    if (!baseline.has_value())
        return baseline.error();
    const auto ranking = lab.rank(bench, task);
    if (!ranking.has_value())
        return ranking.error();
    const double half = -(baseline->value - baseline->chance) / 2;
    const engine::RankedHead* aggregate =
        lab.planning() ? nullptr : highest(ranking->heads, std::min(half, -1e-9), bench.layers());
    const engine::RankedHead* gather = aggregate ? highest(ranking->heads, half, aggregate->head.layer) : nullptr;
    if (!aggregate || !gather) {
        // Stand-ins: the two costliest in different layers, the upper one taken for the aggregating one.
        const auto& first = ranking->heads.front();
        const auto second = std::find_if(ranking->heads.begin(), ranking->heads.end(),
                                         [&](const auto& head) { return head.head.layer != first.head.layer; });
        aggregate = &first;
        gather = second == ranking->heads.end() ? &first : &*second;
        if (gather->head.layer > aggregate->head.layer)
            std::swap(gather, aggregate);
        if (!lab.planning())
            lab.addNote("{}: no two heads in different layers each cost more than half of {}, so the two costliest in "
                        "different layers stand in for a gather and an aggregate head.",
                        bench.name, task);
    }
    return GatherAggregate{{gather->head}, {aggregate->head}, aggregate->head.layer, false};
}

InterventionSet joined(const InterventionSet& a, const InterventionSet& b)
{
    std::vector<Intervention> items = a.items();
    items.insert(items.end(), b.items().begin(), b.items().end());
    return InterventionSet(std::move(items));
}

InterventionSet without(const std::vector<HeadRef>& heads, const InterventionSet& besides)
{
    std::vector<Intervention> items = besides.items();
    for (const HeadRef& head : heads)
        items.push_back(EditHead{.head = head});
    return InterventionSet(std::move(items));
}

InterventionSet minimalModel(int lastLayer)
{
    return InterventionSet({interventions::MinimalModel{lastLayer}});
}

InterventionSet edit(const std::string& text)
{
    auto parsed = InterventionSet::parse(text);
    assert(parsed.has_value());
    return *parsed;
}

std::string nameOf(const lm::ModelSpec& spec, const HeadRef& head)
{
    std::string text = interventions::toText(head);
    const lm::MixerSpec* mixer = spec.layers[static_cast<std::size_t>(head.layer)].find(head.site);
    if (mixer && mixer->channels() && head.site == lm::Site::Any)
        text[text.find('H')] = 'C';
    return text;
}

std::string namesOf(const lm::ModelSpec& spec, const std::vector<HeadRef>& heads)
{
    std::string text;
    for (const HeadRef& head : heads)
        text += (text.empty() ? "" : ", ") + nameOf(spec, head);
    return text.empty() ? "none" : text;
}

std::vector<HeadRef> randomHeads(const std::vector<HeadRef>& from, int count, std::uint64_t seed)
{
    std::vector<HeadRef> left = from, drawn;
    tasks::PyRandom random(seed);
    while (!left.empty() && static_cast<int>(drawn.size()) < count) {
        const auto at = static_cast<std::size_t>(random.below(left.size()));
        drawn.push_back(left[at]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return drawn;
}

std::vector<HeadRef> firstOf(const std::vector<engine::RankedHead>& ranking, std::size_t count)
{
    std::vector<HeadRef> heads;
    for (std::size_t i = 0; i < std::min(count, ranking.size()); ++i)
        heads.push_back(ranking[i].head);
    return heads;
}

} // namespace headscope::experiments
